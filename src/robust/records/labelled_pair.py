"""A pair of base and candidate of which it is known whether the candidate is valid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import get_args

from robust.canon import describe
from robust.errors import CaseError, Problem
from robust.records.case import RELATIONS, Case, Origin, Relation
from robust.records.oracle_audit import GIVEN, MAX_NAME, Truth
from robust.records.validation import pair_problems


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledPair:
    """A base, a candidate, and what a right oracle says of them.

    Attributes:
        base: the base case.
        candidate: the candidate, with the base's source group and another id and content. Its expected answer is not
            shown to the oracle, and not used.
        truth: ``valid`` where the relation holds between the two right answers, ``invalid`` where it does not.
        relation: what is claimed; by default the candidate's own ``origin.relation``, else ``invariant``.
        domain: what the pair is about; counts are given for each domain.
        edit: what was done to the base, likewise.

    Raises:
        CaseError: a field is wrong, or the two cannot be a pair; everything that is wrong is named.
    """

    base: Case
    candidate: Case
    truth: Truth
    relation: Relation | None = None
    domain: str = GIVEN
    edit: str = GIVEN

    def __post_init__(self) -> None:
        problems = list(_field_problems(self))
        if not problems:
            object.__setattr__(self, "candidate", _with_origin(self))
            problems = pair_problems(self.base, self.candidate)
            if self.base.content_digest == self.candidate.content_digest:
                hint = "a pair needs two inputs"
                message = "base and candidate have one content"
                problems.append(Problem(code="unchanged_input", message=message, path="$.candidate.input", hint=hint))
        if problems:
            raise CaseError(*problems)


def _field_problems(pair: LabelledPair) -> list[Problem]:
    problems = []

    def require(holds: bool, name: str, wanted: str) -> None:
        if not holds:
            message = f"must be {wanted}, not {describe(getattr(pair, name))}"
            problems.append(Problem(code="wrong_value", message=message, path=f"$.{name}"))

    require(isinstance(pair.base, Case), "base", "a Case")
    require(isinstance(pair.candidate, Case), "candidate", "a Case")
    if type(pair.truth) is not str or pair.truth not in get_args(Truth):
        message = f"must be valid or invalid, not {pair.truth!r}"
        problems.append(Problem(code="wrong_value", message=message, path="$.truth"))
    if pair.relation is not None and (type(pair.relation) is not str or pair.relation not in RELATIONS):
        message = f"{pair.relation!r} is not a relation"
        hint = "use one of " + ", ".join(RELATIONS)
        problems.append(Problem(code="unknown_relation", message=message, path="$.relation", hint=hint))
    for name in ("domain", "edit"):
        value = getattr(pair, name)
        named = type(value) is str and value.isprintable() and 0 < len(value.strip()) <= len(value) <= MAX_NAME
        require(named, name, f"1 to {MAX_NAME} printable characters")
    return problems


def _with_origin(pair: LabelledPair) -> Case:
    """The candidate without an answer, and with an origin that claims the relation."""
    origin = pair.candidate.origin
    relation = pair.relation or (None if origin is None else origin.relation) or "invariant"
    if origin is None:
        content = pair.base.content_digest
        origin = Origin(parent_id=pair.base.case_id, parent_content=content, relation=relation)
    elif origin.relation != relation:
        origin = replace(origin, relation=relation)
    return replace(pair.candidate, expected=None, origin=origin)
