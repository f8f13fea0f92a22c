"""``docs/relation_catalog.md``: every block on the page is executed, and prints what the page shows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import robust
from robust.relations.catalog import OPTIONS
from tests.programs import ROOT

PAGE = (ROOT / "docs" / "relation_catalog.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def printed() -> Iterator[tuple[str, str]]:
    """What each script prints, one after the other in one session, and what the page shows of it."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for place, (language, script) in enumerate(BLOCKS):
        if language == "python":
            shown = BLOCKS[place + 1][1] if place + 1 < len(BLOCKS) and BLOCKS[place + 1][0] == "text" else ""
            said = StringIO()
            with redirect_stdout(said):
                exec(compile(script, "docs/relation_catalog.md", "exec"), names)  # noqa: S102 - it is our own page
            yield said.getvalue(), shown


def test_the_scripts_of_the_page_print_what_it_says() -> None:
    """In the order of the page."""
    found = list(printed())
    assert [said for said, _ in found] == [shown for _, shown in found]
    assert sum(bool(shown) for _, shown in found) == 4


def test_no_block_escapes_these_tests() -> None:
    """Each is looked at above."""
    assert {language for language, _ in BLOCKS} == {"python", "text"}
    assert PAGE.count("\n```") == 2 * len(BLOCKS)


def test_the_page_names_every_relation_of_the_catalog_and_every_option() -> None:
    """By names that can be imported."""
    tables = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    catalog = {
        name for name in tables if name.endswith(("_invariant", "_robust", "_blocks", "_irrelevant", "_scaling"))
    }
    assert len(catalog) == 13
    assert catalog <= set(robust.__all__)
    named = set(re.findall(r"`(\w+)", PAGE))
    assert {"reorder_lines", "inject_footer", "normalize_currency", "join_amount_lines", *OPTIONS} <= named
