"""``docs/production.md``: its script prints what it says, its commands run, and its tables are those of the code."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from robust import generate_keys
from robust.records.production import ProductionGates
from robust.records.production_record import ACTIONS, FIELDS, LONGEST_VALUE, MOST_SEGMENTS
from robust.run.production_tally import MOST_SEGMENT_VALUES, MOST_VALUES
from tests.programs import ROOT
from tests.run_fixtures import robust

PAGE = (ROOT / "docs" / "production.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page_does_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The script, and then the commands over the files that it left."""
    assert [language for language, _ in BLOCKS] == ["python", "text", "sh"]
    monkeypatch.chdir(tmp_path)
    (_, script), (_, printed), (_, commands) = BLOCKS
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(script, "docs/production.md", "exec"), names)  # noqa: S102 - it is our own page
    assert capsys.readouterr().out == printed
    Path("contract.yaml").write_text(json.dumps(names["contract"]), encoding="utf-8")
    keys = generate_keys("keys")
    Path("signing.key.pem").write_bytes(keys.private.read_bytes())
    assert robust("check", "contract.yaml", "-d", "february.jsonl", "-o", "february").returncode == 1
    lines = commands.splitlines()
    codes = []
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "robust"
        # The directory of the script's own check is replaced.
        more = ["--overwrite"] if arguments[-2:] == ["-o", "march"] else []
        codes.append(robust(*arguments, *more).returncode)
    assert codes == [1, 1, 1, 0, 0]


def test_the_tables_of_the_page_are_complete() -> None:
    """Every field, action and gate, and no others."""
    fields = PAGE.partition("| field | what it is")[2].partition("\n\n")[0]
    named = {
        name
        for row in fields.splitlines()
        if row.startswith("| `")
        for name in re.findall(r"`(\w+)`", row.split("|")[1])
    }
    assert named == {*FIELDS}
    (actions,) = [row for row in fields.splitlines() if row.startswith("| `action`")]
    assert re.findall(r"`(\w+)`", actions.split("|")[2]) == [*ACTIONS]
    gates = PAGE.partition("| metric | over | gates")[2].partition("\n\n")[0]
    assert {*re.findall(r"`((?:min|max)_\w+)`", gates)} == {*ProductionGates.model_fields}


def test_the_limits_of_the_page_are_those_of_the_code() -> None:
    """In its words."""
    assert f"at most {MOST_VALUES:,} different values ({MOST_SEGMENT_VALUES:,} in a segment)" in PAGE
    assert f"More than {MOST_SEGMENTS:,} segments" in PAGE
    assert f"at most {LONGEST_VALUE} characters" in PAGE
