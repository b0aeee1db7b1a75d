"""F1, how work is cut into blocks of rows and spread over threads.

Where the cuts fall depends on the data's shape alone, and results are taken in the order of the blocks, so the number
of threads never shows in a result.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from math import prod
from multiprocessing import parent_process
from typing import Any, TypeVar

import numpy as np

from .._precision import Array

T = TypeVar("T")

BLOCK = 3 * 2**16  # values: 1.5 MB of float64; smaller ones cost more in calls than they gain in cache
LARGE_BLOCK = 2**18  # for kernels that need one block as scratch
SMALL_BLOCK = 2**15  # for kernels that need many temporary arrays
TILE = 512  # features of one block: wide enough for a vector loop, narrow enough to keep many rows in a block
# NumPy calls take the interpreter lock in turn, so a third thread would mostly wait; and scratch is per thread
MOST_THREADS = 2


@dataclass(frozen=True)
class Block:
    """A piece of an array: ``index`` into its leading axes, and the samples it holds in C order."""

    index: tuple[int | slice, ...]
    start: int
    stop: int

    def of(self, X: Array) -> Array:
        """The piece as a 2-D array (n_samples, n_features)."""
        piece = X[self.index]
        return piece if piece.ndim == 2 else piece.reshape(-1, X.shape[-1])


def flattened(X: Array) -> Array:
    """``(..., n_features)`` as 2-D where that is a view."""
    return X.reshape(-1, X.shape[-1]) if X.ndim > 2 and X.flags.c_contiguous else X


def row_blocks(shape: tuple[int, ...], size: int, width: int | None = None) -> Iterator[Block]:
    """Cut the leading axes of a shape into blocks of about ``size`` values, ``width`` of each sample at a time."""
    width = max(1, min(shape[-1], width or shape[-1]))
    samples_each = prod(shape[1:-1])
    n = max(1, size // max(1, samples_each * width))
    if len(shape) == 2 or samples_each * width <= size:
        for start in range(0, shape[0], n):
            stop = min(start + n, shape[0])
            yield Block((slice(start, stop),), start * samples_each, stop * samples_each)
    else:
        for i in range(shape[0]):
            for inner in row_blocks(shape[1:], size, width):
                first = i * samples_each
                yield Block((i, *inner.index), first + inner.start, first + inner.stop)


def tiles(n_features: int) -> Iterator[slice]:
    """Cut the features."""
    for start in range(0, n_features, TILE):
        yield slice(start, min(start + TILE, n_features))


def thread_count() -> int:
    """Threads in use now: what the environment allows, one in a worker of joblib or dask, else all cores there are."""
    if "SKNORM_NUM_THREADS" in os.environ:
        return _positive(os.environ["SKNORM_NUM_THREADS"])
    parallel = sys.modules.get("joblib.parallel")
    if parallel is not None and (parallel.get_active_backend()[0].nesting_level or 0) > 0:
        return 1
    if "dask" in sys.modules and _may_be_a_dask_worker():
        return 1
    if "OMP_NUM_THREADS" in os.environ:
        return _positive(os.environ["OMP_NUM_THREADS"].split(",")[0])
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _may_be_a_dask_worker() -> bool:
    """Dask runs tasks in threads of its own, or of a pool it was given, or in child processes; no sign tells them."""
    return threading.current_thread() is not threading.main_thread() or parent_process() is not None


def _positive(text: str) -> int:
    return max(1, int(text)) if text.strip().isdigit() else 1


_pool: ThreadPoolExecutor | None = None


def _forget_pool() -> None:
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)  # the threads of a pool do not survive a fork


def in_order(function: Callable[..., T], items: Iterable[Any], parallel: bool) -> Iterator[T]:
    """Results of ``function`` over items, in their order, computed by as many threads as there are."""

    def quiet(item: Any) -> T:
        with np.errstate(all="ignore"):
            return function(item)

    threads = min(thread_count(), MOST_THREADS) if parallel else 1
    if threads == 1:
        yield from map(quiet, items)
        return
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="sknorm")
    waiting: deque[Future[T]] = deque()
    try:
        for item in items:
            waiting.append(_pool.submit(quiet, item))
            if len(waiting) > 2 * threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
