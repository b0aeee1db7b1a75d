"""F4, the normalization layers of trained networks, as row norms of a pipeline.

A name such as ``encoder.norm.weight`` does not say whether the layer subtracts the mean, whether it multiplies by the
weight or by 1 + weight, or which eps it adds. `list_norms` says what is known of each layer, and on what evidence:
first the modules of a model in memory, or the ``model_type`` in ``config.json`` by a table of known families; then a
bias, which only layer norm has; then nothing, and the kind is "unknown". Nothing is guessed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from . import _checkpoint_errors
from ._norm_layers import NormLayer, find_layers
from ._parameters import check_number
from ._precision import Array
from ._row_layer_norm import RowLayerNorm
from ._row_rms_norm import RowRMSNorm
from ._tensor_sources import Tensors, config_of, read_widened, tensors_of_mapping, tensors_of_path
from ._torch_modules import config_of_model, declared_layers, is_module, torch_module

__all__ = ["from_torch", "list_norms", "load_norm", "load_norms", "to_torch"]


class NormTable(list[NormLayer]):
    """A list of layers that prints as a table; a DataFrame can be made of it."""

    def __repr__(self) -> str:
        if not self:
            return "no layer norm or RMS norm"
        notes = list(dict.fromkeys(map(_note, self)))
        rows: list[tuple[str, ...]] = [("name", "kind", "features", "dtype", "eps", "parameters", "note")]
        for layer in self:
            parameters = ", ".join(name.removeprefix(layer.name).lstrip("./") for name in layer.parameters)
            cells = (layer.name, layer.kind, layer.n_features, layer.dtype, layer.eps, parameters or None)
            rows.append((*map(_cell, cells), f"[{notes.index(_note(layer)) + 1}]"))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
        return "\n".join([*lines, "", *(f"[{i}] {note}" for i, note in enumerate(notes, 1))])

    __str__ = __repr__


def _note(layer: NormLayer) -> str:
    return _cell(f"kind: {layer.evidence}. eps: {layer.eps_source}.")


def _cell(value: Any) -> str:
    """Text that a terminal only shows, whatever a file put into its names."""
    text = "-" if value is None else str(value)
    return text if text.isprintable() else repr(text)


def list_norms(source: Any, names: str = "*") -> NormTable:
    """The normalization layers of a checkpoint, and how each is known.

    Parameters
    ----------
    source : path, dict or torch module
        A ``.safetensors`` file, the ``.index.json`` of a sharded one, a model directory, a torch ``.bin`` or ``.pt``
        file, an ``.npz`` file, a dict of arrays or tensors, a layer or a whole model. A ``config.json`` in the
        directory is read. Of a file, this reads the names and shapes (of a torch file in the old format, all).
    names : str, default="*"
        Glob of the layers to list; a star stands for dots too.

    Returns
    -------
    layers : list of NormLayer
        With the fields ``name``, ``kind``, ``n_features``, ``dtype``, ``eps``, ``eps_source``, ``evidence``,
        ``parameters`` and ``others``, in the order of their names. It prints as a table.

    Raises
    ------
    ValueError
        For a file that is damaged, that contradicts itself, or that would run code, and for a pruned module of torch.
    ImportError
        Where the package that reads the format is missing.

    Notes
    -----
    Batch norm, known by its running statistics, and group norm, where its name says so, are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from sknorm.checkpoint import list_norms
    >>> state = {"head.norm.weight": np.ones(4, np.float32), "head.norm.bias": np.zeros(4, np.float32)}
    >>> list_norms(state)
    name       kind       features  dtype    eps  parameters    note
    head.norm  layernorm  4         float32  -    weight, bias  [1]
    <BLANKLINE>
    [1] kind: no config.json, weight and bias of one shape. eps: nothing that says it.
    """
    return _listed(source, names)[0]


def load_norm(source: Any, name: str, kind: str | None = None, eps: float | None = None) -> RowLayerNorm | RowRMSNorm:
    """One normalization layer of a checkpoint, as a transformer.

    Parameters
    ----------
    source : path, dict or torch module
        As for `list_norms`. Of a file, this reads the tensors of the layer besides.
    name : str
        Name of the layer, or a glob that one layer has. With ``kind``, a name that no layer has may be of any vector.
    kind : {"layernorm", "rmsnorm", "layernorm+1", "rmsnorm+1"}, default=None
        What the layer computes; "+1" where the model multiplies by 1 + weight. None takes what `list_norms` knows.
    eps : float, default=None
        What the layer adds inside of its root. None takes what `list_norms` knows.

    Returns
    -------
    norm : RowLayerNorm or RowRMSNorm
        With gamma and beta in float32, or in float64 where they are stored so. 1 is already added to gamma where the
        model does so.

    Raises
    ------
    ValueError
        Where nothing says the kind or eps, where more is stored beside the weight than a bias, and for damaged files.
    KeyError
        Where no layer has the name.
    ImportError
        Where the package that reads the format is missing.

    Notes
    -----
    The output is that of the layer in exact arithmetic, rounded once. A model that computes in half precision rounds in
    between too.

    Examples
    --------
    >>> import numpy as np
    >>> from sknorm.checkpoint import load_norm
    >>> state = {"head.norm.weight": np.array([0.5, 2.0]), "head.norm.bias": np.array([1.0, 0.0])}
    >>> load_norm(state, "head.norm", eps=0).transform([[10.0, 30.0]])
    array([[0.5, 2. ]])
    """
    layers, tensors = _listed(source, name, unsure=kind is not None)
    exact = [layer for layer in layers if layer.name == name] or layers
    if len(exact) > 1:
        raise _checkpoint_errors.several_layers(name, [layer.name for layer in exact])
    return _norm(exact[0], tensors, kind, eps)


def load_norms(
    source: Any, names: str = "*", kind: str | None = None, eps: float | None = None
) -> dict[str, RowLayerNorm | RowRMSNorm]:
    """All normalization layers of a checkpoint, or those of a glob, as transformers by name.

    Parameters
    ----------
    source : path, dict or torch module
        As for `list_norms`.
    names : str, default="*"
        Glob of the layers to load, such as ``"model.layers.*.input_layernorm"``.
    kind : {"layernorm", "rmsnorm", "layernorm+1", "rmsnorm+1"}, default=None
        As for `load_norm`, for each of the layers.
    eps : float, default=None
        As for `load_norm`, for each of the layers.

    Returns
    -------
    norms : dict of str to RowLayerNorm or RowRMSNorm

    Raises
    ------
    ValueError, KeyError, ImportError
        As `load_norm` does, for the first layer that needs it.

    Examples
    --------
    >>> import numpy as np
    >>> from sknorm.checkpoint import load_norms
    >>> state = {f"layers.{i}.norm.weight": np.ones(2) for i in range(2)}
    >>> sorted(load_norms(state, "layers.*.norm", kind="rmsnorm", eps=1e-6))
    ['layers.0.norm', 'layers.1.norm']
    """
    layers, tensors = _listed(source, names, unsure=kind is not None)
    return {layer.name: _norm(layer, tensors, kind, eps) for layer in layers}


def to_torch(norm: RowLayerNorm | RowRMSNorm) -> Any:
    """The torch module that computes what ``norm`` does.

    Parameters
    ----------
    norm : RowLayerNorm or RowRMSNorm
        With gamma or beta, or fitted, so that the number of features is known.

    Returns
    -------
    module : torch.nn.LayerNorm or torch.nn.RMSNorm
        In the dtype of ``norm``'s output where that is fixed, else of gamma or beta, else in torch's default.

    Raises
    ------
    TypeError
        For anything else than these two norms.
    ValueError
        With ``keep_stats=True``, where the number of features is not known, or for parameters that no data can be
        transformed with.
    ImportError
        Where torch is missing.

    Notes
    -----
    NaN, and with ``eps=0`` constant samples, give NaN in torch.
    """
    return torch_module(norm)


def from_torch(module: Any, eps: float | None = None) -> RowLayerNorm | RowRMSNorm:
    """The row norm that computes what a torch module does.

    Parameters
    ----------
    module : torch.nn.LayerNorm or torch.nn.RMSNorm
        Over the last axis.
    eps : float, default=None
        As for `load_norm`; needed for an RMSNorm with neither eps nor weight, for which torch takes the machine epsilon
        of each input's dtype.

    Returns
    -------
    norm : RowLayerNorm or RowRMSNorm
        With gamma and beta in float32, or in float64 where they are stored so.

    Raises
    ------
    TypeError
        For any other module.
    ValueError
        For a module over several axes, and where nothing says eps.
    """
    declared = declared_layers(module).get("") if is_module(module) else None
    if declared is None or declared.kind in (None, "other"):
        raise _checkpoint_errors.no_torch_norm(module)
    if len(declared.shape) > 1:
        raise _checkpoint_errors.several_axes(declared.shape)
    return load_norm(module, "", eps=eps)


def _listed(source: Any, names: str, *, unsure: bool = False) -> tuple[NormTable, Tensors]:
    if is_module(source):
        tensors, config, declared = (
            tensors_of_mapping(source.state_dict()),
            config_of_model(source),
            declared_layers(source),
        )
    elif isinstance(source, Mapping):
        tensors, config, declared = tensors_of_mapping(source), None, {}
    elif isinstance(source, (str, os.PathLike)):
        tensors, config, declared = tensors_of_path(Path(source)), config_of(Path(source)), {}
    else:
        raise _checkpoint_errors.no_source(source)
    for sort in (False, True) if unsure else (False,):  # whatever is a vector only where no norm has such a name
        layers = find_layers(tensors, config, declared, unsure=sort)
        chosen = NormTable(layer for layer in layers if layer.name == names or fnmatchcase(layer.name, names))
        if chosen:
            break
    if not chosen and names != "*":
        owner = next((layer.name for layer in layers if names in layer.parameters), None)
        raise _checkpoint_errors.no_layer(names, [layer.name for layer in layers], owner)
    return chosen, tensors


def _norm(layer: NormLayer, tensors: Tensors, kind: str | None, eps: float | None) -> RowLayerNorm | RowRMSNorm:
    _checkpoint_errors.check_kind(kind)
    if layer.others:
        raise _checkpoint_errors.others_beside(layer.name, layer.parameters, layer.others)
    kind = kind or layer.kind
    if kind == "unknown":
        raise _checkpoint_errors.unknown_kind(layer.name, layer.evidence)
    eps = layer.eps if eps is None else check_number("eps", eps, zero=True)
    if eps is None:
        raise _checkpoint_errors.unknown_eps(layer.name, layer.eps_source)
    gamma, beta = _vectors(layer, tensors)
    if kind.endswith("+1") and gamma is not None:
        gamma = 1 + gamma
    if kind.startswith("layernorm"):
        return RowLayerNorm(eps=eps, gamma=gamma, beta=beta)
    if beta is not None:
        raise _checkpoint_errors.no_bias(layer.name)
    return RowRMSNorm(eps=eps, gamma=gamma)


def _vectors(layer: NormLayer, tensors: Tensors) -> tuple[Array | None, Array | None]:
    """gamma and beta, None where the layer has none."""
    for name in layer.parameters:
        if len(tensors[name].shape) != 1:
            raise _checkpoint_errors.no_vector(name, tensors[name].shape)
    vectors = [read_widened(name, tensors[name]) for name in layer.parameters]
    gamma, beta, *_ = [*vectors, None, None]
    return gamma, beta
