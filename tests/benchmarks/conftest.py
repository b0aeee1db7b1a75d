"""What the benchmarks found, printed at the end of the run: `pytest tests/benchmarks`."""

import pytest

FINDINGS = []


@pytest.fixture(scope="session")
def report():
    """Add a line to the findings."""
    return FINDINGS.append


def pytest_terminal_summary(terminalreporter):
    if FINDINGS:
        terminalreporter.section("findings")
        for line in FINDINGS:
            terminalreporter.write_line(line)
