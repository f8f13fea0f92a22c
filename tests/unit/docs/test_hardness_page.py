"""``docs/hardness.md``: every block on the page is executed, and prints what the page shows."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from robust import Case, verify
from robust.records.hardness import SHOT_STATUSES
from tests.programs import ROOT

PAGE = (ROOT / "docs" / "hardness.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_script_of_the_page_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And writes a file that can be verified."""
    (script, printed), *_ = [(one[1], other[1]) for one, other in pairwise(BLOCKS) if other[0] == "text"]
    monkeypatch.chdir(tmp_path)
    exec(compile(script, "docs/hardness.md", "exec"), {"__name__": "__main__"})  # noqa: S102 - it is our own page
    assert capsys.readouterr().out == printed
    assert verify("hardness.jsonl").holds


def test_the_judge_of_the_page_judges() -> None:
    """As the page says what a judge is."""
    (judge,) = [block for language, block in BLOCKS if language == "python" and block.startswith("def judge")]
    names: dict[str, Any] = {}
    exec(compile(judge, "docs/hardness.md", "exec"), names)  # noqa: S102 - it is our own page
    asked = Case("2 + 4", 6, case_id="a", source_id="a")
    assert names["judge"](asked, "It is 6.") is True
    assert names["judge"](asked, "It is 7.") is False
    assert names["judge"](asked.with_expected(None), "It is 6.") is None


def test_no_block_escapes_these_tests() -> None:
    """Each is looked at above."""
    assert [language for language, _ in BLOCKS] == ["python", "text", "python"]
    assert PAGE.count("\n```") == 2 * len(BLOCKS)


def test_the_table_of_the_page_names_every_status() -> None:
    """And no other."""
    table = PAGE.partition("| status | when |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(SHOT_STATUSES)
