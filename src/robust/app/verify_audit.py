"""Checking the audit of an oracle, and its records: everything that follows from them is derived again."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from robust.app.audit_pairs import Labelled
from robust.app.audit_tally import Asked, AuditTally
from robust.app.checks import Attempt, Check, left_open
from robust.app.examined import Examined
from robust.app.hashed_lines import HashedDocument, HashedLines
from robust.app.oracle_audit import MAX_AUDIT_BYTES, OracleAudit
from robust.app.times import time_check
from robust.app.verify_files import examined_file
from robust.canon import JsonObject, MerkleTree, canonical_bytes, parse_canonical
from robust.errors import IntegrityError
from robust.records.case import Case
from robust.records.oracle_audit import PAIR_SCHEMA, TRUTHS, PlantedPlan
from robust.records.report import contradictions
from robust.records.validation import ValidationRecord, read_validation
from robust.store.validations import read_own_lines
from robust.transforms.planted import GENERATOR, plants_of
from robust.transforms.planting import TRANSFORM, planted_candidates

_KEYS: Final = {"domain", "edit", "schema", "second", "truth", "validation"}
_MAX_PROBLEMS: Final = 10


def examine_audit(path: Path, records: Path | None) -> Examined:
    """Check an audit, and with its records that it is what was counted.

    Args:
        path: the audit.
        records: the file of its records.
    """
    document = HashedDocument(path, MAX_AUDIT_BYTES)
    return examined_file(path, "audit", _audit_checks(path, document, records), document.digest())


def _audit_checks(path: Path, document: HashedDocument, records: Path | None) -> Iterator[Check]:
    attempt = Attempt()
    audits: list[OracleAudit] = []

    def derivation() -> str:
        audits.append(OracleAudit.parse(document.content(), os.fspath(path)))
        return f"audit digest {audits[0].digest}; {audits[0].facts.pairs} pairs, status {audits[0].status}"

    yield attempt.step("digest and derivation", derivation)
    if attempt.failed:
        return
    if records is None:
        yield left_open("records", "not given; with them every count is made again")
    else:
        yield attempt.step("records counted again", lambda: _count_again(audits[0], path, records))
        planted = audits[0].facts.planted
        if planted is not None and not attempt.failed and planted.generator == GENERATOR:
            yield attempt.step("pairs planted again", lambda: _plant_again(planted, records))
        elif planted is not None and not attempt.failed:
            told = f"made by {planted.generator}; this version makes {GENERATOR}"
            yield left_open("pairs planted again", told)
    yield time_check(audits[0].observed, "audited_at")


def examine_audit_records(path: Path) -> Examined:
    """Check the records of an audit by themselves."""
    attempt, lines = Attempt(), HashedLines(path)

    def content() -> str:
        tree = MerkleTree()
        for _, line, *_ in read_audit_records(path, lines.numbered()):
            tree.add(line)
        if not tree.size:
            raise IntegrityError.of("cut_short", "the file is empty", file=os.fspath(path))
        return f"root {tree.root()}; {tree.size} pairs, each judgement derived again"

    check = attempt.step("digests and derivation", content)
    return examined_file(path, "audit records", (check,), lines.digest())


def records_root(path: Path) -> str:
    """The root over the lines of a file of records, none of which is looked at.

    Raises:
        UsageError: the file cannot be read.
        IntegrityError: its last line is cut short.
    """
    tree = MerkleTree()
    for _, line in read_own_lines(path):
        tree.add(line)
    return tree.root()


def read_audit_records(
    path: Path, lines: Iterator[tuple[int, bytes]] | None = None
) -> Iterator[tuple[int, bytes, Asked, ValidationRecord, ValidationRecord | None]]:
    """Stream the records of an audit: number, line, what was known of the pair, and what the oracles made of it.

    Args:
        path: the file.
        lines: its lines, where somebody reads them already.

    Raises:
        UsageError: the file cannot be read.
        IntegrityError: a line is damaged, or contradicts itself.
    """
    file = os.fspath(path)
    for number, line in read_own_lines(path) if lines is None else lines:
        data = parse_canonical(line, file=file, line=number)
        if not isinstance(data, dict) or data.get("schema") != PAIR_SCHEMA or set(data) != _KEYS:
            message = f"not a {PAIR_SCHEMA}"
            raise IntegrityError.of("unknown_schema", message, file=file, line=number, path="$.schema")
        named = all(isinstance(data[name], str) and data[name] for name in ("domain", "edit"))
        if not named or data["truth"] not in TRUTHS:
            message = "domain and edit are names, and the truth is valid or invalid"
            raise IntegrityError.of("wrong_value", message, file=file, line=number, path="$.truth")
        record = read_validation(data["validation"], file=file, line=number)
        second = None if data["second"] is None else read_validation(data["second"], file=file, line=number)
        if second is not None and any(record.data[side] != second.data[side] for side in ("base", "candidate")):
            message = "the two oracles were not asked about one pair"
            raise IntegrityError.of("contradiction", message, file=file, line=number, path="$.second")
        yield number, line, Asked(data["domain"], data["edit"], data["truth"]), record, second


def _count_again(audit: OracleAudit, path: Path, records: Path) -> str:
    facts = audit.facts.to_json()
    tally = AuditTally(second=facts["second"] is not None)
    for number, _, asked, record, second in read_audit_records(records):
        _check_terms(facts, record.data, records, number)
        if (second is None) != (facts["second"] is None):
            message = "a pair has a second judgement, and the audit no second oracle, or the other way round"
            raise IntegrityError.of("contradiction", message, file=os.fspath(records), line=number, path="$.second")
        if second is not None:
            _check_terms({**facts, **facts["second"]}, second.data, records, number)
        tally.add(asked, record, second)
    counted = tally.to_json()
    stored = {name: facts[name] for name in counted}
    if facts["second"] is not None:
        counted["second"] = {**facts["second"], **tally.agreement_json()}
        stored["second"] = facts["second"]
    problems = list(contradictions(stored, counted, "was counted", file=os.fspath(path)))
    if problems:
        raise IntegrityError(*problems[:_MAX_PROBLEMS])
    return f"root {counted['records']['root']}; {tally.pairs} pairs"


def _check_terms(facts: JsonObject, record: JsonObject, records: Path, number: int) -> None:
    """A judgement must be of the audited oracle, on the audit's terms."""
    for name in ("oracle", "contract", "comparator", "require_answers"):
        if canonical_bytes(record[name]) != canonical_bytes(facts[name]):
            message = f"{record[name]!r} judged the pair, and {facts[name]!r} was audited"
            raise IntegrityError.of(
                "contradiction", message[:400], file=os.fspath(records), line=number, path=f"$.validation.{name}"
            )


