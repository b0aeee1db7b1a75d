"""F4, the tensors of a checkpoint by name, in any of the formats; none is read before it is asked for.

A file is not trusted. Nothing in it runs, nothing outside its directory is opened because it says so, and what does
not add up is an error.
"""

from __future__ import annotations

import json
import math
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path, PureWindowsPath
from typing import Any, NamedTuple

import numpy as np

from . import _checkpoint_errors, _validation
from ._precision import Array


class Tensor(NamedTuple):
    """A tensor that can be read."""

    shape: tuple[int, ...]
    dtype: str
    """In NumPy's words, and "bfloat16"."""
    stored: Callable[[], Array]


Tensors = dict[str, Tensor]

# bfloat16 is the upper half of float32; NumPy has no such type, so its bits are taken as integers.
_STORED = {"float16": "<f2", "bfloat16": "<u2", "float32": "<f4", "float64": "<f8"}
_IN_SAFETENSORS = {"F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64"}
_LARGEST_JSON = 100_000_000  # bytes, the bound that safetensors sets for its header
_OF_TORCH = (".bin", ".pt", ".pth", ".ckpt")
_USUAL = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)


def read_widened(name: str, tensor: Tensor) -> Array:
    """The values in float32, or in float64 where they are stored so; both are exact."""
    if tensor.dtype not in _STORED:
        raise _checkpoint_errors.no_float(name, tensor.dtype)
    values = tensor.stored()
    if values.dtype == np.uint16:
        values = (values.astype(np.uint32) << 16).view(np.float32)
    if not np.isfinite(values).all():  # and a signalling NaN would warn in whatever is done with it
        raise _checkpoint_errors.not_finite(name, values[~np.isfinite(values)][0])
    return values.astype(np.float64 if tensor.dtype == "float64" else np.float32)


def config_of(path: Path) -> dict[str, Any] | None:
    """config.json of a model directory, or beside a file of weights."""
    file = (path if path.is_dir() else path.parent) / "config.json"
    return _json(file) if file.is_file() else None


def tensors_of_path(path: Path) -> Tensors:
    """The tensors of a file or of a model directory."""
    if not path.exists():
        raise _checkpoint_errors.no_such_file(path)
    return tensors_of_file(_weights_in(path) if path.is_dir() else path)


def _weights_in(folder: Path) -> Path:
    for name in _USUAL:
        if (folder / name).exists():
            return folder / name
    for ending in ("*.safetensors.index.json", "*.safetensors", "*.npz"):
        found = sorted(folder.glob(ending))
        if len(found) == 1:
            return found[0]
        if found:
            raise _checkpoint_errors.no_weights(folder, [path.name for path in found])
    raise _checkpoint_errors.no_weights(folder, [])


def tensors_of_file(path: Path) -> Tensors:
    """The tensors of one file, whose name says its format."""
    if not path.is_file():  # which a link to a file is, as in the cache of a model hub
        raise _checkpoint_errors.no_regular_file(path)
    if path.name.endswith(".index.json"):
        return _of_index(path)
    if path.suffix == ".safetensors":
        return _of_safetensors(path)
    if path.suffix == ".npz":
        return _of_npz(path)
    if path.suffix in _OF_TORCH:
        return _of_torch_file(path)
    raise _checkpoint_errors.no_format(path)


def _of_safetensors(path: Path) -> Tensors:
    """The format: length of the header, the header in JSON, the tensors at the offsets that it gives."""
    try:
        from safetensors import SafetensorError, safe_open
    except ImportError as error:
        raise _validation.missing_extra("safetensors", "checkpoint") from error
    try:
        with safe_open(path, framework="numpy"):
            pass  # the library has judged lengths, types, shapes and offsets; it gives NumPy no bfloat16
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(size), object_pairs_hook=_distinct)
    except (SafetensorError, OSError, ValueError) as error:
        raise _checkpoint_errors.unreadable(path, "safetensors", error) from error
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        shape, dtype = tuple(entry["shape"]), _IN_SAFETENSORS.get(entry["dtype"], entry["dtype"])
        tensors[name] = Tensor(shape, dtype, partial(_read_at, path, 8 + size + entry["data_offsets"][0], shape, dtype))
    return tensors


def _read_at(path: Path, offset: int, shape: tuple[int, ...], dtype: str) -> Array:
    return np.fromfile(path, _STORED[dtype], math.prod(shape), offset=offset).reshape(shape)


