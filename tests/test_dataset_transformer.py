"""What both dataset transformers do alike, beyond the statistics and the maps they are made of."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, Standardizer

BOTH = [MinMaxNormalizer, Standardizer]
both = pytest.mark.parametrize("cls", BOTH)
X = np.array([[1.0, 40.0], [2.0, 10.0], [4.0, 25.0]])


@pytest.mark.parametrize(
    "cls, name",
    [(MinMaxNormalizer, name) for name in ("data_min_", "data_max_", "data_range_", "scale_", "min_")]
    + [(Standardizer, name) for name in ("mean_", "var_", "scale_")]
    + [(cls, "constant_features_") for cls in BOTH],
)
def test_writing_to_a_fitted_attribute_is_an_error_and_not_without_effect(cls, name):
    scaler = cls().fit(X)
    with pytest.raises(ValueError, match="read-only"):
        getattr(scaler, name)[:] = 0
    np.testing.assert_array_equal(scaler.transform(X), cls().fit(X).transform(X))


BYTES_WITH_A_HOLE = {
    "pandas nullable": lambda: pd.DataFrame({"a": pd.array([0, None, 255], dtype="UInt8")}),
    "pandas Arrow": lambda: pd.DataFrame({"a": pd.array([0, None, 255], dtype="uint8[pyarrow]")}),
    "polars": lambda: pl.DataFrame({"a": [0, None, 255]}, schema={"a": pl.UInt8}),
    "masked": lambda: np.ma.array(np.array([[0], [7], [255]], np.uint8), mask=[[0], [1], [0]]),
}


@pytest.mark.parametrize("kind", BYTES_WITH_A_HOLE)
@both
def test_a_missing_value_does_not_make_another_type_of_integers(cls, kind):
    scaler = cls(inverse_dtype="input").fit(BYTES_WITH_A_HOLE[kind]())
    back = scaler.inverse_transform(np.array([[0.4], [0.6]]))
    assert back.dtype == np.uint8


@both
def test_objects_are_data_of_the_type_that_they_are_read_as(cls):
    for frame in (pd.DataFrame({"a": [0.5, None], "b": [1, 2]}, dtype=object), pl.DataFrame({"a": [0.5, None]})):
        scaler = cls(inverse_dtype="input").fit(frame)
        assert scaler.statistics_.dtype == scaler.inverse_transform(scaler.transform(frame)).dtype == np.float64


@pytest.mark.parametrize("kind", BYTES_WITH_A_HOLE)
def test_the_limits_of_a_type_are_known_beside_a_missing_value(kind):
    scaler = MinMaxNormalizer(in_range="dtype").fit(BYTES_WITH_A_HOLE[kind]())
    np.testing.assert_array_equal(scaler.data_max_, [255])


@both
def test_all_weights_times_a_power_of_two_change_nothing(cls):
    weights = np.array([1.0, 3.0, 2.0])
    expected = cls().fit(X * 1e100, sample_weight=weights).transform(X * 1e100)
    for power in (-1060, -600, -200, 200, 600, 1000):
        scaler = cls().fit(X * 1e100, sample_weight=np.ldexp(weights, power))
        np.testing.assert_array_equal(scaler.transform(X * 1e100), expected)
        np.testing.assert_array_equal(scaler.n_samples_seen_, np.ldexp(6.0, power))


@both
def test_missing_values_do_not_become_integers(cls):
    scaler = cls(inverse_dtype="uint8").fit(X)
    with pytest.raises(ValueError, match=r"^Expected values that uint8 can hold, got NaN\. "):
        scaler.inverse_transform([[0.5, np.nan]])


@both
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_array])
def test_an_infinity_of_weight_0_is_not_the_one_that_is_named(cls, container):
    parameters = {"with_mean": False} if cls is Standardizer else {}
    infinite = container(np.array([[np.inf, 1.0], [2.0, np.inf], [0.0, 0.0]]))
    with pytest.raises(ValueError, match=r"infinity in feature 1\."):
        cls(**parameters).fit(infinite, sample_weight=[0, 1, 1])
    assert cls(**parameters).fit(infinite, sample_weight=[0, 0, 1]).n_samples_seen_ == 1


@both
def test_masked_weights_are_refused(cls):
    with pytest.raises(ValueError, match="without a mask"):
        cls().fit(X, sample_weight=np.ma.array([1.0, 1.0, 1.0], mask=[1, 0, 0]))


@pytest.mark.parametrize("features", [[[0]], ["a", "a"], [0, 0], slice("a", "b"), [True, False, True]])
@both
def test_what_selects_no_flat_list_of_distinct_features_is_refused(cls, features):
    scaler = cls().fit(pd.DataFrame(X, columns=["a", "b"]))
    with pytest.raises(ValueError, match="Expected"):
        scaler.select(features)


@pytest.mark.parametrize(
    "limits", [(0, 50), [0, 50], np.array([0, 50]), ([0, 5], [10, 50]), np.array([[0, 5], [10, 50]])]
)
def test_known_limits_are_those_of_the_selected_features_whatever_their_number(limits):
    scaler = MinMaxNormalizer(in_range=limits).fit(X)
    for j in range(2):
        np.testing.assert_array_equal(scaler.select(j).transform(X[:, [j]]), scaler.transform(X)[:, [j]])


@pytest.mark.parametrize("known", [2, [2], [2, 3], np.array([2.0, 3.0])])
def test_known_moments_are_those_of_the_selected_features(known):
    scaler = Standardizer(mean=known, std=known).fit(X)
    for j in range(2):
        np.testing.assert_array_equal(scaler.select(j).transform(X[:, [j]]), scaler.transform(X)[:, [j]])


@pytest.mark.parametrize("dtype", ["i2", "f4", "f8", "u8"])
@pytest.mark.parametrize("orders", ["<>", "><"])
def test_known_statistics_that_change_count_although_their_bytes_stay(dtype, orders):
    first, second = (np.frombuffer(np.array([3, 5], f"<{dtype}").tobytes(), order + dtype) for order in orders)
    for cls, parameters in ((MinMaxNormalizer, lambda v: {"in_range": (-1, v)}), (Standardizer, lambda v: {"std": v})):
        scaler = cls(**parameters(first)).fit(X)
        scaler.transform(X)
        np.testing.assert_array_equal(
            scaler.set_params(**parameters(second)).transform(X), cls(**parameters(second)).fit(X).transform(X)
        )


@both
def test_what_is_not_fitted_says_so(cls):
    fitted, new = cls().fit(X), cls()
    for call in (new.transform, new.inverse_transform, lambda X: new.select(0), lambda X: new.merge(fitted)):
        with pytest.raises(NotFittedError, match=f"This {cls.__name__} instance is not fitted yet"):
            call(X)
    with pytest.raises(NotFittedError, match=f"This {cls.__name__} instance is not fitted yet"):
        fitted.merge(new)


@pytest.mark.parametrize("per_feature", [True, False])
@both
def test_selected_features_keep_their_names_and_their_map(cls, per_feature):
    frame = pd.DataFrame(np.c_[X, X[:, 0] ** 2], columns=["a", "b", "c"])
    scaler = cls(per_feature=per_feature).fit(frame)
    selected = scaler.select(["c", "a"])
    assert selected.per_feature is True
    assert selected.feature_names_in_.tolist() == selected.get_feature_names_out().tolist() == ["c", "a"]
    np.testing.assert_array_equal(selected.transform(frame[["c", "a"]]), scaler.transform(frame)[:, [2, 0]])


@both
def test_parameters_that_change_after_fit_are_checked_on_the_way_back_too(cls):
    scaler = cls().fit(X).set_params(inverse_dtype="complex")
    with pytest.raises(ValueError, match="inverse_dtype"):
        scaler.inverse_transform(X)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@both
def test_the_way_back_is_of_the_type_of_what_comes_unless_another_is_asked_for(cls, dtype):
    scaler = cls().fit(X)
    assert scaler.inverse_transform(X.astype(dtype)).dtype == dtype
    for target in (">f4", np.dtype(">f4"), np.float32):
        back = scaler.set_params(inverse_dtype=target).inverse_transform(X.astype(dtype))
        assert back.dtype == np.float32
        assert back.dtype.isnative
    swapped = cls(inverse_dtype="input").fit(X.astype(">i2"))
    assert swapped.inverse_transform(X).dtype == np.int16


@both
def test_whether_to_copy_is_a_bool(cls):
    with pytest.raises(ValueError, match="copy to be True or False"):
        cls().fit(X).transform(X, copy="no")


@pytest.mark.parametrize("data", ["text", None, {"a": [1]}])
@both
def test_what_is_no_array_is_named(cls, data):
    with pytest.raises(ValueError, match=f"2D array, got .*, of type {type(data).__name__}"):
        cls().fit(data)


NAMED = pd.DataFrame(X, columns=["height", "width"])


@pytest.mark.parametrize("library", [pd.DataFrame, pl.from_pandas])
@pytest.mark.parametrize(
    "given",
    [
        Standardizer(mean=NAMED.mean()),
        Standardizer(std=NAMED.std()),
        MinMaxNormalizer(in_range=(NAMED.min(), NAMED.max())),
        RowLayerNorm(gamma=NAMED.max(), beta=NAMED.min()),
        RowRMSNorm(gamma=NAMED.max()),
    ],
    ids=repr,
)
def test_statistics_by_name_stand_in_the_order_of_the_features_or_are_refused(given, library):
    frame, turned = library(NAMED), library(NAMED[["width", "height"]])
    np.testing.assert_array_equal(given.fit(frame).transform(frame), clone(given).fit(X).transform(X))
    with pytest.raises(ValueError, match="in the order of the features"):
        clone(given).fit(turned)
    with pytest.raises(ValueError, match="in the order of the features"):
        type(given)().fit(turned).set_params(**given.get_params()).transform(turned)


@pytest.mark.parametrize(
    "data", [[[-1.7e308], [1.7e308]], [[0.0], [5e-324]], [[1e-310], [3e-310]], [[-1e308], [1e308]]]
)
@pytest.mark.parametrize("feature_range", [(0, 1), (-1, 1), (3, 10)])
def test_the_attributes_of_ranges_at_the_ends_of_float64_are_exact_or_infinite(data, feature_range):
    scaler = MinMaxNormalizer(feature_range).fit(data)
    (low, high), (minimum, maximum) = map(Fraction, feature_range), (Fraction(x) for [x] in data)
    scale = (high - low) / (maximum - minimum)
    for name, wanted in [("data_range_", maximum - minimum), ("scale_", scale), ("min_", low - minimum * scale)]:
        largest = Fraction(np.finfo(np.float64).max)
        wanted = float(wanted) if abs(wanted) <= largest else np.inf
        np.testing.assert_allclose(getattr(scaler, name), [wanted], rtol=1e-15)


def test_statistics_by_other_names_than_text_are_looked_at_too():
    frame = pd.DataFrame(X)
    with pytest.raises(ValueError, match=r"in the order of the features \[0, 1\].*series\[X.columns\]"):
        Standardizer(mean=frame.mean()[[1, 0]]).fit(frame)
    by_position = NAMED.mean().reset_index(drop=True)
    np.testing.assert_array_equal(Standardizer(mean=by_position).fit(NAMED).mean_, X.mean(0))
    with pytest.raises(ValueError, match="Pass its values"):
        Standardizer(mean=pd.Series([1.0, 2.0], index=["p", "q"])).fit(NAMED)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e300])
@pytest.mark.parametrize("per_feature", [True, False])
def test_narrow_data_of_another_unit_than_those_of_fit_are_mapped_as_wide_ones(dtype, unit, per_feature):
    Y = np.array([[-80.7, 0.5], [3, -6e-5]], dtype)
    parameters = {"with_mean": False, "with_std": False, "per_feature": per_feature}
    scaler = Standardizer(**parameters).fit(X[:2] * unit)
    np.testing.assert_array_equal(scaler.transform(Y), Y)
    np.testing.assert_array_equal(scaler.inverse_transform(Y), Y)
    shifted = Standardizer(**{**parameters, "with_mean": True}, dtype=dtype).fit(X[:2] * unit)
    with np.errstate(over="ignore"):
        wanted = (Y.astype(float) - shifted.mean_).astype(dtype)
    np.testing.assert_allclose(shifted.transform(Y.astype(float)), wanted, rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("index", [None, [1, 0], [("a", 1), ("b", 2)], pd.Index(["a", "b"])])
def test_a_series_whose_index_names_no_other_order_is_read_by_position(index):
    frame = pd.DataFrame(X, columns=["a", "b"])
    known = pd.Series([2.0, 20.0], index=index)
    scaler = Standardizer(mean=known, std=known).fit(frame)
    np.testing.assert_array_equal(scaler.transform(frame), (X - [2, 20]) / [2, 20])
    limits = MinMaxNormalizer(in_range=(known, known + 1)).fit(frame)
    np.testing.assert_array_equal(limits.transform(frame), X - [2, 20])


@pytest.mark.parametrize("value", [0.0, 3.0, -1e300, 1e-310])
def test_the_range_of_a_constant_is_zero(value):
    scaler = MinMaxNormalizer().fit(np.column_stack([np.full(3, value), [1, 2, 4]]))
    np.testing.assert_array_equal(scaler.data_range_, [0, 3])
