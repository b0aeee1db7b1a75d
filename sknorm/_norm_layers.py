"""F4, the normalization layers among the tensors of a checkpoint, and the evidence of what each computes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from . import _parameters
from ._model_norms import Family, alternatives, families_of
from ._tensor_sources import Tensors
from ._torch_modules import Declared

Config = Mapping[str, Any]

_GAMMA = ("weight", "gamma", "scale")
_BETA = ("bias", "beta")
_RUNNING = ("running_mean", "moving_mean")
_NAMED_NORM = re.compile(r"norm(?!al(?!i[sz]))|(?:^|_)(?:rms|ln(?:\d|_|f?$))", re.IGNORECASE)
_OF_OTHER_AXES = re.compile(r"(?:group|batch|instance)_?norm|(?:^|_)[gb]n_?\d*$", re.IGNORECASE)
# Where a model of several parts keeps the config of each.
_PARTS = {
    "language_model": "text_config",
    "text_model": "text_config",
    "vision_model": "vision_config",
    "vision_tower": "vision_config",
}
_UNSURE = "RMS norm, RMS norm by 1 + weight and layer norm without bias are all stored so"


class NormLayer(NamedTuple):
    """A normalization layer of a checkpoint.

    Attributes
    ----------
    name : str
        Name of the layer, as the checkpoint has it.
    kind : str
        "layernorm" or "rmsnorm", with "+1" where the model multiplies by 1 + weight; "unknown" where nothing says.
    n_features : int or None
        Size of the axis that is normalised.
    dtype : str or None
        Of the stored parameters.
    eps : float or None
        None where nothing says.
    eps_source : str
        Where eps comes from.
    evidence : str
        What the kind is concluded from.
    parameters : tuple of str
        Names of the stored weight and bias.
    others : tuple of str
        Names of what is stored beside these and may be part of the layer too: the kind is then unknown, and the layer
        is not loaded.
    """

    name: str
    kind: str
    n_features: int | None
    dtype: str | None
    eps: float | None
    eps_source: str
    evidence: str
    parameters: tuple[str, ...]
    others: tuple[str, ...] = ()


class Candidate(NamedTuple):
    """Parameters that may be those of a normalization layer."""

    name: str
    weight: str
    bias: str | None
    others: tuple[str, ...]
    """A second weight or bias, and what else has the shape of the weight."""
    sure: bool
    """A norm by its class, its name or its bias; anything else is one only for a caller who knows."""


def find_layers(
    tensors: Tensors, config: Config | None, declared: Mapping[str, Declared], *, unsure: bool = False
) -> list[NormLayer]:
    """The layers in the order of their names; ``unsure`` adds whatever is a vector."""
    layers = [
        _judged(candidate, tensors, config, declared.get(candidate.name))
        for candidate in _candidates(tensors, declared)
        if candidate.sure or unsure
    ]
    known = {layer.name for layer in layers}
    layers += [layer for layer in _without_parameters(tensors, config, declared) if layer.name not in known]
    return sorted(layers, key=lambda layer: _natural(layer.name))


def _natural(name: str) -> list[Any]:
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name)]


def _split(name: str) -> tuple[str, str]:
    """What stands before and after the last dot or slash."""
    at = max(name.rfind("."), name.rfind("/"))
    return name[: max(at, 0)], name[at + 1 :]


def _candidates(tensors: Tensors, declared: Mapping[str, Declared]) -> Iterator[Candidate]:
    for before, held in _modules(tensors).items():
        name, _ = _split(before)
        weight, bias = (next((held[word] for word in known if word in held), None) for known in (_GAMMA, _BETA))
        if weight is None:
            continue
        kind = declared[name].kind if name in declared else None
        if kind is not None:
            if kind != "other":
                yield Candidate(name, weight, bias, (), True)
            continue
        owner, shape = _owner(name), tensors[weight].shape
        named = bool(_NAMED_NORM.search(owner))
        other = _OF_OTHER_AXES.search(owner) or any(running in held for running in _RUNNING)
        if not other and (len(shape) == 1 or (len(shape) == 2 and named)):
            others = tuple(
                found
                for parameter, found in held.items()
                if found not in (weight, bias) and (parameter in _GAMMA + _BETA or tensors[found].shape == shape)
            )
            yield Candidate(name, weight, bias, others, named or bias is not None)


def _modules(tensors: Tensors) -> dict[str, dict[str, str]]:
    """The names of the tensors of each module, by their last words; modules by what stands before."""
    modules: dict[str, dict[str, str]] = {}
    for name in tensors:
        parameter = _split(name)[1]
        modules.setdefault(name.removesuffix(parameter), {})[parameter] = name
    return modules


def _owner(name: str) -> str:
    """The last word of a name that is no index: that of the list, for its members."""
    outer, last = _split(name)
    return _owner(outer) if last.isdecimal() and outer else last


def _judged(candidate: Candidate, tensors: Tensors, config: Config | None, said: Declared | None) -> NormLayer:
    """The evidence in its order: the module, the config, the bias, nothing."""
    part, rows = _rows(candidate.name, config or {})
    row = next((row for row in rows if not _contrary(row, candidate, part)), None)
    if said and said.kind:
        kind, evidence = _declared_kind(said), said.evidence
    elif row:
        kind, evidence = row.kind, _evidence(row)
    elif rows:
        kind, evidence = "unknown", f"{_evidence(rows[0])}, but {_contrary(rows[0], candidate, part)}"
    else:
        kind, evidence = _by_bias(candidate, tensors, said)
        evidence = f"{_ground(config)}, {evidence}"
    if candidate.others:
        kind, evidence = "unknown", f"{evidence}, but {', '.join(map(repr, candidate.others))} beside it"
    eps, eps_source = None, f"nothing that says it{_hint(part)}"
    if said and said.eps is not None:
        eps, eps_source = said.eps, said.eps_source
    elif row:
        eps, eps_source = _eps(row, part)
    _, dtype, _ = weight = tensors[candidate.weight]
    width = weight.shape[-1] if weight.shape else None
    parameters = (candidate.weight, *([candidate.bias] if candidate.bias else []))
    return NormLayer(candidate.name, kind, width, dtype, eps, eps_source, evidence, parameters, candidate.others)


def _evidence(row: Family) -> str:
    return f"config.json: model_type {row.model_type!r}, {row.kind}" + (f" ({row.note})" if row.note else "")


def _by_bias(candidate: Candidate, tensors: Tensors, said: Declared | None) -> tuple[str, str]:
    """What is left where no row is about the layer."""
    if said:
        return "unknown", said.evidence
    if candidate.bias is None:
        return "unknown", f"no bias: {_UNSURE}"
    shape, other = tensors[candidate.weight].shape, tensors[candidate.bias].shape
    if len(shape) != 1 or shape != other:
        return "unknown", f"weight of shape {shape} and bias of shape {other}"
    if _beside_convolution(candidate.name, tensors):
        return "unknown", "weight and bias beside a convolution, as group norm has them"
    return "layernorm", "weight and bias of one shape"


def _declared_kind(said: Declared) -> str:
    return said.kind if said.kind and len(said.shape) == 1 else "unknown"


def _rows(name: str, config: Config) -> tuple[Config, list[Family]]:
    """The config of the part of the model that the layer is in, and the rows of the table about the layer."""
    words = re.split(r"[./]", name)
    inner = [config.get(key) for word, key in _PARTS.items() if word in words]
    parts = [part for part in inner if isinstance(part, dict)] + [config]
    for part in parts:
        rows = [row for row in families_of(part.get("model_type")) if row.covers(name, part)]
        if rows:
            return parts[0], rows
    return parts[0], []


def _contrary(row: Family, candidate: Candidate, config: Config) -> str | None:
    """What the file or the config says against the row."""
    if row.bias != (candidate.bias is not None):
        return "no bias is stored" if candidate.bias is None else "a bias is stored"
    said = config.get("norm_type")
    if isinstance(said, str) and ("rms" in said.lower()) != row.kind.startswith("rms"):
        return f"norm_type is {said!r}"
    return None


def _eps(row: Family, config: Config) -> tuple[float | None, str]:
    if row.eps_key is None:
        return row.eps, f"fixed in the code of {row.model_type}"
    given = config.get(row.eps_key)
    if given is None:
        return row.eps, f"default of {row.model_type}; config.json has no {row.eps_key}"
    try:
        return _parameters.check_number(row.eps_key, given, zero=True), f"config.json: {row.eps_key}"
    except ValueError:
        return None, f"config.json: {row.eps_key} is {str(given)[:40]!r}, which is no eps"


def _hint(config: Config) -> str:
    """What a config says of an eps, without anything that says it is this layer's."""
    said = [f"{key}={value!r}" for key, value in config.items() if "eps" in key and isinstance(value, float)]
    return f"; config.json has {', '.join(said)}" if said else ""


