"""F4, the normalization layers of known model families: which sort, which eps, which parameters.

The facts were read from the sources of transformers 5.24.0, and from published copies of the code of chatglm,
internlm2, baichuan and minicpm, which it does not hold. A family is what ``model_type`` in config.json names. A second
row of a family holds the layers of it that differ. No row says more than was read: a layer that no row names is
unknown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import Any, NamedTuple


class Family(NamedTuple):
    """One sort of layers in one family."""

    model_type: str
    kind: str
    """"layernorm" or "rmsnorm"; with "+1" where the model multiplies by 1 + weight."""
    bias: bool | None
    """Whether the layer stores a bias; None where it stores no parameter at all."""
    eps_key: str | None
    """Key of eps in config.json; None where the code fixes eps, whatever config.json says."""
    eps: float
    """The eps that the code fixes, or takes where config.json lacks the key."""
    layers: str
    """Names of the layers without what the models prepend; N is an index, {a,b} is a or b."""
    note: str = ""
    when: tuple[str, Any] | None = None
    """The row holds only where config.json has this value at this key, or, for what is stored, lacks the key."""

    def covers(self, name: str, config: Mapping[str, Any]) -> bool:
        """Whether this row is about the layer ``name`` of a model with this config."""
        possible = self.when is None or config.get(self.when[0], self.when[1]) == self.when[1]
        return possible and _pattern(self.layers).fullmatch(name) is not None


# A model may be part of another, so names may follow on more words, but not on the index of another layer.
_OUTER = r"(?:(?!\w*_\d+[./])[A-Za-z_]\w*[./])*"


def alternatives(layers: str) -> list[str]:
    """The names that braces stand for.

    >>> alternatives("h.N.ln_{1,2} ln_f")
    ['h.N.ln_1', 'h.N.ln_2', 'ln_f']
    """
    found = []
    for layer in layers.split():
        choices = [part.split(",") for part in re.split(r"[{}]", layer)]
        found += ["".join(chosen) for chosen in product(*choices)]
    return found


@cache
def _pattern(layers: str) -> re.Pattern[str]:
    names = "|".join(
        re.escape(name).replace(r"\.", "[./]").replace("[./]N", r"[./_]\d+") for name in alternatives(layers)
    )
    return re.compile(f"{_OUTER}(?:{names})")


def families_of(model_type: Any) -> list[Family]:
    """The rows of a family; none for an unknown one."""
    return [family for family in FAMILIES if family.model_type == model_type]


_BERT = "embeddings.LayerNorm encoder.layer.N.{attention.,}output.LayerNorm"
_ROBERTA = f"{_BERT} lm_head.layer_norm"
_GPT = "h.N.ln_{1,2} ln_f"
_ONE_A_BLOCK = "h.N.ln_1 ln_f"
_LLAMA = "layers.N.{input,post_attention}_layernorm norm"
_HEADS = "layers.N.self_attn.{q,k}_norm"
_LATENT = "layers.N.self_attn.{q,kv}_a_layernorm"
_GEMMA = "layers.N.{input,post_attention,pre_feedforward,post_feedforward}_layernorm norm"
_POST_NORM = "layers.N.post_{attention,feedforward}_layernorm norm"
_CLIP = "{text,vision}_model.encoder.layers.N.layer_norm{1,2} text_model.final_layer_norm vision_model.post_layernorm"
_ENCODER_DECODER = (
    "{encoder,decoder}.layers.N.{self_attn,final}_layer_norm decoder.layers.N.encoder_attn_layer_norm "
    "{encoder,decoder}.%s"
)
_CHATGLM_1 = "transformer.layers.N.{input,post_attention}_layernorm transformer.final_layernorm"
_CHATGLM_2 = "encoder.layers.N.{input,post_attention}_layernorm encoder.final_layernorm"

_BY_HEAD = "q_norm and k_norm are over the features of one head, and shared by all heads"
_OVER_ALL_HEADS = "q_norm and k_norm are over the features of all heads together"
_OLD_NAMES = "old checkpoints say gamma and beta"
_SAID_LAYER_NORM = "called layer norm, but subtracts no mean"
_FIXED_LATENT = "made without the eps of config.json"
_ONE_PLUS = "the model multiplies by 1 + weight"

FAMILIES = (
    # Encoders of text
    Family("bert", "layernorm", True, "layer_norm_eps", 1e-12, _BERT, _OLD_NAMES),
    Family("roberta", "layernorm", True, "layer_norm_eps", 1e-12, _ROBERTA),
    Family("xlm-roberta", "layernorm", True, "layer_norm_eps", 1e-12, _ROBERTA),
    Family("electra", "layernorm", True, "layer_norm_eps", 1e-12, _BERT, _OLD_NAMES),
    Family(
        "albert",
        "layernorm",
        True,
        "layer_norm_eps",
        1e-12,
        "embeddings.LayerNorm albert_layer_groups.N.albert_layers.N.{full_layer_layer_norm,attention.LayerNorm}",
        _OLD_NAMES,
    ),
    Family(
        "distilbert",
        "layernorm",
        True,
        None,
        1e-12,
        "embeddings.LayerNorm transformer.layer.N.{sa,output}_layer_norm",
    ),
    Family("deberta", "layernorm", True, "layer_norm_eps", 1e-7, _BERT),
    Family("deberta-v2", "layernorm", True, "layer_norm_eps", 1e-7, _BERT),
    Family(
        "modernbert",
        "layernorm",
        False,
        "norm_eps",
        1e-5,
        "embeddings.norm layers.N.{mlp,attn}_norm final_norm",
        "a layer norm without bias, though its documentation says RMS",
        ("norm_bias", False),
    ),
    Family(
        "modernbert",
        "layernorm",
        True,
        "norm_eps",
        1e-5,
        "embeddings.norm layers.N.{mlp,attn}_norm final_norm",
        "",
        ("norm_bias", True),
    ),
    # Decoders with layer norm
    Family("gpt2", "layernorm", True, "layer_norm_epsilon", 1e-5, _GPT),
    Family("gptj", "layernorm", True, "layer_norm_epsilon", 1e-5, _ONE_A_BLOCK),
    Family("gpt_neo", "layernorm", True, "layer_norm_epsilon", 1e-5, _GPT),
    Family("codegen", "layernorm", True, "layer_norm_epsilon", 1e-5, _ONE_A_BLOCK),
    Family(
        "gpt_neox",
        "layernorm",
        True,
        "layer_norm_eps",
        1e-5,
        "layers.N.{input,post_attention}_layernorm final_layer_norm",
    ),
    Family(
        "opt",
        "layernorm",
        True,
        None,
        1e-5,
        "decoder.final_layer_norm decoder.layers.N.{self_attn,final}_layer_norm",
    ),
    Family(
        "opt",
        "layernorm",
        None,
        None,
        1e-5,
        "decoder.layers.N.{self_attn,final}_layer_norm",
        "without parameters; whether decoder.final_layer_norm follows is not known",
        ("layer_norm_elementwise_affine", False),
    ),
    Family(
        "bloom",
        "layernorm",
        True,
        "layer_norm_epsilon",
        1e-5,
        "word_embeddings_layernorm h.N.{input,post_attention}_layernorm ln_f",
    ),
    Family(
        "falcon",
        "layernorm",
        True,
        "layer_norm_epsilon",
        1e-5,
        "h.N.{input_layernorm,post_attention_layernorm,ln_attn,ln_mlp} ln_f",
    ),
    Family("mpt", "layernorm", False, "layer_norm_epsilon", 1e-5, "blocks.N.norm_{1,2} norm_f"),
    Family("phi", "layernorm", True, "layer_norm_eps", 1e-5, "layers.N.input_layernorm final_layernorm"),
    Family(
        "phi",
        "layernorm",
        True,
        "layer_norm_eps",
        1e-5,
        "layers.N.self_attn.{q,k}_layernorm",
        "over the features of one head",
    ),
    Family("olmo", "layernorm", None, None, 1e-5, _LLAMA, "the layers have no parameters, and none in the checkpoint"),
    Family("cohere", "layernorm", False, "layer_norm_eps", 1e-5, "layers.N.input_layernorm norm"),
    Family("cohere", "layernorm", False, "layer_norm_eps", 1e-5, _HEADS, "one gamma for each head"),
    Family("cohere2", "layernorm", False, "layer_norm_eps", 1e-5, "layers.N.input_layernorm norm"),
    Family("stablelm", "layernorm", True, "layer_norm_eps", 1e-5, _LLAMA),
    Family(
        "stablelm",
        "layernorm",
        False,
        "layer_norm_eps",
        1e-5,
        "layers.N.self_attn.{q,k}_layernorm.norms.N",
        "one layer for each head",
    ),
    Family("starcoder2", "layernorm", True, "norm_epsilon", 1e-5, _LLAMA),
    Family("dbrx", "layernorm", False, None, 1e-5, "blocks.N.norm_attn_norm.norm_{1,2} norm_f"),
    Family("nemotron", "layernorm+1", True, "norm_eps", 1e-5, _LLAMA, _ONE_PLUS),
    Family(
        "persimmon",
        "layernorm",
        True,
        "layer_norm_eps",
        1e-5,
        "layers.N.{input,post_attention}_layernorm final_layernorm layers.N.self_attn.{q,k}_layernorm",
        "q_layernorm and k_layernorm are over the features of one head",
    ),
    Family("phimoe", "layernorm", True, "rms_norm_eps", 1e-5, _LLAMA, "the key says RMS, the layers subtract the mean"),
    # Encoders and decoders, images, sound
    Family(
        "t5",
        "rmsnorm",
        False,
        "layer_norm_epsilon",
        1e-6,
        "{encoder,decoder}.block.N.layer.N.layer_norm {encoder,decoder}.final_layer_norm",
        _SAID_LAYER_NORM,
    ),
    Family("whisper", "layernorm", True, None, 1e-5, _ENCODER_DECODER % "layer_norm"),
    Family("bart", "layernorm", True, None, 1e-5, _ENCODER_DECODER % "layernorm_embedding"),
    # The second path is that of checkpoints written before transformers 5.
    Family("vit", "layernorm", True, "layer_norm_eps", 1e-12, "layer{s,}.N.layernorm_{before,after} layernorm"),
    Family("dinov2", "layernorm", True, "layer_norm_eps", 1e-6, "encoder.layer.N.norm{1,2} layernorm"),
    Family("siglip", "layernorm", True, "layer_norm_eps", 1e-6, f"{_CLIP} vision_model.head.layernorm"),
    Family("clip", "layernorm", True, "layer_norm_eps", 1e-5, f"{_CLIP} vision_model.pre_layrnorm"),
    # Decoders with RMS norm
    *(
        Family(model_type, "rmsnorm", False, "rms_norm_eps", eps, _LLAMA)
        for model_type, eps in {
            "llama": 1e-6,
            "mistral": 1e-6,
            "mixtral": 1e-5,
            "qwen2": 1e-6,
            "qwen2_moe": 1e-6,
            "phi3": 1e-5,
            "granite": 1e-6,
            "smollm3": 1e-6,
            "ernie4_5": 1e-5,
            "seed_oss": 1e-6,
            "arcee": 1e-5,
            "gpt_oss": 1e-5,
            "helium": 1e-8,
            "glm": 1.5625e-7,
            "baichuan": 1e-6,
            "minicpm": 1e-6,
        }.items()
    ),
    Family("qwen3", "rmsnorm", False, "rms_norm_eps", 1e-6, f"{_LLAMA} {_HEADS}", _BY_HEAD),
    Family("qwen3_moe", "rmsnorm", False, "rms_norm_eps", 1e-6, f"{_LLAMA} {_HEADS}", _BY_HEAD),
    Family("gemma", "rmsnorm+1", False, "rms_norm_eps", 1e-6, _LLAMA, _ONE_PLUS),
    Family("gemma2", "rmsnorm+1", False, "rms_norm_eps", 1e-6, _GEMMA, _ONE_PLUS),
    Family("gemma3_text", "rmsnorm+1", False, "rms_norm_eps", 1e-6, f"{_GEMMA} {_HEADS}", f"{_ONE_PLUS}; {_BY_HEAD}"),
    Family("olmo2", "rmsnorm", False, "rms_norm_eps", 1e-5, f"{_POST_NORM} {_HEADS}", _OVER_ALL_HEADS),
    Family("olmo3", "rmsnorm", False, "rms_norm_eps", 1e-5, f"{_POST_NORM} {_HEADS}", _OVER_ALL_HEADS),
    Family("exaone4", "rmsnorm", False, "rms_norm_eps", 1e-5, f"{_POST_NORM} {_HEADS}", _BY_HEAD),
    Family("deepseek_v2", "rmsnorm", False, "rms_norm_eps", 1e-6, _LLAMA),
    Family("deepseek_v2", "rmsnorm", False, None, 1e-6, _LATENT, _FIXED_LATENT),
    Family("deepseek_v3", "rmsnorm", False, "rms_norm_eps", 1e-6, _LLAMA),
    Family("deepseek_v3", "rmsnorm", False, None, 1e-6, _LATENT, _FIXED_LATENT),
    Family("minicpm3", "rmsnorm", False, "rms_norm_eps", 1e-5, _LLAMA),
    Family("minicpm3", "rmsnorm", False, None, 1e-6, _LATENT, _FIXED_LATENT),
    Family("glm4", "rmsnorm", False, "rms_norm_eps", 1.5625e-7, f"{_LLAMA} layers.N.post_{{self_attn,mlp}}_layernorm"),
    Family("llama4_text", "rmsnorm", False, "rms_norm_eps", 1e-5, _LLAMA, "qk_norm has no parameters, and no row here"),
    Family("mamba", "rmsnorm", False, "layer_norm_epsilon", 1e-5, "layers.N.norm norm_f", _SAID_LAYER_NORM),
    Family(
        "apertus",
        "rmsnorm",
        False,
        "rms_norm_eps",
        1e-5,
        f"layers.N.{{attention,feedforward}}_layernorm norm {_HEADS}",
        _BY_HEAD,
    ),
    Family(
        "bitnet",
        "rmsnorm",
        False,
        "rms_norm_eps",
        1e-5,
        f"{_LLAMA} layers.N.self_attn.attn_sub_norm layers.N.mlp.ffn_sub_norm",
    ),
    Family("internlm2", "rmsnorm", False, "rms_norm_eps", 1e-6, "layers.N.{attention,ffn}_norm norm"),
    # Two generations under one name: the second may be told by its config, the first by its paths.
    Family("chatglm", "rmsnorm", False, "layernorm_epsilon", 1e-5, _CHATGLM_2, "", ("rmsnorm", True)),
    Family("chatglm", "layernorm", True, "layernorm_epsilon", 1e-5, _CHATGLM_2, "", ("rmsnorm", False)),
    Family("chatglm", "layernorm", True, "layernorm_epsilon", 1e-5, _CHATGLM_1, "the first generation"),
)
