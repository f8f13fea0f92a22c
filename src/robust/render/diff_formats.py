"""The formats in which a comparison of two runs is shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from robust.render.shown_diff import ShownDiff

DiffFormat: TypeAlias = Literal["text", "json", "markdown", "html", "junit"]


def _text(diff: ShownDiff) -> str:
    from robust.render.diff_text import diff_text

    return diff_text(diff.report, encoding=diff.encoding)


def _json(diff: ShownDiff) -> str:
    # What cannot be written as it is becomes an escape of JSON.
    return json.dumps(diff.report, indent=2, ensure_ascii=not diff.unicode, sort_keys=True)


def _markdown(diff: ShownDiff) -> str:
    from robust.render.diff_markdown import diff_markdown

    return diff_markdown(diff)


def _html(diff: ShownDiff) -> str:
    from robust.render.diff_html import diff_page
    from robust.render.html_page import html_page

    return html_page(diff_page(diff.report), unicode=diff.unicode)


def _junit(diff: ShownDiff) -> str:
    from robust.render.diff_junit import diff_junit

    return diff_junit(diff)


# No sarif and csv, which list the failures of one run.
DIFF_FORMATS: Final[dict[DiffFormat, Callable[[ShownDiff], str]]] = {
    "text": _text,
    "json": _json,
    "markdown": _markdown,
    "html": _html,
    "junit": _junit,
}
