"""The laws of dataset statistics: weights repeat, a split or merge equals the whole, order means nothing."""

from fractions import Fraction
from functools import reduce

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sknorm import MinMaxNormalizer, Standardizer

from .awkward import FEW_DTYPES, features
from .exact import (
    exact,
    exact_array,
    feature_errors,
    feature_sizes,
    minmax_scaled,
    moments,
    root,
    standardized,
    ulp,
)

few_dtypes = pytest.mark.parametrize("dtype", FEW_DTYPES)
both_classes = pytest.mark.parametrize("cls", [MinMaxNormalizer, Standardizer])


def weights_for(X, numbers):
    """A strategy for one weight per entry of X's first axis, not all of them 0."""
    return st.lists(numbers, min_size=len(X), max_size=len(X)).filter(any)


def batches(data, X):
    """X cut along its first axis, at up to five places; a batch may be empty of values but not of samples."""
    cuts = sorted(data.draw(st.sets(st.integers(1, max(len(X) - 1, 1)), max_size=5)))
    return [batch for batch in np.split(X, cuts) if len(batch)]


def assert_same_statistics(ours, theirs):
    """Equal but for 1e-14 relative in the variance, as the standard deviation shows it in every range."""
    assert np.array_equal(ours.n_samples_seen_, theirs.n_samples_seen_)
    assert np.array_equal(ours.constant_features_, theirs.constant_features_)
    for got, want in zip(exact_array(ours.scale_), exact_array(theirs.scale_), strict=True):
        assert (got is None) == (want is None)
        assert got is None or abs(got - want) <= want * Fraction(0.5e-14) + ulp(0, np.float64)
    for got, want, scale in zip(*map(exact_array, (ours.mean_, theirs.mean_, theirs.scale_)), strict=True):
        assert (got is None) == (want is None)
        assert got is None or abs(got - want) <= max(ulp(want, np.float64), ulp(scale, np.float64))


@few_dtypes
@given(st.data())
def test_integer_weights_equal_repeated_samples(dtype, data):
    X = data.draw(features(dtype))
    weights = data.draw(weights_for(X, st.integers(0, 3)))
    repeated = np.repeat(X, weights, axis=0)
    ddof = data.draw(st.integers(0, 1))
    with np.errstate(over="ignore"):  # a sample of weight 0 may leave the type's range
        got = Standardizer(ddof=ddof).fit(X, sample_weight=weights).transform(X)
        ends = MinMaxNormalizer(clip=True).fit(X, sample_weight=weights).transform(X)
    training = feature_sizes(standardized(repeated, ddof=ddof))
    assert feature_errors(got, standardized(repeated, X, ddof=ddof), at_least=training).max() <= 4
    want = minmax_scaled(repeated, X, clip=True, dtype=ends.dtype)
    assert feature_errors(ends, want, at_least=1).max() <= 4


@few_dtypes
@given(st.data())
def test_any_weights_give_values_within_4_ulp(dtype, data):
    X = data.draw(features(dtype))
    weights = data.draw(weights_for(X, st.floats(1e-6, 1e6)))
    got = Standardizer().fit(X, sample_weight=weights).transform(X)
    assert feature_errors(got, standardized(X, weights=weights)).max() <= 4


def test_the_sum_of_many_small_weights_is_not_lost_beside_a_large_one():
    """Added one after another, each would round up by almost half a unit."""
    weights = np.full(4096, 1.001 * 2.0**-53)
    weights[0] = 1
    X = np.where(weights == 1, 0.0, np.sqrt(2.0**53))[:, None]
    total, small = sum(map(exact, weights)), sum(map(exact, weights[1:]))
    variance = exact(X[1, 0]) ** 2 * (small / total) * (1 - small / total)
    got = Standardizer().fit(X, sample_weight=weights).scale_
    assert abs(exact(got[0]) - root(variance)) <= 4 * ulp(root(variance), np.float64)


@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float16, np.float32, ">f8", np.longdouble])
@both_classes
def test_weights_of_any_dtype_count_as_those_of_float64_do(cls, dtype, container):
    X = np.random.default_rng(0).integers(0, 4, (3000, 2)).astype(float)
    weights = np.full(3000, 200.1).astype(dtype)
    weights[::7] = 0
    parameters = {"with_mean": False} if cls is Standardizer else {}
    got = cls(**parameters).fit(container(X), sample_weight=weights).statistics_
    want = cls(**parameters).fit(container(X), sample_weight=weights.astype(np.float64)).statistics_
    assert got.n_samples == want.n_samples == pytest.approx(weights.astype(float).sum(), rel=1e-12)
    np.testing.assert_array_equal(got.count, want.count)
    if cls is Standardizer:
        assert (got.above == want.above).all()
        assert (got.variance == want.variance).all()


