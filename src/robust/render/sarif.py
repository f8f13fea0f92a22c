"""A report as SARIF 2.1.0, within what GitHub's code scanning takes.

Its limits, as its documentation of 2026 has them: 25,000 results of a run, of which the gravest 5,000 are shown; 25,000
rules; 20 tags of a rule; 10 MB of a file packed with gzip; 255 characters of a rule's name and 1,024 of its
descriptions. Of the fingerprints it goes by ``primaryLocationLineHash`` alone.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from typing import Any, Final

from robust.canon import JsonObject
from robust.records.failing_group import WEIGHTS, FailingGroup, Weight, weight_of
from robust.render.plain import plural
from robust.render.report_facts import observed_message, observed_time, observed_version, provenance
from robust.render.report_groups import WHERE, left_text
from robust.render.report_words import in_contract_order
from robust.render.sarif_results import check_result, group_result, message
from robust.render.sarif_rules import rules
from robust.render.screen import Screen
from robust.render.shown_run import ShownRun

# Of the 10 MB some are left for what stands around the results.
MAX_PACKED_BYTES: Final = 9_000_000
SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_FACT_WIDTH: Final = 200
_SAID_WIDTH: Final = 500


def sarif_text(run: ShownRun, *, most_results: int, most_packed: int = MAX_PACKED_BYTES) -> str:
    """A report as a SARIF log with one run: a rule for each property and one for the contract's checks.

    There is a result for each check that does not hold, and for each source group with failing pairs; those that weigh
    most come first. Their level is that of the gate: ``error`` of a requirement, ``warning`` of a warning, ``note``
    where the contract allows them. What is left out is counted under ``toolExecutionNotifications`` of the invocation.

    Args:
        run: the run.
        most_results: how many results there are; source groups for which there is no room are counted.
        most_packed: bytes of the source groups packed with gzip; those that do not fit are counted.
    """
    screen = Screen()
    failed = [check for check in run.report["checks"] if check["status"] != "pass"]
    lines, shown = _groups(run, screen, most_results - len(failed), most_packed)
    names = in_contract_order(run.report)
    left = {name: text for name in names if (text := left_text(run.report, name, shown[name])) is not None}
    for check in reversed(failed):
        weight: Weight = "error" if check["level"] == "requirement" else "warning"
        lines[weight].insert(0, _json(check_result(run, check, weight, left), run))
    results = ",\n".join(line for weight in WEIGHTS for line in lines[weight])
    found = with_items(_json(_run(run, screen, left), run), "results", results)
    return with_items(_json({"$schema": SCHEMA, "version": "2.1.0"}, run), "runs", found)


def with_items(written: str, name: str, items: str) -> str:
    """A JSON object that is not empty with one more member, a list of items that are JSON already.

    Results are many: each is written once, to be measured and to stand here.
    """
    return f'{written.removesuffix("}")}, "{name}": [\n{items}\n]}}'


def to_json(value: Any, *, unicode: bool) -> str:
    """A value as JSON on one line; what cannot be written as it is becomes an escape."""
    return json.dumps(value, ensure_ascii=not unicode)


def _json(value: Any, run: ShownRun) -> str:
    return to_json(value, unicode=run.unicode)


def _groups(
    run: ShownRun, screen: Screen, most: int, most_packed: int
) -> tuple[dict[Weight, list[str]], dict[str, list[FailingGroup]]]:
    """The results of source groups by weight, as many as there is room for, and those groups by property."""
    lines: dict[Weight, list[str]] = {weight: [] for weight in WEIGHTS}
    shown: dict[str, list[FailingGroup]] = {name: [] for name in run.report["properties"]}
    packer, packed = zlib.compressobj(), 0
    for weight, name, group in list(_by_weight(run))[: max(most, 0)]:
        line = _json(group_result(run, name, group, weight, screen), run)
        packed += len(packer.compress(line.encode()))
        if packed > most_packed:
            break
        lines[weight].append(line)
        shown[name].append(group)
    return lines, shown


def _by_weight(run: ShownRun) -> Iterator[tuple[Weight, str, FailingGroup]]:
    found = [
        (weight_of(run.report, name, group.violations), name, group)
        for name in in_contract_order(run.report)
        for group in run.groups.get(name, ())
    ]
    # Sorting keeps the order of those that weigh the same.
    yield from sorted(found, key=lambda each: WEIGHTS.index(each[0]))


def _run(run: ShownRun, screen: Screen, left: dict[str, str]) -> JsonObject:
    """The run of the log without its results."""
    report = run.report
    version = observed_version(report)
    times = {"startTimeUtc": observed_time(report, "started_at"), "endTimeUtc": observed_time(report, "finished_at")}
    return {
        "tool": {
            "driver": {
                "name": "robust",
                **({} if version is None else {"version": version}),
                "rules": rules(report),
            }
        },
        # What stands before the slash tells the results of several contracts of one commit apart.
        "automationDetails": {"id": f"robust/{screen.short(report['contract']['name'], _FACT_WIDTH)}/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": report["status"] != "error",
                "exitCode": report["exit_code"],
                **{name: time for name, time in times.items() if time is not None},
                "toolExecutionNotifications": list(_notifications(report, left, screen)),
            }
        ],
        "properties": {name: screen.short(value, _FACT_WIDTH) for name, value in provenance(report)},
    }


def _notifications(report: JsonObject, left: dict[str, str], screen: Screen) -> Iterator[JsonObject]:
    """What a reader of the results must know: what they rest on, what ended in errors, and what is not listed."""
    if report["counts"]["assumed"]:
        yield _notification("note", f"no oracle judged {report['counts']['assumed']} of the pairs")
    for kind, count in report["errors_by_kind"].items():
        said = screen.short(" ".join(observed_message(report, kind).split()), _SAID_WIDTH)
        told = f"{count} of {report['counts']['cases']} base cases ended in {kind}"
        yield _notification("error", f"{told}; what was said of the first: {said}" if said else told)
    for name in in_contract_order(report):
        found = report["properties"][name]
        if found["errors"]:
            yield _notification("error", f"{name}: {found['errors']} of {found['planned']} pairs ended in an error")
        if found["skipped"]:
            yield _notification("note", f"{name}: {plural(found['skipped'], 'case')} skipped")
    for name, text in left.items():
        yield _notification("warning", f"{name}: {text}, not listed here: {WHERE}")


def _notification(level: str, text: str) -> JsonObject:
    return {"level": level, "message": message(text)}
