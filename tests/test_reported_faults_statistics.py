"""Faults reported in other packages, as tests of their kind: the statistics of a data set.

Each test names the public issues; the input that was reported stands among others of its kind.
"""

import numpy as np
import pytest
from sklearn.base import clone

from sknorm import MinMaxNormalizer, Standardizer

from .exact import exact_array, feature_errors

FLOATS = [np.float16, np.float32, np.float64]
UP = np.sqrt(1.5)  # what the ends of three evenly spaced values standardize to


def column(*values, dtype=np.float64):
    return np.array(values, dtype).reshape(-1, 1)


def ulps(got, want):
    """The worst error in ulps at the largest magnitude of its feature."""
    return feature_errors(got, exact_array(want)).max()


# Numbers that are constant, tiny, huge or far from zero


@pytest.mark.parametrize("n_samples", [1, 7, 1000])
@pytest.mark.parametrize("dtype", FLOATS)
def test_a_constant_feature_gives_exact_zeros_though_its_mean_would_round(dtype, n_samples):
    """scikit-learn#3722 and #17794, tslearn#52, mlxtend#1058: seven times 0.1 left a residue."""
    constants = np.append([0.1, 7.3, -1 / 3, 0.0, 6e4], np.random.default_rng(0).lognormal(0, 3, 200))
    X = np.tile(constants.astype(dtype), (n_samples, 1))
    for low in (0, 2):
        minmax = MinMaxNormalizer(feature_range=(low, 3)).fit(X)
        np.testing.assert_array_equal(minmax.transform(X), np.full(X.shape, low, dtype))
    standard = Standardizer().fit(X)
    np.testing.assert_array_equal(standard.transform(X), np.zeros(X.shape, dtype))
    assert standard.constant_features_.all()


@pytest.mark.parametrize("constant", [5e-324, 1e-320, 1e-300, -1e-160, 1e160, -3e300, 1.7e308])
def test_a_constant_feature_gives_exact_zeros_in_any_unit(constant):
    """scikit-learn#3722: the general kind, where a sum or a square overflows or vanishes."""
    X = np.full((3, 1), constant)
    np.testing.assert_array_equal(MinMaxNormalizer(feature_range=(2, 3)).fit_transform(X), column(2, 2, 2))
    standard = Standardizer().fit(X)
    np.testing.assert_array_equal(standard.transform(X), column(0, 0, 0))
    np.testing.assert_array_equal(standard.inverse_transform(column(0)), column(constant))


@pytest.mark.parametrize("estimator", [MinMaxNormalizer(), Standardizer()])
def test_a_constant_feature_stays_constant_when_it_is_fitted_in_pieces(estimator):
    """scikit-learn#17794, dask-ml#979: the means of the pieces differ in their last bit."""
    X = np.full((1000, 1), 0.1)
    estimator = clone(estimator)
    for piece in np.array_split(X, 13):
        estimator.partial_fit(piece)
    np.testing.assert_array_equal(estimator.transform(X), np.zeros_like(X))


