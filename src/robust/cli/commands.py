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
    signing,
    variants,
)
from robust.cli.console import (
    INTERRUPTED,
    draws_bars,
    finish,
    guarded,
    out,
    out_report,
    output_encoding,
    prepare_streams,
    say,
)
from robust.cli.contracts import validate
from robust.cli.decide import decide
from robust.cli.diff import diff
from robust.cli.production import check
from robust.cli.stored import replay, report
from robust.cli.verifying import verify
from robust.render.formats import ReportFormat

if TYPE_CHECKING:
    from robust.app.running import Run

Only = Annotated[Literal["golden", "properties"] | None, typer.Option(help="Golden gates or properties alone.")]
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
application.add_typer(signing.application, name="keys")
application.command("validate")(validate)
application.command("decide")(decide)
application.command("check")(check)
application.command("replay")(replay)
application.command("report")(report)
application.command("diff")(diff)
application.command("sign")(signing.sign)
application.command("verify")(verify)


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
    only: Only = None,
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
    report_format: Annotated[ReportFormat, typer.Option("-f", "--format", help="How the report is shown.")] = "text",
    fail_on_warn: Annotated[bool, typer.Option("--fail-on-warn", help="Exit with 1 on WARN.")] = False,
    sign: signing.SignWith = None,
) -> None:
    """Check golden gates and properties over a data set or manifest."""
    from robust.app.running import run_contract
    from robust.cli.progress import live_progress

    kept = _cache(cache, no_cache=no_cache)
    key = signing.key_of(sign)
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
            cache=kept,
            healthcheck=healthcheck,
            progress=shown,
            output=output,
            overwrite=overwrite,
            fail_on_warn=fail_on_warn,
            sign=key,
        )
    _show_run(finished, report_format, asked_to_sign=key is not None)


def _cache(cache: Path | None, *, no_cache: bool) -> Path | Literal[False] | None:
    """Where answers are kept; False for nowhere."""
    from robust.errors import UsageError

    if cache is not None and no_cache:
        raise UsageError.of("two_options", "--cache and --no-cache exclude each other", hint="give one of them")
    return False if no_cache else cache


def _show_run(finished: Run, report_format: ReportFormat, *, asked_to_sign: bool) -> None:
    """Show a finished run and exit with its code."""
    from robust.app.reporting import format_report

    for notice in finished.report["observed"].get("notices", []):
        say(f"notice: {notice}")
    out_report(format_report(finished, report_format, encoding=output_encoding(), bars=draws_bars()), report_format)
    if finished.status == "error":
        say("error[nothing_decided]: no case could be decided; records.jsonl says why")
    if asked_to_sign and finished.signed is None:
        say("notice: the run is not signed, as it decided nothing")
    elif finished.signed is not None:
        signing.say_signed(finished.signed)
    if report_format == "text":
        out(f"run       {finished.path}")
    else:
        say(f"run {finished.path}")
    finish(finished.exit_code)


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
