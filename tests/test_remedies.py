"""What an error advises, run as it is written, cures what it was about."""

import datetime
import re
import sys
from decimal import Decimal

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer, diagnose

from .array_api import with_dispatch

# pandas 2 says of a replacement in objects that later releases will keep the dtype.
pytestmark = pytest.mark.filterwarnings("ignore:Downcasting behavior in `replace`:FutureWarning")

NAN, INF = np.nan, np.inf
ENDLESS = np.array([[1.0, INF], [3.0, 2.0], [-INF, 5.0]])
FINITE = np.array([[1.0, NAN], [3.0, 2.0], [NAN, 5.0]])


def refusal(call, *arguments):
    with pytest.raises((ValueError, TypeError)) as error:
        call(*arguments)
    return str(error.value)


def run(code, **names):
    """What the names are after the code."""
    names |= {"np": np, "pd": pd, "pl": pl, "torch": sys.modules.get("torch")}
    exec(code, names)
    return names


def advised(text):
    """The code that stands last in a message."""
    return re.fullmatch(r".*: (.+)\.", text)[1]


def read_only():
    X = ENDLESS.copy()
    X.flags.writeable = False
    return X


def torch_tensor(dtype):
    torch = pytest.importorskip("torch")
    return torch.tensor(ENDLESS, dtype=getattr(torch, dtype))


FRAME = pd.DataFrame(ENDLESS, columns=["a", "b"])
POLARS = pl.DataFrame(FRAME)
CONTAINERS = {
    "array": ENDLESS.copy,
    "float16": lambda: ENDLESS.astype("float16"),
    "read-only": read_only,
    "images": lambda: ENDLESS.reshape(3, 1, 2),
    "list": ENDLESS.tolist,
    "list with None": lambda: [[1, None], [INF, 2], [3, -INF]],
    "objects": lambda: ENDLESS.astype(object),
    "masked": lambda: np.ma.array(ENDLESS, mask=np.isnan(FINITE)[:, ::-1]),
    "pandas": FRAME.copy,
    "pandas, float32 and integers": lambda: FRAME.astype("float32").assign(c=1),
    "pandas, objects": lambda: FRAME.astype(object),
    "pandas, Float64": lambda: FRAME.astype("Float64"),
    "pandas, Arrow": lambda: FRAME.astype("float64[pyarrow]"),
    "pandas, sparse": lambda: FRAME.astype(pd.SparseDtype(float, NAN)),
    "polars": POLARS.clone,
    "polars, Float32 and integers": lambda: POLARS.cast(pl.Float32).with_columns(c=1),
    "polars with null": lambda: pl.concat([POLARS, pl.DataFrame({"a": [None], "b": [1.0]})]),
    "dask Array": lambda: da.from_array(ENDLESS, chunks=(2, 1)),
    "dask DataFrame": lambda: dd.from_pandas(FRAME, npartitions=2),
    "torch": lambda: torch_tensor("float64"),
    "torch float16": lambda: torch_tensor("float16"),
}
SPARSE = {kind.__name__: kind for kind in (sp.csr_array, sp.csc_array, sp.coo_array, sp.bsr_array, sp.dia_array)}
SPARSE |= {kind.__name__: kind for kind in (sp.lil_array, sp.dok_array, sp.csr_matrix)}


@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize(
    "norm", [Standardizer(), MinMaxNormalizer(), RowRMSNorm()], ids=lambda norm: type(norm).__name__
)
def test_infinities_are_made_missing(name, norm):
    X = CONTAINERS[name]()

    def fit(X):
        Y = norm.fit(X).transform(X)
        return Y.compute() if hasattr(Y, "compute") else Y

    before = type(X)
    X = run(advised(refusal(fit, X)), X=X)["X"]
    assert before is type(X) or not hasattr(X, "columns")
    assert np.isnan(np.asarray(fit(X), dtype=float)).sum() >= 2


@pytest.mark.parametrize("name", SPARSE)
def test_stored_infinities_are_made_missing(name):
    norm = Standardizer(with_mean=False)
    X = SPARSE[name](np.array([[0.0, INF], [2.0, 0.0], [-INF, 5.0]]))
    X = run(advised(refusal(norm.fit, X)), X=X)["X"]
    assert np.isnan(norm.fit(X).transform(X).toarray()).sum() == 2


