"""SARIF: rules, results with places and fingerprints, levels from the gates, within what GitHub takes."""

from __future__ import annotations

import gzip
import json
import random
from typing import Any

import pytest

from robust.render.formats import MOST_SARIF_RESULTS
from robust.render.sarif import sarif_text
from robust.render.sarif_results import message
from robust.render.sarif_rules import rules
from tests.report_readers import assert_sarif
from tests.unit.render.reports import check_of, property_of, report_of
from tests.unit.render.shown import group_of, read_sarif, render, report_with, shown

FAILS = [check_of(check="whitespace.max_violation_rate", value=0.8333333, limit=0)]
PROPERTIES = ["option_order", "label_format", "irrelevant_context", "repeated_context", "whitespace"]
PROPERTIES += ["paraphrase", "inversion", "monotonic", "variants"]


def _log(report: dict[str, Any], groups: Any = None, **fields: Any) -> dict[str, Any]:
    return read_sarif(render(shown(report, groups, **fields), "sarif"))


def test_there_is_a_rule_for_each_property_and_one_for_the_checks() -> None:
    """Each with what GitHub wants of a rule, within its lengths."""
    found = rules(report_of(properties={name: property_of() for name in PROPERTIES}))
    assert [rule["id"] for rule in found] == ["contract-check", *PROPERTIES]
    assert len({rule["name"] for rule in found}) == len(found)
    for rule in found:
        assert rule["name"].isalpha()
        for key in ("shortDescription", "fullDescription", "help"):
            assert 10 < len(rule[key]["text"]) <= 1024


@pytest.mark.parametrize(
    ("checks", "level"),
    [
        ([check_of(check="whitespace.max_violation_rate", level="warning")], "warning"),
        ([check_of(check="whitespace.max_violation_rate", level="requirement")], "error"),
        (
            [
                check_of(check="whitespace.max_violation_rate", level="warning", status="pass"),
                check_of(check="whitespace.max_error_rate"),
            ],
            "warning",
        ),
    ],
)
def test_a_rule_has_the_level_of_its_property(checks: list[dict[str, Any]], level: str) -> None:
    """Whatever the check on its errors is, which always is a requirement."""
    _, rule = rules(report_of(properties={"whitespace": property_of()}, checks=checks))
    assert rule["defaultConfiguration"] == {"level": level}


