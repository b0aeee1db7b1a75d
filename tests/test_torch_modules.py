"""torch modules in and out, where torch is installed."""

import numpy as np
import pytest

from sknorm import RowLayerNorm, RowRMSNorm
from sknorm.checkpoint import from_torch, list_norms, load_norm, load_norms, to_torch

from .exact import sample_errors
from .wording import assert_says

torch = pytest.importorskip("torch")
nn = torch.nn
prune = pytest.importorskip("torch.nn.utils.prune")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 8)).astype(np.float32)


def with_weights(module, dtype=torch.float32):
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.from_numpy(RNG.normal(size=parameter.shape)))
    return module.to(dtype)


def output(module, X):
    """In float64: the arithmetic of torch, without the errors that it makes in float32."""
    with torch.no_grad():
        return module.double()(torch.from_numpy(X).double()).numpy()


MODULES = {
    "layer norm": lambda: nn.LayerNorm(8, eps=1e-12),
    "layer norm without bias": lambda: nn.LayerNorm(8, bias=False),
    "layer norm without parameters": lambda: nn.LayerNorm(8, elementwise_affine=False),
    "RMS norm": lambda: nn.RMSNorm(8, eps=1e-5),
    "RMS norm without parameters": lambda: nn.RMSNorm(8, eps=1e-3, elementwise_affine=False),
}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("make", MODULES.values(), ids=MODULES)
def test_a_module_becomes_a_norm_and_the_norm_the_module(make, dtype):
    module = with_weights(make(), dtype)
    norm = from_torch(module)
    again = to_torch(norm.fit(X))
    assert again.state_dict().keys() == module.state_dict().keys()
    for name, parameter in module.state_dict().items():
        assert torch.equal(again.state_dict()[name], parameter.to(again.state_dict()[name].dtype))
    assert (type(again), again.eps) == (type(module), module.eps) or module.eps is None
    assert sample_errors(norm.transform(X), output(module, X)).max() <= 2


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_eps_none_is_the_machine_epsilon_that_torch_takes(dtype):
    """At 1e-4 the eps decides the result."""
    module = nn.RMSNorm(8).to(dtype)
    x = torch.full((1, 8), 1e-4, dtype=dtype)
    expected = module(x).double().detach().numpy()
    got = from_torch(module).transform(x.double().numpy())
    np.testing.assert_allclose(got, expected, rtol=float(torch.finfo(dtype).eps))


def test_eps_none_without_a_weight_says_no_machine_epsilon():
    """At 1e-4 torch's output then differs by the dtype of the input."""
    module = nn.RMSNorm(8, elementwise_affine=False)
    with pytest.raises(ValueError, match="Expected") as error:
        from_torch(module)
    assert_says(error.value, "evidence of the eps", "machine epsilon of the input's dtype", "Pass eps=")
    x = torch.full((1, 8), 1e-4)
    for wide in (x, x.double()):
        norm = from_torch(module, eps=torch.finfo(wide.dtype).eps)
        np.testing.assert_allclose(norm.transform(wide.numpy()), module(wide).numpy(), rtol=1e-6)


@pytest.mark.parametrize(
    "norm, dtype",
    [
        (RowLayerNorm(gamma=X[0], beta=X[1]), torch.float32),
        (RowLayerNorm(gamma=X[0].astype(np.float64)), torch.float64),
        (RowLayerNorm(beta=X[1].astype(np.float16)), torch.float16),
        (RowLayerNorm(gamma=[1, 2, 3, 4, 5, 6, 7, 8]), torch.float32),
        (RowLayerNorm(gamma=X[0], dtype="float64"), torch.float64),
        (RowLayerNorm(gamma=torch.from_numpy(X[0]), beta=torch.from_numpy(X[1])), torch.float32),
        (RowLayerNorm(beta=torch.from_numpy(X[1]).double()), torch.float64),
        (RowRMSNorm(gamma=torch.from_numpy(X[0]).half()), torch.float16),
        (RowRMSNorm(gamma=X[0], eps=0), torch.float32),
        (RowRMSNorm(gamma=X[0].astype(np.float64), eps=np.float64(0.5)), torch.float64),
        (RowRMSNorm(gamma=np.arange(1, 9), eps=np.float32(0.5)), torch.float32),
        (RowLayerNorm(gamma=X[0], eps=1), torch.float32),
        (RowRMSNorm().fit(X), torch.float32),
        (RowLayerNorm(gamma=X[0].astype(">f4"), beta=X[1][::-1]), torch.float32),
        (RowRMSNorm(gamma=X[0].astype(np.longdouble)), torch.float64),
    ],
    ids=str,
)
def test_a_norm_becomes_the_module_that_computes_the_same(norm, dtype):
    module = to_torch(norm)
    assert type(module.eps) is float
    assert {parameter.dtype for parameter in module.parameters()} <= {dtype}
    tolerance = 2 if dtype != torch.float16 else 2**13
    assert sample_errors(norm.set_params(dtype="float32").transform(X), output(module, X)).max() <= tolerance


