"""Pictures can be read, and leave nothing behind where they are drawn."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from sknorm import Standardizer
from sknorm.plotting import NormalizationDisplay, RowNormDisplay

from .pictures import drawn, label_boxes

draw = NormalizationDisplay.from_estimator
draw_vector = RowNormDisplay.from_vector


@pytest.fixture(autouse=True)
def _no_window():
    with mpl.rc_context({"backend": "Agg"}):
        yield
    plt.close("all")


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    X = rng.normal([1, -2, 0, 5], [1, 3, 0.5, 2], size=(61, 4))
    return pd.DataFrame(X, columns=["a", "b", "c", "d"])


@pytest.mark.parametrize("n", [1, 3, 30, 40, 41, 300])
def test_no_labels_overlap_and_none_is_cut(n):
    X = pd.DataFrame(np.random.default_rng(0).lognormal(sigma=4, size=(50, n)))
    X.columns = [f"a column with a rather long name, which is number {i}" for i in range(n)]
    X.iloc[0, 0] = np.nan
    figure = draw(Standardizer().fit(X), X).figure_
    boxes, (width, height) = label_boxes(figure), figure.bbox.size
    assert 900 <= width <= 1000  # as wide as a page of the web
    assert not [(a, b) for i, a in enumerate(boxes) for b in boxes[:i] if a.shrunk(0.95, 0.8).overlaps(b)]
    assert all(box.x0 >= 0 <= box.y0 and box.x1 <= width and box.y1 <= height for box in boxes)


def test_long_names_lose_their_middle_and_stay_apart():
    names = ["short", "an end that is long " * 2 + "A", "an end that is long " * 2 + "B", "price in $ and\n$"]
    X = pd.DataFrame(np.eye(4), columns=names)
    labels = drawn(draw(Standardizer().fit(X), X)).ax_[0].get_yticklabels()
    assert [label.get_text() for label in labels] == [
        "short",
        "an end that …t is long A",
        "an end that …t is long B",
        "price in $ and $",
    ]
    assert not any(label.get_parse_math() for label in labels)


def test_units_far_apart_take_a_logarithmic_scale_which_the_label_says(frame):
    assert draw(Standardizer().fit(frame), frame).ax_[0].get_xlabel() == "value"
    X = np.abs(frame.to_numpy()) * [1e-3, 1, 1e3, 1]
    display = drawn(draw(Standardizer().fit(X), X))
    assert [ax.get_xscale() for ax in display.ax_] == ["log", "linear"]
    assert display.ax_[0].get_xlabel() == "value (log scale)"
    X[0, 0] = 0
    display = drawn(draw(Standardizer().fit(X), X))
    assert display.ax_[0].get_xlabel() == "value (symmetric log scale, linear up to 0.001)"
    assert display.ax_[0].get_xlim()[0] == 0
    X[0, 0] = -1
    display = drawn(draw(Standardizer().fit(X), X))
    assert " ".join(display.ax_[0].get_xlabel().split()) == "value (symmetric log scale, linear up to 1)"


@pytest.mark.parametrize("n", [3, 300])
@pytest.mark.parametrize("units", [(1e-320, 1, 1e307), (1e307, 1e307, 1e307), (1e-318, 1e-318, 1e-318)])
def test_columns_in_any_unit_can_be_drawn(units, n):
    X = np.random.default_rng(0).normal(size=(40, n)) * np.resize(units, n)
    display = drawn(draw(Standardizer().fit(X), X))
    label = display.ax_[0].get_xlabel() if n == 3 else display.ax_[0].get_ylabel()
    assert label.startswith("value / 1e")
    drawn(draw_vector(X[:, 0]))


def test_nothing_is_left_of_pyplot(frame):
    before = dict(mpl.rcParams)
    for display in (draw(Standardizer().fit(frame), frame), draw_vector([1, 2])):
        assert type(display.figure_) is Figure
        assert drawn(display)._repr_png_().startswith(b"\x89PNG")
        assert display.plot() is display
    assert plt.get_fignums() == []
    assert dict(mpl.rcParams) == before


def test_one_axes_is_divided_and_as_many_as_are_needed_are_taken(frame):
    norm = Standardizer().fit(frame)
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4), layout="constrained")
    display = drawn(draw(norm, frame, ax=left))
    assert left not in display.ax_
    assert not left.axison
    assert display.figure_ is figure
    assert display._repr_png_() is None  # pyplot's figures are shown by themselves
    assert len(drawn(draw_vector([1, 2, 3], ax=right)).ax_) == 4
    figure, axes = plt.subplots(2, 2)
    assert list(drawn(draw(norm, frame, ax=axes[0])).ax_) == list(axes[0])
    assert list(draw_vector([1, 2, 3], ax=axes).ax_) == list(axes.flat)
    part = plt.figure().subfigures(1, 2)[0]
    assert draw(norm, frame, ax=part.subplots()).figure_ is part.figure
    free = plt.figure().add_axes([0.2, 0.2, 0.7, 0.6])
    inside = drawn(draw(norm, frame, ax=free)).ax_[1].get_position()
    assert inside.x1 <= 0.9 + 1e-9


def outside(box, texts, names=()):
    """Which of the texts, and of the names, are not inside a box in pixels."""
    found = [text for text in [*texts, *names] if text.get_visible() and text.get_text().strip()]
    boxes = {text.get_text(): text.get_window_extent() for text in found}
    return [
        text
        for text, inner in boxes.items()
        if inner.x0 < box.x0 - 1 or inner.y0 < box.y0 - 1 or inner.x1 > box.x1 + 1 or inner.y1 > box.y1 + 1
    ]


def texts_of(display):
    legend = display.ax_[-1].get_legend()
    names = [label for ax in display.ax_ for label in ax.get_yticklabels() if ax.yaxis.get_tick_params()["labelleft"]]
    return [*legend.get_texts(), *(text for ax in display.ax_ for text in (ax.title, ax.xaxis.label)), *names]


def test_in_a_plain_figure_of_pyplot_names_titles_and_legend_are_inside():
    X = pd.DataFrame(np.random.default_rng(0).lognormal(sigma=2, size=(50, 13)))
    X.columns = [f"a column with a rather long name, which is number {i}" for i in range(13)]
    norm = Standardizer().fit(X)
    for make in (
        lambda: draw(norm, X, ax=plt.subplots()[1]),
        lambda: draw(norm, X, ax=plt.subplots(2, 2)[1][0, 0]),
        lambda: draw(norm, X, ax=plt.subplots(2, 1)[1]),
        lambda: draw(norm, X, ax=plt.subplots(1, 2)[1]),
        lambda: draw_vector([1, 2, np.nan], ax=plt.subplots()[1]),
    ):
        display = drawn(make())
        assert outside(display.figure_.bbox, texts_of(display)) == []
        legend = display.ax_[-1].get_legend().get_window_extent()
        for ax in display.ax_:
            assert not ax.get_window_extent().overlaps(legend)
            assert not ax.xaxis.label.get_window_extent().shrunk(1, 0.8).overlaps(legend)


def test_one_axes_in_no_grid_or_adjusted_by_hand_is_divided_inside_its_box(frame):
    norm = Standardizer().fit(frame)
    adjusted = plt.figure(figsize=(12, 5))
    adjusted.subplots_adjust(left=0.1)
    for ax in (plt.figure().add_axes([0.2, 0.1, 0.7, 0.8]), adjusted.subplots(1, 2)[1]):
        box = ax.get_window_extent()
        display = drawn(draw(norm, frame, ax=ax))
        assert display.figure_.get_layout_engine() is None
        assert outside(box, texts_of(display)) == []


def test_the_layout_that_a_user_chose_stays(frame):
    figure, ax = plt.subplots(layout="tight")
    engine = figure.get_layout_engine()
    draw(Standardizer().fit(frame), frame, ax=ax)
    assert figure.get_layout_engine() is engine


def test_what_was_in_the_axes_goes(frame):
    _, axes = plt.subplots(1, 2)
    for ax in axes:
        ax.plot([1, 2])
    draw(Standardizer().fit(frame), frame, ax=axes)
    assert [len(ax.lines) for ax in axes] == [1, 4]  # the medians, and the dashed lines
    _, ax = plt.subplots()
    ax.plot([1, 2])
    for _ in range(2):
        draw_vector([1, 2], ax=ax)
        assert not ax.lines
        assert len(ax.figure.axes) == 5


def test_in_a_low_axes_names_become_small_and_then_positions(frame):
    X = np.random.default_rng(0).normal(size=(9, 30))
    norm = Standardizer().fit(X)
    for height, listed in [(9, True), (3, False)]:
        ax = plt.figure(figsize=(9, height)).subplots()
        labels = drawn(draw(norm, X, ax=ax)).ax_[0].get_yticklabels()
        assert (labels[0].get_text() == "x0") == listed
    X = np.random.default_rng(0).normal(size=(9, 300))
    ax = plt.figure(figsize=(9, 9)).subplots()
    assert drawn(draw(Standardizer().fit(X), X, ax=ax)).ax_[0].get_ylabel() == "value"  # too many for a list


def test_many_features_are_drawn_inside_the_box_of_an_axes_in_no_grid():
    X = np.random.default_rng(0).normal(size=(9, 60))
    ax = plt.figure(figsize=(12, 9)).add_axes([0.2, 0.1, 0.7, 0.8])
    box = ax.get_window_extent()
    display = drawn(draw(Standardizer().fit(X), X, ax=ax))
    assert outside(box, texts_of(display)) == []
    above, below = (panel.get_window_extent() for panel in display.ax_)
    assert above.y0 > below.y1
    assert [panel.get_xlabel() for panel in display.ax_] == ["", "feature"]


def test_panels_that_were_removed_by_hand_are_drawn_again(frame):
    norm, ax = Standardizer().fit(frame), plt.figure().subplots()
    draw(norm, frame, ax=ax).ax_[0].remove()
    assert len(drawn(draw(norm, frame, ax=ax)).figure_.axes) == 3


def test_a_legend_wider_than_its_axes_stands_in_one_column(frame):
    ax = plt.figure(figsize=(12, 5)).add_axes([0.5, 0.2, 0.05, 0.6])
    legend = drawn(draw(Standardizer().fit(frame), frame, ax=ax)).legend_
    lefts = {round(text.get_window_extent().x0) for text in legend.get_texts()}
    assert len(lefts) == 1
