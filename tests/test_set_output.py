"""Frames out: set_output for pandas and polars, the names of the columns, and the repr of an estimator."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

DATASET_CLASSES = [MinMaxNormalizer, Standardizer]
ROW_CLASSES = [RowLayerNorm, RowRMSNorm, RowSoftmax]
CLASSES = DATASET_CLASSES + ROW_CLASSES
STATISTICS = {
    RowLayerNorm: ["row_mean", "row_scale"],
    RowRMSNorm: ["row_rms"],
    RowSoftmax: ["row_logsumexp"],
}

X = np.random.default_rng(1).normal(size=(6, 3))
NAMES = ["height", "width", "depth"]
FRAMES = {
    "pandas": pd.DataFrame(X, columns=NAMES, index=list("fedcba")),
    "polars": pl.DataFrame(X, schema=NAMES),
}
TYPES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


@pytest.fixture(params=["pandas", "polars"])
def library(request):
    return request.param


@pytest.mark.parametrize("wanted_by", ["set_output", "config_context"])
@pytest.mark.parametrize("cls", CLASSES)
def test_a_frame_comes_out_when_asked_for_by_the_estimator_or_by_the_configuration(cls, wanted_by, library):
    expected = cls().fit_transform(FRAMES[library])
    norm = cls()
    configured = {}
    if wanted_by == "set_output":
        norm.set_output(transform=library)
    else:
        configured = {"transform_output": library}
    with sklearn.config_context(**configured):
        for result in (norm.fit_transform(FRAMES[library]), norm.transform(FRAMES[library])):
            assert isinstance(result, TYPES[library])
            assert list(result.columns) == NAMES
            np.testing.assert_array_equal(result.to_numpy(), expected)


@pytest.mark.parametrize("cls", CLASSES)
def test_default_brings_arrays_back(cls, library):
    norm = cls().set_output(transform=library).fit(FRAMES[library])
    norm.set_output(transform="default")
    assert type(norm.transform(FRAMES[library])) is np.ndarray


@pytest.mark.parametrize("cls", CLASSES)
def test_the_estimators_own_setting_wins_over_the_configuration(cls, library):
    with sklearn.config_context(transform_output=library):
        assert type(cls().set_output(transform="default").fit_transform(X)) is np.ndarray


@pytest.mark.parametrize("cls", CLASSES)
def test_an_array_or_a_list_comes_out_as_a_frame_with_generated_names(cls, library):
    for data in (X, X.tolist()):
        result = cls().set_output(transform=library).fit_transform(data)
        assert list(result.columns) == ["x0", "x1", "x2"]


@pytest.mark.parametrize("index", [list("fedcba"), [1, 1, 2, 2, 3, 3], pd.MultiIndex.from_product([[1, 2], [3, 4, 5]])])
@pytest.mark.parametrize("cls", CLASSES)
def test_the_index_is_kept(cls, index):
    frame = pd.DataFrame(X, columns=NAMES, index=index)
    norm = cls().set_output(transform="pandas").fit(frame)
    pd.testing.assert_index_equal(norm.transform(frame).index, frame.index)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("cls", CLASSES)
def test_the_output_dtype_is_the_same_in_a_frame_as_in_an_array(cls, dtype):
    frame = FRAMES["pandas"].astype(dtype)
    result = cls().set_output(transform="pandas").fit_transform(frame)
    assert set(result.dtypes) == {np.dtype(dtype)}


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("cls", CLASSES)
def test_a_frame_cannot_hold_an_array_of_three_axes(cls, library):
    images = X.reshape(2, 3, 3)
    norm = cls().set_output(transform=library)
    with pytest.raises(ValueError, match=f"(?i){library}"):
        norm.fit_transform(images)
    assert norm.set_output(transform="default").fit_transform(images).shape == images.shape


# --- names ---


@pytest.mark.parametrize("cls", CLASSES)
def test_the_names_out_are_the_names_in(cls):
    norm = cls().fit(FRAMES["pandas"])
    for names in (norm.get_feature_names_out(), norm.get_feature_names_out(NAMES)):
        assert names.dtype == object
        assert list(names) == NAMES
    with pytest.raises(ValueError, match="input_features"):
        norm.get_feature_names_out(["height", "depth", "width"])


@pytest.mark.parametrize("cls", CLASSES)
def test_without_names_in_they_are_generated_or_given(cls):
    norm = cls().fit(X)
    assert list(norm.get_feature_names_out()) == ["x0", "x1", "x2"]
    assert list(norm.get_feature_names_out(["a", "b", "c"])) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="input_features"):
        norm.get_feature_names_out(["a", "b"])


@pytest.mark.parametrize("cls", CLASSES)
def test_the_names_out_need_a_fit(cls):
    with pytest.raises(NotFittedError):
        cls().get_feature_names_out()


@pytest.mark.parametrize("cls", ROW_CLASSES)
def test_kept_statistics_have_names_after_those_of_the_features(cls, library):
    norm = cls(keep_stats=True).set_output(transform=library)
    result = norm.fit_transform(FRAMES[library])
    assert list(result.columns) == NAMES + STATISTICS[cls]
    assert list(norm.get_feature_names_out()) == NAMES + STATISTICS[cls]
    back = norm.inverse_transform(result)
    assert isinstance(back, TYPES[library])
    assert list(back.columns) == NAMES


@pytest.mark.parametrize("cls", ROW_CLASSES)
def test_a_feature_with_the_name_of_a_kept_statistic_is_refused(cls, library):
    name = STATISTICS[cls][-1]
    frame = TYPES[library]({"height": X[:, 0], name: X[:, 1]})
    with pytest.raises(ValueError, match=name):
        cls(keep_stats=True).set_output(transform=library).fit_transform(frame)


@pytest.mark.parametrize("cls", CLASSES)
def test_an_empty_name_is_a_name(cls, library):
    frame = TYPES[library]({"height": X[:, 0], "": X[:, 1]})
    norm = cls().set_output(transform=library)
    assert list(norm.fit_transform(frame).columns) == ["height", ""]
    assert list(norm.transform(frame).columns) == ["height", ""]


@pytest.mark.parametrize("cls", CLASSES)
def test_integer_column_names_are_no_names(cls):
    frame = pd.DataFrame(X)
    norm = cls().set_output(transform="pandas").fit(frame)
    assert not hasattr(norm, "feature_names_in_")
    assert list(norm.transform(frame).columns) == ["x0", "x1", "x2"]


# --- row classes need no fit ---


@pytest.mark.parametrize("cls", ROW_CLASSES)
def test_a_frame_comes_out_of_a_row_class_without_a_fit(cls, library):
    result = cls().set_output(transform=library).transform(FRAMES[library])
    assert isinstance(result, TYPES[library])
    assert list(result.columns) == NAMES
    np.testing.assert_array_equal(result.to_numpy(), cls().transform(FRAMES[library]))
    if library == "pandas":
        pd.testing.assert_index_equal(result.index, FRAMES["pandas"].index)


# --- inverse_transform ---


@pytest.mark.parametrize("cls", DATASET_CLASSES)
def test_the_inverse_gives_a_frame_where_transform_does(cls, library):
    norm = cls().set_output(transform=library)
    back = norm.inverse_transform(norm.fit_transform(FRAMES[library]))
    assert isinstance(back, TYPES[library])
    assert list(back.columns) == NAMES
    np.testing.assert_allclose(back.to_numpy(), X, rtol=0, atol=np.spacing(np.abs(X).max()) * 4)
    if library == "pandas":
        pd.testing.assert_index_equal(back.index, FRAMES["pandas"].index)
    norm.set_output(transform="default")
    assert type(norm.inverse_transform(norm.transform(FRAMES[library]))) is np.ndarray


@pytest.mark.parametrize("cls", CLASSES)
def test_the_inverse_of_an_array_is_an_array(cls, library):
    """A frame would give its rows an index of its own, by which they are then put beside other rows."""
    norm = cls().fit(FRAMES[library]).set_output(transform=library)
    arguments = {"row_stats": norm.row_statistics(FRAMES[library])} if cls in ROW_CLASSES else {}
    back = norm.inverse_transform(np.abs(X), **arguments)
    assert type(back) is np.ndarray
    norm.set_output(transform="default")
    np.testing.assert_array_equal(back, norm.inverse_transform(np.abs(X), **arguments))


@pytest.mark.parametrize("cls", DATASET_CLASSES)
def test_a_transformer_of_the_target_predicts_the_same_where_frames_are_asked_for(cls):
    features, target = FRAMES["pandas"][NAMES[1:]], FRAMES["pandas"][NAMES[0]]
    model = TransformedTargetRegressor(LinearRegression(), transformer=cls())
    wanted = model.fit(features, target).predict(features)
    with config_context(transform_output="pandas"):
        predicted = model.fit(features, target).predict(features)
    assert type(predicted) is np.ndarray
    np.testing.assert_array_equal(predicted, wanted)


@pytest.mark.parametrize("cls", ROW_CLASSES)
def test_the_inverse_with_given_statistics_gives_a_frame(cls, library):
    norm = cls().set_output(transform=library).fit(FRAMES[library])
    statistics = norm.row_statistics(FRAMES[library])
    back = norm.inverse_transform(norm.transform(FRAMES[library]), row_stats=statistics)
    assert isinstance(back, TYPES[library])
    assert list(back.columns) == NAMES


# --- repr ---


@pytest.mark.parametrize("cls", CLASSES)
def test_repr_is_the_call_that_makes_the_estimator(cls):
    assert repr(cls()) == f"{cls.__name__}()"
    rebuilt = eval(repr(cls(copy=False)), {cls.__name__: cls})
    assert rebuilt.get_params() == cls(copy=False).get_params()


@pytest.mark.parametrize("cls", ROW_CLASSES)
def test_repr_and_clone_take_arrays_for_parameters(cls):
    if cls is RowSoftmax:
        parameters = {"temperature": 0.5}
    else:
        parameters = {"gamma": np.array([1.0, 2.0, 3.0])}
    norm = clone(cls(**parameters).fit(X))
    (name, value), *_ = parameters.items()
    np.testing.assert_array_equal(norm.get_params()[name], value)
    assert f"{name}=" in repr(norm)


@pytest.mark.parametrize("cls", CLASSES)
def test_the_html_repr_shows_the_class_before_and_after_fitting(cls):
    assert cls.__name__ in cls()._repr_html_()
    assert cls.__name__ in cls().fit(FRAMES["pandas"])._repr_html_()


@pytest.mark.skipif(
    not hasattr(BaseEstimator, "_get_fitted_attr_html"), reason="this scikit-learn shows parameters only"
)
@pytest.mark.parametrize(
    "norm, attributes",
    [
        (MinMaxNormalizer(), ["data_min_", "data_max_", "data_range_", "min_", "scale_", "n_samples_seen_"]),
        (Standardizer(), ["mean_", "var_", "scale_", "n_samples_seen_", "constant_features_"]),
        (RowLayerNorm(), ["n_features_in_", "feature_names_in_"]),
    ],
    ids=["MinMaxNormalizer", "Standardizer", "RowLayerNorm"],
)
def test_the_html_repr_shows_the_fitted_attributes(norm, attributes):
    html = norm.fit(FRAMES["pandas"])._repr_html_()
    for attribute in attributes:
        assert attribute in html
