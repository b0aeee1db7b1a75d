"""pandas and polars frames in: their types, missing values and names, and the frames that are refused."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

DATASET_CLASSES = [MinMaxNormalizer, Standardizer]
ROW_CLASSES = [RowLayerNorm, RowRMSNorm, RowSoftmax]
CLASSES = DATASET_CLASSES + ROW_CLASSES
each_class = pytest.mark.parametrize("cls", CLASSES)

VALUES = np.array([[1, 0, 1], [0, 1, 1], [1, 1, 0], [0, 0, 1]])
MISSING = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0], [1, 0, 0]], dtype=bool)
WITH_NAN = np.where(MISSING, np.nan, VALUES)


def assert_same_numbers(actual, expected):
    """Both are within 4 ulp of the exact value, at the largest magnitude, so within 8 of each other."""
    actual = np.asarray(actual)
    assert actual.dtype == expected.dtype
    bound = 8 * np.spacing(np.nanmax(np.abs(expected)))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=bound)


# --- pandas: types and missing values ---

# What a column type comes out as: float16, float32 and float64 as they came, the rest by its width.
EXTENSION_TYPES = {
    "boolean": np.float32,
    "Int8": np.float32,
    "UInt16": np.float32,
    "Int32": np.float64,
    "Int64": np.float64,
    "Float32": np.float32,
    "Float64": np.float64,
    "bool[pyarrow]": np.float32,
    "uint8[pyarrow]": np.float32,
    "int64[pyarrow]": np.float64,
    "float[pyarrow]": np.float32,
    "double[pyarrow]": np.float64,
}


@pytest.mark.parametrize("dtype, expected_dtype", EXTENSION_TYPES.items())
@each_class
def test_extension_types_with_missing_values_are_read_like_arrays_with_nan(cls, dtype, expected_dtype):
    frame = pd.DataFrame(VALUES.astype(object), columns=list("abc")).mask(MISSING, pd.NA).astype(dtype)
    result = cls().fit_transform(frame)
    assert result.dtype == expected_dtype
    assert_same_numbers(result, cls().fit_transform(WITH_NAN.astype(expected_dtype)))


@pytest.mark.parametrize("dtype, expected_dtype", EXTENSION_TYPES.items())
@each_class
def test_extension_types_without_missing_values_have_the_same_output_type(cls, dtype, expected_dtype):
    result = cls().fit_transform(pd.DataFrame(VALUES, columns=list("abc")).astype(dtype))
    assert result.dtype == expected_dtype
    assert_same_numbers(result, cls().fit_transform(VALUES.astype(expected_dtype)))


@pytest.mark.parametrize(
    "types, common",
    [
        (("float32", "float64"), "float64"),
        (("float16", "float32"), "float32"),
        (("bool", "float32"), "float32"),
        (("bool", "float64"), "float64"),
        (("int64", "float32"), "float64"),
        (("uint8", "int16"), "float32"),
        (("uint8", "int64"), "float64"),
        (("bool", "Int64"), "float64"),
        (("Float32", "float64"), "float64"),
        (("Float32", "float32"), "float32"),
        (("bool[pyarrow]", "float[pyarrow]"), "float32"),
    ],
)
@each_class
def test_columns_of_several_types_come_out_in_their_common_float_type(cls, types, common):
    frame = pd.DataFrame({"a": VALUES[:, 0], "b": VALUES[:, 1]}).astype({"a": types[0], "b": types[1]})
    result = cls().fit_transform(frame)
    assert result.dtype == common
    assert_same_numbers(result, cls().fit_transform(VALUES[:, :2].astype(common)))
    result = cls().set_output(transform="pandas").fit_transform(frame)
    assert set(result.dtypes) == {np.dtype(common)}


@pytest.mark.parametrize("missing", [None, pd.NA, np.nan, float("nan")], ids=repr)
@each_class
def test_object_columns_and_arrays_of_numbers_are_read_as_float64(cls, missing):
    frame = pd.DataFrame({"a": [1, 2.5, missing, True], "b": [np.float32(1), np.int8(2), 3, 4]}, dtype=object)
    expected = cls().fit_transform(np.array([[1, 1], [2.5, 2], [np.nan, 3], [1, 4]]))
    for data in (frame, frame.to_numpy()):
        result = cls().fit_transform(data)
        assert result.dtype == np.float64
        assert_same_numbers(result, expected)


@pytest.mark.parametrize("fill_value", [0, np.nan])
@pytest.mark.parametrize("norm", [Standardizer(with_mean=False), RowRMSNorm()], ids=repr)
def test_sparse_columns_work_whatever_they_are_filled_with(norm, fill_value):
    values = np.array([[0.0, 2.0], [3.0, np.nan], [0.0, 4.0]])
    frame = pd.DataFrame(values, columns=["a", "b"]).astype(pd.SparseDtype("float64", fill_value))
    result = norm.fit_transform(frame)
    dense = result.toarray() if hasattr(result, "toarray") else result
    np.testing.assert_allclose(dense, norm.fit_transform(values), rtol=1e-14)


# --- a pipeline step before ours ---


def test_an_object_column_passed_through_by_a_column_transformer_is_read():
    frame = pd.DataFrame({"a": np.array([1, pd.NA, 4], dtype=object)})
    pipeline = make_pipeline(make_column_transformer(("passthrough", ["a"])), Standardizer())
    np.testing.assert_array_equal(pipeline.fit_transform(frame), [[-1], [np.nan], [1]])


def test_a_nullable_column_passed_through_by_a_column_transformer_as_a_frame_is_read():
    frame = pd.DataFrame({"a": pd.array([1, None, 4], dtype="Int64")})
    columns = make_column_transformer(("passthrough", ["a"])).set_output(transform="pandas")
    np.testing.assert_array_equal(make_pipeline(columns, Standardizer()).fit_transform(frame), [[-1], [np.nan], [1]])


# --- names ---

FITTED = pd.DataFrame({"a": [0.0, 2.0, 4.0], "b": [10.0, 30.0, 20.0]})
OTHER_NAMES = {
    "reordered": FITTED[["b", "a"]],
    "missing": FITTED[["a"]],
    "extra": FITTED.assign(c=1.0),
    "other": FITTED.rename(columns={"b": "c"}),
    "repeated": FITTED.set_axis(["a", "a"], axis=1),
}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.from_pandas], ids=["pandas", "polars"])
@pytest.mark.parametrize("case", ["reordered", "missing", "extra", "other"])
@each_class
def test_other_names_than_in_fit_are_refused_both_ways(cls, case, library):
    norm = cls().fit(library(FITTED))
    frame = library(OTHER_NAMES[case])
    with pytest.raises(ValueError, match=r"(?i)feature"):
        norm.transform(frame)
    arguments = {}
    if cls in ROW_CLASSES:
        arguments["row_stats"] = norm.row_statistics(library(FITTED))
    with pytest.raises(ValueError, match=r"(?i)feature"):
        norm.inverse_transform(frame, **arguments)


@pytest.mark.parametrize("cls", ROW_CLASSES)
def test_kept_statistics_under_another_name_or_in_another_order_are_refused(cls):
    norm = cls(keep_stats=True).set_output(transform="pandas").fit(FITTED)
    result = norm.transform(FITTED)
    for frame in (result.iloc[:, ::-1], result.rename(columns={result.columns[-1]: "other"})):
        with pytest.raises(ValueError, match=r"(?i)feature|column"):
            norm.inverse_transform(frame)


@each_class
def test_a_name_that_occurs_twice_is_refused_and_named(cls):
    frame = pd.DataFrame([[1.0, 2.0, 3.0]], columns=["height", "width", "width"])
    with pytest.raises(ValueError, match="width"):
        cls().fit(frame)
    with pytest.raises(ValueError, match=r"(?i)feature|column"):
        cls().fit(FITTED).transform(OTHER_NAMES["repeated"])


@pytest.mark.parametrize("cls", ROW_CLASSES)
def test_a_name_that_occurs_twice_is_refused_without_a_fit_too(cls):
    with pytest.raises(ValueError, match="width"):
        cls().transform(pd.DataFrame([[1.0, 2.0, 3.0]], columns=["height", "width", "width"]))


@each_class
def test_names_of_mixed_types_are_refused_as_scikit_learn_does(cls):
    with pytest.raises(TypeError, match="string"):
        cls().fit(FITTED.set_axis(["a", 0], axis=1))


# --- frames without rows or columns ---


@pytest.mark.parametrize("library", ["pandas", "polars"])
@each_class
def test_a_frame_without_rows_comes_out_without_rows(cls, library):
    frame = FITTED.astype(np.float32) if library == "pandas" else pl.from_pandas(FITTED.astype(np.float32))
    norm = cls().set_output(transform=library).fit(frame)
    empty = norm.transform(frame[:0])
    assert empty.shape == (0, 2)
    assert list(empty.columns) == ["a", "b"]
    assert list(empty.dtypes) == list(frame.dtypes)
    with pytest.raises(ValueError, match="0 sample"):
        norm.fit(frame[:0])


@each_class
def test_a_frame_without_columns_is_refused(cls):
    with pytest.raises(ValueError, match="0 feature"):
        cls().fit(pd.DataFrame(index=[0, 1]))


# --- refused ---


@pytest.mark.parametrize("series", [FITTED["a"], pl.Series("a", [1.0, 2.0])], ids=["pandas", "polars"])
@each_class
def test_a_series_is_refused_and_the_frames_it_may_be_are_named(cls, series):
    with pytest.raises(ValueError, match=r"X\.to_frame\(\) if it is one feature, X\.to_frame\(\)\.[Tt]"):
        cls().fit(series)
    with pytest.raises(ValueError, match=r"X\.to_frame\(\) if it is one feature, X\.to_frame\(\)\.[Tt]"):
        cls().fit(FITTED[["a", "b"]]).transform(series)


@each_class
def test_a_lazy_frame_is_refused_and_collect_named(cls):
    lazy = pl.from_pandas(FITTED).lazy()
    for method in (cls().fit, cls().fit_transform, cls().fit(FITTED).transform):
        with pytest.raises((ValueError, TypeError), match=r"\.collect\(\)"):
            method(lazy)


DATES = [datetime.datetime(2020, 1, 1), datetime.datetime(2021, 1, 1)]
NOT_NUMBERS = {
    "text": pd.Series(["1", "2"]),
    "text in an object column": pd.Series(["1", 2], dtype=object),
    "string type": pd.Series(["1", "2"], dtype="string"),
    "arrow text": pd.Series(["1", "2"], dtype="string[pyarrow]"),
    "bytes": pd.Series([b"1", b"2"]),
    "category": pd.Series([1, 2], dtype="category"),
    "datetimes": pd.Series(DATES),
    "datetimes with a zone": pd.Series(DATES).dt.tz_localize("UTC"),
    "datetimes in an object column": pd.Series(DATES, dtype=object),
    "timedeltas": pd.to_timedelta(pd.Series([1, 2]), unit="s"),
    "periods": pd.Series(pd.period_range("2020", periods=2, freq="D")),
    "intervals": pd.Series(pd.interval_range(0, 2)),
    "complex": pd.Series([1j, 2j]),
}


@pytest.mark.parametrize("series", NOT_NUMBERS.values(), ids=NOT_NUMBERS)
@each_class
def test_a_pandas_column_that_holds_no_numbers_is_named(cls, series):
    good = pd.DataFrame({"height": [1.0, 2.0], "city": [1.0, 2.0]})
    bad = good.assign(city=series)
    for method in (cls().fit, cls().fit_transform, cls().fit(good).transform):
        with pytest.raises(ValueError, match="city"):
            method(bad)


@pytest.mark.parametrize(
    "series",
    [["1", "2"], DATES, [b"1", b"2"], [[1.0], [2.0]], pl.Series(["1", "2"], dtype=pl.Categorical)],
    ids=["text", "datetimes", "bytes", "lists", "category"],
)
@each_class
def test_a_polars_column_that_holds_no_numbers_is_named(cls, series):
    good = pl.DataFrame({"height": [1.0, 2.0], "city": [1.0, 2.0]})
    bad = pl.DataFrame({"height": [1.0, 2.0], "city": series})
    for method in (cls().fit, cls().fit_transform, cls().fit(good).transform):
        with pytest.raises(ValueError, match="city"):
            method(bad)
