"""What a reader must know of a report before anything else, in sentences."""

from __future__ import annotations

from typing import Final

from robust.canon import JsonObject
from robust.render.plain import counts_text, plural

MODES: Final = {"all": "", "golden": ", golden gates only", "properties": ", properties only"}
_STATUSES: Final = ("valid", "invalid", "unknown", "assumed")


def assumed_note(report: JsonObject) -> str:
    """How much rests on nobody's judgement; empty where nothing does."""
    counts = report["counts"]
    if not counts["assumed"]:
        return ""
    are, them = ("is", "it") if counts["assumed"] == 1 else ("are", "them")
    scored = f"{counts['assumed']} of {plural(counts['pairs'], 'pair')} {are} scored on the contract author's word"
    return f"{scored}: no oracle judged {them}."


def cases_note(report: JsonObject) -> str:
    """How many cases there were."""
    counts = report["counts"]
    cases, sources = plural(counts["cases"], "case"), plural(counts["groups"], "source")
    return f"{cases} of {sources}, {plural(counts['errors'], 'error')}"


def pairs_note(report: JsonObject) -> str:
    """How many pairs there were and how they were judged; empty where there were none."""
    counts = report["counts"]
    if not (counts["pairs"] or counts["skipped"]):
        return ""
    statuses = {status: counts[status] for status in _STATUSES if counts[status]}
    judged = f": {counts_text(statuses)}" if statuses else ""
    skipped = f"; {counts['skipped']} skipped" if counts["skipped"] else ""
    return f"{plural(counts['pairs'], 'pair')}{judged}{skipped}"
