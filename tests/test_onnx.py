"""ONNX graphs give in onnxruntime what transform gives: to the bit or nearly, on data that break plain scaling code."""

import subprocess
import sys
import warnings

import numpy as np
import onnx
import onnxruntime
import pytest
import skl2onnx
from hypothesis import given, settings
from hypothesis import strategies as st
from skl2onnx import convert_sklearn
from skl2onnx.common import data_types
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import sknorm.onnx  # noqa: F401 - it registers the converters
from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

from . import awkward
from .exact import errors, exact_array
from .wording import assert_says

OPSETS = [15, 17, 18, skl2onnx.__max_supported_opset__]
TYPES = {
    "bool": data_types.BooleanTensorType,
    **{f"{u}int{n}": getattr(data_types, f"{u.upper()}Int{n}TensorType") for u in ("", "u") for n in (8, 16, 32, 64)},
    "float16": data_types.Float16TensorType,
    "float32": data_types.FloatTensorType,
    "float64": data_types.DoubleTensorType,
}
DATASET = [
    MinMaxNormalizer(),
    MinMaxNormalizer((-3, 7), clip=True),
    MinMaxNormalizer((-1, 0.1), per_feature=False),
    MinMaxNormalizer(in_range=(-2, 1e3)),
    Standardizer(ddof=1),
    Standardizer(per_feature=False),
    Standardizer(with_mean=False),
    Standardizer(with_std=False),
    Standardizer(mean=0.485, std=0.229),
]
ROWS = [
    RowLayerNorm(),
    RowLayerNorm(eps=0),
    RowLayerNorm(eps=1e-300),
    RowLayerNorm(eps=1e300),
    RowRMSNorm(),
    RowRMSNorm(eps=0),
    RowSoftmax(),
    RowSoftmax(temperature=1e-3),
    RowSoftmax(temperature=1e306),
]
KEEPING = [RowLayerNorm(keep_stats=True), RowRMSNorm(keep_stats=True), RowSoftmax(keep_stats=True)]


def converted(norm, X, opset=None):
    shape = [None] * (np.ndim(X) - 1) + [np.shape(X)[-1]]
    return convert_sklearn(norm, initial_types=[("X", TYPES[str(X.dtype)](shape))], target_opset=opset)


def run(model, X):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, X if isinstance(X, dict) else {"X": np.ascontiguousarray(X)})[0]


def in_onnx(norm, X, opset=None):
    """What the graph gives, with the dtype and the shape of what transform gives."""
    result, expected = run(converted(norm, X, opset), X), norm.transform(X)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    return result


def far_off(got, want, sizes=None, axis=-1):
    """The largest difference in ulps of the output dtype, at the largest magnitude of each sample or at these."""
    if sizes is None:
        sizes = np.nan_to_num(np.abs(want), posinf=np.finfo(want.dtype).max).max(axis, initial=0, keepdims=True)
    return errors(got, exact_array(want), exact_array(sizes)).max(initial=0)


def far_off_by_feature(got, want):
    return far_off(got, want, axis=tuple(range(want.ndim - 1)))


# --- within 4 ulp of ours ---


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "uint8", "int64", "uint64"])
@settings(max_examples=12)
@given(data=st.data())
def test_features_of_any_kind_come_out_as_from_transform(dtype, data):
    X = data.draw(awkward.features(dtype))
    norm = clone(data.draw(st.sampled_from(DATASET))).fit(X)
    assert far_off_by_feature(in_onnx(norm, X), norm.transform(X)) <= 4


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "uint8", "int64", "uint64"])
@settings(max_examples=12)
@given(data=st.data())
def test_samples_of_any_kind_come_out_as_from_transform(dtype, data):
    X = data.draw(awkward.samples(dtype))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of a single feature
        norm = clone(data.draw(st.sampled_from(ROWS))).fit(X)
    assert far_off(in_onnx(norm, X, data.draw(st.sampled_from(OPSETS))), norm.transform(X)) <= 4


