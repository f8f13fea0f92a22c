"""``robust decide``: one decision and its route."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from robust.canon import MAX_DOCUMENT_BYTES, JsonObject, decode_utf8, describe, read_json
from robust.cli.console import guarded, out, out_json
from robust.errors import UsageError


@guarded
def decide(
    contract: Annotated[Path, typer.Argument(help="The contract: a .yaml, .yml or .json file with a policy.")],
    given: Annotated[
        str, typer.Argument(metavar="INPUT", help="What is decided: text, or - to read it from standard input.")
    ],
    *,
    input_json: Annotated[bool, typer.Option("--input-json", help="INPUT is a JSON object.")] = False,
    case_id: Annotated[str, typer.Option("--id", help="What the decision is asked and recorded as.")] = "decision",
    backend: Annotated[str | None, typer.Option("-b", "--backend", help="One of the contract's backends.")] = None,
    output_format: Annotated[
        Literal["text", "json"], typer.Option("-f", "--format", help="How the decision is shown.")
    ] = "text",
) -> None:
    """Decide one input and show its route. Exit 0: decided, whatever the route; 2: it could not be."""
    from robust.app.guard import Guard
    from robust.render.decision import decision_text

    text = _standard_input() if given == "-" else given
    with Guard.from_contract(contract, backend=backend) as guard:
        decision = guard.decide(_object(text) if input_json else text, case_id=case_id).to_json()
    if output_format == "json":
        out_json(decision)
    else:
        out(decision_text(decision))


def _standard_input() -> str:
    """All of standard input as text, without the line feed that ends its last line.

    Raises:
        UsageError: it is too large.
        DataError: it is not UTF-8.
    """
    data = sys.stdin.buffer.read(MAX_DOCUMENT_BYTES + 1)
    if len(data) > MAX_DOCUMENT_BYTES:
        raise UsageError.of("too_large", f"standard input has over {MAX_DOCUMENT_BYTES} bytes", path="INPUT")
    text = decode_utf8(data, file="<stdin>")
    return text.removesuffix("\r\n") if text.endswith("\r\n") else text.removesuffix("\n")


def _object(text: str) -> JsonObject:
    """The JSON object of a text.

    Raises:
        DataError: it is not JSON.
        UsageError: it is JSON, but no object.
    """
    value: Any = read_json(text, file="INPUT")
    if not isinstance(value, dict):
        message = f"--input-json takes an object, not {describe(value)}"
        raise UsageError.of("bad_input", message, path="INPUT", hint="leave the option out for an input that is text")
    return value
