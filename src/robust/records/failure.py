"""What was observed to go wrong while an oracle was asked, and text that is safe to keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from robust.canon import JsonObject, type_name
from robust.records.redaction import redact_known, redact_text

MAX_MESSAGE_CHARACTERS: Final = 4096

FailureCode: TypeAlias = Literal[
    "validator_error",
    "validator_timeout",
    "validator_mutated_input",
    "verdict_malformed",
    "evidence_malformed",
    "validator_flaky",
]


@dataclass(frozen=True, slots=True)
class Failure:
    """One observation: its code, the JSON path it concerns, and a detail (text, or the distinct verdicts)."""

    code: FailureCode
    path: str
    detail: Any

    def to_json(self) -> JsonObject:
        """The failure as plain JSON data."""
        return {"code": self.code, "path": self.path, "detail": self.detail}


def cap_text(text: str, limit: int = MAX_MESSAGE_CHARACTERS) -> str:
    """Text made safe to store: lone surrogates and control characters escaped, secrets redacted, length capped.

    The limit counts UTF-8 bytes, so that the stored size is bounded whatever the script.
    """
    # A subclass may lie about its length or raise; a known secret must not be cut in two, which would hide it.
    whole = redact_known(str.__str__(text))
    raw = whole[: limit + 1]
    visible = "".join(
        char
        if (char >= " " and not "\ud800" <= char <= "\udfff" and char != "\x7f") or char in "\n\t"
        else f"\\u{ord(char):04x}"
        for char in raw
    )
    redacted = redact_text(visible).encode("utf-8")
    if len(redacted) <= limit and len(whole) <= limit:
        return redacted.decode("utf-8")
    return redacted[: limit - 3].decode("utf-8", "ignore") + "…"


def describe_exception(error: BaseException) -> str:
    """``Type: message`` of an exception, capped and safe, even when its ``__str__`` raises."""
    kind = type_name(error)
    try:
        message = str.__str__(str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as second:  # noqa: BLE001 - the exception comes from code that is not ours
        message = f"(its message cannot be read: {type_name(second)})"
    return cap_text(f"{kind}: {message}" if message else kind)
