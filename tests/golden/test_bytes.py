"""Exact bytes: what was once written is written again, on every machine and by every later version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from robust import Case, Manifest, Validation
from robust.canon import canonical_bytes, digest_value, parse_canonical, read_json, unit_interval
from robust.records.validation import read_validation_line
from tests.golden import content, independent

HERE = Path(__file__).parent
VALIDATION = (HERE / "validation.jsonl").read_bytes()
MANIFEST = (HERE / "golden.manifest.jsonl").read_bytes()
VECTORS: list[dict[str, str]] = json.loads((HERE / "canonical.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["input"][:40])
def test_a_text_has_its_canonical_bytes_and_its_digest(vector: dict[str, str]) -> None:
    """Reading the input gives the value whose canonical bytes and digest are committed."""
    value: Any = read_json(vector["input"])
    encoded = bytes.fromhex(vector["canonical_hex"])
    assert canonical_bytes(value) == encoded == independent.canonical(value)
    assert digest_value(value) == vector["digest"] == independent.digest(encoded)
    assert canonical_bytes(parse_canonical(encoded)) == encoded


def test_the_golden_validation_is_made_again_to_the_byte() -> None:
    """Judging the same pair today gives the committed record."""
    assert content.validation().stored_line() + b"\n" == VALIDATION


def test_the_golden_validation_reads_back_to_itself() -> None:
    """What was written by an earlier version is still readable, and still valid."""
    record = read_validation_line(VALIDATION[:-1])
    assert record.stored_line() + b"\n" == VALIDATION
    assert (record.status, record.strength, record.issues) == ("valid", "answers", ())
    assert [item.digest for item in Validation.load_all(HERE / "validation.jsonl")] == [record.digest]


def test_the_golden_validation_holds_no_secret() -> None:
    """The value under a secret-looking key was redacted before it was stored."""
    assert b"hunter2" not in VALIDATION + MANIFEST


def test_the_golden_manifest_is_made_again_to_the_byte(tmp_path: Path) -> None:
    """Building and saving today gives the committed file."""
    content.manifest().save(tmp_path / "m.jsonl")
    assert (tmp_path / "m.jsonl").read_bytes() == MANIFEST


def test_the_golden_manifest_loads_to_what_it_was_built_from() -> None:
    """What was written by an earlier version loads."""
    manifest = Manifest.load(HERE / "golden.manifest.jsonl")
    assert manifest == content.manifest()
    assert list(manifest.cases) == list(content.manifest().cases)


def test_an_independent_reading_agrees_with_the_golden_manifest() -> None:
    """Root, identity, digests and parents, computed without the package, are those in the file."""
    manifest = Manifest.load(HERE / "golden.manifest.jsonl")
    assert independent.manifest_faults(MANIFEST) == []
    assert independent.manifest_identity(MANIFEST) == manifest.digest
    assert independent.merkle_root(MANIFEST.split(b"\n")[1:-1]) == manifest.root
    assert manifest.digest == (HERE / "golden.manifest.digest").read_text(encoding="utf-8").strip()


def test_an_independent_reading_agrees_with_the_golden_validation() -> None:
    """So does the logical digest of the record, and the content digests in it."""
    record = independent.read(VALIDATION)
    assert independent.validation_digest(record) == record["digest"]
    for side in ("base", "candidate"):
        assert independent.content_digest(record[side]) == Case.from_json(record[side]).content_digest
    assert independent.content_digest(record["base"]) == record["candidate"]["origin"]["parent_content"]


def test_the_independent_reading_finds_damage() -> None:
    """It would not agree with just anything."""
    assert independent.manifest_faults(MANIFEST.replace(b"2.20", b"2.30"))
    assert independent.manifest_faults(MANIFEST[:-1])


def test_the_seeded_stream_gives_the_committed_numbers() -> None:
    """Splits depend on these numbers for ever."""
    assert [unit_interval("robust.split/1", "", name) for name in ("a", "é", "\U0001f600")] == json.loads(
        (HERE / "unit_interval.json").read_text(encoding="utf-8")
    )
