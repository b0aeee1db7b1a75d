"""Exact normalization for scikit-learn pipelines.

==================  ==========================  ====================
family              statistic                   class
==================  ==========================  ====================
dataset statistics  minimum, maximum            `MinMaxNormalizer`
(of each feature)   mean, standard deviation    `Standardizer`
sample statistics   mean, variance              `RowLayerNorm`
(of each sample)    mean square                 `RowRMSNorm`
..                  log-sum-exp                 `RowSoftmax`
==================  ==========================  ====================

`save` writes any of them to a file, and `load` reads it. `diagnose` says whether data are normalised already, and how.
"""

from ._diagnosis import diagnose
from ._kernels import show_config
from ._min_max_normalizer import MinMaxNormalizer
from ._persistence import load, save
from ._row_layer_norm import RowLayerNorm
from ._row_rms_norm import RowRMSNorm
from ._row_softmax import RowSoftmax
from ._standardizer import Standardizer

__version__ = "0.1.0"

__all__ = [
    "MinMaxNormalizer",
    "RowLayerNorm",
    "RowRMSNorm",
    "RowSoftmax",
    "Standardizer",
    "diagnose",
    "load",
    "save",
    "show_config",
]
