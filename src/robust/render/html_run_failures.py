"""The failures of a run as items that can be searched: what was changed, what came of it, and how to ask again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject
from robust.records.failing_group import ANY_VIOLATION, FLIP, weight_of
from robust.records.run_details import FailedRecord, RunDetails
from robust.render.html_blocks import Fact, Item, ItemList, Passage, Tone
from robust.render.html_difference import LEGEND, changed_pieces, text_pieces
from robust.render.report_failure import (
    LONGEST_ID,
    broken_text,
    edit_text,
    outcome_text,
    replay_command,
    was_sent,
)
from robust.render.report_groups import WHERE
from robust.render.report_ids import id_text
from robust.render.report_words import distance_text
from robust.render.screen import Screen
from robust.render.shown_run import ShownRun

_ID_WIDTH: Final = 200
_LABEL_WIDTH: Final = 60
_SHOWN_LABELS: Final = 40
_TONES: Final[dict[str, Tone]] = {"error": "bad", "warning": "warn", "note": "plain"}


def failures_list(run: ShownRun, details: RunDetails) -> ItemList:
    """The failures that are listed, those that weigh most first."""
    return ItemList(
        title="Failures",
        anchor="failures",
        about=f"Of each source group one first. {LEGEND}",
        group_name="property",
        kind_name="what failed",
        items=[_item(run, failed) for failed in details.failed],
        count=run.report["failures"]["count"],
        where=WHERE,
        empty="Nothing failed.",
    )


def _item(run: ShownRun, failed: FailedRecord) -> Item:
    entry, screen = failed.entry, Screen()
    name = entry["property"] or "decision"
    tone: Tone = "bad"
    if entry["property"] is not None and entry["error"] is None:
        tone = _TONES[weight_of(run.report, name, entry["violations"] or ANY_VIOLATION)]
    command = ""
    if run.replayable is not None and was_sent(entry) and len(entry["id"]) <= LONGEST_ID:
        command = replay_command(run.replayable, entry["id"], screen)
    return Item(
        id=id_text(entry["id"], screen, _ID_WIDTH),
        group="base cases" if entry["property"] is None else name,
        kind=_kind(entry),
        tone=tone,
        head=outcome_text(entry, screen),
        facts=[*_facts(run.report, failed, screen)],
        passages=[*_passages(failed)],
        command=command,
    )


def _kind(entry: JsonObject) -> str:
    if entry["error"] is not None:
        return "error"
    return "breaks a limit" if any(name != FLIP for name in entry["violations"]) else "other label"


def _facts(report: JsonObject, failed: FailedRecord, screen: Screen) -> Iterator[Fact]:
    entry = failed.entry
    if entry["error"] is None:
        limits = report["properties"].get(entry["property"], {}).get("limits", {})
        yield Fact("broken", broken_text(entry, limits))
        smallest = entry["smallest"]
        # Of a pair that was made smaller the excerpt is of the smallest form.
        of = "" if smallest is None else " of the smallest form"
        if smallest is not None:
            label = screen.short(smallest["variant_selected"], _LABEL_WIDTH)
            yield Fact("smallest form", f"→ {label}, TV {distance_text(smallest['tv_distance'])}")
        if entry["edits"]:
            more = [f"and {entry['edits_left']} more"] if entry["edits_left"] else []
            yield Fact(f"edits{of}", "; ".join([edit_text(step, screen) for step in entry["edits"]] + more))
        if entry["presentation"] is not None:
            yield Fact(
                f"labels{of}" if of else "labels as shown",
                _labels([shown for shown, _ in entry["presentation"]], screen),
            )
    if failed.expected is not None:
        yield Fact("right answer", screen.short(failed.expected, _LABEL_WIDTH))
    yield Fact("case", id_text(failed.case_id, screen, _ID_WIDTH), code=True)
    if failed.source_id != failed.case_id:
        yield Fact("source", id_text(failed.source_id, screen, _ID_WIDTH), code=True)
    yield Fact("record", f"line {failed.line} of records.jsonl")


def _labels(shown: list[str], screen: Screen) -> str:
    listed = [screen.short(label, _LABEL_WIDTH) for label in shown[:_SHOWN_LABELS]]
    left = len(shown) - len(listed)
    return " | ".join([*listed, *([f"and {left} more"] if left else [])])


def _passages(failed: FailedRecord) -> Iterator[Passage]:
    changed, smallest = failed.changed, failed.smallest
    if changed is None or not (changed.old or changed.new):
        yield Passage("input", text_pieces(failed.text, failed.left))
        return
    yield Passage("from base to variant", changed_pieces(changed))
    if smallest is not None and smallest != changed and (smallest.old or smallest.new):
        yield Passage("from base to the smallest form that fails", changed_pieces(smallest))
