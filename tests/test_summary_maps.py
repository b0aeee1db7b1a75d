"""The maps that a summary keeps beside its statistics: they are no part of it, and each is of its parameters."""

import pickle
from copy import deepcopy

import numpy as np
import pytest

from sknorm._parameters import hashable

from .test_dataset_statistics import bits, both


@both
def test_a_pickle_leaves_out_the_maps_and_keeps_everything_else(cls):
    summary = cls.of(np.array([[1.0, 2.0], [3.0, np.nan]]))
    summary.maps["key"] = "map"
    back = pickle.loads(pickle.dumps(summary))
    assert back.maps == {}
    assert summary.maps == {"key": "map"}
    assert bits(back) == bits(summary)
    assert (back.n_samples, back.dtype) == (summary.n_samples, summary.dtype)


@both
def test_what_is_made_of_a_summary_has_maps_of_its_own(cls):
    summary = cls.of(np.eye(2))
    summary.maps["key"] = "map"
    for other in (summary.merge(cls.empty(2)), summary.select([0]), summary.select(slice(None)), summary.pooled()):
        assert other.maps == {}
        assert other.maps is not summary.maps


BITS = np.array([1.0, 2.0])


@pytest.mark.parametrize(
    "one, other",
    [
        (1, True),
        (1, 1.0),
        (1, 2),
        (None, 0),
        ("dtype", None),
        (np.float32, np.float64),
        ((0, 1), (0, 2)),
        ((0, (1, 2)), (0, 1)),
        (BITS, BITS[::-1]),
        (BITS, BITS.view(np.int64)),
        (BITS, BITS.reshape(2, 1)),
        (BITS, BITS.view(BITS.dtype.newbyteorder())),
        ([BITS, 1], [BITS + 1, 1]),
    ],
)
def test_parameters_share_a_map_only_if_nothing_of_them_differs(one, other):
    for value in (one, other):
        assert hash(hashable(value)) == hash(hashable(deepcopy(value)))
        assert hashable(value) == hashable(deepcopy(value))
    assert hashable(one) != hashable(other)
