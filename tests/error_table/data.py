"""Arrays and sparse matrices that fit and transform get."""

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer
from sknorm._validation import SparseInputError

from .row import ENDLESS, Row, X

SPARSE = sp.csr_array([[0.0, 1.0], [2.0, 0.0]])


class Unreadable:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("the connection is closed")


def with_index_beyond(container):
    container.indices[0] = 7
    return container


def coordinates_beyond():
    container = sp.coo_array(SPARSE)
    container.coords[0][0] = 7
    return container


ROWS = [
    # shape
    Row(
        lambda: Standardizer().fit([1.0, 3.0]),
        ValueError,
        "Expected 2D array, got 1D array instead, of shape (2,). Reshape your data: X.reshape(-1, 1) for one "
        "feature, X.reshape(1, -1) for one sample.",
    ),
    Row(
        lambda: Standardizer().fit(3.0),
        ValueError,
        "Expected 2D array, got 3.0, of type float. Pass a list of rows, an array or a frame.",
    ),
    Row(
        lambda: Standardizer().fit(None),
        ValueError,
        "Expected 2D array, got None, of type NoneType. Pass a list of rows, an array or a frame.",
    ),
    Row(
        lambda: Standardizer().fit("data.csv"),
        ValueError,
        "Expected 2D array, got 'data.csv', of type str. Pass a list of rows, an array or a frame.",
    ),
    Row(
        lambda: Standardizer().fit([[1.0, 2.0], [3.0]]),
        ValueError,
        "Expected an array or a frame, got list that NumPy cannot read (<...>). Pass numbers, in rows of one length.",
    ),
    Row(
        lambda: Standardizer().fit(Unreadable()),
        ValueError,
        "Expected an array or a frame, got Unreadable that NumPy cannot read (the connection is closed). Pass "
        "numbers, in rows of one length.",
    ),
    Row(
        lambda: Standardizer().fit(np.empty((2, 0))),
        ValueError,
        "Found array with 0 feature(s) (shape=(2, 0)) while a minimum of 1 is required. Pass some features.",
        words="scikit-learn",
    ),
    Row(
        lambda: Standardizer().fit(np.empty((0, 2))),
        ValueError,
        "Found array with 0 sample(s) (shape=(0, 2)) while a minimum of 1 is required. Pass data to fit.",
        words="scikit-learn",
    ),
    Row(
        lambda: RowSoftmax().fit(np.empty((0, 2))),
        ValueError,
        "Found array with 0 sample(s) (shape=(0, 2)) while a minimum of 1 is required. Pass data to fit.",
        words="scikit-learn",
    ),
    Row(
        lambda: Standardizer().fit(X).transform(X[:, :1]),
        ValueError,
        "X has 1 features, but Standardizer is expecting 2 features as input.",
        words="scikit-learn",
    ),
    Row(
        lambda: Standardizer().fit(X).inverse_transform(X[:, :1]),
        ValueError,
        "X has 1 features, but Standardizer is expecting 2 features as input.",
        words="scikit-learn",
    ),
    Row(
        lambda: RowSoftmax().fit(X).transform(X[:, :1]),
        ValueError,
        "X has 1 features, but RowSoftmax is expecting 2 features as input.",
        words="scikit-learn",
    ),
    Row(
        lambda: Standardizer().transform(X),
        NotFittedError,
        "This Standardizer instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
        "estimator.",
        words="scikit-learn",
    ),
    Row(
        lambda: Standardizer().get_feature_names_out(),
        NotFittedError,
        "This Standardizer instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
        "estimator.",
        words="scikit-learn",
    ),
    Row(
        lambda: RowSoftmax().get_feature_names_out(),
        NotFittedError,
        "This RowSoftmax instance is not fitted yet, so it does not provide get_feature_names_out. Call fit first.",
        words="scikit-learn",
    ),
    # values
    Row(
        lambda: Standardizer().fit(X.view(np.matrix)),
        TypeError,
        "Expected an array or a frame, got np.matrix. np.matrix is not supported: pass np.asarray(X).",
    ),
    Row(
        lambda: Standardizer().fit(X + 1j),
        ValueError,
        "Expected real numbers in X, got dtype complex128. Complex data not supported: pass the real and the "
        "imaginary part as features of their own.",
    ),
    Row(
        lambda: Standardizer().fit([[1, "a"]]),
        ValueError,
        "Expected numbers in X, got dtype <U21. Encode text and categories, turn dates into durations, or convert "
        "numbers written as text with astype(float).",
    ),
    Row(
        lambda: Standardizer().fit(X.astype("datetime64[s]")),
        ValueError,
        "Expected numbers in X, got dtype datetime64[s]. Encode text and categories, turn dates into durations, or "
        "convert numbers written as text with astype(float).",
    ),
    Row(
        lambda: Standardizer().fit(np.array([[1, "a"]], dtype=object)),
        ValueError,
        "Expected numbers in X, got dtype object holding str. Encode text and categories, turn dates into "
        "durations, or convert numbers written as text with astype(float).",
    ),
    Row(
        lambda: Standardizer().fit(np.array([[1, 2j]], dtype=object)),
        ValueError,
        "Expected real numbers in X, got dtype complex. Complex data not supported: pass the real and the "
        "imaginary part as features of their own.",
    ),
    Row(
        lambda: Standardizer().fit(np.array([[1, {}]], dtype=object)),
        TypeError,
        "Expected numbers in X, got dict. An argument must be a string or a real number, not 'dict': pass one "
        "number per feature.",
    ),
    Row(
        lambda: Standardizer().fit(np.array([[1, 10**400]], dtype=object)),
        ValueError,
        "Expected numbers in X that float64 can hold, got a larger integer. Divide them by a power of ten.",
    ),
    Row(
        lambda: Standardizer().fit(ENDLESS),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 1. Replace it, or mark it as missing with NaN: "
        "X[np.isinf(X)] = np.nan.",
    ),
    Row(
        lambda: Standardizer().fit(ENDLESS, sample_weight=[1, 2]),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 1. Replace it, or mark it as missing with NaN: "
        "X[np.isinf(X)] = np.nan.",
    ),
    Row(
        lambda: MinMaxNormalizer().fit(X).transform(ENDLESS),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 1. Replace it, or mark it as missing with NaN: "
        "X[np.isinf(X)] = np.nan.",
    ),
    Row(
        lambda: MinMaxNormalizer(copy=False).fit(X).transform(ENDLESS.copy()),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 1. Replace it, or mark it as missing with NaN: "
        "X[np.isinf(X)] = np.nan.",
    ),
    Row(
        lambda: RowLayerNorm().transform(ENDLESS),
        ValueError,
        "Expected finite numbers or NaN, got infinity in sample 0. Replace it, or mark it as missing with NaN: "
        "X[np.isinf(X)] = np.nan.",
    ),
    Row(
        lambda: RowLayerNorm(copy=False).transform(ENDLESS.copy()),
        ValueError,
        "Expected finite numbers or NaN, got infinity in sample 0. Replace it, or mark it as missing with NaN: "
        "X[np.isinf(X)] = np.nan.",
    ),
    Row(
        lambda: RowLayerNorm().row_statistics([[X[0], ENDLESS[0]]]),
        ValueError,
        "Expected finite numbers or NaN, got infinity in sample (0, 1). Replace it, or mark it as missing with "
        "NaN: X[np.isinf(X)] = np.nan.",
    ),
    Row(
        lambda: RowSoftmax().transform(ENDLESS),
        ValueError,
        "Expected finite numbers or NaN, got infinity in sample 0. Replace it, or mark it as missing with NaN: "
        "X[np.isinf(X)] = np.nan.",
    ),
    Row(
        lambda: RowSoftmax(copy=False).transform(ENDLESS.copy()),
        ValueError,
        "Expected finite numbers or NaN, got infinity in sample 0. Replace it, or mark it as missing with NaN: "
        "X[np.isinf(X)] = np.nan.",
    ),
    Row(
        lambda: MinMaxNormalizer(inverse_dtype="input").fit(X.astype("uint8")).inverse_transform([[np.nan, 1.0]]),
        ValueError,
        "Expected values that uint8 can hold, got NaN. Fill missing values first, or use inverse_dtype=None.",
    ),
    # sparse
    Row(
        lambda: Standardizer().fit(SPARSE),
        SparseInputError,
        "Expected dense data with with_mean=True, got a sparse matrix. Cannot center sparse matrices: pass "
        "with_mean=False, or X.toarray().",
    ),
    Row(
        lambda: Standardizer(with_mean=False).fit(SPARSE).set_params(with_mean=True).transform(SPARSE),
        SparseInputError,
        "Expected dense data with with_mean=True, got a sparse matrix. Cannot center sparse matrices: pass "
        "with_mean=False, or X.toarray().",
    ),
    Row(
        lambda: Standardizer(with_mean=False).fit(sp.coo_array([1.0, 2.0])),
        ValueError,
        "Expected 2D sparse container, got 1D coo_array. Reshape your data.",
    ),
    Row(
        lambda: Standardizer(with_mean=False).fit(with_index_beyond(SPARSE.copy())),
        ValueError,
        "Expected a sparse container of indices from 0 to 1 and a rising indptr, got a csr_array with others. Make "
        "it anew, from correct indices.",
    ),
    Row(
        lambda: Standardizer(with_mean=False).fit(coordinates_beyond()),
        ValueError,
        "Expected a sparse container of indices from 0 to 1 and a rising indptr, got a coo_array with others. Make "
        "it anew, from correct indices.",
    ),
    Row(
        lambda: Standardizer(with_mean=False).fit(sp.csr_array([[0.0, np.inf], [2.0, 0.0]])),
        ValueError,
        "Expected finite numbers or NaN, got infinity in feature 1. Replace it, or mark it as missing with NaN: "
        "X[np.isinf(X)] = np.nan.",
    ),
    Row(
        lambda: Standardizer(with_mean=False).fit(SPARSE * 1j),
        ValueError,
        "Expected real numbers in X, got dtype complex128. Complex data not supported: pass the real and the "
        "imaginary part as features of their own.",
    ),
    Row(
        lambda: MinMaxNormalizer((-1, 1)).fit(SPARSE),
        SparseInputError,
        "Expected dense data, or minima of 0 and a range that starts at 0, got a sparse matrix with "
        "feature_range=(-1, 1). Zeros would not stay zeros: pass X.toarray(), or use Standardizer(with_mean=False).",
    ),
    Row(
        lambda: MinMaxNormalizer(in_range=(1, 2)).fit(SPARSE),
        SparseInputError,
        "Expected dense data, or minima of 0 and a range that starts at 0, got a sparse matrix with "
        "feature_range=(0, 1) and in_range=(1, 2). Zeros would not stay zeros: pass X.toarray(), or use "
        "Standardizer(with_mean=False).",
    ),
    Row(
        lambda: MinMaxNormalizer().fit(SPARSE.toarray() + 1).transform(SPARSE),
        SparseInputError,
        "Expected dense data, or minima of 0 and a range that starts at 0, got a sparse matrix and a minimum other "
        "than 0 in features [0, 1]. Zeros would not stay zeros: pass X.toarray(), or use "
        "Standardizer(with_mean=False).",
    ),
    Row(
        lambda: MinMaxNormalizer().fit(SPARSE).set_params(feature_range=(-1, 1)).transform(SPARSE),
        SparseInputError,
        "Expected dense data, or minima of 0 and a range that starts at 0, got a sparse matrix with "
        "feature_range=(-1, 1). Zeros would not stay zeros: pass X.toarray(), or use Standardizer(with_mean=False).",
    ),
    Row(
        lambda: RowLayerNorm().fit(SPARSE),
        SparseInputError,
        "Expected dense data for RowLayerNorm, got a sparse matrix. Pass X.toarray().",
    ),
    Row(
        lambda: RowRMSNorm(keep_stats=True).fit(SPARSE),
        SparseInputError,
        "Expected dense data for RowRMSNorm, got a sparse matrix. Use keep_stats=False, and row_statistics(X) for "
        "the inverse.",
    ),
]