@settings(max_examples=25)
@given(st.data())
def test_kept_statistics_come_out_as_from_transform(data):
    X = data.draw(awkward.samples(data.draw(st.sampled_from(["float32", "float64", "int64"]))))
    norm = clone(data.draw(st.sampled_from(KEEPING)))
    d, want, got = X.shape[-1], norm.transform(X), in_onnx(norm, X)
    assert far_off(got[..., :d], want[..., :d]) <= 4
    if isinstance(norm, RowLayerNorm):  # a mean may be nearly 0, so it is measured at the sample's largest magnitude
        sizes = np.max(np.abs(X.astype(float)), axis=-1, initial=0, where=~np.isnan(X), keepdims=True)
        assert far_off(got[..., [d]], want[..., [d]], sizes) <= 4
    assert far_off(got[..., [-1]], want[..., [-1]]) <= 4


@pytest.mark.parametrize("opset, dtype", [*((opset, "float32") for opset in OPSETS), (OPSETS[-1], "float64")])
@pytest.mark.parametrize("norm", [*DATASET, *ROWS, *KEEPING], ids=repr)
def test_an_offset_of_1e7_costs_no_accuracy_in_any_opset(norm, dtype, opset):
    """sklearn-onnx#479 and #986, onnxruntime#4130 and #4883: a float32 reciprocal before the subtraction."""
    rng = np.random.default_rng(0)
    X = (1e7 + rng.integers(-40, 40, size=(30, 5))).astype(dtype)
    X[3, 2] = np.nan
    norm = clone(norm).fit(X)
    measure = far_off_by_feature if hasattr(norm, "partial_fit") else far_off
    assert measure(in_onnx(norm, X, opset), norm.transform(X)) <= 4


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_range_at_offset_1e7_reaches_both_ends(dtype):
    X = (1e7 + np.array([[0.0], [1.0], [2.0], [5.0]])).astype(dtype)
    np.testing.assert_array_equal(in_onnx(MinMaxNormalizer().fit(X), X), np.array([[0], [0.2], [0.4], [1]], dtype))
    np.testing.assert_array_equal(in_onnx(MinMaxNormalizer((-1, 1), clip=True).fit(X), X)[[0, 3]], [[-1], [1]])


def test_the_lower_end_is_exact_where_the_upper_one_takes_all_bits_of_the_map():
    X = np.array([[0.0], [1.0], [5.0]])
    np.testing.assert_array_equal(in_onnx(MinMaxNormalizer((1e-50, 1e308)).fit(X), X)[[0, 2]], [[1e-50], [1e308]])


@pytest.mark.parametrize("opset", [OPSETS[0], OPSETS[-1]])
def test_many_features_cost_no_accuracy(opset):
    X = np.random.default_rng(0).normal(size=(2, 100_000)).astype(np.float32) + 1000
    X[0, 0] = 1e9
    for norm in ROWS:
        got, want = in_onnx(norm, X, opset), norm.transform(X)
        assert np.all(np.abs(got.astype(float) - want) <= 4 * np.spacing(np.abs(want).max(axis=1, keepdims=True)))


@pytest.mark.parametrize("opset", [OPSETS[0], OPSETS[-1]])
@pytest.mark.parametrize("unit", [1e-50, -5e-324, 1e-300, 1e-46])
def test_one_feature_in_a_tiny_unit_is_not_taken_for_0(unit, opset):
    """A constant of one value that float32 rounds to 0 or 1 is dropped by onnxruntime's optimization."""
    X = unit * np.array([[1.0], [2], [4], [9]])
    for norm in DATASET:
        norm = clone(norm).fit(X)
        assert far_off_by_feature(in_onnx(norm, X, opset), norm.transform(X)) <= 4
    for norm in (RowLayerNorm(eps=1e-60), RowRMSNorm(eps=1e-60), RowSoftmax(temperature=1e-60)):
        assert far_off(in_onnx(norm, X.T, opset), norm.transform(X.T)) <= 4


def test_a_divisor_near_1_is_not_taken_for_1():
    X = np.array([[0.0], [1 + 1e-9], [0.5]])
    for norm in (MinMaxNormalizer(), MinMaxNormalizer((0, 1 + 1e-9)), Standardizer(mean=1e-50, std=1 - 1e-10)):
        assert far_off_by_feature(in_onnx(norm.fit(X), X), norm.transform(X)) <= 1
    norm, T = RowSoftmax(temperature=1 + 1e-9), np.array([[0.0, 700, 699.5]])
    assert far_off(in_onnx(norm, T), norm.transform(T)) <= 1


# --- missing, constant, infinite ---

NAN, INF = np.nan, np.inf


