"""F1, how the values of a block are grouped into statistics.

It is the only difference between the columns of a dense block, its rows, and the stored values of a sparse matrix.
``reduce`` gives one value per group, ``spread`` lines one value per group up with the data, ``rows`` does so with one
value per row, ``halved`` may add some values of a group to others, and ``size`` holds the number of values of each
group.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from .._precision import Array

# values of one wide row: enough for a vector loop to pay, while the result of a reduction, as wide, stays small
LANES_TO_REDUCE = 1024
LANES_TO_MAP = 8192


class Columns:
    """Each column of a 2-D block is a group.

    A C-ordered row of few values would be a short vector loop, so several rows are handled as one wide row.
    """

    def __init__(self, block: Array, out: Array | None = None) -> None:
        self.n, self.d = block.shape
        self._block, self._out = block, out

    @cached_property
    def lanes(self) -> int:
        lanes, out = 1, self._out
        most = LANES_TO_REDUCE if out is None else LANES_TO_MAP
        if self._block.flags.c_contiguous and (out is None or out.flags.c_contiguous):
            while self.n % (2 * lanes) == 0 and 2 * lanes * self.d <= most:
                lanes *= 2
        return lanes

    @cached_property
    def size(self) -> Array:
        return np.full(self.d, self.n)

    def view(self, x: Array) -> Array:
        return x if self.lanes == 1 else x.reshape(-1, self.lanes * self.d)

    def reduce(self, ufunc: np.ufunc, x: Array) -> Array:
        wide = ufunc.reduce(x, axis=0)
        result: Array = wide if self.lanes == 1 else ufunc.reduce(wide.reshape(self.lanes, self.d), axis=0)
        return result

    def halved(self, x: Array) -> Array:
        """Pairs of rows added, in place: the same sums from half the values."""
        half = len(x) // 2
        x[:half] += x[len(x) - half :]
        return x[: len(x) - half]

    def spread(self, p: Array) -> Array:
        return p if self.lanes == 1 else np.broadcast_to(p, (self.lanes, self.d)).reshape(-1)

    def rows(self, w: Array) -> Array:
        return w[:, None] if self.lanes == 1 else np.repeat(w.reshape(-1, self.lanes), self.d, axis=1)


class Rows:
    """Each row of a C-contiguous 2-D block is a group."""

    def __init__(self, block: Array) -> None:
        self.n, self.d = block.shape

    @cached_property
    def size(self) -> Array:
        return np.full(self.n, self.d)

    def view(self, x: Array) -> Array:
        return x

    def reduce(self, ufunc: np.ufunc, x: Array) -> Array:
        result: Array = ufunc.reduce(x, axis=1)
        return result

    def halved(self, x: Array) -> Array:
        return x

    def spread(self, p: Array) -> Array:
        return p[:, None]

    def rows(self, w: Array) -> Array:
        return w[:, None]


class Segments:
    """Each run of stored values from ``indptr[i]`` to ``indptr[i + 1]`` is a group, none of them empty."""

    def __init__(self, indptr: Array) -> None:
        self.starts = indptr[:-1] - indptr[0]
        self.size = np.diff(indptr)

    @cached_property
    def as_int64(self) -> tuple[Array, Array]:
        return self.starts.astype(np.int64), self.size.astype(np.int64)

    def view(self, x: Array) -> Array:
        return x

    def reduce(self, ufunc: np.ufunc, x: Array) -> Array:
        result: Array = ufunc.reduceat(x, self.starts)
        return result

    def halved(self, x: Array) -> Array:
        return x

    def spread(self, p: Array) -> Array:
        return np.repeat(p, self.size)

    def rows(self, w: Array) -> Array:
        return w


class Scattered:
    """Each stored value of a sparse matrix names its group, one of ``d``; for compiled kernels only."""

    def __init__(self, columns: Array, d: int) -> None:
        self.columns, self.d = columns, d


Group = Columns | Rows | Segments
