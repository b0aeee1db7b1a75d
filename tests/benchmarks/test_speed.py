"""Speed against scikit-learn and against a plain copy, as ratios: `pytest tests/benchmarks/test_speed.py`."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

PAIRS = [(Standardizer, StandardScaler), (MinMaxNormalizer, MinMaxScaler)]
CALLS = 200  # of one row, which takes microseconds, in a round


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(50, 3, (1_000_000, 32))


@pytest.mark.parametrize("ours, theirs", PAIRS)
def test_fit(ours, theirs, X, ratio, report):
    times = ratio(lambda: ours().fit(X), lambda: theirs().fit(X))
    report(f"{times:6.2f} times as fast as scikit-learn (aim 3): {ours.__name__}.fit, 1e6 x 32")


@pytest.mark.parametrize("ours, theirs", PAIRS)
def test_transform(ours, theirs, X, ratio, report):
    ours, theirs = ours().fit(X), theirs().fit(X)
    times = ratio(lambda: ours.transform(X), lambda: theirs.transform(X))
    report(f"{times:6.2f} times as fast as scikit-learn (aim 1.3): {type(ours).__name__}.transform, 1e6 x 32")


@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame])
@pytest.mark.parametrize("ours, theirs", PAIRS)
def test_transform_of_one_row(ours, theirs, container, ratio, report):
    X = container(np.random.default_rng(0).normal(size=(100, 10)))
    if container is pd.DataFrame:
        X.columns = [f"feature {i}" for i in range(10)]
    ours, theirs, row = ours().fit(X), theirs().fit(X), X[:1]

    def repeat(fitted):
        for _ in range(CALLS):
            fitted.transform(row)

    times = ratio(lambda: repeat(ours), lambda: repeat(theirs))
    call = f"{type(ours).__name__}.transform, 1 x 10 {type(X).__name__}"
    report(f"{times:6.2f} times as fast as scikit-learn (aim 2): {call}")


@pytest.mark.parametrize("shape", [(4096, 7168), (100_000, 768), (4_000_000, 8)])
@pytest.mark.parametrize("cls", [RowLayerNorm, RowRMSNorm, RowSoftmax])
def test_row_norms_against_a_copy(cls, shape, ratio, report):
    X = np.random.default_rng(0).standard_normal(shape, np.float32)
    norm = cls().fit(X)
    times = 1 / ratio(lambda: norm.transform(X), X.copy, rounds=5)
    report(f"{times:6.2f} times as long as X.copy(): {cls.__name__}.transform, {shape} float32")
