"""What is public, and that its docstrings say what its signatures say."""

import ast
import inspect
import re
import types

import pytest

import sknorm
import sknorm.plotting

TRANSFORMERS = ["MinMaxNormalizer", "Standardizer", "RowLayerNorm", "RowRMSNorm", "RowSoftmax"]
FUNCTIONS = ["diagnose", "load", "save", "show_config"]
SECTION = r"^{}\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)"
ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.*)$", re.MULTILINE)


def section(documented, title):
    """The entries of one section of a numpydoc docstring, as a dict of names and type descriptions."""
    text = inspect.getdoc(documented) or ""
    found = re.search(SECTION.format(title), text, re.MULTILINE | re.DOTALL)
    entries = ENTRY.findall(found[1]) if found else []
    return {name: kind for names, kind in entries for name in names.split(", ")}


def own_members(cls):
    """The public members that sknorm wrote: those of the class and of its parents in sknorm.

    scikit-learn adds the set_*_request methods.
    """
    parents = [parent for parent in inspect.getmro(cls) if parent.__module__.startswith("sknorm.")]
    names = {name for parent in parents for name in vars(parent) if not name.startswith("_")}
    names = {name for name in names if not (name.startswith("set_") and name.endswith("_request"))}
    return {name: inspect.getattr_static(cls, name) for name in sorted(names)}


METHODS = [
    pytest.param(getattr(getattr(sknorm, cls), name), id=f"{cls}.{name}")
    for cls in TRANSFORMERS
    for name in own_members(getattr(sknorm, cls))
    if isinstance(getattr(getattr(sknorm, cls), name), types.FunctionType)
]
METHODS += [pytest.param(getattr(sknorm, name), id=name) for name in FUNCTIONS]
CLASSES = [pytest.param(getattr(sknorm, name), id=name) for name in TRANSFORMERS]
DISPLAYS = [pytest.param(getattr(sknorm.plotting, name), id=name) for name in sknorm.plotting.__all__]
METHODS += [
    pytest.param(getattr(getattr(sknorm.plotting, cls), name), id=f"{cls}.{name}")
    for cls in sknorm.plotting.__all__
    for name in own_members(getattr(sknorm.plotting, cls))
]


def test_the_public_names_are_the_five_transformers_and_the_functions():
    assert sorted(sknorm.__all__) == sorted(TRANSFORMERS + FUNCTIONS)
    objects = {name for name, value in vars(sknorm).items() if not inspect.ismodule(value)}
    public = {name for name in objects if not name.startswith("_")}
    assert public == set(TRANSFORMERS + FUNCTIONS)


@pytest.mark.parametrize("cls", CLASSES + DISPLAYS)
def test_a_class_shows_an_example(cls):
    assert ">>> " in inspect.getdoc(cls)


@pytest.mark.parametrize("cls", CLASSES + DISPLAYS)
def test_every_parameter_is_documented_in_the_order_of_the_signature(cls):
    assert list(section(cls, "Parameters")) == list(inspect.signature(cls).parameters)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_documented(method):
    assert (method.__doc__ or "").strip()


@pytest.mark.parametrize("documented", CLASSES + DISPLAYS + METHODS)
def test_a_documented_default_is_the_one_of_the_signature(documented):
    parameters = inspect.signature(documented).parameters
    entries = section(documented, "Parameters")
    assert entries.keys() <= parameters.keys()
    stated = {name: kind.partition("default=")[2] for name, kind in entries.items()}
    actual = {name: parameters[name].default for name in entries}
    optional = {name: value for name, value in actual.items() if value is not inspect.Parameter.empty}
    optional.pop("y", None)  # accepted for the sake of pipelines, and documented as ignored
    assert {name: ast.literal_eval(text) for name, text in stated.items() if text} == optional


@pytest.mark.parametrize("cls", CLASSES)
def test_the_documented_attributes_are_the_fitted_ones(cls):
    properties = {name for name, value in own_members(cls).items() if isinstance(value, property)}
    recorded = {"statistics_", "n_features_in_", "feature_names_in_"}
    assert properties <= section(cls, "Attributes").keys() <= properties | recorded


@pytest.mark.parametrize("display", DISPLAYS)
def test_the_documented_attributes_of_a_display_are_those_it_has_once_drawn(display):
    make = {"NormalizationDisplay": lambda: display.from_estimator(sknorm.RowRMSNorm(), [[1.0, None]])}
    drawn = make.get(display.__name__, lambda: display.from_vector([1.0, None]))()
    names = {name for name in vars(drawn) if name.endswith("_")}
    documented = {name for names in section(display, "Attributes") for name in names.split(", ")}
    assert names == documented
