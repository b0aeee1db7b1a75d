"""F4, which of the five classes would bring what to data that were diagnosed, and what to beware of."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from . import _constraints as c
from ._findings import Findings, features
from ._precision import Array

FEW = 4  # names that a sentence lists
LARGE_SCORES = 100.0  # exp of such differences leaves one probability that is not 0 in float32
APART = 1e3  # how far apart spreads may be for features to share a unit
TINIEST = 5e-324  # the least float above 0
STILL = (c.EMPTY, c.NOT_NUMERIC, c.CONSTANT)  # what no class changes


class Advice(NamedTuple):
    """What a class would bring: ``effect`` is "useful", "useless", "harmful" or "refused"; ``text`` says why."""

    effect: str
    text: str


def few(names: list[str], n: int, most: int = FEW) -> str:
    """The first of ``n`` names."""
    if n <= most + 1:
        return ", ".join(names)
    return f"{', '.join(names[:most])} and {n - most:,} more"


def between(low: float, high: float) -> str:
    return f"{low:.3g}" if f"{low:.3g}" == f"{high:.3g}" else f"{low:.3g} to {high:.3g}"


def _range(values: Array) -> str:
    return between(float(np.min(values)), float(np.max(values)))


def _standardizer(d: Findings) -> Advice:
    todo = ~d.has(*STILL, c.BINARY, c.STANDARD, c.STANDARD_1, c.VARIANCE)
    if not todo.any():
        if d.has(c.VARIANCE).any():
            return Advice("useless", "Variance 1 already, as with_mean=False brings it; only means would become 0.")
        if d.has(c.STANDARD_1).any():
            return Advice("useless", "Mean 0 and variance 1 already, of the sample (ddof=1).")
        if d.has(c.STANDARD).any():
            return Advice("useless", "Mean 0 and variance 1 already.")
        return _nothing_varies(d)
    mean, std = d.table["mean"][todo], d.table["std"][todo]
    text = (
        f"{features(todo.sum())} to mean 0 and variance 1: now means {_range(mean)}, standard deviations {_range(std)}."
    )
    if d.sparse:
        text += " Pass with_mean=False, which keeps zeros 0 and the data sparse."
    elif d.is_nearly_standard:
        text += " So close are data that were rounded since, or scaled by the statistics of others: leave those."
    return _by_feature(d, text)


def _min_max(d: Findings) -> Advice:
    todo = ~d.has(*STILL, c.BINARY, c.UNIT)
    if not todo.any():
        return Advice("useless", "From 0 to 1 already.") if d.has(c.UNIT).any() else _nothing_varies(d)
    if d.has(c.SHARES).any():
        return Advice(
            "harmful", "Perhaps pixels, from 0 to 1 as one; each by itself would blow up those that vary least."
        )
    low, high = d.table["min"][todo], d.table["max"][todo]
    if d.sparse and (low != 0).any():
        return Advice("refused", "Sparse data with a minimum other than 0, whose zeros would not stay 0.")
    text = f"{features(todo.sum())} to the range 0 to 1: now minima {_range(low)}, maxima {_range(high)}."
    if d.has(c.PIXELS).any():
        text += " With in_range=(0, 255) pixels are divided by 255, whatever a batch holds."
    return _by_feature(d, text)


def _nothing_varies(d: Findings) -> Advice:
    if d.has(c.BINARY).any():
        return Advice("useless", "Indicators of 0 and 1 say no more as other pairs of numbers.")
    return Advice("useless", "No feature varies.")


def _by_feature(d: Findings, text: str) -> Advice:
    """What a map of each feature takes from samples that are normalised."""
    if d.samples.verdict in d.samples.holds:
        return Advice("harmful", f"The samples would lose what they have: {d.samples.verdict}. {text}")
    return Advice("useful", text)


def _layer_norm(d: Findings) -> Advice:
    if d.sparse:
        return Advice("refused", "Sparse data, whose zeros would not stay 0. RowRMSNorm takes them.")
    return _by_sample(d, (c.LAYER, c.LAYER_BELOW), "mean 0 and variance 1", f"means {between(*d.samples.mean)}, ")


def _rms_norm(d: Findings) -> Advice:
    if d.samples.verdict == c.UNIT_LENGTH and not d.samples.missing:
        return Advice("useless", "Samples of one length already: each would be multiplied by the same number.")
    return _by_sample(d, (c.LAYER, c.LAYER_BELOW, c.RMS, c.RMS_BELOW), "mean square 1", "")


def _by_sample(d: Findings, done: tuple[str, ...], target: str, now: str) -> Advice:
    if d.samples.verdict in done:
        return Advice("useless", f"Each sample has {d.samples.verdict} already.")
    if d.samples.verdict == c.PROBABILITY:
        return Advice("harmful", "The samples would no longer be probabilities.")
    known = not np.isnan(d.samples.mean[0])
    text = f"Each sample to {target}"
    text += f": now {now}root mean squares {between(*d.samples.root_mean_square)}." if known else "."
    if d.is_by_feature:
        return Advice("harmful", f"The features would lose what they have. {text}")
    spread = d.table["std"][~d.has(*STILL)]
    least, most = float(spread.min(initial=np.inf)), float(spread.max(initial=0))
    if least < most / APART:
        ratio = f"{most / max(least, most * 1e-99, TINIEST):.0e}"  # which is finite
        text = f"Features whose spreads are apart by a factor of {ratio} share no unit: the widest would rule. {text}"
        return Advice("harmful", text)
    return Advice("useful", f"{text} For features of one unit, and samples whose scale means nothing.")


def _softmax(d: Findings) -> Advice:
    if d.sparse:
        return Advice("refused", "Sparse data, whose zeros would not stay 0.")
    if d.samples.verdict == c.PROBABILITY:
        return Advice("harmful", "The samples are probabilities already; a second softmax would level them.")
    text = "Each sample to positive numbers of sum 1, for scores (logits) only."
    if d.is_by_feature:
        return Advice("harmful", f"The features would lose what they have. {text}")
    if (largest := d.samples.root_mean_square[1]) > LARGE_SCORES:
        return Advice("harmful", f"Scores of {largest:.3g} make the largest 1 and the others 0. {text}")
    return Advice("useful", text)


CLASSES: dict[str, Callable[[Findings], Advice]] = {
    "MinMaxNormalizer": _min_max,
    "Standardizer": _standardizer,
    "RowLayerNorm": _layer_norm,
    "RowRMSNorm": _rms_norm,
    "RowSoftmax": _softmax,
}


def advice(d: Findings) -> dict[str, Advice]:
    """Of each class."""
    found = {}
    for name, of in CLASSES.items():
        if not (d.table["n"] > 0).any():
            found[name] = Advice("useless", "There are no numbers.")
        elif name.startswith("Row") and len(d.names) - d.has(c.NOT_NUMERIC).sum() < 2:
            found[name] = Advice("harmful", "A sample of one feature comes out the same whatever it holds.")
        elif name.startswith("Row") and not d.samples.judged:
            found[name] = Advice("useless", "Every sample is 0.")
        elif d.has_positive_infinity or (name != "RowSoftmax" and d.has_infinity):  # which takes -inf as masked
            effect, text = of(d)
            found[name] = Advice("refused", f"Infinite values; without them {effect}. {text}")
        else:
            found[name] = of(d)
    return found


# Which features to beware of: a verdict, and what would come of it.
WARNINGS = (
    (c.NOT_NUMERIC, "left out here, and refused by all five classes: encode them, or leave them out."),
    (c.EMPTY, "they would stay missing, which most models refuse."),
    (c.CONSTANT, "they would become 0 (with min-max the low end), and tell a model nothing."),
    (c.NEARLY_CONSTANT, "what varies is hardly more than rounding, and would be blown up."),
    (c.BINARY, "indicators, or a label; best left as they are."),
    (c.CODES, "if they are class labels or codes of categories, do not scale them."),
)


def warnings(d: Findings) -> list[str]:
    """What to beware of, each with the features it is about."""
    found = []
    if d.has_infinity:
        who = "the classes refuse them" if d.has_positive_infinity else "all classes but RowSoftmax refuse -inf"
        text = f"{who}; {d.finite} marks them as missing."
        found.append(f"Infinite values ({_named(d, d.table['infinite'] > 0)}): {text}")
    indicators = d.has(c.BINARY) | (d.has(c.CONSTANT) & np.isin(d.table["min"], (0, 1)))
    if d.samples.verdict == c.PROBABILITY and (indicators | d.has(c.NOT_NUMERIC)).all():
        single = "a single 1 or none" if d.samples.zero else "a single 1"
        found.append(f"One-hot: each sample has {single}, and is best left as it is.")
    for verdict, text in WARNINGS:
        if (which := d.has(verdict)).any() and (d.samples.n or verdict == c.NOT_NUMERIC):
            found.append(f"{verdict.capitalize()} ({_named(d, which)}): {text}")
    return found


def _named(d: Findings, which: Array) -> str:
    places = np.flatnonzero(which)
    return few([d.names[j] for j in places[: FEW + 1]], len(places))
