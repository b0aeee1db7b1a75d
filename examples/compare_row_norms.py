"""
Three row norms, three constraints
==================================

The same vectors with sum 1, with variance 1 and with mean square 1, and what each keeps of them.

Run it with ``python examples/compare_row_norms.py``; the picture is saved as ``compare_row_norms.png``, or where an
argument says. Needs ``pip install ".[examples]"``.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from sknorm import RowLayerNorm, RowRMSNorm, RowSoftmax
from sknorm.plotting import RowNormDisplay


def show(what, figure):
    print(f"  {what:<68} {figure:>20}")


NORMS = [RowSoftmax(temperature=4), RowLayerNorm(eps=0), RowRMSNorm(eps=0)]
X = load_digits().data
print(f"Digits: {X.shape[0]} vectors of {X.shape[1]} pixels, from 0 to 16")

# %%
# What each makes one
# -------------------
#
# Softmax makes the sum of each vector one: a probability. Layer norm makes the variance one, about mean 0. RMS norm
# makes the mean square one: unit energy, with zeros where zeros were.

print("\n1. The constraint of each, over all vectors")
softmax, layer, rms = (norm.fit_transform(X) for norm in NORMS)
show("RowSoftmax: largest |sum - 1|", f"{np.abs(softmax.sum(axis=1) - 1).max():.1e}")
show("RowLayerNorm: largest |mean|", f"{np.abs(layer.mean(axis=1)).max():.1e}")
show("RowLayerNorm: largest |variance - 1|", f"{np.abs(layer.var(axis=1) - 1).max():.1e}")
show("RowRMSNorm: largest |mean square - 1|", f"{np.abs((rms**2).mean(axis=1) - 1).max():.1e}")

# %%
# What each does not see
# ----------------------
#
# A scanner may be set to more light, which adds to every pixel, or to more contrast, which multiplies every pixel. A
# norm whose result is the same as before does not see the change. That tells which to take: a norm should be blind to
# what means nothing, and to nothing else.

CHANGES = {"more light: x + 4": lambda X: X + 4, "more contrast: 2 x": lambda X: 2 * X}

print("\n2. Largest change of a result, over all vectors")
for change, changed in CHANGES.items():
    for norm in NORMS:
        moved = np.abs(norm.transform(changed(X)) - norm.transform(X)).max()
        show(f"{type(norm).__name__}, {change}", f"{moved:.1e}")

# %%
# The line through the middle of one digit, as it is and changed. In each column the bars have one scale.

line = X[0, 32:40] / 4 + 1
norms = [RowSoftmax(), RowLayerNorm(eps=0), RowRMSNorm(eps=0)]
figure, axes = plt.subplots(3, 4, figsize=(9.6, 7), layout="constrained", sharex="col", sharey=True)
rows = {"as it is": line, "more light: x + 2": line + 2, "more contrast: 2 x": 2 * line}
for row, (what, x) in zip(axes, rows.items(), strict=True):
    RowNormDisplay.from_vector(x, norms, ax=row)
    row[0].set_ylabel(what)
    for ax, norm in zip(row[1:], norms, strict=True):
        if x is not line:
            same = np.allclose(norm.transform([x]), norm.transform([line]), atol=1e-12)
            words, colour = ("the same", "#0072B2") if same else ("changed", "#C44E00")
            ax.set_title(words, fontsize="medium", color=colour, fontweight="bold" if same else "normal")
    for ax, y in zip(row, [x, *(norm.transform([x])[0] for norm in norms)], strict=True):
        ax.set_xlabel("value" if row[0] is axes[-1, 0] else "")
        for entry, value in enumerate(y):
            at = {"xy": (max(value, 0), entry), "xytext": (2, 0), "textcoords": "offset points"}
            ax.annotate(f"{value:.2f}", **at, fontsize="x-small", va="center")
        ax.margins(x=0.15)
for row in axes[1:]:
    row[0].set_title("")
for row in axes[:-1]:  # one legend is enough, and the text of no words that keeps its place
    for artist in [row[-1].get_legend(), *(text for text in row[-1].texts if text.get_text() == " ")]:
        artist.remove()
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "compare_row_norms.png")
