"""The oracle that says what people judged, as far as they agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Final

from robust.canon import JsonObject, canonical_bytes, digest_bytes, within_part_depth
from robust.oracle.asked import AskedOracle
from robust.oracle.question import Observation, Question, Terms
from robust.oracle.review_table import ReviewTable, judgements_agree
from robust.records.case import Case
from robust.records.comparator import EXACT, Comparator
from robust.records.review import Judgement, ReviewRow, pair_digest
from robust.records.verdict import MAX_REASON_CHARACTERS, OracleVerdict, read_verdict

# A name is cut at 256 bytes; a list of names that would be is counted instead, as two of them could be cut alike.
_MAX_NAME_BYTES: Final = 200
_MAX_LISTED: Final = 100
# Evidence has 64 KiB, and answers may have a megabyte each.
_MAX_ANSWER_BYTES: Final = 1024
_MAX_EVIDENCE_BYTES: Final = 48 * 1024
_SHORT: Final = 1000


class ReviewersOracle(AskedOracle):
    """Says of a pair what people judged of it, with reviewer, time and reason as evidence.

    A pair is known by the content digests of base and candidate, and by the relation that is claimed. Of what nobody
    judged it says None, and so of what people judged differently: their judgements, or for a valid pair the answers
    under the comparator of the batch. Two different judgements by one reviewer count as those of two.

    Args:
        rows: rows of review sheets.
        contract: the oracle contract whose rows count; None where all are of one.
        notices: what a user should know of the sheets; read when the rows are.

    Attributes:
        name: the reviewer, or all of them in the order of their names.
        version: its own, and the digest of all judgements, whatever the order of the rows.
        contract: the oracle contract of its rows.
        reviewers: who judged.
        notices: what a user should know of the sheets.
        oracles: each reviewer as an oracle of its own.

    Raises:
        DataError: there is no judgement of the contract, there are those of several contracts, or two reviewers' names
            look alike.
    """

    waits: ClassVar[bool] = False

    def __init__(self, rows: Iterable[ReviewRow], *, contract: str | None = None, notices: Iterable[str] = ()) -> None:
        self.table = ReviewTable(rows, contract=contract)
        self.contract = self.table.contract
        self.reviewers = self.table.reviewers
        self.notices = tuple(notices)
        listed = " + ".join(self.reviewers)
        self.name = listed if len(listed.encode()) <= _MAX_NAME_BYTES else f"{len(self.reviewers)} reviewers"
        self.version = f"1+{self.table.digest}"

    @property
    def oracles(self) -> tuple[JsonObject, ...]:
        """Who judged: each reviewer by name."""
        return tuple({"name": name, "version": None, "model": None} for name in self.reviewers)

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """What was judged of a pair under the relation that the candidate claims; answers are compared exactly."""
        relation = None if candidate.origin is None else candidate.origin.relation
        return self.verdict(base.content_digest, candidate.content_digest, relation, EXACT)

    def observer(self, terms: Terms, *, isolate: bool = False) -> ReviewersObserver:  # noqa: ARG002 - nothing runs
        """A way to ask it on these terms."""
        return ReviewersObserver(self, terms.comparator)

    def verdict(self, base: str, candidate: str, relation: str | None, comparator: Comparator) -> OracleVerdict:
        """What was judged of a pair.

        Args:
            base: the base's content digest.
            candidate: the candidate's content digest.
            relation: what is claimed.
            comparator: how the answers of several reviewers are compared.
        """
        if relation is None:
            return OracleVerdict(None, "the candidate claims no relation, so that no judgement can be of it")
        pair = pair_digest(self.contract, relation, base, candidate)
        judgements = self.table.judgements(pair)
        if judgements:
            return _joint(judgements, comparator)
        if self.table.waits(pair):
            return OracleVerdict(None, "nobody has judged this pair yet")
        return OracleVerdict(None, f"no row of {self.contract} is about this pair as {relation}")


class ReviewersObserver:
    """Looks up what was judged of each pair."""

    def __init__(self, oracle: ReviewersOracle, comparator: Comparator) -> None:
        self._oracle = oracle
        self._comparator = comparator

    def observe(self, question: Question) -> Observation:
        """Look up one pair."""
        contents = digest_bytes(question.base_content), digest_bytes(question.candidate_content)
        said = self._oracle.verdict(*contents, question.relation, self._comparator)
        return Observation(*read_verdict(said))

    def close(self) -> None:
        """Nothing is held."""


def _joint(judgements: Sequence[Judgement], comparator: Comparator) -> OracleVerdict:
    """The verdict of all who judged one pair: theirs where they agree, None where they do not."""
    evidence = _evidence(judgements)
    if len({judgement.valid for judgement in judgements}) > 1:
        return OracleVerdict(None, "the reviewers disagree: " + _said(judgements), evidence=evidence)
    if not judgements_agree(judgements, comparator):
        return OracleVerdict(None, "the reviewers give different answers", evidence=evidence)
    base = _answer([judgement.base_answer for judgement in judgements], comparator)
    variant = _answer([judgement.variant_answer for judgement in judgements], comparator)
    return OracleVerdict(judgements[0].valid, _reason(judgements), base, variant, evidence)


def _answer(answers: Sequence[Any], comparator: Comparator) -> Any:
    """The answer of several reviewers; None where nobody gave one, or those who did differ.

    Equal is not the same: of "1.5" and "1.50" the one whose canonical bytes come first is taken, whatever the order.
    """
    given = [answer for answer in answers if answer is not None]
    return min(given, key=canonical_bytes) if given and comparator.agree(given) else None


def _said(judgements: Sequence[Judgement]) -> str:
    words = {True: "valid", False: "invalid", None: "undecided"}
    listed = [f"{judgement.reviewer} says {words[judgement.valid]}" for judgement in judgements[:_MAX_LISTED]]
    return ", ".join(listed)[: MAX_REASON_CHARACTERS // 2]


def _reason(judgements: Sequence[Judgement]) -> str:
    """Why, in the words of all who gave a reason; blank where nobody did."""
    given = {judgement.reason.strip(): judgement.reviewer for judgement in reversed(judgements)}
    given.pop("", None)
    if len(judgements) == 1 or not given:
        return judgements[0].reason if judgements[0].reason.strip() else ""
    if len(given) == 1:
        return next(iter(given))
    return "; ".join(f"{name}: {reason}" for reason, name in reversed(given.items()))[:MAX_REASON_CHARACTERS]


def _evidence(judgements: Sequence[Judgement]) -> JsonObject:
    """Judgements with reviewer, time and reason, as many as evidence has room for; the rest are counted."""
    shown: list[JsonObject] = []
    size = 0
    for judgement in judgements[:_MAX_LISTED]:
        data = _shown(judgement)
        size += len(canonical_bytes(data))
        if size > _MAX_EVIDENCE_BYTES:
            break
        shown.append(data)
    evidence: JsonObject = {"judgements": shown}
    if len(judgements) > len(shown):
        evidence["more_judgements"] = len(judgements) - len(shown)
    return evidence


def _shown(judgement: Judgement) -> JsonObject:
    data = judgement.to_json()
    # Whole it is the verdict's own reason, or part of it.
    data["reason"] = data["reason"] if len(data["reason"]) <= _SHORT else data["reason"][:_SHORT] + "…"
    for name in ("base_answer", "variant_answer"):
        encoded = canonical_bytes(data[name])
        # It stands three levels deeper here.
        if len(encoded) > _MAX_ANSWER_BYTES or not within_part_depth(b'{"a":[{"b":%s}]}' % encoded):
            data[name] = {"digest": digest_bytes(encoded)}
    return data
