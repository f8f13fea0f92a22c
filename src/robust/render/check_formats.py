"""The formats in which the report of a relation check or population test is shown: those of every other run."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, NamedTuple

from robust.render.formats import MOST_SARIF_RESULTS, StoredFormat
from robust.render.shown_check import ShownCheck


class CheckFormat(NamedTuple):
    """A format.

    Attributes:
        render: gives the text, without a line feed at its end.
        most_failures: how many counterexamples it lists.
    """

    render: Callable[[ShownCheck], str]
    most_failures: int = 0


def _text(run: ShownCheck) -> str:
    from robust.render.check_text import check_text

    return check_text(run)


def _json(run: ShownCheck) -> str:
    # What cannot be written as it is becomes an escape of JSON.
    return json.dumps(run.report, indent=2, ensure_ascii=not run.unicode, sort_keys=True)


def _junit(run: ShownCheck) -> str:
    from robust.render.check_junit import check_junit

    return check_junit(run)


def _sarif(run: ShownCheck) -> str:
    from robust.render.check_sarif import check_sarif

    return check_sarif(run, most_results=MOST_SARIF_RESULTS)


def _markdown(run: ShownCheck) -> str:
    from robust.render.check_markdown import check_markdown

    return check_markdown(run)


# Not html and csv, which show runs of a contract.
CHECK_FORMATS: Final[dict[StoredFormat, CheckFormat]] = {
    "text": CheckFormat(_text, most_failures=3),
    "json": CheckFormat(_json),
    # With the verdicts below 5,000, as of the run of a contract.
    "junit": CheckFormat(_junit, most_failures=4000),
    "sarif": CheckFormat(_sarif, most_failures=MOST_SARIF_RESULTS),
    "markdown": CheckFormat(_markdown, most_failures=10),
}
