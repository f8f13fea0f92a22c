"""``robust manifest split``, ``extend``, ``subset`` and ``merge``: new manifests from old ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from robust.cli.console import guarded
from robust.cli.manifest_options import (
    Fractions,
    Lists,
    ManifestFile,
    MediaFrom,
    NewName,
    Output,
    Overwrite,
    Salt,
    SkipRefused,
    folders_of,
    read_fractions,
    read_lists,
    read_named,
    say_refused,
    show_manifest,
)
from robust.errors import UsageError

if TYPE_CHECKING:
    from robust.app.manifests import Manifest

RelationName = Literal["invariant", "counterfactual", "increasing", "decreasing"]


def _save(manifest: Manifest, output: Path, media: list[Path], *, overwrite: bool) -> None:
    from robust.app.manifest_media import save_with_media

    save_with_media(manifest, output, media_from=media, overwrite=overwrite)
    show_manifest(output)


@guarded
def split(
    file: ManifestFile,
    *,
    output: Output,
    fractions: Fractions = None,
    lists: Lists = None,
    rest: Annotated[str | None, typer.Option(help="With --list: the split of all groups in no list.")] = None,
    salt: Salt = "",
    resplit: Annotated[bool, typer.Option("--resplit", help="Let cases leave the splits they are frozen in.")] = False,
    name: NewName = None,
    media_from: MediaFrom = None,
    overwrite: Overwrite = False,
) -> None:
    """Deal the cases of a manifest to splits, by fractions or by lists of case ids."""
    from robust.app.manifest_reading import load_manifest

    if (fractions is None) == (lists is None):
        message = "give either --fractions or --list"
        raise UsageError.of(
            "two_splits" if lists else "bad_split", message, hint="such as --fractions dev=0.8,test=0.2"
        )
    plan: Any = read_lists(lists) if fractions is None and lists is not None else read_fractions(fractions or "")
    manifest = load_manifest(file).split(plan, salt=salt, rest=rest, resplit=resplit, name=name)
    _save(manifest, output, folders_of(media_from, [file]), overwrite=overwrite)


@guarded
def extend(
    file: ManifestFile,
    new: Annotated[list[Path], typer.Argument(help="New cases (data sets, stored cases) and validation records.")],
    *,
    output: Output,
    split_name: Annotated[
        str | None, typer.Option("--split", help="The split of new source groups, where no rule places them.")
    ] = None,
    lists: Lists = None,
    skip_refused: SkipRefused = False,
    name: NewName = None,
    media_from: MediaFrom = None,
    overwrite: Overwrite = False,
) -> None:
    """Add cases and valid variants; the new manifest names the old one as its parent, and moves or drops nothing."""
    from robust.app.manifest_reading import load_manifest
    from robust.app.manifest_sources import read_material

    if split_name is not None and lists:
        raise UsageError.of("two_splits", "--split and --list exclude each other", hint="give one of them")
    old = load_manifest(file)
    material = read_material(new, skip_refused=skip_refused, present=old.cases)
    manifest = old.extend(
        cases=material.cases,
        validations=material.validations,
        splits=read_lists(lists) if lists else split_name,
        name=name,
    )
    say_refused(material.refused)
    _save(manifest, output, folders_of(media_from, [file, *new]), overwrite=overwrite)


@guarded
def subset(
    file: ManifestFile,
    *,
    output: Output,
    split_name: Annotated[str | None, typer.Option("--split", help="Only cases of this split.")] = None,
    ids: Annotated[list[str] | None, typer.Option("--id", help="Only this case; may be repeated.")] = None,
    ids_file: Annotated[Path | None, typer.Option("--ids", help="Only the cases of this file of ids.")] = None,
    relation: Annotated[
        RelationName | None, typer.Option(help="Only variants of this relation, with their bases.")
    ] = None,
    metadata: Annotated[
        list[str] | None,
        typer.Option("--metadata", metavar="KEY=VALUE", help="Only cases whose metadata say so; may be repeated."),
    ] = None,
    name: NewName = None,
    media_from: MediaFrom = None,
    overwrite: Overwrite = False,
) -> None:
    """Keep the cases that meet every condition: a base with its variants, a variant with its base."""
    from robust.app.manifest_reading import load_manifest
    from robust.app.manifest_sources import read_id_list

    wanted = list(ids or [])
    if ids_file is not None:
        wanted += read_id_list(ids_file)
    manifest = load_manifest(file).subset(
        split=split_name,
        ids=wanted if ids or ids_file is not None else None,
        relation=relation,
        metadata=dict(read_named(metadata or [], "--metadata")),
        name=name,
    )
    _save(manifest, output, folders_of(media_from, [file]), overwrite=overwrite)


@guarded
def merge(
    files: Annotated[list[Path], typer.Argument(metavar="MANIFEST...", help="Two manifests or more.")],
    *,
    name: Annotated[str, typer.Option(help="The new manifest's name.")],
    output: Output,
    media_from: MediaFrom = None,
    overwrite: Overwrite = False,
) -> None:
    """Make one manifest of several: every case once, all variants, all validations."""
    from robust.app.manifest_reading import load_manifest
    from robust.app.manifests import Manifest

    manifest = Manifest.merge(name, [load_manifest(file) for file in files])
    _save(manifest, output, folders_of(media_from, files), overwrite=overwrite)
