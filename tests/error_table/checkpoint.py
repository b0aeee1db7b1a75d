"""Checkpoints: files that are not there, not whole or not safe, and layers that nothing explains."""

import json
import zipfile
from unittest.mock import patch

import numpy as np

from sknorm import _tensor_sources
from sknorm.checkpoint import list_norms, load_norm, load_norms

from ..checkpoints import encoded, safetensors_bytes, state_of, write_config, write_safetensors
from .row import Path, Row, made_directory, made_pipe, without, written

STATE = state_of("norm", width=2)
BOTH = state_of("a.norm", "b.norm", width=2, bias=True)
GOOD = safetensors_bytes(*encoded({"norm.weight": ("F32", (2,), bytes(8))}))


def stored(state):
    return write_safetensors(Path("model.safetensors"), state)


def index(document):
    text = document if isinstance(document, str) else json.dumps(document)
    return written("model.safetensors.index.json", text)


def two_files():
    written("a.safetensors", GOOD), written("b.safetensors", GOOD)
    return "."


def with_shard(*names):
    stored(STATE)
    return index({"weight_map": dict.fromkeys(names, "model.safetensors")})


def arrays(*, claimed):
    with zipfile.ZipFile("state.npz", "w") as archive, archive.open("norm.weight.npy", "w") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": claimed})
        file.write(bytes(8))
    return "state.npz"


def objects():
    np.savez("state.npz", **{"norm.weight": np.array([None, 1.0])})
    return "state.npz"


def damaged_between():
    """The names are read, and then the file changes."""
    np.savez("state.npz", **STATE)
    path = Path("state.npz")
    layers = _tensor_sources.tensors_of_path(path)
    path.write_bytes(b"")
    return layers["norm.weight"].stored()


def directory(**config):
    stored(STATE)
    write_config(Path(), **config)
    return "."


def with_large_config():
    with patch.object(_tensor_sources, "_LARGEST_JSON", 1):
        return list_norms(directory(model_type="own"))


