"""A map of each feature carried over a data set: any layout, any width, stored values, integers, what is refused."""

import numpy as np
import pytest
import scipy.sparse as sp

from sknorm import _kernels
from sknorm._feature_maps import image, image_of_stored
from sknorm._kernels import AffineMap, _blocks
from sknorm._precision import DoubleDouble
from sknorm._validation import InfinityFound, NoInteger

from .awkward import LAYOUTS, laid_out

each_layout = pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout != "broadcast"])


@pytest.fixture(params=[1, 10, 2**15])
def block(request, monkeypatch):
    monkeypatch.setattr(_kernels, "SMALL_BLOCK", request.param)
    monkeypatch.setattr(_kernels, "BLOCK", request.param)
    return request.param


@pytest.fixture
def narrow_tiles(monkeypatch):
    for module in (_kernels, _blocks):
        monkeypatch.setattr(module, "TILE", 2)


def numbered(shape, dtype=float):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


def a_map(d, b=None):
    """Feature j becomes ``(x - j) * (j + 1) + b``."""
    j = DoubleDouble.of(np.arange(float(d)))
    zero = np.zeros(d, int)
    return AffineMap(j, j + 1.0, DoubleDouble.of(np.full(d, b or 0.0)), np.ones(d), zero, zero)


def mapped(X, b=0.0):
    j = np.arange(X.shape[-1])
    return (X - j) * (j + 1) + b


@each_layout
@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (3, 4, 2), (2, 3, 2, 5), (0, 3), (3, 0, 2)])
@pytest.mark.parametrize(
    "dtypes", [("float64", "float64"), ("float32", "float32"), ("int16", "float32"), ("float64", "int64")]
)
def test_every_value_is_mapped_as_its_feature_is(block, narrow_tiles, shape, layout, dtypes):
    X = laid_out(numbered(shape, dtypes[0]), layout)
    for b in (0.0, 3.0):
        for x, out_layout in [(X, "C"), (X, layout), (np.ascontiguousarray(X), layout)]:
            out = laid_out(np.full(shape, -1, dtypes[1]), out_layout)
            assert image(x, out, a_map(shape[-1], b)) is out
            np.testing.assert_array_equal(out, mapped(numbered(shape), b))


@each_layout
def test_the_image_may_be_written_over_the_data(block, narrow_tiles, layout):
    for shape in [(7, 3), (3, 4, 2), (2, 3, 2, 5)]:
        X = laid_out(numbered(shape), layout)
        image(X, X, a_map(shape[-1], 1.0))
        np.testing.assert_array_equal(X, mapped(numbered(shape), 1.0))


@each_layout
def test_what_looks_at_its_input_again_may_be_written_over_it_too(block, layout):
    """The image of the origin and of what overflows on the way is found from the input, once more."""
    third = DoubleDouble.of(np.full(3, 1.0)) / 3.0
    outer, start = np.array([-1070, -2, -2]), np.array([0.0, 0.0, 7.0])
    f = AffineMap(third * 3.0, third, third, np.ones(3), np.zeros(3, int), outer, start=start)
    values = np.random.default_rng(0).uniform(-1, 1, (12, 3))
    values[::3], values[1::3] = 1, [1e308, -1e308, np.nan]
    want = image(values, np.empty_like(values), f)
    X = laid_out(values, layout)
    np.testing.assert_array_equal(image(X, X, f), want)
    assert (want[::3] == start).all()


@pytest.mark.parametrize("n_features", [_kernels.TILE, _kernels.TILE + 1])
def test_more_features_than_one_tile_holds_have_their_own_constants(n_features):
    X = numbered((3, n_features))
    np.testing.assert_array_equal(image(X, np.empty_like(X), a_map(n_features)), mapped(X))


@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
def test_stored_values_are_mapped_as_their_feature_is(block, container, dtype):
    X = numbered((6, 5)) * np.random.default_rng(0).integers(0, 2, (6, 5))
    X[:, 2] = X[3] = 0
    S = container(X)
    out = image_of_stored(S, a_map(5, 1.0), np.dtype(dtype))
    assert out.dtype == dtype
    S.data = out
    np.testing.assert_array_equal(S.toarray(), np.where(X != 0, mapped(X, 1.0), 0))


@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_array])
def test_integers_are_rounded_half_to_even_stored_or_not(block, container):
    X = np.array([[1.0, 3.0], [5.0, 7.0]])
    half = AffineMap(*(DoubleDouble.of(np.full(2, v)) for v in (0.0, 0.5, 0.0)), np.ones(2), *np.zeros((2, 2), int))
    np.testing.assert_array_equal(image(X, np.empty((2, 2), np.int16), half), [[0, 2], [2, 4]])
    S = container(X)
    S.data = image_of_stored(S, half, np.dtype(np.int16))
    np.testing.assert_array_equal(S.toarray(), [[0, 2], [2, 4]])


@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_array])
def test_stored_values_that_are_no_integers_are_found(block, container):
    for value, error in [(np.nan, NoInteger), (np.inf, InfinityFound), (-np.inf, InfinityFound)]:
        with pytest.raises(error):
            image_of_stored(container(np.array([[1.0, 2.0], [value, 0.0]])), a_map(2), np.dtype(np.int32))


def test_without_stored_values_nothing_is_mapped():
    for container in (sp.csr_array, sp.csc_array):
        assert image_of_stored(container((3, 2)), a_map(2), np.dtype(float)).shape == (0,)


@pytest.mark.parametrize("dtype", [float, np.int64])
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_an_infinity_is_found_whatever_comes_out(block, dtype, infinity):
    X = np.array([[1.0], [infinity], [2.0]])
    with pytest.raises(InfinityFound):
        image(X, np.empty(X.shape, dtype), a_map(1))


def test_a_missing_value_cannot_become_an_integer(block):
    with pytest.raises(NoInteger):
        image(np.array([[1.0], [np.nan]]), np.empty((2, 1), np.int32), a_map(1))


def test_what_overflows_becomes_the_nearest_integer():
    X = np.array([[1e308, 1e308], [-1e308, -1e308]])
    big = AffineMap(*(DoubleDouble.of(np.full(2, v)) for v in (0.0, 1e300, 0.0)), np.ones(2), *np.zeros((2, 2), int))
    np.testing.assert_array_equal(image(X, np.empty((2, 2), np.int8), big), [[127, 127], [-128, -128]])
