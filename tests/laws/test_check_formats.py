"""Whatever a check holds, every format of its report can be read, is bounded, and does nothing but show it."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from robust.records.population import REASONS, PopulationVerdict
from robust.records.relation_check import Reason
from robust.render.plain import columns
from robust.render.shown_check import ShownFailure
from tests.laws.test_formats import ENCODINGS
from tests.laws.test_report_texts import hostile, names
from tests.unit.render.checks import (
    POPULATION_PLAN,
    RELATION,
    check_report_of,
    population_report_of,
    render_check,
    shown_check,
)
from tests.unit.render.shown import read_junit, read_markdown, read_sarif

VERDICTS = get_args(PopulationVerdict)
COUNTS = st.integers(0, 10**9)
NUMBERS = st.none() | st.floats(allow_nan=False, allow_infinity=False)
P_VALUES = st.none() | st.floats(0, 1)


@st.composite
def relations(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
    """Relations of hostile names, and what they came to."""
    return {
        name: {
            **RELATION,
            "verdict": draw(st.sampled_from(VERDICTS)),
            "reason": draw(st.none() | st.sampled_from(sorted({*get_args(Reason), "another"}))),
            "trials": draw(COUNTS),
            "contradictions": draw(COUNTS),
            "skipped": draw(st.dictionaries(st.sampled_from(["unchanged", "invalid", "another"]), COUNTS)),
            "errors": draw(COUNTS),
            "p_value": draw(P_VALUES),
            "adjusted_p": draw(P_VALUES),
        }
        for name in draw(st.lists(names, max_size=5, unique=True))
    }


@st.composite
def failures(draw: st.DrawFn, named: list[str]) -> list[ShownFailure]:
    """Counterexamples of these relations, of rows where there are none, each with an id of its own."""
    found = []
    for number, name in enumerate(draw(st.lists(names, max_size=4, unique=True)), start=1):
        texts: dict[str, Any] = {key: draw(hostile) for key in ("base", "variant", "before", "after")}
        relation = draw(st.sampled_from(named)) if named else None
        replay = draw(st.none() | st.just("robust.replay_trial(system, base_input, relation)"))
        place: dict[str, Any] = {
            "line": number,
            "columns": draw(st.integers(2, 10**6)),
            "sample": draw(st.none() | COUNTS),
        }
        error = draw(st.none() | st.sampled_from(["system", "base", "another"]))
        texts |= {} if error is None else {"message": draw(hostile)}
        place |= {"error": error}
        found.append(ShownFailure(id=name, relation=relation, input_id=draw(names), replay=replay, **place, **texts))
    return found


@st.composite
def checks(draw: st.DrawFn) -> dict[str, Any]:
    """A check as a format gets it."""
    if draw(st.booleans()):
        listed = draw(relations())
        report = check_report_of(listed, counts={"inputs": draw(st.integers(0, 3))})
        found = draw(failures(list(listed))) if listed else []
    else:
        reason = draw(st.sampled_from(sorted(REASONS)))
        error = {"where": draw(hostile), "what": draw(hostile)} if reason == "raised" else None
        numbers = {name: draw(NUMBERS) for name in ("metric", "effect", "window", "largest_change")}
        share = {"row_share": draw(st.floats(0, 1)), "p_value": draw(st.floats(0, 1))}
        if reason == "constant_at_window":
            numbers["effect"] = draw(st.floats(-1e9, 1e9))
        if reason in ("shown", "share_too_small"):
            numbers["metric"] = draw(st.floats(0, 1))
        report = population_report_of(verdict=REASONS[reason], reason=reason, error=error, **numbers, **share)
        found = draw(failures([]))
    report["plan"]["name"] = draw(st.just("") | names)
    report["status"] = draw(st.sampled_from(["pass", "fail", "error"]))
    report["failures"]["count"] = len(found) + draw(st.integers(0, 10**6))
    report["observed"] |= {
        "started_at": draw(hostile),
        "robust_version": draw(hostile),
        "calls": draw(st.none() | COUNTS),
    }
    plan = {**POPULATION_PLAN, "name": report["plan"]["name"]}
    fields = {"plan": plan} if report["kind"] == "population" else {}
    told = {"encoding": draw(ENCODINGS), "path": draw(names), "folder_uri": "runs/r%20x", **fields}
    return {"report": report, "failures": found, "fields": told}


def _shown(check: dict[str, Any], report_format: Any) -> str:
    return render_check(shown_check(check["report"], *check["failures"], **check["fields"]), report_format)


@settings(max_examples=100)
@given(checks())
def test_every_check_is_text_of_eighty_columns(check: dict[str, Any]) -> None:
    """But for the lines that are copied; nothing steers a terminal, nothing is trailing."""
    for line in _shown(check, "text").split("\n"):
        assert columns(line) <= 80 or line.startswith("     robust.replay_trial(")
        assert line.isprintable()
        assert line == line.rstrip()


@settings(max_examples=60)
@given(checks())
def test_every_check_is_xml_that_others_read(check: dict[str, Any]) -> None:
    """With names and counts as they should be, and nothing that anybody could not see."""
    root = read_junit(_shown(check, "junit"))
    for element in root.iter():
        for text in (element.text or "", *element.attrib.values()):
            assert all(line.isprintable() for line in text.split("\n"))


@settings(max_examples=60)
@given(checks())
def test_every_check_is_a_sarif_log_with_places(check: dict[str, Any]) -> None:
    """A result for each verdict that is no pass and each counterexample, and what is left counted."""
    log = read_sarif(_shown(check, "sarif"))
    report = check["report"]
    found = [report["population"]] if report["kind"] == "population" else list(report["relations"].values())
    verdicts = [each["verdict"] for each in found] or ["vacuous"]
    failing = [verdict for verdict in verdicts if verdict != "holds"]
    assert len(log["results"]) == len(failing) + len(check["failures"])
    left = report["failures"]["count"] - len(check["failures"])
    told = [each["message"]["text"] for each in log["invocations"][0]["toolExecutionNotifications"]]
    assert any(text.startswith(f"{left} counterexample") for text in told) == (left > 0)


@settings(max_examples=60)
@given(checks())
def test_every_check_is_markdown_in_which_nothing_happens(check: dict[str, Any]) -> None:
    """And which fits a comment."""
    assert read_markdown(_shown(check, "markdown"))
