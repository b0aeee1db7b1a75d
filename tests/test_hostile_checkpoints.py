"""Files that are damaged, that lie, or that mean harm: a clear error, and nothing runs and nothing else is opened."""

import json
import os
import sys
import zipfile

import numpy as np
import pytest

from sknorm import _tensor_sources
from sknorm.checkpoint import list_norms, load_norm

from .checkpoints import (
    MakesDirectory,
    encoded,
    entry,
    model_directory,
    safetensors_bytes,
    state_of,
    write_config,
    write_safetensors,
)
from .wording import assert_says

pytest.importorskip("safetensors")

ZEROS = b"\0" * 64
GOOD = {"norm.weight": entry(0, 16, (4,))}


def repeated(first, second):
    """A header in which one name stands twice."""
    entries = [json.dumps(found) for found in (first, second)]
    return f'{{"norm.weight": {entries[0]}, "norm.weight": {entries[1]}}}'.encode()


BAD_SAFETENSORS = {
    "empty": b"",
    "short": b"\1\2\3",
    "no JSON": safetensors_bytes(b"hello"),
    "no object": safetensors_bytes(b"[]"),
    "nested": safetensors_bytes(b'{"a":' * 100_000),
    "no UTF-8": safetensors_bytes(b'{"\xff": 1}'),
    "huge header": safetensors_bytes(GOOD, ZEROS[:16], size=2**63),
    "header past the end": safetensors_bytes(GOOD, ZEROS[:16], size=1000),
    "truncated": safetensors_bytes(GOOD, ZEROS[:15]),
    "trailing bytes": safetensors_bytes(GOOD, ZEROS[:17]),
    "outside the file": safetensors_bytes({"norm.weight": entry(1000, 1016, (4,))}, ZEROS[:16]),
    "negative offset": safetensors_bytes({"norm.weight": entry(-16, 0, (4,))}, ZEROS[:16]),
    "offsets that run back": safetensors_bytes({"norm.weight": entry(16, 0, (4,))}, ZEROS[:16]),
    "overlap": safetensors_bytes({"a.weight": entry(0, 16, (4,)), "b.weight": entry(8, 24, (4,))}, ZEROS[:24]),
    "gap": safetensors_bytes({"a.weight": entry(0, 16, (4,)), "b.weight": entry(20, 36, (4,))}, ZEROS[:36]),
    "shape of another size": safetensors_bytes({"norm.weight": entry(0, 16, (5,))}, ZEROS[:16]),
    "shape that overflows": safetensors_bytes({"norm.weight": entry(0, 16, (2**62, 16))}, ZEROS[:16]),
    "unknown dtype": safetensors_bytes({"norm.weight": entry(0, 16, (4,), "F99")}, ZEROS[:16]),
    "name twice, the same": safetensors_bytes(repeated(GOOD["norm.weight"], GOOD["norm.weight"]), ZEROS[:16]),
    "name twice, another": safetensors_bytes(repeated(entry(0, 8, (2,)), GOOD["norm.weight"]), ZEROS[:16]),
}


@pytest.mark.parametrize("content", BAD_SAFETENSORS.values(), ids=BAD_SAFETENSORS)
def test_a_bad_safetensors_file_is_refused(tmp_path, content):
    path = tmp_path / "model.safetensors"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="Expected") as error:
        list_norms(path)
    assert_says(error.value, f"safetensors in {str(path)!r}", "", "damaged or of another format")


def test_a_name_in_an_error_cannot_act_on_the_terminal_that_shows_it(tmp_path):
    path = tmp_path / "model.safetensors"
    path.write_bytes(safetensors_bytes({"\x1b[2J": entry(8, 16, (2,))}, ZEROS[:16]))
    with pytest.raises(ValueError, match="Expected") as error:
        list_norms(path)
    assert str(error.value).isprintable()


