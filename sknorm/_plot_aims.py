"""F4, what each of the five aims at, in the words of a title and as lines to draw."""

from __future__ import annotations

from typing import Any

from ._min_max_normalizer import MinMaxNormalizer
from ._row_layer_norm import RowLayerNorm
from ._row_rms_norm import RowRMSNorm
from ._row_softmax import RowSoftmax
from ._standardizer import Standardizer

CONSTRAINTS: dict[type, tuple[str, str]] = {
    RowSoftmax: ("probability", "positive, sum 1"),
    RowLayerNorm: ("unit variance", "mean 0, variance 1"),
    RowRMSNorm: ("unit energy", "mean square 1"),
}


def aim_of(norm: Any) -> str:
    """What comes out of a transformer, said of each feature or sample."""
    if isinstance(norm, MinMaxNormalizer):
        low, high = (f"{end:g}" for end in norm.feature_range)
        known = "" if norm.in_range is None else "known limits "
        return f"{known}from {low} to {high}, {_features(norm, norm.in_range is None)}"
    if isinstance(norm, Standardizer):
        return f"{_of_standardizer(norm)}, {_features(norm, norm.mean is None and norm.std is None)}"
    return f"{constraint_of(norm)[1]}, in each sample"


def _of_standardizer(norm: Standardizer) -> str:
    mean = ("mean 0" if norm.mean is None else "known mean to 0") if norm.with_mean else ""
    std = ("variance 1" if norm.std is None else "known deviation to 1") if norm.with_std else ""
    return ", ".join(filter(None, (mean, std))) or "nothing changed"


def _features(norm: Any, learned: bool) -> str:
    return "all features together" if learned and not norm.per_feature else "in each feature"


def constraint_of(norm: Any) -> tuple[str, str]:
    """Name and formula of what a row norm makes one."""
    name, formula = next(words for cls, words in CONSTRAINTS.items() if isinstance(norm, cls))
    then = [what for what in ("gamma", "beta") if getattr(norm, what, None) is not None]
    return name, f"{formula}, then {' and '.join(then)}" if then else formula


def guides_of(norm: Any) -> tuple[float, ...]:
    """Where lines help to see whether it is reached."""
    if isinstance(norm, MinMaxNormalizer):
        return tuple(float(end) for end in norm.feature_range)
    if isinstance(norm, Standardizer):
        # about a mean that stays where it is no line means anything
        return ((-1.0, 0.0, 1.0) if norm.with_std else (0.0,)) if norm.with_mean else ()
    if isinstance(norm, RowSoftmax):
        return (0.0, 1.0)
    return (0.0,) if _is_scaled(norm) else (-1.0, 0.0, 1.0)


def guide_label_of(norm: Any) -> str:
    """What those lines are, in a legend."""
    if isinstance(norm, MinMaxNormalizer):
        return "range: {:g} and {:g}".format(*norm.feature_range)
    if isinstance(norm, Standardizer):
        return "mean 0, ±1 standard deviation" if norm.with_std else "mean 0"
    if isinstance(norm, RowSoftmax):
        return "limits: 0 and 1"
    if _is_scaled(norm):
        return "0"
    return "mean 0, ±1 standard deviation" if isinstance(norm, RowLayerNorm) else "0, ±1 root mean square"


def shared_guide_label_of(norms: list[Any]) -> str:
    """What the lines at 1 and -1 are, where several norms are drawn."""
    words = {RowSoftmax: "sum", RowLayerNorm: "standard deviation", RowRMSNorm: "root mean square"}
    kept = [norm for norm in norms if not _is_scaled(norm)]
    found = [word for cls, word in words.items() if any(isinstance(norm, cls) for norm in kept)]
    return f"{' or '.join([', '.join(found[:-1]), found[-1]] if len(found) > 1 else found)} of 1"


def _is_scaled(norm: Any) -> bool:
    return any(getattr(norm, what, None) is not None for what in ("gamma", "beta"))


def counted(n: int, what: str) -> str:
    plural = "entries" if what == "entry" else f"{what}s"
    return f"{n} {what if n == 1 else plural}"
