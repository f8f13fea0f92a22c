"""Whatever a run holds, every format of its report can be read, is bounded, and does nothing but show it."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from robust.canon import fold
from robust.records.failing_group import FailingGroup
from tests.laws.test_report_texts import LIMITS, failures, hostile, names, reports
from tests.unit.render.reports import DIGEST
from tests.unit.render.shown import read_junit, read_markdown, read_sarif, render, shown

ENCODINGS = st.sampled_from(["utf-8", "cp1252", "ascii"])
# What stands in a log, and what something that is filled in later might be called.
STANDS = ['"results": [', '"results"', "results stand here", "runs", '"', "\\", "]}", "{", ", ", "%s", "{0}", "null"]


@st.composite
def groups(draw: st.DrawFn, name: str) -> list[FailingGroup]:
    """Source groups of a property with failing pairs, whose ids differ as sources do."""
    found: dict[str, FailingGroup] = {}
    for number, source in enumerate(draw(st.lists(names, max_size=4, unique=True)), start=1):
        first = draw(failures(name).filter(lambda entry: entry["error"] is None))
        violations = draw(st.dictionaries(st.sampled_from(LIMITS), st.integers(1, 10**6), min_size=1))
        group = FailingGroup(source, number, draw(st.integers(2, 10**6)), 10**6, violations, first)
        found.setdefault(fold(source), group)
    return list(found.values())


@st.composite
def runs(draw: st.DrawFn) -> dict[str, Any]:
    """A run as a format gets it: its report, the source groups that fail, and the encoding."""
    report = draw(reports())
    kept = {name: draw(groups(name)) for name in report["properties"]}
    for name, found in report["properties"].items():
        more = draw(st.integers(0, 10**6))
        failing = sum(group.pairs for group in kept[name]) + more
        report["failures"]["by_kind"][name] = failing + found["errors"]
        found["groups_violating"] = len(kept[name]) + more
        found["groups"] = len(kept[name]) + 2 * more
    # No contract has a gate twice.
    report["checks"] = list({check["check"]: check for check in report["checks"]}.values())
    report["contract"] = {**report["contract"], "name": draw(names)}
    report["observed"] |= {"started_at": draw(hostile), "robust_version": draw(hostile), "duration_ms": draw(hostile)}
    path = draw(names)
    return {"report": report, "groups": kept, "encoding": draw(ENCODINGS), "path": path, "folder_uri": "runs/r%20x"}


@settings(max_examples=60)
@given(runs())
def test_every_run_is_xml_that_others_read(run: dict[str, Any]) -> None:
    """With names and counts as they should be, and nothing that anybody could not see."""
    root = read_junit(render(shown(**run), "junit"))
    for element in root.iter():
        for text in (element.text or "", *element.attrib.values()):
            assert all(line.isprintable() for line in text.split("\n"))


@settings(max_examples=60)
@given(runs())
def test_every_run_is_a_sarif_log_with_places(run: dict[str, Any]) -> None:
    """A result for each source group and for each check that does not hold, and what is left counted."""
    log = read_sarif(render(shown(**run), "sarif"))
    failed = [check for check in run["report"]["checks"] if check["status"] != "pass"]
    assert len(log["results"]) == len(failed) + sum(map(len, run["groups"].values()))


@settings(max_examples=60)
@given(runs(), st.lists(st.lists(st.sampled_from(STANDS), min_size=1, max_size=4).map("".join), min_size=4, max_size=4))
def test_no_name_changes_what_a_sarif_log_is(run: dict[str, Any], named: list[str]) -> None:
    """Each stands where it belongs, with all results, whatever of a log it looks like."""
    report = run["report"]
    report["contract"] |= {"name": named[0]}
    report["manifest"], report["dataset"] = {"name": named[1], "split": named[2], "digest": DIGEST}, None
    report["backend"] |= {"model": named[3]}
    log = read_sarif(render(shown(**run), "sarif"))
    told = log["properties"]
    assert log["automationDetails"]["id"] == f"robust/{named[0]}/"
    assert (told["manifest"], told["split"], told["model"]) == tuple(named[1:])
    failed = [check for check in report["checks"] if check["status"] != "pass"]
    assert len(log["results"]) == len(failed) + sum(map(len, run["groups"].values()))


@settings(max_examples=60)
@given(runs())
def test_every_run_is_markdown_in_which_nothing_happens(run: dict[str, Any]) -> None:
    """And which fits a comment."""
    read_markdown(render(shown(**run), "markdown"))
