"""Comparisons as they are shown: bounded, inert, and of the same verdict in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from robust import Case, Run, RunDiff, diff_runs, format_report, run_contract
from robust.app.run_diff import format_diff
from robust.render.diff_facts import delta_text, p_text
from robust.render.diff_junit import diff_junit
from robust.render.diff_markdown import diff_markdown
from robust.render.plain import columns
from robust.render.shown_diff import ShownDiff
from tests.page_runs import HOSTILE
from tests.run_fixtures import contract_of, numbers, run, told
from tests.unit.render.page_reader import ReadPage
from tests.unit.render.shown import read_junit

TEXTS = [f"amount {number}" for number in range(990, 1010)]
LABELS = ["<b>first</b>", "second | label `with` ticks", "third " + "w" * 300, "vierte 標籤 \u0301\u0301\u0301"]


def _answers(places: list[int]) -> dict[str, Any]:
    return {text: dict(zip(LABELS, _shares(place), strict=True)) for text, place in zip(HOSTILE, places, strict=True)}


def _shares(place: int) -> list[float]:
    return [0.7 if each == place else 0.1 for each in range(len(LABELS))]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> RunDiff:
    """A comparison whose ids, inputs, labels, segments, model and paths are hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    contract = {
        "schema_version": "1",
        "decision": {"name": "q", "type": "choice", "options": LABELS},
        "backend": {"provider": "callable"},
        "regression": {"max_answer_flip_rate": 0.1, "segment_by": ["</td><script>"], "max_segment_accuracy_drop": 0},
    }
    cases = [
        Case(
            text,
            LABELS[place % 4],
            case_id=f"{place} <script>`|\u202e\u2028{'i' * 300}"[:256],
            source_id=f"s{place}",
            metadata={"</td><script>": f"{place % 2} | `\u202e <img src=x onerror=alert(1)>\x1b[31m\n"},
        )
        for place, text in enumerate(HOSTILE)
    ]
    runs: list[Run] = []
    for turn, name in enumerate(("a|`b \u202e $(touch pwned)", "-option <i>")):
        model = told(_answers([(place + turn * (place % 3)) % 4 for place in range(len(HOSTILE))]))
        runs.append(run_contract(contract, backend=model, dataset=cases, output=folder / name))
    return diff_runs(*runs)


def _compared(folder: Path, wrong: int, *, errors: int = 0, **regression: Any) -> RunDiff:
    contract = contract_of(regression=regression)
    answers: dict[str, Any] = dict.fromkeys(TEXTS[:wrong], "yes")
    answers |= dict.fromkeys(TEXTS[len(TEXTS) - errors :], RuntimeError("down"))
    runs = [
        run(folder, model, name=name, contract=contract, dataset=numbers(*TEXTS))
        for name, model in (("a", None), ("b", told(answers)))
    ]
    return diff_runs(*runs)


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "ascii"])
def test_text_is_inert_and_narrow(hostile: RunDiff, encoding: str) -> None:
    """Whatever the console can show."""
    text = format_diff(hostile, encoding=encoding)
    text.encode(encoding)
    lines = text.split("\n")
    assert [line for line in lines if columns(line) > 80] == []
    assert all(line.isprintable() for line in lines)


def test_json_is_the_report_in_every_encoding(hostile: RunDiff) -> None:
    """Hostile data is untouched in it."""
    for encoding in ("utf-8", "ascii"):
        text = format_report(hostile, "json", encoding=encoding)
        text.encode(encoding)
        assert json.loads(text) == hostile.report


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_a_page_is_inert(hostile: RunDiff, encoding: str) -> None:
    """One script, no element of the data's own, nothing that reorders."""
    text = format_report(hostile, "html", encoding=encoding)
    text.encode(encoding)
    page = ReadPage(text)
    assert page.names.count("script") == 1
    assert not {"img", "i", "b"} & set(page.names)
    assert not any(char in page.text for char in "\u202e\u2028\x1b")
    assert "<script>" in page.text


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_junit_holds_everything_visibly(hostile: RunDiff, encoding: str) -> None:
    """Names once, counts as they are, and what XML cannot hold escaped."""
    root = read_junit(format_report(hostile, "junit", encoding=encoding))
    assert [suite.get("name") for suite in root] == ["regression", "changes"]


def test_what_does_not_fit_is_counted(hostile: RunDiff) -> None:
    """In files for other tools."""
    shown = ShownDiff(report=hostile.report)
    whole = len(diff_markdown(shown).encode())
    small = diff_markdown(shown, most_bytes=whole - 500)
    assert len(small.encode()) <= whole - 500
    assert "more lines are left out here" in small
    cut = read_junit(diff_junit(shown, most_bytes=1))
    names = [str(case.get("name")) for case in cut.iter("testcase")]
    assert names[-1] == "others"
    assert not [name for name in names if name.startswith("case ")]


@pytest.mark.parametrize(
    ("wrong", "errors", "regression", "fails"),
    [
        (0, 0, {"max_accuracy_drop": 0}, []),
        (3, 0, {"max_accuracy_drop": 0.1}, ["max_accuracy_drop"]),
        (3, 0, {"warnings": {"max_accuracy_drop": 0.1}}, []),
        (0, 1, {"max_accuracy_drop": 0.1}, ["max_error_rate_increase"]),
        (0, 0, {}, ["gates"]),
        (0, len(TEXTS), {"max_error_rate_increase": 1}, ["compared"]),
    ],
)
def test_every_format_comes_to_the_same_verdict(
    tmp_path: Path, wrong: int, errors: int, regression: dict[str, Any], fails: list[str]
) -> None:
    """As the exit code has it."""
    found = _compared(tmp_path, wrong, errors=errors, **regression)
    verdict = found.status.upper()
    assert format_report(found).startswith(f"{verdict}  over_limit: ")
    assert format_report(found, "markdown").startswith(f"## {verdict}: `over_limit`")
    assert f"<title>{verdict} over_limit, compared</title>" in format_report(found, "html")
    root = read_junit(format_report(found, "junit"))
    broken = [
        str(case.get("name")) for case in root.iter("testcase") if {each.tag for each in case} & {"failure", "error"}
    ]
    assert broken == fails
    assert (found.exit_code == 0) == (not fails)


def test_figures_close_to_an_end_are_not_shown_as_it() -> None:
    """A p value is 0 for nothing, and a difference has its sign."""
    assert [p_text(value) for value in (1.0, 0.5, 0.0123456, 3.2e-7, 0.0)] == [
        "1",
        "0.5",
        "0.0123",
        "3.2e-07",
        "below 1e-300",
    ]
    assert [delta_text(value) for value in (None, 0, 0.25, -0.25)] == ["-", "0", "+0.25", "-0.25"]
