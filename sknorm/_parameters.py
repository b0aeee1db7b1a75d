"""F0, constructor parameters and the arguments that are not data: their checks, and parameters of some features."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from ._namespaces import as_numpy, on_host
from ._precision import Array
from ._validation import is_sparse, with_features_last
from ._wording import message, shown

FLOATS = (np.float16, np.float32, np.float64)


def check_output_dtype(dtype: Any) -> None:
    """The ``dtype`` parameter: None or a float type."""
    if dtype is not None and getattr(_dtype_of(dtype), "type", None) not in FLOATS:
        msg = message("dtype to be None, float16, float32 or float64", shown(dtype), "Pass one of these.")
        raise ValueError(msg)


def check_inverse_dtype(dtype: Any) -> None:
    """The ``inverse_dtype`` parameter: None, "input" or a real type."""
    if dtype is None or (isinstance(dtype, str) and dtype == "input"):
        return
    if getattr(_dtype_of(dtype), "kind", "V") not in "biuf":
        msg = message(
            'inverse_dtype to be None, "input" or a real dtype',
            shown(dtype),
            'Pass "input" to get the dtype of fit.',
        )
        raise ValueError(msg)


def _dtype_of(value: Any) -> Any:
    try:
        return np.dtype(value)
    except Exception:  # whatever reading text, lists and foreign objects as a dtype leads to
        return None


def check_boolean(name: str, value: Any) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(message(f"{name} to be True or False", shown(value), "Pass a bool."))


def check_range(name: str, value: Any, dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """A pair (low, high) of finite numbers, low < high, rounded to ``dtype``."""
    try:
        with np.errstate(over="ignore"):
            low, high = (dtype.type(v) for v in _pair(value) if _is(numbers.Real, v))
        fine = math.isfinite(low) and math.isfinite(high)
    except Exception:  # whatever going through a foreign object raises
        fine = False
    if not fine:
        raise ValueError(message(f"{name} to be two finite numbers (low, high)", shown(value), "Pass (0, 1), say."))
    if not low < high:
        msg = message(
            f"{name} with low < high in {dtype}",
            shown(value),
            "The minimum of the range must be below its maximum.",
        )
        raise ValueError(msg)
    return low, high


def _is(kind: Any, value: Any) -> bool:
    """Whether it is a number of a kind; to Python, NumPy's durations are integers."""
    return isinstance(value, kind) and not isinstance(value, np.timedelta64)


def _pair(value: Any) -> Any:
    """Something of two, which a sparse container is not: to go through a damaged one may crash."""
    if is_sparse(value) or len(value) != 2:
        raise ValueError
    return value


def starts_at_zero(limits: Any) -> bool:
    """Whether what should be (low, high) has a low of 0; what is no such pair has not."""
    try:
        low = _array_of(_pair(limits)[0], "limits")
    except Exception:  # whatever a foreign object raises
        return False
    return low.dtype.kind in "biuf" and not low.any()


def _array_of(value: Any, name: str) -> Array:
    """As an array, which is of objects where there is none: where rows differ in length, say."""
    value = on_host(value, name)
    try:
        return np.asarray(value)
    except Exception:  # whatever an object of the user's raises
        return np.asarray(None)


def check_in_range(value: Any, dtype: np.dtype[Any], n_features: int, shape: tuple[int, ...] = ()) -> tuple[Any, Any]:
    """Known limits (low, high) as two arrays of shape (n_features,), for data of a ``shape``."""
    if isinstance(value, str):
        if value != "dtype" or dtype.kind not in "biu":
            got = f"{shown(value)} with data of dtype {dtype}"
            remedy = "Give the limits as a pair, in_range=(0, 1) say, or fit on integers."
            raise ValueError(message('in_range to be None, (low, high), or "dtype" with integer data', got, remedy))
        limits = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        return tuple(np.full(n_features, v, dtype=dtype) for v in limits)  # type: ignore[return-value]
    value = on_host(value, "in_range")
    if not isinstance(value, (tuple, list, np.ndarray)) or len(value) != 2:
        msg = message('in_range to be None, (low, high) or "dtype"', shown(value), "Pass two numbers or two arrays.")
        raise ValueError(msg)
    low, high = (check_known("each limit of in_range", v, n_features, shape) for v in value)
    if not (low < high).all():
        msg = message("in_range with low < high", shown(value), "The minimum must be below the maximum.")
        raise ValueError(msg)
    return low, high


