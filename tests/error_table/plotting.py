"""Displays."""

import pandas as pd
from matplotlib.figure import Figure
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

from sknorm import RowSoftmax, Standardizer
from sknorm.plotting import NormalizationDisplay, RowNormDisplay

from .row import Row, X, without

FITTED = Standardizer().fit(X)
NO_AXES = (
    "Expected ax to be None, one Axes, or 2 of them in one figure, got {}. Leave it out, or pass axes with x and y, as "
    "of plt.subplots(1, 2)."
)


def removed(axes):
    axes.remove()
    return axes


ROWS = [
    Row(
        lambda: NormalizationDisplay.from_estimator("scaler", X),
        TypeError,
        "Expected one of the five transformers, got 'scaler'. Pass one, as Standardizer().",
    ),
    Row(
        lambda: NormalizationDisplay.from_estimator(Standardizer, X),
        TypeError,
        "Expected one of the five transformers, got <class 'sknorm._standardizer.Standardizer'>. Call it: "
        "Standardizer().",
    ),
    Row(
        lambda: NormalizationDisplay.from_estimator(make_pipeline(Standardizer()), X),
        TypeError,
        "Expected one of the five transformers, got Pipeline(steps=[('standardizer', Standardizer())]). Of a pipeline "
        "pass one step, as pipeline[-1], and what comes to it, as pipeline[:-1].transform(X).",
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
        NO_AXES.format("3"),
    ),
    *[
        Row(
            lambda axes=axes: NormalizationDisplay.from_estimator(FITTED, X, ax=axes()),
            ValueError,
            NO_AXES.format(got),
        )
        for axes, got in [
            (lambda: Figure().subplots(subplot_kw={"polar": True}), "polar axes"),
            (lambda: removed(Figure().subplots()), "axes that were removed from their figure"),
            (lambda: [Figure().subplots()] * 2, "the same axes more than once"),
            (lambda: [Figure().subplots(), Figure().subplots()], "axes of several figures"),
        ]
    ],
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
        "Expected numbers in X, got dtype <U32, 'a' in row 0, feature 1. Encode categories, or make what is no number "
        'missing: pd.DataFrame(X).apply(pd.to_numeric, errors="coerce").to_numpy().',
    ),
    Row(
        lambda: RowNormDisplay.from_vector(pd.Series(["a"], dtype=object)),
        ValueError,
        "Expected numbers in column 0, got dtype object holding str, 'a' in row 0. Encode categories, or make what "
        'is no number missing: pd.to_numeric(column, errors="coerce").',
    ),
    Row(
        lambda: RowNormDisplay.from_vector(X[0], norms=[Standardizer()]),
        TypeError,
        "Expected row norms, got Standardizer(). Pass one, as RowLayerNorm().",
    ),
    Row(
        lambda: RowNormDisplay.from_vector(X[0], names=["a"]),
        ValueError,
        "Expected 2 names, one for each entry, got 1. Leave names out to number the entries.",
    ),
]
