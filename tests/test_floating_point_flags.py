"""Overflow, underflow and NaN on the way are ours: whatever np.seterr asks for, no call raises or warns of them."""

import numpy as np
import pytest
import scipy.sparse as sp

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer, diagnose

rng = np.random.default_rng(0)
NORMAL = rng.normal(size=(40, 4))
DATA = {
    "tiny": np.ldexp(NORMAL, -1060),
    "huge": np.ldexp(NORMAL, 1020),
    "of all sizes": NORMAL * [1e-310, 1e-200, 1e200, 1e300],
    "with NaN": np.where(NORMAL > 1, np.nan, NORMAL),
    "all NaN": np.full((4, 4), np.nan),
    "constant": np.full((4, 4), 1e-320),
    "float32": (NORMAL * [1e-40, 1e-30, 1e30, 5e37]).astype(np.float32),
    "float16": (NORMAL * [1e-7, 1e-5, 1, 1e4]).astype(np.float16),
    "int64": (NORMAL * 2**61).astype(np.int64),
    "longdouble": np.ldexp(NORMAL.astype(np.longdouble), -1000),
}
each_data = pytest.mark.parametrize("X", DATA.values(), ids=DATA)


@each_data
@pytest.mark.parametrize(
    "norm",
    [
        MinMaxNormalizer(clip=True, per_feature=False),
        MinMaxNormalizer(feature_range=(0, 1e-5), dtype="float64"),
        MinMaxNormalizer(in_range=(0, 1e-320), dtype="float16"),
        Standardizer(with_mean=False, ddof=1),
        Standardizer(mean=1e300, std=1e-300),
        Standardizer(dtype="float32"),
    ],
    ids=repr,
)
def test_no_flag_of_the_dataset_transformers_is_seen(X, norm):
    forms = [X]
    if X.dtype not in (np.float16, np.longdouble) and not (isinstance(norm, Standardizer) and norm.with_mean):
        kept = np.abs(X)
        kept[0] = 0
        forms += [sp.csr_array(kept), sp.csc_array(kept)]
    for power in (None, -1060, 1000):
        weights = None if power is None else np.ldexp(np.linspace(0.5, 1, len(X)), power)
        for data in forms:
            with np.errstate(all="raise"):
                norm.fit(data, sample_weight=weights).partial_fit(data[::-1], sample_weight=weights)
                both = norm.merge(norm)
                both.transform(data), both.inverse_transform(data)
                for name in ("mean_", "var_", "scale_", "data_range_", "min_"):
                    getattr(both, name, None)


@each_data
@pytest.mark.parametrize("other", DATA.values(), ids=DATA)
@pytest.mark.parametrize("cls", [MinMaxNormalizer, Standardizer])
def test_no_flag_of_merging_data_of_different_sizes_is_seen(X, other, cls):
    with np.errstate(all="raise"):
        both = cls(per_feature=False).fit(X).merge(cls(per_feature=False).fit(other))
        both.select([0]), both.transform(X)


@each_data
@pytest.mark.parametrize(
    "norm",
    [
        RowLayerNorm(eps=1e-300),
        RowLayerNorm(eps=0, gamma=np.full(4, 1e300), beta=np.full(4, -1e300)),
        RowLayerNorm(dtype="float16"),
        RowRMSNorm(eps=0, gamma=np.full(4, 1e-300)),
        RowRMSNorm(dtype="float32"),
        RowSoftmax(temperature=1e-300),
        RowSoftmax(temperature=1e300, dtype="float16"),
    ],
    ids=repr,
)
def test_no_flag_of_the_row_norms_is_seen(X, norm):
    with np.errstate(all="raise"):
        norm.inverse_transform(norm.fit_transform(X), row_stats=norm.row_statistics(X))


@each_data
def test_no_flag_of_a_diagnosis_is_seen(X):
    with np.errstate(all="raise"):
        assert "RowSoftmax" in str(diagnose(X))