def check_known(
    name: str, value: Any, n_features: int, shape: tuple[int, ...] = (), *, positive: bool = False
) -> Array:
    """A known statistic for data of a ``shape``: one finite number, or one per feature."""
    known = _array_of(value, name)
    if known.dtype.kind not in "biuf" or known.ndim > 1 or (known.ndim == 1 and len(known) not in (1, n_features)):
        remedy = "Pass one number, or one for each feature in their order."
        if known.ndim == 1:
            remedy = with_features_last(shape, len(known)) or remedy
        expected = f"{name} to be a number or {n_features} numbers, one per feature"
        raise ValueError(message(expected, _sort_of(known, value), remedy))
    fine = np.isfinite(known) & ~(positive & (known < 0))
    if not fine.all():
        kind = "finite and not negative" if positive else "finite"
        raise ValueError(message(f"{name} to be {kind}", _first_but(fine, known), "Correct it, or leave it out."))
    return np.broadcast_to(known, (n_features,))


def _sort_of(array: Array, value: Any) -> str:
    """What a parameter is that should be numbers: type and shape, or the value itself if it is none."""
    return f"{array.dtype} of shape {array.shape}" if array.dtype.kind in "biuf" else shown(value, 60)


def _first_but(fine: Array, values: Array) -> str:
    """The first that is not fine, and its position among several."""
    at = int(np.flatnonzero(~fine)[0])
    return f"{values.flat[at]}" + (f" at position {at}" if values.ndim else "")


def check_number(name: str, value: Any, *, zero: bool) -> float:
    """A finite positive number, or also zero."""
    if (
        not _is(numbers.Real, value)
        or isinstance(value, (bool, np.bool_))
        or not _is_finite(value)
        or value < 0
        or (value == 0 and not zero)
    ):
        bound = "of at least 0" if zero else "above 0"
        remedy = "Pass such a number, or leave it out for the default."
        raise ValueError(message(f"{name} to be a finite number {bound}", shown(value), remedy))
    return float(value)


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond float64
        return False


def check_ddof(value: Any) -> int:
    if not _is(numbers.Integral, value) or isinstance(value, bool) or value < 0 or not _is_finite(value):
        msg = message("ddof to be an integer of at least 0", shown(value), "Pass 0 (population) or 1 (sample).")
        raise ValueError(msg)
    return int(value)


def check_vector(name: str, value: Any, n_features: int, shape: tuple[int, ...] = ()) -> Array | None:
    """gamma or beta for data of a ``shape``: None, or one finite number per feature."""
    if value is None:
        return None
    vector = _array_of(value, name)
    expected = f"{name} to be {n_features} finite numbers, one per feature"
    if vector.dtype.kind not in "biuf" or vector.shape != (n_features,):
        remedy = f"Pass {name} of shape ({n_features},), or None."
        if vector.dtype.kind in "biuf" and vector.ndim == 1:  # and the data may be what is wrong
            both = f"Pass X with {len(vector)} features on its last axis, or {name} of shape ({n_features},)."
            remedy = with_features_last(shape, len(vector)) or both
        raise ValueError(message(expected, _sort_of(vector, value), remedy))
    if not (finite := np.isfinite(vector)).all():
        raise ValueError(message(expected, _first_but(finite, vector), "Correct it, or pass None."))
    return vector.astype(np.float64)


def check_order(estimator: Any, parameters: tuple[str, ...], X: Any) -> None:
    """A Series is read by position, so an index that names the features of X must name them in their order."""
    names = list(getattr(X, "columns", getattr(estimator, "feature_names_in_", ())))
    if not names:
        return
    for name in parameters:
        value = getattr(estimator, name, None)
        for part in value if isinstance(value, (tuple, list)) else (value,):
            labels = getattr(part, "index", None)
            if labels is None or callable(labels):
                continue
            labels = list(labels)
            are_names = set(labels) == set(names)
            if labels != names and (are_names or all(isinstance(label, str) for label in labels)):
                got = f"a {type(part).__name__} of {shown(labels, 100)}"
                remedy = "Bring it in that order, series[X.columns]." if are_names else "Pass its values, to_numpy()."
                raise ValueError(message(f"{name} in the order of the features {shown(names, 100)}", got, remedy))


