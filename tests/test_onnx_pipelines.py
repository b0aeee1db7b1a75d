"""The converters inside pipelines, column transformers and feature unions, by one input or one for each column."""

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from skl2onnx import convert_sklearn, to_onnx
from skl2onnx.common.data_types import (
    BooleanTensorType,
    DoubleTensorType,
    FloatTensorType,
    Int32TensorType,
    Int64TensorType,
)
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import FeatureUnion, make_pipeline

import sknorm.onnx  # noqa: F401 - it registers the converters
from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

from .wording import assert_says

NORMS = [
    MinMaxNormalizer((-1, 1), clip=True),
    Standardizer(),
    RowLayerNorm(),
    RowLayerNorm(keep_stats=True),
    RowRMSNorm(),
    RowSoftmax(),
]
TYPES = {
    "float32": FloatTensorType,
    "float64": DoubleTensorType,
    "int64": Int64TensorType,
    "int32": Int32TensorType,
    "bool": BooleanTensorType,
}
FRAME = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 5)) * [1, 1e3, 1e-3, 1, 5] + 10, columns=list("abcde"))
TARGET = np.arange(40) % 3

every_norm = pytest.mark.parametrize("norm", NORMS, ids=repr)
floats = pytest.mark.parametrize("dtype", ["float32", "float64"])


def run(model, **inputs):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, inputs)


def by_column(model, frame):
    """Convert with one input for each column, and run."""
    types = [(name, TYPES[str(frame[name].dtype)]([None, 1])) for name in frame]
    return run(convert_sklearn(model, initial_types=types), **{name: frame[[name]].to_numpy() for name in frame})[0]


def assert_close(got, want, dtype):
    assert got.dtype == want.dtype == dtype
    np.testing.assert_allclose(got, want, rtol=4 * np.finfo("float32").eps, atol=4 * np.finfo("float32").eps)


@every_norm
@floats
def test_in_a_pipeline_before_a_classifier(norm, dtype):
    X = FRAME.to_numpy(dtype)
    model = make_pipeline(clone(norm), MinMaxNormalizer(), LogisticRegression()).fit(X, TARGET)
    labels, probabilities = run(to_onnx(model, X[:1], options={"zipmap": False}), X=X)
    np.testing.assert_array_equal(labels, model.predict(X))
    np.testing.assert_allclose(probabilities, model.predict_proba(X), atol=1e-6)


@every_norm
@floats
@pytest.mark.parametrize("first, second", [([0, 3], [4, 1]), (slice(0, 2), slice(2, 4))], ids=["list", "slice"])
def test_in_a_column_transformer_of_an_array(norm, dtype, first, second):
    X = FRAME.to_numpy(dtype)
    parts = [("first", clone(norm), first), ("second", Standardizer(), second)]
    model = ColumnTransformer(parts, remainder="passthrough").fit(X)
    assert_close(run(to_onnx(model, X[:1]), X=X)[0], model.transform(X), dtype)


@every_norm
@floats
def test_in_a_column_transformer_of_a_frame(norm, dtype):
    frame = FRAME.astype(dtype)
    model = ColumnTransformer([("first", clone(norm), ["d", "a"]), ("second", Standardizer(), ["b"])]).fit(frame)
    assert_close(by_column(model, frame), model.transform(frame), dtype)


@every_norm
@floats
def test_in_a_feature_union(norm, dtype):
    X = FRAME.to_numpy(dtype)
    model = FeatureUnion([("one", clone(norm)), ("other", make_pipeline(Standardizer(), RowSoftmax()))]).fit(X)
    assert_close(run(to_onnx(model, X[:1]), X=X)[0], model.transform(X), dtype)


@every_norm
def test_all_together_and_again_inside_one_another(norm):
    frame = FRAME.astype("float32")
    union = FeatureUnion([("one", clone(norm)), ("other", MinMaxNormalizer())])
    columns = ColumnTransformer([("union", union, ["a", "b", "c"]), ("rest", RowRMSNorm(), ["d", "e"])])
    model = make_pipeline(columns, Standardizer(), Ridge()).fit(frame, TARGET)
    np.testing.assert_allclose(by_column(model, frame)[:, 0], model.predict(frame), atol=1e-5)


@every_norm
def test_columns_of_different_dtypes_meet_as_in_a_frame(norm):
    frame = FRAME.astype({"a": "float32", "b": "int64"})
    norm = clone(norm).fit(frame)
    assert_close(by_column(norm, frame), norm.transform(frame), "float64")
    whole = (FRAME.iloc[:, :2] * 1e3).astype("int64") + 2**60
    norm = clone(norm).fit(whole)
    assert_close(by_column(norm, whole), norm.transform(whole), "float64")


MIXED = [("float32", "int64"), ("int64", "float32"), ("float32", "int32"), ("int32", "bool"), ("bool", "int32")]


@pytest.mark.parametrize("norm", [Standardizer(), RowLayerNorm()], ids=repr)
@pytest.mark.parametrize("first, second", MIXED)
def test_columns_that_a_column_transformer_casts_with_loss_are_refused(norm, first, second):
    frame = FRAME[["a", "b"]].astype({"a": first, "b": second})
    for step in (clone(norm), make_pipeline(clone(norm), MinMaxNormalizer())):
        model = ColumnTransformer([("step", step, ["a", "b"])]).fit(frame)
        with pytest.raises(ValueError, match="Expected") as error:
            by_column(model, frame)
        assert_says(error.value, "columns of one dtype, to convert to ONNX", f"{min(first, second)}, ", "astype(float)")
    frame = frame.astype(float)
    assert_close(by_column(model.fit(frame), frame), model.transform(frame), "float64")


@pytest.mark.parametrize("first, second", [("float64", "int64"), ("int64", "int32"), ("bool", "float32")])
def test_columns_that_a_column_transformer_casts_without_loss_are_converted(first, second):
    frame = FRAME[["a", "b"]].astype({"a": first, "b": second})
    model = ColumnTransformer([("norm", Standardizer(), ["a", "b"])]).fit(frame)
    want = model.transform(frame)
    assert_close(by_column(model, frame), want, want.dtype)


def test_names_and_frames_asked_for_do_not_disturb_the_conversion():
    frame = FRAME.astype("float32")
    model = make_pipeline(Standardizer(), RowLayerNorm()).set_output(transform="pandas").fit(frame)
    X = frame.to_numpy()
    assert_close(run(to_onnx(model, X[:1]), X=X)[0], model.transform(frame).to_numpy(), "float32")


@floats
def test_a_real_data_set_gives_the_same_predictions(dtype):
    X, y = load_digits(return_X_y=True)
    X = X.astype(dtype)
    model = make_pipeline(RowRMSNorm(), Standardizer(), LogisticRegression(max_iter=200)).fit(X[::2], y[::2])
    labels = run(to_onnx(model, X[:1], options={"zipmap": False}), X=X)[0]
    assert (labels == model.predict(X)).mean() > 0.999
