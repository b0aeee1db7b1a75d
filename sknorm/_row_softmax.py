"""F3, each sample to probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _kernels, _parameters, _validation
from ._precision import Array
from ._sample_statistics import SoftmaxStatistics
from ._sample_transformer import SampleTransformer


class RowSoftmax(SampleTransformer):
    """Turn each sample into probabilities: positive, and of sum 1.

    ``y = exp(x / T) / sum(exp(x / T))``, with the sum over the last axis.

    Parameters
    ----------
    temperature : float, default=1.0
        T, above 0: small values sharpen, large ones level.
    keep_stats : bool, default=False
        Append the column ``row_logsumexp`` to the output, from which `inverse_transform` recovers the input.
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
        For +inf, text, dates, complex numbers and sparse matrices; by `inverse_transform` without row statistics, or
        for negative values.

    Notes
    -----
    -inf is a masked value, of probability 0; a sample in which all are masked gives NaN. NaN is missing: it is left
    out of the sum and stays NaN. `inverse_transform` gives ``T * (log(y) + row_logsumexp)``; a probability that
    vanished in the output dtype comes back as -inf.

    References
    ----------
    P. Blanchard, D. J. Higham, N. J. Higham (2021), Accurately computing the log-sum-exp and softmax functions, eq.
    1.4.

    Examples
    --------
    >>> import numpy as np
    >>> from sknorm import RowSoftmax
    >>> X = np.array([[1000.0, 1000.0], [0.0, -np.inf]])
    >>> norm = RowSoftmax()
    >>> norm.fit_transform(X)
    array([[0.5, 0.5],
           [1. , 0. ]])
    >>> norm.inverse_transform(norm.transform(X), row_stats=norm.row_statistics(X))
    array([[1000., 1000.],
           [   0.,  -inf]])
    """

    _statistics = SoftmaxStatistics
    _takes_masks = True

    def __init__(
        self, *, temperature: float = 1.0, keep_stats: bool = False, dtype: Any = None, copy: bool = True
    ) -> None:
        self.temperature = temperature
        self.keep_stats = keep_stats
        self.dtype = dtype
        self.copy = copy

    def _check_parameters(self, shape: tuple[int, ...]) -> None:
        super()._check_parameters(shape)
        _parameters.check_number("temperature", self.temperature, zero=False)

    def _kernel(self, width: int, precise: bool) -> _kernels.Kernel:
        return _kernels.softmax.given(float(self.temperature))

    def _inverse_kernel(self, width: int) -> _kernels.Kernel:
        def kernel(group: _kernels.Group, y: Array, out: Array, features: Any, logsumexp: Array) -> tuple[()]:
            wrong = (y < 0) | np.isinf(y)
            if wrong.any():
                raise _validation.no_probability(y[wrong][0])
            out[...] = (np.log(y.astype(np.float64)) + logsumexp[:, None]) * float(self.temperature)
            return ()

        return _kernels.Kernel(kernel)
