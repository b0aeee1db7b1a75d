"""Checkpoints for the tests, good and bad: the safetensors format by hand, and state dicts of one family."""

import json
import os
import struct

import numpy as np


class MakesDirectory:
    """An object that makes a directory when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def entry(start, stop, shape, dtype="F32"):
    """One tensor in the header of a safetensors file."""
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [start, stop]}


def safetensors_bytes(header, data=b"", *, size=None):
    """A safetensors file; ``header`` may be bytes, and ``size`` a lie about its length."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if size is None else size) + text + data


def encoded(tensors):
    """Header and data of {name: (dtype, shape, bytes)}."""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (dtype, shape, content) in tensors.items():
        header[name] = entry(len(data), len(data) + len(content), shape, dtype)
        data += content
    return header, data


def write_safetensors(path, state):
    """Arrays of float16, float32 and float64, and of uint16 for the bits of bfloat16."""
    names = {"float16": "F16", "uint16": "BF16", "float32": "F32", "float64": "F64", "int8": "I8"}
    tensors = {name: (names[array.dtype.name], array.shape, array.tobytes()) for name, array in state.items()}
    path.write_bytes(safetensors_bytes(*encoded(tensors)))
    return path


def write_config(folder, **config):
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def state_of(*layers, width=4, bias=False, dtype=np.float32):
    """The state dict of layers, with different values in each."""
    state = {}
    for i, layer in enumerate(layers):
        state[f"{layer}.weight"] = np.linspace(0.5, 1.5 + i, width).astype(dtype)
        if bias:
            state[f"{layer}.bias"] = np.linspace(-1.0, 1.0 + i, width).astype(dtype)
    return state


def model_directory(folder, state, **config):
    """A directory as model hubs have it."""
    write_safetensors(folder / "model.safetensors", state)
    return write_config(folder, **config)
