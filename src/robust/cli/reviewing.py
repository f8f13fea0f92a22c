"""``robust variants show`` and ``agreement``: look at what came of validation, and have people judge on paper."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Literal

import typer

from robust.cli.console import finish, guarded, is_output_closed, out, out_json, say
from robust.cli.oracle_options import ComparatorText, read_comparator_option
from robust.cli.variants import application
from robust.errors import UsageError

if TYPE_CHECKING:
    from robust.records.review import ReviewRow

StatusName = Literal["valid", "invalid", "unknown"]
_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t"}


@application.command("show")
@guarded
def show(
    file: Annotated[Path, typer.Argument(help="A file of validation records.")],
    *,
    status: Annotated[StatusName | None, typer.Option(help="Only records of this status.")] = None,
    code: Annotated[str | None, typer.Option(help="Only records with this code.")] = None,
    shown_as: Annotated[
        Literal["text", "json", "csv", "jsonl"],
        typer.Option(
            "--as",
            "-f",
            "--format",
            help="Text, one JSON record a line, or a review sheet: csv for spreadsheets, jsonl for other tools.",
        ),
    ] = "text",
    delimiter: Annotated[
        Literal["comma", "semicolon", "tab"],
        typer.Option(help="What parts the cells of csv; where Excel writes 3,5 it wants the semicolon."),
    ] = "comma",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The review sheet to write.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output file.")] = False,
) -> None:
    """List validation records, each checked as it is read, or write a sheet on which people judge them."""
    from robust.app.batches import check_code
    from robust.app.reviewing import SheetCounts, review_rows, write_review_sheet
    from robust.render.plain import plural

    check_code(code)
    if shown_as in ("text", "json"):
        if output is not None:
            hint = "add --as csv or --as jsonl"
            raise UsageError.of("no_sheet", "only a review sheet is written to a file", path="--output", hint=hint)
        _list(file, status, code, as_json=shown_as == "json")
        return
    form: Literal["csv", "jsonl"] = "csv" if shown_as == "csv" else "jsonl"
    parted = _DELIMITERS[delimiter]
    if output is None:
        counts = SheetCounts()
        _print_sheet(review_rows(file, counts, status=status, code=code), form, parted)
    else:
        counts = write_review_sheet(
            file, output, form=form, status=status, code=code, delimiter=parted, overwrite=overwrite
        )
        out(f"{plural(counts.rows, 'row')} to judge")
        out(f"sheet    {output}")
    if not counts.rows:
        say("note: no record is as asked, so that nobody has anything to judge")
    if counts.repeated:
        say(f"note: of pairs that have a row there are {plural(counts.repeated, 'more record')}")


def _list(file: Path, status: StatusName | None, code: str | None, *, as_json: bool) -> None:
    from robust.app.validation import Validation
    from robust.render.evidence import validation_text
    from robust.render.plain import plural

    shown = 0
    for record in Validation.load_all(file):
        if (status is None or record.status == status) and (code is None or code in record.issues):
            shown += 1
            if as_json:
                out_json(record.data, indent=None)
            else:
                out(validation_text(record))
    if not as_json:
        out(plural(shown, "record"))


def _print_sheet(rows: Iterator[ReviewRow], form: Literal["csv", "jsonl"], delimiter: str) -> None:
    """Write a sheet to standard output in the very bytes of a file, whatever the console's encoding.

    Raises:
        UsageError: standard output is closed, or cannot be written, as on a full disk.
    """
    from robust.app.reviewing import sheet_bytes

    stream = getattr(sys.stdout, "buffer", None)
    if stream is None or is_output_closed():
        raise UsageError.of("unwritable", "standard output is closed", hint="name a file with -o")
    for line in sheet_bytes(rows, form, delimiter=delimiter):
        if not _written(stream, line):
            return
    _written(stream, b"")


def _written(stream: BinaryIO, line: bytes) -> bool:
    """Write a line, or what waits to be written; False where the reader has seen enough."""
    try:
        if line:
            stream.write(line)
        else:
            stream.flush()
    except OSError as error:
        # For the interpreter's own flush there is nobody to write to any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return False
        reason = error.strerror or str(error)
        raise UsageError.of("unwritable", f"standard output cannot be written: {reason}") from None
    return True


@application.command("agreement")
@guarded
def agreement(
    sheets: Annotated[list[Path], typer.Argument(help="Review sheets that people filled in.")],
    *,
    contract: Annotated[str | None, typer.Option(help="The oracle contract whose rows count.")] = None,
    comparator: ComparatorText = "exact",
    min_kappa: Annotated[
        float | None, typer.Option(help="Exit with 1 where two reviewers have a lower kappa, or one that is undefined.")
    ] = None,
    output_format: Annotated[
        Literal["text", "json"], typer.Option("-f", "--format", help="How the agreement is shown.")
    ] = "text",
) -> None:
    """Compare what several people judged of the same pairs: percent, and Cohen's kappa."""
    from robust.app.agreement import measure_agreement
    from robust.render.review_agreement import agreement_text

    if min_kappa is not None and not -1 <= min_kappa <= 1:
        raise UsageError.of("bad_limit", f"must be from -1 to 1, not {min_kappa}", path="--min-kappa")
    found = measure_agreement(sheets, contract, comparator=read_comparator_option(comparator))
    if output_format == "json":
        out_json(found.to_json())
    else:
        out(agreement_text(found.to_json()))
    if min_kappa is not None:
        lowest = found.lowest_kappa
        if lowest is None or lowest < min_kappa:
            shown = "is undefined" if lowest is None else f"is {lowest:.4f}"
            say(f"error[low_agreement]: the lowest kappa {shown}, the limit {min_kappa}")
            finish(1)
