"""Parameters of the constructors, and arguments that are no data."""

import numpy as np
import pandas as pd
from sklearn.exceptions import NotFittedError

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer, show_config
from sknorm.checkpoint import load_norm

from .row import Row, X

NAMED = pd.DataFrame(X, columns=["a", "b"])
CHANNELS_FIRST = np.ones((2, 3, 4, 5))

ROWS = [
    # all five
    Row(
        lambda: Standardizer(dtype="int32").fit(X),
        ValueError,
        "Expected dtype to be None, float16, float32 or float64, got 'int32'. Pass one of these.",
    ),
    Row(
        lambda: RowSoftmax(dtype="text").fit(X),
        ValueError,
        "Expected dtype to be None, float16, float32 or float64, got 'text'. Pass one of these.",
    ),
    Row(
        lambda: MinMaxNormalizer(copy=1).fit(X),
        ValueError,
        "Expected copy to be True or False, got 1. Pass a bool.",
    ),
    Row(
        lambda: RowRMSNorm(keep_stats="yes").transform(X),
        ValueError,
        "Expected keep_stats to be True or False, got 'yes'. Pass a bool.",
    ),
    Row(
        lambda: Standardizer().fit(X).transform(X, copy="no"),
        ValueError,
        "Expected copy to be True or False, got 'no'. Pass a bool.",
    ),
    Row(
        lambda: show_config("json"),
        ValueError,
        "Expected mode 'stdout' or 'dict', got 'json'. Pass mode='dict', or leave it out to print.",
    ),
    # of features
    Row(
        lambda: MinMaxNormalizer(inverse_dtype="complex64").fit(X),
        ValueError,
        'Expected inverse_dtype to be None, "input" or a real dtype, got \'complex64\'. Pass "input" to get the '
        "dtype of fit.",
    ),
    Row(
        lambda: MinMaxNormalizer(feature_range=(0, np.inf)).fit(X),
        ValueError,
        "Expected feature_range to be two finite numbers (low, high), got (0, inf). Pass (0, 1), say.",
    ),
    Row(
        lambda: MinMaxNormalizer(feature_range=(1, 0)).fit(X),
        ValueError,
        "Expected feature_range with low < high in float64, got (1, 0). The minimum of the range must be below its "
        "maximum.",
    ),
    Row(
        lambda: MinMaxNormalizer(feature_range=(1, 1.0001), dtype="float16").fit(X),
        ValueError,
        "Expected feature_range with low < high in float16, got (1, 1.0001). The minimum of the range must be "
        "below its maximum.",
    ),
    Row(
        lambda: MinMaxNormalizer(in_range="dtype").fit(X),
        ValueError,
        "Expected in_range to be None, (low, high), or \"dtype\" with integer data, got 'dtype' with data of dtype "
        "float64. Give the limits as a pair, in_range=(0, 1) say, or fit on integers.",
    ),
    Row(
        lambda: MinMaxNormalizer(in_range=5).fit(X),
        ValueError,
        'Expected in_range to be None, (low, high) or "dtype", got 5. Pass two numbers or two arrays.',
    ),
    Row(
        lambda: MinMaxNormalizer(in_range=(255, 0)).fit(X),
        ValueError,
        "Expected in_range with low < high, got (255, 0). The minimum must be below the maximum.",
    ),
    Row(
        lambda: MinMaxNormalizer(in_range=([0, 0, 0], 255)).fit(X),
        ValueError,
        "Expected each limit of in_range to be a number or 2 numbers, one per feature, got int64 of shape (3,). "
        "Pass one number, or one for each feature in their order.",
    ),
    Row(
        lambda: MinMaxNormalizer(in_range=(0, np.nan)).fit(X),
        ValueError,
        "Expected each limit of in_range to be finite, got nan. Correct it, or leave it out.",
    ),
    Row(
        lambda: MinMaxNormalizer(in_range="dtype").fit(np.eye(2, dtype="uint8")).partial_fit(np.eye(2, dtype="int8")),
        ValueError,
        'Expected data of dtype uint8, as before, got dtype int8. in_range="dtype" needs data of one type: convert '
        "it, or give the limits as a pair.",
    ),
    Row(
        lambda: Standardizer(ddof=-1).fit(X),
        ValueError,
        "Expected ddof to be an integer of at least 0, got -1. Pass 0 (population) or 1 (sample).",
    ),
    Row(
        lambda: Standardizer(mean=["a", "b"]).fit(X),
        ValueError,
        "Expected mean to be a number or 2 numbers, one per feature, got ['a', 'b']. Pass one number, or one for "
        "each feature in their order.",
    ),
    Row(
        lambda: Standardizer(mean="imagenet").fit(X),
        ValueError,
        "Expected mean to be a number or 2 numbers, one per feature, got 'imagenet'. Pass one number, or one for each "
        "feature in their order.",
    ),
    Row(
        lambda: Standardizer(mean=[0.5, 0.4, 0.3]).fit(CHANNELS_FIRST),
        ValueError,
        "Expected mean to be a number or 5 numbers, one per feature, got float64 of shape (3,). The features are "
        "the last axis: move axis 1 there, np.moveaxis(X, 1, -1).",
    ),
    Row(
        lambda: MinMaxNormalizer(in_range=(0, [1, 2, 3])).fit(CHANNELS_FIRST[0]),
        ValueError,
        "Expected each limit of in_range to be a number or 5 numbers, one per feature, got int64 of shape (3,). The "
        "features are the last axis: move axis 0 there, np.moveaxis(X, 0, -1).",
    ),
    Row(
        lambda: Standardizer(std=[1.0, -1.0]).fit(X),
        ValueError,
        "Expected std to be finite and not negative, got -1.0 at position 1. Correct it, or leave it out.",
    ),
    # of fitted attributes, which are no parameters
    Row(
        lambda: Standardizer().mean_,
        AttributeError,
        "Expected a fitted Standardizer to ask for mean_, got none. Call fit first.",
    ),
    Row(
        lambda: setattr(Standardizer().fit(X), "mean_", 0.5),
        AttributeError,
        "Expected mean_ to be left to fit, got 0.5. Pass what is known as a parameter, Standardizer(mean=..., "
        "std=...), then fit.",
    ),
    Row(
        lambda: setattr(MinMaxNormalizer(), "data_max_", [255]),
        AttributeError,
        "Expected data_max_ to be left to fit, got [255]. Pass what is known as a parameter, "
        "MinMaxNormalizer(in_range=...), then fit.",
    ),
    # of samples
    Row(
        lambda: RowLayerNorm(eps=-1e-5).fit(X),
        ValueError,
        "Expected eps to be a finite number of at least 0, got -1e-05. Pass such a number, or leave it out for the "
        "default.",
    ),
    Row(
        lambda: RowSoftmax(temperature=0).fit(X),
        ValueError,
        "Expected temperature to be a finite number above 0, got 0. Pass such a number, or leave it out for the "
        "default.",
    ),
    Row(
        lambda: Standardizer(std=NAMED.std()[["b", "a"]]).fit(NAMED),
        ValueError,
        "Expected std in the order of the features ['a', 'b'], got a Series of ['b', 'a']. Bring it in that order, "
        "series[X.columns].",
    ),
    Row(
        lambda: RowLayerNorm(gamma=[1.0, 2.0, 3.0]).fit(X),
        ValueError,
        "Expected gamma to be 2 finite numbers, one per feature, got float64 of shape (3,). Pass X with 3 features "
        "on its last axis, or gamma of shape (2,).",
    ),
    Row(
        lambda: RowLayerNorm(gamma=np.ones(3)).transform(CHANNELS_FIRST),
        ValueError,
        "Expected gamma to be 5 finite numbers, one per feature, got float64 of shape (3,). The features are the "
        "last axis: move axis 1 there, np.moveaxis(X, 1, -1).",
    ),
    Row(
        lambda: RowLayerNorm(beta=[1.0, np.nan]).fit(X),
        ValueError,
        "Expected beta to be 2 finite numbers, one per feature, got nan at position 1. Correct it, or pass None.",
    ),
    Row(
        lambda: RowRMSNorm(gamma=["a", "b"]).fit(X),
        ValueError,
        "Expected gamma to be 2 finite numbers, one per feature, got ['a', 'b']. Pass gamma of shape (2,), or None.",
    ),
    Row(
        lambda: load_norm({"norm.weight": np.ones(2)}, "norm", kind="rmsnorm", eps="small"),
        ValueError,
        "Expected eps to be a finite number of at least 0, got 'small'. Pass such a number, or leave it out for "
        "the default.",
    ),
    # merge
    Row(
        lambda: Standardizer().merge(Standardizer()),
        NotFittedError,
        "This Standardizer instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
        "estimator.",
        words="scikit-learn",
    ),
    Row(
        lambda: Standardizer().fit(X).merge(MinMaxNormalizer().fit(X)),
        TypeError,
        "Expected a fitted Standardizer to merge, got MinMaxNormalizer. Merge transformers of one class.",
    ),
    Row(
        lambda: Standardizer().fit(X).merge(Standardizer()),
        NotFittedError,
        "This Standardizer instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
        "estimator.",
        words="scikit-learn",
    ),
    Row(
        lambda: Standardizer(ddof=1).fit(X).merge(Standardizer().fit(X)),
        ValueError,
        "Expected transformers of equal parameters to merge, got ddof=1 and 0. Fit both with the same ones.",
    ),
    Row(
        lambda: Standardizer().fit(X).merge(Standardizer().fit(X[:, :1])),
        ValueError,
        "Expected transformers of the same features to merge, got [0, 1] and [0]. Fit both on the same ones.",
    ),
    Row(
        lambda: Standardizer().fit(NAMED).merge(Standardizer().fit(NAMED[["b", "a"]])),
        ValueError,
        "Expected transformers of the same features to merge, got ['a', 'b'] and ['b', 'a']. Fit both on the same "
        "ones.",
    ),
    # select
    Row(
        lambda: Standardizer().fit(X).select(2),
        ValueError,
        "Expected features among 0 to 1, got 2. Pass positions, names or a mask.",
    ),
    Row(
        lambda: Standardizer().fit(X).select("a"),
        ValueError,
        "Expected positions, as fit saw no names, got unknown ['a']. Pass positions, or fit on a frame.",
    ),
    Row(
        lambda: Standardizer().fit(NAMED).select(["a", "c"]),
        ValueError,
        "Expected features among ['a', 'b'], got unknown ['c']. Pass names that fit saw, or positions.",
    ),
    Row(
        lambda: Standardizer().fit(X).select([0, 0]),
        ValueError,
        "Expected a flat list of distinct features, got [0, 0]. Name each feature once.",
    ),
    Row(
        lambda: Standardizer().fit(X).select([]),
        ValueError,
        "Expected at least one feature, got []. Name the features to keep.",
    ),
    Row(
        lambda: Standardizer().fit(X).select([[0], [1, 0]]),
        ValueError,
        "Expected features among 0 to 1, got [[0], [1, 0]]. Pass positions, names or a mask.",
    ),
    Row(
        lambda: Standardizer().fit(X).select(iter),
        ValueError,
        "Expected features among 0 to 1, got <built-in function iter>. Pass positions, names or a mask.",
    ),
]
