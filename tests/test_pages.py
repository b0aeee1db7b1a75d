"""The pages under docs hold the README once and whole, and name everything public. That they build: .ci/run."""

import re
from pathlib import Path

import pytest

import sknorm
from sknorm import checkpoint, plotting

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
README = (ROOT / "README.md").read_text()
PAGES = {path.stem: path.read_text() for path in DOCS.glob("*.md")}
SECTIONS = ["", *re.findall(r"^## (.+)$", README, re.MULTILINE)]  # the first has no heading of its own
INCLUDED = re.compile(r'```\{include\} \.\./README\.md\n(?::start-after: "## (.+)"\n)?(?::end-before: "## (.+)"\n)?```')


def sections_of(page):
    """The sections of the README that a page includes."""
    found = []
    for first, end in INCLUDED.findall(page):
        found += SECTIONS[SECTIONS.index(first) : SECTIONS.index(end) if end else None]
    return found


def test_every_section_of_the_readme_is_on_one_page():
    assert sorted(section for page in PAGES.values() for section in sections_of(page)) == sorted(SECTIONS)


@pytest.mark.parametrize("page", sorted(PAGES.keys() - {"index", "developing"}))
def test_a_page_includes_no_more_than_one_section_under_its_own_title(page):
    sections = sections_of(PAGES[page])
    assert len(sections) <= 1
    for section in sections:
        assert re.search(rf"^##? {re.escape(section)}\n", PAGES[page], re.MULTILINE)


def test_a_heading_is_found_once_by_what_includes_it():
    assert [section for section in SECTIONS[1:] if README.count(f"## {section}") > 1] == []


def test_every_page_is_in_a_table_of_contents():
    listed = re.findall(
        r"^([\w/]+)$", "\n".join(re.findall(r"```\{toctree\}\n(.*?)```", PAGES["index"], re.DOTALL)), re.MULTILINE
    )
    assert sorted(listed) == sorted({*PAGES, "generated/gallery/index"} - {"index"})


@pytest.mark.parametrize("module", [sknorm, checkpoint, plotting], ids=lambda m: m.__name__)
def test_the_api_names_everything_public(module):
    part = PAGES["api"].split(f".. currentmodule:: {module.__name__}\n")[1].partition(".. currentmodule:: ")[0]
    listed = re.findall(r"^   (\w+)$", part, re.MULTILINE)
    assert sorted(listed) == sorted(module.__all__)


@pytest.mark.parametrize("page", PAGES)
def test_the_pages_that_a_page_links_to_exist(page):
    links = re.findall(r"\]\(([^)#:]+)\)", PAGES[page])
    assert [link for link in links if not (DOCS / link).exists() and not link.startswith("generated/")] == []


def test_the_page_of_diagnose_shows_a_report_and_says_what_it_holds():
    page = PAGES["diagnosing"]
    shown = re.findall(r"generated/report\.(\w+)", page)
    assert shown == re.findall(r'"report\.(\w+)"', (DOCS / "conf.py").read_text()) == ["txt", "html"]
    assert re.findall(r"autoclass:: (\w+)", page) == ["Diagnosis", "FeatureDiagnosis", "SampleDiagnosis", "Advice"]
