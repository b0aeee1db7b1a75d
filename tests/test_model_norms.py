"""The table of model families: each trap that it is there for, and that its rows are of one form."""

import numpy as np
import pytest

from sknorm._checkpoint_errors import KINDS
from sknorm._model_norms import FAMILIES, alternatives, families_of
from sknorm.checkpoint import list_norms

from .checkpoints import model_directory, state_of

MODEL_TYPES = sorted({family.model_type for family in FAMILIES})
LATENT = "model.layers.1.self_attn.q_a_layernorm"

pytest.importorskip("safetensors")


def only_layer(folder, name, bias, **config):
    (layer,) = list_norms(model_directory(folder, state_of(name, bias=bias), **config))
    return layer


# model type, layer, whether it has a bias, kind, key of eps, eps without the key
KNOWN = [
    ("bert", "bert.encoder.layer.11.attention.output.LayerNorm", True, "layernorm", "layer_norm_eps", 1e-12),
    ("roberta", "lm_head.layer_norm", True, "layernorm", "layer_norm_eps", 1e-12),
    ("deberta-v2", "deberta.encoder.layer.0.output.LayerNorm", True, "layernorm", "layer_norm_eps", 1e-7),
    ("distilbert", "transformer.layer.3.sa_layer_norm", True, "layernorm", None, 1e-12),
    ("modernbert", "model.layers.3.attn_norm", False, "layernorm", "norm_eps", 1e-5),
    ("gpt2", "transformer.h.0.ln_1", True, "layernorm", "layer_norm_epsilon", 1e-5),
    ("gpt_neox", "gpt_neox.final_layer_norm", True, "layernorm", "layer_norm_eps", 1e-5),
    ("opt", "model.decoder.layers.2.self_attn_layer_norm", True, "layernorm", None, 1e-5),
    ("falcon", "transformer.h.2.ln_mlp", True, "layernorm", "layer_norm_epsilon", 1e-5),
    ("mpt", "transformer.blocks.0.norm_1", False, "layernorm", "layer_norm_epsilon", 1e-5),
    ("cohere", "model.layers.3.input_layernorm", False, "layernorm", "layer_norm_eps", 1e-5),
    ("stablelm", "model.layers.0.self_attn.q_layernorm.norms.3", False, "layernorm", "layer_norm_eps", 1e-5),
    ("starcoder2", "model.norm", True, "layernorm", "norm_epsilon", 1e-5),
    ("dbrx", "transformer.blocks.0.norm_attn_norm.norm_2", False, "layernorm", None, 1e-5),
    ("nemotron", "model.norm", True, "layernorm+1", "norm_eps", 1e-5),
    ("persimmon", "model.layers.0.self_attn.q_layernorm", True, "layernorm", "layer_norm_eps", 1e-5),
    ("phimoe", "model.norm", True, "layernorm", "rms_norm_eps", 1e-5),
    ("t5", "encoder.block.0.layer.1.layer_norm", False, "rmsnorm", "layer_norm_epsilon", 1e-6),
    ("mamba", "backbone.norm_f", False, "rmsnorm", "layer_norm_epsilon", 1e-5),
    ("whisper", "model.decoder.layers.0.encoder_attn_layer_norm", True, "layernorm", None, 1e-5),
    ("bart", "model.encoder.layernorm_embedding", True, "layernorm", None, 1e-5),
    ("vit", "vit.encoder.layer.0.layernorm_before", True, "layernorm", "layer_norm_eps", 1e-12),
    ("vit", "layers.0.layernorm_before", True, "layernorm", "layer_norm_eps", 1e-12),
    ("dinov2", "encoder.layer.0.norm1", True, "layernorm", "layer_norm_eps", 1e-6),
    ("clip", "vision_model.pre_layrnorm", True, "layernorm", "layer_norm_eps", 1e-5),
    ("llama", "model.norm", False, "rmsnorm", "rms_norm_eps", 1e-6),
    ("helium", "model.norm", False, "rmsnorm", "rms_norm_eps", 1e-8),
    ("glm4", "model.layers.0.post_mlp_layernorm", False, "rmsnorm", "rms_norm_eps", 1.5625e-7),
    ("qwen3", "model.layers.0.self_attn.k_norm", False, "rmsnorm", "rms_norm_eps", 1e-6),
    ("gemma", "model.layers.0.input_layernorm", False, "rmsnorm+1", "rms_norm_eps", 1e-6),
    ("gemma2", "model.layers.0.pre_feedforward_layernorm", False, "rmsnorm+1", "rms_norm_eps", 1e-6),
    ("gemma3_text", "model.layers.0.self_attn.q_norm", False, "rmsnorm+1", "rms_norm_eps", 1e-6),
    ("olmo2", "model.layers.0.self_attn.q_norm", False, "rmsnorm", "rms_norm_eps", 1e-5),
    ("bitnet", "model.layers.0.mlp.ffn_sub_norm", False, "rmsnorm", "rms_norm_eps", 1e-5),
    ("apertus", "model.layers.0.attention_layernorm", False, "rmsnorm", "rms_norm_eps", 1e-5),
    ("internlm2", "model.layers.0.ffn_norm", False, "rmsnorm", "rms_norm_eps", 1e-6),
    ("deepseek_v3", "model.layers.1.input_layernorm", False, "rmsnorm", "rms_norm_eps", 1e-6),
    ("deepseek_v2", LATENT, False, "rmsnorm", None, 1e-6),
    ("deepseek_v3", LATENT, False, "rmsnorm", None, 1e-6),
    ("minicpm3", LATENT, False, "rmsnorm", None, 1e-6),
    ("minicpm3", "model.norm", False, "rmsnorm", "rms_norm_eps", 1e-5),
    ("chatglm", "transformer.encoder.final_layernorm", False, "rmsnorm", "layernorm_epsilon", 1e-5),
]


