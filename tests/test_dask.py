"""Dask Arrays: any cut of the data gives what NumPy gives, lazily, and the data never come to the client."""

import contextlib
import io
import pickle

import dask
import dask.array as da
import numpy as np
import pytest
import scipy.sparse as sp
from dask.diagnostics import ProgressBar
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer
from sknorm._dask import MERGED_AT_ONCE
from sknorm._dataset_statistics import Extrema, Moments

from .awkward import FEW_DTYPES, features, samples
from .exact import feature_errors, standardized
from .test_exactness_statistics import assert_same_statistics

DATASET = [MinMaxNormalizer, Standardizer]
ROWS = [RowLayerNorm, RowRMSNorm, RowSoftmax]
few_examples = settings(max_examples=15)  # dask takes its time for each
few_dtypes = pytest.mark.parametrize("dtype", FEW_DTYPES)
dataset_classes = pytest.mark.parametrize("cls", DATASET)
row_classes = pytest.mark.parametrize("cls", ROWS)
every_class = pytest.mark.parametrize("cls", DATASET + ROWS)

X = np.random.default_rng(4).normal(3, 2, size=(60, 4))
X[:20, 1] = np.nan  # blocks without a value
X[:, 2] = 0.1
WEIGHTS = np.random.default_rng(5).integers(0, 3, size=60)
WEIGHTS[40:50] = 0  # a block without a weight
CUTS = {"one block": (60, 4), "samples": (7, 4), "features": (60, (1, 3)), "both": ((20, 3, 37), (2, 1, 1))}
cuts = pytest.mark.parametrize("chunks", CUTS.values(), ids=CUTS)


@pytest.fixture(autouse=True, scope="module")
def _in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@st.composite
def cut(draw, shape):
    """A size for each block along each axis."""
    chunks = []
    for size in shape:
        inner = sorted(draw(st.sets(st.integers(1, max(size - 1, 1)), max_size=3)) - {size})
        chunks.append(tuple(np.diff([0, *inner, size]).tolist()))
    return tuple(chunks)


def of_unknown_length(lazy):
    """The same collection, of which dask does not know how long the blocks are."""
    return lazy[da.ones(lazy.shape[0], chunks=lazy.chunks[:1], dtype=bool)]


def same_chunks(one, other):
    return repr(one.chunks) == repr(other.chunks)  # NaN is not equal to itself


def never_computed(lazy):
    """The same collection, which must not be computed."""

    def computed(block):
        raise AssertionError("computed")

    return (lazy.map_blocks if isinstance(lazy, da.Array) else lazy.map_partitions)(computed, meta=lazy._meta)


# The laws, over any data and any cut


@few_dtypes
@few_examples
@given(st.data())
def test_any_cut_gives_the_statistics_of_one_fit_and_outputs_within_the_bound(dtype, data):
    X = data.draw(features(dtype))
    lazy = da.from_array(X, chunks=data.draw(cut(X.shape)))
    fitted = Standardizer().fit(lazy)
    assert_same_statistics(fitted, Standardizer().fit(X))
    Y = fitted.transform(lazy)
    assert same_chunks(Y, lazy)
    assert feature_errors(Y.compute(), standardized(X)).max() <= 4


@few_dtypes
@few_examples
@given(st.data())
def test_any_cut_gives_the_limits_and_the_outputs_of_one_fit_bit_for_bit(dtype, data):
    X = data.draw(features(dtype))
    lazy = da.from_array(X, chunks=data.draw(cut(X.shape)))
    fitted, local = MinMaxNormalizer((-0.1, 0.3)).fit(lazy), MinMaxNormalizer((-0.1, 0.3)).fit(X)
    np.testing.assert_array_equal(fitted.data_min_, local.data_min_)
    np.testing.assert_array_equal(fitted.data_max_, local.data_max_)
    Y = fitted.transform(lazy)
    np.testing.assert_array_equal(Y.compute(), local.transform(X), strict=True)
    back = fitted.inverse_transform(Y)
    assert same_chunks(back, lazy)
    np.testing.assert_array_equal(back.compute(), local.inverse_transform(local.transform(X)), strict=True)


