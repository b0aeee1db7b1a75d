"""F4, the five transformers in ONNX: importing this module makes skl2onnx convert them.

>>> import sknorm.onnx
>>> from skl2onnx import to_onnx
>>> import numpy as np
>>> X = np.array([[1.0, 10.0], [3.0, 20.0]], dtype=np.float32)
>>> model = to_onnx(sknorm.Standardizer().fit(X), X)

They convert alone and inside pipelines, column transformers and feature unions, for inputs of any real dtype, opset 15
or newer. The graph subtracts first and then divides, in double between a Cast of the input and a Cast of the result:
float32 arithmetic would not be enough for a mean that float32 cannot hold, or for samples far from 0. In onnxruntime
the outputs are within 4 units in the last place of float32 of those of `transform`, as a rule equal.

`RowLayerNorm` becomes the operator LayerNormalization of opset 17, on centred samples, where that operator can do it:
eps a normal float32 (so not 0), input and output narrower than float64, no statistics kept, width known from fit.
Everything else is spelled out, RMSNormalization of opset 23 too, which skl2onnx does not take yet.

A column transformer gives columns of several dtypes to skl2onnx's own cast, to the dtype of one of them. Where that
loses digits (float32 with integers, int32 with bool) right before one of the five, the conversion is an error; with
another step between, an imputer say, it goes unnoticed. Convert the data to one dtype before fit.

A graph has no checks of data: a column too many or in another place goes unnoticed, infinity is not refused. It has
no `inverse_transform` either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _onnx_formulas, _validation
from ._min_max_normalizer import MinMaxNormalizer
from ._onnx_graph import Graph, Tensor, dtype_of
from ._precision import Array, output_dtype
from ._row_layer_norm import RowLayerNorm
from ._row_rms_norm import RowRMSNorm
from ._row_softmax import RowSoftmax
from ._standardizer import Standardizer

OLDEST_OPSET = 15
FORMULAS: dict[type, Callable[..., Tensor]] = {
    MinMaxNormalizer: _onnx_formulas.dataset_transformer,
    Standardizer: _onnx_formulas.dataset_transformer,
    RowLayerNorm: _onnx_formulas.layer_norm,
    RowRMSNorm: _onnx_formulas.rms_norm,
    RowSoftmax: _onnx_formulas.softmax,
}


def _parsed(scope: Any, norm: Any, inputs: list[Any], custom_parsers: Any = None) -> Any:
    """One operator, of one output; what follows wants to know its dtype, but not yet its shape."""
    from skl2onnx.common import data_types

    name, dtypes = type(norm).__name__, [dtype_of(variable) for variable in inputs]
    if any(dtype.kind not in "biuf" for dtype in dtypes):
        types = ", ".join(type(variable.type).__name__ for variable in inputs)
        raise _validation.not_in_onnx(f"real numbers as input of {name}", types, "Encode text and categories first.")
    kinds = {2: data_types.Float16TensorType, 4: data_types.FloatTensorType, 8: data_types.DoubleTensorType}
    out = output_dtype(np.result_type(*dtypes), norm.dtype)
    operator = scope.declare_local_operator(_alias(type(norm)), norm)
    for variable in inputs:
        operator.inputs.append(variable)
    operator.outputs.append(scope.declare_local_variable("normalized", kinds[out.itemsize]()))
    return operator.outputs


def _alias(cls: type) -> str:
    return f"Sknorm{cls.__name__}"


def _set_shape(operator: Any) -> None:
    """The shape of the output, from those of the inputs, and whether the transformer can work on it."""
    norm = operator.raw_operator
    check_is_fitted(norm)
    for variable in operator.inputs:
        _check_merged(variable, operator.scope_inst)
    shapes = [variable.type.shape for variable in operator.inputs]
    known = all(isinstance(shape[-1], int) for shape in shapes)
    width = sum(shape[-1] for shape in shapes) if known else getattr(norm, "n_features_in_", None)
    if width is not None:
        nothing, names = np.empty((0, width)), getattr(norm, "feature_names_in_", None)
        _validation.check_width(width, getattr(norm, "n_features_in_", width), norm)
        norm.transform(nothing if names is None else _frame(nothing, names))  # which checks the parameters
        width += len(norm._statistics._fields) if getattr(norm, "keep_stats", False) else 0
    operator.outputs[0].type.shape = [*shapes[0][:-1], width]


def _check_merged(variable: Any, scope: Any) -> None:
    """skl2onnx casts the columns that it merges to the dtype of one of them, which may not hold the others."""
    for producer in scope.operators.values():
        if producer.type == "SklearnConcat" and any(output is variable for output in producer.outputs):
            dtypes, merged = {dtype_of(column) for column in producer.inputs}, dtype_of(variable)
            if np.result_type(*dtypes) != merged:
                got = f"{', '.join(sorted(map(str, dtypes)))}, which skl2onnx casts to {merged}"
                remedy = "Convert the data to one dtype before fit, with frame.astype(float) say."
                raise _validation.not_in_onnx("columns of one dtype", got, remedy)


def _converter(formula: Callable[..., Tensor]) -> Callable[[Any, Any, Any], None]:
    def convert(scope: Any, operator: Any, container: Any) -> None:
        graph, out = Graph(scope, container), dtype_of(operator.outputs[0])
        if graph.opset < OLDEST_OPSET:
            expected, got = f"opset {OLDEST_OPSET} or newer", f"opset {graph.opset}"
            raise _validation.not_in_onnx(expected, got, f"Pass target_opset={OLDEST_OPSET} or more.")
        y = formula(graph, operator.raw_operator, operator.inputs, out)
        y.cast(out, output=operator.outputs[0].full_name)

    return convert


def _frame(values: Array, names: Array) -> Any:
    from pandas import DataFrame

    return DataFrame(values, columns=names)


def _register() -> None:
    try:
        from skl2onnx import update_registered_converter
    except ImportError as error:
        raise _validation.missing_extra("skl2onnx", "onnx") from error
    for cls, formula in FORMULAS.items():
        update_registered_converter(cls, _alias(cls), _set_shape, _converter(formula), parser=_parsed)


_register()
