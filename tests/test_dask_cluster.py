"""On two worker processes: the result is right also where one of them is killed in the middle."""

import os
import signal
import sys
from pathlib import Path

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster, wait

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer
from sknorm._kernels import thread_count

from .test_exactness_statistics import assert_same_statistics

DATASET = [MinMaxNormalizer, Standardizer]
ROWS = [RowLayerNorm, RowRMSNorm, RowSoftmax]
dataset_classes = pytest.mark.parametrize("cls", DATASET)

X = np.random.default_rng(8).normal(1e6, 2, size=(240, 6))
X[:60, 1] = np.nan
X[:, 2] = 0.1


@pytest.fixture(scope="module", autouse=True)
def client(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        # for the functions here that run on workers, and last, so that sknorm is still the one installed
        patch.setattr(sys, "path", [*sys.path, str(Path(__file__).parent.parent)])
        yield from started(tmp_path_factory)


def started(tmp_path_factory):
    settings = {"dashboard_address": ":0", "silence_logs": 50, "local_directory": tmp_path_factory.mktemp("workers")}
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, **settings)
    with cluster, Client(cluster) as client:
        yield client


def deadly(block, folder):
    """Kill the first process that comes to its third block: it has summaries by then, which are lost with it."""
    process = os.getpid()
    seen = len(list(folder.glob(f"{process} *")))
    (folder / f"{process} {seen}").touch()
    if seen == 2:
        try:
            (folder / "killed").touch(exist_ok=False)
        except FileExistsError:
            return block
        os.kill(process, signal.SIGKILL)
    return block


def test_a_worker_killed_in_the_middle_of_a_fit_changes_nothing(tmp_path):
    lazy = da.from_array(X, chunks=(10, 3)).map_blocks(deadly, tmp_path, meta=X[:0])
    fitted, local = Standardizer().fit(lazy), Standardizer().fit(X)
    assert (tmp_path / "killed").exists()
    assert_same_statistics(fitted, local)
    np.testing.assert_array_equal(fitted.statistics_.minimum.hi, local.statistics_.minimum.hi)
    np.testing.assert_array_equal(fitted.statistics_.maximum.hi, local.statistics_.maximum.hi)


@pytest.mark.parametrize("cls", DATASET + ROWS)
def test_processes_compute_what_numpy_does(cls):
    norm = cls()
    for lazy in (
        da.from_array(X, chunks=(50, 4)),
        dd.from_pandas(pd.DataFrame(X, columns=list("abcdef")), npartitions=3),
    ):
        got, want = norm.fit_transform(lazy).compute(), cls().fit_transform(X)
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-13)


def test_an_error_on_a_worker_is_our_own_and_leaves_the_estimator_as_it_was():
    data = X.copy()
    data[200, 4] = np.inf
    norm = Standardizer().fit(X)
    before = dict(vars(norm))
    for method in (norm.fit, norm.partial_fit):
        with pytest.raises(ValueError, match=r"^Expected finite numbers or NaN, got infinity in feature 4\.") as error:
            method(da.from_array(data, chunks=(60, 2)))
        assert error.value.__notes__ == ["In block (3, 2) of the dask Array."]
    assert vars(norm) == before


def test_a_task_gets_one_thread_of_the_kernels(client):
    def threads_there():
        os.environ.pop("OMP_NUM_THREADS", None)  # which is 1 in the processes that dask starts
        return thread_count()

    assert client.submit(threads_there).result() == 1


@dataset_classes
def test_between_the_workers_go_summaries_and_no_data(cls, client):
    def sent():
        return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())

    client.wait_for_workers(2)
    data = da.random.default_rng(0).normal(size=(200_000, 8), chunks=(25_000, 8)).persist()
    wait(data)
    before = sent()
    cls().fit(data)
    assert 0 < sent() - before < 8 * 5000
