"""The formats in which a check of production records is shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from robust.render.shown_production import ShownProduction

ProductionFormat: TypeAlias = Literal["text", "json", "junit", "markdown", "html"]


def _text(run: ShownProduction) -> str:
    from robust.render.production_text import production_text

    return production_text(run)


def _json(run: ShownProduction) -> str:
    # What cannot be written as it is becomes an escape of JSON.
    return json.dumps(run.report, indent=2, ensure_ascii=not run.unicode, sort_keys=True)


def _junit(run: ShownProduction) -> str:
    from robust.render.production_junit import production_junit

    return production_junit(run)


def _markdown(run: ShownProduction) -> str:
    from robust.render.production_markdown import production_markdown

    return production_markdown(run)


def _html(run: ShownProduction) -> str:
    from robust.render.html_page import html_page
    from robust.render.html_production import production_page

    return html_page(production_page(run), unicode=run.unicode)


# Not sarif, whose results are at places in a file, and not csv, whose tables are of cases and pairs.
PRODUCTION_FORMATS: Final[dict[str, Callable[[ShownProduction], str]]] = {
    "text": _text,
    "json": _json,
    "junit": _junit,
    "markdown": _markdown,
    "html": _html,
}
