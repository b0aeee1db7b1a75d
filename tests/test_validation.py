"""Checks of data: what passes, what is refused, and in which words; and the words of all other errors."""

import datetime
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from sknorm import Standardizer
from sknorm import _validation as check

from .wording import assert_says

NAN, INF = np.nan, np.inf
NAMES = ("row_mean", "row_scale")


def objects(*values):
    """A column of Python objects."""
    column = np.empty((len(values), 1), object)
    column[:, 0] = values
    return column


# Arrays


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble", "int8", "uint64", "bool", ">f8"])
@pytest.mark.parametrize("shape", [(3, 2), (0, 2), (2, 3, 1), (1, 1, 1, 1)])
def test_real_arrays_of_two_axes_or_more_pass_as_they_are(dtype, shape):
    X = np.zeros(shape, dtype)
    assert check.check_values(X) is X


@pytest.mark.parametrize(
    "values, result",
    [
        ([1, 2], np.array([[1], [2]])),
        ([1, np.uint8(2)], np.array([[1], [2]])),
        ([2**63 - 1, -(2**63)], np.array([[2**63 - 1], [-(2**63)]])),
        ([2**63, 1], np.array([[2**63], [1]], np.uint64)),
        ([2**63, -1], np.array([[2**63], [-1]], np.longdouble)),
        ([2**53 + 1, None], np.array([[2**53 + 1], [NAN]], np.longdouble)),
        ([2**53 + 1, 0.5], np.array([[2**53 + 1], [0.5]], np.longdouble)),
        ([2**53, 0.5], np.array([[2.0**53], [0.5]])),
        ([1, 2.5], np.array([[1], [2.5]])),
        ([True, np.False_], np.array([[1.0], [0]])),
        ([1, None], np.array([[1], [NAN]])),
        ([1, pd.NA], np.array([[1], [NAN]])),
        ([1, NAN], np.array([[1], [NAN]])),
        ([np.float32(NAN), np.float16(2)], np.array([[NAN], [2]])),
        ([None, None], np.array([[NAN], [NAN]])),
        ([], np.empty((0, 1), np.int64)),
    ],
)
def test_objects_that_are_numbers_are_read_and_missing_ones_are_nan(values, result):
    found = check.check_values(objects(*values))
    np.testing.assert_array_equal(found, result)
    if not (values and isinstance(values[0], bool)):
        assert found.dtype == result.dtype


TEXT = 'or make what is no number missing: pd.DataFrame(X).apply(pd.to_numeric, errors="coerce").to_numpy().'
CONVERT = "Convert it to numbers: np.asarray(X, dtype=float)."
DATE = "Subtract a date, the same from all data: (np.asarray(X"
PARTS = "Complex data not supported: pass the real and the imaginary part as features of their own."
HOLDING = [(x, f"{type(x).__name__}, {x!r} in row 1, feature 0", TEXT) for x in ("a", b"a", np.str_("a"))]
HOLDING += [(x, type(x).__name__, CONVERT) for x in ("1", b"1", Decimal(1), Fraction(1, 2))]
HOLDING += [
    (x, type(x).__name__, DATE) for x in (datetime.date(2020, 1, 1), np.datetime64(1, "s"), pd.Timestamp(0), pd.NaT)
]
HOLDING += [(x, type(x).__name__, "Convert durations: ") for x in (datetime.timedelta(1), np.timedelta64(1, "s"))]


@pytest.mark.parametrize(
    "X, expected, got, remedy",
    [
        (np.float64(3), "2D array", "0D array instead, of shape ()", "X.reshape(1, -1) for one sample."),
        (np.zeros(3), "2D array", "1D array instead, of shape (3,)", "Reshape your data: X.reshape(-1, 1)"),
        (np.array([["a"]]), "numbers in X", "dtype <U1, 'a' in row 0, feature 0", TEXT),
        (np.array([[b"1", b"a"]]), "numbers in X", "dtype |S1, b'a' in row 0, feature 1", TEXT),
        (np.array([["1"]]), "numbers in X", "dtype <U1", CONVERT),
        (np.zeros((1, 1), "M8[s]"), "numbers in X", "dtype datetime64[s]", DATE),
        (np.zeros((1, 1), "m8[s]"), "numbers in X", "dtype timedelta64[s]", 'np.asarray(X) / np.timedelta64(1, "s").'),
        (np.zeros((1, 1), "f8,f8"), "numbers in X", "dtype [('f0', '<f8'), ('f1', '<f8')]", "or leave it out."),
        (np.zeros((1, 1), complex), "real numbers in X", "dtype complex128", PARTS),
        (objects(1.0, 1j), "real numbers in X", "dtype complex", PARTS),
        (objects(np.complex64(1)), "real numbers in X", "dtype complex64", PARTS),
        *[(objects(1, x), "numbers in X", f"dtype object holding {held}", remedy) for x, held, remedy in HOLDING],
    ],
)
def test_what_is_not_an_array_of_numbers_is_refused(X, expected, got, remedy):
    with pytest.raises(ValueError, match=r"^Expected") as error:
        check.check_values(X)
    assert_says(error.value, expected, got, remedy)


