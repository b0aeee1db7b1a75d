"""F2, an affine map of each feature carried over a data set, dense or sparse, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _kernels
from ._kernels import AffineMap
from ._precision import Array, to_integers
from ._validation import InfinityFound, NoInteger


def image(X: Array, out: Array, f: AffineMap) -> Array:
    """Write the image of ``X`` (..., n_features) to ``out``, which may be ``X`` itself."""
    if X.flags.c_contiguous and out.flags.c_contiguous:
        whole, target = _kernels.flattened(X), _kernels.flattened(out)
    else:
        whole, target = X, out
    plain = X.dtype.kind == "f" and out.dtype.kind == "f" and not f.b.hi.any()
    size = _kernels.BLOCK if plain else _kernels.SMALL_BLOCK  # the others need more scratch
    for features in _kernels.tiles(X.shape[-1]):
        g = f if X.shape[-1] <= _kernels.TILE else f[features]

        def write(block: _kernels.Block, features: slice = features, g: AffineMap = g) -> None:
            into = block.of(target)
            _write(block.of(whole)[:, features], into[:, features], g)
            if not np.may_share_memory(into, target):  # a block of a strided array, flattened, is a copy
                target[block.index] = into.reshape(target[block.index].shape)

        blocks = _kernels.row_blocks(whole.shape, size, features.stop - features.start)
        for _ in _kernels.in_order(write, blocks, parallel=X.size > _kernels.SMALL_BLOCK):
            pass
    return out


def _write(piece: Array, into: Array, f: AffineMap) -> None:
    if np.may_share_memory(piece, into):
        piece = piece.copy(order="K")  # a kernel may look at its input again
    _write_group(_kernels.Columns(piece, into), piece, into, f)


def _write_group(group: _kernels.Group, piece: Array, into: Array, f: AffineMap) -> None:
    if into.dtype.kind == "f":
        _kernels.affine(group, piece, into, f)
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
        each = np.arange(len(feature) + 1)  # every stored value is a feature of its own
        group = _kernels.Segments(each)
        _write_group(group, X.data[piece], out[piece], f[feature])

    for _ in _kernels.in_order(write, stored, parallel=len(stored) > 1):
        pass
    return out
