"""The one map of the dataset transformers against exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sknorm._kernels import AffineMap, Columns, Segments, affine, affine_exact
from sknorm._precision import DoubleDouble, two_sum
from sknorm._validation import InfinityFound

from ..exact import rounded, ulp

fractions = st.floats(-1, 1)
powers = st.integers(-60, 60)


def pair(value, below=0.0):
    """A double-double of shape (1,) near ``value``."""
    return DoubleDouble(*two_sum(np.array([value]), np.array([value * below * 2.0**-53])))


def exact(value):
    return Fraction(value.hi.item()) + Fraction(value.lo.item())


def one_feature(a, k, b, *, reach=1.0, inner=0, outer=0, **others):
    integers = (np.array([v]) for v in (inner, outer))
    return AffineMap(a, k, b, np.array([reach]), *integers, **others)


def image(f, x, dtype=np.float64):
    """The image of one feature's values, whole and before the rounding."""
    block = np.atleast_1d(x)[:, None]
    out = np.empty(block.shape, dtype)
    with np.errstate(all="ignore"):
        affine(Columns(block, out), block, out, f)
        before = affine_exact(Columns(block), block, f)
    return out[:, 0], [Fraction(h) + Fraction(lo) for h, lo in zip(before.hi.flat, before.lo.flat, strict=True)]


def maps_with_values(seed, far, offset, b):
    """Maps as fits make them, all bits at random; values up to ``far`` reaches from an ``a`` of size ``offset``."""
    rng = np.random.default_rng(seed)
    for _ in range(12):
        reach, factor = np.ldexp(rng.uniform(1, 2, 2), rng.integers(-60, 60, 2))
        a = pair(reach * offset * rng.uniform(-1, 1), rng.uniform(-0.5, 0.5))
        k = pair(factor, rng.uniform(-0.5, 0.5))
        x = a.hi + reach * far * rng.uniform(-1, 1, 5)
        yield one_feature(a, k, pair(b * reach * factor, rng.uniform(-0.5, 0.5)), reach=reach), x


def errors_of(f, x):
    """Errors of each image in its last place, and before the rounding in that of the largest value usual here."""
    got, before = image(f, x)
    unit = ulp(max(Fraction(f.reach.item()) * exact(f.k), abs(exact(f.b))), np.float64)
    for i in range(len(x)):
        want = exact(f.b) + (Fraction(x[i].item()) - exact(f.a)) * exact(f.k)
        yield (
            abs(Fraction(got[i].item()) - want) / max(ulp(want, np.float64), unit / 2**10),
            abs(before[i] - want) / unit,
        )


@pytest.mark.parametrize("b", [0.0, 2.0**-30, 1.0, 2.0**30])
@pytest.mark.parametrize("far", [2.0**-7, 1.0, 100.0])
@pytest.mark.parametrize("offset", [0.0, 1.0, 2.0**20, 2.0**30, 2.0**34])
def test_a_value_within_reach_is_rounded_once(far, offset, b):
    for f, x in maps_with_values(0, far, offset, b):
        for error, error_before in errors_of(f, x):
            assert error <= 0.5 + 2**-5
            # the products that are not exact are 2**-20 of what is usual here, and rounded to 53 bits; so are those
            # of what a large offset leaves of its own bits
            assert error_before <= (2**-15 if offset <= 2**30 else 2**-13)


@pytest.mark.parametrize("far, offset", [(1.0, 2.0**40), (1.0, 2.0**52), (2.0**20, 0.0), (2.0**50, 0.0)])
def test_a_value_further_off_costs_an_ulp_or_so(far, offset):
    """Beside an offset that large even the rest of ``a`` has some size."""
    for f, x in maps_with_values(1, far, offset, 0.0):
        for error, _ in errors_of(f, x):
            assert error <= 2


@st.composite
def simple_maps_with_values(draw):
    """Maps of numbers that hypothesis likes, of any size."""
    reach, offset = 2.0 ** draw(powers), draw(fractions) * 2.0 ** draw(powers)
    x = np.array([offset + reach * t for t in draw(st.lists(fractions, min_size=1, max_size=4))])
    k = pair(draw(st.floats(0.5, 1.0)) * 2.0 ** draw(powers), draw(fractions))
    b = pair(draw(fractions) * 2.0 ** draw(powers), draw(fractions))
    return one_feature(pair(offset, draw(fractions)), k, b, reach=reach), x


