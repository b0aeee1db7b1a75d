"""F0, float policy: output dtypes, arithmetic wider than float64, and scaling by powers of two.

Everything here is elementwise, so it serves arrays of any shape. An unevaluated sum of two float64, ``hi + lo`` with
``|lo| <= ulp(hi) / 2``, carries about 106 bits; `DoubleDouble` gives it the usual operators so that a formula reads
like a formula. The error-free transformations are exact as long as nothing overflows, which is what scaling by
`exponent` is for.

References
----------
T. J. Dekker (1971), A floating-point technique for extending the available precision.
D. E. Knuth (1997), The Art of Computer Programming 2, section 4.2.2, theorem B (two_sum).
M. Joldes, J.-M. Muller, V. Popescu (2017), Tight and rigorous error bounds for basic building blocks of double-word
arithmetic, algorithms 6, 10 and 17.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

SPLITTER = 134217729.0  # 2**27 + 1: cuts 53 bits into two halves of 26 (Veltkamp)
SAFE_EXPONENT = 400  # squares, products with a count and quotients of values below 2**400 stay finite
EXTREME_EXPONENT = 900  # 5e-324 * 2**900 is normal, 2**900 can be split, and 2**1024 / 2**900 can be squared
EXACT_INTEGER = 2**53  # every integer up to here is a float64


def output_dtype(given: np.dtype[Any], override: Any = None) -> np.dtype[Any]:
    """Dtype of the result for input of dtype ``given``: floats as they came, integers of 16 bits in float32."""
    if override is not None:
        known: np.dtype[Any] = np.dtype(override)
        return known
    narrow = {2: np.float16, 4: np.float32} if given.kind == "f" else {1: np.float32, 2: np.float32}
    return np.dtype(narrow.get(given.itemsize, np.float64))


def dtype_with_nan(values: Array) -> np.dtype[Any]:
    """A float dtype for integers of which some are missing; wider than float64 where they are, if NumPy has one."""
    return np.dtype(np.longdouble) if beyond_float64(values) else output_dtype(values.dtype)


def beyond_float64(values: Array) -> bool:
    """Whether integers are so large that float64 would round them."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return False
    return bool(values.max() > EXACT_INTEGER or values.min() < -EXACT_INTEGER)


