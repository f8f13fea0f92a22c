"""The records of many decided base cases, spliced by columns; a law holds them together with those of one by one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from operator import add
from typing import NamedTuple

from robust.canon import canonical_bytes, encode_numbers, leaf_hashes
from robust.records.contract import Contract
from robust.records.request import BackendIdentity
from robust.run.answers import PlainAnswers


class EncodedRecords(NamedTuple):
    """Records: their lines, each with its line feed, and 32 bytes for each leaf.

    Attributes:
        lines: the lines.
        evidence: the hashes of the lines without ``observed``.
        answers: the hashes of what was asked and answered.
    """

    lines: bytes
    evidence: bytes
    answers: bytes


class ColumnSplicer:
    """Splices the records of decided base cases that were asked once, presented as the contract has them.

    Args:
        contract: the contract that runs.
        backend: who answers.
    """

    def __init__(self, contract: Contract, backend: BackendIdentity) -> None:
        decision = contract.decision
        labels = decision.label_order
        self._backend = backend
        self._labels = [canonical_bytes(label) for label in labels]
        # Canonical JSON orders keys by UTF-16 code units.
        self._key_order = sorted(range(len(labels)), key=lambda place: labels[place].encode("utf-16-be"))
        members = [_literal(self._labels[place]) + b":%s" for place in self._key_order]
        self._shares = b",".join(members)
        self._before = (
            b'{"case_id":%s,"expected":%s,"id":"decision/%s,"input":%s,"kind":"decision","media":%s,"metadata":%s'
        )
        self._asked = b'["decision/%s,%s,null,{%s}]'
        self._head = b',"presentation":null,"result":{"backend":%s,"case_id":%%s,"confidence":%%s,"decision":%s,' % (
            *(_literal(canonical_bytes(value)) for value in (backend.name, decision.name)),
        )
        self._head += b'"decision_type":%s,"labels":%s,' % (
            *(_literal(canonical_bytes(value)) for value in (decision.type, list(labels))),
        )
        provider = _literal(canonical_bytes(backend.provider))
        self._end = b'"probabilities":{%%s},"provider":%s,"selected":%%s},"source_id":%%s}' % provider

    def encode(
        self, pieces: Sequence[Sequence[bytes]], answers: PlainAnswers, latencies: Sequence[float]
    ) -> EncodedRecords:
        """The records of cases whose answers are no errors; there is at least one.

        Args:
            pieces: the pieces of the cases, a column for each field.
            answers: to each of them, in contract order.
            latencies: in milliseconds.
        """
        case_ids, source_ids, shown, media, expected, metadata = pieces
        width = len(self._labels)
        numbers = encode_numbers([*chain.from_iterable(answers.probabilities)])
        # As robust.records.decision.select does each.
        chosen = [values.index(max(values)) for values in answers.probabilities]
        columns = [numbers[place::width] for place in self._key_order]
        shares = [*map(self._shares.__mod__, zip(*columns, strict=True))]
        confidences = [numbers[row * width + place] for row, place in enumerate(chosen)]
        selected = [self._labels[place] for place in chosen]
        # Behind "decision/ and without the quotation mark that they begin with.
        ids = [case_id[1:] for case_id in case_ids]
        before = [*map(self._before.__mod__, zip(case_ids, expected, ids, shown, media, metadata, strict=True))]
        form = self._head + _literal(self._model(answers)) + self._end
        behind = [*map(form.__mod__, zip(case_ids, confidences, shares, selected, source_ids, strict=True))]
        seen = encode_numbers(latencies)
        lines = map(b'%s,"observed":{"latency_ms":%s}%s\n'.__mod__, zip(before, seen, behind, strict=True))
        return EncodedRecords(
            b"".join(lines),
            leaf_hashes(map(add, before, behind)),
            leaf_hashes(self._asked_and_answered(ids, shown, shares)),
        )

    def _asked_and_answered(
        self, ids: Sequence[bytes], shown: Sequence[bytes], shares: Sequence[bytes]
    ) -> Iterable[bytes]:
        return map(self._asked.__mod__, zip(ids, shown, shares, strict=True))

    def _model(self, answers: PlainAnswers) -> bytes:
        model = self._backend.model if answers.model is None else answers.model
        version = self._backend.model_version if answers.model_version is None else answers.model_version
        return b'"model":%s,"model_version":%s,' % (canonical_bytes(model), canonical_bytes(version))


def _literal(text: bytes) -> bytes:
    """Text that stands for itself in a form that is filled in by ``%``."""
    return text.replace(b"%", b"%%")
