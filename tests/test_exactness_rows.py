"""Row transformers against exact arithmetic: 4 ulp whatever the size and eps, one rounding, exact zeros."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sknorm import RowLayerNorm, RowRMSNorm, RowSoftmax

from .awkward import DTYPES, FEW_DTYPES, FLOATS, LAYOUTS, groups, in_two_units, laid_out, one_way, samples
from .exact import (
    errors,
    exact,
    exact_array,
    largest,
    layer_normed,
    logsumexp,
    moments,
    output_dtype,
    present,
    rms_normed,
    root,
    sample_errors,
    softmaxed,
    ulp,
)

every_dtype = pytest.mark.parametrize("dtype", DTYPES)
few_dtypes = pytest.mark.parametrize("dtype", FEW_DTYPES)
every_float = pytest.mark.parametrize("dtype", FLOATS)
norms = pytest.mark.parametrize("cls, oracle", [(RowLayerNorm, layer_normed), (RowRMSNorm, rms_normed)])
epsilons = st.sampled_from([0.0, 1e-5, 1e-6, 1.0, 1e-12, 1e-300, 5e-324, 1e10, 1e300]) | st.floats(0, 1e300)
temperatures = st.sampled_from([1.0, 0.1, 1e-300, 5e-324, 1e300]) | st.floats(1e-3, 1e3)


def row_parameters(size, *, nonzero=False):
    """A strategy for gamma or beta: `size` numbers of any float type."""
    numbers = st.floats(-4, 4, width=16).filter(lambda value: abs(value) >= 2**-10 or not (nonzero or value))
    lists = st.lists(numbers, min_size=size, max_size=size)
    return st.builds(np.array, lists, st.sampled_from(FLOATS))


@every_dtype
@norms
@given(st.data())
def test_a_normed_sample_is_within_4_ulp(cls, oracle, dtype, data):
    X, eps = data.draw(st.tuples(samples(dtype), epsilons))
    got = cls(eps=eps).transform(X)
    assert got.dtype == output_dtype(dtype)
    assert sample_errors(got, oracle(X, eps=eps)).max() <= 4


@pytest.mark.parametrize("dtype", ["float64", "int64"])
@pytest.mark.parametrize("asked", FLOATS)
@given(st.data())
def test_a_dtype_asked_for_keeps_the_bound(asked, dtype, data):
    X = data.draw(samples(dtype))
    for cls, oracle in [(RowLayerNorm, layer_normed), (RowRMSNorm, rms_normed), (RowSoftmax, softmaxed)]:
        assert sample_errors(cls(dtype=asked).transform(X), oracle(X)).max() <= 4


@few_dtypes
@norms
@given(st.data())
def test_gamma_and_beta_keep_the_bound(cls, oracle, dtype, data):
    X, eps = data.draw(st.tuples(samples(dtype), epsilons))
    names = ["gamma", "beta"] if cls is RowLayerNorm else ["gamma"]
    params = {name: data.draw(row_parameters(X.shape[-1])) for name in names}
    got = cls(eps=eps, **params).transform(X)
    assert got.dtype == output_dtype(dtype)
    assert sample_errors(got, oracle(X, eps=eps, **params)).max() <= 4


@few_dtypes
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("width", [5, 1999])
@pytest.mark.parametrize("offset", [1, -3e7])
def test_what_is_left_of_a_sample_without_its_outlier_is_within_4_ulp(offset, width, missing, dtype):
    """All but one deviate from the mean by hardly anything, and gamma takes that one away."""
    if np.dtype(dtype).kind in "iu":
        offset = min(max(int(offset), np.iinfo(dtype).min), np.iinfo(dtype).max - 1)
    X = np.full((3, width), offset if np.dtype(dtype).itemsize > 2 else offset % 100, dtype)
    gamma = np.ones(width)
    for i, at in enumerate([0, width // 2, -1]):
        X[i, at] = X[i, at] + 1 if X.dtype.kind in "iu" else np.nextafter(X[i, at], X.dtype.type(np.inf))
        gamma[at] = 1e-8
    if missing and X.dtype.kind == "f":
        X[:, 1] = np.nan
    assert sample_errors(RowLayerNorm(gamma=gamma).transform(X), layer_normed(X, gamma=gamma)).max() <= 4


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@norms
@given(st.data())
def test_a_narrow_result_is_rounded_once(cls, oracle, dtype, data):
    """Within half a unit of each value itself, beyond 4 ulp of the float64 arithmetic before it."""
    X = data.draw(samples(dtype))
    gamma = data.draw(row_parameters(X.shape[-1]))
    got, want = cls(gamma=gamma, eps=0).transform(X), oracle(X, gamma=gamma, eps=0)
    scale = cls(eps=0).row_statistics(X)[-1]
    for index, value in np.ndenumerate(want):
        if value is not None:
            sample, factor = index[:-1], abs(exact(gamma[index[-1]]))
            wide = ulp(factor * largest(exact_array(X[sample])) / exact(scale[sample]), np.float64)
            assert abs(exact(got[index]) - value) <= ulp(value, dtype) / 2 + 4 * wide


@every_dtype
@given(st.data())
def test_probabilities_are_within_4_ulp(dtype, data):
    X, temperature = data.draw(st.tuples(samples(dtype), temperatures))
    got = RowSoftmax(temperature=temperature).transform(X)
    assert got.dtype == output_dtype(dtype)
    assert sample_errors(got, softmaxed(X, temperature=temperature)).max() <= 4


@pytest.mark.parametrize("temperature", [5e-324, 1e-300, 1.0, 1e300])
def test_probabilities_of_tiny_and_huge_samples_side_by_side_are_within_4_ulp(temperature):
    X = np.array(
        [
            [5e-324, 0, -np.inf],
            [5e-324, 0, 1e-323],
            [1.7e308, -1.7e308, np.nan],
            [-1.7e308, 0, 5e-324],
            [1e300, 1e300 - 1e285, 0],
            [-1e-310, 1e-320, -5e-324],
            [700, -700, 1e-308],
        ]
    )
    got = RowSoftmax(temperature=temperature).transform(X)
    assert sample_errors(got, softmaxed(X, temperature=temperature)).max() <= 4


@every_float
@given(st.data())
def test_a_masked_value_has_probability_zero_and_the_others_are_within_4_ulp(dtype, data):
    X = data.draw(samples(dtype)).copy()
    masked = data.draw(st.lists(st.booleans(), min_size=X.shape[-1], max_size=X.shape[-1]))
    X[..., masked] = -np.inf
    got, want = RowSoftmax().transform(X), softmaxed(X)
    assert np.all(got[want == 0] == 0)
    assert sample_errors(got, want).max() <= 4


@few_dtypes
@given(st.data())
def test_a_constant_sample_gives_exact_zeros_or_beta(dtype, data):
    value = data.draw(groups(dtype, 1))
    assume(not np.isnan(value))
    X = np.repeat(value, data.draw(st.integers(2, 40)))[None]
    eps, beta = data.draw(st.tuples(epsilons, row_parameters(X.size)))
    assert np.all(RowLayerNorm(eps=eps).transform(X) == 0)
    assert np.all(RowLayerNorm(eps=eps, beta=beta).transform(X) == beta.astype(output_dtype(dtype)))
    assert np.all(RowRMSNorm(eps=eps).transform(np.zeros_like(X)) == 0)


@few_dtypes
@pytest.mark.parametrize("cls", [RowLayerNorm, RowRMSNorm, RowSoftmax])
@given(st.data())
def test_a_sample_gives_the_same_bits_in_any_company_and_any_layout(cls, dtype, data):
    X = np.ascontiguousarray(data.draw(samples(dtype)))
    whole = cls().transform(X)
    for index in np.ndindex(X.shape[:-1]):
        np.testing.assert_array_equal(cls().transform(X[index][None])[0], whole[index])
    for layout in LAYOUTS[:-1]:
        np.testing.assert_array_equal(cls().transform(laid_out(X, layout)), whole)


@every_float
@norms
@given(st.data())
def test_a_unit_that_is_a_power_of_two_larger_gives_the_same_bits(cls, oracle, dtype, data):
    X, scaled = data.draw(in_two_units(samples(dtype)))
    units = 4 * float(np.finfo(dtype).smallest_subnormal)  # of subnormal results, which no power of two leaves alone
    np.testing.assert_allclose(cls(eps=0).transform(scaled), cls(eps=0).transform(X), rtol=0, atol=units)


@few_dtypes
@given(st.data())
def test_row_statistics_are_within_4_ulp(dtype, data):
    X, eps, temperature = data.draw(st.tuples(samples(dtype), epsilons, st.floats(1e-3, 1e3)))
    layer = RowLayerNorm(eps=eps).row_statistics(X)
    rms = RowRMSNorm(eps=eps).row_statistics(X)
    softmax = RowSoftmax(temperature=temperature).row_statistics(X)
    for index in np.ndindex(X.shape[:-1]):
        values = present(exact_array(X[index]))
        got = [statistic[index] for statistic in (*layer, *rms, *softmax)]
        if not values:
            assert np.isnan(got[0])
            assert np.isnan(got[3])
            continue
        mean, variance = moments(values)
        square = sum(value**2 for value in values) / len(values)
        roots = [root(value + exact(eps)) if value else exact(1) for value in (variance, square)]
        want = [mean, *roots, logsumexp(X[index], temperature)]
        sizes = [largest(values), *roots, max(abs(want[-1]), largest(values) / exact(temperature))]
        for statistic, value, size in zip(got, want, sizes, strict=True):
            assert errors(np.array([statistic]), np.array([value], object), size) <= 4


@every_float
@norms
@given(st.data())
def test_a_sample_comes_back_from_its_statistics(cls, oracle, dtype, data):
    """Within 4 ulp of its largest value, beyond what rounding the output costs."""
    X = data.draw(samples(dtype))
    gamma = data.draw(row_parameters(X.shape[-1], nonzero=True))
    norm = cls(gamma=gamma)
    Y, statistics = norm.transform(X), norm.row_statistics(X)
    back = norm.inverse_transform(Y, row_stats=statistics)
    size = largest(exact_array(X).flat)
    for index, x in np.ndenumerate(exact_array(X)):
        if x is not None:
            scale = exact(statistics[-1][index[:-1]]) / abs(exact(gamma[index[-1]]))
            cost = scale * ulp(exact(Y[index]), Y.dtype) / ulp(size, back.dtype)
            assert errors(back[index][None], exact_array([x]), size) <= 4 + cost


@every_float
@norms
def test_a_long_sample_keeps_the_bound(cls, oracle, dtype):
    rng, size = np.random.default_rng(11), 3000
    X = np.stack([rng.normal(size=size), 1000 + rng.random(size), 1e-3 * rng.geometric(0.3, size)])
    X[2, 0] = 100  # one value dwarfs the others
    X = X.astype(dtype)
    assert sample_errors(cls().transform(X), oracle(X, eps=cls().eps)).max() <= 4


@pytest.mark.parametrize("places", ["halves", "eighths"])
@pytest.mark.parametrize("size", [128, 256, 4096])
def test_rounding_errors_that_all_go_one_way_do_not_add_up(places, size):
    X = one_way(size, places)[None]
    logits = np.where(X > 0, np.log(np.where(X > 0, X, 1) ** 2), -200)
    logits[0, 0] = 0
    assert sample_errors(RowLayerNorm(eps=0).transform(X), layer_normed(X, eps=0)).max() <= 4
    assert sample_errors(RowRMSNorm(eps=0).transform(X), rms_normed(X, eps=0)).max() <= 4
    assert sample_errors(RowSoftmax().transform(logits), softmaxed(logits)).max() <= 4
