"""F0, frames that NumPy cannot see as they lie: read some rows at a time, so that no copy of the whole is made.

A frame of several dtypes, or of dtypes that are not NumPy's, is read in the dtype that holds them all: that of NumPy's
own rules, with room for NaN where values are missing, and wider than float64 where integers beyond 2**53 need it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ._not_numbers import complex_refused, not_numbers, numbers_of
from ._precision import Array, dtype_with_nan
from ._validation import check_values

TILE = 64  # features
PIECE = 2**17  # values read together, at most: 1 MB of float64 costs less to fill again than fresh memory does


@dataclass(frozen=True)
class Table:
    """Some rows of a frame after others; ``shape`` and ``dtype`` are those of the array that they make up."""

    frame: Any
    dtype: np.dtype[Any]
    read_rows: Callable[[Any, np.dtype[Any], slice], Array]
    ndim: ClassVar[int] = 2

    @property
    def shape(self) -> tuple[int, int]:
        n_samples, n_features = self.frame.shape
        return n_samples, n_features

    def read(self, rows: slice) -> Array:
        return self.read_rows(self.frame, self.dtype, rows)

    def tiles(self) -> list[tuple[slice, Table]]:
        """The features in parts: each piece that is read goes through all columns, so these should not be many."""
        if self.shape[1] <= TILE:
            return [(slice(None), self)]
        places = getattr(self.frame, "iloc", self.frame)
        cuts = [slice(start, start + TILE) for start in range(0, self.shape[1], TILE)]
        return [(features, replace(self, frame=places[:, features])) for features in cuts]

    def rows(self, most: int = PIECE) -> list[slice]:
        """Which rows to read together, for at most so many values."""
        step = max(1, min(most, PIECE) // self.shape[1])
        return [slice(start, min(start + step, self.shape[0])) for start in range(0, self.shape[0], step)]


def whole(values: Any) -> Any:
    """The values of a `Table` as one array, and others as they are."""
    return values.read(slice(None)) if isinstance(values, Table) else values


def pandas_table(X: Any) -> Table:
    """Of a pandas frame; objects become numbers first."""
    objects = [j for j, dtype in enumerate(X.dtypes) if dtype == np.dtype(object)]
    if objects:
        X = X.copy(deep=False)
        for j in objects:
            column = X.iloc[:, j]
            X.isetitem(j, numbers_of(column.to_numpy(), f"column {X.columns[j]!r}", column))
    columns = [column for _, column in X.items()]  # much faster than one by one
    dtype = _shared_dtype(columns, list(map(_pandas_dtype, columns, X.columns)))
    return Table(X, dtype, _read_pandas)


def _read_pandas(X: Any, dtype: np.dtype[Any], rows: slice) -> Array:
    with np.errstate(all="ignore"):  # at casts of NaN that signal
        values: Array = X.iloc[rows].to_numpy(dtype=dtype, **({"na_value": np.nan} if dtype.kind == "f" else {}))
    return values


def _pandas_dtype(column: Any, name: Any) -> np.dtype[Any]:
    """The NumPy dtype that holds a column, with room for NaN where values are missing."""
    dtype = column.dtype
    if isinstance(dtype, sys.modules["pandas"].SparseDtype):
        dtype = dtype.subtype
    kind = getattr(dtype, "kind", "O")
    if kind == "c":
        raise ValueError(complex_refused(f"column {name!r}", dtype))
    if str(dtype) == "null[pyarrow]":
        return np.dtype(np.float64)
    if kind not in "biuf":
        raise ValueError(not_numbers(f"column {name!r}", column))
    if isinstance(dtype, np.dtype):
        return dtype
    held: np.dtype[Any] = np.dtype(dtype.numpy_dtype)
    if held.kind == "f" or not any(part.isna().any() for part in _parts(column)):
        return held
    return np.result_type(*(dtype_with_nan(part.dropna().to_numpy(dtype=held)) for part in _parts(column)))


def polars_table(X: Any) -> Any:
    """Of a polars frame; an empty array if it has no columns."""
    columns = list(X)
    if not columns:
        return check_values(np.empty(X.shape))
    dtype = _shared_dtype(columns, list(map(_polars_dtype, columns)))
    return Table(X, dtype, _read_polars)


def _read_polars(X: Any, dtype: np.dtype[Any], rows: slice) -> Array:
    part = X[rows]
    values = np.empty(part.shape, dtype=dtype, order="F")
    with np.errstate(all="ignore"):  # at casts of NaN that signal
        for column, into in zip(part, values.T, strict=True):
            into[...] = _read_polars_column(column)
            if column.null_count():
                into[column.is_null().to_numpy()] = np.nan
    return values


def _read_polars_column(column: Any) -> Any:
    polars = sys.modules["polars"]
    if column.dtype == polars.Null:
        return np.nan
    if column.dtype == polars.Object:
        return numbers_of(column.to_numpy(), f"column {column.name!r}")
    if column.null_count():
        column = column.fill_null(False if column.dtype == polars.Boolean else 0)
    return column.to_numpy()


def _polars_dtype(column: Any) -> np.dtype[Any]:
    polars = sys.modules["polars"]
    dtype = column.dtype
    if dtype == polars.Null:
        return np.dtype(np.float64)
    if dtype == polars.Object:
        return numbers_of(column.to_numpy(), f"column {column.name!r}").dtype
    is_narrow = dtype.is_integer() and "128" not in str(dtype)  # of which NumPy has none
    if not (is_narrow or dtype.is_float() or dtype == polars.Boolean):
        raise ValueError(not_numbers(f"column {column.name!r}", column))
    held: np.dtype[Any] = column.clear().to_numpy().dtype
    if held.kind == "f" or not column.null_count():
        return held
    return np.result_type(*(dtype_with_nan(part.drop_nulls().to_numpy()) for part in _parts(column)))


def _shared_dtype(columns: list[Any], dtypes: list[np.dtype[Any]]) -> np.dtype[Any]:
    """What holds all columns: integers beside floats may need more than float64, as they do beside NaN."""
    shared = np.result_type(*dtypes)
    if shared == np.float64:
        for column, dtype in zip(columns, dtypes, strict=True):
            if dtype.kind in "iu" and dtype.itemsize == 8:
                found = (dtype_with_nan(np.asarray(part.to_numpy(), dtype)) for part in _parts(column))
                shared = np.result_type(shared, *found)
    return shared


def _parts(column: Any) -> Iterator[Any]:
    """Some rows of a column after others."""
    rows = getattr(column, "iloc", column)
    return (rows[start : start + PIECE] for start in range(0, len(column), PIECE))
