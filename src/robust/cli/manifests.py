"""``robust manifest``: freeze validated variants and look at manifests."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from robust.cli.console import guarded, out, out_json, say
from robust.errors import UsageError

application = typer.Typer(help="Build and show frozen manifests.", no_args_is_help=True)


def read_fractions(text: str) -> dict[str, float]:
    """Fractions by split name from ``a=0.8,b=0.2``.

    Raises:
        UsageError: the text is not of that form, or a name stands twice.
    """
    fractions: dict[str, float] = {}
    for part in text.split(","):
        name, equals, number = (piece.strip() for piece in part.partition("="))
        try:
            value = float(number)
        except ValueError:
            value = float("nan")
        if not equals or not name or name in fractions or not 0 < value <= 1:
            raise UsageError.of("bad_fractions", f"cannot read {part!r}", path="--fractions", hint="write a=0.8,b=0.2")
        fractions[name] = value
    return fractions


@application.command("export")
@guarded
def export(
    records: Annotated[list[Path], typer.Argument(help="Files of validation records.")],
    *,
    name: Annotated[str, typer.Option(help="The manifest's name.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The manifest file to write.")],
    split: Annotated[str | None, typer.Option(help="The one split for everything.")] = None,
    fractions: Annotated[str | None, typer.Option(help="Splits by source group, such as a=0.8,b=0.2.")] = None,
    salt: Annotated[str, typer.Option(help="Makes another deal of groups to fractions.")] = "",
    skip_refused: Annotated[bool, typer.Option("--skip-refused", help="Leave out what cannot be scored.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output file.")] = False,
) -> None:
    """Freeze the bases and valid variants of validation records into a manifest."""
    from robust.app.exporting import export_manifest
    from robust.render.plain import safe

    if split is not None and fractions is not None:
        raise UsageError.of("two_splits", "--split and --fractions exclude each other", hint="give one of them")
    manifest, refused = export_manifest(
        records,
        name=name,
        split=split,
        fractions=None if fractions is None else read_fractions(fractions),
        salt=salt,
        skip_refused=skip_refused,
    )
    manifest.save(output, overwrite=overwrite)
    for item in refused:
        say(f"left out: {safe(item.candidate_id)}: {item.status} ({', '.join(item.codes)})")
    _show(output, "text")


@application.command("show")
@guarded
def show(
    file: Annotated[Path, typer.Argument(help="A manifest.")],
    *,
    output_format: Annotated[
        Literal["text", "json"], typer.Option("-f", "--format", help="Text, or the header as JSON.")
    ] = "text",
) -> None:
    """Show a manifest's identity, splits and counts, after checking all of it."""
    _show(file, output_format)


def _show(file: Path, output_format: Literal["text", "json"]) -> None:
    from robust.app.manifests import Manifest
    from robust.render.evidence import manifest_text

    manifest = Manifest.load(file)
    if output_format == "json":
        out_json({"digest": manifest.digest, **manifest.header})
        return
    sources: dict[str, int] = {"given": 0, "derived by an oracle": 0, "none": 0}
    names = {"given": "given", "oracle": "derived by an oracle", None: "none"}
    for entry in manifest.entries:
        sources[names[entry.label_source]] += 1
    out(manifest_text(str(file), manifest.digest, manifest.header, sources))