@pytest.mark.parametrize("power", [-20, -40, -300, 300])
def test_an_origin_of_zero_is_no_offset(power):
    """A zero has no magnitude that the grid of the products would have to suit."""
    x = np.random.default_rng(0).uniform(0, 1, 200)
    k = 1 / 0.7
    want = image(one_feature(pair(0.0), pair(k, 0.3), pair(0.0)), x)[0]
    f = one_feature(pair(0.0), pair(np.ldexp(k, -power), 0.3), pair(0.0), reach=2.0**power)
    np.testing.assert_array_equal(image(f, np.ldexp(x, power))[0], want)


@given(simple_maps_with_values(), st.sampled_from([np.float16, np.float32]))
def test_a_narrow_result_is_rounded_once_from_float64(case, dtype):
    f, x = case
    got = image(f, x, dtype)[0]
    for i in range(len(x)):
        product = (Fraction(x[i].item()) - exact(f.a)) * exact(f.k)
        want = exact(f.b) + product
        slack = 8 * max(map(abs, (ulp(want, np.float64), ulp(product, np.float64), ulp(exact(f.b), np.float64))))
        slack += abs(exact(f.a) * exact(f.k)) / 2**52
        assert rounded(want - slack, dtype) <= got[i] <= rounded(want + slack, dtype)


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([0.0, 1.0, -1e15]), st.integers(-300, 300))
@example(1.7e308, 1.0, 0)
@example(-1.7e308, -1e15, 300)
@example(1e-320, 0.0, 0)
def test_a_value_far_outside_is_right_to_an_ulp_or_infinite_and_never_missing(x, b, power):
    f = one_feature(pair(0.1, 0.3), pair(2.0**power, 0.7), pair(b), reach=2.0**-power)
    for dtype in (np.float16, np.float32, np.float64):
        got = image_of_finite(f, x, dtype)
        want = exact(f.b) + (Fraction(x) - exact(f.a)) * exact(f.k)
        assert not np.isnan(got)
        if np.isinf(got):
            assert np.sign(got) == np.sign(float(rounded(want, np.float64)))
            assert abs(want) >= Fraction(float(np.finfo(dtype).max)) * (1 - Fraction(1, 2**10))
        else:
            unit = ulp(max(abs(want), abs(exact(f.b)), abs(exact(f.a) * exact(f.k))), dtype)
            assert abs(Fraction(got.item()) - want) <= 2 * unit


@pytest.mark.parametrize("b", [0.0, 0.7 * 2.0**1020, -0.4 * 2.0**1018])
@pytest.mark.parametrize(
    "x, inner, k",
    [
        ([1e150, -1e150, 0.3 * 2.0**150], -900, 1.5),  # beyond float64 before the map
        ([1e200, -1e200, 0.3 * 2.0**120], 0, 1.5 * 2.0**900),  # and in it
    ],
)
def test_what_is_beyond_float64_on_the_way_only_is_right_to_an_ulp(x, inner, k, b):
    f = one_feature(pair(0.3, 0.4), pair(k, 0.2), pair(b, 0.1), inner=inner, outer=-900)
    assert_right_to_an_ulp(f, np.array(x), exact(f.a))


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_integers_of_64_bits_that_are_far_on_the_way_keep_their_difference(dtype):
    x = np.array([2**62 + 1025, 2**62 + 2, 2**62 + 2**30 + 7], dtype)
    f = one_feature(DoubleDouble.of(np.array([2**62 - 1])), pair(1.5 * 2.0**1020, 0.2), pair(0.0), outer=-900)
    assert_right_to_an_ulp(f, x, 2**62 - 1)


@pytest.mark.parametrize("inner, x", [(0, 2.0**120), (900, 2.0**1020)])
def test_a_product_beyond_float64_comes_back_whatever_the_unit_of_x(inner, x):
    f = one_feature(pair(0.0), pair(2.0**950), pair(0.0), inner=inner, outer=-200)
    got, before = image(f, np.array([x, x / 2, -x]))
    np.testing.assert_array_equal(got, [2.0**870, 2.0**869, -(2.0**870)])
    assert before == [2**870, 2**869, -(2**870)]


