"""E3: pairs, skipped cases and repeated trials that were edited and hashed again are refused, with their place."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from robust.canon import JsonObject
from tests.unit.app.forging import StoredRun, at, leaves, other, paths_of, put, shown
from tests.unit.app.property_forging import fit_validations, forged_run, place_of, record_problems, verified_run

# A record of each shape that has leaves of its own.
PLAIN = [
    *("decision/c1", "decision/c2", "option_order/c2/0", "label_format/c1/0", "irrelevant_context/c1/0"),
    *("paraphrase/c1/0", "paraphrase/c1/1", "paraphrase/c1/2", "inversion/c1/0", "whitespace/c3/skipped"),
]
NOISY = ["decision/c1", "whitespace/c1/0"]
# One that holds, which is checked by making it again; one that is violated, and one that is made smaller.
ASSUMED = ["whitespace/c1/1", "option_order/c1/0", "irrelevant_context/c1/0"]
# What no other value of a run says again: a signature alone shows who wrote it. The model that is said to have
# answered, and what an oracle said beside its verdict.
ONLY_SAID = re.compile(r"\$(\.reduced)?\.(result\.model|validation\.verdict\.(variant_expected|reason|evidence.*))")
# What only the report says again: who an oracle of the caller's is, and why it refused the first candidate.
IN_THE_REPORT = re.compile(r"\$\.validation\.(oracle\.(name|version)|verdict\.reason)")


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """A run whose cases were asked once, or twice."""
    return StoredRun(forged_run(tmp_path_factory.mktemp("plain"), noise=False).path)


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """A run with noise."""
    return StoredRun(forged_run(tmp_path_factory.mktemp("noisy"), noise=True).path)


@pytest.fixture(scope="module")
def assumed(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """A run without oracles."""
    return StoredRun(forged_run(tmp_path_factory.mktemp("assumed"), noise=False, judged=False).path)


def test_the_runs_have_every_kind_of_record(plain: StoredRun, noisy: StoredRun) -> None:
    """And the forger changes nothing where nothing is edited, so that what is refused is so for its content."""
    for stored in (plain, noisy):
        forged = stored.copy()
        for record in forged.records:
            if record["kind"] == "pair":
                fit_validations(forged, record)
        assert forged.records == stored.records
        assert verified_run(forged).holds
        assert forged.report == stored.report
        pairs = [record for record in stored.records if record["kind"] == "pair"]
        assert {(pair["validation"] or {}).get("status") for pair in pairs} == {None, "valid", "invalid", "unknown"}
        assert {pair.get("error", {}).get("kind") for pair in pairs} == {None, "original_error"}
        assert {bool(pair["reduced"]) for pair in pairs} == {True, False}
        assert {record["reason"] for record in stored.records if record["kind"] == "skip"} == {
            "no_white_space",
            "no_paraphrase",
            "no_rewrite_matches",
        }
        assert {pair["property"] for pair in pairs} == stored.contract["properties"].keys() - {"monotonic", "variants"}
    assert any("trials" in record for record in noisy.records if record["kind"] == "pair")


def _edits(record: JsonObject) -> Iterator[tuple[str | int, ...]]:
    """Every leaf that is not only observed; of a list's members the first stands for all."""
    seen = set()
    for path in leaves(record):
        shape = re.sub(r"\[\d+\]", "[]", shown(path))
        if path[0] != "observed" and shape not in seen:
            seen.add(shape)
            yield path


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for kind, names in (("plain", PLAIN), ("noisy", NOISY), ("assumed", ASSUMED)) for name in names],
)
def test_no_leaf_of_a_record_can_be_edited(kind: str, name: str, request: pytest.FixtureRequest) -> None:
    """One by one, with the digest of the validation, all of the run's, and the data set's made to fit."""
    stored: StoredRun = request.getfixturevalue(kind)
    line = place_of(stored, name)
    for path in _edits(stored.records[line]):
        forged = stored.copy()
        put(forged.records[line], path, other(at(forged.records[line], path)))
        if "validation" in path and path[-1] != "digest":
            fit_validations(forged, forged.records[line])
        verified = verified_run(forged)
        if ONLY_SAID.fullmatch(shown(path)) and verified.exit_code == 0:
            continue
        assert verified.exit_code == 3, shown(path)
        # Here, or where something derives from it.
        by_report = IN_THE_REPORT.fullmatch(shown(path)) is not None
        assert record_problems(verified) or by_report, (shown(path), paths_of(verified))


@pytest.mark.parametrize("name", ["decision/c1", "irrelevant_context/c1/0", "paraphrase/c1/0", "whitespace/c3/skipped"])
def test_no_member_of_a_record_can_be_left_out_or_added(plain: StoredRun, name: str) -> None:
    """Nor any of what is inside."""
    line = place_of(plain, name)
    record = plain.records[line]
    parts: list[tuple[str, ...]] = [()]
    parts += [(part,) for part in ("result", "validation", "comparison", "reduced", "provenance") if record.get(part)]
    for part in parts:
        for key in [*at(record, part), "more"]:
            forged = plain.copy()
            inside = at(forged.records[line], part)
            if key == "more":
                inside[key] = 1
            else:
                del inside[key]
            if "validation" in part and key != "digest":
                fit_validations(forged, forged.records[line])
            verified = verified_run(forged)
            if (part, key) != ((), "observed"):
                assert verified.exit_code == 3, (*part, key)


def test_records_can_be_neither_dropped_nor_doubled_nor_moved(plain: StoredRun) -> None:
    """Each line in turn: left out, twice, exchanged with the next one, put at the end, put at the start."""
    stored = plain
    last = len(stored.records) - 1
    for line, record in enumerate(stored.records):
        for change in ("drop", "double", "swap", "end", "start"):
            forged = stored.copy()
            moved = forged.records.pop(line)
            place = {"swap": line + 1, "end": last, "start": 0}.get(change)
            if change == "double":
                forged.records[line:line] = [moved, moved]
            elif place is not None:
                forged.records.insert(place, moved)
            if forged.records == stored.records:
                continue
            verified = verified_run(forged)
            # Whether a paraphraser had one more wording to give, nothing but the report and a signature tells.
            told_by_report = change == "drop" and record["id"] == "paraphrase/c1/2"
            assert verified.exit_code == 3, (change, record["id"])
            assert told_by_report or record_problems(verified) or change == "drop", (change, record["id"])
