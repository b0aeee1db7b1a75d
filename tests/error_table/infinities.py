"""Infinities in arrays and sparse matrices; those in frames and collections stand with these."""

import numpy as np
import scipy.sparse as sp

from sknorm import MinMaxNormalizer, RowLayerNorm, RowSoftmax, Standardizer

from .row import ENDLESS, Row, X

ROWS = [
    Row(
        lambda: Standardizer().fit(ENDLESS),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 1. Replace it, or mark it as missing with NaN: X = "
        "np.where(np.isinf(X), np.nan, X).",
    ),
    Row(
        lambda: Standardizer().fit(ENDLESS, sample_weight=[1, 2]),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 1. Replace it, or mark it as missing with NaN: X = "
        "np.where(np.isinf(X), np.nan, X).",
    ),
    Row(
        lambda: Standardizer().fit([[1.0, None], [np.inf, 2.0]]),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 0. Replace it, or mark it as missing with NaN: X = "
        "np.where(np.isin(X, [np.inf, -np.inf]), np.nan, X).",
    ),
    Row(
        lambda: Standardizer().fit(np.ma.array(ENDLESS, mask=X == 3)),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 1. Replace it, or mark it as missing with NaN: X = "
        "np.ma.masked_where(np.isinf(X), X).",
    ),
    Row(
        lambda: MinMaxNormalizer().fit(X).transform(ENDLESS),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 1. Replace it, or mark it as missing with NaN: X = "
        "np.where(np.isinf(X), np.nan, X).",
    ),
    Row(
        lambda: MinMaxNormalizer(copy=False).fit(X).transform(ENDLESS.copy()),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 1. Replace it, or mark it as missing with NaN: X = "
        "np.where(np.isinf(X), np.nan, X).",
    ),
    Row(
        lambda: RowLayerNorm().transform(ENDLESS),
        ValueError,
        "Expected finite numbers or NaN, got infinity in sample 0. Replace it, or mark it as missing with NaN: X = "
        "np.where(np.isinf(X), np.nan, X).",
    ),
    Row(
        lambda: RowLayerNorm(copy=False).transform(ENDLESS.copy()),
        ValueError,
        "Expected finite numbers or NaN, got infinity in sample 0. Replace it, or mark it as missing with NaN: X = "
        "np.where(np.isinf(X), np.nan, X).",
    ),
    Row(
        lambda: RowLayerNorm().row_statistics([[X[0], ENDLESS[0]]]),
        ValueError,
        "Expected finite numbers or NaN, got infinity in sample (0, 1). Replace it, or mark it as missing with NaN: "
        "X = np.where(np.isinf(X), np.nan, X).",
    ),
    Row(
        lambda: RowSoftmax().transform(ENDLESS),
        ValueError,
        "Expected finite numbers or NaN, got infinity in sample 0. Replace it, or mark it as missing with NaN: X = "
        "np.where(np.isposinf(X), np.nan, X).",
    ),
    Row(
        lambda: RowSoftmax(copy=False).transform(ENDLESS.copy()),
        ValueError,
        "Expected finite numbers or NaN, got infinity in sample 0. Replace it, or mark it as missing with NaN: X = "
        "np.where(np.isposinf(X), np.nan, X).",
    ),
    Row(
        lambda: Standardizer(with_mean=False).fit(sp.csr_array([[0.0, np.inf], [2.0, 0.0]])),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 1. Replace it, or mark it as missing with NaN: "
        "X.data[np.isinf(X.data)] = np.nan.",
    ),
    Row(
        lambda: Standardizer(with_mean=False).fit(sp.lil_array([[0.0, np.inf], [2.0, 0.0]])),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 1. Replace it, or mark it as missing with NaN: X = "
        "X.tocsr(); X.data[np.isinf(X.data)] = np.nan.",
    ),
]
