"""The float policy against exact arithmetic: error-free transformations, double-doubles, scaling, dtypes, integers."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sknorm._precision import (
    DoubleDouble,
    beyond_float64,
    dtype_with_nan,
    exponent,
    output_dtype,
    quick_two_sum,
    split,
    stacked,
    to_integers,
    two_product,
    two_sum,
    where,
)

U = Fraction(1, 2**53)  # half the distance of 1 to the next float64
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def of_size(power):
    """0, or floats between ``2**-power`` and ``2**power``, of which some have few bits."""
    fractions = st.floats(0.5, 1.0, exclude_max=True) | st.integers(1, 2**12 - 1).map(lambda k: k / 2**12)
    signs = st.sampled_from([-1.0, 1.0])
    numbers = st.builds(lambda s, f, p: s * float(np.ldexp(f, p)), signs, fractions, st.integers(1 - power, power))
    return st.just(0.0) | numbers


def double_doubles(power=300):
    """Normalised pairs; the low part may be 0, or far below the high one."""
    lows = st.just(0.0) | st.floats(-1, 1)
    scales = st.sampled_from([2.0**-53, 2.0**-70])
    return st.builds(lambda hi, lo, s: dd(*two_sum(np.float64(hi), hi * lo * s)), of_size(power), lows, scales)


def dd(hi, lo=0.0):
    return DoubleDouble(np.asarray(hi, np.float64), np.asarray(lo, np.float64))


def exact(value):
    """The exact value of a double-double, or of a NumPy scalar."""
    if isinstance(value, DoubleDouble):
        return exact(value.hi) + exact(value.lo)
    return Fraction(*np.asarray(value)[()].item().as_integer_ratio())


def assert_normalised(value):
    assert value.hi == value.hi + value.lo


def assert_close(got, want, bound):
    assert_normalised(got)
    assert abs(exact(got) - want) <= bound * abs(want)


# Error-free transformations


@given(of_size(1000), of_size(1000))
def test_two_sum_loses_nothing(a, b):
    total, error = two_sum(np.float64(a), np.float64(b))
    assert total == a + b
    assert exact(total) + exact(error) == exact(a) + exact(b)


@given(of_size(1000), of_size(1000))
def test_quick_two_sum_loses_nothing_where_the_larger_comes_first(a, b):
    a, b = sorted((np.float64(a), np.float64(b)), key=abs, reverse=True)
    total, error = quick_two_sum(a, b)
    assert total == a + b
    assert exact(total) + exact(error) == exact(a) + exact(b)


@given(of_size(900))
@example(2.0**53 - 1)
@example(1 + 2.0**-26)
@example(1 + 2.0**-52)
def test_a_float_is_the_sum_of_two_halves_of_26_bits(a):
    halves = split(np.float64(a))
    assert sum(map(exact, halves)) == exact(a)
    for half in halves:
        numerator = abs(exact(half).numerator)
        assert (numerator // (numerator & -numerator or 1)).bit_length() <= 26


@given(of_size(450), of_size(450))
@example(1 + 2.0**-52, 1 + 2.0**-52)
@example(2.0**53 - 1, 2.0**53 - 1)
def test_two_product_loses_nothing(a, b):
    product, error = two_product(np.float64(a), np.float64(b))
    assert product == a * b
    assert exact(product) + exact(error) == exact(a) * exact(b)


# Double-doubles; the bounds are those of Joldes, Muller and Popescu (theorems 3.1, 5.1 and 6.2), and for the root that
# of one Newton step


@given(double_doubles(), double_doubles())
@example(dd(1.0, 2.0**-54), dd(-1.0, 2.0**-60))
@example(dd(1.0, -(2.0**-55)), dd(-1.0 + 2.0**-53))
def test_sums_and_differences_keep_about_104_bits(x, y):
    assert_close(x + y, exact(x) + exact(y), 4 * U**2)
    assert_close(x - y, exact(x) - exact(y), 4 * U**2)
    assert exact(-x) == -exact(x)


@given(double_doubles(), double_doubles())
def test_products_keep_about_103_bits(x, y):
    assert_close(x * y, exact(x) * exact(y), 6 * U**2)


@given(double_doubles(), double_doubles().filter(lambda y: y.hi != 0))
def test_quotients_keep_about_102_bits(x, y):
    assert_close(x / y, exact(x) / exact(y), 16 * U**2)


@given(double_doubles())
def test_square_roots_keep_about_103_bits(x):
    x = x if x.hi >= 0 else -x
    root = x.sqrt()
    assert_normalised(root)
    assert abs(exact(root) ** 2 - exact(x)) <= 8 * U**2 * exact(x)


def test_the_root_of_a_mixture_with_zeros_needs_no_error_state():
    np.testing.assert_array_equal(DoubleDouble.of([0.0, 4.0, 0.0]).sqrt().hi, [0, 2, 0])


@given(double_doubles(), double_doubles())
@example(dd(1.0, 2.0**-60), dd(1.0, 2.0**-59))
def test_they_compare_as_numbers_do(x, y):
    assert (x < y) == (exact(x) < exact(y))
    assert (x == y) == (exact(x) == exact(y))
    assert not x < x
    assert x == x


@pytest.mark.parametrize("other", [3, 0.1, np.array([7.0, -0.3]), np.array([2**62 + 1, 5])])
def test_the_other_number_may_be_any_that_has_an_exact_double_double(other):
    x = DoubleDouble(np.array([1.0, 2.0]), np.array([2.0**-60, 0.0]))
    same = DoubleDouble.of(other)
    for got, want in [(x + other, x + same), (x - other, x - same), (x * other, x * same), (x / other, x / same)]:
        assert (got == want).all()


def test_a_double_double_is_no_key_and_equals_nothing_else():
    with pytest.raises(TypeError, match="unhashable"):
        hash(dd(1.0))
    assert (dd(1.0) == "1") is False


@given(st.lists(double_doubles(), min_size=1, max_size=9))
def test_a_sum_of_many_is_rounded_once_for_every_halving(values):
    total = stacked([DoubleDouble(v.hi.reshape(1), v.lo.reshape(1)) for v in values]).sum()
    halvings = len(values).bit_length() + 1  # and one for a rest
    bound = halvings * 4 * U**2 * sum(abs(exact(v)) for v in values)
    assert abs(exact(total) - sum(map(exact, values))) <= bound


@given(double_doubles(), st.integers(-300, 300))
def test_shifting_multiplies_by_a_power_of_two_exactly(x, power):
    assert exact(x.shifted(power)) == exact(x) * Fraction(2) ** power


@given(double_doubles())
def test_it_rounds_to_the_nearest_float(x):
    assert x.rounded() == float(exact(x))


def test_the_pieces_of_an_array_are_taken_and_put_together():
    x = DoubleDouble(np.arange(4.0), np.arange(4) * 2.0**-60)
    y = stacked([x[2:], x[:2]])
    np.testing.assert_array_equal(y.hi, [2, 3, 0, 1])
    np.testing.assert_array_equal(y.lo, np.array([2, 3, 0, 1]) * 2.0**-60)
    z = where(np.array([True, False, True, False]), x, y)
    np.testing.assert_array_equal(z.hi, [0, 3, 2, 1])
    np.testing.assert_array_equal(z.lo, np.array([0, 3, 2, 1]) * 2.0**-60)


EXTREMES = {
    **{dtype: [np.iinfo(dtype).min, np.iinfo(dtype).max, np.iinfo(dtype).max - 1, 1] for dtype in INTEGERS},
    **{dtype: [np.finfo(dtype).max, np.finfo(dtype).tiny, -1.5] for dtype in ("float16", "float32", "float64")},
    "bool": [False, True],
}


@pytest.mark.parametrize("dtype", EXTREMES)
def test_every_value_of_every_dtype_has_an_exact_double_double(dtype):
    values = np.array(EXTREMES[dtype], dtype)
    found = DoubleDouble.of(values)
    assert found.hi.dtype == found.lo.dtype == np.float64
    for i in range(len(values)):
        assert exact(found[i]) == exact(values[i])
        assert_normalised(found[i])


@given(st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**64 - 1))
def test_integers_of_64_bits_are_exact(signed, unsigned):
    assert exact(DoubleDouble.of(np.int64(signed))) == signed
    assert exact(DoubleDouble.of(np.uint64(unsigned))) == unsigned


def test_floats_wider_than_float64_are_exact_and_may_be_missing_or_infinite():
    value = np.longdouble(1) / 3
    with np.errstate(invalid="ignore"):
        found = DoubleDouble.of(np.array([value, np.nan, np.inf, -np.inf], np.longdouble))
    assert found.hi[0] + found.lo[0].astype(np.longdouble) == value
    np.testing.assert_array_equal(found.hi[1:], [np.nan, np.inf, -np.inf])
    np.testing.assert_array_equal(found.lo[1:], [0, 0, 0])
    assert found.hi.dtype == found.lo.dtype == np.float64


def test_a_double_double_is_one_already():
    x = dd(1.0, 2.0**-60)
    assert DoubleDouble.of(x) is x


# Scaling


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("magnitude", [0.0, np.nan, np.inf, 1.0, 2.0**390, 2.0**-390, 1e15])
def test_ordinary_values_are_not_scaled(magnitude, sign):
    assert exponent(np.array([sign * magnitude])) == 0


@pytest.mark.parametrize("power", [-1074, -1073, -1022, -950, -900, -500, -400, -330, 0, 330, 400, 500, 900, 950, 1023])
@pytest.mark.parametrize("fraction", [1.0, 2 - 2.0**-52])
def test_scaled_values_can_be_squared_summed_divided_and_cut(power, fraction):
    magnitude = np.ldexp(fraction, power)
    scale = int(exponent(np.array([magnitude]))[0])
    x = np.ldexp(magnitude, -scale)
    assert np.ldexp(x, scale) == magnitude
    tiny = 2.0**-1022
    for size in (x, x * x * 2.0**-100, x * x * 2.0**53, 1 / x * 2.0**-100, 1 / x * 2.0**53, 2.0**scale, 2.0**-scale):
        assert tiny <= size < np.inf
    for value in (x, 2.0**scale, 2.0**-scale):
        assert sum(split(np.float64(value))) == value


# Dtypes


@pytest.mark.parametrize(
    "given_dtypes, result",
    [
        (["float16"], "float16"),
        (["float32", "bool", "int8", "uint8", "int16", "uint16"], "float32"),
        (["float64", "int32", "uint32", "int64", "uint64", "longdouble"], "float64"),
    ],
)
def test_floats_keep_their_dtype_and_integers_get_the_narrowest_that_holds_them(given_dtypes, result):
    for dtype in given_dtypes:
        assert output_dtype(np.dtype(dtype)) == result
        assert output_dtype(np.dtype(dtype).newbyteorder()) == np.dtype(result)
        assert output_dtype(np.dtype(dtype), "float16") == np.float16
        assert output_dtype(np.dtype(dtype), np.float64) == np.float64


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_integers_up_to_two_to_the_53_fit_float64_and_larger_ones_do_not(dtype):
    limit = 2**53
    ends = [limit] if dtype == "uint64" else [limit, -limit]
    assert not beyond_float64(np.array([*ends, 0], dtype))
    for end in ends:
        beyond = np.array([1, end + (1 if end > 0 else -1)], dtype)
        assert beyond_float64(beyond)
        assert dtype_with_nan(beyond) == np.longdouble
    assert dtype_with_nan(np.array(ends, dtype)) == np.float64


@pytest.mark.parametrize("values", [np.array([1e300]), np.array([], np.int64), np.array([True])])
def test_only_large_integers_are_beyond_float64(values):
    assert not beyond_float64(values)


@pytest.mark.parametrize("dtype, result", [("int8", "float32"), ("bool", "float32"), ("int32", "float64")])
def test_integers_with_missing_values_get_the_dtype_that_they_would_become(dtype, result):
    assert dtype_with_nan(np.array([1], dtype)) == result


# Integers


@pytest.mark.parametrize("dtype", INTEGERS)
def test_rounding_to_integers_is_half_to_even_and_clipped(dtype):
    limits = np.iinfo(dtype)

    @given(st.integers(-(2**64) - 2**20, 2**64 + 2**20) | near(0) | near(limits.min) | near(limits.max), halves)
    def check(integer, half):
        value = DoubleDouble.of(0.0) + dd(*parts(integer)) + half
        want = min(max(round(Fraction(integer) + Fraction(half)), limits.min), limits.max)
        got = to_integers(value[None], np.dtype(dtype))
        assert got.dtype == dtype
        assert got.tolist() == [want]

    check()


halves = st.sampled_from([0.0, 0.5, -0.5, 0.25, -0.25])


def near(end):
    return st.integers(end - 3000, end + 3000)


def parts(integer):
    hi = float(integer)
    return hi, float(integer - int(hi))


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_the_ends_of_64_bits_and_their_neighbours_are_exact(dtype):
    limits = np.iinfo(dtype)
    integers = [limits.max, limits.max - 1, limits.max - 1024, limits.max - 2048, limits.min, limits.min + 1, 2**53 + 1]
    his, los = zip(*map(parts, integers), strict=True)
    assert to_integers(dd(his, los), np.dtype(dtype)).tolist() == integers


@pytest.mark.parametrize("dtype", INTEGERS)
def test_what_a_type_cannot_hold_becomes_its_nearest_end(dtype):
    limits = np.iinfo(dtype)
    values = dd([1e300, -1e300, np.inf, -np.inf, 2.0**64, -(2.0**64)])
    assert to_integers(values, np.dtype(dtype)).tolist() == [limits.max, limits.min] * 3


def test_to_bool_is_whether_the_nearest_integer_is_at_least_one():
    values = dd([-3.0, 0.0, 0.4, 0.5, 0.6, 1.0, 7.0])
    got = to_integers(values, np.dtype(bool))
    assert got.dtype == bool
    assert got.tolist() == [False, False, False, False, True, True, True]
