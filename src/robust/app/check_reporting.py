"""The public function that shows the run directory of a relation check or population test in a format."""

from __future__ import annotations

import os
from pathlib import Path

from robust.app.check_failures import shown_failures
from robust.app.failing_pairs import folder_uri
from robust.app.verify_check import StoredCheck
from robust.errors import UsageError
from robust.records.skip_reasons import SkipReason, skip_reasons
from robust.render.check_formats import CHECK_FORMATS
from robust.render.formats import StoredFormat
from robust.render.shown_check import ShownCheck


def format_check(check: StoredCheck, report_format: StoredFormat = "text", *, encoding: str = "utf-8") -> str:
    """The report of a relation check or population test as text in a format.

    Args:
        check: a check that was loaded, so that everything of it was derived again.
        report_format: ``text``, ``json``, ``junit``, ``sarif`` or ``markdown``.
        encoding: of what the text is written to; characters that it lacks are escaped.

    Returns:
        the text, without a line feed at its end.

    Raises:
        UsageError: there is no such format of it: ``html`` and ``csv`` are of runs of a contract only.
    """
    chosen = CHECK_FORMATS.get(report_format)
    if chosen is None:
        message = f"a check or population test has no format {report_format!r}"
        hint = f"it has {', '.join(CHECK_FORMATS)}"
        raise UsageError.of("unknown_format", message, path="report_format", hint=hint)
    shown = ShownCheck(
        report=check.report,
        plan=check.plan,
        path=os.fspath(check.path),
        folder_uri=folder_uri(Path(check.path)),
        failures=shown_failures(check.plan, check.derived, check.records(), chosen.most_failures),
        encoding=encoding,
        data_rows=_rows_of_data(check),
        skips=_skips(check),
    )
    return chosen.render(shown)


def _skips(check: StoredCheck) -> dict[str, list[SkipReason]]:
    """Why samples were no trials, where some were not."""
    if not check.derived.counts.get("skipped"):
        return {}
    return skip_reasons(check.plan, (record for _, record in check.records()))


def _rows_of_data(check: StoredCheck) -> int | None:
    """How many rows the data of a population test has: its first record says so."""
    if check.plan["kind"] != "population":
        return None
    return next((int(record["rows"]) for _, record in check.records()), None)
