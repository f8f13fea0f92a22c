"""What a comparison of two runs came to."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from robust.canon import JsonObject, canonical_bytes, decode_own
from robust.errors import UsageError
from robust.render.diff_formats import DIFF_FORMATS
from robust.render.shown_diff import ShownDiff
from robust.store.files import atomic_output
from robust.store.runs import is_run_directory


@dataclass(frozen=True, slots=True, repr=False)
class RunDiff:
    """A candidate run beside its baseline; made by :func:`robust.diff_runs`.

    Attributes:
        report: everything, as ``robust.diff/1``.
    """

    report: JsonObject

    @property
    def status(self) -> str:
        """``pass``, ``warn``, ``fail``, or ``error`` when no case was decided by both runs."""
        return str(self.report["status"])

    @property
    def exit_code(self) -> int:
        """What the command exits with."""
        return int(self.report["exit_code"])

    @property
    def checks(self) -> list[JsonObject]:
        """The gates, as those of a run's report."""
        found: list[JsonObject] = self.report["checks"]
        return found

    @property
    def counts(self) -> JsonObject:
        """How many cases there are, matched, compared, and in one run only."""
        found: JsonObject = self.report["counts"]
        return found

    @property
    def metrics(self) -> JsonObject:
        """By name the metric of both runs, its ``delta`` (candidate minus baseline), and the ``interval`` of that."""
        found: JsonObject = self.report["metrics"]
        return found

    @property
    def changes(self) -> list[JsonObject]:
        """The changed cases that are to be looked at first, with both answers; ``report`` has how many there are."""
        first: list[JsonObject] = self.report["changes"]["first"]
        return first

    @property
    def digest(self) -> str:
        """The digest of the report, but for times and places."""
        return str(self.report["digest"])

    def to_dict(self) -> JsonObject:
        """The report as plain data, which is the caller's own."""
        copy: JsonObject = decode_own(canonical_bytes(self.report))
        return copy

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the report as JSON, atomically.

        Args:
            path: where.
            overwrite: whether a file that is there may be replaced.

        Raises:
            UsageError: the file exists and ``overwrite`` is false, is in the folder of a run, or cannot be written.
        """
        refuse_run_folder(Path(path))
        with atomic_output(path, overwrite=overwrite) as write:
            write(canonical_bytes(self.report) + b"\n")

    def __repr__(self) -> str:
        counts = self.counts
        return f"<RunDiff {self.status}: {counts['matched']} matched cases, {self.report['changes']['count']} changed>"


def format_diff(diff: RunDiff, report_format: str = "text", *, encoding: str = "utf-8") -> str:
    """A comparison as text in a format.

    Args:
        diff: the comparison.
        report_format: ``text``, ``json``, ``markdown``, ``html`` or ``junit``.
        encoding: of what the text is written to; characters that it lacks are escaped.

    Returns:
        the text, without a line feed at its end.

    Raises:
        UsageError: there is no such format of it.
    """
    for name, render in DIFF_FORMATS.items():
        if name == report_format:
            return render(ShownDiff(report=diff.report, encoding=encoding))
    message, hint = f"a comparison has no format {report_format!r}", f"it has {', '.join(DIFF_FORMATS)}"
    raise UsageError.of("unknown_format", message, path="report_format", hint=hint)


def refuse_run_folder(file: Path) -> None:
    """Refuse to write into the folder of a run, which holds its own files only.

    Raises:
        UsageError: the file would be in one.
    """
    if is_run_directory(file.parent):
        message = "the folder of a run holds its own files only"
        raise UsageError.of("bad_output", message, file=os.fspath(file), hint="write it elsewhere")
