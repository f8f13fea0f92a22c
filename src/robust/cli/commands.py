"""The commands, and the application that holds them."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from robust.cli import (
    generating,  # noqa: F401 - it adds its commands to those of variants
    manifests,
    oracle,
    reviewing,  # noqa: F401 - it adds its commands to those of variants
    variants,
)
from robust.cli.console import INTERRUPTED, finish, guarded, out, out_json, out_status, prepare_streams, say
from robust.cli.contracts import validate
from robust.cli.decide import decide
from robust.cli.stored import replay, report

if TYPE_CHECKING:
    from robust.app.running import Run

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
application.add_typer(oracle.application, name="oracle")
application.command("validate")(validate)
application.command("decide")(decide)
application.command("replay")(replay)
application.command("report")(report)


def run_command() -> None:
    """Parse the command line and run what it asks for."""
    prepare_streams()
    try:
        application()
    except SystemExit as ending:
        if ending.code != INTERRUPTED:
            raise
        # A model that hangs in a thread would hold the process; what was to be kept is on disk.
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(INTERRUPTED)


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
    backend: Annotated[str | None, typer.Option("-b", "--backend", help="One of the contract's backends.")] = None,
    minimize: Annotated[
        bool | None, typer.Option("--minimize/--no-minimize", help="Make failing candidates smaller, or do not.")
    ] = None,
    max_concurrency: Annotated[int | None, typer.Option(help="The most calls in flight, 1-256.")] = None,
    max_calls: Annotated[int | None, typer.Option(help="The most calls that may be made.")] = None,
    cache: Annotated[Path | None, typer.Option(help="A file that keeps answers over runs.")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Keep no answers, not even to go on later.")] = False,
    healthcheck: Annotated[bool, typer.Option(help="Ask the backend's health first.")] = True,
    progress: Annotated[
        bool | None, typer.Option("--progress/--no-progress", help="Show progress; by default on a terminal.")
    ] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="The run directory.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a finished run there.")] = False,
    report_format: Annotated[
        Literal["text", "json"], typer.Option("-f", "--format", help="How the report is shown.")
    ] = "text",
    fail_on_warn: Annotated[bool, typer.Option("--fail-on-warn", help="Exit with 1 on WARN.")] = False,
) -> None:
    """Check golden gates and properties over a data set or manifest."""
    from robust.app.running import run_contract
    from robust.cli.progress import live_progress
    from robust.errors import UsageError

    if cache is not None and no_cache:
        raise UsageError.of("two_options", "--cache and --no-cache exclude each other", hint="give one of them")
    with live_progress(wanted=progress) as shown:
        finished = run_contract(
            contract,
            backend=backend,
            dataset=dataset,
            manifest=manifest,
            split=split,
            seed=seed,
            only=only,
            properties=properties,
            minimize=minimize,
            max_concurrency=max_concurrency,
            max_calls=max_calls,
            cache=False if no_cache else cache,
            healthcheck=healthcheck,
            progress=shown,
            output=output,
            overwrite=overwrite,
            fail_on_warn=fail_on_warn,
        )
    _show_run(finished, report_format)


def _show_run(finished: Run, report_format: str) -> None:
    """Show a finished run and exit with its code."""
    from robust.render.report import report_text

    for notice in finished.report["observed"].get("notices", []):
        say(f"notice: {notice}")
    if report_format == "json":
        out_json(finished.report)
    else:
        out_status(report_text(finished.report, run=finished.path, encoding=sys.stdout.encoding or "utf-8"))
    if finished.status == "error":
        say("error[nothing_decided]: no case could be decided; records.jsonl says why")
    if report_format == "text":
        out(f"run       {finished.path}")
    else:
        say(f"run {finished.path}")
    finish(finished.exit_code)


@application.command("verify")
@guarded
def verify(
    paths: Annotated[
        list[Path], typer.Argument(help="Manifests, validation files, audits, hardness files or run directories.")
    ],
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