@pytest.mark.parametrize("model_type, name, bias, kind, key, default", KNOWN)
def test_the_layers_of_a_family_are_known_by_its_model_type(tmp_path, model_type, name, bias, kind, key, default):
    # Every spelling of the key is in the config, so that a wrong one would be seen.
    others = {"layer_norm_eps", "layer_norm_epsilon", "layernorm_epsilon", "rms_norm_eps", "norm_eps", "norm_epsilon"}
    config = dict.fromkeys(others - {key}, 0.25)
    layer = only_layer(tmp_path, name, bias, model_type=model_type, **config)
    assert (layer.kind, layer.eps, layer.n_features) == (kind, default, 4)
    assert repr(model_type) in layer.evidence
    if key:
        assert layer.eps_source == f"default of {model_type}; config.json has no {key}"
        layer = only_layer(tmp_path, name, bias, model_type=model_type, **{key: 3e-4}, **config)
        assert (layer.kind, layer.eps, layer.eps_source) == (kind, 3e-4, f"config.json: {key}")
    else:
        assert layer.eps_source == f"fixed in the code of {model_type}"


@pytest.mark.parametrize("rmsnorm, bias, kind", [(True, False, "rmsnorm"), (False, True, "layernorm")])
@pytest.mark.parametrize("said", [True, False])
def test_the_second_generation_of_chatglm_has_either_kind(tmp_path, rmsnorm, bias, kind, said):
    config = {"rmsnorm": rmsnorm} if said else {}
    name = "transformer.encoder.layers.0.input_layernorm"
    assert only_layer(tmp_path, name, bias, model_type="chatglm", **config).kind == kind


def test_the_first_generation_of_chatglm_is_told_by_its_paths(tmp_path):
    layer = only_layer(tmp_path, "transformer.layers.0.input_layernorm", True, model_type="chatglm", rmsnorm=True)
    assert layer.kind == "layernorm"
    assert "first generation" in layer.evidence


@pytest.mark.parametrize(
    "model_type, name, bias, config",
    [
        ("llama", "model.norm", True, {}),
        ("bert", "embeddings.LayerNorm", False, {}),
        ("chatglm", "transformer.encoder.layers.0.input_layernorm", True, {"rmsnorm": True}),
        ("modernbert", "final_norm", False, {"norm_bias": True}),
        ("mpt", "transformer.norm_f", False, {"norm_type": "low_precision_rmsnorm"}),
        ("llama", "model.norm", False, {"norm_type": "layer_norm"}),
    ],
)
def test_what_contradicts_the_table_is_unknown(tmp_path, model_type, name, bias, config):
    layer = only_layer(tmp_path, name, bias, model_type=model_type, **config)
    assert (layer.kind, layer.eps) == ("unknown", None)
    assert f"model_type {model_type!r}, " in layer.evidence
    assert ", but " in layer.evidence


def test_the_norm_type_that_mpt_commonly_has_contradicts_nothing(tmp_path):
    config = {"model_type": "mpt", "norm_type": "low_precision_layernorm"}
    assert only_layer(tmp_path, "transformer.norm_f", False, **config).kind == "layernorm"


def test_the_layers_of_olmo_are_listed_though_they_store_nothing(tmp_path):
    state = state_of("model.layers.0.mlp.up_proj", "model.layers.10.mlp.up_proj", "lm_head")
    state = {name: array[None] for name, array in state.items()}
    layers = list_norms(model_directory(tmp_path, state, model_type="olmo", hidden_size=32))
    assert [layer.name for layer in layers] == [
        "model.layers.0.input_layernorm",
        "model.layers.0.post_attention_layernorm",
        "model.layers.10.input_layernorm",
        "model.layers.10.post_attention_layernorm",
        "model.norm",
    ]
    assert {(layer.kind, layer.eps, layer.n_features, layer.parameters) for layer in layers} == {
        ("layernorm", 1e-5, 32, ())
    }


@pytest.mark.parametrize(
    "config, names",
    [
        ({"layer_norm_elementwise_affine": False}, ["self_attn", "final"]),
        ({"layer_norm_elementwise_affine": True}, []),
        ({}, []),
    ],
)
def test_the_layers_of_opt_store_something_unless_its_config_says_otherwise(tmp_path, config, names):
    state = {"model.decoder.layers.0.fc1.weight": np.ones((4, 4), np.float32)}
    layers = list_norms(model_directory(tmp_path, state, model_type="opt", hidden_size=4, **config))
    assert {layer.name for layer in layers} == {f"model.decoder.layers.0.{name}_layer_norm" for name in names}
    assert {(layer.kind, layer.eps, layer.n_features) for layer in layers} <= {("layernorm", 1e-5, 4)}


@pytest.mark.parametrize("model_type", MODEL_TYPES)
def test_a_row_covers_its_layers_also_inside_another_model_and_no_others(model_type):
    for family in families_of(model_type):
        for name in alternatives(family.layers):
            real = name.replace(".N", ".12")
            assert family.covers(real, {})
            assert family.covers(f"language_model.model.{real}", {})
            assert family.covers(real.replace(".", "/"), {})
            assert not family.covers(f"{real}.extra", {})
            assert not family.covers(f"layers.3.mlp.{real}", {})
            assert not family.covers(f"layers_3/mlp/{real}", {})


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.model_type)
def test_a_row_is_of_one_form(family):
    assert family.kind in KINDS
    assert 0 < family.eps <= 1e-5
    assert family.bias in (True, False, None)
    assert family.kind.startswith("layernorm") or not family.bias
