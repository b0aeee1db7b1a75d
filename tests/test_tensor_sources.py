"""Every format gives the same layers, exactly, and reads no more than it is asked for."""

import json
import os
import sys
import zipfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from sknorm import RowLayerNorm
from sknorm.checkpoint import list_norms, load_norm

from .checkpoints import entry, model_directory, safetensors_bytes, state_of, write_config, write_safetensors

pytest.importorskip("safetensors")

STATE = state_of("a.norm", "b.norm", bias=True)


def sharded(folder, state, ending="safetensors"):
    """One file per tensor, and their index."""
    weight_map = {}
    for i, (name, array) in enumerate(state.items()):
        weight_map[name] = f"model-{i}.{ending}"
        write_safetensors(folder / weight_map[name], {name: array})
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {}, "weight_map": weight_map}))
    return index


def npz(folder, state):
    np.savez(folder / "state.npz", **state)
    return folder / "state.npz"


def directory(folder, state):
    sharded(folder, state)
    return write_config(folder, model_type="own")


def nested(folder, state):
    inner = {name.removeprefix("a."): array for name, array in state.items() if name.startswith("a.")}
    return {"a": inner, "step": 3, **{name: array for name, array in state.items() if name.startswith("b.")}}


def torch_file(folder, state):
    torch = pytest.importorskip("torch")
    torch.save({"a": {}, **{name: torch.from_numpy(array) for name, array in state.items()}}, folder / "state.pt")
    return folder / "state.pt"


def old_torch_file(folder, state):
    torch = pytest.importorskip("torch")
    state = {name: torch.from_numpy(array) for name, array in state.items()}
    torch.save(state, folder / "state.bin", _use_new_zipfile_serialization=False)
    return folder / "state.bin"


SOURCES = {
    "safetensors": lambda folder, state: write_safetensors(folder / "model.safetensors", state),
    "text path": lambda folder, state: str(write_safetensors(folder / "model.safetensors", state)),
    "index": sharded,
    "directory": directory,
    "npz": npz,
    "compressed npz": lambda folder, state: np.savez_compressed(folder / "state.npz", **state) or folder / "state.npz",
    "dict": lambda _, state: dict(state),
    "nested dict": nested,
    "torch": torch_file,
    "old torch": old_torch_file,
}


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_every_source_gives_the_same_layer(tmp_path, kind, dtype):
    state = state_of("a.norm", "b.norm", bias=True, dtype=dtype)
    source = SOURCES[kind](tmp_path, state)
    assert [layer.name for layer in list_norms(source)] == ["a.norm", "b.norm"]
    assert {layer.dtype for layer in list_norms(source)} == {np.dtype(dtype).name}
    norm = load_norm(source, "b.norm", eps=1e-5)
    assert isinstance(norm, RowLayerNorm)
    wide = np.float64 if dtype is np.float64 else np.float32
    for vector, name in [(norm.gamma, "b.norm.weight"), (norm.beta, "b.norm.bias")]:
        assert vector.dtype == wide
        np.testing.assert_array_equal(vector, state[name])


def bfloat16(bits):
    """The value of 16 bits: a sign, 8 bits of exponent, 7 of fraction."""
    sign, exponent, fraction = bits >> 15, bits >> 7 & 0xFF, bits & 0x7F
    mantissa = fraction + (128 if exponent else 0)
    return (-1) ** sign * Fraction(mantissa) * Fraction(2) ** (max(exponent, 1) - 134)


def test_every_finite_bfloat16_is_exact(tmp_path):
    bits = np.array([b for b in range(2**16) if b >> 7 & 0xFF != 0xFF], np.uint16)
    path = write_safetensors(tmp_path / "model.safetensors", {"norm.weight": bits})
    (layer,) = list_norms(path)
    assert layer.dtype == "bfloat16"
    gamma = load_norm(path, "norm", kind="rmsnorm", eps=0).gamma
    assert gamma.dtype == np.float32
    assert [Fraction(value) for value in gamma.tolist()] == [bfloat16(b) for b in bits.tolist()]


