"""Reading pairs from their source, a few at a time, each captured as it was when it was read."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from robust.canon import JsonObject, describe, pack, unpack
from robust.errors import CaseError
from robust.oracle.capturing import capture_plain
from robust.oracle.question import Labels, Question, capture
from robust.records.case import Case, Origin

_PAIR_TYPES: Final = (tuple, list)
# As many are captured together at most, as are no larger together than so many bytes, and of a stream, as come within
# so many seconds.
_MOST_AT_ONCE: Final = 128
_LARGE_BYTES: Final = 256 * 1024
_QUICK_S: Final = 0.05
# Where one of many is out of order, its neighbours are captured this many at a time.
_FEW: Final = 8
_LENGTH_BYTES: Final = 5


class PairReader:
    """Takes pairs from their source.

    Args:
        pairs: of base and candidate.
        relation: the relation of every pair; None for each candidate's own.
        labels: whether answers are shown.
        with_states: whether the questions are for copies in this process.

    Attributes:
        more: whether there may be more pairs.
        is_slow: whether the last ones were waited for.
        ended: in what the pairs ended, if not in their end; what was read before it comes first.
    """

    def __init__(self, pairs: Iterable[Any], relation: object, labels: Labels, *, with_states: bool = False) -> None:
        self.more = True
        self.is_slow = False
        self.ended: Exception | None = None
        # Of a list nothing happens between one pair and the next.
        self._is_there = type(pairs) in _PAIR_TYPES
        self._pairs = iter(pairs)
        self._relation = relation
        self._labels: Labels = labels
        self._with_states = with_states
        self._read = 0
        self._most = 1

    def __iter__(self) -> Iterator[Question]:
        """The questions one by one.

        Raises:
            CaseError: a pair cannot be judged; names its position, counted from 0.
        """
        for index, pair in enumerate(self._pairs):
            yield self._capture(index, pair)

    def take(self, most: int) -> list[Question]:
        """Up to so many questions; fewer where they are large, or would have to be waited for."""
        first = self._read
        if not self._is_there:
            return self._take_waiting(first, min(most, _MOST_AT_ONCE))
        pairs = list(islice(self._pairs, min(most, self._most)))
        self._read += len(pairs)
        self.more = bool(pairs)
        questions = self._captured(first, pairs)
        size = sum(len(each.base) + len(each.candidate) for each in questions)
        # Those that follow are about as large.
        self._most = min(2 * self._most, _MOST_AT_ONCE, max(1, _LARGE_BYTES * len(questions) // max(size, 1)))
        return questions

    def _take_waiting(self, first: int, most: int) -> list[Question]:
        pairs: list[Any] = []
        snapshots = _Snapshots()
        last: list[Question] = []
        ended: Exception | None = None
        due = time.monotonic() + _QUICK_S
        while not pairs or (len(pairs) < most and snapshots.size < _LARGE_BYTES and time.monotonic() < due):
            try:
                pair = next(self._pairs)
            except StopIteration:
                self.more = False
                break
            except Exception as error:  # noqa: BLE001 - raised behind what comes of the pairs before it
                ended = error
                break
            self._read += 1
            if snapshots.add(pair):
                pairs.append(pair)
                continue
            try:
                last = [self._capture(self._read - 1, pair)]
            except Exception as error:  # noqa: BLE001 - likewise
                ended = error
            break
        self.is_slow = time.monotonic() >= due
        # A source may change what it has handed out, and hand it out again.
        questions = self._captured(first, pairs if snapshots.hold() else snapshots.copies())
        if self.ended is None:
            questions += last
            self._end(ended)
        return questions

    def _end(self, error: Exception | None) -> None:
        if error is not None:
            self.more, self.ended = False, error

    def _captured(self, first: int, pairs: Sequence[Any], at_once: int = _MOST_AT_ONCE) -> list[Question]:
        """The questions of pairs, up to the first that cannot be judged.

        Args:
            first: the position of the first of them.
            pairs: the pairs.
            at_once: how many are captured together.
        """
        questions: list[Question] = []
        for place in range(0, len(pairs), at_once):
            few = pairs[place : place + at_once]
            plain = capture_plain(few, self._relation, self._labels, with_states=self._with_states)
            if plain is not None:
                questions += plain
            elif len(few) > _FEW:
                questions += self._captured(first + place, few, _FEW)
            else:
                questions += self._one_by_one(first + place, few)
            if self.ended is not None:
                break
        return questions

    def _one_by_one(self, first: int, pairs: Iterable[Any]) -> list[Question]:
        questions = []
        try:
            for index, pair in enumerate(pairs, first):
                questions.append(self._capture(index, pair))
        except Exception as error:  # noqa: BLE001 - raised behind what comes of the pairs before it
            self._end(error)
        return questions

    def _capture(self, index: int, pair: Any) -> Question:
        """Capture a pair by itself.

        Raises:
            CaseError: it cannot be judged; names its position.
        """
        if not (isinstance(pair, _PAIR_TYPES) and len(pair) == 2):
            message = f"must be a pair of base and candidate, not {describe(pair)}"
            raise CaseError.of("not_a_pair", message, path=f"pairs[{index}]")
        base, candidate = pair
        try:
            return capture(base, candidate, relation=self._relation, labels=self._labels)
        except CaseError as error:
            prefix = f"pairs[{index}]"
            raise CaseError(
                *(replace(item, path=f"{prefix}.{(item.path or '').removeprefix('$.')}") for item in error.problems)
            ) from None


class _Snapshots:
    """The binary forms of pairs as they were when they were read.

    Attributes:
        size: how many bytes they have together.
    """

    def __init__(self) -> None:
        self.size = 0
        self._fields: list[tuple[JsonObject, JsonObject]] = []
        self._packed: list[bytes] = []

    def add(self, pair: Any) -> bool:
        """Take a snapshot; False where the pair is of other than built-in types and has to be captured at once."""
        if type(pair) not in _PAIR_TYPES or len(pair) != 2 or not (type(pair[0]) is type(pair[1]) is Case):
            return False
        base, candidate = pair[0].__dict__, pair[1].__dict__
        origin = candidate.get("origin")
        if type(origin) is Origin:
            candidate = {**candidate, "origin": origin.__dict__}
        try:
            packed = pack((base, candidate))
        except (TypeError, RecursionError):
            return False
        self._fields.append((base, candidate))
        self._packed.append(packed)
        self.size += len(packed)
        return True

    def hold(self) -> bool:
        """Whether all pairs still are what they were."""
        before = b"".join(self._packed)
        try:
            now = pack(self._fields)
        except (TypeError, RecursionError):
            return False
        # The binary form of a list is its length, in up to five bytes, and the items.
        return now.endswith(before) and len(now) - len(before) <= _LENGTH_BYTES

    def copies(self) -> list[tuple[Case, Case]]:
        """The pairs as they were."""
        return [(Case.of_own(base), Case.of_own(candidate)) for base, candidate in map(unpack, self._packed)]
