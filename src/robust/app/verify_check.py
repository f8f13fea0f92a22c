"""The steps that check the run directory of a relation check or population test; each rests on those before it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final, Self

from robust.app.check_derivation import check_terms_of, derive
from robust.canon import (
    Hasher,
    JsonObject,
    MerkleTree,
    canonical_bytes,
    canonical_part,
    digest_bytes,
    digest_value,
    parse_canonical,
    read_json,
)
from robust.errors import IntegrityError, Problem, RobustError, UsageError
from robust.records.check_plan import read_plan
from robust.records.check_report import PLAN_SCHEMA, SCHEMA, Derived, check_report
from robust.records.failure import describe_exception
from robust.records.report import differences, report_digest
from robust.run.contradiction import contradiction
from robust.store.files import read_file
from robust.store.runs import CONTRACT, MAX_REPORT_BYTES, RECORDS, REPORT, RunReader, is_run_directory, runs_within

MAX_PROBLEMS: Final = 50
_SLACK: Final = 1e-9
# By code of what cannot be derived again from what is stored.
_NOTES: Final = {
    "custom_assertions": "{count} outcomes are as stored: their relations have assertions of the caller's own",
    "opaque_outputs": "{count} outcomes are as stored: their outputs are objects that JSON cannot hold",
    "validations": "{count} validations are as their oracles said",
}
# What every normalised contract has, and no plan.
_CONTRACT_MEMBER: Final = "schema_version"


def is_check_directory(path: Path) -> bool:
    """Whether a run directory is of a relation check or population test, as its plan says, or else its report.

    Files that cannot be read or parsed tell nothing; whoever reads the run says what is wrong with them.
    """
    plan = told_by(path / CONTRACT)
    if isinstance(plan, dict) and (plan.get("schema") == PLAN_SCHEMA or _CONTRACT_MEMBER in plan):
        return plan.get("schema") == PLAN_SCHEMA
    report = told_by(path / REPORT)
    return isinstance(report, dict) and report.get("schema") == SCHEMA


def told_by(file: Path) -> object:
    """What stands in a document of a run; None where it cannot be read or parsed."""
    try:
        # A run's own files are plain ones; whoever opens a pipe waits.
        if file.is_symlink() or not file.is_file():
            return None
        return read_json(read_file(file, MAX_REPORT_BYTES), max_bytes=MAX_REPORT_BYTES)
    except (RobustError, OSError):
        return None


class RecordsDigest:
    """Root and file digest over the records of a check, as their lines pass by."""

    def __init__(self) -> None:
        self._tree = MerkleTree()
        self._file = Hasher()

    def add(self, line: bytes, record: JsonObject) -> None:
        """Take in a record and its line, without its line feed."""
        self._file.update(line + b"\n")
        bare = {key: value for key, value in record.items() if key != "observed"}
        # What has nothing that varies is its own evidence.
        self._tree.add(line if len(bare) == len(record) else canonical_part(bare))

    def summary(self) -> JsonObject:
        """``count``, ``root`` (without ``observed``) and ``sha256`` (of the file's bytes)."""
        return {"count": self._tree.size, "root": self._tree.root(), "sha256": self._file.digest()}


def read_records(
    lines: Iterator[tuple[int, bytes]], file: str, digest: RecordsDigest
) -> Iterator[tuple[int, JsonObject]]:
    """Stream the records of a check with their numbers, and take their digests.

    Raises:
        IntegrityError: a line is no canonical object.
    """
    for number, line in lines:
        record = parse_canonical(line, file=file, line=number)
        if not isinstance(record, dict):
            raise IntegrityError.of("wrong_value", "must be an object", file=file, line=number, path="$")
        digest.add(line, record)
        yield number, record


class StoredCheck:
    """The steps that check the run directory of a relation check or population test."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A check of which everything that can be derived was derived again.

        Raises:
            UsageError: there is no such run directory.
            IntegrityError: it is unfinished, damaged, or contradicts itself.
        """
        place = Path(path)
        if place.exists() and not is_run_directory(place):
            message, hint = "this is no run directory", runs_within(place)
            raise UsageError.of("unknown_kind", message, file=os.fspath(path), hint=hint)
        check = cls(place)
        try:
            for step in (check.check_report, check.check_plan, check.check_records):
                step()
        except UsageError:
            raise
        except RobustError as error:
            raise IntegrityError(*error.problems) from None
        return check

    @property
    def path(self) -> Path:
        """The run directory."""
        return self._path

    @property
    def report(self) -> JsonObject:
        """The report, once it is checked."""
        return self._report

    @property
    def plan(self) -> JsonObject:
        """What was to be done, once it is checked."""
        return self._plan

    @property
    def derived(self) -> Derived:
        """What follows from the plan and the records, once they are checked."""
        return self._derived

    def records(self) -> Iterator[tuple[int, JsonObject]]:
        """Stream the records with their numbers from 1; :meth:`check_records` checks them."""
        return read_records(self._reader.records(), self._reader.file(RECORDS), RecordsDigest())

    def files(self) -> dict[str, str]:
        """The digests of its files by name, once all of them were checked: of what was read, and nothing read again."""
        return {
            REPORT: digest_bytes(canonical_bytes(self._report) + b"\n"),
            RECORDS: self._report["records"]["sha256"],
            CONTRACT: digest_bytes(canonical_bytes(self._plan) + b"\n"),
        }

    def check_report(self) -> str:
        """The report's own digest, and what it says that nothing else tells."""
        self._reader = RunReader(self._path)
        self._report = self._reader.report()
        file = self._reader.file(REPORT)
        if self._report.get("schema") != SCHEMA:
            raise IntegrityError.of("unknown_schema", f"not a {SCHEMA}", file=file, path="$.schema")
        stored, due = self._report.get("digest"), report_digest(self._report)
        if stored != due:
            raise IntegrityError(contradiction(file, None, "$.digest", stored, due))
        if not isinstance(self._report.get("observed"), dict):
            raise IntegrityError.of("wrong_value", "missing or of the wrong kind", file=file, path="$.observed")
        return f"report digest {due}"

    def check_plan(self) -> str:
        """What was to be done, and that the report is of it."""
        self._plan = read_plan(self._reader.contract(), file=self._reader.file(CONTRACT))
        try:
            check_terms_of(self._plan)
        except RobustError as error:
            raise error.located(file=self._reader.file(CONTRACT)) from None
        file, due = self._reader.file(REPORT), digest_value(self._plan)
        declared = {"kind": self._plan["kind"], "plan": {"name": self._plan["name"], "digest": due}}
        stored = {name: self._report.get(name) for name in declared}
        found = [contradiction(file, None, *each) for each in differences(stored, declared)]
        if found:
            raise IntegrityError(*found)
        return f"plan digest {due}"

    def check_records(self) -> str:
        """Every record, and the report that follows from them."""
        digest, file = RecordsDigest(), self._reader.file(RECORDS)
        records = read_records(self._reader.records(), file, digest)
        try:
            self._derived = derive(self._plan, records)
        except RobustError as error:
            raise error.located(file=file) from None
        except Exception as error:  # noqa: BLE001 - whatever a forged record breaks is damage, and no fault of the reader
            message = f"nothing can be derived from the records: {describe_exception(error)}"
            raise IntegrityError.of("wrong_value", message, file=file) from None
        # What was derived may not have needed the last lines.
        for _ in records:
            message = "a record behind the last one that the plan has"
            raise IntegrityError.of("unknown_record", message, file=file)
        due = check_report(self._plan, self._derived, digest.summary(), self._report["observed"])
        problems = list(islice(self._differing(due), MAX_PROBLEMS))
        if problems:
            raise IntegrityError(*problems)
        summary = self._report["records"]
        return f"root {summary['root']}; {summary['count']} records and every number derived again"

    def _differing(self, due: JsonObject) -> Iterator[Problem]:
        file = self._reader.file(REPORT)
        for path, stored, derived in differences(self._report, due):
            # It is over all the rest, which is told by itself, and was checked already.
            if path != "$.digest" and not same_number(stored, derived):
                yield contradiction(file, None, path, stored, derived)


def same_number(stored: object, derived: object) -> bool:
    """Whether two numbers differ in their last digits only, which depend on the library that computes a statistic."""
    if isinstance(stored, bool) or isinstance(derived, bool):
        return False
    if not isinstance(stored, int | float) or not isinstance(derived, int | float):
        return False
    some_float = isinstance(stored, float) or isinstance(derived, float)
    return some_float and math.isclose(stored, derived, rel_tol=_SLACK, abs_tol=_SLACK)


def derivation_notes(notes: JsonObject) -> Iterator[str]:
    """What verification takes from the records as it stands there, in words."""
    for code, count in notes.items():
        yield _NOTES[code].format(count=count)
