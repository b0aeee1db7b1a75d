"""Every error and warning that the library can raise stands in one table, with its whole text."""

import ast
import os
import re
import sys
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import NamedTuple

import dask
import pytest
from sklearn import config_context

import sknorm

from .array_api import dispatches
from .error_table import ROWS
from .error_table.row import ANY
from .wording import WORDING

SOURCE = Path(sknorm.__file__).parent
LONGEST = 300  # characters, of which a machine may say more in the middle

# Places that no input reaches, by their source, and why they are there.
UNREACHED = {}


class Outcome(NamedTuple):
    kind: type[BaseException]
    text: str
    lines: frozenset[tuple[str, int]]
    """Of sknorm, by file and number: those where a function was called or left."""


@cache
def outcome(row):
    lines = set()

    def note(frame, event, _):
        if event == "call":
            frame = frame.f_back
        elif event != "return":  # which leaving by an exception is too
            return
        lines.add((frame.f_code.co_filename, frame.f_lineno))

    here, before = Path.cwd(), sys.getprofile()
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("error")
        os.chdir(folder)
        if row.dispatches:
            patch.setenv("SCIPY_ARRAY_API", "1")
        error = None
        try:
            # a profile is of one thread
            with config_context(array_api_dispatch=row.dispatches), dask.config.set(scheduler="synchronous"):
                sys.setprofile(note)
                row.call()
        except Exception as caught:
            error = caught
        finally:
            sys.setprofile(before)
            os.chdir(here)
    assert error is not None, "nothing was raised"
    said = error.args[0] if isinstance(error, KeyError) else str(error)  # which KeyError quotes
    text = " ".join([said, *getattr(error, "__notes__", ())])
    return Outcome(type(error), text, frozenset(line for line in lines if line[0].startswith(f"{SOURCE}{os.sep}")))


@pytest.mark.parametrize("name", ROWS)
def test_an_error_is_that_of_the_table(name):
    row = ROWS[name]
    if row.dispatches and not dispatches():
        pytest.skip("with this SciPy scikit-learn knows NumPy arrays only")
    kind, text, _ = outcome(row)
    assert kind is row.kind
    assert re.fullmatch(re.escape(row.text).replace(re.escape(ANY), ".+"), text, re.DOTALL), text


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.words == "sknorm"])
def test_our_own_words_say_expected_got_and_remedy(name):
    text = ROWS[name].text
    said = WORDING.fullmatch(text)
    assert said, text
    assert "\n" not in text
    assert "  " not in text
    assert len(text) <= LONGEST
    assert {said["expected"], said["got"]}.isdisjoint({"", "''", "None", "()", "{}"})


def test_the_words_of_others_are_those_of_scikit_learn_and_python():
    assert {row.words for row in ROWS.values()} == {"sknorm", "scikit-learn", "Python"}


class Site(NamedTuple):
    """A statement that makes an error or a warning."""

    file: str
    first: int
    last: int
    source: str

    def __str__(self):
        return f"{Path(self.file).relative_to(SOURCE)}:{self.first}: {self.source}"


def calls_in(statement):
    """The last names of all that a statement calls."""
    functions = [node.func for node in ast.walk(statement) if isinstance(node, ast.Call)]
    return {getattr(function, "attr", getattr(function, "id", "")) for function in functions}


def makes_error(statement, returns):
    match statement:
        case ast.Raise(exc=ast.Call()):  # neither of a signal without words, nor once more
            return True
        case ast.Return():  # where an error is made for whoever raises it
            return returns.endswith("Error") or "message" in calls_in(statement)
        case ast.Assign() | ast.Expr():
            return not {"message", "warn"}.isdisjoint(calls_in(statement))
    return False


def sites_in(node, file, returns=""):
    if isinstance(node, ast.FunctionDef):
        returns = ast.unparse(node.returns)
    if makes_error(node, returns):
        yield Site(file, node.lineno, node.end_lineno, ast.unparse(node))
    for inner in ast.iter_child_nodes(node):
        yield from sites_in(inner, file, returns)


def test_every_place_that_makes_an_error_is_reached_by_a_row():
    if not dispatches():
        pytest.skip("not all rows can run")
    reached = frozenset().union(*(outcome(row).lines for row in ROWS.values()))
    sites = [site for path in SOURCE.rglob("*.py") for site in sites_in(ast.parse(path.read_text()), str(path))]
    assert len(sites) > 200
    missed = [site for site in sites if not any((site.file, n) in reached for n in range(site.first, site.last + 1))]
    assert not [str(site) for site in missed if site.source not in UNREACHED], "\n".join(map(str, missed))
    assert {site.source for site in missed} >= UNREACHED.keys()
