"""The rules of the layout: where each module stands, what it may import, and how things are named."""

import ast
import re
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import sknorm


class Place(NamedTuple):
    floor: int
    side: str | None = None


# The modules of a package stand where the package does.
PLACES = {
    "sknorm": Place(4),
    "sknorm.__main__": Place(4),
    "sknorm.checkpoint": Place(4),
    "sknorm._norm_layers": Place(4),
    "sknorm._model_norms": Place(4),
    "sknorm._tensor_sources": Place(4),
    "sknorm._torch_modules": Place(4),
    "sknorm._persistence": Place(4),
    "sknorm._diagnosis": Place(4),
    "sknorm._diagnosis_forms": Place(4),
    "sknorm._findings": Place(4),
    "sknorm._advice": Place(4),
    "sknorm._constraints": Place(4),
    "sknorm._survey": Place(4),
    "sknorm.onnx": Place(4),
    "sknorm._onnx_formulas": Place(4),
    "sknorm._onnx_graph": Place(4),
    "sknorm.plotting": Place(4),
    "sknorm._plot_normalization": Place(4),
    "sknorm._plot_row_norms": Place(4),
    "sknorm._plot_aims": Place(4),
    "sknorm._plot_artists": Place(4),
    "sknorm._plot_places": Place(4),
    "sknorm._plot_quantiles": Place(4),
    "sknorm._plot_samples": Place(4),
    "sknorm._min_max_normalizer": Place(3, "dataset"),
    "sknorm._standardizer": Place(3, "dataset"),
    "sknorm._dataset_transformer": Place(3, "dataset"),
    "sknorm._row_layer_norm": Place(3, "sample"),
    "sknorm._row_rms_norm": Place(3, "sample"),
    "sknorm._row_softmax": Place(3, "sample"),
    "sknorm._sample_transformer": Place(3, "sample"),
    "sknorm._feature_maps": Place(2, "dataset"),
    "sknorm._dataset_statistics": Place(2, "dataset"),
    "sknorm._dataset_walk": Place(2, "dataset"),
    "sknorm._sample_statistics": Place(2, "sample"),
    "sknorm._kernels": Place(1),
    "sknorm._estimator": Place(0),
    "sknorm._containers": Place(0),
    "sknorm._tables": Place(0),
    "sknorm._dask": Place(0),
    "sknorm._namespaces": Place(0),
    "sknorm._json": Place(0),
    "sknorm._parameters": Place(0),
    "sknorm._file_errors": Place(0),
    "sknorm._checkpoint_errors": Place(0),
    "sknorm._plot_errors": Place(0),
    "sknorm._validation": Place(0),
    "sknorm._infinities": Place(0),
    "sknorm._not_numbers": Place(0),
    "sknorm._wording": Place(0),
    "sknorm._precision": Place(0),
}

# What `import sknorm` may bring along. The others are for functions that are asked for them.
REQUIRED = {"sknorm", "numpy", "scipy", "sklearn", *sys.stdlib_module_names}
ON_REQUEST = {"dask", "matplotlib", "onnx", "pandas", "polars", "pyarrow", "safetensors", "skl2onnx"}

LONGEST_FILE = 350
WORDS_FOR_ANYTHING = {"utils", "util", "helpers", "helper", "common", "base", "misc", "manager"}

FOLDER = Path(sknorm.__file__).parent
TESTS = Path(__file__).parent


