"""What a run asks, in which order: every base case, then every valid variant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from robust.canon import JsonObject, MerkleTree, canonical_bytes, decode_own
from robust.errors import DataError, Problem
from robust.records.case import Case
from robust.records.contract import Contract
from robust.records.decision import label_of_answer
from robust.records.manifest import CaseEntry
from robust.records.request import DecisionRequest

MAX_PROBLEMS = 50
# What a record keeps of its case, in the order in which the case set is digested.
CASE_FIELDS = ("case_id", "source_id", "input", "media", "expected", "metadata")


class CaseSource(Protocol):
    """Where a run's cases come from; it can be read more than once."""

    def bases(self) -> Iterator[CaseEntry]:
        """The base cases, in order."""
        ...

    def variants(self) -> Iterator[tuple[CaseEntry, str]]:
        """The valid variants, in order, each with the relation that its validation claims."""
        ...

    def identity(self) -> JsonObject:
        """``manifest`` and ``dataset`` as they stand in a report; one of them is null."""
        ...

    def oracles(self) -> Iterable[JsonObject]:
        """The oracles that vouch for the variants, as validation records name them."""
        ...


@dataclass(frozen=True, slots=True)
class Planned:
    """One thing to ask: a base case (``property_name`` is None) or a variant of one."""

    id: str
    entry: CaseEntry
    property_name: str | None = None
    sample: int = 0
    relation: str | None = None

    @property
    def base_id(self) -> str:
        """The id of the case itself, or of the variant's base."""
        origin = self.entry.case.origin
        return self.entry.case.case_id if self.property_name is None or origin is None else origin.parent_id

    def request(self, contract: Contract) -> DecisionRequest:
        """The question to the backend."""
        case = self.entry.case
        # An object is copied, so that nothing that a backend does to it reaches the case or the record.
        shown = case.input if isinstance(case.input, str) else decode_own(canonical_bytes(case.input))
        return DecisionRequest(case_id=case.case_id, decision=contract.decision.shown(), input=shown, media=case.media)


def plan_bases(source: CaseSource) -> Iterator[Planned]:
    """The base cases, in the order in which their decisions are recorded."""
    for entry in source.bases():
        yield Planned(id=f"decision/{entry.case.case_id}", entry=entry)


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
        if case.expected is not None and label_of_answer(case.expected) not in labels:
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


class CaseSetDigest:
    """The logical identity of a set of base cases: equal for two files that say the same."""

    def __init__(self) -> None:
        self._tree = MerkleTree()

    def add(self, case: JsonObject) -> None:
        """Add a case, or the record of its decision, in order."""
        self._tree.add(canonical_bytes([case[name] for name in CASE_FIELDS]))

    def root(self) -> str:
        """The Merkle root over the cases."""
        return self._tree.root()
