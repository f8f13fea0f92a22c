"""The formats in which a report is shown: by name, what each needs and the function that renders it.

Another format is a name, a function and an entry here. What renders is loaded when it is used.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, Literal, NamedTuple, TypeAlias

from robust.render.html_blocks import MOST_ITEMS
from robust.render.shown_run import ShownRun

ReportFormat: TypeAlias = Literal["text", "json", "junit", "sarif", "markdown", "html"]
# What `robust report` writes: one text, or tables for spreadsheets.
StoredFormat: TypeAlias = Literal["text", "json", "junit", "sarif", "markdown", "html", "csv"]
# GitHub takes so many results of a run, and shows the gravest 5,000 of them.
MOST_SARIF_RESULTS: Final = 25_000


class Format(NamedTuple):
    """A format.

    Attributes:
        render: gives the text, without a line feed at its end.
        most_groups: how many failing source groups it lists.
        excerpts: whether it shows their inputs.
        most_failures: how many failing records it lists with their texts, and with what is counted over all records.
    """

    render: Callable[[ShownRun], str]
    most_groups: int = 0
    excerpts: bool = False
    most_failures: int = 0


def _text(run: ShownRun) -> str:
    from robust.render.rejudged import rejudged_text
    from robust.render.report import report_text

    note = rejudged_text(run.report)
    text = report_text(run.report, run=run.replayable, encoding=run.encoding, bars=run.bars)
    return f"{note}\n\n{text}" if note else text


def _json(run: ShownRun) -> str:
    # What cannot be written as it is becomes an escape of JSON.
    return json.dumps(run.report, indent=2, ensure_ascii=not run.unicode, sort_keys=True)


def _junit(run: ShownRun) -> str:
    from robust.render.junit import junit_text

    return junit_text(run)


def _sarif(run: ShownRun) -> str:
    from robust.render.sarif import sarif_text

    return sarif_text(run, most_results=MOST_SARIF_RESULTS)


def _markdown(run: ShownRun) -> str:
    from robust.render.markdown import markdown_text

    return markdown_text(run)


def _html(run: ShownRun) -> str:
    from robust.render.html_page import html_page
    from robust.render.html_run import run_page

    return html_page(run_page(run), unicode=run.unicode)


FORMATS: Final[dict[ReportFormat, Format]] = {
    "text": Format(_text),
    "json": Format(_json),
    # With the other test cases below 5,000, the lowest limit that a service documents (Buildkite's; GitLab.com takes
    # 500,000 in 30 MB, and 250,000 objects in all, of which a test case is about ten).
    "junit": Format(_junit, most_groups=4500, excerpts=True),
    "sarif": Format(_sarif, most_groups=MOST_SARIF_RESULTS),
    "markdown": Format(_markdown),
    "html": Format(_html, most_failures=MOST_ITEMS),
}
