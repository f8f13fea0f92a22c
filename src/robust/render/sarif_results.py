"""The results of a SARIF log: checks that do not hold, and source groups with failing pairs."""

from __future__ import annotations

from typing import Final

from robust.canon import JsonObject, digest_value, fold
from robust.records.failing_group import FailingGroup, Weight
from robust.render.report_checks import check_figures, check_note
from robust.render.report_groups import WHERE, group_text
from robust.render.report_ids import id_text
from robust.render.report_words import in_contract_order, why_allowed
from robust.render.sarif_rules import CHECK
from robust.render.screen import Screen
from robust.render.shown_run import ShownRun

# What means something in a message of SARIF: placeholders are in braces, links in brackets.
_ESCAPES: Final = str.maketrans({"\\": r"\\", "[": r"\[", "]": r"\]", "{": "{{", "}": "}}"})
_HEX: Final = slice(len("sha256:"), None)


def message(text: str) -> JsonObject:
    """A plain text as a message, in which nothing is a placeholder or a link."""
    return {"text": text.translate(_ESCAPES)}


def group_result(run: ShownRun, name: str, group: FailingGroup, weight: Weight, screen: Screen) -> JsonObject:
    """A source group with failing pairs of a property, at the record of the first of them."""
    report = run.report
    source = id_text(group.source_id, screen)
    limits = report["properties"][name].get("limits", {})
    why = f"; {why_allowed(report, name)}" if weight == "note" else ""
    identity = {"contract": report["contract"]["name"], "property": name, "source": fold(group.source_id)}
    region = {"startLine": group.line, "startColumn": 1, "endLine": group.line, "endColumn": group.columns + 1}
    return {
        "ruleId": name,
        "ruleIndex": 1 + in_contract_order(report).index(name),
        "level": weight,
        "message": message(f"{name}: source {source}: {group_text(group, limits, screen)}{why}"),
        "locations": [location(run.folder_uri, "records.jsonl", region)],
        "partialFingerprints": fingerprints("sourceGroup/v1", identity),
        "properties": {
            "source": source,
            "record": id_text(group.first["id"], screen),
            "pairs": group.pairs,
            "violations": dict(group.violations),
        },
    }


def check_result(run: ShownRun, check: JsonObject, weight: Weight, left: dict[str, str]) -> JsonObject:
    """A check that does not hold, at the contract that has it.

    Args:
        run: the run.
        check: the check.
        weight: what it is in the contract.
        left: by property, what is not listed of its failing pairs.
    """
    name = check["check"]
    mark, value, limit = check_figures(check)
    parts = [f"{mark} {name}: value {value}, limit {limit}"]
    note, cut = check_note(run.report, check), left.get(name.rpartition(".")[0])
    parts += [] if note is None else [note]
    parts += [] if cut is None else [f"{cut}, not listed here: {WHERE}"]
    identity = {"contract": run.report["contract"]["name"], "check": name, "level": check["level"]}
    # The contract of a run is one line.
    region = {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 2}
    return {
        "ruleId": CHECK,
        "ruleIndex": 0,
        "level": weight,
        "message": message("; ".join(parts)),
        "locations": [location(run.folder_uri, "contract.json", region)],
        "partialFingerprints": fingerprints("check/v1", identity),
        "properties": {"check": name, "status": check["status"], "value": check["value"], "limit": check["limit"]},
    }


def location(folder_uri: str, file: str, region: JsonObject) -> JsonObject:
    """A place in a file of a run.

    Args:
        folder_uri: the run directory as a relative URI; empty for the current folder.
        file: the file's name.
        region: lines and columns.
    """
    uri = f"{folder_uri}/{file}" if folder_uri else file
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


def fingerprints(name: str, identity: JsonObject) -> JsonObject:
    """What is the same in every run in which the same thing fails.

    Args:
        name: the kind of what fails, with its version.
        identity: what fails.
    """
    digest = digest_value(identity)[_HEX]
    return {name: digest, "primaryLocationLineHash": f"{digest}:1"}
