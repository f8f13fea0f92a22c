"""The report of a relation check or population test as Markdown that fits a comment on GitHub."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.records.population_words import changed_words
from robust.render.check_facts import in_plan_order, lead, provenance, relation_rows, setting_words, untold
from robust.render.check_population import population_message, population_rows
from robust.render.check_text import failures_lines
from robust.render.check_words import is_pass
from robust.render.markdown import MAX_BYTES, block, text_size
from robust.render.markdown_text import code, table
from robust.render.plain import plural
from robust.render.report_facts import observed_time, observed_version
from robust.render.screen import Screen
from robust.render.shown_check import ShownCheck

_NAME_WIDTH: Final = 100
_MOST_RELATIONS: Final = 100
_MOST_FAILURES: Final = 10


def check_markdown(run: ShownCheck, *, most_bytes: int = MAX_BYTES) -> str:
    """A report as Markdown: the verdict, each relation, what was not shown, counterexamples, what all of it rests on.

    Whatever of it does not fit is counted, and it is said where it is.

    Args:
        run: the check.
        most_bytes: of the text in UTF-8.
    """
    screen = Screen(run.encoding)
    head = "\n".join([*_head(run, screen), *_found(run, screen)])
    tail = "\n".join(_provenance(run, screen))
    room = most_bytes - text_size(head) - text_size(tail)
    notes = list(untold(run, screen))
    failed = failures_lines(run, screen, _MOST_FAILURES)[1:]
    # Counterexamples are wanted most, but not alone.
    first = block(failed[0] if failed else "", failed[1:], room - min(room // 3, text_size("\n".join(notes)) + 1000))
    second = block("What was not shown", notes, room - text_size(first))
    return f"{head}{first}{second}\n{tail}"


def _head(run: ShownCheck, screen: Screen) -> Iterator[str]:
    report = run.report
    yield f"## {report['status'].upper()}: {code(lead(report, screen), screen, _NAME_WIDTH)}"
    yield from ("", code(setting_words(run.plan, screen), screen, 3 * _NAME_WIDTH))


def _found(run: ShownCheck, screen: Screen) -> Iterator[str]:
    report = run.report
    if report["kind"] == "population":
        rows = [[name, code(value, screen, _NAME_WIDTH)] for name, value in population_rows(report)]
        said = code(population_message(report, run.plan), screen, 3 * _NAME_WIDTH)
        changed = changed_words(run.plan, report["population"]["n"], run.data_rows)
        rows.insert(1, ["changed", code(changed, screen, 3 * _NAME_WIDTH)])
        yield from ("", "### Population test", "", said, "", *table(("", ""), rows), "")
        return
    head, *rows = relation_rows(report, run.plan)
    # Those that do not hold come first, since a long table is cut.
    listed = sorted(
        zip(in_plan_order(report, run.plan).values(), rows, strict=True), key=lambda each: is_pass(each[0]["verdict"])
    )
    cells = [[code(row[0], screen, _NAME_WIDTH), _marked(row[1]), *row[2:]] for _, row in listed[:_MOST_RELATIONS]]
    if not cells:
        yield from ("", "There are no relations.", "")
        return
    yield from ("", "### Relations", "", *table(("relation", "verdict", *head[2:]), cells, right=range(2, len(head))))
    left = len(rows) - len(cells)
    yield from ("", f"{plural(left, 'relation')} more in report.json of the run.", "") if left else ("",)


def _marked(verdict: str) -> str:
    return f"**{verdict}**" if verdict.isupper() else verdict


def _provenance(run: ShownCheck, screen: Screen) -> Iterator[str]:
    report = run.report
    facts = [*provenance(report)]
    facts += [("started", time)] if (time := observed_time(report, "started_at")) is not None else []
    facts += [("robust", version)] if (version := observed_version(report)) is not None else []
    rows = [[name, code(value, screen, _NAME_WIDTH)] for name, value in facts]
    yield from ("### Provenance", "", *table(("", ""), rows), "")
    again = "derives all of this but times and versions again from the records, in the folder of the run:"
    yield f"`robust verify` {again} {code(run.path, screen, _NAME_WIDTH)}"
