"""What a run asks, in which order: every base case, then every valid variant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol

from robust.canon import JsonObject, canonical_bytes, decode_own
from robust.errors import DataError, Problem
from robust.records.case import Case
from robust.records.contract import Contract
from robust.records.decision import label_of_answer
from robust.records.manifest import CaseEntry
from robust.records.request import DecisionRequest, ShownDecision
from robust.run.pieces import Pieces

MAX_PROBLEMS = 50


class CaseSource(Protocol):
    """Where a run's cases come from; it can be read more than once."""

    def bases(self) -> Iterator[CaseEntry]:
        """The base cases, in order."""
        ...

    def encoded_bases(self) -> Iterator[Pieces] | None:
        """The base cases in canonical pieces, in order; None where they are not kept so."""
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
    for pieces in encoded:
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


def check_labels(cases: Iterable[Case], contract: Contract, file: str | None) -> int:
    """Read cases once before anything is asked, and count them.

    Raises:
        DataError: there are none, or an expected answer is no label; up to 50 are named at once.
    """
    labels = set(contract.decision.label_order)
    problems: list[Problem] = []
    count = 0
    for case in cases:
        count += 1
        expected = case.expected
        if expected is None or (type(expected) is str and expected in labels):
            continue
        if label_of_answer(expected) not in labels:
            shown = canonical_bytes(case.expected).decode()[:80]
            message = f"the expected answer {shown} is no label of the decision"
            hint = "labels are " + ", ".join(contract.decision.label_order)
            problems.append(
                Problem(code="unknown_label", message=message, file=file, path=f"case {case.case_id!r}", hint=hint)
            )
            if len(problems) >= MAX_PROBLEMS:
                break
    if problems:
        raise DataError(*problems)
    if not count:
        raise DataError.of("no_cases", "there are no cases", file=file, hint="nothing can be shown without cases")
    return count
