"""F4, what torch modules say of themselves, and the modules that equal a row norm."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _checkpoint_errors
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
    return {name: _declared(module) for name, module in model.named_modules(remove_duplicate=False)}


def _declared(module: Any) -> Declared:
    from torch import nn

    cls = type(module)
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


def _eps_of_rms_norm(module: Any) -> tuple[float, str]:
    """None means the machine epsilon of the type that torch computes in: float32, also for the half precisions."""
    if module.eps is not None:
        return module.eps, "the module"
    double = module.weight is not None and module.weight.itemsize == 8
    dtype = np.float64 if double else np.float32
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
    beta = getattr(norm, "beta", None)
    known = [np.asarray(vector) for vector in (norm.gamma, beta) if vector is not None]
    width = len(known[0]) if known else getattr(norm, "n_features_in_", None)
    if width is None:
        raise _checkpoint_errors.no_width()
    dtype = _dtype(norm, torch)
    module: Any
    if isinstance(norm, RowLayerNorm):
        module = torch.nn.LayerNorm(width, float(norm.eps), bool(known), beta is not None, dtype=dtype)
    else:
        module = torch.nn.RMSNorm(width, float(norm.eps), bool(known), dtype=dtype)
    state = {"weight": norm.gamma, "bias": beta}
    given = {name: torch.tensor(np.asarray(vector)) for name, vector in state.items() if vector is not None}
    module.load_state_dict(given, strict=False)  # a weight of ones stays where only beta is given
    return module


def _dtype(norm: Any, torch: Any) -> Any:
    """That of the output where the norm fixes it, else that of gamma or beta as arrays, else torch's own default."""
    given = [norm.dtype, *(getattr(vector, "dtype", None) for vector in (norm.gamma, getattr(norm, "beta", None)))]
    names = [np.dtype(dtype).name for dtype in given if dtype is not None]
    floats = [name for name in names if name.startswith("float")]
    return getattr(torch, floats[0]) if floats else torch.get_default_dtype()