@with_dispatch
@pytest.mark.parametrize("name", ["torch", "torch float16"])
def test_infinities_are_made_missing_where_they_lie(name):
    X = CONTAINERS[name]()
    X = run(advised(refusal(Standardizer().fit, X)), X=X)["X"]
    assert sys.modules["torch"].isnan(Standardizer().fit_transform(X)).sum() == 2


@pytest.mark.parametrize("name", ["array", "list with None", "masked", "pandas", "polars", "torch"])
def test_masks_of_a_softmax_stay(name):
    X = CONTAINERS[name]()
    X = run(advised(refusal(RowSoftmax().fit_transform, X)), X=X)["X"]
    assert np.isneginf(np.asarray(X, dtype=float)).sum() == 1
    RowSoftmax().fit_transform(X)


@pytest.mark.parametrize("name", [name for name in CONTAINERS if "Array" not in name])
def test_what_a_diagnosis_advises_leaves_no_infinities(name):
    X = CONTAINERS[name]()
    code = re.search(r"; (.+) marks them as missing\.", diagnose(X).warnings[0])[1]
    X = run(code, X=X)["X"]
    assert not any("Infinite" in text for text in diagnose(X).warnings)


@pytest.mark.parametrize("frame", [FRAME.assign(c=["x", "y", None]), POLARS.with_columns(c=pl.lit("x"))])
def test_what_a_diagnosis_advises_leaves_text_alone(frame):
    (code,) = (re.search(r"; (.+) marks", text)[1] for text in diagnose(frame).warnings if "Infinite" in text)
    after = run(code, X=frame)["X"]
    assert list(after["c"]) == list(frame["c"])
    assert not diagnose(after).has_infinity


# Columns that are no numbers

