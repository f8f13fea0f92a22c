"""The options of ``robust oracle audit`` beside those of every oracle, in groups."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from robust.app.oracle_sources import OracleChoice


@dataclass(frozen=True, kw_only=True)
class SecondOptions:
    """Another oracle, whose agreement with the first is measured."""

    second_oracle: Annotated[list[str] | None, typer.Option("--second-oracle", help="As --oracle.")] = None
    second_command: Annotated[list[str] | None, typer.Option("--second-command", help="As --oracle-command.")] = None
    second_url: Annotated[list[str] | None, typer.Option("--second-url", help="As --oracle-url.")] = None
    second_reviewed: Annotated[list[Path] | None, typer.Option("--second-reviewed", help="As --reviewed.")] = None
    second_combine: Annotated[str | None, typer.Option("--second-combine", help="As --combine.")] = None
    second_contract: Annotated[str | None, typer.Option(help="Its contract; the same by default.")] = None

    def choice(self, shared: dict[str, Any]) -> OracleChoice | None:
        """The second oracle; None where there is none.

        Args:
            shared: see :meth:`OracleOptions.settings`.
        """
        from robust.app.oracle_sources import OracleChoice

        chosen = OracleChoice(
            names=self.second_oracle or (),
            commands=self.second_command or (),
            urls=self.second_url or (),
            reviewed=self.second_reviewed or (),
            combine=self.second_combine,
            **shared,
        )
        return chosen if chosen.count or self.second_combine else None


@dataclass(frozen=True, kw_only=True)
class PairOptions:
    """What the oracle is asked about."""

    pairs: Annotated[
        Path | None,
        typer.Option(help="A file of labelled pairs, beside or instead of planted ones."),
    ] = None
    domain: Annotated[
        list[str] | None,
        typer.Option("--domain", help="Plant edits of this domain only; may be repeated."),
    ] = None
    split: Annotated[str | None, typer.Option(help="Of a manifest, the split whose bases are used.")] = None
    seed: Annotated[int, typer.Option(help="The seed of planted edits.")] = 0
    per_case: Annotated[int, typer.Option(help="How many of each planted edit of each base, at most.")] = 1


@dataclass(frozen=True, kw_only=True)
class LimitOptions:
    """What the audit is to show."""

    max_accepted_invalid: Annotated[
        float | None, typer.Option(help="Of invalid pairs, the share that may be accepted.")
    ] = None
    max_refused_valid: Annotated[float | None, typer.Option(help="Of valid pairs, the share that may be refused.")] = (
        None
    )
    max_undecided: Annotated[float | None, typer.Option(help="Of all pairs, the share that may stay unknown.")] = None
    judge: Annotated[
        Literal["point", "bound"],
        typer.Option(help="Whether the share or its whole interval must be within."),
    ] = "point"
    confidence: Annotated[float, typer.Option(help="Of the intervals, 0-1.")] = 0.95


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """Where the audit goes."""

    output: Annotated[Path | None, typer.Option("-o", "--output", help="The file of the audit to write.")] = None
    records: Annotated[Path | None, typer.Option(help="A file for every judgement, one a line.")] = None
    journal: Annotated[Path | None, typer.Option(help="Keeps finished pairs, so that it can be continued.")] = None
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output files.")] = False
