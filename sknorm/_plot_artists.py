"""F4, what both displays draw with: axes, bars and bands of items, marks, names. matplotlib is imported in functions.

Items (features, samples, entries) stand in a list from top to bottom with their names where they are few, and along
the x axis where they are many; `Panel` knows which. Three tones of one hue and black differ in lightness, so that they
do in grey too, and the marks differ in shape.
"""

from __future__ import annotations

import io
from textwrap import fill
from typing import Any

import numpy as np

from . import _plot_errors, _validation
from ._precision import Array

TONES = ("#D3E4F1", "#92BFDF", "#4A90C2")
GREYS = "#8C8C8C"
LINE = "#08243F"
MARKS = {"color": "#C44E00", "markersize": 6, "markeredgewidth": 1.5, "zorder": 3}

FEW = 40  # items that are listed by name; beyond, the list is longer than a screen
ROOM = 7.0  # points that a line of the list needs
LABELS = 36.0  # points that ticks and label of an axis take
LEGEND_LINE = 14.0  # points that a line of the legend takes
LETTER = 5.0  # points that a letter of a title takes, at most about
LONGEST_NAME = 24

# Beyond these powers of ten the limits and ticks of an axis overflow or vanish.
EXTREME = 100


def new_axes(ax: Any, n_panels: int, n_items: int, heights: tuple[float, float]) -> tuple[Any, Array, bool]:
    """Figure, axes of the panels, and whether items are listed: of an own figure, or in the axes given.

    ``heights`` are those of what is not the list, and of the own figure without a list, in inches. The own figure is
    unknown to pyplot, so that nothing of it stays behind.
    """
    few = n_items <= FEW
    if ax is None:
        figure_class = _figure_class()
        size = (9.6, heights[0] + 0.25 * max(n_items, 3) if few else heights[1])
        figure = figure_class(figsize=size, layout="constrained")
        return figure, np.ravel(figure.subplots(**_grid(n_panels, few))), few
    axes = np.ravel(np.asarray(ax, dtype=object))
    if len(axes) not in (1, n_panels) or not all(hasattr(a, "get_subplotspec") for a in axes):
        raise _plot_errors.no_axes(n_panels, ax)
    if few:
        few = min(_height(a) for a in axes) >= ROOM * n_items
    if len(axes) < n_panels:
        axes = np.ravel(_cells(axes[0], _grid(n_panels, few)))
    return axes[0].figure.figure, axes, few  # the whole figure, of a part of it too


def _figure_class() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise _validation.missing_extra("matplotlib", "plot") from error
    return Figure


def _grid(n_panels: int, few: bool) -> dict[str, Any]:
    if few:
        return {"nrows": 1, "ncols": n_panels, "sharey": True}
    return {"nrows": n_panels, "ncols": 1, "sharex": True}


def _cells(ax: Any, grid: dict[str, Any]) -> Any:
    """Axes in the place of one, which is left empty."""
    from matplotlib.gridspec import GridSpec, GridSpecFromSubplotSpec

    ax.set_axis_off()
    shape = (grid.pop("nrows"), grid.pop("ncols"))
    if (spec := ax.get_subplotspec()) is not None:
        return GridSpecFromSubplotSpec(*shape, spec).subplots(**grid)
    box = ax.get_position()
    cells = GridSpec(*shape, figure=ax.figure, left=box.x0, right=box.x1, bottom=box.y0, top=box.y1)
    return cells.subplots(**grid)


