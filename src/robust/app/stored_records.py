"""The records of a stored run one by one, as they are judged now, held to be those that its report speaks of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from robust.app.running import Run
from robust.canon import Hasher, JsonObject, parse_canonical
from robust.errors import IntegrityError
from robust.run.contradiction import contradiction
from robust.run.rejudge import Rejudging
from robust.store.runs import RECORDS, REPORT, RunReader


@dataclass(frozen=True, slots=True, repr=False)
class RejudgedRun(Run):
    """A stored run whose answers were judged again.

    Attributes:
        rejudging: by what.
    """

    rejudging: Rejudging = field(compare=False)


def judged_records(run: Run) -> Iterator[tuple[int, JsonObject]]:
    """Stream the records of a run with the lines on which they stand; pairs that are judged no more are left out.

    Args:
        run: the run, whose records were checked before.

    Raises:
        IntegrityError: behind the last record, if the file is not the one that the report speaks of.
    """
    judge = run.rejudging.judged if isinstance(run, RejudgedRun) else None
    reader = RunReader(run.path)
    file, hasher = reader.file(RECORDS), Hasher()
    for number, line in reader.records():
        hasher.update(line + b"\n")
        record = parse_canonical(line, file=file, line=number)
        shown = record if judge is None or record["kind"] == "decision" else judge(record)
        if shown is not None:
            yield number, shown
    stored, found = run.report["records"]["sha256"], hasher.digest()
    if stored != found:
        raise IntegrityError(contradiction(reader.file(REPORT), None, "$.records.sha256", stored, found))
