"""The report of a relation check or population test as SARIF 2.1.0, within what GitHub's code scanning takes."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject
from robust.render.check_facts import in_plan_order, provenance, untold
from robust.render.check_failure import EXPLAINED, explained, in_one_line
from robust.render.check_population import population_message
from robust.render.check_words import is_pass, outcome_words
from robust.render.plain import plural
from robust.render.report_facts import observed_time, observed_version
from robust.render.report_ids import id_text
from robust.render.sarif import MAX_PACKED_BYTES, SCHEMA, to_json, with_items
from robust.render.sarif_results import fingerprints, location, message
from robust.render.screen import Screen
from robust.render.shown_check import ShownCheck, ShownFailure

_FACT_WIDTH: Final = 200
_VALUE_WIDTH: Final = 400
_MESSAGE_WIDTH: Final = 500
_RULE_WIDTH: Final = 200
_MOST_RULES: Final = 1000
_TAGS: Final = ("robustness", "metamorphic-testing")
_WHERE: Final = "records.jsonl of the run has them"


def check_sarif(run: ShownCheck, *, most_results: int, most_packed: int = MAX_PACKED_BYTES) -> str:
    """A report as a SARIF log with one run: a rule for each relation, or for the population test.

    There is a result for each verdict that is no pass, at the plan, and for each counterexample, at its record. Those
    that do not decide the verdict are notes. What is left out is counted among the notifications.

    Args:
        run: the check.
        most_results: how many results there are.
        most_packed: bytes of the counterexamples packed with gzip.
    """
    screen, rules = Screen(), list(_names(run))[:_MOST_RULES]
    verdicts = [
        _verdict_result(run, name, screen) for name in rules if not is_pass(_found(run.report, name)["verdict"])
    ]
    levels: dict[str, list[str]] = {"error": [], "note": []}
    packer, packed, shown = zlib.compressobj(), 0, 0
    for failure in run.failures[: max(most_results - len(verdicts), 0)]:
        if _rule_of(run.report, failure) not in rules:
            continue
        found = _failure_result(run, failure, rules, screen)
        line = to_json(found, unicode=run.unicode)
        packed += len(packer.compress(line.encode()))
        if packed > most_packed:
            break
        levels[found["level"]].append(line)
        shown += 1
    lines = [*(to_json(each, unicode=run.unicode) for each in verdicts), *levels["error"], *levels["note"]]
    left = run.report["failures"]["count"] - shown
    whole = with_items(to_json(_run(run, rules, left, screen), unicode=run.unicode), "results", ",\n".join(lines))
    log = {"$schema": SCHEMA, "version": "2.1.0"}
    return with_items(to_json(log, unicode=run.unicode), "runs", whole)


def _names(run: ShownCheck) -> Iterator[str]:
    """What has a rule: each relation, or the population test."""
    if run.report["kind"] == "population":
        yield str(run.report["population"]["test"])
    else:
        yield from in_plan_order(run.report, run.plan) or [_NO_RELATIONS]


_NO_RELATIONS: Final = "no-relations"
_NOTHING: Final[JsonObject] = {
    "verdict": "vacuous",
    "reason": "no_relations",
    "p_value": None,
    "adjusted_p": None,
    "trials": 0,
    "contradictions": 0,
}


def _found(report: JsonObject, name: str) -> JsonObject:
    found: JsonObject = (
        report["population"] if report["kind"] == "population" else report["relations"].get(name, _NOTHING)
    )
    return found


def _rule_of(report: JsonObject, failure: ShownFailure) -> str:
    return str(report["population"]["test"]) if failure.relation is None else failure.relation


def _identity(run: ShownCheck, name: str) -> JsonObject:
    return {"plan": run.report["plan"]["name"], "kind": run.report["kind"], "rule": name}


def _rule_id(name: str, screen: Screen) -> str:
    return id_text(name, screen, _RULE_WIDTH)


def _verdict_result(run: ShownCheck, name: str, screen: Screen) -> JsonObject:
    found = _found(run.report, name)
    if run.report["kind"] == "population":
        told = screen.short(population_message(run.report, run.plan), _MESSAGE_WIDTH)
    else:
        told = f"{_rule_id(name, screen)}: {outcome_words(found)}"
    # The plan of a run is one line.
    region = {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2}
    return {
        "ruleId": _rule_id(name, screen),
        "ruleIndex": list(_names(run)).index(name),
        "level": "error",
        "message": message(told),
        "locations": [location(run.folder_uri, "contract.json", region)],
        "partialFingerprints": fingerprints("verdict/v1", _identity(run, name)),
        "properties": {"verdict": found["verdict"], "reason": found["reason"], "p_value": found["p_value"]},
    }


def _failure_result(run: ShownCheck, failure: ShownFailure, rules: list[str], screen: Screen) -> JsonObject:
    name = _rule_of(run.report, failure)
    region = {"startLine": failure.line, "startColumn": 1, "endLine": failure.line, "endColumn": failure.columns + 1}
    level = "note" if explained(run.report, failure) else "error"
    where = id_text(failure.where, screen)
    why = EXPLAINED if level == "note" else ""
    return {
        "ruleId": _rule_id(name, screen),
        "ruleIndex": rules.index(name),
        "level": level,
        "message": message(f"{_rule_id(name, screen)}: {where}: {in_one_line(failure, screen, _VALUE_WIDTH)}{why}"),
        "locations": [location(run.folder_uri, "records.jsonl", region)],
        "partialFingerprints": fingerprints("counterexample/v1", {**_identity(run, name), "record": failure.id}),
        "properties": {"record": id_text(failure.id, screen), "input": id_text(failure.input_id, screen)},
    }


def _run(run: ShownCheck, rules: list[str], left: int, screen: Screen) -> JsonObject:
    """The run of the log without its results."""
    report, version = run.report, observed_version(run.report)
    times = {"startTimeUtc": observed_time(report, "started_at"), "endTimeUtc": observed_time(report, "finished_at")}
    return {
        "tool": {
            "driver": {
                "name": "robust",
                **({} if version is None else {"version": version}),
                "rules": [_rule(report, name, screen) for name in rules],
            }
        },
        # What stands before the slash tells the results of several checks of one commit apart.
        "automationDetails": {"id": f"robust/{screen.short(report['plan']['name'], _FACT_WIDTH) or report['kind']}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": report["status"] != "error",
                "exitCode": report["exit_code"],
                **{name: time for name, time in times.items() if time is not None},
                "toolExecutionNotifications": list(_notifications(run, len(rules), left, screen)),
            }
        ],
        "properties": {name: screen.short(value, _FACT_WIDTH) for name, value in provenance(report)},
    }


def _rule(report: JsonObject, name: str, screen: Screen) -> JsonObject:
    shown = _rule_id(name, screen)
    if report["kind"] == "population":
        wrong = f"The population test {shown} does not pass"
        compared = "The outputs for rows were compared with those for the same rows, changed."
    else:
        wrong = f"The relation {shown} does not hold"
        compared = "The output for an input was compared with those for its variants."
    return {
        "id": shown,
        "name": "".join(part.capitalize() for part in shown.split() if part.isalnum()) or "Relation",
        "shortDescription": {"text": wrong},
        "fullDescription": {"text": f"{wrong}. {compared}"},
        "help": {"text": f"{compared} Each location is the line of a record in records.jsonl, which shows both."},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": list(_TAGS), "problem.severity": "error"},
    }


def _notifications(run: ShownCheck, rules: int, left: int, screen: Screen) -> Iterator[JsonObject]:
    for note in untold(run, screen):
        yield {"level": "note", "message": message(note)}
    more = len(run.report.get("relations", ())) - rules
    if more > 0:
        yield {
            "level": "warning",
            "message": message(f"{plural(more, 'relation')} not listed here: report.json has them"),
        }
    if left > 0:
        yield {"level": "warning", "message": message(f"{plural(left, 'counterexample')} not listed here: {_WHERE}")}
