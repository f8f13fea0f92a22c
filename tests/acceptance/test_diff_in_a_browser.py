"""The page of a comparison in a real browser: it fetches nothing, says nothing, is narrow enough, and is inert."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from robust import CallableBackend, Case, DecisionRequest, diff_runs, format_report, run_contract
from robust.canon import unit_interval
from tests.browser import DESK, PHONE, chromium, visit
from tests.page_runs import HOSTILE, LABELS, cases

OPEN = "document.querySelectorAll('details').forEach((each, place) => { each.open = place < 20; })"
GATES = {
    "max_accuracy_drop": 0.05,
    "max_answer_flip_rate": 0.1,
    "segment_by": ["channel", "region"],
    "max_segment_accuracy_drop": 0.1,
    "warnings": {"max_mean_tv_distance": 0.01, "max_ece_increase": 0.5},
}


def _folder(folder: Path, *, hostile: bool) -> Path:
    """The page of a comparison of two runs, with changes and errors of every kind."""
    labels = [*LABELS, "<i>fifth</i>", "a long label without any meaning " + "x" * 60] if hostile else [*LABELS]
    known = cases(160)
    if hostile:
        known = [
            Case(
                f"{case.input} {HOSTILE[number % len(HOSTILE)]}",
                labels[number % len(labels)],
                case_id=f"{number} <script>alert(1)</script> \u2067{'wide' * 40}"[:250],
                source_id=case.source_id,
                metadata={**case.metadata, "channel": ("<img src=x>", "y" * 190)[number % 2]},
            )
            for number, case in enumerate(known)
        ]

    def model(generation: int) -> CallableBackend:
        def answer(request: DecisionRequest) -> dict[str, float]:
            turn = generation if unit_interval(request.case_id, generation) < 0.4 else 0
            if unit_interval("error", request.case_id, generation) < 0.05:
                raise RuntimeError("down")
            first = int(unit_interval(request.case_id, turn) * len(labels))
            return {label: 0.7 if place == first else 0.3 / (len(labels) - 1) for place, label in enumerate(labels)}

        return CallableBackend(answer, model=f"generation {generation}" + (HOSTILE[0] if hostile else ""))

    contract = {
        "schema_version": "1",
        "decision": {"name": "claim", "type": "choice", "options": labels},
        "backend": {"provider": "callable"},
        "regression": GATES,
    }
    runs = [
        run_contract(contract, backend=model(each), dataset=known[each:], output=folder / str(each)) for each in (0, 1)
    ]
    file = folder / "diff.html"
    file.write_text(format_report(diff_runs(*runs), "html"), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two pages."""
    folder = tmp_path_factory.mktemp("pages")
    return {name: _folder(folder / name, hostile=name == "hostile") for name in ("rich", "hostile")}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all of these tests."""
    with chromium() as started:
        yield started


@pytest.mark.parametrize("name", ["rich", "hostile"])
def test_a_page_is_whole_without_a_network(browser: Browser, pages: dict[str, Path], name: str) -> None:
    """Nothing is fetched, the console stays empty, nobody scrolls sideways, and there are no barriers."""
    with visit(browser, pages[name]) as seen:
        assert seen.page.title().startswith("FAIL claim")
        for viewport in (DESK, PHONE):
            seen.page.set_viewport_size(viewport)
            for script in ("0", OPEN):
                seen.page.evaluate(script)
                assert seen.too_wide() == [], (viewport, script)
        seen.page.evaluate("document.querySelectorAll('details.item:nth-child(n+15)').forEach((each) => each.remove())")
        assert seen.barriers() == []


def test_changed_cases_are_filtered_by_what_came_of_them(browser: Browser, pages: dict[str, Path]) -> None:
    """And by their right answer."""
    with visit(browser, pages["rich"]) as seen:
        page, items = seen.page, seen.page.locator("details.item:visible")
        whole = items.count()
        page.locator("#group").select_option(label="newly wrong")
        wrong = items.count()
        assert 0 < wrong < whole
        page.locator("#kind").select_option(label="refund")
        assert 0 < items.count() < wrong
        assert all("right is refund" in text for text in items.all_text_contents())


def test_a_picture_is_kept(browser: Browser, pages: dict[str, Path]) -> None:
    """For those who look at what CI made."""
    for size, viewport in (("desk", DESK), ("phone", PHONE)):
        with visit(browser, pages["rich"], viewport=viewport, bypass_csp=True) as seen:
            assert seen.keep(f"diff-{size}").stat().st_size > 10_000
