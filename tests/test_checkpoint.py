"""What a user of sknorm.checkpoint types: listing, loading one or all, globs, the printed table, the command line."""

import inspect
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from sknorm import RowLayerNorm, RowRMSNorm, RowSoftmax, checkpoint
from sknorm.__main__ import main
from sknorm.checkpoint import from_torch, list_norms, load_norm, load_norms, to_torch

from .checkpoints import model_directory, state_of
from .exact import layer_normed, rms_normed, sample_errors
from .test_documentation import section
from .wording import assert_says

FUNCTIONS = [from_torch, list_norms, load_norm, load_norms, to_torch]
LLAMA = ["model.layers.0.input_layernorm", "model.layers.1.input_layernorm", "model.norm"]
STATE = state_of(*LLAMA)
BERT = state_of("embeddings.LayerNorm", "encoder.layer.0.output.LayerNorm", bias=True)
X = np.random.default_rng(0).normal(size=(20, 4)).astype(np.float32)

KINDS = {
    "layernorm": (layer_normed, 0),
    "layernorm+1": (layer_normed, 1),
    "rmsnorm": (rms_normed, 0),
    "rmsnorm+1": (rms_normed, 1),
}


@pytest.fixture
def llama(tmp_path):
    pytest.importorskip("safetensors")
    return model_directory(tmp_path, STATE, model_type="llama", rms_norm_eps=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_loaded_norm_computes_what_its_kind_says(kind):
    expected, offset = KINDS[kind]
    norm = load_norm(STATE, "model.norm", kind=kind, eps=1e-3)
    gamma = (np.float32(offset) + STATE["model.norm.weight"]).astype(np.float32)
    np.testing.assert_array_equal(norm.gamma, gamma)
    assert norm.gamma.dtype == np.float32
    assert isinstance(norm, RowLayerNorm if kind.startswith("layer") else RowRMSNorm)
    assert sample_errors(norm.transform(X), expected(X, eps=1e-3, gamma=gamma)).max() <= 2


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_1_is_added_after_widening(dtype):
    """In half precision 1 + 2**-12 would be 1."""
    state = {"norm.weight": np.array([2.0**-12, 2.0**-30], dtype)}
    gamma = load_norm(state, "norm", kind="rmsnorm+1", eps=0).gamma
    wide = np.float64 if dtype is np.float64 else np.float32
    assert gamma.dtype == wide
    np.testing.assert_array_equal(gamma, [1 + 2.0**-12, wide(1) + wide(dtype(2.0**-30))])


def test_a_layer_is_loaded_with_what_its_config_says(llama):
    norm = load_norm(llama, "model.norm")
    assert isinstance(norm, RowRMSNorm)
    assert norm.eps == 1e-5
    np.testing.assert_array_equal(norm.gamma, STATE["model.norm.weight"])


def test_what_is_passed_goes_before_what_is_known(llama):
    norm = load_norm(llama, "model.norm", kind="layernorm", eps=0.5)
    assert isinstance(norm, RowLayerNorm)
    assert norm.eps == 0.5
    np.testing.assert_array_equal(load_norm(llama, "model.norm", kind="rmsnorm+1").gamma, 1 + norm.gamma)


def test_a_glob_loads_every_layer_that_has_it(llama):
    norms = load_norms(llama, "model.layers.*.input_layernorm")
    assert list(norms) == LLAMA[:2]
    assert list(load_norms(llama)) == LLAMA
    np.testing.assert_array_equal(norms[LLAMA[1]].gamma, STATE[f"{LLAMA[1]}.weight"])
    assert [layer.name for layer in list_norms(llama, "*.norm")] == ["model.norm"]
    assert load_norm(llama, "*.norm").get_params().keys() == RowRMSNorm().get_params().keys()


def test_a_name_with_the_signs_of_a_glob_is_a_name():
    state = {"a[0].norm.weight": X[0], "a0.norm.weight": X[1]}
    np.testing.assert_array_equal(load_norm(state, "a[0].norm", kind="rmsnorm", eps=0).gamma, X[0])


def test_a_layer_that_nothing_names_a_norm_is_loaded_for_who_knows():
    state = {"head.affine.weight": X[0]}
    assert list_norms(state) == []
    np.testing.assert_array_equal(load_norm(state, "head.affine", kind="rmsnorm", eps=0).gamma, X[0])
    with pytest.raises(KeyError):
        load_norm(state, "head.affine", eps=0)


@pytest.mark.parametrize("name", ["head.affine", "head.*"])
def test_load_norms_finds_what_load_norm_does(name):
    state = {"head.affine.weight": X[0], "tail.norm.weight": X[1]}
    one, several = load_norm(state, name, kind="rmsnorm", eps=0), load_norms(state, name, kind="rmsnorm", eps=0)
    assert list(several) == ["head.affine"]
    np.testing.assert_array_equal(several["head.affine"].gamma, one.gamma)
    assert list(load_norms(state, kind="rmsnorm", eps=0)) == ["tail.norm"]


def test_a_state_dict_of_one_layer_has_no_name():
    norm = load_norm({"weight": X[0], "bias": X[1]}, "", eps=0)
    np.testing.assert_array_equal([norm.gamma, norm.beta], X[:2])


ERRORS = [
    ("model.norm", {}, ValueError, "evidence of the kind of 'model.norm'", "no bias", "Pass kind='layernorm'"),
    ("model.norm", {"kind": "rmsnorm"}, ValueError, "evidence of the eps of 'model.norm'", "nothing", "Pass eps="),
    ("model.norm", {"kind": "unknown"}, ValueError, "None or kind='layernorm'", "'unknown'", "Pass one of these"),
    ("model.norm", {"kind": "rmsnorm", "eps": -1}, ValueError, "eps to be a finite number", "-1", "leave it out"),
    ("model.nrom", {}, KeyError, "'model.norm'", "'model.nrom'", "See list_norms"),
    ("model.layers.*", {"kind": "rmsnorm", "eps": 0}, ValueError, "one layer by", "layers.1", "load_norms"),
]


@pytest.mark.parametrize("name, options, kind, expected, got, remedy", ERRORS)
def test_an_error_says_what_is_missing_and_what_to_pass(name, options, kind, expected, got, remedy):
    with pytest.raises(kind, match="Expected") as error:
        load_norm(STATE, name, **options)
    assert_says(error.value.args[0], expected, got, remedy)


def test_an_rms_norm_with_a_bias_is_refused():
    with pytest.raises(ValueError, match="Expected") as error:
        load_norm(BERT, "embeddings.LayerNorm", kind="rmsnorm", eps=0)
    assert_says(error.value, "without bias in 'embeddings.LayerNorm'", "a bias", "Pass kind='layernorm'")


def test_all_layers_are_loaded_or_none():
    with pytest.raises(ValueError, match="evidence of the kind"):
        load_norms({**STATE, **BERT}, eps=1e-12)
    with pytest.raises(ValueError, match="evidence of the eps"):
        load_norms(BERT)
    assert len(load_norms(BERT, eps=1e-12)) == 2


def test_a_loaded_norm_is_a_step_of_a_pipeline(llama):
    norm = load_norm(llama, "model.norm")
    model = make_pipeline(clone(norm), LogisticRegression()).fit(X, X[:, 0] > 0)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(model[0].gamma, norm.gamma)
    with pytest.raises(ValueError, match="gamma to be 3 finite numbers"):
        norm.transform(X[:, :3])


# The table


def test_the_table_prints_each_layer_on_a_line_and_each_evidence_once(llama):
    lines = str(list_norms(llama)).splitlines()
    assert lines[0].split() == ["name", "kind", "features", "dtype", "eps", "parameters", "note"]
    assert [line.split() for line in lines[1:4]] == [
        [name, "rmsnorm", "4", "float32", "1e-05", "weight", "[1]"] for name in LLAMA
    ]
    assert lines[4:] == ["", "[1] kind: config.json: model_type 'llama', rmsnorm. eps: config.json: rms_norm_eps."]
    assert repr(list_norms(llama)) == str(list_norms(llama))


def test_the_table_is_a_list_and_makes_a_frame():
    layers = list_norms(BERT)
    assert len(layers) == 2
    assert layers[0].name == "embeddings.LayerNorm"
    frame = pd.DataFrame(layers)
    assert list(frame.columns) == list(layers[0]._fields)
    assert frame["kind"].tolist() == ["layernorm"] * 2


def test_no_layers_print_as_that():
    assert str(list_norms({})) == "no layer norm or RMS norm"


@pytest.mark.parametrize("name", ["\x1b[2J.norm", "a\nb.norm", "\u202e.norm"])
def test_a_name_cannot_act_on_the_terminal_that_shows_it(name):
    shown = str(list_norms({f"{name}.weight": X[0]}))
    assert repr(name) in shown
    assert all(character.isprintable() or character == "\n" for character in shown)
    assert "a\nb" not in shown
    with pytest.raises(KeyError) as error:
        load_norm({f"{name}.weight": X[0]}, "other")
    assert error.value.args[0].isprintable()


# The command line


def test_the_command_line_prints_the_table(llama):
    command = [sys.executable, "-W", "error", "-m", "sknorm", "norms", str(llama)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"{list_norms(llama)}\n"


def test_the_command_line_takes_a_glob(llama, capsys):
    assert main(["norms", str(llama), "*.norm"]) == 0
    assert capsys.readouterr().out == f"{list_norms(llama, '*.norm')}\n"


@pytest.mark.parametrize("arguments, said", [(["nothing/here"], "nothing at"), (["."], "none in")])
def test_the_command_line_says_in_one_line_what_is_wrong(tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    assert main(["norms", *arguments]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert err.startswith("python -m sknorm: Expected ")
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize("arguments", [[], ["norms"], ["mean", "."]])
def test_the_command_line_shows_its_use(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "usage: python -m sknorm" in capsys.readouterr().err


# The module


def test_its_public_names_are_the_five_functions():
    assert checkpoint.__all__ == sorted(function.__name__ for function in FUNCTIONS)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_parameter_is_documented_in_the_order_of_the_signature(function):
    assert list(section(function, "Parameters")) == list(inspect.signature(function).parameters)


def test_importing_it_and_reading_arrays_needs_no_package_on_request():
    # SciPy takes a torch of None for torch, so scikit-learn is imported first.
    code = (
        "import sknorm, sys; sys.modules.update(dict.fromkeys(['torch', 'safetensors'])); import numpy as np; "
        "from sknorm.checkpoint import load_norm; load_norm({'norm.weight': np.ones(3)}, 'norm', 'rmsnorm', 1e-6)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "norm, kind, said",
    [
        (RowSoftmax(), TypeError, "a RowLayerNorm or RowRMSNorm"),
        (RowLayerNorm(keep_stats=True, gamma=X[0]), ValueError, "keep_stats=False"),
    ],
)
def test_what_has_no_equal_in_torch_is_refused(norm, kind, said):
    with pytest.raises(kind, match="Expected") as error:
        to_torch(norm)
    assert_says(error.value, said, "", "")


def test_without_torch_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match="Expected") as error:
        to_torch(RowRMSNorm(gamma=X[0]))
    assert_says(error.value, "torch 2.6 or newer", "no such package", "pip install --upgrade torch")


def test_what_is_no_torch_module_is_refused():
    with pytest.raises(TypeError) as error:
        from_torch(RowLayerNorm())
    assert_says(error.value, "a torch.nn.LayerNorm or torch.nn.RMSNorm", "'RowLayerNorm'", "Use load_norm")
