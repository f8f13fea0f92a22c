"""``robust verify``: what holds of stored evidence, and what that does not show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from robust.cli.console import finish, guarded, out, out_json, say
from robust.errors import UsageError


@guarded
def verify(
    paths: Annotated[
        list[Path],
        typer.Argument(
            readable=False,  # told of each where its turn comes, and not of one instead of all
            help="Runs, manifests, attestations, proofs, validation files, audits or hardness files.",
        ),
    ],
    *,
    public_keys: Annotated[
        list[str] | None,
        typer.Option("--public-key", metavar="FILE", help="A key whose signatures count; may be repeated."),
    ] = None,
    require_signature: Annotated[
        bool, typer.Option("--require-signature", help="Fail on what is not signed by a named key.")
    ] = False,
    threshold: Annotated[
        int | None,
        typer.Option(metavar="N", help="How many of the named keys must have signed; requires a signature."),
    ] = None,
    output_format: Annotated[
        Literal["text", "json"], typer.Option("-f", "--format", help="How the checks are shown.")
    ] = "text",
) -> None:
    """Derive stored evidence again and say what holds. Exit 0: all of it; 3: something does not."""
    from robust.app.verifying import verify_all
    from robust.errors import RobustError
    from robust.render.evidence import problem_text, verification_text

    if threshold is not None and not public_keys:
        message = "--threshold counts keys, and none is named"
        raise UsageError.of("no_public_key", message, hint="name them with --public-key FILE")
    results = []
    failed = []
    for result in verify_all(
        paths,
        public_keys=public_keys or (),
        require_signature=require_signature or threshold is not None,
        threshold=1 if threshold is None else threshold,
    ):
        if isinstance(result, RobustError):
            failed.append(result)
            continue
        results.append(result)
        if output_format == "text":
            problems = [problem for check in result.checks for problem in check.problems]
            out(verification_text(result.to_json(), problems))
    if output_format == "json":
        out_json([result.to_json() for result in results])
    for error in failed:
        for problem in error.problems:
            say(problem_text(problem))
    finish(max([*(result.exit_code for result in results), *(error.exit_code for error in failed)]))
