"""From a pair and a validator to a validation record."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from robust.canon import JsonObject, canonical_bytes, decode_own, describe, digest_bytes
from robust.errors import CaseError
from robust.oracle.asked import Observer
from robust.oracle.identity import import_path, is_program, oracle_identity, resolve
from robust.oracle.inline import InlineObserver
from robust.oracle.isolated import IsolatedObserver
from robust.oracle.question import Labels, Observation, Question, Terms
from robust.records.failure import Failure
from robust.records.splicing import Judged, assemble, assemble_all
from robust.records.status import derive_outcome
from robust.records.validation import AnyRecord
from robust.records.verdict import MAX_EVIDENCE_BYTES
from robust.version import __version__

_MAX_TRIPLES = 16
_NULL = b"null"


def make_observer(validator: Any, terms: Terms, *, isolate: bool) -> Observer:
    """The observer for a validator: its own where it brings one, in a worker process, or in this process.

    Raises:
        CaseError: it is not callable, cannot be imported by a worker, or is to be isolated and is apart already.
    """
    target = resolve(validator) if isinstance(validator, str) else validator
    if is_program(target):
        observer: Observer = target.observer(terms, isolate=isolate)
        return observer
    if isolate:
        return IsolatedObserver(import_path(validator), terms.timeout_s)
    if not callable(target):
        raise CaseError.of("not_callable", f"{describe(target)} cannot be called", path="validator")
    return InlineObserver(target, terms.timeout_s)


def identify(validator: Any, terms: Terms) -> bytes:
    """The canonical ``oracle`` field of a record."""
    target = resolve(validator) if isinstance(validator, str) else validator
    identity = oracle_identity(target)
    return _encode_identity(
        identity["name"], identity["version"], identity["source_sha256"], terms.labels, terms.repeats
    )


@lru_cache(maxsize=256)
def _encode_identity(name: str, version: str | None, source: str | None, labels: Labels, repeats: int) -> bytes:
    return canonical_bytes(
        {"name": name, "version": version, "source_sha256": source, "labels": labels, "repeats": repeats}
    )


class Answer(NamedTuple):
    """What came of asking about a pair, as often as the terms say, and how many seconds it took."""

    question: Question
    observations: Sequence[Observation]
    seconds: float


def judge(
    question: Question, observer: Observer, terms: Terms, oracle: bytes, record_type: type[AnyRecord]
) -> AnyRecord:
    """Ask as often as the terms say and make the record of it."""
    started = time.perf_counter()
    observations = [observer.observe(question) for _ in range(terms.repeats)]
    return conclude(question, observations, terms, oracle, record_type, time.perf_counter() - started)


def conclude(
    question: Question,
    observations: Sequence[Observation],
    terms: Terms,
    oracle: bytes,
    record_type: type[AnyRecord],
    seconds: float,
) -> AnyRecord:
    """Make the record of what came of asking, as often as the terms say."""
    verdict, failures = _taken_together(observations)
    encoded_failures = canonical_bytes([failure.to_json() for failure in failures]) if failures else b"[]"
    # Judged from the captured bytes alone: neither the caller's objects nor the validator's have a part in it.
    outcome = derive_outcome(
        unchanged=question.base_content == question.candidate_content,
        base_label=_label(question.base_label),
        candidate_label=_label(question.candidate_label),
        relation=question.relation,
        comparator=terms.comparator,
        require_answers=terms.require_answers,
        verdict=None if verdict is None else decode_own(verdict),
        failures=decode_own(encoded_failures) if failures else (),
    )
    observed = {
        "validated_at": _timestamp(int(time.time() * 1000)),
        "duration_ms": round(seconds * 1000, 3),
        "robust_version": __version__,
    }
    return assemble(
        record_type,
        base=question.base,
        candidate=question.candidate,
        contract=terms.contract,
        relation=question.relation,
        comparator=terms.comparator.encoded,
        oracle=oracle,
        require_answers=terms.require_answers,
        verdict=_NULL if verdict is None else verdict,
        failures=encoded_failures,
        outcome=outcome,
        observed=observed,
    )


def conclude_all(
    answers: Sequence[Answer], terms: Terms, oracle: bytes, record_type: type[AnyRecord]
) -> list[AnyRecord]:
    """Make the records of what came of asking; those of plain answers together, see :func:`conclude`."""
    validated_at = _timestamp(int(time.time() * 1000))
    judged = [_judged(answer, terms, validated_at) for answer in answers]
    plain = iter(
        assemble_all(
            record_type,
            [each for each in judged if each is not None],
            contract=terms.contract,
            comparator=terms.comparator.encoded,
            oracle=oracle,
            require_answers=terms.require_answers,
        )
    )
    return [
        conclude(*answer[:2], terms, oracle, record_type, answer.seconds) if each is None else next(plain)
        for answer, each in zip(answers, judged, strict=True)
    ]


def _judged(answer: Answer, terms: Terms, validated_at: str) -> Judged | None:
    """What is recorded of a pair that was asked about once without a failure; None for any other."""
    question, observations, seconds = answer
    observation = observations[0]
    if len(observations) > 1 or observation.verdict is None or observation.failures:
        return None
    base_label, candidate_label = question.base_label, question.candidate_label
    outcome = derive_outcome(
        unchanged=question.base_content == question.candidate_content,
        base_label=None if base_label == _NULL else decode_own(base_label),
        candidate_label=None if candidate_label == _NULL else decode_own(candidate_label),
        relation=question.relation,
        comparator=terms.comparator,
        require_answers=terms.require_answers,
        verdict=observation.said or decode_own(observation.verdict),
        failures=(),
    )
    observed = {
        "validated_at": validated_at,
        "duration_ms": round(seconds * 1000, 3),
        "robust_version": __version__,
    }
    return Judged(question.base, question.candidate, question.relation, observation.verdict, outcome, observed)


def _label(encoded: bytes) -> Any:
    return None if encoded == _NULL else decode_own(encoded)


@lru_cache(maxsize=4)
def _timestamp(milliseconds: int) -> str:
    """UTC in ISO 8601 of a time since the epoch; several records fall into one millisecond."""
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{moment}.{milliseconds % 1000:03d}+00:00"


def _bounded(encoded: bytes, triple: JsonObject) -> JsonObject:
    """A triple, or for one with huge answers its digest: a record has to stay within its limit."""
    if len(encoded) <= MAX_EVIDENCE_BYTES:
        return triple
    return {"valid": triple["valid"], "digest": digest_bytes(encoded)}


def _taken_together(observations: Sequence[Observation]) -> tuple[bytes | None, list[Failure]]:
    """The verdict that is recorded, and all failures; verdicts that differ are one."""
    if len(observations) == 1:
        return observations[0].verdict, observations[0].failures
    verdicts = [item.verdict for item in observations if item.verdict is not None]
    triples: dict[bytes, JsonObject] = {}
    for verdict in map(decode_own, verdicts):
        triple = {name: verdict[name] for name in ("valid", "base_expected", "variant_expected")}
        triples.setdefault(canonical_bytes(triple), triple)
    failures: dict[bytes, Failure] = {}
    for item in observations:
        for failure in item.failures:
            failures.setdefault(canonical_bytes(failure.to_json()), failure)
    found = list(failures.values())[:_MAX_TRIPLES]
    if len(triples) > 1:
        shown = [_bounded(encoded, triple) for encoded, triple in triples.items()]
        found.append(Failure("validator_flaky", "$", shown[:_MAX_TRIPLES]))
    return (verdicts[0] if verdicts else None), found
