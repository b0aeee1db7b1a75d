"""dask collections."""

import dask
import dask.array as da
import dask.bag as db
import dask.dataframe as dd
import numpy as np
import pandas as pd
import scipy.sparse as sp

from sknorm import RowRMSNorm, Standardizer
from sknorm.plotting import NormalizationDisplay

from .row import ENDLESS, Row, X

ARRAY = da.from_array(np.arange(8.0).reshape(4, 2), chunks=(2, 2))
FRAME = dd.from_pandas(pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, np.inf]}), npartitions=2)
FITTED = Standardizer().fit(X)


def made_of(block, meta):
    return da.from_array(X, chunks=(1, 2)).map_blocks(lambda _: block, dtype=float, meta=meta)


def of_partitions(*frames):
    return dd.from_map(lambda i: frames[i], range(len(frames)), meta=frames[0].iloc[:0], enforce_metadata=False)


def weights_by_sample():
    return dd.from_pandas(pd.DataFrame({"a": [1.0, 2.0, 3.0]}), npartitions=3)["a"]


ROWS = [
    Row(
        lambda: Standardizer().fit(ARRAY[:, 0]),
        ValueError,
        "Expected 2D array, got 1D array instead, of shape (4,). Reshape your data: X.reshape(-1, 1) for one "
        "feature, X.reshape(1, -1) for one sample.",
    ),
    Row(
        lambda: Standardizer().fit(FRAME["a"]),
        ValueError,
        "Expected 2D array or DataFrame, got 1D dask Series. Pass X.to_frame() if it is one feature, "
        "X.compute().to_frame().T if it is one sample.",
    ),
    Row(
        lambda: Standardizer().fit(FRAME.index),
        ValueError,
        "Expected 2D array or DataFrame, got 1D dask Index. Pass X.to_frame() if it is one feature, "
        "X.compute().to_frame().T if it is one sample.",
    ),
    Row(
        lambda: Standardizer().fit(db.from_sequence([1, 2])),
        TypeError,
        "Expected a dask Array or DataFrame, got dask Bag. Make one of it, or call .compute() on it first.",
    ),
    Row(
        lambda: Standardizer().fit(ARRAY[:, ARRAY[0] > 0]),
        ValueError,
        "Expected a known number of features, got a dask Array of shape (4, nan). Call X.compute_chunk_sizes() first.",
    ),
    Row(
        lambda: Standardizer().fit(ARRAY[:0]),
        ValueError,
        "Found array with 0 sample(s) (shape=(0, 2)) while a minimum of 1 is required. Pass data to fit.",
        words="scikit-learn",
    ),
    Row(
        lambda: RowRMSNorm().fit(ARRAY[:0]),
        ValueError,
        "Found array with 0 sample(s) (shape=(0, 2)) while a minimum of 1 is required. Pass data to fit.",
        words="scikit-learn",
    ),
    Row(
        lambda: NormalizationDisplay.from_estimator(Standardizer().fit(X), ARRAY),
        TypeError,
        "Expected data in memory, got a lazy Array. Call .compute() on it, if it fits in memory.",
    ),
    Row(
        lambda: Standardizer().fit(da.from_array(ENDLESS, chunks=(1, 1))),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 1. Replace it, or mark it as missing with NaN: X = "
        "np.where(np.isinf(X), np.nan, X). In block (0, 1) of the dask Array.",
    ),
    Row(
        lambda: Standardizer().fit(FRAME),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 'b'. Replace it, or mark it as missing with NaN: X "
        "= X.replace([np.inf, -np.inf], np.nan). In partition 1 of the dask DataFrame.",
    ),
    Row(
        lambda: Standardizer().fit(FRAME.assign(b=FRAME["b"].astype("string"))),
        ValueError,
        "Expected numbers in column 'b', got dtype string. Encode categories, or convert numbers that are written as "
        "text: column.astype(float).",
    ),
    Row(
        lambda: FITTED.transform(da.from_array(ENDLESS, chunks=(1, 2))).compute(),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 1. Replace it, or mark it as missing with NaN: X = "
        "np.where(np.isinf(X), np.nan, X). In block (0, 0) of the dask Array.",
    ),
    Row(
        lambda: RowRMSNorm().transform(FRAME).compute(),
        ValueError,
        "Expected finite numbers or NaN, got infinity in sample 0. Replace it, or mark it as missing with NaN: X = "
        "X.replace([np.inf, -np.inf], np.nan). In partition 1 of the dask DataFrame.",
    ),
    Row(
        lambda: FITTED.set_output(transform="default").transform(made_of(np.ones((1, 3)), np.empty((0, 0)))).compute(),
        ValueError,
        "Expected 2 features in every block, got 3. Correct what the collection was made of, or the meta it was "
        "given. In block (1, 0) of the dask Array.",
    ),
    Row(
        lambda: Standardizer().fit(made_of(sp.csr_array(X[:1]), np.empty((0, 0)))),
        ValueError,
        "Expected blocks like ndarray, got csr_array. Correct what the collection was made of, or the meta it was "
        "given. In block (1, 0) of the dask Array.",
    ),
    Row(
        lambda: Standardizer().fit(of_partitions(pd.DataFrame({"a": [1.0]}), pd.DataFrame({"b": [1.0]}))),
        ValueError,
        "Expected the columns ['a'] in every partition, got ['b']. Correct what the collection was made of, or the "
        "meta it was given. In partition 1 of the dask DataFrame.",
    ),
    Row(
        lambda: Standardizer().set_output(transform="pandas").fit(ARRAY).transform(ARRAY),
        ValueError,
        "Expected the default output for dask collections, got set_output(transform='pandas') and a dask Array. "
        'Use set_output(transform="default"): a dask DataFrame gives a dask DataFrame in any case.',
    ),
    Row(
        lambda: Standardizer().fit(ARRAY, sample_weight=[1, 2]),
        ValueError,
        "Expected sample_weight of shape (4,), one per sample, got shape (2,). Pass those of the samples of X.",
    ),
    Row(
        lambda: Standardizer().fit(FRAME, sample_weight=weights_by_sample()),
        ValueError,
        "Expected sample_weight in the (2,) blocks of X, whose lengths are not known, got Series of (3,) blocks. "
        "Take both from one collection, or call .compute_chunk_sizes() on the dask Arrays.",
    ),
    Row(
        lambda: Standardizer().fit(ARRAY, sample_weight=0),
        ValueError,
        "Expected some sample_weight above zero, got zero for every sample. Give one sample or more a weight above "
        "zero.",
    ),
    Row(
        lambda: Standardizer().fit(ARRAY, sample_weight=da.zeros(4)),
        ValueError,
        "Expected some sample_weight above zero, got zero for every sample. Give one sample or more a weight above "
        "zero.",
    ),
    Row(
        lambda: RowRMSNorm().inverse_transform(ARRAY, row_stats=(np.ones(3),)),
        ValueError,
        "Expected row_stats of shape (4,), one per sample, got shape (3,). Pass those of the samples of X.",
    ),
    Row(
        lambda: RowRMSNorm().inverse_transform(ARRAY, row_stats=3),
        ValueError,
        "Expected row_stats to be (row_rms,), each of shape (4,), got arrays of shapes [()]. Pass what "
        "row_statistics(X) returned for these samples.",
    ),
    Row(
        lambda: dask.compute(RowRMSNorm(gamma=[1, 0]).inverse_transform(ARRAY, row_stats=(np.ones(4),))),
        ValueError,
        "Expected gamma without zeros for inverse_transform, got zeros at positions [1]. The features there cannot "
        "be recovered: set their gamma, or leave them out.",
    ),
]
