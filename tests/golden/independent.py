"""What a manifest's bytes must satisfy, and what a forger would make of them, by what stands in tests.independent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.independent import canonical, content_digest, digest, digest_of, merkle_root, read

__all__ = [
    "canonical",
    "content_digest",
    "digest",
    "forged",
    "manifest_faults",
    "manifest_identity",
    "merkle_root",
    "read",
]


def validation_digest(record: dict[str, Any]) -> str:
    """A validation's logical digest: over its canonical content without the digest and what was observed."""
    return digest_of(record, "digest", "observed")


def manifest_identity(data: bytes) -> str:
    r"""``head -n1 FILE | tr -d '\n' | sha256sum``."""
    return digest(data.split(b"\n")[0])


def manifest_faults(data: bytes) -> list[str]:
    """Everything about a manifest's bytes that does not follow from its lines."""
    *lines, rest = data.split(b"\n")
    header, *entries = map(read, lines)
    faults = ["the file does not end with a line feed"] if rest else []
    faults += [
        f"line {number} is not canonical" for number, line in enumerate(lines, 1) if canonical(read(line)) != line
    ]
    if header["root"] != merkle_root(lines[1:]):
        faults.append("the root is another")
    for entry in entries:
        if entry["kind"] == "validation" and entry["validation"]["digest"] != validation_digest(entry["validation"]):
            faults.append("the digest of a validation is another")
    cases = [entry["case"] for entry in entries if entry["kind"] == "case"]
    contents = {case["case_id"]: content_digest(case) for case in cases}
    faults += [
        f"{case['case_id']} has another parent"
        for case in cases
        if case["origin"] and contents[case["origin"]["parent_id"]] != case["origin"]["parent_content"]
    ]
    return faults


def forged(lines: Sequence[dict[str, Any]], **header: Any) -> bytes:
    """A manifest of any lines whose digests and root are right: what a careful forger would make of them."""
    head = {**lines[0], **header}
    for line in lines[1:]:
        if line["kind"] == "validation" and isinstance(line.get("validation"), dict):
            line["validation"]["digest"] = validation_digest(line["validation"])
    encoded = [canonical(line) for line in lines[1:]]
    return b"".join(line + b"\n" for line in (canonical({**head, "root": merkle_root(encoded)}), *encoded))
