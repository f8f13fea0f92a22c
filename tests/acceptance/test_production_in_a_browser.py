"""The page of a check of production records in a real browser: it fetches and says nothing, and is inert."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from robust import check_production, format_report
from robust.canon import JsonObject
from tests.browser import DESK, PHONE, chromium, visit
from tests.page_runs import HOSTILE
from tests.production_files import contract_data, records, write_lines

OPEN = "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
GATES = {
    "segments": ["region", "tier"],
    "requirements": {"min_accuracy": 0.9, "max_ece": 0.5},
    "warnings": {"max_confidence_tv_distance": 0.0, "max_fallback_rate": 0.9},
    "segment_requirements": {"min_accuracy": 0.3},
}


def _rows(count: int, seed: int, *, hostile: bool) -> Iterator[JsonObject]:
    for number, row in enumerate(records(count, seed)):
        if hostile:
            region = HOSTILE[number % len(HOSTILE)][:190]
            row |= {"model": HOSTILE[0], "metadata": {"region": region, "tier": "y" * 200}}
        yield row


def _page(folder: Path, *, hostile: bool) -> Path:
    """The page of a check that fails some gates, with a baseline and segments."""
    folder.mkdir()
    now, before = (
        write_lines(folder / f"{name}.jsonl", _rows(400, seed, hostile=hostile))
        for seed, name in enumerate(("now", "before"), start=1)
    )
    file = folder / "production.html"
    file.write_text(
        format_report(check_production(contract_data(GATES), now, baseline=before), "html"), encoding="utf-8"
    )
    return file


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two pages."""
    folder = tmp_path_factory.mktemp("pages")
    return {name: _page(folder / name, hostile=name == "hostile") for name in ("rich", "hostile")}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all of these tests."""
    with chromium() as started:
        yield started


@pytest.mark.parametrize("name", ["rich", "hostile"])
def test_a_page_is_whole_without_a_network(browser: Browser, pages: dict[str, Path], name: str) -> None:
    """Nothing is fetched, the console stays empty, nobody scrolls sideways, and there are no barriers."""
    with visit(browser, pages[name]) as seen:
        assert seen.page.title() == "FAIL claim"
        assert seen.page.locator("svg").count() > 2
        for viewport in (DESK, PHONE):
            seen.page.set_viewport_size(viewport)
            for script in ("0", OPEN):
                seen.page.evaluate(script)
                assert seen.too_wide() == [], (viewport, script)
        assert seen.barriers() == []


def test_e2_hostile_values_of_segments_are_text(browser: Browser, pages: dict[str, Path]) -> None:
    """No element of theirs comes into being, and what turns the direction of writing is shown as a sign."""
    with visit(browser, pages["hostile"]) as seen:
        assert seen.page.locator("img").count() == 0
        assert "\u202e" not in seen.page.inner_text("body")
        assert "<script>" in seen.page.inner_text("body")


def test_without_scripts_the_checks_and_segments_are_tables(browser: Browser, pages: dict[str, Path]) -> None:
    """With the limits beside what was measured."""
    with visit(browser, pages["rich"], java_script_enabled=False) as seen:
        text = " ".join(seen.page.locator("table").all_text_contents())
        for said in ("min_accuracy", "<missing>", "max_confidence_tv_distance"):
            assert said in text


def test_a_picture_is_kept(browser: Browser, pages: dict[str, Path]) -> None:
    """For those who look at what CI made."""
    for size, viewport in (("desk", DESK), ("phone", PHONE)):
        with visit(browser, pages["rich"], viewport=viewport, bypass_csp=True) as seen:
            assert seen.keep(f"production-{size}").stat().st_size > 10_000