@pytest.mark.parametrize("opset, dtype", [(OPSETS[0], "float32"), (OPSETS[-1], "float16"), (OPSETS[-1], "float64")])
@pytest.mark.parametrize("norm", [*DATASET, *ROWS, *KEEPING], ids=repr)
def test_missing_values_stay_and_count_in_no_statistic(norm, opset, dtype):
    X = np.array([[1, NAN, 3, 7], [NAN, NAN, NAN, 7], [2, NAN, 2, 7], [0, NAN, 0, 0], [4, NAN, NAN, NAN]], dtype)
    norm = clone(norm).fit(X)
    np.testing.assert_allclose(in_onnx(norm, X, opset), norm.transform(X), rtol=4 * np.finfo(dtype).eps, atol=1e-300)


@pytest.mark.parametrize("opset", OPSETS)
def test_a_constant_feature_or_sample_gives_exact_zeros(opset):
    X = np.full((7, 6), 0.1, np.float32) * np.float32(1e7)
    for norm in (Standardizer(), MinMaxNormalizer(), RowLayerNorm(), RowLayerNorm(eps=0), RowLayerNorm(eps=1e-30)):
        np.testing.assert_array_equal(in_onnx(norm.fit(X), X, opset), 0)
    np.testing.assert_array_equal(in_onnx(MinMaxNormalizer((-1, 1)).fit(X), X, opset), -1)
    np.testing.assert_array_equal(in_onnx(RowRMSNorm(eps=0), X * 0, opset), 0)
    np.testing.assert_array_equal(in_onnx(RowLayerNorm(eps=0, keep_stats=True), X, opset)[:, -1], 1)


def test_masks_of_a_softmax_are_probability_0():
    X = np.array([[0, -INF, 0], [-INF, -INF, -INF], [NAN, -INF, 5], [NAN, NAN, NAN], [NAN, -INF, -INF]], np.float32)
    norm = RowSoftmax(keep_stats=True)
    np.testing.assert_array_equal(in_onnx(norm, X), norm.transform(X))


def test_values_beyond_the_training_data_are_mapped_or_clipped_as_by_transform():
    X, new = np.array([[0.0, 5], [10, 5]], np.float32), np.array([[-5, 4], [20, 9], [NAN, NAN]], np.float32)
    for norm in DATASET:
        norm = clone(norm).fit(X)
        np.testing.assert_array_equal(run(converted(norm, X), new), norm.transform(new))


# --- parameters, types, shapes ---


