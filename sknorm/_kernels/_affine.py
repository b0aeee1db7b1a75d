"""F1, the one map of the dataset transformers: four ways of using it are two transforms and their inverses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

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

    def lined_up(self, group: Group) -> Constants:
        """The constants of the map beside the data of a block, kept for the next block of the same shape."""
        if not isinstance(group, Columns):
            return Constants(self, group)
        if group.lanes not in self._lined_up:
            self._lined_up[group.lanes] = Constants(self, group)
        return self._lined_up[group.lanes]


class Constants:
    """An `AffineMap` split into the parts that make its products exact, one value per datum."""

    def __init__(self, f: AffineMap, group: Group) -> None:
        def spread(x: DoubleDouble) -> DoubleDouble:
            return DoubleDouble(group.spread(x.hi), group.spread(x.lo))

        # adding and subtracting sigma, 1.5 * 2**52 * grid, rounds to a multiple of the grid
        size = np.frexp(f.reach)[1]
        offset = np.where(f.a.hi == 0, size, np.frexp(f.a.hi)[1])
        sigma = np.ldexp(1.5, 52 + np.maximum(size - 20, offset - 50))
        # x - a is exact, and of few bits, where the offset is that large; no cut is needed before it
        sigma = np.where(size < offset - 35, 0.0, sigma)
        leading = np.where(sigma == 0, f.a.hi, (f.a.hi + sigma) - sigma)
        self.sigma = group.spread(sigma)
        self.a, self.k, self.b = spread(f.a), spread(f.k), spread(f.b)
        self.a_leading = group.spread(leading)
        self.a_trailing = group.spread((f.a.hi - leading) + f.a.lo)
        self.a_rest = 0.0 if f.a_rest is None else group.spread(f.a_rest)
        k_leading = split(f.k.hi)[0]
        self.k_leading = group.spread(k_leading)
        self.k_trailing = group.spread((f.k.hi - k_leading) + f.k.lo)