def test_a_value_that_overflows_on_the_way_costs_the_others_nothing():
    rng = np.random.default_rng(0)
    f = one_feature(pair(1 / 3, 0.3), pair(4.7, 0.4), pair(0.1, 0.2), outer=-2)
    x = rng.uniform(-1, 1, 64)
    alone, beside = image(f, x), image(f, np.append(x, 1e308))
    np.testing.assert_array_equal(beside[0][:-1], alone[0])
    assert beside[1][:-1] == alone[1]
    assert beside[0][-1] == pytest.approx(1e308 * (4.7 / 4))


def assert_right_to_an_ulp(f, x, a):
    got, before = image(f, x)
    for i, value in enumerate(x.tolist()):
        power = Fraction(2) ** -int(f.inner[0])
        want = (exact(f.b) + (Fraction(value) * power - a) * exact(f.k)) * Fraction(2) ** int(f.outer[0])
        size = max(abs(want), abs(exact(f.b)) * Fraction(2) ** int(f.outer[0]))
        assert abs(Fraction(got[i].item()) - want) <= 2 * ulp(size, np.float64)
        assert abs(before[i] - want) <= 2 * ulp(size, np.float64)


def image_of_finite(f, x, dtype):
    block, out = np.array([[x]]), np.empty((1, 1), dtype)
    with np.errstate(all="ignore"):
        affine(Columns(block, out), block, out, f)
        assert not np.isnan(affine_exact(Columns(block), block, f).hi).any()
    return out[0, 0]


