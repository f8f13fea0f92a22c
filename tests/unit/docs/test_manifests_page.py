"""``docs/manifests.md``: its commands and scripts are run in their order, and print what the page says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.programs import ROOT
from tests.run_fixtures import robust

PAGE = (ROOT / "docs" / "manifests.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
# Stands for any number of lines.
LEFT_OUT = "..."


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines of the page are those that were printed, but for what is left out."""
    pattern = "".join(r"(?:.*\n)*" if line == LEFT_OUT else re.escape(line) + r"\n" for line in shown)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def test_no_block_escapes_these_tests() -> None:
    """Each is of a kind that is run or written below."""
    assert PAGE.count("\n```") == 2 * len(BLOCKS)
    assert {kind for kind, _ in BLOCKS} == {"csv", "text", "console", "python"}


def test_the_page_is_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are written, commands succeed with what is shown, and scripts hold."""
    monkeypatch.chdir(tmp_path)
    ran = 0
    for kind, block in BLOCKS:
        if kind in ("csv", "text"):
            first, _, content = block.partition("\n")
            Path(first.removeprefix("# ")).write_text(content, encoding="utf-8")
        elif kind == "python":
            exec(compile(block, "docs/manifests.md", "exec"), {"__name__": "__main__"})  # noqa: S102 - our own page
        else:
            for part in block.split("$ ")[1:]:
                command, *shown = part.rstrip("\n").split("\n")
                done = robust(*shlex.split(command)[1:], cwd=tmp_path)
                wanted = 1 if "--near-duplicates" in command else 0
                assert (done.returncode, done.stderr) == (wanted, ""), command
                assert matches(shown, done.stdout.splitlines()), (command, done.stdout)
                ran += 1
    assert ran == PAGE.count("\n$ robust ")


def test_every_command_has_its_place_on_the_page() -> None:
    """As the help lists them."""
    listed = robust("manifest", "--help").stdout.partition("Commands:")[2]
    commands = re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE)
    assert len(commands) >= 11
    assert [name for name in commands if f"robust manifest {name}" not in PAGE] == []
