"""F1, the compiled kernels behind the signatures of the portable ones; None where a block is not for them.

Not for them are weights, infinities, values whose squares leave float64, integers beyond 2**53, types wider than
float64, foreign byte orders: rare things, which the portable kernels do, or refuse.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from .._precision import SAFE_EXPONENT, Array
from ._affine import AffineMap
from ._blocks import SMALL_BLOCK, Block, in_order, rectangles
from ._groups import Columns, Group, Rows, Scattered, Segments
from ._portable_rows import layer_norm as portable_layer_norm
from ._portable_rows import rms_norm as portable_rms_norm
from ._portable_rows import softmax as portable_softmax

BLOCK = 2**21  # values, at most: the hand-over from thread to thread costs little beside it
SMALLEST_BLOCK = 2**17  # below this it costs more than another thread brings
TILE = 2**11  # features of one block
WIDEST = 2**16  # features of a sample that stays in the cache
LARGEST = 2.0**SAFE_EXPONENT
TYPES = frozenset("?bBhHiIlLqQefd")
LIMITS = {c: (float(np.iinfo(c).min), float(np.iinfo(c).max)) for c in "bBhHiIlLqQ"}

native: ModuleType | None = None
why_not = "SKNORM_BACKEND=portable is set" if os.environ.get("SKNORM_BACKEND", "").strip().lower() == "portable" else ""
if not why_not:
    try:
        native = import_module("._native", __package__)
    except ImportError as error:
        why_not = f"no C compiler was found at the install, or the file is broken: reinstall with one ({error})"
        if (Path(__file__).parent / "_native.pyx").exists():
            why_not = f"this is a source tree that no C compiler was run in: leave it, or pip install -e . ({error})"


def serves(*arrays: Array) -> bool:
    """Whether compiled kernels are for arrays like these."""
    return native is not None and all(x.dtype.char in TYPES and x.dtype.isnative for x in arrays)


def block_size(n_values: int) -> int:
    """Values of one block, of so many in all."""
    return min(BLOCK, max(SMALLEST_BLOCK, n_values // 16))


class Found:
    """What a compiled kernel found in blocks: the attributes of `BlockSums`, in one table that can be merged."""

    from_minimum = False

    def __init__(self, n_features: int) -> None:
        self.table = np.zeros((8, n_features))
        self.table[1], self.table[2] = np.inf, -np.inf

    def absorb(self, other: Found, features: slice) -> None:
        """Become what was found in both, the other after this and for some of the features."""
        assert native is not None
        native.merge(self.table[:, features], other.table)

    @property
    def count(self) -> Array:
        count: Array = self.table[0].astype(np.int64)
        return count

    @property
    def minimum(self) -> Array:
        return np.where(self.table[0] > 0, self.table[1], np.nan)

    @property
    def maximum(self) -> Array:
        return np.where(self.table[0] > 0, self.table[2], np.nan)

    @property
    def total(self) -> tuple[Array, Array]:
        return self.table[3], self.table[4]

    @property
    def center(self) -> tuple[Array, Array]:
        return self.table[5], np.zeros(self.table.shape[1])

    @property
    def m2(self) -> Array:
        m2: Array = self.table[6] + self.table[7]
        return m2


def column_extrema(group: Group, block: Array, weights: Array | None) -> Found | None:
    return _sums(group, block, weights, moments=False)


def column_sums(group: Group, block: Array, weights: Array | None) -> Found | None:
    return _sums(group, block, weights, moments=True)


def _sums(group: Group | Scattered, block: Array, weights: Array | None, moments: bool) -> Found | None:
    if native is None or weights is not None or isinstance(group, Rows) or not serves(block):
        return None
    if isinstance(group, Scattered):
        found = Found(group.d)
        done = native.stored_sums(block, group.columns, moments, found.table)
    elif isinstance(group, Segments):
        found = Found(len(group.size))
        done = native.segment_sums(block, *group.as_int64, moments, found.table)
    else:
        found = Found(group.d)
        done = native.column_sums(block, moments, found.table)
    return found if done else None


def summarise(kernel: Callable[..., Found | None], X: Array) -> Found | None:
    """What ``column_extrema`` or ``column_sums`` finds in all of X (..., n_features), if all of it is for them."""
    if not serves(X):
        return None
    size = block_size(X.size) if X.ndim == 2 else SMALL_BLOCK  # blocks of others may be copies

    def on(rectangle: tuple[Block, slice]) -> tuple[Found | None, slice]:
        block, features = rectangle
        piece = block.of(X)[:, features]
        return kernel(Columns(piece), piece, None), features

    whole = Found(X.shape[-1])
    for found, features in in_order(on, rectangles(X, size, TILE), X.size > size, compiled=True):
        if found is None:
            return None
        whole.absorb(found, features)
    return whole


def summarise_stored(kernel: Callable[..., Found | None], X: Any) -> Found | None:
    """The same of the stored values of a CSR container."""
    if not serves(X.data):
        return None
    d = X.shape[1]
    stored = range(
        0, len(X.data), max(block_size(len(X.data)), 16 * d)
    )  # merging takes as long as some values of each column

    def on(start: int) -> Found | None:
        piece = slice(start, start + stored.step)
        return kernel(Scattered(X.indices[piece], d), X.data[piece], None)

    whole = Found(d)
    for found in in_order(on, stored, len(stored) > 1, compiled=True):
        if found is None:
            return None
        whole.absorb(found, slice(None))
    return whole


def affine(group: Group, block: Array, out: Array, f: AffineMap) -> bool | None:
    """None with some of the image in ``out`` perhaps."""
    if native is None or f.table is None or not isinstance(group, Columns) or not _maps(block, out):
        return None
    return native.affine(block, out, f.table, f.shifted, _bounds(out, f)) or None


def affine_stored(block: Array, columns: Array, out: Array, f: AffineMap) -> bool | None:
    """The same for stored values of a sparse matrix, each of its own column."""
    if native is None or f.table is None or not _maps(block, out):
        return None
    return native.affine_stored(block, columns, out, f.table, f.shifted, _bounds(out, f)) or None


def _maps(block: Array, out: Array) -> bool:
    return serves(block, out) and out.dtype.kind != "b"


def _bounds(out: Array, f: AffineMap) -> Any:
    """Between which values the image is clipped."""
    return f.bounds if out.dtype.kind == "f" else LIMITS.get(out.dtype.char)


def layer_norm(
    group: Group, block: Array, out: Array | None, eps: float, gamma: Any, beta: Any, precise: bool
) -> tuple[Array, ...] | None:
    def portable(group: Group, x: Array, y: Array | None, values: Any) -> tuple[Array, ...]:
        return portable_layer_norm(group, x, y, eps, gamma, beta, precise)

    found = _rows(_LAYER, portable, group, block, out, precise, eps, 1.0, gamma, beta, None)
    return None if found is None else (found[0], found[1])


def rms_norm(
    group: Group, block: Array, out: Array | None, eps: float, gamma: Any, precise: bool, size: int | None = None
) -> tuple[Array, ...] | None:
    def portable(group: Group, x: Array, y: Array | None, values: Any) -> tuple[Array, ...]:
        factor = gamma if gamma is None or not isinstance(group, Segments) else gamma[values]
        (rms,) = portable_rms_norm(group, x, y, eps, factor, precise, size)
        return rms, rms

    found = _rows(_RMS, portable, group, block, out, precise, eps, 1.0, gamma, None, size)
    return None if found is None else (found[1],)


def softmax(group: Group, block: Array, out: Array | None, temperature: float) -> tuple[Array, ...] | None:
    def portable(group: Group, x: Array, y: Array | None, values: Any) -> tuple[Array, ...]:
        (logsumexp,) = portable_softmax(group, x, y, temperature)
        return logsumexp, logsumexp

    precise = out is None or out.dtype == np.float64
    found = _rows(_SOFTMAX, portable, group, block, out, precise, 0.0, temperature, None, None, None)
    return None if found is None else (found[0],)


_LAYER, _RMS, _SOFTMAX = range(3)


def _rows(
    kind: int,
    portable: Callable[..., tuple[Any, ...]],
    group: Group,
    block: Array,
    out: Array | None,
    precise: bool,
    eps: float,
    temperature: float,
    gamma: Any,
    beta: Any,
    size: int | None,
) -> Array | None:
    if native is None or not serves(block if out is None else out, block) or eps >= LARGEST**2:
        return None
    if isinstance(group, Segments):
        n, d, segments = len(group.size), block.shape[0], group.as_int64
    elif isinstance(group, Rows):
        n, d, segments = group.n, group.d, None
    else:
        return None
    if d > WIDEST or not (_is_ordinary(gamma) and _is_ordinary(beta)):
        return None
    found, declined = np.empty((2, n)), np.zeros(n, dtype=np.uint8)
    factor = np.ones(d) if gamma is None else np.ascontiguousarray(gamma, dtype=np.float64)
    offset = np.zeros(d) if beta is None else np.ascontiguousarray(beta, dtype=np.float64)
    count = float(d if size is None else size)
    numbers = precise, eps, temperature, count, gamma is not None or beta is not None
    if not native.rows(kind, block, out, *numbers, factor, offset, found, declined, segments):
        return None
    samples = np.flatnonzero(declined)
    each = max(1, SMALL_BLOCK * n // max(1, block.size))
    for i in range(0, len(samples), each):
        _some(portable, samples[i : i + each], group, block, out, found)
    return found


def _some(
    portable: Callable[..., tuple[Any, ...]],
    samples: Array,
    group: Group,
    block: Array,
    out: Array | None,
    found: Array,
) -> None:
    """Samples that compiled kernels declined, by the portable ones; what is said of a sample depends on it alone."""
    if isinstance(group, Segments):
        sizes = group.size[samples]
        ends = np.append(0, np.cumsum(sizes))
        values = np.arange(ends[-1]) + np.repeat(group.starts[samples] - ends[:-1], sizes)
        alone: Group = Segments(ends)
    else:
        values = samples
        alone = Rows(block[samples])
    image = None if out is None else np.empty(block[values].shape, dtype=out.dtype)
    found[:, samples] = portable(alone, np.ascontiguousarray(block[values]), image, values)
    if out is not None:
        out[values] = image


def _is_ordinary(vector: Any) -> bool:
    """Whether products with it stay within float64."""
    return vector is None or float(np.max(np.abs(vector))) < LARGEST
