"""F1, the one table of kernels: arrays in, arrays out.

=====================  ==================================================  =======================
kernel                 groups                                              result
=====================  ==================================================  =======================
column_extrema         columns, segments of a sparse matrix                count and extrema
column_sums            columns, segments                                   `BlockSums`
affine, affine_exact   columns, segments                                   image under `AffineMap`
layer_norm             rows                                                image, mean and divisor
rms_norm               rows, segments                                      image, divisor
softmax                rows                                                image, log of the sum
=====================  ==================================================  =======================
"""

from ._affine import AffineMap
from ._blocks import BLOCK, LARGE_BLOCK, SMALL_BLOCK, TILE, Block, flattened, in_order, row_blocks, thread_count, tiles
from ._groups import Columns, Group, Rows, Segments
from ._portable import (
    BlockSums,
    affine,
    affine_exact,
    column_extrema,
    column_sums,
    exact_sum,
)
from ._portable_rows import layer_norm, rms_norm, softmax

__all__ = [
    "BLOCK",
    "LARGE_BLOCK",
    "SMALL_BLOCK",
    "TILE",
    "AffineMap",
    "Block",
    "BlockSums",
    "Columns",
    "Group",
    "Rows",
    "Segments",
    "affine",
    "affine_exact",
    "column_extrema",
    "column_sums",
    "exact_sum",
    "flattened",
    "in_order",
    "layer_norm",
    "rms_norm",
    "row_blocks",
    "softmax",
    "thread_count",
    "tiles",
]
