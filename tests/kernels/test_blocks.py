"""Blocks hold every sample once, in order, and threads change neither the results nor their order."""

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import count, permutations
from math import prod
from threading import Barrier, Event, current_thread
from time import sleep

import dask
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from joblib import Parallel, delayed, parallel_config
from joblib.parallel import ThreadingBackend

from sknorm._kernels import (
    TILE,
    Block,
    flattened,
    in_order,
    per_thread,
    rectangles,
    row_blocks,
    thread_count,
    tiles,
    tiles_of,
)
from sknorm._kernels._blocks import _pool

shapes = st.lists(st.integers(0, 6), min_size=1, max_size=4).flatmap(
    lambda leading: st.integers(1, 7).map(lambda d: (*leading, d))
)


# Blocks


@given(shapes, st.integers(1, 300), st.none() | st.integers(1, 9))
@example((3, 0, 2), 5, None)
@example((2, 3, 4, 5), 1, 2)
def test_every_sample_is_in_one_block_and_they_follow_each_other(shape, size, width):
    X = np.arange(prod(shape)).reshape(shape)
    samples = X.reshape(prod(shape[:-1]), shape[-1])
    blocks = list(row_blocks(shape, size, width))
    assert [b.start for b in blocks[1:]] == [b.stop for b in blocks[:-1]]
    assert sum(b.stop - b.start for b in blocks) == len(samples)
    for block in blocks:
        np.testing.assert_array_equal(block.of(X), samples[block.start : block.stop])


@given(shapes, st.integers(1, 300), st.none() | st.integers(1, 9))
@example((6, 7), 9, 2)
@example((6, 2), 9, 7)
def test_a_block_is_no_larger_than_asked_unless_it_is_one_sample_and_not_needlessly_small(shape, size, width):
    width = min(shape[-1], width or shape[-1])
    blocks = [b for b in row_blocks(shape, size, width) if b.stop > b.start]
    for block in blocks:
        n = block.stop - block.start
        assert n == 1 or n * width <= size
    if len(shape) == 2:
        assert all(width * (b.stop - b.start + 1) > size for b in blocks[:-1])


@pytest.mark.parametrize("size, n_blocks", [(11, 8), (12, 4), (23, 4), (24, 2), (1000, 1)])
def test_images_are_not_cut_where_a_block_holds_some(size, n_blocks):
    assert len(list(row_blocks((4, 3, 4), size))) == n_blocks


@pytest.mark.parametrize("axes", list(permutations(range(3))))
@pytest.mark.parametrize("size", [1, 8, 1000])
def test_a_block_of_an_array_in_any_memory_order_has_its_samples_in_c_order(axes, size):
    X = np.arange(60).reshape(3, 4, 5).transpose(axes)
    found = [block.of(X) for block in row_blocks(X.shape, size)]
    np.testing.assert_array_equal(np.concatenate(found), X.reshape(-1, X.shape[-1]))


def test_a_block_of_rows_is_a_view():
    X = np.zeros((9, 2))
    assert np.shares_memory(Block((slice(3, 5),), 3, 5).of(X), X)


@given(st.integers(1, 3 * TILE))
@example(TILE)
@example(2 * TILE)
def test_tiles_hold_every_feature_once(n_features):
    found = list(tiles(n_features))
    np.testing.assert_array_equal(np.concatenate([np.arange(n_features)[t] for t in found]), np.arange(n_features))
    assert all(0 < t.stop - t.start <= TILE for t in found)
    assert found[-1].stop == n_features


