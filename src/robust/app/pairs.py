"""Files of bases and candidates to the pairs that an oracle judges."""

from __future__ import annotations

import os
from collections.abc import Iterator

from robust.errors import DataError
from robust.records.case import Case
from robust.store.datasets import read_candidates, read_cases


def read_pairs(bases: str | os.PathLike[str], candidates: str | os.PathLike[str]) -> Iterator[tuple[Case, Case]]:
    """Match candidates with the bases that their ``origin.parent_id`` names, in the order of the candidates.

    Raises:
        UsageError: a file cannot be read.
        DataError: a line is wrong, a candidate has no origin, or its parent is not among the bases.
    """
    by_id = {case.case_id: case for _, case in read_cases(bases)}
    file = os.fspath(candidates)
    for line, candidate in read_candidates(candidates, by_id):
        origin = candidate.origin
        base = None if origin is None else by_id.get(origin.parent_id)
        if base is None:
            missing = "no origin.parent_id" if origin is None else f"the parent {origin.parent_id!r}, which is no base"
            message = f"the candidate {candidate.case_id!r} has {missing}"
            raise DataError.of(
                "no_parent", message, file=file, line=line, path="$.origin.parent_id", hint="name a base by its id"
            )
        yield base, candidate
