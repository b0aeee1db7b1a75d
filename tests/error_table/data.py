"""Arrays and sparse matrices that fit and transform get."""

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer
from sknorm._validation import SparseInputError

from .row import Row, X

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
        lambda: Standardizer().fit(np.ones((2, 4, 5, 3))).transform(np.ones((2, 3, 4, 5))),
        ValueError,
        "X has 5 features, but Standardizer is expecting 3 features as input. The features are the last axis: move "
        "axis 1 there, np.moveaxis(X, 1, -1).",
        words="scikit-learn",
    ),
    Row(
        lambda: RowRMSNorm().fit(np.ones((2, 4, 5, 3))).transform(np.ones((2, 3, 4, 5))),
        ValueError,
        "X has 5 features, but RowRMSNorm is expecting 3 features as input. The features are the last axis: move "
        "axis 1 there, np.moveaxis(X, 1, -1).",
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
        "Expected numbers in X, got dtype <U21, 'a' in row 0, feature 1. Encode categories, or make what is no "
        'number missing: pd.DataFrame(X).apply(pd.to_numeric, errors="coerce").to_numpy().',
    ),
    Row(
        lambda: Standardizer().fit(X.astype("datetime64[s]")),
        ValueError,
        "Expected numbers in X, got dtype datetime64[s]. Subtract a date, the same from all data: (np.asarray(X) - "
        'np.datetime64(date)) / np.timedelta64(1, "s").',
    ),
    Row(
        lambda: Standardizer().fit(np.array([[1, "a"]], dtype=object)),
        ValueError,
        "Expected numbers in X, got dtype object holding str, 'a' in row 0, feature 1. Encode categories, or make "
        'what is no number missing: pd.DataFrame(X).apply(pd.to_numeric, errors="coerce").to_numpy().',
    ),
    Row(
        lambda: Standardizer().fit([["1", "2.5"]]),
        ValueError,
        "Expected numbers in X, got dtype <U3. Convert it to numbers: np.asarray(X, dtype=float).",
    ),
    Row(
        lambda: Standardizer().fit(X.astype("timedelta64[s]")),
        ValueError,
        'Expected numbers in X, got dtype timedelta64[s]. Convert durations: np.asarray(X) / np.timedelta64(1, "s").',
    ),
    Row(
        lambda: Standardizer().fit(np.ones((2, 2), "i4,i4")),
        ValueError,
        "Expected numbers in X, got dtype [('f0', '<i4'), ('f1', '<i4')]. Convert it to numbers, or leave it out.",
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
        lambda: MinMaxNormalizer(inverse_dtype="input").fit(X.astype("uint8")).inverse_transform([[np.nan, 1.0]]),
        ValueError,
        "Expected values that uint8 can hold, got NaN. Fill missing values first, or use inverse_dtype=None.",
    ),
    # sparse
    Row(
        lambda: Standardizer().fit(SPARSE),
        SparseInputError,
        "Expected dense data with with_mean=True, got a sparse matrix. Cannot center sparse matrices: pass "
        "with_mean=False, or X.toarray() (X.sparse.to_dense() of a frame).",
    ),
    Row(
        lambda: Standardizer(with_mean=False).fit(SPARSE).set_params(with_mean=True).transform(SPARSE),
        SparseInputError,
        "Expected dense data with with_mean=True, got a sparse matrix. Cannot center sparse matrices: pass "
        "with_mean=False, or X.toarray() (X.sparse.to_dense() of a frame).",
    ),
    Row(
        lambda: Standardizer(with_mean=False).fit(sp.coo_array([1.0, 2.0])),
        ValueError,
        "Expected 2D sparse container, got 1D coo_array. Reshape your data: X.reshape(-1, 1) for one feature, "
        "X.reshape(1, -1) for one sample.",
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
        lambda: Standardizer(with_mean=False).fit(SPARSE * 1j),
        ValueError,
        "Expected real numbers in X, got dtype complex128. Complex data not supported: pass the real and the "
        "imaginary part as features of their own.",
    ),
    Row(
        lambda: MinMaxNormalizer((-1, 1)).fit(SPARSE),
        SparseInputError,
        "Expected dense data, or minima of 0 and a range that starts at 0, got a sparse matrix with "
        "feature_range=(-1, 1). Zeros would not stay zeros: pass "
        "X.toarray() (X.sparse.to_dense() of a frame), or use Standardizer(with_mean=False).",
    ),
    Row(
        lambda: MinMaxNormalizer(in_range=(1, 2)).fit(SPARSE),
        SparseInputError,
        "Expected dense data, or minima of 0 and a range that starts at 0, got a sparse matrix with "
        "feature_range=(0, 1) and in_range=(1, 2). Zeros would not stay zeros: pass "
        "X.toarray() (X.sparse.to_dense() of a frame), or use "
        "Standardizer(with_mean=False).",
    ),
    Row(
        lambda: MinMaxNormalizer().fit(SPARSE.toarray() + 1).transform(SPARSE),
        SparseInputError,
        "Expected dense data, or minima of 0 and a range that starts at 0, got a sparse matrix and a minimum other "
        "than 0 in features [0, 1]. Zeros would not stay zeros: pass "
        "X.toarray() (X.sparse.to_dense() of a frame), or use "
        "Standardizer(with_mean=False).",
    ),
    Row(
        lambda: MinMaxNormalizer().fit(SPARSE).set_params(feature_range=(-1, 1)).transform(SPARSE),
        SparseInputError,
        "Expected dense data, or minima of 0 and a range that starts at 0, got a sparse matrix with "
        "feature_range=(-1, 1). Zeros would not stay zeros: pass "
        "X.toarray() (X.sparse.to_dense() of a frame), or use Standardizer(with_mean=False).",
    ),
    Row(
        lambda: RowLayerNorm().fit(SPARSE),
        SparseInputError,
        "Expected dense data for RowLayerNorm, got a sparse matrix. Pass X.toarray() (X.sparse.to_dense() of a frame).",
    ),
    Row(
        lambda: RowRMSNorm(keep_stats=True).fit(SPARSE),
        SparseInputError,
        "Expected dense data for RowRMSNorm, got a sparse matrix. Use keep_stats=False, and row_statistics(X) for "
        "the inverse.",
    ),
]
