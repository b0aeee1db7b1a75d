"""The walk over the samples: a kernel gets each sample once, with what belongs to it, and its results are placed."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sknorm import RowLayerNorm, _kernels
from sknorm._sample_statistics import (
    LayerStatistics,
    RMSStatistics,
    SoftmaxStatistics,
    over_samples,
    over_stored_samples,
)
from sknorm._validation import check_row_stats

from .awkward import LAYOUTS, laid_out
from .exact import layer_normed, sample_errors
from .wording import assert_says

SHAPES = [(1, 1), (7, 3), (3, 4, 2), (2, 3, 2, 5), (0, 3), (3, 0, 2)]
each_layout = pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout != "broadcast"])


@pytest.fixture(params=[1, 10, 2**15])
def block(request, monkeypatch):
    monkeypatch.setattr(_kernels, "SMALL_BLOCK", request.param)
    return request.param


def numbered(shape):
    return np.arange(float(np.prod(shape))).reshape(shape)


def half_and_sums(group, block, out, features, *given):
    """A kernel: half of each value plus what is given; the sum and the first value of each sample."""
    assert features == slice(None)
    assert block.flags.c_contiguous
    if out is not None:
        out[...] = block / 2 + sum(g[:, None] for g in given)
    return group.reduce(np.add, block), block[:, 0]


def refuses(*given):
    """A compiled kernel that is not for this block."""


@pytest.fixture(params=[_kernels.never, refuses])
def half_and_sums_kernel(request):
    return _kernels.Kernel(half_and_sums, request.param)


@each_layout
@pytest.mark.parametrize("shape", SHAPES)
def test_image_and_statistics_stand_where_their_sample_does(half_and_sums_kernel, block, shape, layout):
    X, out = laid_out(numbered(shape), layout), laid_out(np.full(shape, -1.0), layout)
    found = np.full(shape[:-1], -1.0), np.full(shape[:-1], -1.0)
    over_samples(half_and_sums_kernel, X, out, found=found)
    np.testing.assert_array_equal(out, X / 2)
    np.testing.assert_array_equal(found[0], X.sum(axis=-1))
    np.testing.assert_array_equal(found[1], X[..., 0])


@each_layout
@pytest.mark.parametrize("shape", SHAPES)
def test_a_wider_result_has_the_statistics_in_its_last_columns(half_and_sums_kernel, block, shape, layout):
    X, out = laid_out(numbered(shape), layout), np.full((*shape[:-1], shape[-1] + 2), -1.0)
    over_samples(half_and_sums_kernel, X, out)
    np.testing.assert_array_equal(out, np.concatenate([X / 2, X.sum(axis=-1, keepdims=True), X[..., :1]], axis=-1))


@each_layout
@pytest.mark.parametrize("shape", SHAPES)
def test_a_kernel_gets_what_is_given_for_its_samples(half_and_sums_kernel, block, shape, layout):
    X, out = numbered(shape), np.empty(shape)
    given_values = [laid_out(numbered((*shape[:-1], 1)) + i, layout)[..., 0] for i in (0, 7)]
    over_samples(half_and_sums_kernel, X, out, given=tuple(map(np.ascontiguousarray, given_values)))
    np.testing.assert_array_equal(out, X / 2 + sum(given_values)[..., None])


@each_layout
def test_a_contiguous_array_may_have_its_image_in_any_layout(half_and_sums_kernel, block, layout):
    for shape in SHAPES:
        X, out = numbered(shape), laid_out(np.full(shape, -1.0), layout)
        over_samples(half_and_sums_kernel, X, out)
        np.testing.assert_array_equal(out, X / 2)


@pytest.mark.parametrize("shape", SHAPES)
def test_statistics_alone_need_no_place_for_an_image(half_and_sums_kernel, block, shape):
    found = np.full(shape[:-1], -1.0), np.full(shape[:-1], -1.0)
    over_samples(half_and_sums_kernel, numbered(shape), None, found=found)
    np.testing.assert_array_equal(found[0], numbered(shape).sum(axis=-1))


@each_layout
def test_the_image_may_be_written_over_the_samples(half_and_sums_kernel, block, layout):
    for shape in SHAPES:
        X, found = laid_out(numbered(shape), layout), np.full(shape[:-1], -1.0)
        over_samples(half_and_sums_kernel, X, X, found=(found,))
        np.testing.assert_array_equal(X, numbered(shape) / 2)
        np.testing.assert_array_equal(found, numbered(shape).sum(axis=-1))


@pytest.mark.parametrize("compiled", [_kernels.never, refuses])
def test_samples_of_few_features_come_in_smaller_blocks(monkeypatch, compiled):
    """Every sample has some values of scratch of its own, beside those of its features."""
    monkeypatch.setattr(_kernels, "SMALL_BLOCK", 1000)
    sizes = []

    def measure(group, block, out, features):
        sizes.append(len(block))
        return ()

    for d, at_least in [(1, 40), (16, 20), (484, 1), (5000, 1)]:
        sizes.clear()
        over_samples(_kernels.Kernel(measure, compiled), np.zeros((300, d)), None)
        assert sum(sizes) == 300
        assert at_least <= max(sizes) <= max(1, 1000 // (d + 10))


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize(
    "X",
    [
        np.array([[1.0, 1 + 2.0**-52]]),
        1e3 + 1e-9 * np.random.default_rng(0).normal(size=(2, 8)),
        2**52 + np.array([[0, 1, 5]]),
        np.uint32(2**32 - 1) - np.array([[0, 1, 3]], np.uint32),
    ],
)
def test_a_narrow_output_of_wide_samples_keeps_the_bound(X, dtype):
    """The mean must be as wide as the samples are, whatever comes out."""
    got = RowLayerNorm(eps=0, dtype=dtype).transform(X)
    assert sample_errors(got, layer_normed(X, eps=0)).max() <= 4


# Stored samples


def stored_half_and_sums(group, stored, out, features, *given):
    if out is not None:
        out[...] = stored / 2 + features + sum(map(group.spread, given))
    return (group.reduce(np.add, stored),)


stored_half_and_sums_kernel = _kernels.Kernel(stored_half_and_sums)


@given(st.lists(st.lists(st.integers(0, 5), unique=True, max_size=6), min_size=1, max_size=9), st.integers(1, 20))
def test_stored_values_are_handled_sample_by_sample_and_an_empty_sample_has_divisor_1(positions, size):
    X = np.zeros((len(positions), 6))
    for i, at in enumerate(positions):
        X[i, at] = np.arange(1, len(at) + 1) + 10 * i
    S = sp.csr_array(X)
    out, found = np.full(S.nnz, -1.0), np.full(len(X), -1.0)
    given_values = np.arange(100.0, 100 + len(X))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_kernels, "SMALL_BLOCK", size)
        over_stored_samples(stored_half_and_sums_kernel, S, out, given=(given_values,), found=(found,))
        over_stored_samples(stored_half_and_sums_kernel, S, None, given=(given_values,), found=(found,))
    np.testing.assert_array_equal(found, [sum(row) if any(row) else 1 for row in X])
    np.testing.assert_array_equal(out, S.data / 2 + S.indices + np.repeat(given_values, np.diff(S.indptr)))


def test_each_stored_value_is_handled_once_and_its_statistics_may_be_dropped():
    X = sp.csr_array(np.arange(1.0, 61).reshape(12, 5))
    seen = []

    def see(group, stored, out, features):
        seen.extend(stored)
        return (group.reduce(np.add, stored),)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_kernels, "SMALL_BLOCK", 10)
        over_stored_samples(_kernels.Kernel(see), X, None)
    assert sorted(seen) == X.data.tolist()


def test_a_container_without_samples_needs_nothing():
    over_stored_samples(stored_half_and_sums_kernel, sp.csr_array((0, 3)), np.empty(0), found=(np.empty(0),))


def test_the_statistics_are_named_as_the_columns_that_keep_them():
    assert LayerStatistics._fields == ("row_mean", "row_scale")
    assert RMSStatistics._fields == ("row_rms",)
    assert SoftmaxStatistics._fields == ("row_logsumexp",)


# Those that are given

NAMES = ("row_mean", "row_scale")


def test_row_statistics_become_contiguous_arrays_of_float64():
    found = check_row_stats([[[1, 2, 3]] * 2, np.ones((3, 2), np.float32).T], NAMES, (2, 3))
    for dtype in (bool, np.uint8, np.float16, np.longdouble, object):
        found += check_row_stats([np.ones((2, 3), dtype)], ("row_rms",), (2, 3))
    for array in found:
        assert array.dtype == np.float64
        assert array.flags.c_contiguous
        assert array.shape == (2, 3)


@pytest.mark.parametrize(
    "given, got",
    [
        (None, "NoneType"),
        (5, "int"),
        ([[1.0], [2.0], [3.0]], "arrays of shapes [(1,), (1,), (1,)]"),
        ([[1.0]], "arrays of shapes [(1,)]"),
        (([1.0], [2.0, 3.0]), "arrays of shapes [(1,), (2,)]"),
        ([["a"], [1.0]], "list"),
        ((), "tuple"),
    ],
)
def test_other_row_statistics_are_refused(given, got):
    with pytest.raises(ValueError, match=r"^Expected") as error:
        check_row_stats(given, NAMES, (1,))
    expected = "row_stats to be (row_mean, row_scale), each of shape (1,)"
    assert_says(error.value, expected, got, "Pass what row_statistics(X) returned for these samples.")


@pytest.mark.parametrize("names", [NAMES, ("row_rms",)])
@pytest.mark.parametrize("divisor", [0.0, -2.0, -np.inf])
def test_a_divisor_is_above_zero_and_a_mean_need_not_be(names, divisor):
    given = [np.array([divisor, 1.0])] * len(names)
    with pytest.raises(ValueError, match=r"^Expected") as error:
        check_row_stats(given, names, (2,))
    expected = f"a divisor {names[-1]} above 0"
    assert_says(error.value, expected, f"{divisor}", "Pass what row_statistics(X) returned.")
    check_row_stats([*given[1:], np.array([np.nan, 1e-320])], names, (2,))
    check_row_stats(given[:1], ("row_logsumexp",), (2,))
