"""Speed as ratios, in one table: `pytest tests/benchmarks/test_speed.py`, some of its rows with `-k "fit and not NaN"`.

Ours, the peers and the bare copy or read run in turn, round by round: the speed of a machine drifts, and what stands in
one round drifts together. `SKNORM_BACKEND=portable` measures the kernels that need no compiler.
"""

import contextlib
import io
import os
import platform
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

import sknorm

from .works import WORKS

THREADS = [2, 1]
ROUNDS = range(5, 15)  # as many as take
SECONDS = 3  # or the fewest
COLUMNS = "| {:<49} | {:<18} | {:>5} | {:>9} | {:>12} | {:>8} | {:>12} |"


def cpu():
    with contextlib.suppress(OSError):  # only Linux names it here
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


@pytest.fixture(scope="module", autouse=True)
def heading(report):
    """What the table was measured with, and its first lines."""
    with contextlib.redirect_stdout(io.StringIO()) as config:
        sknorm.show_config()
    report(f"{cpu()}, {os.cpu_count()} cores; Python {platform.python_version()}, NumPy {version('numpy')}")
    report(config.getvalue())
    report("")
    report("Peers: their time over ours. Limit: ours over a bare copy of the same bytes (of a bare read in fit).")
    report("A copy times 1.25 is what is asked of a transform.")
    report("")
    report(COLUMNS.format("work", "peer", "asked", "2 threads", "over limit", "1 thread", "over limit"))
    report("|---|---|--:|--:|--:|--:|--:|")


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result  # the result outlives the clock: to free it is not the work


def times_in_turn(calls):
    """Seconds, a row for each round."""
    times, began = [], time.perf_counter()
    while len(times) < ROUNDS.start or (len(times) < ROUNDS.stop and time.perf_counter() - began < SECONDS):
        times.append([timed(call)[0] for call in calls])
    return np.array(times).T


def measure(work, n_threads, monkeypatch):
    """Return the medians of each peer's time over ours, and of ours over the limit's."""
    monkeypatch.setenv("SKNORM_NUM_THREADS", str(n_threads))
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(n_threads)
    with ThreadPoolExecutor(n_threads) as pool:
        calls = [work.ours, *(peer.call for peer in work.peers)]
        if work.limit:
            calls.append(lambda: work.limit(lambda function, *parts: list(pool.map(function, *parts))))
        ours, *others = times_in_turn(calls)
    limit = f"{np.median(ours / others.pop()):.2f}" if work.limit else "-"
    return [f"{np.median(theirs / ours):.2f}" for theirs in others], limit


def beginning(result):
    return np.asarray(result)[:1000]


@pytest.mark.parametrize("name", WORKS)
def test_speed(name, monkeypatch, report):
    work = WORKS[name]()
    if not work.peers:
        report(f"{name} is left out: torch is not installed")
        pytest.skip("torch is not installed")
    for peer in work.peers:  # who is faster at something else is not faster; and whatever starts on first use, starts
        np.testing.assert_allclose(beginning(work.ours()), beginning(peer.call()), rtol=1e-4, atol=1e-4)
    found = [measure(work, n_threads, monkeypatch) for n_threads in THREADS]
    for i, peer in enumerate(work.peers):
        cells = [cell for ratios, limit in found for cell in (ratios[i], limit)]
        report(COLUMNS.format(name, str(peer), peer.asked, *cells))
