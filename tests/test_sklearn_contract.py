"""scikit-learn's own estimator checks, for every class and every setting that changes behaviour.

None is expected to fail and none is skipped. First the checks that scikit-learn yields for an estimator,
then the ones that its own tests run beside them.
"""

from unittest import SkipTest

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_checks as checks
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

from .array_api import dispatches, is_here, places_of

ROW_CLASSES = (RowLayerNorm, RowRMSNorm, RowSoftmax)

ESTIMATORS = [
    MinMaxNormalizer(),
    MinMaxNormalizer(feature_range=(-1, 1)),
    MinMaxNormalizer(feature_range=[0, 2], clip=True),
    MinMaxNormalizer(in_range=(-10, 10)),
    MinMaxNormalizer(in_range=(0, 0.5)),
    MinMaxNormalizer(per_feature=False),
    MinMaxNormalizer(inverse_dtype="input"),
    MinMaxNormalizer(dtype=np.float32),
    MinMaxNormalizer(dtype=np.float64),
    Standardizer(),
    Standardizer(with_mean=False),
    Standardizer(with_std=False),
    Standardizer(with_mean=False, with_std=False),
    Standardizer(ddof=1),
    Standardizer(mean=0.5, std=2.0),
    Standardizer(per_feature=False),
    Standardizer(with_mean=False, per_feature=False),
    Standardizer(dtype=np.float32),
    Standardizer(dtype="float64"),
    RowLayerNorm(),
    RowLayerNorm(eps=0),
    RowLayerNorm(keep_stats=True),
    RowLayerNorm(dtype=np.float32),
    RowRMSNorm(),
    RowRMSNorm(eps=0),
    RowRMSNorm(keep_stats=True),
    RowRMSNorm(dtype=np.float64),
    RowSoftmax(),
    RowSoftmax(temperature=0.5),
    RowSoftmax(keep_stats=True),
    RowSoftmax(dtype=np.float32),
]

# Parameters with one value for each feature: they fit the checks whose data have three.
THREE_FEATURES = [
    MinMaxNormalizer(in_range=(np.array([-9.0, -8.0, 0.0]), np.array([9.0, 8.0, 7.0]))),
    Standardizer(mean=np.array([1.0, 0.5, -2.0]), std=np.array([0.5, 1.0, 2.0])),
    RowLayerNorm(gamma=np.array([2.0, -1.0, 0.5]), beta=np.array([0.0, 1.0, -3.0])),
    RowLayerNorm(gamma=[2.0, -1.0, 0.5], keep_stats=True),
    RowRMSNorm(gamma=np.array([2.0, -1.0, 0.5])),
    RowRMSNorm(gamma=[2.0, -1.0, 0.5], keep_stats=True),
]

THREE_FEATURE_CHECKS = [
    "check_dict_unchanged",
    "check_dont_overwrite_parameters",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_fit2d_predict1d",
    "check_fit_score_takes_y",
    "check_get_params_invariance",
    "check_inplace_ensure_writeable",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_pipeline_consistency",
    "check_set_params",
    "check_transformer_data_not_an_array",
    "check_transformer_general",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
    "check_transformer_preserve_dtypes",
]

# scikit-learn runs these from its own test modules, so that no generator yields them.
CHECKS_NEVER_YIELDED = [
    "check_dataframe_column_names_consistency",
    "check_estimators_partial_fit_n_features",
    "check_get_feature_names_out_error",
    "check_global_output_transform_pandas",
    "check_global_set_output_transform_polars",
    "check_inplace_ensure_writeable",
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_set_output_transform_polars",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
]

# Some of them transform an array after fitting on a frame, or the reverse, and expect the warning.
names_may_differ = pytest.mark.filterwarnings(
    "ignore:X does not have valid feature names:UserWarning", "ignore:X has feature names:UserWarning"
)


