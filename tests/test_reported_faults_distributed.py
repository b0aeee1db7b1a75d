"""Faults reported in other packages, as tests of their kind: shards, blocks and lazy arrays.

Each test names the public issues; the input that was reported stands among others of its kind.
"""

from functools import reduce
from itertools import permutations

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

CLASSES = [MinMaxNormalizer, Standardizer, RowLayerNorm, RowRMSNorm, RowSoftmax]


@pytest.mark.parametrize(
    "shards, mean, variance",
    [
        ([[0, 1], [2, 5, 9]], 3.4, 10.64),
        ([[0, 1], [2, 5, 9], [3.4]], 3.4, 53.2 / 6),
        ([[1e12 + 1], [1e12 - 1, 1e12 + 3], [1e12 + 1]], 1e12 + 1, 2.0),
        ([[7.3], [7.3, 7.3]], 7.3, 0.0),
    ],
)
def test_scalers_fitted_on_shards_merge_into_the_one_fitted_on_all(shards, mean, variance):
    """IBM/lale#934 and #995, NCAR/bridgescaler#27, scikit-learn-intelex#2307: there was no way to merge."""
    fitted = [Standardizer().fit(np.reshape(shard, (-1, 1))) for shard in shards]
    for order in permutations(fitted):
        merged = reduce(Standardizer.merge, order)
        np.testing.assert_allclose(merged.mean_, mean, rtol=1e-15)
        np.testing.assert_allclose(merged.var_, variance, rtol=1e-15)
        assert merged.n_samples_seen_ == sum(map(len, shards))


@pytest.mark.parametrize("chunks", [1000, 100, (999, 1), (1, 333, 666)])
@pytest.mark.parametrize("value", [0.1, 7.3, -1 / 3, 0.0, 1e15 / 7, 1e-320, 1e308])
@pytest.mark.parametrize("cls", [MinMaxNormalizer, Standardizer])
def test_a_constant_feature_in_many_blocks_gives_exact_zeros(cls, value, chunks):
    """dask/dask-ml#9 and #979: a thousand times 0.1 in chunks of 100 came out as 0.447 everywhere."""
    lazy = da.full((1000, 1), value, chunks=(chunks, 1))
    with dask.config.set(scheduler="synchronous"):
        fitted = cls().fit(lazy)
        np.testing.assert_array_equal(fitted.transform(lazy), np.zeros((1000, 1)))
        assert fitted.constant_features_.all()


@pytest.mark.parametrize("cls", CLASSES)
def test_lazy_data_stay_lazy(cls):
    """scikit-learn#11308 (review note), scverse/scanpy#2491: a lazy array was pulled into memory without a word."""
    for lazy in (da.from_array(np.eye(4), chunks=2), dd.from_pandas(pd.DataFrame(np.eye(4)), npartitions=2)):
        norm = cls().fit(lazy)
        Y = norm.transform(lazy)
        assert type(Y) is type(lazy)
        np.testing.assert_array_equal(Y.compute(scheduler="synchronous"), cls().fit_transform(np.eye(4)))
