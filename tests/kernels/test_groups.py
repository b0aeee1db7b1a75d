"""The three kinds of groups agree with a loop over the groups."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sknorm._kernels import Columns, Rows, Segments
from sknorm._kernels._groups import LANES_TO_MAP, LANES_TO_REDUCE

SHAPES = [
    (1, 1),
    (7, 3),
    (8, 3),
    (64, 5),
    (96, 2),
    (10, 200),
    (4, LANES_TO_REDUCE),
    (2, LANES_TO_REDUCE // 2),
    (4, LANES_TO_REDUCE // 2 + 1),
]


def cases():
    """(id, group, data in the group's view, values of each group, group and row of each datum)"""
    rng = np.random.default_rng(0)
    for n, d in SHAPES:
        for order in "CF":
            x = np.asarray(rng.integers(-50, 50, (n, d)), float, order=order)
            group = Columns(x)
            places = np.broadcast_to(np.arange(d), x.shape), np.broadcast_to(np.arange(n)[:, None], x.shape)
            places = [group.view(np.array(p, order=order)) for p in places]
            yield pytest.param(group, group.view(x), list(x.T), *places, id=f"columns-{n}-{d}-{order}")
        x = np.ascontiguousarray(x)
        places = np.broadcast_to(np.arange(n)[:, None], x.shape), np.broadcast_to(np.arange(n)[:, None], x.shape)
        yield pytest.param(Rows(x), x, list(x), *places, id=f"rows-{n}-{d}")
    for sizes, first in [([1], 0), ([3, 1, 4], 0), ([2, 2], 5)]:
        indptr = first + np.cumsum([0, *sizes])
        x = rng.integers(-50, 50, sum(sizes)).astype(float)
        of_group = np.repeat(np.arange(len(sizes)), sizes)
        values = np.split(x, np.cumsum(sizes)[:-1])
        yield pytest.param(Segments(indptr), x, values, of_group, np.arange(len(x)), id=f"segments-{sizes}-{first}")


each_case = pytest.mark.parametrize("group, x, values, of_group, row", list(cases()))


@each_case
@pytest.mark.parametrize("ufunc", [np.add, np.minimum, np.fmax])
def test_a_group_is_reduced_as_its_values_are(group, x, values, of_group, row, ufunc):
    np.testing.assert_array_equal(group.reduce(ufunc, x), [ufunc.reduce(v) for v in values])


@each_case
def test_the_size_of_a_group_is_the_number_of_its_values(group, x, values, of_group, row):
    np.testing.assert_array_equal(group.size, [len(v) for v in values])


@each_case
def test_what_belongs_to_a_group_is_spread_beside_each_of_its_values(group, x, values, of_group, row):
    p = np.arange(100.0, 100 + len(values))
    np.testing.assert_array_equal(np.broadcast_to(group.spread(p), x.shape), p[of_group])


@each_case
def test_what_belongs_to_a_row_is_lined_up_with_its_values(group, x, values, of_group, row):
    w = np.random.default_rng(1).normal(size=row.max() + 1)
    np.testing.assert_array_equal(np.broadcast_to(group.rows(w), x.shape), w[row])


@each_case
def test_halving_keeps_the_sums_and_may_halve_the_values(group, x, values, of_group, row):
    halved = group.halved(x.copy())
    np.testing.assert_array_equal(group.reduce(np.add, halved), group.reduce(np.add, x))
    if isinstance(group, Columns):
        assert len(halved) == -(-len(x) // 2)


@given(st.integers(1, 300), st.integers(1, 2 * LANES_TO_MAP), st.booleans(), st.booleans())
def test_several_rows_are_one_wide_row_only_where_that_is_a_view(n, d, c_block, c_out):
    block = np.lib.stride_tricks.as_strided(np.zeros(1), (n, d), (0, 0)) if not c_block else np.empty((n, d), bool)
    out = None if c_out else np.empty((d, n), bool).T
    group = Columns(block, out)
    assert n % group.lanes == 0
    assert group.lanes == 1 or (group.lanes * d <= LANES_TO_MAP and np.shares_memory(group.view(block), block))
    assert group.lanes == 1 or out is None or out.flags.c_contiguous


def test_rows_of_few_values_are_handled_together():
    few, many = np.empty((64, 4)), np.empty((8192, 4))
    assert Columns(few).lanes == Columns(few, few).lanes == 64
    assert Columns(many).lanes * 4 == LANES_TO_REDUCE
    assert Columns(many, many).lanes * 4 == LANES_TO_MAP
    assert Columns(np.empty((1024, 4)), np.empty((4, 1024)).T).lanes == 1
    assert Columns(np.empty((4, 1024)).T).lanes == 1
