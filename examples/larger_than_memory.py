"""
Data larger than memory
=======================

A data set that need not fit in memory, fitted in pieces and on a cluster of two processes: both agree.

Run it with ``python examples/larger_than_memory.py``, or with a number of megabytes behind (300 if there is none).
Needs ``pip install ".[dask,examples]"``.
"""

import sys
import tempfile
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
from dask.distributed import Client, LocalCluster
from sklearn.datasets import load_digits
from tqdm import tqdm

from sknorm import Standardizer

N_FILES = 8
ROWS_OF_A_GROUP = 20_000


def show(what, figure):
    print(f"  {what:<64} {figure:>24}")


# %%
# Files of handwritten digits
# ---------------------------


def write_digits(folder, megabytes):
    """Scans of handwritten digits, each at an exposure and with a noise of its own."""
    digits = load_digits(as_frame=True).data
    rng = np.random.default_rng(0)
    rows_of_a_file = max(1, round(megabytes * 1e6 / (N_FILES * digits.shape[1] * 8)))
    for i in tqdm(range(N_FILES), desc="writing", disable=None):
        with pq.ParquetWriter(folder / f"{i}.parquet", pa.Schema.from_pandas(digits), use_dictionary=False) as file:
            for start in range(0, rows_of_a_file, ROWS_OF_A_GROUP):
                n = min(ROWS_OF_A_GROUP, rows_of_a_file - start)
                scans = digits.to_numpy()[rng.integers(len(digits), size=n)]
                scans = scans * rng.uniform(0.5, 2, size=(n, 1)) + rng.normal(0, 0.1, size=scans.shape)
                file.write_table(pa.Table.from_pandas(pd.DataFrame(scans, columns=digits.columns)))
    show("size of the files", f"{sum(path.stat().st_size for path in folder.iterdir()) / 1e6:.0f} MB")
    show("rows, columns", f"{N_FILES * rows_of_a_file}, {digits.shape[1]}")


# %%
# One row group at a time
# -----------------------


def row_groups(folder):
    """One frame for each row group of each file."""
    for path in tqdm(sorted(folder.iterdir()), desc="reading", disable=None):
        file = pq.ParquetFile(path)
        for i in range(file.num_row_groups):
            yield file.read_row_group(i).to_pandas()


def fit_in_pieces(folder):
    scaler, scaled = Standardizer(), Standardizer()
    memory = [psutil.Process().memory_info().rss]
    for batch in row_groups(folder):
        scaler.partial_fit(batch)
        memory.append(psutil.Process().memory_info().rss)
    for batch in row_groups(folder):
        scaled.partial_fit(scaler.transform(batch))  # to see that it is standardized, without keeping it
    show("values seen of each feature", f"{scaler.n_samples_seen_}")
    show_standardized(scaler, scaled)
    show("memory of this process before and at most", f"{memory[0] / 1e6:.0f} MB, {max(memory) / 1e6:.0f} MB")
    return scaler


# %%
# On two worker processes
# -----------------------


def fit_on_a_cluster(folder):
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster):
        frame = dd.read_parquet(folder)
        scaler = Standardizer().fit(frame)
        scaled = scaler.transform(frame)
        show("partitions", f"{scaled.npartitions}")
        show("transformed", f"a lazy {type(scaled).__name__}")
        show_standardized(scaler, Standardizer().fit(scaled))
    return scaler


def show_standardized(scaler, scaled):
    varies = ~scaler.constant_features_
    show("largest |mean| of a scaled feature", f"{np.abs(scaled.mean_).max():.1e}")
    show("largest |variance - 1| of a scaled feature", f"{np.abs(scaled.var_[varies] - 1).max():.1e}")


# %%
# Both agree
# ----------
#
# The worker processes import this file, so what runs stands behind a guard.


def main(megabytes=300):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("1. Parquet files of handwritten digits")
        write_digits(folder, float(megabytes))
        print("\n2. One row group at a time")
        pieces = fit_in_pieces(folder)
        print("\n3. On two worker processes")
        cluster = fit_on_a_cluster(folder)
    print("\n4. Both")
    show("largest difference of a mean, in standard deviations", f"{difference(pieces, cluster, 'mean_'):.1e}")
    show("largest difference of a standard deviation, relative", f"{difference(pieces, cluster, 'scale_'):.1e}")


def difference(one, other, name):
    return np.max(np.abs(getattr(one, name) - getattr(other, name)) / one.scale_)


if __name__ == "__main__":
    main(*sys.argv[1:])
