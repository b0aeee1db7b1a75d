"""F4, data before and after: a bar for each feature, or for each sample."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _parameters, _plot_errors
from ._containers import frame_kind, to_values
from ._dataset_transformer import DatasetTransformer
from ._plot_aims import aim_of, counted, guide_label_of, guides_of
from ._plot_artists import LINE, MARKS, TONES, Panel, new_legend, png_of
from ._plot_places import new_place
from ._plot_quantiles import Quantiles, features_of, quantiles_of, samples_of
from ._plot_samples import chosen, kinds_of, kinds_of_samples
from ._precision import Array
from ._sample_transformer import SampleTransformer

MOST_SAMPLES = 200  # of which a row can be read; features are all drawn, since no two are alike


class NormalizationDisplay:
    """Data before and after one of the five transformers.

    Each feature (`MinMaxNormalizer`, `Standardizer`) or sample (the row norms) is a bar in three tones: from its
    smallest to its largest value, from 5 to 95 % and from 25 to 75 % of its values; a line marks the median. Up to 40
    are listed by name, more stand side by side along the x axis. Features and samples with missing values, without any
    value, or of one value only are marked, and the legend counts them. Dashed lines show what the transformer aims at:
    the ends of the range, or 0 and 1 (and -1) standard deviation or root mean square.

    It is made by `from_estimator`; the parameters are what it computes.

    Parameters
    ----------
    before, after : Quantiles
        Of each item, ``levels`` of shape (7, n_items), at 0, 5, 25, 50, 75, 95 and 100 %, and the share ``missing``.
    names : list of str
        Of the items.
    index : ndarray of int of shape (n_items,)
        Their positions among all features or samples.
    item : {"feature", "sample"}
        What an item is.
    titles : tuple of two str
        Above the two axes.
    guides : tuple of float, default=()
        Where the dashed lines stand.
    guide_label : str, default="aim"
        What they are, in the legend.
    totals : dict of int, default=None
        How many of all samples, drawn or not, need each of the `marks_`; None counts the items that are drawn.

    Attributes
    ----------
    figure_ : matplotlib Figure
        Its method ``savefig`` keeps the picture.
    ax_ : ndarray of two Axes
        Before and after.
    bands_ : ndarray of PolyCollection of shape (2, 3)
        The three tones, the widest first.
    medians_ : ndarray of two Line2D
        The medians.
    marks_ : dict of ndarrays of two Line2D
        The marks, by what they mark: "constant", "missing in part", "missing"; only those that are needed.
    legend_ : matplotlib Legend
        What the tones and the marks mean.

    See Also
    --------
    RowNormDisplay : one vector under the three row norms.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sknorm import Standardizer
    >>> from sknorm.plotting import NormalizationDisplay
    >>> X = load_wine(as_frame=True).data
    >>> NormalizationDisplay.from_estimator(Standardizer().fit(X), X, features=["alcohol", "proline"])
    <NormalizationDisplay of 2 features; figure_.savefig("picture.png") keeps it>
    """

    def __init__(
        self,
        *,
        before: Quantiles,
        after: Quantiles,
        names: list[str],
        index: Array,
        item: str,
        titles: tuple[str, str],
        guides: tuple[float, ...] = (),
        guide_label: str = "aim",
        totals: dict[str, int] | None = None,
    ) -> None:
        self.before = before
        self.after = after
        self.names = names
        self.index = index
        self.item = item
        self.titles = titles
        self.guides = guides
        self.guide_label = guide_label
        self.totals = totals

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, features: Any = None, ax: Any = None) -> Self:
        """Transform data, and draw them before and after.

        Parameters
        ----------
        estimator : one of the five transformers
            `MinMaxNormalizer` and `Standardizer` have to be fitted; the row norms need not.
        X : array-like, sparse matrix or DataFrame of shape (n_samples, ..., n_features)
            What the estimator transforms; all axes but the last are pooled. Of more than 200 samples of a row norm,
            200 are drawn, chosen at random and the same each time: all that need a mark, as far as every kind of
            sample has its part. A sparse matrix is made dense one feature or sample at a time.
        features : str, int, slice, or array-like of names, indices or booleans, default=None
            The features to draw, in that order, of `MinMaxNormalizer` and `Standardizer`; None draws all. A row norm
            is drawn by sample, so select these: ``X[:20]``.
        ax : matplotlib Axes, or two of them, default=None
            Where to draw, after what is there is removed. One is divided into two. None makes a figure, which pyplot
            does not know. A figure of your own that has no layout takes the constrained one, for names and legend.

        Returns
        -------
        display : NormalizationDisplay

        Raises
        ------
        TypeError
            For any other estimator, and for dask collections.
        NotFittedError
            Where fit is missing.
        ValueError
            For data that the estimator refuses, unknown features, and ``features`` for a row norm.
        ImportError
            Without matplotlib.
        """
        if not isinstance(estimator, DatasetTransformer | SampleTransformer):
            raise _plot_errors.no_display("one of the five transformers", estimator)
        by_feature = isinstance(estimator, DatasetTransformer)
        if by_feature:
            check_is_fitted(estimator)
        elif features is not None:
            raise _plot_errors.features_of_samples(type(estimator).__name__, features)
        norm = copy(estimator)
        if not norm.copy:
            norm.copy = True  # X is drawn, and must not be written over
        values = to_values(X)
        image = to_values(norm.transform(X))
        if 0 in values.shape:
            raise _plot_errors.nothing_to_draw(values.shape)

        width, n_samples = values.shape[-1], int(np.prod(values.shape[:-1]))
        totals = None
        if by_feature:
            fitted = getattr(norm, "feature_names_in_", None)
            index = np.arange(width) if features is None else _parameters.check_features(features, fitted, width)
            names = [f"x{j}" if fitted is None else str(fitted[j]) for j in index]
            before, after = (quantiles_of(features_of(v, index)) for v in (values, image))
            count = f"{len(index)} of {width} features" if len(index) < width else counted(width, "feature")
            count += f", {counted(n_samples, 'sample')}"
        else:
            kinds = kinds_of_samples(values)
            totals = {what: int(mask.sum()) for what, mask in kinds.items()}
            index = chosen(kinds, MOST_SAMPLES)
            names = _sample_names(X, values.shape[:-1], index)
            image = image[..., :width]  # without kept statistics
            before, after = (quantiles_of(samples_of(v, index)) for v in (values, image))
            count = f"{len(index)} of {n_samples} samples" if len(index) < n_samples else counted(n_samples, "sample")
            count += f" of {counted(width, 'feature')}"
        display = cls(
            before=before,
            after=after,
            names=names,
            index=index,
            item="feature" if by_feature else "sample",
            titles=(f"Before\n{count}", f"After {type(estimator).__name__}\n{aim_of(norm)}"),
            guides=guides_of(norm),
            guide_label=guide_label_of(norm),
            totals=totals,
        )
        return display.plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw it, once more perhaps.

        Parameters
        ----------
        ax : matplotlib Axes, or two of them, default=None
            Where to draw, as in `from_estimator`.

        Returns
        -------
        display : itself
        """
        n = len(self.names)
        place = new_place(ax, 2, n, (1.6, 6.0))
        self.figure_, self.ax_, listed, self._own = place[:4]
        around = place.around
        half = 0.33 if listed else 0.5
        bands, medians = [], []
        self.marks_: dict[str, Array] = {}
        panels = []
        for ax, title, quantiles in zip(self.ax_, self.titles, (self.before, self.after), strict=True):
            levels = quantiles.levels
            panel = Panel(ax, n, listed, np.nanmax(np.abs(levels), initial=0))
            panels.append(panel)
            bands.append(
                [panel.bands(levels[i], levels[-1 - i], half, color=TONES[i], zorder=1 + i / 10) for i in range(3)]
            )
            medians.append(panel.lines(levels[3], half, color=LINE, linewidth=1.6, zorder=2))
            panel.name_items(self.names, self.index, self.item, around)
            panel.name_values(levels[0], levels[-1])
            panel.title(title)
        if listed and self.item == "sample":
            self.ax_[0].set_ylabel("sample")
        guides = panels[1].guides(self.guides)
        self.bands_, self.medians_ = np.array(bands), np.array(medians)
        self._mark(panels)
        seen = self._tones_seen()
        handles = [*self.bands_[0][seen], self.medians_[0], *(marks[0] for marks in self.marks_.values()), *guides[:1]]
        tones = np.array(["minimum to maximum", "5 to 95 %", "25 to 75 %"])[seen]
        labels = [*tones, "median", *self._mark_labels(), *[self.guide_label][: len(guides)]]
        self.legend_ = new_legend(place, handles, labels)
        return self

    def _tones_seen(self) -> Array:
        """Which of the three bands are more than a line, and not hidden behind the next, anywhere."""
        levels = np.stack([self.before.levels, self.after.levels])
        steps = np.asarray((levels[:, :-1] < levels[:, 1:]).any(axis=(0, 2)))
        return np.asarray(steps[:3] | steps[:2:-1])

    def _mark(self, panels: list[Panel]) -> None:
        for what, items in self._marked().items():
            drawn = []
            for panel, quantiles in zip(panels, (self.before, self.after), strict=True):
                if what == "constant":
                    values = quantiles.levels[3, items]
                    drawn.append(panel.points(items, values, marker="D", fillstyle="none", clip_on=False, **MARKS))
                else:
                    drawn.append(panel.edge_marks(items, marker="s" if what == "missing" else "x", **MARKS))
            self.marks_[what] = np.array(drawn)

    def _marked(self) -> dict[str, Array]:
        """Which items need a mark."""
        kinds = kinds_of(self.before.constant, self.before.missing)
        return {what: np.flatnonzero(mask) for what, mask in kinds.items() if mask.any()}

    def _mark_labels(self) -> list[str]:
        words = {"constant": "one value only", "missing in part": "some values missing", "missing": "all missing"}
        labels = []
        for what, items in self._marked().items():
            total = len(items) if self.totals is None else self.totals[what]
            drawn = f", {len(items)} drawn" if len(items) < total else ""
            labels.append(f"{words[what]}: {counted(total, self.item)}{drawn}")
        return labels

    def _repr_png_(self) -> bytes | None:
        """What a notebook shows, which shows figures of pyplot by itself."""
        return png_of(self.figure_) if getattr(self, "_own", False) else None

    def __repr__(self) -> str:
        count = counted(len(self.names), self.item)
        return f'<{type(self).__name__} of {count}; figure_.savefig("picture.png") keeps it>'


def _sample_names(X: Any, shape: tuple[int, ...], index: Array) -> list[str]:
    """Those of a pandas index, or the positions in an array of any number of axes."""
    if frame_kind(X) == "pandas":
        return [str(name) for name in X.index[index]]
    if len(shape) == 1:
        return [str(i) for i in index]
    return [", ".join(map(str, place)) for place in zip(*np.unravel_index(index, shape), strict=True)]
