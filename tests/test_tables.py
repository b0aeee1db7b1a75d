"""Frames of several dtypes, read some rows at a time in a dtype that holds every value: the results are the array's."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer, _tables
from sknorm._containers import opened, to_values
from sknorm._tables import Table

DATASET = [MinMaxNormalizer, Standardizer]
ALL = [*DATASET, RowLayerNorm, RowRMSNorm, RowSoftmax]

LARGE = 2**60 + np.arange(3)
INTEGERS = {
    "NumPy": pd.Series(LARGE),
    "unsigned": pd.Series(LARGE.astype(np.uint64)),
    "nullable": pd.Series(LARGE).astype("Int64"),
    "missing": pd.Series([*LARGE, pd.NA], dtype="Int64"),
    "arrow": pd.Series(LARGE, dtype="int64[pyarrow]"),
    "objects": pd.Series(LARGE, dtype=object),
    "objects, missing": pd.Series([*LARGE, None], dtype=object),
}
wide_longdouble = pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="NumPy has no float that wide")


@pytest.fixture(params=[np.float64, np.float32])
def frame(request):
    """2000 rows of five dtypes, some missing."""
    rng = np.random.default_rng(0)
    columns = {
        "float": rng.normal(size=2000).astype(request.param),
        "pixel": rng.integers(0, 256, 2000, np.uint8),
        "flag": rng.integers(0, 2, 2000).astype(bool),
        "count": pd.array(rng.integers(-9, 9, 2000), dtype="Int32"),
        "object": rng.normal(size=2000).astype(object),
    }
    frame = pd.DataFrame(columns, index=rng.permutation(2000))
    frame.loc[:100, "count"] = pd.NA
    frame.loc[50:300, "object"] = None
    return frame


def as_polars(frame):
    return pl.from_pandas(frame.reset_index(drop=True))


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(_tables, "PIECE", 64)


@pytest.mark.parametrize("library", [pd.DataFrame, as_polars])
def test_pieces_make_up_the_whole(frame, library, small_pieces):
    frame = library(frame)
    table = opened(frame)
    assert isinstance(table, Table)
    pieces = list(map(table.read, table.rows()))
    assert len(pieces) > 100
    assert max(piece.size for piece in pieces) <= 64
    assert {piece.dtype for piece in pieces} == {table.dtype} == {to_values(frame).dtype}
    np.testing.assert_array_equal(np.concatenate(pieces), to_values(frame))


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("library", [pd.DataFrame, as_polars])
def test_a_frame_gives_what_its_array_gives(frame, library, cls, small_pieces):
    X = frame.astype(np.float64).to_numpy()
    got, wanted = cls().fit(library(frame)), cls().fit(X)
    np.testing.assert_allclose(got.transform(library(frame)), wanted.transform(X), rtol=1e-14, atol=1e-15)
    if cls in DATASET:
        np.testing.assert_allclose(got.scale_, wanted.scale_, rtol=1e-14)
        assert np.array_equal(got.n_samples_seen_, wanted.n_samples_seen_)
    else:
        np.testing.assert_allclose(got.row_statistics(library(frame)), wanted.row_statistics(X), rtol=1e-14)


@pytest.mark.parametrize("cls", DATASET)
def test_weights_go_with_their_rows(frame, cls, small_pieces):
    weights = np.arange(2000) % 4 * (np.arange(2000) > 1500)  # pieces of no weight among them
    X = frame.astype(np.float64).to_numpy()
    got, wanted = cls().fit(frame, sample_weight=weights), cls().fit(X, sample_weight=weights)
    np.testing.assert_allclose(got.transform(frame), wanted.transform(X), rtol=1e-13, atol=1e-15)


@wide_longdouble
@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("library", [pd.DataFrame, as_polars])
def test_integers_beyond_float64_beside_other_columns_are_subtracted_exactly(kind, library):
    column = INTEGERS[kind]
    frame = library(pd.DataFrame({"id": column, "x": np.arange(len(column)) / 2}))
    unit = MinMaxNormalizer().fit_transform(frame)
    np.testing.assert_array_equal(unit[:3, 0], [0, 0.5, 1])
    assert not Standardizer().fit(frame).constant_features_.any()
    assert unit.dtype == np.float64


@wide_longdouble
def test_signed_and_unsigned_integers_keep_all_their_bits():
    frame = pd.DataFrame({"signed": -LARGE, "unsigned": LARGE.astype(np.uint64)})
    np.testing.assert_array_equal(MinMaxNormalizer().fit_transform(frame), [[1, 0], [0.5, 0.5], [0, 1]])


@pytest.mark.parametrize("library", [pd.DataFrame, as_polars])
def test_integers_that_float64_holds_are_read_in_it(library):
    frame = library(pd.DataFrame({"a": [2**53, 1], "x": [0.5, 1.5]}))
    assert opened(frame).dtype == np.float64


@pytest.mark.parametrize("library", [pd.DataFrame, as_polars])
def test_an_infinity_is_found_where_it_stands_in_the_frame(frame, library, small_pieces):
    frame.iloc[1234, 0] = -np.inf
    with pytest.raises(ValueError, match="infinity in feature 'float'"):
        Standardizer().fit(library(frame))
    with pytest.raises(ValueError, match="infinity in sample 1234"):
        RowRMSNorm().transform(library(frame))


@pytest.mark.parametrize("cls", ALL)
def test_a_frame_is_not_written_over(frame, cls):
    before = frame.copy()
    cls(copy=False).fit(frame).transform(frame)
    pd.testing.assert_frame_equal(frame, before)


@wide_longdouble
@pytest.mark.parametrize("dtype", ["<i8", ">i8", "<u8", ">u8"])
def test_integers_of_any_byte_order_keep_all_their_bits(dtype):
    frame = pd.DataFrame({"id": LARGE.astype(dtype), "x": [0.5, 1.5, 2.5]})
    try:
        frame.to_numpy(dtype=np.longdouble)
    except ValueError:
        pytest.skip("this pandas does not read them itself")
    np.testing.assert_array_equal(MinMaxNormalizer().fit_transform(frame)[:, 0], [0, 0.5, 1])


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize("library", [pd.DataFrame, as_polars])
@pytest.mark.parametrize("weighted", [False, True])
def test_more_columns_than_are_read_together_stay_in_their_places(cls, library, weighted, monkeypatch):
    X = np.random.default_rng(0).normal(size=(40, 9)) * np.arange(1, 10)
    frame = pd.DataFrame(X, columns=list("abcdefghi"))
    frame["d"] = frame["d"].astype(np.float32)
    X = frame.astype(float).to_numpy()
    monkeypatch.setattr(_tables, "TILE", 4)
    monkeypatch.setattr(_tables, "PIECE", 16)
    more = {"sample_weight": np.arange(40) % 3} if weighted and cls in DATASET else {}
    got, wanted = cls().fit(library(frame), **more), cls().fit(X, **more)
    np.testing.assert_allclose(got.transform(library(frame)), wanted.transform(X), rtol=1e-13, atol=1e-15)


def test_a_column_of_nothing_is_missing_in_any_library():
    frame = pd.DataFrame({"a": [1.0, 3.0], "n": [None, None]}).convert_dtypes(dtype_backend="pyarrow")
    np.testing.assert_array_equal(Standardizer().fit_transform(frame), [[-1, np.nan], [1, np.nan]])


@pytest.mark.skipif(not hasattr(pl, "Int128"), reason="polars has no such integers yet")
def test_integers_that_numpy_has_not_are_refused_in_our_words():
    frame = pl.DataFrame({"a": pl.Series([1, 2], dtype=pl.Int128)})
    with pytest.raises(ValueError, match=r"numbers in column 'a', got dtype Int128.*cast\(pl.Float64\)"):
        Standardizer().fit(frame)
    assert Standardizer().fit_transform(frame.cast(pl.Float64)).tolist() == [[-1], [1]]


@pytest.mark.parametrize("library", [pd.DataFrame, as_polars])
@pytest.mark.parametrize("n_features, most, rows", [(3, 64, 21), (3, 12, 4), (3, 1000, 21), (40, 64, 1), (100, 64, 1)])
def test_as_many_rows_are_read_together_as_a_piece_holds_but_at_least_one(
    library, n_features, most, rows, small_pieces
):
    X = np.arange(50.0 * n_features).reshape(50, n_features)
    table = opened(library(pd.DataFrame(X).add_prefix("x").astype({"x0": "Float32"})))
    assert (table.ndim, table.shape) == (2, X.shape)
    pieces = list(map(table.read, table.rows(most)))
    assert {len(piece) for piece in pieces[:-1]} == {rows}
    np.testing.assert_array_equal(np.concatenate(pieces), X)


@wide_longdouble
@pytest.mark.parametrize("library", [pd.DataFrame, as_polars])
@pytest.mark.parametrize("at", [0, 63, 64, 130, 199])
def test_one_integer_beyond_float64_is_exact_wherever_it_stands(at, library, small_pieces):
    ids = pd.Series(np.arange(200))
    ids[at] = 2**60 + 1
    for missing in ([], [100], [198]):
        held = ids.astype("Int64")
        held[missing] = pd.NA
        table = opened(library(pd.DataFrame({"id": held, "x": 0.5})))
        read = np.concatenate(list(map(table.read, table.rows())))
        assert int(read[at, 0]) == 2**60 + 1
        np.testing.assert_array_equal(np.flatnonzero(np.isnan(read[:, 0])), missing)


@wide_longdouble
def test_integers_that_polars_holds_as_objects_are_exact_beside_other_columns():
    frame = pl.DataFrame({"id": pl.Series(LARGE.tolist(), dtype=pl.Object), "x": [0.5, 1.5, 2.5]})
    np.testing.assert_array_equal(MinMaxNormalizer().fit_transform(frame)[:, 0], [0, 0.5, 1])
