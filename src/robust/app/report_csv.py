"""A run as CSV files for spreadsheets, streamed from its records."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from robust.app.running import Run
from robust.app.stored_records import judged_records
from robust.errors import UsageError
from robust.render.csv_rows import PARTS, Cell, Part, part_rows
from robust.store.files import atomic_output
from robust.store.outputs import check_output
from robust.store.spreadsheet import encode_rows, guard_formula


def csv_lines(run: Run, part: Part, *, mark: bool = False) -> Iterator[bytes]:
    """A part of a run as lines of CSV; no cell of it starts a formula.

    Args:
        run: the run, as :func:`robust.run_contract` and :func:`robust.report_run` return it.
        part: ``checks``, ``pairs`` or ``decisions``.
        mark: whether it begins with a byte order mark, by which Excel knows that it is UTF-8.

    Raises:
        UsageError: there is no such part.
        IntegrityError: behind the last line, if the records are not those that the report speaks of.
    """
    if part not in PARTS:
        hint = f"it is one of {', '.join(PARTS)}"
        raise UsageError.of("unknown_part", f"there is no part {part!r}", path="part", hint=hint)
    records = iter(()) if part == "checks" else (record for _, record in judged_records(run))
    rows = part_rows(part, run.report, records)
    return encode_rows(([*map(_cell, row)] for row in rows), mark=mark)


def _cell(value: Cell) -> str:
    """A cell as it is written: only texts can be formulas, and a number stays one."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    # Half of a character outside the first plane is none that UTF-8 could hold.
    return repr(value) if not isinstance(value, str) else guard_formula(value.encode("utf-8", "replace").decode())


def save_csv(
    run: Run, output: str | os.PathLike[str], *, part: Part | None = None, overwrite: bool = False
) -> list[Path]:
    """Write a run as CSV: a folder with a file for each part, or one file with one of them.

    They are UTF-8 with a byte order mark, by which Excel knows the encoding. Each appears under its name only when it
    is whole.

    Args:
        run: the run, as :func:`robust.run_contract` and :func:`robust.report_run` return it.
        output: a folder, which is made where it is missing; with a part, a file.
        part: the part that is written: ``checks``, ``pairs`` or ``decisions``; all of them by default.
        overwrite: whether files that are there may be replaced.

    Returns:
        the files.

    Raises:
        UsageError: there is no such part, a file exists, cannot be written, or is within the run's folder.
        IntegrityError: the records are not those that the report speaks of.
    """
    target = Path(output)
    if part is None and target.suffix.lower() == ".csv" and not target.is_dir():
        hint = "name it with --part checks, pairs or decisions; or name a folder for all three"
        raise UsageError.of("no_part", "a file holds one part", file=os.fspath(output), hint=hint)
    files: dict[Part, Path] = {part: target} if part is not None else {each: target / f"{each}.csv" for each in PARTS}
    for file in files.values():
        refuse_inside(run, file)
    if part is None:
        _make(target)
    for file in files.values():
        check_output(file, overwrite=overwrite)
    for each, file in files.items():
        lines = csv_lines(run, each, mark=True)
        with atomic_output(file, overwrite=overwrite) as write:
            for line in lines:
                write(line)
    return [*files.values()]


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError.of("unwritable", f"no folder can be made there: {reason}", file=os.fspath(folder)) from None


def refuse_inside(run: Run | Path, file: Path) -> None:
    """Refuse to write into the folder of a run, which holds its own files only.

    Raises:
        UsageError: the file is in it.
    """
    try:
        folder = run if isinstance(run, Path) else run.path
        inside = folder.resolve() in file.resolve().parents
    except (OSError, ValueError, RuntimeError):
        inside = False  # what cannot be resolved cannot be written either
    if inside:
        message = "the folder of a run holds its own files only"
        raise UsageError.of("bad_output", message, file=os.fspath(file), hint="write it elsewhere")
