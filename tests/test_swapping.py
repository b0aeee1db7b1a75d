"""What the README says to somebody who comes from scikit-learn."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler

from sknorm import MinMaxNormalizer, RowRMSNorm, Standardizer, diagnose


@pytest.mark.parametrize("of_rounding", [0.3 - 0.2, 0.1 + 1e-16])
def test_diagnose_names_a_column_that_is_constant_but_for_rounding(of_rounding):
    X = np.array([[0.1, 1.5], [of_rounding, -2.25], [0.1, 4.125]])
    np.testing.assert_allclose(StandardScaler().fit_transform(X)[:, 0], 0, atol=1e-15)
    np.testing.assert_allclose(Standardizer().fit(X).transform(X)[:, 0].std(), 1)
    (warning,) = diagnose(X).warnings
    assert warning.startswith("Nearly constant (x0)")


def test_a_fitted_scaler_goes_on_as_known_statistics():
    X = np.random.default_rng(0).normal(5, 3, (20, 4))
    old = StandardScaler().fit(X[:10])
    new = Standardizer(mean=old.mean_, std=old.scale_).fit(X)
    np.testing.assert_allclose(new.transform(X), old.transform(X), rtol=0, atol=1e-15)


def test_rows_of_one_unit_are_those_of_the_normalizer():
    X = np.random.default_rng(0).normal(size=(20, 7))
    unit = RowRMSNorm(eps=0, gamma=np.full(7, 7**-0.5))
    np.testing.assert_allclose(unit.fit_transform(X), Normalizer().fit_transform(X), rtol=1e-15)


def test_parameters_that_are_set_after_fit_say_what_to_make_of_the_statistics():
    X = np.arange(4.0)[:, None]
    ours, theirs = (cls().fit(X).set_params(feature_range=(0, 10)) for cls in (MinMaxNormalizer, MinMaxScaler))
    assert (ours.transform(X).max(), theirs.transform(X).max()) == (10, 1)


def test_only_negative_weights_are_refused_here_and_taken_there():
    X, weights = [[1.0], [2.0], [4.0]], [2, -1, 3]
    assert StandardScaler().fit(X, sample_weight=weights).mean_ == 3
    with pytest.raises(ValueError, match="not negative"):
        Standardizer().fit(X, sample_weight=weights)


def test_skl2onnx_knows_nothing_of_us_before_our_import():
    code = """
import numpy as np, sknorm, skl2onnx
from skl2onnx.common.exceptions import MissingShapeCalculator
X = np.zeros((2, 2), np.float32)
try:
    skl2onnx.to_onnx(sknorm.Standardizer().fit(X), X)
except MissingShapeCalculator:
    import sknorm.onnx
    skl2onnx.to_onnx(sknorm.Standardizer().fit(X), X)
    print("converted")
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert run.stdout == "converted\n", run.stderr
