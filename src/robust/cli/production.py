"""``robust check``: what holds of the records that an application collected."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from robust.cli import signing
from robust.cli.console import draws_bars, finish, guarded, out, out_report, out_status, output_encoding, say
from robust.render.production_formats import ProductionFormat

if TYPE_CHECKING:
    from robust.render.formats import StoredFormat


@guarded
def check(
    contract: Annotated[Path, typer.Argument(help="The contract: a .yaml, .yml or .json file.")],
    *,
    records: Annotated[
        Path, typer.Option("-d", "--dataset", "--records", metavar="RECORDS", help="The records: .jsonl or .json.")
    ],
    baseline: Annotated[
        Path | None, typer.Option(help="What to compare with: records, or the run directory of an earlier check.")
    ] = None,
    segment_by: Annotated[
        list[str] | None,
        typer.Option("-s", "--segment-by", metavar="KEY", help="Segment by this metadata key; may be repeated."),
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="A run directory to write.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a finished run there.")] = False,
    report_format: Annotated[
        ProductionFormat, typer.Option("-f", "--format", help="How the report is shown.")
    ] = "text",
    fail_on_warn: Annotated[bool, typer.Option("--fail-on-warn", help="Exit with 1 on WARN.")] = False,
    sign: signing.SignWith = None,
) -> None:
    """Check production records against the gates of a contract, offline. Exit 0: all hold; 1: one does not."""
    from robust.app.production import check_production
    from robust.app.production_reporting import format_production

    found = check_production(
        contract,
        records,
        baseline=baseline,
        segment_by=segment_by or None,
        output=output,
        overwrite=overwrite,
        fail_on_warn=fail_on_warn,
        sign=signing.key_of(sign),
    )
    path = None if found.path is None else str(found.path)
    text = format_production(found.report, report_format, path=path, encoding=output_encoding(), bars=draws_bars())
    out_report(text, report_format)
    if found.signed is not None:
        signing.say_signed(found.signed)
    if path is not None:
        told = out if report_format == "text" else say
        told(f"run       {path}" if report_format == "text" else f"run {path}")
    finish(found.exit_code)


def report_production(run: Path, report_format: StoredFormat, output: Path | None, *, overwrite: bool) -> None:
    """Show the stored check of production records."""
    from robust.app.production_reporting import format_production
    from robust.app.reporting import save_report
    from robust.app.run_details import signature_words
    from robust.app.verify_production import StoredProduction
    from robust.render.plain import safe

    stored = StoredProduction.load(run)
    text = format_production(
        stored.report,
        report_format,
        path=str(run),
        encoding="utf-8" if output is not None else output_encoding(),
        bars=output is None and draws_bars(),
        signature=signature_words(stored),
    )
    if output is not None:
        save_report(text, output, run, overwrite=overwrite)
        out_status(f"{stored.report['status'].upper()}  {safe(str(output))}")
    else:
        out_report(text, report_format)
    finish(stored.report["exit_code"])