@pytest.mark.parametrize("out", ["float16", "float32", "float64"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("norm", [MinMaxNormalizer(), Standardizer(), RowLayerNorm(), RowRMSNorm(), RowSoftmax()])
def test_the_output_has_the_dtype_that_is_asked_for(norm, dtype, out):
    X = np.array([[1, 3, 8], [4, 5, 9]], dtype)
    norm = clone(norm).set_params(dtype=out).fit(X)
    np.testing.assert_allclose(in_onnx(norm, X), norm.transform(X), rtol=4 * np.finfo(out).eps)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("norm", [MinMaxNormalizer(), Standardizer(), RowLayerNorm(), RowRMSNorm(), RowSoftmax()])
def test_every_real_dtype_is_taken(norm, dtype):
    X = np.random.default_rng(2).integers(0, 2 if dtype == "bool" else 100, size=(9, 4)).astype(dtype)
    norm = clone(norm).fit(X)
    np.testing.assert_allclose(in_onnx(norm, X), norm.transform(X), rtol=1e-5, atol=1e-7)


def test_integers_beyond_float64_are_subtracted_exactly():
    X = np.array([[2**62 + 1], [2**62 + 9], [2**62 + 3]])
    np.testing.assert_array_equal(in_onnx(MinMaxNormalizer().fit(X), X), [[0], [1], [0.25]])
    assert far_off(in_onnx(RowLayerNorm(), X.T), RowLayerNorm().transform(X.T)) <= 1


@pytest.mark.parametrize("norm", [*DATASET[:2], *ROWS[:1], *KEEPING], ids=repr)
def test_images_keep_their_shape(norm):
    X = np.random.default_rng(1).normal(size=(2, 4, 3, 5)).astype(np.float32)
    norm = clone(norm).fit(X)
    np.testing.assert_array_equal(in_onnx(norm, X), norm.transform(X))


@pytest.mark.parametrize("norm", ROWS, ids=repr)
def test_a_row_norm_without_fit_takes_any_width(norm):
    model = convert_sklearn(norm, initial_types=[("X", data_types.FloatTensorType([None, None]))])
    for width in (2, 5):
        X = np.random.default_rng(3).normal(size=(4, width)).astype(np.float32)
        np.testing.assert_array_equal(run(model, X), norm.transform(X))


def test_gamma_and_beta_are_those_of_the_layer():
    X = np.random.default_rng(4).normal(size=(6, 3)).astype(np.float32)
    gamma, beta = np.array([0.5, -2, 1e3], np.float32), [1, 2.5, 0]
    for opset in OPSETS:
        for norm in (RowLayerNorm(gamma=gamma, beta=beta), RowLayerNorm(gamma=gamma, eps=0), RowRMSNorm(gamma=gamma)):
            assert far_off(in_onnx(norm.fit(X), X, opset), norm.transform(X)) <= 1


# --- the graph ---


def operators(norm, opset, dtype=np.float32):
    X = np.eye(3, dtype=dtype)
    return {node.op_type for node in converted(clone(norm).fit(X), X, opset).graph.node}


def test_the_operator_of_onnx_is_used_from_opset_17():
    assert [opset for opset in OPSETS if "LayerNormalization" in operators(RowLayerNorm(), opset)] == OPSETS[1:]
    assert "LayerNormalization" in operators(RowLayerNorm(), OPSETS[-1], "uint8")


@pytest.mark.parametrize(
    "changed", [{"eps": 0}, {"eps": 1e-45}, {"eps": 1e39}, {"keep_stats": True}, {"dtype": "float64"}], ids=str
)
def test_the_formula_is_spelled_out_where_the_operator_cannot_do_it(changed):
    assert "LayerNormalization" not in operators(RowLayerNorm(**changed), OPSETS[-1])


def test_float64_data_are_not_left_to_the_operator_whose_eps_is_a_float32():
    assert "LayerNormalization" not in operators(RowLayerNorm(), OPSETS[-1], np.float64)


@pytest.mark.parametrize("norm", [*DATASET, *ROWS, *KEEPING], ids=repr)
def test_the_subtraction_comes_first_and_every_node_counts(norm):
    X = np.array([[1, 2.5, 9], [3, 4, 4]], np.float32)
    model = converted(clone(norm).fit(X), X)
    onnx.checker.check_model(model, full_check=True)
    kinds = [node.op_type for node in model.graph.node]
    assert kinds[0] == "Cast"
    assert kinds[-1] == "Cast"
    if norm in DATASET and "Sub" in kinds:
        assert kinds.index("Sub") < kinds.index("Div")
    read = {name for node in model.graph.node for name in node.input} | {model.graph.output[0].name}
    assert {name for node in model.graph.node for name in node.output} <= read


# --- errors ---


def refused(kind, norm, variable, **options):
    with pytest.raises(kind) as error:
        convert_sklearn(norm, initial_types=[("X", variable)], **options)
    return error.value


def test_what_cannot_be_converted_is_refused_at_conversion():
    X = np.eye(3)
    error = refused(ValueError, RowSoftmax(), data_types.StringTensorType([None, 3]))
    assert_says(error, "real numbers as input of RowSoftmax", "StringTensorType", "Encode text")
    error = refused(ValueError, RowSoftmax(), data_types.FloatTensorType([None, 3]), target_opset=14)
    assert_says(error, "opset 15 or newer", "opset 14", "Pass target_opset=15")
    error = refused(ValueError, RowSoftmax(temperature=-1), data_types.FloatTensorType([None, 3]))
    assert_says(error, "temperature", "-1", "leave it out")
    error = refused(ValueError, Standardizer().fit(X), data_types.FloatTensorType([None, 4]))
    assert "X has 4 features, but Standardizer is expecting 3 features as input" in str(error)
    refused(NotFittedError, Standardizer(), data_types.FloatTensorType([None, 3]))


def test_without_the_extra_the_error_names_it():
    code = "import sys; sys.modules.update(onnx=None, skl2onnx=None); import sknorm; import sknorm.onnx"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode != 0
    error = result.stderr.splitlines()[-1]
    assert error.startswith("ImportError: Expected")
    assert 'Run pip install "sknorm[onnx]".' in error
