"""JUnit: what is a failure, an error or skipped, in names and numbers that are those of the report."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest

from robust.render.junit import junit_text
from tests.unit.render.reports import check_of, error_of, failed_report, property_of, report_of
from tests.unit.render.shown import group_of, read_junit, render, report_with, shown

FAILS = [check_of(check="whitespace.max_violation_rate", value=0.8333333, limit=0)]
HOSTILE = {
    "a control character": ("a\x1b[31mb\x00", "a\\u{1b}[31mb\\u{0}"),
    "a lone surrogate": ("a\udcffb", "a\\u{dcff}b"),
    "a noncharacter": ("a\uffffb", "a\\u{ffff}b"),
    "the end of a section": ("]]>", "]]>"),
    "entities and markup": (
        '&lt;!DOCTYPE x [<!ENTITY e "e">]> &e; <a b="c">',
        '&lt;!DOCTYPE x [<!ENTITY e "e">]> &e; <a b="c">',
    ),
    "a mark that turns the direction": ("a\u202eb\u200f", "a\\u{202e}b\\u{200f}"),
    "another script": ("日本語 שלום é 🙂", "日本語 שלום é 🙂"),
    "line breaks": ("a\r\nb\u2028c\td", "a\\u{d}\\u{a}b\\u{2028}c\\u{9}d"),
}


def _cases(root: ET.Element) -> dict[str, tuple[str, str]]:
    """By name, what came of a test case, and its message."""
    found = {}
    for case in root.iter("testcase"):
        results = [(result.tag, result.get("message", "")) for result in case]
        found[str(case.get("name"))] = results[0] if results else ("passed", "")
    return found


def _report(report: dict[str, Any], groups: Any = None, **fields: Any) -> ET.Element:
    return read_junit(render(shown(report, groups, **fields), "junit"))


def test_every_check_is_a_test_case() -> None:
    """Of the base cases in the suite ``golden``, of a property in its own; figures are those of the text report."""
    checks = [
        check_of(check="max_error_rate", status="pass", value=0, limit=0),
        check_of(check="min_accuracy", value=0.89996, limit=0.9),
        check_of(check="min_accuracy", level="warning", status="warn", value=0.89996, limit=0.95),
        *FAILS,
    ]
    root = _report(report_of(checks=checks, properties={"whitespace": property_of()}))
    assert [suite.get("name") for suite in root] == ["golden", "whitespace"]
    assert [case.get("classname") for case in root.iter("testcase")] == ["q.golden"] * 3 + ["q.whitespace"]
    assert _cases(root) == {
        "max_error_rate": ("passed", ""),
        "min_accuracy": ("failure", "FAIL: value 0.89996, limit 0.9"),
        "min_accuracy (warning)": ("skipped", "WARN: value 0.9, limit 0.95; a warning, which does not fail the run"),
        "whitespace.max_violation_rate": ("failure", "FAIL: value 0.8333, limit 0"),
    }


def test_a_warning_fails_where_the_run_fails_on_warnings() -> None:
    """As its exit code does."""
    checks = [check_of(check="min_accuracy", level="warning", status="warn", value=0.8, limit=0.9)]
    report = report_of(checks=checks, settings={"fail_on_warn": True, "confidence": 0.95})
    assert _cases(_report(report)) == {"min_accuracy (warning)": ("failure", "WARN: value 0.8, limit 0.9")}


def test_what_could_not_be_decided_says_why() -> None:
    """An inconclusive requirement fails the run."""
    check = check_of(check="min_accuracy", status="inconclusive", value=0.9, limit=0.9, interval=[0.8, 0.95])
    report = report_of(
        checks=[check], metrics={"accuracy": {"value": 0.9, "interval": [0.8, 0.95], "n": 1, "groups": 1}}
    )
    root = _report(report)
    assert _cases(root) == {"min_accuracy": ("failure", "INCONCLUSIVE: value 0.9, limit 0.9")}
    (failure,) = root.iter("failure")
    assert failure.get("type") == "inconclusive"
    assert (failure.text or "").startswith("the limit 0.9 is within the interval 0.8 to 0.95; ")


def test_a_source_group_that_fails_is_a_failure_with_its_first_pair() -> None:
    """How many pairs break what, where the first stands, and the command that replays it."""
    groups = {"whitespace": [group_of(7, pairs=3)]}
    root = _report(report_with(groups, checks=FAILS), groups)
    message = (
        "3 pairs break max_tv_distance; the first, whitespace/c7/0: yes → no, base right, variant wrong, TV 0.25; "
    )
    assert _cases(root)["source s7"] == ("failure", message + "max_tv_distance 0.25 > 0.05")
    body = [failure.text for failure in root.iter("failure") if failure.get("type") == "violation"]
    assert [text.split("\n") for text in body if text] == [
        [
            "line 7 of records.jsonl",
            "     yes → no, base right, variant wrong, TV 0.25",
            "     broken    max_tv_distance 0.25 > 0.05",
            '     edit      white space "··" at character 4',
            "     text      one··two",
            "     robust replay runs/r --id whitespace/c7/0",
        ]
    ]


@pytest.mark.parametrize(
    ("check", "why"),
    [
        ({"status": "pass"}, "within the limits of the contract"),
        ({"status": "pass", "noise": True, "p_value": 0.4}, "which may be the model's own noise"),
        ({"status": "warn", "level": "warning"}, "a warning, which does not fail the run"),
    ],
)
def test_what_the_contract_allows_is_skipped_with_the_reason(check: dict[str, Any], why: str) -> None:
    """So that nothing is red that does not fail the run."""
    groups = {"whitespace": [group_of()]}
    checks = [check_of(check="whitespace.max_violation_rate", **check)]
    cases = _cases(_report(report_with(groups, more=2, checks=checks), groups))
    for name in ("source s1", "other sources"):
        outcome, message = cases[name]
        assert outcome == "skipped"
        assert message.endswith(f"; {why}")


def test_errors_are_errors_by_kind() -> None:
    """Of base cases and of pairs, with the first ids and what was said; counts are those of the report."""
    first = [error_of(1, None), error_of(2), error_of(3, "whitespace", "invalid_response")]
    report = failed_report(
        *first,
        properties={"whitespace": property_of(errors=9, errors_by_kind={"timeout": 8, "invalid_response": 1})},
        errors_by_kind={"timeout": 4},
        counts={"cases": 50},
        checks=[check_of(check="max_error_rate"), check_of(check="whitespace.max_error_rate")],
        observed={"messages": {"timeout": "no answer\x07 within\n30 s"}},
    )
    root = _report(report)
    found = [
        (case.get("classname"), case.get("name"), case[0].tag, case[0].get("message"), case[0].get("type"))
        for case in root.iter("testcase")
        if str(case.get("name")).startswith("errors")
    ]
    assert found == [
        ("q.golden", "errors: timeout", "error", "4 of 50 base cases ended in timeout", "timeout"),
        ("q.whitespace", "errors: timeout", "error", "8 of 10 pairs ended in timeout", "timeout"),
        (
            "q.whitespace",
            "errors: invalid_response",
            "error",
            "1 of 10 pairs ended in invalid_response",
            "invalid_response",
        ),
    ]
    said = "what was said of the first timeout: no answer\\u{7} within 30 s"
    assert [error.text for error in root.iter("error")] == [
        f"the first: decision/c1; all in records.jsonl\n{said}",
        f"the first: whitespace/c2/0; all in records.jsonl\n{said}",
        "the first: whitespace/c3/0; all in records.jsonl",
    ]


@pytest.mark.parametrize(("status", "outcome"), [("pass", "skipped"), ("error", "error")])
def test_errors_that_the_contract_allows_are_skipped_unless_nothing_was_decided(status: str, outcome: str) -> None:
    """Then there is nothing else that could show it."""
    allowed = check_of(check="max_error_rate", status="pass", value=1, limit=1)
    report = report_of(errors_by_kind={"timeout": 1}, checks=[allowed], status=status)
    assert _cases(_report(report))["errors: timeout"][0] == outcome


def test_cases_that_were_skipped_and_candidates_that_were_refused_are_skipped_with_the_reason() -> None:
    """One for each reason, with its count."""
    found = property_of(
        skipped=3,
        skipped_by_reason={"blank_text": 2, "no_number": 1},
        refused_by_code={"rejected": 4},
        first_refused={"rejected": {"id": "whitespace/c1/0", "reason": "the\nmeaning changed"}},
    )
    root = _report(report_of(properties={"whitespace": found}))
    assert _cases(root) == {
        "skipped: blank_text": ("skipped", "2 cases: a blank text"),
        "skipped: no_number": ("skipped", "1 case: no number to raise"),
        "refused: rejected": ("skipped", "4 candidates, not scored: the oracle says the relation does not hold"),
    }
    assert [skipped.text for skipped in root.iter("skipped")][2] == "the first is whitespace/c1/0: the meaning changed"


def test_what_is_not_listed_is_counted_and_found_elsewhere() -> None:
    """Source groups where they are counted, and always the pairs."""
    groups = {"whitespace": [group_of(1), group_of(2, pairs=4)]}
    cases = _cases(_report(report_with(groups, more=24_999, checks=FAILS), groups))
    told = (
        "24999 more failing pairs of 24999 more source groups with a violation, not listed here: all in records.jsonl"
    )
    assert cases["other sources"] == ("failure", told)
    assert "other sources" not in _cases(_report(report_with(groups, checks=FAILS), groups))


@pytest.mark.parametrize("char", ["&", '"', "\n", "𝒳", "a"])
def test_e1_a_file_stays_below_what_servers_take(char: str) -> None:
    """However large each failure is, and however it is written; what does not fit is counted."""
    groups = {
        name: [group_of(n, name, shown=char * 500, edited=None, edits=[]) for n in range(100)]
        for name in ("whitespace", "paraphrase")
    }
    report = report_with(groups, checks=FAILS)
    for encoding in ("utf-8", "ascii"):
        text = junit_text(shown(report, groups, encoding=encoding), most_bytes=50_000)
        assert 10_000 < len(text.encode()) < 52_000
        told = {name: message for name, (_, message) in _cases(read_junit(text)).items()}
        listed = sum(name.startswith("source ") for name in told)
        assert told["other sources"].startswith("100 more failing pairs of 100 more source groups")
        assert 0 < listed < 100


@pytest.mark.parametrize("kind", HOSTILE)
def test_text_that_xml_cannot_hold_is_shown_and_other_text_stays(kind: str) -> None:
    """In names, attributes and bodies alike."""
    text, visible = HOSTILE[kind]
    group = group_of(id=f"whitespace/{text}/0", shown=text, edited=None, edits=[], base_selected=text)
    group = group._replace(source_id=text)
    report = report_with({"whitespace": [group]}, checks=FAILS)
    report["backend"]["model"] = text
    root = _report(report, {"whitespace": [group]})
    assert {item.get("value") for item in root.iter("property") if item.get("name") == "model"} == {visible}
    (name,) = (str(case.get("name")) for case in root.iter("testcase") if str(case.get("name")).startswith("source "))
    assert name.partition(" #")[0] == f"source {visible}"
    assert (" #" in name) == (text != visible)
    (failure,) = (each for each in root.iter("failure") if each.get("type") == "violation")
    assert visible in str(failure.get("message"))
    if kind != "line breaks":  # which the body shows as signs
        assert visible in str(failure.text)


def test_sources_that_look_alike_keep_names_of_their_own() -> None:
    """A server drops a test case whose name it has seen."""
    ids = ["a" * 200, "a" * 201, "b\x00", "b\\u{0}", "c", "c"]
    groups = {"whitespace": [group_of(n)._replace(source_id=name) for n, name in enumerate(ids)]}
    names = [name for name in _cases(_report(report_with(groups), groups)) if name.startswith("source ")]
    assert len(set(names)) == len(ids)
    assert names[-2:] == ["source c", "source c (2)"]


def test_large_inputs_are_cut() -> None:
    """100 kB each of an id, a label, a text, a name and a message."""
    large = "x&\u0301" * 33_000
    group = group_of(id=large, shown=large[:500], edited=None, base_selected=large, edits=[])._replace(source_id=large)
    report = report_with({"whitespace": [group]}, checks=FAILS, errors_by_kind={"timeout": 1})
    report["observed"] = {"messages": {"timeout": large}}
    report["contract"]["name"] = report["backend"]["model"] = report["manifest"]["name"] = large
    text = render(shown(report, {"whitespace": [group]}), "junit")
    read_junit(text)
    assert len(text.encode()) < 50_000
    assert "robust replay" not in text


def test_a_time_is_one_that_was_observed() -> None:
    """What has another form is left out, as nothing proves it."""
    observed = {"started_at": "2026-01-31T23:59:59.123+00:00", "duration_ms": 1234.5678}
    root = _report(report_of(checks=FAILS, properties={"whitespace": property_of()}, observed=observed))
    assert root.get("time") == "1.235"
    assert {suite.get("timestamp") for suite in root} == {"2026-01-31T23:59:59"}
    for wrong in ({"started_at": "yesterday", "duration_ms": True}, {"started_at": 5, "duration_ms": float("nan")}, {}):
        root = _report(report_of(checks=FAILS, properties={"whitespace": property_of()}, observed=wrong))
        assert [
            element.get(name) for element in root.iter() for name in ("time", "timestamp") if element.get(name)
        ] == []


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1"])
def test_a_console_of_another_encoding_gets_the_same_document(encoding: str) -> None:
    """Its head says UTF-8, which ASCII is: other characters are references."""
    groups = {"whitespace": [group_of(base_selected="é日本🙂")]}
    report = report_with(groups, checks=FAILS)
    text = render(shown(report, groups, encoding=encoding), "junit")
    assert text.isascii()
    assert ET.tostring(read_junit(text)) == ET.tostring(_report(report, groups))


def test_a_run_that_was_judged_again_offers_no_replay() -> None:
    """By other limits it did not fail; its properties say what ran."""
    groups = {"whitespace": [group_of()]}
    rejudged = {
        "contract": "sha256:" + "1" * 64,
        "report": "sha256:" + "2" * 64,
        "status": "pass",
        "not_run": [],
        "left_out": [],
    }
    text = render(shown(report_with(groups, checks=FAILS, rejudged=rejudged), groups), "junit")
    assert "robust replay" not in text
    assert "id        whitespace/c1/0" in text
    facts = {item.get("name"): item.get("value") for item in read_junit(text).iter("property")}
    assert facts["digest of the contract that ran"] == rejudged["contract"]
