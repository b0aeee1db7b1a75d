"""F4, where a display draws: in a figure of its own, in axes that are given, or in the box of one that is divided.

A figure of pyplot without a layout takes the constrained one, which makes room for names, titles and legend. Where the
user chose a layout it stays; and one axes in no grid, or in one that was adjusted by hand, is divided inside its box.
"""

from __future__ import annotations

from textwrap import wrap
from typing import Any, NamedTuple

import numpy as np

from . import _plot_errors, _validation
from ._precision import Array

FEW = 40  # items that are listed by name; beyond, the list is longer than a screen
ROOM = 7.0  # points that a line of the list needs
LABELS = 36.0  # points that ticks and label of an axis take
AROUND = 60.0  # points that a title above and a legend below take, of the height
ROW = 75.0  # points that a panel with its title needs in a column of panels
GAPS = (16.0, 26.0)  # points between panels beside and above each other


class Place(NamedTuple):
    """Figure, panels, whether items are listed, whether all is its own, a box to stay in, whether axes were divided."""

    figure: Any
    axes: Array
    listed: bool
    own: bool
    box: Any = None
    divided: bool = False

    @property
    def around(self) -> float:
        """Points of height that titles and a legend will take of a panel, about."""
        return 0.0 if self.own else min(AROUND, (0.5 if self.divided else 0.3) * height_of(self.axes[0]))


def new_place(ax: Any, n_panels: int, n_items: int, heights: tuple[float, float]) -> Place:
    """Where to draw.

    ``heights`` are those of what is not the list, and of the own figure without a list, in inches. The own figure is
    unknown to pyplot, so that nothing of it stays behind.
    """
    few = n_items <= FEW
    if ax is None:
        figure_class = _figure_class()
        size = (9.6, heights[0] + 0.25 * max(n_items, 3) if few else heights[1])
        figure = figure_class(figsize=size, layout="constrained")
        return Place(figure, np.ravel(figure.subplots(**_grid(n_panels, few))), few, True)
    axes = np.ravel(np.asarray(ax, dtype=object))
    _check(axes, n_panels, ax)
    figure = axes[0].figure.figure  # the whole figure, of a part of it too
    height = min(height_of(a) for a in axes)
    if len(axes) < n_panels:
        few = (few and height - AROUND >= ROOM * n_items) or height < ROW * n_panels
    else:
        few = few and height >= ROOM * n_items
    for a in axes:
        _empty(a)
    in_grid = all(a.get_subplotspec() is not None for a in axes)
    if in_grid and figure.get_layout_engine() is None and not _is_adjusted(figure):
        figure.set_layout_engine("constrained")
    if len(axes) == n_panels:
        return Place(figure, axes, few, False)
    axes[0].set_axis_off()
    if in_grid and figure.get_layout_engine() is not None:
        panels, box = np.ravel(_cells(axes[0], _grid(n_panels, few))), None
    else:
        panels, box = _free(axes[0], n_panels, few), axes[0].get_position()
    axes[0]._sknorm_panels = panels  # for the next who draws there
    return Place(figure, panels, few, False, box, divided=True)


def _figure_class() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise _validation.missing_extra("matplotlib", "plot") from error
    return Figure


def _check(axes: Array, n_panels: int, got: Any) -> None:
    if len(axes) not in (1, n_panels) or not all(hasattr(a, "get_subplotspec") for a in axes):
        raise _plot_errors.no_axes(n_panels, f"{got!r:.60}")
    if strange := [a.name for a in axes if a.name != "rectilinear"]:
        raise _plot_errors.no_axes(n_panels, f"{strange[0]} axes")
    if any(a.figure is None or a not in a.figure.axes for a in axes):
        raise _plot_errors.no_axes(n_panels, "axes that were removed from their figure")
    if len(set(axes)) < len(axes):
        raise _plot_errors.no_axes(n_panels, "the same axes more than once")
    if len({a.figure.figure for a in axes}) > 1:
        raise _plot_errors.no_axes(n_panels, "axes of several figures")


def _empty(ax: Any) -> None:
    """Removes what was drawn; `Axes.clear` would give the labels back that shared axes have once."""
    for panel in vars(ax).pop("_sknorm_panels", ()):
        if panel.figure is not None and panel in panel.figure.axes:
            panel.remove()
    drawn = [*ax.lines, *ax.collections, *ax.patches, *ax.images, *ax.texts, *ax.artists, *ax.tables]
    drawn += [legend] if (legend := ax.get_legend()) is not None else []
    for artist in drawn:
        artist.remove()
    if drawn:
        ax.relim()
        ax.autoscale()


