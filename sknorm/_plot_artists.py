"""F4, what both displays draw with: bars and bands of items, marks, names, legend. matplotlib is imported in functions.

Items (features, samples, entries) stand in a list from top to bottom with their names where they are few, and along
the x axis where they are many; `Panel` knows which. Three tones of one hue and black differ in lightness, so that they
do in grey too, and the marks differ in shape.
"""

from __future__ import annotations

import io
from textwrap import fill
from typing import Any

import numpy as np

from ._plot_places import LABELS, Place, fit, height_of, width_of, width_of_all
from ._precision import Array

TONES = ("#D3E4F1", "#92BFDF", "#4A90C2")
GREYS = "#8C8C8C"
LINE = "#08243F"
MARKS = {"color": "#C44E00", "markersize": 6, "markeredgewidth": 1.5, "zorder": 3}

LETTER = 5.0  # points that a letter of a title takes, at most about
NARROW = 150.0  # points of width below which titles are small
LONGEST_NAME = 24
LINE_HEIGHT = 14.0  # points that one more line of a label takes
SMALLEST_NAME = 5.0  # points; smaller ones are not read, so that some are left out

# Beyond these powers of ten the limits and ticks of an axis overflow or vanish.
EXTREME = 100


class Panel:
    """One axes, in which items stand from top to bottom if they are ``listed``, else from left to right.

    ``top`` is the largest magnitude that is to be drawn.
    """

    def __init__(self, ax: Any, n_items: int, listed: bool, top: float) -> None:
        self.ax, self.n_items, self.listed = ax, n_items, listed
        power = max(-320, int(np.floor(np.log10(top)))) if top > 0 else 0
        self.power = power if abs(power) > EXTREME else 0

    def bands(self, lower: Any, upper: Array, half: float, **style: Any) -> Any:
        """A bar from ``lower`` to ``upper`` for each item, which takes ``half`` of its place to either side."""
        fill = self.ax.fill_betweenx if self.listed else self.ax.fill_between
        lower = np.broadcast_to(self._drawn(lower), upper.shape)
        upper = self._drawn(upper)
        return fill(self._edges(half), np.repeat(lower, 3), np.repeat(upper, 3), linewidth=0, **style)

    def lines(self, values: Array, half: float, **style: Any) -> Any:
        """A line across each item."""
        at, values = self._edges(half), np.repeat(self._drawn(values), 3)
        xy = (values, at) if self.listed else (at, values)
        return self.ax.plot(*xy, solid_capstyle="butt", **style)[0]

    def points(self, items: Array, values: Array, **style: Any) -> Any:
        """A mark at a value of some items."""
        values = self._drawn(values)
        return self.ax.plot(*((values, items) if self.listed else (items, values)), linestyle="", **style)[0]

    def edge_marks(self, items: Array, **style: Any) -> Any:
        """A mark beside the bars of some items: behind the end of the list's line, or under the upper edge."""
        at = np.full(len(items), 1.02 if self.listed else 0.965)
        axes = self.ax.get_yaxis_transform() if self.listed else self.ax.get_xaxis_transform()
        xy = (at, items) if self.listed else (items, at)
        return self.ax.plot(*xy, linestyle="", transform=axes, clip_on=False, **style)[0]

    def guides(self, values: Any, linestyle: Any = (0, (4, 3))) -> list[Any]:
        """Lines at those values that are in sight."""
        line, view = (self.ax.axvline, self.ax.get_xlim()) if self.listed else (self.ax.axhline, self.ax.get_ylim())
        with np.errstate(over="ignore"):
            values = self._drawn(np.asarray(values))
        style = {"color": LINE, "linewidth": 0.8, "linestyle": linestyle, "zorder": 1.5}
        return [line(value, **style) for value in values if view[0] <= value <= view[1]]

    def title(self, text: str) -> None:
        """Lines of text above, broken where they would be wider than the axes."""
        wide = width_of(self.ax)
        letter, size = (LETTER, "medium") if wide > NARROW else (0.8 * LETTER, "small")
        if wide < NARROW / 2:
            letter, size = 0.7 * LETTER, "x-small"
        lines = [fill(line, max(12, int(wide / letter))) for line in text.splitlines()]
        self.ax.set_title("\n".join(lines), fontsize=size)

    def note(self, text: str) -> None:
        """Words in the middle, of what has no bars."""
        lines = fill(text, max(10, int(width_of(self.ax) / LETTER)))
        style = {"ha": "center", "va": "center", "zorder": 3, "backgroundcolor": "w"}
        self.ax.text(0.5, 0.5, lines, transform=self.ax.transAxes, **style)

    def name_items(self, names: list[str], index: Array, what: str, around: float = 0.0) -> None:
        """Names beside a list, or positions below a row; titles and a legend will take so many points."""
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        if self.listed:
            room = max(height_of(self.ax) - around, 0.25 * height_of(self.ax))
            step = int(np.ceil(self.n_items * SMALLEST_NAME / (0.85 * room)))  # 1 unless the axes are very low
            size = min(10.0, max(SMALLEST_NAME, 0.85 * room / self.n_items))
            all_beside = self.ax.get_shared_y_axes().get_siblings(self.ax)
            longest = int(sum(map(width_of, all_beside)) / (4 * LETTER))  # a quarter of the width is for the names
            shown = shortened(names, min(max(longest, 8), LONGEST_NAME))[::step]
            self.ax.set_yticks(np.arange(0, self.n_items, step), shown, fontsize=size, parse_math=False)
            self.ax.set_ylim(self.n_items - 0.5, -0.5)
            self.ax.tick_params(axis="y", length=0)
            return

        def position(x: float, _: Any) -> str:
            return str(index[int(x)]) if x == int(x) and 0 <= x < self.n_items else ""

        self.ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        self.ax.xaxis.set_major_formatter(FuncFormatter(position))
        self.ax.set_xlim(-0.5, self.n_items - 0.5)
        if self.ax.get_subplotspec() is None or self.ax.get_subplotspec().is_last_row():
            self.ax.set_xlabel(what)

    def name_values(self, lowest: Array, highest: Array) -> None:
        """The axis of the values: logarithmic where half of the items would be a hundredth of the width."""
        label = f"value / 1e{self.power}" if self.power else "value"
        sizes = np.fmax(np.abs(lowest), np.abs(highest))
        sizes = sizes[sizes > 0]
        if len(sizes) and sizes.max() / 100 > np.median(sizes):
            label += f" ({self._logarithmic(np.nanmin(self._drawn(lowest)), self._drawn(sizes))})"
        set_label = self.ax.set_xlabel if self.listed else self.ax.set_ylabel
        set_label(self._broken(label))
        if not self.listed:
            self.ax.margins(y=0.1)
        self.ax.grid(axis="x" if self.listed else "y", color="#DDDDDD", linewidth=0.6)
        self.ax.set_axisbelow(True)
        if self.listed and width_of(self.ax) < NARROW / 2:
            self.ax.tick_params(axis="x", labelsize="x-small")
        for side in ("top", "right", "left") if self.listed else ("top", "right"):
            self.ax.spines[side].set_visible(False)

    def _broken(self, label: str) -> str:
        """In as many lines as the width needs; beside an axis of values, in two."""
        first, scale, rest = label.partition(" (")
        room = width_of(self.ax) / LETTER if self.listed else 0
        if len(label) <= room or not scale:
            return label
        label = f"{first}\n({rest}"
        return label if len(rest) < room or not self.listed else label.replace(", linear", ",\nlinear")

    def _logarithmic(self, lowest: float, sizes: Array) -> str:
        """Takes a logarithmic scale, about 0 where there are values of 0 and below, and says so."""
        scale, axis = (self.ax.set_xscale, self.ax.xaxis) if self.listed else (self.ax.set_yscale, self.ax.yaxis)
        if lowest > 0:
            scale("log")
            return "log scale"
        smallest = max(sizes.min(), sizes.max() * 1e-9)
        decades = np.log10(sizes.max() / smallest)
        # what is about 0 takes a quarter of the width or more, so that the labels there stand apart
        linear = 10.0 ** np.floor(np.log10(smallest))
        scale("symlog", linthresh=linear, linscale=max(1.0, 0.3 * decades))
        axis.get_major_locator().set_params(numticks=6)  # more would overlap
        if lowest == 0:
            (self.ax.set_xlim if self.listed else self.ax.set_ylim)(0)
        return f"symmetric log scale, linear up to {linear:g}"

    def _drawn(self, values: Any) -> Any:
        return values if not self.power else np.asarray(values) / 10.0**self.power

    def _edges(self, half: float) -> Array:
        """Both ends of the place of each item, then a gap."""
        items = np.arange(self.n_items)
        return np.stack([items - half, items + half, np.full(self.n_items, np.nan)], axis=1).ravel()


