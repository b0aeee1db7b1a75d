"""
The five in one go: a table, a photograph, a set of vectors
===========================================================

The five transformers at work on data that scikit-learn ships. Run it with ``python examples/quickstart.py``; every
figure is computed as it is printed. The photograph is a JPEG file, which scikit-learn reads with pillow:
``pip install ".[examples]"`` brings it.
"""

import numpy as np
from sklearn.datasets import load_digits, load_sample_image, load_wine
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer


def show(what, figure):
    print(f"  {what:<68} {figure:>20}")


# %%
# A table
# -------
#
# Neighbours are found by distance, so the columns need comparable units: a search chooses which.


def a_table_through_a_pipeline():
    wine = load_wine(as_frame=True)
    X, X_test, y, y_test = train_test_split(wine.data, wine.target, stratify=wine.target, random_state=0)
    print(f"1. A DataFrame: {wine.data.shape[0]} wines, {wine.data.shape[1]} columns, each in its own unit")

    model = Pipeline([("scale", "passthrough"), ("classify", KNeighborsClassifier())])
    show("test accuracy, columns as they are", f"{model.fit(X, y).score(X_test, y_test):.3f}")

    grid = [
        {"scale": [MinMaxNormalizer()], "scale__per_feature": [False, True]},
        {"scale": [Standardizer()], "scale__with_std": [False, True]},
    ]
    search = GridSearchCV(model, grid).fit(X, y)
    results = search.cv_results_
    for params, score in zip(results["params"], results["mean_test_score"], strict=True):
        settings = ", ".join(f"{name}={value}" for name, value in params.items())
        show(f"cross-validated: {settings}", f"{score:.3f}")
    show(f"test accuracy with {search.best_estimator_['scale']}", f"{search.score(X_test, y_test):.3f}")

    scale = search.best_estimator_["scale"].set_output(transform="pandas")
    scaled = scale.transform(X_test)
    show("column names kept", str(scaled.columns.equals(X_test.columns)))
    show("index kept", str(scaled.index.equals(X_test.index)))
    error = (scale.inverse_transform(scaled) - X_test).abs() / X_test.abs().max()
    show("largest error after inverse_transform, of its column's maximum", f"{error.to_numpy().max():.1e}")


a_table_through_a_pipeline()

# %%
# A photograph
# ------------
#
# Scaled channel by channel: the last axis of an N-D array holds the features.


def a_photograph_and_back():
    try:
        photo = load_sample_image("china.jpg")
    except ImportError:
        print('\n2. A photograph: left out; pillow is missing, and `pip install ".[examples]"` brings it')
        return
    print(f"\n2. A photograph: {photo.dtype} of shape {photo.shape}, from {photo.min()} to {photo.max()}")

    # in_range="dtype" takes the limits of uint8, whatever this photograph holds.
    to_unit = MinMaxNormalizer(in_range="dtype", inverse_dtype="input")
    unit = to_unit.fit_transform(photo)
    show("scaled: dtype", unit.dtype.name)
    show("scaled: smallest and largest value", f"{unit.min()} and {unit.max()}")

    steps = make_pipeline(to_unit, Standardizer())
    standard = steps.fit_transform(photo)
    channels = standard.reshape(-1, 3).astype(np.float64)
    show("standardised: shape", str(standard.shape))
    show("standardised: largest |mean| of a channel", f"{np.abs(channels.mean(axis=0)).max():.1e}")
    show("standardised: largest |variance - 1| of a channel", f"{np.abs(channels.var(axis=0) - 1).max():.1e}")

    back = steps.inverse_transform(standard)
    show("brought back: dtype", back.dtype.name)
    show("brought back: values that differ from the photograph", f"{(back != photo).sum()} of {photo.size}")


a_photograph_and_back()

# %%
# A set of vectors
# ----------------
#
# Each is normalised by its own statistics, which ``keep_stats=True`` appends, for the way back.


def vectors_one_by_one_and_back():
    X = load_digits().data
    n, d = X.shape
    print(f"\n3. Vectors, each on its own: {n} digits of {d} pixels")
    for norm, law, statistic in [
        (RowLayerNorm(keep_stats=True), "variance", lambda Y: Y.var(axis=1)),
        (RowRMSNorm(keep_stats=True), "mean square", lambda Y: (Y**2).mean(axis=1)),
        (RowSoftmax(keep_stats=True), "sum", lambda Y: Y.sum(axis=1)),
    ]:
        kept = norm.fit_transform(X)
        back = norm.inverse_transform(kept)
        name = type(norm).__name__
        show(f"{name}: columns kept beside the {d}", ", ".join(norm.get_feature_names_out()[d:]))
        show(f"{name}: largest |{law} - 1| of a vector", f"{np.abs(statistic(kept[:, :d]) - 1).max():.1e}")
        show(f"{name}: largest error after inverse_transform", f"{np.abs(back - X).max():.1e}")


vectors_one_by_one_and_back()
