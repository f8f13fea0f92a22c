"""Which cases passed by, and whether each stands where it should."""

from __future__ import annotations

from collections.abc import Sequence
from operator import lt
from typing import Final

# Stands in no id, since an id holds nothing that cannot be printed.
_BETWEEN: Final = "\n"
_TOGETHER: Final = 256


class CaseOrder:
    """The ids of the cases that passed by.

    As long as they ascend, as those of a manifest do and those of most data sets, none of them can come again, and they
    are kept as one text for many. A set takes several times as much; it is made where it is needed.

    Args:
        ordered: whether each must stand behind the one before it, as the cases of a manifest do.

    Attributes:
        last: the case that came last; None before the first, and where another order begins.
    """

    def __init__(self, *, ordered: bool) -> None:
        self.ordered = ordered
        self.last: str | None = None
        self._greatest = ""
        # Those that came last, and texts of those before; as long as there is no set.
        self._recent: list[str] = []
        self._texts: list[str] = []
        self._ids: set[str] | None = None

    def __contains__(self, case_id: str) -> bool:
        return not self._is_beyond(case_id) and case_id in self._known()

    def is_behind(self, case_id: str) -> bool:
        """Whether a case may stand behind the last one."""
        return not self.ordered or self.last is None or case_id > self.last

    def may_follow(self, case_ids: Sequence[str]) -> bool:
        """Whether these cases, of which there is at least one, may come next: in order, and none of them again."""
        if self._ascend(case_ids):
            return self.is_behind(case_ids[0])
        new = {*case_ids}
        if len(new) < len(case_ids) or not new.isdisjoint(self._known()):
            return False
        return not self.ordered or (sorted(new) == [*case_ids] and self.is_behind(case_ids[0]))

    def add(self, case_ids: Sequence[str]) -> None:
        """Let cases pass by, in their order."""
        if self._ids is None and self._ascend(case_ids):
            self._recent += case_ids
            self._greatest = case_ids[-1]
            if len(self._recent) >= _TOGETHER:
                self._texts.append(_BETWEEN.join(self._recent))
                self._recent = []
        else:
            self._known().update(case_ids)
        self.last = case_ids[-1]

    def _is_beyond(self, case_id: str) -> bool:
        """Whether it is seen at once that a case did not pass by."""
        return self._ids is None and case_id > self._greatest

    def _ascend(self, case_ids: Sequence[str]) -> bool:
        """Whether it is seen at once that none of these passed by, nor stands twice among them."""
        return self._is_beyond(case_ids[0]) and all(map(lt, case_ids, case_ids[1:]))

    def _known(self) -> set[str]:
        if self._ids is None:
            self._ids = {*self._recent}
            for text in self._texts:
                self._ids.update(text.split(_BETWEEN))
            self._recent, self._texts = [], []
        return self._ids
