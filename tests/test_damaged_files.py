"""Files that `save` did not write: a ValueError in our words, and never half a transformer."""

import copy
import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import sknorm

from .wording import WORDING, assert_says

FOLDER = Path(__file__).parent / "saved" / "version_1"
DOCUMENTS = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.iterdir())}


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


@pytest.fixture
def loaded(tmp_path):
    def load(document):
        path = tmp_path / "norm.json"
        path.write_bytes(document if isinstance(document, bytes) else json.dumps(document).encode())
        return sknorm.load(path)

    return load


def changed(name, *where, to):
    document = copy.deepcopy(DOCUMENTS[name])
    inner = document
    for key in where[:-1]:
        inner = inner[key]
    inner[where[-1]] = to
    return document


def places(document, where=()):
    """The path to every value in a document."""
    items = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    for key, value in items:
        yield (*where, key)
        yield from places(value, (*where, key))


HOSTILE = [
    *(None, True, False, 0, -1, 1, 3, 2**63, 10**400, 0.5, -1e-320, 1e300, float("inf"), float("nan")),
    *("", "nan", "x", "dtype", "__class__", [], [[]], [1, 2], ["a", "b"], {}, {"tuple": [1, 0]}, {"float": "nan"}),
    *({"array": "float64", "shape": [0], "data": []}, {"array": "bool", "shape": [4], "data": [True] * 4}),
    {"array": "float64", "shape": [2, 2], "data": [1.0, 2.0, 3.0, 4.0]},
]


def refusal(path):
    """What is said against a file; None where it is read."""
    try:
        sknorm.load(path)
    except ValueError as error:
        return str(error)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("name", DOCUMENTS)
def test_whatever_stands_anywhere_in_a_file_it_is_refused_or_read_in_full(name, tmp_path):
    path, again = tmp_path / "norm.json", tmp_path / "again.json"
    refusals = []
    for where in places(DOCUMENTS[name]):
        for value in HOSTILE:
            document = changed(name, *where, to=value)
            path.write_text(json.dumps(document))
            if said := refusal(path):
                refusals.append(said)
                continue
            norm = sknorm.load(path)
            sknorm.save(norm, again)
            assert json.loads(again.read_text()) == document
            if hasattr(norm, "n_features_in_"):  # it works
                assert norm.transform(np.empty((0, norm.n_features_in_))).shape[0] == 0
    assert len(refusals) > 100
    assert not [said for said in refusals if not WORDING.search(" ".join(said.split()))]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_field_that_is_missing_or_unknown_is_refused(name, loaded):
    document = DOCUMENTS[name]
    inner = [(), ("parameters",), *([("statistics",), ("statistics", "minimum")] if document["statistics"] else [])]
    for where in inner:
        fields = document
        for key in where:
            fields = fields[key]
        for key in fields:
            less = changed(name, *where, key, to=None)
            part = less
            for step in where:
                part = part[step]
            del part[key]
            with pytest.raises(ValueError, match=r"^Expected") as error:
                loaded(less)
            assert WORDING.search(str(error.value))
        with pytest.raises(ValueError, match=r"^Expected") as error:
            loaded(changed(name, *where, "more", to=1))
        assert_says(error.value, "fields", "more", "sknorm.save did not write it")


@pytest.mark.parametrize("version", [2, 17])
def test_a_newer_version_is_refused_by_its_name(version, loaded):
    with pytest.raises(ValueError, match=r"^Expected") as error:
        loaded(changed("standardizer", "version", to=version))
    assert_says(error.value, "format version 1", f"version {version}", "Update sknorm")


@pytest.mark.parametrize("version", [0, -1, "1", 1.0, True, None])
def test_what_is_no_version_is_refused(version, loaded):
    with pytest.raises(ValueError, match=r"^Expected") as error:
        loaded(changed("standardizer", "version", to=version))
    assert_says(error.value, "a version, 1 or above", repr(version), "sknorm.save did not write it")


@pytest.mark.parametrize(
    "name", ["StandardScaler", "os.system", "sknorm.Standardizer", "__import__('os')", None, ["Standardizer"]]
)
def test_another_class_is_refused_by_its_name(name, loaded):
    with pytest.raises(ValueError, match=r"^Expected") as error:
        loaded(changed("standardizer", "class", to=name))
    assert_says(error.value, "'RowSoftmax'", str(name), "sknorm.save did not write it")