def _of_index(path: Path) -> Tensors:
    weight_map = _json(path).get("weight_map")
    if not isinstance(weight_map, dict):
        raise _checkpoint_errors.wrong_json(path, "weight_map, an object of tensor and file names,", weight_map)
    names_in: dict[str, list[str]] = {}
    for name, shard in weight_map.items():
        # By the rules of Windows, where a backslash and a drive part names too.
        plain = isinstance(shard, str) and PureWindowsPath(shard).name == shard
        if not plain or not shard.endswith((".safetensors", ".bin")):
            raise _checkpoint_errors.outside_directory(path, shard)
        names_in.setdefault(shard, []).append(name)
    tensors: Tensors = {}
    for shard, names in names_in.items():
        if not path.with_name(shard).exists():
            raise _checkpoint_errors.absent_shard(path, shard)
        held = tensors_of_file(path.with_name(shard))
        absent = [name for name in names if name not in held]
        if absent:
            raise _checkpoint_errors.absent_tensors(path, shard, absent)
        tensors.update((name, held[name]) for name in names)
    return tensors


def _of_npz(path: Path) -> Tensors:
    tensors = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                shape, dtype = _npy_header(archive, member)
                name = member.filename.removesuffix(".npy")
                tensors[name] = Tensor(shape, dtype, partial(_read_member, path, member.filename))
    except Exception as error:  # whatever bytes that are no such file lead to
        raise _checkpoint_errors.unreadable(path, "arrays", error) from error
    return tensors


def _npy_header(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> tuple[tuple[int, ...], str]:
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
        held = member.file_size - file.tell()
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize > held:
        raise _checkpoint_errors.no_such_shape(member.filename, shape)
    return shape, dtype.name


def _read_member(path: Path, member: str) -> Array:
    try:
        with zipfile.ZipFile(path) as archive, archive.open(member) as file:
            return np.lib.format.read_array(file, allow_pickle=False)
    except Exception as error:
        raise _checkpoint_errors.unreadable(path, "arrays", error) from error


def _of_torch_file(path: Path) -> Tensors:
    import pickle

    try:
        import torch
    except ImportError as error:
        raise _checkpoint_errors.torch_missing(f" to read {path.name!r}, or convert the file to safetensors") from error
    major, minor = map(int, torch.__version__.split(".")[:2])
    if (major, minor) < (2, 6):  # CVE-2025-32434: there weights_only=True can be made to run code
        raise _checkpoint_errors.torch_missing(f" to read {path.name!r} safely", f"torch {torch.__version__}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of formats that are refused in the next moment
            found = torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except pickle.UnpicklingError as error:
        raise _checkpoint_errors.not_only_tensors(path) from error
    except Exception as error:
        raise _checkpoint_errors.unreadable(path, "a torch file of tensors", error) from error
    if not isinstance(found, Mapping):
        raise _checkpoint_errors.no_names(path, found)
    return tensors_of_mapping(found)


def tensors_of_mapping(state: Mapping[Any, Any]) -> Tensors:
    """The tensors of a state dict; nested ones take the names of what they are nested in."""
    return {
        name: Tensor(tuple(value.shape), dtype_name(value), partial(_in_memory, value))
        for name, value in _leaves(state, "")
    }


def dtype_name(value: Any) -> str:
    """The dtype of an array or a tensor, in NumPy's words."""
    return getattr(value.dtype, "name", None) or str(value.dtype).removeprefix("torch.")


def _leaves(state: Mapping[Any, Any], outer: str) -> Iterator[tuple[str, Any]]:
    for key, value in state.items():
        if isinstance(value, Mapping):
            yield from _leaves(value, f"{outer}{key}.")
        elif hasattr(value, "shape") and hasattr(value, "dtype"):
            yield f"{outer}{key}", value


def _in_memory(value: Any) -> Array:
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = (value if value.itemsize > 2 else value.float()).numpy()
    values = np.asarray(value)
    return values if values.dtype.kind == "f" else values.astype(np.float32)


def _json(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _LARGEST_JSON:
            raise _checkpoint_errors.too_long(_LARGEST_JSON)
        found = json.loads(path.read_bytes(), object_pairs_hook=_distinct)
    except (OSError, ValueError, RecursionError) as error:
        raise _checkpoint_errors.unreadable(path, "JSON", error) from error
    if not isinstance(found, dict):
        raise _checkpoint_errors.wrong_json(path, "an object", found)
    return found


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; a key that stands twice says two things."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _checkpoint_errors.repeated_key()
    return found
