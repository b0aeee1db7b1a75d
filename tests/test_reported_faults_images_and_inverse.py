"""Faults reported in other packages, as tests of their kind: images, the way back, the caller's array.

Each test names the public issues; the input that was reported stands among others of its kind.
"""

import numpy as np
import pytest
from sklearn.base import clone

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

from .exact import exact_array, feature_errors

FLOATS = [np.float16, np.float32, np.float64]
ALL = [MinMaxNormalizer, Standardizer, RowLayerNorm, RowRMSNorm, RowSoftmax]


def column(*values, dtype=np.float64):
    return np.array(values, dtype).reshape(-1, 1)


# Images and other N-D data


@pytest.mark.parametrize("shape", [(2, 2, 2), (3, 4, 5, 2), (2, 3, 1), (6, 4)])
def test_every_axis_but_the_last_is_pooled(shape):
    """scikit-learn#9225, spacetimeformer#8 and #16, tf2_course#10, sktime#405: 3-D input was refused."""
    X = np.arange(float(np.prod(shape))).reshape(shape)
    n = X.size // shape[-1]  # each feature holds n evenly spaced values
    z = (np.arange(n) - (n - 1) / 2) / np.sqrt((n * n - 1) / 12)
    out = Standardizer().fit_transform(X)
    assert out.shape == shape
    want = np.repeat(z.reshape(-1, 1), shape[-1], axis=1).reshape(shape)
    assert feature_errors(out, exact_array(want)).max() <= 4


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int8, np.int16, np.int32, np.uint64])
def test_the_ends_of_an_integer_type_map_to_exactly_zero_and_one(dtype):
    """transformers#40436: pixels were divided by 256 instead of 255."""
    limits = np.iinfo(dtype)
    X = column(limits.min, limits.max, dtype=dtype)
    scaled = MinMaxNormalizer(in_range="dtype").fit(X[:1]).transform(X)
    np.testing.assert_array_equal(scaled, column(0, 1))


@pytest.mark.parametrize("in_range", [(0, 255), [0, 255], ([0, 0], [255, 255])])
def test_known_limits_are_used_whatever_the_data_hold(in_range):
    """transformers#40436: white is 1, and mid-grey 51 is a fifth."""
    X = np.array([[255, 51]], np.uint8)
    scaled = MinMaxNormalizer(in_range=in_range).fit_transform(X)
    np.testing.assert_array_equal(scaled, np.float32([[1, 0.2]]))


@pytest.mark.parametrize("inverse_dtype", ["input", np.uint8])
@pytest.mark.parametrize("dtype", [np.float16, None, np.float64])
@pytest.mark.parametrize(
    "estimator",
    [
        MinMaxNormalizer(),
        MinMaxNormalizer(in_range="dtype", feature_range=(-1, 1)),
        Standardizer(),
        Standardizer(mean=[123.7], std=[58.4]),
    ],
)
def test_every_level_of_a_byte_comes_back(estimator, dtype, inverse_dtype):
    """chaiNNer#1666, scikit-image#193: going back to uint8 truncated instead of rounding."""
    X = np.arange(256, dtype=np.uint8).reshape(-1, 1)
    estimator = clone(estimator).set_params(dtype=dtype, inverse_dtype=inverse_dtype)
    back = estimator.inverse_transform(estimator.fit_transform(X))
    assert back.dtype == np.uint8
    np.testing.assert_array_equal(back, X)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32, np.float64])
@pytest.mark.parametrize("low, high", [(0, 1), (-1, 1), (0.1, 0.7)])
def test_the_brightest_pixel_of_an_image_reaches_the_end_of_the_range(dtype, low, high):
    """albumentations#1643, adjacent: an epsilon added to the range kept white below 1."""
    rng = np.random.default_rng(2)
    images = [np.array([[0, 255]]), *rng.integers(9, 251, (20, 8, 8, 3))]
    for image in images:
        out = MinMaxNormalizer((low, high), per_feature=False).fit_transform(image.astype(dtype))
        assert (out.min(), out.max()) == (out.dtype.type(low), out.dtype.type(high))


@pytest.mark.parametrize("constant, unseen", [(3.0, 258.0), (0.0, 255.0), (0.5, -1.0), (-4.0, 251.0)])
def test_an_unseen_value_of_a_constant_feature_is_only_shifted(constant, unseen):
    """scholar#363, ray#51243, keras#20011, frugally-deep#384: an epsilon for a divisor gave 2.55e9."""
    X, new = np.full((5, 1), constant), column(unseen)
    assert Standardizer().fit(X).transform(new) == unseen - constant
    assert MinMaxNormalizer(feature_range=(2, 3)).fit(X).transform(new) == 2 + (unseen - constant)


# The way back


@pytest.mark.parametrize("values", [(1.0, 2.0, 6.0), (-7.0, 1.0), (1e12, 1e12 + 4.0)])
def test_the_inverse_multiplies_first_and_adds_the_mean_then(values):
    """tf-keras#423, tensorflow#58634: 0 comes back as the mean, 1 as one standard deviation above it."""
    X = column(*values)
    standard = Standardizer().fit(X)
    np.testing.assert_array_equal(standard.inverse_transform([[0.0]]), [[X.mean()]])
    back = standard.inverse_transform([[1.0]])
    assert feature_errors(back, exact_array([[X.mean() + X.std()]])).max() <= 1


