"""F4, what was found out about data: a verdict for each feature, and one for the samples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np

from . import _constraints as c
from ._precision import Array
from ._survey import Survey

LONGEST_NAME = 40
NOTHING = "nothing to judge"
BY_FEATURE = (c.STANDARD, c.STANDARD_1, c.SHARES, c.UNIT, c.SYMMETRIC, c.VARIANCE, c.MAGNITUDE)
FEWEST_CHANNELS = 3
CLOSE = 0.25  # to mean 0 and deviation 1, for which other data of the same kind may be scaled already


class FeatureDiagnosis(NamedTuple):
    """What is so of one feature: ``verdict`` is the first of all constraints that hold; ``n`` counts finite values."""

    verdict: str
    holds: tuple[str, ...]
    n: int
    missing: int
    infinite: int
    min: float
    max: float
    mean: float
    std: float


class SampleDiagnosis(NamedTuple):
    """What is so of the samples: ``verdict`` is the first constraint that holds for all that can be judged.

    Those are the samples of at least two features with a value other than 0, ``judged`` in number; ``holds`` says for
    how many of them each constraint holds (of those less an eps: closely, while a verdict takes half of them, and
    none above 1). ``mean`` and ``root_mean_square`` are the lowest and the highest.
    """

    verdict: str
    holds: Mapping[str, int]
    n: int
    judged: int
    missing: int
    infinite: int
    zero: int
    mean: tuple[float, float]
    root_mean_square: tuple[float, float]


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """What is so, with no judgement of what would be better."""

    names: tuple[str, ...]
    labels: tuple[Any, ...]  # the names as the frame has them
    codes: Array  # of the verdicts
    table: Mapping[str, Array]
    holds: Array  # of each constraint and feature
    samples: SampleDiagnosis
    has_positive_infinity: bool
    kind: str  # of data
    sparse: bool
    finite: str  # the code that makes infinities missing

    @classmethod
    def of(cls, survey: Survey, labels: list[Any], numeric: Array, kind: str, sparse: bool, finite: str) -> Self:
        """From a survey of the ``numeric`` features."""
        moments, tally = survey.moments, survey.tally
        with np.errstate(all="ignore"):
            zero = np.zeros(len(moments.count), dtype=int)
            mean = moments.mean(zero)[0].rounded()
            std = np.ldexp(moments.variance.sqrt().rounded(), moments.exponent)
            std = np.where(moments.count > 0, std, np.nan)
            low, high = moments.minimum.rounded(), moments.maximum.rounded()
            known = (moments.count, moments.constant, low, high, mean, std, survey.flags[0], survey.eps())
            seen = c.Features(*known, *_are_pixels(survey, low, high))
            held = np.array([constraint.holds(seen) for constraint in c.FEATURES])
        infinite = survey.infinite.sum(axis=0)
        missing = tally.counts[0] - moments.count - infinite
        held[1:, moments.count == 0] = False
        first = np.argmax([*held, np.ones(len(zero), dtype=bool)], axis=0)
        codes = _among(first, numeric, c.VERDICTS.index(c.NOT_NUMERIC))
        table: dict[str, Any] = {"verdict": np.array(c.VERDICTS, dtype=object)[codes]}
        for name, count in (("n", moments.count), ("missing", missing), ("infinite", infinite)):
            table[name] = _among(count, numeric, 0)
        for name, number in (("min", low), ("max", high), ("mean", mean), ("std", std)):
            table[name] = _among(number, numeric, np.nan)
        all_held = np.zeros((len(held), len(numeric)), dtype=bool)
        all_held[:, numeric] = held
        for array in (codes, all_held, *table.values()):
            array.flags.writeable = False
        names = tuple(map(_printable, labels))
        above = bool(survey.infinite[1].any())
        return cls(names, tuple(labels), codes, table, all_held, _samples(survey), above, kind, sparse, finite)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def features(self) -> Mapping[Any, FeatureDiagnosis]:
        columns = [self.table[name].tolist() for name in FeatureDiagnosis._fields if name != "holds"]
        names = np.array(c.VERDICTS[: len(c.FEATURES)], dtype=object)
        found = {}
        for label, held, verdict, *numbers in zip(self.labels, self.holds.T, *columns, strict=True):
            found[label] = FeatureDiagnosis(verdict, tuple(names[held]), *numbers)
        return MappingProxyType(found)

    def has(self, *verdicts: str) -> Array:
        """Features of one of the verdicts."""
        return np.isin(self.codes, [c.VERDICTS.index(verdict) for verdict in verdicts])

    @property
    def has_infinity(self) -> bool:
        return bool((self.table["infinite"] > 0).any())

    @property
    def _varied(self) -> Array:
        """Features that can be normalised and are no indicators."""
        return ~self.has(c.EMPTY, c.NOT_NUMERIC, c.CONSTANT, c.NEARLY_CONSTANT, c.BINARY)

    @cached_property
    def is_by_feature(self) -> bool:
        """Whether most features that can be normalised are."""
        return bool(2 * self.has(*BY_FEATURE).sum() > self._varied.sum())

    @cached_property
    def is_nearly_standard(self) -> bool:
        """Whether what is not standardised is as if by the statistics of others, or rounded since."""
        todo = self._varied & ~self.has(c.STANDARD, c.STANDARD_1)
        off = np.maximum(np.abs(self.table["mean"]), np.abs(self.table["std"] - 1))[todo]
        return bool(off.size and off.max() < CLOSE)

    @cached_property
    def verdict(self) -> str:
        if not (self.table["n"] > 0).any():
            return "Nothing to judge: there are no numbers."
        said = []
        if self.samples.verdict in self.samples.holds:
            said.append(f"Normalised by sample: {self.samples.verdict}.")
        judged = self._varied
        for name in BY_FEATURE:
            if n := int(self.has(name).sum()):
                how = f"{n:,} of {features(len(self.names))}"
                whole = "N" if n == judged.sum() else "Partly n"
                by = "" if name == c.SHARES else " by feature"
                said.append(f"{whole}ormalised{by}: {name} ({how}).")
        if said:
            return " ".join(said)
        if not judged.any():
            return "Not normalised, and no feature to be: all are constant or indicators."
        if self.has(c.PIXELS).any():
            return "Not normalised: perhaps raw pixels from 0 to 255."
        if self.is_nearly_standard:
            return "Not normalised within rounding, but close to mean 0 and variance 1."
        return "Not normalised, neither by feature nor by sample."


def _are_pixels(survey: Survey, low: Array, high: Array) -> tuple[bool, bool]:
    """Whether most features that vary reach the upper half of what a byte holds, and one its end; so divided, too."""
    varied = (survey.moments.count > 0) & ~survey.moments.constant
    whole, _, steps = survey.flags
    parts = varied & ~whole  # or indicators and a rate would do
    bright = np.count_nonzero(varied & (high > 127)) > np.count_nonzero(varied) / 2
    pixels = bright and (high[varied].max() == 255 or survey.moments.dtype == np.uint8)
    bright = np.count_nonzero(parts & (high > 0.5)) > np.count_nonzero(parts) / 2
    shares = bright and np.count_nonzero(parts) >= FEWEST_CHANNELS and high[parts].max() == 1 and steps.all()
    unequal = (parts & ((low > 0) | (high < 1))).any()  # or each is from 0 to 1
    return bool(pixels), bool(shares and unequal)


def _samples(survey: Survey) -> SampleDiagnosis:
    tally = survey.tally
    counts, (held, admitted) = tally.counts.tolist(), tally.held.tolist()
    n, judged, missing, infinite, zero = counts
    judged *= int(survey.moments.count.any())  # infinities alone are nothing to judge
    holds = {constraint.name: k for constraint, k in zip(c.SAMPLES, held, strict=True)}
    full = (name for name, k in zip(holds, admitted, strict=True) if k == judged <= 2 * holds[name])
    verdict = next(full, c.NONE) if judged else NOTHING
    (low, high), (least, most) = np.transpose([tally.lowest, tally.highest]).tolist()
    return SampleDiagnosis(verdict, holds, n, judged, missing, infinite, zero, (low, high), (least**0.5, most**0.5))


def _among(values: Array, numeric: Array, otherwise: Any) -> Array:
    """``values`` of the numeric features, and what is said of the others."""
    result = np.full(len(numeric), otherwise, dtype=values.dtype)
    result[numeric] = values
    return result


def _printable(label: Any) -> str:
    """A name on one line that is not too long."""
    name = "".join(char if char.isprintable() else repr(char)[1:-1] for char in str(label)[: LONGEST_NAME + 1])
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."


def features(n: int) -> str:
    return f"{n:,} feature" if n == 1 else f"{n:,} features"
