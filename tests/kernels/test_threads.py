"""As many threads as the environment allows, and results in their order whatever that is."""

import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier, Event, current_thread
from time import sleep
from weakref import ref

import dask
import numpy as np
import pytest
from joblib import Parallel, delayed, parallel_config
from joblib.parallel import ThreadingBackend

from sknorm._kernels import in_order, per_thread, thread_count
from sknorm._kernels._blocks import _pool

# How many threads


@pytest.fixture
def environment(monkeypatch):
    for name in ("SKNORM_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch.setenv


@pytest.mark.parametrize("name", ["SKNORM_NUM_THREADS", "OMP_NUM_THREADS"])
@pytest.mark.parametrize("text, threads", [("1", 1), ("3", 3), (" 5 ", 5), ("0", 1), ("-2", 1), ("many", 1)])
def test_the_environment_says_how_many_threads_and_nonsense_means_one(environment, name, text, threads):
    environment(name, text)
    assert thread_count() == threads


@pytest.mark.parametrize("name", ["SKNORM_NUM_THREADS", "OMP_NUM_THREADS"])
@pytest.mark.parametrize("text", ["", " "])
def test_an_empty_variable_says_nothing(environment, name, text):
    allowed = thread_count()
    environment("OMP_NUM_THREADS", str(allowed + 1))
    environment(name, text)
    assert thread_count() == allowed + (name == "SKNORM_NUM_THREADS")


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


def test_nothing_of_the_work_is_kept_while_a_thread_is_busy_elsewhere(environment):
    environment("SKNORM_NUM_THREADS", "2")
    go_on, data = Event(), frozenset({1, 2})
    gone = ref(data)
    busy = _pool(1).submit(go_on.wait, 20)
    assert list(in_order(data.__contains__, range(3), parallel=True)) == [False, True, True]
    del data
    assert gone() is None
    go_on.set()
    assert busy.result()