def name_of(path):
    parts = path.relative_to(FOLDER.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


PATHS = {name_of(path): path for path in FOLDER.rglob("*.py")}
TREES = {name: ast.parse(path.read_text()) for name, path in PATHS.items()}
# What the kernels are compiled from is in the checkout, and not in an installed package.
NATIVE_SOURCES = [path for ending in ("*.pyx", "*.h") for path in (TESTS.parent / "sknorm").rglob(ending)]
each_module = pytest.mark.parametrize("module", sorted(PATHS))


def placed_name(module):
    return ".".join(module.split(".")[:2])


def imports_in(node, package):
    """The modules imported at this node, by their full names."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        above = package.split(".")[: -node.level + 1 or None] if node.level else []
        source = ".".join([*above, *filter(None, [node.module])])
        return [full if (full := f"{source}.{alias.name}") in PATHS else source for alias in node.names]
    return []


def imports_of(module, nodes):
    is_package = PATHS[module].name == "__init__.py"
    package = module if is_package else module.rpartition(".")[0]
    return {name for node in nodes for name in imports_in(node, package)}


def outside_functions(node):
    yield node
    if not isinstance(node, ast.FunctionDef | ast.Lambda):
        for child in ast.iter_child_nodes(node):
            yield from outside_functions(child)


def sknorm_imports(module):
    return {name for name in imports_of(module, ast.walk(TREES[module])) if name in PATHS}


def may_import(importer, imported):
    own_side = importer.side is None or imported.side in (None, importer.side)
    return own_side and imported.floor <= importer.floor


def test_every_module_has_its_place():
    assert {placed_name(module) for module in PATHS} == PLACES.keys()


@pytest.mark.parametrize("module", sorted(PATHS.keys() - {"sknorm"}))
def test_a_module_says_first_on_which_floor_it_stands(module):
    assert ast.get_docstring(TREES[module]).startswith(f"F{PLACES[placed_name(module)].floor}, ")


@pytest.mark.parametrize("path", NATIVE_SOURCES, ids=lambda path: path.name)
def test_a_compiled_source_says_first_that_it_stands_with_the_kernels(path):
    floor = PLACES[f"sknorm.{path.parent.name}"].floor
    assert re.match(rf'(#.*\n)*(/\* ?|""")F{floor}, ', path.read_text())


@each_module
def test_an_import_never_goes_up_a_floor_or_to_the_other_side(module):
    own = placed_name(module)
    others = {placed_name(name) for name in sknorm_imports(module)} - {own}
    assert not {other for other in others if not may_import(PLACES[own], PLACES[other])}


def test_imports_never_go_in_a_circle():
    TopologicalSorter({module: sknorm_imports(module) for module in PATHS}).prepare()


@each_module
def test_a_module_loads_required_packages_only(module):
    loaded = {name.partition(".")[0] for name in imports_of(module, outside_functions(TREES[module]))}
    assert loaded <= REQUIRED


@pytest.mark.parametrize("module", [name for name in PATHS if placed_name(name) == "sknorm._kernels"])
def test_the_kernels_know_nothing_of_scikit_learn(module):
    assert not {name for name in imports_of(module, ast.walk(TREES[module])) if name.startswith("sklearn")}


def test_importing_sknorm_needs_no_package_on_request():
    # What is loaded would not tell: scikit-learn itself loads pandas where it finds it.
    code = f"import sys; sys.modules.update(dict.fromkeys({ON_REQUEST})); import sknorm"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_error_messages_are_written_on_the_ground_floor_only():
    # Higher up, what is raised was made by a function down there, or is an exception class that has nothing to say.
    made_below = tuple(f"{module.removeprefix('sknorm.')}." for module in PLACES if PLACES[module].floor == 0)
    wording = [
        f"{module}:{node.lineno}"
        for module, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Raise) and PLACES[placed_name(module)].floor > 0
        if isinstance(node.exc, ast.Call) and not ast.unparse(node.exc).startswith(made_below)
    ]
    assert not wording


@pytest.mark.parametrize("name", [name for name in sknorm.__all__ if isinstance(getattr(sknorm, name), type)])
def test_a_transformer_has_at_most_one_parent_in_sknorm(name):
    parents = [parent for parent in getattr(sknorm, name).__mro__[1:] if parent.__module__ in PATHS]
    assert len(parents) <= 1


def test_the_installed_package_says_that_it_is_typed():
    assert (FOLDER / "py.typed").is_file()


def words_of(name):
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+", name)}


@each_module
def test_nothing_is_named_for_anything_and_everything(module):
    kinds = ast.FunctionDef | ast.ClassDef
    names = {module} | {node.name for node in ast.walk(TREES[module]) if isinstance(node, kinds)}
    assert not {name for name in names if words_of(name) & WORDS_FOR_ANYTHING}


@pytest.mark.parametrize("path", [*PATHS.values(), *NATIVE_SOURCES, *TESTS.rglob("*.py")], ids=lambda path: path.name)
def test_a_file_is_short(path):
    assert len(path.read_text().splitlines()) <= LONGEST_FILE
