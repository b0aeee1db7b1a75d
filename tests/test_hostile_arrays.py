"""Any object in any place: the right answer or a refusal, in a process of its own, which a crash would end.

`python tests/hostile/calls.py SEED FIRST COUNT` makes more of the same.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("hostile") / "calls.py"
COUNT = 350


@pytest.mark.parametrize("backend", ["", "portable"])
def test_whatever_comes_gets_the_right_answer_or_a_refusal(backend):
    run = subprocess.run(
        [sys.executable, str(SCRIPT), "2026", "0", str(COUNT)],
        env=os.environ | {"SKNORM_BACKEND": backend, "PYTHONFAULTHANDLER": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (run.returncode, run.stderr) == (0, "")
    report = json.loads(run.stdout)
    assert report["findings"] == []
    assert sum(report["calls"].values()) > 8 * COUNT
    answered = {call.split()[0] for call in report["calls"] if call.endswith("answered")}
    refused = {call.split()[0] for call in report["calls"] if call.endswith("refused")}
    for name in ("Standardizer", "MinMaxNormalizer", "RowLayerNorm", "RowRMSNorm", "RowSoftmax"):
        for method in ("fit", "transform", "inverse_transform"):
            assert f"{name}.{method}" in answered & refused