def test_a_norm_of_no_known_width_is_refused():
    with pytest.raises(ValueError, match="Expected") as error:
        to_torch(RowRMSNorm())
    assert_says(error.value, "a norm that knows its number of features", "neither a fit nor gamma", "Fit the norm")


@pytest.mark.parametrize(
    "parameters, said",
    [
        ({"gamma": X[:2]}, "gamma to be 8 finite numbers"),
        ({"gamma": 2.0}, "gamma to be 1 finite numbers"),
        ({"gamma": X[0], "beta": X[1, :4]}, "beta to be 8 finite numbers"),
        ({"gamma": "abc"}, "gamma to be 1 finite numbers"),
        ({"gamma": ["a", "b"]}, "gamma to be 2 finite numbers"),
        ({"gamma": [[1.0], [1.0, 2.0]]}, "gamma to be 2 finite numbers"),
        ({"beta": [1.0, np.nan]}, "beta to be 2 finite numbers"),
        ({"gamma": torch.tensor([1.0, torch.inf])}, "gamma to be 2 finite numbers"),
        ({"gamma": [1j, 2]}, "gamma to be 2 finite numbers"),
        ({"gamma": []}, "a norm that knows its number of features"),
        ({"gamma": X[0], "eps": "small"}, "eps to be a finite number"),
        ({"gamma": X[0], "dtype": "int8"}, "dtype to be None"),
    ],
    ids=str,
)
def test_parameters_that_transform_refuses_are_refused(parameters, said):
    with pytest.raises(ValueError, match="Expected") as error:
        to_torch(RowLayerNorm(**parameters))
    assert_says(error.value, said, "", "")


def test_a_gamma_that_the_fitted_width_contradicts_is_refused():
    with pytest.raises(ValueError, match="gamma to be 8 finite numbers"):
        to_torch(RowRMSNorm().fit(X).set_params(gamma=[1.0, 2.0]))


class Own(nn.Module):
    """A norm of an author's own, as models write it."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(8))
        self.variance_epsilon = 1e-6


class OnePlus(nn.LayerNorm):
    """Multiplies by 1 + weight, as Nemotron's does."""

    def forward(self, x):
        return nn.functional.layer_norm(x, self.normalized_shape, self.weight + 1, self.bias, self.eps)


MODEL = nn.Sequential(
    nn.Linear(8, 8),
    nn.LayerNorm(8, eps=1e-3),
    nn.RMSNorm(8),
    nn.GroupNorm(2, 8),
    nn.BatchNorm1d(8),
    nn.BatchNorm1d(8, track_running_stats=False),
    nn.LayerNorm(8, elementwise_affine=False),
    nn.LayerNorm((2, 4)),
    nn.LayerNorm((2, 2, 2), elementwise_affine=False),
    Own(),
    OnePlus(8),
    nn.PReLU(8),
)


def test_of_a_model_the_norms_are_listed_by_their_classes():
    layers = {layer.name: layer for layer in list_norms(MODEL)}
    assert {name: layer.kind for name, layer in layers.items()} == {
        "1": "layernorm",
        "2": "rmsnorm",
        "6": "layernorm",
        "7": "unknown",
        "8": "unknown",
        "10": "unknown",
    }
    assert layers["1"].eps == 1e-3
    assert layers["1"].evidence.startswith("torch.nn.LayerNorm((8,)")
    assert "OnePlus, whose code may compute anything" in layers["10"].evidence
    assert layers["6"].parameters == ()


