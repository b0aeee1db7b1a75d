"""Random arrays of every dtype and layout, dense and sparse, and what is known of each."""

from __future__ import annotations

import decimal
import fractions
import tempfile
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp

INTEGERS = "bBhHiIlLqQ"
NUMERIC = "?" + INTEGERS + "efdg"
SPARSE_FORMATS = ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"]


class Case(NamedTuple):
    """An input; the plain array that it stands for, None if it is no data; whether it may be refused all the same."""

    kind: str
    X: Any
    truth: Any = None
    either: bool = False


def values(rng, dtype, shape):
    """Values that break plain scaling code: the ends of the type, mixtures, offsets, NaN of any bits, infinities."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        low, high = (int(info.min), int(info.max)) if rng.random() < 0.4 else (max(int(info.min), -9), 9)
        if rng.random() < 0.2:
            low = int(info.max) - 5
            high = int(info.max)
        return rng.integers(low, high, shape, dtype=dtype, endpoint=True)
    narrow = np.dtype(np.float64) if dtype.char == "g" else dtype
    info = np.finfo(narrow)
    small = rng.integers(-9, 10, shape)
    kind = rng.integers(7)
    with np.errstate(all="ignore"):
        if kind == 0:
            X = rng.normal(size=shape) * 10.0 ** rng.integers(-3, 4)
        elif kind == 1:
            X = small * float(info.smallest_subnormal)
        elif kind == 2:
            X = rng.choice([0.0, 1.0, -1.0, 0.5, 1 / 3], shape) * float(info.max)
        elif kind == 3:
            X = np.ldexp(rng.uniform(-1, 1, shape), rng.integers(info.minexp - info.nmant, info.maxexp, shape))
        elif kind == 4:
            X = 10.0 ** rng.integers(0, 4) * (1 + small * float(info.eps))
        elif kind == 5:
            X = rng.choice([0.0, -0.0], shape)
        else:
            X = small * 1.0
        X = np.asarray(X).astype(narrow)
    if X.size and rng.random() < 0.3:
        bits = X.reshape(-1).view(f"u{narrow.itemsize}")
        exponent = int(np.array(np.inf, narrow).view(f"u{narrow.itemsize}"))
        for i in rng.integers(0, X.size, rng.integers(1, 3)):  # of either sign, quiet and signalling
            bits[i] = (exponent | int(rng.integers(1, 2 ** min(info.nmant, 60)))) ^ (
                int(rng.integers(2)) << info.bits - 1
            )
    if X.size and rng.random() < 0.12:
        X.reshape(-1)[rng.integers(X.size)] = rng.choice([np.inf, -np.inf])
    with np.errstate(all="ignore"):
        return X.astype(dtype)


class Subclass(np.ndarray):
    """An array of a kind of its own."""


def some_shape(rng):
    n, d = rng.integers(1, 7), rng.integers(1, 5)
    kind = rng.integers(14)
    shapes = {0: (), 1: (n,), 2: (0, d), 3: (n, 0), 4: (n, 0, d), 5: (0, 0)}
    return shapes.get(kind, (n, d) if kind < 11 else (n, 2, d) if kind < 13 else (2, 1, n, d))


def laid_out(rng, X):
    """The same values in another memory; read-only and broadcast ones among them."""
    kind = rng.integers(12) if X.ndim else 0
    if kind == 0:
        return X.copy()
    if kind == 1:
        return np.asfortranarray(X)
    if kind == 2:
        return X[::-1].copy()[::-1]
    if kind == 3:
        return X[..., ::-1].copy()[..., ::-1]
    if kind == 4:
        room = np.zeros((*X.shape[:-1], 3 * X.shape[-1]), X.dtype)
        room[..., ::3] = X
        return room[..., ::3]
    if kind == 5:  # misaligned
        room = np.zeros(X.nbytes + 1, np.uint8)
        Y = room[1:].view(X.dtype).reshape(X.shape) if X.size else X
        Y[...] = X
        return Y
    if kind == 6:
        return X.astype(X.dtype.newbyteorder())
    if kind == 7:
        X = X.copy()
        X.flags.writeable = False
        return X
    if kind == 8:
        return np.moveaxis(np.moveaxis(X, 0, -1).copy(), -1, 0)
    if kind == 9:
        return X.view(Subclass)
    if kind == 10 and X.size:
        with tempfile.TemporaryFile() as file:
            mapped = np.memmap(file, X.dtype, "w+", shape=X.shape)
        mapped[...] = X
        return mapped
    return X[:1].repeat(len(X), 0) if rng.random() < 0.5 else np.broadcast_to(X[:1], X.shape)


def dense(rng):
    X = laid_out(rng, values(rng, rng.choice(list(NUMERIC)), some_shape(rng)))
    return Case(f"array {X.dtype} {X.shape} {X.strides}", X, plain(X))


def plain(X):
    return np.array(X, X.dtype.newbyteorder("="), order="C", subok=False)


def wide(rng):
    """A longdouble beyond float64, or with bits that float64 lacks."""
    X = values(rng, "d", (3, 2)).astype("g")
    with np.errstate(all="ignore"):
        X = X * np.longdouble(10) ** rng.integers(-4000, 4000)
    return Case("wide longdouble", X, either=True)


def no_numbers(rng):
    dtype = rng.choice(["F", "D", "G", "S3", "U3", "M8[s]", "m8[us]", "V4", "f4,i2"])
    X = np.zeros(some_shape(rng), dtype)
    return Case(f"array {dtype}", laid_out(rng, X))


def objects(rng):
    """Numbers of all kinds in an object array; now and then something that is none."""
    n, d = rng.integers(1, 5), rng.integers(1, 4)
    numbers = [0, 1, -3, 2**53 + 1, 2**63 - 1, 0.5, -1e300, True, np.float32(0.25), np.int8(-7), np.uint64(9)]
    missing = [None, float("nan"), pd.NA, np.float64("nan")]
    X = np.empty((n, d), object)
    X.reshape(-1)[:] = [numbers[i] for i in rng.integers(0, len(numbers), X.size)]
    if rng.random() < 0.3:
        X.reshape(-1)[rng.integers(X.size)] = missing[rng.integers(len(missing))]
    if rng.random() < 0.4:
        others = ["a", b"1", "3", 1j, np.complex64(1), decimal.Decimal(1), fractions.Fraction(1, 3), object(), [1], {}]
        others += [np.datetime64("2020"), pd.Timestamp("2020"), pd.NaT, np.zeros(2), int, len, np.timedelta64(1, "s")]
        X.reshape(-1)[rng.integers(X.size)] = others[rng.integers(len(others))]
        return Case("objects, some no numbers", X)
    if rng.random() < 0.1:
        X[0, 0] = 10 ** int(rng.integers(19, 400))
        return Case("objects, a huge integer", X, None, either=True)
    truth = np.array([[np.nan if any(v is m for m in missing) else float(v) for v in row] for row in X])
    if all(isinstance(v, (int, np.integer)) for v in X.reshape(-1).tolist()) and not np.isnan(truth).any():
        truth = X.astype(np.int64)
    return Case("objects", X, truth)


def masked(rng):
    X = values(rng, rng.choice(list(NUMERIC)), (4, 3))
    if X.dtype.itemsize == 8 and X.dtype.kind in "iu":
        X //= 2**12
    mask = rng.random(X.shape) < rng.choice([0.0, 0.3, 1.0])
    truth = X
    if mask.any():
        truth = X.astype(X.dtype if X.dtype.kind == "f" else "f" if X.dtype.itemsize <= 2 else "d")
        truth[mask] = np.nan
    return Case(f"masked {X.dtype}", np.ma.array(X, mask=mask), truth)


def matrix(rng):
    return Case("matrix", np.ones((2, 3)).view(np.matrix))


def sparse(rng):
    """Of any format and index type, with duplicates, unsorted, with stored zeros."""
    X = values(rng, rng.choice(list("?" + INTEGERS + "fdg")), (5, 3)) if rng.random() < 0.9 else np.zeros((5, 3), "D")
    X[rng.random(X.shape) < 0.5] = 0
    kind = rng.choice(SPARSE_FORMATS)
    container = getattr(sp, f"{kind}_{rng.choice(['matrix', 'array'])}")
    S = container(X)
    if kind in ("csr", "csc") and S.nnz > 1 and rng.random() < 0.5:
        order = np.concatenate([rng.permutation(np.arange(a, b)) for a, b in zip(S.indptr, S.indptr[1:], strict=False)])
        S = container((S.data[order], S.indices[order], S.indptr), shape=S.shape)
        if rng.random() < 0.5:  # the same place twice
            major = S.indices.copy()
            major[:] = major[0]
            S = container((S.data, major, S.indptr), shape=S.shape)
    if kind in ("csr", "csc") and rng.random() < 0.5:
        S.indices, S.indptr = S.indices.astype(np.int64), S.indptr.astype(np.int64)
    with np.errstate(all="ignore"):
        truth = None if X.dtype.kind == "c" else S.toarray()
    if S.nnz and rng.random() < 0.1:
        if kind == "coo":
            S.coords[rng.integers(2)][0] = rng.choice([-1, 99])
            return Case("damaged coo", S)
        if kind in ("csr", "csc", "bsr"):
            S.indices[0] = rng.choice([-1, 3, 99])
            return Case(f"damaged {kind}", S, either=S.indices[0] < 5)
    return Case(f"sparse {kind} {S.dtype}", S, truth)
