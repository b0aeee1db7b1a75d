"""What the three row norms do alike, beyond their kernels."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from sknorm import RowLayerNorm, RowRMSNorm, RowSoftmax

from .exact import layer_normed, sample_errors

NORMS = [RowLayerNorm, RowRMSNorm, RowSoftmax]
X = np.array([[1.0, 2.0, 4.0], [-3.0, 0.5, 2.0]])


@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("cls", NORMS)
def test_kept_statistics_are_removed_also_where_others_are_given(cls, fitted):
    norm = cls(keep_stats=True)
    if fitted:
        norm.fit(X)
    back = norm.inverse_transform(norm.transform(X), row_stats=norm.row_statistics(X))
    np.testing.assert_allclose(back, X, rtol=1e-14)


@pytest.mark.parametrize("cls", NORMS)
def test_statistics_alone_have_no_inverse(cls):
    norm = cls(keep_stats=True)
    n = len(norm.row_statistics(X))
    for width in range(1, n + 1):
        with pytest.raises(ValueError, match=r"^Expected features followed by the columns row_"):
            norm.inverse_transform(np.ones((2, width)))
    assert norm.inverse_transform(np.ones((2, n + 1))).shape == (2, 1)


@pytest.mark.parametrize("cls", NORMS)
def test_a_row_norm_is_as_good_as_fitted(cls):
    check_is_fitted(cls())


@pytest.mark.parametrize("divisor", [0.0, -1.0])
@pytest.mark.parametrize("cls, others", [(RowLayerNorm, [np.zeros(2)]), (RowRMSNorm, [])])
def test_a_divisor_that_no_sample_has_is_refused(cls, others, divisor):
    with pytest.raises(ValueError, match="a divisor row_"):
        cls().inverse_transform(X, row_stats=(*others, np.array([1.0, divisor])))


@pytest.mark.parametrize("value", [-0.1, np.inf])
def test_what_is_no_probability_has_no_inverse(value):
    with pytest.raises(ValueError, match="finite probabilities of at least 0"):
        RowSoftmax().inverse_transform([[value, 0.5]], row_stats=([0.0],))


@pytest.mark.parametrize("cls", [RowLayerNorm, RowRMSNorm])
@pytest.mark.parametrize("size", [1e-300, 1e250, 1e308])
def test_gamma_may_be_of_any_size(cls, size):
    gamma = np.array([1.0, -0.5, 0.25])
    expected = cls(gamma=gamma).transform(X)
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(cls(gamma=gamma * size).transform(X), expected * size, rtol=1e-15)
    np.testing.assert_array_equal(cls(gamma=gamma * size).transform(np.zeros((1, 3))), [[0, 0, 0]])


def test_beta_may_cancel_nearly_all_of_a_sample():
    """The bound is measured at what is left, so the normalised value needs more bits than float64 has."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        x = rng.normal(size=(1, 5)) * 10.0 ** rng.integers(-20, 20)
        beta = -RowLayerNorm(eps=0).transform(x)[0] * (1 + 1e-6 * rng.normal(size=5))
        error = sample_errors(RowLayerNorm(eps=0, beta=beta).transform(x), layer_normed(x, eps=0, beta=beta))
        assert error.max() <= 4


