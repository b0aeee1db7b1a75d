"""Of many samples each kind is drawn, and all are counted."""

import numpy as np
import pytest
import scipy.sparse as sp

from sknorm import RowRMSNorm
from sknorm._plot_samples import chosen, kinds_of_samples
from sknorm.plotting import NormalizationDisplay

from .pictures import drawn

draw = NormalizationDisplay.from_estimator


def test_samples_of_every_kind_are_drawn_of_periodic_data():
    X = np.tile([[1.0, 2.0], [100.0, 300.0]], (300, 1))
    display = draw(RowRMSNorm(), X)
    small = np.count_nonzero(display.before.levels[-1] == 2)
    assert 70 < small < 130


def test_the_few_that_need_a_mark_are_drawn_and_counted():
    X = np.random.default_rng(0).normal(size=(1500, 6))
    X[[3, 701]] = 5.0
    X[1234] = np.nan
    X[77, 2] = np.nan
    display = drawn(draw(RowRMSNorm(), X))
    assert {3, 77, 701, 1234} <= set(display.index)
    assert [len(line[0].get_xdata()) for line in display.marks_.values()] == [2, 1, 1]
    labels = [text.get_text() for text in display.legend_.get_texts()]
    for label in ("one value only: 2 samples", "some values missing: 1 sample", "all missing: 1 sample"):
        assert label in labels


def test_where_not_all_fit_a_rare_kind_is_whole_and_the_legend_says_how_many_are_drawn():
    X = np.random.default_rng(0).normal(size=(1500, 6))
    X[:700, 0] = np.nan
    X[800] = 1.0
    display = draw(RowRMSNorm(), X)
    assert len(display.index) == 200
    labels = [text.get_text() for text in display.legend_.get_texts()]
    assert "one value only: 1 sample" in labels
    part = len(display.marks_["missing in part"][0].get_xdata())
    assert f"some values missing: 700 samples, {part} drawn" in labels
    assert 90 <= part <= 110


@pytest.mark.parametrize("block", [1, 4, 1 << 20])
def test_kinds_of_samples_are_those_of_the_dense_and_of_the_sparse(block, monkeypatch):
    monkeypatch.setattr("sknorm._plot_samples.BLOCK", block)
    nan = np.nan
    X = np.array([[0, 0, 0], [2, 2, 2], [0, 2, 2], [nan, 1, 1], [nan, 0, 1], [nan, nan, nan], [0, nan, 0]])
    expected = {
        "constant": [1, 1, 0, 1, 0, 0, 1],
        "missing in part": [0, 0, 0, 1, 1, 0, 1],
        "missing": [0, 0, 0, 0, 0, 1, 0],
    }
    for values in (X, sp.csr_array(X), sp.csc_matrix(X), X.reshape(7, 1, 3)):
        found = kinds_of_samples(values)
        assert {what: list(mask.astype(int)) for what, mask in found.items()} == expected


def test_few_are_all_chosen():
    assert list(chosen(kinds_of_samples(np.eye(5)), 5)) == [0, 1, 2, 3, 4]


def test_a_tone_that_is_hidden_is_not_in_the_legend():
    X = np.random.default_rng(0).normal(size=(30, 9))  # of 9 values the first and the last are at 5 and 95 %
    labels = [text.get_text() for text in draw(RowRMSNorm(), X).legend_.get_texts()]
    assert labels == ["5 to 95 %", "25 to 75 %", "median", "0, ±1 root mean square"]
