"""Conversion to ONNX."""

import numpy as np
import pandas as pd
from skl2onnx import convert_sklearn, to_onnx
from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError

import sknorm.onnx
from sknorm import Standardizer

from .row import Row, X, without

FITTED = Standardizer().fit(X)
FRAME = pd.DataFrame({"a": np.float32([1.5, 2.5]), "b": np.int64([1, 2])})


def of_columns():
    model = ColumnTransformer([("both", Standardizer(), ["a", "b"])]).fit(FRAME)
    return convert_sklearn(model, initial_types=[("a", FloatTensorType([None, 1])), ("b", Int64TensorType([None, 1]))])


ROWS = [
    Row(
        lambda: without("skl2onnx", sknorm.onnx._register),
        ImportError,
        'Expected skl2onnx to be installed, got no such package. Run pip install "sknorm[onnx]".',
    ),
    Row(
        lambda: convert_sklearn(FITTED, initial_types=[("X", StringTensorType([None, 2]))]),
        ValueError,
        "Expected real numbers as input of Standardizer, to convert to ONNX, got StringTensorType. Encode text and "
        "categories first.",
    ),
    Row(
        lambda: convert_sklearn(FITTED, initial_types=[("X", FloatTensorType([None, 3]))]),
        ValueError,
        "X has 3 features, but Standardizer is expecting 2 features as input.",
        words="scikit-learn",
    ),
    Row(
        lambda: to_onnx(Standardizer(), X),
        NotFittedError,
        "This Standardizer instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
        "estimator.",
        words="scikit-learn",
    ),
    Row(
        lambda: to_onnx(FITTED, X, target_opset=12),
        ValueError,
        "Expected opset 15 or newer, to convert to ONNX, got opset 12. Pass target_opset=15 or more.",
    ),
    Row(
        lambda: of_columns(),
        ValueError,
        "Expected columns of one dtype, to convert to ONNX, got float32, int64, which skl2onnx casts to float32. "
        "Convert the data to one dtype before fit, with frame.astype(float) say.",
    ),
]
