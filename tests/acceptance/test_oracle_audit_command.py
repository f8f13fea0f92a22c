"""``robust oracle audit`` as a whole command: limits, files, exit codes, and what an enemy would try."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from robust.canon import canonical_bytes
from tests.run_fixtures import robust

BASES = """\
{"id": "a", "input": "The fee of 12.50 EUR is not due before 5 March 2021.", "expected": "no"}
{"id": "b", "input": "At least 30% of the 4,800 euros must be paid within 14 days.", "expected": "yes"}
{"id": "c", "input": "Die Gebühr beträgt −5 %, und das ist nicht fällig.", "expected": "no"}
"""
ORACLES = """\
import json, re, sys
from robust import OracleVerdict

def accepts(base, candidate):
    return OracleVerdict(True, "fine", 1, 1, {"trust": "me"})

def refuses(base, candidate):
    return OracleVerdict(False, "never")

def unsure(base, candidate):
    return OracleVerdict(None, "who knows")

def leaves(base, candidate):
    sys.exit(0)

def serve():
    for line in sys.stdin:
        asked = json.loads(line)
        before, after = (re.findall(r"\\d+", asked[side]["input"]) for side in ("base", "candidate"))
        evidence = {"digits": [before, after]}
        said = {"id": asked["id"], "valid": before == after, "reason": "digits", "evidence": evidence}
        said |= {"base_expected": None, "variant_expected": None}
        print(json.dumps(said), flush=True)