@few_dtypes
@row_classes
@few_examples
@given(st.data())
def test_any_cut_gives_the_samples_of_a_row_norm_bit_for_bit(cls, dtype, data):
    X = data.draw(samples(dtype))
    lazy = da.from_array(X, chunks=data.draw(cut(X.shape)))
    Y = cls().transform(lazy)
    assert same_chunks(Y, lazy)
    np.testing.assert_array_equal(Y.compute(), cls().transform(X), strict=True)


# Every method on every cut


@pytest.mark.parametrize("unknown", [False, True], ids=["known", "unknown length"])
@cuts
@dataset_classes
def test_fit_and_maps_are_those_of_numpy(cls, chunks, unknown):
    lazy, weights = da.from_array(X, chunks=chunks), da.from_array(WEIGHTS, chunks=20)
    if unknown:
        weights = of_unknown_length(weights.rechunk(lazy.chunks[:1]))
        lazy = of_unknown_length(lazy)
    for local, fitted in [
        (cls().fit(X), cls().fit(lazy)),
        (cls().fit(X, sample_weight=WEIGHTS), cls().fit(lazy, sample_weight=weights)),
        (cls().fit(X).partial_fit(X[:9] * 2), cls().fit(X[:9] * 2).partial_fit(lazy)),
        (cls(per_feature=False, dtype="f4").fit(X), cls(per_feature=False, dtype="f4").fit(lazy)),
    ]:
        for name in ("scale_", "n_samples_seen_", "constant_features_"):
            got = getattr(fitted, name)
            assert type(got) is type(getattr(local, name))
            np.testing.assert_allclose(got, getattr(local, name), rtol=1e-14)
        Y, want = fitted.transform(lazy), local.transform(X)
        assert same_chunks(Y, lazy)
        assert Y.dtype == Y._meta.dtype == want.dtype
        ulp = np.finfo(want.dtype).eps
        np.testing.assert_allclose(Y.compute(), want, rtol=0, atol=4 * ulp * np.nanmax(np.abs(want)))
        back = fitted.inverse_transform(Y)
        assert same_chunks(back, lazy)
        np.testing.assert_allclose(back.compute(), X, rtol=0, atol=4 * ulp * np.nanmax(np.abs(X)))


@pytest.mark.parametrize("unknown", [False, True], ids=["known", "unknown length"])
@pytest.mark.parametrize("keep_stats", [False, True])
@cuts
@row_classes
def test_samples_and_their_statistics_are_those_of_numpy(cls, keep_stats, chunks, unknown):
    lazy = da.from_array(X, chunks=chunks)
    lazy = of_unknown_length(lazy) if unknown else lazy
    norm = cls(keep_stats=keep_stats).fit(lazy)
    Y, want = norm.transform(lazy), norm.transform(X)
    assert Y._meta.dtype == want.dtype
    assert Y.shape[-1] == want.shape[-1]
    np.testing.assert_array_equal(Y.compute(), want)
    assert keep_stats or same_chunks(Y, lazy)
    statistics = norm.row_statistics(lazy)
    for got, name in zip(statistics, type(statistics)._fields, strict=True):
        assert repr(got.chunks) == repr(lazy.chunks[:-1])
        np.testing.assert_array_equal(got.compute(), getattr(norm.row_statistics(X), name))
    np.testing.assert_allclose(norm.inverse_transform(Y, row_stats=statistics).compute(), X, atol=1e-13)
    if keep_stats:
        np.testing.assert_allclose(norm.inverse_transform(Y).compute(), X, atol=1e-13)


