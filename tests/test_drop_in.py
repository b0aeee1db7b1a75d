"""scikit-learn's own tests of StandardScaler and MinMaxScaler, run on the classes that stand in for them."""

import json
import os
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

import sknorm

MODULES = ["sklearn.preprocessing.tests.test_data", "sklearn.preprocessing.tests.test_common"]

# The tests that differ on purpose: a pattern of their names, what their failure says, and the reason.
# A test that the installed scikit-learn does not have is passed over; any other has to fail as told.
DIFFERENCES = [
    (
        "test_standard_scaler_near_constant_features[*-float64-*]",
        "Not equal to tolerance",
        "constant means minimum == maximum; any other variance, however small, is exact and divided by",
    ),
    (
        "test_standard_scaler_callback_support[*]",
        "no attribute 'set_callbacks'",
        "callbacks watch the iterations of a fit, and these fits have none",
    ),
]


def function_of(test):
    return test.partition("[")[0]


def is_listed(test, pattern):
    # A bracket is literal in a test's name and a character class to fnmatch.
    return fnmatchcase(test, pattern.replace("[", "[[]"))


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """The outcome of each of scikit-learn's tests that uses one of the two classes, by the test's name."""
    folder = tmp_path_factory.mktemp("drop_in")
    (folder / "pytest.ini").write_text("[pytest]\n")
    # The plugin beside this file, and the same sknorm as here.
    search_path = [str(Path(__file__).parent), str(Path(sknorm.__file__).parent.parent)]
    command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-c", "pytest.ini", "-p", "no:cacheprovider"]
    command += ["-p", "substitution", "--outcomes", "outcomes.json", "--pyargs", *MODULES]
    # The variable lets scikit-learn's tests of array-API dispatch run; see them in the plugin.
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(search_path), "SCIPY_ARRAY_API": "1"}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    # 0: all passed, 1: some failed; anything else means that the run itself went wrong.
    assert run.returncode in (0, 1), run.stdout + run.stderr
    return json.loads((folder / "outcomes.json").read_text())


def test_scikit_learns_own_tests_pass_with_the_classes_replaced(outcomes):
    unlisted = {
        test: outcome["detail"]
        for test, outcome in outcomes.items()
        if outcome["outcome"] == "failed" and not any(is_listed(test, pattern) for pattern, _, _ in DIFFERENCES)
    }
    assert not unlisted, "\n\n".join(f"{test}\n{detail}" for test, detail in unlisted.items())


def test_enough_of_scikit_learns_tests_ran(outcomes):
    ran = {function_of(test) for test, outcome in outcomes.items() if outcome["outcome"] != "skipped"}
    assert len(ran) >= 30


@pytest.mark.parametrize(("pattern", "message"), [(pattern, message) for pattern, message, _ in DIFFERENCES])
def test_a_listed_difference_is_still_one(outcomes, pattern, message):
    matching = {test: outcome for test, outcome in outcomes.items() if is_listed(test, pattern)}
    known = {function_of(test) for test in outcomes}
    assert matching or function_of(pattern) not in known, f"{pattern} fits no test"
    for test, outcome in matching.items():
        assert outcome["outcome"] == "failed", f"{test} passes: take it off the list"
        assert message in outcome["detail"], f"{test} fails for another reason: {outcome['detail']}"
