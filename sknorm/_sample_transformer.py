"""F3, what the row norms share: statistics of each sample, computed in transform; nothing is learned or stored."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from copy import deepcopy
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

from . import _infinities, _kernels, _parameters, _validation
from ._containers import column_names, opened, to_container, to_values, with_data
from ._dask import holds_frames, mapped, shape_of, stand_in
from ._estimator import (
    block_kind,
    check_names,
    check_output_names,
    float_tags,
    is_writeable_in_place,
    original_kind,
    output_kind,
    record_names,
    with_defaults,
)
from ._namespaces import check_place, on_host, sent_back
from ._precision import Array, output_dtype
from ._sample_statistics import over_samples, over_stored_samples
from ._tables import whole


class SampleTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, metaclass=ABCMeta):
    """Each vector along the last axis by itself."""

    _statistics: ClassVar[Any]
    n_features_in_: int
    _fitted_in: Any = None  # an empty array like the data of fit

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the parameters, and record the width and the names that later calls must have.

        Parameters
        ----------
        X : array-like, sparse matrix, DataFrame or dask collection of shape (n_samples, ..., n_features)
            Under scikit-learn's ``array_api_dispatch`` it may be an array of torch, CuPy and the like, here and in
            the other methods, and what they return are arrays of that library on that device.
        y : ignored

        Returns
        -------
        self
        """
        like = stand_in(X)
        values = opened(like)
        _validation.check_samples(values.shape if like is X else shape_of(X))
        self._check_parameters(values.shape)
        self._check_sparse(values)
        self._check_names_of(like)
        record_names(self, like, values.shape[-1])
        return self

    def transform(self, X: Any) -> Any:
        """Normalise each sample; works without fit.

        Parameters
        ----------
        X : array-like, sparse matrix, DataFrame or dask collection of shape (n_samples, ..., n_features)

        Returns
        -------
        Y : array, sparse matrix, DataFrame or dask collection of shape (n_samples, ..., n_features)
            With ``keep_stats=True`` the statistics of each sample follow as further columns. Of a dask collection
            lazy, and cut as X is; where the features are cut, each sample is put together first.
        """
        like = stand_in(X)
        values = self._checked(like, "transform")
        if like is X:
            return self._image(X, values, output_kind(self, values))
        return self._mapped(X, "_image", block_kind(self, X))

    def row_statistics(self, X: Any) -> Any:
        """Statistics of each sample, to be given to `inverse_transform`.

        Parameters
        ----------
        X : array-like, sparse matrix, DataFrame or dask collection of shape (n_samples, ..., n_features)
            What transform gets, not what it returns.

        Returns
        -------
        statistics : NamedTuple of float64 arrays of shape ``X.shape[:-1]``
            Lazy for a dask collection.
        """
        like = stand_in(X)
        values = self._checked(like, "row_statistics")
        if like is X:
            return self._statistics(*(sent_back(found, X) for found in self._found(X, values)))
        found = self._mapped(X, "_found_as_columns", "pandas" if holds_frames(X) else "default")
        found = found.to_dask_array() if holds_frames(X) else found
        return self._statistics(*(found[..., j] for j in range(len(self._statistics._fields))))

    def inverse_transform(self, X: Any, row_stats: Any = None) -> Any:
        """Undo transform, with the statistics of the samples.

        Parameters
        ----------
        X : array-like, sparse matrix, DataFrame or dask collection of shape (n_samples, ..., n_features)
            What transform returned. With ``keep_stats=True`` the last columns are read as the statistics, and
            removed.
        row_stats : tuple of arrays, or dask Arrays, of shape ``X.shape[:-1]``, default=None
            What `row_statistics` returned for the original samples.

        Returns
        -------
        X_original : array, sparse matrix, DataFrame or dask collection of shape (n_samples, ..., n_features)
            A DataFrame of a DataFrame, where `set_output` asks for one.

        Raises
        ------
        ValueError
            Without statistics, since they cannot be guessed; for a zero in gamma, which erased a feature.
        """
        like = stand_in(X)
        check_place(self, like, "inverse_transform")
        values = to_values(like)
        if row_stats is None and not self.keep_stats:
            raise _validation.row_statistics_missing(type(self).__name__)
        kept = self._kept(values.shape[-1], row_stats is not None)
        if hasattr(self, "n_features_in_"):
            expected = self.get_feature_names_out() if kept else super().get_feature_names_out()
            check_output_names(self, like, values.shape, list(expected))
        elif values.shape[-1] <= kept:
            raise _validation.too_narrow(self._statistics._fields, values.shape)
        self._check_parameters((*values.shape[:-1], values.shape[-1] - kept))
        kind = original_kind(self, X, values) if like is X else block_kind(self, X)
        if kept or not self._takes_sparse:
            self._check_sparse(values)
        if isinstance(row_stats, (tuple, list)):
            kind_of_stats = list if isinstance(row_stats, list) else tuple
            row_stats = kind_of_stats(on_host(given, "row_stats") for given in row_stats)
        if like is X:
            return self._original(X, values, kind, row_stats)
        if row_stats is None:
            return self._mapped(X, "_original", kind)
        given = tuple(row_stats) if np.iterable(row_stats) else (row_stats,)
        if len(given) != len(self._statistics._fields) or not all(map(np.ndim, given)):
            got = f"arrays of shapes {[np.shape(each) for each in given]}"
            raise _validation.wrong_row_stats(self._statistics._fields, shape_of(X)[:-1], got)
        return self._mapped(X, "_original", kind, *given)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the output columns.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Checked against the names that fit saw.

        Returns
        -------
        names : ndarray of str
            Those of the input, then, with ``keep_stats=True``, those of the statistics.
        """
        if not hasattr(self, "n_features_in_"):
            raise _validation.not_fitted_for_names(type(self).__name__)
        names = super().get_feature_names_out(input_features)
        extra = self._statistics._fields if self.keep_stats else ()
        return np.asarray([*names, *extra], dtype=object)

    # -- checks and names ---------------------------------------------------------------------------------------

    _takes_masks: ClassVar[bool] = False
    _takes_sparse: ClassVar[bool] = False

    def _checked(self, X: Any, method: str) -> Any:
        check_place(self, X, method)
        values = opened(X)
        if hasattr(self, "n_features_in_"):
            check_names(self, X, values.shape)
        self._check_parameters(values.shape)
        self._check_sparse(values)
        self._check_names_of(X)
        return values

    def _check_parameters(self, shape: tuple[int, ...]) -> None:
        """Refuse parameters that do not fit data of this shape."""
        _parameters.check_boolean("keep_stats", self.keep_stats)
        _parameters.check_boolean("copy", self.copy)
        _parameters.check_output_dtype(self.dtype)

    def _check_sparse(self, values: Any) -> None:
        if _validation.is_sparse(values) and not (self._takes_sparse and not self.keep_stats):
            raise _validation.sparse_rows(type(self).__name__, self.keep_stats and self._takes_sparse)

    def _check_names_of(self, X: Any) -> None:
        _parameters.check_order(self, ("gamma", "beta"), X)
        if self.keep_stats:
            _validation.check_names_apart(column_names(X), self._statistics._fields)

    def _kept(self, width: int, given: bool) -> int:
        """How many of the columns that inverse_transform gets are statistics."""
        without = given and width == getattr(self, "n_features_in_", None)
        return len(self._statistics._fields) if self.keep_stats and not without else 0

    # -- images and statistics, of all data in memory or of a block ---------------------------------------------

    def _mapped(self, X: Any, method: str, kind: str, *given: Any) -> Any:
        # a copy, which nothing that happens to this one later can change
        norm = deepcopy(self)
        norm.copy = True
        return mapped(X, lambda features: partial(_on_block, norm, method, kind), *given, whole_samples=True)

    def _image(self, X: Any, values: Any, kind: str) -> Any:
        width = values.shape[-1]
        dtype = output_dtype(values.dtype, self.dtype)
        kernel = self._kernel(width, np.float64 in (dtype, output_dtype(values.dtype)))
        extra = len(self._statistics._fields) if self.keep_stats else 0
        try:
            if _validation.is_sparse(values):
                return self._sparse_image(values, kernel, dtype)
            if not self.copy and not extra and is_writeable_in_place(X, values, dtype):
                _infinities.check_no_infinity(values, negative=self._takes_masks)  # before anything is written over
                out = values
            else:
                out = np.empty((*values.shape[:-1], width + extra), dtype=dtype)
            over_samples(kernel, values, out)
        except _validation.InfinityFound:
            raise _infinities.infinite(X, whole(values), None, by_sample=True, negative=self._takes_masks) from None
        return to_container(out, kind, lambda: self._output_names(X, width), X)

    def _found(self, X: Any, values: Any) -> tuple[Array, ...]:
        statistics = tuple(np.empty(values.shape[:-1]) for _ in self._statistics._fields)
        kernel = self._kernel(values.shape[-1], True)
        try:
            if _validation.is_sparse(values):
                over_stored_samples(kernel, values.tocsr(), None, found=statistics)
            else:
                over_samples(kernel, values, None, found=statistics)
        except _validation.InfinityFound:
            raise _infinities.infinite(X, whole(values), None, by_sample=True, negative=self._takes_masks) from None
        return statistics

    def _found_as_columns(self, X: Any, values: Any, kind: str) -> Any:
        return to_container(np.stack(self._found(X, values), axis=-1), kind, lambda: self._statistics._fields, X)

    def _original(self, X: Any, values: Any, kind: str, row_stats: Any = None) -> Any:
        dtype = output_dtype(values.dtype, self.dtype)
        kept = self._kept(values.shape[-1], row_stats is not None)
        width = values.shape[-1] - kept
        if kept:
            row_stats = tuple(values[..., width + j] for j in range(kept)) if row_stats is None else row_stats
            values = values[..., :width]
        statistics = _validation.check_row_stats(row_stats, self._statistics._fields, values.shape[:-1])
        kernel = self._inverse_kernel(width)
        if not isinstance(values, np.ndarray):
            return self._sparse_image(values, kernel, dtype, given=statistics)
        out = np.empty(values.shape, dtype=dtype)
        over_samples(kernel, values, out, given=statistics)
        return to_container(out, kind, lambda: self._input_names(X, width), X)

    def _input_names(self, X: Any, width: int) -> Any:
        if hasattr(self, "n_features_in_"):
            return super().get_feature_names_out()
        return (column_names(X) or [f"x{j}" for j in range(width)])[:width]

    def _output_names(self, X: Any, width: int) -> Any:
        return [*self._input_names(X, width), *(self._statistics._fields if self.keep_stats else ())]

    def _sparse_image(
        self, values: Any, kernel: _kernels.Kernel, dtype: np.dtype[Any], given: tuple[Array, ...] = ()
    ) -> Any:
        rows = values.tocsr()
        out = np.empty(rows.data.shape, dtype=dtype)
        over_stored_samples(kernel, rows, out, given=given)
        result = with_data(rows, out)
        return result.tocsc() if values.format == "csc" else result

    # -- what the three classes fill in -------------------------------------------------------------------------

    @abstractmethod
    def _kernel(self, width: int, precise: bool) -> _kernels.Kernel:
        """The kernel of transform; ``precise`` where its input or its output has the bits of float64."""

    @abstractmethod
    def _inverse_kernel(self, width: int) -> _kernels.Kernel:
        """The kernel of inverse_transform."""

    def __sklearn_tags__(self) -> Any:
        sparse = self._takes_sparse and not self.keep_stats
        tags = float_tags(super().__sklearn_tags__(), self.dtype, sparse=sparse)
        tags.requires_fit = False
        return tags

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(with_defaults(self, state))


def _on_block(norm: SampleTransformer, method: str, kind: str, X: Any, *given: Any) -> Any:
    return getattr(norm, method)(X, to_values(X), kind, *([given] if given else []))
