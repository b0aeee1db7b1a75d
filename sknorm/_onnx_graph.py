"""F4, formulas as ONNX graphs: operators on a `Tensor` write the nodes that compute them.

Everything is computed in double, whatever goes in and comes out, so that an offset of 1e7 or 1e15 costs no accuracy;
integers of 64 bits are two doubles, since one cannot hold them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ._precision import Array

Operand: TypeAlias = "Tensor | float | Array"
WIDE_INTEGERS = (np.dtype(np.int64), np.dtype(np.uint64))


def dtype_of(variable: Any) -> np.dtype[Any]:
    """The NumPy dtype of a variable of skl2onnx; of objects where it has none."""
    from onnx import helper

    return np.dtype(helper.tensor_dtype_to_np_dtype(variable.type.to_onnx_type().tensor_type.elem_type))


@dataclass(frozen=True)
class Graph:
    """The graph that skl2onnx builds: names from ``scope``, nodes into ``container``."""

    scope: Any
    container: Any

    @property
    def opset(self) -> int:
        opset: int = self.container.target_opset_any_domain("")
        return opset

    def constant(self, value: Any, dtype: Any = np.float64) -> Tensor:
        from onnx import numpy_helper

        name = self.scope.get_unique_variable_name("constant")
        tensor = numpy_helper.from_array(np.asarray(value, dtype=dtype), name)
        self.container.add_initializer(name, tensor.data_type, list(tensor.dims), tensor)
        return Tensor(self, name)

    def node(self, kind: str, *inputs: Any, output: str | None = None, **attributes: Any) -> Tensor:
        """The output of one node; numbers among its inputs become constants."""
        tensors = [x if isinstance(x, Tensor) else self.constant(x) for x in inputs]
        output = self.scope.get_unique_variable_name(kind.lower()) if output is None else output
        name = self.scope.get_unique_operator_name(kind)
        self.container.add_node(kind, [x.name for x in tensors], [output], name=name, **attributes)
        return Tensor(self, output)

    def where(self, condition: Tensor, yes: Any, no: Any) -> Tensor:
        return self.node("Where", condition, yes, no)

    def beside(self, parts: list[Tensor], output: str | None = None) -> Tensor:
        """Side by side along the last axis."""
        return self.node("Concat", *parts, axis=-1, output=output)

    def values(self, variables: list[Any]) -> tuple[Tensor, Tensor | None, np.dtype[Any]]:
        """The data as doubles, what these lack of integers of 64 bits, and the common dtype."""
        dtype = np.result_type(*map(dtype_of, variables))
        tensors = [Tensor(self, variable.full_name) for variable in variables]
        if dtype not in WIDE_INTEGERS:
            parts = [tensor.cast(np.float64) for tensor in tensors]
            return parts[0] if len(parts) == 1 else self.beside(parts), None, dtype
        parts = [tensor.cast(dtype) for tensor in tensors]
        whole = parts[0] if len(parts) == 1 else self.beside(parts)
        # eleven low bits apart: both parts are exact in double
        low = self.node("Mod", whole, self.constant(2048, dtype))
        return (whole - low).cast(np.float64), low.cast(np.float64), dtype


@dataclass(frozen=True)
class Tensor:
    """A named value of a graph; what is done with it becomes a node, unless it is adding 0.0 or multiplying by 1.0."""

    graph: Graph
    name: str

    def __add__(self, other: Operand) -> Tensor:
        return self if _is(0.0, other) else self.graph.node("Add", self, self._safe(other, 0.0))

    def __sub__(self, other: Operand) -> Tensor:
        return self.graph.node("Sub", self, self._safe(other, 0.0))

    def __mul__(self, other: Operand) -> Tensor:
        return self if _is(1.0, other) else self.graph.node("Mul", self, self._safe(other, 1.0))

    def __truediv__(self, other: Operand) -> Tensor:
        return self.graph.node("Div", self, self._safe(other, 1.0))

    def _safe(self, other: Operand, neutral: float) -> Operand:
        """A number that onnxruntime would take for 0 or 1, since it rounds to float32 first, comes from a node."""
        if isinstance(other, Tensor) or np.size(other) > 1:
            return other
        with np.errstate(all="ignore"):
            mistaken = np.all(np.float32(other) == neutral) and np.all(other != neutral)
        return self.graph.where(self.is_nan(), np.nan, other) if mistaken else other

    def is_below(self, other: Operand) -> Tensor:
        return self.graph.node("Less", self, other)

    def is_above(self, other: Operand) -> Tensor:
        return self.graph.node("Greater", self, other)

    def equals(self, other: Operand) -> Tensor:
        return self.graph.node("Equal", self, other)

    def is_nan(self) -> Tensor:
        return self.graph.node("IsNaN", self)

    def cast(self, dtype: Any, output: str | None = None) -> Tensor:
        from onnx import helper

        return self.graph.node("Cast", self, to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), output=output)

    def sqrt(self) -> Tensor:
        return self.graph.node("Sqrt", self)

    def abs(self) -> Tensor:
        return self.graph.node("Abs", self)

    def exp(self) -> Tensor:
        return self.graph.node("Exp", self)

    def log(self) -> Tensor:
        return self.graph.node("Log", self)

    def sum(self) -> Tensor:
        """Over the last axis, which stays, with size 1; so do `min` and `max`."""
        return self.graph.node("ReduceSum", self, self.graph.constant([-1], np.int64), keepdims=1)

    def min(self) -> Tensor:
        return self._extremum("ReduceMin")

    def max(self) -> Tensor:
        return self._extremum("ReduceMax")

    def _extremum(self, kind: str) -> Tensor:
        if self.graph.opset < 18:
            return self.graph.node(kind, self, axes=[-1], keepdims=1)
        return self.graph.node(kind, self, self.graph.constant([-1], np.int64), keepdims=1)


def _is(number: float, value: Any) -> bool:
    return isinstance(value, float) and value == number
