"""F3, what the dataset transformers share: an affine map of each feature, made from statistics learned in fit."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Self, cast

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from . import _infinities, _kernels, _parameters, _validation
from ._containers import given_dtype, opened, to_container, with_data
from ._dask import mapped, stand_in, summarised
from ._dataset_statistics import Extrema
from ._estimator import (
    block_kind,
    check_names,
    check_output_names,
    fitted_attribute,
    float_tags,
    is_writeable_in_place,
    learned,
    original_kind,
    output_kind,
    record_names,
    with_defaults,
)
from ._feature_maps import image, image_of_stored
from ._namespaces import check_place, on_host
from ._precision import output_dtype
from ._tables import Table, whole


class DatasetTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, metaclass=ABCMeta):
    """An affine map of each feature, whose constants come from an immutable summary of the data."""

    __metadata_request__transform: ClassVar[dict[str, Any]] = {"copy": UNUSED}
    __metadata_request__inverse_transform: ClassVar[dict[str, Any]] = {"copy": UNUSED}

    _summary: ClassVar[type[Extrema]]
    _known_parameters: ClassVar[tuple[str, ...]]
    _flags: ClassVar[tuple[str, ...]]
    _map_parameters: ClassVar[tuple[str, ...]]

    statistics_: Any
    n_features_in_: int
    _fitted_in: Any = None  # an empty array like the data of fit

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the statistics of each feature, forgetting earlier ones.

        Parameters
        ----------
        X : array-like, sparse matrix, DataFrame or dask collection of shape (n_samples, ..., n_features)
            All axes but the last are pooled. NaN is left out; infinity is refused. Under scikit-learn's
            ``array_api_dispatch`` it may be an array of torch, CuPy and the like, here and in the other methods, and
            what they return, and the fitted attributes, are arrays of that library on that device. Of a dask
            collection each block is summarised where it lies, in one computation.
        y : ignored
        sample_weight : array-like, dask Array or Series of shape (n_samples,), default=None
            Weight of each entry of the first axis, at least 0. Integer weights are repeated samples.

        Returns
        -------
        self : the fitted transformer
        """
        summary = self._summarise(X, sample_weight)
        record_names(self, stand_in(X), len(summary.count))
        self.statistics_ = summary
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Go on learning from another batch; any split of the data gives the statistics of one fit.

        Parameters and result are those of `fit`. A batch without a value in some feature leaves that feature alone,
        and a batch that is refused leaves everything alone.
        """
        if not hasattr(self, "statistics_"):
            return self.fit(X, y, sample_weight)
        like = stand_in(X)
        check_place(self, like, "partial_fit")
        values = opened(like)
        check_names(self, like, values.shape)
        summary = self._summarise(X, sample_weight, values)
        self._check_same_type(summary)
        self.statistics_ = self.statistics_.merge(summary)
        return self

    def merge(self, other: Self) -> Self:
        """A new transformer, fitted as if on the data of both.

        Parameters
        ----------
        other : fitted transformer of the same class, parameters and features

        Returns
        -------
        merged : a new fitted transformer

        Raises
        ------
        TypeError
            If ``other`` is of another class.
        ValueError
            If parameters, width or feature names differ.
        """
        check_is_fitted(self)
        _parameters.check_mergeable(self, other)
        check_is_fitted(other)
        self._check_same_type(other.statistics_)
        return self._fitted(self.statistics_.merge(other.statistics_), slice(None))

    def select(self, features: Any) -> Self:
        """A new transformer for some of the features, so that one column of a table can be inverted alone.

        Parameters
        ----------
        features : str, int, slice, or array-like of names, indices or booleans
            In the order wanted.

        Returns
        -------
        selected : a new fitted transformer
            After ``per_feature=False`` it holds the statistics of all features, with ``per_feature=True``.
        """
        check_is_fitted(self)
        index = _parameters.check_features(features, getattr(self, "feature_names_in_", None), self.n_features_in_)
        selected = self._fitted(self._effective().select(index), index)
        parameters: dict[str, Any] = {"per_feature": True}
        for name in self._known_parameters:
            parameters[name] = _parameters.selected(name, getattr(self, name), index, self.n_features_in_)
        return cast(Self, selected.set_params(**parameters))

    def transform(self, X: Any, copy: bool | None = None) -> Any:
        """Map each feature by its statistics.

        Parameters
        ----------
        X : array-like, sparse matrix, DataFrame or dask collection of shape (n_samples, ..., n_features)
        copy : bool, default=None
            Overrides the parameter ``copy``; blocks of a dask collection are always copied.

        Returns
        -------
        Y : array, sparse matrix, DataFrame or dask collection of the shape of X
            NaN stays NaN. A DataFrame where `set_output` asks for one. Of a dask collection lazy, and cut as X is.
        """
        check_is_fitted(self)
        self._check_parameters()
        like = stand_in(X)
        check_place(self, like, "transform")
        values = opened(like)
        check_names(self, like, values.shape)
        return self._mapped(X, values, "forward", copy)

    def inverse_transform(self, X: Any, copy: bool | None = None) -> Any:
        """Map back to the units of the data.

        Parameters
        ----------
        X : array-like, sparse matrix, DataFrame or dask collection of shape (n_samples, ..., n_features)
            What transform returned; names and width are checked as there.
        copy : bool, default=None
            Overrides the parameter ``copy``.

        Returns
        -------
        X_original : array, sparse matrix, DataFrame or dask collection of the shape of X
            Of ``inverse_dtype``. A DataFrame of a DataFrame, where `set_output` asks for one.
        """
        check_is_fitted(self)
        self._check_parameters()
        like = stand_in(X)
        check_place(self, like, "inverse_transform")
        values = opened(like)
        check_output_names(self, like, values.shape, list(self.get_feature_names_out()))
        return self._mapped(X, values, "inverse", copy)

    # -- statistics ---------------------------------------------------------------------------------------------

    @learned
    def n_samples_seen_(self) -> Any:
        return self.statistics_.n_samples

    @learned
    def constant_features_(self) -> Any:
        return fitted_attribute(self, self._effective().constant)

    def _summarise(self, X: Any, sample_weight: Any, values: Any = None) -> Extrema:
        self._check_parameters()
        like = stand_in(X)
        values = opened(like) if values is None else values
        if like is X:
            _validation.check_samples(values.shape)
        _parameters.check_order(self, self._known_parameters, like)
        self._check_fit(values, given_dtype(like, values))
        sample_weight = on_host(sample_weight, "sample_weight")
        if like is X:
            return _summary_of(self._summary, X, sample_weight, values)
        found = summarised(
            X, self._summary, lambda features: partial(_of_block, self._summary, features), sample_weight
        )
        if not found.n_samples:
            _validation.check_sample_weight(None if sample_weight is None else 0, 1)
            _validation.check_samples((0, len(found.count)))
        return cast(Extrema, found)

    def _effective(self) -> Any:
        """The statistics in use: those of each feature, or of all together."""
        return self.statistics_ if self.per_feature else self.statistics_.pooled()

    def _fitted(self, summary: Extrema, index: Any) -> Self:
        new = cast(Self, clone(self))
        if hasattr(self, "feature_names_in_"):
            new.feature_names_in_ = self.feature_names_in_[index]
        new.n_features_in_ = len(summary.count)
        new._fitted_in = self._fitted_in
        new.statistics_ = summary
        return new

    # -- maps ---------------------------------------------------------------------------------------------------

    def _map(self, direction: str, dtype: np.dtype[Any]) -> _kernels.AffineMap:
        """The map in one direction for output of ``dtype``, kept with the statistics it comes from."""
        key = (direction, dtype.char, *(_parameters.hashable(getattr(self, name)) for name in self._map_parameters))
        kept = self.statistics_.maps
        if key not in kept:
            with np.errstate(all="ignore"):
                kept[key] = self._forward(dtype) if direction == "forward" else self._inverse(dtype)
        return cast(_kernels.AffineMap, kept[key])

    def _mapped(self, X: Any, values: Any, direction: str, copy: bool | None) -> Any:
        """The image of X, lazily if X is a dask collection; ``values`` are what stands for it."""
        _parameters.check_order(self, self._known_parameters, X)
        self._check_sparse(values)
        if stand_in(X) is X:
            kind = output_kind(self, values) if direction == "forward" else original_kind(self, X, values)
            return self._image(X, values, direction, kind, self.copy if copy is None else copy)
        kind = block_kind(self, X)
        # what is selected is a copy, which nothing that happens to this transformer later can change
        return mapped(X, lambda features: partial(_image_of_block, self.select(features), features, direction, kind))

    def _image(self, X: Any, values: Any, direction: str, kind: str, copy: bool, names: Any = None) -> Any:
        if direction == "forward":
            dtype = target = output_dtype(values.dtype, self.dtype)
        else:
            dtype = output_dtype(values.dtype)
            target = self.inverse_dtype
            if isinstance(target, str) and target == "input":
                target = self.statistics_.dtype
            target = dtype if target is None else np.dtype(target).newbyteorder("=")
        Y = self._apply(X, values, target, self._map(direction, dtype), copy, names)
        return to_container(Y, kind, self.get_feature_names_out, X)

    def _apply(self, X: Any, values: Any, dtype: np.dtype[Any], f: _kernels.AffineMap, copy: bool, names: Any) -> Any:
        _parameters.check_boolean("copy", copy)
        try:
            if isinstance(values, Table):
                return image(values, np.empty(values.shape, dtype=dtype, order="F"), f)
            if not isinstance(values, np.ndarray):
                return with_data(values, image_of_stored(values, f, dtype))
            if copy or not is_writeable_in_place(X, values, dtype):
                out = np.empty_like(values, dtype=dtype, order="K" if values.ndim == 2 else "C", subok=False)
                return image(values, out, f)
            _infinities.check_no_infinity(values)  # before anything is written over
            return image(values, values, f)
        except _validation.InfinityFound:
            raise _infinities.infinite(X, whole(values), getattr(X, "columns", names), by_sample=False) from None
        except _validation.NoInteger:
            raise _validation.no_integer(dtype) from None

    # -- what the two classes fill in ---------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        """Refuse parameters that can be judged without data."""
        for name in ("per_feature", "copy", *self._flags):
            _parameters.check_boolean(name, getattr(self, name))
        _parameters.check_output_dtype(self.dtype)
        _parameters.check_inverse_dtype(self.inverse_dtype)

    @abstractmethod
    def _check_fit(self, values: Any, dtype: np.dtype[Any]) -> None:
        """Refuse parameters that do not fit the data, which came in a ``dtype``."""

    def _check_same_type(self, summary: Extrema) -> None:
        """Refuse to merge what was learned from data of another kind."""

    @abstractmethod
    def _check_sparse(self, values: Any) -> None:
        """Refuse a sparse container whose zeros would not stay zeros."""

    @abstractmethod
    def _forward(self, dtype: np.dtype[Any]) -> _kernels.AffineMap:
        """The map of transform for output of ``dtype``."""

    @abstractmethod
    def _inverse(self, dtype: np.dtype[Any]) -> _kernels.AffineMap:
        """The map of inverse_transform for what was an output of ``dtype``."""

    def __sklearn_tags__(self) -> Any:
        return float_tags(super().__sklearn_tags__(), self.dtype, sparse=self._keeps_zeros())

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(with_defaults(self, state))

    @abstractmethod
    def _keeps_zeros(self) -> bool:
        """Whether the parameters allow zeros to stay zeros."""


def _summary_of(summary: type[Extrema], X: Any, sample_weight: Any, values: Any, names: Any = None) -> Extrema:
    weights = _validation.check_sample_weight(sample_weight, values.shape[0])
    try:
        return replace(summary.of(values, weights), dtype=given_dtype(X, values))
    except _validation.InfinityFound:
        values = whole(values) if weights is None else whole(values)[weights > 0]
        raise _infinities.infinite(X, values, getattr(X, "columns", names), by_sample=False) from None


def _of_block(summary: type[Extrema], features: slice, X: Any, sample_weight: Any = None) -> Extrema:
    """The summary of one block of a dask collection, which may have no samples, or none of any weight."""
    values = opened(X)
    if 0 in values.shape[:-1] or not (sample_weight is None or np.any(sample_weight)):
        return summary.empty(values.shape[-1])
    return _summary_of(summary, X, sample_weight, values, range(features.start, features.stop))


def _image_of_block(norm: DatasetTransformer, features: slice, direction: str, kind: str, X: Any) -> Any:
    return norm._image(X, opened(X), direction, kind, True, range(features.start, features.stop))