HI = {"array": "float64", "shape": [4], "data": [1.0, -0.0, "nan", 5.0]}


HUGE = {"array": "float64", "shape": [4], "data": [1e308] * 4}


@pytest.mark.parametrize(
    "where, to, expected",
    [
        (("statistics", "count", "data"), [2.0, "nan", 0.0, 2.0], "count to be 4 numbers of at least 0"),
        (("statistics", "count", "data"), [2.0, -1.0, 0.0, 2.0], "count to be 4 numbers of at least 0"),
        (("statistics", "count", "array"), "float32", "count to be 4 numbers of at least 0"),
        (("statistics", "count"), [2, 2, 0, 2], "count to be 4 numbers of at least 0"),
        (("statistics", "n_samples"), -1, "n_samples to be a number of at least 0"),
        (("statistics", "n_samples"), {"float": "nan"}, "n_samples to be a number of at least 0"),
        (("statistics", "n_samples"), True, "n_samples to be a number of at least 0"),
        (("statistics", "dtype"), "float64", "a dtype of the data"),
        (("statistics", "minimum", "hi", "data"), [9.0, -0.0, "nan", 5.0], "no minimum above its maximum"),
        (("statistics", "minimum", "hi", "data"), [1.0, -0.0, 0.0, 5.0], "NaN where there are none"),
        (("statistics", "minimum", "hi", "data"), [1.0, "nan", "nan", 5.0], "minimum to be finite"),
        (("statistics", "maximum", "hi", "data"), [3.0, "inf", "nan", 5.0], "maximum to be finite"),
        (("statistics", "maximum", "lo", "data"), [1.0, 0.0, 0.0, 0.0], "maximum to be finite and normalised"),
        (("statistics", "maximum", "lo", "array"), "float32", "maximum to be two arrays of 4 float64"),
        (("statistics", "variance", "hi", "data"), [-1.0, 4.0, 0.0, 0.0], "a variance of at least 0"),
        (("statistics", "variance", "hi", "data"), ["nan", 4.0, 0.0, 0.0], "variance to be finite"),
        (("statistics", "variance", "hi", "data"), [1e300, 4.0, 0.0, 0.0], "a variance of at most (maximum - minimum)"),
        (("statistics", "variance", "hi", "data"), [1.001, 4.0, 0.0, 0.0], "a variance of at most (maximum - minimum)"),
        (("statistics", "variance", "hi", "data"), [1.0, 4.0, 0.0, 1e-9], "a variance of at most (maximum - minimum)"),
        (("statistics", "above", "hi", "data"), [2.001, 2.0, 0.0, 0.0], "a mean between minimum and maximum"),
        (("statistics", "above", "hi", "data"), [-0.001, 2.0, 0.0, 0.0], "a mean between minimum and maximum"),
        (("statistics", "above", "hi", "data"), [1.0, 2.0, 1.0, 0.0], "a mean between minimum and maximum"),
        (("statistics", "above", "hi", "data"), ["inf", 4.0, 0.0, 0.0], "above to be finite"),
        (("statistics", "above"), {"hi": HUGE, "lo": HUGE}, "above to be finite and normalised"),
        (("statistics", "above", "hi"), {"array": "float64", "shape": [1], "data": [1.0]}, "above to be two arrays"),
        (("n_features_in",), 3, "count to be 3 numbers"),
        (("n_features_in",), 0, "n_features_in to be a number of features"),
        (("n_features_in",), 2**60, "n_features_in to be a number of features"),
        (("n_features_in",), None, "no statistics without fit"),
        (("feature_names_in",), ["a", "b", "c"], "feature_names_in to be 4 different names"),
        (("feature_names_in",), ["a", "b", "c", "a"], "feature_names_in to be 4 different names"),
        (("feature_names_in",), ["a", "b", "c", 4], "feature_names_in to be a list of texts"),
        (("output",), "numpy", "output to be null"),
        (("requests",), {"transform": {"copy": True}}, "requests of metadata"),
        (("requests",), {"fit": {"X": True}}, "requests of metadata"),
        (("requests",), {"fit": {"sample_weight": "not a name"}}, "requests to be true, false or a name"),
        (("parameters", "ddof"), -1, "ddof to be an integer of at least 0"),
        (("parameters", "mean"), [1.0, 2.0], "mean to be a number or 4 numbers"),
        (("parameters", "copy"), "yes", "copy to be True or False"),
        (("parameters", "dtype"), {"dtype": "int8"}, "dtype to be None, float16, float32 or float64"),
    ],
)
def test_an_error_says_what_is_wrong(where, to, expected, loaded):
    with pytest.raises(ValueError, match=r"^Expected") as error:
        loaded(changed("standardizer", *where, to=to))
    assert_says(error.value, expected, "", "")


