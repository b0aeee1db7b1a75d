"""Sparse containers whose arrays do not fit together, which SciPy lets pass, are refused before they are used."""

import numpy as np
import pytest
import scipy.sparse as sp

from sknorm._containers import to_values

from .wording import assert_says

SHAPE = (4, 6)  # in blocks of (2, 3) for BSR
DENSE = np.arange(24.0).reshape(SHAPE)
DENSE[1] = 0


def container(format, **arrays):
    """A sound container, or one with other arrays."""
    X = sp.bsr_array(DENSE, blocksize=(2, 3)) if format == "bsr" else sp.coo_array(DENSE).asformat(format)
    for name, change in arrays.items():
        setattr(X, name, change(np.array(getattr(X, name))))
    return X


def with_value(at, value):
    def change(array):
        array[at] = value
        return array

    return change


def without_last(array):
    return array[:-1]


ACROSS = {"csr": 6, "csc": 4, "bsr": 2}  # places of an index
DAMAGED = [("coo", {"data": without_last})]
for index, across in (("row", 4), ("col", 6)):
    DAMAGED += [("coo", {index: with_value(3, value)}) for value in (-1, across, 2**30)]
    DAMAGED += [("coo", {index: without_last})]
for kind, across in ACROSS.items():
    DAMAGED += [(kind, {"indices": with_value(at, value)}) for at in (0, -1) for value in (-1, across, -(2**30))]
    DAMAGED += [(kind, {"indptr": with_value(0, 1)}), (kind, {"indptr": with_value(-1, 10_000)})]
    DAMAGED += [(kind, {"indptr": with_value(1, 10_000)}), (kind, {"indptr": with_value(1, -1)})]
    DAMAGED += [(kind, {"indices": without_last}), (kind, {"data": without_last})]


@pytest.mark.parametrize("format", ["coo", *ACROSS, "dok", "lil", "dia"])
def test_a_sound_container_is_read(format):
    for make in (container(format), sp.csr_array(SHAPE).asformat(format)):
        values = to_values(make)
        assert values.format == ("csc" if format == "csc" else "csr")
        np.testing.assert_array_equal(values.toarray(), make.toarray())


@pytest.mark.parametrize("format, arrays", DAMAGED)
def test_arrays_that_do_not_fit_together_are_refused(format, arrays):
    X = container(format, **arrays)
    with pytest.raises(ValueError, match=r"^Expected a sparse container of indices") as error:
        to_values(X)
    assert_says(error.value, "a rising indptr", f"a {type(X).__name__} with others", "Make it anew")


def test_the_largest_index_there_may_be_is_told():
    for format, across in ACROSS.items():
        with pytest.raises(ValueError, match=f"of indices from 0 to {across - 1} and"):
            to_values(container(format, indices=with_value(0, across)))


def test_more_indices_and_values_than_are_used_may_be_there():
    X = sp.csr_array(DENSE)
    X.indices, X.data = np.append(X.indices, 0), np.append(X.data, 7.0)
    np.testing.assert_array_equal(to_values(X).toarray(), DENSE)
