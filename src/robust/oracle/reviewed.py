"""The oracle that repeats what people or programs judged before: validation records, looked up by content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, ClassVar, Final, NamedTuple

from robust.canon import Hasher, JsonObject, canonical_bytes, decode_own, digest_bytes, hash_bytes, within_part_depth
from robust.errors import DataError
from robust.oracle.one_contract import only_contract
from robust.records.case import Case, content_digest
from robust.records.comparator import EXACT, Comparator, stored_comparator
from robust.records.validation import ValidationRecord
from robust.records.verdict import MAX_EVIDENCE_BYTES, MAX_REASON_CHARACTERS, OracleVerdict

_SAYS: Final[dict[str, bool | None]] = {"valid": True, "invalid": False, "unknown": None}
_LETTERS: Final = {status[:1].encode(): status for status in _SAYS}
# As many records are named in evidence; the rest are counted.
_MAX_LISTED: Final = 100
# Room in evidence for their digests.
_ROOM: Final = 16 * 1024


class _Review(NamedTuple):
    """One record: its digest, its status, and the canonical ``[reason, base answer, variant answer, evidence]``."""

    digest: bytes
    status: str
    said: bytes

    def packed(self) -> bytes:
        """As it is kept: one object for each record, as there may be a million."""
        return self.status[:1].encode() + self.digest + self.said

    @classmethod
    def of(cls, packed: bytes) -> _Review:
        """The record that was packed."""
        return cls(packed[1:33], _LETTERS[packed[:1]], packed[33:])


class _Several:
    """What several records say of one pair."""

    __slots__ = ("answers", "comparator", "contradict", "kinds", "review", "statuses")

    def __init__(self, comparator: Comparator, review: _Review) -> None:
        self.comparator = comparator
        self.review = review
        self.statuses = {review.digest: review.status}
        self.kinds = {review.status}
        self.answers: list[dict[bytes, Any]] = [
            {canonical_bytes(answer): answer} for answer in decode_own(review.said)[1:3]
        ]
        self.contradict = False

    def add(self, review: _Review) -> None:
        """Take in one more record."""
        self.statuses[review.digest] = review.status
        self.kinds.add(review.status)
        answers = decode_own(review.said)[1:3]
        for known, other in zip(self.answers, answers, strict=True):
            encoded = canonical_bytes(other)
            if not self.contradict and encoded not in known:
                self.contradict = not all(self.comparator.agree((each, other)) for each in known.values())
                known[encoded] = other
        if None not in answers and None in decode_own(self.review.said)[1:3]:
            self.review = review


class ReviewedOracle:
    """Repeats recorded judgements of the same pair under the same relation and the same oracle contract.

    A pair is known by the content digests of base and candidate. What is repeated is the status that follows from a
    record, so that a record whose codes make it unknown or invalid never vouches for a candidate, whatever its verdict
    said. Of what no record says, it says None, and so of what several records say differently: their statuses, or the
    answers that they derived.

    Args:
        records: validation records, each of which was checked when it was read.
        contract: the oracle contract whose records count; None where all are of one.

    Attributes:
        contract: the oracle contract of its records.
        comparator: how their answers are compared.
        oracles: who judged: the distinct ``oracle`` objects of its records.
        version: its own, and the digest of the digests of its records.

    Raises:
        DataError: there is no record of the contract, or there are records of several contracts or comparators.
    """

    name: ClassVar[str] = "robust.reviewed"
    waits: ClassVar[bool] = False

    def __init__(self, records: Iterable[ValidationRecord], *, contract: str | None = None) -> None:
        self._reviews: dict[bytes, bytes] = {}
        self._several: dict[bytes, _Several] = {}
        contracts: set[str] = set()
        comparators: dict[bytes, Comparator] = {}
        oracles: dict[bytes, JsonObject] = {}
        hasher = Hasher()
        self.comparator = EXACT
        for record in records:
            data: JsonObject = decode_own(record.content)
            contracts.add(data["contract"])
            if data["contract"] != (contract or data["contract"]):
                continue
            encoded = canonical_bytes(data["comparator"])
            self.comparator = comparators.setdefault(encoded, stored_comparator(encoded))
            oracles.setdefault(canonical_bytes(data["oracle"]), data["oracle"])
            hasher.update(record.digest.encode())
            self._add(_key_of(data), _review(record, data))
        self.contract = only_contract(contracts, contract, one="validation record", several="validation records")
        if len(comparators) > 1:
            names = ", ".join(encoded.decode() for encoded in sorted(comparators))
            message = f"the validation records of {self.contract} were judged by several comparators: {names}"
            raise DataError.of("mixed_comparators", message, hint="keep the records of one comparator in a file")
        self.oracles = tuple(oracles.values())
        self.version = f"1+{hasher.digest()}"

    def _add(self, key: bytes, review: _Review) -> None:
        known = self._reviews.setdefault(key, packed := review.packed())
        if known is packed or known[1:33] == review.digest:
            return
        several = self._several.get(key)
        if several is None:
            several = self._several[key] = _Several(self.comparator, _Review.of(known))
        several.add(review)

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Repeat what was recorded of a pair."""
        relation = None if candidate.origin is None else candidate.origin.relation
        if relation is None:
            reason = "the candidate claims no relation, so that no record can be of it"
            return OracleVerdict(None, reason, evidence=_named({}))
        key = _key(base.content_digest, candidate.content_digest, relation)
        packed = self._reviews.get(key)
        if packed is None:
            reason = f"no record of {self.contract} is about this pair as {relation}"
            return OracleVerdict(None, reason, evidence=_named({}))
        several = self._several.get(key)
        if several is None:
            review = _Review.of(packed)
            return _repeat(review, {review.digest: review.status})
        if len(several.kinds) > 1:
            return OracleVerdict(None, "the records disagree", evidence=_named(several.statuses, with_status=True))
        if several.contradict and several.review.status == "valid":
            return OracleVerdict(None, "the records derive different answers", evidence=_named(several.statuses))
        return _repeat(several.review, several.statuses)