@pytest.mark.parametrize("dtype", ["I8", "I64", "F8_E4M3", "BOOL"])
def test_a_layer_that_is_not_stored_in_floats_is_listed_but_not_loaded(tmp_path, dtype):
    path, size = tmp_path / "model.safetensors", 8 if dtype == "I64" else 1
    path.write_bytes(safetensors_bytes({"norm.weight": entry(0, 4 * size, (4,), dtype)}, ZEROS[: 4 * size]))
    assert [layer.dtype for layer in list_norms(path)] == [dtype]
    with pytest.raises(ValueError, match="Expected") as error:
        load_norm(path, "norm", kind="rmsnorm", eps=0)
    assert_says(error.value, "float16, bfloat16, float32 or float64 in 'norm.weight'", dtype, "dequantize")


@pytest.mark.parametrize(
    "dtype, bits, got",
    [("BF16", 0x7F81, "nan"), ("F16", 0x7C01, "nan"), ("F32", 0x7F800001, "nan"), ("F64", 0x7FF << 52, "inf")],
)
def test_a_weight_that_is_not_finite_is_refused(tmp_path, dtype, bits, got):
    """Signalling NaN among them, in which arithmetic warns."""
    content = bits.to_bytes({"BF16": 2, "F16": 2, "F32": 4, "F64": 8}[dtype], "little")
    path = tmp_path / "model.safetensors"
    path.write_bytes(safetensors_bytes(*encoded({"norm.weight": (dtype, (1,), content)})))
    for kind in ("rmsnorm", "layernorm+1"):
        with pytest.raises(ValueError, match="Expected") as error:
            load_norm(path, "norm", kind=kind, eps=0)
        assert_says(error.value, "finite numbers in 'norm.weight'", got, "get another checkpoint")


def index_of(folder, weight_map, **others):
    path = folder / "model.safetensors.index.json"
    path.write_text(weight_map if isinstance(weight_map, str) else json.dumps({"weight_map": weight_map, **others}))
    return path


OUTSIDE = [
    "../secret.safetensors",
    "..",
    "/etc/secret.safetensors",
    "inner/secret.safetensors",
    "link/secret.safetensors",
    "..\\secret.safetensors",
    "C:\\secret.safetensors",
    "C:secret.safetensors",
    "secret.safetensors\0",
    "model.safetensors.index.json",
    "secret.npz",
    "",
    3,
    None,
    ["secret.safetensors"],
]


@pytest.mark.parametrize("shard", OUTSIDE, ids=repr)
def test_an_index_that_names_a_file_elsewhere_is_refused_before_anything_is_opened(tmp_path, shard, monkeypatch):
    folder = tmp_path / "model"
    (folder / "inner").mkdir(parents=True)
    for secret in (tmp_path, folder / "inner"):
        write_safetensors(secret / "secret.safetensors", state_of("norm"))
    (folder / "link").symlink_to(tmp_path)
    path = index_of(folder, {"norm.weight": shard})
    monkeypatch.setattr(_tensor_sources, "_of_safetensors", None)
    with pytest.raises(ValueError, match="Expected") as error:
        list_norms(path)
    assert_says(error.value, "plain file names", repr(shard)[:20], "own directory only")


@pytest.mark.parametrize(
    "text, expected",
    [
        ("hello", "JSON in"),
        ("[" * 100_000, "JSON in"),
        ('{"weight_map": {"a": "x.safetensors", "a": "y.safetensors"}}', "JSON in"),
        ("[]", "an object in"),
        ("{}", "weight_map"),
        ('{"weight_map": []}', "weight_map"),
    ],
)
def test_an_index_that_is_none_is_refused(tmp_path, text, expected):
    with pytest.raises(ValueError, match="Expected") as error:
        list_norms(index_of(tmp_path, text))
    assert_says(error.value, expected, "", "")


def test_json_beyond_any_real_size_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(_tensor_sources, "_LARGEST_JSON", 10)
    with pytest.raises(ValueError, match="Expected") as error:
        list_norms(index_of(tmp_path, {"norm.weight": "model-1.safetensors"}))
    assert_says(error.value, "JSON in", "more than 10 bytes", "")


