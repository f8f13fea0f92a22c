"""A real browser: Debian's chromium, headless, cut off from every network, that tells whatever it says and asks for."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, ViewportSize, sync_playwright

from tests.programs import ROOT
from tests.tool_environments import npm_package

# Kept by CI, and by nobody else.
SCREENSHOTS = ROOT / "screenshots"
PHONE: ViewportSize = {"width": 360, "height": 740}
DESK: ViewportSize = {"width": 1280, "height": 900}
# What a page must not have, by the rules of axe that are about barriers, not about taste.
_GRAVE = ("serious", "critical")


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """The browser of the system; a test is skipped where there is none."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("there is no chromium here (apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


class Visit:
    """A page that was opened, and all that it said and asked for.

    Attributes:
        page: the page.
        messages: of the console, errors of scripts, and dialogues.
        requests: for anything but the file itself.
    """

    def __init__(self, context: BrowserContext, file: Path) -> None:
        self.messages: list[str] = []
        self.requests: list[str] = []
        self.page: Page = context.new_page()
        self.page.on("console", lambda message: self.messages.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.messages.append(f"error: {error}"))
        self.page.on("dialog", self._dismiss)
        address = file.resolve().as_uri()

        def route(call: Route) -> None:
            if call.request.url == address:
                call.continue_()
            else:
                self.requests.append(call.request.url)
                call.abort()

        context.route("**/*", route)
        self.page.goto(address)

    def _dismiss(self, dialogue: Any) -> None:
        self.messages.append(f"dialogue: {dialogue.message}")
        dialogue.dismiss()

    def barriers(self, *rules: str) -> list[str]:
        """What axe-core finds serious or critical for those who do not see, hear or point, by all rules or some."""
        source = (npm_package("axe-core@4.10.2") / "axe.min.js").read_text(encoding="utf-8")
        self.page.evaluate(source)
        options = {"resultTypes": ["violations"], **({"runOnly": [*rules]} if rules else {})}
        told: Any = self.page.evaluate("(options) => axe.run(document, options)", options)
        return [
            f"{found['id']}: {node['target']} {node['failureSummary']}"
            for found in told["violations"]
            if found["impact"] in _GRAVE
            for node in found["nodes"][:3]
        ]

    def too_wide(self) -> list[str]:
        """Which elements reach beyond the window, so that a reader would have to scroll sideways."""
        found: list[str] = self.page.evaluate(
            """() => document.documentElement.scrollWidth <= window.innerWidth ? [] :
            Array.from(document.querySelectorAll("body *"))
              .filter((each) => each.getBoundingClientRect().right > window.innerWidth + 1)
              .map((each) => each.tagName + " " + each.className + " " + each.textContent.slice(0, 60)).slice(0, 5)"""
        )
        return found

    def keep(self, name: str) -> Path:
        """Keep a picture of what is seen."""
        SCREENSHOTS.mkdir(exist_ok=True)
        picture = SCREENSHOTS / f"{name}.png"
        self.page.screenshot(path=picture)
        return picture


@contextlib.contextmanager
def visit(browser: Browser, file: Path, *, quiet: bool = True, **options: Any) -> Iterator[Visit]:
    """Open a file without a network; afterwards it must have asked for nothing, and said nothing.

    Args:
        browser: the browser.
        file: the page.
        quiet: whether that is held.
        options: of the context, such as ``viewport``, ``color_scheme``, ``java_script_enabled``.
    """
    context = browser.new_context(offline=True, **{"viewport": DESK, **options})
    try:
        found = Visit(context, file)
        yield found
        if quiet:
            assert (found.messages, found.requests) == ([], [])
    finally:
        context.close()
