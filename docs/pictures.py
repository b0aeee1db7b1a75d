"""The pictures of the pages "The five, and what each makes one" and "See it", drawn from what the classes compute."""

from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator
from sklearn.datasets import load_wine

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer
from sknorm.plotting import NormalizationDisplay, RowNormDisplay

FOLDER = Path(__file__).parent / "generated" / "pictures"
ROWS = ["x", "x + 1", "2 x"]
X = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [2.0, 4.0, 6.0]])
PAPER, INK, ACCENT = "#ffffff", "#22303c", "#0b6e75"

# Of which axis each statistic is, what it is called, and what it should be.
DATASET, SAMPLE = 0, 1
EDGES = {None: (-1.7, 2.7, -1.4, 2.7), DATASET: (-1.9, 2.7, -1.4, 4.6), SAMPLE: (-1.7, 5.1, -1.9, 2.7)}
FIVE = {
    "min_max_normalizer": (MinMaxNormalizer(), DATASET, {"min": np.min, "max": np.max}),
    "standardizer": (Standardizer(), DATASET, {"mean": np.mean, "variance": np.var}),
    "row_layer_norm": (RowLayerNorm(eps=0), SAMPLE, {"mean": np.mean, "variance": np.var}),
    "row_rms_norm": (RowRMSNorm(eps=0), SAMPLE, {"mean\nsquare": lambda Y, axis: np.mean(Y**2, axis)}),
    "row_softmax": (RowSoftmax(), SAMPLE, {"sum": np.sum}),
}


def draw_table(title, values, axis=None, statistics=None):
    """A table in which each cell is coloured by its value, with the statistics of its columns or rows beside it."""
    left, right, top, bottom = EDGES[axis]
    figure = Figure(figsize=(0.55 * (right - left), 0.46 * (bottom - top)), facecolor=PAPER)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    shades = 0.5 + 0.4 * values / np.abs(values).max()
    for (row, column), value in np.ndenumerate(values):
        colour = matplotlib.colormaps["BrBG"](shades[row, column])
        axes.fill_between([column - 0.48, column + 0.48], row - 0.46, row + 0.46, color=colour, linewidth=0)
        ink = PAPER if abs(shades[row, column] - 0.5) > 0.25 else INK
        axes.text(column, row, number(value), color=ink, fontsize=11, ha="center", va="center")
    for row, name in enumerate(ROWS):
        axes.text(-0.65, row, name, color=INK, fontsize=11, ha="right", va="center", style="italic")
    for k, (name, statistic) in enumerate((statistics or {}).items()):
        place = 3.3 + 0.8 * k if axis == DATASET else 3.2 + 1.15 * k
        style = {"color": ACCENT, "va": "center"}
        where = (-0.65, place, "right") if axis == DATASET else (place, -0.85, "center")
        axes.text(*where[:2], name, fontsize=10, ha=where[2], **style)
        for j, found in enumerate(statistic(values, axis=axis)):
            where = (j, place) if axis == DATASET else (place, j)
            axes.text(*where, number(found), fontsize=11, ha="center", weight="bold", **style)
    axes.set(xlim=(left, right), ylim=(bottom, top))
    axes.set_axis_off()
    axes.text(1, top + 0.45, title, color=INK, fontsize=13, ha="center", va="center")
    return figure


def number(value):
    """To two digits behind the point, and no more of them than it needs."""
    return f"{value + 0.0:.2f}".rstrip("0").rstrip(".").replace("-0.00", "0").replace("-", "\N{MINUS SIGN}")


def draw_set(title, points, lines):
    """Where in space the images of samples of three features lie."""
    figure = Figure(figsize=(3.2, 3.3), facecolor=PAPER)
    axes = figure.add_axes((0.08, 0.03, 0.84, 0.88), projection="3d")
    for line in lines:
        axes.plot(*line, color=ACCENT, linewidth=1.2 if len(lines) == 1 else 0.5)
    axes.scatter(*points.T, s=8, color="#c05a1a", depthshade=False, linewidths=0)
    axes.view_init(elev=22, azim=35)
    axes.set(xlabel="$y_1$", ylabel="$y_2$", zlabel="$y_3$")
    axes.set_box_aspect((1, 1, 1), zoom=0.85)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_pane_color("#f6f8f9")
        axis.set_major_locator(MultipleLocator(0.5 if points.max() <= 1 else 1))
    figure.suptitle(title, x=0.5, y=0.96, fontsize=14, color=INK)
    return figure


def circle_and_globe(radius):
    """The circle about 0 in the plane of sum 0, and the circles of latitude and longitude of the sphere about 0."""
    angle = np.linspace(0, 2 * np.pi, 91)
    cosine, sine = np.cos(angle), np.sin(angle)
    u, v = np.array([[1], [-1], [0]]) / 2**0.5, np.array([[1], [1], [-2]]) / 6**0.5
    parallels = [(np.sin(t) * cosine, np.sin(t) * sine, np.full(91, np.cos(t))) for t in np.arange(1, 8) * np.pi / 8]
    meridians = [(np.cos(t) * sine, np.sin(t) * sine, cosine) for t in np.arange(8) * np.pi / 8]
    return radius * (cosine * u + sine * v), [radius * np.array(line) for line in parallels + meridians]


def pictures():
    """Each picture with its name."""
    yield "table", draw_table("the table", X)
    for name, (norm, axis, statistics) in FIVE.items():
        yield name, draw_table(type(norm).__name__, norm.fit_transform(X), axis, statistics)

    samples = 2 * np.random.default_rng(0).normal(size=(300, 3))
    ring, globe = circle_and_globe(3**0.5)
    for name, title, lines in [
        ("row_softmax", "RowSoftmax: a triangle", [np.eye(3)[:, [0, 1, 2, 0]]]),
        ("row_layer_norm", "RowLayerNorm: a circle", [ring]),
        ("row_rms_norm", "RowRMSNorm: a sphere", globe),
    ]:
        yield f"set_of_{name}", draw_set(title, FIVE[name][0].transform(samples), lines)

    wine = load_wine(as_frame=True).data
    yield "seen_features", NormalizationDisplay.from_estimator(Standardizer().fit(wine), wine).figure_
    yield "seen_vector", RowNormDisplay.from_vector([3.0, 1.0, -2.0, 0.5]).figure_


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": "sknorm"}):
        for name, figure in pictures():
            figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None})
