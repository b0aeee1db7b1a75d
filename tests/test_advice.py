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


def test_test_data_scaled_as_the_training_data_are_left_so():
    scaler = Standardizer().fit(ordinary[:200])
    assert "leave those" in diagnose(scaler.transform(ordinary[200:])).advice["Standardizer"].text
    assert "leave those" not in diagnose(ordinary + 1).advice["Standardizer"].text
    assert "with_mean=False" in diagnose(sp.csr_array(ordinary)).advice["Standardizer"].text


def test_one_hot_samples_are_called_that():
    assert any(text.startswith("One-hot") for text in diagnose(np.eye(5)[[0, 1, 2, 3, 4, 4]]).warnings)
    assert not any(text.startswith("One-hot") for text in diagnose(ordinary > 0).warnings)
