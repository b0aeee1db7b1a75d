"""F4, transformers as files that outlive versions of everything: JSON, exact, without code.

A file holds the class by name, the parameters, what fit learned, the names of the features, and what `set_output` and
the ``set_*_request`` methods were given; `_json` says how values are written. Whatever changes in this makes a new
VERSION: keep reading the old ones, by turning a document of version n into one of version n + 1, in which a parameter
that is younger than the file takes its default. Files of every version stay in tests/saved and stay loadable.
"""

from __future__ import annotations

import inspect
import json
import os
import secrets
import shutil
from dataclasses import fields
from operator import sub
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import config_context

from . import _estimator, _file_errors, _json
from ._dataset_statistics import Extrema, Moments
from ._min_max_normalizer import MinMaxNormalizer
from ._precision import Array, DoubleDouble
from ._row_layer_norm import RowLayerNorm
from ._row_rms_norm import RowRMSNorm
from ._row_softmax import RowSoftmax
from ._standardizer import Standardizer

FORMAT, VERSION = "sknorm", 1
FIELDS = (
    *("format", "version", "class", "parameters", "n_features_in", "feature_names_in", "statistics"),
    *("output", "requests"),
)
CLASSES: dict[str, Any] = {
    cls.__name__: cls for cls in (MinMaxNormalizer, Standardizer, RowLayerNorm, RowRMSNorm, RowSoftmax)
}
SUMMARIES: dict[str, type[Extrema]] = {"MinMaxNormalizer": Extrema, "Standardizer": Moments}
REQUESTING = ("fit", "partial_fit", "inverse_transform")  # methods that may ask for metadata
ROUNDING = 2.0**-20  # far above that of statistics that fit learnt, and far below what a wrong one is off by
LARGEST_WIDTH = 2**40  # beyond any data, and within what an index can count


def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Write a transformer, fitted or not, to a file that `load` reads in any later version.

    The file is JSON, with every number exact. It is written beside its place and then moved there, so that a save that
    fails leaves an earlier file as it was, and one that succeeds keeps its permissions.

    Parameters
    ----------
    estimator : MinMaxNormalizer, Standardizer, RowLayerNorm, RowRMSNorm or RowSoftmax
    path : str or path-like

    Raises
    ------
    TypeError
        For other objects, pipelines and subclasses among them, and for parameters that are not of numbers.
    ValueError
        For a fitted transformer whose parameters were changed to what it cannot use, and for the path of a device or
        pipe, which is left alone.
    OSError
        Where the file cannot be written.

    See Also
    --------
    load : the way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import sknorm
    >>> path = os.path.join(tempfile.mkdtemp(), "scaler.json")
    >>> sknorm.save(sknorm.Standardizer().fit([[1.0], [3.0]]), path)
    >>> sknorm.load(path).transform([[5.0]])
    array([[3.]])
    """
    place = _place(path)
    earlier = place.exists()
    if earlier and not place.is_file():
        raise _file_errors.no_regular_file(path)
    if not place.parent.is_dir():
        raise _file_errors.no_such_directory(place.parent)
    written = {name: json.dumps(value, allow_nan=False) for name, value in _document(estimator).items()}
    text = "{" + ",".join(f'\n"{name}": {value}' for name, value in written.items()) + "\n}\n"
    _restored(_json.parsed(text))  # what load would refuse is not worth a file
    beside = place.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        with open(beside, "x", encoding="ascii") as file:
            if earlier:
                shutil.copymode(place, beside)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, place)
    except OSError as error:  # which names the file beside
        raise _file_errors.not_written(path, error) from error
    finally:
        beside.unlink(missing_ok=True)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a transformer that `save` wrote: the same class, parameters and statistics, to the last bit.

    Nothing in the file is run or imported: the class is looked up among five, and all fields are checked.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    estimator : MinMaxNormalizer, Standardizer, RowLayerNorm, RowRMSNorm or RowSoftmax
        A new one.

    Raises
    ------
    ValueError
        For a file that `save` did not write: another format, version or class, missing or unknown fields, values of
        wrong type or size, statistics that no data have.

    See Also
    --------
    save : how the file is written.

    Examples
    --------
    >>> import os, tempfile
    >>> import sknorm
    >>> path = os.path.join(tempfile.mkdtemp(), "norm.json")
    >>> sknorm.save(sknorm.RowRMSNorm(eps=0, gamma=[1.0, 2.0]), path)
    >>> sknorm.load(path)
    RowRMSNorm(eps=0, gamma=[1.0, 2.0])
    """
    try:
        return _restored(_json.parsed(_place(path).read_text(encoding="utf-8")))
    except UnicodeDecodeError as error:
        raise _json.damaged("text", f"bytes that are no UTF-8 ({error.reason})") from None
    except RecursionError:
        raise _json.damaged("values nested a few levels deep", "more levels than can be read") from None


