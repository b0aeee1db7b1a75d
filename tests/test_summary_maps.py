"""The maps that a summary keeps beside its statistics: they are no part of it."""

import pickle

import numpy as np

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