DAY = datetime.datetime(2020, 1, 1)
LATER = DAY + datetime.timedelta(hours=1)
ZONED = [time.replace(tzinfo=datetime.UTC) for time in (DAY, LATER)]
WRITTEN = ["1", " 2.5", None, "-3e2"]
COLUMNS = {
    # column, what is said of it, what the code makes of it
    **{
        f"numbers as {dtype}": (pd.Series(WRITTEN, dtype=dtype), "", [1, 2.5, NAN, -300])
        for dtype in ("object", "str", "string", "string[pyarrow]")
    },
    **{
        f"text as {dtype}": (pd.Series(["1", "1,5", None], dtype=dtype), "'1,5' in row 1", [1, NAN, NAN])
        for dtype in ("object", "str", "string", "string[pyarrow]")
    },
    "text and numbers": (pd.Series([2, "?", 1.5], dtype=object), "str, '?' in row 1", [2, NAN, 1.5]),
    "text and NA": (pd.Series(["1", pd.NA], dtype=object), "str", [1, NAN]),
    "bytes": (pd.Series([b"1", b"2"], dtype=object), "bytes", [1, 2]),
    "decimals": (pd.Series([Decimal("1.5"), None], dtype=object), "Decimal", [1.5, NAN]),
    "categories": (pd.Series([3, 1, None], dtype="category"), "dtype category", [3, 1, NAN]),
    "written categories": (pd.Series(["3", "1"], dtype="category"), "dtype category", [3, 1]),
    "durations": (pd.Series([LATER - DAY, None]), "dtype timedelta64", [3600, NAN]),
    "durations as objects": (pd.Series([LATER - DAY], dtype=object), "holding timedelta", [3600]),
    "dates": (pd.Series([LATER, None]), "dtype datetime64", [3600, NAN]),
    "dates as objects": (pd.Series([LATER], dtype=object), "holding datetime", [3600]),
    "zoned dates": (pd.Series(ZONED[::-1]), "UTC", [3600, 0]),
    "polars numbers": (pl.Series(["1", "2.5", None]), "dtype String", [1, 2.5, NAN]),
    "polars text": (pl.Series(["1", "?", None]), "dtype String, '?' in row 1", [1, NAN, NAN]),
    "polars categories": (pl.Series(["7", "9"], dtype=pl.Categorical), "dtype Categorical", [7, 9]),
    "polars enum": (pl.Series(["7", "9"], dtype=pl.Enum(["9", "7"])), "dtype Enum", [7, 9]),
    "polars decimals": (pl.Series(["1.5"]).cast(pl.Decimal(10, 2)), "dtype Decimal", [1.5]),
    "polars durations": (pl.Series([LATER - DAY, None]), "dtype Duration", [3.6e9, NAN]),
    "polars dates": (pl.Series([LATER, None]), "dtype Datetime", [3.6e9, NAN]),
    "polars days": (pl.Series([DAY.date()]), "dtype Date", [0]),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_made_numbers(name):
    column, said, result = COLUMNS[name]
    frame = pd.DataFrame if isinstance(column, pd.Series) else pl.DataFrame
    text = refusal(Standardizer().fit, frame({"a": column}))
    assert f"numbers in column 'a', got dtype {column.dtype}" in text
    assert said in text
    date = {"polars days": DAY.date(), "zoned dates": ZONED[0]}.get(name, DAY)
    made = run(f"made = {advised(text)}", column=column, date=date)["made"]
    X = frame({"a": made})
    np.testing.assert_array_equal(np.asarray(X, dtype=float)[:, 0], result)
    Standardizer().fit(X)


class OwnSeries(pd.Series):
    """As other packages derive theirs."""


class OwnFrame(pd.DataFrame):
    _constructor_sliced = OwnSeries


@pytest.mark.parametrize("column", [["1", "2"], np.array(["1", "2"], dtype=object), pd.Categorical(["1", "2"])])
def test_derived_frames_get_the_same_advice(column):
    assert refusal(Standardizer().fit, OwnFrame({"a": column})).endswith(": column.astype(float).")


@pytest.mark.parametrize("column", [["Rome", "Oslo"], pd.Categorical(["Rome", "Oslo"])])
def test_what_has_no_numbers_is_told_to_be_encoded(column):
    assert "Encode" in refusal(Standardizer().fit, pd.DataFrame({"a": column}))


@pytest.mark.parametrize(
    "X, said, result",
    [
        ([["1", 2], ["3", 4]], "dtype <U21", [[1, 2], [3, 4]]),
        (np.array([["1", None]], dtype=object), "holding str", [[1, NAN]]),
        (np.array([[Decimal(1), 2]], dtype=object), "holding Decimal", [[1, 2]]),
        (np.array([[1, 2]], "m8[h]"), "timedelta64[h]", [[3600, 7200]]),
        (np.array([[LATER - DAY]]), "holding timedelta", [[3600]]),
        ([[LATER - DAY, LATER - DAY]], "holding timedelta", [[3600, 3600]]),
        (np.array([[LATER]], "M8[s]"), "datetime64[s]", [[3600]]),
        ([[LATER, DAY]], "holding datetime", [[3600, 0]]),
    ],
)
def test_an_array_is_made_numbers(X, said, result):
    text = refusal(Standardizer().fit, X)
    assert said in text
    made = run(f"made = {advised(text)}", X=X, date=DAY)["made"]
    np.testing.assert_array_equal(np.asarray(made, dtype=float), result)
    Standardizer().fit(made)


@pytest.mark.parametrize("X", [[[1, "?"]], np.array([["1", "?"]]), np.array([[1, "?"]], dtype=object)])
def test_what_is_no_number_in_an_array_is_made_missing(X):
    text = refusal(Standardizer().fit, X)
    assert "'?' in row 0, feature 1. " in text
    np.testing.assert_array_equal(run(f"made = {advised(text)}", X=X)["made"], [[1, NAN]])


# Axes


SERIES = [
    pd.Series([1.0, 2.0]),
    pd.Series([1.0, 2.0], index=["a", "b"], name=0),
    pd.Index([1.0, 2.0]),
    pl.Series([1.0, 2.0]),
    pl.Series("a", [1.0, 2.0]),
    dd.from_pandas(pd.Series([1.0, 2.0], name="a"), npartitions=1),
    dd.from_pandas(pd.Series([1.0, 2.0]), npartitions=1),
]


@pytest.mark.parametrize("X", SERIES, ids=lambda X: f"{type(X).__module__.partition('.')[0]} {X.name!r}")
def test_a_series_is_made_a_frame(X):
    one_feature, one_sample = re.search(
        r"Pass (.+) if it is one feature, (.+) if it is one sample\.$", refusal(Standardizer().fit, X)
    ).groups()
    for code, shape in ((one_feature, (2, 1)), (one_sample, (1, 2))):
        frame = run(f"frame = {code}", X=X)["frame"]
        scaler = Standardizer().fit(frame)
        assert (scaler.n_samples_seen_, scaler.n_features_in_) == shape


def test_a_row_of_a_frame_is_transformed_as_in_it():
    frame = FRAME.iloc[[1]].astype(float)
    scaler = Standardizer().fit(frame)
    code = re.search(r"feature, (.+) if it is one sample\.$", refusal(scaler.transform, frame.iloc[0]))[1]
    np.testing.assert_array_equal(scaler.transform(run(f"row = {code}", X=frame.iloc[0])["row"]), [[0, 0]])


LAST = np.arange(2 * 4 * 5 * 3.0).reshape(2, 4, 5, 3)
FIRST = np.moveaxis(LAST, -1, 1)
CALLS = {
    "mean": lambda X: Standardizer(mean=[1, 2, 3]).fit(X),
    "std": lambda X: Standardizer(std=[1, 2, 3]).fit(X),
    "in_range": lambda X: MinMaxNormalizer(in_range=(0, [1, 2, 3])).fit(X),
    "gamma": lambda X: RowLayerNorm(gamma=[1, 2, 3]).fit(X),
    "beta": lambda X: RowLayerNorm(beta=[1, 2, 3]).transform(X),
    "transform": lambda X: Standardizer().fit(LAST).transform(X),
    "partial_fit": lambda X: Standardizer().fit(LAST).partial_fit(X),
    "inverse_transform": lambda X: Standardizer().fit(LAST).inverse_transform(X),
    "a row norm": lambda X: RowRMSNorm().fit(LAST).transform(X),
    "after names": lambda X: Standardizer().fit(pd.DataFrame(LAST[0, 0], columns=list("abc"))).transform(X),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("X", [FIRST, FIRST.tolist(), FIRST[0]], ids=["images", "lists", "image"])
@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_features_on_another_axis_are_moved(name, X):
    text = refusal(CALLS[name], X)
    code = re.search(r"The features are the last axis: move axis . there, (.+)\.$", text)[1]
    CALLS[name](run(f"X = {code}", X=X)["X"])


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_nothing_is_said_of_axes_where_none_is_so_long(call):
    assert "moveaxis" not in refusal(call, np.ones((2, 4, 5)))
    assert "moveaxis" not in refusal(call, np.ones((3, 4)))


# Statistics and fitted attributes


@pytest.mark.parametrize("norm", [RowLayerNorm(keep_stats=True), RowRMSNorm(keep_stats=True)])
def test_data_without_the_appended_statistics_need_others(norm):
    X = LAST[0, 0]
    norm.fit(X)
    text = refusal(norm.inverse_transform, X[:, :2])
    assert all(name in text for name in norm._statistics._fields)
    assert text.endswith("pass row_stats= for data without.")
    Y = norm.transform(X)[:, :3]
    np.testing.assert_allclose(norm.inverse_transform(Y, row_stats=norm.row_statistics(X)), X, atol=1e-4)


@pytest.mark.parametrize("cls", [Standardizer, MinMaxNormalizer])
def test_no_fitted_attribute_can_be_assigned(cls):
    names = [name for name, value in vars(cls).items() if isinstance(value, property)]
    assert len(names) > 3
    for name in (*names, "constant_features_"):
        with pytest.raises(
            AttributeError, match=rf"^Expected {name} to be left to fit, got 1\. Pass .* {cls.__name__}\("
        ):
            setattr(cls(), name, 1)
    assert set(cls._known_parameters) <= cls().get_params().keys()
