"""F4, one vector under the row norms: sum 1, variance 1, mean square 1."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from . import _plot_errors
from ._containers import frame_kind, to_values
from ._plot_aims import constraint_of, counted, guides_of, shared_guide_label_of
from ._plot_artists import GREYS, MARKS, TONES, Panel, new_legend, png_of
from ._plot_places import new_place
from ._precision import Array
from ._row_layer_norm import RowLayerNorm
from ._row_rms_norm import RowRMSNorm
from ._row_softmax import RowSoftmax
from ._sample_transformer import SampleTransformer


class RowNormDisplay:
    """One vector, and what the row norms make of it, each with its constraint.

    Up to 40 entries are listed, more stand side by side along the x axis.

    It is made by `from_vector`; the parameters are what it computes.

    Parameters
    ----------
    vector : ndarray of shape (n_entries,)
        The vector; NaN is missing.
    images : list of ndarray of shape (n_entries,)
        What each norm makes of it.
    names : list of str
        Of the entries.
    titles : list of tuples of three str
        Above the axes, for the vector and for each norm: what, and name and formula of its constraint.
    guides : list of tuples of float
        Where the dashed lines stand, for the vector and for each norm.
    guide_label : str, default="aim"
        What they are, in the legend.

    Attributes
    ----------
    figure_ : matplotlib Figure
        Its method ``savefig`` keeps the picture.
    ax_ : ndarray of Axes
        One for the vector, and one for each norm.
    bars_ : ndarray of PolyCollection
        Bars from 0, one collection in each axes.
    marks_ : ndarray of Line2D
        Marks at missing entries, one in each axes if there are any.

    See Also
    --------
    NormalizationDisplay : many samples, before and after.

    Examples
    --------
    >>> from sknorm.plotting import RowNormDisplay
    >>> RowNormDisplay.from_vector([3.0, 1.0, -2.0, 0.5])
    <RowNormDisplay of 4 entries; figure_.savefig("picture.png") keeps it>
    """

    def __init__(
        self,
        *,
        vector: Array,
        images: list[Array],
        names: list[str],
        titles: list[tuple[str, str, str]],
        guides: list[tuple[float, ...]],
        guide_label: str = "aim",
    ) -> None:
        self.vector = vector
        self.images = images
        self.names = names
        self.titles = titles
        self.guides = guides
        self.guide_label = guide_label

    @classmethod
    def from_vector(cls, x: Any, norms: Any = None, names: Any = None, ax: Any = None) -> Self:
        """Normalise one vector in several ways, and draw it.

        Parameters
        ----------
        x : array-like of shape (n_entries,)
            A pandas Series gives the names of its index.
        norms : row norm, or sequence of them, default=None
            None takes `RowSoftmax`, `RowLayerNorm` and `RowRMSNorm` as they come; pass
            ``[RowSoftmax(temperature=10), RowLayerNorm()]`` for others.
        names : sequence of str of length n_entries, default=None
            Of the entries.
        ax : matplotlib Axes, or as many as norms and one more, default=None
            Where to draw, after what is there is removed. One is divided. None makes a figure, which pyplot does not
            know. A figure of your own that has no layout takes the constrained one, for names and legend.

        Returns
        -------
        display : RowNormDisplay

        Raises
        ------
        TypeError
            For norms that are none of the three.
        ValueError
            For anything but one vector of finite or missing numbers, or another number of names.
        ImportError
            Without matplotlib.
        """
        if norms is None:
            norms = [RowSoftmax(), RowLayerNorm(), RowRMSNorm()]
        elif hasattr(norms, "transform") or not isinstance(norms, Iterable):  # a pipeline too could be iterated over
            norms = [norms]
        norms = list(norms)
        for norm in norms:
            if not isinstance(norm, SampleTransformer):
                raise _plot_errors.no_display("row norms", norm)
        X, own_names = _one_sample(x)
        width = X.shape[-1]
        # a clone takes any width, and is not told the names
        images = [to_values(clone(norm).transform(X.copy()))[0, :width].astype(np.float64) for norm in norms]
        names = own_names if names is None else [str(name) for name in names]
        if len(names) != width:
            raise _plot_errors.wrong_number_of_names(width, len(names))
        titles = [(type(norm).__name__, *constraint_of(norm)) for norm in norms]
        display = cls(
            vector=X[0].astype(np.float64),
            images=images,
            names=names,
            titles=[("The vector", "as it is", counted(width, "entry")), *titles],
            guides=[(), *map(guides_of, norms)],
            guide_label=shared_guide_label_of(norms),
        )
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw it, once more perhaps.

        Parameters
        ----------
        ax : matplotlib Axes, or as many as norms and one more, default=None
            Where to draw, as in `from_vector`.

        Returns
        -------
        display : itself
        """
        n, rows = len(self.names), [self.vector, *self.images]
        place = new_place(ax, len(rows), n, (1.5, 1.8 * len(rows)))
        self.figure_, self.ax_, listed, self._own = place[:4]
        around = place.around
        bars, marks, guides = [], [], []
        for i, (ax, y) in enumerate(zip(self.ax_, rows, strict=True)):
            y = np.where(np.isfinite(y), y, np.nan)
            panel = Panel(ax, n, listed, np.nanmax(np.abs(y), initial=0))
            colour = TONES[2] if i else GREYS
            bars.append(panel.bands(0.0, y, 0.36 if listed else 0.5, color=colour, zorder=1))
            if len(missing := np.flatnonzero(np.isnan(y))):
                marks.append(panel.edge_marks(missing, marker="x", **MARKS))
            panel.name_items(self.names, np.arange(n), "entry", around)
            panel.name_values(np.zeros(n), np.zeros(n))
            if not np.nanmax(np.abs(y), initial=0):
                panel.note("constant: all zeros" if len(missing) < n else "all missing")
                (ax.set_xlim if listed else ax.set_ylim)(-1.1, 1.1)
            panel.guides([0.0], linestyle="-")
            guides += panel.guides([value for value in self.guides[i] if value])
            panel.title(("{}\n{}\n{}" if listed else "{}: {} ({})").format(*self.titles[i]))
        self.bars_, self.marks_ = np.array(bars), np.array(marks)
        label = f"missing: {counted(int(np.isnan(self.vector).sum()), 'entry')}"
        labels = [*[label][: len(marks)], *[self.guide_label][: len(guides)]]
        new_legend(place, [*marks[:1], *guides[:1]], labels)
        return self

    def _repr_png_(self) -> bytes | None:
        return png_of(self.figure_) if getattr(self, "_own", False) else None

    def __repr__(self) -> str:
        count = counted(len(self.names), "entry")
        return f'<{type(self).__name__} of {count}; figure_.savefig("picture.png") keeps it>'


def _one_sample(x: Any) -> tuple[Array, list[str]]:
    """A vector as one sample of real numbers, and the names of its entries."""
    if hasattr(x, "to_frame"):  # a Series of pandas or polars
        values = to_values(x.to_frame())[:, 0]
        names = x.index if hasattr(x, "index") and frame_kind(x.to_frame()) == "pandas" else range(len(values))
        return values[np.newaxis], [str(name) for name in names]
    shape = np.shape(x)
    if len(shape) != 1:
        raise _plot_errors.no_vector(shape)
    values = to_values(x[None, :] if hasattr(x, "shape") else [x])
    return values, [str(j) for j in range(values.shape[-1])]
