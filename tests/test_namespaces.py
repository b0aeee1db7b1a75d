"""Arrays of other libraries: what is refused, what goes where, and what they are without array_api_dispatch."""

import re

import array_api_strict
import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone

from sknorm import MinMaxNormalizer, RowLayerNorm, RowRMSNorm, RowSoftmax, Standardizer

from .array_api import assert_is_like, results_of, with_dispatch
from .wording import assert_says

DATASET_CLASSES = [MinMaxNormalizer, Standardizer]
ROW_CLASSES = [RowLayerNorm, RowRMSNorm, RowSoftmax]
CLASSES = DATASET_CLASSES + ROW_CLASSES

X = np.random.default_rng(11).normal(size=(8, 3)) * 30 + 50

each_class = pytest.mark.parametrize("cls", CLASSES)
each_dataset_class = pytest.mark.parametrize("cls", DATASET_CLASSES)


# --- one library and device from fit on ---


def methods_of(norm):
    yield norm.transform
    yield norm.inverse_transform
    yield norm.row_statistics if isinstance(norm, tuple(ROW_CLASSES)) else norm.partial_fit


@with_dispatch
@each_class
def test_what_was_fitted_on_one_library_refuses_another(xp, cls):
    given = xp.asarray(X)
    fitted, foreign = cls(keep_stats=True) if cls in ROW_CLASSES else cls(), f"{xp.__name__} on {given.device}"
    pairs = [(X, given), (pd.DataFrame(X), given), (given, X), (given, X.tolist()), (given, pd.DataFrame(X))]
    for first, second in pairs:
        expected, got = ("numpy on cpu", foreign) if second is given else (foreign, "numpy on cpu")
        for method in methods_of(fitted.fit(first)):
            called = re.escape(f"{cls.__name__}.{method.__name__}()")
            with pytest.raises(ValueError, match=rf"{called} must use the same namespace") as caught:
                method(second)
            assert_says(caught.value, f"X of {expected}", got, "convert X, or fit again")


@with_dispatch
@each_dataset_class
def test_a_refused_batch_leaves_everything_alone(xp, cls):
    given = xp.asarray(X)
    norm = cls().fit(given)
    for wrong in (X, xp.asarray(X[:, :2]), xp.asarray(np.full((2, 3), np.inf))):
        with pytest.raises(ValueError, match=r"namespace|features|infinity"):
            norm.partial_fit(wrong)
    assert_is_like(norm.transform(given), given, cls().fit(X).transform(X))


@with_dispatch
@pytest.mark.parametrize("cls", ROW_CLASSES)
def test_an_unfitted_row_norm_takes_any_library(xp, cls):
    norm = cls()
    assert_is_like(norm.transform(xp.asarray(X)), xp.asarray(X), norm.transform(X))


@each_class
def test_scikit_learn_says_what_is_missing_where_dispatch_cannot_be(xp, cls, monkeypatch):
    monkeypatch.delenv("SCIPY_ARRAY_API", raising=False)
    norm, missing = cls(), pytest.raises((RuntimeError, ImportError), match=r"(?i)scipy|array_api")
    with missing, config_context(array_api_dispatch=True):
        norm.fit(xp.asarray(X))
    assert not hasattr(norm, "n_features_in_")


# --- dispatch switched off ---


@each_class
def test_without_dispatch_an_array_is_read_as_numpy_reads_it(xp, cls):
    given = xp.asarray(X)
    pairs = zip(results_of(cls(copy=False), X, xp.asarray), results_of(cls(), X, np.asarray), strict=True)
    for result, expected in pairs:
        assert type(result) is np.ndarray
        np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(np.asarray(given), X)


def test_without_dispatch_an_array_on_a_device_says_what_to_do():
    given = array_api_strict.asarray(X, device=array_api_strict.Device("device1"))
    with pytest.raises(TypeError, match=r"X to be a dense array .*device1.*\. Copy it to the host.*array_api_dispatch"):
        Standardizer().fit(given)
    with pytest.raises(TypeError, match=r"gamma to be a dense array .*device1"):
        RowLayerNorm(gamma=given[0, :]).fit(X)


# --- parameters ---

VECTOR = np.array([0.5, 2.0, 4.0])
PARAMETERS = [
    (RowLayerNorm, lambda convert: {"gamma": convert(VECTOR), "beta": convert(VECTOR)}),
    (RowRMSNorm, lambda convert: {"gamma": convert(VECTOR)}),
    (Standardizer, lambda convert: {"mean": convert(VECTOR), "std": convert(VECTOR)}),
    (Standardizer, lambda convert: {"mean": convert(VECTOR)[0], "std": [2, 3, 4]}),
    (MinMaxNormalizer, lambda convert: {"in_range": (convert(-VECTOR), convert(VECTOR))}),
    (MinMaxNormalizer, lambda convert: {"in_range": convert(np.stack([-VECTOR, VECTOR]))}),
]
each_parameter = pytest.mark.parametrize("cls, parameters", PARAMETERS)


