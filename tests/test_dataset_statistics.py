"""The algebra of summaries: identity, any order, any split, selection, pooling; and that a summary never changes."""

from contextlib import contextmanager
from dataclasses import FrozenInstanceError, fields, replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sknorm import _dataset_walk, _kernels
from sknorm._dataset_statistics import Extrema, Moments
from sknorm._kernels import _blocks
from sknorm._precision import DoubleDouble

from .awkward import FEW_DTYPES, groups
from .exact import exact_array, moments, present, root

BOUND = 1e-14  # of the variance, relatively, for any way of fitting
both = pytest.mark.parametrize("cls", [Extrema, Moments])


@contextmanager
def small_blocks(most=8):
    """Blocks of a few values, and merges of a few blocks, as large data have them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_kernels, "LARGE_BLOCK", most)
        patch.setattr(_kernels, "SMALL_BLOCK", most)
        patch.setattr(_kernels, "tiles_of", partial(_blocks.tiles_of, width=2))
        patch.setattr(_dataset_walk, "PENDING_VALUES", 3)
        yield


@st.composite
def data(draw, n_parts=1):
    """Parts of one data set, each (n_samples, n_features)."""
    dtype, n_features = draw(st.sampled_from(FEW_DTYPES)), draw(st.integers(1, 3))
    sizes = [draw(st.integers(1, 5)) for _ in range(n_parts)]
    X = np.array([draw(groups(dtype, sum(sizes))) for _ in range(n_features)]).T
    return np.split(X, np.cumsum(sizes)[:-1])


def value(x, i):
    """The exact value of one double-double of an array, None for NaN."""
    return None if np.isnan(x.hi[i]) else Fraction(x.hi[i].item()) + Fraction(x.lo[i].item())


def assert_same(one, other, bound=BOUND):
    """Equal summaries, up to ``bound`` of the variance, and of the span in the mean."""
    assert type(one) is type(other)
    assert one.n_samples == pytest.approx(other.n_samples, rel=bound, abs=0)
    np.testing.assert_allclose(one.count, other.count, rtol=bound)
    for name in ("minimum", "maximum"):
        for i in range(len(one.count)):
            assert value(getattr(one, name), i) == value(getattr(other, name), i)
    np.testing.assert_array_equal(one.exponent, other.exponent)
    if isinstance(one, Moments):
        for i in np.flatnonzero(one.count):
            assert abs(value(one.variance, i) - value(other.variance, i)) <= bound * value(other.variance, i)
            span = (value(one.maximum, i) - value(one.minimum, i)) / Fraction(2) ** int(one.exponent[i])
            assert abs(value(one.above, i) - value(other.above, i)) <= bound * span


def bits(summary):
    names = ("count", "minimum", "maximum", *(("above", "variance") if isinstance(summary, Moments) else ()))
    found = [getattr(summary, name) for name in names]
    return [p.tobytes() for x in found for p in ((x.hi, x.lo) if isinstance(x, DoubleDouble) else (x,))]


# What a summary says


@given(data())
def test_a_summary_holds_counts_ends_mean_and_variance(parts):
    (X,) = parts
    for summary in (Extrema.of(X), Moments.of(X)):
        assert summary.n_samples == len(X)
        assert (type(summary.n_samples), summary.count.dtype, summary.dtype) == (int, np.int64, X.dtype)
        for i, column in enumerate(exact_array(X).T):
            values = present(column)
            assert summary.count[i] == len(values)
            assert value(summary.minimum, i) == min(values, default=None)
            assert value(summary.maximum, i) == max(values, default=None)
            assert summary.constant[i] == (len(set(values)) == 1)
            if not values and isinstance(summary, Moments):
                assert value(summary.above, i) == value(summary.variance, i) == 0
            if values and isinstance(summary, Moments):
                mean, variance = moments(values)
                unit = Fraction(2) ** int(summary.exponent[i])
                span = max(values) - min(values)
                assert abs(value(summary.above, i) * unit - (mean - min(values))) <= Fraction(BOUND) * span
                assert abs(value(summary.variance, i) * unit**2 - variance) <= Fraction(BOUND) * variance


@given(data())
def test_mean_and_variance_come_in_the_unit_asked_for(parts):
    (X,) = parts
    summary = Moments.of(X)
    power = summary.exponent + 3
    with np.errstate(all="ignore"):
        mean, rest = summary.mean(power)
    for i, column in enumerate(exact_array(X).T):
        want, variance = moments(column)
        if want is None:
            assert np.isnan(mean.hi[i])
            continue
        scaled = want / Fraction(2) ** int(power[i])
        size = max(map(abs, present(column))) / Fraction(2) ** int(power[i])
        assert abs(value(mean, i) + Fraction(rest[i].item()) - scaled) <= size / 2**66 + Fraction(1, 2**1074)
        got = value(summary.sample_variance(0), i) * Fraction(4) ** int(summary.exponent[i])
        assert abs(got - variance) <= Fraction(BOUND) * variance


def test_the_mean_has_a_rest_where_a_double_double_cannot_hold_it():
    """Two thirds above 2**62, in integers: 2**62 takes one part, and two thirds need more bits than the other has."""
    summary = Moments.of(np.array([[0], [1], [1]]) + 2**62)
    mean, rest = summary.mean(np.array([0]))
    exact = 2**62 + Fraction(2, 3)
    assert abs(value(mean, 0) + Fraction(rest[0].item()) - exact) <= Fraction(1, 2**100)


@pytest.mark.parametrize("ddof, variance", [(0, 2 / 3), (1, 1.0), (2, 2.0), (3, np.nan), (4, np.nan)])
def test_the_degrees_of_freedom_are_taken_off_the_count_and_none_left_means_nan(ddof, variance):
    found = Moments.of(np.array([[1.0], [2.0], [3.0], [np.nan]])).sample_variance(ddof)
    np.testing.assert_allclose(found.hi, [variance], rtol=1e-15)


# Laws


@both
@given(parts=data())
def test_an_empty_summary_changes_nothing(cls, parts):
    summary = cls.of(parts[0])
    empty = cls.empty(parts[0].shape[1])
    for merged in (summary.merge(empty), empty.merge(summary), summary.merge(empty, empty)):
        assert_same(merged, summary)
        assert merged.dtype == summary.dtype


@both
def test_empty_summaries_make_an_empty_one(cls):
    merged = cls.empty(2).merge(cls.empty(2))
    assert_same(merged, cls.empty(2))
    assert merged.dtype is None
    assert merged.n_samples == 0
    assert np.isnan(merged.minimum.hi).all()


@both
@given(parts=data(n_parts=3))
def test_merging_is_associative_and_commutative_and_splitting_changes_nothing(cls, parts):
    a, b, c = map(cls.of, parts)
    whole = cls.of(np.concatenate(parts))
    for merged in (a.merge(b).merge(c), a.merge(b.merge(c)), c.merge(a, b), b.merge(c).merge(a), a.merge(b, c)):
        assert_same(merged, whole)


@both
@given(parts=data(n_parts=2), features=st.lists(st.integers(0, 2), min_size=1, max_size=4))
def test_selecting_features_before_or_after_merging_is_the_same(cls, parts, features):
    index = np.array(features) % parts[0].shape[1]
    a, b = map(cls.of, parts)
    merged = a.merge(b).select(index)
    assert bits(merged) == bits(a.select(index).merge(b.select(index)))
    assert merged.n_samples == len(parts[0]) + len(parts[1])
    assert_same(a.select(index), cls.of(parts[0][:, index]))


@both
@given(parts=data())
def test_pooled_features_are_described_by_all_values_together(cls, parts):
    (X,) = parts
    d = X.shape[1]
    pooled = cls.of(X).pooled()
    together = cls.of(X.reshape(-1, 1)).select(np.zeros(d, int))
    assert pooled.n_samples == len(X)
    assert_same(pooled, replace(together, n_samples=len(X)))


@pytest.mark.parametrize("n_features", range(1, 10))
def test_any_number_of_features_is_pooled_with_none_forgotten(n_features):
    X = np.arange(2.0 * n_features).reshape(2, n_features)
    pooled = Moments.of(X).pooled()
    np.testing.assert_array_equal(pooled.count, [2 * n_features] * n_features)
    np.testing.assert_array_equal(pooled.maximum.hi, [X.max()] * n_features)
    np.testing.assert_allclose(pooled.variance.hi, [X.var()] * n_features, rtol=BOUND)


@both
def test_the_dtype_of_all_data_together_holds_each_of_them(cls):
    small, large = cls.of(np.array([[1]], np.uint8)), cls.of(np.array([[-1]], np.int16))
    assert small.merge(large).dtype == np.int16
    assert small.merge(cls.of(np.array([[0.5]], np.float32))).dtype == np.float32


# Blocks


@st.composite
def arrays(draw):
    """Data with the samples on one or two axes, in either order, with weights, some 0, or without."""
    (X,) = draw(data())
    X = np.concatenate([X] * draw(st.integers(1, 6)))
    if draw(st.booleans()):
        X = np.repeat(X, 2, axis=0).reshape(len(X), 2, -1)
    weights = st.lists(st.integers(0, 3), min_size=len(X), max_size=len(X)).filter(any).map(np.array)
    return np.asarray(X, order=draw(st.sampled_from("CF"))), draw(st.none() | weights)


@both
@given(case=arrays())
def test_summaries_of_small_blocks_make_the_summary_of_the_whole(cls, case):
    X, weights = case
    want = X if weights is None else np.repeat(X, weights, axis=0)
    whole = cls.of(want.reshape(-1, X.shape[-1]))
    if weights is not None:
        whole = replace(whole, n_samples=float(whole.n_samples))
    with small_blocks():
        got = cls.of(X, weights)
    assert_same(got, whole)
    assert type(got.n_samples) is type(whole.n_samples)
    assert got.dtype == X.dtype


@both
@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_array])
@given(case=arrays())
def test_a_sparse_summary_is_that_of_all_values_stored_or_not(cls, container, case):
    X, weights = case
    X = X.reshape(len(X), -1).astype(np.float32 if X.dtype == np.float16 else X.dtype)  # SciPy has no float16
    X = X * np.random.default_rng(len(X)).integers(0, 2, X.shape).astype(X.dtype)
    X[:, -1] = 0  # a feature without a stored value
    want = cls.of(X, weights)
    for size in (8, 2**15):
        with small_blocks(size):
            got = cls.of(container(X), weights)
        assert_same(got, want)
        assert (got.dtype, got.count.dtype, type(got.n_samples)) == (X.dtype, want.count.dtype, type(want.n_samples))


@both
def test_a_weight_of_zero_leaves_out_an_infinity_and_whole_blocks_too(cls):
    infinite = np.array([[np.inf], [2.0], [4.0]])
    X, weights = np.arange(1.0, 41).reshape(40, 1), np.r_[np.zeros(30), np.ones(10)]
    for make in (np.asarray, sp.csr_array, sp.csc_array):
        with small_blocks(1):
            summary = cls.of(make(infinite), np.array([0, 1, 3]))
            assert_same(cls.of(make(X), weights), replace(cls.of(X[30:]), n_samples=10.0))
        assert (summary.n_samples, summary.count[0], summary.maximum.hi[0]) == (4.0, 4.0, 4.0)


@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("weights", [[1e16, 1.0, 1.0], [1e12, 1e-3, 1e3], [0.1, 0.2, 0.3], [1e-9, 1e9, 3.0]])
def test_a_small_weight_of_zeros_that_are_not_stored_is_not_lost(container, weights):
    X = np.array([[5.0, 1.0], [0.0, 2.0], [3.0, 0.0]])
    assert_same(Moments.of(container(X), np.array(weights)), Moments.of(X, np.array(weights)))


@both
@pytest.mark.parametrize("power", [-1000, -300, -159, 159, 250, 390, 1000])
def test_a_factor_of_all_weights_changes_nothing_but_the_count(cls, power):
    X = np.random.default_rng(0).normal(size=(40, 5)) * [1e-200, 2.0**-390, 1.0, 2.0**390, 1e200]
    weights = np.random.default_rng(1).uniform(0.5, 2, 40)
    for make in (np.asarray, sp.csr_array, sp.csc_array):
        with small_blocks(16), np.errstate(all="ignore"):
            want, got = cls.of(make(X), weights), cls.of(make(X), np.ldexp(weights, power))
            merged = got.merge(cls.of(make(X[:3]), np.ldexp(weights[:3], power)))
            want_merged = want.merge(cls.of(make(X[:3]), weights[:3]))
        for one, other in [(got, want), (merged, want_merged)]:
            np.testing.assert_allclose(one.count, np.ldexp(other.count, power), rtol=BOUND)
            assert one.n_samples == pytest.approx(np.ldexp(other.n_samples, power), rel=BOUND)
            assert type(one.n_samples) is float
            assert_same(replace(one, count=other.count, n_samples=other.n_samples), other)


@pytest.mark.parametrize(
    "parts",
    [[slice(0, 9)], [slice(0, 1), slice(1, 9)], [slice(0, 5), slice(5, 9)], [slice(0, 1), slice(1, 4), slice(4, 9)]],
)
@pytest.mark.parametrize("far, little", [(1e20, 1e-32), (1e40, 1e-64), (2.7e35, 1e-71)])
def test_a_value_far_off_of_little_weight_spoils_neither_mean_nor_variance(parts, far, little):
    X = np.array([-far, *np.random.default_rng(0).normal(size=8)])[:, None]
    weights = np.array([little, *[1.0] * 8])
    first, *others = [Moments.of(X[part], weights[part]) for part in parts]
    found = first.merge(*others)
    mean, variance = moments(exact_array(X[:, 0]), weights)
    assert abs(value(found.above, 0) - (mean - Fraction(-far))) <= Fraction(BOUND) * root(variance)
    assert abs(value(found.variance, 0) - variance) <= Fraction(BOUND) * variance


@pytest.mark.parametrize("little", [1e-20, 1e-36, 1e-50])  # and far below, what a pair of float64 lacks is all there is
def test_the_variance_that_is_all_of_a_value_of_little_weight_is_exact(little):
    rng = np.random.default_rng(0)
    X, weights = rng.normal(size=(2, 20))[[0, 1, 1, 1]], np.array([little, *rng.uniform(0.5, 2, 3)])
    found = Moments.of(X, weights)
    for i, column in enumerate(exact_array(X).T):
        _, variance = moments(column, weights)
        assert abs(value(found.variance, i) / Fraction(2) ** int(-2 * found.exponent[i]) - variance) <= BOUND * variance


@both
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_array])
def test_small_weights_of_parts_are_counted_beside_a_large_one(cls, container):
    X, weights = container(np.array([[1.0], [0.0], [3.0]])), np.array([2.0**53, 1.0, 1.0])
    first, *others = (cls.of(X[i : i + 1], weights[i : i + 1]) for i in range(3))
    assert first.merge(*others).count == 2.0**53 + 2


@pytest.mark.parametrize("n", [3, 97, 1001])
def test_an_offset_of_nearly_all_bits_costs_the_variance_nothing(n):
    X = (2.0**52 + np.random.default_rng(0).integers(0, 3, n))[:, None]
    for summary in (Moments.of(X), Moments.of(X[:2]).merge(Moments.of(X[2:]))):
        variance = moments(exact_array(X[:, 0]))[1]
        assert abs(value(summary.variance, 0) - variance) <= Fraction(BOUND) * variance


# Never changed


@both
@given(parts=data(n_parts=2))
def test_nothing_that_is_made_of_a_summary_changes_it(cls, parts):
    summaries = [*map(cls.of, parts)]
    before = [*map(bits, summaries)]
    a, b = summaries
    a.merge(b), a.merge(cls.empty(parts[0].shape[1])), a.select([0]), a.pooled(), a.merge()
    with np.errstate(all="ignore"):
        Moments.of(parts[0]).mean(a.exponent)
    assert [*map(bits, summaries)] == before


@both
def test_the_fields_of_a_summary_cannot_be_set(cls):
    summary = cls.of(np.eye(2))
    for f in fields(cls):
        with pytest.raises(FrozenInstanceError):
            setattr(summary, f.name, None)


@both
def test_a_summary_does_not_follow_its_data(cls):
    X = np.array([[1.0], [2.0], [4.0]])
    summary = cls.of(X)
    before = bits(summary)
    X[:] = 9
    assert bits(summary) == before
