"""The base cases that candidates are made from, read whole and put aside before anything is made of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from robust.app.manifests import Manifest
from robust.canon import MAX_SAFE_INTEGER, describe, read_json
from robust.errors import CaseError, DataError, RobustError, UsageError
from robust.records.case import Case
from robust.store.datasets import read_cases, unique_cases
from robust.store.files import read_lines
from robust.store.shelf import CaseShelf

# Integers with more digits are told of by their kind: Python refuses to write very long ones.
_MOST_DIGITS: Final = 30


def check_drawing(seed: object, per_case: object, text_field: object, *, most: int) -> None:
    """Check the settings with which edits of base cases are drawn.

    Args:
        seed: what the random streams begin with.
        per_case: how many edits of one kind are drawn for each case.
        text_field: of object inputs, the key of the text; None for the only text.
        most: the largest ``per_case``.

    Raises:
        UsageError: one is of another type, or out of its range.
    """
    if type(seed) is not int or abs(seed) > MAX_SAFE_INTEGER:
        message = f"must be an integer within ±(2^53−1), not {_shown(seed)}"
        raise UsageError.of("bad_seed", message, path="seed")
    if type(per_case) is not int or not 1 <= per_case <= most:
        message = f"must be an integer from 1 to {most}, not {_shown(per_case)}"
        raise UsageError.of("bad_per_case", message, path="per_case")
    if text_field is not None and not isinstance(text_field, str):
        raise UsageError.of("bad_text_field", f"must be a key, not {describe(text_field)}", path="text_field")


def _shown(value: object) -> object:
    return value if type(value) is int and abs(value) < 10**_MOST_DIGITS else describe(value)


def shelve(cases: str | os.PathLike[str] | Iterable[Case], *, split: str | None = None) -> CaseShelf:
    """Put base cases aside: those of a file, see :func:`shelve_file`, or given ones, see :func:`shelve_cases`.

    Raises:
        UsageError: also where a split of given cases is asked for.
        RobustError: see there.
    """
    if isinstance(cases, str | os.PathLike):
        return shelve_file(cases, split=split)
    if split is not None:
        raise UsageError.of("split_without_manifest", "a split is given without a manifest", path="split")
    return shelve_cases(cases)


def shelve_cases(cases: Iterable[Case]) -> CaseShelf:
    """Put cases aside.

    Raises:
        CaseError: one is no case, not portable JSON, or a variant itself.
        DataError: an id stands twice.
        UsageError: there are none.
    """
    if not isinstance(cases, Iterable):
        raise CaseError.of("not_a_case", f"must be cases, not {describe(cases)}", path="cases")
    placed = ((f"cases[{index}]", _checked(case, index)) for index, case in enumerate(cases))
    return _shelved(unique_cases(placed, "cases"), None)


def shelve_file(path: str | os.PathLike[str], *, split: str | None = None) -> CaseShelf:
    """Put the base cases of a data set, of a file of stored cases, or of a manifest aside.

    The ids of a manifest's other cases are reserved, so that no candidate gets one.

    Args:
        path: the file.
        split: of a manifest, the split whose bases are put aside; all by default.

    Raises:
        UsageError: the file cannot be read, has no cases or is no manifest while a split is given.
        DataError: a row is wrong, is a variant itself, or has an id that stands twice; names file and line.
        IntegrityError: the manifest is damaged.
    """
    file = os.fspath(path)
    if _is_manifest(path):
        return _shelved_manifest(path, split)
    if split is not None:
        raise UsageError.of("split_without_manifest", "a split is given, but the file is no manifest", file=file)

    def bases() -> Iterable[Case]:
        for line, case in read_cases(path):
            if case.origin is not None:
                raise DataError(*_variant(case).located(file=file, line=line).problems)
            yield case

    return _shelved(bases(), file)


def _shelved(cases: Iterable[Case], file: str | None) -> CaseShelf:
    shelf = CaseShelf()
    try:
        empty = True
        for case in cases:
            shelf.put(case)
            empty = False
        if empty:
            raise UsageError.of("no_cases", "there are no cases", file=file)
    except BaseException:
        shelf.close()
        raise
    return shelf


def _shelved_manifest(path: str | os.PathLike[str], split: str | None) -> CaseShelf:
    manifest = Manifest.load(path)
    entries = manifest.entries if split is None else manifest.entries_in(split)
    shelf = _shelved((entry.case for entry in entries if entry.case.origin is None), os.fspath(path))
    for case in manifest.cases:
        shelf.reserve(case.case_id)
    return shelf


def _is_manifest(path: str | os.PathLike[str]) -> bool:
    """Whether a file's first line is a manifest's header; what cannot be read twice is none."""
    try:
        if not Path(path).is_file():
            return False
        first = next(read_lines(path), None)
        header = None if first is None else read_json(first[1])
    except (RobustError, ValueError, OSError):  # reading it as cases will say what is wrong
        return False
    return isinstance(header, dict) and header.get("kind") == "manifest"


def _checked(case: Any, index: int) -> Case:
    if not isinstance(case, Case):
        raise CaseError.of("not_a_case", f"must be a Case, not {describe(case)}", path=f"cases[{index}]")
    if case.origin is not None:
        raise _variant(case)
    return case


def _variant(case: Case) -> CaseError:
    where, hint = f"case {case.case_id!r}", "make every candidate from a base"
    return CaseError.of("parent_is_variant", "it has an origin, so that it is a variant itself", path=where, hint=hint)
