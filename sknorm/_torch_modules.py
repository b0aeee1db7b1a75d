"""F4, what torch modules say of themselves, and the modules that equal a row norm."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _checkpoint_errors
from ._namespaces import on_host
from ._parameters import check_number, check_output_dtype, check_vector
from ._row_layer_norm import RowLayerNorm
from ._row_rms_norm import RowRMSNorm


class Declared(NamedTuple):
    """What a module says of itself."""

    kind: str | None
    """None for an author's own class, and "other" for the classes of torch that are no row norms."""
    evidence: str
    shape: tuple[int, ...] = ()
    """The axes that are normalised, where the class says."""
    eps: float | None = None
    eps_source: str = ""


def is_module(source: Any) -> bool:
    """Whether this is a torch module; torch is not asked, and may be missing."""
    return hasattr(source, "named_modules") and hasattr(source, "state_dict") and not isinstance(source, type)


def declared_layers(model: Any) -> dict[str, Declared]:
    """What the modules of a model say, by name."""
    return {name: _declared(name, module) for name, module in model.named_modules(remove_duplicate=False)}


def _declared(name: str, module: Any) -> Declared:
    from torch import nn

    cls = type(module)
    if cls in (nn.LayerNorm, nn.RMSNorm):
        _check_parameters(name, module, ("weight", "bias") if cls is nn.LayerNorm else ("weight",))
    if cls is nn.LayerNorm:  # not a class made from it, which may compute something else: Nemotron's does
        return Declared("layernorm", f"torch.nn.{module}", module.normalized_shape, module.eps, "the module")
    if cls is nn.RMSNorm:
        return Declared("rmsnorm", f"torch.nn.{module}", module.normalized_shape, *_eps_of_rms_norm(module))
    if cls.__module__.startswith("torch.nn."):
        return Declared("other", f"torch.nn.{cls.__name__}")
    attributes = {name: getattr(module, name, None) for name in ("eps", "variance_epsilon")}
    eps = next((pair for pair in attributes.items() if isinstance(pair[1], float)), None)
    evidence = f"a module of class {cls.__name__}, whose code may compute anything"
    return Declared(None, evidence, (), eps[1], f"{eps[0]} of the module") if eps else Declared(None, evidence)


def _check_parameters(name: str, module: Any, parameters: tuple[str, ...]) -> None:
    """Pruning leaves the parts of a parameter in its place, which a state dict then holds under other names."""
    stored = dict(module.named_parameters(recurse=False, remove_duplicate=False))
    for parameter in parameters:
        if parameter not in stored and getattr(module, parameter, parameter) is not None:
            raise _checkpoint_errors.no_parameter(name, parameter)


def _eps_of_rms_norm(module: Any) -> tuple[float | None, str]:
    """None means the machine epsilon of the type that torch computes in: float32, also for the half precisions."""
    if module.eps is not None:
        return module.eps, "the module"
    if module.weight is None:
        return None, "eps=None, for which torch takes the machine epsilon of the input's dtype"
    dtype = np.float64 if module.weight.itemsize == 8 else np.float32
    return float(np.finfo(dtype).eps), f"eps=None, for which torch takes the machine epsilon of {dtype.__name__}"


def config_of_model(model: Any) -> dict[str, Any] | None:
    """The config that models of transformers carry."""
    config = getattr(model, "config", None)
    found = config.to_dict() if config is not None and hasattr(config, "to_dict") else None
    return found if isinstance(found, dict) else None


def torch_module(norm: Any) -> Any:
    """The module that computes what ``norm`` does."""
    if not isinstance(norm, (RowLayerNorm, RowRMSNorm)):
        raise _checkpoint_errors.no_row_norm(norm)
    if norm.keep_stats:
        raise _checkpoint_errors.kept_stats()
    try:
        import torch
    except ImportError as error:
        raise _checkpoint_errors.torch_missing("") from error
    eps = check_number("eps", norm.eps, zero=True)
    check_output_dtype(norm.dtype)
    gamma, beta = (on_host(getattr(norm, name, None), name) for name in ("gamma", "beta"))
    known = [vector for vector in (gamma, beta) if vector is not None]
    width = getattr(norm, "n_features_in_", known and _width(known[0]))
    if not width:
        raise _checkpoint_errors.no_width()
    state = {"weight": check_vector("gamma", gamma, width), "bias": check_vector("beta", beta, width)}
    dtype = _dtype(norm.dtype, gamma, beta, torch)
    module: Any
    if isinstance(norm, RowLayerNorm):
        module = torch.nn.LayerNorm(width, eps, bool(known), beta is not None, dtype=dtype)
    else:
        module = torch.nn.RMSNorm(width, eps, bool(known), dtype=dtype)
    given = {name: torch.tensor(vector) for name, vector in state.items() if vector is not None}
    module.load_state_dict(given, strict=False)  # a weight of ones stays where only beta is given
    return module


def _width(vector: Any) -> int:
    """The number of features, or of what stands in the place of one number each."""
    try:
        return int((np.shape(vector) or (1,))[-1])
    except ValueError:  # rows that differ in length
        return len(vector)


def _dtype(fixed: Any, gamma: Any, beta: Any, torch: Any) -> Any:
    """That of the output where the norm fixes it, else that of gamma or beta as arrays, else torch's own default."""
    arrays = [np.asarray(vector).dtype for vector in (gamma, beta) if hasattr(vector, "dtype")]
    names = [np.dtype(dtype).name for dtype in (fixed, *arrays) if dtype is not None]
    floats = [name for name in names if name.startswith("float")]
    return getattr(torch, floats[0], torch.float64) if floats else torch.get_default_dtype()
