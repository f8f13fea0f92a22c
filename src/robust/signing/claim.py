"""Claims: what a person says of some evidence, under a name and with a date that nobody but the signer vouches for."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from robust.errors import IntegrityError, Problem, UsageError
from robust.records.manifest import MAX_NAME_CHARACTERS, is_name
from robust.signing.statement import CLAIM_PREDICATE, Statement

MAX_CLAIM_CHARACTERS: Final = 4000
# Of the file with its line feed: room for the longest text, and for as many signatures as an envelope has.
MAX_CLAIM_BYTES: Final = 128 * 1024
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\Z", re.ASCII)
# Control characters, halves of characters, and what turns the direction of the text around it.
_KEPT_OUT: Final = frozenset(["Cc", "Cs"])
_DIRECTIONS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True, slots=True)
class Claim:
    """What a signer says.

    Attributes:
        claim: the text.
        name: the name that the signer gives; nothing but the signature's key shows who it was.
        made_at: when, as the signer's machine says: UTC, RFC 3339, whole seconds.
    """

    claim: str
    name: str
    made_at: str


def made_at(moment: datetime) -> str:
    """A moment as claims are dated."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def check_claim(claim: object, name: object) -> None:
    """Refuse a claim that could not be shown as it is.

    Raises:
        UsageError: the claim or the name is empty, too long, or holds control characters.
    """
    problems = list(_problems({"claim": claim, "name": name}, ""))
    if problems:
        raise UsageError(*problems)


def read_claim(statement: Statement, *, file: str | None = None) -> Claim:
    """The claim that a statement is.

    Raises:
        IntegrityError: it is none, or one that could not be shown as it is; names the path.
    """
    predicate = statement.predicate
    if statement.predicate_type != CLAIM_PREDICATE:
        raise IntegrityError.of("unknown_schema", f"not a {CLAIM_PREDICATE}", file=file, path="$.predicateType")
    problems = list(_problems(predicate, "$.predicate."))
    if not _is_date(predicate.get("made_at")):
        message = "must be a time such as 2026-03-01T12:00:00Z"
        problems.append(Problem(code="bad_claim", message=message, path="$.predicate.made_at"))
    if set(predicate) - {"claim", "name", "made_at"}:
        message = "a claim has claim, name and made_at, and nothing else"
        problems.append(Problem(code="bad_claim", message=message, path="$.predicate"))
    if problems:
        raise IntegrityError(*problems).located(file=file)
    return Claim(predicate["claim"], predicate["name"], predicate["made_at"])


def _problems(values: dict[str, Any], path: str) -> list[Problem]:
    problems = []
    if not _is_claim(values.get("claim")):
        message = f"a claim is text of 1 to {MAX_CLAIM_CHARACTERS} characters, without control characters"
        problems.append(Problem(code="bad_claim", message=message, path=f"{path}claim"))
    if not is_name(values.get("name")):
        message = f"a name has 1 to {MAX_NAME_CHARACTERS} printable characters, and is not blank"
        problems.append(Problem(code="bad_claim", message=message, path=f"{path}name"))
    return problems


def _is_claim(value: object) -> bool:
    """Whether a value is a text to be shown; line feeds are part of one."""
    if type(value) is not str or not 0 < len(value.strip()) <= len(value) <= MAX_CLAIM_CHARACTERS:
        return False
    return not any((unicodedata.category(char) in _KEPT_OUT and char != "\n") or char in _DIRECTIONS for char in value)


def _is_date(value: object) -> bool:
    if type(value) is not str or not _DATE.match(value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True
