"""The HTML report in a real browser: nothing is fetched or said, everything works, and hostile data does nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, expect

from robust import report_run
from robust.app.reporting import format_report, save_report
from tests.browser import DESK, PHONE, chromium, visit
from tests.golden.test_reports import RUNS
from tests.page_runs import hostile, rich

PAGES = {**RUNS, "rich": rich, "hostile": hostile}
OPEN_FIRST = "document.querySelectorAll('details').forEach((each, place) => { each.open = place < 20; })"
CLOSE = "document.querySelectorAll('details').forEach((each) => { each.open = false; })"
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A page of each run, as the command writes it."""
    folder = tmp_path_factory.mktemp("pages")
    for name, make in PAGES.items():
        made = make(folder / name)
        stored = report_run(made.path)
        save_report(format_report(stored, "html"), folder / f"{name}.html", stored)
    return {name: folder / f"{name}.html" for name in PAGES}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all of these tests."""
    with chromium() as started:
        yield started


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_whole_without_a_network(browser: Browser, pages: dict[str, Path], name: str) -> None:
    """Nothing is fetched, the console stays empty, and nobody scrolls sideways, on a desk and on a phone."""
    with visit(browser, pages[name]) as seen:
        for viewport in (DESK, PHONE):
            seen.page.set_viewport_size(viewport)
            for script in ("0", OPEN_FIRST, CLOSE):
                seen.page.evaluate(script)
                assert seen.too_wide() == [], (viewport, script)


@pytest.mark.parametrize("name", ["judged", "rich", "hostile"])
def test_a_page_has_no_barriers(browser: Browser, pages: dict[str, Path], name: str) -> None:
    """None that axe-core calls serious or critical, with parts open, and with the contrast of both themes."""
    with visit(browser, pages[name], color_scheme="light") as seen:
        # All items are made alike, and looking at hundreds takes minutes.
        seen.page.evaluate("document.querySelectorAll('details.item:nth-child(n+15)').forEach((each) => each.remove())")
        seen.page.evaluate(OPEN_FIRST)
        assert seen.barriers() == []
        seen.page.emulate_media(color_scheme="dark")
        assert seen.barriers("color-contrast") == []


def test_pictures_are_kept(browser: Browser, pages: dict[str, Path]) -> None:
    """For those who look at what CI made; taking one adds a style, which the policy of the page does not allow."""
    for size, viewport in (("desk", DESK), ("phone", PHONE)):
        with visit(browser, pages["rich"], viewport=viewport, bypass_csp=True) as seen:
            for scheme in SCHEMES:
                seen.page.emulate_media(color_scheme=scheme)
                assert seen.keep(f"run-{size}-{scheme}").stat().st_size > 10_000


def test_the_first_screen_has_verdict_checks_and_what_was_not_shown(browser: Browser, pages: dict[str, Path]) -> None:
    """Without scrolling, on a desk."""
    with visit(browser, pages["rich"]) as seen:
        assert seen.page.locator("h1").inner_text().startswith("FAIL")
        for place in ("#verdict", "#checks-head", "#unshown-head", ".unshown li:last-child", ".checks tr.bad >> nth=0"):
            box = seen.page.locator(place).bounding_box()
            assert box is not None, place
            assert box["y"] + box["height"] <= DESK["height"], place


def test_search_and_filters_find_failures(browser: Browser, pages: dict[str, Path]) -> None:
    """By words in any order, by property, by what failed; how many there are is told."""
    with visit(browser, pages["rich"]) as seen:
        page, items = seen.page, seen.page.locator("details.item:visible")
        whole = items.count()
        assert whole > 300
        page.locator("#group").select_option(label="whitespace")
        assert 0 < items.count() < whole
        assert set(items.locator(".tag").all_text_contents()) == {"whitespace"}
        page.locator("#kind").select_option(label="error")
        assert items.count() == 3
        assert page.locator("#found").inner_text() == f"3 of {whole} listed"
        page.locator("#group").select_option(label="all")
        page.locator("#kind").select_option(label="all")
        page.keyboard.press("Tab")
        page.keyboard.press("/")
        page.keyboard.type("KETTLE claim-0001")
        # What is typed is looked for a little later, or at once.
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "search"
        texts = items.all_text_contents()
        assert texts
        assert all("kettle" in text and "claim-0001" in text for text in texts)
        page.get_by_role("button", name="Open all").click()
        assert page.locator("details.item[open]").count() == items.count()
        page.get_by_role("button", name="Close all").click()
        assert page.locator("details.item[open]").count() == 0


@pytest.mark.parametrize("secure", [True, False])
def test_the_command_of_a_failure_is_copied(browser: Browser, pages: dict[str, Path], secure: bool) -> None:
    """By the clipboard of the browser, or as browsers did before there was one; it is told."""
    options: dict[str, Any] = {"permissions": ["clipboard-read", "clipboard-write"]}
    with visit(browser, pages["rich"], **options) as seen:
        page = seen.page
        if not secure:
            page.evaluate("Object.defineProperty(window, 'isSecureContext', { value: false })")
        item = page.locator("details.item").first
        item.locator("summary").click()
        item.get_by_role("button", name="Copy").click()
        expect(page.locator("#told")).to_have_text("Copied")
        copied = page.evaluate("navigator.clipboard.readText()")
        assert copied == item.locator("code").inner_text()
        assert copied.startswith("robust replay ")


def test_the_theme_follows_the_system_until_somebody_chooses(browser: Browser, pages: dict[str, Path]) -> None:
    """And the button says what it does."""
    with visit(browser, pages["rich"], color_scheme="dark") as seen:
        page = seen.page

        def ground() -> str:
            return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))

        dark = ground()
        page.emulate_media(color_scheme="light")
        light = ground()
        assert light != dark
        page.get_by_role("button", name="Use dark colours").click()
        assert ground() == dark
        page.emulate_media(color_scheme="dark")
        page.get_by_role("button", name="Use light colours").click()
        assert ground() == light


def test_without_scripts_everything_can_be_read(browser: Browser, pages: dict[str, Path]) -> None:
    """Tables, pictures and failures are there; what would do nothing is not."""
    with visit(browser, pages["rich"], java_script_enabled=False) as seen:
        page = seen.page
        assert page.locator(".checks tbody tr:visible").count() == 15
        assert page.locator("figure svg:visible").count() >= 8
        numbers = page.locator("details.numbers").first
        numbers.locator("summary").click()
        assert numbers.locator("td").first.is_visible()
        page.locator("details.item summary").first.click()
        assert page.locator("details.item .passage").first.is_visible()
        for place in ("form.filters", "button.copy", "#theme"):
            assert page.locator(f"{place}:visible").count() == 0, place


def test_it_can_be_used_with_the_keyboard_alone(browser: Browser, pages: dict[str, Path]) -> None:
    """The first key leads past the navigation; a failure opens with Enter, and its command is next."""
    with visit(browser, pages["variants"]) as seen:
        page = seen.page
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the verdict"
        page.locator("details.item summary").first.focus()
        page.keyboard.press("Enter")
        assert page.locator("details.item[open]").count() == 1
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "copy"


def test_printed_it_is_black_on_white_without_what_cannot_be_pressed(browser: Browser, pages: dict[str, Path]) -> None:
    """Whatever the colours of the screen."""
    with visit(browser, pages["rich"], color_scheme="dark") as seen:
        seen.page.emulate_media(media="print")
        assert seen.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        assert seen.page.locator("button:visible, form:visible, nav:visible").count() == 0
        assert len(seen.page.pdf(format="A4")) > 10_000


def test_e2_hostile_data_is_inert(browser: Browser, pages: dict[str, Path]) -> None:
    """Script tags, handlers, marks that reorder, control characters and long inputs are texts that can be seen."""
    with visit(browser, pages["hostile"]) as seen:
        page = seen.page
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        assert page.title().startswith("FAIL hostile")
        assert page.locator("script").count() == 1
        assert page.locator("img, iframe, object, embed, link, b, i, base").count() == 0
        assert page.evaluate(
            "Array.from(document.querySelectorAll('*')).every((each) => "
            "each.getAttributeNames().every((name) => !name.startsWith('on')))"
        )
        text = page.locator("main").text_content() or ""
        assert "<script>document.title='pwned'</script>" in text
        assert all(shown in text for shown in ("\\u{202e}", "\\u{2067}", "\\u{7}", "\\u{1b}", "\\u{0}", "{{ 7 * 7 }}"))
        assert not any(char in text for char in "\u202e\u2067\x07\x1b\x00")
        assert "characters left out" in text
        assert seen.too_wide() == []
    assert pages["hostile"].stat().st_size < 1_000_000