@pytest.mark.parametrize("inner, outer", [(0, 0), (900, 0), (-900, 0), (0, 900), (0, -900), (900, 900), (-900, 900)])
def test_powers_of_two_before_and_after_change_no_bit(inner, outer):
    x = np.array([1.1, 2.7, -3.3, 0.1])
    a, k, b = pair(0.3, 0.4), pair(1.7, -0.2), pair(0.9, 0.1)
    plain, before = image(one_feature(a, k, b), x)
    scaled, scaled_before = image(one_feature(a, k, b, inner=inner, outer=outer), np.ldexp(x, inner))
    np.testing.assert_array_equal(scaled, np.ldexp(plain, outer))
    assert all(
        abs(s - p * Fraction(2) ** outer) <= Fraction(1, 2**1070) for s, p in zip(scaled_before, before, strict=True)
    )


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_integers_beyond_float64_are_subtracted_exactly(dtype):
    """The mean of integers of 64 bits may lie between them: ``a`` and ``a_rest`` hold it."""
    top = np.iinfo(dtype).max
    x = np.array([top, top - 1, top - 3, top // 2, np.iinfo(dtype).min, top // 3, 0x123456789ABCDEF], dtype)
    rest = 1 / 3
    a = DoubleDouble(*(np.array([part]) for part in (float(top), float(int(top) - int(float(top)) - 2))))
    f = one_feature(a, pair(1.0), pair(0.0), reach=1.0, a_rest=np.array([rest]))
    got, before = image(f, x)
    for i, value in enumerate(x.tolist()):
        want = value - exact(a) - Fraction(rest)
        assert abs(Fraction(got[i].item()) - want) <= ulp(want, np.float64)
        assert abs(before[i] - want) <= abs(want) / (2**70 if i < 5 else 2**53)  # all bits of the last two differ
    narrow = image(one_feature(a, pair(1.0), pair(0.0)), x, np.float32)[0]
    np.testing.assert_array_equal(narrow, [np.float32(float(value - exact(a))) for value in x.tolist()])


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_the_image_of_the_origin_is_given_where_the_map_cannot_hold_it(dtype):
    """An ``x`` equal to ``a`` gives ``start`` itself; a neighbour does not."""
    a = 2**60 + 1 if dtype == np.int64 else 3.5
    x = np.array([a, a + 1, a + 4096], dtype)
    f = one_feature(DoubleDouble.of(x[:1]), pair(1.0), pair(0.0), start=np.array([7.25]))
    got, before = image(f, x)
    np.testing.assert_array_equal(got, [7.25, 1.0, 4096.0])
    assert before == [Fraction(7.25), 1, 4096]


def test_the_image_is_clipped_to_the_bounds_and_missing_values_stay():
    f = one_feature(pair(0.0), pair(2.0), pair(0.0), bounds=(np.float64(-1), np.float64(1)))
    np.testing.assert_array_equal(image_with_nan(f, [-9, -0.25, 0.5, 9, np.nan, 1e308]), [-1, -0.5, 1, 1, np.nan, 1])


def image_with_nan(f, x):
    block = np.array(x, float)[:, None]
    out = np.empty_like(block)
    with np.errstate(all="ignore"):
        affine(Columns(block, out), block, out, f)
    return out[:, 0]


@pytest.mark.parametrize("b", [0.0, 5.0])
def test_missing_values_stay_missing_and_spoil_no_other(b):
    f = one_feature(pair(1.0), pair(2.0), pair(b))
    np.testing.assert_array_equal(image_with_nan(f, [np.nan, 3.0]), [np.nan, 4.0 + b])


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_an_infinity_is_found(infinity, dtype):
    block = np.array([[1.0], [infinity]], dtype)
    f = one_feature(pair(0.0), pair(1.0), pair(0.0))
    with np.errstate(all="ignore"), pytest.raises(InfinityFound):
        affine(Columns(block), block, np.empty_like(block), f)


@pytest.mark.parametrize("optional", [{}, {"a_rest": np.arange(4.0), "start": np.arange(4.0), "bounds": (0, 1)}])
def test_the_map_of_some_features_has_their_constants(optional):
    numbers = DoubleDouble.of(np.arange(4.0))
    f = AffineMap(numbers, numbers + 10, numbers + 20, np.arange(30, 34), np.arange(4), np.arange(4, 8), **optional)
    g = f[[3, 1]]
    for name in ("a", "k", "b"):
        np.testing.assert_array_equal(getattr(g, name).hi, getattr(f, name).hi[[3, 1]])
    for name in ("reach", "inner", "outer", *(() if not optional else ("a_rest", "start"))):
        np.testing.assert_array_equal(getattr(g, name), getattr(f, name)[[3, 1]])
    assert g.bounds == f.bounds
    assert (g.start is None) == (f.start is None)


def test_compiled_kernels_get_a_table_unless_there_is_more_to_a_map():
    k = pair(1 / 3, 0.3)
    assert one_feature(pair(0.1), k, pair(0.2)).table.dtype == np.float64
    for more in ({"inner": 1}, {"outer": -1}, {"start": np.zeros(1)}):
        assert one_feature(pair(0.1), k, pair(0.2), **more).table is None


def test_constants_are_kept_for_the_next_block_of_the_same_shape():
    f = one_feature(pair(0.1), pair(0.5), pair(0.2))
    first, next_one, other = (f.lined_up(Columns(np.zeros((n, 1)))) for n in (8, 8, 7))
    assert first is next_one
    assert len(first.sigma) == 8
    assert len(other.sigma) == 1


def test_a_map_serves_blocks_of_every_shape_in_turn():
    numbers = DoubleDouble.of(np.array([1.0, 2.0, 3.0]))
    f = AffineMap(numbers, numbers, numbers, np.ones(3), np.zeros(3, int), np.zeros(3, int))
    for n in (1, 8, 12, 8, 7):
        for order in "CF":
            block = np.asarray(np.random.default_rng(n).integers(-9, 9, (n, 3)), float, order=order)
            out = np.empty_like(block)
            affine(Columns(block, out), block, out, f)
            np.testing.assert_array_equal(out, (block - [1, 2, 3]) * [1, 2, 3] + [1, 2, 3])
    stored = np.array([5.0, 7.0, 9.0])
    out = np.empty(3)
    affine(Segments(np.arange(4)), stored, out, f)
    affine(Segments(np.arange(3)), stored[:2], out[:2], f[:2])
    np.testing.assert_array_equal(out, [5, 12, 21])
