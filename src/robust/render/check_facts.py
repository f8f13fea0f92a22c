"""What formats tell of a relation check or population test: what it was, what it came to, and what was not shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject
from robust.render.check_words import error_notes, outcome_words, p_text, skip_words, skipped_notes, verdict_text
from robust.render.plain import number_text, plural
from robust.render.screen import Screen
from robust.render.shown_check import ShownCheck

_NAME_WIDTH: Final = 60
_SETTING_WIDTH: Final = 40
_REASON_WIDTH: Final = 300
_BATCH: Final = "batch"


def lead(report: JsonObject, screen: Screen) -> str:
    """What was checked, and in how many words."""
    name = screen.short(report["plan"]["name"], _NAME_WIDTH) or "check"
    if report["kind"] == "population":
        found = report["population"]
        return f"{name}: {found['test']} by {found['method']}"
    relations, counts = plural(len(report["relations"]), "relation"), report["counts"]
    return f"{name}: {relations} on {plural(counts['inputs'], 'input')}"


def setting_words(plan: JsonObject, screen: Screen) -> str:
    """The settings of a check, in the order of their names."""
    shown = []
    for name, value in sorted(plan["settings"].items()):
        if name == _BATCH:
            continue  # the number of inputs tells it
        text = number_text(value) if type(value) in (int, float) else _plain(value)
        shown.append(screen.short(f"{name.replace('_', ' ')} {text}", _SETTING_WIDTH))
    return ", ".join(shown) or "no settings"


def _plain(value: object) -> str:
    return {True: "yes", False: "no", None: "none"}[value] if value is None or type(value) is bool else str(value)


def in_plan_order(report: JsonObject, plan: JsonObject) -> dict[str, JsonObject]:
    """What was found, by relation, in the order of the plan; a report has them by name."""
    found = report["relations"]
    return {each["name"]: found[each["name"]] for each in plan["relations"]}


def relation_rows(report: JsonObject, plan: JsonObject) -> list[list[str]]:
    """A head, and a row for each relation; names are as they are in the report."""
    relations = in_plan_order(report, plan)
    many = any("flagged" in found for found in relations.values())
    rows = [["", "", *(["tested", "flagged"] if many else []), "trials", "contradict", "p"]]
    for name, found in relations.items():
        batch = list(map(str, _tested_inputs(found, plan))) if many else []
        figures = [str(found["trials"]), str(found["contradictions"]), p_text(found["adjusted_p"])]
        rows.append([name, verdict_text(found["verdict"]), *batch, *figures])
    return rows


def _tested_inputs(found: JsonObject, plan: JsonObject) -> tuple[int, int]:
    """On how many inputs a relation was tested and flagged; a declared deterministic system needs no p value."""
    if not plan["settings"].get("deterministic_system"):
        return found["tested"], found["flagged"]
    inputs = found["inputs"]
    return inputs.get("violated", 0) + inputs.get("holds", 0), inputs.get("violated", 0)


def untold(run: ShownCheck, screen: Screen) -> Iterator[str]:
    """What was not shown: samples that were no trials, errors, and why something could not be decided."""
    report, plan = run.report, run.plan
    if report["kind"] == "population":
        found = report["population"]
        for member, told in (
            ("n_invalid", "refused by the oracle"),
            ("n_unknown", "could not be decided by the oracle"),
        ):
            if found[member]:
                yield f"{told}: {plural(found[member], 'changed row')}"
        return
    for name, found in in_plan_order(report, plan).items():
        reasons = skip_notes(run, name, screen)
        notes = [*skipped_notes(found), *reasons, *error_notes(found)]
        if found["reason"] is not None:
            notes.insert(0, outcome_words(found))
        if notes:
            yield f"{screen.short(name, _NAME_WIDTH)}: {'; '.join(notes)}"


def skip_notes(run: ShownCheck, name: str, screen: Screen) -> list[str]:
    """Why samples of a relation were no trials, each kind in some words."""
    many = run.report["counts"]["inputs"] != 1
    return [screen.short(skip_words(each, many=many), _REASON_WIDTH) for each in run.skips.get(name, ())]


def provenance(report: JsonObject) -> Iterator[tuple[str, str]]:
    """What a report rests on, name by name; the texts are as the report has them."""
    records = report["records"]
    yield "status", report["status"]
    yield "kind", report["kind"]
    yield "plan", report["plan"]["name"]
    yield "plan digest", report["plan"]["digest"]
    yield "records", str(records["count"])
    yield "records root", records["root"]
    yield "records sha256", records["sha256"]
    yield "evidence digest", report["evidence_digest"]
    yield "report digest", report["digest"]
