"""What is refused of dask, with the way out; and a refused fit leaves the estimator as it was."""

import sys

import dask
import dask.array as da
import dask.bag
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from scipy.sparse import csr_matrix
from sklearn.base import clone

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer
from sknorm._containers import to_values

from .test_dask import never_computed
from .wording import assert_says

DATASET = [MinMaxNormalizer, Standardizer]
ROWS = [RowLayerNorm, RowRMSNorm, RowSoftmax]
dataset_classes = pytest.mark.parametrize("cls", DATASET)
row_classes = pytest.mark.parametrize("cls", ROWS)
every_class = pytest.mark.parametrize("cls", DATASET + ROWS)

X = np.random.default_rng(4).normal(3, 2, size=(60, 4))
INFINITE = X.copy()
INFINITE[25, 3] = np.inf
ARRAY = da.from_array(X, chunks=(20, 2))
FRAME = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=3)


@pytest.fixture(autouse=True, scope="module")
def _in_this_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


# What is no Array or DataFrame


@pytest.mark.parametrize(
    "data, expected, got, remedy",
    [
        (FRAME["a"], "2D array or DataFrame", "1D dask Series", "X.to_frame() if it is one feature"),
        (FRAME.index, "2D array or DataFrame", "1D dask Index", "X.compute().to_frame().T if it is one sample"),
        (dask.delayed(X), "a dask Array or DataFrame", "Delayed", ".compute()"),
        (dask.bag.from_sequence([1, 2]), "a dask Array or DataFrame", "Bag", ".compute()"),
        (ARRAY[0], "2D array", "1D array", "reshape(1, -1)"),
        (ARRAY.sum(), "2D array", "0D array", "reshape"),
        (ARRAY[:, da.from_array(X[0] > 3, chunks=2)], "a known number of features", "nan", "compute_chunk_sizes()"),
    ],
    ids=["Series", "Index", "Delayed", "Bag", "vector", "number", "unknown width"],
)
@every_class
def test_another_collection_is_refused_with_what_to_make_of_it(cls, data, expected, got, remedy):
    norm = cls().fit(X)
    for method in (norm.transform, norm.fit):
        with pytest.raises((ValueError, TypeError)) as error:
            method(data)
        assert_says(error.value, expected, got, remedy)


@pytest.mark.parametrize("data", [ARRAY, FRAME], ids=["Array", "DataFrame"])
def test_where_only_data_in_memory_will_do_nothing_is_pulled_there(data):
    with pytest.raises(TypeError) as error:
        to_values(data)
    assert_says(error.value, "data in memory", "lazy", ".compute()")


@pytest.mark.parametrize("data", [ARRAY[:0], FRAME[FRAME["a"] > 1e9]], ids=["Array", "DataFrame"])
@dataset_classes
def test_no_samples_at_all_are_too_few_to_fit(cls, data):
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        cls().fit(data)


@row_classes
def test_an_array_without_samples_is_too_few_for_a_row_norm_too(cls):
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        cls().fit(ARRAY[:0])
    assert cls().transform(ARRAY[:0]).compute().shape == (0, 4)


@pytest.mark.parametrize("column", [["x", "y"], pd.Categorical(["a", "b"]), pd.to_datetime(["2020", "2021"])])
@every_class
def test_a_column_that_holds_no_numbers_is_named(cls, column):
    data = dd.from_pandas(pd.DataFrame({"a": [1.0, 2.0], "wrong": column}), npartitions=2)
    with pytest.raises(ValueError, match="numbers in column 'wrong'"):
        cls().fit(data)


def test_sparse_blocks_are_not_centred():
    with pytest.raises(ValueError, match="with_mean=False"):
        Standardizer().fit(da.from_array(X, chunks=(20, 4)).map_blocks(csr_matrix))


# Frames asked of scikit-learn


