"""F4, what is drawn of many values: a few quantiles of each feature, or of each sample.

A quantile is one of the values, the first that enough of them do not exceed; nothing is interpolated. So an increasing
map of the values maps their quantiles, and there is no sum or difference to overflow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ._precision import Array

LEVELS = np.array([0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0])


class Quantiles(NamedTuple):
    """Of each item: the values at `LEVELS`, float64 of shape (7, n_items), and the share that is missing."""

    levels: Array
    missing: Array

    @property
    def constant(self) -> Array:
        """Items of one value only."""
        return np.asarray(self.levels[0] == self.levels[-1])


def quantiles_of(items: Iterable[Array]) -> Quantiles:
    """Of items of float64 values each; NaN, and the infinity that RowSoftmax takes, are missing."""
    levels, missing = [], []
    for values in items:
        known = values[np.isfinite(values)]
        missing.append((len(values) - len(known)) / len(values))
        levels.append(_at_levels(known))
    return Quantiles(np.array(levels).T, np.array(missing))


def _at_levels(values: Array) -> Array:
    if not len(values):
        return np.full(len(LEVELS), np.nan)
    # the little taken off is for products such as 0.05 * 60, which is rounded to above 3
    places = np.ceil(LEVELS * len(values) * (1 - 1e-12)).astype(int) - 1
    places = np.maximum(places, 0)
    # of few values the whole order is the quicker one
    ordered = np.sort(values) if len(values) < 5000 else np.partition(values, np.unique(places))
    return np.asarray(ordered[places])


def features_of(values: Any, index: Array) -> Iterator[Array]:
    """The values of some features, pooled over the other axes; of a sparse matrix one feature at a time is dense."""
    columns = values if isinstance(values, np.ndarray) else values.tocsc()
    for j in index:
        column = columns[..., j] if isinstance(columns, np.ndarray) else columns[:, [j]].toarray()
        yield column.astype(np.float64).ravel()


def samples_of(values: Any, index: Array) -> Iterator[Array]:
    """The values of some samples, which are counted over all axes but the last."""
    rows = values.reshape(-1, values.shape[-1]) if isinstance(values, np.ndarray) else values.tocsr()
    for i in index:
        row = rows[i] if isinstance(rows, np.ndarray) else rows[[i]].toarray()
        yield row.astype(np.float64).ravel()
