"""Up to 4 GB on disk: as a memory map, and on two dask workers against dask-ml (Linux).

Run `pip install dask-ml && pytest tests/benchmarks/test_distributed.py`. It writes 4 GB into the temporary folder.
"""

import time
from pathlib import Path

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster

from sknorm import MinMaxNormalizer, Standardizer

from .test_peak_memory import high_water_mark

StandardScaler = pytest.importorskip("dask_ml.preprocessing", reason="needs `pip install dask-ml`").StandardScaler

SIZES = [500_000_000, 1_000_000_000, 2_000_000_000, 4_000_000_000]
N_FEATURES = 32
ROWS = 200_000  # of a block: 51 MB
BOUND = 300_000_000
ROUNDS = 3


class Rows:
    """Rows of a file, read where they are needed: a memory map would travel with all that it holds."""

    ndim = 2
    dtype = np.dtype(np.float64)

    def __init__(self, path, n_samples):
        self.path = path
        self.shape = (n_samples, N_FEATURES)

    def __getitem__(self, index):
        return np.memmap(self.path, self.dtype, "r", shape=self.shape)[index]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("distributed") / "X"
    rng = np.random.default_rng(0)
    whole = np.memmap(path, np.float64, "w+", shape=(SIZES[-1] // (8 * N_FEATURES), N_FEATURES))
    for start in range(0, len(whole), ROWS):
        block = whole[start : start + ROWS]
        block[...] = rng.normal(50, 3, size=block.shape)
    yield path
    path.unlink()


@pytest.fixture(scope="module")
def client():
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        yield client


def rows(path, size):
    return Rows(path, size // (8 * N_FEATURES))


def seconds(fit, X):
    start = time.perf_counter()
    fit(X)
    return time.perf_counter() - start


def resident():
    """The present size of a worker, which becomes its high-water mark."""
    Path("/proc/self/clear_refs").write_text("5")
    return high_water_mark()


def growth(client, fit, X):
    """By how much a fit raises the largest size of a worker: of the worker that grows most."""
    before = client.run(resident)
    fit(X)
    after = client.run(high_water_mark)
    return max(after[worker] - before[worker] for worker in before)


@pytest.mark.parametrize("cls", [MinMaxNormalizer, Standardizer])
def test_time_of_a_memory_map_by_size(cls, path, report):
    for size in SIZES:
        X = rows(path, size)[:]
        took = np.median([seconds(cls().fit, X) for _ in range(ROUNDS)])
        report(f"{took / size * 1e9:6.2f} s per GB: {cls.__name__}.fit, memory map of {size / 1e9:.1f} GB")


def test_time_on_two_workers_by_size(client, path, report):
    for size in SIZES:
        X = da.from_array(rows(path, size), chunks=(ROWS, N_FEATURES))
        rounds = [(seconds(Standardizer().fit, X), seconds(StandardScaler().fit, X)) for _ in range(ROUNDS)]
        ours, theirs = np.transpose(rounds)
        report(
            f"{np.median(theirs / ours):6.2f} times as fast as dask-ml (aim 3): Standardizer.fit, {size / 1e9:.1f} GB "
            f"on two workers, {np.median(ours) / size * 1e9:.2f} s and {np.median(theirs) / size * 1e9:.2f} s per GB"
        )


def test_memory_of_the_workers(client, path, report):
    X = da.from_array(rows(path, SIZES[-1]), chunks=(ROWS, N_FEATURES))
    for cls in (StandardScaler, Standardizer):
        cls().fit(X[:ROWS])  # what is imported or started on first use does not count
        found = growth(client, cls().fit, X)
        report(f"{found / 1e6:6.0f} MB more in the larger worker: fit of {cls.__module__.partition('.')[0]}, 4 GB")
    assert found < BOUND