def _plant_again(planted: PlantedPlan, records: Path) -> str:
    """Each planted pair must be what its edit gives, and its label that of the edit."""
    plants = plants_of(planted.domains)
    known: dict[str, Labelled] = {}
    of_base: JsonObject | None = None
    count = 0
    for number, _, asked, record, _ in read_audit_records(records):
        data = record.data
        if data["candidate"]["origin"]["transform"] != TRANSFORM:
            continue
        if of_base != data["base"]:
            of_base = data["base"]
            known = _planted(Case.from_stored(of_base), plants, planted)
        due: Any = known.get(data["candidate"]["case_id"])
        if due is None or due.asked != asked or due.candidate.to_json() != data["candidate"]:
            message = f"the seed and the edit {asked.edit} do not give this candidate, labelled {asked.truth}"
            raise IntegrityError.of("contradiction", message, file=os.fspath(records), line=number, path="$.truth")
        count += 1
    return f"{count} pairs follow from seed {planted.seed}"


def _planted(base: Case, plants: list[Any], planted: PlantedPlan) -> dict[str, Labelled]:
    made = planted_candidates(base, plants, seed=planted.seed, per_case=planted.per_case, text_field=planted.text_field)
    return {
        item.candidate.case_id: Labelled(
            base, item.candidate, Asked(item.plant.domain, item.plant.name, item.plant.truth), given=False
        )
        for item in made
        if item.candidate is not None
    }
