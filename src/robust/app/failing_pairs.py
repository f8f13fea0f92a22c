"""The failing pairs of a stored run, one by one, and where its files lie for other tools."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import quote

from robust.app.running import Run
from robust.canon import Hasher, JsonObject, parse_canonical
from robust.errors import IntegrityError
from robust.run.contradiction import contradiction
from robust.run.failing_groups import FailingPair
from robust.store.runs import RECORDS, REPORT, RunReader

# In canonical JSON only a key can be followed by a colon, so that a pair that breaks something has these bytes.
_BREAKS: Final = b'"violations":["'


def failing_pairs(run: Run, judge: Callable[[JsonObject], JsonObject | None] | None) -> Iterator[FailingPair]:
    """Stream the pairs of a run that break a limit, in the order of the records.

    Args:
        run: the run, whose records were checked before.
        judge: gives a pair as other limits judge it, None where they do not; without it pairs are as they are stored.

    Raises:
        IntegrityError: behind the last pair, if the file is not the one that the report speaks of.
    """
    reader = RunReader(run.path)
    file, hasher = reader.file(RECORDS), Hasher()
    for number, line in reader.records():
        hasher.update(line + b"\n")
        if judge is None and _BREAKS not in line:
            continue
        record = parse_canonical(line, file=file, line=number)
        if record["kind"] != "pair":
            continue
        judged = record if judge is None else judge(record)
        if judged is not None and judged["violations"]:
            yield FailingPair(number, len(line.decode()), judged)
    stored, found = run.report["records"]["sha256"], hasher.digest()
    if stored != found:
        raise IntegrityError(contradiction(reader.file(REPORT), None, "$.records.sha256", stored, found))


def folder_uri(path: Path) -> str:
    """A folder as a relative URI with forward slashes, percent-encoded.

    Relative to the current folder, links resolved, as services look for files in a checkout; of a folder elsewhere it
    is the last part alone. Empty for the current folder itself.
    """
    try:
        whole, here = (Path(os.path.realpath(place)) for place in (path, Path.cwd()))
    except OSError:  # a current folder that was removed
        return quote(os.fsencode(path.name), safe="")
    parts = whole.relative_to(here).parts if whole.is_relative_to(here) else (whole.name,)
    return "/".join(quote(os.fsencode(part), safe="") for part in parts)
