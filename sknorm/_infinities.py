"""F0, infinities in data: where the first stands, and what makes it missing."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ._containers import frame_kind
from ._namespaces import is_foreign
from ._precision import Array
from ._validation import InfinityFound, is_sparse
from ._wording import message


def infinite(
    X: Any, values: Any, names: Iterable[Any] | None, *, by_sample: bool, negative: bool = False
) -> ValueError:
    """The error for an infinity in the ``values`` of X, with its place; ``negative`` where -inf would be allowed."""
    place = _first_infinity(values, negative) if isinstance(values, np.ndarray) else _first_stored(values.tocoo())
    if by_sample:
        where = f"infinity in sample {place[0] if len(place) == 2 else place[:-1]}"
    else:
        where = f"infinity in feature {place[-1] if names is None else repr(list(names)[place[-1]])}"
    remedy = f"Replace it, or mark it as missing with NaN: {without_infinity(X, negative=negative)}."
    return ValueError(message("finite numbers or NaN", where, remedy))


def without_infinity(X: Any, *, negative: bool = False) -> str:
    """The code that makes the infinities in X missing; ``negative`` where -inf may stay."""
    found, ends = ("isposinf", "[np.inf]") if negative else ("isinf", "[np.inf, -np.inf]")
    kind = frame_kind(X)
    if kind == "pandas":
        dense = ".sparse.to_dense()" if all(hasattr(dtype, "fill_value") for dtype in X.dtypes) else ""
        return f"X = X{dense}.replace({ends}, np.nan)"
    if kind == "polars":
        return f"X = X.with_columns(pl.selectors.float().replace({ends}, np.nan))"
    if is_sparse(X):
        rows = "X = X.tocsr(); " if X.format in ("dok", "lil") else ""  # which have no array of what is stored
        return f"{rows}X.data[np.{found}(X.data)] = np.nan"
    if isinstance(X, np.ma.MaskedArray):
        return f"X = np.ma.masked_where(np.{found}(X), X)"
    library = type(X).__module__.partition(".")[0]
    if not (is_foreign(X) and hasattr(sys.modules.get(library), found)):
        if np.asarray(X).dtype == object:
            return f"X = np.where(np.isin(X, {ends}), np.nan, X)"
        library = "np"
    return f"X = {library}.where({library}.{found}(X), {library}.nan, X)"


def _chunks(X: Array) -> Iterator[tuple[int, Array]]:
    """Some samples at a time, so that no mask of the whole is made."""
    step = max(1, 65536 * len(X) // X.size)
    for start in range(0, len(X), step):
        yield start, X[start : start + step]


def _first_infinity(X: Array, negative: bool) -> tuple[int, ...]:
    infinite_in = np.isposinf if negative else np.isinf
    with np.errstate(all="ignore"):  # a longdouble beyond float64 counts as infinite
        return next(
            (start + int(at[0]), *map(int, at[1:]))
            for start, part in _chunks(X)
            for at in np.argwhere(infinite_in(part.astype(np.float64)))
        )


def _first_stored(X: Any) -> tuple[int, ...]:
    with np.errstate(all="ignore"):
        at = np.flatnonzero(np.isinf(X.data.astype(np.float64)))[0]
    return int(X.row[at]), int(X.col[at])


def check_no_infinity(X: Array, *, negative: bool = False) -> None:
    """Raise as a kernel would, before anything is written; ``negative`` allows -inf."""
    with np.errstate(all="ignore"):
        suspect = X.dtype.kind == "f" and not np.isfinite(np.sum(X))
    if suspect:
        for _, part in _chunks(X):
            if (np.isposinf(part) if negative else np.isinf(part)).any():
                raise InfinityFound