def shortened(names: list[str], longest: int = LONGEST_NAME) -> list[str]:
    """Long names without their middle, told apart by their position where that makes them equal."""
    kept = [" ".join(name.split()) for name in names]
    half = longest // 2
    cut = [name if len(name) <= longest else f"{name[:half]}…{name[1 - half :]}" for name in kept]
    return [f"{name} #{i}" if cut.count(name) > 1 else name for i, name in enumerate(cut)]


def new_legend(place: Place, handles: list[Any], labels: list[str]) -> Any:
    """Below an own figure; in a figure of others below the last axes, from where its labels end."""
    style: dict[str, Any] = {"frameon": False, "fontsize": "small"}
    if not handles:
        fit(place, None)
        return None
    if place.own:
        columns = len(handles) if len(handles) < 6 else 4
        return place.figure.legend(handles, labels, loc="outside lower center", ncols=columns, **style)
    from matplotlib.transforms import ScaledTranslation

    ax, wide = place.axes[-1], width_of_all(place.axes)
    labels_end = LABELS + LINE_HEIGHT * max(a.get_xlabel().count("\n") for a in place.axes)
    below = ax.transAxes + ScaledTranslation(0, -labels_end / 72, place.figure.dpi_scale_trans)
    style |= {"loc": "upper right", "bbox_to_anchor": (1, 0), "bbox_transform": below, "borderaxespad": 0}
    if wide < 2 * NARROW:
        style |= {"fontsize": "x-small", "columnspacing": 1.0, "labelspacing": 0.2, "handlelength": 1.4}
    for columns in range(min(len(handles), 5), 0, -1):
        legend = ax.legend(handles, labels, ncols=columns, **style)
        extent = legend.get_window_extent()
        if extent.width * 72 / ax.figure.dpi <= wide:
            break
    # It may be wider than the axes, which a layout would make narrower still: what it is to keep free is the height.
    legend.set_in_layout(False)
    height = labels_end + extent.height * 72 / ax.figure.dpi
    if place.box is None:
        ax.annotate(" ", (1, 0), (0, -height), xycoords="axes fraction", textcoords="offset points", fontsize=1)
    fit(place, legend)
    return legend


def png_of(figure: Any) -> bytes:
    """A figure as notebooks show it."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()
