"""Faults reported in other packages, as tests of their kind: what comes in, from where, what is refused.

Each test names the public issues; the input that was reported stands among others of its kind.
"""

import pickle
import re
from datetime import timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

from .exact import exact_array, feature_errors

DATASET = [MinMaxNormalizer, Standardizer]
ALL = [*DATASET, RowLayerNorm, RowRMSNorm, RowSoftmax]
NAN = np.nan


# Missing values under other names


@pytest.mark.parametrize("missing", [pd.NA, None, NAN])
@pytest.mark.parametrize("kind", [int, float, np.float32])
def test_any_missing_value_in_an_object_array_is_nan(missing, kind):
    """scikit-learn#16498, #27482: pd.NA ended in a TypeError from float()."""
    X = np.array([[kind(1)], [missing], [kind(3)]], dtype=object)
    np.testing.assert_array_equal(Standardizer().fit_transform(X), [[-1], [NAN], [1]])
    np.testing.assert_array_equal(MinMaxNormalizer().fit_transform(X), [[0], [NAN], [1]])


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint16])
def test_what_is_masked_is_missing(dtype):
    """jax#13795, scikit-learn-intelex#2710: the mask was dropped and the garbage under it used."""
    X = np.ma.array([[1], [3], [999]], dtype, mask=[[0], [0], [1]])
    assert Standardizer().fit(X).mean_ == 2
    assert MinMaxNormalizer().fit(X).data_max_ == 3
    np.testing.assert_array_equal(np.ma.filled(Standardizer().fit_transform(X), NAN), [[-1], [1], [NAN]])
    rows = np.ma.filled(RowLayerNorm(eps=0).fit_transform(X.T), NAN)
    np.testing.assert_array_equal(rows, [[-1, 1, NAN]])


@pytest.mark.parametrize(
    "dtype", ["Int64", "Int8", "UInt16", "Float64", "Float32", "int64[pyarrow]", "double[pyarrow]"]
)
def test_nullable_columns_of_pandas_are_numbers_and_nan(dtype):
    """scikit-learn#16498, #19889, #34538: pd.NA made the call fail as ambiguous."""
    X = pd.DataFrame({"a": pd.array([1, 2, None, 4], dtype=dtype)})
    want = np.array([[-4], [-1], [NAN], [5]]) / np.sqrt(14)  # mean 7/3, variance 14/9
    assert feature_errors(Standardizer().fit_transform(X), exact_array(want)).max() <= 4


@pytest.mark.parametrize("dtype", ["boolean", "bool[pyarrow]"])
def test_nullable_booleans_are_zero_and_one(dtype):
    """scikit-learn#34538."""
    X = pd.DataFrame({"a": pd.array([True, None, False], dtype=dtype)})
    np.testing.assert_array_equal(Standardizer().fit_transform(X), [[1], [NAN], [-1]])


@pytest.mark.parametrize("dtype", ["Int64", "Float64"])
def test_nullable_columns_pass_through_a_column_transformer(dtype):
    """scikit-learn#27482: what it hands on may be a frame, or an array of objects."""
    X = pd.DataFrame({"a": pd.array([1, None, 4], dtype=dtype)})
    steps = make_pipeline(make_column_transformer(("passthrough", ["a"])), Standardizer())
    steps.set_output(transform="pandas")
    np.testing.assert_array_equal(steps.fit_transform(X), [[-1], [NAN], [1]])
    np.testing.assert_array_equal(Standardizer().fit_transform(X.to_numpy(object)), [[-1], [NAN], [1]])


def test_sparse_columns_of_pandas_that_are_mostly_nan_are_read():
    """scikit-learn, found beside its sparse arrays: a fill value of NaN was refused."""
    X = pd.DataFrame({"a": [1.0, NAN, 3.0], "b": [NAN, 5.0, 9.0]}).astype(pd.SparseDtype(float, NAN))
    np.testing.assert_array_equal(Standardizer().fit_transform(X), [[-1, NAN], [NAN, -1], [1, 1]])


# What is no number


@pytest.mark.parametrize(
    "X",
    [
        np.array([["1"], ["2"]]),
        np.array([[b"1"], [b"2"]]),
        np.array([["1"], ["2"]], object),
        np.array([["2020-01-01"], ["2021-01-01"]], "datetime64[D]"),
        np.array([[1], [2]], "timedelta64[s]"),
        np.array([[1j], [2]]),
        np.array([[Decimal(1)], [Decimal(2)]]),
    ],
    ids=lambda X: str(X.dtype),
)
@pytest.mark.parametrize("cls", ALL)
def test_text_dates_and_complex_numbers_are_refused_by_their_dtype(cls, X):
    """scikit-learn#12148: text digits, decimals and dates became numbers without a word."""
    with pytest.raises(ValueError, match=f"dtype {re.escape(str(X.dtype))}"):
        cls().fit(X)


