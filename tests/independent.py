"""Canonical bytes, digests, roots and proofs once more, from the specification alone and in sixty lines of code."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import Any

import rfc8785


def canonical(value: Any) -> bytes:
    return rfc8785.dumps(value)


def read(line: bytes) -> Any:  # integers that only a double can hold become doubles
    return json.loads(line, parse_int=lambda digits: int(digits) if abs(int(digits)) < 2**53 else float(digits))


def digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def digest_of(value: dict[str, Any], *left_out: str) -> str:  # validations, reports: without digest and observed
    return digest(canonical({key: part for key, part in value.items() if key not in left_out}))


def content_digest(case: dict[str, Any]) -> str:  # what a case shows the model
    return digest_of({"schema": "robust.case-content/1", "input": case["input"], "media": case["media"]})


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def _split(size: int) -> int:  # the largest power of two below the size
    return 1 << (size - 1).bit_length() - 1


def _tree(lines: Sequence[bytes]) -> bytes:  # RFC 9162, 2.1.1
    if len(lines) == 1:
        return hashlib.sha256(b"\x00" + lines[0]).digest()
    return _node(_tree(lines[: _split(len(lines))]), _tree(lines[_split(len(lines)) :]))


def merkle_root(lines: Iterable[bytes]) -> str:
    leaves = list(lines)
    return f"sha256:{_tree(leaves).hex()}" if leaves else digest(b"")


def inclusion_path(lines: Sequence[bytes], index: int) -> list[str]:  # RFC 9162, 2.1.3.1
    if len(lines) == 1:
        return []
    left, right = lines[: _split(len(lines))], lines[_split(len(lines)) :]
    if index < len(left):
        return [*inclusion_path(left, index), _tree(right).hex()]
    return [*inclusion_path(right, index - len(left)), _tree(left).hex()]


def root_from_path(line: bytes, index: int, size: int, path: Sequence[str]) -> str | None:  # RFC 9162, 2.1.3.2
    def climb(index: int, size: int, steps: Sequence[str]) -> bytes:
        if size == 1 and not steps:
            return _tree([line])
        split, sibling = _split(size), bytes.fromhex(steps[-1])
        if index < split:
            return _node(climb(index, split, steps[:-1]), sibling)
        return _node(sibling, climb(index - split, size - split, steps[:-1]))

    fits = 0 <= index < size and all(len(step) == 64 for step in path)
    try:
        return f"sha256:{climb(index, size, path).hex()}" if fits else None
    except (IndexError, ValueError):  # too short a path, or too long a one
        return None


def evidence(report: dict[str, Any], contract: dict[str, Any], records: Iterable[dict[str, Any]]) -> dict[str, Any]:
    lines = [canonical({key: part for key, part in record.items() if key != "observed"}) for record in records]
    cases = {"dataset": report["dataset"]["root"]} if report["dataset"] else {}
    if report["manifest"]:
        cases = {"manifest": report["manifest"]["digest"], "split": report["manifest"]["split"]}
    return {  # the digest of this is the evidence digest
        **{name: report[name] for name in ("backend", "mode", "seed")},
        "cases": cases,
        "contract": digest_of({"schema": "robust.contract/1", "contract": contract}),
        "root": merkle_root(lines),
        "schema": "robust.evidence/1",
    }
