"""F0, dask collections: each block is mapped or summarised where it lies, and the data never come to the client.

What is done to a block is handed in from above. dask is imported inside the functions: whoever holds a collection
has it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from ._validation import not_two_axes
from ._wording import message

MERGED_AT_ONCE = 8  # summaries; thousands in one task would all have to meet on one worker

# of features (a slice): what is done to a block (and to its entries of further collections) that has these features
BlockFunction = Callable[[slice], Callable[..., Any]]


def is_collection(X: Any) -> bool:
    """Whether X is lazy."""
    # the method says what may be one, to anybody who has no dask; xarray has it for arrays in memory too
    known = hasattr(type(X), "__dask_graph__") and "dask" in sys.modules
    return known and bool(sys.modules["dask"].is_dask_collection(X))


def stand_in(X: Any) -> Any:
    """Data in memory; for a dask Array or DataFrame no samples, of the same features, names and dtypes."""
    if not is_collection(X):
        return X
    if _is_frame(X):
        return X._meta
    if _is_array(X):
        if X.ndim and np.isnan(X.shape[-1]):
            remedy = "Call X.compute_chunk_sizes() first."
            raise ValueError(message("a known number of features", f"a dask Array of shape {X.shape}", remedy))
        shape = (*(0,) * (X.ndim - 1), *X.shape[-1:])
        sparse = hasattr(X._meta, "tocsr")
        return type(X._meta)(shape, dtype=X.dtype) if sparse else np.empty(shape, X.dtype)
    kind = type(X).__name__
    if kind in ("Series", "Index"):
        raise not_two_axes("dask", X, "X.compute().to_frame().T")
    got = f"{type(X).__module__.partition('.')[0]} {kind}"
    raise TypeError(message("a dask Array or DataFrame", got, "Make one of it, or call .compute() on it first."))


def shape_of(X: Any) -> tuple[Any, ...]:
    """Shape of a collection, with NaN for what is not known."""
    return tuple(X.shape) if _is_array(X) else (np.nan, *X._meta.shape[1:])


def holds_frames(X: Any) -> bool:
    return is_collection(X) and _is_frame(X)


def mapped(X: Any, function_of: BlockFunction, *row_stats: Any, whole_samples: bool = False) -> Any:
    """The images of the blocks, lazily, cut as X is.

    Where a function needs ``whole_samples``, the pieces of a sample are put together first.
    """
    uncut = X.rechunk({X.ndim - 1: -1}) if whole_samples and _is_array(X) and X.numblocks[-1] > 1 else X
    pieces = []
    for j, features, piece in _feature_blocks(uncut):
        function = function_of(features)
        meta = function(stand_in(piece), *(np.empty((0,) * np.ndim(s)) for s in row_stats))
        aligned = [_aligned(s, piece, "row_stats", len(shape_of(X)) - 1) for s in row_stats]
        pieces.append(_over_blocks(piece, j, function, aligned, meta))
    Y = pieces[0]
    if len(pieces) > 1:
        Y = sys.modules["dask.array"].concatenate(pieces, axis=X.ndim - 1, allow_unknown_chunksizes=True)
    return Y.rechunk({Y.ndim - 1: X.chunks[-1]}) if uncut is not X and Y.shape[-1] == X.shape[-1] else Y


def summarised(X: Any, summary: Any, function_of: BlockFunction, sample_weight: Any) -> Any:
    """The summary of all blocks: merged in a tree over the samples, put side by side over the features."""
    from dask.delayed import delayed

    sides = []
    for j, features, piece in _feature_blocks(X):
        weights = [] if sample_weight is None else [_aligned(sample_weight, piece, "sample_weight", 1)]
        blocks = _over_blocks(piece, j, function_of(features), weights, stand_in(piece))
        parts = blocks.to_delayed() if _is_frame(X) else blocks.to_delayed().ravel().tolist()
        while len(parts) > 1:
            together = [parts[i : i + MERGED_AT_ONCE] for i in range(0, len(parts), MERGED_AT_ONCE)]
            parts = [delayed(summary.merge)(*some) for some in together]
        sides += parts
    return delayed(summary.beside)(*sides).compute()


def _is_array(X: Any) -> bool:
    library = sys.modules.get("dask.array")
    return library is not None and isinstance(X, library.Array)


def _is_frame(X: Any) -> bool:
    library = sys.modules.get("dask.dataframe")
    return library is not None and isinstance(X, library.DataFrame)


def _feature_blocks(X: Any) -> Iterator[tuple[int, slice, Any]]:
    """The pieces into which the features are cut, each with its number and its features."""
    if _is_frame(X) or X.numblocks[-1] == 1:
        yield 0, slice(0, shape_of(X)[-1]), X
        return
    stops = np.cumsum(X.chunks[-1]).tolist()
    for j, (start, stop) in enumerate(zip([0, *stops], stops, strict=False)):
        yield j, slice(start, stop), X.blocks[..., j]


def _over_blocks(X: Any, j: int, function: Callable[..., Any], others: list[Any], meta: Any) -> Any:
    """What ``function`` makes of each block of X, which is the ``j``-th piece along the features."""
    done = partial(_on_block, function, stand_in(X), j, max(map(np.ndim, others), default=0))
    if _is_frame(X):
        return X.map_partitions(done, *others, meta=meta, enforce_metadata=False)
    # dask matches axes from the last one
    others = [o[(..., *(None,) * (X.ndim - o.ndim))] if np.ndim(o) else o for o in others]
    return X.map_blocks(done, *others, chunks=(*X.chunks[:-1], meta.shape[-1:]), dtype=meta.dtype, meta=meta)


def _on_block(
    function: Callable[..., Any],
    like: Any,
    j: int,
    axes: int,
    X: Any,
    *others: Any,
    block_id: Any = None,
    partition_info: Any = None,
) -> Any:
    """Say in which block an error arose: what it says of samples counts from the first one there."""
    try:
        _check_block(X, like)
        return function(X, *(o if np.ndim(o) <= axes else o.reshape(o.shape[:axes]) for o in others))
    except (ValueError, TypeError) as error:
        if block_id is not None:
            error.add_note(f"In block {(*block_id[:-1], j)} of the dask Array.")
        else:
            error.add_note(f"In partition {partition_info['number']} of the dask DataFrame.")
        raise


def _check_block(X: Any, like: Any) -> None:
    """A block must be what dask says of all of them, which it takes from one or from the user."""
    remedy = "Correct what the collection was made of, or the meta it was given."
    if hasattr(X, "tocsr") != hasattr(like, "tocsr"):
        raise ValueError(message(f"blocks like {type(like).__name__}", type(X).__name__, remedy))
    names, wanted = (list(getattr(block, "columns", ())) for block in (X, like))
    if names != wanted:
        raise ValueError(message(f"the columns {wanted} in every partition", names, remedy))
    if np.shape(X)[-1] != np.shape(like)[-1]:
        raise ValueError(message(f"{np.shape(like)[-1]} features in every block", np.shape(X)[-1], remedy))


def _aligned(other: Any, X: Any, name: str, axes: int) -> Any:
    """An array, Array or Series with one entry per sample as a collection cut as X is; a number as it is."""
    if not np.ndim(other):
        return other
    cuts = X.chunks[:axes] if _is_array(X) else ((np.nan,) * X.npartitions,)
    shape = shape_of(X)[:axes]
    given = shape_of(other) if is_collection(other) else np.shape(other)
    unknown = np.isnan([*shape, *given]).any()
    if np.ndim(other) != axes or (not unknown and given != shape):
        msg = message(f"{name} of shape {shape}, one per sample", f"shape {given}", "Pass those of the samples of X.")
        raise ValueError(msg)
    if unknown:
        blocks = other.numblocks if _is_array(other) else (getattr(other, "npartitions", 1),)
        if blocks != tuple(map(len, cuts)):
            expected = f"{name} in the {tuple(map(len, cuts))} blocks of X, whose lengths are not known"
            remedy = "Take both from one collection, or call .compute_chunk_sizes() on the dask Arrays."
            raise ValueError(message(expected, f"{type(other).__name__} of {blocks} blocks", remedy))
    if _is_frame(X):
        return other.to_dask_dataframe() if _is_array(other) else other
    array = sys.modules["dask.array"]
    if not is_collection(other):
        return array.from_array(np.asanyarray(other), chunks=cuts)
    if not _is_array(other):
        other = other.map_partitions(np.asarray, meta=np.asarray(other._meta))
    return array.Array(other.dask, other.name, cuts, dtype=other.dtype) if unknown else other.rechunk(cuts)
