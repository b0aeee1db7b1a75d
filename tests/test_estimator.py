"""What both families are to scikit-learn, where the tests of whole transformers do not look."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer
from sknorm._estimator import (
    check_names,
    check_output_names,
    is_writeable_in_place,
    output_kind,
    record_names,
    with_defaults,
)

from .wording import assert_says

X = np.arange(6.0).reshape(3, 2)
PANDAS = pd.DataFrame(X, columns=["a", "b"])
POLARS = pl.DataFrame(X, schema=["a", "b"])
IMAGES = np.zeros((4, 5, 2))


def fitted_on(data):
    estimator = Standardizer()
    record_names(estimator, data, 2)
    return estimator


# Names and width


@pytest.mark.parametrize("data", [PANDAS, POLARS], ids=["pandas", "polars"])
def test_a_frame_gives_names_and_width(data):
    estimator = fitted_on(data)
    assert estimator.n_features_in_ == 2
    assert list(estimator.feature_names_in_) == ["a", "b"]
    assert estimator.feature_names_in_.dtype == object
    for same in (PANDAS, POLARS):
        check_names(estimator, same, same.shape)


@pytest.mark.parametrize("data", [X, IMAGES, X.tolist(), pd.DataFrame(X)], ids=["array", "images", "list", "numbers"])
def test_what_has_no_names_gives_the_width_of_the_last_axis(data):
    estimator = fitted_on(data)
    assert estimator.n_features_in_ == 2
    assert not hasattr(estimator, "feature_names_in_")
    check_names(estimator, X, X.shape)
    check_names(estimator, IMAGES, IMAGES.shape)
    with pytest.raises(ValueError, match="X has 5 features, but Standardizer is expecting 2 features as input"):
        check_names(estimator, np.zeros((3, 4, 5)), (3, 4, 5))


@pytest.mark.parametrize("data", [PANDAS[["b", "a"]], POLARS[["b", "a"]]], ids=["pandas", "polars"])
def test_another_order_is_refused_in_the_words_of_scikit_learn(data):
    with pytest.raises(ValueError, match="must be in the same order"):
        check_names(fitted_on(PANDAS), data, data.shape)


def test_names_that_come_or_go_after_fit_are_warned_of_as_scikit_learn_does():
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        check_names(fitted_on(PANDAS), X, X.shape)
    with pytest.warns(UserWarning, match="X has feature names, but Standardizer was fitted without"):
        check_names(fitted_on(X), PANDAS, PANDAS.shape)


@pytest.mark.parametrize(
    "names, remedy",
    [
        (["b", "a"], "during fit: pass these columns, in this order."),
        (["a", "c"], "The feature names should match those that were passed during fit: pass these columns."),
    ],
)
@pytest.mark.parametrize("library", [pd.DataFrame, lambda X, columns: pl.DataFrame(X, schema=columns)])
def test_other_output_names_are_refused(names, remedy, library):
    with pytest.raises(ValueError, match=r"^Expected") as error:
        check_output_names(fitted_on(PANDAS), library(X, columns=names), X.shape, ["a", "b"])
    assert_says(error.value, "the columns ['a', 'b']", str(names), remedy)


def test_the_order_of_output_names_is_that_of_fit():
    swapped = PANDAS[["b", "a"]]
    check_output_names(fitted_on(swapped), swapped, X.shape, ["b", "a"])
    with pytest.raises(ValueError, match="in this order"):
        check_output_names(fitted_on(swapped), PANDAS, X.shape, ["b", "a"])


def test_output_names_are_checked_only_where_both_sides_have_names():
    check_output_names(fitted_on(PANDAS), PANDAS, X.shape, ["a", "b"])
    check_output_names(fitted_on(PANDAS), X, X.shape, ["a", "b"])
    check_output_names(fitted_on(X), PANDAS, X.shape, ["x0", "x1"])
    with pytest.raises(ValueError, match="X has 2 features, but Standardizer is expecting 3"):
        check_output_names(fitted_on(X), X, X.shape, ["x0", "x1", "x2"])


# Tags


@pytest.mark.parametrize("cls", [MinMaxNormalizer, Standardizer, RowLayerNorm, RowRMSNorm, RowSoftmax])
def test_the_tags_say_what_a_transformer_takes_and_keeps(cls):
    tags = get_tags(cls())
    assert tags.input_tags.allow_nan
    assert tags.transformer_tags.preserves_dtype == ["float64", "float32", "float16"]
    assert get_tags(cls(dtype="float32")).transformer_tags.preserves_dtype == []
    assert tags.requires_fit == (cls in (MinMaxNormalizer, Standardizer))


@pytest.mark.parametrize(
    "estimator, sparse",
    [
        (Standardizer(), False),
        (Standardizer(with_mean=False), True),
        (MinMaxNormalizer(), True),
        (MinMaxNormalizer((0, 5)), True),
        (MinMaxNormalizer((-1, 1)), False),
        (MinMaxNormalizer(in_range=(0, 9)), True),
        (MinMaxNormalizer(in_range=([0, 1], [9, 9])), False),
        (MinMaxNormalizer(in_range="dtype"), True),
        (RowRMSNorm(), True),
        (RowRMSNorm(keep_stats=True), False),
        (RowLayerNorm(), False),
        (RowSoftmax(), False),
    ],
)
def test_the_tags_say_where_sparse_data_can_stay_sparse(estimator, sparse):
    assert get_tags(estimator).input_tags.sparse == sparse


@pytest.mark.parametrize(
    "senseless",
    [MinMaxNormalizer(v) for v in (None, 0, [], "", np.eye(2), ([[0], [0, 1]], 1))]
    + [MinMaxNormalizer(in_range=v) for v in (0, (), ([[0], [0, 1]], 1), ("a", 1))]
    + [Standardizer(with_mean=v) for v in (None, 0, np.zeros(2, bool))],
    ids=repr,
)
def test_parameters_without_a_meaning_are_left_to_fit_and_do_not_disturb_the_tags(senseless):
    assert not get_tags(senseless).input_tags.sparse
    with pytest.raises(ValueError, match=r"^Expected"):
        senseless.fit(X)
    with pytest.raises(ValueError, match=r"^Expected"):
        type(senseless)().fit(X).set_params(**senseless.get_params()).transform(X)


# Old pickles


def test_what_an_old_pickle_lacks_is_the_default_and_what_it_has_stays():
    state = with_defaults(Standardizer(), {"ddof": 1, "n_features_in_": 3})
    assert state == {**Standardizer().get_params(), "ddof": 1, "n_features_in_": 3}


# Output


def test_no_frame_is_made_of_what_is_not_two_dimensional():
    estimator = Standardizer()
    assert output_kind(estimator, IMAGES) == "default"
    estimator.set_output(transform="pandas")
    assert output_kind(estimator, X) == "pandas"
    with pytest.raises(ValueError, match=r"^Expected") as error:
        output_kind(estimator, IMAGES)
    assert_says(error.value, "2D data for a pandas DataFrame", "3D array", 'set_output(transform="default")')


def test_only_a_writeable_array_of_the_callers_own_may_be_written_over():
    dtype = np.dtype(float)
    read_only = X.copy()
    read_only.flags.writeable = False
    assert is_writeable_in_place(X, X, dtype)
    assert is_writeable_in_place(X, X[:], dtype)
    assert not is_writeable_in_place(X, X, np.dtype(np.float32))
    assert not is_writeable_in_place(X, X.copy(), dtype)
    assert not is_writeable_in_place(read_only, read_only, dtype)
    assert not is_writeable_in_place(PANDAS, PANDAS.to_numpy(), dtype)
    masked = np.ma.array(X, copy=False)
    assert not is_writeable_in_place(masked, masked.data, dtype)


def test_both_families_are_estimators():
    for cls in (MinMaxNormalizer, Standardizer, RowLayerNorm, RowRMSNorm, RowSoftmax):
        assert issubclass(cls, BaseEstimator)
