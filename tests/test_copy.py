"""What a call may touch: the caller's data only with copy=False, the estimator only when a fit succeeds."""

import inspect
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

DATASET_CLASSES = [MinMaxNormalizer, Standardizer]
ROW_CLASSES = [RowLayerNorm, RowRMSNorm, RowSoftmax]
CLASSES = DATASET_CLASSES + ROW_CLASSES

X = np.random.default_rng(3).normal(size=(8, 3)) + 5
MANY = np.random.default_rng(4).normal(size=(100_000, 4))  # several blocks of work


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def with_gaps(array):
    """The array as every other row and column of a larger one."""
    return np.repeat(np.repeat(array, 2, axis=0), 2, axis=1)[::2, ::2]


LAYOUTS = {
    "C order": np.copy,
    "Fortran order": np.asfortranarray,
    "with gaps": with_gaps,
    "backwards": lambda array: array[::-1, ::-1].copy()[::-1, ::-1],
    "swapped bytes": lambda array: array.astype(array.dtype.newbyteorder()),
    "read-only": read_only,
    "three axes": lambda array: array.reshape(2, 4, 3).copy(),
}
each_layout = pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)


def call_everything(norm, data):
    """Every method that reads data, for what it does to them."""
    Y = norm.fit_transform(data)
    norm.fit(data).transform(data)
    if isinstance(norm, tuple(ROW_CLASSES)):
        norm.inverse_transform(Y, row_stats=norm.row_statistics(data))
    else:
        norm.inverse_transform(Y)
        norm.partial_fit(data)
        norm.inverse_transform(data)


