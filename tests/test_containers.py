"""What comes in and what goes out, where the tests of whole transformers do not look: views, dtypes, messages."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from sknorm._containers import column_names, frame_kind, to_container, to_values, with_data

from .wording import assert_says

BEYOND = 2**53 + 1  # an integer that float64 would round
NAN = np.nan


def assert_read(X, values, dtype):
    found = to_values(X)
    assert type(found) is np.ndarray
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, np.array(values, dtype))


# In


def test_arrays_and_frames_of_one_type_are_read_without_a_copy():
    X = np.arange(6.0).reshape(3, 2)
    assert to_values(X) is X
    assert np.shares_memory(to_values(pd.DataFrame(X, copy=False)), X)


def test_subclasses_of_arrays_are_read_as_plain_arrays():
    class Named(np.ndarray):
        pass

    X = np.arange(6.0).reshape(3, 2)
    assert_read(X.view(Named), X, float)
    assert_read([[1, 2], [3, 4]], [[1, 2], [3, 4]], int)


def test_what_lies_under_a_mask_is_read_as_a_plain_array_too():
    class Named(np.ndarray):
        pass

    X = np.array([[1.0, 2.0]])
    assert_read(np.ma.array(X.view(Named), mask=[[0, 0]]), X, float)
    assert_read(np.ma.array(X.view(Named), mask=[[0, 1]]), [[1, NAN]], float)


@pytest.mark.parametrize("thing", [None, 5, "text", {"a": [1]}, object])
def test_what_is_no_data_is_refused_by_its_type(thing):
    with pytest.raises(ValueError, match=r"^Expected") as error:
        to_values(thing)
    got = f"{thing!r}, of type {type(thing).__name__}"
    assert_says(error.value, "2D array", got, "Pass a list of rows, an array or a frame.")


@pytest.mark.parametrize(
    "dtype, mask, result",
    [
        ("uint8", [0, 0], "uint8"),
        ("uint8", [0, 1], "float32"),
        ("int32", [0, 1], "float64"),
        ("float16", [0, 1], "float16"),
        ("float64", [1, 1], "float64"),
    ],
)
def test_a_masked_array_keeps_its_type_or_gets_room_for_nan(dtype, mask, result):
    X = np.ma.array([[1], [2]], dtype, mask=[[m] for m in mask])
    assert_read(X, [[NAN if m else v] for m, v in zip(mask, (1, 2), strict=True)], result)


def test_large_integers_beside_missing_ones_are_exact_whatever_holds_them():
    exact = np.array([[BEYOND], [0]]).astype(np.longdouble)
    exact[1] = NAN
    masked = np.ma.array([[BEYOND], [7]], mask=[[0], [1]])
    frames = [
        pd.DataFrame({"a": pd.array([BEYOND, None], dtype="Int64")}),
        pl.DataFrame({"a": [BEYOND, None]}),
    ]
    for X in (masked, *frames):
        assert_read(X, exact, np.longdouble)
    assert_read(np.ma.array([[5], [BEYOND]], mask=[[0], [1]]), [[5], [NAN]], float)  # what is masked is not there


@pytest.mark.parametrize(
    "columns, values, dtype",
    [
        ({"a": [1, 2], "b": [True, False]}, [[1, 1], [2, 0]], "int64"),
        ({"a": pd.array([1, None], "UInt8"), "b": [0.5, 1]}, [[1, 0.5], [NAN, 1]], "float64"),
        ({"a": pd.array([1, 2], "UInt8")}, [[1], [2]], "uint8"),
        ({"a": pd.array([True, None], "boolean")}, [[1], [NAN]], "float32"),
        ({"a": pd.array([1.5, None], "Float32")}, [[1.5], [NAN]], "float32"),
        ({"a": pd.arrays.SparseArray([0, 2]), "b": [3, 4]}, [[0, 3], [2, 4]], "int64"),
        ({"a": pd.arrays.SparseArray([7, 2], fill_value=7)}, [[7], [2]], "int64"),
        ({"a": pd.Series([1, None], dtype=object), "b": [1, 2]}, [[1, 1], [NAN, 2]], "float64"),
        ({"a": pd.Series([1, 2], dtype=object)}, [[1], [2]], "int64"),
    ],
)
def test_pandas_columns_are_read_in_their_common_type(columns, values, dtype):
    frame = pd.DataFrame(columns)
    before = frame.copy()
    assert_read(frame, values, dtype)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    "column, values, dtype",
    [
        (pl.Series([1, 2], dtype=pl.UInt8), [[1], [2]], "uint8"),
        (pl.Series([1, None], dtype=pl.UInt8), [[1], [NAN]], "float32"),
        (pl.Series([1.5, None], dtype=pl.Float32), [[1.5], [NAN]], "float32"),
        (pl.Series([True, None]), [[1], [NAN]], "float32"),
        (pl.Series([True, False]), [[1], [0]], "bool"),
        (pl.Series([None, None], dtype=pl.Null), [[NAN], [NAN]], "float64"),
        (pl.Series([1, None], dtype=pl.Object), [[1], [NAN]], "float64"),
    ],
)
def test_polars_columns_are_read_in_their_own_type(column, values, dtype):
    assert_read(pl.DataFrame({"a": column}), values, dtype)


def test_polars_columns_of_several_types_are_read_in_their_common_one():
    frame = pl.DataFrame({"a": [1, 2], "b": [0.5, 1.5]}, schema={"a": pl.Int8, "b": pl.Float32})
    assert_read(frame, [[1, 0.5], [2, 1.5]], "float32")


def test_a_nan_that_signals_is_read_beside_a_wider_column_without_warnings():
    signalling = np.array([0x7FA00000, 0], np.uint32).view(np.float32)
    for frame in (pd.DataFrame, pl.DataFrame):
        with np.errstate(all="raise"):
            assert_read(frame({"a": signalling, "b": [1.0, 2.0]}), [[NAN, 1], [0, 2]], float)


def test_sparse_columns_filled_with_zero_stay_sparse_and_others_do_not():
    values = np.array([[0.0, 1.0], [2.0, 0.0]])
    found = to_values(pd.DataFrame(values).astype(pd.SparseDtype(float, 0.0)))
    assert sp.issparse(found)
    np.testing.assert_array_equal(found.toarray(), values)
    assert_read(pd.DataFrame(values).astype(pd.SparseDtype(float, NAN)), values, float)
    assert_read(pd.DataFrame(values).astype({0: pd.SparseDtype(float, 0.0)}), values, float)


# Sparse containers


@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_array, sp.csr_matrix, sp.csc_matrix])
def test_a_sparse_container_in_order_is_read_as_it_is(container):
    X = container(np.array([[0, 1.5], [2, 0]]))
    assert to_values(X) is X


def test_entries_that_add_up_are_added_in_a_copy():
    X = sp.csr_array((np.array([1.0, 2.0, 3.0]), np.array([0, 0, 1]), np.array([0, 3])), shape=(1, 2))
    found = to_values(X)
    np.testing.assert_array_equal(found.data, [3, 3])
    assert X.nnz == 3


def test_stored_objects_that_are_numbers_are_read_as_those_of_a_dense_array_are():
    X = sp.csr_array(np.array([[0, 1.5], [2, 0]]))
    X.data = np.array([1.5, None], object)
    np.testing.assert_array_equal(to_values(X).data, [1.5, NAN])
    assert to_values(X).dtype == np.float64


@pytest.mark.parametrize("make", [sp.coo_array, sp.lil_array, sp.dok_array])
def test_other_formats_become_csr(make):
    assert to_values(make(np.eye(2))).format == "csr"


def test_values_are_put_into_a_container_of_the_same_kind_and_pattern_that_shares_nothing():
    for container in (sp.csr_array, sp.csc_array, sp.csr_matrix):
        X = container(np.array([[0, 1.5], [2, 0]]))
        Y = with_data(X, np.array([7, 8], np.float32))
        assert type(Y) is type(X)
        assert Y.dtype == np.float32
        np.testing.assert_array_equal(Y.indices, X.indices)
        assert not np.shares_memory(Y.indices, X.indices)
        assert not np.shares_memory(Y.indptr, X.indptr)


# Refused


@pytest.mark.parametrize(
    "X, kind, expected, got, remedy",
    [
        (pd.Series([1.0]), ValueError, "2D array or DataFrame", "1D pandas Series", "X.to_frame().T if it is one"),
        (pd.Index([1.0]), ValueError, "2D array or DataFrame", "1D pandas Index", "X.to_frame() if it is one feature"),
        (pl.Series([1.0]), ValueError, "2D array or DataFrame", "1D polars Series", "X.to_frame().transpose() if it"),
        (pl.LazyFrame({"a": [1.0]}), TypeError, "data", "a polars LazyFrame", "Call .collect() on it first."),
        (
            sp.coo_array(np.ones(3)),
            ValueError,
            "2D sparse container",
            "1D coo_array",
            "Reshape your data: X.reshape(-1, 1)",
        ),
        ([[1], [2, 3]], ValueError, "an array or a frame", "list that NumPy cannot read", "in rows of one length."),
        (
            pd.DataFrame([[1, 2]], columns=["a", "a"]),
            ValueError,
            "distinct column names",
            "'a' more than once",
            "Rename the columns, or pass df.to_numpy().",
        ),
        (pd.DataFrame({"b": ["x"]}), ValueError, "numbers in column 'b'", "", "Encode "),
        (
            pd.DataFrame({"b": pd.Categorical([1])}),
            ValueError,
            "numbers in column 'b'",
            "dtype category",
            "Encode ",
        ),
        (pd.DataFrame({"b": [1j]}), ValueError, "real numbers in column 'b'", "dtype complex128", "pass the real"),
        (
            pd.DataFrame({"b": pd.Series(["x"], dtype=object)}),
            ValueError,
            "numbers in column 'b'",
            "holding str",
            "Encode",
        ),
        (pl.DataFrame({"b": ["x"]}), ValueError, "numbers in column 'b'", "dtype String", "Encode "),
        (
            pl.DataFrame({"b": pl.Series([b"x"], dtype=pl.Object)}),
            ValueError,
            "numbers in column 'b'",
            "holding bytes",
            "Encode ",
        ),
    ],
)
def test_what_is_no_data_is_refused_with_the_way_out(X, kind, expected, got, remedy):
    with pytest.raises(kind, match="Expected") as error:
        to_values(X)
    assert_says(error.value, expected, got, remedy)


def test_a_sparse_container_of_three_axes_is_told_how_to_become_one_of_two():
    try:
        X = sp.coo_array(np.ones((2, 3, 4)))
    except ValueError:
        pytest.skip("there are none in this SciPy")
    with pytest.raises(ValueError, match="2D sparse container") as error:
        to_values(X)
    assert_says(error.value, "2D sparse container", "3D coo_array", "X.reshape(-1, 4).")
    assert to_values(X.reshape(-1, 4)).shape == (6, 4)


def test_a_matrix_is_refused_as_scikit_learn_does():
    with pytest.warns(PendingDeprecationWarning):
        X = np.matrix([[1.0]])
    with pytest.raises(TypeError, match=r"np\.matrix is not supported: pass np\.asarray\(X\)\."):
        to_values(X)


@pytest.mark.parametrize("X", [np.empty((3, 0)), sp.csr_array((3, 0)), pd.DataFrame(index=[1, 2]), pl.DataFrame()])
def test_data_without_features_are_refused(X):
    with pytest.raises(ValueError, match=r"Found array with 0 feature\(s\)"):
        to_values(X)


# Out


def test_an_array_comes_out_as_it_is_unless_a_frame_is_asked_for():
    Y, S = np.eye(2), sp.csr_array(np.eye(2))
    assert to_container(Y, "default", None, None) is Y
    assert to_container(S, "pandas", None, None) is S


def test_a_frame_is_put_around_the_values_without_a_copy():
    Y = np.eye(2)
    like = pd.DataFrame(Y, index=["u", "v"])
    frame = to_container(Y, "pandas", lambda: ["a", "b"], like)
    assert np.shares_memory(frame.to_numpy(), Y)
    assert list(frame.index) == ["u", "v"]
    assert list(to_container(Y, "pandas", lambda: ["a", "b"], Y).index) == [0, 1]


def test_nulls_of_a_polars_frame_come_out_as_nulls_under_the_new_names():
    like = pl.DataFrame({"a": [1.0, None], "b": [NAN, 2.0]})
    assert to_container(np.array([[1.0, 2], [3, 4]]), "polars", lambda: ["u", "v"], None).rows() == [(1, 2), (3, 4)]
    frame = to_container(np.array([[1.0, NAN, 5], [NAN, 2, 6]]), "polars", lambda: ["u", "v", "extra"], like)
    assert frame.columns == ["u", "v", "extra"]
    assert frame.null_count().row(0) == (1, 0, 0)
    assert np.isnan(frame["v"][0])
    assert frame["u"].dtype == pl.Float64
    plain = to_container(np.array([[NAN]]), "polars", lambda: [0], np.array([[NAN]]))
    assert plain.columns == ["0"]
    assert plain.null_count().row(0) == (0,)


def test_only_columns_that_are_all_text_have_names():
    assert column_names(pd.DataFrame(np.eye(2), columns=["a", "b"])) == ["a", "b"]
    assert column_names(pl.DataFrame({"a": [1]})) == ["a"]
    assert column_names(pd.DataFrame(np.eye(2), columns=["a", 1])) is None
    assert column_names(pd.DataFrame(np.eye(2))) is None
    assert column_names(pd.DataFrame()) is None
    assert column_names(np.eye(2)) is None


def test_the_library_of_a_frame_is_known():
    assert frame_kind(pd.DataFrame()) == "pandas"
    assert frame_kind(pl.DataFrame()) == "polars"
    assert frame_kind(np.eye(2)) is None
    assert frame_kind([[1]]) is None


def test_arrays_are_read_without_pandas_and_polars():
    code = (
        "import sys; sys.modules.update(pandas=None, polars=None)\n"
        "from sknorm._containers import to_values\n"
        "assert to_values([[1.0]]).shape == (1, 1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
