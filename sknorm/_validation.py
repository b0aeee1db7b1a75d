"""F0, checks of data, and the wording of all errors: what was expected, what came, what to do."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from ._precision import Array

REAL = (bool, int, float, np.integer, np.floating, np.bool_)
LONGEST = 200  # characters of what came, in an error


class InfinityFound(ValueError):
    """An infinity in a block; the caller knows the names and says where it stands."""


class NoInteger(ValueError):
    """NaN where integers are to come out."""


class SparseInputError(ValueError, TypeError):
    """Sparse input that could not stay sparse: a TypeError too, as scikit-learn's own refusals are."""


def message(expected: str, got: Any, remedy: str) -> str:
    """The one wording of all errors."""
    return f"Expected {expected}, got {got}. {remedy}"


def shown(value: Any, longest: int = LONGEST) -> str:
    """What an object says of itself, cut short and on one line; its type if it fails at that."""
    try:
        text = " ".join(map(str.strip, repr(value).splitlines()))
    except Exception:
        return f"a {type(value).__name__}"
    return text if len(text) <= longest else f"{text[:longest]}..."


def as_array(value: Any, expected: str) -> Array:
    """The array that NumPy makes of an object, or our error for whatever that leads to."""
    try:
        with np.errstate(all="ignore"):  # at casts of NaN that signal
            return np.asarray(value)
    except MemoryError:
        raise
    except Exception as error:
        got = f"{type(value).__name__} that NumPy cannot read ({error})"
        raise ValueError(message(expected, got, "Pass numbers, in rows of one length.")) from error


def is_sparse(value: Any) -> bool:
    """Whether it is a sparse container; to go through a damaged one may crash."""
    return hasattr(type(value), "tocsr") and hasattr(type(value), "nnz")


def no_such_mode(mode: Any) -> ValueError:
    return ValueError(message("mode 'stdout' or 'dict'", shown(mode), "Pass mode='dict', or leave it out to print."))


def check_sample_weight(sample_weight: Any, n_samples: int) -> Array | None:
    """One finite weight of at least 0 per entry of the first axis, not all 0."""
    if sample_weight is None:
        return None
    if np.ma.is_masked(sample_weight):
        remedy = "Use 0 to leave a sample out."
        raise ValueError(message("sample_weight without a mask", "masked weights", remedy))
    w = as_array(sample_weight, "sample_weight to be an array of numbers")
    if w.dtype.kind == "O" and w.ndim == 1:
        w = numbers_of(w, "sample_weight")
    if w.dtype.kind in "biuf" and w.ndim == 0:
        w = np.full(n_samples, w)
    expected = f"sample_weight to be {n_samples} numbers, one per sample"
    remedy = "Pass one weight per entry of the first axis of X."
    if w.dtype.kind not in "biuf" or w.shape != (n_samples,):
        raise ValueError(message(expected, f"{w.dtype} of shape {w.shape}", remedy))
    lowest, highest = w.min(), w.max()
    if not (lowest >= 0 and np.isfinite(highest)):
        wrong = np.flatnonzero(~(np.isfinite(w) & (w >= 0)))[0]
        got = f"{w[wrong]} at position {wrong}"
        raise ValueError(message("sample_weight to be finite and not negative", got, "Use 0 to leave a sample out."))
    if not highest > 0:
        remedy = "Give one sample or more a weight above zero."
        raise ValueError(message("some sample_weight above zero", "zero for every sample", remedy))
    return w


def check_values(X: Array) -> Array:
    """An array of a real dtype with at least two axes and one feature; objects become float64."""
    if X.ndim < 2:
        msg = message(
            "2D array",
            f"{X.ndim}D array instead, of shape {X.shape}",
            "Reshape your data: X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one sample.",
        )
        raise ValueError(msg)
    if X.dtype.kind == "O":
        X = numbers_of(X, "X")
    if X.dtype.kind == "c":
        raise ValueError(complex_refused("X", X.dtype))
    if X.dtype.kind not in "biuf":
        raise ValueError(not_numbers("X", f"dtype {X.dtype}"))
    if X.shape[-1] == 0:
        msg = f"Found array with 0 feature(s) (shape={X.shape}) while a minimum of 1 is required. Pass some features."
        raise ValueError(msg)
    return X


def complex_refused(what: str, dtype: Any) -> str:
    remedy = "Complex data not supported: pass the real and the imaginary part as features of their own."
    return message(f"real numbers in {what}", f"dtype {dtype}", remedy)


