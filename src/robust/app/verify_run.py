"""The steps that check a run directory: each derives something again, and rests on the steps before it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, Final, Self

from robust.app.crew import MIN_RECORDS, CheckOrders, ProcessCrew, ProcessEndedError, make_crew
from robust.app.models import build_backend, read_identity
from robust.app.sources import ManifestSource
from robust.app.verify_check import is_check_directory
from robust.app.verify_production import is_production_directory
from robust.canon import JsonObject, canonical_bytes, digest_bytes, is_digest, parse_canonical
from robust.errors import ContractError, IntegrityError, Problem, RobustError, UsageError
from robust.manifest.frozen import FrozenManifest
from robust.records.contract import Contract
from robust.records.report import differences, report_digest
from robust.run.contradiction import contradiction
from robust.run.derive import MAX_PROBLEMS, RunChecker
from robust.run.derive_parts import SharedRunChecker
from robust.run.derive_plan import differences_from_plan
from robust.run.plan import plan_bases, plan_variants
from robust.run.report import RunIdentity
from robust.run.splice import RecordDigests
from robust.store.contracts import read_contract
from robust.store.runs import CONTRACT, RECORDS, REPORT, RunReader, is_run_directory, runs_within

_MODES: Final = ("all", "golden", "properties")
_CHECK_HINT: Final = "robust report and robust verify read it; a trial is tried again in Python by replay_trial(...)"


class StoredRun:
    """The steps that check a run directory; each rests on those before it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A run of which everything that can be derived was derived again.

        Raises:
            UsageError: there is no run.
            IntegrityError: it is unfinished, damaged, or contradicts itself.
        """
        place = Path(path)
        if place.exists() and not is_run_directory(place):
            message, hint = "this is no run directory", runs_within(place)
            raise UsageError.of("unknown_kind", message, file=os.fspath(path), hint=hint)
        if is_check_directory(place):
            message = "the run of a relation check or population test, which has no contract and no backend"
            raise UsageError.of("not_a_contract_run", message, file=os.fspath(path), hint=_CHECK_HINT)
        if is_production_directory(place):
            message, hint = "a check of production records, which asked no backend", "robust report and verify read it"
            raise UsageError.of("not_a_contract_run", message, file=os.fspath(path), hint=hint)
        run = cls(place)
        try:
            for step in (run.check_report, run.check_contract, run.check_pin, run.check_records):
                step()
        except UsageError:
            raise
        except RobustError as error:
            raise IntegrityError(*error.problems) from None
        return run

    @property
    def report(self) -> JsonObject:
        """The report, once it is checked."""
        return self._report

    @property
    def report_file(self) -> str:
        """The path of the report, for messages."""
        return self._reader.file(REPORT)

    @property
    def contract_file(self) -> str:
        """The path of the contract, for messages."""
        return self._reader.file(CONTRACT)

    @property
    def records_file(self) -> str:
        """The path of the records, for messages."""
        return self._reader.file(RECORDS)

    @property
    def contract(self) -> Contract:
        """The contract that ran, once it is checked."""
        return self._contract

    @property
    def identity(self) -> RunIdentity:
        """What was run, once the report is checked."""
        return self._identity

    @property
    def digests(self) -> RecordDigests:
        """The digests of the records, once they are checked."""
        return self._digests

    def records(self) -> Iterator[JsonObject]:
        """Stream the records, which are checked by :meth:`check_records`."""
        for number, line in self.lines():
            yield parse_canonical(line, file=self.records_file, line=number)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Stream the lines of the records as they stand, with their numbers from 1."""
        return self._reader.records()

    def check_report(self) -> str:
        """The report's own digest, and the kinds of the fields that say what was run."""
        self._reader = RunReader(self._path)
        self._report = self._reader.report()
        file = self._reader.file(REPORT)
        stored, derived = self._report.get("digest"), report_digest(self._report)
        if stored != derived:
            raise IntegrityError(contradiction(file, None, "$.digest", stored, derived))
        self._identity = _identity(self._report, file)
        return f"report digest {derived}"

    def files(self) -> dict[str, str]:
        """The digests of its files by name, once all of them were checked: what was read, and nothing read again."""
        # What was parsed is canonical, so that its bytes are known.
        return {
            REPORT: _document_digest(self._report),
            RECORDS: self._digests.summary()["sha256"],
            CONTRACT: _document_digest(self._contract.normalised()),
        }

    def check_contract(self) -> str:
        """The contract, which is normalised, and the identity of a backend that follows from it."""
        file = self._reader.file(CONTRACT)
        stored = self._reader.contract()
        try:
            self._contract = read_contract(stored)
        except ContractError as error:
            raise IntegrityError(*error.located(file=file).problems) from None
        if canonical_bytes(self._contract.normalised()) != canonical_bytes(stored):
            raise IntegrityError.of("contradiction", "it is not in normalised form", file=file)
        if self._identity.backend["provider"] == "mock":
            self._check_mock()
        return f"contract digest {self._contract.digest}"

    def check_pin(self) -> str:
        """The manifest that the contract pins, if it does: it must be the one that ran."""
        pin, ran = self._contract.manifest_digest, self.manifest_digest
        if pin is not None and ran != pin:
            raise IntegrityError(contradiction(self._reader.file(REPORT), None, "$.manifest.digest", ran, pin))
        return f"manifest {pin} is pinned, and ran"

    def _check_mock(self) -> None:
        """The identity of a mock backend follows from the contract."""
        ran = self._identity.backend["name"]
        try:
            named = ran if ran in self._contract.backend_names() else None
            due = read_identity(build_backend(self._contract, named)).to_json()
        except RobustError as error:
            raise IntegrityError(*error.located(file=self._reader.file(CONTRACT)).problems) from None
        found = [
            contradiction(self._reader.file(REPORT), None, path, stored, derived)
            for path, stored, derived in differences(self._identity.backend, due, "$.backend")
        ]
        if found:
            raise IntegrityError(*found)

    def check_records(self) -> str:
        """Every record, and the report that follows from them."""
        settings: JsonObject = {
            "mode": self._report["mode"],
            "seed": self._identity.seed,
            "backend": self._identity.backend,
            "file": self._reader.file(RECORDS),
            "report_file": self._reader.file(REPORT),
            "ordered": self._identity.manifest is not None,
        }
        checker = self._checked_by_crew(settings)
        if checker is None:
            checker = RunChecker(self._contract, **settings)
            checker.read(self._reader.records)
        checker.compare(self._report, self._identity)
        if checker.problems:
            raise IntegrityError(*checker.problems)
        self._digests = checker.digests
        summary = self._digests.summary()
        return f"root {summary['root']}; {summary['count']} records and every number derived again"

    def _checked_by_crew(self, settings: JsonObject) -> RunChecker | None:
        """What several processes derived; None where there are none, or one of them was killed."""
        crew = self._crew()
        if crew is None:
            return None
        try:
            cases = self._report["counts"]["cases"]
            checker = SharedRunChecker(self._contract, **settings, crew=crew, cases=cases)
            checker.read(self._reader.records)
        except ProcessEndedError:
            return None
        finally:
            crew.close()
        return checker

    def _crew(self) -> ProcessCrew | None:
        """Processes to share the work with, where the report speaks of enough of it."""
        counts = self._report.get("counts")
        numbers: list[Any] = [counts.get(name) for name in ("cases", "pairs")] if isinstance(counts, dict) else []
        many = len(numbers) == 2 and all(type(number) is int for number in numbers) and sum(numbers) >= MIN_RECORDS
        # Decisions alone are checked by their layout sooner than other processes start.
        if not many or numbers[1] == 0 or self._contract.noise.baseline_runs > 1:
            return None
        mode, backend = self._report["mode"], self._identity.backend
        return make_crew(CheckOrders(self._contract, mode, self._identity.seed, backend))

    @property
    def manifest_digest(self) -> str | None:
        """The digest of the manifest that the checked report names; None for a data set."""
        manifest = self._identity.manifest
        return None if manifest is None else str(manifest["digest"])

    def check_against(self, manifest: FrozenManifest) -> str:
        """The records against the manifest: every case and variant of the split, none missing and none changed."""
        declared = self._identity.manifest or {}
        file = self._reader.file(REPORT)
        for name, due in (("name", manifest.name), ("digest", manifest.digest), ("root", manifest.root)):
            if declared.get(name) != due:
                raise IntegrityError(contradiction(file, None, f"$.manifest.{name}", declared.get(name), due))
        if declared["split"] not in manifest.header["splits"]:
            names = ", ".join(sorted(manifest.header["splits"]))
            raise IntegrityError(contradiction(file, None, "$.manifest.split", declared["split"], f"one of {names}"))
        source = ManifestSource(manifest, declared["split"], self._contract)
        settings = self._contract.properties.variants
        variants = self._report["mode"] != "golden" and settings is not None and settings.enabled
        planned = chain(plan_bases(source), plan_variants(source) if variants else ())
        problems: list[Problem] = []
        records = self._reader.file(RECORDS)
        # What properties generated follows from the base cases, not from the manifest.
        parsed = ((number, parse_canonical(line)) for number, line in self._reader.records())
        stored_lines = ((number, record) for number, record in parsed if _of_manifest(record))
        for stored, item in zip_longest(stored_lines, planned):
            number, record = (None, None) if stored is None else stored
            problems += differences_from_plan(record, item, records, number)
            if len(problems) >= MAX_PROBLEMS:
                break
        if problems:
            raise IntegrityError(*problems)
        return f"every case of split {declared['split']!r} of manifest {manifest.digest}"


