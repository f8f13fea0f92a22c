"""Keeping secrets out of what is stored: metadata under secret-looking keys, credentials inside messages."""

from __future__ import annotations

import base64
import json
import re
import threading
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from typing import Any
from urllib.parse import quote, quote_plus

from robust.canon import MAX_DEPTH, JsonObject, Members

REDACTED = "[redacted]"

SECRET_WORDS = frozenset(
    [
        "apikey",
        "auth",
        "authorization",
        "bearer",
        "cookie",
        "cookies",
        "credential",
        "credentials",
        "key",
        "passphrase",
        "passwd",
        "password",
        "pwd",
        "secret",
        "secrets",
        "token",
    ]
)
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_MANY_KEYS = 64
_SHORTEST_SECRET = 4
_SHORTEST_ENCODED = 6
_KNOWN: set[str] = set()
_KNOWN_LOCK = threading.Lock()
# One pattern over all remembered secrets, replaced as a whole when one is added.
_known_pattern: list[re.Pattern[str] | None] = [None]
_CONTAINERS = (dict, list, tuple)
_SCALARS = frozenset((str, int, float, bool, type(None)))
_IN_TEXT = (
    re.compile(
        r"(?i)\b(authorization|api[_-]?key|[\w-]{0,40}(?:token|secret)|password|passwd|cookie)(\W{1,4})"
        r"(?:(?:bearer|basic)\s+)?[^\s'\",;]+"
    ),
    re.compile(r"(?i)\b(bearer|basic)(\s+)[\w.~+/=-]{8,}"),
    re.compile(r"(://)()[^/\s:@]+:[^/\s@]+(?=@)"),
)


@lru_cache(maxsize=4096)
def looks_secret(key: str) -> bool:
    """Whether a metadata key names a secret: one of its words is token, key, password, cookie and the like."""
    return any(word.lower() in SECRET_WORDS for word in WORDS.findall(key))


def redact_metadata(value: JsonObject) -> JsonObject:
    """The same object with every value under a secret-looking key replaced; the object itself when there is none."""
    return _redact_object(value) if _holds_secret(value) else value


def _holds_secret(value: Collection[Any], allowed: int = MAX_DEPTH) -> bool:
    items: Iterable[Any] = value
    if isinstance(value, dict):
        if _any_secret(tuple(value)):
            return True
        items = value.values()
    for item in items:
        kind = type(item)
        if kind is str or kind is int or not isinstance(item, _CONTAINERS):
            continue
        if kind is list and _SCALARS.issuperset(map(type, item)):
            continue
        # What is nested deeper is no portable JSON, and will not be stored.
        if allowed and _holds_secret(item, allowed - 1):
            return True
    return False


def hold_secret(members: Members) -> bool:
    """Whether there is something to redact in any of some objects."""
    return any(map(_any_secret, members.keys)) or _holds_secret(members.others)


def _any_secret(keys: tuple[object, ...]) -> bool:
    # The same few sets of keys come again and again, so the answer for each is kept.
    return _secret_among(keys) if len(keys) <= _MANY_KEYS else any(map(_is_secret_key, keys))


def _is_secret_key(key: object) -> bool:
    return isinstance(key, str) and looks_secret(key)


@lru_cache(maxsize=1024)
def _secret_among(keys: tuple[object, ...]) -> bool:
    return any(map(_is_secret_key, keys))


def _redact_object(value: dict[Any, Any]) -> JsonObject:
    return {key: REDACTED if item is not None and _is_secret_key(key) else _redact(item) for key, item in value.items()}


def _redact(value: Any) -> Any:
    if isinstance(value, dict):
        return _redact_object(value)
    return [_redact(item) for item in value] if isinstance(value, list | tuple) else value


def remember_secret(value: str) -> None:
    """Have a secret's value replaced wherever text is redacted from now on, whoever says it.

    Also its usual spellings inside other texts: in another case, as JSON escapes it, as an address does, in hexadecimal
    digits and in Base64.
    """
    if len(value.strip()) < _SHORTEST_SECRET:
        return  # replacing it would tear up every text, and show where it stood
    forms = {value, value.strip(), json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    forms |= {quote(value), quote(value, safe=""), quote_plus(value), value.encode().hex(), *_in_base64(value.encode())}
    with _KNOWN_LOCK:
        _KNOWN.update(forms)
        # The longest first, so that one that holds another goes as a whole.
        ordered = sorted(_KNOWN, key=lambda form: (-len(form), form))
        _known_pattern[0] = re.compile("|".join(map(re.escape, ordered)), re.IGNORECASE)


def _in_base64(secret: bytes) -> Iterator[str]:
    """What a secret leaves of itself in Base64, whatever stands before and behind it: at each of three places."""
    for before in range(3):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            encoded = encode(b"\0" * before + secret).decode().rstrip("=")
            # The first and the last character also hold bits of what stands around it.
            kept = encoded[(0, 2, 3)[before] : len(encoded) - ((before + len(secret)) % 3 != 0)]
            if len(kept) >= _SHORTEST_ENCODED:
                yield kept


def redact_known(value: Any) -> Any:
    """The same JSON value with every remembered secret in its texts and keys replaced."""
    pattern = _known_pattern[0]
    return value if pattern is None else _redact_known(value, pattern)


def _redact_known(value: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return pattern.sub(REDACTED, value)
    if isinstance(value, dict):
        return {_redact_known(key, pattern): _redact_known(item, pattern) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_redact_known(item, pattern) for item in value]
    # A secret of digits can come back as a number.
    number = type(value) in (int, float)
    return REDACTED if number and pattern.fullmatch(str(value)) else value


def known_secrets_in(text: str) -> frozenset[str]:
    """The remembered secrets that stand in a text, in lower case."""
    pattern = _known_pattern[0]
    return frozenset() if pattern is None else frozenset(found[0].lower() for found in pattern.finditer(text))


def redact_text(text: str) -> str:
    """Replace remembered secrets, and what looks like a credential, inside free text."""
    text = redact_known(text)
    for pattern in _IN_TEXT:
        text = pattern.sub(lambda found: f"{found[1]}{found[2]}{REDACTED}", text)
    return text
