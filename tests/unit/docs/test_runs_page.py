"""What the page about runs shows of a report is what a run prints."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_report_on_the_page_is_a_golden_one() -> None:
    """Every line of it, in order; lines that are left out are marked."""
    page = (ROOT / "docs" / "runs.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- report: (\w+) -->\n```text\n(.*?)\n```", page, re.DOTALL)
    assert found is not None
    golden = (ROOT / "tests" / "golden" / "reports" / f"{found[1]}.txt").read_text(encoding="utf-8").splitlines()
    parts = [part.split("\n") for part in re.split(r"\n\.\.\.\n", found[2])]
    assert len(parts) > 3
    start = 0
    for part in parts:
        places = [place for place in range(start, len(golden)) if golden[place : place + len(part)] == part]
        assert places, part
        start = places[0] + len(part)
