"""The cases of a comparison that changed: those that are to be looked at first, and how many there are of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from robust.canon import JsonObject, decode_own
from robust.records.decision import select, tidy_number
from robust.records.run_diff import CHANGE_KINDS, MOST_CHANGES, MOST_LABEL_PAIRS, ChangeKind, ComparedAnswer
from robust.run.changed_text import changed_text, text_start

# Of an input in the report; the records have the whole.
_SHOWN: Final = 500
_WEIGHTS: Final = {kind: weight for weight, kind in enumerate(CHANGE_KINDS)}


class Change(NamedTuple):
    """A case whose answer changed; in the order in which they are to be read.

    Attributes:
        weight: of its kind; the least is looked at first.
        nearness: the total variation distance of the two answers, negated; 1 where there are not two.
        case_id: its id.
        baseline: what the first run answered.
        candidate: what the second answered.
        expected: the right answer, as the candidate has it.
    """

    weight: int
    nearness: float
    case_id: str
    baseline: ComparedAnswer
    candidate: ComparedAnswer
    expected: str | None

    @property
    def kind(self) -> ChangeKind:
        """What came of it."""
        return CHANGE_KINDS[self.weight]

    @property
    def has_other_input(self) -> bool:
        """Whether the two runs were asked different things."""
        return self.baseline.content != self.candidate.content


class ShownInput(NamedTuple):
    """An input as far as it is kept to be shown: a difference beyond its end is not seen.

    Attributes:
        text: its start.
        left: how many characters are left out.
    """

    text: str
    left: int

    @classmethod
    def of(cls, record: bytes) -> ShownInput:
        """The input of a record, by its line."""
        return cls(*text_start(decode_own(record)["input"]))


class Changes:
    """Counts changed cases, and keeps those that are to be looked at first.

    Args:
        labels: of the decision, in order.
        most: how many are kept.
    """

    def __init__(self, labels: Sequence[str], most: int = MOST_CHANGES) -> None:
        self._labels = labels
        self._most = most
        self._kept: list[Change] = []
        self._counts: Counter[ChangeKind] = Counter()
        self._pairs: Counter[tuple[int, int]] = Counter()

    def add(self, case_id: str, baseline: ComparedAnswer, candidate: ComparedAnswer, distance: float | None) -> None:
        """Count a case of both runs, whether it changed or not.

        Args:
            case_id: its id.
            baseline: what the first run answered.
            candidate: what the second answered.
            distance: the total variation distance of the two answers; None where there are not two.
        """
        kind = self._kind(baseline, candidate)
        if kind is None:
            return
        self._counts[kind] += 1
        nearness = 1.0 if distance is None else -distance
        self._kept.append(Change(_WEIGHTS[kind], nearness, case_id, baseline, candidate, candidate.expected))
        # Sorted now and then, so that it costs little and no more than twice as many are held.
        if len(self._kept) >= 2 * self._most:
            self._trim()

    def _trim(self) -> None:
        self._kept.sort(key=_order)
        del self._kept[self._most :]

    def _kind(self, baseline: ComparedAnswer, candidate: ComparedAnswer) -> ChangeKind | None:
        if baseline.probabilities is None or candidate.probabilities is None:
            if baseline.probabilities is not None:
                return "new_error"
            return None if candidate.probabilities is None else "recovered"
        was, now = select(baseline.probabilities), select(candidate.probabilities)
        if was == now:
            return None
        self._pairs[was, now] += 1
        if candidate.expected == self._labels[was]:
            return "newly_wrong"
        return "newly_right" if candidate.expected == self._labels[now] else "other_label"

    @property
    def count(self) -> int:
        """How many cases changed."""
        return self._counts.total()

    def first(self) -> list[Change]:
        """Those that are kept, in the order in which they are to be read."""
        self._trim()
        return self._kept

    def by_kind(self) -> JsonObject:
        """How many there are of each kind."""
        return {kind: self._counts[kind] for kind in CHANGE_KINDS}

    def label_pairs(self) -> list[JsonObject]:
        """From which label to which other one, the most frequent first."""
        ordered = sorted(self._pairs.items(), key=lambda each: (-each[1], each[0]))
        return [
            {"from": self._labels[was], "to": self._labels[now], "count": count}
            for (was, now), count in ordered[:MOST_LABEL_PAIRS]
        ]

    def entry(self, change: Change, baseline: ShownInput | None, candidate: ShownInput) -> JsonObject:
        """A changed case as it stands in the report.

        Args:
            change: the case.
            baseline: its input in the first run, where that is another one.
            candidate: its input in the second run.
        """
        entry: JsonObject = {
            "case_id": change.case_id,
            "kind": change.kind,
            "expected": change.expected,
            "baseline": self._answer(change.baseline),
            "candidate": self._answer(change.candidate),
            "tv_distance": None if change.nearness == 1 else tidy_number(-change.nearness),
            "input": candidate.text[:_SHOWN],
            "input_left": candidate.left + max(len(candidate.text) - _SHOWN, 0),
            "other_input": None,
        }
        if baseline is not None:
            changed = changed_text(baseline.text, candidate.text)
            entry["other_input"] = {name: getattr(changed, name)[:_SHOWN] for name in ("old", "new")}
        return entry

    def _answer(self, answer: ComparedAnswer) -> JsonObject:
        """What a run answered: the selected label and its probability, or the kind of the error."""
        if answer.probabilities is None:
            return {"line": answer.line, "selected": None, "confidence": None, "error": answer.error}
        selected = select(answer.probabilities)
        confidence = tidy_number(answer.probabilities[selected])
        return {"line": answer.line, "selected": self._labels[selected], "confidence": confidence, "error": None}


def _order(change: Change) -> tuple[int, float, str]:
    return change[:3]
