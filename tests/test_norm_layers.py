"""Which tensors are a normalization layer, and what is concluded from what: the config, the bias, or nothing."""

import numpy as np
import pytest

from sknorm.checkpoint import list_norms, load_norm

from .checkpoints import model_directory, state_of
from .wording import assert_says

ONES = np.ones(4, np.float32)


def listed(state):
    return {layer.name: layer for layer in list_norms(state)}


def test_a_bias_makes_a_layer_norm_whose_eps_is_not_known():
    layer = listed(state_of("encoder.norm", bias=True))["encoder.norm"]
    assert (layer.kind, layer.eps, layer.n_features, layer.dtype) == ("layernorm", None, 4, "float32")
    assert layer.parameters == ("encoder.norm.weight", "encoder.norm.bias")
    assert "weight and bias of one shape" in layer.evidence


def test_without_a_bias_the_kind_is_not_known():
    layer = listed(state_of("encoder.norm"))["encoder.norm"]
    assert (layer.kind, layer.eps, layer.parameters) == ("unknown", None, ("encoder.norm.weight",))
    assert "RMS norm, RMS norm by 1 + weight and layer norm without bias" in layer.evidence


@pytest.mark.parametrize("weight, bias", [("gamma", "beta"), ("scale", "bias"), ("weight", "beta"), ("weight", "bias")])
@pytest.mark.parametrize("separator", [".", "/"])
def test_the_parameters_have_other_names_in_other_frameworks(weight, bias, separator):
    name = separator.join(["bert", "encoder", "LayerNorm"])
    state = {f"{name}{separator}{weight}": 2 * ONES, f"{name}{separator}{bias}": 3 * ONES}
    assert listed(state)[name].kind == "layernorm"
    norm = load_norm(state, name, eps=0)
    np.testing.assert_array_equal([norm.gamma, norm.beta], [2 * ONES, 3 * ONES])


@pytest.mark.parametrize("separator, index", [(".", ".3."), ("/", "_3/")])
def test_a_family_is_known_by_the_names_of_other_frameworks_too(tmp_path, separator, index):
    pytest.importorskip("safetensors")
    name = f"bert{separator}encoder{separator}layer{index}attention{separator}output{separator}LayerNorm"
    state = {f"{name}{separator}gamma": ONES, f"{name}{separator}beta": ONES}
    (layer,) = list_norms(model_directory(tmp_path, state, model_type="bert"))
    assert (layer.kind, layer.eps) == ("layernorm", 1e-12)


@pytest.mark.parametrize(
    "owner",
    [
        "norm",
        "norm1",
        "LayerNorm_0",
        "ln_f",
        "ln1",
        "ln",
        "lnf",
        "pre_ln",
        "rms_1",
        "pre_layrnorm",
        "norms.3",
        "layer_normalization_1",
    ],
)
def test_a_weight_is_listed_where_the_name_says_norm(owner):
    assert list(listed({f"block.{owner}.weight": ONES})) == [f"block.{owner}"]


NO_ROW_NORM = {
    "linear": {"fc.weight": np.ones((4, 4)), "fc.bias": ONES},
    "convolution": {"conv.weight": np.ones((4, 1, 3)), "conv.bias": ONES},
    "PReLU": {"act.weight": ONES},
    "layer scale": {"block.gamma": ONES, "ls.gamma": ONES},
    "surface normals": {"normal.weight": np.ones((3, 4)), "normals.weight": ONES},
    "linear layer of an adaptive norm": {"norm.linear.weight": np.ones((8, 4)), "norm.linear.bias": np.ones(8)},
    "batch norm": {f"norm.{name}": ONES for name in ("weight", "bias", "running_mean", "running_var")},
    "batch norm, Keras": {f"norm/{name}": ONES for name in ("gamma", "beta", "moving_mean", "moving_variance")},
    "batch norm, by name": {"bn1.weight": ONES, "bn1.bias": ONES, "BatchNorm_0.scale": ONES, "BatchNorm_0.bias": ONES},
    "group norm, by name": {f"{owner}.weight": ONES for owner in ("group_norm", "GroupNorm_0", "gn1", "gn")},
    "instance norm, by name": {"InstanceNorm.weight": ONES, "InstanceNorm.bias": ONES},
    "scale of a quantized weight": {"norm.weight.qweight": ONES.astype(np.int8), "norm.weight.scale": ONES[:1]},
}


@pytest.mark.parametrize("state", NO_ROW_NORM.values(), ids=NO_ROW_NORM)
def test_what_is_no_row_norm_is_not_listed(state):
    assert list_norms(state) == []


@pytest.mark.parametrize("index", [0, "0.conv_layers.3"])
def test_beside_a_convolution_it_may_be_a_group_norm(index):
    """wav2vec2 calls its group norm layer_norm."""
    state = state_of(f"conv_layers.{index}.layer_norm", "encoder.layer_norm", bias=True)
    state[f"conv_layers.{index}.conv.weight"] = np.ones((4, 1, 3))
    layers = listed(state)
    assert layers["encoder.layer_norm"].kind == "layernorm"
    assert layers[f"conv_layers.{index}.layer_norm"].kind == "unknown"
    assert "beside a convolution" in layers[f"conv_layers.{index}.layer_norm"].evidence


def test_a_member_of_a_sequence_is_listed_by_its_bias():
    assert listed(state_of("net.1", bias=True))["net.1"].kind == "layernorm"


