"""Any object in any place: the right answer or a refusal, in a process of its own, which a crash would end.

`python tests/hostile/calls.py SEED FIRST COUNT` makes more of the same.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

from .wording import assert_says

CLASSES = [MinMaxNormalizer, Standardizer, RowLayerNorm, RowRMSNorm, RowSoftmax]
HOUR = np.timedelta64(1, "h")
SCRIPT = Path(__file__).with_name("hostile") / "calls.py"
COUNT = 250


class Raises:
    """An object that fails at all that is asked of it."""

    def __array__(self, dtype=None, copy=None):
        raise ZeroDivisionError

    def __iter__(self):
        raise NotImplementedError

    def __repr__(self):
        raise RuntimeError


def damaged():
    """A sparse matrix whose indices lead far outside of its memory."""
    S = sp.csc_matrix(np.eye(2))
    S.indices[:] = 2**30
    return S


@pytest.mark.parametrize("backend", ["", "portable"])
def test_whatever_comes_gets_the_right_answer_or_a_refusal(backend):
    run = subprocess.run(
        [sys.executable, str(SCRIPT), "2026", "0", str(COUNT)],
        env=os.environ | {"SKNORM_BACKEND": backend, "PYTHONFAULTHANDLER": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (run.returncode, run.stderr) == (0, "")
    report = json.loads(run.stdout)
    assert report["findings"] == []
    assert sum(report["calls"].values()) > 8 * COUNT
    answered = {call.split()[0] for call in report["calls"] if call.endswith("answered")}
    refused = {call.split()[0] for call in report["calls"] if call.endswith("refused")}
    methods = ("fit", "transform", "inverse_transform")
    assert {f"{cls.__name__}.{method}" for cls in CLASSES for method in methods} <= answered & refused


# Findings


SIGNALLING = {
    np.dtype(np.float16): np.array(0x7D01, np.uint16),
    np.dtype(np.float32): np.array(0x7FA00001, np.uint32),
    np.dtype(np.float64): np.array(0x7FF4000000000001, np.uint64),
}


@pytest.mark.parametrize("cls", CLASSES)
@pytest.mark.parametrize("dtype", SIGNALLING, ids=str)
@pytest.mark.parametrize("largest", [7.0, 60_000.0, None])
def test_a_signalling_nan_is_missing_as_any_other_is(cls, dtype, largest):
    """NumPy's fmin and fmax forget the values before it."""
    X = np.array([[2, 5, 1], [0, largest or np.finfo(dtype).max / 3, 0], [0, 0, 0], [-3, 1, 4]], dtype)
    X[2, 1] = np.nan
    for data in (X, np.asfortranarray(X), np.array(X.T), *([X.astype(np.longdouble)] if dtype.char == "d" else [])):
        plain = data.copy()
        if data.dtype == dtype:
            data[np.isnan(data)] = SIGNALLING[dtype].view(dtype)
        np.testing.assert_array_equal(cls().fit_transform(data), cls().fit_transform(plain))


@pytest.mark.parametrize("cls", [MinMaxNormalizer, RowLayerNorm])
def test_an_infinity_is_told_beside_a_signalling_nan(cls):
    X = np.ones((2, 2), np.float32)
    X.view(np.uint32)[:, 0] = SIGNALLING[X.dtype]
    X[0, 1] = np.inf
    with pytest.raises(ValueError, match="got infinity in"):
        cls().fit_transform(X)


@pytest.mark.skipif(np.longdouble is np.float64 or np.finfo(np.longdouble).nmant < 60, reason="no wider type")
def test_a_range_beyond_float64_is_no_obstacle_to_wider_numbers():
    X = np.array([[-1.0, 0.5, 0.25], [1.0, -0.5, 0.0]]) * np.finfo(float).max
    np.testing.assert_array_max_ulp(RowLayerNorm().transform(X.astype(np.longdouble)), RowLayerNorm().transform(X), 4)
    tiny = X[1:].astype(np.longdouble) * np.longdouble(2) ** -2040
    assert np.isfinite(RowLayerNorm(eps=0).transform(tiny)).all()


@pytest.mark.parametrize("eps", [0, 1e-6])
def test_a_sparse_sample_of_nan_and_zeros_that_are_not_stored_has_divisor_one(eps):
    nan = float("nan")
    X = sp.csr_array(([nan, nan, nan, 0.0, 2.0, nan], [0, 0, 1, 0, 0, 1], [0, 1, 3, 4, 6, 6]), shape=(5, 2))
    norm = RowRMSNorm(eps=eps)
    sparse, dense = norm.row_statistics(X).row_rms, norm.row_statistics(X.toarray()).row_rms
    np.testing.assert_array_equal(sparse, dense)
    np.testing.assert_array_equal(dense[[0, 1, 2, 4]], [1, nan, 1, 1])
    np.testing.assert_array_equal(norm.transform(X).toarray(), norm.transform(X.toarray()))


