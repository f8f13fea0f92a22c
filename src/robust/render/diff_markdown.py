"""A comparison of two runs as Markdown that fits a comment on GitHub and the summary of a job."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from robust.canon import JsonObject
from robust.render.diff_facts import (
    SIDES,
    answer_notes,
    apart_notes,
    changes_note,
    error_notes,
    matched_text,
    metric_rows,
    note_of,
    provenance,
    run_text,
    segment_rows,
    shift_rows,
    unknown_notes,
)
from robust.render.diff_text import change_lines
from robust.render.markdown import MAX_BYTES, block, text_size
from robust.render.markdown_text import code, table
from robust.render.report_checks import check_figures, interval_text
from robust.render.report_facts import observed_time, observed_version
from robust.render.screen import Screen
from robust.render.shown_diff import ShownDiff

_NAME_WIDTH: Final = 100
_NOTE_WIDTH: Final = 400
_SHOWN_CHANGES: Final = 50
_SHOWN_SEGMENTS: Final = 50


def diff_markdown(diff: ShownDiff, *, most_bytes: int = MAX_BYTES) -> str:
    """A comparison as Markdown: the verdict, what is not in common, checks, metrics, changed cases, digests.

    Changed cases that do not fit are counted, and it is said where they are.

    Args:
        diff: the comparison.
        most_bytes: of the text in UTF-8.
    """
    report, screen = diff.report, Screen(diff.encoding)
    head = "\n".join([*_head(report, screen), *_checks(report, screen), *_tables(report, screen)])
    tail = "\n".join(_provenance(report, screen))
    room = most_bytes - text_size(head) - text_size(tail)
    lines = [changes_note(report), *change_lines(report, screen, _SHOWN_CHANGES)] if report["changes"]["count"] else []
    return f"{head}\n{block('Changed cases', lines, room)}\n{tail}"


def _head(report: JsonObject, screen: Screen) -> Iterator[str]:
    name = code(report["contract"]["name"], screen, _NAME_WIDTH)
    yield f"## {report['status'].upper()}: {name}, a candidate beside its baseline"
    yield ""
    for side in SIDES:
        yield f"- {side}: {code(run_text(report, side, screen), screen, _NOTE_WIDTH)}"
    yield f"- {matched_text(report)}"
    yield from _list("Not in common", apart_notes(report, screen), screen)


def _list(title: str, notes: Iterable[str], screen: Screen) -> Iterator[str]:
    lines = [f"- {code(note, screen, _NOTE_WIDTH)}" for note in notes]
    if lines:
        yield from ("", f"### {title}", "", *lines)


def _checks(report: JsonObject, screen: Screen) -> Iterator[str]:
    rows, notes = [], []
    for check in report["checks"]:
        mark, value, limit = check_figures(check)
        name = code(check["check"], screen, _NAME_WIDTH)
        marked = f"**{mark}**" if check["status"] != "pass" else mark
        rows.append([marked, name, check["level"], value, limit, interval_text(check["interval"])])
        note = note_of(report, check, screen)
        if note is not None:
            notes.append(f"- {name}: {code(note, screen, _NOTE_WIDTH)}")
    yield from ("", "### Checks", "")
    yield from table(("", "check", "level", "value", "limit", "interval"), rows, right=(3, 4))
    if notes:
        yield from ("", *notes)
    if report["logical_status"] != report["status"]:
        yield from ("", f"Without the checks on time, tokens and cost: {report['logical_status'].upper()}")


def _tables(report: JsonObject, screen: Screen) -> Iterator[str]:
    yield from _list("Not shown", unknown_notes(report), screen)
    yield from ("", "### Answers", "", *(f"- {note}" for note in answer_notes(report)))
    yield from ("", "### Errors", "", *(f"- {note}" for note in error_notes(report)))
    yield from _table("Metrics of the matched cases", metric_rows(report), (1, 2, 3, 5))
    yield from _table("Distances of the two answers", shift_rows(report), (1, 3))
    head, *segments = segment_rows(report, screen, _NAME_WIDTH)
    rows = [[code(name, screen, _NAME_WIDTH), *figures] for name, *figures in segments[:_SHOWN_SEGMENTS]]
    yield from _table("Accuracy by segment", [head, *rows], (1, 2, 3, 4, 6))
    if len(segments) > len(rows):
        yield from ("", f"{len(segments) - len(rows)} more segments are in the JSON report.")


def _table(title: str, rows: Sequence[Sequence[str]], right: Sequence[int]) -> Iterator[str]:
    if len(rows) > 1:
        yield from ("", f"### {title}", "", *table(rows[0], rows[1:], right=right))


def _provenance(report: JsonObject, screen: Screen) -> Iterator[str]:
    facts = [*provenance(report)]
    facts += [("compared", time)] if (time := observed_time(report, "created_at")) is not None else []
    facts += [("robust", version)] if (version := observed_version(report)) is not None else []
    rows = [[name, code(value, screen, _NAME_WIDTH)] for name, value in facts]
    yield from ("### Provenance", "", *table(("", ""), rows))
