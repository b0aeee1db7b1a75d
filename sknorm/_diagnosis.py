"""F4, whether data are normalised already, and how: `diagnose`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np

from ._advice import Advice, advice, warnings
from ._containers import frame_kind, opened
from ._dask import is_collection, stand_in, summarised
from ._diagnosis_forms import as_html, as_text
from ._findings import Findings, features
from ._infinities import without_infinity
from ._precision import Array
from ._survey import Survey
from ._validation import is_sparse


class Diagnosis(Findings):
    """What `diagnose` found; printed it is a report, in a notebook a table. It does not change.

    What is not listed here serves the forms of the report.

    Attributes
    ----------
    verdict : str
        The answer in one sentence.
    features : mapping of name to FeatureDiagnosis
        Its ``verdict``, ``holds``, ``n``, ``missing``, ``infinite``, ``min``, ``max``, ``mean``, ``std``.
    samples : SampleDiagnosis
        Its ``verdict``, ``holds``, ``n``, ``judged``, ``missing``, ``infinite``, ``zero``, ``mean``,
        ``root_mean_square``.
    advice : mapping of class name to Advice
        Its ``effect`` ("useful", "useless", "harmful" or "refused") and ``text``.
    warnings : tuple of str
        What to beware of, and in which features.
    """

    @cached_property
    def advice(self) -> Mapping[str, Advice]:
        return MappingProxyType(advice(self))

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        return tuple(warnings(self))

    def to_frame(self) -> Any:
        """One row per feature.

        Returns
        -------
        frame : pandas DataFrame of shape (n_features, 8), indexed by the names of the features
            ``verdict``, ``n`` (finite values), ``missing``, ``infinite``, ``min``, ``max``, ``mean``, ``std``.
        """
        import pandas

        return pandas.DataFrame(dict(self.table), index=pandas.Index(self.labels, name="feature", tupleize_cols=False))

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)


def diagnose(X: Any) -> Diagnosis:
    """Say whether data are normalised already, how, and what each of the five classes would bring.

    One pass over the data finds which constraint each feature and each sample satisfies within rounding.

    Parameters
    ----------
    X : array-like, sparse matrix, DataFrame or dask collection of shape (n_samples, ..., n_features)
        All axes but the last are pooled; a sample is a vector along the last axis. Missing and infinite values are
        counted and left out of the statistics. Columns of a frame that are not numeric are reported as that and
        left out of the samples.

    Returns
    -------
    report : Diagnosis
        Printed it is a text, in a notebook a table; ``report.to_frame()`` has a row per feature. In code:
        ``report.verdict``, ``report.features["age"].verdict``, ``report.samples.verdict``, ``report.advice`` and
        ``report.warnings``.

    Raises
    ------
    ValueError
        For 1-D data, no features, and text or complex numbers in arrays.

    Notes
    -----
    A feature is one of: no finite value; constant; nearly constant (the range is below ``eps**(2/3)`` of the
    magnitude); only 0 and 1; mean 0, variance 1 (or with ddof=1); pixels from 0 to 1 (at least three features of whole
    16ths, 255ths or 65,535ths, most above one half, the largest being 1, and not each from 0 to 1); from 0 to 1, or
    -1 to 1, both ends reached; pixels from 0 to 255 (whole numbers, most features above 127, the largest being 255,
    or in uint8); few whole numbers (from 0 or 1 to at most 20); variance 1; largest magnitude 1 (in all that vary);
    not normalised; not numeric. The samples are, all that have a value other than 0: sum 1, none negative; mean 0,
    variance 1; mean square 1; unit length (L2 or L1).

    "Within rounding" is, for n values in a feature (d in a sample), ``4 * eps + sqrt(n) * min(eps, 2**-23)``, and
    ``eps**(2/3)`` more where a mean was subtracted. An end of a range is reached within the range times
    ``2 * eps + min(eps, 2**-23)**(5/6)``, and an end of 0 or a magnitude of 1 exactly. Of a hundred values, the mean
    may be off by 4e-11 in float64, 3e-5 in float32 and 1e-2 in float16. eps is that of the dtype, or of float32 where
    float32 holds all values. An eps of the norm brings mean squares below 1: those of half the samples may be down to
    0.909 after a layer norm and 0.990 after an RMS norm, as the default eps of the classes brings a deviation of
    0.01, and the others anywhere below.

    Where 1/n is within rounding, in float16 mostly, ddof of 0 and 1 cannot be told apart, and 0 is said. Ten thousand
    random numbers in float16 may be as near to mean 0 and variance 1, or to -1 and 1, as rounding leaves it. A sparse
    matrix is judged with its zeros; CSC is converted to CSR first. Memory is under 8 MB beside the data and some
    hundred bytes a feature.

    Examples
    --------
    >>> import numpy as np
    >>> import sknorm
    >>> X = np.array([[1.0, 10.0], [2.0, 30.0], [6.0, 20.5]])
    >>> report = sknorm.diagnose(sknorm.Standardizer().fit_transform(X))
    >>> report.verdict
    'Normalised by feature: mean 0, variance 1 (2 of 2 features).'
    >>> report.features["x0"].verdict, report.samples.verdict
    ('mean 0, variance 1', 'not normalised')
    >>> report.advice["Standardizer"].effect
    'useless'
    """
    labels, numeric, X, values = _readable(X)
    lazy = is_collection(X)
    if lazy:
        whole = X.rechunk({X.ndim - 1: -1}) if hasattr(X, "rechunk") else X  # samples are seen whole
        survey = summarised(whole, Survey, lambda features: _survey_of, None)
    else:
        survey = Survey.of(values)
    finite = without_infinity(stand_in(X)) if survey.infinite.any() else ""
    n = int(survey.tally.counts[0]) if lazy else prod(values.shape[:-1])
    shape = f" ({' x '.join(map(str, values.shape))})" if values.ndim > 2 and not lazy else ""
    sparse = is_sparse(values)
    dtype = f", {'sparse ' * sparse}{values.dtype.name}" if numeric.any() else ""
    kind = f"{n:,} sample{'s' * (n != 1)} of {features(len(labels))}{shape}{dtype}"
    return Diagnosis.of(survey, labels, numeric, kind, sparse, finite)


def _survey_of(X: Any) -> Survey:
    return Survey.of(opened(X))


def _readable(X: Any) -> tuple[list[Any], Array, Any, Any]:
    """Names of all features, which of them are numeric, and the data of those, as they came and as values."""
    like = stand_in(X)
    is_frame = frame_kind(like) is not None
    try:
        values = opened(like)
    except (ValueError, TypeError):
        if not is_frame or len(set(like.columns)) < like.shape[1] or not like.shape[1]:
            raise
        labels = list(like.columns)
        numeric = np.array([_is_numeric(like[[label]]) for label in labels])
        if not numeric.any():
            return labels, numeric, None, np.empty((len(like), 0))
        X = X[[label for label, is_so in zip(labels, numeric, strict=True) if is_so]]
        return labels, numeric, X, opened(stand_in(X))
    labels = list(like.columns) if is_frame else [f"x{j}" for j in range(values.shape[-1])]
    return labels, np.ones(len(labels), dtype=bool), X, values


def _is_numeric(column: Any) -> bool:
    try:
        opened(column)
    except (ValueError, TypeError):
        return False
    return True