def not_numbers(what: str, got: str) -> str:
    return message(
        f"numbers in {what}",
        got,
        "Encode text and categories, turn dates into durations, or convert numbers written as text with astype(float).",
    )


def check_samples(shape: tuple[int, ...]) -> None:
    """Something to learn from."""
    if 0 in shape[:-1]:
        msg = f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required. Pass data to fit."
        raise ValueError(msg)


def numbers_of(X: Array, what: str) -> Array:
    """Python and NumPy numbers in an object array, with None and pandas' NA as NaN; anything else is refused."""
    with np.errstate(invalid="ignore"):  # how Python compares NaN may leave a flag, which NumPy would report
        missing = np.frompyfunc(_is_missing, 1, 1)(X).astype(bool)
    found = {type(v) for v in X[~missing].ravel()}
    for kind in found:
        if issubclass(kind, numbers.Complex) and not issubclass(kind, numbers.Real):
            raise ValueError(complex_refused(what, kind.__name__))
        if issubclass(kind, REAL) and not issubclass(kind, np.timedelta64):  # which to NumPy is an integer
            continue
        if issubclass(kind, (str, bytes, numbers.Number)) or hasattr(kind, "isoformat") or kind.__module__ == "numpy":
            raise ValueError(not_numbers(what, f"dtype object holding {kind.__name__}"))
        remedy = f"An argument must be a string or a real number, not {kind.__name__!r}: pass one number per feature."
        raise TypeError(message(f"numbers in {what}", kind.__name__, remedy))
    if not missing.any() and all(issubclass(kind, (int, np.integer)) for kind in found):
        try:
            return X.astype(np.int64)
        except OverflowError:
            pass  # beyond 64 bits float64 has to do
    try:
        return np.where(missing, np.nan, X).astype(np.float64)
    except OverflowError:
        remedy = "Divide them by a power of ten."
        raise ValueError(message(f"numbers in {what} that float64 can hold", "a larger integer", remedy)) from None


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ == "NAType"


def check_width(got: int, expected: int, estimator: Any) -> None:
    """The width that fit saw, in scikit-learn's words."""
    if got != expected:
        name = type(estimator).__name__
        msg = f"X has {got} features, but {name} is expecting {expected} features as input."
        raise ValueError(msg)


def infinite(X: Any, names: Iterable[Any] | None, *, by_sample: bool, negative: bool = False) -> ValueError:
    """The error for an infinity, with its place; ``negative`` where -inf would be allowed."""
    place = _first_infinity(X, negative) if isinstance(X, np.ndarray) else _first_stored_infinity(X.tocoo())
    if by_sample:
        where = f"infinity in sample {place[0] if len(place) == 2 else place[:-1]}"
    else:
        where = f"infinity in feature {place[-1] if names is None else repr(list(names)[place[-1]])}"
    remedy = "Replace it, or mark it as missing with NaN: X[np.isinf(X)] = np.nan."
    return ValueError(message("finite numbers or NaN", where, remedy))


