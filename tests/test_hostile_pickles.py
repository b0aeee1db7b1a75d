"""Torch files, which are pickles: those that hold more than tensors are refused, and nothing in them runs."""

import pickle

import pytest

from sknorm.checkpoint import list_norms

from .checkpoints import MakesDirectory, entry, safetensors_bytes
from .wording import assert_says

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("name", ["state.pt", "pytorch_model.bin", "state.ckpt"])
@pytest.mark.parametrize("way", ["new", "old", "bare"])
def test_a_pickle_that_would_run_code_is_not_unpickled(tmp_path, name, way):
    harm, path = tmp_path / "harm", tmp_path / name
    state = {"norm.weight": torch.ones(4), "extra": MakesDirectory(harm)}
    if way == "bare":
        path.write_bytes(pickle.dumps(state["extra"]))
    else:
        torch.save(state, path, _use_new_zipfile_serialization=way == "new")
    with pytest.raises(ValueError, match="Expected") as error:
        list_norms(path)
    assert not harm.exists()
    assert_says(error.value, "tensors and nothing else", "objects of other types", "Loading them may run code")
    pickle.loads(pickle.dumps(state["extra"]))
    assert harm.exists()  # so it would have


def test_a_pickled_module_is_refused(tmp_path):
    torch.save(torch.nn.LayerNorm(4), tmp_path / "model.pt")
    with pytest.raises(ValueError, match=r"save the model's state_dict\(\)"):
        list_norms(tmp_path / "model.pt")


def test_a_tensor_without_a_name_is_refused(tmp_path):
    torch.save(torch.ones(4), tmp_path / "weight.pt")
    with pytest.raises(ValueError, match=r"tensors by name .* got a Tensor"):
        list_norms(tmp_path / "weight.pt")


@pytest.mark.parametrize(
    "content",
    [b"", b"hello world", b"PK\3\4" + bytes(16), safetensors_bytes({"norm.weight": entry(0, 16, (4,))}, bytes(16))],
)
def test_a_file_that_torch_cannot_read_is_refused(tmp_path, content):
    (tmp_path / "model.pt").write_bytes(content)
    with pytest.raises(ValueError, match=r"model\.pt"):
        list_norms(tmp_path / "model.pt")


@pytest.mark.parametrize("version, accepted", [("2.5.1+cpu", False), ("2.6.0", True), ("3.0.0.dev1", True)])
def test_a_torch_whose_weights_only_can_be_made_to_run_code_is_not_used(tmp_path, monkeypatch, version, accepted):
    torch.save({"norm.weight": torch.ones(4)}, tmp_path / "model.pt")
    monkeypatch.setattr(torch, "__version__", version)
    if accepted:
        assert len(list_norms(tmp_path / "model.pt")) == 1
    else:
        with pytest.raises(ImportError, match="Expected") as error:
            list_norms(tmp_path / "model.pt")
        assert_says(error.value, "torch 2.6 or newer", f"torch {version}", "pip install --upgrade torch")
