"""F0, values that are no numbers: of what sort they are, where the first stands, and what makes numbers of them."""

from __future__ import annotations

import datetime
import numbers
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ._precision import EXACT_INTEGER, Array
from ._wording import message, shown

REAL = (bool, int, float, np.integer, np.floating, np.bool_)
CATEGORIES = ("category", "Categorical", "Enum")  # how the names of such dtypes start

POLARS_KINDS: dict[str, type] = {
    **dict.fromkeys(("String", "Categorical", "Enum"), str),
    **dict.fromkeys(("Decimal", "Int128", "UInt128"), int),
    "Binary": bytes,
    "Date": datetime.date,
    "Datetime": datetime.datetime,
    "Duration": datetime.timedelta,
}

# What is said of an array or of a column, by its library; {} stands for its name.
SECONDS = {
    "numpy": '{} / np.timedelta64(1, "s")',
    "pandas": "{}.dt.total_seconds()",
    "polars": "{}.dt.total_microseconds()",
}
CONVERSIONS: dict[str, tuple[tuple[str, Callable[[Any], Any]], ...]] = {
    "numpy": (("np.asarray({}, dtype=float)", lambda values: np.asarray(values, dtype=float)),),
    "pandas": (
        ("{}.astype(float)", lambda column: column.astype(float)),
        ("pd.to_numeric({})", lambda column: sys.modules["pandas"].to_numeric(column)),
    ),
    "polars": (
        ("{}.cast(pl.Float64)", lambda column: column.cast(sys.modules["polars"].Float64)),
        (
            "{}.cast(pl.String).cast(pl.Float64)",
            lambda column: column.cast(sys.modules["polars"].String).cast(sys.modules["polars"].Float64),
        ),
    ),
}
MISSING_INSTEAD = {
    "numpy": 'pd.DataFrame({}).apply(pd.to_numeric, errors="coerce").to_numpy()',
    "pandas": 'pd.to_numeric({}, errors="coerce")',
    "polars": "{}.cast(pl.Float64, strict=False)",
}


def complex_refused(what: str, dtype: Any) -> str:
    remedy = "Complex data not supported: pass the real and the imaginary part as features of their own."
    return message(f"real numbers in {what}", f"dtype {dtype}", remedy)


def not_numbers(what: str, values: Any, held: type | None = None) -> str:
    """``values`` are an array, or a column of a frame; where they are objects, of the type ``held`` for one."""
    kind = held or _kind(values.dtype)
    got = f"dtype {values.dtype}" + (f" holding {held.__name__}" if held else "")
    if issubclass(kind, (str, bytes)) and not _is_category(values):
        got += _first_text(values)
    return message(f"numbers in {what}", got, _remedy(what.partition(" ")[0], values, kind, held is not None))


def _kind(dtype: Any) -> type:
    """The type of the values of a column or array."""
    if hasattr(dtype, "base_type"):  # of polars
        return POLARS_KINDS.get(dtype.base_type().__name__, object)
    kind = dtype.type
    return kind if isinstance(kind, type) else object


def _is_category(values: Any) -> bool:
    return str(values.dtype).startswith(CATEGORIES)


def _first_text(values: Any) -> str:
    """The first text that is no number, and its place."""
    for place, value in np.ndenumerate(np.asarray(values, dtype=object)):
        if isinstance(value, (str, bytes)) and not _is_number(value):
            return f", {shown(value, 60)} in row {place[0]}" + (f", feature {place[-1]}" if len(place) > 1 else "")
    return ""


def _is_number(text: str | bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _library(values: Any) -> str:
    """Whose array or column it is, or is derived from."""
    modules = (base.__module__.partition(".")[0] for base in type(values).__mro__)
    return next(module for module in modules if module in CONVERSIONS)


def _remedy(name: str, values: Any, kind: type, are_objects: bool) -> str:
    library = _library(values)
    is_date = issubclass(kind, (datetime.date, np.datetime64))
    if is_date or issubclass(kind, (datetime.timedelta, np.timedelta64)):
        times = f"np.asarray({name})" if library == "numpy" else name
        if are_objects and library == "numpy":
            times = f'np.asarray({name}, dtype="{"M" if is_date else "m"}8[us]")'
        elif are_objects and library == "pandas":
            times = f"pd.to_datetime({name})" if is_date else f"pd.to_timedelta({name})"
        if is_date:
            date = "np.datetime64(date)" if library == "numpy" else "date"
            return f"Subtract a date, the same from all data: {SECONDS[library].format(f'({times} - {date})')}."
        return f"Convert durations: {SECONDS[library].format(times)}."
    if _is_category(values):
        code = _conversion(name, values, library)
        return f"Encode the categories{code and f', or convert them if they are numbers: {code}'}."
    if issubclass(kind, (str, bytes, numbers.Number)) and (code := _conversion(name, values, library)):
        if len(values):
            return f"Convert it to numbers: {code}."
        return f"Encode categories, or convert numbers that are written as text: {code}."
    if issubclass(kind, (str, bytes)):
        return f"Encode categories, or make what is no number missing: {MISSING_INSTEAD[library].format(name)}."
    return "Convert it to numbers, or leave it out."


def _conversion(name: str, values: Any, library: str) -> str:
    """What makes numbers of all values, as was tried."""
    for code, convert in CONVERSIONS[library]:
        try:
            convert(values)
        except Exception:  # whatever the library raises
            continue
        return code.format(name)
    return ""


def numbers_of(X: Array, what: str, column: Any = None) -> Array:
    """Python and NumPy numbers in an object array, with None and pandas' NA as NaN; anything else is refused.

    Where it is that of a ``column``, what is said of it is for this.
    """
    with np.errstate(invalid="ignore"):  # how Python compares NaN may leave a flag, which NumPy would report
        missing = np.frompyfunc(_is_missing, 1, 1)(X).astype(bool)
    found = dict.fromkeys(type(v) for v in X[~missing].ravel())  # in the order of their values
    for kind in found:
        if issubclass(kind, numbers.Complex) and not issubclass(kind, numbers.Real):
            raise ValueError(complex_refused(what, kind.__name__))
        if issubclass(kind, REAL) and not issubclass(kind, np.timedelta64):  # which to NumPy is an integer
            continue
        known = (str, bytes, numbers.Number, datetime.timedelta)
        if issubclass(kind, known) or hasattr(kind, "isoformat") or kind.__module__ == "numpy":
            raise ValueError(not_numbers(what, X if column is None else column, kind))
        remedy = f"An argument must be a string or a real number, not {kind.__name__!r}: pass one number per feature."
        raise TypeError(message(f"numbers in {what}", kind.__name__, remedy))
    present = X[~missing].ravel()
    if not missing.any() and all(issubclass(kind, (int, np.integer)) for kind in found):
        for dtype in (np.int64, np.uint64):
            try:
                return X.astype(dtype)
            except OverflowError:
                pass  # beyond 64 bits a float has to do
    X = np.where(missing, np.nan, X)
    try:
        values: Array = X.astype(np.float64)
    except OverflowError:
        remedy = "Divide them by a power of ten."
        raise ValueError(message(f"numbers in {what} that float64 can hold", "a larger integer", remedy)) from None
    return X.astype(np.longdouble) if any(map(_is_wide, present)) else values


def _is_wide(value: Any) -> bool:
    """Whether it is an integer that float64 would round."""
    return isinstance(value, (int, np.integer)) and abs(int(value)) > EXACT_INTEGER


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ == "NAType"
