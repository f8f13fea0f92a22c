"""An HTML report as one file that fetches nothing: the page around blocks of plain data.

How to show another kind of report (a comparison, production records) as HTML:

1. Write a pure function ``xxx_page(report, ...) -> Page`` in ``render/html_xxx.py``, made of the blocks of
   :mod:`robust.render.html_blocks`: plain texts, no markup, nothing escaped beforehand. ``html_run.run_page`` is one.

   - ``html_checks.check_rows(report, intervals)`` gives ``Page.checks`` of any report whose ``checks`` are those of
     ``robust.report/1``; ``html_checks.verdict_of(report)`` gives ``tone``, ``verdict`` and ``sentence``.
   - ``Page.unshown`` holds what a reader could wrongly take for shown: what was not matched, is unknown, was skipped.
   - ``Page.sections`` and ``Page.after`` hold figures and tables. A :class:`~robust.render.html_blocks.Figure` has an
     ``Svg``, ``says`` in words, and a ``table`` of its numbers. Drawings: ``svg_rates.rates_svg`` (values with
     intervals beside limits or one reference), ``svg_histogram.histogram_svg`` (counts over 0–1, limits marked),
     ``svg_bars.bars_svg`` (counts by name), ``svg_stacks.stacks_svg`` (parts of a whole), ``svg_matrix.matrix_svg``
     (counts by two names), ``svg_reliability.reliability_svg`` (``bins_of`` reads a report's reliability table).
   - ``Page.items`` is a list with a search and filters: changed cases as ``Item``s, whose texts are ``Passage``s of
     ``html_difference.difference_pieces(old, new)``, ``text_pieces(text, left)`` or ``changed_pieces(changed)``. At
     most ``MOST_ITEMS`` are listed; ``count`` says how many there are, ``where`` where all of them are.
2. ``html_page(page, unicode=...)`` gives the text, at most ``most_bytes`` of it: items that do not fit are left out
   from the end and counted.

It has no script but one of its own, whose hash its content security policy names; without scripts everything is there,
but for the search, the filters, copying and the choice of the colours.
"""

from __future__ import annotations

import base64
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from robust.canon import digest_bytes
from robust.errors import UsageError
from robust.render.html_blocks import MOST_ITEMS, Item, Page, Svg

if TYPE_CHECKING:
    from jinja2 import Environment, Template

# A service may take 25 MB; a browser takes its time for each of them.
MAX_BYTES: Final = 15_000_000
# Of a text, so that the page is bounded whatever it is about; those of items are cut before, and commands are shorter.
_LONGEST_TEXT: Final = 20_000
_LONGEST_CELL: Final = 500
# Stands in the page where the items come.
_MARKER: Final = "<!-- items -->"


def html_page(page: Page, *, most_bytes: int = MAX_BYTES, unicode: bool = True) -> str:
    """A report as one HTML file.

    Args:
        page: the report.
        most_bytes: of the text in UTF-8; items that do not fit are left out from the end, and counted.
        unicode: whether characters that are not ASCII are written as they are, or as references.

    Returns:
        the text, without a line feed at its end.

    Raises:
        UsageError: ``missing_package``: jinja2 is not installed.
    """
    groups, kinds = _names(page, "group"), _names(page, "kind")
    room = most_bytes - _size(_around(page, groups, kinds, 0), unicode=unicode)
    written: list[str] = []
    template = _template("item.html")
    for number, item in enumerate(page.items.items[:MOST_ITEMS] if page.items else (), start=1):
        text = _item(template, item, number, groups, kinds)
        room -= _size(text, unicode=unicode)
        if room < 0:
            break
        written.append(text)
    before, _, after = _around(page, groups, kinds, len(written)).partition(_MARKER)
    return _encoded(before + "\n".join(written) + after, unicode=unicode)


def _names(page: Page, which: str) -> list[str]:
    """The groups or the kinds of the items, in the order in which they come first."""
    items = page.items.items if page.items else ()
    return [name for name in dict.fromkeys(getattr(item, which) for item in items) if name]


def _item(template: Template, item: Item, number: int, groups: list[str], kinds: list[str]) -> str:
    places = {
        "group": groups.index(item.group) + 1 if item.group else 0,
        "kind": kinds.index(item.kind) + 1 if item.kind else 0,
    }
    return template.render(item=item, number=number, **places)


def _around(page: Page, groups: list[str], kinds: list[str], shown: int) -> str:
    """The page without its items."""
    style, script = _source("page.css"), _source("page.js")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_hash(style)}'",
            f"script-src '{_hash(script)}'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    markup = _markup()
    return _template("page.html").render(
        page=page,
        policy=policy,
        style=markup(style),
        script=markup(script),
        marker=markup(_MARKER),
        groups=groups,
        kinds=kinds,
        shown=shown,
    )


def _encoded(text: str, *, unicode: bool) -> str:
    # Style and script are ASCII, where references would not be read.
    shown = text if unicode else text.encode("ascii", "xmlcharrefreplace").decode()
    return shown.rstrip("\n")


def _size(text: str, *, unicode: bool) -> int:
    return len(text.encode() if unicode else text.encode("ascii", "xmlcharrefreplace")) + 1


def _hash(source: str) -> str:
    digest = bytes.fromhex(digest_bytes(source.encode()).removeprefix("sha256:"))
    return f"sha256-{base64.b64encode(digest).decode()}"


@cache
def _source(name: str) -> str:
    return (files("robust.render") / "templates" / name).read_text(encoding="utf-8")


@cache
def _template(name: str) -> Template:
    return _environment().get_template(name)


@cache
def _environment() -> Environment:
    try:
        from jinja2 import Environment, FunctionLoader, StrictUndefined
    except ImportError:
        hint = "pip install 'robust-records[report]'"
        raise UsageError.of(
            "missing_package", "an HTML report needs jinja2, which is not installed", hint=hint
        ) from None

    environment = Environment(
        loader=FunctionLoader(_source),
        autoescape=True,
        finalize=visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"svg": _trusted, "thousands": _thousands, "breakable": _breakable, "cell": _cell}
    return environment


def _markup() -> Any:
    from markupsafe import Markup

    return Markup


def visible(value: Any) -> Any:
    """What is written of a value: a text in which everything can be seen and nothing reorders what stands around it.

    Line feeds and tabs stay, as HTML takes them for white space; markup of our own stays as it is.
    """
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    shown = value if len(value) <= _LONGEST_TEXT else _cut(value, _LONGEST_TEXT)
    if shown.isprintable():
        return shown
    return "".join(char if char.isprintable() or char in "\n\t" else f"\\u{{{ord(char):x}}}" for char in shown)


def _cut(text: str, most: int) -> str:
    return f"{text[:most]}… {len(text) - most:,} more characters"


def _cell(text: str) -> str:
    """A text in a table, a long one cut."""
    return text if len(text) <= _LONGEST_CELL else _cut(text, _LONGEST_CELL)


def _trusted(drawing: Any) -> Any:
    """A drawing as it stands; anything else is no drawing, and escaped."""
    return _markup()(drawing) if type(drawing) is Svg else drawing


def _thousands(count: int) -> str:
    return f"{count:,}"


def _breakable(name: str) -> Any:
    """A name that may be broken behind its dots and underscores."""
    shown = escape(str(visible(name)))
    return _markup()(shown.replace(".", ".<wbr>").replace("_", "_<wbr>"))