def test_an_index_and_shards_that_do_not_belong_together_are_refused(tmp_path):
    write_safetensors(tmp_path / "model-1.safetensors", state_of("norm"))
    with pytest.raises(ValueError, match="Expected") as error:
        list_norms(index_of(tmp_path, {"norm.weight": "model-1.safetensors", "norm.bias": "model-1.safetensors"}))
    assert_says(error.value, "'model-1.safetensors' to hold what", "no 'norm.bias' in it", "Get the files again")


def nothing(folder):
    return None


def a_link_to_nothing(folder):
    (folder / "model-1.safetensors").symlink_to(folder / "elsewhere")


def a_directory(folder):
    (folder / "model-1.safetensors").mkdir()


def a_link_to_a_directory(folder):
    (folder / "elsewhere").mkdir()
    (folder / "model-1.safetensors").symlink_to(folder / "elsewhere")


def a_pipe(folder):
    os.mkfifo(folder / "model-1.safetensors")


def a_link_to_a_device(folder):
    (folder / "model-1.safetensors").symlink_to("/dev/zero")


def a_link_to_itself(folder):
    (folder / "model-1.safetensors").symlink_to(folder / "model-1.safetensors")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes in the file system")
@pytest.mark.parametrize("make", [a_directory, a_link_to_a_directory, a_pipe, a_link_to_a_device])
def test_a_shard_that_is_no_regular_file_is_refused_and_not_waited_for(tmp_path, make):
    make(tmp_path)
    with pytest.raises(ValueError, match="Expected") as error:
        list_norms(index_of(tmp_path, {"norm.weight": "model-1.safetensors"}))
    assert_says(error.value, "a regular file", "model-1.safetensors", "")


@pytest.mark.parametrize("make", [nothing, a_link_to_nothing, a_link_to_itself])
def test_a_shard_that_is_missing_is_said_to_be(tmp_path, make):
    make(tmp_path)
    with pytest.raises(ValueError, match="Expected") as error:
        list_norms(index_of(tmp_path, {"norm.weight": "model-1.safetensors"}))
    assert_says(error.value, "the file 'model-1.safetensors'", "no such file", "The file is missing")


