"""The report can be read: at 100 columns, in a notebook, with 3 and with 300 features, whatever they are called."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from sknorm import RowSoftmax, Standardizer, diagnose
from sknorm import _constraints as c

rng = np.random.default_rng(14)
wine = load_wine(as_frame=True).data
ALL_SORTS = pd.DataFrame(
    {
        "mean 0, variance 1, ddof=1": Standardizer(ddof=1).fit_transform(wine[["ash"]])[:, 0],
        "infinite": np.where(wine.ash > 3, np.inf, -1.23456e-105),
        "missing": np.where(wine.ash > 2, np.nan, 1e300 * wine.ash),
        "text": "a",
        "flag": wine.ash > 2,
    }
)
REPORTS = {
    "3 features": diagnose(wine.iloc[:, :3]),
    "300 features": diagnose(np.c_[Standardizer().fit_transform(rng.normal(size=(50, 290))), np.ones((50, 10))]),
    "1 feature": diagnose([[1.0], [2.5]]),
    "probabilities": diagnose(RowSoftmax().fit_transform(rng.normal(size=(50, 30)))),
    "nothing": diagnose(np.empty((0, 4))),
    "all sorts": diagnose(ALL_SORTS),
    "images": diagnose(rng.integers(0, 256, (4, 9, 9, 3), dtype=np.uint8)),
}
HOSTILE = ["<script>alert(1)</script>", "<b>", "a&amp;b", "\"'>", "a\nb\x1b[31m", "y" * 5000, "\u202e", "größe", ""]


class Reader(HTMLParser):
    """The tags that are open, those that were seen, and the text."""

    def __init__(self, html):
        super().__init__()
        self.open, self.seen, self.text, self.attributes = [], set(), [], set()
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] != "style":
            self.text.append(data)


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_the_text_fits_on_a_screen(report):
    lines = str(report).splitlines()
    assert max(map(len, lines)) <= 100
    assert len(lines) <= 60
    assert all(line == line.rstrip() for line in lines)
    assert repr(report) == str(report)


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_the_html_is_whole_and_needs_nothing_from_elsewhere(report):
    reader = Reader(report._repr_html_())
    assert reader.open == []
    assert reader.seen <= {"div", "style", "p", "h4", "table", "tr", "th", "td"}
    assert reader.attributes == {"class"}
    assert not re.search(r"url\(|@import|https?:", report._repr_html_())


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_the_html_colours_nothing_but_lines_so_that_it_reads_in_light_and_dark(report):
    colours = re.findall(r"(?:#\w{3,6}|rgba?\([^)]*\))", report._repr_html_().partition("</style>")[0])
    assert set(colours) == {"rgba(128, 128, 128, .3)"}


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_text_and_html_say_the_same(report):
    html = " ".join(" ".join(Reader(report._repr_html_()).text).split())
    for said in (report.verdict, report.kind, *report.warnings, *(text for _, text in report.advice.values())):
        assert " ".join(said.split()) in html
        assert said.replace(" ", "") in re.sub(r"\s+", "", str(report))


def test_features_are_named_where_they_are_few_and_grouped_where_they_are_many():
    few, many = str(REPORTS["3 features"]), str(REPORTS["300 features"])
    assert "to_frame()" in many
    assert "to_frame()" not in few
    assert all(re.search(f"^  {name} +{c.NONE} ", few, re.MULTILINE) for name in wine.columns[:3])
    assert re.search(rf"^  {c.STANDARD} +290 .* x0, x1, x2 and 287 more$", many, re.MULTILINE)
    assert re.search(rf"^  {c.CONSTANT} +10 .* x290, x291, x292 and 7 more$", many, re.MULTILINE)


@pytest.mark.parametrize("n", [len(HOSTILE), 40])
def test_no_name_breaks_the_report(n):
    names = [*HOSTILE, *(f"x{j}" for j in range(n - len(HOSTILE)))]
    report = diagnose(pd.DataFrame(rng.integers(0, 2, (9, n)), columns=names))
    reader = Reader(report._repr_html_())
    assert "script" not in reader.seen | {"b"} - reader.seen
    assert "b" not in reader.seen
    for text in (str(report), report._repr_html_().partition("</style>")[2]):
        assert not {"\x1b", "\u202e"} & set(text)
        assert len(text) < 6000
    assert max(map(len, str(report).splitlines())) <= 100


def test_the_names_of_the_table_are_the_verdicts():
    assert set(REPORTS["all sorts"].to_frame()["verdict"]) <= set(c.VERDICTS)
