"""F0, what parameters and statistics are made of as JSON: the same bits there and back, and nothing that runs.

=====================================  ===================================================================
value                                  JSON
=====================================  ===================================================================
None, bool, int, str, list             as they are
float                                  the shortest decimal that reads back as it; ``{"float": "nan"}``
tuple                                  ``{"tuple": [0, 1]}``
array                                  ``{"array": "float32", "shape": [2], "data": [0.5, "nan"]}``
NumPy scalar                           ``{"scalar": "float32", "data": 0.5}``
dtype, type                            ``{"dtype": "float32"}``, ``{"type": "numpy.float32"}``
=====================================  ===================================================================

A float32 or float16 in an array is written as the float64 equal to it. What can turn itself into an array of numbers,
as a pandas Series can, is written as that array.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ._namespaces import as_numpy
from ._precision import Array
from ._wording import message, shown

INTEGERS = range(-(2**63), 2**64)  # what some NumPy integer holds; larger ones would not become floats either
MOST_DIGITS = 20  # of these, with the sign; Python refuses to read thousands
LONGDOUBLE = "longdouble"  # of a width that differs by platform: as the dtype of data only, its values are not written


def _name(dtype: np.dtype[Any]) -> str:
    if dtype.char == "g":
        return LONGDOUBLE
    return dtype.name if dtype.isnative else dtype.str


_NATIVE = [np.dtype(kind) for kind in ("?", *np.typecodes["AllInteger"], "e", "f", "d", "g")]
DTYPES = {_name(dtype): dtype for native in _NATIVE for dtype in (native.newbyteorder(), native)}
TYPES: dict[str, type] = {"bool": bool, "int": int, "float": float}
TYPES |= {f"numpy.{_name(dtype)}": dtype.type for dtype in _NATIVE}


def encoded(value: Any, what: str) -> Any:
    """``value`` as JSON can hold it; ``what`` is its name, for the error where it cannot."""
    if value is None or type(value) is bool or (type(value) is int and value in INTEGERS):
        return value
    if isinstance(value, str):
        return str(value)
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, (list, tuple)):
        items = [encoded(item, what) for item in value]
        return items if isinstance(value, list) else {"tuple": items}
    if isinstance(value, np.dtype) and _name(value) in DTYPES:
        return {"dtype": _name(value)}
    if isinstance(value, type):
        name = f"numpy.{_name(np.dtype(value))}" if issubclass(value, np.generic) else value.__name__
        if name in TYPES:
            return {"type": name}
    array = as_numpy(value, what)
    name = _name(array.dtype)
    if name not in DTYPES or name == LONGDOUBLE:
        got = f"{type(value).__name__} of dtype {array.dtype}"
        remedy = "Pass numbers of up to 64 bits: float(x), or x.astype(np.float64)."
        raise TypeError(message(f"{what} to be of numbers, text, lists and arrays, to be saved", got, remedy))
    if isinstance(value, np.generic):
        return {"scalar": name, "data": _listed(array)[0]}
    return {"array": name, "shape": list(array.shape), "data": _listed(array)}


def _listed(array: Array) -> list[Any]:
    values: list[Any] = array.reshape(-1).tolist()
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        values = [value if math.isfinite(value) else repr(value) for value in values]
    return values


def decoded(document: Any, what: str) -> Any:
    """What `encoded` was given."""
    match document:
        case None | bool() | str():
            return document
        case int() if document in INTEGERS:
            return document
        case float() if math.isfinite(document):
            return document
        case list():
            return [decoded(item, what) for item in document]
        case {"float": "nan" | "inf" | "-inf" as text, **rest} if not rest:
            return float(text)
        case {"tuple": list() as items, **rest} if not rest:
            return tuple(decoded(item, what) for item in items)
        case {"dtype": str() as name, **rest} if name in DTYPES and not rest:
            return DTYPES[name]
        case {"type": str() as name, **rest} if name in TYPES and not rest:
            return TYPES[name]
        case {"scalar": str() as name, "data": data, **rest} if not rest:
            return _array(name, [], [data], what)[()]
        case {"array": str() as name, "shape": list() as shape, "data": list() as data, **rest} if not rest:
            return _array(name, shape, data, what)
    raise unreadable(f"{what} as a number, text, a list, an array or a dtype", document)


def _array(name: str, shape: list[Any], data: list[Any], what: str) -> Array:
    array = None
    if name in DTYPES and name != LONGDOUBLE:
        try:
            with np.errstate(all="ignore"):
                array = np.array(data, dtype=DTYPES[name]).reshape(shape)
        except (ValueError, TypeError, OverflowError):
            pass
    if array is None or list(array.shape) != shape or _listed(array) != data:
        got = f"{len(data)} values for {name!r} of shape {shape!r:.50}"
        raise damaged(f"{what} to be an array of numbers that its dtype and shape can hold", got)
    return array


def parsed(text: str) -> Any:
    """The document in a text."""
    try:
        return json.loads(text, object_pairs_hook=_without_repetition, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise damaged("JSON", f"a fault at line {error.lineno}, column {error.colno} ({error.msg})") from None


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise unreadable("integers of 64 bits", digits)
    return int(digits)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise unreadable("every field once", [name for name, _ in pairs])
    return fields


def check_fields(document: Any, names: Iterable[str], what: str) -> None:
    """Exactly these names: what is missing cannot be guessed, and what is unknown not be obeyed."""
    expected = f"{what} to have its fields and no others"
    if not isinstance(document, dict):
        raise unreadable(expected, document)
    missing, unknown = sorted({*names} - {*document}), sorted({*document} - {*names})
    if missing or unknown:
        found = ("without", missing), ("with", unknown)
        raise damaged(expected, "one " + " and ".join(f"{which} {shown(some, 60)}" for which, some in found if some))


def unreadable(expected: str, value: Any) -> ValueError:
    """The error of a file in which `sknorm.save` would have written something else."""
    return damaged(expected, shown(value, 100))


def damaged(expected: str, got: str) -> ValueError:
    remedy = "The file is damaged, or sknorm.save did not write it: save the estimator again."
    return ValueError(message(expected, got, remedy))
