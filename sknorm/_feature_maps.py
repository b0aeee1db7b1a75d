"""F2, an affine map of each feature carried over a data set, dense or sparse, block by block."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from . import _kernels
from ._kernels import AffineMap
from ._precision import Array, to_integers
from ._tables import Table
from ._validation import InfinityFound, NoInteger


def image(X: Array | Table, out: Array, f: AffineMap) -> Array:
    """Write the image of ``X`` (..., n_features) to ``out``, which may be ``X`` itself."""
    if isinstance(X, Table):
        for features, tile in X.tiles():
            _image_of_table(tile, out[:, features], f[features])
        return out
    whole, target = _kernels.flattened(X, out)
    in_place = np.may_share_memory(X, out)
    compiled = f.table is not None and _kernels.compiled_serves(X, out)
    as_it_lies = compiled and whole.ndim == 2 and not in_place  # no block is a copy
    little = as_it_lies and X.size <= _kernels.SMALL_BLOCK
    if little and _kernels.affine.compiled(_kernels.Columns(whole, target), whole, target, f):
        return out
    portion = _portion(X, out, f, in_place and compiled)
    if as_it_lies:
        size, width = _kernels.compiled_block_size(X.size), _kernels.COMPILED_TILE
        parallel = X.size > size
    else:
        size, width, parallel = portion, _kernels.TILE, X.size > _kernels.SMALL_BLOCK
    part = cache(lambda start, stop: f if stop - start == X.shape[-1] else f[start:stop])

    def write(rectangle: tuple[_kernels.Block, slice]) -> None:
        block, features = rectangle
        into = block.of(target)
        _write(block.of(whole)[:, features], into[:, features], part(features.start, features.stop), portion)
        if not np.may_share_memory(into, target):  # a block of a strided array, flattened, is a copy
            place = target[block.index][..., features]
            place[...] = into[:, features].reshape(place.shape)

    _kernels.over(_kernels.rectangles(whole, size, width), write, parallel, compiled)
    return out


def _portion(X: Array, out: Array, f: AffineMap, shared: bool) -> int:
    """How many values a portable kernel takes at a time; ``shared`` where many threads copy as many each."""
    plain = X.dtype.kind == "f" and out.dtype.kind == "f" and not f.shifted
    portion = _kernels.BLOCK if plain else _kernels.SMALL_BLOCK  # the others need more scratch
    return min(portion, _kernels.per_thread(_kernels.IN_PLACE) // X.itemsize) if shared else portion


def _image_of_table(X: Table, out: Array, f: AffineMap) -> None:
    pieces = X.rows()
    _kernels.over(pieces, lambda rows: image(X.read(rows), out[rows], f), parallel=len(pieces) > 1)


def _write(piece: Array, into: Array, f: AffineMap, portion: int) -> None:
    if np.may_share_memory(piece, into):
        piece = piece.copy(order="K")  # a kernel may look at its input again
    if _kernels.affine.compiled(_kernels.Columns(piece, into), piece, into, f):
        return
    each = max(1, portion // piece.shape[1])
    for i in range(0, len(piece), each):
        x, y = piece[i : i + each], into[i : i + each]
        _write_group(_kernels.Columns(x, y), x, y, f)


def _write_group(group: _kernels.Group, piece: Array, into: Array, f: AffineMap) -> None:
    if into.dtype.kind == "f":
        _kernels.affine.portable(group, piece, into, f)
        return
    exact = _kernels.affine_exact(group, piece, f)
    if np.isinf(exact.hi).any() and np.isinf(piece).any():
        raise InfinityFound
    if np.isnan(exact.hi).any():
        raise NoInteger
    group.view(into)[...] = to_integers(exact, into.dtype)


def image_of_stored(X: Any, f: AffineMap, dtype: np.dtype[Any]) -> Array:
    """The image of the stored values of a CSR or CSC container under a map that keeps zeros."""
    out = np.empty(X.data.shape, dtype=dtype)
    stored = range(0, len(out), _kernels.SMALL_BLOCK)

    def write(start: int) -> None:
        piece = slice(start, start + stored.step)
        if X.format == "csr":
            feature = X.indices[piece]
        else:
            feature = np.searchsorted(X.indptr, np.arange(start, min(piece.stop, len(out))), side="right") - 1
        if _kernels.affine_stored(X.data[piece], feature, out[piece], f):
            return
        each = np.arange(len(feature) + 1)  # every stored value is a feature of its own
        group = _kernels.Segments(each)
        _write_group(group, X.data[piece], out[piece], f[feature])

    compiled = f.table is not None and _kernels.compiled_serves(X.data, out)
    _kernels.over(stored, write, len(stored) > 1, compiled)
    return out
