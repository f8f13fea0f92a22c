"""``robust variants generate`` and ``import``: candidates from cases, and from what other tools made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from robust.cli.console import finish, guarded, out, out_json
from robust.cli.variants import RelationName, application

Format = Annotated[Literal["text", "json"], typer.Option("-f", "--format", help="How the counts are shown.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the output files.")]
Output = Annotated[Path, typer.Option("-o", "--output", help="The file of candidates to write.")]
Report = Annotated[Path | None, typer.Option(help="A file to write the counts to, as JSON.")]
Split = Annotated[str | None, typer.Option(help="Of a manifest, the split whose bases are taken; all by default.")]
TextField = Annotated[str | None, typer.Option(help="Of object inputs, the key of the text to edit.")]


@guarded
def _list_strategies(wanted: bool) -> None:
    """Show the strategies there are, and end."""
    if wanted:
        from robust.app.generating import known_strategies
        from robust.render.candidates import strategies_text

        out(strategies_text(known_strategies()))
        finish(0)


@application.command("generate")
@guarded
def generate(
    cases: Annotated[Path, typer.Argument(help="The base cases: a data set, stored cases, or a manifest.")],
    *,
    output: Output,
    strategy: Annotated[
        list[str] | None, typer.Option("--strategy", help="A strategy, or a set of them; may be repeated. See --list.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Makes other candidates.")] = 0,
    per_case: Annotated[int, typer.Option(help="How many candidates each strategy is to make of each case.")] = 1,
    text_field: TextField = None,
    split: Split = None,
    rewrites: Annotated[
        Path | None, typer.Option(help="A table of from, to and perhaps relation, taken to the letter.")
    ] = None,
    synonyms: Annotated[Path | None, typer.Option(help="Such a table, found in any letter case.")] = None,
    report: Report = None,
    overwrite: Overwrite = False,
    output_format: Format = "text",
    list_them: Annotated[  # noqa: ARG001 - it ends the command before this
        bool, typer.Option("--list", callback=_list_strategies, is_eager=True, help="List the strategies and exit.")
    ] = False,
) -> None:
    """Make candidates of cases. Whether their answers still hold is not known before an oracle has judged them."""
    from robust.app.generating import generate_file
    from robust.render.candidates import generation_text

    made = generate_file(
        cases,
        output=output,
        report=report,
        overwrite=overwrite,
        strategies=strategy or (),
        seed=seed,
        per_case=per_case,
        text_field=text_field,
        split=split,
        rewrites=rewrites,
        synonyms=synonyms,
    )
    if output_format == "json":
        out_json(made)
    else:
        out(generation_text(made))
        out(f"candidates  {output}")


@application.command("import")
@guarded
def import_(
    bases: Annotated[Path, typer.Argument(help="The base cases: a data set, stored cases, or a manifest.")],
    file: Annotated[Path, typer.Argument(help="The table: .jsonl, .json, .csv or .tsv; a key of JSON is a column.")],
    *,
    text: Annotated[
        str, typer.Option(help="The column with the candidate's text (in JSON also its input, or a list).")
    ],
    output: Output,
    parent: Annotated[str | None, typer.Option(help="The column with the id of its base.")] = None,
    parent_text: Annotated[str | None, typer.Option(help="Instead: the column with the text of its base.")] = None,
    id_column: Annotated[
        str | None, typer.Option("--id", help="The column with its own id; made from its base's by default.")
    ] = None,
    relation: Annotated[RelationName | None, typer.Option(help="What is supposed, where no column says it.")] = None,
    relation_column: Annotated[str | None, typer.Option(help="The column with what is supposed.")] = None,
    transform: Annotated[str, typer.Option(help="What made the candidates, where no column says it.")] = "external",
    transform_column: Annotated[str | None, typer.Option(help="The column with what made a candidate.")] = None,
    seed_column: Annotated[str | None, typer.Option(help="The column with the seed it was made with.")] = None,
    param: Annotated[
        list[str] | None, typer.Option("--param", help="A column to keep in origin.params; may be repeated.")
    ] = None,
    all_params: Annotated[bool, typer.Option("--all-params", help="Keep every other column there.")] = False,
    text_field: TextField = None,
    split: Split = None,
    report: Report = None,
    overwrite: Overwrite = False,
    output_format: Format = "text",
) -> None:
    """Take in candidates that a library, a program or a language model made. Each row has to name its base."""
    from robust.app.importing import import_file
    from robust.render.candidates import import_text

    made = import_file(
        bases,
        file,
        output=output,
        report=report,
        overwrite=overwrite,
        text=text,
        parent=parent,
        parent_text=parent_text,
        id_column=id_column,
        relation=relation,
        relation_column=relation_column,
        transform=transform,
        transform_column=transform_column,
        seed_column=seed_column,
        params=param or (),
        all_params=all_params,
        text_field=text_field,
        split=split,
    )
    if output_format == "json":
        out_json(made)
    else:
        out(import_text(made))
        out(f"candidates  {output}")
