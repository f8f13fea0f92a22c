"""``robust manifest``: from validation records to a frozen manifest, with what was refused."""

from __future__ import annotations

import hashlib
import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from robust import Case, Manifest, OracleVerdict, Validation, verify
from tests.builders import said, verdict
from tests.run_fixtures import numbers, robust, variant

REFUSED = "error[refused_records]: records that cannot be scored{}; leave such records out, or use --skip-refused"


def _relation_only(base: Case, candidate: Case) -> OracleVerdict:
    return OracleVerdict(None, "cannot tell", evidence={})


def _unlike(base: Case, candidate: Case) -> OracleVerdict:
    return OracleVerdict(False, "they differ", evidence={"read": "both"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Validation files: all valid, and one mixed with an invalid and an unknown record whose id hides a mark."""
    bases = numbers(*(f"total {2000 + n}" for n in range(20)))
    valid = [variant(base, f"{base.input} ", "invariant", f"{base.case_id}-v") for base in bases]
    invalid = variant(bases[0], "total 20", "invariant", "n1-w")
    unknown = variant(bases[0], "total 21", "invariant", "n1-\u202eu", _relation_only)
    Validation.save_all(tmp_path / "valid.jsonl", valid[:10])
    Validation.save_all(tmp_path / "more.jsonl", valid[10:])
    Validation.save_all(tmp_path / "mixed.jsonl", [*valid[:2], invalid, unknown])
    return tmp_path


def test_valid_records_become_a_manifest(folder: Path) -> None:
    """Several files into one split; the identity that is shown is the hash of the first line."""
    done = robust(
        "manifest",
        "export",
        "valid.jsonl",
        "more.jsonl",
        "--name",
        "totals",
        "--split",
        "test",
        "-o",
        "m.jsonl",
        cwd=folder,
    )
    assert (done.returncode, done.stderr) == (0, "")
    identity = hashlib.sha256((folder / "m.jsonl").read_bytes().split(b"\n")[0]).hexdigest()
    assert f"sha256:{identity}" in done.stdout
    assert "40 cases of 20 sources, 20 validations" in done.stdout
    manifest = Manifest.load(folder / "m.jsonl")
    assert manifest.header["splits"] == {"test": {"cases": 40, "sources": 20}}
    assert verify(folder / "m.jsonl").holds


def test_the_order_of_files_and_the_hash_seed_leave_no_trace(folder: Path) -> None:
    """C7: identical bytes."""
    seen = set()
    for seed, files in (
        ("0", ["valid.jsonl", "more.jsonl"]),
        ("1", ["more.jsonl", "valid.jsonl"]),
        ("77", ["valid.jsonl", "more.jsonl"]),
    ):
        arguments = ["--name", "totals", "--fractions", "dev=0.5,test=0.5", "--salt", "s", "-o", f"{seed}.jsonl"]
        done = robust("manifest", "export", *files, *arguments, cwd=folder, env={"PYTHONHASHSEED": seed})
        assert done.returncode == 0
        seen.add((folder / f"{seed}.jsonl").read_bytes())
    assert len(seen) == 1
    header = json.loads(seen.pop().split(b"\n")[0])
    assert header["split_rule"] == {"fractions": {"dev": 0.5, "test": 0.5}, "salt": "s"}
    assert {name: size["cases"] > 0 for name, size in header["splits"].items()} == {"dev": True, "test": True}


def test_a_refused_record_is_an_error_that_names_each(folder: Path) -> None:
    """By case, status and code, with the way out; nothing is written."""
    done = robust("manifest", "export", "mixed.jsonl", "--name", "m", "-o", "m.jsonl", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "error[not_valid]: case 'n1-w': its validation is invalid (relation_contradicted)",
        "error[not_valid]: case 'n1-\\u202eu': its validation is unknown (unreviewed)",
        REFUSED.format(": 1 invalid (relation_contradicted), 1 unknown (unreviewed)"),
    ]
    assert not (folder / "m.jsonl").exists()


def test_refused_records_can_be_left_out_and_are_listed(folder: Path) -> None:
    """On standard error, with nothing in them that could steer a terminal."""
    done = robust("manifest", "export", "mixed.jsonl", "--name", "m", "--skip-refused", "-o", "m.jsonl", cwd=folder)
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "left out: n1-w: invalid (relation_contradicted)",
        "left out: n1-\\u{202e}u: unknown (unreviewed)",
        "left out in all: 1 invalid (relation_contradicted), 1 unknown (unreviewed)",
    ]
    assert [case.case_id for case in Manifest.load(folder / "m.jsonl").cases] == ["n1", "n1-v", "n2", "n2-v"]


def test_a_variant_that_another_record_vouches_for_is_not_told_as_left_out(folder: Path) -> None:
    """Nor one that stands in the manifest that is extended; several records of one absent pair are one line."""
    base, other = numbers("total 20", "total 30")
    unknown = [
        variant(each, f"{each.input} ", "invariant", f"{each.case_id}-v", _relation_only) for each in (base, other)
    ]
    again = variant(other, f"{other.input} ", "invariant", f"{other.case_id}-v", _unlike)
    vouched = variant(base, f"{base.input} ", "invariant", f"{base.case_id}-v")
    Validation.save_all(folder / "program.jsonl", unknown)
    Validation.save_all(folder / "people.jsonl", [vouched, again])
    files = ("program.jsonl", "people.jsonl")
    done = robust("manifest", "export", *files, "--name", "m", "--skip-refused", "-o", "m.jsonl", cwd=folder)
    absent = f"left out: {other.case_id}-v: invalid ({again.issues[0]})"
    assert done.returncode == 0
    assert done.stderr.splitlines()[0] == absent
    assert f"left out: {base.case_id}-v" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("left out in all: 1 invalid")
    (folder / "new.jsonl").write_text('{"id":"n","input":"new"}\n', encoding="utf-8")
    arguments = ("new.jsonl", "program.jsonl", "--skip-refused", "-o", "e.jsonl")
    done = robust("manifest", "extend", "m.jsonl", *arguments, cwd=folder)
    assert (done.returncode, done.stderr) == (0, f"left out: {other.case_id}-v: unknown (unreviewed)\n")


def test_single_candidates_are_left_out_and_counted(folder: Path) -> None:
    """Also one whose record would be refused."""
    arguments = ["--exclude", "n1-v", "--exclude", "n1-w", "--exclude", "n1-\u202eu", "-o", "m.jsonl"]
    done = robust("manifest", "export", "mixed.jsonl", "--name", "m", *arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "left out: n1-v: excluded (on_request)" in done.stderr.splitlines()
    assert done.stderr.splitlines()[-1] == "left out in all: 3 excluded (on_request), 1 base (no_valid_variant)"
    assert [case.case_id for case in Manifest.load(folder / "m.jsonl").cases] == ["n2", "n2-v"]


def test_the_list_of_refused_records_ends_after_twenty_with_the_way_out(folder: Path) -> None:
    """Once, on a line of its own, with all of them counted; in an export and when extending."""
    bases = numbers(*(f"total {2000 + n}" for n in range(25)))
    records = [variant(base, f"{base.input} ", "invariant", f"{base.case_id}-v", _relation_only) for base in bases]
    Validation.save_all(folder / "unknown.jsonl", records)
    robust("manifest", "export", "valid.jsonl", "--name", "m", "-o", "m.jsonl", cwd=folder)
    for command in (["export", "unknown.jsonl", "--name", "m"], ["extend", "m.jsonl", "unknown.jsonl"]):
        done = robust("manifest", *command, "-o", "x.jsonl", cwd=folder)
        lines = done.stderr.splitlines()
        assert (done.returncode, len(lines)) == (2, 21)
        assert done.stderr.count("--skip-refused") == 1
        assert lines[-1] == REFUSED.format(", of which 5 are not listed: 25 unknown (unreviewed)")


def test_a_record_of_a_relation_alone_says_what_is_missing(folder: Path) -> None:
    """Valid it is."""
    validation = said(verdict(True, None, None), relation="invariant", require_answers=False)
    Validation.save_all(folder / "r.jsonl", [validation])
    done = robust("manifest", "export", "r.jsonl", "--name", "m", "-o", "m.jsonl", cwd=folder)
    assert done.stderr.splitlines()[0] == (
        "error[answers_required]: case 'variant': its validation is valid by relation only; "
        "answers are needed to score it"
    )


def test_a_manifest_without_as_is_told_from_records(folder: Path) -> None:
    """With what to add."""
    robust("manifest", "export", "valid.jsonl", "--name", "totals", "-o", "m.jsonl", cwd=folder)
    done = robust("manifest", "export", "m.jsonl", "-o", "x", cwd=folder)
    assert done.stderr.startswith("error[is_manifest]: m.jsonl: this is a manifest already")
    assert "add --as csv or --as inspect" in done.stderr


def test_a_variant_that_says_what_another_base_says_has_three_ways_out(folder: Path) -> None:
    """Each of which is named, and the last of which works as it is written."""
    # On the two sides of the limit by turns.
    bases = numbers(*(f"total {20 + n + 2000 * (n % 2)}" for n in range(8)))
    records = [variant(base, f"{base.input} ", "invariant", f"{base.case_id}-v") for base in bases]
    records += [
        variant(base, str(following.input), "counterfactual", f"{base.case_id}-x")
        for base, following in pairwise(bases)
    ]
    Validation.save_all(folder / "leak.jsonl", records)
    arguments = ["manifest", "export", "leak.jsonl", "--name", "m", "--fractions", "a=0.5,b=0.5", "-o", "l.jsonl"]
    done = robust(*arguments, cwd=folder)
    assert done.returncode == 2
    assert done.stderr.startswith("error[input_leak]: ")
    assert "give both one source_id, or deal fractions with another --salt, or leave the variant out" in done.stderr
    excluded = sorted(set(re.findall(r"\(--exclude '([^']+)'\)", done.stderr)))
    assert excluded
    done = robust(*arguments, *(part for case_id in excluded for part in ("--exclude", case_id)), cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("excluded (on_request)") >= len(excluded)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--fractions", "dev=0.5"], "bad_split"),
        (["--fractions", "dev=0.5,dev=0.5"], "bad_fractions"),
        (["--fractions", "dev=half,test=0.5"], "bad_fractions"),
        (["--fractions", "dev=nan,test=0.5"], "bad_fractions"),
        (["--split", "dev", "--fractions", "dev=1"], "two_splits"),
        (["-o", "more.jsonl"], "exists"),
        (["--name", " "], "bad_name"),
    ],
)
def test_a_wrong_export_is_exit_code_2_and_writes_nothing(folder: Path, arguments: list[str], code: str) -> None:
    """Whatever is wrong with it."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    done = robust("manifest", "export", "valid.jsonl", "--name", "m", "-o", "m.jsonl", *arguments, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error[{code}]: "), done.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_nothing_valid_gives_no_manifest(folder: Path) -> None:
    """Also when refused records are left out."""
    records = [record for record in Validation.load_all(folder / "mixed.jsonl") if record.status != "valid"]
    Validation.save_all(folder / "refused.jsonl", records)
    done = robust("manifest", "export", "refused.jsonl", "--name", "m", "--skip-refused", "-o", "m.jsonl", cwd=folder)
    assert done.returncode == 2
    assert done.stderr.startswith("error[no_cases]: no validation can be scored; 2 were refused: ")
    assert "1 invalid (relation_contradicted), 1 unknown (unreviewed)" in done.stderr


def test_a_manifest_is_shown_as_text_and_as_json(folder: Path) -> None:
    """After all of it was checked; a damaged one is exit code 3 and shows nothing."""
    robust("manifest", "export", "valid.jsonl", "--name", "totals", "-o", "m.jsonl", cwd=folder)
    manifest = Manifest.load(folder / "m.jsonl")
    text, data = (
        robust("manifest", "show", "m.jsonl", cwd=folder),
        robust("manifest", "show", "m.jsonl", "-f", "json", cwd=folder),
    )
    assert text.stdout.startswith("totals (m.jsonl)\n")
    assert "labels: 10 given, 10 derived by an oracle" in text.stdout
    shown = json.loads(data.stdout)
    summary = shown.pop("summary")
    assert shown == {"digest": manifest.digest, **manifest.header}
    assert summary["relations"] == {"invariant": 10}
    assert summary["label_sources"] == {"given": 10, "none": 0, "oracle": 10}
    assert [oracle["validations"] for oracle in summary["oracles"]] == [10]
    assert summary["groups"]["count"] == 10
    assert "relations: 10 invariant" in text.stdout
    raw = (folder / "m.jsonl").read_bytes()
    (folder / "m.jsonl").write_bytes(raw.replace(b"total 2001", b"total 2091", 1))
    damaged = robust("manifest", "show", "m.jsonl", cwd=folder)
    assert (damaged.returncode, damaged.stdout) == (3, "")
    assert damaged.stderr.startswith("error[")


def test_a_variant_that_one_oracle_accepts_and_another_refuses_is_in_doubt(folder: Path) -> None:
    """No option leaves out the half of the evidence that says no; the variant itself can be left out."""
    (base,) = numbers("total 2000")
    doubted = variant(base, "total 2000 ", "invariant", "n1-v", _unlike)
    Validation.save_all(folder / "no.jsonl", [doubted])
    export = ("manifest", "export", "valid.jsonl", "no.jsonl", "--name", "m", "--skip-refused", "-o", "m.jsonl")
    done = robust(*export, cwd=folder)
    assert (done.returncode, (folder / "m.jsonl").exists()) == (2, False)
    assert "error[contradicted]: case 'n1-v': one record finds it valid, another invalid (rejected)" in done.stderr
    done = robust(*export, "--exclude", "n1-v", cwd=folder)
    assert done.returncode == 0
    assert "n1-v" not in [case.case_id for case in Manifest.load(folder / "m.jsonl").cases]
