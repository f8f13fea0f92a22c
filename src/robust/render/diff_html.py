"""A comparison of two runs as an HTML page: the verdict, the checks, what is not in common, pictures, changed cases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject
from robust.render.diff_facts import (
    KINDS,
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
    provenance,
    run_text,
    segment_name,
    segment_rows,
    shift_rows,
    unknown_notes,
)
from robust.render.html_blocks import Fact, Figure, Item, ItemList, Page, Passage, Piece, Section, Table, Tone, Unshown
from robust.render.html_checks import check_rows, verdict_of
from robust.render.html_difference import text_pieces
from robust.render.plain import number_text, shorten
from robust.render.report_facts import observed_time, observed_version
from robust.render.report_failure import folder_word
from robust.render.report_ids import id_text
from robust.render.report_words import percent
from robust.render.screen import Screen
from robust.render.svg_bars import Bar, bars_svg
from robust.render.svg_histogram import Histogram, histogram_svg
from robust.render.svg_matrix import Matrix, matrix_svg
from robust.render.svg_rates import Rate, rates_svg

_NAME_WIDTH: Final = 200
_LABEL_WIDTH: Final = 60
_DRAWN: Final = 12
_TONES: Final[dict[str, Tone]] = {
    "newly_wrong": "bad",
    "new_error": "bad",
    "other_label": "warn",
    "newly_right": "good",
    "recovered": "good",
}
_OF_CODE: Final = ("digest", "root", "evidence")
_RIGHT, _WRONG = "right", "wrong"


def diff_page(report: JsonObject) -> Page:
    """A comparison as a page.

    Args:
        report: the comparison.
    """
    screen, name = Screen(), report["contract"]["name"]
    tone, verdict, sentence = verdict_of(judged(report))
    sections = (_answers(report, screen), _segments(report, screen), _distances(report))
    notes = [*apart_notes(report, screen), *unknown_notes(report)]
    return Page(
        title=f"{verdict} {shorten(name, _NAME_WIDTH)}, compared",
        of="Comparison of two runs",
        name=name,
        tone=tone,
        verdict=verdict,
        sentence=sentence,
        lead=[f"{side}: {run_text(report, side, screen)}" for side in SIDES] + [matched_text(report)],
        counts=[*_counts(report)],
        checks=[
            check._replace(note="; ".join(part for part in (check.note, _own_note(report, check.name, screen)) if part))
            for check in check_rows(judged(report))
        ],
        checks_note=_logical(report),
        unshown=[_unshown(note) for note in notes],
        shown_whole="Both runs have the same cases, and both decided every one of them.",
        sections=[section for section in sections if section is not None],
        items=_changes(report, screen),
        after=[_numbers(report)],
        provenance=[*_provenance(report)],
        commands=[*_commands(report)],
    )


def _unshown(note: str) -> Unshown:
    """A sentence with what it is about as its head."""
    head, colon, text = note.partition(": ")
    return Unshown(head, text) if colon else Unshown(note.rstrip("."))


def _own_note(report: JsonObject, name: str, screen: Screen) -> str:
    """What a comparison says of a check beyond what a run does."""
    if name not in ("gates", "max_segment_accuracy_drop"):
        return ""
    bare = {"check": name, "status": "pass", "p_value": None, "noise": False}
    return note_of(report, bare, screen) or ""


def _counts(report: JsonObject) -> Iterator[Fact]:
    answers = report["answers"]
    yield Fact("matched cases", f"{report['counts']['matched']:,}")
    yield Fact("other labels", f"{answers['flips']:,}")
    yield Fact("newly wrong", f"{answers['newly_wrong']:,}")
    yield Fact("newly right", f"{answers['newly_right']:,}")
    yield Fact("new errors", f"{report['errors']['new']:,}")


def _logical(report: JsonObject) -> str:
    if report["logical_status"] == report["status"]:
        return ""
    return f"Without the checks on time, tokens and cost: {report['logical_status'].upper()}."


def _answers(report: JsonObject, screen: Screen) -> Section:
    figures = [figure for figure in (_moves(report), _labels(report, screen)) if figure is not None]
    notes = [f"{note[0].upper()}{note[1:]}." for note in (*answer_notes(report), *error_notes(report))]
    return Section(title="Answers", anchor="answers", figures=figures, notes=notes)


def _moves(report: JsonObject) -> Figure | None:
    answers = report["answers"]
    if not answers["mcnemar"]["cases"]:
        return None
    counts = {
        (_RIGHT, _RIGHT): answers["both_right"],
        (_RIGHT, _WRONG): answers["newly_wrong"],
        (_WRONG, _RIGHT): answers["newly_right"],
        (_WRONG, _WRONG): answers["both_wrong"],
    }
    rows, columns = [f"was {_RIGHT}", f"was {_WRONG}"], [f"is {_RIGHT}", f"is {_WRONG}"]
    named = {(f"was {was}", f"is {now}"): count for (was, now), count in counts.items()}
    matrix = Matrix("cases with a known answer", rows, columns, named, frozenset({(rows[0], columns[1])}))
    says = (
        f"{answers['newly_wrong']} cases were right and are wrong now, {answers['newly_right']} the other way round; "
        f"{answers['both_right']} are right in both runs, {answers['both_wrong']} wrong in both."
    )
    cells = [[row, *(str(named[row, column]) for column in columns)] for row in rows]
    table = Table(head=("", *columns), rows=cells, right=(1, 2), about="Right and wrong in both runs")
    return Figure(title="Right and wrong", svg=matrix_svg([matrix]), says=says, table=table)


def _labels(report: JsonObject, screen: Screen) -> Figure | None:
    pairs = report["answers"]["label_pairs"]
    if not pairs:
        return None
    named = [
        (" → ".join(screen.short(pair[end], _LABEL_WIDTH) for end in ("from", "to")), pair["count"]) for pair in pairs
    ]
    bars = [Bar(name, count, f"{count:,}") for name, count in named[:_DRAWN]]
    says = f"The most frequent change is {named[0][0]}, in {named[0][1]:,} cases."
    table = Table(
        head=("from → to", "cases"), rows=[[name, str(count)] for name, count in named], right=(1,), about="Labels"
    )
    return Figure(title="Labels that changed", svg=bars_svg(bars), says=says, table=table)


def _segments(report: JsonObject, screen: Screen) -> Section | None:
    head, *rows = segment_rows(report, screen)
    if not rows:
        return None
    known = [each for each in report["segments"]["listed"] if each["candidate_accuracy"] is not None]
    rates = [
        Rate(
            segment_name(each, screen),
            each["candidate_accuracy"],
            said=f"{percent(each['baseline_accuracy'])} → {percent(each['candidate_accuracy'])}",
            tone="bad" if (each["accuracy_drop"] or 0) > 0 else "plain",
        )
        for each in known[:_DRAWN]
    ]
    table = Table(head=head, rows=rows, right=(1, 2, 3, 4, 6), about="Accuracy by segment")
    figures = []
    if rates:
        whole = report["metrics"]["accuracy"]["candidate"]["value"]
        says = f"Accuracy of the candidate in {len(rates)} segments; the line is its accuracy over all matched cases."
        svg = rates_svg(rates, end=1.0, reference=whole)
        figures = [Figure(title="Accuracy by segment", svg=svg, says=says, table=table, wide=True)]
    return Section(title="Segments", anchor="segments", figures=figures, tables=[] if figures else [table])


def _distances(report: JsonObject) -> Section | None:
    found = report["distributions"]
    moved = sum(found["tv_bins"])
    if not report["counts"]["compared"]:
        return None
    says = (
        f"The two answers to a case are {number_text(found['mean_tv_distance']['value'])} apart on average and "
        f"{number_text(found['max_tv_distance'])} at most; {found['tv_zero']:,} are equal."
    )
    count = len(found["tv_bins"])
    rows = [["0", str(found["tv_zero"])]] + [
        [f"{number_text(place / count)} to {number_text((place + 1) / count)}", str(number)]
        for place, number in enumerate(found["tv_bins"])
        if number
    ]
    table = Table(head=("distance", "cases"), rows=rows, right=(1,), about="Total variation distances")
    svg = histogram_svg([Histogram("total variation distance", found["tv_bins"], said=f"{moved:,} above 0")])
    figure = Figure(title="How far answers moved", svg=svg, says=says, table=table)
    head, *shifts = shift_rows(report)
    tables = [Table(head=head, rows=shifts, right=(1, 3), about="Distances of the two answers")]
    return Section(title="Distributions", anchor="distributions", figures=[figure], tables=tables)


def _changes(report: JsonObject, screen: Screen) -> ItemList:
    return ItemList(
        title="Changed cases",
        anchor="changes",
        about=changes_note(report) + ".",
        group_name="what came of it",
        kind_name="right answer",
        items=[_item(change, screen) for change in report["changes"]["first"]],
        count=report["changes"]["count"],
        where="records.jsonl of both runs has all of them",
        empty="No case changed.",
    )


def _item(change: JsonObject, screen: Screen) -> Item:
    facts = [Fact(f"record of the {side}", f"line {change[side]['line']} of its records.jsonl") for side in SIDES]
    if change["tv_distance"] is not None:
        facts.insert(0, Fact("total variation distance", number_text(change["tv_distance"])))
    expected = change["expected"]
    passages = [Passage("input", text_pieces(change["input"], change["input_left"]))]
    if (other := change["other_input"]) is not None:
        pieces = [Piece("gone", other["old"]), Piece("come", other["new"])]
        passages.append(Passage("the input is another one", [piece for piece in pieces if piece.text]))
    return Item(
        id=id_text(change["case_id"], screen, _NAME_WIDTH),
        group=KINDS[change["kind"]],
        kind="not known" if expected is None else screen.short(expected, _LABEL_WIDTH),
        tone=_TONES[change["kind"]],
        head=change_text(change, screen),
        facts=facts,
        passages=passages,
    )


def _numbers(report: JsonObject) -> Section:
    head, *rows = metric_rows(report)
    table = Table(head=head, rows=rows, right=(1, 2, 3, 5), about="Metrics of both runs over the matched cases")
    confidence = number_text(report["settings"]["confidence"])
    about = f"Over the matched cases; intervals of the difference over source groups, at confidence {confidence}."
    return Section(title="Metrics", anchor="metrics", about=about, tables=[table] if rows else [])


def _provenance(report: JsonObject) -> Iterator[Fact]:
    for name, text in provenance(report):
        yield Fact(name, text, code=any(word in name for word in _OF_CODE))
    if (time := observed_time(report, "created_at")) is not None:
        yield Fact("compared", time)
    if (version := observed_version(report)) is not None:
        yield Fact("robust", version)


def _commands(report: JsonObject) -> Iterator[Fact]:
    places = [place_of(report, side) for side in SIDES]
    if all(places):
        baseline, candidate = (folder_word(place, "utf-8") for place in places)
        yield Fact("compares the two runs again", f"robust diff {baseline} {candidate}", code=True)
        yield Fact("derives every number of the candidate again", f"robust verify {candidate}", code=True)