@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_array])
def test_where_all_values_are_stored_there_is_no_zero_whatever_the_rounding_of_the_weights(container):
    values = np.random.default_rng(0)
    X, weights = values.uniform(1, 2, (1000, 3)), values.uniform(size=1000) * 10.0 ** values.integers(-20, 20, 1000)
    normalizer = MinMaxNormalizer().fit(container(X), sample_weight=weights)
    np.testing.assert_array_equal(normalizer.data_min_, X.min(axis=0))


@pytest.mark.parametrize("cut", [1, 2, 3, 4])
def test_a_light_outlier_does_not_blur_the_variance_of_the_others(cut):
    """The rounding of the sum of weights must not be multiplied by the distance of the smallest value."""
    X, weights = np.array([[0, 1e9, 1e9 + 1, 1e9 + 2, 1e9 + 4]]).T, np.array([1e-18, 0.1, 0.3, 0.7, 1.1])
    want = root(moments(exact_array(X[:, 0]), weights)[1])
    parts = [Standardizer().fit(X[i], sample_weight=weights[i]) for i in (slice(cut), slice(cut, None))]
    split = Standardizer().partial_fit(X[:cut], sample_weight=weights[:cut])
    split.partial_fit(X[cut:], sample_weight=weights[cut:])
    for fitted in (split, parts[0].merge(parts[1]), parts[1].merge(parts[0])):
        assert abs(exact(fitted.scale_[0]) - want) <= want * Fraction(0.5e-14)


@few_dtypes
@both_classes
@given(st.data())
def test_a_sample_of_weight_zero_changes_no_bit(cls, dtype, data):
    X = data.draw(features(dtype))
    weights = np.array(data.draw(weights_for(X, st.sampled_from([0.0, 1.0, 0.3]))))
    kept = weights > 0
    with_zeros = cls().fit(X, sample_weight=weights)
    without = cls().fit(X[kept], sample_weight=weights[kept])
    np.testing.assert_array_equal(with_zeros.transform(X[kept]), without.transform(X[kept]))


@few_dtypes
@given(st.data())
def test_partial_fit_over_any_split_equals_one_fit(dtype, data):
    X = data.draw(features(dtype))
    split = Standardizer()
    for batch in batches(data, X):
        split.partial_fit(batch)
    assert_same_statistics(split, Standardizer().fit(X))


@few_dtypes
@given(st.data())
def test_merging_in_any_order_equals_one_fit(dtype, data):
    X = data.draw(features(dtype))
    parts = data.draw(st.permutations([Standardizer().fit(batch) for batch in batches(data, X)]))
    whole = Standardizer().fit(X)
    assert_same_statistics(reduce(Standardizer.merge, parts), whole)
    assert_same_statistics(reduce(lambda left, right: right.merge(left), parts), whole)


@few_dtypes
@given(st.data())
def test_deviations_from_the_mean_stay_within_4_ulp_after_any_split_and_merge(dtype, data):
    X = data.draw(features(dtype))
    parts = [Standardizer(with_std=False).fit(batch) for batch in batches(data, X)]
    with np.errstate(over="ignore"):  # a deviation may leave the type's range
        got = reduce(Standardizer.merge, data.draw(st.permutations(parts))).transform(X)
    assert feature_errors(got, standardized(X, with_std=False)).max() <= 4


@few_dtypes
@given(st.data())
def test_split_and_merged_limits_are_those_of_the_whole(dtype, data):
    X = data.draw(features(dtype))
    split, whole = MinMaxNormalizer((-0.1, 0.3)), MinMaxNormalizer((-0.1, 0.3)).fit(X)
    parts = []
    for batch in batches(data, X):
        split.partial_fit(batch)
        parts.append(MinMaxNormalizer((-0.1, 0.3)).fit(batch))
    merged = reduce(MinMaxNormalizer.merge, data.draw(st.permutations(parts)))
    for fitted in (split, merged):
        np.testing.assert_array_equal(fitted.data_min_, whole.data_min_)
        np.testing.assert_array_equal(fitted.data_max_, whole.data_max_)
        np.testing.assert_array_equal(fitted.transform(X), whole.transform(X))


