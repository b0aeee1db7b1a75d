"""pandas and polars."""

import numpy as np
import pandas as pd
import polars as pl

from sknorm import MinMaxNormalizer, RowLayerNorm, Standardizer

from .row import Row, X

FRAME = pd.DataFrame({"age": [31.0, 45.0], "income": [2e3, 3e3]})
FITTED = Standardizer().set_output(transform="pandas").fit(FRAME)
WIDE = pd.DataFrame(np.eye(3), columns=["a", "b", "c"])


def with_column(values, **options):
    return FRAME.assign(city=pd.Series(values, **options))


ROWS = [
    Row(
        lambda: Standardizer().fit(FRAME["age"]),
        ValueError,
        "Expected 2D array or DataFrame, got 1D pandas Series. Pass X.to_frame() if it is one feature, "
        "X.to_frame().T if it is one sample.",
    ),
    Row(
        lambda: Standardizer().fit(pd.Series([1.0, 2.0])),
        ValueError,
        "Expected 2D array or DataFrame, got 1D pandas Series. Pass X.to_frame() if it is one feature, "
        "X.to_frame().T if it is one sample.",
    ),
    Row(
        lambda: Standardizer().fit(FRAME.columns),
        ValueError,
        "Expected 2D array or DataFrame, got 1D pandas Index. Pass X.to_frame() if it is one feature, "
        "X.to_frame().T if it is one sample.",
    ),
    Row(
        lambda: Standardizer().fit(pl.Series("age", [1.0])),
        ValueError,
        "Expected 2D array or DataFrame, got 1D polars Series. Pass X.to_frame() if it is one feature, "
        "X.to_frame().transpose() if it is one sample.",
    ),
    Row(
        lambda: Standardizer().fit(pl.LazyFrame({"age": [1.0]})),
        TypeError,
        "Expected data in memory, got a polars LazyFrame. Call .collect() on it first.",
    ),
    Row(
        lambda: Standardizer().fit(FRAME[["age", "age"]]),
        ValueError,
        "Expected distinct column names, got 'age' more than once. Rename the columns, or pass df.to_numpy().",
    ),
    Row(
        lambda: Standardizer().fit(FRAME[[]]),
        ValueError,
        "Found array with 0 feature(s) (shape=(2, 0)) while a minimum of 1 is required. Pass some features.",
        words="scikit-learn",
    ),
    Row(
        lambda: Standardizer().fit(with_column(["Rome", "Oslo"], dtype=object)),
        ValueError,
        "Expected numbers in column 'city', got dtype object holding str, 'Rome' in row 0. Encode categories, or "
        'make what is no number missing: pd.to_numeric(column, errors="coerce").',
    ),
    Row(
        lambda: Standardizer().fit(with_column([{}, 1.0], dtype=object)),
        TypeError,
        "Expected numbers in column 'city', got dict. An argument must be a string or a real number, not 'dict': "
        "pass one number per feature.",
    ),
    Row(
        lambda: Standardizer().fit(with_column([1j, 1.0], dtype=object)),
        ValueError,
        "Expected real numbers in column 'city', got dtype complex. Complex data not supported: pass the real and "
        "the imaginary part as features of their own.",
    ),
    Row(
        lambda: Standardizer().fit(with_column([10**400, 1], dtype=object)),
        ValueError,
        "Expected numbers in column 'city' that float64 can hold, got a larger integer. Divide them by a power of ten.",
    ),
    *[
        Row(
            lambda dtype=dtype: Standardizer().fit(pl.DataFrame({"city": ["Rome", "Oslo"]}, schema={"city": dtype})),
            ValueError,
            f"Expected numbers in column 'city', got dtype {dtype}. Encode the categories.",
        )
        for dtype in (pl.Categorical(), pl.Enum(["Oslo", "Rome"]))
    ],
    Row(
        lambda: Standardizer().fit(with_column(["Rome", "Oslo"], dtype="category")),
        ValueError,
        "Expected numbers in column 'city', got dtype category. Encode the categories.",
    ),
    Row(
        lambda: Standardizer().fit(with_column(["1", "?"])),
        ValueError,
        "Expected numbers in column 'city', got dtype <...>, '?' in row 1. Encode categories, or make what is no "
        'number missing: pd.to_numeric(column, errors="coerce").',
    ),
    Row(
        lambda: Standardizer().fit(with_column(["1", "2.5"], dtype=object)),
        ValueError,
        "Expected numbers in column 'city', got dtype object holding str. Convert it to numbers: column.astype(float).",
    ),
    Row(
        lambda: Standardizer().fit(with_column(["1", pd.NA], dtype=object)),
        ValueError,
        "Expected numbers in column 'city', got dtype object holding str. Convert it to numbers: "
        "pd.to_numeric(column).",
    ),
    Row(
        lambda: Standardizer().fit(with_column(["1", "2"], dtype=object).iloc[:0]),
        ValueError,
        "Found array with 0 sample(s) (shape=(0, 3)) while a minimum of 1 is required. Pass data to fit.",
        words="scikit-learn",
    ),
    Row(
        lambda: Standardizer().fit(with_column([1, 2], dtype="category")),
        ValueError,
        "Expected numbers in column 'city', got dtype category. Encode the categories, or convert them if they are "
        "numbers: column.astype(float).",
    ),
    Row(
        lambda: Standardizer().fit(with_column(np.array([1, 2], "timedelta64[s]"))),
        ValueError,
        "Expected numbers in column 'city', got dtype timedelta64[s]. Convert durations: column.dt.total_seconds().",
    ),
    Row(
        lambda: Standardizer().fit(with_column(np.array([1, 2], "datetime64[s]"))),
        ValueError,
        "Expected numbers in column 'city', got dtype datetime64[s]. Subtract a date, the same from all data: (column "
        "- date).dt.total_seconds().",
    ),
    Row(
        lambda: Standardizer().fit(with_column(pd.period_range("2020", periods=2, freq="D"))),
        ValueError,
        "Expected numbers in column 'city', got dtype period[D]. Convert it to numbers, or leave it out.",
    ),
    Row(
        lambda: Standardizer().fit(with_column([1j, 2.0])),
        ValueError,
        "Expected real numbers in column 'city', got dtype complex128. Complex data not supported: pass the real "
        "and the imaginary part as features of their own.",
    ),
    Row(
        lambda: Standardizer().fit(FRAME.replace(3e3, np.inf)),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 'income'. Replace it, or mark it as missing with "
        "NaN: X = X.replace([np.inf, -np.inf], np.nan).",
    ),
    Row(
        lambda: Standardizer().fit(pl.DataFrame({"age": [1.0], "city": ["Rome"]})),
        ValueError,
        "Expected numbers in column 'city', got dtype String, 'Rome' in row 0. Encode categories, or make what is "
        "no number missing: column.cast(pl.Float64, strict=False).",
    ),
    Row(
        lambda: Standardizer().fit(pl.DataFrame({"city": pl.Series([{}], dtype=pl.Object)})),
        TypeError,
        "Expected numbers in column 'city', got dict. An argument must be a string or a real number, not 'dict': "
        "pass one number per feature.",
    ),
    Row(
        lambda: MinMaxNormalizer().fit(pl.DataFrame({"age": [np.inf]})),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 'age'. Replace it, or mark it as missing with NaN: "
        "X = X.with_columns(pl.selectors.float().replace([np.inf, -np.inf], np.nan)).",
    ),
    # names
    Row(
        lambda: FITTED.transform(FRAME[["income", "age"]]),
        ValueError,
        "The feature names should match those that were passed during fit.\nFeature names must be in the same order "
        "as they were in fit.\n",
        words="scikit-learn",
    ),
    Row(
        lambda: FITTED.transform(FRAME.rename(columns={"age": "years"})),
        ValueError,
        "The feature names should match those that were passed during fit.\nFeature names unseen at fit time:\n- "
        "years\nFeature names seen at fit time, yet now missing:\n- age\n",
        words="scikit-learn",
    ),
    Row(
        lambda: FITTED.transform(X),
        UserWarning,
        "X does not have valid feature names, but Standardizer was fitted with feature names",
        words="scikit-learn",
    ),
    Row(
        lambda: Standardizer().fit(X).transform(FRAME),
        UserWarning,
        "X has feature names, but Standardizer was fitted without feature names",
        words="scikit-learn",
    ),
    Row(
        lambda: FITTED.inverse_transform(FRAME[["income", "age"]]),
        ValueError,
        "Expected the columns ['age', 'income'], got ['income', 'age']. The feature names should match those that "
        "were passed during fit: pass these columns, in this order.",
    ),
    Row(
        lambda: FITTED.inverse_transform(FRAME.rename(columns={"age": "years"})),
        ValueError,
        "Expected the columns ['age', 'income'], got ['years', 'income']. The feature names should match those "
        "that were passed during fit: pass these columns.",
    ),
    Row(
        lambda: RowLayerNorm(keep_stats=True).fit(FRAME).inverse_transform(WIDE.assign(d=1.0)),
        ValueError,
        "Expected the columns ['age', 'income', 'row_mean', 'row_scale'], got ['a', 'b', 'c', 'd']. The feature "
        "names should match those that were passed during fit: pass these columns.",
    ),
    Row(
        lambda: FITTED.get_feature_names_out(["age"]),
        ValueError,
        "input_features is not equal to feature_names_in_",
        words="scikit-learn",
    ),
    Row(
        lambda: FITTED.get_feature_names_out(["age", "years"]),
        ValueError,
        "input_features is not equal to feature_names_in_",
        words="scikit-learn",
    ),
    # output
    Row(
        lambda: Standardizer().set_output(transform="pandas").fit_transform(np.ones((2, 3, 4))),
        ValueError,
        'Expected 2D data for a pandas DataFrame, got 3D array. Ask for arrays, set_output(transform="default"), '
        "or reshape the data to (n_samples, n_features).",
    ),
    Row(
        lambda: RowLayerNorm().set_output(transform="polars").fit_transform(np.ones((2, 3, 4))),
        ValueError,
        'Expected 2D data for a polars DataFrame, got 3D array. Ask for arrays, set_output(transform="default"), '
        "or reshape the data to (n_samples, n_features).",
    ),
]
