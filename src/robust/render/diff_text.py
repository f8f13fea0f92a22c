"""A comparison of two runs as plain text, readable at 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject
from robust.render.diff_facts import (
    SIDES,
    answer_notes,
    apart_notes,
    change_text,
    changes_note,
    error_notes,
    judged,
    matched_text,
    metric_rows,
    note_of,
    place_of,
    run_text,
    segment_rows,
    shift_rows,
    unknown_notes,
)
from robust.render.plain import table
from robust.render.report_checks import checks_text
from robust.render.report_ids import id_text
from robust.render.screen import Screen

_SHOWN_CHANGES: Final = 10
# Where more of them are.
WHERE: Final = "-f json lists {listed}, records.jsonl of both runs has all"
_SHOWN_SEGMENTS: Final = 20
_SHOWN_PAIRS: Final = 5
_MOST_LINES: Final = 3
_ID_WIDTH: Final = 60
_LABEL_WIDTH: Final = 24


def diff_text(report: JsonObject, *, encoding: str = "utf-8") -> str:
    """What was compared, what the runs do not have in common, the gates, and what changed.

    No line is longer than 80 columns.

    Args:
        report: the comparison.
        encoding: of what the text is written to; characters that it lacks are escaped.
    """
    screen = Screen(encoding)
    return "\n".join(
        [
            *_head(report, screen),
            *_notes("Not in common", apart_notes(report, screen), screen),
            *checks_text(judged(report), screen),
            *_notes("Of these checks", _check_notes(report, screen), screen),
            *_notes("Not shown", unknown_notes(report), screen),
            *_notes("Answers", answer_notes(report), screen),
            *_label_pairs(report, screen),
            *_notes("Errors", error_notes(report), screen),
            *_table("Distances of the two answers", shift_rows(report), right=(1, 3)),
            *_table("Metrics of the matched cases", metric_rows(report), right=(1, 2, 3, 5)),
            *_segments(report, screen),
            *_changes(report, screen),
            "",
            *_identities(report),
        ]
    )


def _head(report: JsonObject, screen: Screen) -> Iterator[str]:
    contract = report["contract"]
    yield f"{report['status'].upper()}  {screen.short(contract['name'], 60)}: a candidate beside its baseline"
    for side in SIDES:
        place = place_of(report, side)
        shown = f"{screen.safe(place)}: " if place else ""
        yield from screen.paragraph(f"{shown}{run_text(report, side, screen)}", head=f"  {side:<10} ", indent=13)
    yield from screen.paragraph(matched_text(report), head="  ", indent=4)
    of = "given for this comparison" if contract["of"] == "caller" else "of the candidate"
    yield f"  judged by the contract {of}"
    if report["status"] == "error":
        yield "  no case was decided by both runs, so that nothing can be compared"


def _check_notes(report: JsonObject, screen: Screen) -> Iterator[str]:
    for check in report["checks"]:
        note = note_of(report, check, screen)
        if note is not None:
            yield f"{check['check']}: {note}"


def _notes(head: str, notes: Iterator[str], screen: Screen) -> list[str]:
    lines = [line for note in notes for line in screen.paragraph(note, head="  ", indent=4)]
    return ["", head, *lines] if lines else []


def _label_pairs(report: JsonObject, screen: Screen) -> list[str]:
    pairs = report["answers"]["label_pairs"][:_SHOWN_PAIRS]
    rows = []
    for pair in pairs:
        was, now = (screen.short(pair[end], _LABEL_WIDTH) for end in ("from", "to"))
        rows.append([was, screen.signs.arrow, now, str(pair["count"])])
    return table(rows, right=(3,), indent="    ")


def _table(head: str, rows: list[list[str]], right: tuple[int, ...]) -> list[str]:
    return ["", head, *table(rows, right=right)] if len(rows) > 1 else []


def _segments(report: JsonObject, screen: Screen) -> list[str]:
    head, *rows = segment_rows(report, screen, _LABEL_WIDTH)
    if not rows:
        return []
    shown = rows[:_SHOWN_SEGMENTS]
    left = len(rows) - len(shown)
    more = [f"  and {left} more, which -f json lists"] if left else []
    # An interval more would not fit 80 columns; it stands in the other formats.
    lines = table([[cell for place, cell in enumerate(row) if place != 5] for row in (head, *shown)], right=range(1, 6))
    return ["", "Accuracy by segment", *lines, *more]


def change_lines(report: JsonObject, screen: Screen, most: int) -> Iterator[str]:
    """The changed cases that are to be looked at first, each with its id, both answers and its input.

    Args:
        report: the comparison.
        screen: what is written to.
        most: how many are shown.
    """
    first = report["changes"]["first"][:most]
    for change in first:
        yield from screen.paragraph(id_text(change["case_id"], screen, _ID_WIDTH), head="  ", indent=4)
        yield from screen.paragraph(change_text(change, screen), head="    ", indent=6)
        text = screen.visible(change["input"]) + (screen.signs.more if change["input_left"] else "")
        yield from screen.paragraph(text, head="    input: ", indent=6, most=_MOST_LINES)
        if change["other_input"] is not None:
            was = screen.visible(change["other_input"]["old"])
            yield from screen.paragraph(was, head="    baseline had: ", indent=6, most=1)
    left = report["changes"]["count"] - len(first)
    if left:
        listed = len(report["changes"]["first"])
        yield f"  and {left} more; {WHERE.format(listed=listed)}"


def _changes(report: JsonObject, screen: Screen) -> Iterator[str]:
    if not report["changes"]["count"]:
        yield from ("", "No case changed.")
        return
    yield ""
    yield from screen.paragraph(changes_note(report), head="", indent=2)
    yield from change_lines(report, screen, _SHOWN_CHANGES)


def _identities(report: JsonObject) -> Iterator[str]:
    yield "Digests of the evidence of the baseline, of the candidate, and of this"
    yield from (f"  {digest}" for digest in (*(report[side]["evidence_digest"] for side in SIDES), report["digest"]))