@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1.0, 1e200, 4e307])
@pytest.mark.parametrize(
    "name, factor, expected",
    [
        ("n_samples", np.inf, "n_samples to be finite without weights"),
        ("variance", 0.0, "a variance above 0 where minimum and maximum differ"),
        ("variance", 1.001, "a variance of at most (maximum - minimum)**2 / 4"),
        ("above", 2.001, "a mean between minimum and maximum"),
        ("above", -0.001, "a mean between minimum and maximum"),
    ],
)
def test_statistics_that_no_data_have_are_refused_whatever_their_scale(scale, name, factor, expected, tmp_path):
    norm = sknorm.Standardizer().fit([[scale], [3 * scale]])
    sknorm.save(norm, tmp_path / "norm.json")
    norm.statistics_ = replace(norm.statistics_, **{name: getattr(norm.statistics_, name) * factor})
    with pytest.raises(ValueError, match=r"^Expected") as error:
        sknorm.save(norm, tmp_path / "norm.json")
    assert_says(error.value, expected, "", "")


@pytest.mark.parametrize("weights", [[1e-300, 1.0, 1.0], [1e308, 1e308, 1e308], [5e-324, 1.7e308, 5e-324]])
@pytest.mark.parametrize("scale", [1e-310, 1.0, 4e307])
def test_statistics_of_awkward_weights_are_read(weights, scale, tmp_path):
    """The variance may underflow, and the count overflow."""
    norm = sknorm.Standardizer().fit(np.array([[-4.0], [1.0], [1.0]]) * scale, sample_weight=weights)
    sknorm.save(norm, tmp_path / "norm.json")
    assert sknorm.load(tmp_path / "norm.json").n_samples_seen_ == norm.n_samples_seen_


@pytest.mark.parametrize("levels", [200, 900, 100_000])
@pytest.mark.parametrize("start, end", ["[]", ('{"tuple": [', "]}"), ('{"a":', "}")])
def test_deep_nesting_is_refused(start, end, levels, tmp_path):
    path = tmp_path / "norm.json"
    within = start * levels + "1" + end * levels
    for text in (within, (FOLDER / "row_layer_norm.json").read_text().replace("0.5", within)):
        path.write_text(text)
        assert WORDING.search(refusal(path))


@pytest.mark.parametrize(
    "content, got",
    [
        (b"", "Expecting value"),
        (b"\x80\x04\x95", "bytes that are no UTF-8"),
        (b"PK\x03\x04", "Expecting value"),
        (json.dumps(DOCUMENTS["row_softmax"]).encode()[:-9], "at line 1"),
        (b"[1, 2]", "[1, 2]"),
        (b'{"format": "other", "version": 1}', "'other'"),
    ],
)
def test_another_kind_of_file_is_refused(content, got, loaded):
    with pytest.raises(ValueError, match=r"^Expected") as error:
        loaded(content)
    assert_says(error.value, "", got, "sknorm.save did not write it")


def test_every_file_cut_short_is_refused(loaded):
    text = (FOLDER / "standardizer.json").read_bytes().rstrip()
    for size in range(0, len(text), 7):
        with pytest.raises(ValueError, match=r"^Expected"):
            loaded(text[:size])


def test_a_missing_file_is_python_s_own_error(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"norm\.json"):
        sknorm.load(tmp_path / "norm.json")
