"""``robust replay`` and ``robust report``: what can be done with a stored run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from robust.cli.console import draws_bars, finish, guarded, out, out_json, out_report, out_status, output_encoding, say
from robust.cli.production import report_production
from robust.errors import UsageError
from robust.render.csv_rows import Part
from robust.render.formats import ReportFormat, StoredFormat

if TYPE_CHECKING:
    from robust.app.running import Run

RunArgument = Annotated[Path, typer.Argument(metavar="RUN", readable=False, help="The run directory.")]


@guarded
def replay(
    run: RunArgument,
    *,
    ids: Annotated[
        list[str] | None, typer.Option("--id", help="Replay this failure only; may be repeated. All by default.")
    ] = None,
    backend: Annotated[
        str | None, typer.Option("-b", "--backend", help="One of the contract's backends; the one that ran by default.")
    ] = None,
    contract: Annotated[Path | None, typer.Option(help="Ask the backend of this contract instead.")] = None,
    max_concurrency: Annotated[int | None, typer.Option(help="The most calls in flight, 1-256.")] = None,
    max_calls: Annotated[int | None, typer.Option(help="The most calls that may be made.")] = None,
    healthcheck: Annotated[bool, typer.Option(help="Ask the backend's health first.")] = True,
    progress: Annotated[
        bool | None, typer.Option("--progress/--no-progress", help="Show progress; by default on a terminal.")
    ] = None,
    output_format: Annotated[
        Literal["text", "json"], typer.Option("-f", "--format", help="How the results are shown.")
    ] = "text",
) -> None:
    """Ask stored failures again. Exit 0: none is reproduced; 1: one is; 2: one could not be evaluated."""
    from robust.app.replaying import replay_run
    from robust.cli.progress import live_progress
    from robust.render.replay import replay_text

    with live_progress(wanted=progress) as shown:
        finished = replay_run(
            run,
            ids=ids or None,
            backend=backend,
            contract=contract,
            max_concurrency=max_concurrency,
            max_calls=max_calls,
            healthcheck=healthcheck,
            progress=shown,
        )
    for notice in finished.report["observed"]["notices"]:
        say(f"notice: {notice}")
    if output_format == "json":
        out_json({**finished.report, "results": list(finished.results())})
    else:
        parts = replay_text(finished.report, finished.results(), str(run))
        out_status(next(parts))
        for part in parts:
            out(part)
    finish(finished.exit_code)


@guarded
def report(
    run: RunArgument,
    *,
    contract: Annotated[
        Path | None, typer.Option(help="Judge the stored answers by this contract, without a model.")
    ] = None,
    report_format: Annotated[StoredFormat, typer.Option("-f", "--format", help="How the report is shown.")] = "text",
    part: Annotated[
        Part | None, typer.Option(help="With -f csv: the table to write; all three into a folder by default.")
    ] = None,
    record: Annotated[
        str | None, typer.Option("--prove", metavar="RECORD_ID", help="Prove that a record is in the run, as JSON.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A file to write it to; with -f csv a folder.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output file.")] = False,
) -> None:
    """Show a stored run, or judge its answers again by an edited contract. The exit code is that of a run."""
    if record is not None:
        _prove(run, record, output, contract, overwrite=overwrite)
        return
    from robust.app.reporting import report_run
    from robust.app.verify_check import is_check_directory
    from robust.app.verify_production import is_production_directory

    if part is not None and report_format != "csv":
        raise UsageError.of("bad_part", "--part is for -f csv; other formats show all of a run", hint="leave it out")
    if contract is None and is_check_directory(run):
        _report_check(run, report_format, output, overwrite=overwrite)
        return
    if is_production_directory(run):
        if contract is not None:
            message, hint = "stored counts are not judged anew", "robust check judges the records by another contract"
            raise UsageError.of("two_options", message, hint=hint)
        report_production(run, report_format, output, overwrite=overwrite)
        return
    shown = report_run(run, contract=contract)
    for notice in shown.report["observed"].get("notices", []):
        say(f"notice: {notice}")
    if report_format == "csv":
        _show_csv(shown, part, output, overwrite=overwrite)
    else:
        _show(shown, report_format, output, overwrite=overwrite)
    if shown.status == "error":
        say("error[nothing_decided]: no case could be decided; records.jsonl says why")
    finish(shown.exit_code)


def _show(shown: Run, report_format: ReportFormat, output: Path | None, *, overwrite: bool) -> None:
    """Show or write a report as one text."""
    from robust.app.reporting import format_report, save_report
    from robust.render.plain import safe

    encoding = "utf-8" if output is not None else output_encoding()
    text = format_report(shown, report_format, encoding=encoding, bars=output is None and draws_bars())
    if output is not None:
        save_report(text, output, shown, overwrite=overwrite)
        out_status(f"{shown.status.upper()}  {safe(str(output))}")
    else:
        out_report(text, report_format)


def _show_csv(shown: Run, part: Part | None, output: Path | None, *, overwrite: bool) -> None:
    """Write a run as tables, or show one of them; the checks by default."""
    from robust.app.report_csv import csv_lines, save_csv
    from robust.render.plain import safe

    if output is None:
        for line in csv_lines(shown, part or "checks"):
            out(line.decode().removesuffix("\r\n"))
        return
    files = save_csv(shown, output, part=part, overwrite=overwrite)
    out_status("\n".join(f"{shown.status.upper()}  {safe(str(file))}" for file in files))


def _report_check(run: Path, report_format: StoredFormat, output: Path | None, *, overwrite: bool) -> None:
    """Show the run of a relation check or population test."""
    from robust.app.check_reporting import format_check
    from robust.app.reporting import save_report
    from robust.app.verify_check import StoredCheck
    from robust.render.plain import safe

    check = StoredCheck.load(run)
    text = format_check(check, report_format, encoding="utf-8" if output is not None else output_encoding())
    if output is not None:
        save_report(text, output, run, overwrite=overwrite)
        out_status(f"{check.report['status'].upper()}  {safe(str(output))}")
    else:
        out_report(text, report_format)
    if check.report["status"] == "error":
        say("error[nothing_decided]: nothing was tested, or what was tested ended in errors; the report says why")
    finish(check.report["exit_code"])


def _prove(run: Path, record: str, output: Path | None, contract: Path | None, *, overwrite: bool) -> None:
    """Show or write the proof of a record."""
    from robust.app.proof_files import save_proof
    from robust.app.record_proofs import prove_record
    from robust.render.plain import safe

    if contract is not None:
        message = "--prove proves what is stored, and --contract judges it anew"
        raise UsageError.of("two_options", message, hint="give one of them")
    proof = prove_record(run, record)
    if output is None:
        out_json(proof.to_json())
        return
    save_proof(proof, output, overwrite=overwrite, outside=run)
    out(f"record {proof.index + 1} of {proof.size}, evidence digest {proof.evidence_digest}")
    out(f"proof  {safe(str(output))}")
