"""``robust manifest``: building, splitting, extending, choosing, merging, comparing, proving, checking."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from robust import Manifest, Validation, verify
from tests.builders import said, valid_variant, verdict
from tests.run_fixtures import robust

ROWS = """\
id,input,expected,source_id,metadata.channel
t/1,Refund 3 items to Anna now please,yes,s1,mail
t/2,=SUM(1;2) cancel,no,s2,chat
t/3,Where is my parcel today,no,s3,mail
t/4,Refund 3 items to Anne now please,yes,s4,mail
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data set, validation records of which some are refused, and a manifest of both."""
    (tmp_path / "cases.csv").write_text(ROWS, encoding="utf-8")
    Validation.save_all(tmp_path / "records.jsonl", [valid_variant(5), valid_variant(6)])
    Validation.save_all(tmp_path / "mixed.jsonl", [valid_variant(7), said(verdict(None))])
    done = robust(
        "manifest", "build", "cases.csv", "--validations", "records.jsonl", "--name", "support", "-o", "m.jsonl",
        cwd=tmp_path,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return tmp_path


def test_a_data_set_and_records_become_a_manifest(folder: Path) -> None:
    """The same as building it in Python."""
    built = Manifest.load(folder / "m.jsonl")
    assert [case.case_id for case in built.cases] == ["base", "t/1", "t/2", "t/3", "t/4", "variant-5", "variant-6"]
    again = robust("manifest", "build", "cases.csv", "--name", "n", "-o", "m.jsonl", cwd=folder)
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr.startswith("error[exists]: ")
    twice = robust("manifest", "build", "cases.csv", "cases.csv", "--name", "n", "-o", "n.jsonl", cwd=folder)
    assert twice.returncode == 2
    assert twice.stderr.count("error[duplicate_id]") == 4
    wrong = robust("manifest", "build", "m.jsonl", "--name", "n", "-o", "n.jsonl", cwd=folder)
    assert wrong.stderr.startswith("error[not_cases]: m.jsonl: holds manifest, not cases")
    assert not (folder / "n.jsonl").exists()


def test_records_that_cannot_be_scored_are_an_error_or_left_out(folder: Path) -> None:
    """As in an export."""
    arguments = ["manifest", "build", "cases.csv", "--validations", "mixed.jsonl", "--name", "n", "-o", "n.jsonl"]
    done = robust(*arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error[not_valid]: case 'variant': its validation is unknown (unreviewed)")
    done = robust(*arguments, "--skip-refused", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "left out: variant: unknown (unreviewed)\n")
    assert len(Manifest.load(folder / "n.jsonl").validations) == 1
    done = robust(*arguments, "--exclude", "variant", "--overwrite", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "left out: variant: excluded (on_request)\n")
    assert len(Manifest.load(folder / "n.jsonl").validations) == 1


def test_a_month_of_work(folder: Path) -> None:
    """Split, extended with what came in, compared, and the part that matters chosen."""
    (folder / "dev.txt").write_text("t/1\nbase\n", encoding="utf-8")
    commands = [
        ["split", "m.jsonl", "--list", "dev=dev.txt", "--rest", "test", "-o", "s.jsonl"],
        ["extend", "s.jsonl", "new.csv", "mixed.jsonl", "--split", "test", "--skip-refused", "-o", "e.jsonl"],
        ["subset", "e.jsonl", "--split", "test", "--metadata", "channel=mail", "-o", "mail.jsonl"],
    ]
    (folder / "new.csv").write_text(ROWS + "t/5,A new question,no,s5,mail\n", encoding="utf-8")
    for command in commands:
        done = robust("manifest", *command, cwd=folder)
        assert done.returncode == 0, done.stderr
        assert verify(folder / command[-1]).holds
    old, new = Manifest.load(folder / "s.jsonl"), Manifest.load(folder / "e.jsonl")
    assert old.splits == {"dev": ("base", "t/1", "variant-5", "variant-6"), "test": ("t/2", "t/3", "t/4")}
    assert new.parent == old.digest
    assert Manifest.load(folder / "mail.jsonl").splits == {"test": ("t/3", "t/4", "t/5")}
    shown = robust("manifest", "diff", "s.jsonl", "e.jsonl", "-f", "json", cwd=folder)
    assert shown.returncode == 0
    found = json.loads(shown.stdout)
    assert found["is_extension"]
    assert found["added"] == [{"case_id": "t/5", "split": "test"}, {"case_id": "variant-7", "split": "dev"}]
    assert found["validations"] == {"added": [valid_variant(7).digest], "removed": []}
    text = robust("manifest", "diff", "e.jsonl", "s.jsonl", "--exit-code", cwd=folder)
    assert text.returncode == 1
    assert "  - t/5  was in 'test'" in text.stdout.splitlines()
    same = robust("manifest", "diff", "e.jsonl", "e.jsonl", "--exit-code", cwd=folder)
    assert (same.returncode, same.stdout.splitlines()[-1]) == (0, "no difference")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["split", "m.jsonl", "-o", "x"], "bad_split"),
        (["split", "m.jsonl", "--fractions", "a=1", "--list", "a=ids", "-o", "x"], "two_splits"),
        (["split", "m.jsonl", "--list", "a", "-o", "x"], "bad_pair"),
        (["split", "m.jsonl", "--list", "a=ids", "--list", "a=ids", "-o", "x"], "bad_pair"),
        (["split", "m.jsonl", "--list", "a=missing", "-o", "x"], "unreadable"),
        (["split", "two.jsonl", "--fractions", "a=0.5,b=0.5", "-o", "x"], "frozen_splits"),
        (["extend", "two.jsonl", "records.jsonl", "-o", "x"], "nothing_new"),
        (["extend", "two.jsonl", "new.jsonl", "-o", "x"], "split_missing"),
        (["extend", "two.jsonl", "moved.jsonl", "--split", "a", "-o", "x"], "frozen_changed"),
        (["extend", "two.jsonl", "new.jsonl", "--split", "a", "--list", "a=ids", "-o", "x"], "two_splits"),
        (["extend", "two.jsonl", "new.jsonl", "--list", "b=frozen", "-o", "x"], "frozen_moved"),
        (["subset", "m.jsonl", "-o", "x"], "no_condition"),
        (["subset", "m.jsonl", "--metadata", "channel=fax", "-o", "x"], "no_cases"),
        (["subset", "m.jsonl", "--id", "nobody", "-o", "x"], "unknown_case"),
        (["subset", "m.jsonl", "--split", "nowhere", "-o", "x"], "unknown_split"),
        (["merge", "m.jsonl", "--name", "n", "-o", "x"], "nothing_to_merge"),
        (["merge", "m.jsonl", "two.jsonl", "--name", "n", "-o", "x"], "split_conflict"),
        (["merge", "m.jsonl", "cases.csv", "--name", "n", "-o", "x"], "not_a_manifest"),
        (["show", "cases.csv"], "not_a_manifest"),
        (["split", "records.jsonl", "--fractions", "a=1", "-o", "x"], "not_a_manifest"),
        (["diff", "m.jsonl", "missing"], "unreadable"),
        (["prove", "m.jsonl", "nobody"], "unknown_case"),
        (["check", "m.jsonl", "--threshold", "0.5"], "unused_option"),
        (["check", "m.jsonl", "--max-comparisons", "9"], "unused_option"),
        (["check", "m.jsonl", "--near-duplicates", "--max-comparisons", "0"], "bad_comparisons"),
        (["check", "m.jsonl", "--near-duplicates", "--threshold", "2"], "bad_threshold"),
        (["check", "m.jsonl", "--near-duplicates"], "one_split"),
        (["check", "records.jsonl"], "not_a_manifest"),
        (["check-proof", "p.json", "--digest", "abc"], "bad_digest"),
        (["export", "m.jsonl", "m.jsonl", "--as", "csv", "-o", "x"], "one_manifest"),
        (["export", "m.jsonl", "--as", "csv", "--name", "n", "-o", "x"], "two_kinds"),
        (["export", "m.jsonl", "--as", "csv", "--choice", "a", "--choice", "b", "-o", "x"], "bad_choices"),
        (["export", "records.jsonl", "-o", "x"], "no_name"),
        (["export", "m.jsonl", "--name", "n", "-o", "x"], "is_manifest"),
        (["export", "m.jsonl", "-o", "x"], "is_manifest"),
        (["export", "m.jsonl", "--as", "csv", "--exclude", "t/1", "-o", "x"], "two_kinds"),
        (["export", "records.jsonl", "--name", "n", "--exclude", "base", "-o", "x"], "unknown_case"),
        (
            ["build", "cases.csv", "--validations", "records.jsonl", "--name", "n", "--exclude", "t/1", "-o", "x"],
            "unknown_case",
        ),
        (["export", "records.jsonl", "--name", "n", "--choice", "a", "-o", "x"], "bad_choices"),
    ],
)
def test_what_cannot_be_is_told_and_writes_nothing(folder: Path, arguments: list[str], code: str) -> None:
    """By its code, without a traceback."""
    (folder / "ids").write_text("t/1\n", encoding="utf-8")
    (folder / "frozen").write_text("t/1\nn\n", encoding="utf-8")
    (folder / "new.jsonl").write_text('{"id":"n","input":"new"}\n', encoding="utf-8")
    (folder / "moved.jsonl").write_text('{"id":"t/1","input":"Another text","source_id":"s1"}\n', encoding="utf-8")
    manifest = Manifest.load(folder / "m.jsonl")
    manifest.split({"a": ["t/1", "base"]}, rest="b").save(folder / "two.jsonl")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = robust("manifest", *arguments, cwd=folder)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith(f"error[{code}]: "), done.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_case_is_proven_and_checked_without_the_others(folder: Path) -> None:
    """From the header alone; a proof that was tampered with is exit code 3."""
    done = robust("manifest", "prove", "m.jsonl", "t/2", "-o", "p.json", cwd=folder)
    assert done.returncode == 0
    manifest = Manifest.load(folder / "m.jsonl")
    assert manifest.digest in done.stdout
    (folder / "header").write_bytes(manifest.header_line + b"\n")
    for arguments in (["--manifest", "header"], ["--manifest", "m.jsonl"], ["--digest", manifest.digest]):
        assert robust("manifest", "check-proof", "p.json", *arguments, cwd=folder).returncode == 0
    both = robust("verify", "p.json", "m.jsonl", "-f", "json", cwd=folder)
    assert both.returncode == 0
    proof, _ = json.loads(both.stdout)
    done_checks = [check["name"] for check in proof["checks"] if check["done"]]
    assert (proof["kind"], done_checks) == (
        "inclusion proof",
        ["file digest", "form", "line", "inclusion", "manifest"],
    )
    other = manifest.subset(ids=["t/2"])
    other.save(folder / "other.jsonl")
    wrong = robust("verify", "p.json", "other.jsonl", cwd=folder)
    assert wrong.returncode == 3
    assert "error[other_manifest]" in wrong.stdout
    text = (folder / "p.json").read_text(encoding="utf-8")
    (folder / "p.json").write_text(text.replace("=SUM(1;2) cancel", "=SUM(1;2) accept"), encoding="utf-8")
    forged = robust("manifest", "check-proof", "p.json", cwd=folder)
    assert forged.returncode == 3
    assert "error[not_included]" in forged.stdout
    shown = robust("manifest", "prove", "m.jsonl", "t/2", cwd=folder)
    assert json.loads(shown.stdout)["line"]["case"]["case_id"] == "t/2"


def test_damage_is_exit_code_3_for_every_command(folder: Path) -> None:
    """Nothing is made of a damaged manifest."""
    raw = (folder / "m.jsonl").read_bytes()
    (folder / "bad.jsonl").write_bytes(raw.replace(b"parcel today", b"parcel later"))
    commands = [
        ["show", "bad.jsonl"],
        ["split", "bad.jsonl", "--fractions", "a=1", "-o", "x"],
        ["extend", "bad.jsonl", "mixed.jsonl", "--skip-refused", "-o", "x"],
        ["subset", "bad.jsonl", "--id", "t/1", "-o", "x"],
        ["merge", "bad.jsonl", "m.jsonl", "--name", "n", "-o", "x"],
        ["diff", "m.jsonl", "bad.jsonl"],
        ["prove", "bad.jsonl", "t/1"],
        ["export", "bad.jsonl", "--as", "csv", "-o", "x"],
        ["export", "bad.jsonl", "--as", "inspect", "-o", "x"],
    ]
    for command in commands:
        done = robust("manifest", *command, cwd=folder)
        assert (done.returncode, done.stdout) == (3, ""), command
    checked = robust("manifest", "check", "bad.jsonl", cwd=folder)
    assert checked.returncode == 3
    assert "FAIL  root, rules and derivation" in checked.stdout
    assert not (folder / "x").exists()


def test_near_duplicates_are_listed_as_text(folder: Path) -> None:
    """With what was compared; exit code 1 says that there are some."""
    (folder / "dev.txt").write_text("t/1\n", encoding="utf-8")
    robust("manifest", "split", "m.jsonl", "--list", "dev=dev.txt", "--rest", "test", "-o", "s.jsonl", cwd=folder)
    done = robust("manifest", "check", "s.jsonl", "--near-duplicates", cwd=folder)
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "   0.5  s1 (dev)  s4 (test)  1 pair",
        "        t/1: Refund 3 items to Anna now please",
        "        t/4: Refund 3 items to Anne now please",
        "1 finding (1 pair) in different splits with a similarity of 0.5 or more, of 7 cases (shingles of 2 words)",
    ]
