"""F2, what fit learns: immutable summaries of a data set, with an identity (`empty`) and an associative `merge`.

`Extrema` is enough for min-max; `Moments` adds mean and variance. Every way of fitting (at once, in batches, in parts
that are merged) is this one algebra. Merging k summaries with counts n_i, mean_i and var_i:

    n = sum(n_i)    mean = sum(n_i * mean_i) / n    var = sum(n_i * (var_i + (mean_i - mean)**2)) / n

in double-double arithmetic, with means measured from the minimum and everything divided by a power of two, so that
neither the offset nor the unit of a feature matters.

References
----------
T. F. Chan, G. H. Golub, R. J. LeVeque (1983), Algorithms for computing the sample variance: analysis and
recommendations, equation 2.1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

import numpy as np

from . import _kernels
from ._dataset_walk import summarised
from ._precision import Array, DoubleDouble, exponent, quick_two_sum, stacked, where

S = TypeVar("S", bound="Extrema")


@dataclass(frozen=True, eq=False)
class Extrema:
    """Counts and extrema of each feature; NaN where a feature has no value yet.

    ``dtype`` is the common dtype of the data seen.
    """

    n_samples: int | float
    dtype: np.dtype[Any] | None
    count: Array
    minimum: DoubleDouble
    maximum: DoubleDouble
    maps: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)  # the maps made from it

    @classmethod
    def empty(cls, n_features: int) -> Extrema:
        nothing = DoubleDouble.of(np.full(n_features, np.nan))
        return cls(0, None, np.zeros(n_features, dtype=np.int64), nothing, nothing)

    @classmethod
    def of(cls, X: Any, weights: Array | None = None) -> Extrema:
        return summarised(X, weights, cls, _kernels.column_extrema)

    @property
    def exponent(self) -> Array:
        return exponent(np.fmax(-self.minimum.hi, self.maximum.hi))

    @property
    def constant(self) -> Array:
        """Features that have one value only."""
        result: Array = self.minimum == self.maximum
        return result

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "maps": {}}

    def merge(self: S, *others: S) -> S:
        """The summary of all the data together."""
        with np.errstate(all="ignore"):
            return self._stacked([self, *others])._collapsed()

    def beside(self: S, *others: S) -> S:
        """The summary of these and further features of the same samples."""
        parts = [self, *others]
        together = {name: _concatenated([getattr(p, name) for p in parts]) for name in self._per_feature()}
        return replace(self, **together) if others else self

    @classmethod
    def _stacked(cls: type[S], parts: Sequence[S]) -> S:
        """Several summaries as one whose statistics have a leading axis."""
        dtypes = [p.dtype for p in parts if p.dtype is not None]
        dtype = np.result_type(*dtypes) if dtypes else None
        arrays = (_rows([getattr(p, name) for p in parts]) for name in cls._per_feature())
        return cls(sum(p.n_samples for p in parts), dtype, *arrays)

    @classmethod
    def of_blocks(cls: type[S], n_samples: int | float, blocks: Sequence[Any]) -> S:
        """The summary of what kernels found in blocks of so many samples."""
        return cls._of_each(n_samples, blocks)._collapsed()

    @classmethod
    def _of_each(cls: type[S], n_samples: int | float, blocks: Sequence[Any]) -> S:
        """The same, block by block, in the form of `_stacked`."""
        count, minimum, maximum = (np.array([getattr(b, x) for b in blocks]) for x in ("count", "minimum", "maximum"))
        return cls(n_samples, None, count, DoubleDouble.of(minimum), DoubleDouble.of(maximum))

    def _collapsed(self: S) -> S:
        """The statistics of all parts together."""
        return self._merged() if len(self.count) > 1 else self._each(lambda x: x[0])

    def _merged(self: S) -> S:
        count = self.count.sum(axis=0) if self.count.dtype.kind == "i" else DoubleDouble.of(self.count).sum().hi
        minimum, maximum = _smallest(self.minimum), -_smallest(-self.maximum)
        return replace(self, count=count, minimum=minimum, maximum=maximum)

    def select(self: S, features: Any) -> S:
        """The summary of some of the features."""
        return self._each(lambda x: x[features])

    def among(self: S, features: Array, n_features: int) -> S:
        """The summary of so many features, of which all but these have no value; `select` is the way back."""
        nothing = self.empty(n_features)
        put = {name: _put(getattr(self, name), features, getattr(nothing, name)) for name in self._per_feature()}
        return replace(self, **put)

    def pooled(self: S) -> S:
        """Every feature described by the values of all features together."""
        n_features = len(self.count)
        together = self
        while (width := len(together.count)) > 1:
            half = width // 2
            first, second = together.select(slice(half)), together.select(slice(half, 2 * half))
            together = first.merge(second).beside(together.select(slice(2 * half, None)))
        everywhere = together.select(np.zeros(n_features, dtype=int))
        return replace(everywhere, n_samples=self.n_samples)

    def _each(self: S, function: Callable[[Any], Any]) -> S:
        return replace(self, **{name: function(getattr(self, name)) for name in self._per_feature()})

    @classmethod
    def _per_feature(cls) -> list[str]:
        return [f.name for f in fields(cls) if f.name not in ("n_samples", "dtype", "maps")]


@dataclass(frozen=True, eq=False)
class Moments(Extrema):
    """`Extrema` with mean - minimum and the (population) variance of each feature, 0 where there is no value.

    Both are those of the values divided by ``2**exponent``.
    """

    above: DoubleDouble
    variance: DoubleDouble

    @classmethod
    def empty(cls, n_features: int) -> Moments:
        e, zero = Extrema.empty(n_features), DoubleDouble.of(np.zeros(n_features))
        return cls(0, None, e.count, e.minimum, e.maximum, zero, zero)

    @classmethod
    def of(cls, X: Any, weights: Array | None = None) -> Moments:
        return summarised(X, weights, cls, _kernels.column_sums)

    def mean(self, power: Array) -> tuple[DoubleDouble, Array]:
        """Mean divided by ``2**power``, and what a double-double lacks of it; NaN without a value."""
        minimum, above = self.minimum.shifted(-power), self.above.shifted(self.exponent - power)
        mean = minimum + above
        return mean, ((minimum - mean) + above).hi

    def sample_variance(self, ddof: int) -> DoubleDouble:
        """``variance * count / (count - ddof)``; NaN where that leaves nothing to divide by."""
        count = self.count.astype(float)  # of which Python's largest integers can be subtracted
        freedom, power = np.where(count > ddof, count - ddof, np.nan), np.frexp(count)[1]
        share: DoubleDouble = DoubleDouble.of(np.ldexp(count, -power)) / np.ldexp(freedom, -power)
        return self.variance * share

    @classmethod
    def _of_each(cls, n_samples: int | float, blocks: Sequence[Any]) -> Moments:
        outer = Extrema._of_each(n_samples, blocks)
        count = outer.count
        zero = DoubleDouble.of(np.zeros(count.shape))
        total = DoubleDouble(*quick_two_sum(*(np.array([b.total[k] for b in blocks]) for k in (0, 1))))
        center = DoubleDouble(*(np.array([b.center[k] for b in blocks]) for k in (0, 1)))
        from_minimum = np.array([b.from_minimum for b in blocks])[:, None]
        lowest = outer.minimum.shifted(-outer.exponent)
        above_center = total / count - where(from_minimum, zero, center)
        above = above_center + center - where(from_minimum, zero, lowest)
        variance = np.maximum(np.array([b.m2 for b in blocks]) / count - above_center.hi**2, 0.0)
        spread = (count > 0) & ~outer.constant  # what is left of a constant is rounding
        statistics = where(spread, above, zero), where(spread, DoubleDouble.of(variance), zero)
        return cls(n_samples, None, outer.count, outer.minimum, outer.maximum, *statistics)

    def _merged(self) -> Moments:
        outer = super()._merged()
        # weights matter up to a factor: with a power of two near the largest, no product overflows
        weight = DoubleDouble.of(np.ldexp(self.count, -np.frexp(outer.count)[1]))
        all_weight = where(outer.count > 0, weight.sum(), DoubleDouble.of(np.ones(len(outer.count))))
        zero = weight * 0.0
        lower = self.minimum.shifted(-outer.exponent) - outer.minimum.shifted(-outer.exponent)
        above_i = where(self.count > 0, self.above.shifted(self.exponent - outer.exponent) + lower, zero)
        above = (above_i * weight).sum() / all_weight
        # once more, from there: a part of little weight may lie far off
        above = above + ((above_i - above) * weight).sum() / all_weight
        apart = above_i - above
        variance_i = self.variance.shifted(2 * (self.exponent - outer.exponent))
        variance = ((variance_i + apart * apart) * weight).sum() / all_weight
        return replace(outer, above=above, variance=variance)


def _rows(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], DoubleDouble):
        return DoubleDouble(np.array([p.hi for p in parts]), np.array([p.lo for p in parts]))
    return np.array(parts)


def _smallest(values: DoubleDouble) -> DoubleDouble:
    """Minimum over the first axis; NaN where all are."""
    hi = np.fmin.reduce(values.hi, axis=0)
    return DoubleDouble(hi, np.fmin.reduce(np.where(values.hi == hi, values.lo, np.nan), axis=0))


def _concatenated(parts: list[Any]) -> Any:
    return stacked(parts) if isinstance(parts[0], DoubleDouble) else np.concatenate(parts)


def _put(values: Any, features: Array, into: Any) -> Any:
    if isinstance(values, DoubleDouble):
        return DoubleDouble(_put(values.hi, features, into.hi), _put(values.lo, features, into.lo))
    result = into.astype(values.dtype)
    result[features] = values
    return result
