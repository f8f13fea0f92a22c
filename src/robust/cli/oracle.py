"""``robust oracle``: measure an oracle on pairs of which it is known whether they are valid."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from robust.cli import audit_options as groups
from robust.cli.console import finish, guarded, out, out_json, out_status, say
from robust.cli.option_groups import grouped
from robust.cli.oracle_options import OracleOptions, TermOptions

if TYPE_CHECKING:
    from robust.app.oracle_audit import OracleAudit
    from robust.app.oracle_sources import OracleChoice

application = typer.Typer(help="Audit an oracle, and list the edits that an audit plants.", no_args_is_help=True)
BasesArgument = Annotated[
    Path | None, typer.Argument(help="Cases to plant edits into: a data set, stored cases, or a manifest.")
]
FormatOption = Annotated[Literal["text", "json"], typer.Option("-f", "--format", help="How the result is shown.")]


@application.command("audit")
@guarded
@grouped
def audit(
    bases: BasesArgument = None,
    *,
    contract: Annotated[str, typer.Option(help="The oracle's contract, NAME/vN.")],
    first: OracleOptions,
    another: groups.SecondOptions,
    asked: groups.PairOptions,
    limits: groups.LimitOptions,
    terms: TermOptions,
    require_answers: Annotated[
        bool, typer.Option(help="Whether a valid verdict needs both answers; in a run it does not.")
    ] = False,
    files: groups.FileOptions,
    output_format: FormatOption = "text",
) -> None:
    """Ask an oracle about pairs whose validity is known. Exit 0: within its limits; 1: not, or nothing is shown."""
    from robust.app.auditing import audit_oracle

    second = another.choice(first.settings())
    second_contract = another.second_contract or contract
    with ExitStack() as stack:
        found = audit_oracle(
            _opened(stack, first.choice(), contract),
            contract=contract,
            bases=bases,
            pairs=asked.pairs,
            domains=asked.domain,
            seed=asked.seed,
            per_case=asked.per_case,
            split=asked.split,
            text_field=first.text_field,
            second=None if second is None else _opened(stack, second, second_contract),
            second_contract=second_contract,
            require_answers=require_answers,
            journal=files.journal,
            records=files.records,
            output=files.output,
            overwrite=files.overwrite,
            **terms.keywords(),
            **asdict(limits),
        )
    _show(found, files, output_format)


def _opened(stack: ExitStack, choice: OracleChoice, contract: str) -> Any:
    """The oracle of a choice; what it has to tell of its files is said at once."""
    from robust.app.oracle_sources import notices_of, open_oracle

    validator = stack.enter_context(open_oracle(choice, contract=contract))
    for notice in notices_of(validator):
        say(f"note: {notice}")
    return validator


def _show(found: OracleAudit, files: groups.FileOptions, output_format: str) -> None:
    """Show an audit, and exit with its code."""
    from robust.render.audit import audit_text

    if output_format == "json":
        out_json(found.data)
    else:
        out_status(audit_text(found.data, sys.stdout.encoding or "utf-8"))
        for name, path in (("audit", files.output), ("records", files.records)):
            if path is not None:
                out(f"{name:<12}  {path}")
    if found.status == "error":
        say("error[no_verdict]: the oracle gave no verdict on any pair; --records FILE keeps what it did instead")
    finish(found.exit_code)


@application.command("edits")
@guarded
def edits(
    *,
    output_format: FormatOption = "text",
) -> None:
    """List the edits that an audit plants, by domain, and which of them are invalid."""
    from robust.app.audit_pairs import planted_edits
    from robust.render.plain import table

    listed = planted_edits()
    if output_format == "json":
        out_json(listed)
    else:
        rows = [[item["domain"], item["edit"], item["truth"], item["says"]] for item in listed]
        out("\n".join(table(rows, indent="")))