@pytest.mark.parametrize(
    "dtype, start, step",
    [
        (np.float64, 0, 1e-16),
        (np.float64, 0, 5e-324),
        (np.float64, 0, 2e-310),
        (np.float64, -1e-320, 1e-320),
        (np.float64, 1, 2**-52),
        (np.float64, 1e300, 2e284),
        (np.float32, 0, 2**-149),
        (np.float32, 1, 2**-23),
        (np.float16, 0, 2**-24),
        (np.float16, 1024, 1),
    ],
)
def test_min_max_uses_the_whole_range_of_a_feature_however_narrow(dtype, start, step):
    """scikit-learn#19898, draco#161: a range below 10 epsilon, or a subnormal one, was taken for constant."""
    bottom = dtype(start)
    middle = dtype(bottom + dtype(step))
    top = dtype(middle + (middle - bottom))  # three evenly spaced values, exactly
    out = MinMaxNormalizer().fit_transform(column(bottom, middle, top, dtype=dtype))
    np.testing.assert_array_equal(out, column(0, 0.5, 1, dtype=dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_min_max_survives_a_range_that_overflows(dtype):
    """scikit-learn#5602, adjacent: max - min is infinite though every scaled value is ordinary."""
    reported = {np.float16: 6e4, np.float32: 3e38, np.float64: 1.7e308}[dtype]
    for largest in (dtype(reported), np.finfo(dtype).max):
        out = MinMaxNormalizer().fit_transform(column(-largest, 0, largest, dtype=dtype))
        np.testing.assert_array_equal(out[[0, 2]], column(0, 1))
        assert ulps(out, column(0, 0.5, 1)) <= 4


@pytest.mark.parametrize(
    "dtype, low, high",
    [
        (np.float64, 1e308, 1.5e308),  # the sum overflows
        (np.float64, 1e200, 3e200),  # the squares overflow
        (np.float64, -1.7e308, 1.7e308),  # the difference overflows
        (np.float64, 1e-200, 3e-200),  # the squares vanish
        (np.float64, 1e-320, 3e-320),  # nothing but subnormal numbers
        (np.float64, 0, 5e-324),  # the mean is no float64
        (np.float32, -3e38, 3e38),
        (np.float32, 2e-45, 5e-45),
        (np.float16, -6e4, 6e4),
        (np.float16, 0, 6e-8),
    ],
)
def test_standardizing_two_values_gives_minus_one_and_one_in_any_unit(dtype, low, high):
    """scikit-learn#5602, gluonts#3312, pytorch#178123: the mean or the variance overflowed, or vanished."""
    out = Standardizer().fit_transform(column(low, high, dtype=dtype))
    assert ulps(out, column(-1, 1)) <= 4


@pytest.mark.parametrize("unit", [5e-324, 1e-320, 1e-160, 1.0, 1e160, 5e307])
def test_standardizing_three_even_values_is_right_in_any_unit(unit):
    """scikit-learn#5602: the mean falls on a value, the standard deviation is no round number."""
    out = Standardizer().fit_transform(unit * column(0, 1, 2))
    assert ulps(out, column(-UP, 0, UP)) <= 4


@pytest.mark.parametrize(
    "dtype, offset",
    [
        (np.float16, 1024),
        (np.float32, 2**24),
        (np.float32, -(2**24)),
        (np.float64, 10**15),
        (np.float64, -(2**53)),
        (np.int64, 2**53),
        (np.int64, -(2**62)),
        (np.uint64, 2**64 - 7),
    ],
)
def test_an_offset_does_not_spoil_the_standardized_values(dtype, offset):
    """scikit-learn#12333, aprender#2205, fv3net#1111: statistics narrowed to the input's type too early."""
    X = column(offset, offset + 2, offset + 6, dtype=dtype)
    # The mean of 0, 2, 6 is 8/3 and the variance 56/9, so z = (3x - 8) / sqrt(56).
    assert ulps(Standardizer().fit_transform(X), column(-8, -2, 10) / np.sqrt(56)) <= 4


@pytest.mark.parametrize(
    "dtype, values",
    [
        (np.int64, [2**60, 2**60 + 50, 2**60 + 100]),
        (np.int64, [2**53, 2**53 + 1, 2**53 + 2]),
        (np.int64, [-(2**63), -(2**63) + 1, -(2**63) + 2]),
        (np.uint64, [2**64 - 101, 2**64 - 51, 2**64 - 1]),
        (np.uint64, [2**63 - 1, 2**63, 2**63 + 1]),
    ],
)
def test_large_integers_are_subtracted_exactly(dtype, values):
    """scikit-learn#14314, adjacent: integers beyond 2**53 were rounded to float64 first."""
    X = column(*values, dtype=dtype)
    np.testing.assert_array_equal(MinMaxNormalizer().fit_transform(X), column(0, 0.5, 1))
    assert ulps(Standardizer().fit_transform(X), column(-UP, 0, UP)) <= 4


@pytest.mark.parametrize("offset", [0, 1e6, 1e12, 1e15])
@pytest.mark.parametrize("weight", [None, [2]])
def test_one_row_at_a_time_gives_the_variance_of_one_fit(offset, weight):
    """scikit-learn#5602 and PR #5104: a stream of rows with a large mean."""
    X = offset + column(0, 1, 2, 5)
    streamed = Standardizer()
    for row in X:
        streamed.partial_fit(row.reshape(1, 1), sample_weight=weight)
    np.testing.assert_allclose(streamed.var_, [3.5], rtol=1e-14)
    np.testing.assert_allclose(Standardizer().fit(X).var_, [3.5], rtol=1e-14)


@pytest.mark.parametrize(
    "dtype, low, high",
    [
        (np.float16, 10, 10),
        (np.float16, 60000, 60032),
        (np.float16, -10, 30),
        (np.uint8, 253, 255),
        (np.int8, -128, 126),
    ],
)
def test_a_narrow_type_does_not_saturate_the_statistics(dtype, low, high):
    """scikit-learn#13007, numpy#21941: 200,000 values summed in the input's own type."""
    standard = Standardizer().fit(np.tile(column(low, high, dtype=dtype), (100_000, 1)))
    assert standard.mean_ == (low + high) / 2
    assert standard.var_ == ((high - low) / 2) ** 2


# Weights


@pytest.mark.parametrize("poison", [1e300, -1e308, np.nan])
def test_a_row_of_zero_weight_has_no_say(poison):
    """scikit-learn#19450, adjacent: infinity times zero made the variance NaN; min-max took no weights."""
    X, weights = column(1, 3, poison), [1, 1, 0]
    standard = Standardizer().fit(X, sample_weight=weights)
    assert (standard.mean_, standard.var_) == (2, 1)
    minmax = MinMaxNormalizer().fit(X, sample_weight=weights)
    assert (minmax.data_min_, minmax.data_max_) == (1, 3)


@pytest.mark.parametrize("shape", [(30, 3), (30, 2, 3), (30, 4, 2, 3)])
def test_integer_weights_equal_repeated_rows(shape):
    """scikit-learn#8559: what a sample weight means, on any number of axes."""
    rng = np.random.default_rng(1)
    X, weights = rng.normal(50, 3, shape), rng.integers(0, 4, shape[0])
    repeated = np.repeat(X, weights, axis=0)
    weighted, plain = Standardizer().fit(X, sample_weight=weights), Standardizer().fit(repeated)
    np.testing.assert_allclose(weighted.mean_, plain.mean_, rtol=1e-14)
    np.testing.assert_allclose(weighted.var_, plain.var_, rtol=1e-14)
    weighted, plain = MinMaxNormalizer().fit(X, sample_weight=weights), MinMaxNormalizer().fit(repeated)
    np.testing.assert_array_equal(weighted.transform(X), plain.transform(X))


def test_integer_weights_equal_repeated_rows_in_the_reported_fractions():
    """scikit-learn#8559: 1, 2, 2, 4, 4, 4 has mean 17/6 and variance 53/36."""
    standard = Standardizer().fit(column(1, 2, 4), sample_weight=[1, 2, 3])
    np.testing.assert_allclose([standard.mean_[0], standard.var_[0]], [17 / 6, 53 / 36], rtol=1e-15)


# Missing and infinite values


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 0, 2), (2, 0, 1)])
def test_a_batch_without_a_value_in_a_column_leaves_its_statistics_alone(order):
    """scikit-learn PR #11206, bridgescaler#36, ray#65272: one all-NaN batch spoilt them for good."""
    batches = [column(1, 3), column(np.nan, np.nan), column(5)]
    standard, minmax = Standardizer(), MinMaxNormalizer()
    for i in order:
        batch = np.hstack([batches[i], np.arange(len(batches[i]), dtype=float).reshape(-1, 1)])
        standard.partial_fit(batch)
        minmax.partial_fit(batch)
    np.testing.assert_allclose([standard.mean_[0], standard.var_[0]], [3, 8 / 3], rtol=1e-15)
    assert (minmax.data_min_[0], minmax.data_max_[0]) == (1, 5)
    np.testing.assert_array_equal(standard.n_samples_seen_, [3, 5])


