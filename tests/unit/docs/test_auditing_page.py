"""``docs/auditing.md``: its commands are run as they stand there, and say no where a byte was changed."""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.programs import ROOT
from tests.run_fixtures import robust

PAGE = (ROOT / "docs" / "auditing.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
# Stand for any number of lines, and for anything within a line.
LINES_LEFT_OUT, LEFT_OUT = "...", "…"
TOOLS = ("bash", "sha256sum", "jq", "openssl", "base64", "python3")
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


class Command(NamedTuple):
    """A command of the page, and the lines that it shows."""

    text: str
    shown: list[str]

    def says(self, code: int, printed: str) -> bool:
        """Whether it ended well and printed what the page shows."""
        pattern = "".join(
            r"(?:.*\n)*" if line == LINES_LEFT_OUT else re.escape(line).replace(LEFT_OUT, ".+") + r"\n"
            for line in self.shown
        )
        return code == 0 and re.fullmatch(pattern, printed) is not None


COMMANDS = [
    Command(text, shown)
    for kind, block in BLOCKS
    if kind == "console"
    for text, *shown in (part.rstrip("\n").split("\n") for part in block.removeprefix("$ ").split("\n$ "))
]
MAKER = [command for command in COMMANDS if command.text.startswith("robust ")]
AUDITOR = [command for command in COMMANDS if not command.text.startswith("robust ")]


def audit(folder: Path) -> dict[str, tuple[int, str]]:
    """What the auditor's commands come to, in their order and in one shell: exit code and output of each place."""
    script = "".join(f"{each.text}\nprintf '\\0%d\\0' $?\n" for each in AUDITOR)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": PATH, "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=120,
    )
    parts = done.stdout.split("\0")[:-1]
    assert len(parts) == 2 * len(AUDITOR)
    return {
        f"{place}: {each.text}": (int(parts[2 * place + 1]), parts[2 * place]) for place, each in enumerate(AUDITOR)
    }


def refusals(folder: Path) -> list[str]:
    """The auditor's commands that do not say what the page says."""
    said = zip(AUDITOR, audit(folder).values(), strict=True)
    return [command.text for command, (code, printed) in said if not command.says(code, printed)]