@pytest.fixture(autouse=True)
def _array_api_checks_run(monkeypatch):
    """Without this variable scikit-learn skips its array API check, which NumPy alone can run."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


def run(check, *arguments):
    """Run a check; one that skips itself has not passed."""
    try:
        check(*arguments)
    except SkipTest as reason:
        pytest.fail(f"skipped: {reason}")


def is_of_array_api(check):
    return "array_api" in getattr(check, "func", check).__name__


def remembering(transform, seen):
    def wrapped(self, X):
        seen[id(self)] = X
        return transform(self, X)

    return wrapped


def given_statistics(inverse_transform, seen):
    def wrapped(self, Y):
        return inverse_transform(self, Y, row_stats=None if self.keep_stats else self.row_statistics(seen[id(self)]))

    return wrapped


@pytest.fixture
def _statistics_at_hand(monkeypatch):
    """The row norms get the statistics of the samples, of which the checks of array API know nothing."""
    for cls in ROW_CLASSES:
        seen = {}
        monkeypatch.setattr(cls, "transform", remembering(cls.transform, seen))
        monkeypatch.setattr(cls, "inverse_transform", given_statistics(cls.inverse_transform, seen))


# A list, because scikit-learn 1.6 passes a generator, which pytest is about to refuse.
EVERY_CHECK = parametrize_with_checks(ESTIMATORS)
PAIRS = list(EVERY_CHECK.args[1])
ids = EVERY_CHECK.kwargs["ids"]
array_api_pairs = [pair for pair in PAIRS if is_of_array_api(pair[1])]


@pytest.mark.parametrize("estimator, check", [pair for pair in PAIRS if not is_of_array_api(pair[1])], ids=ids)
def test_every_check_of_scikit_learn_passes(estimator, check):
    run(check, estimator)


@pytest.mark.skipif(not dispatches(), reason="with this SciPy scikit-learn knows NumPy arrays only")
@pytest.mark.usefixtures("_statistics_at_hand")
@pytest.mark.parametrize(
    "estimator, check",
    [(estimator, check) for estimator, check in array_api_pairs if all(is_here(*place) for place in places_of(check))],
    ids=ids,
)
def test_every_check_of_array_api_input_passes(estimator, check):
    run(check, estimator)


@names_may_differ
@pytest.mark.parametrize("name", CHECKS_NEVER_YIELDED)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_the_checks_that_no_generator_yields_pass_too(estimator, name):
    run(getattr(checks, name), type(estimator).__name__, estimator)


@pytest.mark.parametrize("name", THREE_FEATURE_CHECKS)
@pytest.mark.parametrize("estimator", THREE_FEATURES, ids=lambda estimator: type(estimator).__name__)
def test_the_checks_pass_with_one_parameter_value_for_each_feature(estimator, name):
    run(getattr(checks, name), type(estimator).__name__, estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_the_tags_ask_for_the_checks_that_matter(estimator):
    yielded = [getattr(check, "func", check).__name__ for _, check in estimator_checks_generator(clone(estimator))]
    row = isinstance(estimator, ROW_CLASSES)
    assert len(set(yielded)) >= 40
    assert ("check_transformers_unfitted_stateless" if row else "check_transformers_unfitted") in yielded
    assert "check_transformer_preserve_dtypes" in yielded or estimator.dtype is not None
    assert row or "check_sample_weight_equivalence_on_dense_data" in yielded
    assert "check_estimators_nan_inf" not in yielded  # NaN is missing, not an error


@pytest.mark.parametrize("cls", [MinMaxNormalizer, Standardizer])
def test_a_dataset_class_without_a_fit_says_that_it_is_not_fitted(cls):
    X = np.eye(3)
    for call in (cls().transform, cls().inverse_transform, cls().select, cls().get_feature_names_out):
        with pytest.raises(NotFittedError, match=cls.__name__):
            call(X if call.__name__.endswith("transform") else [0])
    for attribute in ("scale_", "n_samples_seen_", "constant_features_", "statistics_", "n_features_in_"):
        assert not hasattr(cls(), attribute)
