"""What an oracle says: the verdict as the caller makes it, and as it is read without trusting its shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from robust.canon import (
    MAX_PART_DEPTH,
    JsonObject,
    canonical_bytes,
    describe,
    encode_exact,
    exact_text,
    plain_parts,
    type_name,
    within_part_depth,
)
from robust.errors import DataError, Problem
from robust.records.failure import Failure, FailureCode, cap_text

MAX_EVIDENCE_BYTES: Final = 64 * 1024
MAX_ANSWER_BYTES: Final = 1024 * 1024
MAX_REASON_CHARACTERS: Final = 16 * 1024
MAX_LISTED_PARTS: Final = 100


@dataclass(frozen=True, slots=True)
class OracleVerdict:
    """An oracle's judgement of one candidate.

    Attributes:
        valid: True, False, or None when it cannot decide.
        reason: why, for people.
        base_expected: the right answer to the base, derived without looking at any label.
        variant_expected: the right answer to the candidate, derived likewise.
        evidence: a JSON object with what supports the judgement.
    """

    valid: bool | None
    reason: str
    base_expected: Any = None
    variant_expected: Any = None
    evidence: JsonObject = field(default_factory=dict)


def read_verdict(result: object) -> tuple[bytes | None, list[Failure]]:
    """Read what a validator returned into canonical bytes and the failures found in it.

    A part of the wrong type is left out (null, or empty text) and named by a failure; the rest is kept.

    Returns:
        the canonical verdict with all five fields, or None when there is no verdict at all; and the failures.
    """
    if not issubclass(type(result), OracleVerdict):
        return None, [Failure("verdict_malformed", "$", f"an OracleVerdict was due, not {describe(result)}")]
    said: Any = result
    try:
        fields = {
            "valid": said.valid,
            "reason": said.reason,
            "base_expected": said.base_expected,
            "variant_expected": said.variant_expected,
            "evidence": said.evidence,
        }
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a subclass may do anything
        return None, [Failure("verdict_malformed", "$", f"its fields cannot be read: {type_name(error)}")]
    encoded = _well_formed(fields)
    if encoded is not None:
        return encoded, []
    failures: list[Failure] = []
    verdict = {
        "valid": _valid(fields["valid"], failures),
        "reason": _reason(fields["reason"], failures),
        "base_expected": _answer("base_expected", fields["base_expected"], failures),
        "variant_expected": _answer("variant_expected", fields["variant_expected"], failures),
        "evidence": _evidence(fields["evidence"], failures),
    }
    return canonical_bytes(verdict), failures


def _well_formed(fields: JsonObject) -> bytes | None:
    """The canonical bytes of a verdict that is plainly in order and within every limit; None to look closer."""
    plain = type(fields["reason"]) is str and type(fields["evidence"]) is dict
    if not plain or not (fields["valid"] is None or type(fields["valid"]) is bool):
        return None
    exact = encode_exact(fields, MAX_PART_DEPTH)
    if exact is not None:
        # Copied, since orjson returns bytes with kilobytes of unused room behind them, which are kept as long.
        return b"%s" % exact[0] if len(exact[0]) <= MAX_REASON_CHARACTERS else None
    try:
        encoded = canonical_bytes(fields)
    except DataError:
        return None
    return encoded if len(encoded) <= MAX_REASON_CHARACTERS and within_part_depth(encoded) else None


def _malformed(field_name: str, wanted: str, found: object) -> Failure:
    return Failure("verdict_malformed", f"$.{field_name}", f"must be {wanted}, not {describe(found)}")


def _valid(value: object, failures: list[Failure]) -> bool | None:
    if value is None or value is True or value is False:
        return value
    failures.append(_malformed("valid", "True, False or None", value))
    return None


def _reason(value: object, failures: list[Failure]) -> str:
    value = exact_text(value)
    if type(value) is not str:
        failures.append(_malformed("reason", "text", value))
        return ""
    text, problems = plain_parts(value)
    if problems:
        failures.append(Failure("verdict_malformed", "$.reason", problems[0].message))
        return cap_text(value, MAX_REASON_CHARACTERS)
    if len(text) > MAX_REASON_CHARACTERS:
        message = f"longer than {MAX_REASON_CHARACTERS} characters; cut"
        failures.append(Failure("verdict_malformed", "$.reason", message))
        return cap_text(value, MAX_REASON_CHARACTERS)
    return str(text)


def _answer(name: str, value: object, failures: list[Failure]) -> Any:
    answer, problems = plain_parts(value, f"$.{name}", MAX_PART_DEPTH)
    if problems:
        failures.extend(_left_out("verdict_malformed", f"$.{name}", problems))
        return None
    if len(canonical_bytes(answer)) > MAX_ANSWER_BYTES:
        failures.append(Failure("verdict_malformed", f"$.{name}", f"larger than {MAX_ANSWER_BYTES} bytes; left out"))
        return None
    return answer


def _evidence(value: object, failures: list[Failure]) -> JsonObject:
    if not issubclass(type(value), dict):
        failures.append(Failure("evidence_malformed", "$.evidence", f"must be an object, not {describe(value)}"))
        return {}
    kept, problems = plain_parts(value, "$.evidence", MAX_PART_DEPTH)
    failures.extend(_left_out("evidence_malformed", "$.evidence", problems))
    evidence: JsonObject = kept if isinstance(kept, dict) else {}
    size = len(canonical_bytes(evidence))
    if size > MAX_EVIDENCE_BYTES:
        message = f"{size} bytes are over the limit of {MAX_EVIDENCE_BYTES}; left out"
        failures.append(Failure("evidence_malformed", "$.evidence", message))
        return {}
    return evidence


def _left_out(code: FailureCode, path: str, problems: Sequence[Problem]) -> list[Failure]:
    """One failure for each part that is not portable, as far as a record has room for them."""
    failures = [
        Failure(code, cap_text(problem.path or path), problem.message) for problem in problems[:MAX_LISTED_PARTS]
    ]
    if len(problems) > MAX_LISTED_PARTS:
        failures.append(Failure(code, path, f"{len(problems) - MAX_LISTED_PARTS} more parts are left out"))
    return failures
