"""Data of more values, samples or features than 31 bits count: views that repeat themselves, and sparse matrices."""

import numpy as np
import pytest
import scipy.sparse as sp

from sknorm import MinMaxNormalizer, RowRMSNorm, Standardizer, show_config

N = 2**33 + 5
portable = show_config(mode="dict")["backend"] == "portable"


@pytest.fixture(scope="module")
def repeated():
    """Two billion bytes in two thousand: the values 0 to 255, eight of each in an entry of the first axis."""
    return np.broadcast_to(np.arange(2**11, dtype=np.uint8).reshape(1, -1, 1), (2**20 + 1, 2**11, 1))


def test_extrema_of_two_billion_values(repeated):
    norm = MinMaxNormalizer().fit(repeated)
    assert norm.n_samples_seen_ == repeated.size > 2**31
    assert (norm.data_min_, norm.data_max_) == (0, 255)
    np.testing.assert_array_equal(norm.transform(repeated[-1:, -1:]), [[[1]]])


@pytest.mark.skipif(portable, reason="takes half a minute")
def test_moments_of_two_billion_values(repeated):
    norm = Standardizer().fit(repeated)
    assert norm.n_samples_seen_ == repeated.size
    assert (norm.mean_, norm.var_) == (127.5, (256**2 - 1) / 12)
    assert norm.merge(norm).n_samples_seen_ == 2 * repeated.size


def test_a_narrow_part_of_a_view_of_eight_billion_values():
    X = np.broadcast_to(np.float32([[3], [4]]), (2, 2**32 + 1))
    np.testing.assert_array_equal(RowRMSNorm(eps=0).transform(X[:, -3:]), np.ones((2, 3)))


@pytest.mark.parametrize("container", [sp.csc_matrix, sp.csc_array])
@pytest.mark.parametrize("norm", [Standardizer(with_mean=False), MinMaxNormalizer()], ids=str)
def test_a_sparse_matrix_of_more_samples_than_32_bits_count(norm, container):
    data, indices, indptr = np.array([1.0, 3.0, 2.0, 5.0]), np.array([0, N - 1, 7, 2**32]), np.array([0, 2, 2, 4])
    X = container((data, indices, indptr), shape=(N, 3))
    assert X.indices.dtype == np.int64
    norm.fit(X)
    assert norm.n_samples_seen_ == N
    if isinstance(norm, Standardizer):
        np.testing.assert_allclose(norm.mean_, [4 / N, 0, 7 / N], rtol=1e-15)
        np.testing.assert_allclose(norm.var_, [10 / N - (4 / N) ** 2, 0, 29 / N - (7 / N) ** 2], rtol=1e-15)
    else:
        np.testing.assert_array_equal(norm.data_max_, [3, 0, 5])
    Y = norm.transform(X)
    np.testing.assert_array_equal(Y.indices, indices)
    np.testing.assert_allclose(norm.inverse_transform(Y).data, data, rtol=1e-15)
    assert norm.partial_fit(X).n_samples_seen_ == 2 * N


@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csr_array])
def test_a_sparse_matrix_of_more_features_than_32_bits_count(container):
    data, indices, indptr = np.array([3.0, 4.0, 2.0]), np.array([0, N - 1, 2**32]), np.array([0, 2, 2, 3])
    X, norm = container((data, indices, indptr), shape=(3, N)), RowRMSNorm(eps=0)
    statistics, Y = norm.row_statistics(X), norm.transform(X)
    np.testing.assert_allclose(statistics.row_rms, [np.sqrt(25 / N), 1, np.sqrt(4 / N)], rtol=1e-15)
    np.testing.assert_allclose(Y.data, data / np.repeat(statistics.row_rms, [2, 0, 1]), rtol=1e-15)
    np.testing.assert_allclose(norm.inverse_transform(Y, row_stats=statistics).data, data, rtol=1e-15)
