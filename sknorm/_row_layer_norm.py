"""F3, each sample to mean 0 and variance 1."""

from __future__ import annotations

from typing import Any, Self

from . import _kernels, _parameters, _validation
from ._precision import Array
from ._sample_statistics import LayerStatistics
from ._sample_transformer import SampleTransformer


class RowLayerNorm(SampleTransformer):
    """Shift and scale each sample to mean 0 and variance 1, then by gamma and beta.

    ``y = gamma * (x - mean(x)) / sqrt(var(x) + eps) + beta``, with mean and (population) variance over the last axis.

    Parameters
    ----------
    eps : float, default=1e-5
        Added to the variance; 0 is allowed and safe. The default is that of PyTorch, for every dtype.
    gamma : None or array-like of shape (n_features,), default=None
        Factor of each feature, as ``weight`` of a trained layer.
    beta : None or array-like of shape (n_features,), default=None
        Offset of each feature, as ``bias`` of a trained layer.
    keep_stats : bool, default=False
        Append the columns ``row_mean`` and ``row_scale`` to the output, from which `inverse_transform` recovers the
        input.
    dtype : None or float dtype, default=None
        Dtype of the output. None keeps float16, float32 and float64, gives float32 for bool and integers of up to 16
        bits, and float64 for wider ones.
    copy : bool, default=True
        False works in place where the input is a writeable array already of the output dtype (and
        ``keep_stats=False``), and copies otherwise.

    Attributes
    ----------
    n_features_in_ : int
        Size of the last axis.
    feature_names_in_ : ndarray of str of shape (n_features,)
        Names of the features, where fit saw a DataFrame.

    Raises
    ------
    ValueError
        For infinity, text, dates, complex numbers and sparse matrices; by `inverse_transform` without row statistics
        or with a zero in gamma.

    Warns
    -----
    UserWarning
        By fit for samples of one feature, which all become 0.

    See Also
    --------
    RowRMSNorm : without the mean.
    Standardizer : mean 0 and variance 1 for each feature.

    Notes
    -----
    NaN is missing: it is left out of mean and variance and stays NaN, so that padded samples of different length
    work. A constant sample, recognised by minimum == maximum, gives exact zeros (then beta) and has ``row_scale`` 1
    whatever eps, so that the inverse of anything else made from it is a shift. Samples of huge or tiny values are
    divided by a power of two, and eps with them. Sums are wider than the output, which is rounded once.

    References
    ----------
    J. L. Ba, J. R. Kiros, G. E. Hinton (2016), Layer normalization, equation 4.

    Examples
    --------
    >>> import numpy as np
    >>> from sknorm import RowLayerNorm
    >>> X = np.array([[1.0, 3.0], [40.0, 20.0]])
    >>> norm = RowLayerNorm(eps=0, keep_stats=True)
    >>> norm.fit_transform(X)
    array([[-1.,  1.,  2.,  1.],
           [ 1., -1., 30., 10.]])
    >>> norm.inverse_transform(norm.transform(X))
    array([[ 1.,  3.],
           [40., 20.]])
    """

    _statistics = LayerStatistics

    def __init__(
        self,
        *,
        eps: float = 1e-5,
        gamma: Any = None,
        beta: Any = None,
        keep_stats: bool = False,
        dtype: Any = None,
        copy: bool = True,
    ) -> None:
        self.eps = eps
        self.gamma = gamma
        self.beta = beta
        self.keep_stats = keep_stats
        self.dtype = dtype
        self.copy = copy

    def fit(self, X: Any, y: Any = None) -> Self:
        super().fit(X, y)
        if self.n_features_in_ == 1:
            _validation.warn_one_feature(type(self).__name__)
        return self

    fit.__doc__ = SampleTransformer.fit.__doc__

    def _check_parameters(self, shape: tuple[int, ...]) -> None:
        super()._check_parameters(shape)
        _parameters.check_number("eps", self.eps, zero=True)
        _parameters.check_vector("gamma", self.gamma, shape[-1], shape)
        _parameters.check_vector("beta", self.beta, shape[-1], shape)

    def _kernel(self, width: int, precise: bool) -> _kernels.Kernel:
        gamma, beta = (_parameters.check_vector(name, getattr(self, name), width) for name in ("gamma", "beta"))
        return _kernels.layer_norm.given(float(self.eps), gamma, beta, precise)

    def _inverse_kernel(self, width: int) -> _kernels.Kernel:
        gamma, beta = (_parameters.check_vector(name, getattr(self, name), width) for name in ("gamma", "beta"))
        _parameters.check_no_zero(gamma)

        def kernel(group: _kernels.Group, y: Array, out: Array, features: Any, mean: Array, scale: Array) -> tuple[()]:
            x = y - (0.0 if beta is None else beta)
            out[...] = x / (1.0 if gamma is None else gamma) * scale[:, None] + mean[:, None]
            return ()

        return _kernels.Kernel(kernel)
