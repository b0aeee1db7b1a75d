"""A pytest plugin: scikit-learn's test modules find sknorm's two dataset classes under the names of its own.

It keeps the tests that use one of the two, and writes each one's outcome to the file named by --outcomes.
"""

import inspect
import json
from pathlib import Path

import sklearn.preprocessing

from sknorm import MinMaxNormalizer, Standardizer

# Before any test module is imported, so that parametrizations see the replacements too.
replaced = {"StandardScaler": Standardizer, "MinMaxScaler": MinMaxNormalizer}
for name, replacement in replaced.items():
    setattr(sklearn.preprocessing, name, replacement)


def without_unknown_arguments(function):
    known = inspect.signature(function).parameters

    def called(X, **arguments):
        return function(X, **{name: value for name, value in arguments.items() if name in known})

    return called


# A test passes all of an estimator's parameters to the function of the same purpose; ours has more.
for name in ("scale", "minmax_scale"):
    setattr(sklearn.preprocessing, name, without_unknown_arguments(getattr(sklearn.preprocessing, name)))

outcomes = {}


def pytest_addoption(parser):
    parser.addoption("--outcomes", type=Path, required=True)


def names_in(code):
    """The global names that a function's code, and the functions inside it, read."""
    inner = [constant for constant in code.co_consts if inspect.iscode(constant)]
    return set(code.co_names).union(*map(names_in, inner))


def is_chosen(item):
    given = item.callspec.params if hasattr(item, "callspec") else {}
    classes = {value if isinstance(value, type) else type(value) for value in given.values()}
    names = names_in(inspect.unwrap(item.function).__code__)
    return not classes.isdisjoint(replaced.values()) or not names.isdisjoint(replaced)


def pytest_collection_modifyitems(items):
    items[:] = filter(is_chosen, items)


def pytest_runtest_logreport(report):
    name = report.nodeid.partition("::")[2]
    if report.outcome != "passed" or report.when == "call":
        detail = report.longrepr.reprcrash.message if report.failed else ""
        outcomes[name] = {"outcome": report.outcome, "detail": detail}


def pytest_sessionfinish(session):
    session.config.getoption("--outcomes").write_text(json.dumps(outcomes))
