"""Base64 that has one spelling for each alphabet: whole groups, padding where it is due, no bits left over."""

from __future__ import annotations

import base64
import binascii

_URL_SAFE = str.maketrans("-_", "+/")


def encode_base64(data: bytes) -> str:
    """Bytes in the standard alphabet, with padding (RFC 4648, 4)."""
    return base64.b64encode(data).decode("ascii")


def decode_base64(text: str) -> bytes | None:
    """The bytes of a text in the standard or the URL-safe alphabet, not both in one; None for everything else."""
    if not text.isascii():
        return None
    if ("-" in text or "_" in text) and not ("+" in text or "/" in text):
        text = text.translate(_URL_SAFE)
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    # Only so are bits that belong to nothing, and padding too much, found.
    return data if encode_base64(data) == text else None
