"""A report as Markdown that fits a comment on GitHub and the summary of a job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from robust.canon import JsonObject
from robust.render.markdown_text import code, fence, table
from robust.render.rejudged import rejudged_markdown
from robust.render.report_checks import check_figures, check_note
from robust.render.report_facts import observed_time, observed_version, provenance
from robust.render.report_failures import failures_text
from robust.render.report_head import MODES, assumed_note, cases_note, pairs_note
from robust.render.report_metrics import metric_rows
from robust.render.report_oracles import candidates_text, errors_text
from robust.render.report_properties import property_figures, property_notes, variants_text
from robust.render.report_words import in_contract_order
from robust.render.screen import Screen
from robust.render.shown_run import ShownRun

# A comment on GitHub has at most 65,536 characters, the summary of a job 1 MiB. Counted in bytes, so that it fits
# however a service counts characters; some are left for what somebody puts before it.
MAX_BYTES: Final = 65_000
_NAME_WIDTH: Final = 100
_PROPERTY_COLUMNS: Final = ("property", "pairs", "violations", "flips", "base flips", "max TV", "groups hit")
# What is said of lines that are left out.
_ROOM: Final = 500


def markdown_text(run: ShownRun, *, most_bytes: int = MAX_BYTES) -> str:
    """A report as Markdown: the verdict, checks, properties, what failed first, and what all of it rests on.

    Whatever of it does not fit is counted, and it is said where it is.

    Args:
        run: the run.
        most_bytes: of the text in UTF-8.
    """
    report, screen = run.report, Screen(run.encoding)
    head = "\n".join(
        [*_head(report, screen), *_checks(report, screen), *_properties(report, screen), *_metrics(report)]
    )
    tail = "\n".join(_provenance(run, screen))
    room = most_bytes - text_size(head) - text_size(tail)
    failed = failures_text(report, screen, run.replayable)[1:]
    others = [*candidates_text(report, screen), *variants_text(report), *errors_text(report, screen)][1:]
    # What failed is wanted most, but not alone.
    reserved = min(room // 4, text_size("\n".join(others)) + _ROOM)
    first = block(failed[0] if failed else "", failed[1:], room - reserved)
    second = block("Candidates and errors", others, room - text_size(first))
    return f"{head}{first}{second}\n{tail}"


def text_size(text: str) -> int:
    """How many bytes a line takes, with its line feed."""
    return len(text.encode("utf-8", "backslashreplace")) + 1


def block(title: str, lines: Sequence[str], room: int) -> str:
    """Lines of plain text as a section of at most so many bytes; what does not fit is counted."""
    if not lines:
        return ""
    taken, left = 0, room - _ROOM
    for line in lines:
        left -= text_size(line)
        if left < 0:
            break
        taken += 1
    shown, cut = lines[:taken], len(lines) - taken
    ticks = fence(shown)
    said = f"\n{cut} more lines are left out here; report.json and records.jsonl of the run have them.\n" if cut else ""
    body = "\n".join(shown).strip("\n")
    return f"\n### {title}\n\n" + (f"{ticks}text\n{body}\n{ticks}\n" if body else "") + said


def _head(report: JsonObject, screen: Screen) -> Iterator[str]:
    yield f"## {report['status'].upper()}: {code(report['contract']['name'], screen, _NAME_WIDTH)}"
    yield ""
    assumed, pairs, backend = assumed_note(report), pairs_note(report), report["backend"]
    if assumed:
        yield from (f"**{assumed}**", "")
    if rejudged := rejudged_markdown(report):
        yield from (rejudged, "")
    cases = report["manifest"] or report["dataset"]
    split = f", split {code(cases['split'], screen, _NAME_WIDTH)}" if report["manifest"] else ""
    model, provider, name = (
        code(text, screen, _NAME_WIDTH)
        for text in (backend["model"] or backend["name"], backend["provider"], cases["name"])
    )
    how = f"{split}, seed {report['seed']}{MODES[report['mode']]}"
    yield f"{model} ({provider}) on {name}{how}: {cases_note(report)}{'; ' if pairs else ''}{pairs}."


def _checks(report: JsonObject, screen: Screen) -> Iterator[str]:
    rows, notes = [], []
    for check in report["checks"]:
        mark, value, limit = check_figures(check)
        name = code(check["check"], screen, _NAME_WIDTH)
        rows.append([f"**{mark}**" if check["status"] != "pass" else mark, name, check["level"], value, limit])
        note = check_note(report, check)
        if note is not None:
            notes.append(f"- {name}: {note}")
    yield from ("", "### Checks", "", *table(("", "check", "level", "value", "limit"), rows, right=(3, 4)))
    if notes:
        yield from ("", *notes)
    if report["logical_status"] != report["status"]:
        yield from ("", f"Without the checks on time, tokens and cost: {report['logical_status'].upper()}")


def _properties(report: JsonObject, screen: Screen) -> Iterator[str]:
    properties = report["properties"]
    if not properties:
        return
    rows = [
        [code(name, screen, _NAME_WIDTH), *(" ".join(cell.split()) for cell in property_figures(properties[name]))]
        for name in in_contract_order(report)
    ]
    yield from ("", "### Properties", "", *table(_PROPERTY_COLUMNS, rows, right=range(1, 7)), "")
    yield from (f"- {note}" for note in property_notes(report))


def _metrics(report: JsonObject) -> Iterator[str]:
    head, *rows = metric_rows(report)
    if rows:
        yield from ("", "### Metrics of the base cases", "", *table(head, rows, right=(1, 3, 4)))
    yield ""


def _provenance(run: ShownRun, screen: Screen) -> Iterator[str]:
    report = run.report
    facts = [*provenance(report)]
    facts += [("started", time)] if (time := observed_time(report, "started_at")) is not None else []
    facts += [("robust", version)] if (version := observed_version(report)) is not None else []
    rows = [[name, code(value, screen, _NAME_WIDTH)] for name, value in facts]
    yield from ("### Provenance", "", *table(("", ""), rows), "")
    again = "derives all of this but times and versions again from the records, in the folder of the run:"
    yield f"`robust verify` {again} {code(run.path, screen, _NAME_WIDTH)}"