@every_class
def test_images_are_pooled_or_normed_over_all_their_leading_axes(cls):
    images = np.random.default_rng(1).normal(size=(6, 4, 5, 3)).astype(np.float32)
    lazy = da.from_array(images, chunks=(4, 3, 2, 2))
    Y = cls().fit(lazy).transform(lazy)
    assert same_chunks(Y, lazy)
    np.testing.assert_allclose(Y.compute(), cls().fit(images).transform(images), rtol=1e-6, atol=1e-7)
    if cls in ROWS:
        back = cls().inverse_transform(Y, row_stats=cls().row_statistics(lazy))
        np.testing.assert_allclose(back.compute(), images, rtol=1e-5, atol=1e-6)
    else:
        fitted = cls().fit(lazy, sample_weight=WEIGHTS[:6])
        np.testing.assert_allclose(fitted.scale_, cls().fit(images, sample_weight=WEIGHTS[:6]).scale_, rtol=1e-14)


@pytest.mark.parametrize(
    "data", [X > 3, (X > 3).astype(object), np.ma.masked_greater(X, 4)], ids=["bool", "object", "masked"]
)
@every_class
def test_other_dtypes_and_masks_are_read_as_numpy_reads_them(cls, data):
    lazy = da.from_array(data, chunks=(25, 4))
    Y, want = cls().fit(lazy).transform(lazy), cls().fit(data).transform(data)
    assert Y.dtype == want.dtype
    np.testing.assert_allclose(Y.compute(), want, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("chunks", [(2, 3), (3, 2)])
def test_known_limits_clipping_and_integers_are_as_on_numpy(chunks):
    pixels = np.random.default_rng(0).integers(0, 256, size=(7, 3), dtype=np.uint8)
    lazy = da.from_array(pixels, chunks=chunks)
    norm = MinMaxNormalizer(in_range="dtype", inverse_dtype="input", clip=True).fit(lazy)
    np.testing.assert_array_equal(norm.transform(lazy * 2.0).compute(), norm.transform(pixels * 2.0))
    back = norm.inverse_transform(norm.transform(lazy))
    assert back.dtype == np.uint8
    np.testing.assert_array_equal(back.compute(), pixels)
    limits = MinMaxNormalizer(in_range=([0, 10, 20], [200, 210, 220])).fit(lazy)
    np.testing.assert_array_equal(limits.transform(lazy).compute(), limits.transform(pixels))
    with pytest.raises(ValueError, match="data of dtype uint8, as before"):
        norm.partial_fit(lazy.astype(np.uint16))


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csr_array])
@pytest.mark.parametrize("norm", [Standardizer(with_mean=False), MinMaxNormalizer(), RowRMSNorm()], ids=repr)
def test_sparse_blocks_stay_sparse(norm, make):
    data = np.where(X > 3, X, 0)
    data[np.isnan(data)] = 0
    data[0] = 0
    lazy = da.from_array(data, chunks=((25, 0, 35), 4)).map_blocks(make)
    Y = norm.fit(lazy).transform(lazy)
    blocks = [block.compute() for block in Y.blocks]
    assert {type(block) for block in blocks} == {type(Y._meta)} == {make}
    np.testing.assert_allclose(
        np.vstack([b.toarray() for b in blocks]), norm.fit(make(data)).transform(make(data)).toarray()
    )


@pytest.mark.parametrize(
    "weights",
    [WEIGHTS, WEIGHTS.tolist(), da.from_array(WEIGHTS, chunks=11), np.ma.array(WEIGHTS), 2.0],
    ids=["array", "list", "Array", "masked", "number"],
)
@cuts
def test_weights_may_be_local_or_lazy_and_are_cut_as_the_data_are(weights, chunks):
    fitted = Standardizer().fit(da.from_array(X, chunks=chunks), sample_weight=weights)
    local = np.broadcast_to(weights, 60) if np.ndim(weights) == 0 else WEIGHTS
    assert_same_statistics(fitted, Standardizer().fit(X, sample_weight=local))


# Lazy, and far away


