"""Peak memory of whole processes on 800 MB of data: `pytest tests/benchmarks/test_peak_memory.py` (Linux).

Each measurement is a process of its own, which builds its data in pieces, and reads by how much a call raises
the kernel's high-water mark of resident memory. tests/test_memory.py holds the same bound on smaller data.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import sknorm

SIZE = 800_000_000
N_FEATURES = 20
BOUND = 8_000_000
DATASET = ["MinMaxNormalizer", "Standardizer"]
ROWS = ["RowLayerNorm", "RowRMSNorm", "RowSoftmax"]
KINDS = ["float64", "float32", "uint8", "Fortran order", "NaN", "weights", "read-only", "memory map"]


def data(kind, folder):
    """800 MB of values from 0 to 250, and fit's other arguments."""
    dtype = np.dtype(kind if kind in ("float32", "uint8") else np.float64)
    shape = (SIZE // dtype.itemsize // N_FEATURES, N_FEATURES)
    if kind == "memory map":
        X = np.memmap(Path(folder) / "X", dtype, "w+", shape=shape)
    else:
        X = np.empty(shape, dtype, "F" if kind == "Fortran order" else "C")
    pattern = np.random.default_rng(0).integers(0, 251, (1000, N_FEATURES)).astype(dtype)
    if kind == "NaN":
        pattern[::7, ::3] = np.nan
    for start in range(0, len(X), 1000):
        X[start : start + 1000] = pattern
    X.flags.writeable = kind != "read-only"
    weights = {"sample_weight": np.resize([0.0, 1.0, 2.0, 3.0], len(X))} if kind == "weights" else {}
    return X, weights


def high_water_mark():
    """The largest resident size of this process since the mark was reset, in bytes."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) * 1024


def growth(function, *args, **kwargs):
    """Return the result, and by how many bytes the call raised the mark above the size before it."""
    Path("/proc/self/clear_refs").write_text("5")  # resets the mark to the present size
    before = high_water_mark()
    result = function(*args, **kwargs)
    return result, high_water_mark() - before


def measure(kind, name):
    """Print the growth of fit, and that of transform beside its output."""
    cls = getattr(sknorm, name)
    cls().fit(np.eye(100)).transform(np.eye(100))  # what is imported or started on first use does not count
    with tempfile.TemporaryDirectory() as folder:
        X, weights = data(kind, folder)
        norm, fit = growth(cls().fit, X, **weights)
        out, transform = growth(norm.transform, X)
        print(fit, transform - out.nbytes)


@pytest.mark.parametrize("kind, name", [(k, n) for k in KINDS for n in (DATASET if k == "weights" else DATASET + ROWS)])
def test_peak_memory_of_800_megabytes(kind, name, report):
    command = [sys.executable, __file__, kind, name]
    output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout
    fit, transform = (int(figure) for figure in output.split())
    report(f"{fit / 1e6:6.1f} MB in fit, {transform / 1e6:6.1f} MB in transform: {name}, {kind}")
    assert max(fit, transform) < BOUND


if __name__ == "__main__":
    measure(*sys.argv[1:])
