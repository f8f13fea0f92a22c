"""Files that belong to a case's input, named by a safe relative path and their digest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from robust.canon import JsonObject, describe, join_path
from robust.errors import CaseError, Problem
from robust.records.base import unknown_fields

_FIELDS = ("path", "media_type", "bytes", "sha256")
# Type and subtype (RFC 6838), and parameters.
_TYPE = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+(?:;[ -~]*)?\Z", re.ASCII)
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_DEVICE_NAMES = re.compile(r"(?i)(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?:\.|\Z)")
# Most file systems take names of so many bytes.
_LONGEST_PART = 255
_UNSAFE = re.compile(r'[\x00-\x1f\\:*?"<>|]')


def unsafe_path_reason(path: str) -> str | None:
    """Why a relative path must not be used, or None: it has to stay inside its folder on every platform."""
    if not path or len(path) > 1024:
        return "must have 1 to 1024 characters"
    if _UNSAFE.search(path):
        return 'must not hold control characters, backslashes or any of : * ? " < > |'
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return "must be relative, with '/' between its parts and no '.' or '..'"
    if any(len(part.encode("utf-8", "replace")) > _LONGEST_PART for part in parts):
        return f"must not have a part of over {_LONGEST_PART} bytes"
    if any(part.endswith((".", " ")) or _DEVICE_NAMES.match(part) for part in parts):
        return "must not have a part that Windows cannot store (a device name, a trailing dot or space)"
    return None


@dataclass(frozen=True, kw_only=True, slots=True)
class Media:
    """One file of an input: its path inside the manifest's folder, media type, size in bytes and SHA-256 (hex)."""

    path: str
    media_type: str
    bytes: int
    sha256: str

    def __post_init__(self) -> None:
        problems: list[Problem] = []

        def require(holds: bool, name: str, wanted: str) -> None:
            if not holds:
                problems.append(Problem(code="wrong_value", message=wanted, path=f"$.media.{name}"))

        reason = unsafe_path_reason(self.path) if isinstance(self.path, str) else "must be text"
        require(reason is None, "path", reason or "")
        require(
            isinstance(self.media_type, str) and bool(_TYPE.match(self.media_type)),
            "media_type",
            "must be like image/png",
        )
        require(type(self.bytes) is int and self.bytes >= 0, "bytes", "must be an integer from 0")
        require(isinstance(self.sha256, str) and bool(_SHA256.match(self.sha256)), "sha256", "must be 64 hex digits")
        if problems:
            raise CaseError(*problems)

    def to_json(self) -> JsonObject:
        """The entry as plain JSON data."""
        return {name: getattr(self, name) for name in _FIELDS}

    @classmethod
    def from_list(cls, data: object, path: str = "$.media") -> Iterator[Media]:
        """Read the media list of a case.

        Raises:
            CaseError: the list, or a field of an entry, is wrong.
        """
        if not isinstance(data, list):
            raise CaseError.of("wrong_value", f"must be a list, not {describe(data)}", path=path)
        for index, item in enumerate(data):
            here = join_path(path, index)
            if not isinstance(item, dict):
                raise CaseError.of("wrong_value", f"must be an object, not {describe(item)}", path=here)
            problems = unknown_fields(item, _FIELDS, here)
            problems += [
                Problem(code="missing_field", message="the field is missing", path=join_path(here, name))
                for name in _FIELDS
                if name not in item
            ]
            if problems:
                raise CaseError(*problems)
            yield cls(**item)