@pytest.mark.parametrize("thing", [{}, [1], object(), len])
def test_an_object_that_is_no_value_at_all_is_a_type_error(thing):
    with pytest.raises(TypeError, match=f"argument must be a string or a real number, not '{type(thing).__name__}'"):
        check.check_values(objects(1.0, thing))


def test_an_array_without_features_is_refused_in_the_words_of_scikit_learn():
    with pytest.raises(ValueError, match=r"Found array with 0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1"):
        check.check_values(np.zeros((3, 0)))


@pytest.mark.parametrize("shape", [(0, 2), (3, 0, 2), (0, 0, 2)])
def test_nothing_to_learn_from_is_refused_in_the_words_of_scikit_learn(shape):
    with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\) .* Pass data to fit\.$"):
        check.check_samples(shape)
    check.check_samples((1, 1, 2))


def test_what_came_is_shown_whole_up_to_200_characters():
    assert check.shown("x" * 198) == repr("x" * 198)
    assert check.shown("x" * 199) == f"'{'x' * 199}..."


class OutOfMemory:
    def __array__(self, dtype=None, copy=None):
        raise MemoryError("by itself")


def test_memory_that_runs_out_is_not_taken_for_a_fault_of_the_data():
    with pytest.raises(MemoryError, match="by itself"):
        check.as_array(OutOfMemory(), "an array")


def test_a_nan_that_signals_is_read_without_warnings():
    signalling = np.array([0x7FA00000], np.uint32).view(np.float32)
    with np.errstate(all="raise"):
        assert np.isnan(check.as_array([signalling[0], 1.0], "an array")[0])
        assert np.isnan(check.check_row_stats((signalling,), ("row_mean",), (1,)))


@pytest.mark.parametrize("name", ["nnz", "tocsr"])
def test_a_frame_with_a_column_named_as_what_sparse_matrices_have_is_a_frame(name):
    frame = pd.DataFrame({name: [1.0, 3.0]})
    assert not check.is_sparse(frame)
    np.testing.assert_array_equal(Standardizer().fit_transform(frame), [[-1], [1]])


# Weights


@pytest.mark.parametrize(
    "given, result",
    [
        (None, None),
        ([1, 0, 2], [1, 0, 2]),
        ([True, False, True], [1, 0, 1]),
        (True, [1, 1, 1]),
        (np.array([1, 0, 2], np.uint8), [1, 0, 2]),
        (np.ma.array([1, 2, 3]), [1, 2, 3]),
        (np.array([0.5, 1e-300, 1e300]), [0.5, 1e-300, 1e300]),
        (3, [3, 3, 3]),
        (np.float32(0.5), [0.5] * 3),
        (np.uint8(2), [2, 2, 2]),
        (np.array([1, 2, 3], object), [1, 2, 3]),
        (pd.Series([1, 2, 3], index=[5, 6, 7]), [1, 2, 3]),
    ],
)
def test_weights_of_each_sample_or_one_for_all_pass(given, result):
    found = check.check_sample_weight(given, 3)
    assert (found is None) == (result is None)
    if result is not None:
        np.testing.assert_array_equal(found, result)
        assert found.dtype.kind in "biuf"


NUMBERS = ("sample_weight to be 3 numbers, one per sample", "Pass one weight per entry of the first axis of X.")
SIGN = ("sample_weight to be finite and not negative", "Use 0 to leave a sample out.")


