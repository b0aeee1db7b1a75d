"""F1, portable kernels: one block of data in, its statistics or its image out; the reference for all others.

A kernel takes a block of any real dtype, leaves NaN out, raises `InfinityFound` where it meets an infinity, and needs
a few copies of the block as scratch.

References
----------
S. M. Rump, T. Ogita, S. Oishi (2008), Accurate floating-point summation part I, algorithm 3.2 (ExtractVector).
T. F. Chan, G. H. Golub, R. J. LeVeque (1983), Algorithms for computing the sample variance, equation 1.7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from .._precision import (
    Array,
    DoubleDouble,
    beyond_float64,
    exponent,
    quick_two_sum,
    split,
    two_product,
    two_sum,
    where,
)
from .._validation import InfinityFound
from ._affine import AffineMap
from ._groups import Group
from ._scratch import scratch


class Extent(NamedTuple):
    """What one look at a block tells, per group, in the dtype of the block; NaN for a group with no value."""

    minimum: Array
    maximum: Array
    missing: Array | None

    @property
    def magnitude(self) -> Array:
        low, high = self.minimum.astype(np.float64), self.maximum.astype(np.float64)
        result: Array = np.fmax(-low, high)
        return result

    def scaled(self, power: Array) -> tuple[DoubleDouble, Array]:
        """Minimum and range of the values divided by ``2**power``."""
        low, high = (DoubleDouble.of(end).shifted(-power) for end in (self.minimum, self.maximum))
        return low, (high - low).hi


@dataclass(frozen=True)
class BlockExtrema:
    """Count (or sum of weights), minimum and maximum of one block, per group."""

    count: Array
    minimum: Array
    maximum: Array


@dataclass(frozen=True)
class BlockSums:
    """Sums of one block, per group, of values divided by ``2**exponent`` of their magnitude.

    ``center`` is near the mean, or near mean - minimum if ``from_minimum``; ``total`` is the sum of what is above it
    there, and else of the values themselves; ``m2`` is the sum of squared deviations from it. The first two come in two
    parts each.
    """

    count: Array
    minimum: Array
    maximum: Array
    from_minimum: bool
    total: tuple[Array, Array]
    center: tuple[Array, Array]
    m2: Array


def extent(group: Group, x: Array) -> Extent:
    """Minimum and maximum of each group, and where values are missing."""
    low, high, missing = group.reduce(np.minimum, x), group.reduce(np.maximum, x), None
    if x.dtype.kind == "f" and not (np.isfinite(low).all() and np.isfinite(high).all() and x.dtype.itemsize <= 8):
        if np.isnan(low).any():
            missing = np.isnan(x)
            x = quiet(x)
            low, high = group.reduce(np.fmin, x), group.reduce(np.fmax, x)
        # a longdouble beyond float64 is no number here either
        if np.isinf(low.astype(np.float64)).any() or np.isinf(high.astype(np.float64)).any():
            raise InfinityFound
    return Extent(low, high, missing)


def quiet(x: Array) -> Array:
    """The same floats without signalling NaN, at which fmin and fmax would forget the values before it."""
    return np.multiply(x, 1)


def widened(block: Array) -> tuple[Array, Array | None]:
    """The exact values of a block as float64, in two parts where integers are beyond 2**53 or floats are wider."""
    if block.dtype.itemsize > 8 or beyond_float64(block):
        value = DoubleDouble.of(block)
        return value.hi, value.lo
    if block.dtype == np.float64 and block.dtype.isnative:
        return block, None
    x = scratch("widened", block)
    x[...] = block
    return x, None


def scaled(group: Group, x: Array, power: Array) -> Array:
    """``x`` divided by ``2**power``: exact, and free of cost where nothing is huge or tiny."""
    return np.ldexp(x, -group.spread(power)) if power.any() else x


def exact_sum(
    group: Group, x: Array, bound: Array, missing: Array | None = None, name: str = "part"
) -> tuple[Array, Array]:
    """Sum of each group as an unevaluated sum of about 100 bits, ``bound`` being one of the sum of magnitudes.

    Adding and subtracting a large power of two, sigma, keeps the leading bits of x. They are multiples of ulp(sigma)
    and their sum stays below sigma, so it is free of rounding in any order; that of what is left hardly matters.
    Missing values count as 0. ``name`` is that of the scratch.
    """
    sigma = group.spread(np.ldexp(1.0, np.frexp(bound)[1] + 2))
    part = np.add(x, sigma, out=scratch(name, x))
    part -= sigma
    if missing is not None:
        part[missing] = 0.0
    leading = group.reduce(np.add, part)
    np.subtract(x, part, out=part)
    if missing is not None:
        part[missing] = 0.0
    return leading, group.reduce(np.add, part)


def column_extrema(group: Group, block: Array, weights: Array | None) -> BlockExtrema:
    """Enough for min-max."""
    x = group.view(block)
    seen = extent(group, x)
    return BlockExtrema(_count(group, x, seen, weights)[0], seen.minimum, seen.maximum)


def column_sums(group: Group, block: Array, weights: Array | None) -> BlockSums:
    """What mean and variance are made of, in one look at memory."""
    seen = extent(group, group.view(block))
    magnitude = seen.magnitude
    power = exponent(magnitude)
    x, low = widened(block)
    x, low = scaled(group, group.view(x), power), None if low is None else scaled(group, group.view(low), power)
    count, rest = _count(group, x, seen, weights)
    if weights is None and low is None:
        total = exact_sum(group, x, count * np.ldexp(magnitude, -power), seen.missing, "deviation")
        center = DoubleDouble.of((total[0] + total[1]) / count)
        deviation = np.subtract(x, group.spread(center.hi), out=scratch("deviation", x))
        if seen.missing is not None:
            deviation[seen.missing] = 0.0
        deviation *= deviation
        # three times by halves, and without rounding from there
        folded = group.halved(group.halved(group.halved(deviation)))
        leading, trailing = exact_sum(group, folded, count * np.ldexp(magnitude, 1 - power) ** 2)
        m2 = leading + trailing
        return BlockSums(count, seen.minimum, seen.maximum, False, total, (center.hi, center.lo), m2)
    # from the minimum, so that the offset multiplies neither the rounding of the weights nor that of the mean
    lowest, span = seen.scaled(power)
    w = np.ones(()) if weights is None else group.rows(weights)
    hi, lo = _deviation(group, x, low, lowest, seen)
    # in two parts, since a value of little weight may lie so far off that its square is all there is
    center = DoubleDouble(*quick_two_sum(*_weighted_sum(group, hi, lo, w, count * span)))
    center = center / (DoubleDouble.of(count) + rest)
    hi, lo = _deviation(group, hi, lo, center, seen)
    total = _weighted_sum(group, hi, lo, w, count * span)
    leading, trailing = _weighted_sum(group, hi * hi, np.zeros(()), w, count * span**2)
    return BlockSums(count, seen.minimum, seen.maximum, True, total, (center.hi, center.lo), leading + trailing)


def _weighted_sum(group: Group, x: Array, error: Array, w: Array, bound: Array) -> tuple[Array, Array]:
    """``sum(w * (x + error))``."""
    product, rounding = two_product(w, x)
    leading, trailing = exact_sum(group, product, bound)
    return leading, trailing + group.reduce(np.add, rounding + w * error)


def _deviation(group: Group, x: Array, low: Array | None, origin: DoubleDouble, seen: Extent) -> tuple[Array, Array]:
    """``x + low - origin`` as an unevaluated sum, 0 where missing."""
    hi, lo = two_sum(x, -group.spread(origin.hi))
    if low is not None:  # integers first: their difference is exact
        hi, error = two_sum(hi, low)
        lo = lo + error
    hi, lo = two_sum(hi, lo - group.spread(origin.lo))
    if seen.missing is not None:
        hi[seen.missing] = lo[seen.missing] = 0.0
    return hi, lo


def _count(group: Group, x: Array, seen: Extent, weights: Array | None) -> tuple[Array, Array | float]:
    """The number of values, or the sum of weights and what its rounding left."""
    if weights is None:
        return group.size if seen.missing is None else group.size - group.reduce(np.add, seen.missing), 0.0
    present = np.broadcast_to(group.rows(weights), x.shape)
    if seen.missing is not None:
        present = np.where(seen.missing, 0.0, present)
    return quick_two_sum(*exact_sum(group, present, group.size * weights.max()))


def affine(group: Group, block: Array, out: Array, f: AffineMap) -> None:
    """Write the image of a block under a map to ``out``; see `AffineMap` for the rounding."""
    x, low = _ready(group, block, f)
    y = group.view(out)
    if out.dtype == np.float64:
        wide = np.add(*_two_parts(group, x, low, f, spare=y), out=y)
    else:  # a product in float64 is wide enough to be rounded to a narrower type
        wide = _one_part(group, x, low, f)
    if f.outer.any():
        np.ldexp(wide, group.spread(f.outer), out=wide)
    if wide is not y:
        y[...] = wide
    if not np.isfinite(np.add.reduce(y, axis=None)):  # NaN, or infinity, or very large values
        if block.dtype.kind == "f" and np.isinf(block).any():
            raise InfinityFound
        lost = ~np.isfinite(y) & ~np.isnan(x)
        if lost.any():
            y[lost] = _from_afar(group, block, x, low, f)[lost]
    if f.start is not None:
        y[...] = np.where(_at_start(group, x, low, f), group.spread(f.start), y)
    if f.bounds is not None:
        np.clip(y, *f.bounds, out=y)


def affine_exact(group: Group, block: Array, f: AffineMap) -> DoubleDouble:
    """The image of a block before its rounding, in the group's view; NaN and infinity pass."""
    x, low = _ready(group, block, f)
    y = DoubleDouble(*quick_two_sum(*_two_parts(group, x, low, f))).shifted(group.spread(f.outer))
    lost = ~np.isfinite(y.hi) & ~np.isnan(x)
    if lost.any():
        y = where(lost, DoubleDouble.of(_from_afar(group, block, x, low, f)), y)
    return y if f.start is None else where(_at_start(group, x, low, f), DoubleDouble.of(group.spread(f.start)), y)