@pytest.mark.parametrize("fitted", [False, True])
@pytest.mark.parametrize("shape", [(5, 3), (2, 4, 3)])
@pytest.mark.parametrize("cls", NORMS)
def test_kept_statistics_stand_after_the_image_and_undo_it(cls, shape, fitted):
    x = np.random.default_rng(0).normal(size=shape)
    norm = cls(keep_stats=True)
    if fitted:
        norm.fit(x)
    image, statistics = norm.transform(x), norm.row_statistics(x)
    np.testing.assert_array_equal(image[..., :3], cls().transform(x))
    np.testing.assert_array_equal(image[..., 3:], np.stack(statistics, axis=-1))
    np.testing.assert_allclose(norm.inverse_transform(image), x, rtol=1e-13)
    if fitted:  # then the width tells that they were left out
        np.testing.assert_allclose(norm.inverse_transform(image[..., :3], row_stats=statistics), x, rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("cls", NORMS)
def test_images_and_originals_have_the_dtype_of_their_input_or_the_one_asked_for(cls, dtype):
    x = X.astype(dtype)
    for asked in (None, "float32", "float64"):
        norm = cls(dtype=asked)
        wanted = np.dtype(asked or dtype)
        assert norm.transform(x).dtype == wanted
        assert norm.inverse_transform(cls().transform(x), row_stats=norm.row_statistics(x)).dtype == wanted


@pytest.mark.parametrize("parameters", [{"copy": "no"}, {"keep_stats": 1}, {"dtype": "int8"}])
@pytest.mark.parametrize("cls", NORMS)
def test_parameters_are_checked_by_every_method_that_is_given_data(cls, parameters):
    norm, statistics = cls(**parameters), cls().row_statistics(X)
    for method in (norm.fit, norm.transform, norm.row_statistics, lambda x: norm.inverse_transform(x, statistics)):
        with pytest.raises(ValueError, match=f"^Expected {next(iter(parameters))} to be"):
            method(X)


@pytest.mark.parametrize("cls", [RowLayerNorm, RowRMSNorm])
def test_gamma_of_another_width_is_refused_by_every_method_that_is_given_data(cls):
    statistics = cls().row_statistics(X)
    for keep_stats in (False, True):
        norm = cls(gamma=np.ones(4), keep_stats=keep_stats)
        image = cls(keep_stats=keep_stats).transform(X)
        for method in (norm.fit, norm.transform, norm.row_statistics):
            with pytest.raises(ValueError, match=r"^Expected gamma to be 3 finite numbers"):
                method(X)
        with pytest.raises(ValueError, match=r"^Expected gamma to be 3 finite numbers"):
            norm.inverse_transform(image, row_stats=statistics)


@pytest.mark.parametrize("name", ["gamma", "beta"])
def test_a_series_in_another_order_than_the_features_is_refused_by_every_method_that_is_given_a_frame(name):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    norm = RowLayerNorm(**{name: pd.Series([1.0, 2.0, 3.0], index=["c", "b", "a"])})
    for method in (norm.fit, norm.transform, norm.row_statistics):
        with pytest.raises(ValueError, match=f"^Expected {name} in the order of the features"):
            method(frame)


@pytest.mark.parametrize("cls", NORMS)
def test_statistics_that_are_given_count_more_than_those_that_are_kept(cls):
    norm = cls(keep_stats=True)
    others = tuple(2 + each for each in norm.row_statistics(X))
    given = norm.inverse_transform(norm.transform(X), row_stats=others)
    np.testing.assert_array_equal(given, cls().inverse_transform(cls().transform(X), row_stats=others))


def test_a_softmax_takes_masks_also_where_it_writes_over_its_data():
    masked = np.array([[-np.inf, 0.0], [1.0, 2.0], [-np.inf, 1.0]])
    image = RowSoftmax().transform(masked)
    np.testing.assert_array_equal(RowSoftmax(copy=False).transform(masked.copy()), image)
    masked[2, 1] = np.inf
    for copy in (True, False):
        norm = RowSoftmax(copy=copy)
        for method in (norm.transform, norm.row_statistics):
            with pytest.raises(ValueError, match="infinity in sample 2"):
                method(masked.copy())


@pytest.mark.parametrize("keep_stats", [False, True])
@pytest.mark.parametrize("cls", NORMS)
def test_sparse_data_are_taken_as_the_tags_say(cls, keep_stats):
    norm = cls(keep_stats=keep_stats)
    takes = cls is RowRMSNorm and not keep_stats
    assert get_tags(norm).input_tags.sparse == takes
    if takes:
        norm.transform(sp.csr_array(X))
    else:
        with pytest.raises(ValueError, match=r"^Expected dense data") as error:
            norm.transform(sp.csr_array(X))
        assert ("keep_stats" in str(error.value)) == (cls is RowRMSNorm)


@pytest.mark.parametrize("cls", NORMS)
@pytest.mark.parametrize("keep_stats", [False, True])
def test_names_come_back_from_an_image_and_may_be_those_of_statistics_that_are_not_kept(cls, keep_stats):
    statistics = [*cls().row_statistics(X)._fields]
    names = ["a", "b", "c"] if keep_stats else ["a", "b", statistics[0]]
    frame = pd.DataFrame(X, columns=names)
    norm = cls(keep_stats=keep_stats).set_output(transform="pandas")
    image = norm.transform(frame)
    assert [*image] == [*names, *(statistics if keep_stats else [])]
    assert [*norm.inverse_transform(image, row_stats=norm.row_statistics(frame))] == names
    found = norm.fit(frame).get_feature_names_out()
    assert (type(found), found.dtype, [*found]) == (np.ndarray, object, [*image])


@pytest.mark.parametrize(
    "norm",
    [
        RowLayerNorm(gamma=[2.0, -1.0, 0.5], beta=[1.0, -3.0, 10.0]),
        RowLayerNorm(beta=[1.0, 2.0, 3.0]),
        RowRMSNorm(gamma=[2.0, -1.0, 0.5]),
        RowSoftmax(temperature=3.0),
    ],
    ids=repr,
)
def test_what_a_row_norm_is_given_is_undone_by_its_inverse(norm):
    back = norm.inverse_transform(norm.transform(X), row_stats=norm.row_statistics(X))
    np.testing.assert_allclose(back, X, rtol=1e-13)
