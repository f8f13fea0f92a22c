"""What several oracles say together: one pure function of what each of them said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from robust.canon import JsonObject, canonical_bytes, decode_own, digest_bytes, within_part_depth
from robust.oracle.question import Observation
from robust.records.case import Relation
from robust.records.comparator import Comparator
from robust.records.failure import cap_text
from robust.records.status import ISSUE_LEADS_TO, derive_outcome
from robust.records.verdict import OracleVerdict

MAX_MEMBERS: Final = 16
# Of the 64 KiB that evidence may have; the rest is for what surrounds the members.
_ROOM: Final = 60 * 1024
_SIDES: Final = ("base_expected", "variant_expected")
_NOTHING_SAID: Final[JsonObject] = {
    "valid": None,
    "reason": "",
    "base_expected": None,
    "variant_expected": None,
    "evidence": {},
}


class Rule(NamedTuple):
    """How members are counted: the combination's kind, and how many must say valid."""

    combination: str
    needed: int

    def __str__(self) -> str:
        return f"quorum[{self.needed}]" if self.combination == "quorum" else self.combination

    def decides(self, valid: int, invalid: int, members: int) -> bool | None:
        """What so many members that say valid, and so many that say invalid, come to."""
        if not members:
            return None
        if self.combination == "all_of":
            return False if invalid else (True if valid == members else None)
        if self.combination == "any_of":
            return True if valid else (False if invalid == members else None)
        enough = valid >= self.needed, invalid >= self.needed
        return None if enough[0] == enough[1] else enough[0]


class Ballot(NamedTuple):
    """What one member said, and what it counts as.

    Attributes:
        identity: who it is.
        said: the verdict as it was read.
        failures: what went wrong while it was asked.
        issues: the codes that its own record would have, labels aside.
        counts: as valid, as invalid, or as undecided (None).
    """

    identity: JsonObject
    said: JsonObject
    failures: list[JsonObject]
    issues: tuple[str, ...]
    counts: bool | None

    @classmethod
    def of(cls, identity: JsonObject, observation: Observation, relation: Relation, comparator: Comparator) -> Ballot:
        """Count an observation as the record of this member alone would: a bare yes, or one that fails, is none.

        That it derives no answers does not matter: those of another member may do.
        """
        verdict: JsonObject | None = None if observation.verdict is None else decode_own(observation.verdict)
        failures = [failure.to_json() for failure in observation.failures]
        outcome = derive_outcome(
            unchanged=False,
            base_label=None,
            candidate_label=None,
            relation=relation,
            comparator=comparator,
            require_answers=False,
            verdict=verdict,
            failures=failures,
        )
        issues = tuple(code for code in outcome.issues if code != "answer_missing")
        undecided = verdict is None or any(ISSUE_LEADS_TO[code] == "unknown" for code in issues)
        return cls(identity, verdict or _NOTHING_SAID, failures, issues, None if undecided else not issues)

    def to_json(self, room: int) -> JsonObject:
        """The ballot as evidence, in at most about so many bytes; what is larger is named by its digest."""
        evidence = canonical_bytes(self.said["evidence"])
        fits = len(evidence) <= room * 3 // 8 and within_part_depth(b'{"evidence":{"members":[%s]}}' % evidence)
        failures = [{**each, "detail": cap_text(str(each["detail"]), room // 16)} for each in self.failures[:2]]
        return {
            **self.identity,
            "valid": self.said["valid"],
            "counts": self.counts,
            "reason": cap_text(self.said["reason"], room // 8),
            **{side: _bounded(self.said[side], room // 16) for side in _SIDES},
            "evidence": self.said["evidence"] if fits else {"digest": digest_bytes(evidence)},
            "failures": failures,
            "issues": list(self.issues),
        }


def _bounded(value: Any, limit: int) -> Any:
    encoded = canonical_bytes(value)
    return value if len(encoded) <= limit else {"digest": digest_bytes(encoded)}


def combined_verdict(rule: Rule, ballots: Sequence[Ballot], comparator: Comparator) -> OracleVerdict:
    """The verdict that follows from what the members said, in whatever order they stand.

    Members that say valid must agree: of each side, all answers that they derive are equal under the comparator, each
    with each, as equality within a tolerance does not carry over. Where they do not, nothing is decided.
    """
    ballots = sorted(ballots, key=lambda each: str(each.identity["name"]))
    for_it = [each for each in ballots if each.counts is True]
    against = [each for each in ballots if each.counts is False]
    decided = rule.decides(len(for_it), len(against), len(ballots))
    agreed = _agree(for_it, comparator)
    room = _ROOM // max(len(ballots), 1)
    evidence: JsonObject = {
        "combination": rule.combination,
        "needed": rule.needed,
        "members": [each.to_json(room) for each in ballots],
        "disagreement": bool(for_it and against) or not _agree([*for_it, *against], comparator),
    }
    undecided = len(ballots) - len(for_it) - len(against)
    reason = f"{rule}: {len(for_it)} say valid, {len(against)} invalid, {undecided} undecided"
    if not ballots:
        reason = f"{rule}: no members"
    if decided is True and not agreed:
        return OracleVerdict(None, f"{reason}; those that say valid derive different answers", evidence=evidence)
    deciding = for_it if decided else against
    base, variant = _answers(deciding) if decided is not None and _agree(deciding, comparator) else (None, None)
    return OracleVerdict(decided, reason, base, variant, evidence)


def _agree(ballots: Sequence[Ballot], comparator: Comparator) -> bool:
    """Whether all answers to one question are equal, as far as there are any."""
    return all(comparator.agree(each.said[side] for each in ballots) for side in _SIDES)


def _answers(ballots: Sequence[Ballot]) -> tuple[Any, Any]:
    """The answers of the first member that has both, else of each side the first that there is."""
    both = [tuple(each.said[side] for side in _SIDES) for each in ballots]
    whole = next((pair for pair in both if None not in pair), None)
    if whole is not None:
        return whole[0], whole[1]
    base, variant = (next((pair[side] for pair in both if pair[side] is not None), None) for side in (0, 1))
    return base, variant