@pytest.mark.parametrize(
    "values",
    [["1", "2"], pd.to_datetime(["2020-01-01", "2021-01-01"]), [timedelta(1), timedelta(2)], [1j, 2j]],
    ids=["text", "dates", "times", "complex"],
)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("cls", DATASET)
def test_a_column_that_is_no_number_is_named(cls, frame, values):
    """scikit-learn#12148: the message did not say which column."""
    if frame is pl.DataFrame and isinstance(values[0], complex):
        values = pl.Series(values, dtype=pl.Object)  # polars knows no complex numbers
    X = frame({"good": [1.0, 2.0], "odd one": values})
    with pytest.raises(ValueError, match="odd one"):
        cls().fit(X)


# Frames


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("dtype", [pl.Float32, pl.Float64])
def test_a_polars_column_keeps_its_precision(cls, dtype):
    """scikit-learn#15093, #12148: Float32 came back as Float64."""
    X = pl.DataFrame({"a": [1, 2, 3], "b": [3, 5, 9]}, schema={"a": dtype, "b": dtype})
    assert cls().set_output(transform="polars").fit_transform(X).dtypes == [dtype, dtype]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("cls", ALL)
def test_reordered_columns_are_refused(cls, frame):
    """scikit-learn#7242 and PR #11607, napari-feature-classifier#44: they were taken by position."""
    X = frame({"a": [0.0, 2.0], "b": [10.0, 30.0]})
    norm = cls().fit(X)
    with pytest.raises(ValueError, match=r"(?s)names.*order"):
        norm.transform(X[["b", "a"]])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize("cls", DATASET)
def test_reordered_columns_are_refused_on_the_way_back(cls, frame):
    """scikit-learn#7242: the same mix-up, one step later."""
    X = frame({"a": [0.0, 2.0], "b": [10.0, 30.0]})
    norm = cls().fit(X)
    with pytest.raises(ValueError, match=r"(?s)names.*order"):
        norm.inverse_transform(X[["b", "a"]])


@pytest.mark.parametrize("X", [[[1.0], [2.0]], ([1], [2]), np.array([[1], [2]])])
def test_input_without_names_gets_names_in_a_pandas_output(X):
    """scikit-learn#27037: a list has an `index`, but it is a method."""
    out = Standardizer().set_output(transform="pandas").fit_transform(X)
    pd.testing.assert_frame_equal(out, pd.DataFrame({"x0": [-1.0, 1.0]}))


@pytest.mark.parametrize("cls", ALL)
def test_a_column_name_that_stands_twice_is_named(cls):
    """scikit-learn#32665: the failure came late and from elsewhere."""
    X = pd.DataFrame([[1.0, 2.0, 5.0], [3.0, 4.0, 6.0]], columns=["twice", "once", "twice"])
    with pytest.raises(ValueError, match="twice"):
        cls().set_output(transform="pandas").fit_transform(X)


def test_an_empty_column_name_is_a_name():
    """scikit-learn#32665."""
    X = pd.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["", "a"])
    out = Standardizer().set_output(transform="pandas").fit_transform(X)
    pd.testing.assert_frame_equal(out, pd.DataFrame([[-1.0, -1.0], [1.0, 1.0]], columns=["", "a"]))


# Parameters, pipelines, metadata, old pickles


@pytest.mark.parametrize("pair", [[0, 1], (0, 1), np.array([0.0, 1.0])])
@pytest.mark.parametrize("name", ["feature_range", "in_range"])
def test_a_range_may_be_any_pair(name, pair):
    """scikit-learn#24428: JSON and YAML have lists, no tuples."""
    X = np.eye(2)
    np.testing.assert_array_equal(MinMaxNormalizer(**{name: pair}).fit(X).transform(X), X)


def test_a_second_fit_leaves_nothing_of_the_first():
    """scikit-learn#11234 and PR #11235: attributes that the new options do not set stayed behind."""
    standard = Standardizer().fit(pd.DataFrame(np.eye(3), columns=list("abc")))
    standard.set_params(with_mean=False, with_std=False).fit(np.eye(3))
    assert (standard.mean_, standard.var_, standard.scale_) == (None, None, None)
    assert not hasattr(standard, "feature_names_in_")
    standard.set_params(with_mean=True).fit(np.eye(2))
    assert (standard.mean_.tolist(), standard.var_, standard.scale_) == ([0.5, 0.5], None, None)


