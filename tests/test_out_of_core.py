"""Data that need not be in memory: the programs of the README, and parts that were fitted in other processes."""

import pickle
import re
import subprocess
import sys
from functools import reduce
from itertools import permutations
from pathlib import Path

import dask
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sknorm import Standardizer

from .test_exactness_statistics import assert_same_statistics

README = (Path(__file__).parent.parent / "README.md").read_text()
SECTION = re.search(r"^## When the data outgrow the machine\n(.*?)^## ", README, re.MULTILINE | re.DOTALL)[1]
ON_DISK, IN_FILES, IN_PARTS, ON_DASK = re.findall(r"^```python\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)
FIT_ELSEWHERE = """
import pathlib, pickle, sys
import numpy as np
from sknorm import Standardizer

X = np.load("measurements.npy", mmap_mode="r")
for i in map(int, sys.argv[1:]):
    part = Standardizer().fit(X[100 * i : 100 * (i + 1)])
    pathlib.Path("parts", f"{i}.pickle").write_bytes(pickle.dumps(part))
"""

rng = np.random.default_rng(9)
FRAME = pd.DataFrame(rng.normal(1e4, 3, size=(300, 3)), columns=["mass", "speed", "heat"])
FRAME.iloc[100:200, 1] = np.nan  # a part without a value
FRAME["heat"] = 0.1


@pytest.fixture
def _measurements(tmp_path, monkeypatch):
    """The files of which the README speaks, in the current folder."""
    monkeypatch.chdir(tmp_path)
    np.save("measurements.npy", FRAME.to_numpy())
    FRAME.to_csv("measurements.csv", index=False)
    pq.write_table(pa.Table.from_pandas(FRAME), "measurements.parquet", row_group_size=64)
    Path("parts").mkdir()


def run(program):
    """Its names afterwards; with batches so small that there are several."""
    assert program
    names = {"Standardizer": Standardizer}
    exec(program.replace("100_000", "70"), names)
    return names


@pytest.mark.usefixtures("_measurements")
def test_a_memory_map_is_fitted_and_transformed_into_a_file():
    names = run(ON_DISK)
    assert isinstance(names["X"], np.memmap)
    want = Standardizer().fit(FRAME.to_numpy())
    assert_same_statistics(names["scaler"], want)
    np.testing.assert_array_equal(np.load("scaled.npy"), want.transform(FRAME.to_numpy()))


@pytest.mark.usefixtures("_measurements")
def test_files_are_fitted_and_transformed_in_pieces(capsys):
    names = run(IN_FILES)
    assert names["file"].num_row_groups == 5
    want = Standardizer().fit(FRAME)
    assert_same_statistics(names["scaler"], want)
    np.testing.assert_allclose(pd.read_csv("scaled.csv"), want.transform(FRAME), rtol=0, atol=1e-12)
    assert "5/5" in capsys.readouterr().err  # the progress of the last loop


@pytest.mark.usefixtures("_measurements")
def test_parts_fitted_in_two_processes_are_merged_in_any_order():
    for parts in ("01", "2"):
        subprocess.run([sys.executable, "-W", "error", "-c", FIT_ELSEWHERE, *parts], check=True)
    want = Standardizer().fit(FRAME.to_numpy())
    parts = [pickle.loads(path.read_bytes()) for path in Path("parts").iterdir()]
    assert len(parts) == 3
    for fitted in [run(IN_PARTS)["scaler"], *(reduce(Standardizer.merge, order) for order in permutations(parts))]:
        assert_same_statistics(fitted, want)
        np.testing.assert_array_equal(fitted.statistics_.minimum.hi, want.statistics_.minimum.hi)


@pytest.mark.usefixtures("_measurements")
def test_a_dask_frame_is_fitted_and_written_lazily(capsys):
    with dask.config.set(scheduler="synchronous"):
        names = run(ON_DASK)
    want = Standardizer().fit(FRAME).set_output(transform="pandas")
    assert_same_statistics(names["scaler"], want)
    pd.testing.assert_frame_equal(pd.read_parquet("scaled"), want.transform(FRAME), rtol=1e-13)
    assert "100% Completed" in capsys.readouterr().out
