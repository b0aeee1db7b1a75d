"""
Scale photographs, and get them back
====================================

Pixels to the range from 0 to 1, to mean 0 and variance 1 in each channel, and back bit for bit.

Run it with ``python examples/scale_photographs.py``; the picture is saved as ``scale_photographs.png``, or where an
argument says. Needs ``pip install ".[examples]"``.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_images
from sklearn.pipeline import make_pipeline

from sknorm import MinMaxNormalizer, Standardizer
from sknorm.plotting import NormalizationDisplay


def show(what, figure):
    print(f"  {what:<68} {figure:>20}")


photos = np.stack(load_sample_images().images)
print(f"Photographs: {photos.dtype} of shape {photos.shape}, from {photos.min()} to {photos.max()}")

# %%
# The limits of the type
# ----------------------
#
# A byte goes from 0 to 255, whatever a photograph holds. ``in_range="dtype"`` takes these limits, so black is 0 and
# white is 1 in every photograph; ``inverse_dtype="input"`` gives bytes again.

print("\n1. By the limits of the type")
to_unit = MinMaxNormalizer(in_range="dtype", inverse_dtype="input")
unit = to_unit.fit_transform(photos)
show("scaled: dtype", unit.dtype.name)
show("scaled: smallest and largest value", f"{unit.min()} and {unit.max()}")
show("brought back: values that differ", f"{(to_unit.inverse_transform(unit) != photos).sum()} of {photos.size}")

# %%
# Mean and variance of each channel
# ---------------------------------
#
# The last axis of an N-D array holds the features, here red, green and blue; all other axes are pooled.

print("\n2. Then to mean 0 and variance 1 in each channel")
steps = make_pipeline(to_unit, Standardizer())
standard = steps.fit_transform(photos)
channels = standard.reshape(-1, 3).astype(np.float64)
show("largest |mean| of a channel", f"{np.abs(channels.mean(axis=0)).max():.1e}")
show("largest |variance - 1| of a channel", f"{np.abs(channels.var(axis=0) - 1).max():.1e}")
show("brought back through both: values that differ", f"{(steps.inverse_transform(standard) != photos).sum()}")

# %%
# The limits of what is in sight
# ------------------------------
#
# Without ``in_range`` the limits are learned. The photograph here was taken with too little light: it uses a
# quarter of the bytes. Scaled, each channel goes from 0 to 1, and what was dark can be seen.

print("\n3. By the limits of a photograph with too little light")
dark = (photos[0] // 4 + 10).astype(np.uint8)
stretch = MinMaxNormalizer(inverse_dtype="input").fit(dark)
light = stretch.transform(dark)
back = stretch.inverse_transform(light)
differing = (back != dark).sum()
learned = zip(stretch.data_min_, stretch.data_max_, strict=True)
show("learned limits of red, green and blue", ", ".join(f"{low:g}-{high:g}" for low, high in learned))
show("brought back: values that differ", f"{differing} of {dark.size}")

figure = plt.figure(figsize=(9.6, 5.2), layout="constrained")
above, below = figure.subfigures(2, 1, height_ratios=[0.98, 1])
axes = above.subplots(1, 3)
limits = f"{dark.min()} to {dark.max()}"
for ax, picture, title in [
    (axes[0], dark, f"Too little light\n{dark.dtype}, {limits}"),
    (axes[1], light, f"After MinMaxNormalizer\n{light.dtype}, 0 to 1 in each channel"),
    (axes[2], back, f"Brought back\n{back.dtype}, {limits}: {differing} values differ"),
]:
    ax.imshow(picture)
    ax.set_title(title, fontsize="medium")
    ax.set_axis_off()
display = NormalizationDisplay.from_estimator(stretch, dark, ax=below.subplots(1, 2, sharey=True))
display.ax_[0].set_yticks(range(3), ["red", "green", "blue"])
figure.savefig(sys.argv[1] if len(sys.argv) > 1 else "scale_photographs.png")