@pytest.mark.parametrize(
    "given, expected, got, remedy",
    [
        ([1, 2], NUMBERS[0], "int64 of shape (2,)", NUMBERS[1]),
        ([[1], [2], [3]], NUMBERS[0], "int64 of shape (3, 1)", NUMBERS[1]),
        (["a", "b", "c"], NUMBERS[0], "<U1 of shape (3,)", NUMBERS[1]),
        ([1j, 1, 1], NUMBERS[0], "complex128 of shape (3,)", NUMBERS[1]),
        ("a", NUMBERS[0], "<U1 of shape ()", NUMBERS[1]),
        ([1, 0, -0.5], SIGN[0], "-0.5 at position 2", SIGN[1]),
        (np.ma.array([1, 2, 3], mask=[0, 1, 0]), "sample_weight without a mask", "masked weights", SIGN[1]),
        (Fraction(1, 2), NUMBERS[0], "object of shape ()", NUMBERS[1]),
        ([1, NAN, -1], SIGN[0], "nan at position 1", SIGN[1]),
        ([1, 2, INF], SIGN[0], "inf at position 2", SIGN[1]),
        ([-INF, 2, 1], SIGN[0], "-inf at position 0", SIGN[1]),
        (np.array([1, None, 2]), SIGN[0], "nan at position 1", SIGN[1]),
        ([0, 0, 0], "some sample_weight above zero", "zero for every sample", "a weight above zero."),
        (0.0, "some sample_weight above zero", "zero for every sample", "a weight above zero."),
    ],
)
def test_other_weights_are_refused(given, expected, got, remedy):
    with pytest.raises(ValueError, match=r"^Expected") as error:
        check.check_sample_weight(given, 3)
    assert_says(error.value, expected, got, remedy)


# Errors made for others

SPARSE = "a sparse matrix"


@pytest.mark.parametrize(
    "error, kinds, expected, got, remedy",
    [
        (check.no_integer("int8"), ValueError, "values that int8 can hold", "NaN", "use inverse_dtype=None."),
        (
            check.sparse_centred(),
            (ValueError, TypeError),
            "with_mean=True",
            SPARSE,
            "pass with_mean=False, or X.toarray() (X.sparse.to_dense() of a frame).",
        ),
        (
            check.sparse_minimum(np.arange(1, 9), (0, 1)),
            (ValueError, TypeError),
            "dense data, or minima of 0",
            "a minimum other than 0 in features [1, 2, 3, 4, 5]",
            "use Standardizer(with_mean=False).",
        ),
        (
            check.sparse_minimum([], (-1, 1)),
            (ValueError, TypeError),
            "dense data",
            "feature_range=(-1, 1)",
            "X.toarray()",
        ),
        (check.sparse_rows("RowRMSNorm", True), (ValueError, TypeError), "RowRMSNorm", SPARSE, "Use keep_stats=False"),
        (
            check.sparse_rows("RowSoftmax", False),
            (ValueError, TypeError),
            "for RowSoftmax",
            SPARSE,
            "Pass X.toarray() (X.sparse.to_dense() of a frame).",
        ),
        (
            check.too_narrow(NAMES, (3, 2)),
            ValueError,
            "row_mean, row_scale",
            "shape (3, 2)",
            "what transform returned.",
        ),
        (check.row_statistics_missing("RowRMSNorm"), ValueError, "statistics of RowRMSNorm", "none", "row_stats="),
        (check.no_probability(-0.5), ValueError, "at least 0", "-0.5", "what transform"),
    ],
)
def test_an_error_says_what_to_do(error, kinds, expected, got, remedy):
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        assert isinstance(error, kind)
    assert_says(error, expected, got, remedy)


def test_another_width_is_refused_in_the_words_of_scikit_learn():
    check.check_width(3, 3, Standardizer())
    with pytest.raises(ValueError, match=r"^X has 2 features, but Standardizer is expecting 3 features as input\.$"):
        check.check_width(2, 3, Standardizer())


def test_names_need_a_fit():
    error = check.not_fitted_for_names("RowSoftmax")
    assert isinstance(error, NotFittedError)
    assert "This RowSoftmax instance is not fitted yet" in str(error)


def test_the_warning_about_one_feature_points_at_the_call_of_fit():
    def fit():
        check.warn_one_feature("RowLayerNorm")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit()
    assert caught[0].category is UserWarning
    assert "for RowLayerNorm, got samples of one feature" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_kept_statistics_must_not_take_the_name_of_a_feature():
    check.check_names_apart(None, NAMES)
    check.check_names_apart(["a", "mean"], NAMES)
    with pytest.raises(ValueError, match=r"^Expected no feature called 'row_scale' with keep_stats=True, got columns"):
        check.check_names_apart(["row_scale", "a"], NAMES)


def test_of_several_things_that_are_no_numbers_the_first_is_spoken_of():
    with pytest.raises(ValueError, match="holding str, 'a' in row 1"):
        check.check_values(objects(1, "a", object()))
    with pytest.raises(TypeError, match="not 'object'"):
        check.check_values(objects(1, object(), "a"))
