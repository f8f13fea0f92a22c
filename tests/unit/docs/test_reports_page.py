"""``docs/reports.md``: its commands run, and its numbers and names are those of the code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from robust.render import csv_rows, html_page, junit, markdown
from robust.render.csv_rows import PARTS
from robust.render.formats import FORMATS, MOST_SARIF_RESULTS, ReportFormat
from robust.render.html_blocks import MOST_ITEMS
from robust.render.sarif_rules import CHECK
from robust.run import segments
from tests.programs import ROOT
from tests.run_fixtures import robust

PAGE = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
CONTRACT = """
schema_version: "0.1"
decision: {name: q, type: choice, options: [first, second]}
backend: {provider: mock, seed: 3, position_bias: 0.4}
dataset: c.jsonl
properties: {option_order: {max_tv_distance: 0.1}}
"""


def test_every_format_is_on_the_page() -> None:
    """And every name that the registry has is one that a command takes."""
    told = PAGE.partition("`-f` is ")[2].partition("`robust run -f`")[0]
    assert re.findall(r"`(\w+)`", told) == list(FORMATS)
    assert get_args(ReportFormat) == tuple(FORMATS)


def test_the_commands_of_the_page_write_what_they_name(tmp_path: Path) -> None:
    """As they stand, for a run that fails."""
    (tmp_path / "c.yaml").write_text(CONTRACT, encoding="utf-8")
    (tmp_path / "c.jsonl").write_text('{"id": "a", "input": "one"}\n', encoding="utf-8")
    assert robust("run", "c.yaml", "-o", "RUN", cwd=tmp_path).returncode == 1
    block, tables = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for line in block.splitlines():
        arguments = line.removeprefix("$ robust ").split()
        done = robust(*arguments, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (1, "")
        assert (tmp_path / arguments[-1]).stat().st_size > 100
    folder, shown = (line.removeprefix("$ robust ").split() for line in tables.splitlines())
    assert robust(*folder, cwd=tmp_path).returncode == 1
    assert {path.stem for path in (tmp_path / folder[-1]).iterdir()} == set(PARTS)
    told = robust(*shown[: shown.index(">")], cwd=tmp_path)
    assert (told.returncode, told.stdout.count("option_order/a/")) == (1, 1)


def test_the_limits_on_the_page_are_those_of_the_code() -> None:
    """Each number once more."""
    assert (
        f"Up to {FORMATS['junit'].most_groups:,} source groups are listed, in up to {junit.MAX_BYTES // 10**6} MB"
        in (" ".join(PAGE.split()))
    )
    assert f"at most {MOST_SARIF_RESULTS:,} results" in PAGE
    assert FORMATS["sarif"].most_groups == MOST_SARIF_RESULTS
    assert f"{markdown.MAX_BYTES:,} bytes" in PAGE
    assert f"`{CHECK}`" in PAGE
    page = " ".join(PAGE.split())
    assert f"At most {MOST_ITEMS:,} are listed" in page
    assert f"as many as fit {html_page.MAX_BYTES // 10**6} MB" in page
    assert f"at most {segments.MAX_VALUES} plain values" in page
    assert f"(up to {csv_rows.MAX_LABELS})" in page
    assert f"at most {csv_rows.MAX_CELL:,} characters" in page


def test_every_part_of_the_tables_is_on_the_page() -> None:
    """With what its rows are."""
    part = PAGE.partition("## CSV")[2].partition("## In a terminal")[0]
    assert re.findall(r"^\| `(\w+)` \|", part, re.MULTILINE) == ["checks", "decisions", "pairs"]
    assert set(PARTS) == {"checks", "decisions", "pairs"}