def test_a_layer_that_a_model_uses_twice_is_listed_by_both_names():
    norm = nn.LayerNorm(8, eps=1e-3)
    assert [(layer.kind, layer.eps) for layer in list_norms(nn.Sequential(norm, norm))] == [("layernorm", 1e-3)] * 2


def test_1_is_not_added_to_a_weight_that_is_not_there():
    assert load_norm(nn.LayerNorm(8, elementwise_affine=False), "", kind="layernorm+1").gamma is None


def test_a_class_of_an_authors_own_is_loaded_for_who_knows_with_the_eps_that_it_has():
    assert load_norm(MODEL, "9", kind="rmsnorm").eps == 1e-6
    module = with_weights(OnePlus(8))
    norm = load_norm(module, "", kind="layernorm+1")
    assert sample_errors(norm.transform(X), output(module, X)).max() <= 2


@pytest.mark.parametrize("axes", [(2, 4), (1, 2, 4)])
@pytest.mark.parametrize("affine", [True, False])
def test_a_module_over_several_axes_is_refused(axes, affine):
    module = nn.LayerNorm(axes, elementwise_affine=affine)
    with pytest.raises(ValueError, match="a module over the last axis"):
        from_torch(module)
    with pytest.raises(ValueError, match="evidence of the kind"):
        load_norm(module, "")


@pytest.mark.parametrize("read", [list_norms, load_norms, lambda model: from_torch(model[1])])
@pytest.mark.parametrize("cls, parameter", [(nn.LayerNorm, "weight"), (nn.LayerNorm, "bias"), (nn.RMSNorm, "weight")])
def test_a_pruned_module_is_refused_until_pruning_is_made_permanent(read, cls, parameter):
    model = nn.Sequential(nn.Linear(8, 8), cls(8, eps=1e-5))
    prune.random_unstructured(model[1], parameter, amount=3)
    with pytest.raises(ValueError, match="Expected") as error:
        read(model)
    assert_says(error.value, f"a parameter {parameter!r} of the module", "none", "torch.nn.utils.prune.remove(module")
    prune.remove(model[1], parameter)
    read(model)
    assert sample_errors(from_torch(model[1]).transform(X), output(model[1], X)).max() <= 2


@pytest.mark.parametrize("module", [MODEL, Own(), OnePlus(8), nn.GroupNorm(2, 8), nn.Linear(2, 2), nn.LayerNorm])
def test_a_module_that_is_no_such_norm_is_refused(module):
    with pytest.raises(TypeError) as error:
        from_torch(module)
    assert_says(error.value, "a torch.nn.LayerNorm or torch.nn.RMSNorm", type(module).__name__, "Use load_norm")


class Config:
    """What the models of transformers carry."""

    def to_dict(self):
        return {"model_type": "gemma", "rms_norm_eps": 0.5}


def test_a_model_with_a_config_is_known_by_its_family():
    model = nn.Module()
    model.config = Config()
    model.norm = with_weights(Own())
    (layer,) = list_norms(model)
    assert (layer.kind, layer.eps, layer.eps_source) == ("rmsnorm+1", 1e-6, "variance_epsilon of the module")
    np.testing.assert_array_equal(load_norm(model, "norm").gamma, 1 + model.norm.weight.detach().numpy())


def test_the_norms_of_a_model_compute_what_its_modules_do():
    model = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2, nn.LayerNorm(8), enable_nested_tensor=False)
    with_weights(model)
    norms = load_norms(model)
    assert len(norms) == 5
    for name, norm in norms.items():
        assert sample_errors(norm.transform(X), output(model.get_submodule(name), X)).max() <= 2


def test_a_model_that_is_saved_is_listed_as_its_state_dict(tmp_path):
    torch.save({"state_dict": MODEL.state_dict(), "epoch": 3}, tmp_path / "model.pt")
    saved = {layer.name: layer.kind for layer in list_norms(tmp_path / "model.pt")}
    # Without the modules nothing tells group norm and the own class from a layer norm; eps has to be passed anyway.
    assert saved == {f"state_dict.{i}": "layernorm" for i in (1, 3, 5, 10)}


def test_a_tensor_that_needs_a_gradient_is_read():
    state = dict(with_weights(nn.LayerNorm(8)).named_parameters())
    np.testing.assert_array_equal(load_norm(state, "", eps=0).gamma, state["weight"].detach().numpy())