def test_a_source_group_is_a_result_at_the_record_of_its_first_pair() -> None:
    """With how many pairs break what; numbers are those of the text report."""
    groups = {"whitespace": [group_of(7, pairs=3)]}
    check, result = _log(report_with(groups, checks=FAILS), groups)["results"]
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "runs/r/records.jsonl"},
        "region": {"startLine": 7, "startColumn": 1, "endLine": 7, "endColumn": 101},
    }
    assert result["message"]["text"] == (
        "whitespace: source s7: 3 pairs break max_tv_distance; the first, whitespace/c7/0: "
        "yes → no, base right, variant wrong, TV 0.25; max_tv_distance 0.25 > 0.05"
    )
    assert (result["ruleId"], result["level"]) == ("whitespace", "error")
    assert result["properties"] == {
        "source": "s7",
        "record": "whitespace/c7/0",
        "pairs": 3,
        "violations": {"max_tv_distance": 3},
    }
    assert check["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "runs/r/contract.json"}
    assert check["message"]["text"] == "FAIL whitespace.max_violation_rate: value 0.8333, limit 0"


def test_levels_are_those_of_the_gates_and_what_weighs_most_comes_first() -> None:
    """What the contract allows is a note, and says why."""
    groups = {name: [group_of(n, name) for n in (1, 2)] for name in ("whitespace", "paraphrase", "option_order")}
    checks = [
        check_of(check="option_order.max_violation_rate", status="pass", noise=True, p_value=0.3),
        check_of(check="paraphrase.max_violation_rate", level="warning", status="warn"),
        check_of(check="whitespace.max_violation_rate"),
        check_of(check="min_accuracy", level="warning", status="inconclusive"),
    ]
    results = _log(report_with(groups, checks=checks), groups)["results"]
    assert [(result["ruleId"], result["level"]) for result in results] == [
        ("contract-check", "error"),
        *[("whitespace", "error")] * 2,
        *[("contract-check", "warning")] * 2,
        *[("paraphrase", "warning")] * 2,
        *[("option_order", "note")] * 2,
    ]
    assert results[-1]["message"]["text"].endswith("; which may be the model's own noise")


def test_fingerprints_know_a_source_group_wherever_and_whenever_it_fails() -> None:
    """Whatever broke, wherever its record stands; another source, property, contract or check is another one."""

    def fingerprints(name: str = "whitespace", contract: str = "q", **changes: Any) -> list[str]:
        group = group_of(1, name)._replace(**changes)
        report = report_with({name: [group]}, checks=FAILS)
        report["contract"] = {**report["contract"], "name": contract}
        results = _log(report, {name: [group]}, folder_uri="elsewhere")["results"]
        return [result["partialFingerprints"]["primaryLocationLineHash"] for result in results]

    check, group = fingerprints()
    assert fingerprints(line=99, columns=5, pairs=7, violations={"max_flip_rate": 7}) == [check, group]
    assert fingerprints(source_id=" S1  ")[1] == group
    others = [fingerprints(source_id="s2"), fingerprints("paraphrase"), fingerprints(contract="r")]
    assert len({group, *(found[1] for found in others)}) == 4
    assert others[2][0] != check


def test_what_stands_for_something_in_a_message_is_escaped() -> None:
    """Placeholders and links, as the standard has it."""
    assert message("a {0} [link](1) \\")["text"] == "a {{0}} \\[link\\](1) \\\\"
    groups = {"whitespace": [group_of(base_selected="{0}", id="[x](http://e.invalid)")]}
    log = _log(report_with(groups, checks=FAILS), groups)
    assert "\\[x\\](http://e.invalid): {{0}} → no" in log["results"][1]["message"]["text"]


@pytest.mark.parametrize(("folder", "uri"), [("", "records.jsonl"), ("a%20b/c", "a%20b/c/records.jsonl")])
def test_places_are_relative(folder: str, uri: str) -> None:
    """To the folder in which the command ran."""
    groups = {"whitespace": [group_of()]}
    result = _log(report_with(groups), groups, folder_uri=folder)["results"][0]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_e1_no_more_results_than_github_takes() -> None:
    """25,001 failing source groups: 25,000 results with the checks, and what is left is counted where it is seen."""
    groups = {"whitespace": [group_of(n) for n in range(1, 25_001)]}
    log = _log(report_with(groups, more=1, checks=FAILS), groups)
    assert len(log["results"]) == MOST_SARIF_RESULTS == 25_000
    left = "2 more failing pairs of 2 more source groups with a violation, not listed here: all in records.jsonl"
    assert log["results"][0]["message"]["text"].endswith(f"; {left}")
    (told,) = log["invocations"][0]["toolExecutionNotifications"]
    assert told == {"level": "warning", "message": {"text": f"whitespace: {left}"}}


def test_e1_a_packed_file_is_as_large_as_it_may_be() -> None:
    """Results that cannot be packed are left out from the least on."""
    chance = random.Random(0)
    ids = ["".join(chr(chance.randrange(0x4E00, 0x9F00)) for _ in range(100)) for _ in range(400)]
    groups = {
        "paraphrase": [
            group_of(n, "paraphrase", id=name)._replace(source_id=name) for n, name in enumerate(ids, start=1)
        ],
        "whitespace": [group_of(n, id=name)._replace(source_id=name) for n, name in enumerate(ids, start=1)],
    }
    checks = [*FAILS, check_of(check="paraphrase.max_violation_rate", status="pass")]
    run = shown(report_with(groups, checks=checks), groups)
    text = sarif_text(run, most_results=MOST_SARIF_RESULTS, most_packed=60_000)
    levels = [result["level"] for result in read_sarif(text)["results"]]
    assert 40_000 < len(gzip.compress(text.encode(), 6)) < 66_000
    assert levels.count("error") == 1 + len(ids) or levels.count("note") == 0
    assert len(levels) < 1 + 2 * len(ids)


def test_errors_skips_and_assumptions_are_told_of_the_invocation() -> None:
    """They are no results: nothing is wrong with what was answered."""
    report = report_of(
        status="error",
        exit_code=2,
        errors_by_kind={"timeout": 4},
        counts={"cases": 4, "assumed": 3},
        properties={"whitespace": property_of(errors=2, skipped=1)},
        observed={
            "messages": {"timeout": "no [answer]\n"},
            "started_at": "2026-01-31T23:59:59.1+00:00",
            "robust_version": "1.2.3",
        },
    )
    log = _log(report)
    (invocation,) = log["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    assert (invocation["startTimeUtc"], "endTimeUtc" in invocation) == ("2026-01-31T23:59:59.1Z", False)
    assert log["tool"]["driver"]["version"] == "1.2.3"
    assert [(told["level"], told["message"]["text"]) for told in invocation["toolExecutionNotifications"]] == [
        ("note", "no oracle judged 3 of the pairs"),
        ("error", "4 of 4 base cases ended in timeout; what was said of the first: no \\[answer\\]"),
        ("error", "whitespace: 2 of 10 pairs ended in an error"),
        ("note", "whitespace: 1 case skipped"),
    ]
    assert log["results"] == []


def test_a_console_of_another_encoding_gets_the_same_log() -> None:
    """Its other characters are escapes of JSON."""
    groups = {"whitespace": [group_of(base_selected="é日本🙂")]}
    report = report_with(groups, checks=FAILS)
    text = render(shown(report, groups, encoding="cp1252"), "sarif")
    assert text.isascii()
    assert json.loads(text) == json.loads(render(shown(report, groups), "sarif"))


@pytest.mark.parametrize("name", ["results stand here", '"results": []', '"runs": [', "]}", '"}', "\\", "results"])
def test_a_name_is_never_taken_for_a_part_of_the_log(name: str) -> None:
    """Of a model, a manifest, a contract or an id: the results are all there, and the names are as they were."""
    groups = {"whitespace": [group_of(1, id=name, base_selected=name)._replace(source_id=name)]}
    report = report_with(groups, checks=FAILS)
    report["contract"] = {**report["contract"], "name": name}
    report["manifest"] = {**report["manifest"], "name": name, "split": name}
    report["backend"] = {**report["backend"], "model": name}
    log = _log(report, groups)
    assert {key: log["properties"][key] for key in ("manifest", "split", "model")} == {
        "manifest": name,
        "split": name,
        "model": name,
    }
    assert [result["properties"].get("source") for result in log["results"]] == [None, name]


def test_a_log_is_valid_by_the_published_schema() -> None:
    """With every property, level and kind of notification, hostile ids, and nothing at all."""
    groups = {
        name: [
            group_of(n, name, id=f"\x1b{{0}}[x](1)\u202e{n}", base_selected="\ud7ff")._replace(source_id=f"\x00{n}")
            for n in range(1, 4)
        ]
        for name in PROPERTIES
    }
    levels = ["requirement", "warning", "requirement"]
    checks = [
        check_of(check=f"{name}.max_violation_rate", level=levels[n % 3], status=["fail", "warn", "pass"][n % 3])
        for n, name in enumerate(PROPERTIES)
    ]
    observed = {"started_at": "2026-01-31T23:59:59.123+00:00", "finished_at": "2026-01-31T23:59:59Z"}
    full = report_with(groups, more=5, checks=checks, errors_by_kind={"timeout": 1}, observed=observed)
    log = assert_sarif(render(shown(full, groups), "sarif"))
    assert len(log["runs"][0]["results"]) == 6 + 27
    assert_sarif(render(shown(report_of()), "sarif"))
