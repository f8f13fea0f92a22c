"""The commands, and the application that holds them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from robust.cli import manifests, variants
from robust.cli.console import finish, guarded, out, out_json, out_status, prepare_streams, say

application = typer.Typer(
    name="robust",
    help="Validated variants, frozen manifests and checked runs for AI models.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
application.add_typer(variants.application, name="variants")
application.add_typer(manifests.application, name="manifest")


def run_command() -> None:
    """Parse the command line and run what it asks for."""
    prepare_streams()
    application()


@application.callback()
def _root(
    version: Annotated[bool, typer.Option("--version", help="Show the version.", is_eager=True)] = False,
) -> None:
    if version:
        from robust.version import __version__

        out(f"robust {__version__}")
        finish(0)


@application.command("run")
@guarded
def run(
    contract: Annotated[Path, typer.Argument(help="The contract: a .yaml, .yml or .json file.")],
    *,
    dataset: Annotated[Path | None, typer.Option(help="A data set instead of the contract's.")] = None,
    manifest: Annotated[Path | None, typer.Option(help="A manifest instead of the contract's.")] = None,
    split: Annotated[str | None, typer.Option(help="The split of the manifest to run.")] = None,
    seed: Annotated[int | None, typer.Option(help="The seed; 0 by default.")] = None,
    only: Annotated[
        Literal["golden", "properties"] | None, typer.Option(help="Golden gates or properties alone.")
    ] = None,
    properties: Annotated[
        list[str] | None, typer.Option("-p", "--property", help="Run this property; may be repeated.")
    ] = None,
    max_concurrency: Annotated[int | None, typer.Option(help="The most calls in flight, 1-256.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The run directory.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a finished run there.")] = False,
    report_format: Annotated[
        Literal["text", "json"], typer.Option("-f", "--format", help="How the report is shown.")
    ] = "text",
    fail_on_warn: Annotated[bool, typer.Option("--fail-on-warn", help="Exit with 1 on WARN.")] = False,
) -> None:
    """Check golden gates and properties over a data set or manifest."""
    from robust.app.running import run_contract
    from robust.render.report import report_text

    finished = run_contract(
        contract,
        dataset=dataset,
        manifest=manifest,
        split=split,
        seed=seed,
        only=only,
        properties=properties,
        max_concurrency=max_concurrency,
        output=output,
        overwrite=overwrite,
        fail_on_warn=fail_on_warn,
    )
    if report_format == "json":
        out_json(finished.report)
    else:
        out_status(report_text(finished.report))
    if finished.status == "error":
        say("error[nothing_decided]: no case could be decided; records.jsonl says why")
    if report_format == "text":
        out(f"run       {finished.path}")
    finish(finished.exit_code)


@application.command("verify")
@guarded
def verify(
    paths: Annotated[list[Path], typer.Argument(help="Manifests, validation files or run directories.")],
    *,
    output_format: Annotated[
        Literal["text", "json"], typer.Option("-f", "--format", help="How the checks are shown.")
    ] = "text",
) -> None:
    """Derive stored evidence again and say what holds. Exit 0: all of it; 3: something does not."""
    from robust.app.verifying import verify_all
    from robust.errors import RobustError
    from robust.render.evidence import problem_text, verification_text

    results = []
    failed = []
    for result in verify_all(paths):
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


@application.command("demo")
@guarded
def demo(
    *,
    keep: Annotated[Path | None, typer.Option(help="A new folder to keep everything in.")] = None,
) -> None:
    """Run the main job on a small shipped example, from candidates to a checked run."""
    from robust.app.demo import run_demo

    for line in run_demo(keep):
        out(line)
