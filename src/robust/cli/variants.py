"""``robust variants``: judge candidates and look at what came of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from robust.cli.console import finish, guarded, out, out_json, say
from robust.cli.option_groups import grouped
from robust.cli.oracle_options import OracleOptions, TermOptions

if TYPE_CHECKING:
    from robust.app.batches import BatchOutcome

application = typer.Typer(help="Validate candidates and list validation records.", no_args_is_help=True)
RelationName = Literal["invariant", "counterfactual", "increasing", "decreasing"]


@application.command("validate")
@guarded
@grouped
def validate(
    bases: Annotated[Path, typer.Argument(help="The base cases: a data set or stored cases.")],
    candidates: Annotated[Path, typer.Argument(help="The candidates; each names its base in origin.parent_id.")],
    *,
    contract: Annotated[str, typer.Option(help="The oracle's contract, NAME/vN.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The file of validation records to write.")],
    oracles: OracleOptions,
    relation: Annotated[
        RelationName | None, typer.Option(help="The relation, instead of each candidate's own.")
    ] = None,
    terms: TermOptions,
    require_answers: Annotated[bool, typer.Option(help="Whether a valid verdict needs both answers.")] = True,
    journal: Annotated[Path | None, typer.Option(help="Keeps finished pairs, so that it can be continued.")] = None,
    progress: Annotated[
        bool | None, typer.Option("--progress/--no-progress", help="Show progress; by default on a terminal.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output file.")] = False,
    output_format: Annotated[
        Literal["text", "json"], typer.Option("-f", "--format", help="How the summary is shown.")
    ] = "text",
) -> None:
    """Have an oracle judge candidates and write one validation record for each."""
    from robust.app.batches import validate_files
    from robust.cli.progress import live_progress

    with live_progress(wanted=progress) as shown:
        outcome = validate_files(
            bases,
            candidates,
            output=output,
            overwrite=overwrite,
            oracle=oracles.choice(),
            journal=journal,
            progress=shown,
            contract=contract,
            relation=relation,
            require_answers=require_answers,
            **terms.keywords(),
        )
    _show(outcome, output, output_format)


def _show(outcome: BatchOutcome, output: Path, output_format: str) -> None:
    """Show what came of it, and end with 2 where the oracle answered nothing at all."""
    from robust.render.evidence import outcomes_text

    for notice in outcome.notices:
        say(f"note: {notice}")
    if output_format == "json":
        out_json({**outcome.to_json(), "records": str(output)})
    else:
        out(outcomes_text(outcome.statuses, outcome.codes, outcome.by_relation))
        out(f"records  {output}")
    if outcome.unanswered == outcome.total:
        say("error[no_verdict]: the oracle gave no verdict on any pair; see the failures with robust variants show")
        finish(2)
