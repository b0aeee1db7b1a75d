"""F0, checks of data, and errors about them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError

from ._not_numbers import complex_refused, not_numbers, numbers_of
from ._precision import Array
from ._wording import message, shown

DENSE = "X.toarray() (X.sparse.to_dense() of a frame)"


class InfinityFound(ValueError):
    """An infinity in a block; the caller knows the names and says where it stands."""


class NoInteger(ValueError):
    """NaN where integers are to come out."""


class SparseInputError(ValueError, TypeError):
    """Sparse input that could not stay sparse: a TypeError too, as scikit-learn's own refusals are."""


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
        with suppress(TypeError, ValueError):  # of others more is said below
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
    """An array of a real dtype with at least two axes and one feature; objects become numbers."""
    if X.ndim < 2:
        msg = message("2D array", f"{X.ndim}D array instead, of shape {X.shape}", reshaped(X))
        raise ValueError(msg)
    if X.dtype.kind == "O":
        X = numbers_of(X, "X")
    if X.dtype.kind == "c":
        raise ValueError(complex_refused("X", X.dtype))
    if X.dtype.kind not in "biuf":
        raise ValueError(not_numbers("X", X))
    if X.shape[-1] == 0:
        msg = f"Found array with 0 feature(s) (shape={X.shape}) while a minimum of 1 is required. Pass some features."
        raise ValueError(msg)
    return X


def reshaped(X: Any) -> str:
    """What gives an array that has not two axes these."""
    if X.ndim < 2:
        return "Reshape your data: X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one sample."
    return f"Reshape your data: X.reshape(-1, {X.shape[-1]})."


def not_two_axes(library: str, X: Any, one_sample: str) -> ValueError:
    remedy = f"Pass X.to_frame() if it is one feature, {one_sample} if it is one sample."
    return ValueError(message("2D array or DataFrame", f"1D {library} {type(X).__name__}", remedy))


def check_samples(shape: tuple[int, ...]) -> None:
    """Something to learn from."""
    if 0 in shape[:-1]:
        msg = f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required. Pass data to fit."
        raise ValueError(msg)


def check_width(
    got: int, expected: int, estimator: Any, shape: tuple[int, ...] = (), appended: Sequence[str] = ()
) -> None:
    """The width that is expected, in scikit-learn's words, and what to do about another.

    One of the other axes of ``shape`` may have it, or what transform ``appended`` may be missing.
    """
    if got != expected:
        msg = f"X has {got} features, but {type(estimator).__name__} is expecting {expected} features as input."
        remedy = with_features_last(shape, expected)
        if appended:
            remedy = (
                f"They end with {' and '.join(appended)}, which transform appended: pass row_stats= for data without."
            )
        raise ValueError(" ".join(filter(None, [msg, remedy])))


def with_features_last(shape: tuple[int, ...], n_features: int) -> str:
    """What to do where the features are on another axis than the last; nothing where none has their number."""
    axes = [axis for axis in (*range(1, len(shape) - 1), 0) if shape[axis] == n_features] if len(shape) > 2 else []
    return f"The features are the last axis: move axis {axes[0]} there, np.moveaxis(X, {axes[0]}, -1)." if axes else ""


def no_integer(dtype: Any) -> ValueError:
    return ValueError(
        message(f"values that {dtype} can hold", "NaN", "Fill missing values first, or use inverse_dtype=None.")
    )


def sparse_centred() -> SparseInputError:
    remedy = f"Cannot center sparse matrices: pass with_mean=False, or {DENSE}."
    return SparseInputError(message("dense data with with_mean=True", "a sparse matrix", remedy))


def sparse_minimum(wrong: Any, feature_range: Any, in_range: Any = None) -> SparseInputError:
    if len(wrong):
        got = f"a sparse matrix and a minimum other than 0 in features {list(map(int, wrong[:5]))}"
    else:
        known = "" if in_range is None else f" and in_range={shown(in_range, 60)}"
        got = f"a sparse matrix with feature_range={shown(feature_range, 60)}{known}"
    remedy = f"Zeros would not stay zeros: pass {DENSE}, or use Standardizer(with_mean=False)."
    return SparseInputError(message("dense data, or minima of 0 and a range that starts at 0", got, remedy))


def sparse_rows(name: str, kept: bool) -> SparseInputError:
    remedy = "Use keep_stats=False, and row_statistics(X) for the inverse." if kept else f"Pass {DENSE}."
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
    as_tuple = f"({', '.join(names)}{',' * (len(names) == 1)})"
    return ValueError(message(f"row_stats to be {as_tuple}, each of shape {shape}", got, remedy))


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
        raise ValueError(not_numbers(what, values))
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
