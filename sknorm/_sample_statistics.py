"""F2, what a row norm knows of each sample, and the walk over the samples that finds it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _kernels
from ._precision import Array
from ._tables import Table


class LayerStatistics(NamedTuple):
    """Mean, and divisor ``sqrt(var + eps)`` (1 if constant), of each sample: float64 of shape ``X.shape[:-1]``."""

    row_mean: Array
    row_scale: Array


class RMSStatistics(NamedTuple):
    """Divisor ``sqrt(mean(x**2) + eps)`` (1 if all zero) of each sample: float64 of shape ``X.shape[:-1]``."""

    row_rms: Array


class SoftmaxStatistics(NamedTuple):
    """``log(sum(exp(x / temperature)))`` of each sample: float64 of shape ``X.shape[:-1]``."""

    row_logsumexp: Array


def over_samples(
    kernel: _kernels.Kernel,
    X: Array | Table,
    out: Array | None,
    *,
    given: tuple[Array, ...] = (),
    found: tuple[Array, ...] = (),
) -> None:
    """Fill ``out`` (..., n_features, then one column per statistic if it is that wide) and ``found``.

    ``kernel`` takes a group, a block, where its image goes, which feature each value is of, and ``given`` of the
    samples; it returns what goes to ``found``. Both hold one value per sample.
    """
    if isinstance(X, Table):
        table = X

        def of(rows: slice) -> None:
            parts = [tuple(each[rows] for each in some) for some in (given, found)]
            into = None if out is None else out[rows]
            over_samples(kernel, table.read(rows), into, given=parts[0], found=parts[1])

        pieces = X.rows()
        _kernels.over(pieces, of, parallel=len(pieces) > 1)
        return
    d = X.shape[-1]
    in_place = out is not None and np.may_share_memory(X, out)
    X, *outs = _kernels.flattened(X, *([] if out is None else [out]))
    compiled = kernel.compiled is not _kernels.never and _kernels.compiled_serves(X, *outs)
    at_once = compiled and X.ndim == 2
    # each sample has about 16 values of its own as scratch, which count where it has few features
    small = _kernels.SMALL_BLOCK * d // (d + 16)
    large = _kernels.per_thread(_kernels.IN_PLACE) // X.itemsize if in_place else _kernels.compiled_block_size(X.size)
    size = min(large * d // (d + 16), _kernels.per_thread(_kernels.NOTED) * d) if at_once else small

    def fill(block: _kernels.Block) -> None:
        piece = block.of(X).copy() if in_place else block.of(X)  # a kernel may look at its input again
        if not len(piece):
            return
        samples = slice(block.start, block.stop)
        given_here = [g.reshape(-1)[samples] for g in given]
        target = block.of(outs[0]) if outs else None

        def part(rows: slice, x: Array) -> tuple[Any, ...]:
            into = None if target is None else target[rows, :d]
            return _kernels.Rows(x), x, into, slice(None), *(g[rows] for g in given_here)

        each = max(1, small // d)
        rows = (slice(i, i + each) for i in range(0, len(piece), each))
        results = kernel.over((part(r, np.ascontiguousarray(piece[r])) for r in rows), part(slice(None), piece))
        statistics = (
            results[0] if len(results) == 1 else [np.concatenate(column) for column in zip(*results, strict=True)]
        )
        for whole, of_block in zip(found, statistics, strict=False):
            whole.reshape(-1)[samples] = of_block
        if target is None:
            return
        for j in range(d, target.shape[1]):
            target[:, j] = statistics[j - d]
        if not np.may_share_memory(target, outs[0]):  # a block of a strided array, flattened, is a copy
            outs[0][block.index] = target.reshape(outs[0][block.index].shape)

    blocks = _kernels.row_blocks(X.shape, size)
    _kernels.over(blocks, fill, X.size > (size if at_once else _kernels.SMALL_BLOCK), compiled)


def over_stored_samples(
    kernel: _kernels.Kernel,
    X: Any,
    out: Array | None,
    *,
    given: tuple[Array, ...] = (),
    found: tuple[Array, ...] = (),
) -> None:
    """The same for a CSR container: ``out`` takes the image of the stored values; an empty sample has divisor 1."""
    for whole in found:
        whole[...] = 1.0
    n = X.shape[0]
    rows = max(1, _kernels.SMALL_BLOCK * n // max(1, X.nnz))

    def fill(start: int) -> None:
        indptr = X.indptr[start : start + rows + 1]
        filled = np.flatnonzero(np.diff(indptr))
        if not len(filled):
            return
        stored = slice(indptr[0], indptr[-1])
        group = _kernels.Segments(np.append(indptr[filled], indptr[-1]))
        into = None if out is None else out[stored]
        samples = start + filled
        statistics = kernel(group, X.data[stored], into, X.indices[stored], *(g[samples] for g in given))
        for whole, part in zip(found, statistics, strict=False):
            whole[samples] = part

    _kernels.over(range(0, n, rows), fill, parallel=X.nnz > _kernels.SMALL_BLOCK)
