"""The options of the commands that ask oracles: which ones, and on what terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from robust.canon import read_json
from robust.errors import UsageError

if TYPE_CHECKING:
    from robust.app.oracle_sources import OracleChoice

ComparatorText: TypeAlias = Annotated[
    str,
    typer.Option(
        help="How answers are compared: exact, text, number, set, json, or with settings as JSON, such as "
        '{"name":"number","abs_tol":0.01}, or {"name":"text","fold_case":true}, for which Yes is yes.'
    ),
]


@dataclass(frozen=True, kw_only=True)
class OracleOptions:
    """Which oracle is asked."""

    oracle: Annotated[
        list[str] | None,
        typer.Option(
            "--oracle",
            help="preserves, presentation, builtin, one that a package brings, or module:name of a validator.",
        ),
    ] = None
    oracle_command: Annotated[
        list[str] | None, typer.Option("--oracle-command", help="A program that speaks robust.oracle/1.")
    ] = None
    oracle_url: Annotated[
        list[str] | None, typer.Option("--oracle-url", help="A service that speaks robust.oracle/1.")
    ] = None
    reviewed: Annotated[
        list[Path] | None, typer.Option("--reviewed", help="Validation records, or people's judgements.")
    ] = None
    combine: Annotated[
        str | None, typer.Option("--combine", help="How several oracles judge: all, any or quorum:K.")
    ] = None
    oracle_name: Annotated[
        list[str] | None, typer.Option("--oracle-name", help="The name of a program or service; by default its own.")
    ] = None
    oracle_version: Annotated[list[str] | None, typer.Option("--oracle-version", help="Its version.")] = None
    oracle_token_env: Annotated[
        str | None, typer.Option("--oracle-token-env", help="The environment variable of the token that services get.")
    ] = None
    oracle_header_env: Annotated[
        list[str] | None,
        typer.Option("--oracle-header-env", help="HEADER=VARIABLE: a header of services, with its value."),
    ] = None
    oracle_retries: Annotated[
        int, typer.Option("--oracle-retries", help="Tries after the first for services, 0-5.")
    ] = 2
    keep: Annotated[list[str] | None, typer.Option("--keep", help="A text that no edit may change (preserves).")] = None
    fragment: Annotated[
        list[str] | None, typer.Option("--fragment", help="A text that an edit may insert (preserves).")
    ] = None
    positional: Annotated[
        list[str] | None, typer.Option("--positional", help="A label of position (presentation).")
    ] = None
    text_field: Annotated[
        str | None, typer.Option("--text-field", help="Of object inputs, the key of the edited text.")
    ] = None

    def choice(self) -> OracleChoice:
        """What these options say together.

        Raises:
            UsageError: a header is not of the form ``HEADER=VARIABLE``.
        """
        from robust.app.oracle_sources import OracleChoice

        return OracleChoice(
            names=self.oracle or (),
            commands=self.oracle_command or (),
            urls=self.oracle_url or (),
            reviewed=self.reviewed or (),
            combine=self.combine,
            program_names=self.oracle_name or (),
            program_versions=self.oracle_version or (),
            **self.settings(),
        )

    def settings(self) -> dict[str, Any]:
        """What all oracles of a command share: how services are reached, and the settings of built-in ones.

        Raises:
            UsageError: see :meth:`choice`.
        """
        return {
            "token_env": self.oracle_token_env,
            "headers_from_env": _headers(self.oracle_header_env or ()),
            "retries": self.oracle_retries,
            "keep": self.keep or (),
            "fragments": self.fragment or (),
            "positional": self.positional or (),
            "text_field": self.text_field,
        }


def _headers(texts: Sequence[str]) -> dict[str, str]:
    """The environment variable of each header."""
    headers: dict[str, str] = {}
    for text in texts:
        header, mark, variable = text.partition("=")
        if not mark or not header.strip() or header.strip() in headers:
            # The text itself is not shown, as somebody may have written the value.
            message = "must be HEADER=VARIABLE, each header once"
            raise UsageError.of("bad_header", message, path="--oracle-header-env")
        headers[header.strip()] = variable.strip()
    return headers


@dataclass(frozen=True, kw_only=True)
class TermOptions:
    """On what terms the oracle is asked."""

    comparator: ComparatorText = "exact"
    labels: Annotated[Literal["hidden", "visible"], typer.Option(help="Whether the oracle sees labels.")] = "hidden"
    repeats: Annotated[int, typer.Option(help="How often each pair is asked.")] = 1
    timeout: Annotated[float | None, typer.Option(help="Seconds for each answer.")] = None
    isolate: Annotated[bool, typer.Option("--isolate", help="Ask module:name in worker processes.")] = False
    workers: Annotated[int, typer.Option(help="How many pairs are judged at once.")] = 1

    def keywords(self) -> dict[str, Any]:
        """The terms as the functions that ask an oracle take them.

        Raises:
            DataError: the comparator is JSON that cannot be read.
        """
        return {
            "comparator": read_comparator_option(self.comparator),
            "labels": self.labels,
            "repeats": self.repeats,
            "timeout_s": self.timeout,
            "isolate": self.isolate,
            "workers": self.workers,
        }


def read_comparator_option(text: str) -> Any:
    """A comparator's name as it is, and JSON read.

    Raises:
        DataError: the JSON is none.
    """
    return read_json(text, file="--comparator") if text.lstrip().startswith("{") else text
