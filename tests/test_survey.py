"""One pass over data of any layout is enough, with little memory."""

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import Normalizer

from sknorm import RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer, diagnose
from sknorm import _constraints as c
from sknorm._kernels import Block

from .test_memory import BOUND, KINDS, peak

rng = np.random.default_rng(12)
ordinary = rng.normal(0.1, 1, (300, 5))
STANDARD = Standardizer().fit_transform(ordinary)
LAYER = RowLayerNorm(eps=0).fit_transform(ordinary)
BY_SAMPLE = [RowLayerNorm(), RowRMSNorm(eps=0), RowSoftmax(), Normalizer(), Standardizer()]


def verdicts(report):
    return {feature.verdict for feature in report.features.values()}


@pytest.mark.parametrize("scale", [1e-300, 1e300, 1e-320])
def test_squares_that_leave_float64_are_no_matter(scale):
    with warnings.catch_warnings(action="error"):
        report = diagnose(ordinary * scale)
    assert verdicts(report) == {c.NONE}
    assert report.samples.verdict == c.NONE
    assert str(diagnose(ordinary * [scale, 1, 1, 1, 1]))


@pytest.mark.parametrize("norm", BY_SAMPLE, ids=str)
def test_any_layout_is_judged_alike(norm):
    X = norm.fit_transform(np.abs(ordinary))
    plain = diagnose(X)
    alike = [np.asfortranarray(X), X[::-1], X.reshape(3, 100, 5), X.astype(">f8"), np.ma.array(X), X.tolist()]
    for other in [*alike, pd.DataFrame(X), pl.DataFrame(X), sp.csr_matrix(X), sp.csc_array(X)]:
        report = diagnose(other)
        assert report.samples[:2] == plain.samples[:2]
        assert [f.verdict for f in report.features.values()] == [f.verdict for f in plain.features.values()]


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_matrix])
def test_sparse_data_are_judged_with_their_zeros(form):
    X = sp.random(3000, 40, 0.1, random_state=0, format="lil")
    X[5], X[:, 7] = 0, 0
    dense = X.toarray()
    dense[9, 3], dense[11, 2] = np.nan, np.inf
    report, plain = diagnose(form(dense)), diagnose(dense)
    pd.testing.assert_frame_equal(report.to_frame(), plain.to_frame())
    assert report.samples[:7] == plain.samples[:7]
    assert report.advice["RowLayerNorm"].effect == "refused"
    assert diagnose(form(Normalizer().fit_transform(X.tocsr()))).samples.verdict == c.UNIT_LENGTH
    assert diagnose(form((30, 4))).samples.zero == 30


def test_dask_collections_are_judged_where_their_blocks_lie():
    da, dd = pytest.importorskip("dask.array"), pytest.importorskip("dask.dataframe")
    for X in (STANDARD, LAYER):
        plain = diagnose(X)
        frame = pd.DataFrame(X, columns=list("abcde")).assign(text="a")
        for lazy in (da.from_array(X, chunks=(70, 2)), dd.from_pandas(frame, npartitions=4)):
            report = diagnose(lazy)
            assert report.samples[:7] == plain.samples[:7]
            assert [f.verdict for f in report.features.values()][:5] == [f.verdict for f in plain.features.values()]
    assert report.features["text"].verdict == c.NOT_NUMERIC


def test_the_statistics_are_those_of_the_data():
    frame = diagnose(ordinary).to_frame()
    np.testing.assert_allclose(frame["mean"], ordinary.mean(0), rtol=1e-12)
    np.testing.assert_allclose(frame["std"], ordinary.std(0), rtol=1e-12)
    assert (frame["min"] == ordinary.min(0)).all()
    assert (frame["max"] == ordinary.max(0)).all()


@pytest.mark.parametrize("shape", [(70_000, 3), (300, 1500), (20, 40, 60, 3)])
def test_each_value_is_read_once(shape, monkeypatch, tmp_path):
    X = np.memmap(tmp_path / "X", np.float32, "w+", shape=shape)
    X[...] = rng.normal(size=shape)
    read = []
    of = Block.of
    monkeypatch.setattr(Block, "of", lambda block, values: read.append(of(block, values).size) or of(block, values))
    assert diagnose(X).samples.n == X[..., 0].size
    assert sum(read) == X.size


@pytest.mark.parametrize("kind", KINDS)
def test_it_needs_little_beside_the_data(kind, tmp_path):
    X = KINDS[kind](tmp_path / "X")
    diagnose(X[:10])
    assert peak(diagnose, X)[1] < BOUND


def test_samples_leave_no_array_behind():
    X = np.zeros((4_000_000, 1), dtype=np.uint8)
    tracemalloc.start()
    report = diagnose(X)
    used = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert report.samples.n == len(X)
    assert used[0] < 200_000
    assert used[1] < BOUND
