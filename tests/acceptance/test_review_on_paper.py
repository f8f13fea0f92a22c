"""The review queue on paper: a sheet is written, people fill it in, and what they judged becomes validation records."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from robust import Manifest, Validation
from tests.run_fixtures import COMMAND, robust

ORACLE = r"""
    import json, re, sys

    def answer(case):
        found = re.findall(r"\b[0-9]+\b", case["input"])
        return found[0] if len(found) == 1 else None

    for line in sys.stdin:
        question = json.loads(line)
        base, variant = answer(question["base"]), answer(question["candidate"])
        decided = base is not None and variant is not None
        print(json.dumps({
            "id": question["id"], "valid": True if decided else None,
            "reason": "one number was read" if decided else "not one number",
            "base_expected": base, "variant_expected": variant, "evidence": {"base": base, "variant": variant},
        }), flush=True)
"""
BASES = [f"Ich zahle {40 + number} € für die Tür." for number in range(6)]
CANDIDATES = [
    "Ich zahle  40 € für die Tür.",
    "Ich zahle 4l € für die Tür.",
    "Ich zahle vierzig und zwei € für die Tür.",
    "=cmd|'/c calc'!A0 43 7",
    "Ich zahle 44 € für 2 Türen.",
    "Ich zahle 45 € für die Tür\u200b.",
]
OPEN = ["v1", "v2", "v3", "v4"]
Row = dict[str, str]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a program judged what it can, and left four pairs open."""
    folder = tmp_path_factory.mktemp("paper")
    (folder / "oracle.py").write_text(textwrap.dedent(ORACLE), encoding="utf-8")
    bases = ({"id": f"b{number}", "input": text} for number, text in enumerate(BASES))
    (folder / "bases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in bases), encoding="utf-8")
    candidates = (
        {"id": f"v{number}", "input": text, "origin": {"parent_id": f"b{number}", "relation": "invariant"}}
        for number, text in enumerate(CANDIDATES)
    )
    (folder / "candidates.jsonl").write_text("".join(json.dumps(row) + "\n" for row in candidates), encoding="utf-8")
    done = _validate(folder, "--oracle-command", f"{sys.executable} oracle.py", "-o", "program.jsonl")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "2 valid, 4 unknown")
    return folder


def _validate(folder: Path, *more: str) -> CompletedProcess[str]:
    return robust(
        "variants", "validate", "bases.jsonl", "candidates.jsonl", "--contract", "amounts/v1", *more, cwd=folder
    )


def _opened(path: Path, delimiter: str = ",") -> list[Row]:
    header, *rows = csv.reader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline=""), delimiter=delimiter)
    return [dict(zip(header, row, strict=True)) for row in rows]


def _saved(path: Path, rows: list[Row], *, encoding: str = "utf-8-sig", delimiter: str = ",") -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(rows[0])
    writer.writerows(row.values() for row in rows)
    path.write_bytes(text.getvalue().encode(encoding))


def _judged(row: Row, valid: str, answer: str, reviewer: str, reason: str = "gelesen") -> Row:
    filled = {"valid": valid, "base_answer": answer, "variant_answer": answer, "reason": reason}
    return {**row, **filled, "reviewer": reviewer, "reviewed_at": "30.03.2026"}


def test_a_sheet_goes_to_a_person_and_comes_back_as_a_manifest(first: Path) -> None:
    """Through Excel in a country where it saves in cp1252 with semicolons, and with the rows in another order."""
    shown = robust(
        *("variants", "show", "program.jsonl", "--status", "unknown", "--as", "csv"),
        *("--delimiter", "semicolon", "-o", "queue.csv"),
        cwd=first,
    )
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, "4 rows to judge\nsheet    queue.csv\n", "")
    rows = _opened(first / "queue.csv", ";")
    assert [row["candidate_id"].removeprefix("'") for row in rows] == OPEN
    assert rows[0]["change"] == "Ich zahle [-41-]{+4l+} € für die Tür."
    assert rows[2]["candidate"] == "'=cmd|'/c calc'!A0 43 7"
    assert all(row["valid"] == row["reviewer"] == row["base_answer"] == "" for row in rows)

    filled = [
        _judged(rows[0], "YES", "41", "Zoë Grün", "ein kleines L steht für die Eins"),
        _judged(rows[1], "yes", "42", "zoë grün", "ausgeschrieben"),
        _judged(rows[2], "no", "", "Zoë Grün", "das ist kein Satz"),
        {**rows[3], "reviewer": "Zoë Grün", "reviewed_at": "30.03.2026"},
    ]
    _saved(first / "back.csv", filled[::-1], encoding="cp1252", delimiter=";")
    back = _validate(first, "--reviewed", "back.csv", "-o", "people.jsonl")
    assert (back.returncode, back.stdout.splitlines()[0]) == (0, "2 valid, 1 invalid, 3 unknown")
    records = {record.data["candidate"]["case_id"]: record for record in Validation.load_all(first / "people.jsonl")}
    assert {name: record.status for name, record in records.items() if name in OPEN} == dict(
        zip(OPEN, ("valid", "valid", "invalid", "unknown"), strict=True)
    )
    assert records["v1"].data["oracle"]["name"] == "Zoë Grün"
    (evidence,) = records["v1"].data["verdict"]["evidence"]["judgements"]
    assert (evidence["reviewed_at"], evidence["reason"]) == ("2026-03-30", "ein kleines L steht für die Eins")
    assert records["v4"].data["verdict"]["reason"] == "nobody has judged this pair yet"

    export = ("manifest", "export", "program.jsonl", "people.jsonl", "--name", "amounts", "--skip-refused")
    exported = robust(*export, "-o", "amounts.manifest.jsonl", cwd=first)
    assert exported.returncode == 0
    manifest = Manifest.load(first / "amounts.manifest.jsonl")
    variants = {case.case_id: case.expected for case in manifest.cases if case.origin is not None}
    assert variants == {"v0": "40", "v1": "41", "v2": "42", "v5": "45"}


