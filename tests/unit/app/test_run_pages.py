"""Pages of real runs: the verdict, the numbers of the report, what was not shown, and what it all rests on."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from robust import CallableBackend, Run, report_run
from robust.app.reporting import format_report
from robust.render.html_run import run_page
from robust.render.report_facts import provenance
from tests.golden.test_reports import RUNS
from tests.page_runs import hostile, rich
from tests.run_fixtures import numbers
from tests.run_fixtures import run as run_of
from tests.unit.render.page_reader import ReadPage, read_page, words
from tests.unit.render.shown import shown

MADE: dict[str, Callable[[Path], Run]] = {**RUNS, "rich": lambda folder: rich(folder, 60), "hostile": hostile}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Run, ReadPage]]:
    """Runs of many kinds, each with its page."""
    folder = tmp_path_factory.mktemp("runs")
    made = {name: make(folder / name) for name, make in MADE.items()}
    return {name: (run, read_page(format_report(run, "html"))) for name, run in made.items()}


@pytest.mark.parametrize("name", MADE)
def test_a_page_has_the_verdict_and_every_check_of_its_report(
    pages: dict[str, tuple[Run, ReadPage]], name: str
) -> None:
    """In words, before anything else; and what the text has of each property is in a table."""
    run, page = pages[name]
    text = words(page.text)
    verdict = text.index(f" {run.status.upper()} ")
    assert verdict < text.index(" Checks ") < text.index(" Not shown ") < text.index(" Properties ")
    for check in run.report["checks"]:
        assert check["check"] in text
    for kind in run.report["properties"]:
        assert kind in text
    assert page.classes("details").count("item") == run.report["failures"]["count"]


@pytest.mark.parametrize("name", MADE)
def test_a_page_says_what_it_rests_on(pages: dict[str, tuple[Run, ReadPage]], name: str) -> None:
    """Every digest, name and number of the report's provenance, and that nobody checked signatures."""
    run, page = pages[name]
    text = words(page.text)
    assert all(words(value) in text for _, value in provenance(run.report))
    assert "not signed" in text
    assert "robust verify " in text


def test_a_page_tells_what_was_not_shown(pages: dict[str, tuple[Run, ReadPage]]) -> None:
    """Assumed, undecided, refused, skipped, failed, unknown, and what the value alone decided."""
    told = {name: words(page.text) for name, (_, page) in pages.items()}
    for name, said in (
        ("assumed", "37 of 45 pairs assumed valid"),
        ("assumed", "3 cases skipped by a property 2 a blank text, 1 no white space between words"),
        ("assumed", "1 check held by the value alone min_accuracy"),
        ("judged", "7 candidates that no oracle could decide"),
        ("judged", "1 of 8 base cases without an answer 1 timeout"),
        ("judged", "5 pairs ended in an error"),
        ("variants", "1 check held by the value alone min_accuracy"),
        ("rich", "base cases without a known answer"),
    ):
        assert said in told[name], (name, said)


def test_a_page_has_the_pictures_that_its_run_gives_rise_to(pages: dict[str, tuple[Run, ReadPage]]) -> None:
    """Each with its numbers in a table; none of what there is nothing of."""
    titles = {
        name: [title for title in TITLES if f"{title} " in page.text or title in page.text]
        for name, (_, page) in pages.items()
    }
    assert titles["rich"] == list(TITLES)
    assert "Accuracy by region" not in titles["judged"]
    for _, page in pages.values():
        assert page.names.count("figure") == page.names.count("svg") == page.classes("details").count("numbers")


TITLES = (
    "Violation rates",
    "Distances between answers",
    "Oracle outcomes",
    "Flips by label pair",
    "Base against variant",
    "Accuracy by region",
    "Accuracy by channel",
    "Reliability",
)


def test_a_failure_shows_what_was_changed_and_how_to_ask_again(pages: dict[str, tuple[Run, ReadPage]]) -> None:
    """Word by word, with the smallest form that still fails."""
    run, page = pages["assumed"]
    text = words(page.text)
    assert f"robust replay {run.path} --id whitespace/r2/0" in text
    assert "from base to the smallest form that fails" in text
    assert page.names.count("ins") >= 5
    assert "input" in text


def test_a_run_that_is_judged_again_says_so_and_offers_no_replay(tmp_path: Path) -> None:
    """By other limits it did not fail."""
    run = RUNS["assumed"](tmp_path / "run")
    contract = json.loads((run.path / "contract.json").read_bytes())
    contract["properties"]["option_order"]["max_tv_distance"] = 0.9
    page = read_page(format_report(report_run(run.path, contract=contract), "html"))
    text = words(page.text)
    assert "Judged again by an edited contract" in text
    assert "the run's own status is FAIL" in text
    assert "robust replay" not in text
    assert str(run.report["digest"]) in text


def test_a_run_without_properties_or_answers_has_a_page_too(tmp_path: Path) -> None:
    """With what there is of it."""
    golden = read_page(format_report(run_of(tmp_path, dataset=numbers("total 5", "total 2000"), name="golden"), "html"))
    assert "Violation rates" not in golden.text
    assert "Reliability" in golden.text

    def failing(_: object) -> dict[str, float]:
        raise TimeoutError("no answer within 30 s")

    nothing = run_of(tmp_path, CallableBackend(failing), dataset=numbers("total 5"), name="nothing")
    page = read_page(format_report(nothing, "html"))
    text = words(page.text)
    assert "ERROR" in text
    assert "Nothing could be evaluated." in text
    assert "1 of 1 base case without an answer 1 timeout" in text
    assert "no answer within 30 s" in text


def test_what_a_console_lacks_is_a_reference(pages: dict[str, tuple[Run, ReadPage]]) -> None:
    """The page is the same."""
    run, page = pages["hostile"]
    text = format_report(run, "html", encoding="cp1252")
    assert text.isascii()
    assert ReadPage(text).text == page.text


def test_a_page_needs_the_details_of_its_run(pages: dict[str, tuple[Run, ReadPage]]) -> None:
    """A report alone does not have them."""
    with pytest.raises(ValueError, match="details"):
        run_page(shown(pages["rich"][0].report))


def test_without_the_package_that_writes_pages_it_is_named(pages: dict[str, tuple[Run, ReadPage]]) -> None:
    """And how to install it; every other format is there."""
    script = "import sys; sys.modules['jinja2'] = None; from robust.cli import main; main()"
    run = pages["variants"][0].path
    told = {
        shape: subprocess.run(
            [sys.executable, "-c", script, "report", run, "-f", shape],
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=60,
        )
        for shape in ("html", "markdown")
    }
    assert told["html"].returncode == 2
    assert told["html"].stderr == (
        "error[missing_package]: an HTML report needs jinja2, which is not installed; "
        "pip install 'robust-records[report]'\n"
    )
    assert (told["markdown"].returncode, told["markdown"].stderr) == (1, "")
