"""What differs between two manifests, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from robust.canon import JsonObject


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """One path at which two JSON values differ; ``has_before`` and ``has_after`` tell an absent value from null."""

    path: str
    before: Any
    after: Any
    has_before: bool = True
    has_after: bool = True

    def to_json(self) -> JsonObject:
        """The change as plain JSON data, without the side that is absent."""
        data: JsonObject = {"path": self.path}
        if self.has_before:
            data["before"] = self.before
        if self.has_after:
            data["after"] = self.after
        return data


@dataclass(frozen=True, kw_only=True, slots=True)
class ManifestDiff:
    """What a manifest (``after``) has otherwise than another (``before``).

    Attributes:
        before: digest of the first.
        after: digest of the second.
        header: changes of name, parent, provenance, splits and split rule.
        added: ids of cases that only the second has, with their splits.
        removed: ids of cases that only the first has, with their splits.
        moved: ids of cases in another split: before and after.
        changed: changes within a case line, but for its split, by id.
        validations_added: digests of validations that only the second has.
        validations_removed: digests of validations that only the first has.
        is_extension: whether the second names the first as its parent, and moved, dropped and changed nothing but
            answers that were missing.
    """

    before: str
    after: str
    header: tuple[Change, ...]
    added: dict[str, str]
    removed: dict[str, str]
    moved: dict[str, tuple[str, str]]
    changed: dict[str, tuple[Change, ...]]
    validations_added: tuple[str, ...]
    validations_removed: tuple[str, ...]
    is_extension: bool

    @property
    def empty(self) -> bool:
        """Whether nothing differs."""
        return self.before == self.after

    def to_json(self) -> JsonObject:
        """The difference as plain JSON data."""
        return {
            "before": self.before,
            "after": self.after,
            "is_extension": self.is_extension,
            "header": [change.to_json() for change in self.header],
            "added": [{"case_id": case_id, "split": split} for case_id, split in self.added.items()],
            "removed": [{"case_id": case_id, "split": split} for case_id, split in self.removed.items()],
            "moved": [
                {"case_id": case_id, "before": before, "after": after}
                for case_id, (before, after) in self.moved.items()
            ],
            "changed": [
                {"case_id": case_id, "changes": [change.to_json() for change in changes]}
                for case_id, changes in self.changed.items()
            ],
            "validations": {"added": list(self.validations_added), "removed": list(self.validations_removed)},
        }
