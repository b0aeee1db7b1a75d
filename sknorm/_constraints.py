"""F4, the constraints that normalised data satisfy: a table for features, a table for samples, and their bounds.

Each row is a name and a condition on what one pass over the data saw. A condition is an equation that holds "within
rounding", and `slack` says what rounding may do to a sum of ``count`` values whose magnitudes sum to 1:

    slack = 4 * eps + sqrt(count) * min(eps, 2**-23) + offset        eps = 2**-52, 2**-23, 2**-10
    offset = eps**(2/3) where a mean was subtracted, else 0

- ``4 * eps``: each value within 4 units in its last place, as the five classes promise.
- ``sqrt(count) * eps``: whoever added ``count`` values did so in their precision, or in float32 if they are narrower.
- ``eps**(2/3)``: the subtraction may have lost a third of the digits, to an offset that is no longer to be seen: one
  of 2e5 standard deviations in float64, of 200 in float32, of 10 in float16.

An end of a range is no sum. A minimum that was subtracted from itself is 0 exactly; the other ends are within

    reach = (high - low) * (2 * eps + min(eps, 2**-23)**(5/6))

which is what MinMaxScaler, that multiplies and then adds, loses to an offset: one of 400 ranges in float64, of 16 in
float32 and of 2 in float16 at worst, and commonly of tenfold. It takes some 1 / reach random numbers to come as close
to both ends: 5e5 in float32, but 500 in float16. A magnitude that was divided by itself is 1 exactly.

Of a hundred values, the mean may be off by 4e-11 in float64, 3e-5 in float32 and 1e-2 in float16. A squared
quantity has twice the slack. eps is that of the dtype, or of float32 where float32 holds all values of the feature or
sample, since so much was computed in float32 and widened.

References
----------
N. J. Higham, T. Mary (2019), A new approach to probabilistic rounding error analysis, theorem 2.4 (sqrt(n) * eps).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from ._precision import Array

SINGLE = float(np.finfo(np.float32).eps)
SMALLEST_SCALE = 0.01  # deviation of a sample that the default eps of the classes leaves near 1
LAYER_EPS, RMS_EPS = 1e-5, 1e-6
MOST_CODES = 20  # whole numbers from 0 or 1 to this may stand for categories

T = TypeVar("T")


@dataclass(frozen=True)
class Features:
    """What is known of each feature; ``pixels`` and ``shares`` of all together."""

    count: Array
    constant: Array  # whether all values are the same, which float64 ends of wide integers do not tell
    minimum: Array
    maximum: Array
    mean: Array
    std: Array
    whole: Array  # whether all values are whole numbers
    eps: Array
    pixels: bool  # as cameras count them
    shares: bool  # the same, divided by what the type holds

    @property
    def spread(self) -> Array:
        """Features with at least two values that differ by more than rounding."""
        return (self.count > 0) & ~self.constant & ~_nearly_constant(self)


@dataclass(frozen=True)
class Samples:
    """What is known of each sample of a block: sums of its values that are not missing, and their number."""

    count: Array
    total: Array
    magnitudes: Array
    squares: Array
    negative: Array  # whether a value is
    eps: Array
    tiny: float  # smallest number above 0 of the dtype

    @property
    def mean(self) -> Array:
        result: Array = self.total / self.count
        return result

    @property
    def mean_square(self) -> Array:
        result: Array = self.squares / self.count
        return result


@dataclass(frozen=True)
class Constraint(Generic[T]):
    """A condition by name: of features or samples, which of them satisfy it.

    ``admits`` is for samples, and wider: a verdict takes that half of them satisfy it, and that it admits all.
    """

    name: str
    holds: Callable[[T], Array]
    admits: Callable[[T], Array] | None = None


def slack(eps: Any, count: Any, *, centred: bool) -> Any:
    """What rounding may do to a sum, as the module describes."""
    return 4 * eps + np.sqrt(count) * np.minimum(eps, SINGLE) + (eps ** (2 / 3) if centred else 0.0)


def reach(eps: Any, width: float) -> Any:
    """How far from the end of a range rounding may leave a value, as the module describes."""
    return width * (2 * eps + np.minimum(eps, SINGLE) ** (5 / 6))


def _nearly_constant(f: Features) -> Array:
    """All but a third of the digits are common to all values."""
    ends = np.abs([f.minimum, f.maximum])
    close = np.min(ends, axis=0) >= np.max(ends, axis=0) * (1 - f.eps ** (2 / 3))
    result: Array = close & ((f.minimum > 0) | (f.maximum < 0)) & ~f.constant
    return result


def _standard(ddof: int) -> Callable[[Features], Array]:
    def holds(f: Features) -> Array:
        near = slack(f.eps, f.count, centred=True)
        variance = f.std**2 * f.count / np.where(f.count > ddof, f.count - ddof, np.nan)
        result: Array = (np.abs(f.mean) <= near) & (np.abs(variance - 1) <= 2 * near)
        return f.spread & result

    return holds


def _variance(f: Features) -> Array:
    """Of ddof 0 or 1, and any mean, which was not subtracted."""
    near = 2 * slack(f.eps, f.count, centred=False) + reach(f.eps, 2)
    variances = [f.std**2 * f.count / np.where(f.count > ddof, f.count - ddof, np.nan) for ddof in (0, 1)]
    result: Array = f.spread & (np.abs(np.subtract(variances, 1)) <= near).any(axis=0)
    return result


def _magnitude(f: Features) -> Array:
    """The largest is 1 in all features, indicators among them: in one feature that may be by chance."""
    result: Array = f.spread & (np.fmax(-f.minimum, f.maximum) == 1)
    return result & bool((result | ~f.spread).all())


def _range(low: float, high: float) -> Callable[[Features], Array]:
    """Both ends are reached."""

    def holds(f: Features) -> Array:
        near = reach(f.eps, high - low)
        result: Array = (np.abs(f.minimum - low) <= (near if low else 0)) & (np.abs(f.maximum - high) <= near)
        return f.spread & result

    return holds


def within(f: Features, low: float, high: float) -> Array:
    """Features of whole numbers from ``low`` to ``high``, not all the same."""
    return f.spread & f.whole & (f.minimum >= low) & (f.maximum <= high)


EMPTY, CONSTANT, NEARLY_CONSTANT, NOT_NUMERIC = "no finite value", "constant", "nearly constant", "not numeric"
BINARY, STANDARD, STANDARD_1 = "only 0 and 1", "mean 0, variance 1", "mean 0, variance 1, ddof=1"
VARIANCE, MAGNITUDE = "variance 1", "largest magnitude 1"
UNIT, SYMMETRIC, CODES = "from 0 to 1", "from -1 to 1", "few whole numbers"
PIXELS, SHARES = "pixels, 0 to 255", "pixels, 0 to 1"
NONE = "not normalised"

# The verdict of a feature is the first that holds.
FEATURES: tuple[Constraint[Features], ...] = (
    Constraint(EMPTY, lambda f: f.count == 0),
    Constraint(CONSTANT, lambda f: f.constant),
    Constraint(NEARLY_CONSTANT, _nearly_constant),
    Constraint(BINARY, lambda f: within(f, 0, 1)),
    Constraint(STANDARD, _standard(0)),
    Constraint(STANDARD_1, _standard(1)),
    Constraint(SHARES, lambda f: f.spread & f.shares),
    Constraint(UNIT, _range(0, 1)),
    Constraint(SYMMETRIC, _range(-1, 1)),
    Constraint(PIXELS, lambda f: within(f, 0, 255) & f.pixels),
    Constraint(CODES, lambda f: within(f, 0, MOST_CODES) & (f.minimum <= 1)),
    Constraint(VARIANCE, _variance),
    Constraint(MAGNITUDE, _magnitude),
)

VERDICTS = (*(constraint.name for constraint in FEATURES), NONE, NOT_NUMERIC)


def _is_one(s: Samples, total: Array) -> Array:
    near = slack(s.eps, s.count, centred=False) + s.count * s.tiny  # what is below tiny became 0 or tiny
    result: Array = np.abs(total - 1) <= near
    return result


def _unit_square(quantity: str, *, centred: bool, least: float = 1.0) -> Callable[[Samples], Array]:
    """Whether a quantity of squares is 1, or from ``least`` on, and the mean 0 if ``centred``."""

    def holds(s: Samples) -> Array:
        near = slack(s.eps, s.count, centred=centred)
        value = getattr(s, quantity)
        square: Array = (value >= least - 2 * near) & (value <= 1 + 2 * near)
        return square & (np.abs(s.mean) <= near) if centred else square

    return holds


def _less_eps(name: str, eps: float, *, centred: bool) -> Constraint[Samples]:
    """A mean square of ``var / (var + eps)``, most of which are near 1."""
    least = SMALLEST_SCALE**2 / (SMALLEST_SCALE**2 + eps)
    near = _unit_square("mean_square", centred=centred, least=least)
    return Constraint(name, near, _unit_square("mean_square", centred=centred, least=0.0))


PROBABILITY, UNIT_LENGTH, UNIT_SUM = "sum 1, none negative", "unit length (L2)", "unit length (L1)"
LAYER, LAYER_BELOW = "mean 0, variance 1", "mean 0, variance 1 less an eps"
RMS, RMS_BELOW = "mean square 1", "mean square 1 less an eps"

# The verdict of the samples is the first that holds for all of them.
SAMPLES: tuple[Constraint[Samples], ...] = (
    Constraint(PROBABILITY, lambda s: ~s.negative & _is_one(s, s.total)),
    Constraint(LAYER, _unit_square("mean_square", centred=True)),
    _less_eps(LAYER_BELOW, LAYER_EPS, centred=True),
    Constraint(RMS, _unit_square("mean_square", centred=False)),
    _less_eps(RMS_BELOW, RMS_EPS, centred=False),
    Constraint(UNIT_LENGTH, _unit_square("squares", centred=False)),
    Constraint(UNIT_SUM, lambda s: _is_one(s, s.magnitudes)),
)