ROWS = [
    # the source
    Row(
        lambda: list_norms(3),
        TypeError,
        "Expected a checkpoint, got 'int'. Pass the path of a .safetensors, .safetensors.index.json, .bin, .pt, "
        ".pth, .ckpt or .npz file, or a model directory, a dict of arrays or tensors, or a torch module.",
    ),
    Row(
        lambda: list_norms("absent.safetensors"),
        FileNotFoundError,
        "Expected a file or directory, got nothing at 'absent.safetensors'. Pass the path of a .safetensors, "
        ".safetensors.index.json, .bin, .pt, .pth, .ckpt or .npz file, or a model directory.",
    ),
    Row(
        lambda: list_norms("."),
        ValueError,
        "Expected one file of weights in the directory, got none in '.'. Pass the path of the file to read.",
    ),
    Row(
        lambda: list_norms(two_files()),
        ValueError,
        "Expected one file of weights in the directory, got 'a.safetensors', 'b.safetensors' in '.'. Pass the path "
        "of the file to read.",
    ),
    Row(
        lambda: list_norms(made_pipe("model.safetensors")),
        ValueError,
        "Expected a regular file, got 'model.safetensors'. Devices, pipes and directories hold no tensors: correct "
        "the path.",
    ),
    Row(
        lambda: list_norms(written("model.txt", "")),
        ValueError,
        "Expected a .safetensors, .safetensors.index.json, .bin, .pt, .pth, .ckpt or .npz file, or a model "
        "directory, got 'model.txt'. Rename it by its format, or convert it.",
    ),
    Row(
        lambda: without("safetensors", lambda: list_norms(written("model.safetensors", GOOD))),
        ImportError,
        'Expected safetensors to be installed, got no such package. Run pip install "sknorm[checkpoint]".',
    ),
    # files that are not whole
    Row(
        lambda: list_norms(written("model.safetensors", GOOD[:-1])),
        ValueError,
        "Expected safetensors in 'model.safetensors', got SafetensorError: <...>. The file is damaged or of "
        "another format: get it again, or convert it.",
    ),
    Row(
        lambda: list_norms(written("model.safetensors", b"")),
        ValueError,
        "Expected safetensors in 'model.safetensors', got SafetensorError: <...>. The file is damaged or of "
        "another format: get it again, or convert it.",
    ),
    Row(
        lambda: list_norms(written("state.npz", "no archive")),
        ValueError,
        "Expected arrays in 'state.npz', got BadZipFile: File is not a zip file. The file is damaged or of another "
        "format: get it again, or convert it.",
    ),
    Row(
        lambda: list_norms(arrays(claimed=(3,))),
        ValueError,
        "Expected arrays in 'state.npz', got ValueError: 'norm.weight.npy' does not hold an array of shape (3,). "
        "The file is damaged or of another format: get it again, or convert it.",
    ),
    Row(
        lambda: load_norm(objects(), "norm", kind="rmsnorm", eps=0),
        ValueError,
        "Expected float16, bfloat16, float32 or float64 in 'norm.weight', got object. Convert or dequantize it first.",
    ),
    Row(
        lambda: damaged_between(),
        ValueError,
        "Expected arrays in 'state.npz', got BadZipFile: File is not a zip file. The file is damaged or of another "
        "format: get it again, or convert it.",
    ),
    # a sharded model
    Row(
        lambda: list_norms(index("{")),
        ValueError,
        "Expected JSON in 'model.safetensors.index.json', got JSONDecodeError: Expecting property name enclosed in "
        "double quotes: line 1 column 2 (char 1). The file is damaged or of another format: get it again, or "
        "convert it.",
    ),
    Row(
        lambda: list_norms(index('{"weight_map": {}, "weight_map": {}}')),
        ValueError,
        "Expected JSON in 'model.safetensors.index.json', got ValueError: a key that stands twice. The file is "
        "damaged or of another format: get it again, or convert it.",
    ),
    Row(
        lambda: list_norms(index([])),
        ValueError,
        "Expected an object in 'model.safetensors.index.json', got []. Correct the file, or get it again.",
    ),
    Row(
        lambda: list_norms(index({"weight_map": 3})),
        ValueError,
        "Expected weight_map, an object of tensor and file names, in 'model.safetensors.index.json', got 3. "
        "Correct the file, or get it again.",
    ),
    Row(
        lambda: list_norms(index({"weight_map": {"norm.weight": "../model.safetensors"}})),
        ValueError,
        "Expected plain file names in 'model.safetensors.index.json', got '../model.safetensors'. An index may "
        "name .safetensors and .bin files in its own directory only.",
    ),
    Row(
        lambda: list_norms(index({"weight_map": {"norm.weight": "model-1.safetensors"}})),
        ValueError,
        "Expected the file 'model-1.safetensors' that 'model.safetensors.index.json' names, got no such file. The "
        "file is missing: get it again, into the directory of the index.",
    ),
    Row(
        lambda: list_norms(with_shard("norm.weight", "norm.bias")),
        ValueError,
        "Expected 'model.safetensors' to hold what 'model.safetensors.index.json' says, got no 'norm.bias' in it. "
        "Get the files again: they do not belong together.",
    ),
    Row(
        lambda: list_norms(index({"weight_map": {"norm.weight": made_directory("a.bin")}})),
        ValueError,
        "Expected a regular file, got 'a.bin'. Devices, pipes and directories hold no tensors: correct the path.",
    ),
    Row(
        lambda: with_large_config(),
        ValueError,
        "Expected JSON in 'config.json', got ValueError: more than 1 bytes. The file is damaged or of another "
        "format: get it again, or convert it.",
    ),
    # the layer
    Row(
        lambda: load_norm(STATE, "nrom"),
        KeyError,
        "Expected the name or glob of a layer (there are 'norm'), got 'nrom'. See list_norms(source).",
    ),
    Row(
        lambda: load_norm(BOTH, "a.norm.weight"),
        KeyError,
        "Expected the name or glob of a layer (there are 'a.norm', 'b.norm'), got the tensor 'a.norm.weight'. Leave "
        "its ending off: 'a.norm'.",
    ),
    Row(
        lambda: load_norm({}, "norm"),
        KeyError,
        "Expected the name or glob of a layer (there are none), got 'norm'. See list_norms(source).",
    ),
    Row(
        lambda: load_norm(BOTH, "*.norm", eps=0),
        ValueError,
        "Expected one layer by '*.norm', got 'a.norm', 'b.norm'. Narrow the glob, or use load_norms.",
    ),
    Row(
        lambda: load_norm(STATE, "norm", kind="batchnorm"),
        ValueError,
        "Expected None or kind='layernorm', 'rmsnorm', 'layernorm+1' or 'rmsnorm+1' (+1: the model multiplies by 1 "
        "+ weight), got 'batchnorm'. Pass one of these.",
    ),
    Row(
        lambda: load_norm(STATE, "norm"),
        ValueError,
        "Expected evidence of the kind of 'norm', got no config.json, no bias: RMS norm, RMS norm by 1 + weight "
        "and layer norm without bias are all stored so. Pass kind='layernorm', 'rmsnorm', 'layernorm+1' or "
        "'rmsnorm+1' (+1: the model multiplies by 1 + weight), as the code of the model says.",
    ),
    Row(
        lambda: load_norm(STATE, "norm", kind="rmsnorm"),
        ValueError,
        "Expected evidence of the eps of 'norm', got nothing that says it. Pass eps=, as the code of the model says.",
    ),
    Row(
        lambda: load_norm(directory(model_type="llama", rms_norm_eps="small"), "norm"),
        ValueError,
        "Expected evidence of the eps of 'norm', got config.json: rms_norm_eps is 'small', which is no eps. Pass "
        "eps=, as the code of the model says.",
    ),
    Row(
        lambda: load_norms(BOTH, kind="rmsnorm", eps=0),
        ValueError,
        "Expected an RMS norm without bias in 'a.norm', got a bias. Pass kind='layernorm', or leave the bias out "
        "of the checkpoint.",
    ),
    Row(
        lambda: load_norm({**STATE, "norm.scale": np.ones(2)}, "norm", eps=0),
        ValueError,
        "Expected one weight and one bias in 'norm', got 'norm.weight', 'norm.scale'. The rest may be part of the "
        "layer: leave it out of the checkpoint, or rename it if it is the weight or bias.",
    ),
    Row(
        lambda: load_norm({"norm.weight": np.ones((2, 2))}, "norm", kind="rmsnorm", eps=0),
        ValueError,
        "Expected one vector, for one axis, in 'norm.weight', got shape (2, 2). Pass each vector as gamma of a "
        "norm of its own, or use a norm without gamma and multiply afterwards.",
    ),
    Row(
        lambda: load_norm(stored({"norm.weight": np.ones(2, np.int8)}), "norm", kind="rmsnorm", eps=0),
        ValueError,
        "Expected float16, bfloat16, float32 or float64 in 'norm.weight', got I8. Convert or dequantize it first.",
    ),
    Row(
        lambda: load_norm({"norm.weight": np.array([1.0, np.nan])}, "norm", kind="rmsnorm", eps=0),
        ValueError,
        "Expected finite numbers in 'norm.weight', got nan. The file is damaged, or the training diverged: get "
        "another checkpoint.",
    ),
]