def _document_digest(document: JsonObject) -> str:
    """The digest of the file of a document: canonical JSON and a line feed."""
    return digest_bytes(canonical_bytes(document) + b"\n")


def _of_manifest(record: JsonObject) -> bool:
    """Whether a record is of a case of the manifest: a base case or a variant."""
    return record["kind"] == "decision" or record.get("property") == "variants"


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_digest_or_null(value: object) -> bool:
    return value is None or is_digest(value)


def _is_text_or_null(value: object) -> bool:
    return value is None or isinstance(value, str)


# What a report says about its own origin: each object has exactly these fields, of these kinds.
_DECLARED: Final[dict[str, dict[str, Callable[[object], bool]]]] = {
    "manifest": {"name": _is_text, "digest": is_digest, "root": is_digest, "split": _is_text},
    "dataset": {"name": _is_text, "sha256": _is_digest_or_null, "root": is_digest},
    "backend": {
        "name": _is_text,
        "provider": _is_text,
        "model": _is_text_or_null,
        "model_version": _is_text_or_null,
        "details": lambda value: isinstance(value, dict),
    },
}


def _has_kinds(value: object, kinds: dict[str, Callable[[object], bool]]) -> bool:
    """Whether a value is an object with exactly these fields of these kinds; only a backend is never null."""
    if not isinstance(value, dict):
        return value is None and kinds is not _DECLARED["backend"]
    return value.keys() == kinds.keys() and all(holds(value[name]) for name, holds in kinds.items())


def _identity(report: JsonObject, file: str) -> RunIdentity:
    """The identity that a report declares, if its fields are of the right kinds."""
    settings, seed = report.get("settings"), report.get("seed")
    wanted = {
        **{name: name in report and _has_kinds(report[name], kinds) for name, kinds in _DECLARED.items()},
        "seed": type(seed) is int,
        "settings": isinstance(settings, dict) and isinstance(settings.get("fail_on_warn"), bool),
        "mode": report.get("mode") in _MODES,
        "observed": isinstance(report.get("observed"), dict),
    }
    one_source = (report.get("manifest") is None) != (report.get("dataset") is None)
    problems = [
        Problem(code="wrong_value", message="missing or of the wrong kind", file=file, path=f"$.{name}")
        for name, holds in wanted.items()
        if not holds
    ]
    if not one_source:
        message = "a run has either a manifest or a dataset"
        problems.append(Problem(code="wrong_value", message=message, file=file, path="$.manifest"))
    if problems:
        raise IntegrityError(*problems)
    return RunIdentity.of_report(report)
