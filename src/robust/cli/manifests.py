"""``robust manifest``: freeze cases and validated variants, and look at manifests."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from robust.cli.console import guarded, out, out_json
from robust.cli.manifest_checks import check, check_proof, diff, prove
from robust.cli.manifest_operations import extend, merge, split, subset
from robust.cli.manifest_options import (
    Exclude,
    Fractions,
    ManifestFile,
    MediaFrom,
    Output,
    Overwrite,
    Salt,
    SkipRefused,
    folders_of,
    read_fractions,
    say_refused,
    show_manifest,
)
from robust.cli.signing import SignWith, key_of, sign_written
from robust.errors import UsageError

application = typer.Typer(help="Build, change, compare and show frozen manifests.", no_args_is_help=True)


@application.command("build")
@guarded
def build(
    cases: Annotated[list[Path], typer.Argument(help="Data sets or files of stored cases.")],
    *,
    name: Annotated[str, typer.Option(help="The manifest's name.")],
    output: Output,
    validations: Annotated[
        list[Path] | None, typer.Option(help="A file of validation records; may be repeated.")
    ] = None,
    fractions: Fractions = None,
    salt: Salt = "",
    skip_refused: SkipRefused = False,
    exclude: Exclude = None,
    media_from: MediaFrom = None,
    overwrite: Overwrite = False,
) -> None:
    """Freeze cases, and valid variants where there are any, into a manifest of any size."""
    from robust.app.manifest_sources import build_from_files

    refused = build_from_files(
        cases,
        output,
        name=name,
        validations=validations or [],
        splits=None if fractions is None else read_fractions(fractions),
        salt=salt,
        skip_refused=skip_refused,
        exclude=exclude or (),
        media_from=folders_of(media_from, cases),
        overwrite=overwrite,
    )
    say_refused(refused)
    show_manifest(output)


@application.command("export")
@guarded
def export(
    records: Annotated[list[Path], typer.Argument(help="Files of validation records; with --as one manifest.")],
    *,
    name: Annotated[str | None, typer.Option(help="The manifest's name.")] = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="The file to write.")],
    form: Annotated[
        Literal["inspect", "csv"] | None,
        typer.Option("--as", help="Write a manifest for other tools: samples of Inspect, or CSV."),
    ] = None,
    split: Annotated[
        str | None, typer.Option(help="The one split for everything; with --as the one split to write.")
    ] = None,
    choices: Annotated[
        list[str] | None, typer.Option("--choice", help="For Inspect: an answer to choose from; repeat in order.")
    ] = None,
    fractions: Fractions = None,
    salt: Salt = "",
    skip_refused: SkipRefused = False,
    exclude: Exclude = None,
    media_from: MediaFrom = None,
    overwrite: Overwrite = False,
    sign: SignWith = None,
) -> None:
    """Freeze the bases and valid variants of validation files into a manifest, or write one for other tools."""
    from robust.app.manifest_sources import build_from_files, require_records

    if form is not None:
        given = [fractions, salt, skip_refused, exclude, media_from, name, sign]
        _export_for_tools(records, output, form, split, choices, overwrite=overwrite, unused=any(given))
        return
    require_records(records)
    if choices:
        raise UsageError.of("bad_choices", "--choice is for --as inspect", path="--choice")
    if name is None:
        raise UsageError.of("no_name", "a manifest needs a name", path="--name", hint="add --name NAME")
    if split is not None and fractions is not None:
        raise UsageError.of("two_splits", "--split and --fractions exclude each other", hint="give one of them")
    key = key_of(sign)
    refused = build_from_files(
        (),
        output,
        name=name,
        validations=records,
        splits=split if fractions is None else read_fractions(fractions),
        salt=salt,
        skip_refused=skip_refused,
        exclude=exclude or (),
        media_from=folders_of(media_from, records),
        overwrite=overwrite,
    )
    say_refused(refused)
    show_manifest(output)
    if key is not None:
        sign_written(output, key, overwrite=overwrite)


def _export_for_tools(
    files: list[Path],
    output: Path,
    form: Literal["inspect", "csv"],
    split: str | None,
    choices: list[str] | None,
    *,
    overwrite: bool,
    unused: bool,
) -> None:
    from robust.app.manifest_exports import export_for_tools
    from robust.render.plain import safe

    if len(files) != 1:
        raise UsageError.of(
            "one_manifest", f"--as writes one manifest, not {len(files)} files", hint="merge them first"
        )
    if unused:
        message = "--name, --fractions, --salt, --skip-refused, --exclude, --media-from and --sign make a manifest"
        raise UsageError.of("two_kinds", message, path="--as", hint="leave them out, or leave --as out")
    count = export_for_tools(files[0], output, form, split=split, choices=choices or (), overwrite=overwrite)
    out(f"{count} cases  {safe(str(output))}")


@application.command("show")
@guarded
def show(
    file: ManifestFile,
    *,
    output_format: Annotated[
        Literal["text", "json"], typer.Option("-f", "--format", help="Text, or the header and counts as JSON.")
    ] = "text",
) -> None:
    """Show a manifest's identity, and what is in it by split, group, relation, oracle and label, after checking it."""
    from robust.app.manifest_summary import summarise_manifest

    if output_format == "json":
        out_json(summarise_manifest(file))
    else:
        show_manifest(file)


application.command("split")(split)
application.command("extend")(extend)
application.command("subset")(subset)
application.command("merge")(merge)
application.command("diff")(diff)
application.command("prove")(prove)
application.command("check-proof")(check_proof)
application.command("check")(check)
