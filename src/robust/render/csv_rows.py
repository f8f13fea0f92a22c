"""A run as rows for spreadsheets: its checks, its decisions and its pairs.

Cells are plain values: texts, numbers, truth values, or nothing. What a spreadsheet would run is guarded where they are
written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, TypeAlias, get_args

from robust.canon import JsonObject, canonical_text
from robust.records.decision import label_of_answer

Part: TypeAlias = Literal["checks", "pairs", "decisions"]
PARTS: Final[tuple[Part, ...]] = get_args(Part)
Cell: TypeAlias = str | float | int | bool | None
# Excel has cells of at most 32,767 characters; some are left for what is said of the rest.
MAX_CELL: Final = 32_000
# With more labels a row of probabilities could not be read, and the columns of a sheet come to an end.
MAX_LABELS: Final = 200

_CHECKS: Final = (
    "check",
    "level",
    "status",
    "value",
    "limit",
    "low",
    "high",
    "noise",
    "p_value",
    "needed_groups",
    "observed",
)
_CASE: Final = ("id", "case_id", "source_id", "expected")
_DECISION: Final = (*_CASE, "selected", "correct", "confidence", "error", "latency_ms")
_COMPARED: Final = (
    "base_selected",
    "variant_selected",
    "base_correct",
    "variant_correct",
    "flipped",
    "rank_changed",
    "tv_distance",
    "js_divergence",
    "max_abs_delta",
    "confidence_delta",
    "level_delta",
)
_PAIR: Final = (
    *_CASE,
    *("property", "relation", "sample", "status", "reasons", "error"),
    *_COMPARED,
    *("violations", "reduced", "latency_ms"),
)
_TEXTS: Final = ("input", "metadata")


def part_rows(part: Part, report: JsonObject, records: Iterable[JsonObject]) -> Iterator[Sequence[Cell]]:
    """A head, and the rows of a part.

    Args:
        part: ``checks`` of the report; ``decisions``, one for each base case; ``pairs``, one for each candidate, those
            that no oracle vouches for and cases that were skipped included.
        report: the report.
        records: the records, as they are judged now; none are taken for the checks.
    """
    if part == "checks":
        yield _CHECKS
        yield from map(_check, report["checks"])
        return
    labels: list[str] = report["contract"]["labels"]
    shares = labels if len(labels) <= MAX_LABELS else []
    wanted = ("decision",) if part == "decisions" else ("pair", "skip")
    yield (*(_DECISION if part == "decisions" else _PAIR), *(f"p({label})" for label in shares), *_TEXTS)
    for record in records:
        if record["kind"] in wanted:
            first = _decision(record) if part == "decisions" else _pair(record)
            yield (*first, *_shares(record, shares), *_texts(record))


def _check(check: JsonObject) -> Sequence[Cell]:
    low, high = check["interval"] or (None, None)
    named = {**check, "low": low, "high": high}
    return [named[name] for name in _CHECKS]


def _case(record: JsonObject) -> Sequence[Cell]:
    expected = record.get("expected")
    known = label_of_answer(expected)
    # An answer that is no label is one of what was asked for, and stands as it is.
    shown = known if known is not None or expected is None else canonical_text(expected)
    return [record["id"], record["case_id"], record["source_id"], shown]


def _error(record: JsonObject) -> Cell:
    error = record.get("error")
    return None if error is None else error["kind"]


def _latency(record: JsonObject) -> Cell:
    value = record["observed"].get("latency_ms") if isinstance(record.get("observed"), dict) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _decision(record: JsonObject) -> Sequence[Cell]:
    result = record.get("result")
    expected = label_of_answer(record["expected"])
    selected, confidence = (None, None) if result is None else (result["selected"], result["confidence"])
    correct = None if result is None or expected is None else selected == expected
    return [*_case(record), selected, correct, confidence, _error(record), _latency(record)]


def _pair(record: JsonObject) -> Sequence[Cell]:
    comparison = record.get("comparison") or {}
    status, reasons = _status(record)
    relation = comparison.get("relation") or (record.get("provenance") or {}).get("relation")
    compared = [comparison.get(name) for name in _COMPARED]
    reduced = None if record["kind"] == "skip" else record["reduced"] is not None
    return [
        *_case(record),
        *(record["property"], relation, record.get("sample"), status, reasons, _error(record)),
        *compared,
        *(" ".join(record.get("violations", ())), reduced, _latency(record)),
    ]


def _status(record: JsonObject) -> tuple[Cell, Cell]:
    """Who vouches for a candidate, or why nobody does."""
    if record["kind"] == "skip":
        return "skipped", record["reason"]
    validation = record["validation"]
    if validation is None:
        return ("assumed" if record.get("assumed") else None), None
    # That of a variant is in its manifest, which holds valid ones only.
    if isinstance(validation, str):
        return "valid", None
    return validation["status"], " ".join(validation["issues"]) or None


def _shares(record: JsonObject, labels: Sequence[str]) -> Iterator[Cell]:
    result = record.get("result")
    probabilities: dict[str, Any] = {} if result is None else result["probabilities"]
    yield from (probabilities.get(label) for label in labels)


def _texts(record: JsonObject) -> Iterator[Cell]:
    for name in _TEXTS:
        value = record.get(name)
        text = value if isinstance(value, str) else "" if value in (None, {}) else canonical_text(value)
        yield text if len(text) <= MAX_CELL else f"{text[:MAX_CELL]}… and {len(text) - MAX_CELL} more characters"