def _height(ax: Any) -> float:
    """In points."""
    return float(ax.get_window_extent().height * 72 / ax.figure.dpi)


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

    def guides(self, values: Any, linestyle: Any = (0, (4, 3))) -> None:
        """Lines at those values that are in sight."""
        line, view = (self.ax.axvline, self.ax.get_xlim()) if self.listed else (self.ax.axhline, self.ax.get_ylim())
        with np.errstate(over="ignore"):
            values = self._drawn(np.asarray(values))
        for value in values:
            if view[0] <= value <= view[1]:
                line(value, color=LINE, linewidth=0.8, linestyle=linestyle, zorder=1.5)

    def title(self, text: str) -> None:
        """Lines of text above, broken where they would be wider than the axes."""
        wide = self.ax.get_window_extent().width * 72 / self.ax.figure.dpi
        lines = [fill(line, max(12, int(wide / LETTER))) for line in text.splitlines()]
        self.ax.set_title("\n".join(lines), fontsize="medium")

    def name_items(self, names: list[str], index: Array, what: str) -> None:
        """Names beside a list, and positions below a row."""
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        if self.listed:
            size = min(10.0, 0.85 * _height(self.ax) / self.n_items)
            self.ax.set_yticks(np.arange(self.n_items), shortened(names), fontsize=size, parse_math=False)
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
        set_label(label if self.listed else label.replace(" (", "\n("))
        if not self.listed:
            self.ax.margins(y=0.1)
        self.ax.grid(axis="x" if self.listed else "y", color="#DDDDDD", linewidth=0.6)
        self.ax.set_axisbelow(True)
        for side in ("top", "right", "left") if self.listed else ("top", "right"):
            self.ax.spines[side].set_visible(False)

    def _logarithmic(self, lowest: float, sizes: Array) -> str:
        """Takes a logarithmic scale, about 0 where there are values of 0 and below, and says so."""
        scale, axis = (self.ax.set_xscale, self.ax.xaxis) if self.listed else (self.ax.set_yscale, self.ax.yaxis)
        if lowest > 0:
            scale("log")
            return "log scale"
        smallest = max(sizes.min(), sizes.max() * 1e-9)
        decades = np.log10(sizes.max() / smallest)
        # what is about 0 takes a quarter of the width or more, so that the labels there stand apart
        scale("symlog", linthresh=10.0 ** np.floor(np.log10(smallest)), linscale=max(1.0, 0.3 * decades))
        axis.get_major_locator().set_params(numticks=6)  # more would overlap
        if lowest == 0:
            (self.ax.set_xlim if self.listed else self.ax.set_ylim)(0)
        return "symmetric log scale"

    def _drawn(self, values: Any) -> Any:
        return values if not self.power else np.asarray(values) / 10.0**self.power

    def _edges(self, half: float) -> Array:
        """Both ends of the place of each item, then a gap."""
        items = np.arange(self.n_items)
        return np.stack([items - half, items + half, np.full(self.n_items, np.nan)], axis=1).ravel()


def shortened(names: list[str]) -> list[str]:
    """Long names without their middle, told apart by their position where that makes them equal."""
    kept = [" ".join(name.split()) for name in names]
    half = LONGEST_NAME // 2
    cut = [name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[1 - half :]}" for name in kept]
    return [f"{name} #{i}" if cut.count(name) > 1 else name for i, name in enumerate(cut)]


def new_legend(figure: Any, axes: Array, own: bool, handles: list[Any], labels: list[str]) -> Any:
    """Below an own figure; in a figure of others below the last axes, from where its labels end."""
    style = {"frameon": False, "fontsize": "small"}
    if own:
        columns = len(handles) if len(handles) < 6 else 4
        return figure.legend(handles, labels, loc="outside lower center", ncols=columns, **style)
    from matplotlib.transforms import ScaledTranslation

    ax = axes[-1]
    below = ax.transAxes + ScaledTranslation(0, -LABELS / 72, figure.dpi_scale_trans)
    place = {"loc": "upper right", "bbox_to_anchor": (1, 0), "bbox_transform": below, "borderaxespad": 0}
    legend = ax.legend(handles, labels, ncols=2, **place, **style)
    # It may be wider than the axes, which a layout would make narrower still: what it is to keep free is the height.
    legend.set_in_layout(False)
    height = LABELS + LEGEND_LINE * -(-len(handles) // 2)
    ax.annotate(" ", (1, 0), (0, -height), xycoords="axes fraction", textcoords="offset points", fontsize=1)
    return legend


def png_of(figure: Any) -> bytes:
    """A figure as notebooks show it."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()
