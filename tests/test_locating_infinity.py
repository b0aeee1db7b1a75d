"""Infinities: where the first is, and what is none."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from sknorm import _infinities as check
from sknorm._validation import InfinityFound

from .wording import assert_says

NAN, INF = np.nan, np.inf
BAD = np.zeros((3, 2, 4))
BAD[1, 1, 2] = -INF
BAD[2, 0, 3] = INF


@pytest.mark.parametrize(
    "X, names, options, place",
    [
        (BAD, None, {"by_sample": False}, "feature 2"),
        (BAD, list("abcd"), {"by_sample": False}, "feature 'c'"),
        (BAD, None, {"by_sample": True}, "sample (1, 1)"),
        (BAD, None, {"by_sample": True, "negative": True}, "sample (2, 0)"),
        (BAD[:, 0], None, {"by_sample": True}, "sample 2"),
        (BAD[:, 0], pd.Index(list("abcd")), {"by_sample": False}, "feature 'd'"),
        (sp.csr_array(BAD[:, 1]), None, {"by_sample": False}, "feature 2"),
        (sp.csc_array(BAD[:, 1]), None, {"by_sample": True}, "sample 1"),
    ],
)
def test_an_infinity_is_located(X, names, options, place):
    error = check.infinite(X, X, names, **options)
    assert_says(error, "finite numbers or NaN", f"infinity in {place}", "mark it as missing with NaN: X")


@pytest.mark.parametrize("at", [0, 65_535, 65_536, 199_999])
def test_an_infinity_far_down_is_located_and_found_too(at):
    X = np.zeros((200_000, 1))
    check.check_no_infinity(X)
    X[at] = INF
    assert f"sample {at}." in str(check.infinite(X, X, None, by_sample=True))
    with pytest.raises(InfinityFound):
        check.check_no_infinity(X)


def test_an_infinity_in_samples_of_many_features_is_located_and_found_too():
    X = np.zeros((3, 70_000))
    X[2, 69_999] = INF
    assert "feature 69999." in str(check.infinite(X, X, None, by_sample=False))
    with pytest.raises(InfinityFound):
        check.check_no_infinity(X)


@pytest.mark.parametrize("shape", [(1_000_000, 2), (20_000, 100), (4000, 10, 50)])
def test_an_infinity_is_looked_for_without_a_mask_of_the_whole(shape):
    X = np.zeros(shape)
    X[-1] = INF
    tracemalloc.start()
    try:
        with pytest.raises(check.InfinityFound):
            check.check_no_infinity(X)
        check.infinite(X, X, None, by_sample=True)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="longdouble is float64 here")
def test_a_longdouble_beyond_float64_counts_as_infinite_and_warns_of_nothing():
    X = np.array([[0, 1], [2, np.finfo(np.longdouble).max]])
    for form in (np.asarray, sp.csr_array, sp.csc_array):
        assert "feature 1." in str(check.infinite(form(X), form(X), None, by_sample=False))


@pytest.mark.parametrize("values", [[NAN, 1.0], [1e308, 1e308], [], [-0.0], np.full(1000, 100, np.float16)])
def test_missing_and_very_large_values_are_no_infinity(values):
    check.check_no_infinity(np.array(values).reshape(-1, 1))


def test_integers_have_no_infinity():
    check.check_no_infinity(np.array([[2**63 - 1]] * 3))


def test_minus_infinity_may_be_allowed():
    check.check_no_infinity(np.array([[-INF, 1.0]]), negative=True)
    for value in (INF, -INF):
        with pytest.raises(InfinityFound):
            check.check_no_infinity(np.array([[value, 1.0, NAN]]))
    with pytest.raises(InfinityFound):
        check.check_no_infinity(np.array([[-INF, INF]]), negative=True)