def _place(path: Any) -> Path:
    """Where the file is, or will be: a symbolic link stays one."""
    if not isinstance(path, (str, os.PathLike)):
        raise _file_errors.no_path(path)
    place = Path(os.path.realpath(os.fspath(path)))
    if place.is_dir():
        raise _file_errors.not_a_file(path)
    return place


def _document(estimator: Any) -> dict[str, Any]:
    name = type(estimator).__name__
    if CLASSES.get(name) is not type(estimator):
        raise _file_errors.not_saved(estimator, list(CLASSES))
    names, summary = getattr(estimator, "feature_names_in_", None), getattr(estimator, "statistics_", None)
    parameters = estimator.get_params(deep=False).items()
    return {
        "format": FORMAT,
        "version": VERSION,
        "class": name,
        "parameters": {key: _json.encoded(value, key) for key, value in parameters},
        "n_features_in": getattr(estimator, "n_features_in_", None),
        "feature_names_in": None if names is None else names.tolist(),
        "statistics": None if summary is None else _described(summary),
        "output": _estimator.output_asked_for(estimator),
        "requests": _requests(estimator),
    }


def _described(summary: Extrema) -> dict[str, Any]:
    values = {name: getattr(summary, name) for name in _fields_of(type(summary))}
    return {
        name: {part: _json.encoded(getattr(value, part), name) for part in ("hi", "lo")}
        if isinstance(value, DoubleDouble)
        else _json.encoded(value, name)
        for name, value in values.items()
    }


def _fields_of(kind: type[Extrema]) -> list[str]:
    return [field.name for field in fields(kind) if field.init]


