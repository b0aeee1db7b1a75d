"""F1, the one table of kernels: arrays in, arrays out.

=====================  ==================================================  =======================
kernel                 groups                                              result
=====================  ==================================================  =======================
column_extrema         columns, segments of a sparse matrix                `BlockExtrema`
column_sums            columns, segments                                   `BlockSums`
affine, affine_exact   columns, segments                                   image under `AffineMap`
layer_norm             rows                                                image, mean and divisor
rms_norm               rows, segments                                      image, divisor
softmax                rows                                                image, log of the sum
=====================  ==================================================  =======================

All but affine_exact are compiled too: a `Kernel` takes the compiled one where that is for the block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._precision import Array
from . import _compiled, _portable, _portable_rows
from ._affine import AffineMap
from ._blocks import (
    BLOCK,
    IN_PLACE,
    LARGE_BLOCK,
    NOTED,
    SMALL_BLOCK,
    TILE,
    Block,
    flattened,
    in_order,
    over,
    per_thread,
    rectangles,
    row_blocks,
    thread_count,
    tiles,
    tiles_of,
)
from ._compiled import TILE as COMPILED_TILE
from ._compiled import affine_stored, summarise, summarise_stored
from ._compiled import block_size as compiled_block_size
from ._compiled import serves as compiled_serves
from ._configuration import show_config
from ._groups import Columns, Group, Rows, Segments
from ._portable import BlockExtrema, BlockSums, affine_exact, exact_sum

__all__ = [
    "BLOCK",
    "COMPILED_TILE",
    "IN_PLACE",
    "LARGE_BLOCK",
    "NOTED",
    "SMALL_BLOCK",
    "TILE",
    "AffineMap",
    "Block",
    "BlockExtrema",
    "BlockSums",
    "Columns",
    "Group",
    "Kernel",
    "Rows",
    "Segments",
    "affine",
    "affine_exact",
    "affine_stored",
    "column_extrema",
    "column_sums",
    "compiled_block_size",
    "compiled_serves",
    "exact_sum",
    "flattened",
    "in_order",
    "layer_norm",
    "never",
    "over",
    "per_thread",
    "rectangles",
    "rms_norm",
    "row_blocks",
    "show_config",
    "softmax",
    "summarise",
    "summarise_stored",
    "thread_count",
    "tiles",
    "tiles_of",
]


def never(*given: Any) -> None:
    """What a kernel that is not compiled is in place of one that is."""


@dataclass(frozen=True)
class Kernel:
    """Two implementations of one signature; the compiled one gives None for a block that is not for it."""

    portable: Callable[..., Any]
    compiled: Callable[..., Any] = never

    def __call__(self, group: Group, block: Array, *given: Any) -> Any:
        found = self.compiled(group, block, *given)
        return self.portable(group, block, *given) if found is None else found

    def over(self, parts: Iterable[tuple[Any, ...]], whole: tuple[Any, ...]) -> list[Any]:
        """What is found in the whole if that is for the compiled kernel, or in each of its parts, which are small."""
        found = self.compiled(*whole)
        return [self.portable(*part) for part in parts] if found is None else [found]

    def given(self, *arguments: Any) -> Kernel:
        """A row norm of these parameters, which asks of which feature each value is; arrays have a value for each."""

        def of(kernel: Callable[..., Any]) -> Callable[..., Any]:
            def norm(group: Group, block: Array, out: Array | None, features: Any) -> Any:
                here = (x[features] if isinstance(x, np.ndarray) else x for x in arguments)
                return kernel(group, block, out, *here)

            return norm

        return Kernel(of(self.portable), of(self.compiled))


column_extrema = Kernel(_portable.column_extrema, _compiled.column_extrema)
column_sums = Kernel(_portable.column_sums, _compiled.column_sums)
affine = Kernel(_portable.affine, _compiled.affine)
layer_norm = Kernel(_portable_rows.layer_norm, _compiled.layer_norm)
rms_norm = Kernel(_portable_rows.rms_norm, _compiled.rms_norm)
softmax = Kernel(_portable_rows.softmax, _compiled.softmax)
