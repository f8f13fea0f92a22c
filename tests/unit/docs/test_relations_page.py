"""``docs/relations.md``: its scripts run as they stand, and come to what the page says."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from robust import assertion_of, check, check_many
from tests.programs import ROOT

PAGE = (ROOT / "docs" / "relations.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def run(number: int, more: str, folder: Path) -> str:
    """What a script of the page prints, with a line more behind it."""
    script = BLOCKS[number][1] + more
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def test_no_block_escapes_these_tests() -> None:
    """There are three of Python, and what one of them prints."""
    assert PAGE.count("\n```") == 2 * len(BLOCKS)
    assert [kind for kind, _ in BLOCKS] == ["python", "python", "text", "python"]


def test_the_first_script_finds_what_the_page_says(tmp_path: Path) -> None:
    """With a counterexample that has a replay line."""
    printed = run(0, "print(report.verdicts, report.broke)\n", tmp_path)
    assert '{"order of lines": "violated"}'.replace('"', "'") + " True" in printed
    assert "robust.replay_trial(extract_total," in printed


def test_the_script_with_an_oracle_prints_what_the_page_shows(tmp_path: Path) -> None:
    """With the reason of what was not taken."""
    assert run(1, "", tmp_path) == BLOCKS[2][1]


def test_the_last_script_checks_two_inputs(tmp_path: Path) -> None:
    """The third repeats the first."""
    printed = run(3, "print(len(report.repeats), report.flagged)\n", tmp_path)
    assert "2 inputs (1 repeat left out)" in printed
    assert printed.endswith("1 ['0', '1']\n")


def test_the_page_names_every_assertion() -> None:
    """And nothing else in their table."""
    named = re.findall(r"`(\w+)\(", PAGE[PAGE.index("| assertion |") : PAGE.index("Without `rel_tol`")])
    known = {name for name in named if assertion_of(name, SETTINGS.get(name, {"rel_tol": None, "abs_tol": 0.0}))}
    assert known == {"unchanged", "consistent_pick", "scales_by", "shifts_by", "not_less", "not_greater"}
    assert set(named) - known == {"equivalent", "Assertion", "compare"}


_TOLERANCE = {"rel_tol": None, "abs_tol": 0.0}
SETTINGS: dict[str, dict[str, object]] = {
    "consistent_pick": {},
    "scales_by": {"k": 2, **_TOLERANCE},
    "shifts_by": {"d": 2, **_TOLERANCE},
    "not_less": {**_TOLERANCE, "direction": "at least"},
    "not_greater": {**_TOLERANCE, "direction": "at most"},
}


def test_the_tables_of_options_and_attributes_are_complete() -> None:
    """With the defaults that the functions have, and names that the reports have."""
    table = PAGE.partition("| option | default |")[2].partition("\n\n")[0]
    told: dict[str, str] = {}
    for names, defaults in re.findall(r"^\| (`.*?) \| (.*?) \|", table, re.MULTILINE):
        values = re.findall(r"`([^`]+)`", defaults)
        told.update(zip(re.findall(r"`(\w+)`", names), values, strict=False))
    taken = {
        function: {
            name: each.default
            for name, each in inspect.signature(function).parameters.items()
            if each.kind is inspect.Parameter.KEYWORD_ONLY or each.default is not inspect.Parameter.empty
        }
        for function in (check, check_many)
    }
    assert set(told) == set(taken[check]) | set(taken[check_many])
    assert told["workers"] == str(taken[check]["workers"])
    assert f"`{taken[check_many]['workers']}` of `check_many`" in table
    for name, value in told.items():
        assert str(taken[check_many][name]) == value.strip('"') or name == "workers", name
    attributes = PAGE.partition("| attribute | of |")[2].partition("\n\n")[0]
    for names, of in re.findall(r"^\| (`.*?) \| (.*?) \|", attributes, re.MULTILINE):
        kinds: tuple[Any, ...] = (check(len, "a", []), check_many(len, [], []))
        reports = {"both": kinds, "`check`": kinds[:1], "`check_many`": kinds[1:]}[of]
        for name in re.findall(r"`(\w+)", names):
            assert all(hasattr(report, name) for report in reports), name