def exponent(magnitude: Array) -> Array:
    """Power of two by which values up to ``magnitude`` are divided: 0 unless they are huge or tiny."""
    if np.all((magnitude > 2.0**-SAFE_EXPONENT) & (magnitude < 2.0**SAFE_EXPONENT)):
        return np.zeros(np.shape(magnitude), dtype=np.intc)  # nearly always
    power = np.frexp(magnitude)[1]
    harmless = (np.abs(power) <= SAFE_EXPONENT) | ~np.isfinite(magnitude)
    result: Array = np.where(harmless, 0, np.clip(power, -EXTREME_EXPONENT, EXTREME_EXPONENT))
    return result


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """``a + b`` rounded, and its rounding error."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def quick_two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """`two_sum` where ``|a| >= |b|``."""
    total = a + b
    return total, b - (total - a)


def split(a: Array) -> tuple[Array, Array]:
    """Two halves of at most 26 bits with ``high + low == a``."""
    c = a * SPLITTER
    high = c - (c - a)
    return high, a - high


def two_product(a: Array, b: Array) -> tuple[Array, Array]:
    """``a * b`` rounded, and its rounding error."""
    product = a * b
    (ah, al), (bh, bl) = split(a), split(b)
    return product, ((ah * bh - product) + ah * bl + al * bh) + al * bl


@dataclass(frozen=True, slots=True, eq=False)
class DoubleDouble:
    """The number ``hi + lo``, normalised: ``hi`` is the float64 nearest to it."""

    hi: Array
    lo: Array

    @classmethod
    def of(cls, value: Any) -> DoubleDouble:
        """The exact value of floats or integers of any width."""
        if isinstance(value, DoubleDouble):
            return value
        value = np.asarray(value)
        if value.dtype.itemsize > 8:
            hi = value.astype(np.float64)
            return cls(hi, np.where(np.isfinite(hi), value - hi, 0).astype(np.float64))
        if value.dtype.kind in "iu" and value.dtype.itemsize == 8:
            # eleven low bits apart: both parts are exact in float64, also for uint64
            low = value & value.dtype.type(2047)
            return cls(*quick_two_sum((value - low).astype(np.float64), low.astype(np.float64)))
        hi = value.astype(np.float64)
        return cls(hi, np.zeros_like(hi))

    def __add__(self, other: Any) -> DoubleDouble:
        other = DoubleDouble.of(other)
        s, e = two_sum(self.hi, other.hi)
        t, f = two_sum(self.lo, other.lo)
        s, e = quick_two_sum(s, e + t)
        return DoubleDouble(*quick_two_sum(s, e + f))

    def __neg__(self) -> DoubleDouble:
        return DoubleDouble(-self.hi, -self.lo)

    def __sub__(self, other: Any) -> DoubleDouble:
        return self + (-DoubleDouble.of(other))

    def __mul__(self, other: Any) -> DoubleDouble:
        other = DoubleDouble.of(other)
        p, e = two_product(self.hi, other.hi)
        return DoubleDouble(*quick_two_sum(p, e + (self.hi * other.lo + self.lo * other.hi)))

    def __truediv__(self, other: Any) -> DoubleDouble:
        other = DoubleDouble.of(other)
        quotient = self.hi / other.hi
        remainder = self - other * quotient
        return DoubleDouble(*quick_two_sum(quotient, remainder.hi / other.hi))

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, DoubleDouble):
            return NotImplemented
        return (self.hi == other.hi) & (self.lo == other.lo)

    def __lt__(self, other: DoubleDouble) -> Any:
        return (self.hi < other.hi) | ((self.hi == other.hi) & (self.lo < other.lo))

    def __getitem__(self, index: Any) -> DoubleDouble:
        return DoubleDouble(self.hi[index], self.lo[index])

    def sqrt(self) -> DoubleDouble:
        """Square root; zero gives zero."""
        root = np.sqrt(self.hi)
        remainder = self - DoubleDouble(*two_product(root, root))
        correction = np.divide(remainder.hi, 2 * root, out=np.zeros_like(root), where=root > 0)
        return DoubleDouble(*quick_two_sum(root, correction))

    def shifted(self, power: Array) -> DoubleDouble:
        """Multiplied by ``2**power``."""
        return DoubleDouble(np.ldexp(self.hi, power), np.ldexp(self.lo, power))

    def sum(self) -> DoubleDouble:
        """Sum over the first axis, by halves."""
        total = self
        while len(total.hi) > 1:
            half = len(total.hi) // 2
            rest = total[2 * half :]
            total = total[:half] + total[half : 2 * half]
            if len(rest.hi):
                total = stacked([total, rest])
        return total[0]

    def rounded(self) -> Array:
        """Nearest float64."""
        return self.hi + self.lo


def stacked(parts: list[DoubleDouble]) -> DoubleDouble:
    """Concatenate along the first axis."""
    return DoubleDouble(np.concatenate([p.hi for p in parts]), np.concatenate([p.lo for p in parts]))


def where(condition: Array, yes: DoubleDouble, no: DoubleDouble) -> DoubleDouble:
    """`numpy.where` for double-doubles."""
    return DoubleDouble(np.where(condition, yes.hi, no.hi), np.where(condition, yes.lo, no.lo))


def to_integers(value: DoubleDouble, dtype: np.dtype[Any]) -> Array:
    """Rounded half to even and clipped to an integer (or bool) type; exact beyond 2**53 too."""
    if dtype.kind == "b":
        result: Array = np.rint(value.rounded()) >= 1
        return result
    limits = np.iinfo(dtype)
    wide = np.abs(value.hi) >= EXACT_INTEGER
    # float64(2**63 - 1) is 2**63: stepping inwards keeps the cast inside the type, and is exact
    step = np.where(wide, np.copysign(2048.0, value.hi), 0.0)
    nearest = np.where(wide, value.hi - step, np.rint(value.rounded()))
    rest = np.where(wide, step + np.rint(value.lo), 0.0)
    low, high = value < DoubleDouble.of(limits.min), DoubleDouble.of(limits.max) < value
    inside = np.where(low | high, 0, nearest).astype(dtype) + rest.astype(np.int64).astype(dtype)
    result = np.where(low, dtype.type(limits.min), np.where(high, dtype.type(limits.max), inside))
    return result
