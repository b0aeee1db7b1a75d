"""The walk over a data set: weights of any kind go with their samples, however the data are held."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sknorm._containers import opened
from sknorm._dataset_statistics import Moments
from sknorm._tables import Table
from sknorm._validation import InfinityFound

from .test_dataset_statistics import assert_same, both, small_blocks


def as_table(X):
    """Of columns in two dtypes, so that it is read some rows at a time."""
    table = opened(pd.DataFrame(X).astype({0: "Float64"}))
    assert isinstance(table, Table)
    return table


each_form = pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, as_table, sp.csr_array, sp.csc_array])


@both
@each_form
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.uint8, np.int64, np.longdouble])
def test_weights_add_up_beyond_the_range_and_precision_of_their_dtype(cls, form, dtype):
    X = np.random.default_rng(0).integers(0, 3, (2000, 3)).astype(float)
    weights = np.full(2000, 255, dtype)
    for size in (64, 2**15):
        with small_blocks(size):
            found = cls.of(form(X), weights)
        assert type(found.n_samples) is float
        assert found.n_samples == 255 * 2000
        np.testing.assert_array_equal(found.count, [255 * 2000] * 3)


@both
@each_form
def test_a_feature_whose_values_are_all_there_gets_no_zero_from_weights_of_any_range(cls, form):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, weights = rng.uniform(1, 2, size=(200, 2)), np.exp(rng.normal(0, 60, 200))
        assert_same(cls.of(form(X), weights), cls.of(X, weights), bound=1e-9)


@both
@each_form
def test_features_beyond_one_tile_are_all_there_in_their_order(cls, form):
    X = np.random.default_rng(0).normal(size=(3, 1100))
    for weights in (None, np.array([1.0, 2.0, 0.5])):
        found = cls.of(form(X), weights)
        np.testing.assert_array_equal(found.minimum.hi, X.min(axis=0))
        if cls is Moments:
            mean, _ = found.mean(np.zeros(1100, int))
            np.testing.assert_allclose(mean.hi, np.average(X, axis=0, weights=weights), rtol=1e-12, atol=1e-15)


@both
@pytest.mark.parametrize("order", ["C", "F"])
def test_each_sample_of_images_has_the_weight_of_its_image(cls, order):
    X = np.asarray(np.random.default_rng(0).normal(size=(6, 2, 3, 2)), order=order)
    weights = np.array([1, 0, 3, 1, 2, 0])
    rows = np.repeat(X, weights, axis=0).reshape(-1, 2)
    for size in (4, 16, 2**15):
        with small_blocks(size):
            found = cls.of(X, weights)
        assert found.n_samples == len(rows)
        np.testing.assert_array_equal(found.count, [len(rows)] * 2)
        np.testing.assert_array_equal(found.maximum.hi, rows.max(axis=0))


@both
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("weights", [[1e40, 1e20, 1.0], [1e300, 1e300, 1e-300], [1.0, 1e-16, 5e-324]])
def test_a_value_of_any_weight_above_zero_is_seen(cls, container, weights):
    X = container(np.array([[5.0], [3.0], [0.0]]))
    found = cls.of(X, np.array(weights))
    assert (found.minimum.hi, found.maximum.hi) == (0, 5)


@both
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array, sp.csc_array])
def test_an_infinity_of_any_weight_above_zero_is_refused(cls, container):
    X = container(np.array([[5.0], [np.inf], [3.0]]))
    with pytest.raises(InfinityFound):
        cls.of(X, np.array([1e300, 1e-300, 1e300]))
