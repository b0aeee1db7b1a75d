"""F3, each feature to mean 0 and variance 1; drop-in for scikit-learn's StandardScaler."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _parameters, _validation
from ._dataset_statistics import Moments
from ._dataset_transformer import DatasetTransformer
from ._estimator import fitted_attribute, learned
from ._kernels import AffineMap
from ._precision import Array, DoubleDouble, exponent, where


class Standardizer(DatasetTransformer):
    """Shift and scale each feature to mean 0 and variance 1.

    ``y = (x - mean) / std``

    Parameters
    ----------
    with_mean : bool, default=True
        Subtract the mean. Must be False for sparse matrices, whose zeros would not stay zeros.
    with_std : bool, default=True
        Divide by the standard deviation.
    ddof : int, default=0
        The variance is ``m2 / (count - ddof)``, m2 being the sum of squared deviations and count the number of values,
        or the sum of weights in float64.
    mean : None, float or array-like of shape (n_features,), default=None
        Known means (ImageNet's, say). None learns them.
    std : None, float or array-like of shape (n_features,), default=None
        Known standard deviations; 0, that of a constant, counts as 1. None learns them, about the mean of the data.
    per_feature : bool, default=True
        False takes one mean and standard deviation over all features.
    inverse_dtype : None, "input" or dtype, default=None
        Dtype that `inverse_transform` returns. None gives floats, "input" the dtype seen in fit. Integers are rounded
        half to even and clipped to the type.
    dtype : None or float dtype, default=None
        Dtype of the output. None keeps float16, float32 and float64, gives float32 for bool and integers of up to 16
        bits, and float64 for wider ones.
    copy : bool, default=True
        False works in place where the input is a writeable array already of the output dtype, and copies otherwise.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,) or None
        Mean of each feature; None with neither ``with_mean`` nor ``with_std``.
    var_ : ndarray of shape (n_features,) or None
        Variance of each feature; None without ``with_std``; NaN where count <= ddof; inf where float64 cannot hold it
        (``scale_`` can).
    scale_ : ndarray of shape (n_features,) or None
        Divisor of each feature: the standard deviation, 1 for a constant feature; None without ``with_std``.
    n_samples_seen_ : int or ndarray of shape (n_features,)
        Number of values (sum of weights) of each feature; one number where it is the same for all.
    constant_features_ : ndarray of bool of shape (n_features,)
        Features with one value only, which come out as exact zeros.
    statistics_ : Moments
        What was learned; everything above is derived from it.
    n_features_in_ : int
        Size of the last axis.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, where fit saw a DataFrame.

    Raises
    ------
    ValueError
        For infinity, text, dates and complex numbers; for a sparse matrix unless ``with_mean=False``.

    See Also
    --------
    MinMaxNormalizer : each feature to a range.
    RowLayerNorm : mean 0 and variance 1 for each sample.

    Notes
    -----
    NaN is missing: it is left out of the statistics and stays NaN. A constant feature, recognised by minimum ==
    maximum, gives exact zeros. The mean is kept to about 100 bits and the variance is computed about it, so that the
    offset of a feature costs no accuracy, and `partial_fit` and `merge` agree with one fit.

    References
    ----------
    T. F. Chan, G. H. Golub, R. J. LeVeque (1983), Algorithms for computing the sample variance: analysis and
    recommendations, equation 2.1.

    Examples
    --------
    >>> import numpy as np
    >>> from sknorm import Standardizer
    >>> X = np.array([[1.0, 7.0], [3.0, 7.0]])
    >>> standardizer = Standardizer().fit(X)
    >>> standardizer.transform(X)
    array([[-1.,  0.],
           [ 1.,  0.]])
    >>> standardizer.mean_, standardizer.var_, standardizer.constant_features_
    (array([2., 7.]), array([1., 0.]), array([False,  True]))
    >>> standardizer.select([0]).inverse_transform([[0.5]])
    array([[2.5]])
    """

    _summary = Moments
    _known_parameters = ("mean", "std")
    _flags = ("with_mean", "with_std")
    _map_parameters = ("with_mean", "with_std", "ddof", "mean", "std", "per_feature")

    def __init__(
        self,
        *,
        with_mean: bool = True,
        with_std: bool = True,
        ddof: int = 0,
        mean: Any = None,
        std: Any = None,
        per_feature: bool = True,
        inverse_dtype: Any = None,
        dtype: Any = None,
        copy: bool = True,
    ) -> None:
        self.with_mean = with_mean
        self.with_std = with_std
        self.ddof = ddof
        self.mean = mean
        self.std = std
        self.per_feature = per_feature
        self.inverse_dtype = inverse_dtype
        self.dtype = dtype
        self.copy = copy

    @learned
    def n_samples_seen_(self) -> Any:
        count = self.statistics_.count
        return count[0].item() if (count == count[0]).all() else fitted_attribute(self, count)

    @learned
    def mean_(self) -> Any:
        found = self._location_and_scale()
        return self._shifted(found.mean.hi, found.power) if self.with_mean or self.with_std else None

    @learned
    def var_(self) -> Any:
        found = self._location_and_scale()
        return self._shifted(found.variance.hi, 2 * found.power) if self.with_std else None

    @learned
    def scale_(self) -> Any:
        found = self._location_and_scale()
        return self._shifted(found.scale.hi, found.power) if self.with_std else None

    def _shifted(self, value: Array, power: Array) -> Any:
        with np.errstate(all="ignore"):
            return fitted_attribute(self, np.ldexp(value, power))

    def _check_parameters(self) -> None:
        super()._check_parameters()
        _parameters.check_ddof(self.ddof)

    def _check_fit(self, values: Any, dtype: np.dtype[Any]) -> None:
        self._known(values.shape)
        self._check_sparse(values)

    def _known(self, shape: tuple[int, ...]) -> tuple[Array | None, Array | None]:
        mean = None if self.mean is None else _parameters.check_known("mean", self.mean, shape[-1], shape)
        std = None if self.std is None else _parameters.check_known("std", self.std, shape[-1], shape, positive=True)
        return mean, std

    def _keeps_zeros(self) -> bool:
        return isinstance(self.with_mean, (bool, np.bool_)) and not self.with_mean

    def _check_sparse(self, values: Any) -> None:
        if self.with_mean and _validation.is_sparse(values):
            raise _validation.sparse_centred()

    def _location_and_scale(self) -> _Location:
        learned = self._effective()
        known_mean, known_std = self._known(learned.count.shape)
        with np.errstate(all="ignore"):
            power = learned.exponent
            for known in (known_mean, known_std):
                if known is not None:
                    power = np.where(known == 0, power, np.maximum(power, exponent(np.abs(known))))
            constant = learned.constant if known_std is None else known_std == 0
            # what is not divided by its own size may be of any size
            power = np.where(constant | (not self.with_std), np.maximum(power, 0), power)
            mean, mean_rest = learned.mean(power)
            variance, shift = learned.sample_variance(self.ddof), learned.exponent - power
            variance, scale = variance.shifted(2 * shift), variance.sqrt().shifted(shift)
            if known_mean is not None:
                mean, mean_rest = DoubleDouble.of(known_mean).shifted(-power), np.zeros(len(power))
            if known_std is not None:
                scale = DoubleDouble.of(known_std).shifted(-power)
                variance = scale * scale
            one = DoubleDouble.of(np.ldexp(1.0, -power))
            return _Location(power, mean, mean_rest, variance, where(constant | (scale.hi == 0), one, scale))

    def _map_parts(self) -> tuple[_Location, DoubleDouble, DoubleDouble, Array]:
        """Location and scale, what is subtracted, what divides, and the usual size of ``x`` before the division."""
        found = self._location_and_scale()
        zero, one = (DoubleDouble.of(np.full(len(found.power), v)) for v in (0.0, 1.0))
        size = found.scale.hi if self.with_mean else found.scale.hi + np.abs(found.mean.hi)
        return found, found.mean if self.with_mean else zero, found.scale if self.with_std else one, size

    def _forward(self, dtype: np.dtype[Any]) -> AffineMap:
        found, mean, scale, size = self._map_parts()
        return AffineMap(
            a=mean,
            k=DoubleDouble.of(np.ones(len(size))) / scale,
            b=mean * 0.0,
            reach=size,
            inner=found.power,
            outer=np.zeros_like(found.power) if self.with_std else found.power,
            a_rest=found.mean_rest if self.with_mean else None,
        )

    def _inverse(self, dtype: np.dtype[Any]) -> AffineMap:
        found, mean, scale, size = self._map_parts()
        return AffineMap(
            a=mean * 0.0,
            k=scale,
            b=mean,
            reach=size / scale.hi,
            inner=np.zeros_like(found.power) if self.with_std else found.power,
            outer=found.power,
        )


class _Location(NamedTuple):
    """Mean (and what its double-double lacks), variance and divisor of each feature, in units of ``2**power``."""

    power: Array
    mean: DoubleDouble
    mean_rest: Array
    variance: DoubleDouble
    scale: DoubleDouble
