"""The public function that checks stored evidence: everything that can be derived is derived again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from robust.canon import JsonObject, canonical_bytes
from robust.errors import ContractError, IntegrityError, Problem, RobustError, UsageError
from robust.manifest.read import ManifestReader
from robust.records.manifest import CaseEntry
from robust.records.media import Media
from robust.records.report import report_digest
from robust.run.derive import RunChecker, contradiction
from robust.run.report import RunIdentity
from robust.store.contracts import read_contract
from robust.store.files import file_digest, open_input, unreadable
from robust.store.runs import CONTRACT, RECORDS, REPORT, RunReader, is_run_directory
from robust.store.validations import read_own_lines, read_validations

Kind: TypeAlias = Literal["manifest", "validations", "run"]
_SNIFFED_BYTES: Final = 64 * 1024
_MODES: Final = ("all", "golden", "properties")


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One thing that was checked.

    Attributes:
        name: what was checked.
        holds: whether it holds.
        detail: what was found, such as a digest or a count.
        problems: why it does not hold.
    """

    name: str
    holds: bool
    detail: str = ""
    problems: tuple[Problem, ...] = ()

    def to_json(self) -> JsonObject:
        """The check as plain data."""
        problems = [
            {"code": item.code, "message": item.message, "file": item.file, "line": item.line, "path": item.path}
            for item in self.problems
        ]
        return {"name": self.name, "holds": self.holds, "detail": self.detail, "problems": problems}


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """What was checked of one path.

    Integrity means that the content agrees with itself and with its digests. It does not show who made it.
    """

    path: str
    kind: Kind
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether every check holds."""
        return all(check.holds for check in self.checks)

    @property
    def exit_code(self) -> int:
        """0 when everything holds, else 3."""
        return 0 if self.holds else IntegrityError.exit_code

    def to_json(self) -> JsonObject:
        """The verification as plain data."""
        return {
            "path": self.path,
            "kind": self.kind,
            "holds": self.holds,
            "checks": [check.to_json() for check in self.checks],
        }


def verify(path: str | os.PathLike[str]) -> Verification:
    """Check a manifest, a file of validation records, or a run directory.

    Raises:
        UsageError: the path is missing, may not be read, or is of no known kind.
    """
    place = Path(path)
    checkers: dict[Kind, Callable[[Path], Iterator[Check]]] = {
        "manifest": _check_manifest,
        "validations": _check_validations,
        "run": _check_run,
    }
    kind = kind_of(place)
    return Verification(path=os.fspath(path), kind=kind, checks=tuple(checkers[kind](place)))


def kind_of(path: Path) -> Kind:
    """What a path holds, told by content.

    Raises:
        UsageError: it is missing, unreadable, or nothing that this package writes.
    """
    if path.is_dir():
        if is_run_directory(path):
            return "run"
        raise UsageError.of("unknown_kind", "the folder is no run directory", file=os.fspath(path))
    try:
        with open_input(path) as handle:
            start = handle.read(_SNIFFED_BYTES)
    except OSError as error:
        raise unreadable(path, error) from None
    first = start.split(b"\n", 1)[0]
    # Told by markers, not by parsing: a damaged file must be called damaged, not unknown.
    if b'"kind":"manifest"' in first or b'"robust.manifest/' in first or b'"kind":"case"' in first:
        return "manifest"
    if b'"robust.validation/' in start or b'"kind":"validation"' in first:
        return "validations"
    if not start and path.name.endswith(".jsonl"):
        return "manifest" if path.name.endswith(".manifest.jsonl") else "validations"
    hint = "give a manifest, a file of validation records, or a run directory"
    raise UsageError.of("unknown_kind", "nothing that can be verified", file=os.fspath(path), hint=hint)


class _Attempt:
    """Runs steps, each of which either gives a detail or raises; the first that raises ends the rest."""

    def __init__(self) -> None:
        self.failed = False

    def step(self, name: str, work: Callable[[], str]) -> Check:
        try:
            return Check(name=name, holds=True, detail=work())
        except UsageError:
            raise
        except RobustError as error:
            self.failed = True
            return Check(name=name, holds=False, problems=error.problems)


def _check_manifest(path: Path) -> Iterator[Check]:
    attempt = _Attempt()
    file = os.fspath(path)
    yield Check(name="file digest", holds=True, detail=file_digest(path))
    lines = (line for _, line in read_own_lines(path))
    readers: list[ManifestReader] = []
    media: list[tuple[str, Media]] = []

    def header() -> str:
        try:
            first = next(lines)
        except StopIteration:
            raise IntegrityError.of("cut_short", "the file is empty", file=file) from None
        readers.append(ManifestReader(first, file))
        return f"manifest digest {readers[0].digest}"

    def content() -> str:
        for item in readers[0].read(lines):
            if isinstance(item, CaseEntry):
                media.extend((item.case.case_id, entry) for entry in item.case.media)
        counts = readers[0].header.counts
        return (
            f"root {readers[0].header.root}; {counts.cases} cases of {counts.sources} sources, "
            f"{counts.validations} validations derived again"
        )

    yield attempt.step("header", header)
    if not attempt.failed:
        yield attempt.step("root, rules and derivation", content)
    if not attempt.failed and media:
        yield attempt.step("media files", lambda: _check_media(path.parent, media))


def _check_media(folder: Path, media: Iterable[tuple[str, Media]]) -> str:
    problems = []
    count = 0
    root = folder.resolve()
    for case_id, entry in media:
        count += 1
        place = folder / entry.path
        where, of = os.fspath(place), f"case {case_id!r}"
        if not place.is_file() or not place.resolve().is_relative_to(root):
            message = "the file is missing or outside the folder"
            problems.append(Problem(code="media_missing", message=message, file=where, path=of))
            continue
        size, found = place.stat().st_size, file_digest(place).removeprefix("sha256:")
        if (size, found) != (entry.bytes, entry.sha256):
            message = f"{entry.bytes} bytes of sha256 {entry.sha256} are recorded, {size} of {found} are there"
            problems.append(Problem(code="media_changed", message=message, file=where, path=of))
    if problems:
        raise IntegrityError(*problems)
    return f"{count} files have their digests"


def _check_validations(path: Path) -> Iterator[Check]:
    attempt = _Attempt()
    yield Check(name="file digest", holds=True, detail=file_digest(path))

    def content() -> str:
        counts: dict[str, int] = {}
        for record in read_validations(path):
            counts[record.status] = counts.get(record.status, 0) + 1
        if not counts:
            raise IntegrityError.of("cut_short", "the file is empty", file=os.fspath(path))
        return ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))

    yield attempt.step("digests and derivation", content)


def _check_run(path: Path) -> Iterator[Check]:
    attempt = _Attempt()
    run = _StoredRun(path)
    steps = (
        ("report", run.check_report),
        ("contract", run.check_contract),
        ("records and derivation", run.check_records),
    )
    for name, step in steps:
        if not attempt.failed:
            yield attempt.step(name, step)


class _StoredRun:
    """The steps that check a run directory; each rests on those before it."""

    def __init__(self, path: Path) -> None:
        self._path = path

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

    def check_contract(self) -> str:
        """The contract: normalised, and run on the manifest that it pins."""
        file = self._reader.file(CONTRACT)
        stored = self._reader.contract()
        try:
            self._contract = read_contract(stored)
        except ContractError as error:
            raise IntegrityError(*error.located(file=file).problems) from None
        if canonical_bytes(self._contract.normalised()) != canonical_bytes(stored):
            raise IntegrityError.of("contradiction", "it is not in normalised form", file=file)
        pin, manifest = self._contract.manifest_digest, self._identity.manifest
        if pin is not None and manifest is not None and manifest["digest"] != pin:
            where = self._reader.file(REPORT)
            raise IntegrityError(contradiction(where, None, "$.manifest.digest", manifest["digest"], pin))
        return f"contract digest {self._contract.digest}"

    def check_records(self) -> str:
        """Every record, and the report that follows from them."""
        checker = RunChecker(
            self._contract,
            mode=self._report["mode"],
            backend=self._identity.backend,
            file=self._reader.file(RECORDS),
            report_file=self._reader.file(REPORT),
        )
        checker.read(self._reader.records())
        checker.compare(self._report, self._identity)
        if checker.problems:
            raise IntegrityError(*checker.problems)
        summary = checker.digests.summary()
        return f"root {summary['root']}; {summary['count']} records and every number derived again"


def _identity(report: JsonObject, file: str) -> RunIdentity:
    """The identity that a report declares, if its fields are of the right kinds."""
    settings, backend, seed = report.get("settings"), report.get("backend"), report.get("seed")
    wanted = {
        "manifest": isinstance(report.get("manifest"), dict | None),
        "dataset": isinstance(report.get("dataset"), dict | None),
        "seed": type(seed) is int,
        "backend": isinstance(backend, dict) and {"name", "provider"} <= backend.keys(),
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
    manifest = report.get("manifest")
    if isinstance(manifest, dict) and not {"digest", "split"} <= manifest.keys():
        problems.append(Problem(code="missing_field", message="no digest or split", file=file, path="$.manifest"))
    if problems:
        raise IntegrityError(*problems)
    return RunIdentity.of_report(report)
