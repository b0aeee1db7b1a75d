"""F3, what the row norms share: statistics of each sample, computed in transform; nothing is learned or stored."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin

from . import _kernels, _parameters, _validation
from ._containers import column_names, to_container, to_values, with_data
from ._estimator import (
    check_names,
    check_output_names,
    float_tags,
    is_writeable_in_place,
    output_kind,
    record_names,
    with_defaults,
)
from ._namespaces import check_place, on_host, sent_back
from ._precision import Array, output_dtype
from ._sample_statistics import over_samples, over_stored_samples


class SampleTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, metaclass=ABCMeta):
    """Each vector along the last axis by itself."""

    _statistics: ClassVar[Any]
    n_features_in_: int
    _fitted_in: Any = None  # an empty array like the data of fit

    def fit(self, X: Any, y: Any = None) -> Self:
        """Check the parameters, and record the width and the names that later calls must have.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_samples, ..., n_features)
            Under scikit-learn's ``array_api_dispatch`` it may be an array of torch, CuPy and the like, here and in
            the other methods, and what they return are arrays of that library on that device.
        y : ignored

        Returns
        -------
        self
        """
        values = to_values(X)
        _validation.check_samples(values.shape)
        self._check_parameters(values.shape[-1])
        self._check_sparse(values)
        self._check_names_apart(X)
        record_names(self, X, values.shape[-1])
        return self

    def transform(self, X: Any) -> Any:
        """Normalise each sample; works without fit.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_samples, ..., n_features)

        Returns
        -------
        Y : array, sparse matrix or DataFrame of shape (n_samples, ..., n_features)
            With ``keep_stats=True`` the statistics of each sample follow as further columns.
        """
        values, width = self._checked(X, "transform")
        kind = output_kind(self, values)
        dtype = output_dtype(values.dtype, self.dtype)
        kernel = self._kernel(width, np.float64 in (dtype, output_dtype(values.dtype)))
        extra = len(self._statistics._fields) if self.keep_stats else 0
        try:
            if not isinstance(values, np.ndarray):
                return self._sparse_image(values, kernel, dtype)
            if not self.copy and not extra and is_writeable_in_place(X, values, dtype):
                _validation.check_no_infinity(values, negative=self._takes_masks)  # before anything is written over
                out = values
            else:
                out = np.empty((*values.shape[:-1], width + extra), dtype=dtype)
            over_samples(kernel, values, out)
        except _validation.InfinityFound:
            raise _validation.infinite(values, None, by_sample=True, negative=self._takes_masks) from None
        return to_container(out, kind, lambda: self._output_names(X, width), X)

    def row_statistics(self, X: Any) -> Any:
        """Statistics of each sample, to be given to `inverse_transform`.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_samples, ..., n_features)
            What transform gets, not what it returns.

        Returns
        -------
        statistics : NamedTuple of float64 arrays of shape ``X.shape[:-1]``
        """
        values, width = self._checked(X, "row_statistics")
        statistics = tuple(np.empty(values.shape[:-1]) for _ in self._statistics._fields)
        kernel = self._kernel(width, True)
        try:
            if isinstance(values, np.ndarray):
                over_samples(kernel, values, None, found=statistics)
            else:
                over_stored_samples(kernel, values.tocsr(), None, found=statistics)
        except _validation.InfinityFound:
            raise _validation.infinite(values, None, by_sample=True, negative=self._takes_masks) from None
        return self._statistics(*(sent_back(found, X) for found in statistics))

    def inverse_transform(self, X: Any, row_stats: Any = None) -> Any:
        """Undo transform, with the statistics of the samples.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (n_samples, ..., n_features)
            What transform returned. With ``keep_stats=True`` the last columns are read as the statistics, and
            removed.
        row_stats : tuple of arrays of shape ``X.shape[:-1]``, default=None
            What `row_statistics` returned for the original samples.

        Returns
        -------
        X_original : array, sparse matrix or DataFrame of shape (n_samples, ..., n_features)

        Raises
        ------
        ValueError
            Without statistics, since they cannot be guessed; for a zero in gamma, which erased a feature.
        """
        check_place(self, X, "inverse_transform")
        values = to_values(X)
        fields = self._statistics._fields
        if row_stats is None and not self.keep_stats:
            raise _validation.row_statistics_missing(type(self).__name__)
        without = row_stats is not None and values.shape[-1] == getattr(self, "n_features_in_", None)
        kept = len(fields) if self.keep_stats and not without else 0
        width = values.shape[-1] - kept
        if hasattr(self, "n_features_in_"):
            expected = self.get_feature_names_out() if kept else super().get_feature_names_out()
            check_output_names(self, X, values.shape[-1], list(expected))
        elif width < 1:
            raise _validation.too_narrow(fields, values.shape)
        self._check_parameters(width)
        kind = output_kind(self, values)
        dtype = output_dtype(values.dtype, self.dtype)
        if kept:
            self._check_sparse(values)
            row_stats = tuple(values[..., width + j] for j in range(kept)) if row_stats is None else row_stats
            values = values[..., :width]
        if isinstance(row_stats, (tuple, list)):
            row_stats = [on_host(given, "row_stats") for given in row_stats]
        statistics = _validation.check_row_stats(row_stats, fields, values.shape[:-1])
        kernel = self._inverse_kernel(width)
        if not isinstance(values, np.ndarray):
            return self._sparse_image(values, kernel, dtype, given=statistics)
        out = np.empty(values.shape, dtype=dtype)
        over_samples(kernel, values, out, given=statistics)
        return to_container(out, kind, lambda: self._input_names(X, width), X)

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

    def _checked(self, X: Any, method: str) -> tuple[Any, int]:
        check_place(self, X, method)
        values = to_values(X)
        width = values.shape[-1]
        if hasattr(self, "n_features_in_"):
            check_names(self, X, width)
        self._check_parameters(width)
        self._check_sparse(values)
        self._check_names_apart(X)
        return values, width

    def _check_parameters(self, width: int) -> None:
        _parameters.check_boolean("keep_stats", self.keep_stats)
        _parameters.check_boolean("copy", self.copy)
        _parameters.check_output_dtype(self.dtype)

    def _check_sparse(self, values: Any) -> None:
        if not isinstance(values, np.ndarray) and not (self._takes_sparse and not self.keep_stats):
            raise _validation.sparse_rows(type(self).__name__, self.keep_stats and self._takes_sparse)

    def _check_names_apart(self, X: Any) -> None:
        if self.keep_stats:
            _validation.check_names_apart(column_names(X), self._statistics._fields)

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

    def __sklearn_is_fitted__(self) -> bool:
        return True
