"""Arrays of other libraries, which array_api_dispatch lets through: in, out, and as fitted attributes."""

import importlib
import os
import pickle
import re
import subprocess
import sys
import tracemalloc
from functools import partial
from pathlib import Path

import array_api_strict
import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

from .array_api import assert_is_like, dispatches, results_of, with_dispatch

DATASET_CLASSES = [MinMaxNormalizer, Standardizer]
ROW_CLASSES = [RowLayerNorm, RowRMSNorm, RowSoftmax]
CLASSES = DATASET_CLASSES + ROW_CLASSES
ATTRIBUTES = [
    *((MinMaxNormalizer, name) for name in ("data_min_", "data_max_", "data_range_", "scale_", "min_")),
    *((Standardizer, name) for name in ("mean_", "var_", "scale_", "n_samples_seen_")),
    *((cls, "constant_features_") for cls in DATASET_CLASSES),
]
DTYPES = ["bool", "uint8", "int16", "int32", "int64", "float32", "float64"]

X = np.random.default_rng(11).normal(size=(8, 3)) * 30 + 50
WITH_GAPS = np.where(X > 80, np.nan, X)
README = (Path(__file__).parent.parent / "README.md").read_text()

each_class = pytest.mark.parametrize("cls", CLASSES)


def memory(array):
    return np.asarray(array).__array_interface__["data"][0]


# --- results ---


@with_dispatch
@each_class
@pytest.mark.parametrize("dtype", [*DTYPES, "float16"])
def test_results_are_numpys_in_the_library_of_the_input(xp, cls, dtype):
    if not hasattr(xp, dtype):
        with pytest.raises(TypeError):  # the standard has no float16, and array-api-strict nothing beside it
            xp.asarray(X.astype(dtype))
        return
    data = (X > 50) if dtype == "bool" else X.astype(dtype)
    given = xp.asarray(data)
    pairs = zip(results_of(cls(), data, xp.asarray), results_of(cls(), data, np.asarray), strict=True)
    for result, expected in pairs:
        assert_is_like(result, given, expected)


LAYOUTS = {
    "transposed": lambda xp: xp.asarray(X.T.copy()).T,
    "with gaps": lambda xp: xp.asarray(np.repeat(X, 2, axis=0))[::2, :],
    "three axes": lambda xp: xp.asarray(X.reshape(2, 4, 3).copy()),
    "no samples": lambda xp: xp.asarray(X.copy())[:0, :],
    "expanded": lambda xp: xp.broadcast_to(xp.asarray(X[0].copy()), (4, 3)),
    "with NaN": lambda xp: xp.asarray(np.where(X > 80, np.nan, X)),
}


@with_dispatch
@each_class
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("copy", [True, False])
def test_any_layout_will_do(xp, cls, layout, copy):
    given = layout(xp)
    before = np.asarray(given).copy()
    norm, reference = cls(copy=copy).fit(xp.asarray(X)), cls().fit(X)
    assert_is_like(norm.transform(given), given, reference.transform(before))


@with_dispatch
@each_class
def test_arrays_go_through_a_pipeline(xp, cls):
    given = xp.asarray(X)
    result = make_pipeline(Standardizer(), cls()).fit_transform(given)
    assert_is_like(result, given, make_pipeline(Standardizer(), cls()).fit_transform(X))


@with_dispatch
@pytest.mark.parametrize("cls", ROW_CLASSES)
def test_kept_statistics_come_and_go_in_the_library_of_the_input(xp, cls):
    given = xp.asarray(X)
    norm, reference = cls(keep_stats=True), cls(keep_stats=True)
    kept, expected = norm.fit_transform(given), reference.fit_transform(X)
    assert_is_like(kept, given, expected)
    assert_is_like(norm.inverse_transform(kept), given, reference.inverse_transform(expected))


@with_dispatch
@pytest.mark.parametrize("dtype", ["uint8", "int64", "bool"])
def test_inverse_dtype_gives_integers_of_the_library(xp, dtype):
    data = (X > 50) if dtype == "bool" else X.clip(0).astype(dtype)
    given = xp.asarray(data)
    norm = MinMaxNormalizer(inverse_dtype="input").fit(given)
    assert_is_like(norm.inverse_transform(norm.transform(given)), given, data)


