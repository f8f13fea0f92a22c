"""Digests, Merkle root and manifest identity once more, from the specification alone.

Nothing of the package is used here: only the standard library and the reference encoder of RFC 8785.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import rfc8785


def canonical(value: Any) -> bytes:
    """RFC 8785 bytes."""
    return rfc8785.dumps(value)


def read(line: bytes) -> Any:
    """A canonical line; integers that only a double can hold become doubles."""
    return json.loads(line, parse_int=lambda digits: int(digits) if abs(int(digits)) < 2**53 else float(digits))


def digest(data: bytes) -> str:
    """SHA-256 as it is written in records."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def merkle_root(lines: Sequence[bytes]) -> str:
    """The tree hash of RFC 9162, section 2.1.1."""

    def tree_hash(leaves: Sequence[bytes]) -> bytes:
        if len(leaves) == 1:
            return hashlib.sha256(b"\x00" + leaves[0]).digest()
        split = 2 ** ((len(leaves) - 1).bit_length() - 1)
        return hashlib.sha256(b"\x01" + tree_hash(leaves[:split]) + tree_hash(leaves[split:])).digest()

    return "sha256:" + (tree_hash(lines) if lines else hashlib.sha256(b"").digest()).hex()


def validation_digest(record: dict[str, Any]) -> str:
    """A validation's logical digest: over its canonical content without the digest and what was observed."""
    return digest(canonical({key: value for key, value in record.items() if key not in ("digest", "observed")}))


def content_digest(case: dict[str, Any]) -> str:
    """What a case shows the model, under the schema of case contents."""
    return digest(canonical({"schema": "robust.case-content/1", "input": case["input"], "media": case["media"]}))


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
