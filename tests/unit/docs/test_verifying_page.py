"""``docs/verifying.md``: its commands and scripts are run in their order, and print what the page says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import get_args

import pytest

from robust.app.checks import SignatureState, Verification
from robust.store.files import MAX_LINE_BYTES
from tests.programs import ROOT
from tests.run_fixtures import robust

PAGE = (ROOT / "docs" / "verifying.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
# Stands for any number of lines; and within a line for what is another one each time.
LEFT_OUT = "..."
ANYTHING = "…"


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines of the page are those that were printed, but for what is left out."""
    lines = (re.escape(line).replace(ANYTHING, ".+") + r"\n" for line in shown)
    pattern = "".join(r"(?:.*\n)*" if line == re.escape(LEFT_OUT) + r"\n" else line for line in lines)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def test_no_block_escapes_these_tests() -> None:
    """Each is of a kind that is run below."""
    assert PAGE.count("\n```") == 2 * len(BLOCKS)
    assert {kind for kind, _ in BLOCKS} == {"console", "python"}


def test_the_page_is_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands end as they should with what is shown, and scripts hold."""
    monkeypatch.chdir(tmp_path)
    ran = 0
    for kind, block in BLOCKS:
        if kind == "python":
            exec(compile(block, "docs/verifying.md", "exec"), {"__name__": "__main__"})  # noqa: S102 - our own page
            continue
        for part in block.split("$ ")[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            done = robust(*shlex.split(command)[1:], cwd=tmp_path)
            wanted = 3 if any(line.startswith("  FAIL") for line in shown) else 0
            assert (done.returncode, done.stderr) == (wanted, ""), command
            assert matches(shown, done.stdout.splitlines()), (command, done.stdout)
            ran += 1
    assert ran == PAGE.count("\n$ robust ") == PAGE.count("\n$ ")


def test_what_the_page_lists_is_what_there_is() -> None:
    """The members of the JSON, the states of signatures, and the limit of a line."""
    found = Verification(path="p", kind="run", checks=()).to_json()
    assert [name for name in found if f"`{name}`" not in PAGE] == []
    assert [state for state in get_args(SignatureState) if f"`{state}`" not in PAGE] == []
    assert f"over {MAX_LINE_BYTES // 2**20} MiB" in PAGE