def test_min_max_in_chunks_leaves_missing_values_out():
    """dask-ml#608: chunks with NaN gave NaN for the limits, and the NaN was counted as a value."""
    minmax = MinMaxNormalizer()
    for chunk in (column(1, np.nan), column(3, 5)):
        minmax.partial_fit(chunk)
    assert (minmax.data_min_, minmax.data_max_) == (1, 5)
    standard = Standardizer().partial_fit(column(1, np.nan)).partial_fit(column(3, 5))
    assert standard.n_samples_seen_ == 3


def test_a_feature_without_any_value_gives_nan_and_no_warning():
    """ray#51243, ray#65272, featrs#33: a crash, or a burst of RuntimeWarning (an error in these tests)."""
    X, new = np.array([[np.nan, 1.0], [np.nan, 2.0]]), [[0.0, 1.0]]
    standard, minmax = Standardizer().fit(X), MinMaxNormalizer().fit(X)
    np.testing.assert_array_equal(standard.transform(new), [[np.nan, -1]])
    np.testing.assert_array_equal(minmax.transform(new), [[np.nan, 0]])
    for fitted in (standard, minmax):
        np.testing.assert_array_equal(fitted.inverse_transform(new), [[np.nan, 2]])


@pytest.mark.parametrize("cls", [MinMaxNormalizer, Standardizer])
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
@pytest.mark.parametrize("position", [0, 2])
def test_an_infinity_is_refused_and_its_feature_named(cls, infinity, position):
    """machinelearning#3885, InnerEye-DeepLearning#231, scikit-learn#13419: the message did not say where."""
    X = np.arange(9.0).reshape(3, 3)
    fitted = cls().fit(X)
    X[2, position] = infinity
    for call in (cls().fit, cls().partial_fit, fitted.transform):
        with pytest.raises(ValueError, match=rf"(?s)(?=.*infinity)(?=.*\b{position}\b)"):
            call(X)


@pytest.mark.parametrize("constant, low", [(3.0, 0), (0.1, 0), (-7.0, 2)])
def test_nan_in_a_constant_feature_stays_nan(constant, low):
    """spark#14716: the NaN came out as a number."""
    X = column(constant, np.nan, constant)
    minmax = MinMaxNormalizer(feature_range=(low, low + 1))
    np.testing.assert_array_equal(minmax.fit_transform(X), column(low, np.nan, low))
    np.testing.assert_array_equal(Standardizer().fit_transform(X), column(0, np.nan, 0))
