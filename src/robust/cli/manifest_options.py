"""Options that several ``robust manifest`` commands share, and how their values are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from robust.cli.console import out, say
from robust.errors import UsageError

if TYPE_CHECKING:
    from robust.records.refused import Refused

ManifestFile = Annotated[Path, typer.Argument(metavar="MANIFEST", help="A manifest.")]
Output = Annotated[Path, typer.Option("-o", "--output", help="The manifest file to write.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the output file.")]
NewName = Annotated[str | None, typer.Option("--name", help="The new manifest's name; the old one by default.")]
Fractions = Annotated[str | None, typer.Option(help="Splits by source group, such as a=0.8,b=0.2.")]
Salt = Annotated[str, typer.Option(help="Makes another deal of groups to fractions.")]
SkipRefused = Annotated[bool, typer.Option("--skip-refused", help="Leave out what cannot be scored.")]
Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", metavar="CASE_ID", help="Leave out this candidate of the records; may be repeated."),
]
MediaFrom = Annotated[
    list[Path] | None,
    typer.Option(
        "--media-from",
        help="A folder with files that cases name; may be repeated. They are copied beside the output. By default the "
        "folders of the files that are read.",
    ),
]
Lists = Annotated[
    list[str] | None,
    typer.Option("--list", metavar="SPLIT=FILE", help="A split and a file of its case ids, one a line; repeatable."),
]


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


def read_named(texts: Iterable[str], option: str) -> dict[str, str]:
    """Texts by name from ``NAME=TEXT``.

    Raises:
        UsageError: a text is not of that form, or a name stands twice.
    """
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or name in pairs:
            message = f"{name!r} stands twice" if name in pairs else f"cannot read {text!r}"
            raise UsageError.of("bad_pair", message, path=option, hint="write NAME=VALUE, each name once")
        pairs[name] = value
    return pairs


def read_lists(texts: Iterable[str]) -> dict[str, list[str]]:
    """Case ids by split from ``SPLIT=FILE``.

    Raises:
        UsageError: a text is not of that form, or a file cannot be read.
        DataError: a file does not hold ids.
    """
    from robust.app.manifest_sources import read_id_list

    return {name: read_id_list(file) for name, file in read_named(texts, "--list").items()}


def folders_of(given: list[Path] | None, files: Iterable[Path]) -> list[Path]:
    """Where media files are looked for."""
    return given or list(dict.fromkeys(file.parent for file in files))


def show_manifest(file: Path) -> None:
    """Read a manifest that was just written, check it and show it."""
    from robust.app.manifest_summary import summarise_manifest
    from robust.render.manifest import summary_text

    out(summary_text(str(file), summarise_manifest(file)))


def say_refused(refused: Sequence[Refused]) -> None:
    """Tell what was left out."""
    from robust.render.manifest import refused_text

    for line in refused_text(refused):
        say(line)
