"""What the benchmarks found, printed at the end of the run: `pytest tests/benchmarks`."""

import time

import numpy as np
import pytest

FINDINGS = []


@pytest.fixture
def report():
    """Add a line to the findings."""
    return FINDINGS.append


@pytest.fixture
def ratio(benchmark):
    """Return a function that times `ours` and `theirs` in turn, and gives the median of theirs / ours.

    In turn, pair by pair: the speed of a machine drifts, and the two of a pair drift together.
    """

    def measure(ours, theirs, rounds=9):
        theirs_took = []

        def setup():
            start = time.perf_counter()
            theirs()
            theirs_took.append(time.perf_counter() - start)

        benchmark.pedantic(ours, setup=setup, rounds=rounds, warmup_rounds=1)
        return float(np.median(np.array(theirs_took[-rounds:]) / benchmark.stats.stats.data))

    return measure


def pytest_terminal_summary(terminalreporter):
    if FINDINGS:
        terminalreporter.section("findings")
        for line in FINDINGS:
            terminalreporter.write_line(line)