def test_one_gamma_for_each_head_is_listed_and_refused(tmp_path):
    pytest.importorskip("safetensors")
    state = {"model.layers.0.self_attn.q_norm.weight": np.ones((2, 4), np.float32)}
    folder = model_directory(tmp_path, state, model_type="cohere")
    (layer,) = list_norms(folder)
    assert (layer.kind, layer.n_features) == ("layernorm", 4)
    with pytest.raises(ValueError, match=r"got shape \(2, 4\)"):
        load_norm(folder, "*.q_norm")


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize(
    "name, model_type", [("norm", None), ("model.norm", "llama"), ("embeddings.LayerNorm", "bert")]
)
@pytest.mark.parametrize("words", [["shift"], ["offset", "slope"], ["gamma"], ["scale", "beta"]])
def test_nothing_beside_a_weight_is_left_out_in_silence(tmp_path, name, model_type, words, bias):
    pytest.importorskip("safetensors")
    known = ["weight", "bias"] if bias or "beta" in words else ["weight"]
    folder = model_directory(tmp_path, {f"{name}.{word}": ONES for word in known + words}, model_type=model_type)
    (layer,) = list_norms(folder)
    assert (layer.kind, layer.others) == ("unknown", tuple(f"{name}.{word}" for word in words))
    for kind in (None, "layernorm", "rmsnorm"):
        with pytest.raises(ValueError, match="Expected") as error:
            load_norm(folder, name, kind=kind, eps=0)
        assert_says(error.value, f"one weight and one bias in {name!r}", f"'{name}.weight', ", "rename it")
        assert all(repr(other) in layer.evidence and repr(other) in str(error.value) for other in layer.others)


def test_what_haiku_calls_offset_is_not_left_out_either():
    state = {"layer_norm": {"scale": ONES, "offset": 3 * ONES}}
    with pytest.raises(ValueError, match=r"'layer_norm\.scale', 'layer_norm\.offset'"):
        load_norm(state, "layer_norm", kind="layernorm", eps=1e-5)


def test_what_has_another_shape_than_the_weight_is_no_part_of_the_layer():
    layer = listed({"norm.weight": ONES, "norm.bias": ONES, "norm.steps": np.ones(()), "norm.linear": np.ones((8, 4))})
    assert (layer["norm"].kind, layer["norm"].others) == ("layernorm", ())


def test_parameters_of_several_axes_are_of_unknown_kind():
    state = {"norm.weight": np.ones((2, 4)), "norm.bias": np.ones((2, 4))}
    layer = listed(state)["norm"]
    assert layer.kind == "unknown"
    assert "(2, 4)" in layer.evidence


def test_a_bias_of_another_shape_is_evidence_of_nothing():
    layer = listed({"norm.weight": ONES, "norm.bias": np.ones(5)})["norm"]
    assert layer.kind == "unknown"
    assert "shape (4,) and bias of shape (5,)" in layer.evidence


@pytest.mark.parametrize(
    "config, said",
    [
        ({}, "no model_type in config.json"),
        ({"model_type": "nobody"}, "no row in the table for model_type 'nobody'"),
        ({"model_type": "llama"}, "no such layer of model_type 'llama'"),
    ],
)
def test_the_evidence_says_why_the_config_does_not_decide(tmp_path, config, said):
    pytest.importorskip("safetensors")
    state = {**state_of("own.layernorm", bias=True), **state_of("own.rmsnorm")}
    layers = list_norms(model_directory(tmp_path, state, **config, rms_norm_eps=0.5))
    assert [layer.kind for layer in layers] == ["layernorm", "unknown"]
    for layer in layers:
        assert layer.evidence.startswith(said)
        assert layer.eps is None  # nothing says that the key is about this layer
        assert "config.json has rms_norm_eps=0.5" in layer.eps_source


@pytest.mark.parametrize(
    "name, text_type, kind, eps",
    [
        ("language_model.model.norm", "gemma3_text", "rmsnorm+1", 2e-6),
        ("model.language_model.norm", "gemma3_text", "rmsnorm+1", 2e-6),
        ("vision_tower.encoder.layer.0.norm1", "gemma3_text", "layernorm", 3e-6),
        ("language_model.model.norm", None, "unknown", None),
        ("projector.norm", "gemma3_text", "unknown", None),
    ],
)
def test_a_part_of_a_model_is_known_by_the_config_of_the_part(tmp_path, name, text_type, kind, eps):
    pytest.importorskip("safetensors")
    text = {"rms_norm_eps": 2e-6, **({"model_type": text_type} if text_type else {})}
    vision = {"layer_norm_eps": 3e-6, "model_type": "dinov2"}
    config = {"model_type": "several", "text_config": text, "vision_config": vision, "rms_norm_eps": 0.5}
    folder = model_directory(tmp_path, state_of(name, bias=kind == "layernorm"), **config)
    (layer,) = list_norms(folder)
    assert (layer.kind, layer.eps) == (kind, eps)


@pytest.mark.parametrize("part, eps", [("text", 2e-6), ("vision", 3e-6)])
def test_clip_keeps_an_eps_for_each_of_its_parts(tmp_path, part, eps):
    pytest.importorskip("safetensors")
    config = {"text_config": {"layer_norm_eps": 2e-6}, "vision_config": {"layer_norm_eps": 3e-6}}
    state = state_of(f"{part}_model.encoder.layers.0.layer_norm1", bias=True)
    folder = model_directory(tmp_path, state, model_type="clip", layer_norm_eps=0.5, **config)
    assert [layer.eps for layer in list_norms(folder)] == [eps]


def test_layers_come_in_the_order_of_their_numbers():
    names = [f"layers.{i}.norm" for i in (0, 1, 2, 10, 11)]
    assert [layer.name for layer in list_norms(state_of(*reversed(names)))] == names
