"""Random pandas, polars and dask collections, and what is known of each."""

import decimal

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
from arrays import Case, values


def pandas_column(rng, n):
    """A column and its values as floats or integers, None if they are no numbers."""
    numbers = rng.integers(0, 9, n)
    kind = rng.integers(13)
    if kind < 3:
        data = values(rng, rng.choice(list("?bBhHiIefd")), (n,))
        return pd.Series(data), data
    if kind < 6:
        dtype = rng.choice(
            ["Int8", "Int64", "UInt16", "Float32", "Float64", "boolean", "int64[pyarrow]", "double[pyarrow]"]
        )
        data = pd.array(numbers > 4 if dtype == "boolean" else numbers, dtype=dtype)
        if rng.random() < 0.5:
            data[rng.integers(n)] = pd.NA
        return pd.Series(data), np.array([np.nan if v is pd.NA else float(v) for v in data])
    if kind == 6:
        return pd.Series(pd.arrays.SparseArray(numbers * 1.0, fill_value=0)), numbers * 1.0
    if kind == 7:
        data = numbers.astype(object)
        data[0] = None
        return pd.Series(data, dtype=object), np.append(np.nan, numbers[1:])
    bad = [
        pd.Categorical(numbers),
        ["a"] * n,
        pd.date_range("2020", periods=n),
        pd.to_timedelta(numbers, unit="s"),
        [1j] * n,
    ]
    return (pd.Series(bad[kind % 5]), None) if rng.random() < 0.5 else (pd.Series(numbers * 0.5), numbers * 0.5)


def frame(rng):
    n, d = int(rng.integers(1, 5)), int(rng.integers(1, 4))
    columns = [pandas_column(rng, n) for _ in range(d)]
    X = pd.concat([series for series, _ in columns], axis=1)
    X.columns = list("abc"[:d])
    bad = any(data is None for _, data in columns)
    truth = None if bad else np.stack([data for _, data in columns], axis=1)
    kind = rng.integers(12)
    if kind == 0:
        X.columns = range(d)
    elif kind == 1:
        X.columns = ["a", 1, None][:d]
        return Case("frame, mixed names", X, truth, either=True)
    elif kind == 2 and d > 1:
        X.columns = ["a"] * d
        return Case("frame, a name twice", X)
    elif kind == 3:
        X.columns = pd.MultiIndex.from_product([["a"], range(d)])
        return Case("frame, two levels of names", X, truth, either=True)
    elif kind == 4:
        return Case("frame without rows", X[:0], None if bad else truth[:0], either=True)
    elif kind == 5:
        return Case("frame without columns", X.iloc[:, :0])
    elif kind == 6:
        X.index = pd.DatetimeIndex(["2020"] * n)
    elif kind == 7:
        return Case("series", X["a"])
    kind = "sparse frame" if all(str(t) == "Sparse[float64, 0]" for t in X.dtypes) else "frame"
    return Case(f"{kind} {[str(t) for t in X.dtypes]}", X, truth)


def polars_frame(rng):
    n = 3
    good = [pl.Series("a", [1, None, 3], dtype=t) for t in (pl.Int8, pl.UInt64, pl.Float32, pl.Float64)]
    good += [pl.Series("a", [True, None, False]), pl.Series("a", [None] * n), pl.Series("a", [0.5, float("nan"), 2])]
    bad = [
        pl.Series("a", ["x"] * n),
        pl.Series("a", [[1]] * n),
        pl.Series("a", [{"a": 1}] * n),
        pl.Series("a", [b"1"] * n),
    ]
    bad += [
        pl.Series("a", ["x"] * n, dtype=pl.Categorical),
        pl.Series("a", [0, 1, 2], dtype=pl.Date),
        pl.Series("a", [decimal.Decimal(1)] * n),
    ]
    chosen = [good[i] for i in rng.integers(0, len(good), 2)]
    if rng.random() < 0.4:
        chosen[1] = bad[rng.integers(len(bad))]
    X = pl.DataFrame([s.alias(name) for s, name in zip(chosen, "ab", strict=True)])
    kind = rng.integers(8)
    if kind == 0:
        return Case("polars lazy", X.lazy())
    if kind == 1:
        return Case("polars series", X["a"])
    truth = None
    if all(any(s is g for g in good) for s in chosen):
        truth = np.array([[np.nan if v is None else float(v) for v in row] for row in X.rows()])
    return Case(
        f"polars {X.dtypes}", X[:0] if kind == 2 else X, truth if kind != 2 or truth is None else truth[:0], either=True
    )


def collection(rng):
    X = values(rng, rng.choice(list("?iqefd")), (6, 2))
    kind = rng.integers(4)
    if kind == 0:
        return Case("dask frame", dd.from_pandas(pd.DataFrame(X, columns=["a", "b"]), npartitions=2), X)
    if kind == 1:
        return Case("dask bag", dd.from_pandas(pd.Series(X[:, 0]), npartitions=1))
    Y = da.from_array(X, chunks=((4, 2), (1, 1) if rng.random() < 0.5 else (2,)))
    if kind == 2:
        kept = rng.random(6) < 0.5
        return Case("dask array of unknown length", Y[da.from_array(kept, chunks=(4,))], X[kept], either=True)
    return Case("dask array", Y, X)