if __name__ == "__main__":
    serve()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with bases and oracles."""
    (tmp_path / "bases.jsonl").write_text(BASES, encoding="utf-8")
    (tmp_path / "oracles.py").write_text(ORACLES, encoding="utf-8")
    return tmp_path


def audit(folder: Path, *arguments: str) -> tuple[int, str, str]:
    done = robust("oracle", "audit", "--contract", "x/v1", *arguments, cwd=folder)
    return done.returncode, done.stdout, done.stderr


LIMITS = ("--max-accepted-invalid", "0", "--max-refused-valid", "0")


@pytest.mark.parametrize(
    ("oracle", "limits", "code", "status"),
    [
        ("preserves", LIMITS, 0, "PASS"),
        ("preserves", (), 0, "MEASURED"),
        ("preserves", (*LIMITS, "--judge", "bound"), 1, "INCONCLUSIVE"),
        ("oracles:accepts", LIMITS, 1, "FAIL"),
        ("oracles:refuses", LIMITS, 1, "FAIL"),
        ("oracles:unsure", LIMITS, 1, "INCONCLUSIVE"),
        ("oracles:leaves", LIMITS, 2, "ERROR"),
    ],
)
def test_the_exit_code_says_what_was_found(
    folder: Path, oracle: str, limits: tuple[str, ...], code: int, status: str
) -> None:
    """Of oracles that are good, that say always the same, and that say nothing."""
    found, shown, _ = audit(folder, "bases.jsonl", "--oracle", oracle, *limits)
    assert (found, shown.split()[0]) == (code, status)


def test_a_program_is_audited_and_compared_with_a_second_oracle(folder: Path) -> None:
    """Everything is written, shown as JSON, and verified."""
    code, shown, errors = audit(
        folder,
        *("bases.jsonl", "--oracle-command", f"{sys.executable} oracles.py", "--oracle-name", "digits"),
        *("--second-oracle", "preserves", "-o", "audit.json", "--records", "records.jsonl", "-f", "json"),
    )
    assert (code, errors) == (0, "")
    found = json.loads(shown)
    assert found == json.loads((folder / "audit.json").read_text("utf-8"))
    assert found["oracle"]["name"] == "digits"
    assert found["shares"]["accepted_invalid"]["pairs"] > 0
    assert -1 <= found["agreement"]["kappa"] <= 1
    verified = robust("verify", "audit.json", "records.jsonl", cwd=folder)
    assert verified.returncode == 0, verified.stdout
    again = audit(folder, "bases.jsonl", "--oracle", "preserves", "-o", "audit.json")
    assert again[0] == 2
    assert "error[exists]" in again[2]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), "no_oracle"),
        (("--oracle", "preserves"), "no_pairs"),
        (("bases.jsonl", "--oracle", "preserves", "--domain", "amonts"), "unknown_domain"),
        (("empty.jsonl", "--oracle", "preserves"), "no_cases"),
        (("words.jsonl", "--oracle", "preserves", "--domain", "amounts"), "no_pairs"),
        (("bases.jsonl", "--oracle", "preserves", "--max-undecided", "7"), "bad_limit"),
        (("--pairs", "two.csv", "--oracle", "preserves"), "two_labels"),
        (("--pairs", "wrong.csv", "--oracle", "preserves"), "wrong_value"),
        (("missing.jsonl", "--oracle", "preserves"), "unreadable"),
        (("bases.jsonl", "--oracle", "oracles:nobody"), "not_importable"),
    ],
)
def test_what_cannot_be_audited_says_why(folder: Path, arguments: tuple[str, ...], code: str) -> None:
    """With exit code 2 and a message."""
    (folder / "empty.jsonl").write_text("", encoding="utf-8")
    (folder / "words.jsonl").write_text('{"id": "w", "input": "no number here"}\n', encoding="utf-8")
    (folder / "two.csv").write_text("base,candidate,truth\n5,6,valid\n5,6,invalid\n", encoding="utf-8")
    (folder / "wrong.csv").write_text("base,candidate,truth\n5,6,perhaps\n", encoding="utf-8")
    exit_code, shown, errors = audit(folder, *arguments)
    assert (exit_code, shown) == (2, "")
    assert f"error[{code}]" in errors


def test_pairs_with_one_base_alone_have_no_interval(folder: Path) -> None:
    """One source says nothing of others."""
    (folder / "one.csv").write_text(
        "base,candidate,truth,source_id\nPay 5 EUR,Pay 6 EUR,invalid,s\nPay 5 EUR,Pay  5 EUR,valid,s\n",
        encoding="utf-8",
    )
    code, shown, _ = audit(
        folder, "--pairs", "one.csv", "--oracle", "preserves", *LIMITS, "--judge", "bound", "-f", "json"
    )
    assert code == 1
    assert {share["interval"] for share in json.loads(shown)["shares"].values()} == {None}


def test_an_audit_that_was_edited_is_damaged_evidence(folder: Path) -> None:
    """With exit code 3, and the place."""
    audit(folder, "bases.jsonl", "--oracle", "oracles:accepts", *LIMITS, "-o", "audit.json")
    path = folder / "audit.json"
    path.write_text(path.read_text("utf-8").replace('"status":"fail"}', '"status":"pass"}'), encoding="utf-8")
    path.write_text(path.read_text("utf-8").replace('"unanswered":0', '"unanswered":1'), encoding="utf-8")
    done = robust("verify", "audit.json", cwd=folder)
    assert done.returncode == 3
    assert "contradiction" in done.stdout or "wrong_value" in done.stdout


def test_the_list_of_edits_names_every_domain(folder: Path) -> None:
    """As text and as JSON."""
    listed = json.loads(robust("oracle", "edits", "-f", "json").stdout)
    assert {item["truth"] for item in listed} == {"valid", "invalid"}
    text = robust("oracle", "edits").stdout
    assert all(item["domain"] in text and item["edit"] in text for item in listed)


def test_the_output_is_readable_in_a_narrow_encoding(folder: Path) -> None:
    """What it lacks is escaped."""
    done = robust(
        *("oracle", "audit", "bases.jsonl", "--contract", "x/v1", "--oracle", "oracles:accepts"),
        cwd=folder,
        env={"PYTHONIOENCODING": "cp1252"},
    )
    assert done.returncode == 0, done.stderr


def test_what_a_sheet_of_reviews_leaves_open_is_said(folder: Path) -> None:
    """On standard error, as by ``variants validate``: who audits people must know whom nobody has judged yet."""
    texts = [("5 EUR", "five EUR", "valid"), ("6 EUR", "7 EUR", "invalid")]
    rows = [{"base": base, "candidate": candidate, "truth": truth} for base, candidate, truth in texts]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert audit(folder, "--pairs", "pairs.jsonl", "--oracle", "oracles:unsure", "--records", "r.jsonl")[0] == 1
    records = [json.loads(line)["validation"] for line in (folder / "r.jsonl").read_text(encoding="utf-8").splitlines()]
    (folder / "v.jsonl").write_bytes(b"".join(canonical_bytes(record) + b"\n" for record in records))
    assert robust("variants", "show", "v.jsonl", "--as", "jsonl", "-o", "sheet.jsonl", cwd=folder).returncode == 0
    first, second = (json.loads(line) for line in (folder / "sheet.jsonl").read_text(encoding="utf-8").splitlines())
    first |= {"valid": "yes", "reviewer": "Anna", "reason": "the same amount", "reviewed_at": "2026-03-30"}
    (folder / "sheet.jsonl").write_text("".join(json.dumps(row) + "\n" for row in (first, second)), encoding="utf-8")
    code, shown, told = audit(folder, "--pairs", "pairs.jsonl", "--reviewed", "sheet.jsonl")
    assert "note: sheet.jsonl: 1 row is judged, 1 not yet" in told, (code, shown, told)
