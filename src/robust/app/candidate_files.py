"""Writing candidates and the report on them, so that both files appear or neither."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Protocol

from robust.canon import JsonObject, canonical_bytes
from robust.errors import RobustError, UsageError
from robust.records.case import Case
from robust.records.encoding import canonical_case
from robust.store.files import atomic_output


class Reported(Protocol):
    """Candidates, one by one, and a report on those so far."""

    def __iter__(self) -> Iterator[Case]:
        """The candidates."""
        ...

    @property
    def report(self) -> JsonObject:
        """Counts, as plain data, with ``candidates`` among them."""
        ...


def check_outputs(
    inputs: tuple[str | os.PathLike[str] | None, ...], outputs: tuple[str | os.PathLike[str] | None, ...]
) -> None:
    """Refuse to write over what is read, and to write one file twice.

    Raises:
        UsageError: an output is an input, or another output.
    """
    seen = {os.path.realpath(path): "the file is read by this command too" for path in inputs if path is not None}
    for path in outputs:
        if path is None:
            continue
        place = os.path.realpath(path)
        if place in seen:
            raise UsageError.of("same_file", seen[place], file=os.fspath(path), hint="give the output another name")
        seen[place] = "the file would be written twice by this command"


def write_candidates(
    made: Reported,
    output: str | os.PathLike[str],
    report: str | os.PathLike[str] | None,
    *,
    overwrite: bool,
    nothing: Callable[[JsonObject], RobustError],
) -> None:
    """Write candidates, one stored case a line, and the report on them, when the last one is made.

    Args:
        made: the candidates.
        output: the file of candidates.
        report: the file of the report, as canonical JSON; none by default.
        overwrite: whether these files may be replaced.
        nothing: the error for a report without a single candidate.

    Raises:
        UsageError: a file cannot be written.
        RobustError: whatever making a candidate raises, and ``nothing``.
    """
    with ExitStack() as stack:
        write_report = None
        if report is not None:
            write_report = stack.enter_context(atomic_output(Path(report), overwrite=overwrite))
        write = stack.enter_context(atomic_output(Path(output), overwrite=overwrite))
        for case in made:
            write(canonical_case(case) + b"\n")
        if not made.report["candidates"]:
            raise nothing(made.report)
        if write_report is not None:
            write_report(canonical_bytes(made.report) + b"\n")
