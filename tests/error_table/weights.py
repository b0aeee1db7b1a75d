"""Weights of samples."""

import numpy as np

from sknorm import Standardizer

from .row import Row, X


def weighed(weights):
    return Standardizer().fit(X, sample_weight=weights)


ROWS = [
    Row(
        lambda: weighed(np.ma.array([1, 2], mask=[0, 1])),
        ValueError,
        "Expected sample_weight without a mask, got masked weights. Use 0 to leave a sample out.",
    ),
    Row(
        lambda: weighed([[1], [1, 2]]),
        ValueError,
        "Expected sample_weight to be an array of numbers, got list that NumPy cannot read (<...>). Pass numbers, "
        "in rows of one length.",
    ),
    Row(
        lambda: weighed([1, 2, 3]),
        ValueError,
        "Expected sample_weight to be 2 numbers, one per sample, got int64 of shape (3,). Pass one weight per "
        "entry of the first axis of X.",
    ),
    Row(
        lambda: weighed(["a", "b"]),
        ValueError,
        "Expected sample_weight to be 2 numbers, one per sample, got <U1 of shape (2,). Pass one weight per entry "
        "of the first axis of X.",
    ),
    Row(
        lambda: weighed(np.array([1, "a"], dtype=object)),
        ValueError,
        "Expected sample_weight to be 2 numbers, one per sample, got object of shape (2,). Pass one weight per "
        "entry of the first axis of X.",
    ),
    Row(
        lambda: weighed([1, -2]),
        ValueError,
        "Expected sample_weight to be finite and not negative, got -2 at position 1. Use 0 to leave a sample out.",
    ),
    Row(
        lambda: weighed([np.nan, 1]),
        ValueError,
        "Expected sample_weight to be finite and not negative, got nan at position 0. Use 0 to leave a sample out.",
    ),
    Row(
        lambda: weighed(0),
        ValueError,
        "Expected some sample_weight above zero, got zero for every sample. Give one sample or more a weight above "
        "zero.",
    ),
]
