"""The public functions that write the run directory of a relation check or population test, and read one again."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from robust.app.check_derivation import derive
from robust.app.verify_check import RecordsDigest, StoredCheck, is_check_directory, read_records
from robust.canon import JsonObject, canonical_bytes, digest_value
from robust.errors import UsageError
from robust.records.check_plan import read_plan
from robust.records.check_report import SCHEMA, check_report
from robust.store.runs import RECORDS, RunWriter, is_run_directory
from robust.version import __version__

if TYPE_CHECKING:
    from robust.app.keys import SigningKey


class CheckResult(Protocol):
    """What can be written as a run directory."""

    def plan(self) -> JsonObject:
        """What was to be done: ``robust.plan/1``."""
        ...

    def records(self) -> Iterator[JsonObject]:
        """What came of it, in the order of the plan."""
        ...

    def observed(self) -> JsonObject:
        """Times, calls and whatever else varies from run to run."""
        ...


@dataclass(frozen=True, slots=True, repr=False)
class SavedCheck:
    """A relation check or population test in a run directory, everything of it derived again.

    Attributes:
        report: the report, as it stands in ``report.json``.
        plan: what was to be done.
        path: the run directory.
    """

    report: JsonObject
    plan: JsonObject
    path: Path

    @property
    def kind(self) -> str:
        """``relations`` or ``population``."""
        return str(self.report["kind"])

    @property
    def status(self) -> str:
        """``pass``, ``fail``, or ``error`` where nothing could be tested."""
        return str(self.report["status"])

    @property
    def exit_code(self) -> int:
        """What the command exits with."""
        return int(self.report["exit_code"])

    @property
    def digest(self) -> str:
        """The digest of the report."""
        return str(self.report["digest"])

    @property
    def verdicts(self) -> dict[str, str]:
        """By relation its verdict; of a population test its verdict by the name of the test."""
        found = self.report[self.kind]
        if self.kind == "population":
            return {str(self.plan["test"]): str(found["verdict"])}
        return {name: str(each["verdict"]) for name, each in found.items()}

    def records(self) -> Iterator[JsonObject]:
        """Stream the records."""
        check = StoredCheck(self.path)
        check.check_report()
        for _, record in check.records():
            yield record

    def __repr__(self) -> str:
        return f"<SavedCheck {self.status} {self.path}>"


class CheckWriter:
    """Writes the run directory of a check while it goes on; ``report.json`` appears last.

    Args:
        directory: made when it does not exist.
        plan: what is to be done.
        overwrite: whether a run in it, finished or not, may be replaced.

    Raises:
        DataError: the plan is none.
        UsageError: the folder holds a finished run or other files, cannot be written, or another run writes to it.
    """

    def __init__(self, directory: str | os.PathLike[str], plan: JsonObject, *, overwrite: bool = False) -> None:
        self._plan = read_plan(plan)
        self._writer = RunWriter(directory, overwrite=overwrite)
        try:
            # An unfinished check of the same plan is begun anew: its records cost nothing but the calls, which vary.
            self._writer.start(self._plan, {"schema": SCHEMA, "plan": digest_value(self._plan)})
        except BaseException:
            self._writer.close()
            raise

    @property
    def path(self) -> Path:
        """The run directory."""
        return self._writer.path

    def write(self, record: JsonObject) -> None:
        """Append a record.

        Raises:
            DataError: it is no portable JSON.
            UsageError: it cannot be written; the run stays unfinished.
        """
        self._writer.write(canonical_bytes(record) + b"\n")

    def seal(self, observed: JsonObject) -> JsonObject:
        """Derive the report from what was written, and finish the run.

        Args:
            observed: times, calls and whatever else varies from run to run.

        Returns:
            the report.

        Raises:
            IntegrityError: the records are not what the plan makes due.
            UsageError: something cannot be written; the run stays unfinished.
        """
        digest, file = RecordsDigest(), os.fspath(self.path / RECORDS)
        derived = derive(self._plan, read_records(self._writer.written(), file, digest))
        told = {"robust_version": __version__, "python": platform.python_version(), "platform": platform.platform()}
        report = check_report(self._plan, derived, digest.summary(), {**told, **observed})
        self._writer.seal(report)
        return report

    def close(self) -> None:
        """Let go of the folder."""
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def save_check(
    result: CheckResult,
    directory: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    sign: SigningKey | str | os.PathLike[str] | None = None,
) -> SavedCheck:
    """Write the result of a relation check or population test as a run directory, like every other run.

    ``contract.json`` holds the plan, ``records.jsonl`` every run, trial and row that was looked at, and
    ``report.json``, which appears last, what follows from them. A kill at any moment leaves an unfinished run.

    Args:
        result: what :func:`robust.check`, :func:`robust.check_many` or a population test returned.
        directory: made when it does not exist.
        overwrite: whether a finished run there may be replaced.
        sign: a private key, or the file of one that is not encrypted, that signs the run. One with the status
            ``error`` is not signed.

    Raises:
        DataError: the result holds something that cannot be written, or the key is none.
        UsageError: the folder holds a finished run or other files, cannot be written, or another run writes to it.
    """
    key = None
    if sign is not None:
        from robust.app.keys import open_signing_key

        key = open_signing_key(sign)
    plan = result.plan()
    with CheckWriter(directory, plan, overwrite=overwrite) as writer:
        for record in result.records():
            writer.write(record)
        report = writer.seal(result.observed())
    saved = SavedCheck(report, plan, Path(directory))
    if key is not None and saved.status != "error":
        from robust.app.signing import sign_run

        sign_run(saved.path, key, saved.digest)
    return saved


def load_check(directory: str | os.PathLike[str]) -> SavedCheck:
    """Read the run directory of a relation check or population test, after everything of it was derived again.

    Raises:
        UsageError: there is no run, or it is of a contract.
        IntegrityError: it is unfinished, damaged, or contradicts itself; names file, line, path and both values.
    """
    place = Path(directory)
    if is_run_directory(place) and not is_check_directory(place):
        message, hint = "this is the run of a contract", "report_run reads those"
        raise UsageError.of("unknown_kind", message, file=os.fspath(directory), hint=hint)
    stored = StoredCheck.load(place)
    return SavedCheck(stored.report, stored.plan, place)
