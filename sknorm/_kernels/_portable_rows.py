"""F1, portable kernels of the row norms: each sample of a block by itself, in float64, rounded once.

Where input or output has the bits of float64, the mean, the divisor and the products carry about 100 bits until the
last rounding. A sample of huge or tiny values is divided by a power of two near its largest magnitude, and eps with it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._precision import Array, DoubleDouble, exponent, quick_two_sum, split, two_product, two_sum, where
from .._validation import InfinityFound
from ._groups import Group
from ._portable import Extent, exact_sum, extent, quiet, scaled, widened


class _Samples:
    """A block made ready: finite float64 values divided by ``2**power``, missing ones set to 0."""

    def __init__(self, group: Group, block: Array, precise: bool, *, size: Any = None, centred: bool = False) -> None:
        self.group, self.precise = group, precise
        self.extent: Extent = extent(group, block)
        self.x, self.low = widened(block)
        self.power = exponent(self.extent.magnitude)
        self.origin = DoubleDouble.of(np.zeros(len(group.size)))
        self.x = scaled(group, self.x, self.power)
        self.low = None if self.low is None else scaled(group, self.low, self.power)
        if centred and (self.low is not None or not precise):  # a mean far from 0 would lack bits of its fraction
            self.origin = DoubleDouble.of(self.extent.minimum).shifted(-self.power)
            self.x, self.low = _differences(group, self.x, self.low, self.origin)
        self.count = group.size if size is None else np.full(len(group.size), size)
        self.missing = self.extent.missing
        if self.missing is not None:
            self.count = self.count - group.reduce(np.add, self.missing)
            self.x = np.where(self.missing, 0.0, self.x)
            self.low = None if self.low is None else np.where(self.missing, 0.0, self.low)

    def mean(self) -> DoubleDouble:
        if self.precise:
            bound = self.count * np.ldexp(self.extent.magnitude, -self.power)
            total = DoubleDouble(*quick_two_sum(*exact_sum(self.group, self.x, bound)))
            mean = (total if self.low is None else total + self.group.reduce(np.add, self.low)) / self.count
        else:
            mean = DoubleDouble.of(self.group.reduce(np.add, self.x) / self.count)
        smallest = DoubleDouble.of(self.extent.minimum).shifted(-self.power) - self.origin
        return where(self.extent.minimum == self.extent.maximum, smallest, mean)

    def minus(self, mean: DoubleDouble) -> DoubleDouble:
        """``x - mean``; exact zeros in a constant sample, and high parts of 0 where values are missing."""
        spread = self.group.spread
        if self.precise:
            hi, lo = two_sum(self.x, -spread(mean.hi))
            if self.low is not None:  # before the mean's low part: a difference of integers is exact
                hi, error = two_sum(hi, self.low)
                lo += error
            lo -= spread(mean.lo)
            hi, lo = two_sum(hi, lo)
        else:
            hi, lo = self.x - spread(mean.hi), np.zeros(())
        if self.missing is not None:
            hi[self.missing] = 0.0
        return DoubleDouble(hi, lo)

    def divisor(self, deviation: DoubleDouble, eps: float, still: Array) -> tuple[DoubleDouble, Array]:
        """``sqrt(mean(deviation**2) + eps)`` divided by ``2**power``, and that power; 1 for a ``still`` sample.

        The power is taken from whichever of the two terms is larger, so that neither can overflow.
        """
        power = exponent(np.fmax(self.extent.magnitude, np.sqrt(eps)))
        if self.precise:  # beta may take away all that a rounded divisor gets right
            squares, error = two_product(deviation.hi, deviation.hi)
            error += 2 * deviation.hi * deviation.lo
            bound = self.count * np.ldexp(self.extent.magnitude, 1 - self.power) ** 2
            square = DoubleDouble(*quick_two_sum(*exact_sum(self.group, squares, bound)))
            square = square + self.group.reduce(np.add, error)
        else:
            square = DoubleDouble.of(self.group.reduce(np.add, deviation.hi**2))
        square = (square / self.count).shifted(2 * (self.power - power)) + np.ldexp(eps, -2 * power)
        one = DoubleDouble.of(np.ones_like(square.hi))
        return where(still, one, square.sqrt()), np.where(still, 0, power)

    def image(self, x: DoubleDouble, divisor: DoubleDouble, power: Array, gamma: Any, beta: Any, out: Array) -> None:
        """Write ``gamma * x / divisor + beta`` to ``out``."""
        spread = self.group.spread
        inverse = DoubleDouble.of(np.ones_like(divisor.hi)) / divisor
        if self.precise:
            y = _times(x, DoubleDouble(spread(inverse.hi), spread(inverse.lo)))
            shift = self.power - power
            if gamma is not None:
                gamma_power = exponent(np.max(np.abs(gamma)))  # a huge factor could not be split
                y = _times(y, DoubleDouble.of(np.ldexp(gamma, -gamma_power)))
                shift = shift + gamma_power
            if shift.any():
                y = y.shifted(spread(shift))
            if beta is not None:
                total, error = two_sum(y.hi, beta)
                y = DoubleDouble(total, error + y.lo)
            out[...] = y.rounded()
        else:
            y64 = x.hi * spread(inverse.hi)
            if gamma is not None:
                y64 *= gamma
            y64 = scaled(self.group, y64, power - self.power)
            if beta is not None:
                y64 += beta
            out[...] = y64
        if self.missing is not None:
            out[self.missing] = np.nan


def _differences(group: Group, x: Array, low: Array | None, origin: DoubleDouble) -> tuple[Array, Array | None]:
    """Values minus one of them."""
    if low is None:  # they are narrow, and their differences as good as exact
        return x - group.spread(origin.hi), None
    hi, error = two_sum(x, -group.spread(origin.hi))
    return two_sum(hi, error + (low - group.spread(origin.lo)))


def _times(x: DoubleDouble, k: DoubleDouble) -> DoubleDouble:
    """Product to about 75 bits, cheaper than that of two double-doubles."""
    (xh, xl), (kh, kl) = split(x.hi), split(k.hi)
    return DoubleDouble(*quick_two_sum(xh * kh, xh * (kl + k.lo) + (xl + x.lo) * k.hi))


def layer_norm(
    group: Group, block: Array, out: Array | None, eps: float, gamma: Any, beta: Any, precise: bool
) -> tuple[Array, Array]:
    """``gamma * (x - mean) / sqrt(var + eps) + beta`` to ``out``; returns mean and divisor of each sample."""
    samples = _Samples(group, block, precise, centred=True)
    mean = samples.mean()
    deviation = samples.minus(mean)
    divisor, power = samples.divisor(deviation, eps, samples.extent.minimum == samples.extent.maximum)
    if out is not None:
        samples.image(deviation, divisor, power, gamma, beta, out)
    return (mean + samples.origin).shifted(samples.power).hi, np.ldexp(divisor.hi, power)


def rms_norm(
    group: Group,
    block: Array,
    out: Array | None,
    eps: float,
    gamma: Any,
    precise: bool,
    size: int | None = None,
) -> tuple[Array]:
    """``gamma * x / sqrt(mean(x**2) + eps)`` to ``out``; returns the divisor of each sample of ``size`` values."""
    samples = _Samples(group, block, precise, size=size)
    x = DoubleDouble(samples.x, np.zeros(()) if samples.low is None else samples.low)
    some = samples.count > 0  # if only zeros that are not stored
    still = (samples.extent.magnitude == 0) | (np.isnan(samples.extent.magnitude) & some)
    divisor, power = samples.divisor(x, eps, still)
    if out is not None:
        samples.image(x, divisor, power, gamma, None, out)
    return (np.ldexp(divisor.hi, power),)


def softmax(group: Group, block: Array, out: Array | None, temperature: float) -> tuple[Array]:
    """``exp(x / temperature) / sum(exp(x / temperature))`` to ``out``; returns the log of the sum.

    -inf is a masked value, of probability 0; a sample without any other value gives NaN.
    """
    x, low = widened(block)
    top = group.reduce(np.maximum, block)
    largest = DoubleDouble.of(group.reduce(np.fmax, quiet(block)) if np.isnan(top).any() else top)
    if np.isposinf(largest.hi).any():
        raise InfinityFound
    t = x - group.spread(largest.hi)
    if low is not None:
        t += low - group.spread(largest.lo)
    overflowed = np.isinf(t) & np.isfinite(x)
    t /= temperature
    if overflowed.any():  # by halves it stays finite
        t[overflowed] = ((x / 2 - group.spread(largest.hi / 2)) / temperature * 2)[overflowed]
    missing = np.isnan(x)
    t[missing] = -np.inf
    e = np.exp(t, out=t)
    leading, trailing = exact_sum(group, e, group.size)
    total = leading + trailing
    if out is not None:
        out[...] = e / group.spread(total)
        out[missing] = np.nan
    return (np.where(np.isneginf(largest.hi), -np.inf, largest.hi / temperature + np.log(total)),)
