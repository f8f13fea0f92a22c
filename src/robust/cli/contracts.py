"""``robust validate``: a contract and everything that it refers to, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from robust.cli.console import guarded, out, out_json, say
from robust.errors import UsageError


@guarded
def validate(
    contract: Annotated[Path | None, typer.Argument(help="The contract: a .yaml, .yml or .json file.")] = None,
    *,
    dataset: Annotated[Path | None, typer.Option(help="A data set instead of the contract's.")] = None,
    manifest: Annotated[Path | None, typer.Option(help="A manifest instead of the contract's.")] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of contracts, for editors, and do nothing else.")
    ] = False,
    output_format: Annotated[
        Literal["text", "json"], typer.Option("-f", "--format", help="How the summary is shown.")
    ] = "text",
) -> None:
    """Check a contract, build its backends and oracles, and read its data; nothing is asked. Exit 0: it is sound."""
    if schema:
        from robust.records.contract_schema import contract_schema

        if contract is not None:
            raise UsageError.of("two_questions", "--schema is about every contract", hint="leave the contract out")
        out_json(contract_schema())
        return
    if contract is None:
        raise UsageError.of("no_contract", "a contract is missing", hint="robust validate contract.yaml")
    from robust.app.contracts import validate_contract
    from robust.render.contract import contract_text, warning_text

    summary = validate_contract(contract, dataset=dataset, manifest=manifest)
    if output_format == "json":
        out_json(summary.to_json())
    else:
        out(contract_text(summary.to_json()))
    for problem in summary.warnings:
        say(warning_text(problem))
