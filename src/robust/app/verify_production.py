"""The steps that check the run directory of a production check; each rests on those before it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final, Self

from robust.app.checks import left_open
from robust.app.examined import Examined
from robust.app.hashed_lines import digest_check
from robust.app.production_files import read_production_file
from robust.app.verify_check import RecordsDigest, read_records, same_number, told_by
from robust.canon import JsonObject, canonical_bytes, digest_bytes
from robust.errors import ContractError, IntegrityError, Problem, RobustError, UsageError
from robust.records.contract import Contract
from robust.records.failure import describe_exception
from robust.records.report import differences, report_digest
from robust.run.contradiction import contradiction
from robust.run.production_records import read_production
from robust.run.production_report import SCHEMA, Production, production_report
from robust.store.contracts import read_contract
from robust.store.files import file_digest
from robust.store.runs import CONTRACT, RECORDS, REPORT, RunReader, is_run_directory

MAX_PROBLEMS: Final = 50


def is_production_directory(path: Path) -> bool:
    """Whether a run directory is of a production check, as its report says.

    A report that cannot be read or parsed tells nothing; whoever reads the run says what is wrong with it.
    """
    report = told_by(path / REPORT)
    return isinstance(report, dict) and report.get("schema") == SCHEMA


def examine_production_records(path: Path) -> Examined:
    """What a file of production records comes to by itself: it is compared with the check that it was read for."""
    detail = "by themselves they show nothing: give the run directory of their check too"
    return Examined((digest_check(file_digest(path)), left_open("production records", detail)))


class StoredProduction:
    """The steps that check the run directory of a production check."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A check of which everything was derived again from what it kept of the records.

        Raises:
            UsageError: there is no such run directory.
            IntegrityError: it is unfinished, damaged, or contradicts itself.
        """
        place = Path(path)
        if place.exists() and not is_run_directory(place):
            raise UsageError.of("unknown_kind", "this is no run directory", file=os.fspath(path))
        check = cls(place)
        try:
            for step in (check.check_report, check.check_contract, check.check_records):
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
    def contract(self) -> Contract:
        """The contract, once it is checked."""
        return self._contract

    @property
    def found(self) -> Production:
        """What is kept of the records, once it is checked."""
        return self._found

    def files(self) -> dict[str, str]:
        """The digests of its files by name, once all of them were checked: of what was read, and nothing read again."""
        return {
            REPORT: digest_bytes(canonical_bytes(self._report) + b"\n"),
            RECORDS: self._report["records"]["sha256"],
            CONTRACT: digest_bytes(canonical_bytes(self._contract.normalised()) + b"\n"),
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
        settings = self._report.get("settings")
        if not isinstance(settings, dict) or not isinstance(settings.get("fail_on_warn"), bool):
            raise IntegrityError.of("wrong_value", "must be true or false", file=file, path="$.settings.fail_on_warn")
        if not isinstance(self._report.get("observed"), dict):
            raise IntegrityError.of("wrong_value", "missing or of the wrong kind", file=file, path="$.observed")
        return f"report digest {due}"

    def check_contract(self) -> str:
        """The contract, and that the report is of it."""
        contract_file, stored_contract = self._reader.file(CONTRACT), self._reader.contract()
        try:
            self._contract = read_contract(stored_contract)
        except ContractError as error:
            raise IntegrityError(*error.located(file=contract_file).problems) from None
        if canonical_bytes(self._contract.normalised()) != canonical_bytes(stored_contract):
            raise IntegrityError.of("contradiction", "it is not in normalised form", file=contract_file)
        declared = self._report.get("contract")
        stored, due = declared.get("digest") if isinstance(declared, dict) else None, self._contract.digest
        if stored != due:
            raise IntegrityError(contradiction(self._reader.file(REPORT), None, "$.contract.digest", stored, due))
        return f"contract digest {due}"

    def check_records(self) -> str:
        """Everything that was kept of the records, and the report that follows from it."""
        digest, file = RecordsDigest(), self._reader.file(RECORDS)
        records = read_records(self._reader.records(), file, digest)
        try:
            self._found = read_production(records, self._contract, file)
            due = production_report(
                self._contract,
                self._found,
                digest.summary(),
                fail_on_warn=self._report["settings"]["fail_on_warn"],
                observed=self._report["observed"],
            )
        except RobustError as error:
            raise error.located(file=file) from None
        except Exception as error:  # noqa: BLE001 - whatever a forged record breaks is damage, and no fault of the reader
            message = f"nothing can be derived from the records: {describe_exception(error)}"
            raise IntegrityError.of("wrong_value", message, file=file) from None
        problems = list(islice(self._differing(due), MAX_PROBLEMS))
        if problems:
            raise IntegrityError(*problems)
        sample = self._found.sample
        return (
            f"root {self._report['records']['root']}; every number derived again from counts and sums over "
            f"{sample.records} records of {sample.sha256}"
        )

    def check_source(self, path: Path) -> str:
        """The records themselves: that the file is the one that was read, and that what was kept follows from it."""
        again = read_production_file(self._contract, path, self._found.segment_by)
        told, file = self._found, self._reader.file(RECORDS)
        problems = [
            contradiction(file, 1, each, stored, due)
            for each, stored, due in differences(
                {**told.sample.to_json(), "name": None}, {**again.sample.to_json(), "name": None}, "$.sample"
            )
        ]
        if problems:
            raise IntegrityError(*problems[:MAX_PROBLEMS])
        cells = [("current", told.cell, again.cell)]
        if [(one.key, one.value) for one in told.segments] != [(one.key, one.value) for one in again.segments]:
            raise IntegrityError.of("contradiction", "the records have other segments", file=file)
        cells += [(one.key, one.cell, other.cell) for one, other in zip(told.segments, again.segments, strict=True)]
        for name, stored_cell, due_cell in cells:
            found = [
                contradiction(file, None, each, stored, due)
                for each, stored, due in differences(stored_cell.to_json(), due_cell.to_json(), f"$.{name}")
            ]
            if found:
                raise IntegrityError(*found[:MAX_PROBLEMS])
        return f"all counts and sums derived again from {again.sample.records} records"

    def _differing(self, due: JsonObject) -> Iterator[Problem]:
        if due["digest"] == self._report["digest"]:
            return  # it is over all that can differ, and is that of the stored report
        file = self._reader.file(REPORT)
        for path, stored, derived in differences(self._report, due):
            # It is over all the rest, which is told by itself, and was checked already.
            if path != "$.digest" and not same_number(stored, derived):
                yield contradiction(file, None, path, stored, derived)
