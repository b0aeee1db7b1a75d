"""Missing values that are no NaN: polars nulls and the masks of NumPy's masked arrays."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

DATASET_CLASSES = [MinMaxNormalizer, Standardizer]
ROW_CLASSES = [RowLayerNorm, RowRMSNorm, RowSoftmax]
CLASSES = DATASET_CLASSES + ROW_CLASSES
each_class = pytest.mark.parametrize("cls", CLASSES)

# One null, one NaN, in different places of a column and of a row.
TABLE = pl.DataFrame({"a": [1.0, None, 3.0, 7.0], "b": [float("nan"), 2.0, 8.0, 3.0], "c": [4.0, 5.0, None, 1.0]})
ARRAY = TABLE.to_numpy()


def assert_same_numbers(actual, expected):
    """Both are within 4 ulp of the exact value, at the largest magnitude, so within 8 of each other."""
    actual = np.asarray(actual)
    assert actual.dtype == expected.dtype
    bound = 8 * np.spacing(np.nanmax(np.abs(expected)))
    np.testing.assert_allclose(actual, expected, rtol=0, atol=bound)


# --- polars ---


@pytest.mark.parametrize(
    "dtype, expected",
    [
        (pl.Float32, pl.Float32),
        (pl.Float64, pl.Float64),
        (pl.Boolean, pl.Float32),
        (pl.Int8, pl.Float32),
        (pl.UInt8, pl.Float32),
        (pl.Int16, pl.Float32),
        (pl.UInt16, pl.Float32),
        (pl.Int32, pl.Float64),
        (pl.UInt32, pl.Float64),
        (pl.Int64, pl.Float64),
        (pl.UInt64, pl.Float64),
    ],
)
@pytest.mark.parametrize("with_null", [False, True])
@each_class
def test_polars_types_come_out_as_the_same_types_of_an_array_do(cls, with_null, dtype, expected):
    values = [1, 0, 1, None if with_null else 1]
    table = pl.DataFrame({"a": values, "b": [0, 0, 1, 1]}).cast(dtype)
    result = cls().set_output(transform="polars").fit_transform(table)
    assert result.dtypes == [expected, expected]
    assert result["a"].null_count() == with_null
    as_array = pl.DataFrame({"a": values, "b": [0, 0, 1, 1]}).cast(expected).to_numpy()
    assert_same_numbers(result.to_numpy(), cls().fit_transform(as_array))


@each_class
def test_null_gives_null_and_nan_gives_nan(cls):
    result = cls().set_output(transform="polars").fit_transform(TABLE)
    for name in TABLE.columns:
        assert result[name].is_null().to_list() == TABLE[name].is_null().to_list()
        assert result[name].is_nan().to_list() == TABLE[name].is_nan().to_list()
    assert_same_numbers(result.to_numpy(), cls().fit_transform(ARRAY))


@pytest.mark.parametrize("output", ["default", "pandas"])
@each_class
def test_null_gives_nan_where_there_is_no_null(cls, output):
    result = cls().set_output(transform=output).fit_transform(TABLE)
    assert isinstance(result, pd.DataFrame if output == "pandas" else np.ndarray)
    assert_same_numbers(result, cls().fit_transform(ARRAY))


@pytest.mark.parametrize("cls", DATASET_CLASSES)
def test_the_inverse_keeps_null_and_nan_apart_too(cls):
    norm = cls().set_output(transform="polars")
    back = norm.inverse_transform(norm.fit_transform(TABLE))
    assert back.null_count().row(0) == TABLE.null_count().row(0)
    assert back["b"].is_nan().to_list() == TABLE["b"].is_nan().to_list()


@pytest.mark.parametrize("cls", ROW_CLASSES)
def test_kept_statistics_of_a_sample_with_a_null_are_there_and_invert_it(cls):
    norm = cls(keep_stats=True).set_output(transform="polars")
    result = norm.fit_transform(TABLE)
    statistics = result[:, 3:]
    assert sum(statistics.null_count().row(0)) == 0
    assert np.isfinite(statistics.to_numpy()).all()
    back = norm.inverse_transform(result)
    assert back.null_count().row(0) == TABLE.null_count().row(0)
    np.testing.assert_allclose(back.to_numpy(), ARRAY, rtol=1e-14)


@each_class
def test_a_column_of_nulls_alone_comes_out_as_it_went_in(cls):
    table = pl.DataFrame({"a": [1.0, 2.0], "b": [None, None]}, schema={"a": pl.Float32, "b": pl.Float32})
    result = cls().set_output(transform="polars").fit_transform(table)
    assert result["b"].to_list() == [None, None]
    assert result["a"].null_count() == 0


def test_a_null_in_unsigned_64_bits_does_not_round_the_others():
    table = pl.DataFrame({"a": [2**63, None, 2**63 + 50, 2**63 + 100]}, schema={"a": pl.UInt64})
    result = MinMaxNormalizer().set_output(transform="polars").fit_transform(table)
    assert result["a"].to_list() == [0.0, None, 0.5, 1.0]


# --- masked arrays ---


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.uint8, np.int16, np.int64])
@each_class
def test_a_mask_means_missing_whatever_stands_under_it(cls, dtype):
    values = np.array([[1, 0, 2], [3, 99, 4], [5, 6, 99]], dtype=dtype)
    mask = values == 99
    result = cls().fit_transform(np.ma.array(values, mask=mask))
    floats = values.astype(result.dtype)
    assert_same_numbers(result, cls().fit_transform(np.where(mask, np.nan, floats)))
    assert result.dtype == cls().fit_transform(values).dtype


@each_class
def test_an_infinity_under_a_mask_is_no_infinity(cls):
    values = np.array([[1.0, np.inf, 3.0], [3.0, 4.0, 8.0]])
    result = cls().fit_transform(np.ma.array(values, mask=np.isinf(values)))
    np.testing.assert_array_equal(np.isnan(np.asarray(result)), np.isinf(values))


@each_class
def test_a_mask_works_in_transform_and_in_arrays_of_three_axes(cls):
    values = np.arange(24.0).reshape(2, 4, 3) ** 2
    mask = values % 5 == 1
    norm = cls().fit(values)
    result = norm.transform(np.ma.array(values, mask=mask))
    assert_same_numbers(result, norm.transform(np.where(mask, np.nan, values)))


@each_class
def test_a_masked_array_without_a_mask_is_an_array(cls):
    values = np.arange(12.0).reshape(4, 3)
    assert_same_numbers(cls().fit_transform(np.ma.array(values)), cls().fit_transform(values))


@each_class
def test_neither_the_data_nor_the_mask_of_a_masked_array_changes(cls):
    values = np.arange(12.0).reshape(4, 3)
    data = np.ma.array(values.copy(), mask=values == 5)
    cls().fit(data).transform(data)
    np.testing.assert_array_equal(data.data, values)
    np.testing.assert_array_equal(data.mask, values == 5)


@pytest.mark.parametrize("cls", DATASET_CLASSES)
def test_a_masked_array_is_inverted_as_an_array_with_nan(cls):
    values = np.arange(12.0).reshape(4, 3)
    norm = cls().fit(values)
    data = np.ma.array(values, mask=values == 5)
    expected = norm.inverse_transform(np.where(values == 5, np.nan, values))
    assert_same_numbers(norm.inverse_transform(data), expected)
