"""Hypothesis strategies for arrays that break plain scaling code: any size, offset, mixture or layout."""

from math import prod

import numpy as np
from hypothesis import strategies as st

from .exact import ulp

FLOATS = ["float16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
DTYPES = [*FLOATS, "bool", *INTEGERS]
FEW_DTYPES = [*FLOATS, "uint8", "int64"]  # for laws that no single integer type can break alone
LAYOUTS = ["C", "F", "reversed", "stepped", "broadcast"]


@st.composite
def float_groups(draw, dtype, size):
    """`size` floats for one statistic, of one of the kinds that a scaling formula can get wrong."""
    info = np.finfo(dtype)
    largest = float(info.max)
    numbers = st.floats(width=info.bits, allow_nan=False, allow_infinity=False)
    exponents = st.integers(int(info.minexp) - info.nmant, int(info.maxexp) - 1)
    fractions = st.floats(-1.5, 1.5, width=info.bits, allow_subnormal=False)

    def several(values):
        return draw(st.lists(values, min_size=size, max_size=size))

    kind = draw(st.sampled_from(["anything", "extremes", "many binades", "one binade", "from zero", "offset"]))
    if kind == "anything":
        return several(numbers)
    if kind == "extremes":
        ends = [largest, largest / 3, float(info.tiny), float(info.smallest_subnormal)]
        return several(st.sampled_from([0.0, *ends, *(-end for end in ends)]))
    if kind == "offset":
        offset = draw(numbers | st.sampled_from([1.0, 1e4, 1e12, 1e15, -1e300, 1e-7, -1e-90, 1e-300]))
        offset = min(max(offset, -largest), largest)
        step = float(ulp(offset, dtype)) if draw(st.booleans()) else draw(st.just(1.0) | numbers)
        return [min(max(offset + step * k, -largest), largest) for k in several(st.integers(-9, 9))]
    powers = several(exponents) if kind == "many binades" else [draw(exponents)] * size
    values = [float(np.ldexp(f, power)) for f, power in zip(several(fractions), powers, strict=True)]
    return [0.0, *map(abs, values[1:])] if kind == "from zero" else values


def integer_groups(dtype, size):
    """`size` integers that meet in one statistic: anything, or close together, most of all far from 0."""
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    numbers = st.integers(low, high)

    def near(offset):
        ends = st.integers(max(low, offset - 9), min(high, offset + 9))
        return st.lists(ends, min_size=size, max_size=size)

    far = st.integers(high // 2, high) | st.integers(low, low // 2)
    return st.lists(numbers, min_size=size, max_size=size) | numbers.flatmap(near) | far.flatmap(near)


@st.composite
def groups(draw, dtype, size):
    """`size` values of `dtype` that meet in one statistic; now and then all are equal, or some are NaN."""
    if dtype == "bool":
        values = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size)))
    elif np.dtype(dtype).kind in "iu":
        values = np.array(draw(integer_groups(dtype, size)), dtype)
    else:
        values = np.array(draw(float_groups(dtype, size)), dtype)
        if draw(st.integers(0, 3)) == 0:
            values[draw(st.lists(st.integers(0, size - 1), max_size=size))] = np.nan
    if draw(st.integers(0, 9)) == 0:
        values[:] = values[0]
    return values


def laid_out(X, layout):
    """The values of X (for "broadcast", of its first entry) in another memory layout."""
    if layout == "F":
        return np.asfortranarray(X)
    if layout == "reversed":
        return X[::-1, ..., ::-1].copy()[::-1, ..., ::-1]
    if layout == "stepped":
        room = np.ones((2 * X.shape[0], *X.shape[1:-1], 3 * X.shape[-1]), X.dtype)
        room[1::2, ..., ::3] = X
        return room[1::2, ..., ::3]
    if layout == "broadcast":
        return np.broadcast_to(X[:1], X.shape)
    return np.ascontiguousarray(X)


@st.composite
def in_two_units(draw, arrays):
    """An array, and the same in a unit that is a power of two smaller: exactly, since what does not fit is rounded."""
    X = np.ascontiguousarray(draw(arrays))
    power = draw(st.integers(-12, 12) | st.integers(-900, 900))
    with np.errstate(over="ignore", under="ignore"):
        scaled = np.ldexp(X, power)
        X = np.ldexp(scaled, -power)
    scaled[np.isinf(X)] = X[np.isinf(X)] = 0
    return X, scaled


@st.composite
def features(draw, dtype):
    """An array whose features are groups: (n, d), or N-D with the samples spread over the leading axes."""
    largest = draw(st.sampled_from([(9,), (3, 4), (2, 2, 3)]))
    shape = [draw(st.integers(1, size)) for size in largest]
    columns = [draw(groups(dtype, prod(shape))) for _ in range(draw(st.integers(1, 2)))]
    X = np.array(columns).T.reshape(*shape, len(columns))
    return laid_out(X, draw(st.sampled_from(LAYOUTS)))


@st.composite
def samples(draw, dtype):
    """An array whose samples (last-axis vectors) are groups: (n, d) or N-D."""
    shape = draw(st.sampled_from([(1,), (3,), (2, 2), (1, 2, 1)]))
    size = draw(st.integers(1, 9))
    X = np.array([draw(groups(dtype, size)) for _ in range(prod(shape))]).reshape(*shape, size)
    return laid_out(X, draw(st.sampled_from(LAYOUTS)))


def one_way(size, places):
    """1 and -1, and pairs so small that a plain sum of squares rounds each up: by halves, or eight sums at a time.

    Every other value is 0, and so is the mean.
    """
    x = np.zeros(size)
    x[:2] = 1, -1
    at = [size >> j for j in range(1, size.bit_length() - 1)] if places == "halves" else np.arange(8, 128, 8)
    x[at] = np.sqrt(0.5005 * 2.0**-52)
    x[np.add(at, 1)] = -x[at]
    return x
