"""What each class would bring, and what to beware of."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.preprocessing import Normalizer

from sknorm import MinMaxNormalizer, RowLayerNorm, RowSoftmax, Standardizer, diagnose

rng = np.random.default_rng(13)
ordinary = rng.normal(0.1, 1, (300, 5))
STANDARD = Standardizer().fit_transform(ordinary)
UNIT = MinMaxNormalizer().fit_transform(ordinary)
LAYER = RowLayerNorm(eps=0).fit_transform(ordinary)
EFFECTS = [
    (STANDARD, "Standardizer", "useless"),
    (STANDARD, "RowLayerNorm", "harmful"),
    (STANDARD, "MinMaxNormalizer", "useful"),
    (UNIT, "MinMaxNormalizer", "useless"),
    (ordinary, "Standardizer", "useful"),
    (ordinary, "RowRMSNorm", "useful"),
    (LAYER, "RowLayerNorm", "useless"),
    (LAYER, "RowRMSNorm", "useless"),
    (LAYER, "Standardizer", "harmful"),
    (RowSoftmax().fit_transform(ordinary), "RowSoftmax", "harmful"),
    (RowSoftmax().fit_transform(ordinary), "RowLayerNorm", "harmful"),
    (Normalizer().fit_transform(ordinary), "RowRMSNorm", "useless"),
    (np.eye(4), "Standardizer", "useless"),
    (np.ones((4, 2)), "MinMaxNormalizer", "useless"),
    (np.zeros((4, 2)), "RowLayerNorm", "useless"),
    (ordinary[:, :1], "RowLayerNorm", "harmful"),
    (ordinary * [1, 1, 1, 1, 1e5], "RowLayerNorm", "harmful"),
    (ordinary * 1e3, "RowSoftmax", "harmful"),
    (sp.csr_array(ordinary), "MinMaxNormalizer", "refused"),
    (sp.csr_array(ordinary), "RowSoftmax", "refused"),
]


@pytest.mark.parametrize("X, name, effect", EFFECTS)
def test_it_says_what_a_class_would_bring(X, name, effect):
    assert diagnose(X).advice[name].effect == effect


@pytest.mark.parametrize(
    "least, most, apart", [(1, 1e5, "1e+05"), (5e-324, 5e-300, "1e+23"), (5e-324, 1e300, "1e+99"), (1, 999, None)]
)
def test_the_factor_between_spreads_is_told_for_values_of_any_size(least, most, apart):
    X = np.zeros((100, 2))
    X[0] = least, most  # the spread of the least float vanishes
    with np.errstate(all="raise"):
        text = diagnose(X).advice["RowRMSNorm"].text
    assert (f"apart by a factor of {apart} " in text) == (apart is not None)


def test_test_data_scaled_as_the_training_data_are_left_so():
    scaler = Standardizer().fit(ordinary[:200])
    assert "leave those" in diagnose(scaler.transform(ordinary[200:])).advice["Standardizer"].text
    assert "leave those" not in diagnose(ordinary + 1).advice["Standardizer"].text
    assert "with_mean=False" in diagnose(sp.csr_array(ordinary)).advice["Standardizer"].text


def test_one_hot_samples_are_called_that():
    assert any(text.startswith("One-hot") for text in diagnose(np.eye(5)[[0, 1, 2, 3, 4, 4]]).warnings)
    assert not any(text.startswith("One-hot") for text in diagnose(ordinary > 0).warnings)


def test_what_is_not_0_or_1_is_not_called_one_hot():
    for X in ([[0.2, 0.3, 0.5]], np.full((10, 2), 0.5), [[0.2, 0.8, 0.0], [0.2, 0.8, 0.0]]):
        assert not any(text.startswith("One-hot") for text in diagnose(X).warnings)
    padded = diagnose(np.c_[np.eye(3), np.zeros(3)])
    assert any("a single 1," in text for text in padded.warnings)
    assert any("a single 1 or none," in text for text in diagnose(np.eye(4, 3)).warnings)


@pytest.mark.parametrize("form", [np.array, sp.csr_array, sp.csc_array])
def test_softmax_takes_minus_infinity_alone(form):
    masked, above = (np.array([[1, end], [2, 3.0]]) for end in (-np.inf, np.inf))
    RowSoftmax().fit_transform(masked)
    with pytest.raises(ValueError, match="inf"):
        RowSoftmax().fit_transform(above)
    assert diagnose(form(above)).advice["RowSoftmax"].effect == "refused"
    assert not diagnose(form(masked)).has_positive_infinity
    assert diagnose(masked).advice["RowSoftmax"].effect == "useful"
    assert diagnose(masked).advice["RowRMSNorm"].effect == "refused"
    assert "all classes but RowSoftmax" in diagnose(masked).warnings[0]
