"""Which cases passed by, and whether each stands where it should."""

from __future__ import annotations

from collections.abc import Sequence


class CaseOrder:
    """The ids of the cases that passed by.

    Args:
        ordered: whether each must stand behind the one before it, as the cases of a manifest do.

    Attributes:
        last: the case that came last; None before the first, and where another order begins.
    """

    def __init__(self, *, ordered: bool) -> None:
        self.ordered = ordered
        self.last: str | None = None
        self._ids: set[str] = set()

    def __contains__(self, case_id: str) -> bool:
        return case_id in self._ids

    def is_behind(self, case_id: str) -> bool:
        """Whether a case may stand behind the last one."""
        return not self.ordered or self.last is None or case_id > self.last

    def may_follow(self, case_ids: Sequence[str]) -> bool:
        """Whether these cases, of which there is at least one, may come next: in order, and none of them again."""
        new = {*case_ids}
        if len(new) < len(case_ids) or not new.isdisjoint(self._ids):
            return False
        return not self.ordered or (sorted(new) == [*case_ids] and self.is_behind(case_ids[0]))

    def add(self, case_ids: Sequence[str]) -> None:
        """Let cases pass by, in their order."""
        self._ids.update(case_ids)
        self.last = case_ids[-1]
