"""F2, what a row norm knows of each sample, and the walk over the samples that finds it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from . import _kernels
from ._precision import Array

# (group, block, where its image goes, which feature each value is of, *given of the samples) -> found of the samples
RowKernel = Callable[..., tuple[Array, ...]]


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
    kernel: RowKernel,
    X: Array,
    out: Array | None,
    *,
    given: tuple[Array, ...] = (),
    found: tuple[Array, ...] = (),
) -> None:
    """Fill ``out`` (..., n_features, then one column per statistic if it is that wide) and ``found``.

    ``given`` and ``found`` hold one value per sample.
    """
    d, parallel = X.shape[-1], X.size > _kernels.SMALL_BLOCK
    if X.flags.c_contiguous and (out is None or out.flags.c_contiguous):
        X, out = _kernels.flattened(X), None if out is None else _kernels.flattened(out)

    def fill(block: _kernels.Block) -> None:
        samples = slice(block.start, block.stop)
        piece = np.ascontiguousarray(block.of(X))
        target = None if out is None else block.of(out)
        into = None if target is None else target[:, :d]
        statistics = kernel(_kernels.Rows(piece), piece, into, slice(None), *(g.reshape(-1)[samples] for g in given))
        for whole, part in zip(found, statistics, strict=False):
            whole.reshape(-1)[samples] = part
        if out is None or target is None:
            return
        for j in range(d, target.shape[1]):
            target[:, j] = statistics[j - d]
        if not np.may_share_memory(target, out):  # a block of a strided array, flattened, is a copy
            out[block.index] = target.reshape(out[block.index].shape)

    # each sample has about 16 values of its own as scratch, which count where it has few features
    size = _kernels.SMALL_BLOCK * d // (d + 16)
    for _ in _kernels.in_order(fill, _kernels.row_blocks(X.shape, size), parallel):
        pass


def over_stored_samples(
    kernel: RowKernel,
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

    for _ in _kernels.in_order(fill, range(0, n, rows), parallel=X.nnz > _kernels.SMALL_BLOCK):
        pass
