"""F0, what data comes in and what it goes out as: arrays, sparse matrices, masked arrays, pandas and polars frames.

pandas and polars are looked up among the modules already imported: whoever holds a frame has imported its library.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ._dask import is_collection
from ._namespaces import is_foreign, on_host, sent_back
from ._precision import Array, dtype_with_nan
from ._tables import PIECE, pandas_table, polars_table, whole
from ._validation import as_array, check_values, is_sparse, not_two_axes, reshaped
from ._wording import message, shown


def to_values(X: Any) -> Any:
    """Input as an array of real dtype (..., n_features), or as a CSR or CSC container."""
    return whole(opened(X))


def opened(X: Any) -> Any:
    """The same, or a `Table` where an array would be a copy of a whole frame."""
    if type(X) is np.ndarray:
        return check_values(X)
    if is_foreign(X):
        return check_values(on_host(X, "X"))
    if is_sparse(X):
        return _sparse_values(X)
    if isinstance(X, np.matrix):
        raise TypeError(message("an array or a frame", "np.matrix", "np.matrix is not supported: pass np.asarray(X)."))
    if isinstance(X, np.ma.MaskedArray):
        # a mask means missing, whatever lies under it
        kept = check_values(np.asarray(X.data))
        missing = np.ma.getmaskarray(X)
        return np.where(missing, dtype_with_nan(kept[~missing]).type(np.nan), kept) if missing.any() else kept
    kind = frame_kind(X)
    if kind == "pandas":
        return _pandas_values(X)
    if kind == "polars":
        return polars_table(X)
    if is_collection(X):
        got = f"a lazy {type(X).__name__}"
        raise TypeError(message("data in memory", got, "Call .compute() on it, if it fits in memory."))
    values = as_array(X, "an array or a frame")
    if values.ndim == 0:
        remedy = "Pass a list of rows, an array or a frame."
        raise ValueError(message("2D array", f"{shown(X, 60)}, of type {type(X).__name__}", remedy))
    return check_values(values)


def given_dtype(X: Any, values: Any) -> np.dtype[Any]:
    """The common dtype of the data as they came, before missing integers were made floats."""
    dtypes: list[Any] = [values.dtype]
    if values.dtype.kind == "f" and isinstance(X, np.ma.MaskedArray):
        dtypes = [X.dtype]
    elif values.dtype.kind == "f" and frame_kind(X) == "pandas":
        dtypes = [getattr(dtype, "numpy_dtype", getattr(dtype, "subtype", dtype)) for dtype in X.dtypes]
    elif values.dtype.kind == "f" and frame_kind(X) == "polars":
        dtypes = [column.clear().to_numpy().dtype for column in X]
    known = [np.dtype(dtype) for dtype in dtypes]
    return values.dtype if np.dtype(object) in known else np.result_type(*known)


def frame_kind(X: Any) -> str | None:
    """The library of a frame; refuses what looks like a frame but is not."""
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(X, (pandas.DataFrame, pandas.Series, pandas.Index)):
        if isinstance(X, pandas.DataFrame):
            return "pandas"
        raise not_two_axes("pandas", X, "X.to_frame().T")
    if polars is not None and isinstance(X, (polars.DataFrame, polars.LazyFrame, polars.Series)):
        if isinstance(X, polars.DataFrame):
            return "polars"
        if isinstance(X, polars.LazyFrame):
            raise TypeError(message("data in memory", "a polars LazyFrame", "Call .collect() on it first."))
        raise not_two_axes("polars", X, "X.to_frame().transpose()")
    return None


def _sparse_values(X: Any) -> Any:
    if X.ndim != 2:
        raise ValueError(message("2D sparse container", f"{X.ndim}D {type(X).__name__}", reshaped(X)))
    if X.format not in ("csr", "csc"):
        _check_places(X)
        X = X.tocsr()
    _check_places(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    data = check_values(X.data.reshape(-1, 1))[:, 0]
    if X.shape[1] == 0:
        check_values(np.empty(X.shape))
    return X if data.dtype == X.dtype else with_data(X, data)


def _check_places(X: Any) -> None:
    """Indices that point outside the matrix, which SciPy lets pass, would be places outside of memory."""
    if X.format == "coo":
        rising = len(X.row) == len(X.col) == len(X.data)
        places = [(X.row, X.shape[0]), (X.col, X.shape[1])]
    elif X.format in ("csr", "csc", "bsr"):
        indptr, block = X.indptr, X.blocksize if X.format == "bsr" else (1, 1)
        stored = min(len(X.indices), len(X.data))
        rising = indptr[0] == 0 and indptr[-1] <= stored and (indptr[:-1] <= indptr[1:]).all()
        places = [(X.indices, X.shape[0] if X.format == "csc" else X.shape[1] // block[1])]
    else:
        return  # places that a dict, lists or diagonals tell are checked by SciPy, or after it
    for indices, across in places:
        if not rising or (len(indices) and not 0 <= indices.min() <= indices.max() < across):
            expected = f"a sparse container of indices from 0 to {across - 1} and a rising indptr"
            remedy = "Make it anew, from correct indices."
            raise ValueError(message(expected, f"a {type(X).__name__} with others", remedy))


def with_data(X: Any, data: Array) -> Any:
    """A sparse container like ``X`` holding other values, and sharing nothing with it."""
    return type(X)((data, X.indices.copy(), X.indptr.copy()), shape=X.shape)


def _pandas_values(X: Any) -> Any:
    if not X.columns.is_unique:
        twice = X.columns[X.columns.duplicated()][0]
        remedy = "Rename the columns, or pass df.to_numpy()."
        raise ValueError(message("distinct column names", f"{twice!r} more than once", remedy))
    dtypes = list(X.dtypes)
    if all(isinstance(dtype, np.dtype) and dtype.kind in "biuf" and dtype == dtypes[0] for dtype in dtypes):
        first = X.iloc[:1]
        # what lies in several places would be put together: a copy of the whole
        if X.size > PIECE and not np.shares_memory(first.to_numpy(), first.iloc[:, 0].to_numpy()):
            return pandas_table(X)
        return check_values(X.to_numpy())
    if all(getattr(dtype, "fill_value", None) == 0 for dtype in dtypes):
        return _sparse_values(X.sparse.to_coo())  # pandas sparse columns of which zeros are left out
    return pandas_table(X)


def to_container(values: Any, kind: str, names: Callable[[], Any], like: Any) -> Any:
    """``values`` as an array like ``like``, or a frame of library ``kind`` with its index and polars nulls."""
    if kind == "default" or not isinstance(values, np.ndarray):
        return sent_back(values, like)
    if kind == "pandas":
        import pandas

        index = like.index if isinstance(like, pandas.DataFrame) else None
        return pandas.DataFrame(values, columns=names(), index=index, copy=False)
    import polars

    frame = polars.DataFrame(values, schema=[str(name) for name in names()], orient="row")
    if isinstance(like, polars.DataFrame):
        for name, column in zip(frame.columns, like, strict=False):
            if column.null_count():
                frame = frame.with_columns(polars.when(~column.is_null()).then(polars.col(name)).alias(name))
    return frame


def column_names(X: Any) -> list[str] | None:
    """The columns of a frame, where all are text."""
    names = list(getattr(X, "columns", ()))
    return names if names and all(isinstance(name, str) for name in names) else None