@pytest.mark.parametrize("n, size, width", [(100, 250, 2), (100, 100, 1), (100, 99, 1), (100, 10_000, 8), (0, 9, 8)])
def test_whole_columns_make_a_block_where_they_are_stretches_of_memory(n, size, width):
    columns = np.zeros((20, n)).T
    for X in (columns, columns[::-1], columns[:, ::-1], columns[::-1, ::-1]):
        assert [t.stop - t.start for t in tiles_of(X, size, 8)][:-1] == [width] * (-(-20 // width) - 1)
    for X in (np.zeros((n, 20)), np.zeros((n, 20))[:, ::-1], np.zeros((20, 3, n)).T):
        assert next(tiles_of(X, size, 8)) == slice(0, 8)


@given(shapes, st.sampled_from("CF"), st.integers(1, 100), st.integers(1, 5))
@example((6, 7), "C", 9, 2)
@example((9, 7), "C", 6, 3)
@example((9, 7), "F", 20, 3)
def test_rectangles_hold_every_value_once_and_no_more_than_asked(shape, order, size, width):
    X, seen = np.zeros(shape, order=order), np.zeros((prod(shape[:-1]), shape[-1]), int)
    for block, features in rectangles(X, size, width):
        seen[block.start : block.stop, features] += 1
        n, w = block.stop - block.start, features.stop - features.start
        assert w <= width
        assert n <= 1 or n * w <= size
        if len(shape) == 2:
            assert block.stop == len(X) or (n + 1) * w > size
    assert (seen == 1).all()


@pytest.mark.parametrize("shape", [(6, 4), (3, 2, 4), (3, 2, 2, 2), (0, 2, 4), (0, 2, 3, 4), (3, 0, 2, 4), (3, 1, 4)])
def test_what_is_contiguous_is_flattened_without_a_copy(shape):
    X, Y = np.zeros(shape), np.zeros((*shape[:-1], 9))
    flat, wider = flattened(X, Y)
    if X.size:
        assert flat.shape == (prod(shape[:-1]), shape[-1])
        assert wider.shape == (prod(shape[:-1]), 9)
    assert np.shares_memory(flat, X) or not X.size


@given(st.permutations(range(4)), st.lists(st.sampled_from([1, -1, 2]), min_size=4, max_size=4))
def test_what_is_flattened_is_a_view_of_the_same_samples_in_the_same_order(axes, steps):
    X = np.arange(4 * 3 * 2 * 5).reshape(4, 3, 2, 5).transpose(axes)[tuple(slice(None, None, s) for s in steps)]
    (flat,) = flattened(X)
    assert np.shares_memory(flat, X)
    np.testing.assert_array_equal(flat.reshape(-1, X.shape[-1]), X.reshape(-1, X.shape[-1]))


def test_axes_that_follow_one_another_are_flattened_and_others_stay():
    X = np.zeros((6, 4, 3, 5))
    assert flattened(X[::2])[0].shape == (3, 12, 5)
    assert flattened(X[:, :, ::2])[0].shape == (24, 2, 5)
    assert flattened(np.moveaxis(np.zeros((5, 4, 3)), 0, -1))[0].shape == (12, 5)
    assert flattened(X[:1, ::3, 0])[0].shape == (2, 5)
    assert flattened(X[:, 1:2, 1:2])[0].shape == (6, 5)
    one, other = flattened(X, np.zeros((6, 3, 4, 5)).swapaxes(1, 2))
    assert one.shape == other.shape == X.shape


# How many threads


@pytest.fixture
def environment(monkeypatch):
    for name in ("SKNORM_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch.setenv


@pytest.mark.parametrize("name", ["SKNORM_NUM_THREADS", "OMP_NUM_THREADS"])
@pytest.mark.parametrize("text, threads", [("1", 1), ("3", 3), (" 5 ", 5), ("0", 1), ("-2", 1), ("many", 1), ("", 1)])
def test_the_environment_says_how_many_threads_and_nonsense_means_one(environment, name, text, threads):
    environment(name, text)
    assert thread_count() == threads


def test_of_a_list_for_nested_regions_the_first_counts(environment):
    environment("OMP_NUM_THREADS", "4,2,1")
    assert thread_count() == 4


def test_the_variable_of_sknorm_wins(environment):
    environment("OMP_NUM_THREADS", "3")
    environment("SKNORM_NUM_THREADS", "2")
    assert thread_count() == 2


def test_without_a_word_all_cores_of_the_process_are_used(environment, monkeypatch):
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {1, 3, 5}, raising=False)
    assert thread_count() == 3


@pytest.mark.parametrize("cores, threads", [(6, 6), (None, 1)])
def test_where_cores_cannot_be_assigned_those_of_the_machine_are_used(environment, monkeypatch, cores, threads):
    monkeypatch.delattr("os.sched_getaffinity", raising=False)
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    assert thread_count() == threads


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_inside_a_worker_of_joblib_there_is_one(environment, monkeypatch, backend):
    environment("OMP_NUM_THREADS", "4")
    monkeypatch.delitem(sys.modules, "dask")  # which would say so too
    inner = {"inner_max_num_threads": 4} if backend == "loky" else {}
    with parallel_config(backend, n_jobs=2, **inner):
        assert Parallel()(delayed(thread_count)() for _ in range(2)) == [1, 1]
    assert thread_count() == 4


def test_inside_a_worker_of_joblib_the_variable_of_sknorm_still_counts(environment):
    environment("SKNORM_NUM_THREADS", "2")
    assert Parallel(n_jobs=2, backend="threading")(delayed(thread_count)() for _ in range(2)) == [2, 2]


@pytest.mark.parametrize("scheduler, threads", [("threads", 1), ("processes", 1), ("synchronous", 4)])
def test_inside_a_worker_of_dask_there_is_one(environment, scheduler, threads):
    environment("OMP_NUM_THREADS", "4")
    assert dask.delayed(thread_count)().compute(scheduler=scheduler, num_workers=1) == threads
    assert thread_count() == 4


def test_a_thread_is_no_worker_of_dask_where_there_is_no_dask(environment, monkeypatch):
    environment("OMP_NUM_THREADS", "4")
    monkeypatch.delitem(sys.modules, "dask")
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(thread_count).result() == 4


def test_a_joblib_loop_without_workers_leaves_the_cores_alone(environment):
    environment("OMP_NUM_THREADS", "4")
    assert Parallel(n_jobs=1)(delayed(thread_count)() for _ in range(2)) == [4, 4]


def test_a_backend_that_does_not_know_how_deep_it_stands_is_no_worker(environment):
    environment("OMP_NUM_THREADS", "4")
    backend = ThreadingBackend()
    with parallel_config(backend, n_jobs=2):
        backend.nesting_level = None
        assert thread_count() == 4


def test_without_joblib_nobody_is_asked(environment, monkeypatch):
    environment("OMP_NUM_THREADS", "4")
    monkeypatch.delitem(sys.modules, "joblib.parallel", raising=False)
    assert thread_count() == 4


@pytest.mark.parametrize("threads, share", [("1", 64), ("3", 21), ("16", 4), ("100", 4)])
def test_threads_share_what_they_may_take_together(environment, threads, share):
    environment("SKNORM_NUM_THREADS", threads)
    assert per_thread(64) == share
    assert per_thread(0) == 1


# Work in order


@pytest.fixture(params=[1, 2])
def threads(request, environment):
    environment("SKNORM_NUM_THREADS", str(request.param))
    return request.param


@pytest.mark.parametrize("parallel", [False, True])
def test_results_come_in_the_order_of_the_items(threads, parallel):
    first_may_end = Event()

    def square(i):
        if i == 0 and parallel and threads == 2:
            assert first_may_end.wait(20)  # the second overtakes the first
        first_may_end.set()
        return i * i

    assert list(in_order(square, range(50), parallel)) == [i * i for i in range(50)]


def test_two_threads_work_at_the_same_time(environment):
    environment("SKNORM_NUM_THREADS", "2")
    both = Barrier(2, timeout=20)
    assert sorted(in_order(lambda _: both.wait(), range(2), parallel=True)) == [0, 1]


def test_more_threads_than_pay_are_never_used(environment):
    environment("SKNORM_NUM_THREADS", "64")
    names = set(in_order(who_works, range(100), parallel=True))
    assert 1 <= len(names) <= 2  # a third would mostly wait for the interpreter lock
    assert _pool(1).submit(who_works).result().startswith("sknorm")


def who_works(*given):
    sleep(1e-3)  # time for the others
    return current_thread().name


def test_compiled_work_takes_as_many_threads_as_there_are(environment):
    environment("SKNORM_NUM_THREADS", "4")
    all_four = Barrier(4, timeout=20)
    assert sorted(in_order(lambda _: all_four.wait(), range(4), parallel=True, compiled=True)) == [0, 1, 2, 3]


def test_threads_are_started_once():
    assert _pool(1) is _pool(1)


@pytest.mark.parametrize("number, parallel", [("1", True), ("2", False)])
def test_one_thread_is_the_one_that_asks(environment, number, parallel):
    environment("SKNORM_NUM_THREADS", number)
    assert set(in_order(who_works, range(20), parallel)) == {current_thread().name}


def test_the_work_has_no_floating_point_warnings_and_the_rest_of_the_program_keeps_its_own(threads):
    with np.errstate(divide="raise"):
        results = in_order(lambda i: np.float64(i) / 0, range(3), parallel=True)
        assert next(results) != next(results)
        with pytest.raises(FloatingPointError):
            np.float64(1) / 0


def test_an_exception_is_passed_on_after_the_results_before_it(threads):
    results = in_order(lambda i: 1 // (3 - i), range(9), parallel=True)
    assert [next(results) for _ in range(3)] == [0, 0, 1]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_items_are_taken_only_a_little_ahead_of_the_results(threads):
    taken = count()
    results = in_order(lambda i: i, (next(taken) for _ in range(10**9)), parallel=True)
    for _ in range(10):
        next(results)
    assert next(taken) <= 10 + 2 * 2


def test_no_thread_waits_for_results_that_nobody_takes(threads):
    results = in_order(lambda i: i, count(), parallel=True)
    next(results)
    assert _pool(1).submit(abs, -1).result(timeout=20) == 1  # behind what the thread was doing
    assert next(results) == 1


def test_what_has_not_begun_when_one_fails_is_cancelled(environment):
    environment("SKNORM_NUM_THREADS", "2")
    go_on, begun = Event(), []

    def work(i):
        begun.append(i)
        if i == 0:
            raise KeyError
        assert go_on.wait(20)

    with pytest.raises(KeyError):
        list(in_order(work, range(100), parallel=True))
    go_on.set()
    assert list(in_order(abs, range(9), parallel=True)) == list(range(9))  # behind what was left in the queue
    assert set(begun) <= {0, 1, 2}