def _restored(document: Any) -> Any:
    """The transformer that a document describes, or a ValueError: never half of one."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _json.unreadable(f'a document of "format": "{FORMAT}"', document)
    version = document.get("version")
    if type(version) is not int or version < 1:
        raise _json.unreadable("a version, 1 or above", version)
    if version > VERSION:
        raise _file_errors.unknown_version(version, VERSION)
    _json.check_fields(document, FIELDS, "the document")
    name, n_features, statistics = document["class"], document["n_features_in"], document["statistics"]
    if not isinstance(name, str) or name not in CLASSES:
        raise _json.unreadable(f"a class among {list(CLASSES)}", name)
    cls, kind = CLASSES[name], SUMMARIES.get(name)
    _json.check_fields(document["parameters"], inspect.signature(cls).parameters, f"the parameters of {name}")
    estimator = cls(**{key: _json.decoded(value, key) for key, value in document["parameters"].items()})
    with config_context(enable_metadata_routing=True, transform_output="default"), np.errstate(all="ignore"):
        _request(estimator, document["requests"])
        if n_features is not None:
            if type(n_features) is not int or not 0 < n_features < LARGEST_WIDTH:
                raise _json.unreadable("n_features_in to be a number of features", n_features)
            estimator.n_features_in_ = n_features
            if kind is not None:
                estimator.statistics_ = _summary(kind, statistics, n_features)
            estimator.transform(np.empty((0, n_features)))  # which checks the parameters against all that
    if (kind is None or n_features is None) and statistics is not None:
        raise _json.unreadable("no statistics without fit, or for a class that learns none", statistics)
    if document["feature_names_in"] is not None:
        estimator.feature_names_in_ = _names(document["feature_names_in"], n_features)
    if document["output"] not in (None, "default", "pandas", "polars"):
        raise _json.unreadable('output to be null, "default", "pandas" or "polars"', document["output"])
    return estimator.set_output(transform=document["output"])


def _summary(kind: type[Extrema], document: Any, n_features: int) -> Extrema:
    _json.check_fields(document, _fields_of(kind), "the statistics")
    plain = {name: _json.decoded(document[name], name) for name in ("n_samples", "dtype", "count")}
    count, n_samples = plain["count"], plain["n_samples"]
    if not (_is_vector(count, n_features, np.int64, np.float64) and (count >= 0).all()):
        raise _json.unreadable(f"count to be {n_features} numbers of at least 0", document["count"])
    if isinstance(n_samples, bool) or not isinstance(n_samples, (int, float, np.floating)) or not n_samples >= 0:
        raise _json.unreadable("n_samples to be a number of at least 0", n_samples)
    if not isinstance(plain["dtype"], np.dtype):
        raise _json.unreadable("a dtype of the data", plain["dtype"])
    pairs: dict[str, Any] = {name: _pair(document[name], name, n_features) for name in document if name not in plain}
    for name, pair in pairs.items():
        present = count > 0 if name in ("minimum", "maximum") else np.True_
        if not np.where(present, np.isfinite(pair.hi) & (pair.rounded() == pair.hi), np.isnan(pair.hi)).all():
            expected = f"{name} to be finite and normalised where there are values, and NaN where there are none"
            raise _json.unreadable(expected, document[name])
    if (pairs["maximum"] < pairs["minimum"]).any():
        raise _json.unreadable("no minimum above its maximum", document["minimum"])
    if count.dtype.kind == "i" and n_samples == np.inf:  # huge weights do sum to it
        raise _json.unreadable("n_samples to be finite without weights", n_samples)
    summary = kind(**plain, **pairs)
    if isinstance(summary, Moments):
        _check_moments(summary, document)
    return summary


def _check_moments(summary: Moments, document: Any) -> None:
    """What holds for any data, up to rounding."""
    mean, variance = summary.above.hi, summary.variance.hi
    with np.errstate(all="ignore"):  # ends far apart in size leave the smaller no bits
        ends = (end.shifted(-summary.exponent) for end in (summary.maximum, summary.minimum))
        width = np.where(summary.count > 0, sub(*ends).hi, 0.0)
    if (variance < 0).any():
        raise _json.unreadable("a variance of at least 0", document["variance"])
    if not ((-ROUNDING * width <= mean) & (mean <= (1 + ROUNDING) * width)).all():
        raise _json.unreadable("a mean between minimum and maximum", document["above"])
    if (variance > (1 + ROUNDING) * width**2 / 4).any():
        raise _json.unreadable("a variance of at most (maximum - minimum)**2 / 4", document["variance"])
    # a value of hardly any weight may add less than the smallest float
    if summary.count.dtype.kind == "i" and ((variance == 0) & (width > 0)).any():
        raise _json.unreadable("a variance above 0 where minimum and maximum differ", document["variance"])


def _pair(document: Any, name: str, size: int) -> DoubleDouble:
    _json.check_fields(document, ("hi", "lo"), name)
    hi, lo = (_json.decoded(document[part], name) for part in ("hi", "lo"))
    if not (_is_vector(hi, size, np.float64) and _is_vector(lo, size, np.float64)):
        raise _json.unreadable(f"{name} to be two arrays of {size} float64", document)
    return DoubleDouble(hi, lo)


def _is_vector(value: Any, size: int, *dtypes: Any) -> bool:
    return isinstance(value, np.ndarray) and value.shape == (size,) and value.dtype in dtypes


def _names(names: Any, n_features: int | None) -> Array:
    if not isinstance(names, list) or {type(name) for name in names} != {str}:
        raise _json.unreadable("feature_names_in to be a list of texts", names)
    if len(names) != n_features or len(set(names)) < len(names):
        raise _json.unreadable(f"feature_names_in to be {n_features} different names", names)
    return np.array(names, dtype=object)


def _requests(estimator: Any) -> dict[str, Any]:
    """What metadata the methods ask for, where they were told to."""
    routing = estimator.get_metadata_routing()
    asked = {method: getattr(routing, method).requests for method in REQUESTING}
    told = {method: {key: value for key, value in each.items() if value is not None} for method, each in asked.items()}
    return {method: each for method, each in told.items() if each}


def _request(estimator: Any, requests: Any) -> None:
    """Tell the methods again; needs metadata routing to be enabled."""
    known = estimator.get_metadata_routing()
    for method, asked in requests.items() if isinstance(requests, dict) else [(None, requests)]:
        metadata = getattr(known, method).requests if method in REQUESTING else ()
        if not isinstance(asked, dict) or not asked or not set(asked) <= set(metadata):
            raise _json.unreadable(f"requests of metadata by {REQUESTING}", requests)
        for value in asked.values():
            if not isinstance(value, bool) and not (isinstance(value, str) and value.isidentifier()):
                raise _json.unreadable("requests to be true, false or a name", value)
        getattr(estimator, f"set_{method}_request")(**asked)