def _ground(config: Config | None) -> str:
    if config is None:
        return "no config.json"
    model_type = config.get("model_type")
    if model_type is None:
        return "no model_type in config.json"
    known = "no such layer of" if families_of(model_type) else "no row in the table for"
    return f"{known} model_type {str(model_type)[:40]!r}"


def _beside_convolution(name: str, tensors: Tensors) -> bool:
    """Whether a tensor of three or more axes belongs to the same block: there group norm is common."""
    block = _split(name)[0]
    return any(len(tensor.shape) > 2 and _split(_split(other)[0])[0] == block for other, tensor in tensors.items())


def _without_parameters(
    tensors: Tensors, config: Config | None, declared: Mapping[str, Declared]
) -> Iterator[NormLayer]:
    """Layers that store nothing: those that modules declare, and those of families that have such."""
    for name, said in declared.items():
        if said.kind not in (None, "other"):
            yield NormLayer(
                name, _declared_kind(said), said.shape[-1], None, said.eps, said.eps_source, said.evidence, ()
            )
    config = config or {}
    for row in families_of(config.get("model_type")):
        if row.bias is None and (row.when is None or config.get(row.when[0]) == row.when[1]):
            width = config.get("hidden_size")
            for name in sorted(_expected(row, tensors)):
                yield NormLayer(name, row.kind, width, None, *_eps(row, config), _evidence(row), ())


def _expected(row: Family, tensors: Tensors) -> set[str]:
    """The names that layers without parameters have, by the blocks that the tensors are in."""
    found = set()
    for layer in alternatives(row.layers):
        block = layer.partition("N")[0] if ".N." in layer else "layers."
        for name in tensors:
            inside = re.match(rf"(?P<outer>(?:[A-Za-z_]\w*\.)*?){re.escape(block)}(?P<index>\d+)\.", name)
            if inside:
                found.add(inside["outer"] + layer.replace(".N.", f".{inside['index']}."))
    return found
