"""F4, which samples are drawn of more than can be read: some of each kind, at random.

A fixed stride would meet a period of the data, and miss the few that need a mark.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._precision import Array

KINDS = ("constant", "missing in part", "missing")
BLOCK = 1 << 20  # values that are looked at together


def kinds_of(constant: Array, missing: Array) -> dict[str, Array]:
    """Masks of the items that need a mark, given which have one value only and which share is missing."""
    return dict(zip(KINDS, (constant, (missing > 0) & (missing < 1), missing == 1), strict=True))


def kinds_of_samples(values: Any) -> dict[str, Array]:
    """The same of all samples, which are counted over all axes but the last."""
    flat = _of_dense(values) if isinstance(values, np.ndarray) else _of_sparse(values.tocsr())
    return kinds_of(*flat)


def _of_dense(values: Array) -> tuple[Array, Array]:
    rows = values.reshape(-1, values.shape[-1])
    constant, missing = np.empty(len(rows), dtype=bool), np.empty(len(rows))
    step = max(1, BLOCK // rows.shape[1])
    for start in range(0, len(rows), step):
        at = slice(start, start + step)
        block = rows[at].astype(np.float64)
        known = np.isfinite(block)
        missing[at] = (~known).sum(axis=1) / rows.shape[1]
        constant[at] = _equal(np.where(known, block, np.inf).min(axis=1), np.where(known, block, -np.inf).max(axis=1))
    return constant, missing


def _of_sparse(rows: Any) -> tuple[Array, Array]:
    """Zeros that are not stored are values as others; nothing becomes dense."""
    n, width = rows.shape
    data = rows.data.astype(np.float64)
    at, known = np.repeat(np.arange(n), np.diff(rows.indptr)), np.isfinite(data)
    stored = np.bincount(at, minlength=n)
    missing = np.bincount(at[~known], minlength=n) / width
    lowest, highest = np.where(stored < width, 0.0, np.inf), np.where(stored < width, 0.0, -np.inf)
    np.minimum.at(lowest, at[known], data[known])
    np.maximum.at(highest, at[known], data[known])
    return _equal(lowest, highest), missing


def _equal(lowest: Array, highest: Array) -> Array:
    return np.asarray(lowest == highest)  # of nothing but missing values they are inf and -inf


def chosen(kinds: dict[str, Array], most: int) -> Array:
    """Positions of at most so many samples, in order: a rare kind is there whole, the others have equal parts.

    The choice is random, and the same each time.
    """
    code = np.array(list(kinds.values())).T @ [1 << bit for bit in range(len(kinds))]
    n = len(code)
    if n <= most:
        return np.arange(n)
    order = np.random.default_rng(0).permutation(n)
    turn = np.empty(n, dtype=int)  # which of its kind a sample is
    for kind in np.unique(code):
        among = order[code[order] == kind]
        turn[among] = np.arange(len(among))
    return np.sort(order[np.argsort(turn[order], kind="stable")[:most]])
