"""The compiled kernels against the portable ones, which other tests hold against exact arithmetic."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer, _kernels
from sknorm._kernels import _compiled

from ..awkward import DTYPES, LAYOUTS, laid_out

if _compiled.native is None:
    pytest.skip("the compiled kernels do not serve here", allow_module_level=True)

each_dtype = pytest.mark.parametrize("dtype", DTYPES)
each_layout = pytest.mark.parametrize("layout", LAYOUTS)


def data(shape, dtype, missing=False):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 100, shape) if np.dtype(dtype).kind in "biu" else rng.normal(5, 3, shape)
    X = X.astype(dtype)
    if missing and X.dtype.kind == "f":
        X[rng.random(shape) < 0.2] = np.nan
    return X


def assert_close(got, want, bound):
    """Equal to some units of the last place of the largest value."""
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    difference = np.nanmax(np.abs(got.astype(float) - want.astype(float)), initial=0)
    assert difference <= bound * np.finfo(want.dtype).eps * np.nanmax(np.abs(want), initial=0)


def moments(found):
    """Mean and variance of each column, from what a kernel says about its own center."""
    count = np.where(found.count > 0, found.count, 1)
    mean = np.where(found.count > 0, (found.total[0] + found.total[1]) / count, 0)
    return mean, np.where(found.count > 0, found.m2 / count - (mean - found.center[0]) ** 2, 0)


# What serves


def test_the_kernels_of_samples_leave_columns_to_the_portable_ones():
    X = np.asfortranarray(data((6, 4), "float64"))
    outs = np.empty_like(X), np.empty((4, 6))
    assert _kernels.softmax.compiled(_kernels.Columns(X), X, outs[0], 1.0) is None
    _kernels.softmax(_kernels.Columns(X), X, outs[0], 1.0)
    _kernels.softmax.portable(_kernels.Rows(X.T), X.T, outs[1], 1.0)
    np.testing.assert_array_equal(outs[0], outs[1].T)


@each_dtype
@each_layout
@pytest.mark.parametrize("shape", [(40, 3), (7, 300), (1, 5), (6, 5, 4, 3)])
@pytest.mark.parametrize("missing", [False, True])
def test_every_type_and_layout_is_summarised_and_agrees(dtype, layout, shape, missing):
    X = laid_out(data(shape, dtype, missing), layout)
    for kernel in (_kernels.column_extrema, _kernels.column_sums):
        found = _kernels.summarise(kernel.compiled, X)
        flat = np.ascontiguousarray(X.reshape(-1, X.shape[-1]))
        with np.errstate(all="ignore"):
            want = kernel.portable(_kernels.Columns(flat), flat, None)
        for name in ("count", "minimum", "maximum"):
            np.testing.assert_array_equal(getattr(found, name), getattr(want, name))
        if kernel is _kernels.column_sums:
            (mean, variance), (want_mean, want_variance) = moments(found), moments(want)
            np.testing.assert_allclose(mean, want_mean, rtol=1e-15)
            np.testing.assert_allclose(variance, want_variance, rtol=1e-14, atol=1e-25)


TRANSFORMERS = {
    "Standardizer": (Standardizer(), 1),
    "Standardizer to float32": (Standardizer(dtype="float32"), 1),
    "MinMaxNormalizer": (MinMaxNormalizer((-1, 2)), 1),
    "MinMaxNormalizer, clipped": (MinMaxNormalizer((-1, 2), in_range=(2, 6), clip=True), 1),
    "RowLayerNorm": (RowLayerNorm(), 2),
    "RowRMSNorm": (RowRMSNorm(), 2),
    "RowSoftmax": (RowSoftmax(temperature=2), 4),
}
each_transformer = pytest.mark.parametrize("name", TRANSFORMERS)


def by_both(monkeypatch, transform):
    """What the compiled kernels give, and what the portable ones give."""
    compiled = transform()
    with monkeypatch.context() as patch:
        patch.setattr(_compiled, "native", None)
        return compiled, transform()


@each_transformer
@each_dtype
@each_layout
@pytest.mark.parametrize("shape", [(70, 3), (7, 300), (1, 5), (6, 5, 4, 3), (3, 70)])
def test_both_kinds_of_kernels_give_the_same_image(monkeypatch, name, dtype, layout, shape):
    transformer, bound = TRANSFORMERS[name]
    for missing in (False, True):
        X = laid_out(data(shape, dtype, missing), layout)
        transformer.fit(X)
        got, want = by_both(monkeypatch, lambda X=X: transformer.transform(X))
        assert got.dtype == want.dtype
        assert_close(got, want, bound)


@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_array])
@pytest.mark.parametrize(
    "transformer", [Standardizer(with_mean=False), MinMaxNormalizer(), RowRMSNorm(gamma=np.arange(1.0, 31))], ids=repr
)
def test_both_kinds_of_kernels_give_the_same_image_of_a_sparse_matrix(monkeypatch, container, transformer):
    X = sp.random_array((50, 30), density=0.2, random_state=0, format="csr")
    X.data[::7] = np.nan
    X.data[3] = 1e-300
    got, want = by_both(monkeypatch, lambda: transformer.fit(container(X)).transform(container(X)).toarray())
    assert_close(got, want, 2)


@each_dtype
@each_layout
def test_blocks_of_every_type_and_layout_are_served(dtype, layout):
    X = laid_out(data((40, 3), dtype), layout)
    out = np.empty(X.shape)
    f = Standardizer().fit(X)._map("forward", out.dtype)
    assert _kernels.affine.compiled(_kernels.Columns(X, out), X, out, f)
    group = _kernels.Rows(X)
    assert _kernels.layer_norm.compiled(group, X, out, 1e-5, None, None, True) is not None
    assert _kernels.rms_norm.compiled(group, X, out, 1e-5, None, True) is not None
    assert _kernels.softmax.compiled(group, X, out, 1.0) is not None


# What does not


@pytest.mark.parametrize("dtype", [">f8", "longdouble", ">i4"])
def test_other_types_are_left_to_the_portable_kernels(monkeypatch, dtype):
    X = data((40, 3), "float64").astype(dtype)
    assert _kernels.summarise(_kernels.column_sums.compiled, X) is None
    got, want = by_both(monkeypatch, lambda: Standardizer().fit_transform(X))
    np.testing.assert_array_equal(got, want)


def test_what_lies_askew_in_memory_is_left_to_the_portable_kernels():
    X = data((40, 3), "float64")
    askew = np.frombuffer(b"x" + X.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(X.shape)
    assert not askew.flags.aligned
    for transformer, _ in TRANSFORMERS.values():
        np.testing.assert_allclose(transformer.fit_transform(askew), transformer.fit_transform(X), rtol=1e-14)


@pytest.mark.parametrize("odd", [1e300, 1e-300, 5e-324, np.nan])
@pytest.mark.parametrize("shape", [(100, 3), (40, 90)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("cls", [RowLayerNorm, RowRMSNorm, RowSoftmax])
def test_a_sample_for_the_portable_kernels_leaves_the_others_their_bits(cls, dtype, shape, odd):
    X = data(shape, dtype)
    alone = cls().transform(X)
    with np.errstate(over="ignore"):
        X[::7] = min(odd, float(np.finfo(dtype).max) / 3) if odd > 1 else odd
    X[::7, 0] = 0
    together = cls().transform(X)
    others = np.arange(len(X)) % 7 != 0
    np.testing.assert_array_equal(together[others], alone[others])
    np.testing.assert_array_equal(together[::7], cls().transform(X[::7]))


# Threads


@each_transformer
@pytest.mark.parametrize("shape", [(300_001, 5), (1301, 1031), (40, 30, 40, 41)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_the_number_of_threads_changes_no_bit(monkeypatch, name, shape, order):
    X = np.asarray(data(shape, "float64", missing=True), order=order)
    transformer, _ = TRANSFORMERS[name]
    found = []
    for threads in (1, 2, 5):
        monkeypatch.setenv("SKNORM_NUM_THREADS", str(threads))
        found.append(transformer.fit(X).transform(X))
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


def test_an_interrupt_is_noticed_while_the_kernels_work():
    code = """
        import signal, threading, numpy as np
        from sknorm import RowSoftmax
        signal.signal(signal.SIGINT, signal.default_int_handler)
        X, norm = np.ones((20_000, 1000), np.float32), RowSoftmax()
        norm.transform(X)
        threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
        try:
            while True:
                norm.transform(X)
        except KeyboardInterrupt:
            print("noticed at", norm.transform(X[:1])[0, 0])
    """
    run = [sys.executable, "-c", textwrap.dedent(code)]
    assert (
        subprocess.run(run, capture_output=True, text=True, timeout=60, check=True).stdout.strip() == "noticed at 0.001"
    )


@given(st.lists(st.integers(0, 40), min_size=1, max_size=5), st.integers(1, 3))
def test_tables_merge_as_if_the_blocks_were_one(cuts, d):
    X = np.random.default_rng(0).normal(1e6, 1, (41, d))
    whole = _kernels.summarise(_kernels.column_sums.compiled, X)
    parts = np.split(X, sorted(cuts))
    merged = _compiled.Found(d)
    for part in parts:
        if len(part):
            merged.absorb(_kernels.summarise(_kernels.column_sums.compiled, part), slice(None))
    np.testing.assert_array_equal(merged.count, whole.count)
    np.testing.assert_array_equal(merged.minimum, whole.minimum)
    np.testing.assert_allclose(merged.m2, whole.m2, rtol=1e-13)
