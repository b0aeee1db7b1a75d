"""F1, how work is cut into blocks of rows and spread over threads.

Where the cuts fall depends on the data's shape alone, and results are taken in the order of the blocks, so the number
of threads never shows in a result.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from math import prod
from multiprocessing import parent_process
from threading import Lock, current_thread, main_thread
from typing import Any, Generic, TypeVar, cast

import numpy as np

from .._precision import Array

T = TypeVar("T")

BLOCK = 3 * 2**16  # values: 1.5 MB of float64; smaller ones cost more in calls than they gain in cache
LARGE_BLOCK = 2**18  # for kernels that need one block as scratch
SMALL_BLOCK = 2**15  # for kernels that need many temporary arrays
TILE = 512  # features of one block: wide enough for a vector loop, narrow enough to keep many rows in a block
# NumPy calls take the interpreter lock in turn, so a third thread would mostly wait; and scratch is per thread
MOST_THREADS = 2
MOST_COMPILED_THREADS = 16  # which a memory bus hardly feeds, and whose scratch is 4 MB together
IN_PLACE = 2**21  # bytes of all blocks in work that are copied before they are written over
NOTED = 2**18  # samples of all blocks in work, of each of which some numbers are kept meanwhile


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


def flattened(*arrays: Array) -> list[Array]:
    """Views of arrays of one shape (..., n_features) with as few axes as their memory allows, again of one shape."""
    for axis in reversed(range(arrays[0].ndim - 2)):
        if all(_follow_one_another(x, axis) for x in arrays):
            arrays = tuple(x.reshape(*x.shape[:axis], -1, *x.shape[axis + 2 :]) for x in arrays)
    return list(arrays)


def _follow_one_another(x: Array, axis: int) -> bool:
    inner = x.shape[axis + 1]
    return bool(x.size) and (x.shape[axis] == 1 or inner == 1 or x.strides[axis] == inner * x.strides[axis + 1])


def row_blocks(shape: tuple[int, ...], size: int, width: int | None = None) -> Iterator[Block]:
    """Cut the leading axes of a shape into blocks of about ``size`` values, ``width`` of each sample at a time."""
    width = min(shape[-1], width or shape[-1])
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


def tiles(n_features: int, width: int = TILE) -> Iterator[slice]:
    """Cut the features."""
    for start in range(0, n_features, width):
        yield slice(start, min(start + width, n_features))


def tiles_of(X: Array, size: int, width: int = TILE) -> Iterator[slice]:
    """Cut the features, into whole columns where these are stretches of memory and no longer than a block."""
    if X.ndim == 2 and X.shape[0] and abs(X.strides[0]) < abs(X.strides[1]):
        width = max(1, min(width, size // X.shape[0]))
    return tiles(X.shape[-1], width)


def rectangles(X: Array, size: int, width: int) -> Iterator[tuple[Block, slice]]:
    """Cut samples and features, so that a block of ``size`` values is one stretch of memory where it can be."""
    for features in tiles_of(X, size, width):
        for block in row_blocks(X.shape, size, features.stop - features.start):
            yield block, features


def thread_count() -> int:
    """Threads in use now: what the environment allows, one in a worker of joblib or dask, else all cores there are."""
    if asked := os.environ.get("SKNORM_NUM_THREADS", "").strip():
        return _positive(asked)
    parallel = sys.modules.get("joblib.parallel")
    if parallel is not None and (parallel.get_active_backend()[0].nesting_level or 0) > 0:
        return 1
    if "dask" in sys.modules and _may_be_a_dask_worker():
        return 1
    if asked := os.environ.get("OMP_NUM_THREADS", "").strip():
        return _positive(asked.split(",")[0])
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def per_thread(total: int) -> int:
    """What each thread of the compiled kernels may take of so much; for cuts that no result depends on."""
    return max(1, total // min(thread_count(), MOST_COMPILED_THREADS))


def _may_be_a_dask_worker() -> bool:
    """Dask runs tasks in threads of its own, or of a pool it was given, or in child processes; no sign tells them."""
    return current_thread() is not main_thread() or parent_process() is not None


def _positive(text: str) -> int:
    return max(1, int(text)) if text.strip().isdecimal() else 1


_pools: dict[int, ThreadPoolExecutor] = {}

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pools.clear)  # the threads of a pool do not survive a fork


def _pool(threads: int) -> ThreadPoolExecutor:
    if threads not in _pools:
        _pools[threads] = ThreadPoolExecutor(threads, thread_name_prefix="sknorm")
    return _pools[threads]


def in_order(function: Callable[..., T], items: Iterable[Any], parallel: bool, compiled: bool = False) -> Iterator[T]:
    """Results of ``function`` over items, in their order, computed by as many threads as there are."""

    def quiet(item: Any) -> T:
        with np.errstate(all="ignore"):
            return function(item)

    threads = min(thread_count(), MOST_COMPILED_THREADS if compiled else MOST_THREADS) if parallel else 1
    if threads == 1:
        yield from map(quiet, items)
        return
    work = _Work(quiet, items, ahead=2 * threads)
    others: list[Future[None]] = []
    try:
        while True:
            others = [other for other in others if not other.done()]
            others += [_pool(threads - 1).submit(work.go_on) for _ in range(threads - 1 - len(others))]
            if not work.step():
                break
            yield from work.ready()
        for other in others:
            if not other.cancel():  # one that has not begun is not needed
                other.result()
        yield from work.ready()
    finally:
        work.stop()
        wait(other for other in others if not other.cancel())
        work.forget()


def over(items: Iterable[Any], function: Callable[[Any], Any], parallel: bool, compiled: bool = False) -> None:
    """The same for a function that returns nothing."""
    for _ in in_order(function, items, parallel, compiled):
        pass


class _Work(Generic[T]):
    """Items that several threads take one by one, the thread that asks for the results among them."""

    def __init__(self, function: Callable[[Any], T], items: Iterable[Any], ahead: int) -> None:
        self._function, self._items, self._ahead = function, enumerate(items), ahead
        self._taken = self._given = 0
        self._stopped = False
        self._results: dict[int, tuple[T | None, BaseException | None]] = {}
        self._lock = Lock()

    def step(self) -> bool:
        """Do one item; False where none is left."""
        with self._lock:
            item = None if self._stopped else next(self._items, None)
            if item is None:
                self.stop()
                return False
            self._taken += 1
        try:
            result: tuple[T | None, BaseException | None] = self._function(item[1]), None
        except BaseException as error:
            result = None, error
            self.stop()
        self._results[item[0]] = result
        return True

    def go_on(self) -> None:
        """Do what there is to do, a little ahead of what is asked for; no thread ever waits for that."""
        while self._taken < self._given + self._ahead and self.step():
            pass

    def ready(self) -> Iterator[T]:
        """The results that follow those already given, as far as they are there."""
        while self._given in self._results:
            result, error = self._results.pop(self._given)
            if error is not None:
                raise error
            self._given += 1
            yield cast(T, result)

    def stop(self) -> None:
        """Take no more items."""
        self._stopped = True

    def forget(self) -> None:
        """Let go of the data, which a call that was cancelled would keep for as long as it stands in the queue."""
        del self._function, self._items
