"""Relation checks and population tests through the command: shown, converted, verified, signed, and refused clearly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from robust import check_many, column_edits, generate_keys, increasing, invariance
from robust.app.check_runs import save_check
from robust.render.check_formats import CHECK_FORMATS
from robust.render.plain import columns
from tests.report_readers import assert_sarif, github_html, read_junit
from tests.run_fixtures import robust
from tests.unit.app.relation_checks import CHECKS, FOOTER, ORDER, last_number
from tests.unit.render.shown import read_junit as read_xml
from tests.unit.render.shown import read_markdown, read_sarif

HOSTILE = [
    "</script>\x1b[31m =cmd|' /C calc'!A0 1.0",
    "@team ![x](https://e.invalid/x.png) | `a` 2.0",
    "]]>&amp; 日本 3.0",
]
ROWS = [{"x": float(number), "name": f"row {number} | `x` \x1b[31m @team"} for number in range(20)]


def _wobbly(rows: list[dict[str, Any]]) -> list[float]:
    return [len(row["name"]) * (1.0 if row["name"].islower() else 2.0) for row in rows]


def _save(name: str, folder: Path) -> Path:
    made: dict[str, Any] = {
        **CHECKS,
        "hostile": lambda: check_many(
            last_number, [HOSTILE, [*HOSTILE, "4.0"]], [ORDER, FOOTER], ids=["日本 #1 |", "@team `x`"], workers=1
        ),
        "invariance": lambda: invariance(_wobbly, ROWS, column_edits.case("name")),
        "equivalence": lambda: invariance(_wobbly, ROWS, column_edits.case("name"), method="equivalence", window=100.0),
        "increasing": lambda: increasing(_wobbly, ROWS, column_edits.case("name"), method="wilcoxon"),
        "nothing changed": lambda: invariance(_wobbly, ROWS, column_edits.scaled("x", 1.0)),
    }
    save_check(made[name](), folder / "run")
    return folder / "run"


# By what is saved: the exit code, and what the first line says.
SAVED = {
    "violated and minimised": (1, "FAIL"),
    "holds": (0, "PASS"),
    "raising": (2, "ERROR"),
    "judged": (0, "PASS"),
    "batch": (1, "FAIL"),
    "hostile": (1, "FAIL"),
    "invariance": (1, "FAIL"),
    "equivalence": (1, "FAIL"),
    "increasing": (0, "PASS"),
    "nothing changed": (2, "ERROR"),
}


@pytest.mark.parametrize("name", SAVED)
def test_every_kind_is_shown_in_every_format_with_its_exit_code(tmp_path: Path, name: str) -> None:
    """Each is read by a reader of its own; what is red in one of them follows the exit code."""
    code, word = SAVED[name]
    _save(name, tmp_path)
    shown = {}
    for shape in CHECK_FORMATS:
        done = robust("report", "run", "-f", shape, cwd=tmp_path)
        assert done.returncode == code, done.stderr
        assert done.stderr.startswith("error[nothing_decided]: ") == (code == 2)
        shown[shape] = done.stdout
    assert shown["text"].startswith(f"{word}  ")
    for line in shown["text"].splitlines():
        assert line.isprintable()
        assert columns(line) <= 80 or line.startswith("     robust.replay_trial(")
    report = json.loads((tmp_path / "run" / "report.json").read_bytes())
    assert json.loads(shown["json"]) == report
    root = read_xml(shown["junit"].removesuffix("\n"))
    assert (int(root.get("failures", "")) + int(root.get("errors", "")) > 0) == (code != 0)
    log = read_sarif(shown["sarif"])
    assert log["invocations"][0]["exitCode"] == code
    assert any(result["level"] == "error" for result in log["results"]) == (code != 0)
    read_markdown(shown["markdown"].removesuffix("\n"))


def test_the_formats_are_valid_by_the_schemas_of_others(tmp_path: Path) -> None:
    """Of Jenkins and of SARIF, and for GitHub's own reader nothing comes to life."""
    files, texts = [], []
    for number, name in enumerate(("hostile", "raising", "invariance", "nothing changed")):
        _save(name, tmp_path / str(number))
        for shape, end in (("junit", "xml"), ("sarif", "sarif"), ("markdown", "md")):
            robust("report", f"{number}/run", "-f", shape, "-o", f"{number}.{end}", cwd=tmp_path)
        files.append(tmp_path / f"{number}.xml")
        assert_sarif((tmp_path / f"{number}.sarif").read_text(encoding="utf-8"))
        texts.append((tmp_path / f"{number}.md").read_text(encoding="utf-8"))
    for told, file in zip(read_junit(*files), files, strict=True):
        cases = ET.parse(file).getroot().findall(".//testcase")  # noqa: S314 - it is our own
        assert len(told["cases"]) == len(cases)
    for page in github_html(*texts):
        assert "<img" not in page
        assert "<script" not in page
        assert "<a " not in page


