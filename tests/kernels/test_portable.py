"""The kernels of columns against exact arithmetic, for columns, rows and segments alike."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sknorm._kernels import Columns, Rows, Segments, column_extrema, column_sums
from sknorm._kernels._portable import exact_sum, extent, scaled, widened
from sknorm._precision import exponent
from sknorm._validation import InfinityFound

from .. import awkward
from ..exact import exact_array, moments, present


def grouped(kind, columns):
    """The values of some groups as a block, and the group that takes it apart."""
    if kind == "columns":
        block = np.ascontiguousarray(np.array(columns).T)
        return Columns(block), block
    if kind == "fortran columns":
        block = np.array(columns).T
        return Columns(block), block
    if kind == "rows":
        block = np.array(columns)
        return Rows(block), block
    return Segments(np.cumsum([0, *map(len, columns)])), np.concatenate(columns)


KINDS = ["columns", "fortran columns", "rows", "segments"]


@st.composite
def blocks(draw, dtypes, weighted=False):
    """Values of one dtype in groups; weights belong to rows, or to stored values."""
    dtype, kind = draw(st.sampled_from(dtypes)), draw(st.sampled_from(KINDS))
    kind = "columns" if weighted and kind == "rows" else kind
    size, n_groups = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    sizes = [draw(st.integers(1, 12)) if kind == "segments" else size for _ in range(n_groups)]
    columns = [draw(awkward.groups(dtype, n)) for n in sizes]
    group, block = grouped(kind, columns)
    weights = None
    if weighted:
        n = len(block)
        some = st.floats(0.01, 100) | st.integers(1, 9).map(float) | st.just(1e-9)
        weights = np.array(draw(st.lists(some, min_size=n, max_size=n)))
    return SimpleNamespace(group=group, block=block, columns=columns, kind=kind, weights=weights)


def weights_of(case, i):
    if case.weights is None:
        return [1] * len(case.columns[i])
    first = sum(map(len, case.columns[:i])) if case.kind == "segments" else 0
    return case.weights[first : first + len(case.columns[i])].tolist()


def pair(parts, i):
    """The exact value of one unevaluated sum of an array of them."""
    return sum(Fraction(part[i].item()) for part in parts)


# Extent


@given(blocks(awkward.DTYPES))
def test_the_extent_is_that_of_the_values_present(case):
    with np.errstate(all="ignore"):
        found = extent(case.group, case.group.view(case.block))
    assert found.minimum.dtype == found.maximum.dtype == case.block.dtype
    for i, column in enumerate(case.columns):
        values = present(exact_array(column))
        if not values:
            assert np.isnan(found.minimum[i])
            assert np.isnan(found.maximum[i])
            continue
        assert Fraction(found.minimum[i].item()) == min(values)
        assert Fraction(found.maximum[i].item()) == max(values)
        assert found.magnitude[i] == float(max(abs(min(values)), abs(max(values))))
    assert (found.missing is not None) == any(np.isnan(column).any() for column in case.columns)
    if found.missing is not None:
        np.testing.assert_array_equal(found.missing, np.isnan(case.group.view(case.block)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("infinities", [[np.inf], [-np.inf], [np.inf, -np.inf]])
@pytest.mark.parametrize("missing", [[], [np.nan]])
def test_an_infinity_is_found_in_any_company(kind, infinities, missing):
    group, block = grouped(kind, [np.array([1.0, *infinities, *missing])])
    with np.errstate(all="ignore"), pytest.raises(InfinityFound):
        extent(group, group.view(block))


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="longdouble is float64 here")
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_longdouble_beyond_float64_is_an_infinity(sign):
    x = np.array([[1, sign * np.finfo(np.longdouble).max]])
    with np.errstate(all="ignore"), pytest.raises(InfinityFound):
        extent(Rows(x), x)


def test_a_range_that_overflows_is_no_infinity():
    x = np.array([[1.5e308, -1.5e308]])
    with np.errstate(all="ignore"):
        assert extent(Rows(x), x).maximum == 1.5e308


# Exact float64 values


@given(blocks(awkward.DTYPES))
def test_a_widened_block_has_the_same_values(case):
    hi, lo = widened(case.block)
    assert hi.dtype == np.float64
    got = np.array([Fraction(v) if v == v else None for v in hi.flat], object)
    if lo is not None:
        got = [v + Fraction(rest) for v, rest in zip(got, lo.flat, strict=True)]
    assert list(got) == exact_array(case.block).ravel().tolist()


def test_only_what_float64_cannot_hold_has_a_second_part():
    assert widened(np.array([2**53]))[1] is None
    assert widened(np.array([2**53 + 1]))[1] is not None
    assert widened(np.array([1.5], np.longdouble))[1] is not None
    x = np.array([1.5])
    assert widened(x)[0] is x


def test_scaling_is_exact_and_copies_only_what_is_huge_or_tiny():
    x = np.array([[1.0, 2.0], [3e300, -5e300]])
    y = scaled(Rows(x), x, np.array([0, 900]))
    np.testing.assert_array_equal(y, x * np.array([[1], [2.0**-900]]))
    assert scaled(Rows(x), x, np.array([0, 0])) is x


# Sums


def test_missing_values_count_as_zero_in_a_sum():
    x = np.array([[1.0, np.nan], [np.nan, 2.0]])
    leading, trailing = exact_sum(Rows(x), x, np.array([1.0, 2.0]), np.isnan(x))
    np.testing.assert_array_equal(leading + trailing, [1, 2])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("same_sign", [False, True])
def test_a_sum_keeps_about_100_bits(kind, same_sign):
    rng = np.random.default_rng(0)
    n = 64
    for power in (-300, 0, 300):
        columns = [np.ldexp(rng.normal(size=n), rng.integers(-90, 1, n) + power) for _ in range(8)]
        columns = [np.abs(c) if same_sign else c for c in columns]
        group, x = grouped(kind, columns)
        bound = np.array([np.abs(c).sum() for c in columns])
        total = exact_sum(group, group.view(x), bound)
        for i, column in enumerate(columns):
            want = sum(map(Fraction, column))
            # n rests below 2**-51 of the bound are added with as many roundings
            assert abs(pair(total, i) - want) <= Fraction(bound[i]) * n**2 * Fraction(2) ** -103


def test_a_sum_near_its_bound_is_exact_in_its_leading_part():
    """The largest sum that the bound admits, of values of the finest grid: none of it may be rounded away."""
    for sign in (-1, 1):
        x = sign * np.array([[1.0, 2.0**-51, *[2.0**-52] * 6, 1 - 2.0**-10]])
        total = exact_sum(Rows(x), x, np.array([2.0]))
        assert pair(total, 0) == sum(map(Fraction, x.flat))


def test_the_sum_leaves_its_values_alone():
    x = np.array([[1.0, 1e-30]])
    kept = x.copy()
    exact_sum(Rows(x), x, np.array([2.0]))
    np.testing.assert_array_equal(x, kept)


# Kernels


def counted(column, weights):
    return sum(Fraction(w) for v, w in zip(exact_array(column), weights, strict=True) if v is not None)


@given(blocks(awkward.DTYPES) | blocks(awkward.FEW_DTYPES, weighted=True))
def test_counts_and_extrema_are_those_of_the_values_present(case):
    with np.errstate(all="ignore"):
        found = column_extrema(case.group, case.block, case.weights)
    count, minimum, maximum = found.count, found.minimum, found.maximum
    for i, column in enumerate(case.columns):
        assert count[i] == float(counted(column, weights_of(case, i)))
        values = present(exact_array(column))
        assert not values or Fraction(minimum[i].item()) == min(values)
        assert not values or Fraction(maximum[i].item()) == max(values)


@given(blocks(awkward.DTYPES) | blocks(awkward.FEW_DTYPES, weighted=True))
def test_sums_are_those_of_exact_arithmetic(case):
    assert_sums_are_exact(case)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.longdouble])
def test_sums_of_values_wider_than_float64_are_exact_too(dtype, weighted):
    rng = np.random.default_rng(0)
    if dtype == np.longdouble:
        block = rng.normal(size=(48, 3)).astype(dtype) + rng.normal(size=(48, 3)) * dtype(2) ** -55
    else:
        limits = np.iinfo(dtype)
        whole = rng.integers(limits.min, limits.max, (48, 3), dtype)
        block = np.where([True, False, False], whole, limits.max - whole // dtype(2**40) * np.array([0, 1, 0], dtype))
        block[::2, 2] -= dtype(2**54 + 1)
    weights = rng.uniform(0.1, 2, 48) if weighted else None
    columns = list(block.T)
    assert_sums_are_exact(SimpleNamespace(group=Columns(block), block=block, columns=columns, kind="", weights=weights))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.longdouble])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_sums_of_many_values_are_exact_whatever_is_missing(dtype, kind, weighted, missing):
    rng = np.random.default_rng(0)
    x = (rng.normal(5, 2, (3, 48)) + rng.normal(size=(3, 48)) * dtype(2) ** -55).astype(dtype)
    x[:, :: 7 if missing else 48] = np.nan if missing else 3
    kind = "columns" if weighted and kind == "rows" else kind
    group, block = grouped(kind, list(x))
    weights = rng.uniform(0.1, 2, len(block)) if weighted else None
    case = SimpleNamespace(group=group, block=block, columns=list(x), kind=kind, weights=weights)
    assert_sums_are_exact(case)
    with np.errstate(all="ignore"):
        counts = column_extrema(group, block, weights).count
        assert (extent(group, group.view(block)).missing is not None) == missing
    np.testing.assert_array_equal(counts, [float(counted_exactly(case, i)) for i in range(3)])


def counted_exactly(case, i):
    return sum(Fraction(w) for v, w in zip(case.columns[i], weights_of(case, i), strict=True) if v == v)


def assert_sums_are_exact(case):
    kept = case.block.copy()
    with np.errstate(all="ignore"):
        found = column_sums(case.group, case.block, case.weights)
        unit = exponent(np.fmax(*(np.abs(end.astype(float)) for end in (found.minimum, found.maximum))))
    np.testing.assert_array_equal(case.block, kept)
    for i, column in enumerate(case.columns):
        weights = weights_of(case, i)
        values = exact_values(column)
        total = sum(Fraction(w) for v, w in zip(values, weights, strict=True) if v is not None)
        assert found.count[i] == float(total)
        if not present(values):
            continue
        mean, variance = moments(values, weights)
        values = present(values)
        scale = Fraction(2) ** int(unit[i])
        origin = min(values) if found.from_minimum else 0
        span, size = (max(values) - min(values)) / scale, max(map(abs, values)) / scale
        bound = total * (span if found.from_minimum else size)
        center = pair(found.center, i)
        above = center if found.from_minimum else 0  # what the total is measured from
        assert abs(pair(found.total, i) - ((mean - origin) / scale - above) * total) <= bound / 2**90
        assert abs(center - (mean - origin) / scale) <= (span if found.from_minimum else size) / 2**50
        about_center = (variance + (mean - origin - center * scale) ** 2) / scale**2 * total
        assert abs(Fraction(found.m2[i].item()) - about_center) <= about_center / 2**49


@pytest.mark.parametrize("kind", ["columns", "segments"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size, offset", [(1e-3, 0), (1e6, 0), (1e6, 1e9), (1.0, -2.0)])
def test_sums_of_many_values_are_exact_whatever_their_size(kind, weighted, size, offset):
    rng = np.random.default_rng(7)
    columns = list(rng.normal(offset, size, (2, 5000)))
    group, block = grouped(kind, columns)
    weights = rng.uniform(0, 1, len(block)) if weighted else None
    assert_sums_are_exact(SimpleNamespace(group=group, block=block, columns=columns, kind=kind, weights=weights))


@pytest.mark.parametrize("power", [-30, 0, 30])
@pytest.mark.parametrize("weighted", [False, True])
def test_rounding_errors_of_squares_that_all_go_one_way_do_not_add_up(weighted, power):
    small = np.sqrt(1.1 * 2.0**-53) / (1 if weighted else np.sqrt(8))  # eight squares are added before
    column = np.ldexp(np.resize([small, -small], 4096), power)
    column[[0, -1]] = np.ldexp([1, -1], power)
    block = np.repeat(column[:, None], 4, axis=1)[:, ::2]  # NumPy adds such columns up row by row
    weights = np.ones(4096) if weighted else None
    columns = [column, column]
    assert_sums_are_exact(SimpleNamespace(group=Columns(block), block=block, columns=columns, kind="", weights=weights))


def exact_values(column):
    """Fractions, also of values that no Python float holds."""
    if column.dtype == np.longdouble:
        return [Fraction(*v.as_integer_ratio()) if v == v else None for v in column]
    return exact_array(column)


@pytest.mark.parametrize("power", [-900, -500, 500, 900])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_unit_of_huge_and_tiny_values_changes_no_bit(power, weighted, kind):
    x = np.random.default_rng(0).uniform(-1, 1, (3, 96))
    x[:, 5] = 0.75  # so that the largest is between 1/2 and 1
    x[:, ::7] = np.nan
    group, block = grouped(kind, list(x))
    weights = np.random.default_rng(1).uniform(0.1, 2, len(block)) if weighted else None
    with np.errstate(all="ignore"):
        want, got = (column_sums.portable(group, x, weights) for x in (block, np.ldexp(block, power)))
    np.testing.assert_array_equal(got.minimum, np.ldexp(want.minimum, power))
    for name in ("count", "total", "center", "m2"):
        np.testing.assert_array_equal(getattr(got, name), getattr(want, name))


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
@pytest.mark.parametrize("weighted", [False, True])
def test_an_offset_costs_the_squared_deviations_nothing(dtype, weighted):
    offset = 2**40 if dtype == np.float64 else 2**62
    x = (offset + np.random.default_rng(0).integers(0, 3, (96, 2))).astype(dtype)
    weights = np.random.default_rng(1).uniform(0.1, 2, 96) if weighted else None
    found = column_sums(Columns(x), x, weights)
    total = 96 if weights is None else sum(map(Fraction, weights))
    for i in range(2):
        mean, variance = moments(exact_array(x[:, i]), [1] * 96 if weights is None else weights)
        center = pair(found.center, i) + (int(x[:, i].min()) if found.from_minimum else 0)
        about_center = (variance + (mean - center) ** 2) * total
        assert abs(Fraction(found.m2[i].item()) - about_center) <= about_center / 2**49
