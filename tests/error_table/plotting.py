"""Displays."""

import pandas as pd
from sklearn.exceptions import NotFittedError

from sknorm import RowSoftmax, Standardizer
from sknorm.plotting import NormalizationDisplay, RowNormDisplay

from .row import Row, X, without

FITTED = Standardizer().fit(X)

ROWS = [
    Row(
        lambda: NormalizationDisplay.from_estimator("scaler", X),
        TypeError,
        "Expected one of the five transformers, got 'scaler'. Of a pipeline pass one step, as pipeline[-1], and "
        "what comes to it, as pipeline[:-1].transform(X).",
    ),
    Row(
        lambda: NormalizationDisplay.from_estimator(Standardizer(), X),
        NotFittedError,
        "This Standardizer instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
        "estimator.",
        words="scikit-learn",
    ),
    Row(
        lambda: NormalizationDisplay.from_estimator(FITTED, X[:0]),
        ValueError,
        "Expected at least one sample to draw, got shape (0, 2). Pass some samples.",
    ),
    Row(
        lambda: NormalizationDisplay.from_estimator(FITTED, X, features=["a"]),
        ValueError,
        "Expected positions, as fit saw no names, got unknown ['a']. Pass positions, or fit on a frame.",
    ),
    Row(
        lambda: NormalizationDisplay.from_estimator(RowSoftmax(), X, features=[0]),
        ValueError,
        "Expected features=None for RowSoftmax, got [0]. It is drawn by sample: select some, as X[:20].",
    ),
    Row(
        lambda: NormalizationDisplay.from_estimator(FITTED, X, ax=3),
        ValueError,
        "Expected ax to be None, one Axes, or 2 of them, got 3. Leave it out for a figure of its own.",
    ),
    Row(
        lambda: without("matplotlib.figure", lambda: NormalizationDisplay.from_estimator(FITTED, X)),
        ImportError,
        'Expected matplotlib to be installed, got no such package. Run pip install "sknorm[plot]".',
    ),
    Row(
        lambda: RowNormDisplay.from_vector(X),
        ValueError,
        "Expected one vector, 1D, got shape (2, 2). Pass one sample, as X[0].",
    ),
    Row(
        lambda: RowNormDisplay.from_vector([1.0, "a"]),
        ValueError,
        "Expected numbers in X, got dtype <U32. Encode text and categories, turn dates into durations, or convert "
        "numbers written as text with astype(float).",
    ),
    Row(
        lambda: RowNormDisplay.from_vector(pd.Series(["a"], dtype=object)),
        ValueError,
        "Expected numbers in column 0, got dtype object holding str. Encode text and categories, turn dates into "
        "durations, or convert numbers written as text with astype(float).",
    ),
    Row(
        lambda: RowNormDisplay.from_vector(X[0], norms=[Standardizer()]),
        TypeError,
        "Expected row norms, got Standardizer(). Of a pipeline pass one step, as pipeline[-1], and what comes to "
        "it, as pipeline[:-1].transform(X).",
    ),
    Row(
        lambda: RowNormDisplay.from_vector(X[0], names=["a"]),
        ValueError,
        "Expected 2 names, one for each entry, got 1. Leave names out to number the entries.",
    ),
]
