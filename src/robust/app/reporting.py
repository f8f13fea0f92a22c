"""The public functions that read the report of a stored run, judge its answers again, and show it in a format."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

from robust.app.contracts import read_source
from robust.app.failing_pairs import failing_pairs, folder_uri
from robust.app.report_csv import refuse_inside
from robust.app.run_details import run_details, signature_words
from robust.app.run_diff import RunDiff, format_diff
from robust.app.running import Run
from robust.app.stored_records import RejudgedRun
from robust.app.verify_run import StoredRun
from robust.canon import canonical_text
from robust.errors import Problem, RobustError, UsageError
from robust.records.failing_group import shares_of
from robust.records.failure import cap_text
from robust.render.formats import FORMATS, ReportFormat
from robust.render.shown_run import ShownRun
from robust.run.failing_groups import collect_groups
from robust.run.rejudge import Rejudging
from robust.run.same_questions import Asked, Difference, other_questions
from robust.store.files import atomic_output, require_free

if TYPE_CHECKING:
    from robust.app.check_runs import SavedCheck
    from robust.app.production import ProductionReport
    from robust.store.contracts import ContractSource

_MOST_DIFFERENCES = 50
_MOST_SHOWN = 80
_KNOWN: Final = get_args(ReportFormat)


def report_run(path: str | os.PathLike[str], *, contract: ContractSource | None = None) -> Run:
    """The report of a stored run, after everything of it that can be derived was derived again.

    With a contract the stored answers are judged again by its limits, gates, levels and statistics, without a model.
    The report says so under ``rejudged``; it is written nowhere, and ``records()`` are still those of the run. A
    property that the run did not ask about has no pairs, so that its checks do not hold; one that the contract no
    longer enables is left out.

    Args:
        path: the run directory.
        contract: an edited contract that asks the same questions.

    Raises:
        UsageError: there is no run, or the contract asks other questions; every difference is named.
        IntegrityError: the run is unfinished, damaged, or contradicts itself.
        ContractError: the contract is wrong.
    """
    run = StoredRun.load(path)
    if contract is None:
        return Run(run.report, Path(path))
    source, _ = read_source(contract)
    manifest = run.identity.manifest or {}
    asked = Asked(
        backend=run.identity.backend["name"],
        seed=run.identity.seed,
        manifest_digest=manifest.get("digest"),
        split=manifest.get("split"),
    )
    problems = [source.located(_problem(each)) for each in other_questions(run.contract, source.contract, asked)]
    if problems:
        raise UsageError(*problems[:_MOST_DIFFERENCES])
    rejudging = Rejudging(run.contract, source.contract, mode=run.report["mode"], seed=run.identity.seed)
    for record in run.records():
        rejudging.add(record)
    return RejudgedRun(rejudging.report(run.report, run.digests), Path(path), rejudging)


def format_report(
    run: Run | SavedCheck | RunDiff | ProductionReport,
    report_format: ReportFormat = "text",
    *,
    encoding: str = "utf-8",
    bars: bool = False,
) -> str:
    """The report of a run as text in a format: plain text, JSON, JUnit XML, SARIF 2.1.0, Markdown or HTML.

    Args:
        run: a run, as :func:`robust.run_contract` and :func:`report_run` return it, or a check, as
            :func:`robust.save_check` and :func:`robust.load_check` do, which has no HTML yet; or a comparison, as
            :func:`robust.diff_runs` does, or a check of production records, as :func:`robust.check_production` does,
            neither of which has SARIF. Formats that list more failures than its report holds read them from its
            records.
        report_format: ``text``, ``json``, ``junit``, ``sarif``, ``markdown`` or ``html``.
        encoding: of what the text is written to; characters that it lacks are escaped.
        bars: whether plain text draws shares as small bars, too, as for somebody at a terminal.

    Returns:
        the text, without a line feed at its end.

    Raises:
        UsageError: there is no such format.
        IntegrityError: the records are not those that the report speaks of.
    """
    if report_format not in FORMATS:
        hint = f"it is one of {', '.join(_KNOWN)}"
        raise UsageError.of("unknown_format", f"there is no format {report_format!r}", path="report_format", hint=hint)
    if isinstance(run, RunDiff):
        return format_diff(run, report_format, encoding=encoding)
    if not isinstance(run, Run):
        return _format_other(run, report_format, encoding, bars=bars)
    chosen = FORMATS[report_format]
    judge = run.rejudging.judged if isinstance(run, RejudgedRun) else None
    shares = shares_of(run.report, chosen.most_groups)
    # Records are read only where something is to be found in them.
    pairs = failing_pairs(run, judge) if any(shares.values()) else ()
    shown = ShownRun(
        report=run.report,
        path=os.fspath(run.path),
        folder_uri=folder_uri(run.path),
        groups=collect_groups(pairs, shares, excerpts=chosen.excerpts),
        encoding=encoding,
        bars=bars,
        details=run_details(run, chosen.most_failures) if chosen.most_failures else None,
        signature=signature_words(run) if chosen.most_failures else "",
    )
    return chosen.render(shown)


def _problem(difference: Difference) -> Problem:
    ran, edited = map(_shown, (difference.ran, difference.edited))
    return Problem(
        code="other_question",
        message=f"the run had {ran}, this contract has {edited}; that decides what is asked",
        path=difference.path,
        hint="run it again, or set it back to judge the stored answers",
    )


def _shown(value: object) -> str:
    """A setting in a message; what one side does not have is no JSON."""
    try:
        return cap_text(canonical_text(value), _MOST_SHOWN)
    except RobustError:
        return repr(value)


def _format_other(run: SavedCheck | ProductionReport, report_format: ReportFormat, encoding: str, *, bars: bool) -> str:
    from robust.app.check_runs import SavedCheck

    if isinstance(run, SavedCheck):
        from robust.app.check_reporting import format_check
        from robust.app.verify_check import StoredCheck

        return format_check(StoredCheck.load(run.path), report_format, encoding=encoding)
    from robust.app.production_reporting import format_production

    path = None if run.path is None else os.fspath(run.path)
    return format_production(run.report, report_format, path=path, encoding=encoding, bars=bars)


def require_output(file: Path, *runs: Run | Path, overwrite: bool) -> None:
    """Refuse a place for a shown report before the work that makes it.

    Raises:
        UsageError: it is within the folder of a run, or something is there already and ``overwrite`` is false.
    """
    for run in runs:
        refuse_inside(run, file)
    require_free(file, overwrite=overwrite)


def save_report(text: str, file: str | os.PathLike[str], run: Run | Path, *, overwrite: bool = False) -> None:
    """Write a shown report, which appears under its name only when it is whole.

    Args:
        text: as it is shown.
        file: where.
        run: the run or its folder, into which nothing is written.
        overwrite: whether a file that is there may be replaced.

    Raises:
        UsageError: the file is within the run's folder, exists, or cannot be written.
    """
    target = Path(file)
    refuse_inside(run, target)
    with atomic_output(target, overwrite=overwrite) as write:
        write(text.encode("utf-8", "backslashreplace") + b"\n")
