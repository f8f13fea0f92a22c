"""``robust.oracle/1``: the question as bytes, and the answer as it is read without trusting it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from robust.canon import JsonObject, canonical_bytes, describe, digest_bytes, digests_of, read_json
from robust.errors import DataError
from robust.oracle.question import Observation, Question
from robust.records.case import Relation
from robust.records.failure import Failure, cap_text
from robust.records.redaction import redact_known
from robust.records.verdict import OracleVerdict, read_verdict

PROTOCOL: Final = "robust.oracle/1"
FIELDS: Final = ("valid", "reason", "base_expected", "variant_expected", "evidence")
_FIELD_SET: Final = frozenset(FIELDS)


class NotTheAnswer(Exception):
    """What came is no answer to the question that was asked; what comes next cannot be trusted either.

    Attributes:
        observation: what is recorded of it where it is the question's own fault.
    """

    def __init__(self, observation: Observation) -> None:
        super().__init__()
        self.observation = observation


def encode_question(question: Question, contract: str) -> tuple[str, bytes]:
    """The id of a question, and its canonical bytes without a line feed.

    Spliced from the captured bytes; that this is the canonical form of the whole is held by a test.
    """
    base, candidate = question.shown_base, question.shown_candidate
    key = digest_bytes(b"%s\n%s" % (base, candidate))
    between, behind = _frame(contract, question.relation)
    return key, b'{"base":%s,"candidate":%s%s%s%s' % (base, candidate, between, key.encode(), behind)


def encode_questions(questions: Sequence[Question], contract: str) -> list[tuple[str, bytes]]:
    """The ids of questions and their bytes with a line feed; see :func:`encode_question`."""
    keys = digests_of([b"%s\n%s" % (each.shown_base, each.shown_candidate) for each in questions])
    frames = [_frame(contract, each.relation) for each in questions]
    return [
        (
            key,
            b'{"base":%s,"candidate":%s%s%s%s\n'
            % (each.shown_base, each.shown_candidate, frame[0], key.encode(), frame[1]),
        )
        for key, each, frame in zip(keys, questions, frames, strict=True)
    ]


@lru_cache(maxsize=64)
def _frame(contract: str, relation: Relation) -> tuple[bytes, bytes]:
    """What stands between the candidate and the id, and behind it: the same for a whole batch."""
    between = b',"contract":%s,"id":"' % canonical_bytes(contract)
    return between, b'","protocol":"%s","relation":"%s"}' % (PROTOCOL.encode(), relation.encode())


def read_answer(answer: bytes, key: str) -> Observation:
    """What an answer says.

    Raises:
        NotTheAnswer: it is not JSON, not an object, or not to this question.
    """
    try:
        data = read_json(answer)
        if not isinstance(data, dict):
            raise DataError.of("wrong_value", f"an object was due, not {describe(data)}", path="$")
        if "id" not in data:
            raise DataError.of("missing_field", "the field is missing", path="$.id")
        if data.pop("id") != key:
            raise DataError.of("wrong_value", "the answer is to another question", path="$.id")
    except DataError as error:
        problem = error.problems[0]
        raise NotTheAnswer(_malformed(problem.path or "$", cap_text(problem.message))) from None
    # A service may echo the token that it was sent.
    return _observation(redact_known(data))


def no_answer_in_time(timeout_s: float) -> Observation:
    """What is recorded where a program did not answer in time."""
    message = f"no answer within {timeout_s:g} s; the process was killed"
    return Observation(None, [Failure("validator_timeout", "$", message)])


def _observation(data: JsonObject) -> Observation:
    if not _FIELD_SET.issuperset(data):
        if "error" in data:
            return Observation(None, [Failure("validator_error", "$.error", cap_text(str(data["error"])))])
        unknown = sorted(set(data) - _FIELD_SET)
        return _malformed(f"$.{cap_text(unknown[0], 200)}", "no such field in a verdict")
    missing = [name for name in ("valid", "reason") if name not in data]
    if missing:
        return _malformed(f"$.{missing[0]}", "the field is missing")
    fields: JsonObject = {"evidence": {}, **data}
    return Observation(*read_verdict(OracleVerdict(**fields)))


def _malformed(path: str, detail: str) -> Observation:
    return Observation(None, [Failure("verdict_malformed", path, detail)])
