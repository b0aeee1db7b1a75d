"""F3, each feature to a range; drop-in for scikit-learn's MinMaxScaler."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _parameters, _validation
from ._dataset_statistics import Extrema
from ._dataset_transformer import DatasetTransformer
from ._estimator import fitted_attribute, learned
from ._kernels import AffineMap
from ._precision import Array, DoubleDouble, exponent, output_dtype, where

LARGEST_FACTOR = 2.0**990  # which can still be split


class MinMaxNormalizer(DatasetTransformer):
    """Scale each feature to a range.

    ``y = low + (high - low) * (x - minimum) / (maximum - minimum)``

    On the data of fit every value lies in [low, high], the smallest is exactly ``low`` and the largest exactly
    ``high``, and `inverse_transform` gives both back bit for bit.

    Parameters
    ----------
    feature_range : tuple (low, high), default=(0, 1)
        The range of the output, low < high; rounded to the output dtype first.
    in_range : None, "dtype" or tuple (low, high), default=None
        Known limits of the input, each a number or one number per feature. None learns them in fit; "dtype" takes
        them from the integer type of the data (uint8: 0 and 255; bool: 0 and 1). Fit then only validates.
    per_feature : bool, default=True
        False takes one minimum and maximum over all features.
    clip : bool, default=False
        Clip values outside the limits to the feature range.
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
    data_min_, data_max_ : ndarray of shape (n_features,)
        Limits in use, in the unit of the data; NaN for a feature without a value.
    data_range_ : ndarray of shape (n_features,)
        ``data_max_ - data_min_``.
    scale_ : ndarray of shape (n_features,)
        ``(high - low) / data_range_``, where a constant feature counts as having range 1; like ``data_range_``, inf
        where float64 cannot hold it.
    min_ : ndarray of shape (n_features,)
        ``low - data_min_ * scale_``.
    n_samples_seen_ : int, or float with weights
        Number of samples, or the sum of their weights; of N-D data all axes but the last count.
    constant_features_ : ndarray of bool of shape (n_features,)
        Features with one value only, which come out as ``low``.
    statistics_ : Extrema
        What was learned; everything above is derived from it.
    n_features_in_ : int
        Size of the last axis.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, where fit saw a DataFrame.

    Raises
    ------
    ValueError
        For infinity, text, dates and complex numbers; for a sparse matrix in which some minimum is not 0 or with
        ``feature_range[0] != 0``, since its zeros would not stay zeros.

    See Also
    --------
    Standardizer : mean 0 and variance 1 for each feature.

    Notes
    -----
    NaN is missing: it is left out of the limits and stays NaN. A constant feature comes out as ``low``, and other
    values that it takes later are shifted by the same amount and not scaled, as if its range were 1. Integers beyond
    2**53 are subtracted exactly. With ``sample_weight``, samples of weight 0 are left out.

    Every output is the correctly rounded value or its neighbour. Sparse matrices stay sparse where every minimum is
    0.

    Examples
    --------
    >>> import numpy as np
    >>> from sknorm import MinMaxNormalizer
    >>> X = np.array([[1.0, 10.0], [2.0, 30.0], [5.0, 20.0]])
    >>> normalizer = MinMaxNormalizer().fit(X)
    >>> normalizer.transform(X)
    array([[0.  , 0.  ],
           [0.25, 1.  ],
           [1.  , 0.5 ]])

    Pixels to floats and back:

    >>> pixels = np.array([[0, 51, 255]], dtype=np.uint8)
    >>> scaler = MinMaxNormalizer(in_range="dtype", inverse_dtype="input").fit(pixels)
    >>> scaler.transform(pixels)
    array([[0. , 0.2, 1. ]], dtype=float32)
    >>> scaler.inverse_transform(scaler.transform(pixels))
    array([[  0,  51, 255]], dtype=uint8)
    """

    _summary = Extrema
    _known_parameters = ("in_range",)
    _flags = ("clip",)
    _map_parameters = ("feature_range", "in_range", "per_feature", "clip")

    def __init__(
        self,
        feature_range: Any = (0, 1),
        *,
        in_range: Any = None,
        per_feature: bool = True,
        clip: bool = False,
        inverse_dtype: Any = None,
        dtype: Any = None,
        copy: bool = True,
    ) -> None:
        self.feature_range = feature_range
        self.in_range = in_range
        self.per_feature = per_feature
        self.clip = clip
        self.inverse_dtype = inverse_dtype
        self.dtype = dtype
        self.copy = copy

    @learned
    def data_min_(self) -> Any:
        return fitted_attribute(self, self._limits()[0].hi)

    @learned
    def data_max_(self) -> Any:
        return fitted_attribute(self, self._limits()[1].hi)

    @learned
    def data_range_(self) -> Any:
        data, _, constant = self._intervals(np.dtype(np.float64))
        with np.errstate(all="ignore"):
            return fitted_attribute(self, np.where(constant, 0.0, np.ldexp(data.width.hi, data.power)))

    @learned
    def scale_(self) -> Any:
        data, output, _ = self._intervals(np.dtype(np.float64))
        with np.errstate(all="ignore"):
            return fitted_attribute(self, np.ldexp((output.width / data.width).hi, output.power - data.power))

    @learned
    def min_(self) -> Any:
        data, output, _ = self._intervals(np.dtype(np.float64))
        with np.errstate(all="ignore"):
            offset = output.low - data.low / data.width * output.width
            return fitted_attribute(self, np.ldexp(offset.hi, output.power))

    def _limits(self) -> tuple[DoubleDouble, DoubleDouble]:
        """Known or learned limits of each feature."""
        learned = self._effective()
        if self.in_range is None:
            return learned.minimum, learned.maximum
        n_features = len(learned.count)
        low, high = _parameters.check_in_range(self.in_range, learned.dtype, n_features)
        return DoubleDouble.of(low), DoubleDouble.of(high)

    def _range(self, dtype: np.dtype[Any]) -> tuple[Any, Any]:
        return _parameters.check_range("feature_range", self.feature_range, dtype)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._range(output_dtype(np.dtype(np.float64), self.dtype))

    def _check_fit(self, values: Any, dtype: np.dtype[Any]) -> None:
        if _validation.is_sparse(values) and not self._keeps_zeros():
            raise _validation.sparse_minimum([], self.feature_range, self.in_range)
        if self.in_range is not None:
            _parameters.check_in_range(self.in_range, dtype, values.shape[-1], values.shape)

    def _check_same_type(self, summary: Extrema) -> None:
        if isinstance(self.in_range, str):
            _parameters.check_same_dtype(self.statistics_.dtype, summary.dtype)

    def _keeps_zeros(self) -> bool:
        learned = self.in_range is None or isinstance(self.in_range, str)
        limits = (self.feature_range,) if learned else (self.feature_range, self.in_range)
        return all(map(_parameters.starts_at_zero, limits))

    def _check_sparse(self, values: Any) -> None:
        if _validation.is_sparse(values):
            minimum = self._limits()[0]
            wrong = np.flatnonzero(~((minimum.hi == 0) | np.isnan(minimum.hi)))
            if self.feature_range[0] != 0 or len(wrong):
                raise _validation.sparse_minimum(wrong, self.feature_range)

    def _intervals(self, dtype: np.dtype[Any]) -> tuple[_Interval, _Interval, Array]:
        """Of the data, of the output of ``dtype``, and which features are constant."""
        minimum, maximum = self._limits()
        constant = minimum == maximum
        ends = (DoubleDouble.of(np.full(len(constant), v, dtype=np.float64)) for v in self._range(dtype))
        return _Interval.of(minimum, maximum), _Interval.of(*ends), constant

    def _forward(self, dtype: np.dtype[Any]) -> AffineMap:
        data, output, constant = self._intervals(dtype)
        return _map(data, output, constant, self._range(dtype) if self.clip else None)

    def _inverse(self, dtype: np.dtype[Any]) -> AffineMap:
        data, output, constant = self._intervals(dtype)
        return _map(output, data, constant, None)


class _Interval(NamedTuple):
    """Ends of each feature; and divided by ``2**power``, the ends and the width, which is 1 for a constant."""

    ends: tuple[Array, Array]
    power: Array
    low: DoubleDouble
    high: DoubleDouble
    width: DoubleDouble

    @classmethod
    def of(cls, low: DoubleDouble, high: DoubleDouble) -> _Interval:
        power = exponent(np.fmax(-low.hi, high.hi))
        power = np.where(low == high, np.maximum(power, 0), power)  # what is new in a constant may be of any size
        one = DoubleDouble.of(np.ldexp(1.0, -power))
        scaled_low, scaled_high = low.shifted(-power), high.shifted(-power)
        return cls((low.hi, high.hi), power, scaled_low, scaled_high, where(low == high, one, scaled_high - scaled_low))


def _map(source: _Interval, target: _Interval, constant: Array, bounds: tuple[Any, Any] | None) -> AffineMap:
    """The affine map of one interval to another, low to low and high to high without any rounding.

    It measures from the end that is nearer to 0 in the target: there the map is exact, and at the other end its error
    is far below half an ulp.
    """
    from_low = constant | (np.abs(target.low.hi) <= np.abs(target.high.hi))
    b = where(from_low, target.low, target.high)
    start = np.where(from_low, *target.ends)
    bits_lost = (np.ldexp(b.hi, target.power) != start) & ~np.isnan(start)
    # of a constant source the width is a power of two, by which dividing is exact and does not overflow on the way
    k = where(source.low == source.high, target.width.shifted(source.power), target.width / source.width)
    most = DoubleDouble.of(np.full(len(constant), LARGEST_FACTOR))
    return AffineMap(
        a=where(from_low, source.low, source.high),
        k=where(most < k, most, k),  # more leads beyond float64 in any case
        b=b,
        reach=source.width.hi,
        inner=source.power,
        outer=target.power,
        start=start if bits_lost.any() else None,
        bounds=bounds,
    )
