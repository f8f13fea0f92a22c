"""The page around blocks: whole, bounded, and inert whatever its texts are."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from robust.render.html_blocks import (
    MOST_ITEMS,
    Check,
    Fact,
    Figure,
    Item,
    ItemList,
    Page,
    Passage,
    Piece,
    Section,
    Svg,
    Table,
    Unshown,
)
from robust.render.html_page import html_page, visible
from robust.render.svg_bars import Bar, bars_svg
from robust.render.svg_histogram import Histogram, histogram_svg
from robust.render.svg_matrix import Matrix, matrix_svg
from robust.render.svg_rates import Rate, rates_svg
from robust.render.svg_stacks import Part, Stack, stacks_svg
from tests.unit.render.page_reader import read_page, shape, words

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"'><svg onload=x>",
    "]]>--><!-- items -->",
    "{{ 7 * 7 }}{% if %}",
    "\u202e\u2067\u200d\ufeff",
    "\x00\x07\x1b[31m\x85",
    "\ud800",
    "&lt;b&gt;&#0;",
    "👩🏽‍🔬 עברית",
    "a\n\tb",
]


def _svgs(text: str) -> list[Svg]:
    return [
        rates_svg([Rate(text, 0.5, (0.4, 0.6), 0.1, "bad", text)], reference=0.3),
        histogram_svg([Histogram(text, [1, 0, 3], 0.5, text)]),
        stacks_svg([Stack(text, [Part(text, 3, "s-1"), Part("none", 0, "s-2")])]),
        bars_svg([Bar(text, 3, text)]),
        matrix_svg([Matrix(text, [text], ["column"], {(text, "column"): 3})]),
    ]


def page_of(text: str, many: int = 2, **fields: Any) -> Page:
    """A page with every block, whose texts are all this one."""
    table = Table(head=(text, "n"), rows=[(text, "1")], right=(1,), about=text)
    figures = [Figure(title=text, svg=svg, says=text, table=table) for svg in _svgs(text)]
    section = Section(title=text, anchor="one", about=text, figures=figures, tables=[table], notes=[text])
    pieces = [Piece("same", text), Piece("gone", text), Piece("come", text), Piece("left", text)]
    made = [
        Item(
            id=text,
            group=text,
            kind=text,
            head=text,
            facts=[Fact(text, text, code=True)],
            passages=[Passage(text, pieces)],
            command=text,
        )
        for _ in range(many)
    ]
    content: dict[str, Any] = {
        "title": text,
        "of": text,
        "name": text,
        "tone": "bad",
        "verdict": text,
        "sentence": text,
        "lead": [text],
        "counts": [Fact(text, text)],
        "checks": [Check(text, "warning", "open", text, text, text, text, text)],
        "checks_note": text,
        "unshown": [Unshown(text, text)],
        "sections": [section],
        "items": ItemList(
            title=text, anchor="items", items=made, count=many + 5, about=text, kind_name="kind", where=text
        ),
        "after": [Section(title=text, anchor="two", figures=figures[:1], tables=[table])],
        "provenance": [Fact(text, text, code=True)],
        "commands": [Fact(text, text)],
    }
    return Page(**{**content, **fields})


PLAIN = shape(read_page(html_page(page_of("plain"))))


@settings(max_examples=40)
@given(st.text(min_size=1, max_size=60))
@example("".join(HOSTILE))
def test_a_text_never_becomes_a_part_of_the_page(text: str) -> None:
    """Whatever it is, and wherever it stands: the page has the same elements, and the text can be read."""
    page = read_page(html_page(page_of(text)))
    assert shape(page) == PLAIN
    assert words(visible(text)) in words(page.text)


def test_each_hostile_text_is_inert_by_itself() -> None:
    """Some texts only do something where nothing stands around them."""
    for text in HOSTILE:
        assert shape(read_page(html_page(page_of(text)))) == PLAIN, text


def test_what_cannot_be_seen_is_written_out() -> None:
    """Marks that reorder, control characters, and half a character; line feeds and tabs are white space."""
    assert visible("a\u202eb\x00\ud800\u00a0") == "a\\u{202e}b\\u{0}\\u{d800}\\u{a0}"
    assert visible("a\n\tb") == "a\n\tb"


def test_only_a_drawing_of_ours_is_markup() -> None:
    """A text that somebody takes for one is a text."""
    table = Table(head=("a",), rows=[], about="a")
    wrong: Any = "<svg><script>alert(1)</script></svg>"
    figure = Figure(title="t", svg=wrong, says="s", table=table)
    page = read_page(html_page(page_of("plain", sections=[Section(title="t", anchor="t", figures=[figure])])))
    assert len(page.scripts) == 1
    assert "<svg><script>alert(1)</script></svg>" in page.text


def test_a_page_is_as_large_as_it_may_be() -> None:
    """Items are left out from the end, and it is told how many there are and where."""
    whole = html_page(page_of("é" * 400, many=200))
    text = html_page(page_of("é" * 400, many=200), most_bytes=400_000)
    assert len(text.encode()) < 400_000 < len(whole.encode())
    page = read_page(text)
    listed = page.classes("details").count("item")
    assert 20 < listed < 200
    assert f"{listed} of 205 are listed here" in page.text
    ascii_text = html_page(page_of("é" * 400, many=200), most_bytes=400_000, unicode=False)
    assert ascii_text.isascii()
    assert len(ascii_text) < 400_000


def test_no_more_items_are_listed_than_can_be_searched() -> None:
    """However small they are."""
    page = read_page(html_page(page_of("x", many=MOST_ITEMS + 1)))
    assert page.classes("details").count("item") == MOST_ITEMS


def test_a_long_text_is_cut_and_its_end_counted() -> None:
    """In cells of tables sooner than elsewhere."""
    long = "y" * 30_000
    page = read_page(html_page(page_of("plain", provenance=[Fact("name", long)])))
    assert "y" * 20_000 + "… 10,000 more characters" in page.text
    table = Table(head=("a", "b"), rows=[("row", long)], about="a")
    page = read_page(html_page(page_of("plain", sections=[Section(title="t", anchor="t", tables=[table])])))
    assert f"{'y' * 500}… 29,500 more characters" in page.text


def test_a_page_says_what_it_has_nothing_of() -> None:
    """No checks, nothing that failed, nothing that was not shown."""
    items = ItemList(title="Failures", anchor="failures", items=[], count=0, empty="Nothing failed.")
    page = read_page(html_page(page_of("plain", checks=[], unshown=[], shown_whole="All was shown.", items=items)))
    for said in ("There is no check.", "Nothing failed.", "All was shown."):
        assert said in page.text
    assert "form" not in page.names
    page = read_page(html_page(page_of("plain", items=None)))
    assert "items" not in {attributes.get("id") for _, attributes in page.tags}


def test_without_characters_of_its_own_a_page_is_the_same() -> None:
    """References stand for what is not ASCII; script and style have none."""
    page = page_of("é 日本 👩🏽")
    text = html_page(page, unicode=False)
    assert text.isascii()
    assert read_page(text).text == read_page(html_page(page)).text
