"""``docs/population.md``: every block is executed and prints what the page shows; its tables are those of the code."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest

from robust import PopulationResult, column_edits
from robust.population.table_models import BATCH_ROWS
from robust.population.terms import METHODS
from robust.records.population import REASONS
from tests.programs import ROOT

PAGE = (ROOT / "docs" / "population.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_every_script_of_the_page_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    """One after the other, as a reader types them."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for (language, script), (following, printed) in pairwise(BLOCKS):
        if language == "python":
            assert following == "text"
            exec(compile(script, "docs/population.md", "exec"), names)  # noqa: S102 - it is our own page
            assert capsys.readouterr().out == printed


def test_no_block_escapes_these_tests() -> None:
    """Each is looked at above."""
    assert [language for language, _ in BLOCKS] == ["python", "text", "python", "text"]
    assert PAGE.count("\n```") == 2 * len(BLOCKS)


def test_the_tables_of_the_page_are_complete() -> None:
    """Every edit, method and verdict, and no others."""
    edits = PAGE.partition("| `column_edits` | does")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)\(", edits, re.MULTILINE)) == {*column_edits.__all__} - {"ColumnEdit"}
    methods = PAGE.partition("| test | `method`")[2].partition("\n\n")[0]
    named = {word for row in methods.splitlines() if row for word in re.findall(r"`(\w+)`", row.split("|")[2])}
    assert named == {method for each in METHODS.values() for method in each}
    verdicts = PAGE.partition("| verdict | when")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", verdicts, re.MULTILINE)) == set(REASONS.values())
    assert f"{BATCH_ROWS:,} at once" in PAGE


def test_the_result_has_what_the_page_says() -> None:
    """Every name in its section is a member."""
    section = PAGE.partition("## The result")[2].partition("\n## ")[0].partition("`save(DIR)`")[0]
    names = re.findall(r"`(\w+)(?:\(\))?`", section)
    assert len(names) > 25
    members = {*PopulationResult.__dataclass_fields__, *dir(PopulationResult)}
    assert [name for name in names if name not in members] == []