def test_a_file_is_never_written_over_nor_into_the_run(tmp_path: Path) -> None:
    """As of every other run."""
    _save("holds", tmp_path)
    first = robust("report", "run", "-f", "markdown", "-o", "a.md", cwd=tmp_path)
    assert (first.returncode, first.stdout) == (0, "PASS  a.md\n")
    assert robust("report", "run", "-o", "a.md", cwd=tmp_path).returncode == 2
    assert robust("report", "run", "-o", "a.md", "--overwrite", cwd=tmp_path).returncode == 0
    within = robust("report", "run", "-o", "run/a.md", cwd=tmp_path)
    assert (within.returncode, "holds its own files only" in within.stderr) == (2, True)


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_console_without_our_signs_can_show_it(tmp_path: Path, encoding: str) -> None:
    """What it lacks is escaped."""
    _save("hostile", tmp_path)
    for shape in CHECK_FORMATS:
        done = robust("report", "run", "-f", shape, cwd=tmp_path, env={"PYTHONIOENCODING": encoding})
        assert done.returncode == 1
        assert "internal" not in done.stderr


def test_a_check_is_verified_line_by_line(tmp_path: Path) -> None:
    """One line for each check, and what was not derived again."""
    _save("judged", tmp_path)
    done = robust("verify", "run", cwd=tmp_path)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "run (run)"
    assert [line.split(": ")[0] for line in lines[1:6]] == [
        "  ok    report",
        "  ok    plan",
        "  ok    records and derivation",
        "  --    not derived again",
        "  --    time",
    ]
    assert lines[4].endswith("validations are as their oracles said")
    assert "integrity holds; nothing is signed" in done.stdout


def test_a_forged_check_is_named_with_file_path_and_both_values(tmp_path: Path) -> None:
    """Exit code 3, for the command that verifies and the one that shows."""
    run = _save("holds", tmp_path)
    report = json.loads((run / "report.json").read_bytes())
    text = (run / "records.jsonl").read_text(encoding="utf-8")
    (run / "records.jsonl").write_text(text.replace('"output":5.5', '"output":6.5', 1), encoding="utf-8")
    for command in ("verify", "report"):
        done = robust(command, "run", cwd=tmp_path)
        assert done.returncode == 3
        told = done.stdout + done.stderr
        assert 'records.jsonl:7: $.base: "agrees" is stored, "differs" follows' in told
    assert report["status"] == "pass"


def test_a_check_is_signed_claimed_and_held_to_a_threshold(tmp_path: Path) -> None:
    """Like every other run; one with nothing to sign is refused."""
    for name in ("first", "second"):
        generate_keys(tmp_path / name)
    _save("violated and minimised", tmp_path)
    for name in ("first", "second"):
        assert robust("sign", "run", "--key", f"{name}/signing.key.pem", cwd=tmp_path).returncode == 0
    keys = ["--public-key", "first/signing.pub.pem", "--public-key", "second/signing.pub.pem"]
    done = robust("verify", "run", *keys, "--threshold", "2", cwd=tmp_path)
    assert (done.returncode, done.stdout.count("authentic: signed by ")) == (0, 1)
    assert "attestation: the stated result is FAILED, as in the files" in done.stdout
    claim = ("--claim", "looked at", "--name", "A. Reader")
    assert robust("sign", "run", "--key", "first/signing.key.pem", *claim, cwd=tmp_path).returncode == 0
    done = robust("verify", "run", "run/attestation.dsse.json", *keys, cwd=tmp_path)
    assert done.returncode == 0
    assert "says: 'looked at'" in done.stdout
    report = json.loads((tmp_path / "run" / "report.json").read_bytes())
    report["observed"] = {}
    (tmp_path / "run" / "report.json").write_text(json.dumps(report, separators=(",", ":"), sort_keys=True) + "\n")
    assert robust("verify", "run", *keys, cwd=tmp_path).returncode == 3
    _save("nothing changed", tmp_path / "other")
    done = robust("sign", "other/run", "--key", "first/signing.key.pem", cwd=tmp_path)
    assert (done.returncode, "there is no result to sign" in done.stderr) == (2, True)


def test_an_attestation_alone_tells_what_it_is_of(tmp_path: Path) -> None:
    """Its form is known without the files."""
    generate_keys(tmp_path / "keys")
    run = _save("holds", tmp_path)
    robust("sign", "run", "--key", "keys/signing.key.pem", cwd=tmp_path)
    (tmp_path / "alone").mkdir()
    (run / "attestation.dsse.json").rename(tmp_path / "alone" / "attestation.dsse.json")
    done = robust("verify", "alone/attestation.dsse.json", "--public-key", "keys/signing.pub.pem", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "a run, PASSED: of report.json, records.jsonl, contract.json" in done.stdout
    done = robust("verify", "alone/attestation.dsse.json", "run", "--public-key", "keys/signing.pub.pem", cwd=tmp_path)
    assert (done.returncode, "what is stated follows from it" in done.stdout) == (0, True)


@pytest.mark.parametrize(
    "command",
    [("replay", "run"), ("report", "run", "--contract", "c.yaml"), ("report", "run", "--prove", "0/base/0")],
)
def test_what_needs_a_contract_is_refused_with_what_to_use(tmp_path: Path, command: tuple[str, ...]) -> None:
    """One message."""
    _save("holds", tmp_path)
    done = robust(*command, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("error[not_a_contract_run]: run: the run of a relation check or population test")
    assert "robust report" in line
    assert "replay_trial(" in line
