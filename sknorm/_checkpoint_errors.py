"""F0, the wording of errors about checkpoints and the layers in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ._wording import message, shown

KINDS = ("layernorm", "rmsnorm", "layernorm+1", "rmsnorm+1")
_ALL_KINDS = "kind='layernorm', 'rmsnorm', 'layernorm+1' or 'rmsnorm+1' (+1: the model multiplies by 1 + weight)"
_FORMATS = "a .safetensors, .safetensors.index.json, .bin, .pt, .pth, .ckpt or .npz file, or a model directory"


def _some(names: Iterable[str], most: int = 5) -> str:
    """A few names, quoted so that nothing in them acts on a terminal."""
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(map(repr, listed[:most])) + more


def _layer(name: str) -> str:
    """A layer by its name, which it has inside of something else only."""
    return repr(name) if name else "the layer"


def _said(error: Exception) -> str:
    """The first sentence of another library, with its type."""
    text = re.sub(r"\s+", " ", str(error)).strip()
    text = "".join(character if character.isprintable() else "?" for character in text)
    return f"{type(error).__name__}: {text[:120].partition('. ')[0].rstrip('.')}"


def torch_missing(what: str, got: str = "no such package") -> ImportError:
    remedy = f"Run pip install --upgrade torch{what}."
    return ImportError(message("torch 2.6 or newer to be installed", got, remedy))


def no_source(source: Any) -> TypeError:
    remedy = f"Pass the path of {_FORMATS}, a dict of arrays or tensors, or a torch module."
    return TypeError(message("a checkpoint", repr(type(source).__name__), remedy))


def no_such_file(path: Any) -> FileNotFoundError:
    return FileNotFoundError(
        message("a file or directory", f"nothing at {str(path)!r}", f"Pass the path of {_FORMATS}.")
    )


def no_regular_file(path: Any) -> ValueError:
    remedy = "Devices, pipes and directories hold no tensors: correct the path."
    return ValueError(message("a regular file", repr(str(path)), remedy))


def no_format(path: Any) -> ValueError:
    return ValueError(message(_FORMATS, repr(str(path)), "Rename it by its format, or convert it."))


def no_weights(folder: Any, found: list[str]) -> ValueError:
    got = f"{_some(found)} in {str(folder)!r}" if found else f"none in {str(folder)!r}"
    return ValueError(message("one file of weights in the directory", got, "Pass the path of the file to read."))


def unreadable(path: Any, what: str, error: Exception) -> ValueError:
    remedy = "The file is damaged or of another format: get it again, or convert it."
    return ValueError(message(f"{what} in {str(path)!r}", _said(error), remedy))


def no_such_shape(member: str, shape: tuple[int, ...]) -> ValueError:
    return ValueError(f"{member!r} does not hold an array of shape {shape}")


def too_long(bound: int) -> ValueError:
    return ValueError(f"more than {bound} bytes")


def repeated_key() -> ValueError:
    return ValueError("a key that stands twice")


def not_only_tensors(path: Any) -> ValueError:
    remedy = "Loading them may run code, so it is refused: save the model's state_dict(), or use safetensors."
    return ValueError(message(f"tensors and nothing else in {str(path)!r}", "objects of other types", remedy))


def no_names(path: Any, found: Any) -> ValueError:
    remedy = "Save the model's state_dict(), or use safetensors."
    return ValueError(message(f"tensors by name in {str(path)!r}", f"a {type(found).__name__}", remedy))


def wrong_json(path: Any, expected: str, got: Any) -> ValueError:
    return ValueError(message(f"{expected} in {str(path)!r}", shown(got, 120), "Correct the file, or get it again."))


def outside_directory(path: Any, shard: Any) -> ValueError:
    remedy = "An index may name .safetensors and .bin files in its own directory only."
    return ValueError(message(f"plain file names in {str(path)!r}", shown(shard, 120), remedy))


def absent_shard(path: Any, shard: str) -> ValueError:
    remedy = "The file is missing: get it again, into the directory of the index."
    return ValueError(message(f"the file {shard!r} that {str(path)!r} names", "no such file", remedy))


def absent_tensors(path: Any, shard: str, names: list[str]) -> ValueError:
    expected = f"{shard!r} to hold what {str(path)!r} says"
    return ValueError(
        message(expected, f"no {_some(names)} in it", "Get the files again: they do not belong together.")
    )


def no_float(name: str, dtype: str) -> ValueError:
    remedy = "Convert or dequantize it first."
    return ValueError(message(f"float16, bfloat16, float32 or float64 in {name!r}", dtype, remedy))


def not_finite(name: str, value: Any) -> ValueError:
    remedy = "The file is damaged, or the training diverged: get another checkpoint."
    return ValueError(message(f"finite numbers in {name!r}", f"{value}", remedy))


def no_vector(name: str, shape: tuple[int, ...]) -> ValueError:
    remedy = "Pass each vector as gamma of a norm of its own, or use a norm without gamma and multiply afterwards."
    return ValueError(message(f"one vector, for one axis, in {name!r}", f"shape {shape}", remedy))


def several_axes(shape: tuple[int, ...]) -> ValueError:
    remedy = "Make them one: a norm with gamma=weight.ravel() and beta=bias.ravel(), for X.reshape(len(X), -1)."
    return ValueError(message("a module over the last axis", f"normalized_shape={shape}", remedy))


def no_layer(name: str, known: list[str], owner: str | None = None) -> KeyError:
    """``owner`` is the layer of which the name is that of a tensor."""
    expected = f"the name or glob of a layer (there are {_some(known) or 'none'})"
    if owner is None:
        return KeyError(message(expected, repr(name), "See list_norms(source)."))
    return KeyError(message(expected, f"the tensor {name!r}", f"Leave its ending off: {owner!r}."))


def several_layers(pattern: str, names: list[str]) -> ValueError:
    return ValueError(message(f"one layer by {pattern!r}", _some(names), "Narrow the glob, or use load_norms."))


def check_kind(kind: Any) -> None:
    if kind is not None and kind not in KINDS:
        raise ValueError(message(f"None or {_ALL_KINDS}", shown(kind, 60), "Pass one of these."))


def unknown_kind(name: str, evidence: str) -> ValueError:
    remedy = f"Pass {_ALL_KINDS}, as the code of the model says."
    return ValueError(message(f"evidence of the kind of {_layer(name)}", evidence, remedy))


def others_beside(layer: str, parameters: tuple[str, ...], others: tuple[str, ...]) -> ValueError:
    remedy = (
        "The rest may be part of the layer: leave it out of the checkpoint, or rename it if it is the weight or bias."
    )
    return ValueError(message(f"one weight and one bias in {_layer(layer)}", _some((*parameters, *others)), remedy))


def no_parameter(layer: str, parameter: str) -> ValueError:
    remedy = f"Pruned or reparametrized: torch.nn.utils.prune.remove(module, {parameter!r}) makes it one again."
    return ValueError(message(f"a parameter {parameter!r} of the module{layer and f' {layer!r}'}", "none", remedy))


def unknown_eps(name: str, evidence: str) -> ValueError:
    return ValueError(
        message(f"evidence of the eps of {_layer(name)}", evidence, "Pass eps=, as the code of the model says.")
    )


def no_bias(name: str) -> ValueError:
    remedy = "Pass kind='layernorm', or leave the bias out of the checkpoint."
    return ValueError(message(f"an RMS norm without bias in {_layer(name)}", "a bias", remedy))


def no_row_norm(norm: Any) -> TypeError:
    remedy = "Pass one of these; a softmax needs no weights: torch.nn.Softmax(dim=-1)."
    return TypeError(message("a RowLayerNorm or RowRMSNorm", repr(type(norm).__name__), remedy))


def kept_stats() -> ValueError:
    remedy = "torch modules append no statistics: use norm.set_params(keep_stats=False)."
    return ValueError(message("keep_stats=False", "keep_stats=True", remedy))


def no_width() -> ValueError:
    remedy = "Fit the norm, or give it gamma."
    return ValueError(message("a norm that knows its number of features", "neither a fit nor gamma", remedy))


def no_torch_norm(module: Any) -> TypeError:
    remedy = "Use load_norm for a layer inside of a model, and for layers of an author's own."
    return TypeError(message("a torch.nn.LayerNorm or torch.nn.RMSNorm", repr(type(module).__name__), remedy))
