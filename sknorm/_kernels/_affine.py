"""F1, the one map of the dataset transformers: four ways of using it are two transforms and their inverses."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .._precision import Array, DoubleDouble, split
from ._groups import Columns, Group


@dataclass(frozen=True)
class AffineMap:
    """``y = (b + (x * 2**-inner - a) * k) * 2**outer`` for each feature, clipped to ``bounds``.

    Rounded once: within half an ulp where ``x * 2**-inner - a`` is up to about 100 times ``reach``, its usual
    magnitude, and within about one ulp beyond. ``a_rest`` is what ``a`` lacks, which integers of 64 bits need;
    ``start`` is the image of ``a`` where ``b`` cannot hold it, having lost bits to ``2**outer``. All arrays have
    shape (n_features,).
    """

    a: DoubleDouble
    k: DoubleDouble
    b: DoubleDouble
    reach: Array
    inner: Array
    outer: Array
    a_rest: Array | None = None
    start: Array | None = None
    bounds: tuple[Any, Any] | None = None
    _lined_up: dict[int, Constants] = field(default_factory=dict, compare=False, repr=False)

    def __getitem__(self, features: Any) -> AffineMap:
        a, k, b = self.a[features], self.k[features], self.b[features]
        a_rest, start = (None if x is None else x[features] for x in (self.a_rest, self.start))
        reach, inner, outer = self.reach[features], self.inner[features], self.outer[features]
        return AffineMap(a, k, b, reach, inner, outer, a_rest, start, self.bounds)

    @cached_property
    def constants(self) -> Constants:
        return Constants.of(self)

    @cached_property
    def table(self) -> Array | None:
        """The constants as compiled kernels read them, unless there is more to the map."""
        if self.inner.any() or self.outer.any() or self.start is not None:
            return None
        c = self.constants
        rows = c.sigma, c.a_leading, c.a_trailing, c.k_leading, c.k_trailing, c.k.hi, c.b.hi, c.b.lo
        return np.array(rows, dtype=np.float64)

    @cached_property
    def shifted(self) -> bool:
        """Whether b is anything but 0."""
        return bool(self.b.hi.any())

    def lined_up(self, group: Group) -> Constants:
        """The constants of the map beside the data of a block, kept for the next block of the same shape."""
        if not isinstance(group, Columns):
            return self.constants.spread(group)
        if group.lanes not in self._lined_up:
            self._lined_up[group.lanes] = self.constants.spread(group)
        return self._lined_up[group.lanes]


class Constants(NamedTuple):
    """An `AffineMap` split into the parts that make its products exact."""

    sigma: Array
    a: DoubleDouble
    k: DoubleDouble
    b: DoubleDouble
    a_leading: Array
    a_trailing: Array
    a_rest: Array
    k_leading: Array
    k_trailing: Array

    @classmethod
    def of(cls, f: AffineMap) -> Constants:
        # adding and subtracting sigma, 1.5 * 2**52 * grid, rounds to a multiple of the grid
        size = np.frexp(f.reach)[1]
        offset = np.where(f.a.hi == 0, size, np.frexp(f.a.hi)[1])
        sigma = np.ldexp(1.5, 52 + np.maximum(size - 20, offset - 50))
        # x - a is exact, and of few bits, where the offset is that large; no cut is needed before it
        sigma = np.where(size < offset - 35, 0.0, sigma)
        leading = (f.a.hi + sigma) - sigma
        trailing, rest = (f.a.hi - leading) + f.a.lo, np.zeros(size.shape) if f.a_rest is None else f.a_rest
        k_leading = split(f.k.hi)[0]
        return cls(sigma, f.a, f.k, f.b, leading, trailing, rest, k_leading, (f.k.hi - k_leading) + f.k.lo)

    def spread(self, group: Group) -> Constants:
        """One value per datum of the group's view."""

        def each(x: Any) -> Any:
            return (
                DoubleDouble(group.spread(x.hi), group.spread(x.lo)) if isinstance(x, DoubleDouble) else group.spread(x)
            )

        return Constants(*map(each, self))
