"""
A table in a pipeline: let a search choose the scaler
=====================================================

A DataFrame of thirteen columns, each in its own unit; a grid search finds which scaling a classifier needs.

Run it with ``python examples/search_for_a_scaler.py``; the picture is saved as ``search_for_a_scaler.png``, or where an
argument says. Needs ``pip install ".[examples]"``.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from sknorm import MinMaxNormalizer, Standardizer
from sknorm.plotting import NormalizationDisplay


def show(what, figure):
    print(f"  {what:<68} {figure:>20}")


wine = load_wine(as_frame=True)
X, X_test, y, y_test = train_test_split(wine.data, wine.target, stratify=wine.target, random_state=0)
print(f"Wines: {X.shape[0]} to learn from, {X_test.shape[0]} to test, {X.shape[1]} columns")

# %%
# Search
# ------
#
# A step of a pipeline is a parameter like any other: every classifier is tried behind every scaler. What scales is
# fitted anew on the training part of each fold, so nothing of the other part leaks.

SCALERS = {
    "columns as they are": "passthrough",
    "MinMaxNormalizer": MinMaxNormalizer(),
    "Standardizer": Standardizer(),
}
CLASSIFIERS = {
    "nearest neighbours": KNeighborsClassifier(),
    "support vectors": SVC(),
    "logistic regression": LogisticRegression(solver="newton-cholesky"),
    "decision tree": DecisionTreeClassifier(random_state=0),
}
model = Pipeline([("scale", "passthrough"), ("classify", KNeighborsClassifier())])
grid = {"scale": list(SCALERS.values()), "classify": list(CLASSIFIERS.values())}
search = GridSearchCV(model, grid, cv=StratifiedKFold(5, shuffle=True, random_state=0)).fit(X, y)

names = {id(step): name for name, step in [*SCALERS.items(), *CLASSIFIERS.items()]}
tried = pd.DataFrame({what: [names[id(p[what])] for p in search.cv_results_["params"]] for what in grid})
tried["accuracy"] = search.cv_results_["mean_test_score"]
table = tried.pivot(index="classify", columns="scale", values="accuracy").loc[list(CLASSIFIERS), list(SCALERS)]
print("\nCross-validated accuracy")
for classifier, row in table.iterrows():
    for scaler, accuracy in row.items():
        show(f"{classifier}, {scaler}", f"{accuracy:.3f}")

# %%
# The names of the columns stay
# -----------------------------

best = search.best_estimator_
print("\nThe best")
show("scaler", type(best["scale"]).__name__)
show("test accuracy", f"{search.score(X_test, y_test):.3f}")
scaled = best["scale"].set_output(transform="pandas").transform(X_test)
show("column names kept", str(scaled.columns.equals(X_test.columns)))

# %%
# What it did, and for whom it mattered
# -------------------------------------
#
# Above, the columns before and after: proline, in the hundreds, drowned all others. Below, who was misled by that: what
# measures distances in all columns at once. A regression has a weight for each column, and a tree asks about one at a
# time, so these two need no scaling.

figure = plt.figure(figsize=(9.6, 7.6), layout="constrained")
above, below = figure.subfigures(2, 1, height_ratios=[1.55, 1])
scaler = Standardizer().fit(X)
NormalizationDisplay.from_estimator(scaler, X, ax=above.subplots(1, 2, sharey=True))

ax = below.subplots()
looks = dict(zip(SCALERS, [("o", "none"), ("^", "#92BFDF"), ("D", "#08243F")], strict=True))
lines = np.arange(len(table))
for offset, (scaler, (marker, colour)) in zip((-0.22, 0, 0.22), looks.items(), strict=True):
    ax.plot(table[scaler], lines + offset, marker, markersize=9, label=scaler, color="#08243F", markerfacecolor=colour)
for line in lines[1:]:
    ax.axhline(line - 0.5, color="#DDDDDD", linewidth=0.6)
ax.set_yticks(lines, table.index)
ax.set_ylim(len(table) - 0.5, -0.5)
ax.set_xlabel("cross-validated accuracy")
ax.set_title("Which classifier needs which scaling?", fontsize="medium")
ax.grid(axis="x", color="#DDDDDD", linewidth=0.6)
ax.spines[["top", "right", "left"]].set_visible(False)
ax.tick_params(axis="y", length=0)
below.legend(loc="outside lower center", ncols=3, frameon=False, fontsize="small")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "search_for_a_scaler.png")