def _ready(group: Group, block: Array, f: AffineMap) -> tuple[Array, Array | None]:
    x, low = widened(block)
    return scaled(group, group.view(x), f.inner), None if low is None else scaled(group, group.view(low), f.inner)


def _from_afar(group: Group, block: Array, x: Array, low: Array | None, f: AffineMap) -> Array:
    """The image in plain float64 with the exponent apart, where something on the way is beyond float64."""
    c = f.lined_up(group)
    difference = x - c.a.hi if low is None else (x - c.a.hi) + (low - c.a.lo)
    far = ~np.isfinite(difference)  # then a does not matter
    mantissa, power = np.frexp(np.where(far, group.view(block).astype(np.float64), difference))
    outer = group.spread(f.outer)
    power = power + outer - np.where(far, group.spread(f.inner), 0)
    half = np.ldexp(mantissa * c.k.hi, power - 1) + np.ldexp(c.b.hi, outer - 1)
    y: Array = 2 * half
    return y


def _at_start(group: Group, x: Array, low: Array | None, f: AffineMap) -> Array:
    a = f.lined_up(group).a
    result: Array = (x == a.hi) if low is None else (x == a.hi) & (low == a.lo)
    return result


def _one_part(group: Group, x: Array, low: Array | None, f: AffineMap) -> Array:
    """``b + (x - a) * k`` in plain float64."""
    c = f.lined_up(group)
    y = np.subtract(x, c.a.hi, out=scratch("part", x))
    if low is not None:
        y += low
    if c.a.lo.any():
        y -= c.a.lo
    y *= c.k.hi
    if c.b.hi.any():
        y += c.b.hi
    return y


