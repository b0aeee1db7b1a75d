"""F3, each sample to mean square 1."""

from __future__ import annotations

from typing import Any

from . import _kernels, _parameters
from ._precision import Array
from ._sample_statistics import RMSStatistics
from ._sample_transformer import SampleTransformer


class RowRMSNorm(SampleTransformer):
    """Scale each sample to mean square 1, then by gamma.

    ``y = gamma * x / sqrt(mean(x**2) + eps)``, with the mean over the last axis.

    Parameters
    ----------
    eps : float, default=1e-6
        Added to the mean square; 0 is allowed and safe. One number for every dtype (PyTorch's default differs by
        dtype).
    gamma : None or array-like of shape (n_features,), default=None
        Factor of each feature, as ``weight`` of a trained layer. Some model families store ``gamma - 1``.
    keep_stats : bool, default=False
        Append the column ``row_rms`` to the output, from which `inverse_transform` recovers the input.
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
        For infinity, text, dates and complex numbers; for sparse matrices with ``keep_stats=True``; by
        `inverse_transform` without row statistics or with a zero in gamma.

    See Also
    --------
    RowLayerNorm : with the mean subtracted.

    Notes
    -----
    NaN is missing: it is left out of the mean and stays NaN. An all-zero sample stays zero and has ``row_rms`` 1
    whatever eps. Samples of huge or tiny values are divided by a power of two, and eps with them. The product with
    gamma is rounded once, to the output dtype. Sparse matrices stay sparse; zeros that are not stored count in the
    mean.

    References
    ----------
    B. Zhang, R. Sennrich (2019), Root mean square layer normalization, equation 4.

    Examples
    --------
    >>> import numpy as np
    >>> from sknorm import RowRMSNorm
    >>> X = np.array([[3.0, 4.0], [0.0, 0.0]])
    >>> norm = RowRMSNorm(eps=0)
    >>> norm.fit_transform(X).round(4)
    array([[0.8485, 1.1314],
           [0.    , 0.    ]])
    >>> norm.inverse_transform(norm.transform(X), row_stats=norm.row_statistics(X)).round(4)
    array([[3., 4.],
           [0., 0.]])
    """

    _statistics = RMSStatistics
    _takes_sparse = True

    def __init__(
        self,
        *,
        eps: float = 1e-6,
        gamma: Any = None,
        keep_stats: bool = False,
        dtype: Any = None,
        copy: bool = True,
    ) -> None:
        self.eps = eps
        self.gamma = gamma
        self.keep_stats = keep_stats
        self.dtype = dtype
        self.copy = copy

    def _check_parameters(self, shape: tuple[int, ...]) -> None:
        super()._check_parameters(shape)
        _parameters.check_number("eps", self.eps, zero=True)
        _parameters.check_vector("gamma", self.gamma, shape[-1], shape)

    def _kernel(self, width: int, precise: bool) -> _kernels.Kernel:
        gamma = _parameters.check_vector("gamma", self.gamma, width)
        return _kernels.rms_norm.given(float(self.eps), gamma, precise, width)

    def _inverse_kernel(self, width: int) -> _kernels.Kernel:
        gamma = _parameters.check_vector("gamma", self.gamma, width)
        _parameters.check_no_zero(gamma)

        def kernel(group: _kernels.Group, y: Array, out: Array, features: Any, rms: Array) -> tuple[()]:
            out[...] = y / (1.0 if gamma is None else gamma[features]) * group.spread(rms)
            return ()

        return _kernels.Kernel(kernel)
