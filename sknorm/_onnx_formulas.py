"""F4, the formulas of the five transformers as graphs: subtract first, then divide, all of it in double.

Each takes the graph, the transformer, the variables of skl2onnx and the dtype of the output, to which the result is
still to be cast.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ._kernels import AffineMap
from ._onnx_graph import Graph, Operand, Tensor
from ._precision import EXTREME_EXPONENT, SAFE_EXPONENT, Array, DoubleDouble

LAYER_NORMALIZATION_OPSET = 17


# -- one affine map of each feature -------------------------------------------------------------------------------


def dataset_transformer(graph: Graph, norm: Any, variables: list[Any], out: np.dtype[Any]) -> Tensor:
    """``b + (x - a) / d`` for each feature, with what `AffineMap` says of scaling, of starts and of bounds."""
    x, low, _ = graph.values(variables)
    f: AffineMap = norm._map("forward", out)
    shrink = _unless_all(1.0, np.ldexp(1.0, -f.inner))
    a_rest = f.a.lo if f.a_rest is None else f.a.lo + f.a_rest
    with np.errstate(all="ignore"):
        d = (DoubleDouble.of(np.ones(len(f.reach))) / f.k).hi
    if low is None:
        t = x * shrink - f.a.hi + _unless_all(0.0, -a_rest)
    else:  # whole numbers first, whose differences are exact
        whole = np.rint(f.a.hi)
        rest = f.a.hi - whole + a_rest
        t = x * shrink - whole + (low * shrink - np.rint(rest)) - (rest - np.rint(rest))
    y = (t / d + _unless_all(0.0, f.b.hi)) * _unless_all(1.0, np.ldexp(1.0, f.outer))
    if f.start is not None:
        y = graph.where(t.equals(0.0), f.start, y)
    if f.bounds is not None:  # NaN is neither above nor below
        lowest, highest = map(float, f.bounds)
        y = graph.where(y.is_below(lowest), lowest, graph.where(y.is_above(highest), highest, y))
    return y


def _unless_all(neutral: float, values: Array) -> Operand:
    """``values``, or one number that needs no node."""
    return neutral if (values == neutral).all() else values


# -- each sample by itself ----------------------------------------------------------------------------------------


class _Samples:
    """The data as doubles, of which those that are missing count in no sum and no extremum."""

    def __init__(self, graph: Graph, variables: list[Any]) -> None:
        self.graph = graph
        self.x, self.low, self.dtype = graph.values(variables)
        self.missing = self.x.is_nan()

    @cached_property
    def count(self) -> Tensor:
        return self.present(self.graph.constant(1.0), 0.0).sum()

    def present(self, values: Tensor, otherwise: float) -> Tensor:
        return self.graph.where(self.missing, otherwise, values)

    def mean(self, values: Tensor) -> Tensor:
        return self.present(values, 0.0).sum() / self.count


class _Units(NamedTuple):
    """Powers of two that keep the squares of huge and tiny values in range; 1.0 where no square can leave it.

    The root of ``mean(x**2) + eps`` is ``grow`` times that of ``ratio**2 * mean((shrink * x)**2) + eps``, this eps
    being in the unit of the root.
    """

    shrink: Tensor | float
    ratio: Tensor | float
    eps: Tensor | float
    back: Tensor | float  # 1 / shrink
    grow: Tensor | float

    @classmethod
    def of(cls, samples: _Samples, eps: float) -> _Units:
        if samples.dtype != np.float64:
            return cls(1.0, 1.0, eps, 1.0, 1.0)
        magnitude = samples.present(samples.x.abs(), 0.0).max()
        shrink, back = _powers_of_two_near(magnitude)
        unit, grow = _powers_of_two_near(samples.graph.node("Max", magnitude, np.sqrt(eps)))
        return cls(shrink, unit * back, unit * eps * unit, back, grow)


def _powers_of_two_near(magnitude: Tensor) -> tuple[Tensor, Tensor]:
    """``2**-p`` and ``2**p``, with p near the exponent of what is huge or tiny, and 0 for anything else."""
    graph = magnitude.graph
    exponent = graph.node("Floor", magnitude.log() / np.log(2.0))
    p = graph.node("Clip", exponent, float(-EXTREME_EXPONENT), float(EXTREME_EXPONENT))
    p = graph.where(p.abs().is_above(SAFE_EXPONENT), p, 0.0)
    return graph.node("Pow", 2.0, p * -1.0), graph.node("Pow", 2.0, p)


def layer_norm(graph: Graph, norm: Any, variables: list[Any], out: np.dtype[Any]) -> Tensor:
    samples = _Samples(graph, variables)
    units = _Units.of(samples, float(norm.eps))
    gamma, beta = _unless_none(1.0, norm.gamma), _unless_none(0.0, norm.beta)
    x = samples.x * units.shrink
    origin = samples.present(x, np.inf).min()  # from which the values of a constant sample differ by 0
    from_origin = x - origin
    if samples.low is not None:
        from_origin = from_origin + samples.low
        second = samples.present(from_origin, np.inf).min()
        origin, from_origin = origin + second, from_origin - second
    mean = samples.mean(from_origin)
    deviation = from_origin - mean
    if _suits_layer_normalization(samples, norm, out):
        return _layer_normalization(samples, deviation, norm) * gamma + beta
    still = samples.present(from_origin, -np.inf).max().equals(samples.present(from_origin, np.inf).min())
    divisor = (samples.mean(deviation * deviation) * units.ratio * units.ratio + units.eps).sqrt()
    y = deviation / graph.where(still, 1.0, divisor) * units.ratio * gamma + beta
    if norm.keep_stats:
        y = graph.beside([y, (origin + mean) * units.back, graph.where(still, 1.0, divisor * units.grow)])
    return y


def _suits_layer_normalization(samples: _Samples, norm: Any, out: np.dtype[Any]) -> bool:
    """Whether the operator, which has eps as a float32 and gives no statistics, can do it."""
    plain = hasattr(norm, "n_features_in_") and not norm.keep_stats and np.float64 not in (samples.dtype, out)
    small, large = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)
    return samples.graph.opset >= LAYER_NORMALIZATION_OPSET and plain and small <= norm.eps <= large


def _layer_normalization(samples: _Samples, deviation: Tensor, norm: Any) -> Tensor:
    """The operator knows no missing values, and divides by the number of all: zeros in their place, and stretched."""
    graph = samples.graph
    stretch = (samples.present(graph.constant(1.0), 1.0).sum() / samples.count).sqrt()
    x, ones = samples.present(deviation, 0.0) * stretch, np.ones(norm.n_features_in_)
    y = graph.node("LayerNormalization", x, ones, axis=-1, epsilon=float(norm.eps)) / stretch
    return samples.present(y, np.nan)


def rms_norm(graph: Graph, norm: Any, variables: list[Any], out: np.dtype[Any]) -> Tensor:
    samples = _Samples(graph, variables)
    units = _Units.of(samples, float(norm.eps))
    x = (samples.x if samples.low is None else samples.x + samples.low) * units.shrink
    still = samples.present(x.abs(), -np.inf).max().equals(0.0)
    divisor = (samples.mean(x * x) * units.ratio * units.ratio + units.eps).sqrt()
    y = x / graph.where(still, 1.0, divisor) * units.ratio * _unless_none(1.0, norm.gamma)
    if norm.keep_stats:
        y = graph.beside([y, graph.where(still, 1.0, divisor * units.grow)])
    return y


def softmax(graph: Graph, norm: Any, variables: list[Any], out: np.dtype[Any]) -> Tensor:
    samples = _Samples(graph, variables)
    temperature = float(norm.temperature)
    largest = samples.present(samples.x, -np.inf).max()
    # a difference of halves does not overflow; a small temperature takes the whole to 0 or 1 in any case
    half = 0.5 if samples.dtype == np.float64 and temperature >= 1 else 1.0
    below = samples.x * half - largest * half
    rest: Tensor | float = 0.0
    if samples.low is not None:
        below = below + samples.low
        rest = samples.present(below, -np.inf).max()
        below = below - rest
    e = (below / (temperature * half)).exp()
    total = samples.present(e, 0.0).sum()
    y = e / total
    if norm.keep_stats:
        logsumexp = (largest + rest) / temperature + total.log()
        masked = graph.where(samples.count.equals(0.0), np.nan, -np.inf)
        y = graph.beside([y, graph.where(largest.equals(-np.inf), masked, logsumexp)])
    return y


def _unless_none(neutral: float, values: Any) -> Operand:
    return neutral if values is None else np.array(values, dtype=np.float64)
