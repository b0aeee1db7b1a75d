"""Working memory is kept by name and by thread, and has the layout of the data it stands beside."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from sknorm._kernels._scratch import scratch


@pytest.mark.parametrize(
    "like", [np.zeros((3, 4), np.float32), np.zeros((4, 3)).T, np.zeros(7, bool), np.zeros((5, 1))]
)
def test_it_has_the_shape_and_the_memory_order_of_the_data_and_the_width_of_float64(like):
    found = scratch("a", like)
    assert found.shape == like.shape
    assert found.dtype == np.float64
    assert found.flags.c_contiguous == like.flags.c_contiguous
    assert found.flags.f_contiguous == like.flags.f_contiguous


def test_the_same_name_is_the_same_memory_and_another_name_is_not():
    like = np.zeros((3, 4))
    assert np.shares_memory(scratch("a", like), scratch("a", like[:2]))
    assert not np.shares_memory(scratch("a", like), scratch("b", like))


def test_it_grows_with_the_data():
    assert scratch("growing", np.zeros(2)).size == 2
    assert scratch("growing", np.zeros(9)).size == 9
    assert scratch("growing", np.zeros(3)).size == 3


def test_every_thread_has_its_own():
    like = np.zeros((3, 4))
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(scratch, "a", like).result()
    assert not np.shares_memory(scratch("a", like), other)