def _key_of(data: JsonObject) -> bytes:
    contents = (content_digest(case["input"], case["media"]) for case in (data["base"], data["candidate"]))
    return _key(*contents, data["relation"])


def _key(*parts: str) -> bytes:
    return hash_bytes("\n".join(parts).encode())


def _review(record: ValidationRecord, data: JsonObject) -> _Review:
    verdict = data["verdict"] or {"reason": "", "base_expected": None, "variant_expected": None, "evidence": {}}
    reason = verdict["reason"]
    if record.issues:
        known = f"recorded as {record.status} ({', '.join(record.issues)})"
        reason = f"{known}: {reason}"[:MAX_REASON_CHARACTERS] if reason.strip() else known
    evidence = canonical_bytes(verdict["evidence"])
    # It stands one level deeper, and with the digests, from now on.
    if len(evidence) > MAX_EVIDENCE_BYTES - _ROOM or not within_part_depth(b'{"evidence":%s}' % evidence):
        evidence = canonical_bytes({"digest": digest_bytes(evidence)})
    said = [reason, verdict["base_expected"], verdict["variant_expected"], decode_own(evidence)]
    return _Review(bytes.fromhex(record.digest.removeprefix("sha256:")), record.status, canonical_bytes(said))


def _repeat(review: _Review, statuses: dict[bytes, str]) -> OracleVerdict:
    reason, base_expected, variant_expected, evidence = decode_own(review.said)
    shown = {**_named(statuses), "evidence": evidence}
    return OracleVerdict(_SAYS[review.status], reason, base_expected, variant_expected, shown)


def _named(statuses: dict[bytes, str], *, with_status: bool = False) -> JsonObject:
    """The records found, by their digests."""

    def names() -> Iterator[Any]:
        for digest, status in islice(statuses.items(), _MAX_LISTED):
            name = f"sha256:{digest.hex()}"
            yield {"digest": name, "status": status} if with_status else name

    named: JsonObject = {"records": list(names())}
    if len(statuses) > _MAX_LISTED:
        named["more_records"] = len(statuses) - _MAX_LISTED
    return named
