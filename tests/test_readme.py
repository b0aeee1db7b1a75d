"""The README says what is so. Its example runs as a doctest, its promises are tested where they are kept."""

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

from sknorm import MinMaxNormalizer, Standardizer
from sknorm._model_norms import FAMILIES

from .test_architecture import PLACES
from .test_drop_in import DIFFERENCES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_ci_runs_the_commands_that_a_user_is_shown():
    ci = (ROOT / ".ci" / "run").read_text()
    commands = re.findall(r"^pip install [^#\n]*", README.partition("## How to develop")[0], re.MULTILINE)
    assert len(commands) == 7
    for command in commands:
        for part in command.strip().split(" && "):
            assert re.search(rf"{re.escape(part)}( -W --keep-going)?\n", ci)  # where a warning is an error


def test_the_files_it_names_exist():
    named = re.findall(r"(?<![\w/])(?:tests|examples|\.ci)/[\w./*]+", README)
    assert "tests/benchmarks/test_speed.py" in named
    assert [name for name in named if not list(ROOT.glob(name))] == []


def test_the_extras_it_names_exist():
    named = {extra for extras in re.findall(r'"\.\[([\w,]+)\]"', README) for extra in extras.split(",")}
    extras = {"checkpoint", "dask", "docs", "examples", "onnx", "test", "dev"}
    assert extras == named <= PROJECT["optional-dependencies"].keys()


def test_the_versions_it_asks_for_are_those_of_the_package():
    text = " ".join(README.split())
    assert PROJECT["requires-python"] == ">=3.11"
    assert PROJECT["dependencies"] == ["numpy>=2", "scikit-learn>=1.6", "pandas>=2.2.2"]
    assert "Python 3.11 or newer, NumPy 2, scikit-learn 1.6 and pandas 2.2.2 or newer" in text


def test_its_layout_lists_every_module_and_its_floor():
    listed = re.findall(r"^  (\w+)(?:\.py|/) +(\d)  ", README, re.MULTILINE)
    floors = {f"sknorm.{name}".removesuffix(".__init__"): int(floor) for name, floor in listed}
    assert floors == {module: place.floor for module, place in PLACES.items()}


def test_the_differences_that_scikit_learns_own_tests_show_are_listed_with_their_reasons():
    for _, _, reason in DIFFERENCES:
        assert f"| {reason} |" in README


def test_the_families_it_counts_are_in_the_table():
    count = len({family.model_type for family in FAMILIES})
    assert f"a table of {count} families" in README


@pytest.mark.parametrize("cls", [MinMaxNormalizer, Standardizer])
@pytest.mark.parametrize("dtype", ["bool", *np.typecodes["AllInteger"]])
def test_integers_of_up_to_16_bits_become_float32_and_wider_ones_float64(cls, dtype):
    X = np.array([[0], [1]], dtype)
    assert cls().fit_transform(X).dtype == (np.float32 if X.itemsize <= 2 else np.float64)


@pytest.mark.parametrize("cls", [MinMaxNormalizer, Standardizer])
def test_the_fitted_attributes_are_read_only(cls):
    norm = cls().fit(np.eye(2))
    own = "data_min_ data_max_ data_range_ min_" if cls is MinMaxNormalizer else "mean_ var_"
    for name in [*own.split(), "scale_", "constant_features_", "n_samples_seen_"]:
        with pytest.raises(AttributeError):
            setattr(norm, name, getattr(norm, name))
