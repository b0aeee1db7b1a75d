"""F2, the walk over a data set that finds its summary, block by block: dense in any layout, or sparse.

A summary is what `_dataset_statistics` defines. Which blocks there are depends on the shape of the data alone, and they
are merged in their order, so that the number of threads never shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import reduce
from itertools import islice
from math import prod
from typing import Any, TypeVar

import numpy as np

from . import _kernels
from ._precision import Array, DoubleDouble, quick_two_sum
from ._tables import Table

SAFE_WEIGHT = 160  # times squares of values up to 2**400, weights of 2**160 stay finite
TINIEST = 5e-324  # of weights, which must not vanish
LEAST_SHARE = 2.0**-50  # of all weight, above which a difference of two sums of 100 bits is exact enough
PENDING_VALUES = 2**12  # statistics kept before they are merged, which takes some hundred bytes each

T = TypeVar("T")


def summarised(X: Any, weights: Array | None, cls: type[T], kernel: _kernels.Kernel) -> T:
    """The summary, of class ``cls``, of dense (..., n_features) or sparse data, or of a `Table`."""
    walk = _of_dense if isinstance(X, np.ndarray) else _of_table if isinstance(X, Table) else _of_sparse
    with np.errstate(all="ignore"):
        # weights matter up to a factor, and those near 1 leave the squares of the values room
        power = 0 if weights is None else int(np.frexp(float(weights.max()))[1])
        if abs(power) < SAFE_WEIGHT:
            power = 0
        found = walk(X, weights, -power, cls, kernel)
        if power:
            count, n_samples = np.ldexp(found.count, power), float(np.ldexp(found.n_samples, power))
            found = replace(found, count=count, n_samples=n_samples)
        summary: T = replace(found, dtype=X.dtype)
        return summary


def _of_dense(X: Array, weights: Array | None, power: int, cls: Any, kernel: _kernels.Kernel) -> Any:
    samples_each = prod(X.shape[1:-1])
    (X,) = _kernels.flattened(X)
    compiled = _kernels.summarise(kernel.compiled, X) if weights is None else None
    if compiled is not None:
        return cls.of_blocks(X[..., 0].size, [compiled])
    plain = weights is None and X.dtype == np.float64 and X.flags.forc
    # the others need more scratch
    size = _kernels.LARGE_BLOCK if plain else _kernels.SMALL_BLOCK if weights is None else _kernels.SMALL_BLOCK // 2

    def kernel_on(block: _kernels.Block) -> tuple[int | float, Any]:
        w = None if weights is None else weights[np.arange(block.start, block.stop) // samples_each]
        return _found(kernel.portable, block.of(X)[:, features], w, power)

    done = []
    for features in _kernels.tiles_of(X, size):
        width = features.stop - features.start
        blocks = _kernels.row_blocks(X.shape, size, width)
        found = _kernels.in_order(kernel_on, blocks, parallel=X.size > _kernels.SMALL_BLOCK)
        done.append(folded(found, cls, width))
    return done[0].beside(*done[1:])


def _of_table(X: Table, weights: Array | None, power: int, cls: Any, kernel: _kernels.Kernel) -> Any:
    if len(tiles := X.tiles()) > 1:
        first, *others = (_of_table(part, weights, power, cls, kernel) for _, part in tiles)
        return first.beside(*others)
    plain = weights is None and X.dtype.kind == "f" and X.dtype.itemsize <= 8

    def kernel_on(rows: slice) -> tuple[int | float, Any]:
        return _found(kernel, X.read(rows), None if weights is None else weights[rows], power)

    pieces = X.rows() if plain else X.rows(_kernels.SMALL_BLOCK // 2)  # the others need more scratch
    found = _kernels.in_order(kernel_on, pieces, parallel=len(pieces) > 1)
    return folded(found, cls, X.shape[1])


def _found(kernel: Callable[..., Any], piece: Array, weights: Array | None, power: int) -> tuple[int | float, Any]:
    """How many samples of some weight a piece has, or the sum of their weights, and what a kernel finds in them."""
    w = None
    if weights is not None:
        piece, w = _of_some_weight(piece, weights, power)
    if not len(piece):
        return 0, None
    return len(piece) if w is None else float(w.sum()), kernel(_kernels.Columns(piece), piece, w)


def _batched(items: Iterator[Any], size: int) -> Iterator[list[Any]]:
    while batch := list(islice(items, size)):
        yield batch


def folded(found: Iterator[tuple[int | float, Any]], cls: Any, n_features: int) -> Any:
    """Merge a stream of what kernels found in blocks, a few hundred at a time."""
    summary: Any = None
    most = max(8, PENDING_VALUES // n_features)
    for batch in _batched(found, most):
        full = [(n, block) for n, block in batch if block is not None]
        if full:
            part = cls.of_blocks(sum(n for n, _ in full), [block for _, block in full])
            summary = part if summary is None else summary.merge(part)
    return cls.empty(n_features) if summary is None else summary


def _of_sparse(X: Any, weights: Array | None, power: int, cls: Any, kernel: _kernels.Kernel) -> Any:
    """Stored values as segments of columns, merged with the zeros that are not stored."""
    n, d = X.shape
    compiled = _kernels.summarise_stored(kernel.compiled, X) if weights is None and X.format == "csr" else None
    if compiled is not None:
        stored = np.zeros(d, dtype=np.int64)
        for i in range(0, X.nnz, _kernels.SMALL_BLOCK):
            stored += np.bincount(X.indices[i : i + _kernels.SMALL_BLOCK], minlength=d)
        return _with_zeros(cls.of_blocks(0, [compiled]), n - stored, n)
    each = max(1, X.nnz // n)
    # a block's statistics have d values whatever it stores, so it should store more than that
    rows = n if X.format == "csc" else max(_kernels.SMALL_BLOCK, 8 * d) // each

    def summary_of(start: int) -> Any:
        piece, w = X[start : start + rows] if rows < n else X, None
        if weights is not None:
            piece, w = _of_some_weight(piece, weights[start : start + rows], power)
        return _of_columns(piece.tocsc(), w, cls, kernel) if piece.shape[0] else cls.empty(d)

    starts = range(0, n, rows)
    summaries = _kernels.in_order(summary_of, starts, parallel=len(starts) > 1)
    return reduce(lambda one, other: one.merge(other), summaries)


def _of_some_weight(piece: Any, weights: Array, power: int) -> tuple[Any, Array]:
    """The samples of a weight above 0, before any arithmetic (0 * inf is not 0), and ``2**power`` times the weights."""
    some = weights > 0
    return piece[some], np.maximum(np.ldexp(weights[some].astype(np.float64), power), TINIEST)


def _of_columns(X: Any, w: Array | None, cls: Any, kernel: _kernels.Kernel) -> Any:
    """The summary of a CSC container."""
    n, d = X.shape
    stored = np.diff(X.indptr)
    filled = np.flatnonzero(stored)
    summary, stored_weight = cls.empty(d), np.array([stored if w is None else np.zeros(d), np.zeros(d)])
    if len(filled):
        group = _kernels.Segments(np.append(X.indptr[filled], X.indptr[-1]))
        of_stored = None if w is None else w[X.indices]
        summary = cls.of_blocks(0, [kernel(group, X.data, of_stored)]).among(filled, d)
        if of_stored is not None:
            stored_weight[:, filled] = _kernels.exact_sum(group, of_stored, group.size * of_stored.max())
    all_weight: Any = DoubleDouble.of(n) if w is None else DoubleDouble.of(w).sum()
    zeros = np.where(stored < n, (all_weight - DoubleDouble(*quick_two_sum(*stored_weight))).hi, 0)
    if w is None:
        return _with_zeros(summary, zeros.astype(np.int64), n)
    for j in np.flatnonzero((stored < n) & (zeros < LEAST_SHARE * all_weight.hi)):
        zeros[j] = np.delete(w, X.indices[X.indptr[j] : X.indptr[j + 1]]).sum()
    return _with_zeros(summary, zeros, float(all_weight.hi))


def _with_zeros(stored: Any, zeros: Array, n_samples: int | float) -> Any:
    """The summary of stored values and of so many zeros that are not stored."""
    nothing = DoubleDouble.of(np.where(zeros > 0, 0.0, np.nan))
    unstored: Any = replace(type(stored).empty(len(zeros)), count=zeros, minimum=nothing, maximum=nothing)
    return replace(stored.merge(unstored), n_samples=n_samples)
