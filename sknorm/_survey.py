"""F4, one pass over the data for `diagnose`: statistics of the features, and how many samples satisfy what.

Each block is read once. The features are summarised as in fit; the samples are judged at once and counted, so nothing
grows with their number. An infinity is counted, and then treated as missing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from . import _kernels
from ._constraints import SAMPLES, SINGLE, Samples
from ._containers import with_data
from ._dataset_statistics import Moments
from ._dataset_walk import PENDING_VALUES, folded
from ._precision import Array
from ._tables import Table

BLOCK = 2 * _kernels.SMALL_BLOCK  # values
FIRST = 16  # values that tell most data from pixels
MOST_PARALLEL = 4 * _kernels.TILE  # features, of which each block in work holds eight numbers


@dataclass(frozen=True, eq=False)
class Tally:
    """How many samples satisfy what, and between what their statistics lie."""

    counts: Array  # of all, those that can be judged, with missing and with infinite values, and of zeros alone
    held: Array  # for how many each constraint holds, and how many it admits
    lowest: Array  # of mean and mean square
    highest: Array

    @classmethod
    def empty(cls) -> Tally:
        counts, held = (np.zeros(shape, dtype=np.int64) for shape in (5, (2, len(SAMPLES))))
        return cls(counts, held, np.full(2, np.nan), np.full(2, np.nan))

    @classmethod
    def of(cls, s: Samples, missing: Array, infinite: Array, width: int) -> Tally:
        zero = (s.count > 0) & (s.magnitudes == 0)
        judged = (s.count > 0) & ~zero & (width > 1)
        satisfied = [[c.holds(s) for c in SAMPLES], [(c.admits or c.holds)(s) for c in SAMPLES]]
        held = np.count_nonzero(judged & np.array(satisfied), axis=2)
        statistics = np.where(judged & ~infinite, [s.mean, s.mean_square], np.nan)
        lowest, highest = (end.reduce(statistics, axis=1) for end in (np.fmin, np.fmax))
        counts = [len(s.count), *map(np.count_nonzero, (judged, missing, infinite, zero))]
        return cls(np.array(counts), held, lowest, highest)

    def merge(self, other: Tally) -> Tally:
        lowest, highest = np.fmin(self.lowest, other.lowest), np.fmax(self.highest, other.highest)
        return Tally(self.counts + other.counts, self.held + other.held, lowest, highest)


@dataclass(frozen=True, eq=False)
class Survey:
    """What one pass saw."""

    moments: Moments
    infinite: Array  # how many values of each feature are -inf, and how many inf
    flags: Array  # (3, n_features), whether all values are whole; in float32; steps from 0 to 1; as in `_Look`
    tally: Tally

    @classmethod
    def empty(cls, n_features: int) -> Survey:
        infinite, flags = np.zeros((2, n_features), dtype=np.int64), np.ones((3, n_features), dtype=bool)
        return cls(Moments.empty(n_features), infinite, flags, Tally.empty())

    @classmethod
    def of(cls, X: Any) -> Survey:
        """Of dense (..., n_features) or sparse data of a real dtype, or of a `Table`."""
        if 0 in X.shape:
            return cls.empty(X.shape[-1])
        if isinstance(X, Table):
            return reduce(Survey.merge, (cls.of(X.read(rows)) for rows in X.rows()))
        with np.errstate(all="ignore"):
            found = _of_dense(X) if isinstance(X, np.ndarray) else _of_sparse(X)
            return replace(found, moments=replace(found.moments, dtype=X.dtype))

    def merge(self, *others: Survey) -> Survey:
        """Of all the samples together."""
        moments = self.moments.merge(*(p.moments for p in others)) if others else self.moments
        return replace(reduce(Survey._with, others, self), moments=moments)

    def _with(self, other: Survey) -> Survey:
        """The same, of everything but the moments."""
        infinite, tally = self.infinite + other.infinite, self.tally.merge(other.tally)
        return Survey(self.moments, infinite, self.flags & other.flags, tally)

    def beside(self, *others: Survey) -> Survey:
        """Of further features of the same samples: there are none, since samples are seen whole."""
        return self

    def eps(self) -> Array:
        """Of each feature, as the values are."""
        return np.where(self.flags[1], SINGLE, eps_of(self.moments.dtype))


def eps_of(dtype: np.dtype[Any] | None) -> float:
    """Distance from 1 to the next number of a dtype, or of float64 where that is wider, or no float."""
    known = dtype is not None and dtype.kind == "f" and dtype.itemsize < 8
    return float(np.finfo(dtype if known else np.float64).eps)


class _Look(NamedTuple):
    """Some values, and what is said of each."""

    values: Array  # with NaN for infinities
    wide: Array  # the same as float64, with infinities
    missing: Array | None  # None where all are finite
    infinite: Array | None
    whole: Array | bool
    single: Array | bool  # a float64 that float32 holds
    steps: Array | bool  # as pixels divided by what their type holds

    @property
    def flags(self) -> tuple[Array | bool, ...]:
        return self.whole, self.single, self.steps

    @classmethod
    def at(cls, x: Array) -> _Look:
        wide = x.astype(np.float64, copy=False)
        if x.dtype.kind != "f":
            return cls(x, wide, None, None, True, False, False)
        missing = infinite = None
        if not np.isfinite(wide).all():
            missing, infinite = np.isnan(wide), np.isinf(wide)  # a longdouble beyond float64 counts as infinite
            x = np.where(infinite, x.dtype.type(np.nan), x)
        whole: Array = np.rint(wide) == wide
        single: Array | bool = False
        if x.dtype.itemsize >= 8:
            single = wide.astype(np.float32) == wide
        steps = _are_steps(wide, x.dtype)
        if missing is not None:
            whole, single = whole | missing, single if single is False else single | missing
        return cls(x, wide, missing, infinite, whole, single, steps)


def _are_steps(x: Array, dtype: np.dtype[Any]) -> Array | bool:
    """Values from 0 to 1 that are whole sixteenths or 65,535ths (of which every 257th is a 255th) within rounding.

    False of all where each feature has another value among its first, which saves to look at the others.
    """
    if x.ndim == 2 and len(x) > FIRST and not np.all(_are_steps(x[:FIRST], dtype), axis=0).any():
        return False
    narrow = dtype.itemsize < 4
    n, eps = (255, eps_of(dtype) / 2) if narrow else (65535, SINGLE)
    steps = n * x
    result: Array = np.abs(steps - np.rint(steps)) <= steps * eps
    result |= (np.rint(16 * x) == 16 * x) & (x >= 0)
    return (result & (x <= 1)) | ~np.isfinite(x)


class _Band:
    """Sums of some samples, from stretches of their features."""

    def __init__(self, n: int, dtype: np.dtype[Any]) -> None:
        self.count, self.total, self.magnitudes, self.squares = np.zeros((4, n))
        self.negative, self.missing, self.infinite = np.zeros((3, n), dtype=bool)
        self.single = np.full(n, dtype.kind == "f" and dtype.itemsize >= 8)
        self.dtype = dtype

    def add(self, look: _Look, samples: Any, group: _kernels.Group) -> None:
        """Add a stretch of the values of these ``samples``, each of which is a group of it."""
        x, size = look.wide, group.size
        if look.missing is not None and look.infinite is not None:
            x = np.where(look.missing, 0.0, x)
            absent = group.reduce(np.add, look.missing.astype(np.intp))
            size = size - absent
            self.missing[samples] |= absent > 0
            self.infinite[samples] |= group.reduce(np.logical_or, look.infinite)
        self.count[samples] += size
        self.total[samples] += group.reduce(np.add, x)
        self.negative[samples] |= group.reduce(np.minimum, x) < 0
        self.magnitudes[samples] += group.reduce(np.add, np.abs(x))
        self.squares[samples] += group.reduce(np.add, x * x)
        if isinstance(look.single, np.ndarray):
            self.single[samples] &= group.reduce(np.logical_and, look.single)

    def tally(self, width: int) -> Tally:
        eps = np.where(self.single, SINGLE, eps_of(self.dtype))
        known = self.dtype if self.dtype.kind == "f" else np.float64
        tiny = float(np.finfo(known).smallest_subnormal)
        samples = Samples(self.count, self.total, self.magnitudes, self.squares, self.negative, eps, tiny)
        return Tally.of(samples, self.missing, self.infinite, width)


def _of_dense(X: Array) -> Survey:
    d = X.shape[-1]
    (X,) = _kernels.flattened(X)
    tiles = list(_kernels.tiles(d))

    def over(block: _kernels.Block) -> tuple[list[Any], Array, Array, Tally]:
        rows = block.of(X)
        infinite, flags = np.zeros((2, d), dtype=np.int64), np.zeros((3, d), dtype=bool)
        band, sums = _Band(len(rows), X.dtype), []
        for tile in tiles:
            x = np.ascontiguousarray(rows[:, tile])
            look = _Look.at(x)
            sums.append((len(x), _kernels.column_sums(_kernels.Columns(look.values), look.values, None)))
            if look.infinite is not None:
                infinite[:, tile] = np.count_nonzero([look.infinite & end for end in (x < 0, x > 0)], axis=1)
            for flag, of_each in zip(flags, look.flags, strict=True):
                flag[tile] = np.all(of_each, axis=0)
            band.add(look, slice(None), _kernels.Rows(x))
        return sums, infinite, flags, band.tally(d)

    size = BLOCK * d // (d + 8)  # a sample has some numbers of its own, which count where it has few features
    blocks = _kernels.row_blocks(X.shape, size, min(d, _kernels.TILE))
    parallel = X.size > size and d <= MOST_PARALLEL
    survey, pending = Survey.empty(d), []
    moments = [Moments.empty(tile.stop - tile.start) for tile in tiles]
    for sums, infinite, flags, tally in _kernels.in_order(over, blocks, parallel):
        survey = survey._with(Survey(survey.moments, infinite, flags, tally))
        pending.append(sums)
        if len(pending) * d > PENDING_VALUES:
            moments, pending = _merged(moments, pending), []
    first, *others = _merged(moments, pending)
    return replace(survey, moments=first.beside(*others))


def _merged(moments: list[Moments], pending: list[list[tuple[int, Any]]]) -> list[Moments]:
    """The moments of each tile, with what kernels found in further blocks."""
    if not pending:
        return moments
    found = (folded(iter(blocks), Moments, len(blocks[0][1].count)) for blocks in zip(*pending, strict=True))
    return [before.merge(after) for before, after in zip(moments, found, strict=True)]


def _of_sparse(X: Any) -> Survey:
    X = X.tocsr()
    n, d = X.shape
    # a block's statistics have d values whatever it stores, so it should store more than that
    step = max(1, max(_kernels.SMALL_BLOCK, 8 * d) * n // max(1, X.nnz))
    return reduce(Survey.merge, (_of_stored(X[start : start + step]) for start in range(0, n, step)))


def _of_stored(X: Any) -> Survey:
    n, d = X.shape
    look = _Look.at(X.data)
    infinite = np.zeros((2, d), dtype=np.int64)
    if look.infinite is not None:
        for count, end in zip(infinite, (look.wide < 0, look.wide > 0), strict=True):
            count += np.bincount(X.indices[look.infinite & end], minlength=d)
        X = with_data(X, look.values)
    filled = np.flatnonzero(np.diff(X.indptr))
    band = _Band(n, X.dtype)
    if len(filled):
        band.add(look, filled, _kernels.Segments(np.append(X.indptr[filled], X.indptr[-1])))
    band.count += d - np.diff(X.indptr)
    flags = np.array([_but(X.indices, flag, d) for flag in look.flags])
    return Survey(Moments.of(X), infinite, flags, band.tally(d))


def _but(features: Array, flag: Array | bool, d: int) -> Array:
    """All features but those of which a stored value lacks the flag."""
    yes = np.ones(d, dtype=bool)
    yes[features[~np.broadcast_to(flag, features.shape)]] = False
    return yes