def whole(array):
    """The memory an array is a view of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


# --- copy=True never changes the input ---


@each_layout
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32])
@pytest.mark.parametrize("cls", CLASSES)
def test_copy_leaves_an_array_and_what_it_is_a_view_of_alone(cls, dtype, layout):
    data = layout(X.astype(dtype))
    before = whole(data).copy()
    call_everything(cls(), data)
    np.testing.assert_array_equal(whole(data), before)


@pytest.mark.parametrize("parameters", [{"copy": True}, {"copy": False}], ids=repr)
@pytest.mark.parametrize("cls", CLASSES)
def test_a_frame_never_changes(cls, parameters):
    frame = pd.DataFrame(X, columns=list("abc"))
    table = pl.DataFrame(X, schema=list("abc"))
    before = frame.copy()
    for transform in ("default", "pandas", "polars"):
        norm = cls(**parameters).set_output(transform=transform)
        call_everything(norm, frame)
        call_everything(norm, table)
    pd.testing.assert_frame_equal(frame, before)
    np.testing.assert_array_equal(table.to_numpy(), X)


@pytest.mark.parametrize("cls", CLASSES)
def test_the_output_shares_no_memory_with_the_input(cls):
    data = X.copy()
    assert not np.shares_memory(cls().fit_transform(data), data)


def test_the_output_of_a_transformer_that_does_nothing_is_still_a_copy():
    data = X.copy()
    norm = Standardizer(with_mean=False, with_std=False)
    assert not np.shares_memory(norm.fit_transform(data), data)
    assert not np.shares_memory(norm.inverse_transform(data), data)


@pytest.mark.parametrize("cls", DATASET_CLASSES)
def test_fitted_statistics_do_not_follow_later_changes_of_the_data(cls):
    data = X.copy()
    norm = cls().fit(data)
    expected = norm.transform(X)
    data[:] = -1
    np.testing.assert_array_equal(norm.transform(X), expected)


# --- copy=False works in place where it can ---


@pytest.mark.parametrize("layout", ["C order", "Fortran order", "with gaps", "three axes"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("cls", CLASSES)
def test_without_copy_a_writeable_array_of_the_output_dtype_holds_the_result(cls, dtype, layout):
    data = LAYOUTS[layout](X.astype(dtype))
    untouched = whole(data).size - data.size
    before = whole(data).copy()
    expected = cls().fit_transform(data)
    result = cls(copy=False).fit_transform(data)
    assert np.shares_memory(result, data)
    np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(data, expected)
    assert np.count_nonzero(whole(data) == before) >= untouched


@pytest.mark.parametrize("cls", DATASET_CLASSES)
def test_without_copy_the_inverse_works_in_place_too(cls):
    norm = cls(copy=False).fit(X.copy())
    Y = norm.transform(X.copy())
    expected = norm.inverse_transform(Y.copy())
    result = norm.inverse_transform(Y)
    assert np.shares_memory(result, Y)
    np.testing.assert_array_equal(Y, expected)


@pytest.mark.parametrize("cls", DATASET_CLASSES)
def test_without_copy_fit_alone_changes_nothing(cls):
    data = X.copy()
    cls(copy=False).fit(data).partial_fit(data)
    np.testing.assert_array_equal(data, X)


@pytest.mark.parametrize(
    "data", [read_only(X), X.astype(np.int64), X.astype(np.uint8)], ids=["read-only", "int64", "uint8"]
)
@pytest.mark.parametrize("cls", CLASSES)
def test_without_copy_other_arrays_are_copied(cls, data):
    before = data.copy()
    result = cls(copy=False).fit_transform(data)
    np.testing.assert_array_equal(data, before)
    np.testing.assert_array_equal(result, cls().fit_transform(before))


@pytest.mark.parametrize("cls", CLASSES)
def test_without_copy_another_output_dtype_means_a_copy(cls):
    data = X.copy()
    assert cls(copy=False, dtype=np.float32).fit_transform(data).dtype == np.float32
    np.testing.assert_array_equal(data, X)


@pytest.mark.parametrize("cls", ROW_CLASSES)
def test_without_copy_kept_statistics_need_a_wider_array(cls):
    data = X.copy()
    result = cls(copy=False, keep_stats=True).fit_transform(data)
    assert result.shape[1] > 3
    np.testing.assert_array_equal(data, X)


# --- refused input is left as it was ---


@pytest.mark.parametrize(
    "cls, method",
    [
        *product(DATASET_CLASSES, ["fit", "partial_fit", "transform", "fit_transform", "inverse_transform"]),
        *product(ROW_CLASSES, ["transform", "fit_transform", "row_statistics"]),
    ],
)
def test_without_copy_an_array_with_an_infinity_at_its_end_is_left_untouched(cls, method):
    norm = cls(copy=False).fit(MANY)
    data = MANY.copy()
    data[-1, -1] = np.inf
    before = data.copy()
    with pytest.raises(ValueError, match="infinity"):
        getattr(norm, method)(data)
    np.testing.assert_array_equal(data, before)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("cls", CLASSES)
def test_without_copy_an_array_that_cannot_become_a_frame_is_left_untouched(cls, library):
    data = X.reshape(2, 4, 3).copy()
    norm = cls(copy=False).fit(data).set_output(transform=library)
    with pytest.raises(ValueError, match=library):
        norm.transform(data)
    np.testing.assert_array_equal(data, X.reshape(2, 4, 3))


# --- a failed fit leaves the estimator as it was ---

INFINITE = X.copy()
INFINITE[-1, 1] = np.inf
UNREADABLE = {
    "no samples": (np.empty((0, 3)), {}),
    "no features": (np.empty((4, 0)), {}),
    "one axis": (X[0], {}),
    "text": (np.array([["a", "b", "c"]]), {}),
    "an object": (np.array([[{}, 1, 2]], dtype=object), {}),
    "a text column": (pd.DataFrame({"a": [1.0], "b": ["x"], "c": [1.0]}), {}),
    "complex": (X + 1j, {}),
}
UNUSABLE = {
    "infinity": (INFINITE, {}),
    "a negative weight": (X, {"sample_weight": [-1, *[1] * 7]}),
    "a weight of NaN": (X, {"sample_weight": [np.nan, *[1] * 7]}),
    "too few weights": (X, {"sample_weight": [1, 2]}),
    "only zero weights": (X, {"sample_weight": [0] * 8}),
}
ANOTHER_TABLE = {
    "another width": (X[:, :2], {}),
    "other names": (pd.DataFrame(X, columns=list("abd")), {}),
}


def calls(cases_of_method):
    """One test parameter for each class, method and case."""
    return [
        pytest.param(cls, method, *case, id=f"{cls.__name__}-{method}-{name}")
        for classes, method, cases in cases_of_method
        for cls in classes
        for name, case in cases.items()
    ]


BAD_FITS = [
    (ROW_CLASSES, "fit", UNREADABLE),
    (DATASET_CLASSES, "fit", UNREADABLE | UNUSABLE),
    (DATASET_CLASSES, "partial_fit", UNREADABLE | UNUSABLE),
]
BAD_LATER_BATCHES = [(DATASET_CLASSES, "partial_fit", ANOTHER_TABLE)]


def fitted_attributes(norm):
    """Every public fitted attribute; the ones that are not there yet are left out."""
    return {name: value for name, value in inspect.getmembers(norm) if name.endswith("_") and name[0] != "_"}


@pytest.mark.parametrize("cls, method, data, arguments", calls(BAD_FITS + BAD_LATER_BATCHES))
@pytest.mark.filterwarnings("ignore:X does not have valid feature names:UserWarning")
def test_a_failed_fit_leaves_a_fitted_estimator_as_it_was(cls, method, data, arguments):
    frame = pd.DataFrame(X, columns=list("abc"))
    norm = cls().fit(frame)
    before = fitted_attributes(norm)
    expected = norm.transform(frame)
    with pytest.raises((ValueError, TypeError)):
        getattr(norm, method)(data, **arguments)
    after = fitted_attributes(norm)
    assert after.keys() == before.keys()
    for name in before.keys() - {"statistics_"}:  # the statistics are seen through the other attributes
        np.testing.assert_array_equal(after[name], before[name], err_msg=name)
    np.testing.assert_array_equal(norm.transform(frame), expected)


@pytest.mark.parametrize("cls, method, data, arguments", calls(BAD_FITS))
def test_a_failed_fit_leaves_an_unfitted_estimator_unfitted(cls, method, data, arguments):
    norm = cls()
    with pytest.raises((ValueError, TypeError)):
        getattr(norm, method)(data, **arguments)
    assert not fitted_attributes(norm)
    with pytest.raises(NotFittedError):
        norm.get_feature_names_out()
