"""
Deploy with ONNX
================

From a pipeline to an ONNX file that runs without scikit-learn, and to a JSON file that any later version reads.

Run it with ``python examples/deploy_with_onnx.py``, after ``pip install ".[examples,onnx]" onnxruntime``. The data are
the breast cancer table and the digits that scikit-learn ships; every figure is computed as it is printed. The picture
is saved as ``deploy_with_onnx.png``, or where an argument says.
"""

import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

import sknorm
import sknorm.onnx  # makes skl2onnx convert the five classes
from sknorm import MinMaxNormalizer, RowLayerNorm, Standardizer


def show(what, figure):
    print(f"  {what:<68} {figure:>20}")


def run(model, X):
    """All outputs of an ONNX model, given as bytes or as the path of a file."""
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(None, {session.get_inputs()[0].name: X})


# %%
# A classifier in a file
# ----------------------
#
# Two groups of columns are scaled in their own ways, then classified; Python's objects stay behind.


def a_classifier_in_a_file(folder):
    data = load_breast_cancer()
    X, X_test, y, _ = train_test_split(data.data.astype(np.float32), data.target, stratify=data.target, random_state=0)
    print(f"1. A pipeline in an ONNX file: {len(data.data)} tumours, {data.data.shape[1]} columns")
    columns = [("means", Standardizer(), slice(0, 10)), ("others", MinMaxNormalizer(clip=True), slice(10, 30))]
    model = make_pipeline(ColumnTransformer(columns), LogisticRegression(max_iter=1000)).fit(X, y)

    path = folder / "model.onnx"
    path.write_bytes(to_onnx(model, X[:1], options={"zipmap": False}).SerializeToString())
    labels, probabilities = run(path, X_test)
    show("size of the file, in bytes", f"{path.stat().st_size}")
    show("predictions that differ", f"{(labels != model.predict(X_test)).sum()} of {len(X_test)}")
    show("largest difference of a probability", f"{np.abs(probabilities - model.predict_proba(X_test)).max():.1e}")


with tempfile.TemporaryDirectory() as directory:
    a_classifier_in_a_file(Path(directory))

# %%
# Columns far from 0
# ------------------
#
# The same table with 1e7 added: what is left of its columns in float32 should come out as in Python.


def columns_far_from_0():
    X = (load_breast_cancer().data + 1e7).astype(np.float32)
    print("\n2. Columns far from 0: the same table, with 1e7 added to every value")
    errors = {}
    for scale in (MinMaxScaler(), MinMaxNormalizer(), Standardizer()):
        scale.fit(X)
        exact = scale.transform(X.astype(np.float64))
        error = np.abs(run(to_onnx(scale, X[:1]).SerializeToString(), X)[0] - exact).max(axis=0)
        show(f"{type(scale).__name__}: largest error in onnxruntime", f"{error.max():.1e}")
        errors[type(scale).__name__] = error
    return errors


errors = columns_far_from_0()

# %%
# The same errors, column by column. float32 holds about seven digits, so a value of a few standard deviations cannot be
# right to more than what lies left of the dashed line. Columns of which 1e7 leaves nearly nothing in float32 are left
# out.

table = load_breast_cancer()
varied = [len(np.unique(column)) > 10 for column in (table.data + 1e7).astype(np.float32).T]
names = table.feature_names[varied]
lines = np.arange(len(names))
figure, ax = plt.subplots(figsize=(9.6, 4.8), layout="constrained")
looks = zip(errors.items(), [("o", "none"), ("^", "#92BFDF"), ("D", "#08243F")], strict=True)
for (name, error), (marker, colour) in looks:
    label = "MinMaxScaler of scikit-learn" if name == "MinMaxScaler" else name
    ax.plot(error[varied], lines, marker, markersize=8, color="#08243F", markerfacecolor=colour, label=label)
ax.axvline(2**-22, color="#08243F", linewidth=0.8, linestyle=(0, (4, 3)))
ax.text(2**-21.5, -0.35, "as exact as float32 is: left of this line", fontsize="small", va="center")
ax.set_xscale("log")
ax.set_yticks(lines, names)
ax.set_ylim(len(names) - 0.5, -0.8)
ax.set_xlabel("largest error of a scaled column in onnxruntime")
ax.set_title("Deployed and run on columns near 10 million: how wrong is the result?", fontsize="medium")
ax.grid(axis="both", color="#DDDDDD", linewidth=0.6)
ax.set_axisbelow(True)
ax.spines[["top", "right", "left"]].set_visible(False)
ax.tick_params(axis="y", length=0)
figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize="small")
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "deploy_with_onnx.png")

# %%
# Vectors with missing values
# ---------------------------
#
# A row norm leaves missing values out, in ONNX too.


def vectors_with_missing_values():
    X = load_digits().data.astype(np.float32)
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    print(f"\n3. Vectors with missing values: {len(X)} digits, one pixel in ten unknown")
    norm = RowLayerNorm(gamma=np.linspace(0.5, 2, X.shape[1])).fit(X)
    model = to_onnx(norm, X[:1])
    (result,) = run(model.SerializeToString(), X)
    operator = "LayerNormalization" in {node.op_type for node in model.graph.node}
    show("LayerNormalization in the graph", str(operator))
    show("missing values that stayed missing", f"{(np.isnan(result) & np.isnan(X)).sum()} of {np.isnan(X).sum()}")
    show("largest difference", f"{np.nanmax(np.abs(result - norm.transform(X))):.1e}")


vectors_with_missing_values()

# %%
# A transformer in a JSON file
# ----------------------------
#
# What was learned, in a file without code.


def a_transformer_in_json(folder):
    X = load_breast_cancer(as_frame=True).data
    print("\n4. A transformer in a JSON file")
    scale, path = Standardizer().fit(X), folder / "scale.json"
    sknorm.save(scale, path)
    back = sknorm.load(path)
    show("size of the file, in bytes", f"{path.stat().st_size}")
    show("values that differ", f"{(back.transform(X) != scale.transform(X)).sum()} of {X.size}")
    show("column names kept", str(list(back.feature_names_in_) == list(X.columns)))


with tempfile.TemporaryDirectory() as directory:
    a_transformer_in_json(Path(directory))
