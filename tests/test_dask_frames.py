"""Dask DataFrames: names, divisions, partitions of any kind, and what goes with them."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

DATASET = [MinMaxNormalizer, Standardizer]
ROWS = [RowLayerNorm, RowRMSNorm, RowSoftmax]
dataset_classes = pytest.mark.parametrize("cls", DATASET)
row_classes = pytest.mark.parametrize("cls", ROWS)
every_class = pytest.mark.parametrize("cls", DATASET + ROWS)

rng = np.random.default_rng(6)
FRAME = pd.DataFrame(rng.normal(3, 2, size=(50, 3)), columns=["a", "b", "c"], index=10 * np.arange(50))
FRAME["b"] = 0.1
FRAME.iloc[:20, 2] = np.nan
WEIGHTS = pd.Series(rng.integers(0, 3, size=50), index=FRAME.index)
LAZY = dd.from_pandas(FRAME, npartitions=4)
LAZY_WEIGHTS = dd.from_pandas(WEIGHTS, npartitions=4)


@pytest.fixture(autouse=True, scope="module")
def _in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


def frame_out(norm, method, data):
    """What pandas gives where frames are asked for."""
    norm.set_output(transform="pandas")
    try:
        return getattr(norm, method)(data)
    finally:
        norm.set_output(transform="default")


def assert_same_frame(lazy, frame):
    """Equal once computed, and as the meta says."""
    pd.testing.assert_frame_equal(lazy.compute(), frame, rtol=1e-13, atol=1e-13)
    pd.testing.assert_frame_equal(lazy._meta, frame.iloc[:0], check_index_type=False)


@every_class
def test_a_frame_gives_a_lazy_frame_of_the_same_divisions_and_names(cls):
    norm = cls().fit(LAZY)
    assert list(norm.feature_names_in_) == ["a", "b", "c"]
    Y = norm.transform(LAZY)
    assert isinstance(Y, dd.DataFrame)
    assert Y.divisions == LAZY.divisions
    assert_same_frame(Y, frame_out(cls().fit(FRAME), "transform", FRAME))


@dataset_classes
def test_the_way_back_is_that_of_pandas(cls):
    norm = cls().fit(LAZY)
    back = norm.inverse_transform(norm.transform(LAZY))
    assert back.divisions == LAZY.divisions
    assert_same_frame(back, FRAME)


@pytest.mark.parametrize("keep_stats", [False, True])
@row_classes
def test_row_statistics_are_lazy_arrays_that_lead_back(cls, keep_stats):
    norm = cls(keep_stats=keep_stats)
    Y, statistics = norm.fit_transform(LAZY), norm.row_statistics(LAZY)
    assert list(Y.columns) == list(norm.get_feature_names_out())
    for got, want in zip(statistics, norm.row_statistics(FRAME), strict=True):
        assert isinstance(got, da.Array)
        np.testing.assert_array_equal(got.compute(), want)
    assert_same_frame(norm.inverse_transform(Y, row_stats=statistics), FRAME)
    if keep_stats:
        assert_same_frame(norm.inverse_transform(Y), FRAME)


@pytest.mark.parametrize(
    "weights",
    [
        LAZY_WEIGHTS,
        LAZY_WEIGHTS.astype("Int64"),
        LAZY_WEIGHTS.to_dask_array(),
        LAZY_WEIGHTS.to_dask_array(lengths=True),
    ],
    ids=["Series", "nullable", "Array of unknown length", "Array"],
)
@pytest.mark.parametrize("array", [False, True], ids=["frame", "array"])
@dataset_classes
def test_weights_may_be_a_series_or_an_array_of_the_same_partitions(cls, array, weights):
    data = LAZY.to_dask_array() if array else LAZY
    fitted, local = cls().fit(data, sample_weight=weights), cls().fit(FRAME, sample_weight=WEIGHTS)
    np.testing.assert_allclose(fitted.scale_, local.scale_, rtol=1e-14)
    np.testing.assert_allclose(fitted.n_samples_seen_, local.n_samples_seen_)


@dataset_classes
def test_one_partition_takes_weights_in_memory(cls):
    fitted = cls().fit(LAZY.repartition(npartitions=1), sample_weight=WEIGHTS.to_numpy())
    np.testing.assert_array_equal(fitted.scale_, cls().fit(FRAME, sample_weight=WEIGHTS).scale_)


@dataset_classes
def test_partial_fit_goes_on_from_earlier_data_of_the_same_columns(cls):
    fitted = cls().partial_fit(FRAME[:7] * 2).partial_fit(LAZY)
    local = cls().partial_fit(FRAME[:7] * 2).partial_fit(FRAME)
    np.testing.assert_allclose(fitted.scale_, local.scale_, rtol=1e-14)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.partial_fit(LAZY[["b", "a", "c"]])


@every_class
def test_names_and_width_are_checked_before_anything_is_computed(cls):
    norm = cls().fit(LAZY)
    with pytest.raises(ValueError, match="feature names should match"):
        norm.transform(LAZY[["b", "a", "c"]])
    with pytest.raises(ValueError, match=r"has 2 features, but|feature names should match"):
        norm.transform(LAZY[["a", "b"]])
    with pytest.raises(ValueError, match="feature names should match"):
        norm.inverse_transform(LAZY[["b", "a", "c"]], *([LAZY.a] if cls in ROWS else []))


@pytest.mark.parametrize("dtype", ["Int16", "boolean", "Float32", "int64[pyarrow]"])
@every_class
def test_nullable_columns_are_read_as_pandas_reads_them(cls, dtype):
    frame = pd.DataFrame({"a": [1, 0, None, 1, 1, 0], "b": [0, 0, 0, 1, None, 1]}).astype(dtype)
    lazy = dd.from_pandas(frame, npartitions=3)
    assert_same_frame(cls().fit(lazy).transform(lazy), frame_out(cls().fit(frame), "transform", frame))


@dataset_classes
def test_integers_come_back_as_the_integers_that_fit_saw(cls):
    frame = pd.DataFrame({"a": [1, 20, 255, 7], "b": [0, 3, 3, 2]}, dtype=np.uint8)
    norm = cls(inverse_dtype="input").fit(dd.from_pandas(frame, npartitions=2))
    back = norm.inverse_transform(norm.transform(dd.from_pandas(frame, npartitions=2)))
    assert_same_frame(back, frame)


@every_class
def test_empty_partitions_change_nothing(cls):
    kept = FRAME[FRAME["a"] > FRAME["a"].quantile(0.9)]
    lazy = LAZY[LAZY["a"] > FRAME["a"].quantile(0.9)].repartition(divisions=[0, 1, 2, *LAZY.divisions[1:]], force=True)
    assert 0 in [len(part) for part in lazy.partitions]
    norm = cls().fit(lazy)
    assert_same_frame(norm.transform(lazy), frame_out(cls().fit(kept), "transform", kept))


def test_columns_that_are_not_named_by_text_get_the_names_that_pandas_would_get():
    frame = FRAME.set_axis([0, 1, 2], axis=1)
    norm = Standardizer().fit(dd.from_pandas(frame, npartitions=2))
    assert not hasattr(norm, "feature_names_in_")
    assert_same_frame(norm.transform(dd.from_pandas(frame, npartitions=2)), frame_out(norm, "transform", frame))


def test_a_pipeline_of_all_steps_keeps_a_frame_lazy():
    steps = [cls() for cls in DATASET + ROWS]
    Y = make_pipeline(*steps).fit_transform(LAZY)
    assert Y.divisions == LAZY.divisions
    expected = make_pipeline(*(cls() for cls in DATASET + ROWS)).fit_transform(FRAME)
    np.testing.assert_allclose(Y.compute(), expected, rtol=1e-12)
    assert list(Y.columns) == ["a", "b", "c"]