@pytest.mark.parametrize("ask", ["set_output", "set_config"])
@pytest.mark.parametrize("library", ["pandas", "polars"])
@every_class
def test_a_frame_in_memory_is_not_made_of_lazy_data(cls, library, ask):
    norm = cls()
    if ask == "set_output":
        norm.set_output(transform=library)
    with sklearn.config_context(transform_output=library if ask == "set_config" else "default"):
        for data in (ARRAY, FRAME):
            norm.fit(data)
            with pytest.raises(ValueError, match="Expected") as error:
                norm.transform(never_computed(data))
            assert_says(error.value, "default output", f"transform='{library}'", 'set_output(transform="default")')


def test_what_could_be_lazy_is_read_as_it_is_where_there_is_no_dask(monkeypatch):
    class Labelled:
        """Like an array of xarray, which may hold a dask Array or one in memory."""

        def __array__(self, dtype=None, copy=None):
            return X

        def __dask_graph__(self):
            return None

    np.testing.assert_array_equal(Standardizer().fit_transform(Labelled()), Standardizer().fit_transform(X))
    monkeypatch.delitem(sys.modules, "dask")
    np.testing.assert_array_equal(Standardizer().fit_transform(Labelled()), Standardizer().fit_transform(X))


# Errors in a block


INFINITE_DATA = {
    "array": (ARRAY, da.from_array(INFINITE, chunks=(20, 2)), "feature 3.", "In block (1, 1) of the dask Array."),
    "frame": (
        FRAME,
        dd.from_pandas(pd.DataFrame(INFINITE, columns=list("abcd")), npartitions=3),
        "feature 'd'.",
        "In partition 1 of the dask DataFrame.",
    ),
}


@pytest.mark.parametrize("kind", INFINITE_DATA)
@pytest.mark.parametrize("method", ["fit", "partial_fit", "transform"])
@dataset_classes
def test_infinity_names_its_feature_and_its_block_and_changes_nothing(cls, method, kind):
    data, infinite, feature, place = INFINITE_DATA[kind]
    norm = cls().fit(data)
    before = dict(vars(norm))
    with pytest.raises(ValueError, match="infinity") as error:
        getattr(norm, method)(infinite).compute()
    assert_says(error.value, "finite numbers or NaN", "infinity in " + feature[:-1], "NaN")
    assert error.value.__notes__ == [place]
    assert vars(norm) == before


@pytest.mark.parametrize("kind", INFINITE_DATA)
@row_classes
def test_infinity_names_its_block_and_the_sample_there(cls, kind):
    _, infinite, _, place = INFINITE_DATA[kind]
    norm = cls()
    for lazy in (norm.transform(infinite), norm.row_statistics(infinite)[0]):
        with pytest.raises(ValueError, match="infinity in sample 5") as error:
            lazy.compute()
        assert error.value.__notes__ == [place.replace("(1, 1)", "(1, 0)")]  # of whole samples


@every_class
def test_an_object_that_is_no_number_is_refused_with_its_block(cls):
    data = X.astype(object)
    data[25, 3] = {}
    with pytest.raises(TypeError, match="numbers in X, got dict") as error:
        cls().fit(X).transform(da.from_array(data, chunks=(20, 4))).compute()
    assert error.value.__notes__ == ["In block (1, 0) of the dask Array."]


@dataset_classes
def test_weights_that_do_not_belong_to_the_data_are_refused(cls):
    for data, weights, expected, remedy in [
        (ARRAY, np.ones(59), "sample_weight of shape (60,)", "those of the samples of X"),
        (ARRAY, da.ones(59), "sample_weight of shape (60,)", "those of the samples of X"),
        (ARRAY, FRAME, "sample_weight of shape (60,)", "those of the samples of X"),
        (FRAME, np.ones(60), "sample_weight in the (3,) blocks", "one collection"),
        (FRAME, da.ones(60, chunks=30), "sample_weight in the (3,) blocks", "one collection"),
        (ARRAY, FRAME["a"].repartition(npartitions=1), "sample_weight in the (3,) blocks", "compute_chunk_sizes()"),
        (FRAME, da.ones(60, chunks=(30, 20, 10)), "sample_weight to be 20 numbers", "one weight per entry"),
        (ARRAY, -da.ones(60), "finite and not negative", "Use 0"),
        (ARRAY, da.full(60, np.nan), "finite and not negative", "Use 0"),
        (ARRAY, np.ma.array(np.ones(60), mask=np.arange(60) == 50), "without a mask", "Use 0"),
        (ARRAY, da.zeros(60), "above zero", "a weight above zero"),
        (FRAME, 0, "above zero", "a weight above zero"),
    ]:
        norm = cls()
        with pytest.raises(ValueError, match="Expected") as error:
            norm.fit(data, sample_weight=weights)
        assert_says(error.value, expected, "", remedy)
        assert not hasattr(norm, "n_features_in_")