def _chunks(X: Array) -> Iterator[tuple[int, Array]]:
    """Some samples at a time, so that no mask of the whole is made."""
    step = max(1, 65536 * len(X) // X.size)
    for start in range(0, len(X), step):
        yield start, X[start : start + step]


def _first_infinity(X: Array, negative: bool) -> tuple[int, ...]:
    infinite_in = np.isposinf if negative else np.isinf
    with np.errstate(all="ignore"):  # a longdouble beyond float64 counts as infinite
        return next(
            (start + int(at[0]), *map(int, at[1:]))
            for start, part in _chunks(X)
            for at in np.argwhere(infinite_in(part.astype(np.float64)))
        )


def _first_stored_infinity(X: Any) -> tuple[int, ...]:
    with np.errstate(all="ignore"):
        at = np.flatnonzero(np.isinf(X.data.astype(np.float64)))[0]
    return int(X.row[at]), int(X.col[at])


def check_no_infinity(X: Array, *, negative: bool = False) -> None:
    """Raise as a kernel would, before anything is written; ``negative`` allows -inf."""
    with np.errstate(all="ignore"):
        suspect = X.dtype.kind == "f" and not np.isfinite(np.sum(X))
    if suspect:
        for _, part in _chunks(X):
            if (np.isposinf(part) if negative else np.isinf(part)).any():
                raise InfinityFound


def no_integer(dtype: Any) -> ValueError:
    return ValueError(
        message(f"values that {dtype} can hold", "NaN", "Fill missing values first, or use inverse_dtype=None.")
    )


def sparse_centred() -> SparseInputError:
    remedy = "Cannot center sparse matrices: pass with_mean=False, or X.toarray()."
    return SparseInputError(message("dense data with with_mean=True", "a sparse matrix", remedy))


def sparse_minimum(wrong: Any, feature_range: Any, in_range: Any = None) -> SparseInputError:
    if len(wrong):
        got = f"a sparse matrix and a minimum other than 0 in features {list(map(int, wrong[:5]))}"
    else:
        known = "" if in_range is None else f" and in_range={shown(in_range, 60)}"
        got = f"a sparse matrix with feature_range={shown(feature_range, 60)}{known}"
    remedy = "Zeros would not stay zeros: pass X.toarray(), or use Standardizer(with_mean=False)."
    return SparseInputError(message("dense data, or minima of 0 and a range that starts at 0", got, remedy))


def sparse_rows(name: str, kept: bool) -> SparseInputError:
    remedy = "Use keep_stats=False, and row_statistics(X) for the inverse." if kept else "Pass X.toarray()."
    return SparseInputError(message(f"dense data for {name}", "a sparse matrix", remedy))


def too_narrow(names: tuple[str, ...], shape: tuple[int, ...]) -> ValueError:
    expected = f"features followed by the columns {', '.join(names)}"
    return ValueError(message(expected, f"shape {shape}", "Pass what transform returned."))


def row_statistics_missing(name: str) -> ValueError:
    msg = message(
        f"the row statistics of {name}, which transform does not keep",
        "none",
        "Use keep_stats=True, which appends them to the output, or pass row_stats=norm.row_statistics(X).",
    )
    return ValueError(msg)


def wrong_row_stats(names: tuple[str, ...], shape: tuple[Any, ...], got: str) -> ValueError:
    remedy = "Pass what row_statistics(X) returned for these samples."
    return ValueError(message(f"row_stats to be ({', '.join(names)}), each of shape {shape}", got, remedy))


def check_row_stats(given: Any, names: tuple[str, ...], shape: tuple[int, ...]) -> tuple[Array, ...]:
    """Statistics of samples, one array of ``shape`` each."""
    try:
        arrays = () if is_sparse(given) else tuple(_numbers_in(v, "row_stats") for v in given)
    except Exception:  # whatever going through a foreign object raises
        arrays = ()
    if len(arrays) != len(names) or any(a.shape != shape for a in arrays):
        got = f"arrays of shapes {[a.shape for a in arrays]}" if arrays else type(given).__name__
        raise wrong_row_stats(names, shape, got)
    with np.errstate(all="ignore"):
        arrays = tuple(np.ascontiguousarray(a, dtype=np.float64) for a in arrays)
    for name, array in zip(names, arrays, strict=True):
        if name in ("row_scale", "row_rms") and (array <= 0).any():
            got = f"{array[array <= 0].flat[0]}"
            raise ValueError(message(f"a divisor {name} above 0", got, "Pass what row_statistics(X) returned."))
    return arrays


def _numbers_in(value: Any, what: str) -> Array:
    values = as_array(value, what)
    if values.dtype.kind == "O":
        return numbers_of(values, what)
    if values.dtype.kind not in "biuf":
        raise ValueError(not_numbers(what, f"dtype {values.dtype}"))
    return values


def no_probability(value: Any) -> ValueError:
    return ValueError(message("finite probabilities of at least 0", f"{value}", "Pass what transform returned."))


def warn_one_feature(name: str) -> None:
    got = "samples of one feature, each its own mean: every output is 0 (or beta), whatever the input"
    remedy = "Put the features of a sample on the last axis."
    warnings.warn(message(f"samples of several features for {name}", got, remedy), UserWarning, stacklevel=3)


def not_fitted_for_names(name: str) -> NotFittedError:
    msg = f"This {name} instance is not fitted yet, so it does not provide get_feature_names_out. Call fit first."
    return NotFittedError(msg)


def check_names_apart(names: list[str] | None, statistics: tuple[str, ...]) -> None:
    """Kept statistics must not take the name of a feature."""
    taken = [name for name in statistics if names and name in names]
    if taken:
        remedy = "Rename the feature, or use keep_stats=False."
        got = f"columns {shown(names)}"
        raise ValueError(message(f"no feature called {taken[0]!r} with keep_stats=True", got, remedy))


def missing_extra(package: str, extra: str) -> ImportError:
    return ImportError(message(f"{package} to be installed", "no such package", f'Run pip install "sknorm[{extra}]".'))


def not_in_onnx(expected: str, got: str, remedy: str) -> ValueError:
    return ValueError(message(f"{expected}, to convert to ONNX", got, remedy))
