"""F4, a diagnosis as text and as HTML, both from the same sections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from textwrap import wrap
from typing import NamedTuple

import numpy as np

from . import _constraints as c
from ._advice import advice, few, warnings
from ._findings import Findings
from ._precision import Array

WIDTH = 96
LISTED = 12  # features with a line of their own; more are grouped by their verdicts
NAMED = 3  # of a group
LONGEST_CELL, SHORTEST_CELL = 16, 8  # of a name

STYLE = """
.sknorm-diagnosis {font: 13px/1.45 system-ui, sans-serif; color: inherit; max-width: 62em; overflow-wrap: break-word}
.sknorm-diagnosis h4 {margin: 1em 0 .25em; font-size: 1em}
.sknorm-diagnosis p {margin: .25em 0}
.sknorm-diagnosis .verdict {font-size: 1.15em; font-weight: 600}
.sknorm-diagnosis .kind {opacity: .75}
.sknorm-diagnosis .scroll {overflow-x: auto}
.sknorm-diagnosis table {border-collapse: collapse; margin: 0; font-size: 1em; color: inherit}
.sknorm-diagnosis th, .sknorm-diagnosis td {padding: .2em 1em .2em 0; text-align: left; vertical-align: top;
  border: 0; border-bottom: 1px solid rgba(128, 128, 128, .3); background: none; color: inherit; white-space: nowrap}
.sknorm-diagnosis th {font-weight: 600}
.sknorm-diagnosis .number {text-align: right; font-variant-numeric: tabular-nums}
.sknorm-diagnosis .sentence {white-space: normal; min-width: 11em}
"""


class Section(NamedTuple):
    """A table; what stands in ``sentence`` columns is wrapped, what stands in ``number`` columns ends in line."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    kinds: tuple[str, ...]  # "", "number" or "sentence", of each column


def as_text(d: Findings) -> str:
    lines = [f"Diagnosis of {d.kind}", *wrap(d.verdict, WIDTH)]
    for section in _sections(d):
        lines += ["", section.title, *_lines(section)]
    return "\n".join(line.rstrip() for line in lines)


def as_html(d: Findings) -> str:
    parts = [f'<p class="verdict">{escape(d.verdict)}</p><p class="kind">{escape(d.kind)}</p>']
    for title, header, rows, kinds in _sections(d):
        head = "".join(_cell("th", text, kind) for text, kind in zip(header, kinds, strict=True))
        body = ["".join(_cell("td", text, kind) for text, kind in zip(row, kinds, strict=True)) for row in rows]
        lines = [f"<tr>{cells}</tr>" for cells in ([head] if any(header) else []) + body]
        parts.append(f'<h4>{escape(title)}</h4><div class="scroll"><table>{"".join(lines)}</table></div>')
    return f'<div class="sknorm-diagnosis"><style>{STYLE}</style>{"".join(parts)}</div>'


def _cell(tag: str, text: str, kind: str) -> str:
    return f'<{tag} class="{kind}">{escape(text)}</{tag}>' if kind else f"<{tag}>{escape(text)}</{tag}>"


def _lines(section: Section) -> Iterator[str]:
    rows = [row for row in (section.header, *section.rows) if any(row)]
    columns = zip(*rows, strict=True)
    widths = [max(map(len, column)) for column in columns]
    last = len(widths) - 1
    if section.kinds[last] != "sentence":  # then names make room
        excess = sum(widths) + 2 * len(widths) - WIDTH
        widths[0] = min(widths[0], max(SHORTEST_CELL, widths[0] - excess))
    indent = 2 + sum(width + 2 for width in widths[:last]) + 2 * (not last)
    for row in rows:
        row = (_short(row[0], max(widths[0], SHORTEST_CELL)), *row[1:]) if last else row
        cells = [_fitted(text, width, kind) for text, width, kind in zip(row, widths, section.kinds, strict=True)]
        first, *more = (wrap(row[last], WIDTH - indent) or [""]) if section.kinds[last] == "sentence" else [cells[last]]
        yield "  " + "  ".join([*cells[:last], first])
        yield from (" " * indent + line for line in more)


def _fitted(text: str, width: int, kind: str) -> str:
    return text.rjust(width) if kind == "number" else text.ljust(width)


def _sections(d: Findings) -> Iterator[Section]:
    yield _each_feature(d) if len(d.names) <= LISTED else _groups(d)
    yield _samples(d)
    if texts := warnings(d):
        yield Section("Beware", ("",), [(text,) for text in texts], ("sentence",))
    rows = [(name, effect, text) for name, (effect, text) in advice(d).items()]
    yield Section("What each class would bring", ("", "", ""), rows, ("", "", "sentence"))


def _each_feature(d: Findings) -> Section:
    t = d.table
    numbers = ["min", "max", "mean", "std"]
    counts = [name for name in ("missing", "infinite") if t[name].any()]
    rows = []
    for j, name in enumerate(d.names):
        shown = [_number(t[column][j]) for column in numbers] + [f"{t[column][j]:,}" for column in counts]
        rows.append((_short(name), t["verdict"][j], *shown))
    return Section(
        "Features", ("", "", *numbers, *map(_heading, counts)), rows, ("", "", *["number"] * len(numbers + counts))
    )


def _groups(d: Findings) -> Section:
    t = d.table
    counts = [name for name in ("missing", "infinite") if t[name].any()]
    rows = []
    for code, verdict in enumerate(c.VERDICTS):
        which = np.flatnonzero(d.codes == code)
        if len(which):
            ends = [_number(_end(np.fmin, t["min"][which])), _number(_end(np.fmax, t["max"][which]))]
            shown = [f"{len(which):,}", *ends, *(f"{t[name][which].sum():,}" for name in counts)]
            rows.append((verdict, *shown, few([_short(d.names[j]) for j in which[: NAMED + 1]], len(which), NAMED)))
    header = ("", "features", "min", "max", *map(_heading, counts), "")
    kinds = ("", *["number"] * (3 + len(counts)), "sentence")
    return Section("Features, each of which has a row in to_frame()", header, rows, kinds)


def _samples(d: Findings) -> Section:
    s = d.samples
    rows = [(s.verdict, f"{s.judged:,} judged")]
    if s.verdict not in s.holds:
        rows += [(name, f"{n:,} of them") for name, n in s.holds.items() if 2 * n > s.judged]
    counts = {"with missing values": s.missing, "with infinite values": s.infinite, "all 0": s.zero}
    rows += [(name, f"{n:,} of {s.n:,}") for name, n in counts.items() if n]
    return Section("Samples", ("", ""), rows, ("", ""))


def _heading(count: str) -> str:
    return "inf" if count == "infinite" else count


def _end(function: np.ufunc, values: Array) -> float:
    return float(function.reduce(values))


def _number(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.3g}"


def _short(name: str, most: int = LONGEST_CELL) -> str:
    return name if len(name) <= most else f"{name[: most - 3]}..."
