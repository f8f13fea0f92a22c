"""Keeping secrets out of what is stored: metadata under secret-looking keys, credentials inside messages."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Any

from robust.canon import MAX_DEPTH, JsonObject

REDACTED = "[redacted]"

_SECRET_WORDS = frozenset(
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
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_MANY_KEYS = 64
_CONTAINERS = (dict, list, tuple)
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
    return any(word.lower() in _SECRET_WORDS for word in _WORDS.findall(key))


def redact_metadata(value: JsonObject) -> JsonObject:
    """The same object with every value under a secret-looking key replaced; the object itself when there is none."""
    return _redact_object(value) if _holds_secret(value) else value


def _holds_secret(value: Collection[Any], allowed: int = MAX_DEPTH) -> bool:
    items: Iterable[Any] = value
    if isinstance(value, dict):
        keys = tuple(value)
        # The same few sets of keys come again and again, so the answer for each is kept.
        if _secret_among(keys) if len(keys) <= _MANY_KEYS else any(map(_is_secret_key, keys)):
            return True
        items = value.values()
    for item in items:
        kind = type(item)
        if kind is str or kind is int or not isinstance(item, _CONTAINERS):
            continue
        # What is nested deeper is no portable JSON, and will not be stored.
        if allowed and _holds_secret(item, allowed - 1):
            return True
    return False


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


def redact_text(text: str) -> str:
    """Replace what looks like a credential inside free text."""
    for pattern in _IN_TEXT:
        text = pattern.sub(lambda found: f"{found[1]}{found[2]}{REDACTED}", text)
    return text
