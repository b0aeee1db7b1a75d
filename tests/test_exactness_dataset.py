"""Dataset transformers against exact arithmetic: 4 ulp, exact ends, exact constants, the way back."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sknorm import MinMaxNormalizer, Standardizer

from .awkward import DTYPES, FEW_DTYPES, FLOATS, features, groups, in_two_units, one_way
from .exact import (
    errors,
    exact,
    exact_array,
    feature_errors,
    feature_sizes,
    largest,
    minmax_scaled,
    moments,
    output_dtype,
    present,
    root,
    rounded,
    standardized,
    ulp,
)

RANGES = [(0, 1), (-1, 0), (-1, 1), (-0.1, 0.3), (0.1, 0.7), (1e-30, 1), (5, 6), (-1000.1, 1e-3)]
RANGES_OF_FLOAT64 = [(0, 1e300), (-1.7e308, 1.7e308), (5e-324, 1e-320), (1e15, 1e15 + 1), (-1e-300, 1e300), (-1e308, 3)]

every_dtype = pytest.mark.parametrize("dtype", DTYPES)
few_dtypes = pytest.mark.parametrize("dtype", FEW_DTYPES)
booleans = st.booleans()
known_limits = st.sampled_from([(0, 255), (-1, 1), (0.1, 0.7), (-1e-3, 1e4), (0, 1e-310), (-1e308, 1e308), (0, 1e200)])


def feature_ranges(dtype):
    """Ranges whose ends the output dtype tells apart."""
    wide = output_dtype(dtype) == np.float64
    return st.sampled_from(RANGES + RANGES_OF_FLOAT64 if wide else RANGES)


def by_feature(X):
    """The exact values of each feature, those that are not missing."""
    return [present(column) for column in exact_array(X).reshape(-1, X.shape[-1]).T]


def is_nearest(value, target):
    """Whether no other float of this dtype is nearer: equality, but for integers that the dtype cannot hold."""
    return abs(exact(value) - target) <= abs(exact(rounded(target, value.dtype)) - target)


def split(data, X):
    """X cut in two along its first axis; the second part may be empty."""
    cut = data.draw(st.integers(1, len(X)))
    return X[:cut], X[cut:]


@every_dtype
@given(st.data())
def test_standardized_values_are_within_4_ulp(dtype, data):
    X = data.draw(features(dtype))
    params = data.draw(
        st.fixed_dictionaries(
            {"with_mean": booleans, "with_std": booleans, "per_feature": booleans, "ddof": st.integers(0, 1)}
        )
    )
    with np.errstate(over="ignore"):  # without a division, values may leave the type's range
        got = Standardizer(**params).fit_transform(X)
    want = standardized(X, **params)
    assert got.dtype == output_dtype(dtype)
    assert feature_errors(got, want, at_least=0 if params["per_feature"] else largest(want.flat)).max() <= 4


@pytest.mark.parametrize("dtype", ["float64", "int64"])
@pytest.mark.parametrize("asked", FLOATS)
@given(st.data())
def test_a_dtype_asked_for_keeps_the_bound(asked, dtype, data):
    X = data.draw(features(dtype))
    standard, normalized = Standardizer(dtype=asked).fit_transform(X), MinMaxNormalizer(dtype=asked).fit_transform(X)
    assert feature_errors(standard, standardized(X)).max() <= 4
    assert feature_errors(normalized, minmax_scaled(X, dtype=asked)).max() <= 4


@every_dtype
@given(st.data())
def test_normalized_values_are_within_4_ulp(dtype, data):
    X, feature_range, per_feature = data.draw(st.tuples(features(dtype), feature_ranges(dtype), booleans))
    got = MinMaxNormalizer(feature_range, per_feature=per_feature).fit_transform(X)
    want = minmax_scaled(X, feature_range=feature_range, per_feature=per_feature, dtype=got.dtype)
    assert got.dtype == output_dtype(dtype)
    assert feature_errors(got, want, at_least=0 if per_feature else largest(want.flat)).max() <= 4


@every_dtype
@given(st.data())
def test_new_values_are_within_4_ulp_at_the_larger_of_theirs_and_the_training_outputs(dtype, data):
    old, new = split(data, data.draw(features(dtype)))
    with np.errstate(over="ignore"):  # new values may leave the type's range
        got = Standardizer().fit(old).transform(new)
    training = feature_sizes(standardized(old))
    assert feature_errors(got, standardized(old, new), at_least=training).max(initial=0) <= 4


@pytest.mark.parametrize(
    "dtype, tiny, far",
    [
        ("float16", 6e-8, 65504),
        ("float32", 1e-45, 3e38),
        ("float32", 1e-30, 1),
        ("float64", 5e-324, 1.7e308),
        ("float64", 1e-310, 1e200),
        ("float64", 1e-300, 1e-5),
        ("float64", 1e-200, 1),
    ],
)
def test_a_value_far_outside_a_tiny_feature_is_an_end_or_infinite_but_not_missing(dtype, tiny, far):
    old, new = np.array([[0], [tiny]], dtype), np.array([[far], [-far]], dtype)
    np.testing.assert_array_equal(MinMaxNormalizer(clip=True).fit(old).transform(new), [[1], [0]])
    wanted = [
        (MinMaxNormalizer(), minmax_scaled(old, new, dtype=dtype)),
        (Standardizer(), standardized(old, new)),
        (Standardizer(with_std=False), standardized(old, new, with_std=False)),
    ]
    for scaler, want in wanted:
        with np.errstate(over="ignore"):
            got = scaler.fit(old).transform(new)
        assert feature_errors(got, want).max() <= 4


@pytest.mark.parametrize("value", [3e-323, 1e-300, 0.1, 1e300, -1.7e308])
@pytest.mark.parametrize("new", [0.1, -2e65, 3e300, 1.7e308, 1e-310])
def test_a_new_value_of_a_constant_feature_is_mapped_as_if_the_range_were_1(value, new):
    old, new = np.array([[value], [value]]), np.array([[new]])
    with np.errstate(over="ignore"):
        standard = Standardizer().fit(old).transform(new)
        normalized = MinMaxNormalizer((-1, 1)).fit(old).transform(new)
    want = minmax_scaled(old, new, feature_range=(-1, 1), dtype=np.float64)
    assert feature_errors(standard, standardized(old, new)).max() <= 4
    assert feature_errors(normalized, want, at_least=1).max() <= 4


@every_dtype
@given(st.data())
def test_clipped_new_values_are_within_4_ulp_and_inside_the_range(dtype, data):
    old, new = split(data, data.draw(features(dtype)))
    low, high = feature_range = data.draw(feature_ranges(dtype))
    got = MinMaxNormalizer(feature_range, clip=True).fit(old).transform(new)
    want = minmax_scaled(old, new, feature_range=feature_range, clip=True, dtype=got.dtype)
    low, high = got.dtype.type([low, high])
    assert feature_errors(got, want, at_least=max(-low, high)).max(initial=0) <= 4
    assert np.all((got >= low) & (got <= high) | np.isnan(got))


@few_dtypes
@given(st.data())
def test_known_statistics_give_values_within_4_ulp(dtype, data):
    X = data.draw(features(dtype))
    known = st.sampled_from([0.0, 0.485, -123.675, 1e-3]), st.sampled_from([1.0, 0.229, 58.395, 1e3])
    mean, std = (data.draw(st.lists(values, min_size=X.shape[-1], max_size=X.shape[-1])) for values in known)
    with np.errstate(over="ignore"):  # the largest values over a small std
        got = Standardizer(mean=mean, std=std).fit(X).transform(X)
    assert feature_errors(got, standardized(X, mean=mean, std=std)).max() <= 4


@few_dtypes
@given(st.data())
def test_known_limits_give_values_within_4_ulp(dtype, data):
    X, feature_range, limits = data.draw(st.tuples(features(dtype), feature_ranges(dtype), known_limits))
    got = MinMaxNormalizer(feature_range, in_range=limits, clip=True).fit(X).transform(X)
    ends = np.repeat(limits, X.shape[-1]).reshape(2, -1)
    want = minmax_scaled(X, feature_range=feature_range, in_range=ends, clip=True, dtype=got.dtype)
    assert feature_errors(got, want, at_least=np.abs(got.dtype.type(feature_range)).max()).max() <= 4


@every_dtype
@given(st.data())
def test_the_ends_are_reached_exactly_never_left_and_come_back_bit_for_bit(dtype, data):
    X, feature_range = data.draw(st.tuples(features(dtype), feature_ranges(dtype)))
    scaler = MinMaxNormalizer(feature_range)
    Y = scaler.fit_transform(X)
    back = scaler.inverse_transform(Y)
    low, high = (rounded(exact(end), Y.dtype) for end in feature_range)
    for j, values in enumerate(by_feature(X)):
        y, x = Y[..., j], back[..., j]
        assert np.all((y >= low) & (y <= high) | np.isnan(y))
        if values:
            minimum, maximum = min(values), max(values)
            column = exact_array(X[..., j])
            assert np.all(y[column == minimum] == low)
            assert all(is_nearest(value, minimum) for value in x[column == minimum])
            assert np.all(y[column == maximum] == (high if minimum < maximum else low))
            assert all(is_nearest(value, maximum) for value in x[column == maximum])


@few_dtypes
@pytest.mark.parametrize("cls", [MinMaxNormalizer, Standardizer])
@given(st.data())
def test_the_way_back_costs_1_ulp_of_the_largest_value_beyond_the_rounding_of_y(cls, dtype, data):
    X = data.draw(features(dtype))
    if cls is MinMaxNormalizer:
        scaler = cls(data.draw(feature_ranges(dtype)))
        low, high = (exact(rounded(exact(end), output_dtype(dtype))) for end in scaler.feature_range)
    else:
        scaler = cls(with_mean=data.draw(booleans), with_std=data.draw(booleans))
    with np.errstate(over="ignore"):
        Y = scaler.fit_transform(X)
    assume(not np.isinf(Y).any())  # x - mean can leave the type
    back = scaler.inverse_transform(Y)
    assert back.dtype == Y.dtype
    for j, values in enumerate(by_feature(X)):
        if not values:
            continue
        if cls is MinMaxNormalizer:
            scale = (max(values) - min(values)) / (high - low)
        else:
            scale = root(moments(values)[1]) if scaler.with_std else 1
        size = largest(values)
        found = errors(back[..., j], exact_array(X[..., j]), size)
        for y, error in zip(exact_array(Y[..., j]).flat, found.flat, strict=True):
            if y is not None:
                assert error <= float(1 + scale * ulp(y, Y.dtype) / 2 / ulp(size, back.dtype))


@pytest.mark.parametrize("value", [5e-324, -1e-310, 1e-300, 0.1, 1e280, -6e307, 1.7976931348623157e308])
@pytest.mark.parametrize("feature_range", RANGES + RANGES_OF_FLOAT64)
def test_a_constant_feature_becomes_the_low_end_of_any_range(value, feature_range):
    X, scaler = np.full((3, 1), value), MinMaxNormalizer(feature_range)
    Y = scaler.fit_transform(X)
    np.testing.assert_array_equal(Y, np.full_like(X, feature_range[0]))
    np.testing.assert_array_equal(scaler.inverse_transform(Y), X)


@few_dtypes
@given(st.data())
def test_a_constant_feature_gives_exact_zeros_and_comes_back_bit_for_bit(dtype, data):
    value = data.draw(groups(dtype, 1))
    X = np.repeat(value, data.draw(st.integers(1, 40))).reshape(-1, 1)
    assume(not np.isnan(value))
    standardizer, normalizer = Standardizer(), MinMaxNormalizer((-0.1, 0.3))
    assert np.all(standardizer.fit_transform(X) == 0)
    assert np.all(normalizer.fit_transform(X) == output_dtype(dtype).type(-0.1))
    for fitted in (standardizer, normalizer):
        assert fitted.constant_features_.tolist() == [True]
        assert np.all(fitted.inverse_transform(fitted.transform(X)) == X.astype(output_dtype(dtype)))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("cls", [MinMaxNormalizer, Standardizer])
@given(st.data())
def test_a_unit_that_is_a_power_of_two_larger_gives_the_same_bits(cls, dtype, data):
    X, scaled = data.draw(in_two_units(features(dtype)))
    units = 4 * float(np.finfo(dtype).smallest_subnormal)  # of subnormal results, which no power of two leaves alone
    np.testing.assert_allclose(cls().fit_transform(scaled), cls().fit_transform(X), rtol=0, atol=units)


@few_dtypes
@pytest.mark.parametrize("cls", [MinMaxNormalizer, Standardizer])
@given(st.data())
def test_fortran_order_agrees_with_c_order_within_the_bound(cls, dtype, data):
    X = data.draw(features(dtype))
    C, F = (cls().fit_transform(np.array(X, order=order)) for order in "CF")
    assert feature_errors(F, exact_array(C)).max() <= 4


@pytest.mark.parametrize("places", ["halves", "eighths"])
@pytest.mark.parametrize("size", [2**10, 2**13, 2**17])
@pytest.mark.parametrize("order", ["C", "F"])
def test_rounding_errors_that_all_go_one_way_do_not_add_up(places, size, order):
    X = np.asarray(one_way(size, places)[:, None], order=order)
    variance = sum(exact(value) ** 2 for value in X[X != 0]) / size
    got = Standardizer().fit_transform(X)
    assert feature_errors(got[:2], exact_array(X[:2]) / root(variance)).max() <= 4