@pytest.mark.parametrize("dispatched", [False, True])
@each_parameter
def test_parameters_may_be_arrays_of_the_library(xp, cls, parameters, dispatched, request):
    if dispatched:
        request.getfixturevalue("dispatch")
    norm, reference = clone(cls(**parameters(xp.asarray))), cls(**parameters(np.asarray))
    assert repr(norm).startswith(f"{cls.__name__}(")
    for convert in (np.asarray, xp.asarray):  # the data may be NumPy's all the same
        pairs = zip(results_of(norm, X, convert), results_of(reference, X, np.asarray), strict=True)
        for result, expected in pairs:
            assert type(result) is (type(xp.asarray(X)) if dispatched and convert is xp.asarray else np.ndarray)
            np.testing.assert_array_equal(np.asarray(result), expected)
    if cls in DATASET_CLASSES:
        one = norm.fit(X).merge(clone(norm).fit(X)).select([1])
        np.testing.assert_array_equal(one.transform(X[:, [1]]), reference.fit(X).transform(X)[:, [1]])


# --- what cannot be read ---

UNREADABLE = [
    (lambda x: x.requires_grad_(), ValueError, "without gradients", r"Call .detach\(\) on it first."),
    (lambda x: x.to_sparse(), TypeError, "dense array", r"Call .to_dense\(\) on it first"),
    (lambda x: x.to("meta"), TypeError, "dense array", "A meta tensor holds no values"),
    (lambda x: x.bfloat16(), TypeError, "dense array", r"Convert it to float32 first, X.float\(\) say."),
]


@pytest.mark.parametrize("dispatched", [False, True])
@pytest.mark.parametrize("change, error, expected, remedy", UNREADABLE)
def test_a_tensor_that_numpy_cannot_read_says_what_to_do(change, error, expected, remedy, dispatched, request):
    torch = pytest.importorskip("torch")
    if dispatched:
        request.getfixturevalue("dispatch")
    data, vector, column = (change(torch.asarray(a.copy())) for a in (X, X[0], X[:, 0]))
    calls = [
        ("X", lambda: Standardizer().fit(data)),
        ("X", lambda: RowSoftmax().transform(data)),
        ("sample_weight", lambda: Standardizer().fit(X, sample_weight=column)),
        ("gamma", lambda: RowRMSNorm(gamma=vector).fit(X)),
        ("mean", lambda: Standardizer(mean=vector).fit(X)),
        ("each limit of in_range", lambda: MinMaxNormalizer(in_range=(vector, 900.0)).fit(X)),
        ("row_stats", lambda: RowRMSNorm().inverse_transform(X, row_stats=(column,))),
    ]
    for name, call in calls:
        with pytest.raises(error, match=rf"^Expected {name} .*{expected}.*, got Tensor .+\. {remedy}"):
            call()


@with_dispatch
def test_the_weight_of_a_trained_layer_is_taken_once_it_is_detached():
    torch = pytest.importorskip("torch")
    layer, given = torch.nn.LayerNorm(3, eps=1e-5, dtype=torch.float64), torch.asarray(X)
    with pytest.raises(ValueError, match=r"Expected gamma without gradients, got Parameter .*\.detach\(\)"):
        RowLayerNorm(gamma=layer.weight).fit(given)
    norm = RowLayerNorm(gamma=layer.weight.detach(), beta=layer.bias.detach())
    np.testing.assert_allclose(norm.fit_transform(given).numpy(), layer(given).detach().numpy(), rtol=1e-12)
    frozen = torch.nn.Parameter(given, requires_grad=False)
    assert_is_like(norm.transform(frozen), given, norm.transform(given).numpy())


@with_dispatch
@pytest.mark.parametrize("shape, got", [((), "0D array"), ((3,), "1D array")])
def test_too_few_axes_are_refused_as_ever(xp, shape, got):
    with pytest.raises(ValueError, match=rf"Expected 2D array, got {got}"):
        Standardizer().fit(xp.ones(shape))


@with_dispatch
def test_complex_numbers_are_refused_as_ever(xp):
    with pytest.raises(ValueError, match="Complex data not supported"):
        RowSoftmax().fit(xp.ones((2, 2), dtype=xp.complex64))


@with_dispatch
def test_a_dtype_that_the_library_lacks_is_named():
    norm = Standardizer(dtype=np.float16).fit(array_api_strict.asarray(X))
    with pytest.raises(TypeError, match=r"results of a dtype that array_api_strict .*has, got float16\. Choose"):
        norm.transform(array_api_strict.asarray(X))
