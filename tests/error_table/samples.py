"""What the row norms alone refuse: the way back without statistics, and their names."""

import numpy as np
import pandas as pd
import scipy.sparse as sp

from sknorm import RowLayerNorm, RowRMSNorm, RowSoftmax
from sknorm._validation import SparseInputError

from .row import Row, X

STATISTICS = RowRMSNorm().row_statistics(X)

ROWS = [
    Row(
        lambda: RowRMSNorm().inverse_transform(X),
        ValueError,
        "Expected the row statistics of RowRMSNorm, which transform does not keep, got none. Use keep_stats=True, "
        "which appends them to the output, or pass row_stats=norm.row_statistics(X).",
    ),
    Row(
        lambda: RowLayerNorm(keep_stats=True).inverse_transform(X),
        ValueError,
        "Expected features followed by the columns row_mean, row_scale, got shape (2, 2). Pass what transform "
        "returned.",
    ),
    Row(
        lambda: RowLayerNorm(keep_stats=True).fit(X).inverse_transform(X),
        ValueError,
        "X has 2 features, but RowLayerNorm is expecting 4 features as input. They end with row_mean and row_scale, "
        "which transform appended: pass row_stats= for data without.",
        words="scikit-learn",
    ),
    Row(
        lambda: RowRMSNorm(gamma=[1.0, 0.0]).inverse_transform(X, row_stats=STATISTICS),
        ValueError,
        "Expected gamma without zeros for inverse_transform, got zeros at positions [1]. The features there cannot "
        "be recovered: set their gamma, or leave them out.",
    ),
    Row(
        lambda: RowLayerNorm(gamma=[1.0, 0.0]).inverse_transform(X, row_stats=RowLayerNorm().row_statistics(X)),
        ValueError,
        "Expected gamma without zeros for inverse_transform, got zeros at positions [1]. The features there cannot "
        "be recovered: set their gamma, or leave them out.",
    ),
    Row(
        lambda: RowRMSNorm().inverse_transform(X, row_stats=3),
        ValueError,
        "Expected row_stats to be (row_rms,), each of shape (2,), got int. Pass what row_statistics(X) returned for "
        "these samples.",
    ),
    Row(
        lambda: RowRMSNorm().inverse_transform(X, row_stats=(np.ones(3),)),
        ValueError,
        "Expected row_stats to be (row_rms,), each of shape (2,), got arrays of shapes [(3,)]. Pass what "
        "row_statistics(X) returned for these samples.",
    ),
    Row(
        lambda: RowRMSNorm().inverse_transform(X, row_stats=(["a", "b"],)),
        ValueError,
        "Expected row_stats to be (row_rms,), each of shape (2,), got tuple. Pass what row_statistics(X) returned "
        "for these samples.",
    ),
    Row(
        lambda: RowRMSNorm().inverse_transform(X, row_stats=(np.array([1.0, {}], dtype=object),)),
        ValueError,
        "Expected row_stats to be (row_rms,), each of shape (2,), got tuple. Pass what row_statistics(X) returned "
        "for these samples.",
    ),
    Row(
        lambda: RowRMSNorm().inverse_transform(X, row_stats=sp.csr_array([[1.0, 1.0]])),
        ValueError,
        "Expected row_stats to be (row_rms,), each of shape (2,), got csr_array. Pass what row_statistics(X) "
        "returned for these samples.",
    ),
    Row(
        lambda: RowRMSNorm().inverse_transform(X, row_stats=(np.array([1.0, 0.0]),)),
        ValueError,
        "Expected a divisor row_rms above 0, got 0.0. Pass what row_statistics(X) returned.",
    ),
    Row(
        lambda: RowSoftmax().inverse_transform([[1.5, -0.5]], row_stats=(np.zeros(1),)),
        ValueError,
        "Expected finite probabilities of at least 0, got -0.5. Pass what transform returned.",
    ),
    Row(
        lambda: RowRMSNorm(keep_stats=True).fit(pd.DataFrame({"a": [1.0], "row_rms": [2.0]})),
        ValueError,
        "Expected no feature called 'row_rms' with keep_stats=True, got columns ['a', 'row_rms']. Rename the "
        "feature, or use keep_stats=False.",
    ),
    Row(
        lambda: RowRMSNorm(keep_stats=True).inverse_transform(sp.csr_array(np.ones((2, 3)))),
        SparseInputError,
        "Expected dense data for RowRMSNorm, got a sparse matrix. Use keep_stats=False, and row_statistics(X) for "
        "the inverse.",
    ),
    Row(
        lambda: RowLayerNorm().fit([[1.0], [2.0]]),
        UserWarning,
        "Expected samples of several features for RowLayerNorm, got samples of one feature, each its own mean: "
        "every output is 0 (or beta), whatever the input. Put the features of a sample on the last axis.",
    ),
]
