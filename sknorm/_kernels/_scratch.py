"""F1, working memory of the kernels, kept by each thread: fresh megabytes cost more than the sums made in them."""

from __future__ import annotations

import threading

import numpy as np

from .._precision import Array


class _Kept(threading.local):
    def __init__(self) -> None:
        self.buffers: dict[str, Array] = {}


_kept = _Kept()


def scratch(name: str, like: Array) -> Array:
    """A float64 array of the shape and memory order of ``like``; the next call of this thread by that name takes it."""
    buffer = _kept.buffers.get(name)
    if buffer is None or buffer.size < like.size:
        buffer = _kept.buffers[name] = np.empty(like.size)
    part = buffer[: like.size]
    if like.ndim == 2 and like.strides[0] < like.strides[1]:
        return part.reshape(like.shape[::-1]).T
    return part.reshape(like.shape)
