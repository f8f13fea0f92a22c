"""``robust manifest``: from validation records to a frozen manifest, with what was refused."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from robust import Case, Manifest, OracleVerdict, Validation, verify
from tests.run_fixtures import numbers, robust, variant


def _relation_only(base: Case, candidate: Case) -> OracleVerdict:
    return OracleVerdict(None, "cannot tell", evidence={})


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
    way_out = "; leave such records out, or use --skip-refused"
    assert done.stderr.splitlines() == [
        "error[not_valid]: case 'n1-w': its validation is invalid (relation_contradicted)",
        f"error[not_valid]: case 'n1-\\u202eu': its validation is unknown (unreviewed){way_out}",
    ]
    assert not (folder / "m.jsonl").exists()


def test_refused_records_can_be_left_out_and_are_listed(folder: Path) -> None:
    """On standard error, with nothing in them that could steer a terminal."""
    done = robust("manifest", "export", "mixed.jsonl", "--name", "m", "--skip-refused", "-o", "m.jsonl", cwd=folder)
    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "left out: n1-w: invalid (relation_contradicted)",
        "left out: n1-\\u{202e}u: unknown (unreviewed)",
    ]
    assert [case.case_id for case in Manifest.load(folder / "m.jsonl").cases] == ["n1", "n1-v", "n2", "n2-v"]


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
    assert done.stderr.startswith("error[no_cases]: no validation can be scored; 2 were refused")


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
    assert json.loads(data.stdout) == {"digest": manifest.digest, **manifest.header}
    raw = (folder / "m.jsonl").read_bytes()
    (folder / "m.jsonl").write_bytes(raw.replace(b"total 2001", b"total 2091", 1))
    damaged = robust("manifest", "show", "m.jsonl", cwd=folder)
    assert (damaged.returncode, damaged.stdout) == (3, "")
    assert damaged.stderr.startswith("error[")