@pytest.mark.parametrize(
    "cls, attribute, weights, want",
    [(Standardizer, "mean_", [1, 3], 2.5), (MinMaxNormalizer, "data_max_", [1, 0], 1.0)],
)
def test_sample_weight_reaches_a_step_of_a_pipeline(cls, attribute, weights, want):
    """scikit-learn#8559, #21134, #29454, #30937: by metadata routing, for min-max too."""
    with config_context(enable_metadata_routing=True):
        scale = cls().set_fit_request(sample_weight=True)
        ridge = Ridge().set_fit_request(sample_weight=True)
        steps = make_pipeline(scale, ridge)
        steps.fit(np.array([[1.0], [3.0]]), [0.0, 1.0], sample_weight=weights)
    assert getattr(steps[0], attribute) == want


@pytest.mark.parametrize("cls", ALL)
def test_an_old_pickle_without_a_newer_parameter_takes_its_default(cls):
    """hmni#6 and #16, abydos#285, coala#3, generic-expression-patterns#83: AttributeError 'clip'."""
    X = np.random.default_rng(0).normal(size=(5, 3))
    fitted = cls().fit(X)
    for name, default in cls().get_params().items():
        old = clone(fitted).fit(X)
        del old.__dict__[name]
        loaded = pickle.loads(pickle.dumps(old))
        assert loaded.get_params()[name] == default
        np.testing.assert_array_equal(loaded.transform(X), fitted.transform(X))


# Sparse matrices

FORMATS = [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.csc_matrix]


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_min_max_keeps_a_sparse_matrix_sparse_where_zero_stays_zero(make, index):
    """scikit-learn#1324, PR #1799, PR #15695: there was no min-max for sparse matrices."""
    X = make([[0.0, 2.0, 0.0], [4.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    out = MinMaxNormalizer().fit_transform(X)
    assert type(out) is type(X)
    np.testing.assert_array_equal(out.toarray(), [[0, 1, 0], [1, 0, 0], [0.25, 0.5, 0]])


@pytest.mark.parametrize(
    "X, feature_range", [([[1.0], [2.0]], (0, 1)), ([[-1.0], [0.0]], (0, 1)), ([[0.0], [2.0]], (-1, 1))]
)
def test_min_max_refuses_a_sparse_matrix_where_zero_would_not_stay_zero(X, feature_range):
    """scikit-learn#1324: never densified in silence."""
    with pytest.raises(ValueError, match="sparse"):
        MinMaxNormalizer(feature_range).fit_transform(sp.csr_array(X))


@pytest.mark.parametrize("make", FORMATS)
def test_a_constant_sparse_column_is_left_as_it_is(make):
    """scanpy#1160, #581, #64: it became infinite or NaN."""
    X = np.array([[2.0, 0.0, 0.1], [2.0, 0.0, 0.1], [2.0, 0.0, 0.1]])
    out = Standardizer(with_mean=False).fit_transform(make(X))
    np.testing.assert_array_equal(out.toarray(), X)


@pytest.mark.parametrize("make", FORMATS)
def test_centring_a_sparse_matrix_is_refused_and_the_way_out_named(make):
    """scanpy#3719, #3730: it was densified in silence."""
    with pytest.raises(ValueError, match="with_mean=False"):
        Standardizer().fit(make(np.eye(3)))


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("estimator", [Standardizer(with_mean=False), MinMaxNormalizer(), RowRMSNorm()])
def test_a_sparse_array_stays_an_array_and_a_matrix_a_matrix(make, estimator):
    """scikit-learn, found beside its sparse arrays: csr_array must not become csr_matrix."""
    assert type(clone(estimator).fit_transform(make(np.eye(3)))) is make


@pytest.mark.parametrize("offset", [0, 1e12])
def test_sparse_rows_one_at_a_time_give_the_variance_of_one_fit(offset):
    """scikit-learn PR #5104: the sparse half of the stream with a large mean."""
    streamed = Standardizer(with_mean=False)
    for value in (0, 1, 2, 5):
        streamed.partial_fit(sp.csr_array([[offset + value]]))
    np.testing.assert_allclose(streamed.var_, [3.5], rtol=1e-14)
