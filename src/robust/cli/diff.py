"""``robust diff``: a candidate run beside its baseline."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from robust.cli.console import finish, guarded, out_report, out_status, output_encoding, say
from robust.errors import UsageError
from robust.render.diff_formats import DiffFormat


@guarded
def diff(
    baseline: Annotated[
        Path, typer.Argument(metavar="BASELINE", readable=False, help="The run directory that is compared with.")
    ],
    candidate: Annotated[
        Path, typer.Argument(metavar="CANDIDATE", readable=False, help="The run directory that is judged.")
    ],
    *,
    contract: Annotated[
        Path | None, typer.Option(help="Judge by the regression limits of this contract; the candidate's by default.")
    ] = None,
    segments: Annotated[
        list[str] | None,
        typer.Option("-s", "--segment-by", metavar="KEY", help="A metadata key that makes segments; may be repeated."),
    ] = None,
    report_format: Annotated[DiffFormat, typer.Option("-f", "--format", help="How the comparison is shown.")] = "text",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="A file to write it to.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output file.")] = False,
    fail_on_warn: Annotated[bool, typer.Option("--fail-on-warn", help="Exit with 1 on WARN.")] = False,
) -> None:
    """Compare two runs of one decision, case by case. Exit 0: every gate holds; 1: one does not; 3: damaged runs."""
    from robust.app.diffing import diff_runs
    from robust.app.reporting import require_output, save_report
    from robust.app.run_diff import format_diff
    from robust.render.plain import safe

    if output is not None:
        if contract is not None and os.path.realpath(output) == os.path.realpath(contract):
            message = "this is the contract that is judged by"
            raise UsageError.of("bad_output", message, file=str(output), hint="write it elsewhere")
        require_output(output, baseline, candidate, overwrite=overwrite)
    compared = diff_runs(baseline, candidate, contract=contract, segment_by=segments or (), fail_on_warn=fail_on_warn)
    text = format_diff(compared, report_format, encoding="utf-8" if output is not None else output_encoding())
    if output is not None:
        save_report(text, output, candidate, overwrite=overwrite)
        out_status(f"{compared.status.upper()}  {safe(str(output))}")
    else:
        out_report(text, report_format)
    if compared.status == "error":
        say("error[nothing_compared]: no case was decided by both runs; records.jsonl of each says why")
    finish(compared.exit_code)