@pytest.mark.parametrize("cls", [RowLayerNorm, RowSoftmax])
def test_what_is_not_for_sparse_input_does_not_undo_it_either(cls):
    stats = [np.ones(2)] * len(cls()._statistics._fields)
    with pytest.raises(ValueError, match="Expected") as error:
        cls().inverse_transform(sp.csr_array(np.eye(2)), row_stats=stats)
    assert_says(error.value, "dense data", "sparse", "Pass X.toarray()")


@pytest.mark.parametrize(
    "stats",
    [
        [np.ones(2, complex)],
        [np.array(["1", "1"])],
        [np.array([1, 10**400], object)],
        [np.array([1, 1], "m8[s]")],
        damaged(),
        Raises(),
    ],
)
def test_row_stats_that_are_no_real_numbers_are_refused(stats):
    with pytest.raises(ValueError, match="Expected") as error:
        RowRMSNorm().inverse_transform(np.ones((2, 2)), row_stats=stats)
    assert_says(error.value, "row_stats to be (row_rms,)", type(stats).__name__, "Pass what row_statistics(X) returned")


def test_a_damaged_sparse_container_is_no_list_of_anything():
    """SciPy, made to go through it, ends the process."""
    norm = MinMaxNormalizer().fit(np.eye(2))
    with pytest.raises(ValueError, match="Expected features among"):
        norm.select(damaged())
    for name in ("feature_range", "in_range"):
        with pytest.raises(ValueError, match=f"Expected {name}"):
            MinMaxNormalizer(**{name: damaged()}).fit(np.eye(2))


@pytest.mark.parametrize("container", [sp.coo_matrix, sp.coo_array, sp.bsr_matrix, sp.bsr_array])
@pytest.mark.parametrize("place", [-1, 2, 2**30])
def test_places_outside_of_any_sparse_container_are_refused(container, place):
    for axis in (0, 1):
        X = container(np.eye(2))
        places = X.indices if X.format == "bsr" else X.coords[axis]
        places.flags.writeable = True
        places[0] = place
        with pytest.raises(ValueError, match="Expected") as error:
            RowRMSNorm().fit(X)
        assert_says(
            error.value, "a sparse container of indices from 0 to 1", container.__name__, "from correct indices"
        )


@pytest.mark.skipif(np.finfo(np.longdouble).maxexp <= 1024, reason="no wider type")
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_array])
def test_a_number_beyond_float64_is_told_as_an_infinity(container):
    X = container(np.array([[1, 0], [0, np.longdouble("1e400")]]))
    with pytest.raises(ValueError, match="got infinity in feature 1"):
        Standardizer(with_mean=False).fit(X)


def test_a_signalling_nan_in_columns_of_several_dtypes_is_missing():
    X = pd.DataFrame({"a": np.float32([1, 2, 3]), "b": [1.0, 2.0, 3.0], "c": np.float16([1, 2, 3])})
    expected = Standardizer().fit_transform(X.where(X > 1))
    for name, dtype in X.dtypes.items():
        column = X[name].to_numpy(copy=True)
        column[0] = SIGNALLING[dtype].view(dtype)
        X[name] = column
    np.testing.assert_array_equal(Standardizer().fit_transform(X), expected)


@pytest.mark.parametrize(
    "value, error, got",
    [(np.timedelta64(1, "s"), ValueError, "timedelta64"), (10**400, ValueError, "a larger integer")],
    ids=["duration", "huge"],
)
def test_an_object_that_is_an_integer_to_somebody_is_refused(value, error, got):
    with pytest.raises(error, match="Expected") as raised:
        Standardizer().fit(np.array([[1.5], [value]], object))
    assert_says(raised.value, "numbers in X", got, "")


@pytest.mark.parametrize(
    "norm", [Standardizer(ddof=HOUR), RowRMSNorm(eps=HOUR), MinMaxNormalizer((-HOUR, HOUR))], ids=str
)
def test_a_duration_is_no_parameter(norm):
    with pytest.raises(ValueError, match=r"Expected .* to be"):
        norm.fit(np.eye(2))


def test_a_ddof_beyond_float64_is_refused():
    with pytest.raises(ValueError, match="Expected ddof"):
        Standardizer(ddof=10**400).fit(np.eye(2))


@pytest.mark.parametrize("method", ["fit", "transform"])
@pytest.mark.parametrize("name", ["X", "gamma"])
def test_what_an_object_raises_where_numpy_reads_it_is_told(name, method):
    norm, X = (RowRMSNorm(), Raises()) if name == "X" else (RowRMSNorm(gamma=Raises()), np.eye(2))
    with pytest.raises(ValueError, match="Expected") as error:
        getattr(norm, method)(X)
    assert_says(error.value, "an array" if name == "X" else "gamma", "cannot read" if name == "X" else "Raises", "")


def test_what_came_is_told_on_one_short_line():
    with pytest.raises(ValueError, match="Expected copy") as error:
        Standardizer(copy=np.arange(10_000).reshape(-1, 4) * 10**9).fit(np.eye(2))
    assert_says(error.value, "copy to be True or False", "array([[", "Pass a bool.")
    assert len(str(error.value)) < 300
    with pytest.raises(ValueError, match="got a Raises"):
        Standardizer(copy=Raises()).fit(np.eye(2))
