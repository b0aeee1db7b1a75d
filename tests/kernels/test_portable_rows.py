"""The kernels of samples against exact arithmetic: image, statistics, and both at once."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sknorm._kernels import Rows, Segments, layer_norm, rms_norm, softmax
from sknorm._validation import InfinityFound

from .. import awkward
from ..exact import errors, exact_array, largest, layer_normed, logsumexp, moments, present, rms_normed, root, softmaxed

numbers = st.sampled_from([0.0, 1e-5, 1e-300, 1e300, 3.0])


@st.composite
def rows(draw, dtypes=awkward.DTYPES):
    """A contiguous block of one to three samples of one dtype."""
    dtype, d = draw(st.sampled_from(dtypes)), draw(st.integers(1, 10))
    return np.array([draw(awkward.groups(dtype, d)) for _ in range(draw(st.integers(1, 3)))])


def run(kernel, block, *arguments, dtype=None, **options):
    """The image of a block, what the kernel says of its samples, and a check that the image does not change that."""
    out = np.empty(block.shape, dtype or np.float64)
    kept = block.copy()
    with np.errstate(all="ignore"):
        found = kernel(Rows(block), block, out, *arguments, **options)
        alone = kernel(Rows(block), block, None, *arguments, **options)
    np.testing.assert_array_equal(block, kept)
    # for float32 they may come from other sums, which are far more exact than what is made of them
    for one, other in zip(found, alone, strict=True):
        np.testing.assert_allclose(one, other, rtol=0 if out.dtype == np.float64 else 1e-13)
    return out, found


def assert_image(got, want, bound=4):
    at = np.array([[largest(sample)] for sample in want], object)
    assert errors(got, want, at).max() <= bound


def assert_number(got, want, bound=4, at=0):
    """``got`` is within some ulp of a Fraction, measured at least at magnitude ``at``."""
    want = np.array([want], object)
    assert errors(np.array([got]), want, np.array([max(abs(want[0]), at)], object)).max() <= bound


# Layer norm


@given(rows(), numbers)
def test_layer_norm_gives_image_mean_and_divisor(block, eps):
    got, (mean, divisor) = run(layer_norm, block, eps, None, None, True)
    assert_image(got, layer_normed(block, eps=eps))
    for i, sample in enumerate(exact_array(block)):
        values = present(sample)
        if not values:
            assert np.isnan(mean[i])
            continue
        want, variance = moments(sample)
        assert_number(mean[i], want, at=max(map(abs, values)))
        assert_number(divisor[i], root(variance + Fraction(eps)) if variance else Fraction(1))


NARROW = ["float16", "float32", "bool", "int8", "int16", "uint8", "uint16"]  # 24 bits at most


@given(rows(NARROW), st.sampled_from([np.float16, np.float32]), numbers)
def test_narrow_values_need_one_float64_for_the_mean(block, dtype, eps):
    got, _ = run(layer_norm, block, eps, None, None, False, dtype=dtype)
    assert_image(got, layer_normed(block, eps=eps))


@given(rows(), st.sampled_from([np.float16, np.float32]), numbers)
def test_wide_values_have_a_narrow_image_that_keeps_the_bound(block, dtype, eps):
    got, _ = run(layer_norm, block, eps, None, None, True, dtype=dtype)
    assert_image(got, layer_normed(block, eps=eps))


@given(rows(["float16", "float32", "uint8"]), st.booleans())
def test_gamma_multiplies_and_beta_is_added(block, precise):
    rng = np.random.default_rng(block.shape[1])
    gamma, beta = rng.normal(size=(2, block.shape[1]))
    dtype = np.float64 if precise else np.float32
    for g, b in [(gamma, beta), (gamma, None), (None, beta)]:
        got, _ = run(layer_norm, block, 1e-5, g, b, precise, dtype=dtype)
        want = layer_normed(block, eps=1e-5, gamma=g, beta=b)
        plain = layer_normed(block, eps=1e-5, gamma=g)
        at = np.array([[largest([*w, *p])] for w, p in zip(want, plain, strict=True)], object)
        assert errors(got, want, at).max() <= 4


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_the_mean_of_large_integers_keeps_its_fraction(dtype):
    top = int(np.iinfo(dtype).max)
    offsets = np.array([[top], [top // 2], [top // 2 + 334], [top // 3 - 457]], dtype)
    block = offsets - np.array([[0, 1, 1]], dtype)
    got, _ = run(layer_norm, block, 0.0, None, None, True)
    assert_image(got, layer_normed(block, eps=0))
    got, _ = run(layer_norm, block, 0.0, None, None, False, dtype=np.float32)
    assert_image(got, layer_normed(block, eps=0))


@pytest.mark.parametrize("eps", [0.0, 1e-320, 1e-300, 1e-5, 1.0, 1e300])
@pytest.mark.parametrize("power", [-1040, -900, -300, 300, 900, 1020])
def test_eps_counts_in_any_unit_of_the_values(power, eps):
    block = np.ldexp(np.array([[0.1, -0.7, 0.4], [0.0, 1.0, 0.0]]), power)
    got, (_, divisor) = run(layer_norm, block, eps, None, None, True)
    assert_image(got, layer_normed(block, eps=eps))
    for i, sample in enumerate(exact_array(block)):
        assert_number(divisor[i], root(moments(sample)[1] + Fraction(eps)))
    got, _ = run(rms_norm, block, eps, None, True)
    assert_image(got, rms_normed(block, eps=eps))


@pytest.mark.parametrize("sizes", [1e-305, 1e305, [-1e305, 1, 1, 1, 1]], ids=["tiny", "huge", "one huge"])
def test_gamma_may_be_huge_or_tiny(sizes):
    block = np.random.default_rng(0).normal(size=(4, 5))
    gamma = np.array([1.0, -0.7, 0.3, 1e-3, 0.5]) * sizes
    for dtype, precise in [(np.float64, True), (np.float64, False)]:
        got, _ = run(rms_norm, block, 1e-6, gamma, precise, dtype=dtype)
        assert_image(got, rms_normed(block, eps=1e-6, gamma=gamma))


@pytest.mark.parametrize("power", [-500, -410, 410])
@pytest.mark.parametrize("ratio", [-30, -6, -1, 0, 1, 6, 30])
def test_a_unit_of_values_and_of_the_root_of_eps_changes_no_bit(power, ratio):
    block, eps = np.random.default_rng(0).uniform(-1, 1, (2, 9)), 4.0**ratio * 0.7
    far, far_eps = np.ldexp(block, power), float(np.ldexp(eps, 2 * power))
    for kernel, rest in ((layer_norm, (None, None, True)), (rms_norm, (None, True))):
        np.testing.assert_array_equal(run(kernel, far, far_eps, *rest)[0], run(kernel, block, eps, *rest)[0])


def test_beta_may_take_the_leading_bits_away():
    block = np.random.default_rng(0).normal(size=(1, 9))
    beta = -run(layer_norm, block, 1e-5, None, None, True)[0][0]
    got, _ = run(layer_norm, block, 1e-5, None, beta, True)
    want = layer_normed(block, eps=1e-5, beta=beta)[0]
    assert all(abs(Fraction(y.item()) - x) <= Fraction(1, 2**70) for y, x in zip(got[0], want, strict=True))


@pytest.mark.parametrize("offset", [0.0, 100.0])
def test_a_float64_image_is_rounded_once(offset):
    """Half a unit in the last place of each value, not of the largest."""
    block = np.random.default_rng(0).normal(size=(40, 6)) + offset
    gamma = np.random.default_rng(1).normal(size=6)
    for g in (None, gamma):
        got, _ = run(rms_norm, block, 1e-6, g, True)
        want = rms_normed(block, eps=1e-6, gamma=g)
        assert errors(got, want, abs(want)).max() <= 0.5 + 2.0**-10
        got, _ = run(layer_norm, block, 1e-5, g, None, True)
        want = layer_normed(block, eps=1e-5, gamma=g)
        assert errors(got, want, abs(want)).max() <= 0.5 + 2.0**-10


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_an_image_of_integers_beyond_float64_is_rounded_once_too(dtype):
    limits = np.iinfo(dtype)
    block = np.random.default_rng(0).integers(limits.min, limits.max, (40, 6), dtype)
    for got, want in [
        (run(rms_norm, block, 0.0, None, True)[0], rms_normed(block, eps=0)),
        (run(layer_norm, block, 0.0, None, None, True)[0], layer_normed(block, eps=0)),
    ]:
        assert errors(got, want, abs(want)).max() <= 0.5 + 2.0**-10


@pytest.mark.parametrize("places", ["halves", "eights"])
@pytest.mark.parametrize("kernel, want", [(layer_norm, layer_normed), (rms_norm, rms_normed)])
def test_rounding_errors_of_a_long_sample_do_not_add_up(kernel, want, places):
    block = awkward.one_way(1024, places)[None]
    arguments = (0.0, None, None, True) if kernel is layer_norm else (0.0, None, True)
    got, _ = run(kernel, block, *arguments)
    exact = want(block, eps=0.0)
    assert errors(got, exact, abs(exact)).max() <= 0.5 + 2.0**-10


# Samples wider than float64

ROW_NORMS = [lambda *a: layer_norm(*a, 0.0, None, None, True), lambda *a: rms_norm(*a, 0.0, None, True)]
ROW_NORMS_OF = pytest.mark.parametrize("kernel", ROW_NORMS, ids=["layer", "rms"])


@ROW_NORMS_OF
def test_missing_values_stay_out_of_samples_wider_than_float64(kernel):
    """Large integers of which some are missing are longdoubles."""
    many = np.random.default_rng(0).integers(-(2**63), 2**63, (40, 7))
    for present_ones in (np.array([[2**60, 2**60 + 1, 2**60 + 5]]), many):
        want, statistics = run(kernel, present_ones)
        missing = np.full((len(present_ones), 1), np.nan)
        got, found = run(kernel, np.append(present_ones.astype(np.longdouble), missing, axis=1))
        np.testing.assert_array_equal(got[:, :-1], want)
        assert np.isnan(got[:, -1]).all()
        np.testing.assert_array_equal(found, statistics)


@ROW_NORMS_OF
@pytest.mark.parametrize("dtype", [float, np.longdouble])
@pytest.mark.parametrize("power", [-900, 900])
def test_the_unit_of_samples_changes_no_bit(kernel, dtype, power):
    block = np.random.default_rng(0).uniform(-0.75, 0.75, (4, 96)).astype(dtype)
    block[:, 0] = 0.75  # the largest, between 1/2 and 1
    want, statistics = run(kernel, block)
    got, found = run(kernel, np.ldexp(block, power))
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(found, np.ldexp(statistics, power))


@pytest.mark.parametrize("dtype", [float, np.longdouble, np.int64])
@pytest.mark.parametrize("size", [1, 3e-300, 3e300])
@pytest.mark.parametrize("n", [3, 7, 10, 96])
@pytest.mark.parametrize("precise", [False, True])
def test_a_constant_sample_is_its_own_mean_and_has_divisor_1(dtype, size, n, precise):
    value = np.array([2**62 + 1, -7], dtype) if dtype == np.int64 else np.array([2, -2], dtype) / 3 * dtype(size)
    got, (mean, divisor) = run(layer_norm, np.repeat(value[:, None], n, axis=1), 1e-5, None, None, precise)
    np.testing.assert_array_equal(got, np.zeros((2, n)))
    np.testing.assert_array_equal(mean, value.astype(float))
    np.testing.assert_array_equal(divisor, [1, 1])


# RMS norm


@given(rows(), numbers)
def test_rms_norm_gives_image_and_divisor(block, eps):
    got, (divisor,) = run(rms_norm, block, eps, None, True)
    assert_image(got, rms_normed(block, eps=eps))
    for i, sample in enumerate(exact_array(block)):
        squares = [v * v for v in present(sample)]
        if squares:
            want = root(sum(squares) / len(squares) + Fraction(eps)) if any(squares) else Fraction(1)
            assert_number(divisor[i], want)


@given(rows(), st.sampled_from([np.float16, np.float32]))
def test_a_narrow_rms_norm_keeps_its_bound(block, dtype):
    gamma = np.random.default_rng(0).normal(size=block.shape[1])
    got, _ = run(rms_norm, block, 1e-6, gamma, False, dtype=dtype)
    assert_image(got, rms_normed(block, eps=1e-6, gamma=gamma))


@pytest.mark.parametrize("precise", [False, True])
def test_stored_values_are_samples_of_the_size_that_they_are_said_to_have(precise):
    stored = np.array([3.0, 4.0, np.nan, 5.0])
    group = Segments(np.array([7, 9, 11]))
    out = np.empty(4)
    with np.errstate(all="ignore"):
        (divisor,) = rms_norm(group, stored, out, 0.0, np.array([1.0, 1.0, 1.0, 2.0]), precise, 5)
    np.testing.assert_allclose(divisor, [np.sqrt(25 / 5), np.sqrt(25 / 4)], rtol=4e-16)
    np.testing.assert_allclose(out, [3 / np.sqrt(5), 4 / np.sqrt(5), np.nan, 4], rtol=4e-16)


# Softmax


@given(rows(), st.sampled_from([1.0, 0.01, 300.0]))
def test_softmax_gives_probabilities_and_the_log_of_the_sum(block, temperature):
    got, (found,) = run(softmax, block, temperature)
    assert_image(got, softmaxed(block, temperature=temperature))
    for i, sample in enumerate(block):
        values = present(exact_array(sample))
        if values:
            want = logsumexp(sample, temperature)
            assert_number(found[i], want, at=max(map(abs, values)) / Fraction(temperature))


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_of_integers_of_64_bits_differences_count_alone(dtype):
    """What the largest lacks as a float64 is up to 1024, whose exponential is beyond float64."""
    differences = np.array([[0, 1, 3]], dtype)
    for largest_one in (np.iinfo(dtype).max - 1023, np.iinfo(dtype).max - 2**11 - 1000):
        got, _ = run(softmax, differences + (largest_one - dtype(3)), 1.0)
        np.testing.assert_allclose(got, run(softmax, differences, 1.0)[0], rtol=1e-15)


def test_masked_values_have_probability_zero_and_nothing_but_them_is_nan():
    block = np.array(
        [[0.0, -np.inf, 0.0, np.nan], [-np.inf, -np.inf, np.nan, -np.inf], [-1.7e308, 1.7e308, -np.inf, 0]]
    )
    got, (found,) = run(softmax, block, 1.0)
    np.testing.assert_array_equal(got, [[0.5, 0, 0.5, np.nan], [np.nan] * 4, [0, 1, 0, 0]])
    np.testing.assert_array_equal(found, [np.log(2), -np.inf, 1.7e308])


def test_a_range_beyond_float64_is_no_obstacle_to_a_large_temperature():
    block = np.array([[-1.7e308, 1.7e308, 0.0, np.nan, -np.inf]])
    got, _ = run(softmax, block, 1e308)
    assert_image(got, softmaxed(block, temperature=1e308))


@pytest.mark.parametrize(
    "kernel", [lambda *a: layer_norm(*a, 0, None, None, True), lambda *a: rms_norm(*a, 0, None, True)]
)
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_an_infinity_is_found(kernel, infinity):
    block = np.array([[1.0, infinity]])
    with np.errstate(all="ignore"), pytest.raises(InfinityFound):
        kernel(Rows(block), block, None)


def test_plus_infinity_has_no_probability():
    block = np.array([[1.0, np.inf, -np.inf]])
    with np.errstate(all="ignore"), pytest.raises(InfinityFound):
        softmax(Rows(block), block, None, 1.0)