@few_dtypes
@given(st.data())
def test_the_order_of_the_samples_means_nothing(dtype, data):
    X = data.draw(features(dtype))
    shuffled = X[data.draw(st.permutations(range(len(X))))]
    assert_same_statistics(Standardizer().fit(shuffled), Standardizer().fit(X))
    limits = MinMaxNormalizer()
    np.testing.assert_array_equal(limits.fit(shuffled).transform(X), limits.fit(X).transform(X))


@few_dtypes
@given(st.data())
def test_mean_and_scale_are_those_of_exact_arithmetic(dtype, data):
    X = data.draw(features(dtype))
    fitted = Standardizer().fit(X)
    for j, column in enumerate(exact_array(X).reshape(-1, X.shape[-1]).T):
        mean, variance = moments(column)
        got = exact(fitted.mean_[j]), exact(fitted.scale_[j])
        if mean is None:
            assert got == (None, None)
            continue
        scale = root(variance) if variance else Fraction(1)
        assert abs(got[0] - mean) <= max(ulp(mean, np.float64), ulp(scale, np.float64))
        assert abs(got[1] - scale) <= 4 * ulp(scale, np.float64)


@pytest.mark.parametrize("samples, bound", [(200_000, 4), (1_100_000, 8)])
@pytest.mark.parametrize("dtype, order", [("float64", "C"), ("float32", "F"), ("int64", "C"), ("uint16", "F")])
def test_a_long_feature_keeps_the_bound(samples, bound, dtype, order):
    rng = np.random.default_rng(7)
    offset = {"float64": 10**15, "float32": 2**23, "int64": -(2**62), "uint16": 0}[dtype]
    steps = np.stack([rng.integers(0, 50_000, samples), rng.geometric(0.01, samples)], axis=1)
    X = np.array(offset + steps, dtype, order=order)  # exact in every type
    got = Standardizer().fit_transform(X)[:2000]
    for j, column in enumerate(steps.T):
        total, squares = int(column.sum()), int((column * column).sum())
        mean, variance = Fraction(total, samples), Fraction(squares * samples - total**2, samples**2)
        want = (exact_array(column[:2000, None]) - mean) / root(variance)
        assert feature_errors(got[:, j : j + 1], want).max() <= bound


N = 6000
LATER = {
    "like the first": lambda rng: rng.normal(size=N),
    "a jump": lambda rng: np.r_[np.zeros(1024), np.full(N - 1024, 3.0)] + 1e-9 * rng.normal(size=N),
    "a jump after two values": lambda rng: np.r_[0, 1, np.full(2046, np.nan), 2.3 + 1e-9 * rng.normal(size=N - 2048)],
    "a trend": lambda rng: np.arange(N) + rng.normal(size=N),
    "growth": lambda rng: np.exp(np.linspace(0, 30, N)),
    "constant at first": lambda rng: np.r_[np.full(3000, 0.1), rng.normal(size=N - 3000)],
    "constant but for the last": lambda rng: np.r_[np.full(N - 1, 0.1), 0.7],
    "missing later": lambda rng: np.where(np.arange(N) < 3000, 1, np.nan) * rng.normal(size=N),
}


@pytest.mark.parametrize("later", LATER)
@pytest.mark.parametrize("offset", [0, 1e8, 1e15])
@pytest.mark.parametrize("width, order", [(1, "C"), (5, "F"), (300, "C")])
def test_what_comes_later_need_not_be_like_what_came_first(later, offset, width, order):
    column = LATER[later](np.random.default_rng(0)) + offset
    X = np.array(np.random.default_rng(1).normal(size=(N, width)), order=order)
    X[:, -1] = column
    fitted = Standardizer().fit(X)
    numbers = [Fraction(value) for value in column[~np.isnan(column)].tolist()]
    total, squares = sum(numbers), sum(value * value for value in numbers)
    mean, variance = total / len(numbers), squares / len(numbers) - (total / len(numbers)) ** 2
    assert abs(Fraction(fitted.mean_[-1]) - mean) <= ulp(mean, np.float64)
    assert abs(Fraction(fitted.scale_[-1]) - root(variance)) <= 4 * ulp(root(variance), np.float64)