def test_two_people_are_compared_and_what_they_disagree_about_stays_unknown(first: Path, tmp_path: Path) -> None:
    """Percent and kappa are shown, and their sheets are one panel."""
    robust(
        "variants",
        "show",
        "program.jsonl",
        "--status",
        "unknown",
        "--as",
        "csv",
        "-o",
        str(tmp_path / "q.csv"),
        cwd=first,
    )
    rows = _opened(tmp_path / "q.csv")
    said = {"Anna": ("yes", "yes", "no", "yes"), "Ben": ("yes", "no", "no", "unknown")}
    for name, words in said.items():
        answers = ("41", "42", "", "44")
        judged = [_judged(*each, name) for each in zip(rows, words, answers, strict=True)]
        _saved(tmp_path / f"{name}.csv", judged)
    agreement = robust("variants", "agreement", "Anna.csv", "Ben.csv", "-f", "json", cwd=tmp_path)
    assert agreement.returncode == 0
    (two,) = json.loads(agreement.stdout)["agreements"]
    assert (two["pairs"], two["agreeing"], two["share"], two["kappa"]) == (4, 2, 0.5, pytest.approx(0.2727, abs=1e-4))
    held = robust("variants", "agreement", "Anna.csv", "Ben.csv", "--min-kappa", "0.8", cwd=tmp_path)
    assert (held.returncode, "error[low_agreement]" in held.stderr) == (1, True)
    assert "v2: Anna yes (42 -> 42), Ben no" in held.stdout

    output = str(tmp_path / "panel.jsonl")
    sheets = ("--reviewed", str(tmp_path / "Anna.csv"), "--reviewed", str(tmp_path / "Ben.csv"))
    back = _validate(first, *sheets, "-o", output)
    assert (back.returncode, back.stderr.count(" rows are judged, ")) == (0, 2)
    records = {record.data["candidate"]["case_id"]: record for record in Validation.load_all(output)}
    assert {name: records[name].status for name in OPEN} == dict(
        zip(OPEN, ("valid", "unknown", "invalid", "unknown"), strict=True)
    )
    assert records["v1"].data["oracle"]["name"] == "Anna + Ben"
    assert records["v2"].issues == ("unreviewed",)
    assert [each["valid"] for each in records["v2"].data["verdict"]["evidence"]["judgements"]] == ["yes", "no"]


def test_the_sheet_on_standard_output_is_the_very_file(first: Path, tmp_path: Path) -> None:
    """Also where the console has another encoding."""
    output = tmp_path / "sheet"
    for form in ("csv", "jsonl"):
        arguments = ("variants", "show", "program.jsonl", "--as", form)
        robust(*arguments, "-o", str(output), "--overwrite", cwd=first)
        environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
        printed = subprocess.run([COMMAND, *arguments], cwd=first, env=environment, capture_output=True, check=True)
        assert printed.stdout == output.read_bytes()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize(
    ("end", "said"),
    [("> /dev/full", "standard output cannot be written: "), (">&-", "standard output is closed")],
)
def test_a_sheet_that_cannot_be_printed_ends_with_a_message(first: Path, form: str, end: str, said: str) -> None:
    """On a full disk, and where there is no standard output."""
    command = f"'{COMMAND}' variants show program.jsonl --as {form} {end}"
    done = subprocess.run(["/bin/sh", "-c", command], cwd=first, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error[unwritable]: {said}")


def test_a_text_that_was_edited_on_the_sheet_ends_the_command(first: Path, tmp_path: Path) -> None:
    """With its line, and nothing written."""
    robust("variants", "show", "program.jsonl", "--as", "csv", "-o", str(tmp_path / "q.csv"), cwd=first)
    rows = [_judged(row, "yes", "1", "Anna") for row in _opened(tmp_path / "q.csv")]
    rows[1]["candidate"] = rows[1]["candidate"].replace("4l", "41")
    _saved(tmp_path / "q.csv", rows)
    done = _validate(first, "--reviewed", str(tmp_path / "q.csv"), "-o", str(tmp_path / "r.jsonl"))
    assert done.returncode == 2
    assert "error[row_changed]" in done.stderr
    assert "q.csv:3: candidate 'v1'" in done.stderr
    assert not (tmp_path / "r.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--code", "typo"], "there is no code 'typo'"),
        (["--status", "valid", "-o", "list.txt"], "only a review sheet is written to a file"),
        (["--as", "csv", "-o", "oracle.py"], "the file exists and is not written over"),
    ],
)
def test_what_cannot_be_shown_is_said(first: Path, arguments: list[str], said: str) -> None:
    """Without writing anything."""
    done = robust("variants", "show", "program.jsonl", *arguments, cwd=first)
    assert (done.returncode, said in done.stderr) == (2, True)


def test_nothing_to_judge_is_said(first: Path, tmp_path: Path) -> None:
    """The sheet has a header alone, from which no oracle can be made."""
    sheet = str(tmp_path / "q.csv")
    shown = robust("variants", "show", "program.jsonl", "--status", "invalid", "--as", "csv", "-o", sheet, cwd=first)
    assert (shown.returncode, "nobody has anything to judge" in shown.stderr) == (0, True)
    done = _validate(first, "--reviewed", sheet, "-o", str(tmp_path / "r.jsonl"))
    assert (done.returncode, "error[no_reviews]" in done.stderr) == (2, True)
