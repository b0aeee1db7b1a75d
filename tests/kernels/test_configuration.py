"""What serves on this machine is what the configuration says."""

import importlib.util
import os
import subprocess
import sys

import pytest

import sknorm
from sknorm._kernels import _compiled


def test_the_configuration_names_what_serves():
    found = sknorm.show_config(mode="dict")
    assert found["backend"] == ("portable" if _compiled.native is None else "compiled")
    assert (found["instructions"] is None) == (_compiled.native is None)
    assert (found["reason"] is None) == (_compiled.native is not None)
    assert found["threads"] >= 1


def test_the_kernels_that_an_installation_has_serve():
    asked = os.environ.get("SKNORM_BACKEND") == "portable"
    present = importlib.util.find_spec("sknorm._kernels._native") is not None
    assert sknorm.show_config(mode="dict")["backend"] == ("compiled" if present and not asked else "portable")


def test_it_is_printed_as_it_is_returned(capsys):
    assert sknorm.show_config() is None
    printed = capsys.readouterr().out
    for name, value in sknorm.show_config(mode="dict").items():
        assert (value is None) == (f"{name}:" not in printed)
        assert value is None or str(value) in printed


def test_another_mode_is_refused():
    with pytest.raises(ValueError, match="Expected mode 'stdout' or 'dict', got 'json'"):
        sknorm.show_config(mode="json")


def in_another_process(code, **environment):
    environment = {**os.environ, **environment}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_the_portable_kernels_serve_where_they_are_asked_for():
    said = in_another_process("import sknorm; sknorm.show_config()", SKNORM_BACKEND="portable")
    assert "portable" in said
    assert "SKNORM_BACKEND=portable is set" in said


MISSING = """
import pathlib, sys
exists = pathlib.Path.exists
pathlib.Path.exists = lambda path: is_source_tree if path.name == "_native.pyx" else exists(path)
sys.modules["sknorm._kernels._native"] = None
import sknorm
sknorm.show_config()
"""


@pytest.mark.parametrize(
    "is_source_tree, reason",
    [(False, "no C compiler was found at the install"), (True, "a source tree that no C compiler was run in")],
)
def test_the_portable_kernels_serve_where_the_compiled_ones_are_missing(is_source_tree, reason):
    said = in_another_process(f"is_source_tree = {is_source_tree}{MISSING}", SKNORM_BACKEND="")
    assert "portable" in said
    assert reason in said


@pytest.mark.parametrize("threads", [1, 2])
def test_as_many_threads_are_shown_as_the_environment_allows(monkeypatch, threads):
    monkeypatch.setenv("SKNORM_NUM_THREADS", str(threads))
    assert sknorm.show_config(mode="dict")["threads"] == threads
