"""Records as bytes: the general way, and for the decisions on base cases a splicing of pieces that were encoded before.

A law holds the two together: for the same record they give the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from robust.canon import Hasher, JsonObject, MerkleTree, canonical_bytes, canonical_number, canonical_part, leaf_hashes
from robust.records.contract import Contract
from robust.records.decision import select
from robust.records.request import BackendIdentity
from robust.run.answers import Answer
from robust.run.pieces import Pieces

# The key that follows ``observed`` in every record but those of cases that were skipped.
_BEHIND_OBSERVED: Final = b',"presentation":'


class EncodedRecord(NamedTuple):
    """A record in canonical bytes: its line, the line without ``observed``, and what was asked and answered."""

    line: bytes
    evidence: bytes
    answer: bytes


def encode_record(record: JsonObject, line: bytes | None = None) -> EncodedRecord:
    """Encode any record.

    Args:
        record: the record.
        line: its canonical line, where it is known.
    """
    bare = {**record}
    del bare["observed"]
    evidence = canonical_part(bare)
    if line is None:
        # Encoded once, and what was observed put where its key stands in the order of keys.
        if evidence.count(_BEHIND_OBSERVED) == 1:
            at = evidence.index(_BEHIND_OBSERVED)
            line = b'%s,"observed":%s%s' % (evidence[:at], canonical_part(record["observed"]), evidence[at:])
        else:
            line = canonical_bytes(record)
    return EncodedRecord(line, evidence, canonical_part(_answer_of(record)))


def _answer_of(record: JsonObject) -> list[Any]:
    """What was asked and answered; for a case that a property skipped, why, and for a refused candidate nothing."""
    if record["kind"] == "skip":
        return [record["id"], None, None, record["reason"]]
    answered = _said(record)
    asked = [record["id"], record["input"], record["presentation"], answered]
    return [*asked, [_said(trial) for trial in record["trials"]]] if "trials" in record else asked


def _said(answered: JsonObject) -> Any:
    if "error" in answered:
        return answered["error"]["kind"]
    result = answered.get("result", answered)
    return result.get("probabilities")


class ResultSplicer:
    """Splices results, each of which is an answer in contract order.

    Args:
        contract: the contract that runs.
        backend: who answers.

    Attributes:
        head: how every result begins, up to the id of what was asked about.
    """

    def __init__(self, contract: Contract, backend: BackendIdentity) -> None:
        decision = contract.decision
        self._labels = decision.label_order
        self._encoded = [canonical_bytes(label) for label in self._labels]
        # Canonical JSON orders keys by UTF-16 code units.
        self._key_order = sorted(range(len(self._labels)), key=lambda at: self._labels[at].encode("utf-16-be"))
        self._keys = [b"%s:" % self._encoded[at] for at in self._key_order]
        self._backend = backend
        self.head = b'{"backend":%s,"case_id":' % canonical_bytes(backend.name)
        self._decision = b',"decision":%s,"decision_type":%s,"labels":%s,"model":' % (
            canonical_bytes(decision.name),
            canonical_bytes(decision.type),
            canonical_bytes(list(self._labels)),
        )
        self._provider = b'},"provider":%s,"selected":' % canonical_bytes(backend.provider)

    def encode(self, case_id: bytes, answer: Answer) -> tuple[bytes, bytes]:
        """The result of an answer that is no error, and the members of its probabilities.

        Args:
            case_id: the canonical bytes of what was asked about.
            answer: the answer.
        """
        behind, shares = self.behind_id(answer)
        return self.head + case_id + behind, shares

    def behind_id(self, answer: Answer) -> tuple[bytes, bytes]:
        """What stands in the result of an answer behind the id of what was asked about, and the members."""
        values = answer.probabilities or ()
        numbers = [*map(canonical_number, values)]
        chosen = select(values)
        shares = b",".join([key + numbers[at] for key, at in zip(self._keys, self._key_order, strict=True)])
        model = self._backend.model if answer.model is None else answer.model
        version = self._backend.model_version if answer.model_version is None else answer.model_version
        behind = b',"confidence":%s%s%s%s%s%s}' % (
            numbers[chosen],
            self._decision,
            _model(model, version),
            shares,
            self._provider,
            self._encoded[chosen],
        )
        return behind, shares


class DecisionSplicer:
    """Splices the records of decided base cases, presented as the contract has them.

    Args:
        contract: the contract that runs.
        backend: who answers.
    """

    def __init__(self, contract: Contract, backend: BackendIdentity) -> None:
        self._results = ResultSplicer(contract, backend)

    def encode(self, pieces: Pieces, record_id: bytes, answer: Answer) -> EncodedRecord:
        """The record of an answer that is no error; ``record_id`` is in canonical bytes."""
        case_id, source_id, shown, media, expected, metadata = pieces
        result, shares = self._results.encode(case_id, answer)
        before = b'{"case_id":%s,"expected":%s,"id":%s,"input":%s,"kind":"decision","media":%s,"metadata":%s' % (
            *(case_id, expected, record_id, shown, media, metadata),
        )
        behind = b',"presentation":null,"result":%s,"source_id":%s}' % (result, source_id)
        return EncodedRecord(
            b'%s,"observed":%s%s' % (before, encode_observed(answer.observed), behind),
            before + behind,
            b"[%s,%s,null,{%s}]" % (record_id, shown, shares),
        )


def encode_observed(observed: JsonObject) -> bytes:
    """The canonical bytes of what was observed."""
    # All that there is to see of a model in this process.
    if len(observed) == 1 and type(observed.get("latency_ms")) in (int, float):
        return b'{"latency_ms":%s}' % canonical_number(observed["latency_ms"])
    return canonical_part(observed)


@lru_cache(maxsize=256)
def _model(model: str | None, version: str | None) -> bytes:
    return b'%s,"model_version":%s,"probabilities":{' % (canonical_bytes(model), canonical_bytes(version))


class RecordDigests:
    """Roots and file digest over the records of a run, as they pass by."""

    def __init__(self) -> None:
        self._records = MerkleTree()
        self._answers = MerkleTree()
        self._file = Hasher()

    def add(self, records: Sequence[EncodedRecord]) -> None:
        """Take in records, in order."""
        lines, evidence, answers = zip(*records, strict=True)
        self.add_hashed(b"\n".join((*lines, b"")), leaf_hashes(evidence), leaf_hashes(answers))

    def add_hashed(self, lines: bytes, evidence: bytes, answers: bytes) -> None:
        """Take in records whose leaves are hashed already, in order.

        Args:
            lines: their lines, each with its line feed.
            evidence: 32 bytes for each record without ``observed``.
            answers: 32 bytes for what each was asked and answered.
        """
        self._records.extend_hashed(evidence)
        self._answers.extend_hashed(answers)
        self._file.update(lines)

    def summary(self) -> JsonObject:
        """``count``, ``root`` (without ``observed``) and ``sha256`` (of the file's bytes)."""
        return {"count": self._records.size, "root": self._records.root(), "sha256": self._file.digest()}

    @property
    def answers_root(self) -> str:
        """The root over what was asked and answered, whoever answered."""
        return self._answers.root()
