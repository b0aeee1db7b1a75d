"""Sparse matrices where zero stays zero: the numbers and the format of the input; refused elsewhere."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

DATASET = [
    Standardizer(with_mean=False),
    Standardizer(with_mean=False, ddof=1),
    Standardizer(with_mean=False, with_std=False),
    Standardizer(with_mean=False, per_feature=False),
    MinMaxNormalizer(),
    MinMaxNormalizer(feature_range=(0, 3)),
    MinMaxNormalizer(per_feature=False),
    MinMaxNormalizer(in_range=(0, 0.5)),
    MinMaxNormalizer(clip=True),
]
ROWS = [RowRMSNorm(), RowRMSNorm(eps=0), RowRMSNorm(gamma=[2.0, -1.0, 0.5, 4.0, 1.0])]
NORMS = DATASET + ROWS
each_norm = pytest.mark.parametrize("norm", NORMS, ids=repr)
each_dataset_norm = pytest.mark.parametrize("norm", DATASET, ids=repr)

FORMATS = [sp.csr_matrix, sp.csc_matrix, sp.csr_array, sp.csc_array]


def values(dtype=np.float64, *, with_nan=False):
    """Numbers of at least 0 with zeros among them, a row of zeros and a column of zeros."""
    generator = np.random.default_rng(8)
    X = generator.integers(1, 100, size=(30, 5)).astype(dtype)
    if X.dtype.kind == "f":
        X = (X * 1.1).astype(dtype)
    X[generator.random(X.shape) < 0.6] = 0
    X[3] = 0
    X[:, 2] = 0
    if with_nan:
        X[5:9, 1] = np.nan
        X[6, 2] = np.nan  # a column of zeros and NaN
    return X


def parts(X):
    return X.data, X.indices, X.indptr


def assert_equals_dense(actual, expected):
    """Within 4 ulp of the output type, at the largest magnitude of the feature."""
    assert actual.dtype == expected.dtype
    actual, expected = actual.toarray(), np.asarray(expected)
    np.testing.assert_array_equal(np.isnan(actual), np.isnan(expected))
    ulp = np.spacing(np.nanmax(np.abs(expected), axis=0, initial=0))
    assert np.all(np.isnan(expected) | (np.abs(actual - expected) <= 4 * ulp))


# --- the same numbers as the dense matrix ---


@pytest.mark.parametrize("with_nan", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("container", FORMATS)
@each_norm
def test_floats_give_what_the_dense_matrix_gives(norm, container, dtype, with_nan):
    X = values(dtype, with_nan=with_nan)
    expected = norm.fit_transform(X)
    for result in (norm.fit_transform(container(X)), norm.fit(container(X)).transform(container(X))):
        assert type(result) is container
        assert_equals_dense(result, expected)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int16, np.int32, np.int64, np.uint64])
@each_norm
def test_integers_give_what_the_dense_matrix_gives(norm, dtype):
    X = values(dtype)
    assert_equals_dense(norm.fit_transform(sp.csr_array(X)), norm.fit_transform(X))


@pytest.mark.parametrize("container", FORMATS)
@each_norm
def test_indices_of_64_bits_are_accepted(norm, container):
    X = container(values())
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    assert_equals_dense(norm.fit_transform(X), norm.fit_transform(values()))


@pytest.mark.parametrize("container", FORMATS)
@each_norm
def test_zeros_that_are_stored_count_like_those_that_are_not(norm, container):
    X = container(values())
    X.data[::3] = 0
    dense = X.toarray()
    assert_equals_dense(norm.fit_transform(X), norm.fit_transform(dense))


@each_norm
def test_indices_in_any_order_and_entries_that_add_up_are_read_right(norm):
    # Row 0 holds columns 4 and 0, in that order; row 1 holds column 1 twice, 2 + 3.
    columns, starts, data = [4, 0, 1, 1, 3], [0, 2, 4, 5], [7.0, 1.0, 2.0, 3.0, 6.0]
    X = sp.csr_array((data, columns, starts), shape=(3, 5))
    before = [part.copy() for part in parts(X)]
    dense = np.array([[1.0, 0, 0, 0, 7], [0, 5, 0, 0, 0], [0, 0, 0, 6, 0]])
    assert_equals_dense(norm.fit_transform(X), norm.fit_transform(dense))
    for part, old in zip(parts(X), before, strict=True):
        np.testing.assert_array_equal(part, old)


@pytest.mark.parametrize(
    "container", [sp.coo_matrix, sp.lil_matrix, sp.dok_array, sp.dia_array, sp.bsr_array, sp.coo_array]
)
@each_norm
def test_other_formats_come_out_as_csr(norm, container):
    result = norm.fit_transform(container(values()))
    assert result.format == "csr"
    assert isinstance(result, sp.sparray) == isinstance(container(values()), sp.sparray)
    assert_equals_dense(result, norm.fit_transform(values()))


@pytest.mark.parametrize("container", FORMATS)
@each_norm
def test_a_matrix_without_stored_entries_stays_one(norm, container):
    result = norm.fit_transform(container((4, 5)))
    assert result.shape == (4, 5)
    assert not result.toarray().any()


@pytest.mark.parametrize("container", FORMATS)
@each_norm
def test_a_matrix_without_samples_is_refused_by_fit_and_empty_in_transform(norm, container):
    result = norm.fit(values()).transform(container((0, 5)))
    assert result.shape == (0, 5)
    with pytest.raises(ValueError, match="0 sample"):
        norm.fit(container((0, 5)))


@each_dataset_norm
def test_a_fit_on_sparse_data_has_the_statistics_of_one_on_dense_data(norm):
    X = values(with_nan=True)
    dense, sparse = (type(norm)(**norm.get_params()).fit(data) for data in (X, sp.csc_matrix(X)))
    names = ["mean_", "var_"] if isinstance(norm, Standardizer) else ["data_min_", "data_max_"]
    for name in [*names, "n_samples_seen_", "constant_features_", "scale_"]:
        expected, actual = getattr(dense, name), getattr(sparse, name)
        if expected is None:
            assert actual is None
        else:
            np.testing.assert_allclose(actual, expected, rtol=1e-14)
    np.testing.assert_allclose(sparse.transform(X), dense.transform(X), rtol=1e-14)


# --- weights, batches, merging ---


@pytest.mark.parametrize("container", FORMATS)
@each_dataset_norm
def test_weights_do_what_they_do_to_dense_data(norm, container):
    X = values(with_nan=True)
    weights = np.random.default_rng(9).integers(0, 4, size=len(X))
    expected = norm.fit(X, sample_weight=weights).transform(X)
    assert_equals_dense(norm.fit(container(X), sample_weight=weights).transform(container(X)), expected)


@each_dataset_norm
def test_a_sample_without_weight_may_hold_an_extreme(norm):
    X = values()
    X[0] = 1e6
    weights = np.r_[0, np.ones(len(X) - 1)]
    expected = norm.fit(X[1:]).transform(X[1:])
    assert_equals_dense(norm.fit(sp.csr_array(X), sample_weight=weights).transform(sp.csr_array(X[1:])), expected)


@each_dataset_norm
def test_batches_of_either_kind_add_up_to_one_fit(norm):
    X = values(with_nan=True)
    expected = norm.fit(X).transform(X)
    norm = type(norm)(**norm.get_params())
    for batch in (sp.csr_array(X[:7]), X[7:12], sp.csc_matrix(X[12:])):
        norm.partial_fit(batch)
    assert_equals_dense(norm.transform(sp.csr_array(X)), expected)


@each_dataset_norm
def test_fits_on_sparse_and_on_dense_data_merge(norm):
    X = values(with_nan=True)
    expected = norm.fit(X).transform(X)
    dense, sparse = (type(norm)(**norm.get_params()) for _ in range(2))
    merged = dense.fit(X[:11]).merge(sparse.fit(sp.csr_matrix(X[11:])))
    assert_equals_dense(merged.transform(sp.csr_array(X)), expected)


# --- inverse, and what is left alone ---


@pytest.mark.parametrize("container", FORMATS)
@each_dataset_norm
def test_the_inverse_keeps_the_format_and_brings_the_values_back(norm, container):
    X = values(with_nan=True)
    norm.fit(X)
    back = norm.inverse_transform(norm.transform(container(X)))
    assert type(back) is container
    expected = norm.inverse_transform(norm.transform(X))
    assert_equals_dense(back, expected)


@pytest.mark.parametrize("container", FORMATS)
@pytest.mark.parametrize("norm", ROWS, ids=repr)
def test_the_inverse_with_row_statistics_keeps_the_format(norm, container):
    X = container(values())
    back = norm.fit(X).inverse_transform(norm.transform(X), row_stats=norm.row_statistics(X))
    assert type(back) is container
    np.testing.assert_allclose(back.toarray(), values(), rtol=4e-15)


@pytest.mark.parametrize("container", FORMATS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@each_norm
def test_neither_data_nor_indices_are_changed(norm, container, dtype):
    X = container(values(dtype))
    before = [part.copy() for part in parts(X)]
    result = norm.fit_transform(X)
    if norm in DATASET:
        norm.inverse_transform(result)
    for part, old in zip(parts(X), before, strict=True):
        np.testing.assert_array_equal(part, old)
        assert part.dtype == old.dtype


def test_what_stays_stored_is_what_was_stored():
    X = sp.csr_array(values())
    for norm in NORMS:
        assert norm.fit_transform(X).nnz == X.nnz


def test_row_statistics_of_a_sparse_matrix_are_those_of_the_dense_one():
    for norm in ROWS:
        sparse, dense = norm.row_statistics(sp.csr_array(values())), norm.row_statistics(values())
        np.testing.assert_allclose(sparse.row_rms, dense.row_rms, rtol=1e-15)


def test_row_rms_norm_works_on_sparse_data_without_a_fit():
    result = RowRMSNorm().transform(sp.csr_array(values()))
    assert_equals_dense(result, RowRMSNorm().transform(values()))


# --- refused, with the way out ---

NEGATIVE = values() - 1


@pytest.mark.parametrize("container", FORMATS)
@pytest.mark.parametrize("parameters", [{}, {"with_std": False}, {"mean": [1.0] * 5, "std": [2.0] * 5}], ids=repr)
def test_centring_is_refused_and_the_way_out_named(parameters, container):
    norm = Standardizer(**parameters)
    with pytest.raises(ValueError, match=r"(?i)sparse.*with_mean=False|with_mean=False.*sparse"):
        norm.fit(container(values()))
    with pytest.raises(ValueError, match="with_mean=False"):
        norm.fit(values()).transform(container(values()))
    with pytest.raises(ValueError, match="with_mean=False"):
        norm.fit(values()).inverse_transform(container(values()))


@pytest.mark.parametrize("container", FORMATS)
@pytest.mark.parametrize(
    "norm",
    [
        MinMaxNormalizer(feature_range=(-1, 1)),
        MinMaxNormalizer(feature_range=(1, 2)),
        MinMaxNormalizer(in_range=(-1, 1)),
        RowLayerNorm(),
        RowSoftmax(),
        RowRMSNorm(keep_stats=True),
    ],
    ids=repr,
)
def test_a_transform_that_moves_zero_is_refused(norm, container):
    for method in (norm.fit_transform, norm.fit(values()).transform):
        with pytest.raises(ValueError, match=r"(?i)sparse"):
            method(container(values()))


@pytest.mark.parametrize("container", FORMATS)
def test_a_minimum_other_than_zero_is_learnt_but_not_applied_to_sparse_data(container):
    norm = MinMaxNormalizer().fit(container(NEGATIVE))
    np.testing.assert_array_equal(norm.transform(NEGATIVE), MinMaxNormalizer().fit_transform(NEGATIVE))
    for method in (norm.transform, norm.inverse_transform, norm.fit_transform):
        with pytest.raises(ValueError, match=r"(?i)sparse"):
            method(container(NEGATIVE))


@pytest.mark.parametrize("container", FORMATS)
@each_norm
def test_an_infinity_is_refused(norm, container):
    X = values()
    X[4, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        norm.fit_transform(container(X))


@each_norm
def test_another_width_is_refused(norm):
    with pytest.raises(ValueError, match="features"):
        norm.fit(sp.csr_array(values())).transform(sp.csr_array(values()[:, :4]))


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_a_frame_cannot_be_made_of_a_sparse_matrix(output):
    norm = Standardizer(with_mean=False).set_output(transform=output)
    with pytest.raises(ValueError, match=r"(?i)sparse"):
        norm.fit_transform(sp.csr_array(values()))


@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.csc_array])
@pytest.mark.parametrize("canonical", [True, False])
@pytest.mark.parametrize(
    "wrong",
    [{"indices": [0, 10**9, 1]}, {"indices": [0, -5, 1]}, {"indptr": [0, 10**8, 3, 3]}, {"indptr": [1, 2, 3, 3]}],
)
@pytest.mark.parametrize("transformer", [Standardizer(with_mean=False), MinMaxNormalizer(), RowRMSNorm()], ids=repr)
def test_indices_outside_of_the_matrix_are_refused_before_anything_is_read(transformer, wrong, canonical, container):
    X = container(np.eye(3))
    for name, values in wrong.items():
        setattr(X, name, np.array(values, dtype=np.int32))
    X.has_canonical_format = canonical
    fitted = clone(transformer).fit(container(np.eye(3)))
    for call in (clone(transformer).fit, fitted.transform, fitted.inverse_transform):
        if isinstance(transformer, RowRMSNorm) and call == fitted.inverse_transform:
            call = partial(call, row_stats=(np.ones(3),))
        with pytest.raises(ValueError, match="Expected a sparse container of indices from 0 to 2"):
            call(X)