def check_no_zero(gamma: Array | None) -> None:
    """gamma must not have erased a feature that is to be recovered."""
    positions = () if gamma is None else np.flatnonzero(gamma == 0)
    if len(positions):
        msg = message(
            "gamma without zeros for inverse_transform",
            f"zeros at positions {shown(list(map(int, positions)), 60)}",
            "The features there cannot be recovered: set their gamma, or leave them out.",
        )
        raise ValueError(msg)


def check_mergeable(one: Any, other: Any) -> None:
    """Two transformers whose statistics mean the same."""
    if type(one) is not type(other):
        msg = message(
            f"a fitted {type(one).__name__} to merge",
            type(other).__name__,
            "Merge transformers of one class.",
        )
        raise TypeError(msg)
    mine, theirs = one.get_params(), other.get_params()
    different = [name for name in mine if name != "copy" and not _same(mine[name], theirs[name])]
    if different:
        got = ", ".join(f"{name}={shown(mine[name], 60)} and {shown(theirs[name], 60)}" for name in different[:2])
        raise ValueError(message("transformers of equal parameters to merge", got, "Fit both with the same ones."))
    check_names_agree(one, other)


def check_names_agree(one: Any, other: Any) -> None:
    mine, theirs = (list(getattr(e, "feature_names_in_", range(getattr(e, "n_features_in_", 0)))) for e in (one, other))
    if hasattr(other, "n_features_in_") and mine != theirs:
        got = f"{shown(mine, 80)} and {shown(theirs, 80)}"
        raise ValueError(message("transformers of the same features to merge", got, "Fit both on the same ones."))


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(_same, a, b))
    return (a is None) == (b is None) and np.array_equal(_array_of(a, "a parameter"), _array_of(b, "a parameter"))


def check_same_dtype(fitted: Any, given: Any) -> None:
    if fitted != given:
        remedy = 'in_range="dtype" needs data of one type: convert it, or give the limits as a pair.'
        raise ValueError(message(f"data of dtype {fitted}, as before", f"dtype {given}", remedy))


def check_features(features: Any, names: Array | None, n_features: int) -> Array:
    """Positions of features given by name, index, slice or mask."""
    listed: Any = features
    if not isinstance(features, slice):
        try:
            listed = [features] if np.ndim(features) == 0 or is_sparse(features) else list(features)
        except Exception as error:  # whatever going through a foreign object raises
            raise _no_features(features, n_features) from error
        known = {} if names is None else {name: i for i, name in enumerate(names)}
        unknown = [f for f in listed if isinstance(f, str) and f not in known]
        if unknown:
            expected = f"features among {shown(list(known), 100)}" if known else "positions, as fit saw no names"
            remedy = "Pass names that fit saw, or positions." if known else "Pass positions, or fit on a frame."
            raise ValueError(message(expected, f"unknown {shown(unknown, 100)}", remedy))
        listed = [known[f] if isinstance(f, str) else f for f in listed]
    try:
        index: Array = np.arange(n_features)[listed]
    except Exception as error:
        raise _no_features(features, n_features) from error
    if index.ndim != 1 or len(set(index.tolist())) < len(index):
        msg = message("a flat list of distinct features", shown(features), "Name each feature once.")
        raise ValueError(msg)
    if not len(index):
        raise ValueError(message("at least one feature", shown(features), "Name the features to keep."))
    return index


def _no_features(features: Any, n_features: int) -> ValueError:
    remedy = "Pass positions, names or a mask."
    return ValueError(message(f"features among 0 to {n_features - 1}", shown(features), remedy))


def hashable(value: Any) -> Any:
    """A key that two parameters share if they are the same."""
    if isinstance(value, (list, tuple)):
        return tuple(hashable(v) for v in value)
    if value is None or isinstance(value, (str, bool, int, float, type)):
        return type(value), value
    array = as_numpy(value, "a parameter")
    return array.dtype.str, array.shape, array.tobytes()


def selected(name: str, value: Any, index: Array, n_features: int) -> Any:
    """A known statistic of some of the features; what holds for all of them stays."""
    if value is None or isinstance(value, str):
        return value
    if name == "in_range":
        return tuple(selected("limit", v, index, n_features) for v in on_host(value, name))
    array = as_numpy(value, name)
    return array[index] if array.shape == (n_features,) else value
