"""Inside other estimators: Pipeline, ColumnTransformer, FeatureUnion, GridSearchCV, and what they route."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor, make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, make_pipeline

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

DATASET_CLASSES = [MinMaxNormalizer, Standardizer]
ROW_CLASSES = [RowLayerNorm, RowRMSNorm, RowSoftmax]
CLASSES = DATASET_CLASSES + ROW_CLASSES

generator = np.random.default_rng(2)
X = generator.normal(size=(40, 3))
FRAME = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(40)[::-1])
Y = X @ [1.0, -2.0, 0.5] + 0.1 * generator.normal(size=40)
LABELS = (Y > 0).astype(int)
WEIGHTS = generator.integers(0, 4, size=40)

# Parameters that change the output, so that a clone which lost one would be seen.
CONFIGURED = [
    MinMaxNormalizer(feature_range=(-3, 5), clip=True),
    MinMaxNormalizer(in_range=([-9, -9, -9], [9, 9, 9]), dtype=np.float32),
    Standardizer(ddof=1, with_mean=False),
    Standardizer(mean=[0.0, 1.0, 2.0], std=np.array([1.0, 2.0, 4.0])),
    RowLayerNorm(gamma=[1.0, 2.0, 4.0], beta=np.array([1.0, 0.0, -1.0]), eps=0.5),
    RowRMSNorm(gamma=np.array([1.0, 2.0, 4.0]), keep_stats=True),
    RowSoftmax(temperature=0.25),
]


@pytest.fixture
def _routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


# --- clone and set_params ---


@pytest.mark.parametrize("norm", CONFIGURED, ids=repr)
def test_a_clone_has_the_parameters_and_not_the_fit(norm):
    norm = clone(norm)
    expected = norm.fit(X).transform(X)
    copy = clone(norm)
    assert not hasattr(copy, "n_features_in_")
    np.testing.assert_array_equal(copy.fit_transform(X), expected)


def test_set_params_followed_by_fit_leaves_nothing_of_the_first_fit():
    norm = Standardizer().fit(X)
    norm.set_params(with_mean=False, with_std=False).fit(X)
    assert norm.mean_ is None
    assert norm.var_ is None
    assert norm.scale_ is None


def test_a_fit_without_names_forgets_the_names_of_the_one_before():
    norm = Standardizer().fit(FRAME)
    assert not hasattr(norm.fit(X), "feature_names_in_")


@pytest.mark.parametrize("cls", CLASSES)
def test_set_params_refuses_an_unknown_parameter(cls):
    with pytest.raises(ValueError, match="unknown"):
        cls().set_params(unknown=1)


# --- meta-estimators clone, and stack what comes out ---


@pytest.mark.parametrize("norm", CONFIGURED, ids=repr)
def test_pipeline_gives_what_the_steps_give(norm):
    pipeline = make_pipeline(Standardizer(), clone(norm))
    expected = clone(norm).fit_transform(Standardizer().fit_transform(X))
    np.testing.assert_array_equal(pipeline.fit_transform(X), expected)
    np.testing.assert_array_equal(clone(pipeline).fit(X).transform(X), expected)


@pytest.mark.parametrize("cls", DATASET_CLASSES)
def test_pipeline_inverts_its_steps_in_reverse(cls):
    pipeline = make_pipeline(cls(), Standardizer(), RowLayerNorm(keep_stats=True)).fit(X)
    np.testing.assert_allclose(pipeline.inverse_transform(pipeline.transform(X)), X, rtol=0, atol=1e-13)


@pytest.mark.parametrize("norm", CONFIGURED, ids=repr)
def test_column_transformer_gives_what_its_parts_give(norm):
    columns = ["c", "a", "b"]
    parts = ColumnTransformer([("norm", norm, columns), ("other", MinMaxNormalizer(), ["a"])])
    expected = np.hstack([clone(norm).fit_transform(FRAME[columns]), MinMaxNormalizer().fit_transform(FRAME[["a"]])])
    np.testing.assert_array_equal(clone(parts).fit_transform(FRAME), expected)
    frame = parts.set_output(transform="pandas").fit_transform(FRAME)
    np.testing.assert_array_equal(frame.to_numpy(), expected)
    pd.testing.assert_index_equal(frame.index, FRAME.index)
    assert list(frame.columns[:3]) == ["norm__c", "norm__a", "norm__b"]
    assert frame.columns[-1] == "other__a"


def test_feature_union_gives_what_its_parts_give():
    union = FeatureUnion([(str(number), clone(norm)) for number, norm in enumerate(CONFIGURED)])
    expected = np.hstack([clone(norm).fit_transform(FRAME) for norm in CONFIGURED])
    np.testing.assert_array_equal(clone(union).fit_transform(FRAME), expected)
    frame = union.set_output(transform="pandas").fit_transform(FRAME)
    np.testing.assert_array_equal(frame.to_numpy(), expected)
    assert "5__row_rms" in frame.columns


GRIDS = [
    (MinMaxNormalizer(), {"feature_range": [(0, 1), [-1, 1]], "clip": [False, True]}),
    (Standardizer(), {"with_mean": [False, True], "with_std": [False, True], "ddof": [0, 1]}),
    (RowLayerNorm(), {"eps": [0, 1e-5], "gamma": [None, [1.0, 2.0, 3.0]]}),
    (RowRMSNorm(), {"eps": [0, 1e-5], "keep_stats": [False, True]}),
    (RowSoftmax(), {"temperature": [0.5, 1.0, 2.0]}),
]


@pytest.mark.parametrize("norm, grid", GRIDS, ids=lambda value: type(value).__name__)
def test_grid_search_tries_every_parameter(norm, grid):
    pipeline = make_pipeline(norm, LogisticRegression())
    step = pipeline.steps[0][0]
    grid = {f"{step}__{name}": values for name, values in grid.items()}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(FRAME, LABELS)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    best = clone(pipeline).set_params(**search.best_params_).fit(FRAME, LABELS)
    np.testing.assert_array_equal(search.predict(FRAME), best.predict(FRAME))
    with pytest.raises(NotFittedError):
        pipeline[0].get_feature_names_out()


@pytest.mark.parametrize("cls", CLASSES)
def test_search_in_worker_processes_gives_the_scores_of_one_process(cls):
    scores = [cross_val_score(make_pipeline(cls(), Ridge()), X, Y, cv=2, n_jobs=n_jobs) for n_jobs in (1, 2)]
    np.testing.assert_array_equal(*scores)


@pytest.mark.parametrize("cls", DATASET_CLASSES)
def test_a_target_is_transformed_and_brought_back(cls):
    model = TransformedTargetRegressor(Ridge(alpha=1e-8), transformer=cls()).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), Ridge(alpha=1e-8).fit(X, Y).predict(X), rtol=1e-6)


# --- metadata routing ---


@pytest.mark.parametrize("cls", DATASET_CLASSES)
def test_pipeline_passes_weights_by_step_name_without_routing(cls):
    pipeline = make_pipeline(cls(), Ridge())
    pipeline.fit(X, Y, **{f"{cls.__name__.lower()}__sample_weight": WEIGHTS})
    expected = cls().fit(X, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(pipeline[0].transform(X), expected.transform(X))


@pytest.mark.usefixtures("_routing")
@pytest.mark.parametrize("requested", [True, False])
@pytest.mark.parametrize("cls", DATASET_CLASSES)
def test_weights_reach_a_step_that_requests_them_and_no_other(cls, requested):
    weighted = Ridge().set_fit_request(sample_weight=True)
    norm = cls().set_fit_request(sample_weight=requested)
    pipeline = make_pipeline(norm, weighted).fit(X, Y, sample_weight=WEIGHTS)
    expected = cls().fit(X, sample_weight=WEIGHTS if requested else None)
    np.testing.assert_array_equal(pipeline[0].transform(X), expected.transform(X))


@pytest.mark.usefixtures("_routing")
@pytest.mark.parametrize("cls", DATASET_CLASSES)
def test_weights_that_nobody_asked_for_or_declined_are_an_error(cls):
    pipeline = make_pipeline(cls(), Ridge().set_fit_request(sample_weight=True))
    with pytest.raises(ValueError, match="sample_weight"):
        pipeline.fit(X, Y, sample_weight=WEIGHTS)


@pytest.mark.usefixtures("_routing")
@pytest.mark.parametrize("cls", DATASET_CLASSES)
def test_weights_reach_partial_fit(cls):
    norm = cls().set_partial_fit_request(sample_weight=True)
    assert norm.get_metadata_routing().consumes("partial_fit", ["sample_weight"]) == {"sample_weight"}


@pytest.mark.usefixtures("_routing")
@pytest.mark.parametrize("cls", DATASET_CLASSES)
def test_weights_reach_the_parts_of_a_column_transformer(cls):
    norm = cls().set_fit_request(sample_weight=True)
    parts = make_column_transformer((norm, ["a", "b"]), (RowLayerNorm(), ["a", "c"]))
    expected = cls().fit(FRAME[["a", "b"]], sample_weight=WEIGHTS).transform(FRAME[["a", "b"]])
    result = parts.fit_transform(FRAME, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(result[:, :2], expected)


@pytest.mark.usefixtures("_routing")
@pytest.mark.parametrize("cls", DATASET_CLASSES)
def test_weights_reach_the_best_estimator_of_a_search(cls):
    regressor = Ridge().set_fit_request(sample_weight=True)
    pipeline = make_pipeline(cls().set_fit_request(sample_weight=True), regressor)
    scorer = get_scorer("r2").set_score_request(sample_weight=True)
    search = GridSearchCV(pipeline, {"ridge__alpha": [0.1, 1.0]}, scoring=scorer, cv=2, error_score="raise")
    search.fit(X, Y, sample_weight=WEIGHTS)
    expected = cls().fit(X, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(search.best_estimator_[0].transform(X), expected.transform(X))


@pytest.mark.usefixtures("_routing")
@pytest.mark.parametrize("cls", ROW_CLASSES)
def test_row_statistics_reach_inverse_transform_in_a_pipeline(cls):
    norm = cls().set_inverse_transform_request(row_stats=True)
    pipeline = make_pipeline(MinMaxNormalizer(), norm).fit(X)
    statistics = pipeline[-1].row_statistics(pipeline[:-1].transform(X))
    back = pipeline.inverse_transform(pipeline.transform(X), row_stats=statistics)
    np.testing.assert_allclose(back, X, rtol=0, atol=1e-13)


@pytest.mark.usefixtures("_routing")
def test_two_row_steps_get_their_statistics_by_alias():
    inner = RowLayerNorm().set_inverse_transform_request(row_stats="inner")
    outer = RowSoftmax().set_inverse_transform_request(row_stats="outer")
    pipeline = make_pipeline(inner, outer).fit(X)
    Z = pipeline[0].transform(X)
    statistics = {"inner": pipeline[0].row_statistics(X), "outer": pipeline[1].row_statistics(Z)}
    back = pipeline.inverse_transform(pipeline.transform(X), **statistics)
    np.testing.assert_allclose(back, X, rtol=0, atol=1e-13)


@pytest.mark.parametrize("cls", ROW_CLASSES)
def test_a_pipeline_cannot_invert_a_row_step_without_its_statistics(cls):
    pipeline = make_pipeline(Standardizer(), cls()).fit(X)
    with pytest.raises(ValueError, match="keep_stats") as error:
        pipeline.inverse_transform(pipeline.transform(X))
    assert "row_stats" in str(error.value)