def _two_parts(
    group: Group, x: Array, low: Array | None, f: AffineMap, spare: Array | None = None
) -> tuple[Array, Array]:
    """``b + (x - a) * k`` as an unevaluated sum; ``spare`` is an array of the shape of x that may be overwritten.

    The leading bits of ``x - a`` stand on a grid and those of ``k`` are its first 26, so that their product is exact;
    the other products are too small for their rounding to be seen.
    """
    c = f.lined_up(group)
    part = np.add(x, c.sigma, out=scratch("part", x))
    part -= c.sigma
    rest = np.subtract(x, part, out=scratch("rest", x))
    part -= c.a_leading
    rest -= c.a_trailing
    if low is not None:  # integers first, since their difference is exact; then cut it again
        part, error = two_sum(part, low)
        part, rest = two_sum(part, rest)
        part, cut = split(part)
        rest += error
        rest += cut
        rest -= c.a_rest
    rest *= c.k.hi
    rest += np.multiply(part, c.k_trailing, out=scratch("product", x) if spare is None else spare)
    part *= c.k_leading
    if c.b.hi.any():
        total = np.add(part, c.b.hi, out=scratch("total", x))  # two_sum, in place
        b_part = np.subtract(total, part, out=scratch("product", x))
        part -= np.subtract(total, b_part, out=scratch("a_part", x))
        rest += part
        np.subtract(c.b.hi, b_part, out=b_part)
        rest += b_part
        rest += c.b.lo
        part = total
    return part, rest
