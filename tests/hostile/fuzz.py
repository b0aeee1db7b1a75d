"""Coverage-guided fuzzing of what reads files; needs `pip install atheris`, and runs until it finds something.

`python fuzz.py saved FOLDER -max_total_time=600` feeds `sknorm.load`, `python fuzz.py checkpoint FOLDER ...` a model
directory to `sknorm.checkpoint`; FOLDER keeps the inputs that reached something new. What is found belongs into
test_damaged_files.py and test_hostile_checkpoints.py. An input of the second kind is a byte that chooses the files, two
bytes with the length of the first file, and both files.
"""

import copy
import json
import random
import re
import struct
import sys
import tempfile
import warnings
from pathlib import Path

import atheris
import numpy as np

with atheris.instrument_imports(include=["sknorm", "safetensors", "zipfile"]):
    import sknorm
    from sknorm.checkpoint import list_norms, load_norm

TESTS = Path(__file__).parent.parent
FOLDER = Path(tempfile.mkdtemp())
SAID = re.compile(r"Expected .+, got .+\. .+\.|X has \d+ features, but", re.DOTALL)
LAYOUTS = [
    ("config.json", "model.safetensors"),
    ("model.safetensors.index.json", "m-1.safetensors"),
    ("config.json", "model.npz"),
]
VALUES = [None, True, -1, 2**63, 10**400, -1e-320, 1e308, float("nan"), "", "nan", "<f4", "(1,f4", "\ud800", "\x1b[2J"]
VALUES += [[], [[]], [-4], [2**62, 16], {}, {"tuple": [1, 0]}, {"float": "inf"}, {"dtype": "int8"}, "BF16", "F8_E4M3"]


def meant(error):
    assert SAID.search(str(error)), error
    assert all(c.isprintable() or c == "\n" for c in str(error)), repr(error)


def saved(content):
    """A file is refused in our words, or read in full, and what was read works."""
    path, again = FOLDER / "a.json", FOLDER / "b.json"
    path.write_bytes(content)
    try:
        norm = sknorm.load(path)
    except ValueError as error:
        meant(error)
        return
    sknorm.save(norm, again)
    assert json.loads(again.read_bytes()) == json.loads(content)
    width = getattr(norm, "n_features_in_", 1000)
    for method in ("transform", "inverse_transform", "partial_fit") if width < 1000 else ():
        try:
            getattr(norm, method, lambda X: None)(np.arange(2.0 * width).reshape(2, width))
        except UnicodeEncodeError:
            pass  # pandas cannot take any name for a column
        except ValueError as error:
            meant(error)


def checkpoint(content):
    """A directory is refused in our words, or its layers are listed, and each is loaded or refused."""
    layout, size = content[:1], int.from_bytes(content[1:3], "little")
    if len(content) < 4:
        return
    for name in {name for names in LAYOUTS for name in names}:
        (FOLDER / name).unlink(missing_ok=True)
    for name, part in zip(LAYOUTS[layout[0] % len(LAYOUTS)], (content[3 : 3 + size], content[3 + size :]), strict=True):
        (FOLDER / name).write_bytes(part)
    try:
        layers = list_norms(FOLDER)
    except ValueError as error:
        meant(error)
        return
    assert all(c.isprintable() or c == "\n" for c in repr(layers))
    for layer in layers[:3]:
        for more in ({}, {"eps": 1e-5}, {"kind": "layernorm", "eps": 0}, {"kind": "rmsnorm+1", "eps": 1}):
            try:
                load_norm(FOLDER, layer.name, **more).transform(np.ones((1, layer.n_features)))
            except ValueError as error:
                meant(error)


def places(document, where=()):
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in items:
        yield (*where, key)
        yield from places(value, (*where, key))


def changed(text, rng):
    """JSON with something in it replaced, moved, removed or doubled."""
    document = json.loads(text)
    known = list(places(document))
    for where in rng.sample(known, min(len(known), rng.randint(1, 2))):
        try:
            *outer, key = where
            inner, other = document, document
            for step in outer:
                inner = inner[step]
            for step in rng.choice(known):
                other = other[step]
            value = rng.choice([*VALUES, copy.deepcopy(other)])
            if rng.random() < 0.2:
                del inner[key]
            elif isinstance(inner, dict) and rng.random() < 0.2:
                inner["norm.bias"] = value
            else:
                inner[key] = value
        except (LookupError, TypeError):
            continue  # gone with an earlier change
    return json.dumps(document).encode()


def mutate(content, most, seed):
    """Bytes as the library changes them; more often JSON, in the place where it stands, that is JSON again."""
    rng = random.Random(seed)
    try:
        if rng.random() < 0.3:
            raise ValueError
        if target is saved:
            return changed(content, rng)
        size = int.from_bytes(content[1:3], "little")
        first, second = content[3 : 3 + size], content[3 + size :]
        if rng.random() < 0.5:
            first = changed(first, rng)
        else:
            end = 8 + int.from_bytes(second[:8], "little")
            header = changed(second[8:end], rng)
            second = struct.pack("<Q", len(header)) + header + second[end:]
        return bytes([rng.randrange(3)]) + len(first).to_bytes(2, "little") + first + second
    except Exception:  # what is no JSON
        return atheris.Mutate(content, most)


def seed(folder):
    folder.mkdir(exist_ok=True)
    for path in (TESTS / "saved" / "version_1").iterdir() if target is saved else ():
        (folder / path.name).write_bytes(path.read_bytes())
    sys.path.append(str(TESTS))
    from checkpoints import encoded, safetensors_bytes

    weights = [("F32", "<f4"), ("BF16", "<u2"), ("F64", "<f8")]
    for i, (dtype, kind) in enumerate(weights if target is checkpoint else ()):
        tensors = {name: (dtype, (4,), np.ones(4, kind).tobytes()) for name in ("a.norm.weight", "a.norm.bias")}
        config = b'{"model_type": "llama", "rms_norm_eps": 1e-6}'
        content = bytes([0]) + len(config).to_bytes(2, "little") + config + safetensors_bytes(*encoded(tensors))
        (folder / f"seed{i}").write_bytes(content)


if __name__ == "__main__":
    target = {"saved": saved, "checkpoint": checkpoint}[sys.argv.pop(1)]
    warnings.simplefilter("error")
    warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
    seed(Path(sys.argv[1]))
    atheris.Setup(sys.argv, target, custom_mutator=mutate)
    atheris.Fuzz()
