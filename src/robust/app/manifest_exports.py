"""Manifests for other tools: samples of Inspect in JSON Lines, and CSV that can be read back."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from robust.app.manifest_media import media_of
from robust.app.manifest_reading import load_manifest
from robust.canon import JsonObject, canonical_bytes, decode_own, read_json
from robust.errors import DataError, UsageError
from robust.manifest.frozen import FrozenManifest
from robust.records.manifest import CaseEntry
from robust.render.samples import COLUMNS, Exported, check_choices, csv_row, inspect_sample
from robust.store.files import atomic_output
from robust.store.media import copy_media
from robust.store.spreadsheet import encode_rows, guard_formula, unguard
from robust.store.tables import csv_cells

Form: TypeAlias = Literal["inspect", "csv"]


def export_for_tools(
    path: str | os.PathLike[str],
    output: str | os.PathLike[str],
    form: Form,
    *,
    split: str | None = None,
    choices: Sequence[str] = (),
    overwrite: bool = False,
) -> int:
    """Write the cases of a manifest for another tool; their media files are copied beside the output.

    Args:
        path: the manifest.
        output: the file to write.
        form: ``inspect`` for one sample a line, as Inspect's ``json_dataset`` reads them; ``csv`` for spreadsheets.
        split: only the cases of this split.
        choices: for ``inspect``: the answers to choose from, in order; targets are then letters.
        overwrite: whether a file that is there is replaced.

    Returns:
        how many cases were written.

    Raises:
        UsageError: a file cannot be read or written, there is no such split, it has no cases, or choices do not fit.
        IntegrityError: the manifest is damaged.
        DataError: a media file is missing or has changed.
    """
    if form not in get_args(Form):
        raise UsageError.of("unknown_form", f"must be inspect or csv, not {form!r}", path="form")
    check_choices(choices)
    if choices and form != "inspect":
        raise UsageError.of("bad_choices", "only samples of Inspect have choices", path="choices")
    manifest = load_manifest(path)
    entries = _chosen(manifest, split)
    header = manifest.header
    count: int = header["counts"]["cases"] if split is None else header["splits"][split]["cases"]
    if not count:
        raise UsageError.of("no_cases", f"the split {split!r} has no cases", path="split")
    exported = Exported(manifest.digest, dict(_relations(manifest)))
    target = Path(output)
    with atomic_output(target, overwrite=overwrite) as write:
        for line in _csv_lines(entries, exported) if form == "csv" else _sample_lines(entries, exported, choices):
            write(line)
        copy_media(media_of(entry.case for entry in _chosen(manifest, split)), [Path(path).parent], target)
    return count


def _csv_lines(entries: Iterable[CaseEntry], exported: Exported) -> Iterator[bytes]:
    rows = chain([COLUMNS], (csv_row(entry, exported) for entry in entries))
    return encode_rows((list(map(guard_formula, row)) for row in rows), mark=False)


def _sample_lines(entries: Iterable[CaseEntry], exported: Exported, choices: Sequence[str]) -> Iterator[bytes]:
    return (canonical_bytes(inspect_sample(entry, exported, choices)) + b"\n" for entry in entries)


def _chosen(manifest: FrozenManifest, split: str | None) -> Iterable[CaseEntry]:
    return manifest.entries if split is None else manifest.entries_in(split)


def _relations(manifest: FrozenManifest) -> Iterator[tuple[str, str]]:
    for line in manifest.validation_lines():
        record = decode_own(line)["validation"]
        yield record["digest"], record["relation"]


def read_csv_export(path: str | os.PathLike[str]) -> Iterator[JsonObject]:
    """Read the rows of an exported CSV file back: texts as they were, answers and objects as JSON values.

    Raises:
        UsageError: the file cannot be read.
        DataError: it is no such file, or a cell is wrong; names file and line.
    """
    file = os.fspath(path)
    rows = csv_cells(file, COLUMNS)
    header = tuple(unguard(cell) for cell in next(rows, (1, []))[1])
    if header != COLUMNS:
        message = f"the columns are not those of an exported manifest: {', '.join(COLUMNS)}"
        raise DataError.of("csv_header", message, file=file, line=1)
    for line, cells in rows:
        row: JsonObject = dict(zip(COLUMNS, map(unguard, cells), strict=True))
        for name in ("input", "expected"):
            kind = row.pop(f"{name}_kind")
            if kind == "json":
                row[name] = read_json(row[name], file=file, line=line)
            elif kind == "":
                row[name] = None
            elif kind != "text":
                message = f"must be text, json or empty, not {kind!r}"
                raise DataError.of("wrong_value", message, file=file, line=line, path=f"{name}_kind")
        for name in ("metadata", "media"):
            row[name] = read_json(row[name], file=file, line=line)
        for name in ("label_source", "base_id", "relation", "transform", "validation"):
            row[name] = row[name] or None
        yield row