@pytest.mark.parametrize("text", ["hello", "[]", '{"model_type": "bert", "model_type": "llama"}', "\xff"])
def test_a_config_that_is_none_is_refused(tmp_path, text):
    write_safetensors(tmp_path / "model.safetensors", state_of("norm"))
    (tmp_path / "config.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=r"config\.json"):
        list_norms(tmp_path)


@pytest.mark.parametrize("eps", ["1e-6", -1e-6, True, [1e-6], float("inf"), float("nan"), 10**400])
def test_an_eps_that_is_no_number_is_no_evidence(tmp_path, eps):
    folder = model_directory(tmp_path, state_of("model.norm"), model_type="llama", rms_norm_eps=eps)
    assert [(layer.kind, layer.eps) for layer in list_norms(folder)] == [("rmsnorm", None)]
    with pytest.raises(ValueError, match="Expected") as error:
        load_norm(folder, "model.norm")
    assert_says(error.value, "evidence of the eps", f"rms_norm_eps is {str(eps)[:40]!r}, which is no eps", "Pass eps=")
    assert load_norm(folder, "model.norm", eps=1e-6).eps == 1e-6


@pytest.mark.parametrize("model_type", [3, None, ["bert"], {"a": 1}])
def test_a_model_type_that_is_no_text_is_no_evidence(tmp_path, model_type):
    state = state_of("text_model.embeddings.LayerNorm")
    folder = model_directory(tmp_path, state, model_type=model_type, text_config=["bert"])
    assert [layer.kind for layer in list_norms(folder)] == ["unknown"]


# Arrays


def test_objects_in_an_npz_are_not_unpickled(tmp_path):
    np.savez(tmp_path / "state.npz", **{"norm.weight": np.array([MakesDirectory(tmp_path / "harm")], object)})
    with pytest.raises(ValueError, match="float16, bfloat16, float32 or float64"):
        load_norm(tmp_path / "state.npz", "norm", kind="rmsnorm", eps=0)
    assert not (tmp_path / "harm").exists()


def npy(shape, data=b"", dtype="<f4"):
    """An .npy file, by hand."""
    text = repr({"descr": dtype, "fortran_order": False, "shape": shape}).encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


@pytest.mark.parametrize(
    "member", [b"", b"hello", npy((10**12,), ZEROS), npy((17,), ZEROS), npy((-4,), ZEROS), npy("x"), npy((4,))[:30]]
)
def test_an_npz_whose_members_are_no_such_arrays_is_refused(tmp_path, member):
    with zipfile.ZipFile(tmp_path / "state.npz", "w") as archive:
        archive.writestr("norm.weight.npy", member)
    with pytest.raises(ValueError, match="Expected") as error:
        list_norms(tmp_path / "state.npz")
    assert_says(error.value, "arrays in", "", "damaged")


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\3\4" + ZEROS])
def test_an_npz_that_is_no_archive_is_refused(tmp_path, content):
    (tmp_path / "state.npz").write_bytes(content)
    with pytest.raises(ValueError, match="arrays in"):
        list_norms(tmp_path / "state.npz")


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_damage_inside_an_npz_is_found_when_it_is_read(tmp_path, save):
    path = tmp_path / "state.npz"
    save(path, **{"norm.weight": np.random.default_rng(0).random(100_000, np.float32)})
    content = bytearray(path.read_bytes())
    content[200_000:200_020] = bytes(20)
    path.write_bytes(content)
    assert len(list_norms(path)) == 1
    with pytest.raises(ValueError, match="arrays in"):
        load_norm(path, "norm", kind="rmsnorm", eps=0)


# What is missing


@pytest.mark.parametrize(
    "package, name, remedy",
    [
        ("safetensors", "model.safetensors", 'pip install "sknorm[checkpoint]"'),
        ("torch", "model.pt", "convert the file to safetensors"),
    ],
)
def test_where_a_package_is_missing_the_error_says_what_to_do(tmp_path, monkeypatch, package, name, remedy):
    monkeypatch.setitem(sys.modules, package, None)
    (tmp_path / name).write_bytes(safetensors_bytes(GOOD, ZEROS[:16]))
    with pytest.raises(ImportError, match="Expected") as error:
        list_norms(tmp_path / name)
    assert_says(error.value, package, "no such package", remedy)


def test_a_path_to_nothing_is_a_file_not_found(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        list_norms(tmp_path / "model.safetensors")
    assert_says(error.value, "a file or directory", "nothing at", "Pass the path of")


@pytest.mark.parametrize(
    "names, got", [([], "none in"), (["a.safetensors", "b.safetensors"], "'a.safetensors', 'b.safetensors' in")]
)
def test_a_directory_without_one_file_of_weights_is_refused(tmp_path, names, got):
    write_config(tmp_path, model_type="bert")
    for name in names:
        write_safetensors(tmp_path / name, {})
    with pytest.raises(ValueError, match="Expected") as error:
        list_norms(tmp_path)
    assert_says(error.value, "one file of weights", got, "Pass the path of the file")


@pytest.mark.parametrize("name", ["model.gguf", "model", "config.json"])
def test_a_file_of_another_format_is_refused(tmp_path, name):
    (tmp_path / name).write_text("{}")
    with pytest.raises(ValueError, match=r"Expected a \.safetensors"):
        list_norms(tmp_path / name)


@pytest.mark.parametrize("source", [3, None, [1.0], np.ones(3), dict])
def test_what_is_no_source_is_refused(source):
    with pytest.raises(TypeError) as error:
        list_norms(source)
    assert_says(error.value, "a checkpoint", type(source).__name__, "Pass the path of")
