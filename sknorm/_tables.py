"""F0, frames that NumPy cannot see as they lie: read some rows at a time, so that no copy of the whole is made.

A frame of several dtypes, or of dtypes that are not NumPy's, is read in the dtype that holds them all: that of NumPy's
own rules, with room for NaN where values are missing, and wider than float64 where integers beyond 2**53 need it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ._not_numbers import complex_refused, not_numbers, numbers_of
from ._precision import Array, dtype_with_nan
from ._validation import check_values

PIECE = 2**17  # values read together, at most: 1 MB of float64 costs less to fill again than fresh memory does


@dataclass(frozen=True)
class Table:
    """Some rows after others; ``shape`` and ``dtype`` are those of the array that they make up."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    read: Callable[[slice], Array]

    @property
    def ndim(self) -> int:
        return 2

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
    columns = [X.iloc[:, j] for j in range(X.shape[1])]
    dtype = _shared_dtype(columns, list(map(_pandas_dtype, columns, X.columns)))
    return Table(X.shape, dtype, partial(_read_pandas, X, dtype))


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
    return Table(X.shape, dtype, partial(_read_polars, X, dtype))


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
    if not (dtype.is_integer() or dtype.is_float() or dtype == polars.Boolean):
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
            if dtype in (np.int64, np.uint64):
                found = (dtype_with_nan(np.asarray(part.to_numpy(), dtype)) for part in _parts(column))
                shared = np.result_type(shared, *found)
    return shared


def _parts(column: Any) -> Iterator[Any]:
    """Some rows of a column after others."""
    rows = getattr(column, "iloc", column)
    return (rows[start : start + PIECE] for start in range(0, len(column), PIECE))