@row_classes
def test_row_statistics_that_do_not_belong_to_the_data_are_refused(cls):
    norm = cls()
    Y, right = norm.fit_transform(ARRAY), norm.row_statistics(ARRAY)
    for statistics in (3, right[0], (*right, right[0]), tuple(s[:59] for s in right), tuple(s[:, None] for s in right)):
        with pytest.raises(ValueError, match="row_stats"):
            norm.inverse_transform(Y, row_stats=statistics)
    with pytest.raises(ValueError, match="keep_stats"):
        norm.inverse_transform(Y)
    with pytest.raises(ValueError, match="row_stats in the"):
        norm.inverse_transform(norm.fit_transform(FRAME), row_stats=tuple(s.compute() for s in right))


NARROW = np.random.default_rng(0).normal(size=(6, 2))


@pytest.mark.parametrize("width", [1, 3, 4096])
@pytest.mark.parametrize("norm", [Standardizer(), MinMaxNormalizer(), RowLayerNorm()], ids=repr)
def test_a_block_of_another_width_than_dask_says_is_refused(norm, width):
    fitted = clone(norm).fit(NARROW)
    X = da.from_array(NARROW, chunks=(3, 2)).map_blocks(
        lambda block: np.ones((len(block), width)), dtype=float, meta=np.empty((0, 0))
    )
    calls = [lambda: fitted.transform(X).compute()]
    calls += [] if isinstance(norm, RowLayerNorm) else [lambda: clone(norm).fit(X)]
    for call in calls:
        with pytest.raises(ValueError, match=f"Expected 2 features in every block, got {width}"):
            call()


def test_a_partition_whose_columns_come_in_another_order_is_refused():
    frames = [pd.DataFrame({"a": [1.0, 2], "b": [10.0, 20]}), pd.DataFrame({"b": [10.0, 30], "a": [3.0, 2]})]
    X = dd.from_map(lambda i: frames[i], range(2), meta=frames[0].iloc[:0], enforce_metadata=False)
    fitted = Standardizer().fit(frames[0])
    for call in (lambda: Standardizer().fit(X), lambda: fitted.transform(X).compute()):
        with pytest.raises(ValueError, match=r"Expected the columns \['a', 'b'\] in every partition"):
            call()


def test_sparse_blocks_that_dask_takes_for_dense_are_refused():
    X = da.concatenate(
        [da.from_delayed(dask.delayed(sp.csr_matrix)(NARROW[i : i + 3]), (3, 2), dtype=float) for i in (0, 3)]
    )
    fitted = Standardizer().fit(NARROW)
    for call in (lambda: Standardizer().fit(X), lambda: fitted.transform(X).compute()):
        with pytest.raises(ValueError, match="Expected blocks like ndarray, got csr_matrix"):
            call()


def test_sparse_blocks_cut_along_the_features_are_put_together():
    values = np.where(NARROW > 0, NARROW, 0.0)
    X = da.from_array(values, chunks=(3, 1)).map_blocks(csr_matrix)  # of sparse arrays older dask puts none together
    fitted = Standardizer(with_mean=False).fit(X)
    np.testing.assert_array_equal(fitted.transform(X).compute().toarray(), fitted.transform(values))
