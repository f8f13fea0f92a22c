"""``robust variants``: judge candidates and look at what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from robust.canon import read_json
from robust.cli.console import finish, guarded, out, out_json, say

application = typer.Typer(help="Validate candidates and list validation records.", no_args_is_help=True)
RelationName = Literal["invariant", "counterfactual", "increasing", "decreasing"]


@application.command("validate")
@guarded
def validate(
    bases: Annotated[Path, typer.Argument(help="The base cases: a data set or stored cases.")],
    candidates: Annotated[Path, typer.Argument(help="The candidates; each names its base in origin.parent_id.")],
    *,
    contract: Annotated[str, typer.Option(help="The oracle's contract, NAME/vN.")],
    oracle_command: Annotated[str, typer.Option(help="The oracle: a program that speaks robust.oracle/1.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file of validation records to write.")],
    relation: Annotated[
        RelationName | None, typer.Option(help="The relation, instead of each candidate's own.")
    ] = None,
    comparator: Annotated[
        str,
        typer.Option(
            help="How answers are compared: exact, text, number, set, json, or with settings as JSON, such as "
            '{"name":"number","abs_tol":0.01}.'
        ),
    ] = "exact",
    labels: Annotated[Literal["hidden", "visible"], typer.Option(help="Whether the oracle sees labels.")] = "hidden",
    require_answers: Annotated[bool, typer.Option(help="Whether a valid verdict needs both answers.")] = True,
    repeats: Annotated[int, typer.Option(help="How often each pair is asked.")] = 1,
    timeout: Annotated[float | None, typer.Option(help="Seconds for each answer.")] = None,
    workers: Annotated[int, typer.Option(help="How many pairs are judged at once, each by its own process.")] = 1,
    journal: Annotated[Path | None, typer.Option(help="Keeps finished pairs, so that it can be continued.")] = None,
    oracle_name: Annotated[str | None, typer.Option(help="The oracle's name; its program by default.")] = None,
    oracle_version: Annotated[str | None, typer.Option(help="The oracle's version.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output file.")] = False,
) -> None:
    """Have an oracle judge candidates and write one validation record for each."""
    from robust.app.batches import validate_files
    from robust.render.evidence import outcomes_text

    outcome = validate_files(
        bases,
        candidates,
        output=output,
        overwrite=overwrite,
        command=oracle_command,
        oracle_name=oracle_name,
        oracle_version=oracle_version,
        journal=journal,
        contract=contract,
        relation=relation,
        comparator=_comparator(comparator),
        labels=labels,
        require_answers=require_answers,
        repeats=repeats,
        timeout_s=timeout,
        workers=workers,
    )
    for notice in outcome.notices:
        say(f"note: {notice}")
    out(outcomes_text(outcome.statuses, outcome.codes))
    out(f"records  {output}")
    if outcome.unanswered == outcome.total:
        say("error[no_verdict]: the oracle gave no verdict on any pair; see the failures with robust variants show")
        finish(2)


def _comparator(text: str) -> Any:
    """A name as it is, and JSON read."""
    return read_json(text, file="--comparator") if text.lstrip().startswith("{") else text


@application.command("show")
@guarded
def show(
    file: Annotated[Path, typer.Argument(help="A file of validation records.")],
    *,
    status: Annotated[
        Literal["valid", "invalid", "unknown"] | None, typer.Option(help="Only records of this status.")
    ] = None,
    code: Annotated[str | None, typer.Option(help="Only records with this code.")] = None,
    output_format: Annotated[
        Literal["text", "json"], typer.Option("-f", "--format", help="Text, or one JSON record a line.")
    ] = "text",
) -> None:
    """List validation records, each checked as it is read."""
    from robust.app.batches import check_code
    from robust.app.validation import Validation
    from robust.render.evidence import validation_text

    check_code(code)
    shown = 0
    for record in Validation.load_all(file):
        if (status is None or record.status == status) and (code is None or code in record.issues):
            shown += 1
            if output_format == "json":
                out_json(record.data, indent=None)
            else:
                out(validation_text(record))
    if output_format == "text":
        out(f"{shown} records")
