"""Laws of what is signed: whatever stands in a statement, verifying ends with checks that name file and path."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robust import RobustError, Verification
from robust.app.verifying import verify_all
from robust.canon import JsonObject, canonical_bytes
from tests.laws.strategies import json_values
from tests.unit.app.forging import at
from tests.unit.app.signed_evidence import (
    ANN,
    ATTESTATION,
    BESIDE,
    Evidence,
    statement_in,
    write_envelope,
    write_evidence,
)

PLACES = {ATTESTATION: "run", BESIDE: "m.manifest.jsonl"}


@pytest.fixture(name="evidence", scope="module")
def _evidence(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    return write_evidence(tmp_path_factory.mktemp("law"))


def places_in(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Every place in a value but the whole."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield (*path, key)
        yield from places_in(value[key], (*path, key))


def changed(statement: JsonObject, path: tuple[str | int, ...], value: Any) -> JsonObject:
    copied = copy.deepcopy(statement)
    at(copied, path[:-1])[path[-1]] = value
    return copied


@settings(max_examples=60)
@given(st.data(), st.sampled_from(sorted(PLACES)), json_values)
def test_no_other_statement_is_authentic_whoever_signs_it(
    evidence: Evidence, data: st.DataObject, name: str, value: Any
) -> None:
    """Any value at any place of it, signed by a key that the reader named; a crash is no answer either."""
    file = evidence.folder / name
    kept, statement = file.read_bytes(), statement_in(file)
    forged = changed(statement, data.draw(st.sampled_from(list(places_in(statement)))), value)
    try:
        write_envelope(file, canonical_bytes(forged), [ANN])
        found = list(verify_all([evidence.folder / PLACES[name], file], public_keys=[ANN.public]))
    finally:
        file.write_bytes(kept)
    same = canonical_bytes(forged) == canonical_bytes(statement)
    for each in found:
        assert isinstance(each, Verification), each
        assert (each.authentic, each.holds) == (same, same)
        problems = [problem for check in each.checks for problem in check.problems]
        assert all(problem.file == str(file) and problem.path for problem in problems)


@settings(max_examples=60)
@given(st.binary(max_size=200))
def test_any_bytes_in_the_place_of_an_attestation_are_refused(tmp_path_factory: Any, content: bytes) -> None:
    """By name it is one, so that it is damaged and not of another kind."""
    folder: Path = tmp_path_factory.mktemp("bytes")
    (folder / "x.dsse.json").write_bytes(content)
    (found,) = verify_all([folder / "x.dsse.json"])
    assert not isinstance(found, RobustError)
    assert (found.kind, found.exit_code) == ("attestation", 3)
