"""Making validation records: spliced from the canonical bytes of their parts, each of which was encoded once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from robust.canon import JsonObject, canonical_bytes, digests_of
from robust.records.case import Relation
from robust.records.status import Outcome
from robust.records.validation import FAILURES, ISSUES, AnyRecord

# What stands around the two cases up to the comparator, but for the name of the failures, which the head ends before.
_AROUND_CASES: Final = len(b'{"base":,"candidate":') - len(FAILURES)


def assemble(
    record_type: type[AnyRecord],
    *,
    base: bytes,
    candidate: bytes,
    contract: str,
    relation: Relation,
    comparator: bytes,
    oracle: bytes,
    require_answers: bool,
    verdict: bytes,
    failures: bytes,
    outcome: Outcome,
    observed: JsonObject,
) -> AnyRecord:
    """Splice a record from the canonical bytes of its parts, each of which was encoded once already."""
    before, between = _frame(contract, comparator, oracle, relation, require_answers)
    issues, ending = _outcome_bytes(outcome)
    content = b"".join(
        (b'{"base":', base, b',"candidate":', candidate, before, failures, issues, between, ending, verdict, b"}")
    )
    head = _AROUND_CASES + len(base) + len(candidate) + len(before)
    return record_type(content, head, head + len(FAILURES) + len(failures) + len(issues), outcome, observed)


class Judged(NamedTuple):
    """What the record of one judgement holds beside the terms, where nothing failed.

    Attributes:
        base: the canonical bytes of the base.
        candidate: those of the candidate.
        relation: what was claimed.
        verdict: the canonical bytes of the verdict.
        outcome: what follows.
        observed: when it was made, and how long it took.
    """

    base: bytes
    candidate: bytes
    relation: Relation
    verdict: bytes
    outcome: Outcome
    observed: JsonObject


def assemble_all(
    record_type: type[AnyRecord],
    judged: Sequence[Judged],
    *,
    contract: str,
    comparator: bytes,
    oracle: bytes,
    require_answers: bool,
) -> list[AnyRecord]:
    """Splice the records of several judgements on the same terms; see :func:`assemble`."""
    contents, places = [], []
    last: tuple[Relation, Outcome] | None = None
    between, to_failures, to_middle = b"", 0, 0
    for base, candidate, relation, verdict, outcome, _ in judged:
        if (relation, outcome) != last:
            last = relation, outcome
            before, behind = _frame(contract, comparator, oracle, relation, require_answers)
            issues, ending = _outcome_bytes(outcome)
            between = b"".join((before, b"[]", issues, behind, ending))
            to_failures = _AROUND_CASES + len(before)
            to_middle = to_failures + len(FAILURES) + len(b"[]") + len(issues)
        contents.append(b"".join((b'{"base":', base, b',"candidate":', candidate, between, verdict, b"}")))
        size = len(base) + len(candidate)
        places.append((size + to_failures, size + to_middle))
    return [
        record_type(content, head, middle, each.outcome, each.observed, digest)
        for content, (head, middle), each, digest in zip(contents, places, judged, digests_of(contents), strict=True)
    ]


# The same few terms and outcomes come with every pair of a batch, so that their bytes are kept.
@lru_cache(maxsize=64)
def _frame(
    contract: str, comparator: bytes, oracle: bytes, relation: Relation, require_answers: bool
) -> tuple[bytes, bytes]:
    """What stands between the candidate and the failures, and between the issues and the status."""
    before = b',"comparator":%s,"contract":"%s","failures":'
    between = b',"oracle":%s,"relation":"%s","require_answers":%s,"schema":"robust.validation/1","status":"'
    answers = b"true" if require_answers else b"false"
    return (
        before % (comparator, contract.encode()),
        between % (oracle, relation.encode(), answers),
    )


@lru_cache(maxsize=64)
def _outcome_bytes(outcome: Outcome) -> tuple[bytes, bytes]:
    """The issues with what leads to them, and what stands from the status to the verdict."""
    strength = b"null" if outcome.strength is None else b'"%s"' % outcome.strength.encode()
    return (
        ISSUES + canonical_bytes(list(outcome.issues)),
        b'%s","strength":%s,"verdict":' % (outcome.status.encode(), strength),
    )