@with_dispatch
@pytest.mark.parametrize("library, frame", [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
@each_class
def test_a_frame_that_is_asked_for_is_given(xp, cls, library, frame):
    norm = cls().set_output(transform=library)
    result = norm.fit_transform(xp.asarray(X))
    assert isinstance(result, frame)
    np.testing.assert_array_equal(result.to_numpy(), cls().fit_transform(X))


# --- devices, which array-api-strict pretends to have ---


@pytest.fixture
def place(dispatch):
    """Put a NumPy array on one of them, by name."""

    def put(array, name="device1"):
        return array_api_strict.asarray(array, device=array_api_strict.Device(name))

    try:
        Standardizer().fit(put(X))
    except TypeError:
        pytest.skip("this scikit-learn reads no other device of array-api-strict")
    return put


@each_class
def test_results_go_to_the_device_of_the_input(place, cls):
    given = place(X)
    pairs = zip(results_of(cls(copy=False), X, place), results_of(cls(), X, np.asarray), strict=True)
    for result, expected in pairs:
        assert result.device == given.device
        np.testing.assert_array_equal(np.from_dlpack(result), expected)


@pytest.mark.parametrize("cls, name", ATTRIBUTES)
def test_fitted_attributes_are_on_the_device_of_fit(place, cls, name):
    given = place(WITH_GAPS)
    assert getattr(cls().fit(given), name).device == given.device


@pytest.mark.parametrize(
    "cls, parameters",
    [(RowLayerNorm, ("gamma", "beta")), (Standardizer, ("mean", "std")), (MinMaxNormalizer, ("in_range",))],
)
def test_parameters_may_be_on_a_device_too(place, cls, parameters):
    value = X[:2] if parameters == ("in_range",) else X[0]
    value = np.sort(value, axis=0)
    norm, reference = (cls(**dict.fromkeys(parameters, convert(value))) for convert in (place, np.asarray))
    expected = reference.fit_transform(X)
    for data in (X, place(X)):
        np.testing.assert_array_equal(np.from_dlpack(norm.fit_transform(data)), expected)
    if cls in DATASET_CLASSES:
        one = norm.fit(X).merge(clone(norm).fit(X)).select([1])
        np.testing.assert_array_equal(one.transform(X[:, [1]]), expected[:, [1]])


@pytest.mark.parametrize("given_as", [np.asarray, partial(da.from_array, chunks=2)], ids=["NumPy", "dask"])
def test_weights_and_row_statistics_may_be_on_a_device_too(place, given_as):
    data, weights = given_as(X), np.arange(1.0, len(X) + 1)
    fitted, reference = (Standardizer().fit(data, sample_weight=w) for w in (place(weights), weights))
    np.testing.assert_array_equal(fitted.mean_, reference.mean_)
    norm = RowLayerNorm()
    Y, statistics = norm.fit_transform(data), norm.row_statistics(X)
    back = norm.inverse_transform(Y, row_stats=tuple(map(place, statistics)))
    np.testing.assert_array_equal(back, norm.inverse_transform(Y, row_stats=statistics))


@each_class
def test_a_device_without_float64_gets_float32(place, cls):
    data = X.astype(np.int64)  # which float64 comes from elsewhere
    result = cls().fit_transform(place(data, "no_float64"))
    assert result.dtype == array_api_strict.float32
    np.testing.assert_array_equal(np.from_dlpack(result), cls().fit_transform(data).astype(np.float32))


@each_class
def test_what_was_fitted_on_one_device_refuses_another(place, cls):
    norm = cls().fit(place(X))
    with pytest.raises(ValueError, match=r"device1.*got .*device2.*the same namespace and the same device"):
        norm.transform(place(X, "device2"))


# --- fitted attributes ---


@with_dispatch
@pytest.mark.parametrize("cls, name", ATTRIBUTES)
def test_fitted_attributes_are_arrays_like_the_data_of_fit(xp, cls, name):
    given = xp.asarray(WITH_GAPS)
    norm, expected = cls().fit(given), getattr(cls().fit(WITH_GAPS), name)
    for same in (norm, pickle.loads(pickle.dumps(norm)), norm.select([0, 1, 2]), clone(norm).partial_fit(given)):
        assert_is_like(getattr(same, name), given, expected)
    merged = norm.merge(norm)
    assert_is_like(getattr(merged, name), given, getattr(cls().fit(np.vstack([WITH_GAPS, WITH_GAPS])), name))
    with config_context(array_api_dispatch=False):
        assert_is_like(getattr(norm, name), given, expected)


@with_dispatch
@pytest.mark.parametrize("cls, name", ATTRIBUTES)
def test_a_fit_on_numpy_arrays_makes_attributes_numpys_again(xp, cls, name):
    norm = cls().fit(xp.asarray(WITH_GAPS)).fit(WITH_GAPS)
    assert type(getattr(norm, name)) is np.ndarray
    np.testing.assert_array_equal(norm.transform(X), cls().fit(WITH_GAPS).transform(X))


@with_dispatch
@pytest.mark.parametrize("cls, name", ATTRIBUTES)
def test_an_attribute_that_is_written_to_leaves_the_statistics_alone(xp, cls, name):
    norm = cls().fit(xp.asarray(WITH_GAPS))
    expected = np.asarray(getattr(norm, name)).copy()
    getattr(norm, name)[0] = getattr(norm, name)[1]
    np.testing.assert_array_equal(np.asarray(getattr(norm, name)), expected)


@with_dispatch
@each_class
def test_scikit_learn_moves_a_fitted_transformer_to_another_library(xp, cls):
    array_api = importlib.import_module("sklearn.utils._array_api")
    if not hasattr(array_api, "move_estimator_to"):
        pytest.skip("this scikit-learn moves no estimators")
    given = xp.asarray(X)
    norm = cls().fit(X)
    moved = array_api.move_estimator_to(norm, *array_api.get_namespace_and_device(given)[::2])
    assert_is_like(moved.transform(given), given, norm.transform(X))
    if cls in DATASET_CLASSES:
        assert_is_like(moved.scale_, given, norm.scale_)


# --- memory ---


@with_dispatch
@each_class
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neither_the_input_nor_the_output_is_copied(xp, cls, dtype):
    data = np.random.default_rng(12).normal(size=(250_000, 8)).astype(dtype)
    given = xp.asarray(data)
    assert memory(given) == memory(data)
    tracemalloc.start()  # which NumPy's memory is counted by, and torch's is not
    try:
        fitted = cls().fit(given)
        used_by_fit = tracemalloc.get_traced_memory()[1]
        result = fitted.transform(given)
        held, used = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert used_by_fit < 8_000_000
    assert data.nbytes <= held <= used < data.nbytes + 8_000_000
    assert memory(result) != memory(given)


@with_dispatch
@each_class
@pytest.mark.parametrize("layout", ["C order", "transposed", "three axes"])
def test_copy_false_works_in_place_on_the_host(xp, cls, layout):
    arrange = {"C order": np.copy, "transposed": lambda a: a.T.copy().T, "three axes": lambda a: a.reshape(2, 4, 3)}
    data = arrange[layout](X)
    given = xp.asarray(arrange[layout](X.copy()))
    where = memory(given)
    result = cls(copy=False).fit_transform(given)
    assert memory(result) == where
    assert_is_like(result, given, cls().fit_transform(data))
    np.testing.assert_array_equal(np.asarray(given), np.asarray(result))


@with_dispatch
@each_class
def test_copy_false_copies_what_cannot_be_written_to(xp, cls):
    other_dtype = xp.asarray(X.astype(np.int64))
    windows = np.lib.stride_tricks.as_strided(np.arange(12.0), (8, 3), (8, 8))  # each value is in several samples
    kept = [other_dtype, xp.asarray(windows)]
    if xp is array_api_strict:
        read_only = X.copy()
        read_only.flags.writeable = False
        kept.append(xp.asarray(read_only))
    for given in kept:
        before = np.asarray(given).copy()
        assert_is_like(cls(copy=False).fit_transform(given), given, cls().fit_transform(before))
        np.testing.assert_array_equal(np.asarray(given), before)


# --- the README ---


def test_the_example_of_the_readme_runs(xp):
    if not dispatches():
        pytest.skip("with this SciPy scikit-learn knows NumPy arrays only")
    code, printed = re.search(r"```python\n(import os\n.+?)```\n\n```text\n(.+?)```", README, re.DOTALL).groups()
    code = code.replace("import torch\n", f"import {xp.__name__} as torch\n")
    environment = {name: value for name, value in os.environ.items() if name != "SCIPY_ARRAY_API"}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    device = xp.asarray(1.0).device
    assert run.stdout == printed.replace("torch.", f"{xp.__name__}.").replace("cpu", str(device))
