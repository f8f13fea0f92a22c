"""``docs/signing.md``: its commands and scripts are run in their order, and print what the page says."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from robust.signing.claim import MAX_CLAIM_CHARACTERS
from robust.signing.envelope import MAX_ENVELOPE_BYTES, MAX_SIGNATURES, PAYLOAD_TYPE
from robust.signing.statement import CLAIM_PREDICATE, EVIDENCE_PREDICATE, MANIFEST_PREDICATE, RUN_PREDICATE
from tests.programs import ROOT
from tests.run_fixtures import robust

PAGE = (ROOT / "docs" / "signing.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
# Stands for any number of lines; and within a line for what is another one each time.
LEFT_OUT = "..."
ANY_HEX = "…"


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether the lines of the page are those that were printed, but for what is left out."""
    lines = (re.escape(line).replace(ANY_HEX, "[0-9a-f]+") + r"\n" for line in shown)
    pattern = "".join(r"(?:.*\n)*" if line == re.escape(LEFT_OUT) + r"\n" else line for line in lines)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in printed)) is not None


def command(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the page; those of other programs in a shell."""
    if text.startswith("robust "):
        return robust(*shlex.split(text)[1:], cwd=folder)
    return subprocess.run(["sh", "-c", text], cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_no_block_escapes_these_tests() -> None:
    """Each is of a kind that is run below."""
    assert PAGE.count("\n```") == 2 * len(BLOCKS)
    assert {kind for kind, _ in BLOCKS} == {"console", "python"}


def test_the_page_is_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands succeed with what is shown, and scripts hold."""
    monkeypatch.chdir(tmp_path)
    ran = 0
    for kind, block in BLOCKS:
        if kind == "python":
            exec(compile(block, "docs/signing.md", "exec"), {"__name__": "__main__"})  # noqa: S102 - our own page
            continue
        for part in block.split("$ ")[1:]:
            text, *shown = part.rstrip("\n").split("\n")
            done = command(text, tmp_path)
            assert (done.returncode, done.stderr) == (0, ""), text
            assert matches(shown, done.stdout.splitlines()), (text, done.stdout)
            ran += 1
    assert ran == PAGE.count("\n$ ") > 8


def test_limits_and_names_on_the_page_are_those_of_the_code() -> None:
    """A page that was right once is believed for ever."""
    for name in (RUN_PREDICATE, MANIFEST_PREDICATE, EVIDENCE_PREDICATE, CLAIM_PREDICATE, PAYLOAD_TYPE):
        assert f"`{name}`" in PAGE
    assert f"up to {MAX_ENVELOPE_BYTES // 2**20} MiB and\n{MAX_SIGNATURES} signatures" in PAGE
    assert f"up to {MAX_CLAIM_CHARACTERS:,} characters" in PAGE
