"""Quantiles are values of the data, of any number of them and of any size."""

import numpy as np
import pytest

from sknorm._plot_quantiles import LEVELS, quantiles_of


@pytest.mark.parametrize("n", [1, 2, 3, 19, 20, 21, 60, 100, 101, 4999, 5000, 6000])
def test_they_are_those_of_numpy_without_interpolation(n):
    values = np.random.default_rng(n).normal(size=n)
    found = quantiles_of([values]).levels[:, 0]
    # 0.05 * 60 is 3, which floats miss by little, so the levels of the oracle are a little lower
    expected = np.quantile(values, LEVELS * (1 - 1e-9), method="inverted_cdf")
    np.testing.assert_array_equal(found, expected)


def test_an_increasing_map_maps_them():
    values = np.random.default_rng(0).normal(size=1000)
    np.testing.assert_array_equal(quantiles_of([np.exp(values)]).levels, np.exp(quantiles_of([values]).levels))


def test_missing_values_are_left_out_and_counted():
    quantiles = quantiles_of([np.array([np.nan, 1, -np.inf, 3]), np.full(4, np.nan)])
    np.testing.assert_array_equal(quantiles.missing, [0.5, 1])
    np.testing.assert_array_equal(quantiles.levels[[0, -1]], [[1, np.nan], [3, np.nan]])
    np.testing.assert_array_equal(quantiles.constant, [False, False])


def test_nothing_overflows():
    values = np.array([-1.7e308, 5e-324, 1.7e308])
    np.testing.assert_array_equal(quantiles_of([values]).levels[[0, 3, 6], 0], values)
