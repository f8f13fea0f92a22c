"""What a manifest says of the manifests that it comes from, against those that are at hand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from robust.app.checks import Attempt, Check, left_open
from robust.canon import canonical_bytes, decode_own, is_digest, key_of, parse_canonical
from robust.errors import IntegrityError, Problem
from robust.manifest.frozen import FrozenManifest
from robust.manifest.made_from import MADE_FROM
from robust.records.manifest import ManifestHeader
from robust.store.validations import read_own_lines

_CASE_START: Final = b'{"case":'
# Operations after which every case is still there.
_KEEPS_ALL: Final = ("split", "merge")
_MOST_SHOWN: Final = 10


class Lineage:
    """Compares manifests with those that they were made from.

    Args:
        manifests: the manifests that were given, by digest.
        load: reads one of them whole.
    """

    def __init__(self, manifests: Mapping[str, Path], load: Callable[[Path], FrozenManifest]) -> None:
        self._manifests = manifests
        self._load = load

    def checks(self, path: Path, header: ManifestHeader, digest: str) -> Iterator[Check]:
        """The checks of a manifest that names others.

        Args:
            path: the manifest, checked.
            header: its header.
            digest: its digest.
        """
        if header.parent is not None:
            yield self._parent(path, header.parent, digest)
        told = header.provenance.get(MADE_FROM)
        named = _named(told)
        if named:
            yield self._made_from(path, told, named)

    def _parent(self, path: Path, parent: str, digest: str) -> Check:
        place = self._manifests.get(parent)
        if place is None or parent == digest:
            return left_open("parent", f"{parent}, not given")

        def extends() -> str:
            found = self._load(place).diff(self._load(path))
            if not found.is_extension:
                changed = [*found.removed, *found.moved, *found.changed, *found.validations_removed]
                message = f"it is no extension of its parent {place}"
                if changed:
                    message += f": {', '.join(map(repr, changed[:_MOST_SHOWN]))} moved, dropped or changed"
                raise IntegrityError.of("not_an_extension", message, file=os.fspath(path), path="$.parent")
            return f"{parent}, {place}: nothing was moved, dropped or changed"

        return Attempt().step("parent", extends)

    def _made_from(self, path: Path, told: Any, named: Mapping[str, str]) -> Check:
        given = {digest: self._manifests[digest] for digest in named if digest in self._manifests}
        if not given:
            return left_open("made from", f"{', '.join(sorted(named)[:_MOST_SHOWN])}, not given")
        whole = len(given) == len(named)

        def compare() -> str:
            for digest, place in given.items():
                self._check_name(path, named[digest], place)
            if whole:
                _check_cases(path, list(given.values()), str(told.get("operation")))
            return ", ".join(map(os.fspath, given.values())) + (": every case comes from there" if whole else "")

        check = Attempt().step("made from", compare)
        if check.holds and not whole:
            return left_open("made from", f"{check.detail}; {len(named) - len(given)} of {len(named)} not given")
        return check

    def _check_name(self, path: Path, name: str, place: Path) -> None:
        with_header = next((line for _, line in read_own_lines(place)), b"{}")
        found = parse_canonical(with_header, file=os.fspath(place), line=1).get("name")
        if found != name:
            message = f"{name!r} is stored, {found!r} is the name of {place}"[:400]
            raise IntegrityError.of("contradiction", message, file=os.fspath(path), path=f"$.provenance.{MADE_FROM}")


def _named(told: Any) -> dict[str, str]:
    """The manifests that a provenance names, by digest; it may hold anything."""
    listed = told.get("manifests") if isinstance(told, dict) else None
    entries = listed if isinstance(listed, list) else []
    return {
        entry["digest"]: entry["name"]
        for entry in entries
        if isinstance(entry, dict) and is_digest(entry.get("digest")) and isinstance(entry.get("name"), str)
    }


def _check_cases(path: Path, sources: list[Path], operation: str) -> None:
    """Every case must come from the sources as it is, but for its answer; by some operations none may be left out."""
    known = {key for source in sources for key, _ in _cases(source)}
    found: set[bytes] = set()
    strange: list[str] = []
    for key, line in _cases(path):
        found.add(key)
        if key not in known and len(strange) < _MOST_SHOWN:
            strange.append(decode_own(line)["case"]["case_id"])
    file, place = os.fspath(path), f"$.provenance.{MADE_FROM}"
    problems = [
        Problem(code="not_made_from", message=f"case {case_id!r} is in none of them", file=file, path=place)
        for case_id in strange
    ]
    if not problems and operation in _KEEPS_ALL and len(found) < len(known):
        message = f"{len(known) - len(found)} of their cases are missing, and {operation} keeps them all"
        problems.append(Problem(code="not_made_from", message=message, file=file, path=place))
    if problems:
        raise IntegrityError(*problems)


def _cases(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """A key for each case without its answer, and its line; what cannot be read was, or will be, said elsewhere."""
    for number, line in read_own_lines(path):
        if number > 1 and line.startswith(_CASE_START):
            case = parse_canonical(line, file=os.fspath(path), line=number)["case"]
            if not isinstance(case, dict):
                raise IntegrityError.of("wrong_value", "no case", file=os.fspath(path), line=number, path="$.case")
            yield key_of(canonical_bytes({**case, "expected": None})), line
        elif number > 1:
            return
