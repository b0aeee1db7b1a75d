"""Blocks hold every sample once, in order, and as much of memory as asked."""

from itertools import permutations
from math import prod

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sknorm._kernels import (
    TILE,
    Block,
    flattened,
    rectangles,
    row_blocks,
    tiles,
    tiles_of,
)

shapes = st.lists(st.integers(0, 6), min_size=1, max_size=4).flatmap(
    lambda leading: st.integers(1, 7).map(lambda d: (*leading, d))
)


@given(shapes, st.integers(1, 300), st.none() | st.integers(1, 9))
@example((3, 0, 2), 5, None)
@example((2, 3, 4, 5), 1, 2)
def test_every_sample_is_in_one_block_and_they_follow_each_other(shape, size, width):
    X = np.arange(prod(shape)).reshape(shape)
    samples = X.reshape(prod(shape[:-1]), shape[-1])
    blocks = list(row_blocks(shape, size, width))
    assert [b.start for b in blocks[1:]] == [b.stop for b in blocks[:-1]]
    assert sum(b.stop - b.start for b in blocks) == len(samples)
    for block in blocks:
        np.testing.assert_array_equal(block.of(X), samples[block.start : block.stop])


@given(shapes, st.integers(1, 300), st.none() | st.integers(1, 9))
@example((6, 7), 9, 2)
@example((6, 2), 9, 7)
def test_a_block_is_no_larger_than_asked_unless_it_is_one_sample_and_not_needlessly_small(shape, size, width):
    width = min(shape[-1], width or shape[-1])
    blocks = [b for b in row_blocks(shape, size, width) if b.stop > b.start]
    for block in blocks:
        n = block.stop - block.start
        assert n == 1 or n * width <= size
    if len(shape) == 2:
        assert all(width * (b.stop - b.start + 1) > size for b in blocks[:-1])


@pytest.mark.parametrize("size, n_blocks", [(11, 8), (12, 4), (23, 4), (24, 2), (1000, 1)])
def test_images_are_not_cut_where_a_block_holds_some(size, n_blocks):
    assert len(list(row_blocks((4, 3, 4), size))) == n_blocks


@pytest.mark.parametrize("axes", list(permutations(range(3))))
@pytest.mark.parametrize("size", [1, 8, 1000])
def test_a_block_of_an_array_in_any_memory_order_has_its_samples_in_c_order(axes, size):
    X = np.arange(60).reshape(3, 4, 5).transpose(axes)
    found = [block.of(X) for block in row_blocks(X.shape, size)]
    np.testing.assert_array_equal(np.concatenate(found), X.reshape(-1, X.shape[-1]))


def test_a_block_of_rows_is_a_view():
    X = np.zeros((9, 2))
    assert np.shares_memory(Block((slice(3, 5),), 3, 5).of(X), X)


@given(st.integers(1, 3 * TILE))
@example(TILE)
@example(2 * TILE)
def test_tiles_hold_every_feature_once(n_features):
    found = list(tiles(n_features))
    np.testing.assert_array_equal(np.concatenate([np.arange(n_features)[t] for t in found]), np.arange(n_features))
    assert all(0 < t.stop - t.start <= TILE for t in found)
    assert found[-1].stop == n_features


@pytest.mark.parametrize("n, size, width", [(100, 250, 2), (100, 100, 1), (100, 99, 1), (100, 10_000, 8), (0, 9, 8)])
def test_whole_columns_make_a_block_where_they_are_stretches_of_memory(n, size, width):
    columns = np.zeros((20, n)).T
    for X in (columns, columns[::-1], columns[:, ::-1], columns[::-1, ::-1]):
        assert [t.stop - t.start for t in tiles_of(X, size, 8)][:-1] == [width] * (-(-20 // width) - 1)
    for X in (np.zeros((n, 20)), np.zeros((n, 20))[:, ::-1], np.zeros((20, 3, n)).T):
        assert next(tiles_of(X, size, 8)) == slice(0, 8)


@given(shapes, st.sampled_from("CF"), st.integers(1, 100), st.integers(1, 5))
@example((6, 7), "C", 9, 2)
@example((9, 7), "C", 6, 3)
@example((9, 7), "F", 20, 3)
def test_rectangles_hold_every_value_once_and_no_more_than_asked(shape, order, size, width):
    X, seen = np.zeros(shape, order=order), np.zeros((prod(shape[:-1]), shape[-1]), int)
    for block, features in rectangles(X, size, width):
        seen[block.start : block.stop, features] += 1
        n, w = block.stop - block.start, features.stop - features.start
        assert w <= width
        assert n <= 1 or n * w <= size
        if len(shape) == 2:
            assert block.stop == len(X) or (n + 1) * w > size
    assert (seen == 1).all()


@pytest.mark.parametrize("shape", [(6, 4), (3, 2, 4), (3, 2, 2, 2), (0, 2, 4), (0, 2, 3, 4), (3, 0, 2, 4), (3, 1, 4)])
def test_what_is_contiguous_is_flattened_without_a_copy(shape):
    X, Y = np.zeros(shape), np.zeros((*shape[:-1], 9))
    flat, wider = flattened(X, Y)
    if X.size:
        assert flat.shape == (prod(shape[:-1]), shape[-1])
        assert wider.shape == (prod(shape[:-1]), 9)
    assert np.shares_memory(flat, X) or not X.size


@given(st.permutations(range(4)), st.lists(st.sampled_from([1, -1, 2]), min_size=4, max_size=4))
def test_what_is_flattened_is_a_view_of_the_same_samples_in_the_same_order(axes, steps):
    X = np.arange(4 * 3 * 2 * 5).reshape(4, 3, 2, 5).transpose(axes)[tuple(slice(None, None, s) for s in steps)]
    (flat,) = flattened(X)
    assert np.shares_memory(flat, X)
    np.testing.assert_array_equal(flat.reshape(-1, X.shape[-1]), X.reshape(-1, X.shape[-1]))


def test_axes_that_follow_one_another_are_flattened_and_others_stay():
    X = np.zeros((6, 4, 3, 5))
    assert flattened(X[::2])[0].shape == (3, 12, 5)
    assert flattened(X[:, :, ::2])[0].shape == (24, 2, 5)
    assert flattened(np.moveaxis(np.zeros((5, 4, 3)), 0, -1))[0].shape == (12, 5)
    assert flattened(X[:1, ::3, 0])[0].shape == (2, 5)
    assert flattened(X[:, 1:2, 1:2])[0].shape == (6, 5)
    one, other = flattened(X, np.zeros((6, 3, 4, 5)).swapaxes(1, 2))
    assert one.shape == other.shape == X.shape