@pytest.fixture(scope="module")
def handed_over(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the page's maker made: its files are written, and its commands succeed with what is shown."""
    folder = tmp_path_factory.mktemp("auditing")
    for kind, block in BLOCKS:
        if kind != "console":
            first, _, content = block.partition("\n")
            file = folder / first.removeprefix("# ")
            file.parent.mkdir(exist_ok=True)
            file.write_text(content, encoding="utf-8")
    for command in MAKER:
        done = robust(*shlex.split(command.text)[1:], cwd=folder, env={"PATH": PATH})
        assert command.says(done.returncode, done.stdout), (command, done.stdout, done.stderr)
    return folder


def test_no_block_escapes_these_tests() -> None:
    """Each is run or written, and the tools are there: without them this fails and is not skipped."""
    assert PAGE.count("\n```") == 2 * len(BLOCKS)
    assert {kind for kind, _ in BLOCKS} == {"jsonl", "text", "python", "yaml", "console"}
    assert len(COMMANDS) == sum(line.startswith("$ ") for line in PAGE.split("\n"))
    assert [tool for tool in TOOLS if shutil.which(tool, path=PATH) is None] == []


def test_the_script_is_thirty_lines_of_the_standard_library() -> None:
    """As the page says."""
    (script,) = (block.partition("\n")[2] for kind, block in BLOCKS if block.startswith("# audit.py"))
    assert len(script.splitlines()) == 30
    (imports,) = (node for node in ast.walk(ast.parse(script)) if isinstance(node, ast.Import))
    assert {alias.name for alias in imports.names} <= sys.stdlib_module_names


def test_every_command_says_what_the_page_shows(handed_over: Path) -> None:
    """In a shell, without this package."""
    assert refusals(handed_over) == []


def replaced(name: str, old: str, new: str) -> Callable[[Path], None]:
    """Change one byte of a file."""
    assert sum(one != other for one, other in zip(old, new, strict=True)) == 1

    def change(folder: Path) -> None:
        data = (folder / name).read_bytes()
        assert old.encode() in data
        (folder / name).write_bytes(data.replace(old.encode(), new.encode(), 1))

    return change


def flipped(name: str, member: str, at: int) -> Callable[[Path], None]:
    """Exchange one letter of a member in base64."""

    def change(folder: Path) -> None:
        data = (folder / name).read_bytes()
        place = data.index(f'"{member}":"'.encode()) + len(member) + 4 + at
        letter = b"B" if data[place : place + 1] == b"A" else b"A"
        (folder / name).write_bytes(data[:place] + letter + data[place + 1 :])

    return change


def another_key(folder: Path) -> None:
    """Somebody else's key in the place of the maker's."""
    assert robust("keys", "generate", "-o", "others", cwd=folder).returncode == 0
    (folder / "keys" / "maker.pub.pem").write_bytes((folder / "others" / "signing.pub.pem").read_bytes())


MANIFEST, RUN = "amounts.manifest.jsonl", "run/"
ATTESTATION, MANIFEST_ATTESTATION = f"{RUN}attestation.dsse.json", f"{MANIFEST}.dsse.json"
OF_MANIFEST = '"\\(.digest.sha256)  \\(.name)"'
OF_RUN = '"\\(.digest.sha256)  run/\\(.name)"'
OF_CASES = '"\\(.sha256)  \\(.path)"'
VERIFY = "openssl pkeyutl -verify"
# In each of several files that have nothing to do with each other one byte is changed: each with commands that say no.
CHANGES = [
    [
        (replaced(MANIFEST, "pay 700 today", "pay 701 today"), [OF_MANIFEST, "audit.py root lines.jsonl"]),
        (replaced(f"{RUN}report.json", ':"pass"', ':"past"'), [OF_RUN, "audit.py digests run/report.json"]),
        (replaced("a2.proof.json", "pay 700 today", "pay 701 today"), ["audit.py climb a2.proof.json"]),
        (replaced("a2.record.json", '"seed": 0', '"seed": 1'), ["audit.py digest a2.record.json evidence"]),
    ],
    [
        (replaced(f"{RUN}records.jsonl", "pay 700 today", "pay 701 today"), [OF_RUN, "root run/records", "- asked"]),
        (replaced("scans/receipt.txt", "2000", "9000"), [OF_CASES]),
        (replaced("a2.proof.json", '"name": "amounts"', '"name": "amountz"'), ["audit.py digest a2.proof.json header"]),
        (replaced("a2.record.json", "pay 700 today", "pay 701 today"), ["audit.py climb a2.record.json"]),
        (flipped(MANIFEST_ATTESTATION, "sig", 40), [VERIFY]),
    ],
    [
        (replaced(MANIFEST, "were read", "were rexd"), ["audit.py digests validations-in-it.jsonl"]),
        (replaced(f"{RUN}contract.json", '"min_accuracy":0.6', '"min_accuracy":0.1'), [OF_RUN]),
        (replaced("a2.proof.json", '"index": 2', '"index": 1'), ["audit.py climb a2.proof.json"]),
        (flipped(ATTESTATION, "sig", 40), [VERIFY]),
    ],
    [
        (
            replaced(MANIFEST, '"name":"amounts"', '"name":"amountz"'),
            [OF_MANIFEST, "head -n1 amounts.manifest.jsonl | tr"],
        ),
        (flipped(ATTESTATION, "payload", 40), [VERIFY]),
    ],
    [(flipped(MANIFEST_ATTESTATION, "payload", 40), [VERIFY])],
    [(another_key, [VERIFY, VERIFY])],
]


@pytest.mark.parametrize("changes", CHANGES)
def test_the_same_commands_say_no_of_one_changed_byte(
    handed_over: Path, tmp_path: Path, changes: list[tuple[Callable[[Path], None], list[str]]]
) -> None:
    """Wherever it was changed, the commands that are meant for it do not say what the page says."""
    folder = tmp_path / "copy"
    shutil.copytree(handed_over, folder)
    for change, _ in changes:
        change(folder)
    found = refusals(folder)
    for fragment in [fragment for _, fragments in changes for fragment in fragments]:
        refused = next((text for text in found if fragment in text), None)
        assert refused is not None, (fragment, found)
        found.remove(refused)


def test_what_is_not_shown_is_said() -> None:
    """Who held the key, whether the oracle is right, who saw the data before."""
    end = PAGE.partition("## What this does not show")[2]
    assert all(word in end for word in ("Who had it", "oracle right", "seen the data before"))
    assert PAGE.count("*Shows*") == PAGE.count("*Does not show*") == 5