def _is_adjusted(figure: Any) -> bool:
    """Whether `subplots_adjust` was called."""
    from matplotlib.figure import SubplotParams

    usual = SubplotParams()
    sides = ("left", "right", "bottom", "top", "wspace", "hspace")
    return any(getattr(figure.subplotpars, side) != getattr(usual, side) for side in sides)


def _grid(n_panels: int, few: bool) -> dict[str, Any]:
    if few:
        return {"nrows": 1, "ncols": n_panels, "sharey": True}
    return {"nrows": n_panels, "ncols": 1, "sharex": True}


def _cells(ax: Any, grid: dict[str, Any]) -> Any:
    """Axes in the place of one, which is left empty."""
    from matplotlib.gridspec import GridSpecFromSubplotSpec

    return GridSpecFromSubplotSpec(grid.pop("nrows"), grid.pop("ncols"), ax.get_subplotspec()).subplots(**grid)


def _free(ax: Any, n_panels: int, few: bool) -> Array:
    """The same without a grid, which a layout would spread over the figure."""
    axes: list[Any] = []
    for _ in range(n_panels):
        shared = {"sharey" if few else "sharex": axes[0]} if axes else {}
        axes.append(ax.figure.add_axes(ax.get_position(), **shared))
    for inner in axes[1:] if few else axes[:-1]:
        inner.tick_params(**({"labelleft": False} if few else {"labelbottom": False}))
    found = np.array(axes, dtype=object)
    _set_positions(found, few, ax.get_position())
    return found


def fit(place: Place, legend: Any) -> None:
    """Move the panels so that they and their texts fill the box they have to stay in."""
    if place.box is None:
        return
    from matplotlib.transforms import Bbox

    if not place.listed:
        for ax in place.axes[:-1]:
            ax.set_xlabel("")
    to_fraction = place.axes[0].figure.transSubfigure.inverted()
    inner = place.box.extents
    for _ in range(3):
        parts = [ax.get_tightbbox() for ax in place.axes]
        parts += [legend.get_window_extent()] if legend is not None else []
        inner = inner + place.box.extents - Bbox.union(parts).transformed(to_fraction).extents
        inner[2:] = np.maximum(inner[2:], inner[:2] + 0.01)
        _set_positions(place.axes, place.listed, Bbox.from_extents(*inner))
        for ax in place.axes:
            _make_smaller(ax, place.listed)


def _make_smaller(ax: Any, listed: bool) -> None:
    """Names and titles of a panel that became smaller."""
    wide = max(10, int(width_of(ax) / 4.2))  # letters of a small title
    lines = [line for long in ax.get_title().splitlines() for line in wrap(long, wide)]
    if len(lines) > ax.get_title().count("\n") + 1:
        ax.set_title("\n".join(lines), fontsize="small")
    if listed and len(names := ax.get_yticklabels()):
        size = max(1.0, 0.85 * height_of(ax) / len(names))
        for name in names:
            name.set_fontsize(min(name.get_fontsize(), size))


def _set_positions(axes: Array, few: bool, box: Any) -> None:
    """Beside each other if there are few items, else above each other, with a gap."""
    n, part = len(axes), axes[0].figure.bbox
    wide = min(GAPS[0] / 72 * axes[0].figure.dpi / part.width, 0.3 * box.width)
    high = min(GAPS[1] / 72 * axes[0].figure.dpi / part.height, 0.3 * box.height)
    for i, ax in enumerate(axes):
        if few:
            width = (box.width - (n - 1) * wide) / n
            ax.set_position([box.x0 + i * (width + wide), box.y0, width, box.height])
        else:
            height = (box.height - (n - 1) * high) / n
            ax.set_position([box.x0, box.y0 + (n - 1 - i) * (height + high), box.width, height])


def height_of(ax: Any) -> float:
    """In points."""
    return float(ax.get_window_extent().height * 72 / ax.figure.dpi)


def width_of(ax: Any) -> float:
    """In points."""
    return float(ax.get_window_extent().width * 72 / ax.figure.dpi)


def width_of_all(axes: Any) -> float:
    """From the left of the first to the right of the last, in points."""
    boxes = [ax.get_window_extent() for ax in axes]
    return float((max(box.x1 for box in boxes) - min(box.x0 for box in boxes)) * 72 / axes[0].figure.dpi)
