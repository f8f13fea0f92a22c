"""What a comparison keeps of each base decision: one short line, so that two runs can be sorted and matched on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from robust.canon import (
    JsonObject,
    canonical_bytes,
    canonical_text,
    decode_own,
    describe,
    digest_bytes,
    fold,
    join_path,
)
from robust.errors import DataError
from robust.records.decision import label_of_answer
from robust.records.run_diff import LONGEST_SEGMENT, ComparedAnswer, ComparedCase

# Of the digest of an input: of a million of them no two are alike by chance.
_CONTENT: Final = slice(len("sha256:"), len("sha256:") + 32)
BASELINE: Final = 0
CANDIDATE: Final = 1


def answer_line(
    side: int,
    line: int,
    record: JsonObject,
    labels: Sequence[str],
    keys: Sequence[str],
    *,
    same_inputs: bool = False,
) -> bytes:
    """A base decision as a line; lines of one case id stand beside one another when they are sorted.

    Args:
        side: :data:`BASELINE` or :data:`CANDIDATE`, which sorts behind it.
        line: where the record stands in its file, from 1.
        record: the record of a base decision.
        labels: of the decision, in order.
        keys: the keys of metadata that make segments.
        same_inputs: whether both runs are known to have the same inputs, so that these need not be told apart.

    Raises:
        DataError: a value under one of the keys names no segment.
    """
    result = record.get("result")
    shares = None if result is None else [result["probabilities"][label] for label in labels]
    latency = record["observed"].get("latency_ms")
    kept = [
        line,
        fold(record["source_id"]),
        label_of_answer(record["expected"]),
        shares,
        None if result is not None else record["error"]["kind"],
        "" if same_inputs else digest_bytes(canonical_bytes([record["input"], record["media"]]))[_CONTENT],
        latency if type(latency) in (int, float) else None,
        [segment_value(record["metadata"], key, line) for key in keys],
    ]
    # The id with its quotation marks comes first, so that no other id has the same beginning.
    return canonical_bytes([record["case_id"], side, *kept])


def segment_value(metadata: JsonObject, key: str, line: int) -> str | None:
    """The value of a case under a key, as the name of a segment; None of a case without that key.

    Raises:
        DataError: it is an object or a list, or a text too long for a name.
    """
    if key not in metadata:
        return None
    value = metadata[key]
    if isinstance(value, dict | list):
        message = f"{describe(value)} names no segment"
        raise DataError.of("bad_segment", message, line=line, path=join_path("$.metadata", key), hint=_HINT)
    text = value if isinstance(value, str) else canonical_text(value)
    if len(text) > LONGEST_SEGMENT:
        message = f"a value of {len(text)} characters names no segment; it has at most {LONGEST_SEGMENT}"
        raise DataError.of("bad_segment", message, line=line, path=join_path("$.metadata", key), hint=_HINT)
    return text


_HINT: Final = "segment by a key whose values are short texts, numbers or truth values"


def compared_cases(lines: Iterable[bytes]) -> Iterator[ComparedCase]:
    """The cases of two runs, in the order of their lines.

    Args:
        lines: those of both runs, sorted by their bytes.
    """
    for case_id, rows in groupby(map(decode_own, lines), key=_case_id):
        sides: list[ComparedAnswer | None] = [None, None]
        for row in rows:
            sides[row[1]] = _answer(row)
        yield ComparedCase(case_id, sides[BASELINE], sides[CANDIDATE])


def _case_id(row: list[Any]) -> str:
    return str(row[0])


def _answer(row: list[Any]) -> ComparedAnswer:
    _, _, line, source, expected, shares, error, content, latency, segments = row
    # Canonical JSON has 1.0 as 1.
    probabilities = None if shares is None else tuple(map(float, shares))
    return ComparedAnswer(line, source, expected, probabilities, error, content, latency, tuple(segments))
