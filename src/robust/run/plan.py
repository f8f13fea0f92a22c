"""What a run asks, in which order: every base case, then every valid variant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from robust.canon import JsonObject, canonical_bytes, decode_own
from robust.errors import DataError, Problem
from robust.records.case import Case
from robust.records.contract import Contract
from robust.records.decision import label_of_answer
from robust.records.manifest import CaseEntry
from robust.records.request import DecisionRequest, ShownDecision
from robust.run.pieces import Pieces, pieces_of_line

MAX_PROBLEMS = 50


class CaseSource(Protocol):
    """Where a run's cases come from; it can be read more than once."""

    def bases(self) -> Iterator[CaseEntry]:
        """The base cases, in order."""
        ...

    def encoded_bases(self) -> Iterator[bytes] | None:
        """The base cases in order, the canonical pieces of each on one line; None where they are not kept so."""
        ...

    def variants(self) -> Iterator[tuple[CaseEntry, str]]:
        """The valid variants, in order, each with the relation that its validation claims."""
        ...

    def size(self, *, variants: bool) -> int:
        """How many base cases there are, and with ``variants`` also of these."""
        ...

    def identity(self) -> JsonObject:
        """``manifest`` and ``dataset`` as they stand in a report; one of them is null."""
        ...

    def oracles(self) -> Iterable[JsonObject]:
        """The oracles that vouch for the variants, as validation records name them."""
        ...

    def close(self) -> None:
        """Let go of what is held outside memory."""
        ...


class Planned(NamedTuple):
    """One thing to ask: a base case (``property_name`` is None) or a variant of one."""

    id: str
    entry: CaseEntry
    property_name: str | None = None
    sample: int = 0
    relation: str | None = None
    pieces: Pieces | None = None

    @property
    def base_id(self) -> str:
        """The id of the case itself, or of the variant's base."""
        origin = self.entry.case.origin
        return self.entry.case.case_id if self.property_name is None or origin is None else origin.parent_id

    def request(self, shown: ShownDecision, trial: int = 0) -> DecisionRequest:
        """The question to the backend, with the decision as it is shown."""
        case = self.entry.case
        # An object is copied, so that nothing that a backend does to it reaches the case or the record.
        given = case.input if isinstance(case.input, str) else decode_own(canonical_bytes(case.input))
        return DecisionRequest(case_id=case.case_id, decision=shown, input=given, media=case.media, trial=trial)


def plan_bases(source: CaseSource) -> Iterator[Planned]:
    """The base cases, in the order in which their decisions are recorded."""
    encoded = source.encoded_bases()
    if encoded is None:
        for entry in source.bases():
            yield Planned(f"decision/{entry.case.case_id}", entry)
        return
    for pieces in map(pieces_of_line, encoded):
        case = pieces.case()
        entry = CaseEntry(case, "", None if case.expected is None else "given", None)
        yield Planned(f"decision/{case.case_id}", entry, pieces=pieces)


def plan_variants(source: CaseSource) -> Iterator[Planned]:
    """The valid variants, in the order in which their pairs are recorded: after all bases."""
    samples: dict[str, int] = {}
    for entry, relation in source.variants():
        parent = entry.case.origin.parent_id if entry.case.origin else entry.case.case_id
        sample = samples.get(parent, 0)
        samples[parent] = sample + 1
        yield Planned(f"variants/{parent}/{sample}", entry, "variants", sample, relation)


class LabelCheck:
    """Looks at the expected answers of cases before anything is asked, and counts the cases.

    Args:
        contract: whose labels they must be.
        file: the name that errors give.
    """

    def __init__(self, contract: Contract, file: str | None) -> None:
        self._labels = contract.decision.label_order
        self._known: frozenset[object] = frozenset((*self._labels, None))
        self._file = file
        self._problems: list[Problem] = []
        self._count = 0

    def look(self, case_id: str, expected: Any) -> None:
        """Look at the answer of one case.

        Raises:
            DataError: there are too many that are no labels.
        """
        self._count += 1
        if expected is None or (type(expected) is str and expected in self._known):
            return
        if label_of_answer(expected) in self._labels:
            return
        shown = canonical_bytes(expected).decode()[:80]
        message = f"the expected answer {shown} is no label of the decision"
        hint = "labels are " + ", ".join(self._labels)
        self._problems.append(
            Problem(code="unknown_label", message=message, file=self._file, path=f"case {case_id!r}", hint=hint)
        )
        if len(self._problems) >= MAX_PROBLEMS:
            raise DataError(*self._problems)

    def look_at_all(self, case_ids: Sequence[str], expected: Sequence[str | int | None]) -> None:
        """Look at the answers of many cases; see :meth:`look`."""
        if self._known.issuperset(expected):
            self._count += len(expected)
        else:
            for case_id, answer in zip(case_ids, expected, strict=True):
                self.look(case_id, answer)

    def finish(self) -> int:
        """How many cases there are.

        Raises:
            DataError: there are none, or an expected answer is no label; up to 50 are named at once.
        """
        if self._problems:
            raise DataError(*self._problems)
        if not self._count:
            raise DataError.of(
                "no_cases", "there are no cases", file=self._file, hint="nothing can be shown without cases"
            )
        return self._count


def check_labels(cases: Iterable[Case], contract: Contract, file: str | None) -> int:
    """Read cases once before anything is asked, and count them.

    Raises:
        DataError: there are none, or an expected answer is no label; up to 50 are named at once.
    """
    check = LabelCheck(contract, file)
    for case in cases:
        check.look(case.case_id, case.expected)
    return check.finish()
