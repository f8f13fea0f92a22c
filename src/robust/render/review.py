"""What a person reads of a pair: its inputs as cells of a sheet, and how they differ."""

from __future__ import annotations

import json
from typing import Final

from robust.canon import JsonObject, digest_bytes
from robust.records.case import content_digest
from robust.records.review import ReviewCounts, ReviewHelp, ReviewPair, ReviewRow, answer_kind, clean, pair_digest
from robust.records.validation import ValidationRecord
from robust.render.plain import plural, safe, shorten
from robust.render.word_difference import word_difference

# A spreadsheet cuts a cell at 32,767 units, and a character may be two of them.
MAX_SHOWN: Final = 15_000
_MAX_REASON: Final = 1000
_MAX_IGNORED: Final = 20


def review_row(record: ValidationRecord) -> ReviewRow:
    """The row of a sheet on which people judge a record's pair."""
    data = record.data
    base, candidate = data["base"], data["candidate"]
    contents = [content_digest(case["input"], case["media"]) for case in (base, candidate)]
    shown = [input_text(case["input"]) for case in (base, candidate)]
    pair = ReviewPair(
        contract=data["contract"],
        relation=data["relation"],
        base_id=clean(base["case_id"]),
        candidate_id=clean(candidate["case_id"]),
        source_id=clean(base["source_id"]),
        base=_cell(shown[0]),
        candidate=_cell(shown[1]),
        media=_media_text(base, candidate),
        change=clean(word_difference(*shown)),
        answers=answer_kind(data),
        pair=pair_digest(data["contract"], data["relation"], *contents),
    )
    verdict = data["verdict"] or {}
    helping = ReviewHelp(
        status=record.status,
        issues=", ".join(record.issues),
        oracle_reason=shorten(safe(verdict.get("reason", "")), _MAX_REASON),
    )
    return ReviewRow(pair=pair, help=helping)


def input_text(shown: str | JsonObject) -> str:
    """An input as text: as it is, or an object as JSON over several lines."""
    return shown if isinstance(shown, str) else json.dumps(shown, ensure_ascii=False, indent=2, sort_keys=True)


def _cell(text: str) -> str:
    """Clean text of a length that a cell can hold; what is left out is named by its digest."""
    shown = clean(text)
    if len(shown) <= MAX_SHOWN:
        return shown
    whole = digest_bytes(text.encode())
    return f"{shown[:MAX_SHOWN]}… [{len(shown) - MAX_SHOWN} more characters of {whole}]"


def _media_text(*cases: JsonObject) -> str:
    """The files of both inputs, a line each."""
    lines = (
        f"{side}: {item['path']} ({item['media_type']}, {item['bytes']} bytes, sha256 {item['sha256']})"
        for side, case in zip(("base", "candidate"), cases, strict=True)
        for item in case["media"]
    )
    return _cell("\n".join(lines))


def sheet_notices(file: str, counts: ReviewCounts) -> list[str]:
    """What a user should know of a sheet that was read."""
    are = "is" if counts.judged == 1 else "are"
    found = [f"{file}: {plural(counts.judged, 'row')} {are} judged, {counts.unjudged} not yet"]
    if counts.without_reason:
        give, leaves = ("gives", "it") if counts.without_reason == 1 else ("give", "them")
        judgements = plural(counts.without_reason, "judgement")
        found.append(f"{file}: {judgements} {give} no reason, which leaves {leaves} unknown")
    if counts.ignored:
        listed = ", ".join(map(repr, counts.ignored[:_MAX_IGNORED]))
        found.append(f"{file}: not part of a review sheet, and not read: {listed}")
    return found
