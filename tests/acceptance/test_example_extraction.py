"""The example on receipts: readers are flagged blindly, and only then are the answers opened."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parent.parent.parent / "examples" / "extraction"
READERS = ("hasty", "careful")
# The excerpt in the README: every line of it must still be printed.
README_OUTPUT = [
    line
    for block in re.findall(r"```text\n(.*?)```", (FOLDER / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    for line in block.splitlines()
    if line != "..."
]


def run_example(cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the script as a user would, somewhere else than in its folder."""
    return subprocess.run(
        [sys.executable, FOLDER / "run.py", *arguments],
        check=False,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        cwd=cwd,
    )


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    """One whole run, and where it wrote."""
    cwd = tmp_path_factory.mktemp("extraction")
    return run_example(cwd), cwd / "runs" / "extraction"


def rows(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_example_prints_what_its_readme_says(example: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    """In the same order, and ends well."""
    done, _ = example
    assert (done.returncode, done.stderr) == (0, "")
    printed = iter(done.stdout.splitlines())
    assert len(README_OUTPUT) > 30
    missing = [line for line in README_OUTPUT if line not in printed]
    assert missing == []


def test_the_figures_follow_from_flags_and_answers(example: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    """Counted again from the files, which hold both apart."""
    done, output = example
    answers = {row["name"]: row["cents"] for row in rows(output / "answers.jsonl")}
    assert len(answers) == 400
    for name in READERS:
        written = json.loads((output / f"flags-{name}.json").read_text(encoding="utf-8"))
        flagged, readings = set(written["flagged"]), written["readings"]
        wrong = {
            each for each, cents in answers.items() if readings[each] is None or round(readings[each] * 100) != cents
        }
        assert 0 < len(flagged & wrong) < min(len(flagged), len(wrong))
        section = done.stdout.partition("3. Audit")[2].partition(f"   {name}: ")[2]
        counts = re.findall(r"(\d+) of (\d+),", section)[:4]
        assert [(int(hits), int(cases)) for hits, cases in counts] == [
            (len(wrong), 400),
            (len(flagged & wrong), len(flagged)),
            (len(flagged & wrong), len(wrong)),
            (len(wrong - flagged), 400 - len(flagged)),
        ]
        rates = len(flagged & wrong) / len(flagged), len(wrong - flagged) / (400 - len(flagged))
        assert f"{rates[0] / rates[1]:.1f} times as often wrong" in section


def test_receipts_hold_no_answer(example: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    """Their file has names and lines."""
    _, output = example
    assert {tuple(row) for row in rows(output / "receipts.jsonl")} == {("name", "lines")}


def test_flags_are_made_without_the_answers(tmp_path: Path) -> None:
    """The stage runs where there are none, with the same flags; the audit then says what it lacks."""
    few = ("--output", "out", "--count", "40")
    output = tmp_path / "out"
    assert run_example(tmp_path, *few, "--stage", "generate").returncode == 0
    (output / "answers.jsonl").unlink()
    assert run_example(tmp_path, *few, "--stage", "blind").returncode == 0
    blind = [(output / f"flags-{name}.json").read_bytes() for name in READERS]
    refused = run_example(tmp_path, *few, "--stage", "audit")
    assert refused.returncode == 2
    assert "answers.jsonl is not there; run the stage before" in refused.stderr
    assert run_example(tmp_path, *few).returncode == 0
    assert [(output / f"flags-{name}.json").read_bytes() for name in READERS] == blind


def test_what_does_not_verify_ends_with_exit_code_1(tmp_path: Path) -> None:
    """A record that was changed after it was written."""
    few = ("--output", "out", "--count", "12")
    assert run_example(tmp_path, *few).returncode == 0
    path = tmp_path / "out" / "careful" / "records.jsonl"
    path.write_bytes(path.read_bytes().replace(b"TOTAL", b"T0TAL", 1))
    done = run_example(tmp_path, *few, "--stage", "verify")
    assert done.returncode == 1
    assert "does not verify" in done.stderr


def test_another_seed_draws_other_receipts(tmp_path: Path) -> None:
    """And the same seed the same ones."""
    texts = []
    for seed in ("1", "1", "2"):
        run_example(tmp_path, "--output", "out", "--count", "5", "--seed", seed, "--stage", "generate")
        texts.append((tmp_path / "out" / "receipts.jsonl").read_bytes())
    assert texts[0] == texts[1] != texts[2]
