"""What pictures need."""

import subprocess
import sys

import pytest

from sknorm.plotting import RowNormDisplay

from .wording import assert_says


def test_matplotlib_is_imported_when_something_is_drawn_and_not_before():
    code = "import sys, sknorm, sknorm.plotting; assert not [m for m in sys.modules if m.startswith('matplotlib')]"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError) as error:
        RowNormDisplay.from_vector([1.0, 2.0])
    assert_says(error.value, "matplotlib to be installed", "no such package", 'pip install "sknorm[plot]"')