@pytest.mark.parametrize("X", [[[1.0, 2.0], [3.0, 4.0]], [[0.0, 100.0], [2.0, 102.0]]])
def test_without_centring_the_spread_is_still_measured_about_the_mean(X):
    """handson-ml3#209, featrs#96, scanpy#1160: it was measured about 0, or the inverse failed."""
    standard = Standardizer(with_mean=False).fit(X)  # the standard deviation about the mean is 1
    np.testing.assert_array_equal(standard.transform(X), X)
    np.testing.assert_array_equal(standard.inverse_transform(X), X)


@pytest.mark.parametrize("cls", [MinMaxNormalizer, Standardizer])
@pytest.mark.parametrize("kind", ["uniform", "lognormal", "offset", "tiny"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_the_inverse_gives_the_values_back(cls, kind, dtype):
    """etna#66: within one ulp at the largest magnitude, beyond the rounding of the transformed value."""
    rng = np.random.default_rng(0)
    X = {
        "uniform": rng.random((2000, 1)),
        "lognormal": rng.lognormal(0, 2, (2000, 1)),
        "offset": 1000 + rng.random((2000, 1)),
        "tiny": 1e-4 * rng.normal(size=(2000, 1)),
    }[kind].astype(dtype)
    fitted = cls().fit(X)
    Y = fitted.transform(X)
    divisor = fitted.scale_[0] if cls is Standardizer else fitted.data_range_[0]
    one_ulp, rounding = (float(np.spacing(np.abs(A).max())) for A in (X, Y))
    error = np.abs(fitted.inverse_transform(Y).astype(float) - X.astype(float))
    assert error.max() <= one_ulp + rounding / 2 * divisor


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("feature_range", [(0, 1), (-1, 1), (0.1, 0.7)])
def test_the_training_minimum_and_maximum_come_back_bit_for_bit(dtype, feature_range):
    """etna#66: the two values that everyone compares."""
    X = np.random.default_rng(3).normal(5, 2, (500, 20)).astype(dtype)
    minmax = MinMaxNormalizer(feature_range).fit(X)
    back = minmax.inverse_transform(minmax.transform(X))
    np.testing.assert_array_equal(back.min(axis=0), X.min(axis=0))
    np.testing.assert_array_equal(back.max(axis=0), X.max(axis=0))


@pytest.mark.parametrize("constant", [5.0, 0.1, 0.0, -3e300, 1.7e308, 1e-300, 5e-324])
def test_a_constant_feature_goes_to_low_and_comes_back(constant):
    """scikit-learn#27987, Normalization.jl#15."""
    X = np.full((3, 1), constant)
    minmax = MinMaxNormalizer(feature_range=(2, 3)).fit(X)
    np.testing.assert_array_equal(minmax.transform(X), np.full((3, 1), 2.0))
    np.testing.assert_array_equal(minmax.inverse_transform(minmax.transform(X)), X)


# The caller's array


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, bool])
def test_copy_false_leaves_integers_alone(cls, dtype):
    """scikit-learn#27307: in place is for writeable arrays of floats; integers cannot hold the result."""
    X = np.array([[0, 1], [1, 0], [0, 0]], dtype)
    before = X.copy()
    out = cls(copy=False).fit_transform(X)
    np.testing.assert_array_equal(out, cls().fit_transform(X))
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("dtype", FLOATS)
def test_copy_false_works_in_place_on_a_writeable_array_of_floats(cls, dtype):
    """scikit-learn#27307: the other half of the rule."""
    X = np.arange(6, dtype=dtype).reshape(3, 2)
    want = cls().fit_transform(X)
    out = cls(copy=False).fit_transform(X)
    assert np.shares_memory(out, X)
    np.testing.assert_array_equal(X, want)


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("memmap", [False, True])
def test_copy_false_copies_what_is_read_only(cls, memmap, tmp_path):
    """scikit-learn#5481, #28824, PR #29018: joblib hands workers read-only memory maps."""
    X = np.arange(6.0).reshape(3, 2)
    if memmap:
        X.tofile(tmp_path / "X")
        X = np.memmap(tmp_path / "X", np.float64, "r", shape=(3, 2))
    else:
        X.flags.writeable = False
    out = cls(copy=False).fit_transform(X)
    np.testing.assert_array_equal(out, cls().fit_transform(np.arange(6.0).reshape(3, 2)))
    np.testing.assert_array_equal(X, np.arange(6.0).reshape(3, 2))
    assert type(out) is np.ndarray


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.uint8])
def test_copy_true_never_changes_the_callers_array(cls, dtype):
    """scikit-matter#138: on the first call or the tenth."""
    X = np.arange(6, dtype=dtype).reshape(3, 2)
    estimator = cls()
    first = estimator.fit_transform(X)
    for _ in range(9):
        np.testing.assert_array_equal(estimator.fit_transform(X), first)
    np.testing.assert_array_equal(X, np.arange(6).reshape(3, 2))
