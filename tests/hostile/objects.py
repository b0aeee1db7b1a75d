"""Lists, objects that are no data, and the choice among all kinds of input."""

import array
import contextlib
import pathlib
from unittest.mock import MagicMock

import numpy as np
import pandas as pd
from arrays import Case, dense, masked, matrix, no_numbers, objects, sparse, values, wide
from frames import collection, frame, polars_frame


class Raises:
    """An object whose every way to be an array raises."""

    def __init__(self, error):
        self.error = error

    def __array__(self, dtype=None, copy=None):
        raise self.error


def lists(rng):
    X = values(rng, rng.choice(list("?qd")), (3, 2))
    kind = rng.integers(5)
    rows = [X.tolist(), tuple(map(tuple, X.tolist())), list(X), [array.array("d", [1, 2])] * 2, (*X.tolist(), [])]
    truths = [X, X, X, np.array([[1.0, 2.0]] * 2), None]
    return Case(f"lists {kind}", rows[kind], truths[kind])


def no_arrays(rng):
    class Lies:
        def __len__(self):
            return 5

        def __getitem__(self, i):
            raise IndexError(i)

    class Negative(Lies):
        def __len__(self):
            return -5

    class Returns:
        def __array__(self, dtype=None, copy=None):
            return "no array"

    class Interface:
        __array_interface__ = "no dict"

    class NoRepr:
        def __repr__(self):
            raise RuntimeError("no repr")

    class NoDtype:
        __dlpack__ = tocsr = nnz = None

    cycle = []
    cycle.append(cycle)
    errors = [
        ValueError("a"),
        TypeError(),
        RuntimeError("b"),
        KeyError("c"),
        ZeroDivisionError(),
        OSError(2, "d"),
        RecursionError(),
        AttributeError("e"),
    ]
    things = [*map(Raises, errors), Lies(), Negative(), Returns(), Interface(), NoRepr(), NoDtype(), MagicMock(), cycle]
    things += [
        None,
        "",
        "a",
        "\ud800",
        b"",
        b"\0",
        bytearray(b"12"),
        memoryview(b"12"),
        3,
        0.5,
        1j,
        10**400,
        True,
        ...,
        NotImplemented,
    ]
    things += [
        range(3),
        range(0),
        (),
        [],
        [[]],
        [[], []],
        {},
        {"a": [1]},
        {1, 2},
        frozenset(),
        iter([1]),
        (x for x in [1]),
        zip([1]),
    ]
    things += [
        np.float64(1),
        np.str_("a"),
        np.datetime64("2020"),
        np.dtype(float),
        np.float64,
        int,
        len,
        np,
        contextlib.nullcontext(),
    ]
    things += [
        pathlib.Path("/no/such"),
        pd.Index([1, 2]),
        pd.NA,
        pd.NaT,
        pd.Interval(0, 1),
        slice(None),
        [None],
        [[None, "a"]],
        ["a", ["b"]],
    ]
    things += [
        [[1, 2], [3]],
        [[1], 2],
        [np.ones((2, 2)), np.ones((2, 3))],
        [{}],
        [[{}]],
        [object()],
        np.array(None),
        np.array("a"),
    ]
    thing = things[rng.integers(len(things))]
    with np.errstate(all="ignore"):
        return Case(f"object {type(thing).__name__}", thing)


KINDS = [dense] * 8 + [objects] * 2 + [sparse] * 3 + [frame] * 3 + [no_arrays] * 4
KINDS += [wide, no_numbers, masked, polars_frame, lists, collection, matrix]


def case(rng):
    with np.errstate(all="ignore"):
        return KINDS[rng.integers(len(KINDS))](rng)
