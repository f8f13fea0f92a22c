"""What differs between two manifests: by case, path by path; by validation; and in the header."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from robust.canon import canonical_bytes, decode_own, join_path
from robust.records.manifest_difference import Change, ManifestDiff

if TYPE_CHECKING:
    from robust.manifest.frozen import FrozenManifest

_ABSENT: Final = object()
# What the counts and the root say follows from the lines, which are compared themselves.
_DERIVED: Final = ("counts", "root", "kind", "schema")


def diff_manifests(before: FrozenManifest, after: FrozenManifest) -> ManifestDiff:
    """Compare two manifests; what is kept grows with what differs."""
    added: dict[str, str] = {}
    removed: dict[str, str] = {}
    moved: dict[str, tuple[str, str]] = {}
    changed: dict[str, tuple[Change, ...]] = {}
    for case_id, old, new in _joined(_cases(before), _cases(after)):
        if old is None and new is not None:
            added[case_id] = decode_own(new)["split"]
        elif new is None and old is not None:
            removed[case_id] = decode_own(old)["split"]
        elif old is not None and new is not None and old != new:
            first, second = decode_own(old), decode_own(new)
            splits = (first.pop("split"), second.pop("split"))
            if splits[0] != splits[1]:
                moved[case_id] = splits
            if changes := tuple(compare_json(first, second, "$")):
                changed[case_id] = changes
    known, found = before.validation_digests(), after.validation_digests()
    return ManifestDiff(
        before=before.digest,
        after=after.digest,
        header=tuple(_header_changes(before, after)),
        added=added,
        removed=removed,
        moved=moved,
        changed=changed,
        validations_added=tuple(sorted(found - known)),
        validations_removed=tuple(sorted(known - found)),
        is_extension=after.parent == before.digest
        and after.header["split_rule"] == before.header["split_rule"]
        and not (removed or moved or known - found)
        and all(map(_only_answered, changed.values())),
    )


def _only_answered(changes: tuple[Change, ...]) -> bool:
    """Whether nothing but a missing answer was filled in, with where it comes from."""
    allowed = ("$.case.expected", "$.label_source", "$.validation")
    # Below an answer there may be paths of its own; what was null has none.
    return all(change.path in allowed and change.before is None for change in changes)


def _header_changes(before: FrozenManifest, after: FrozenManifest) -> Iterator[Change]:
    first, second = before.header, after.header
    for name in _DERIVED:
        first.pop(name)
        second.pop(name)
    # How many cases a split has follows from the cases; which splits there are does not.
    first["splits"], second["splits"] = sorted(first["splits"]), sorted(second["splits"])
    yield from compare_json(first, second, "$")


def _cases(manifest: FrozenManifest) -> Iterator[tuple[str, bytes]]:
    return ((entry.case.case_id, line) for entry, line in manifest.entries_and_lines())


def _joined(
    first: Iterator[tuple[str, bytes]], second: Iterator[tuple[str, bytes]]
) -> Iterator[tuple[str, bytes | None, bytes | None]]:
    """Two ordered sequences side by side."""
    left = ((case_id, False, line) for case_id, line in first)
    right = ((case_id, True, line) for case_id, line in second)
    for case_id, group in groupby(merge(left, right, key=itemgetter(0)), key=itemgetter(0)):
        sides = {side: line for _, side, line in group}
        yield case_id, sides.get(False), sides.get(True)


def compare_json(before: object, after: object, path: str) -> Iterator[Change]:
    """The paths at which two JSON values differ, from the outside in."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            yield from _compare(before.get(key, _ABSENT), after.get(key, _ABSENT), join_path(path, key))
    elif isinstance(before, list) and isinstance(after, list):
        for index in range(max(len(before), len(after))):
            first = before[index] if index < len(before) else _ABSENT
            second = after[index] if index < len(after) else _ABSENT
            yield from _compare(first, second, join_path(path, index))
    elif canonical_bytes(before) != canonical_bytes(after):
        yield Change(path=path, before=before, after=after)


def _compare(before: object, after: object, path: str) -> Iterator[Change]:
    if before is _ABSENT:
        yield Change(path=path, before=None, after=after, has_before=False)
    elif after is _ABSENT:
        yield Change(path=path, before=before, after=None, has_after=False)
    else:
        yield from compare_json(before, after, path)