@every_class
def test_nothing_is_computed_before_it_is_asked_for(cls):
    norm = cls().fit(X)
    lazy = never_computed(da.from_array(X, chunks=(20, 2)))
    Y = norm.transform(lazy)
    if cls in ROWS:
        norm.inverse_transform(Y, row_stats=norm.fit(lazy).row_statistics(lazy))
    else:
        norm.inverse_transform(Y)
    with pytest.raises(AssertionError, match="computed"):
        Y.compute()


@every_class
def test_what_happens_to_the_transformer_later_does_not_change_a_lazy_result(cls):
    norm = cls().fit(X)
    expected = norm.transform(X)
    Y = norm.transform(da.from_array(X, chunks=20))
    norm.fit(100 * X[:, :2]).set_params(dtype=np.float32)
    np.testing.assert_array_equal(Y.compute(), expected)


@every_class
def test_blocks_that_others_use_are_not_written_over(cls):
    kept = da.from_array(X.copy(), chunks=(20, 4)).persist()
    norm = cls(copy=False).fit(kept)
    norm.transform(kept).compute()
    np.testing.assert_array_equal(kept.compute(), X)


@pytest.mark.parametrize("cls, summary", [(MinMaxNormalizer, Extrema), (Standardizer, Moments)])
def test_a_fit_is_one_computation_that_merges_in_a_tree_and_brings_back_a_summary(cls, summary, monkeypatch):
    results, merged = [], []

    def scheduler(graph, keys, **kwargs):
        results.append(dask.get(graph, keys, **kwargs))
        return results[-1]

    def merge(*parts, original=Extrema.merge):
        merged.append(len(parts))
        return original(*parts)

    monkeypatch.setattr(Extrema, "merge", merge)
    with dask.config.set(scheduler=scheduler):
        cls().fit(da.from_array(np.tile(X, (2, 1)), chunks=(1, 4)))
    assert [type(found) for found in np.ravel(np.array(results, object))] == [summary]
    assert max(merged) == MERGED_AT_ONCE
    assert sum(n - 1 for n in merged) == 120 - 1


@dataset_classes
def test_what_travels_to_the_workers_is_small(cls):
    sizes = [len(pickle.dumps(cls().fit(np.eye(d)).partial_fit(np.eye(d)))) for d in (1, 1001)]
    fitted = cls().fit(np.eye(1001))
    fitted.transform(np.eye(1001))  # which keeps a map
    assert len(pickle.dumps(fitted)) <= sizes[1] + 100
    assert sizes[0] <= 1500
    assert sizes[1] - sizes[0] <= 100 * 1000  # a few float64 for each feature


def test_the_same_transform_of_the_same_data_has_the_same_name():
    lazy = da.from_array(X, chunks=(20, 2))
    first, second = (Standardizer().fit(X).transform(lazy) for _ in range(2))
    assert first.name == second.name
    assert Standardizer().fit(2 * X).transform(lazy).name != first.name


def test_a_pipeline_of_all_steps_is_lazy_and_feeds_an_estimator_after_compute():
    labels = (X[:, 0] > 3).astype(int)
    data = np.nan_to_num(X)
    steps = [cls() for cls in DATASET + ROWS]
    pipeline = make_pipeline(*steps)
    lazy = da.from_array(data, chunks=(20, 2))
    Y = pipeline.fit_transform(lazy)
    assert same_chunks(Y, lazy)
    expected = make_pipeline(*(cls() for cls in DATASET + ROWS)).fit_transform(data)
    np.testing.assert_allclose(Y.compute(), expected, rtol=1e-12)
    scores = [LogisticRegression(C=1e6).fit(y, labels).score(y, labels) for y in (Y.compute(), expected)]
    assert scores[0] == scores[1]


def test_the_progress_bar_of_dask_shows_a_fit():
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), ProgressBar():
        Standardizer().fit(da.from_array(X, chunks=10))
    assert "100% Completed" in shown.getvalue()
