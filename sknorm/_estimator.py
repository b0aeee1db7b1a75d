"""F0, what both families are to scikit-learn: names and width, frames asked for, attributes, tags, old pickles."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.utils._set_output import _get_output_config  # no public way to read what set_output was given
from sklearn.utils.validation import validate_data

from ._containers import column_names, frame_kind
from ._dask import holds_frames
from ._namespaces import is_foreign, place_of, sent_to, shares_memory
from ._precision import Array
from ._validation import check_width
from ._wording import message, shown


def with_defaults(estimator: Any, state: dict[str, Any]) -> dict[str, Any]:
    """The state of a pickle, in which a parameter that is younger than the pickle takes its default."""
    parameters = inspect.signature(type(estimator)).parameters.values()
    return {**{p.name: p.default for p in parameters}, **state}


def float_tags(tags: Any, dtype: Any, *, sparse: bool) -> Any:
    """scikit-learn's tags of a transformer that takes NaN and keeps float dtypes unless it is given one."""
    tags.input_tags.allow_nan = True
    tags.input_tags.sparse = sparse
    tags.array_api_support = True
    tags.transformer_tags.preserves_dtype = ["float64", "float32", "float16"] if dtype is None else []
    return tags


def record_names(estimator: Any, X: Any, n_features: int) -> None:
    """Set ``n_features_in_`` and, from a frame, ``feature_names_in_``; and note what kind of array X is."""
    place = place_of(X)
    validate_data(estimator, _named_like(X, n_features), skip_check_array=True)
    estimator._fitted_in = place


def check_names(estimator: Any, X: Any, shape: tuple[int, ...]) -> None:
    """Width, names and order must be those of fit, in scikit-learn's words."""
    fitted = getattr(estimator, "feature_names_in_", None)
    if not hasattr(X, "columns"):
        check_width(shape[-1], estimator.n_features_in_, estimator, shape)
        if fitted is None:
            return
    if fitted is None or column_names(X) != fitted.tolist():  # which is quick, for what is nearly always equal
        validate_data(estimator, _named_like(X, shape[-1]), reset=False, skip_check_array=True)


def _named_like(X: Any, n_features: int) -> Any:
    """2-D, with the names and the width of X: scikit-learn takes the width of N-D arrays from the second axis."""
    if not hasattr(X, "columns"):
        return np.empty((1, n_features))
    if frame_kind(X) == "polars":  # whose names scikit-learn 1.6 does not see
        import pandas

        return pandas.DataFrame(columns=X.columns)
    return X


def check_output_names(estimator: Any, Y: Any, shape: tuple[int, ...], expected: list[Any]) -> None:
    """The same for what inverse_transform gets, which carries the names of the output."""
    check_width(shape[-1], len(expected), estimator, shape, appended=expected[estimator.n_features_in_ :])
    names = column_names(Y)
    if names is None or not hasattr(estimator, "feature_names_in_") or names == expected:
        return
    order = ", in this order" if sorted(names) == sorted(expected) else ""
    remedy = f"The feature names should match those that were passed during fit: pass these columns{order}."
    raise ValueError(message(f"the columns {shown(expected, 100)}", shown(names, 100), remedy))


def output_kind(estimator: Any, values: Any) -> str:
    """The library whose frames set_output, or the global configuration, asks for, or "default"."""
    kind: str = _get_output_config("transform", estimator)["dense"]
    if kind != "default" and values.ndim != 2:
        remedy = 'Ask for arrays, set_output(transform="default"), or reshape the data to (n_samples, n_features).'
        raise ValueError(message(f"2D data for a {kind} DataFrame", f"{values.ndim}D array", remedy))
    return kind


def original_kind(estimator: Any, X: Any, values: Any) -> str:
    """The same for inverse_transform, where only a frame gives a frame: the rows of an array have no index."""
    return "default" if frame_kind(X) is None else output_kind(estimator, values)


def block_kind(estimator: Any, X: Any) -> str:
    """The same for the blocks of a dask collection, which come out as they are."""
    kind = _get_output_config("transform", estimator)["dense"]
    if kind != "default":  # scikit-learn would pull the result into a frame in memory
        got = f"set_output(transform={kind!r}) and a dask {type(X).__name__}"
        remedy = 'Use set_output(transform="default"): a dask DataFrame gives a dask DataFrame in any case.'
        raise ValueError(message("the default output for dask collections", got, remedy))
    return "pandas" if holds_frames(X) else "default"


def output_asked_for(estimator: Any) -> str | None:
    """What `set_output` was given; None where the global configuration decides."""
    asked: str | None = getattr(estimator, "_sklearn_output_config", {}).get("transform")
    return asked


def fitted_attribute(estimator: Any, values: Array) -> Any:
    """``values`` as an array like the data of fit; writing to it would change nothing, so NumPy's is read-only."""
    kept = np.array(values)
    if is_foreign(estimator._fitted_in):
        with config_context(array_api_dispatch=True):  # whatever is set since fit
            return sent_to(kept, estimator._fitted_in)
    kept.flags.writeable = False
    return kept


class learned(property):  # lower case, as what it is one of
    """An attribute that follows from what fit learned."""

    def __get__(self, estimator: Any, owner: Any = None) -> Any:
        if estimator is not None and not hasattr(estimator, "statistics_"):
            assert self.fget is not None
            name = type(estimator).__name__
            raise AttributeError(message(f"a fitted {name} to ask for {self.fget.__name__}", "none", "Call fit first."))
        return super().__get__(estimator, owner)

    def __set__(self, estimator: Any, value: Any) -> None:
        assert self.fget is not None
        name = type(estimator).__name__
        known = ", ".join(f"{parameter}=..." for parameter in estimator._known_parameters)
        remedy = f"Pass what is known as a parameter, {name}({known}), then fit."
        raise AttributeError(message(f"{self.fget.__name__} to be left to fit", shown(value, 60), remedy))


def is_writeable_in_place(X: Any, values: Any, dtype: np.dtype[Any]) -> bool:
    """Whether a result of ``dtype`` may be written over the caller's array."""
    is_array = isinstance(values, np.ndarray) and values.flags.writeable and values.dtype == dtype
    return is_array and not _overlaps_itself(values) and shares_memory(X, values)


def _overlaps_itself(values: Array) -> bool:
    """Whether two elements may be one in memory, as in expanded tensors and in windows that slide."""
    reach = values.itemsize
    for stride, n in sorted((abs(s), n) for s, n in zip(values.strides, values.shape, strict=True) if n > 1):
        if stride < reach:
            return True
        reach += stride * (n - 1)
    return False
