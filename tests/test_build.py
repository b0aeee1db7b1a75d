"""How the kernels are compiled, as pyproject.toml says it. What comes of it, with a compiler and without: .ci/run."""

import configparser
import re
import tomllib
from pathlib import Path

import pytest

from .test_architecture import NATIVE_SOURCES

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
(EXTENSION,) = PROJECT["tool"]["setuptools"]["ext-modules"]
FLAGS = EXTENSION["extra-compile-args"]


def test_a_change_of_any_source_or_header_compiles_the_kernels_again():
    assert {*EXTENSION["sources"], *EXTENSION["depends"]} == {
        path.relative_to(ROOT).as_posix() for path in NATIVE_SOURCES
    }


def test_an_install_goes_on_where_the_kernels_cannot_be_compiled():
    assert EXTENSION["optional"]


def test_the_wheel_is_named_for_the_oldest_python_whose_interface_is_compiled_against():
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    (version,) = (int(flag.partition("=")[2], 16) for flag in FLAGS if flag.startswith("-DPy_LIMITED_API="))
    major, minor = version >> 24, version >> 16 & 0xFF
    assert EXTENSION["py-limited-api"]
    assert setup["bdist_wheel"]["py_limited_api"] == f"cp{major}{minor}"
    assert PROJECT["project"]["requires-python"] == f">={major}.{minor}"


def test_the_compiler_may_neither_fuse_operations_nor_suppose_that_numbers_are_finite():
    assert "-ffp-contract=off" in FLAGS
    assert not {"-ffast-math", "-Ofast", "-ffinite-math-only", "-fassociative-math"} & set(FLAGS)


@pytest.mark.parametrize("path", NATIVE_SOURCES, ids=lambda path: path.name)
def test_a_compiled_source_needs_no_other_package_to_be_compiled(path):
    included = re.findall(r"^.*(?:\binclude\b|\bcimport\b|\bextern from\b).*$", path.read_text(), re.MULTILINE)
    assert not re.search("numpy|scipy|sklearn", "\n".join(included))