@pytest.mark.parametrize("dtype", [">f4", ">f8"])
def test_arrays_of_the_other_byte_order_are_read(tmp_path, dtype):
    state = {"norm.weight": np.array([1.5, 2.5], dtype)}
    np.savez(tmp_path / "state.npz", **state)
    for source in (state, tmp_path / "state.npz"):
        gamma = load_norm(source, "norm", kind="rmsnorm", eps=0).gamma
        np.testing.assert_array_equal(gamma, [1.5, 2.5])


reads_the_high_water_mark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/status")


def loaded_with_little_memory(path):
    """The layer called norm, listed and loaded with less than 8 MB of resident memory."""

    def high_water_mark():
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        return int(status["VmHWM"].split()[0]) * 1024

    Path("/proc/self/clear_refs").write_text("5")  # resets the mark to the present size
    before = high_water_mark()
    list_norms(path)
    norm = load_norm(path, "norm", eps=1e-5)
    assert high_water_mark() - before < 8_000_000
    return norm


@reads_the_high_water_mark
def test_of_a_file_of_20_gigabytes_only_the_header_and_the_named_tensors_are_read(tmp_path):
    path, count = tmp_path / "model.safetensors", 5_000_000_000
    end = 4 * count
    header = {
        "big.weight": entry(0, end, (count,)),
        "norm.weight": entry(end, end + 16, (4,)),
        "norm.bias": entry(end + 16, end + 32, (4,)),
    }
    path.write_bytes(safetensors_bytes(header))
    os.truncate(path, path.stat().st_size + end)  # a hole, which takes no room
    with path.open("ab") as file:
        file.write(np.arange(8, dtype=np.float32).tobytes())
    load_norm(STATE, "a.norm", eps=0)  # what is imported on first use does not count
    norm = loaded_with_little_memory(path)
    np.testing.assert_array_equal([*norm.gamma, *norm.beta], np.arange(8))


@reads_the_high_water_mark
def test_of_a_torch_file_the_named_tensors_are_read(tmp_path):
    torch = pytest.importorskip("torch")
    path = torch_file(tmp_path, state_of("norm", bias=True))
    list_norms(path)
    torch.save({"big.weight": torch.ones(20_000_000), **torch.load(path)}, path)
    assert loaded_with_little_memory(path).eps == 1e-5


@pytest.mark.parametrize(
    "names, chosen",
    [
        (["model.safetensors", "adapter.safetensors", "model.int8.safetensors"], "model.safetensors"),
        (["weights.safetensors"], "weights.safetensors"),
        (["weights.safetensors", "training_args.bin"], "weights.safetensors"),
    ],
)
def test_the_weights_of_a_directory_are_found(tmp_path, names, chosen):
    for name in names:
        write_safetensors(tmp_path / name, state_of(name.partition(".")[0] + ".norm", bias=True))
    assert [layer.name for layer in list_norms(tmp_path)] == [chosen.partition(".")[0] + ".norm"]


def test_the_config_beside_a_file_is_evidence_too(tmp_path):
    folder = model_directory(tmp_path, state_of("bert.embeddings.LayerNorm", bias=True), model_type="bert")
    assert list_norms(folder) == list_norms(folder / "model.safetensors")
    assert list_norms(folder)[0].eps == 1e-12


def test_links_to_files_are_followed_as_the_cache_of_a_model_hub_needs(tmp_path):
    blobs, snapshot = tmp_path / "blobs", tmp_path / "snapshots" / "main"
    blobs.mkdir()
    snapshot.mkdir(parents=True)
    sharded(blobs, STATE)
    for i, path in enumerate(sorted(blobs.iterdir())):
        path.rename(blobs / f"{i:040x}")
        (snapshot / path.name).symlink_to(Path("..", "..", "blobs", f"{i:040x}"))
    assert [layer.name for layer in list_norms(snapshot)] == ["a.norm", "b.norm"]
    np.testing.assert_array_equal(load_norm(snapshot, "a.norm", eps=0).beta, STATE["a.norm.bias"])


def test_an_array_of_another_type_is_no_tensor(tmp_path):
    np.savez(tmp_path / "state.npz", names=np.array(["a"]), empty=np.zeros(0), **STATE)
    assert len(list_norms(tmp_path / "state.npz")) == 2
    assert zipfile.is_zipfile(tmp_path / "state.npz")
