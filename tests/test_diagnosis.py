"""What is reported of odd data, and the report as a value."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sknorm import Standardizer, diagnose
from sknorm import _constraints as c

rng = np.random.default_rng(11)
ordinary = rng.normal(0.1, 1, (300, 5))


def verdicts(report):
    return {feature.verdict for feature in report.features.values()}


STANDARD = Standardizer().fit_transform(ordinary)


def test_missing_and_infinite_values_are_counted_and_left_out():
    X = Standardizer().fit_transform(np.c_[ordinary[:, 0], np.r_[ordinary[:290, 1], np.full(10, np.nan)]])
    X = np.r_[X, [[np.inf, -np.inf], [np.nan, np.inf]]]
    report = diagnose(X)
    first, second = report.features.values()
    assert (first.verdict, first.n, first.missing, first.infinite) == (c.STANDARD, 300, 1, 1)
    assert (second.verdict, second.n, second.missing, second.infinite) == (c.STANDARD, 290, 10, 2)
    assert (report.samples.missing, report.samples.infinite) == (11, 2)
    assert report.advice["Standardizer"].effect == "refused"
    assert "Infinite values (x0, x1)" in report.warnings[0]
    nothing = diagnose(np.full((3, 2), np.inf))
    assert verdicts(nothing) == {c.EMPTY}
    assert nothing.samples[:4] == ("nothing to judge", nothing.samples.holds, 3, 0)


@pytest.mark.parametrize("library", [pd, pl])
def test_columns_that_are_not_numeric_are_reported(library):
    frame = library.DataFrame({"a": [1.0, 2.5, None], "b": ["x", "y", "z"], "c": [True, False, True]})
    report = diagnose(frame)
    assert [report.features[name].verdict for name in "abc"] == [c.NONE, c.NOT_NUMERIC, c.BINARY]
    assert report.features["a"].missing == 1
    assert report.samples.n == 3
    assert any("Not numeric (b)" in text for text in report.warnings)
    text = diagnose(frame[["b"]])
    assert "Nothing to judge" in text.verdict
    assert any("Not numeric (b)" in warning and "encode" in warning for warning in text.warnings)


@pytest.mark.parametrize("X", [[1.0, 2.0], pd.Series([1.0]), pl.Series([1.0]), np.empty((3, 0)), np.array([["a"]])])
def test_what_no_class_can_read_is_refused_in_the_same_words(X):
    with pytest.raises(ValueError) as expected:  # noqa: PT011
        Standardizer().fit(X)
    with pytest.raises(ValueError) as error:  # noqa: PT011
        diagnose(X)
    assert str(error.value) == str(expected.value)


def test_columns_of_one_name_are_refused():
    with pytest.raises(ValueError, match="distinct column names"):
        diagnose(pd.DataFrame(np.eye(2), columns=["a", "a"]))


@pytest.mark.parametrize("shape", [(0, 3), (4, 0, 3)])
def test_no_samples_are_nothing_to_judge(shape):
    report = diagnose(np.empty(shape))
    assert "Nothing to judge" in report.verdict
    assert (verdicts(report), report.samples.n) == ({c.EMPTY}, 0)
    assert str(report)


def test_a_report_can_be_kept():
    report = diagnose(STANDARD)
    assert str(report)
    for again in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report)):
        assert str(again) == str(report)
    with pytest.raises(AttributeError):
        report.samples = None
    with pytest.raises(TypeError):
        report.features["x0"] = None


def test_a_feature_is_found_by_its_name():
    frame = pd.DataFrame(np.c_[STANDARD[:, 0], ordinary[:, 0]], columns=[("a", 1), 7])
    report = diagnose(frame)
    assert report.features["a", 1].verdict == c.STANDARD
    assert report.features[7].verdict == c.NONE
    assert diagnose(STANDARD).features["x4"].holds == (c.STANDARD, c.VARIANCE)


VERDICTS = [
    (STANDARD, "Normalised by feature: mean 0, variance 1 (5 of 5 features)."),
    (np.c_[STANDARD, ordinary], "Partly normalised by feature: mean 0, variance 1 (5 of 10 features)."),
    (np.c_[STANDARD, ordinary > 0, np.ones(300)], "Normalised by feature: mean 0, variance 1 (5 of 11 features)."),
    (ordinary + 1, "Not normalised, neither by feature nor by sample."),
    (STANDARD.round(4), "Not normalised within rounding, but close to mean 0 and variance 1."),
    (ordinary[:200], "Not normalised within rounding, but close to mean 0 and variance 1."),
    (np.eye(3), "Normalised by sample: sum 1, none negative."),
    (np.full((3, 2), 3), "Not normalised, and no feature to be: all are constant or indicators."),
    (np.array([[0], [255]]), "Not normalised: perhaps raw pixels from 0 to 255."),
    ([[np.nan]], "Nothing to judge: there are no numbers."),
]


@pytest.mark.parametrize("X, verdict", VERDICTS, ids=[verdict for _, verdict in VERDICTS])
def test_the_verdict_is_one_sentence(X, verdict):
    assert diagnose(X).verdict == verdict


def test_the_frame_has_a_row_per_feature():
    table = pd.DataFrame({"a": [1.0, np.inf, np.nan, 2.5], "b": list("wxyz")})
    expected = {
        "verdict": [c.NONE, c.NOT_NUMERIC],
        "n": [2, 0],
        "missing": [1, 0],
        "infinite": [1, 0],
        "min": [1.0, np.nan],
        "max": [2.5, np.nan],
        "mean": [1.75, np.nan],
        "std": [0.75, np.nan],
    }
    found = diagnose(table).to_frame()
    pd.testing.assert_frame_equal(found, pd.DataFrame(expected, index=pd.Index(["a", "b"], name="feature")))
    found.loc["a", "n"] = 0  # a copy
    assert diagnose(table).features["a"].n == 2
