"""What the properties of a report found, each on one line, and the table of validated variants."""

from __future__ import annotations

from typing import Final

from robust.canon import JsonObject
from robust.records.decision import LIMIT_SLACK
from robust.render.plain import plural, table
from robust.render.report_words import distance_text, few, in_contract_order, percent
from robust.render.screen import Screen

_CELLS: Final = (
    "base_right_variant_right",
    "base_right_variant_wrong",
    "base_wrong_variant_right",
    "base_wrong_variant_wrong",
)
_RELATIONS: Final = ("invariant", "counterfactual", "increasing", "decreasing")
_RATES: Final = {"max_violation_rate": "violation_rate", "max_flip_rate": "flip_rate"}


def properties_text(report: JsonObject, screen: Screen) -> list[str]:
    """By property: pairs, violations, flips with the model's own flip rate beside them, and the largest distance."""
    properties: JsonObject = report["properties"]
    if not properties:
        return []
    rows = [["", "", "", "", "base", "max", "groups"], ["", "pairs", "violations", "flips", "flips", "TV", "hit"]]
    rows += [[name, *property_figures(properties[name])] for name in in_contract_order(report)]
    lines = ["", "Properties", *table(rows, right=range(1, 7))]
    for note in property_notes(report):
        lines += screen.paragraph(note, head="  ", indent=4)
    return lines


def property_figures(found: JsonObject) -> list[str]:
    """Of a property, in few characters each: pairs, violations, flips, base flips, the largest distance, groups hit."""
    return [
        few(found["compared"]),
        _counted(found["violations"], found["violation_rate"]),
        _counted(found["flips"], found["flip_rate"]),
        percent(found["base_flip_rate"]),
        distance_text(found["max_tv_distance"]),
        few(found["groups_violating"]),
    ]


def _counted(count: int, share: float | None) -> str:
    return f"{few(count)} {percent(share):>5}"


def property_notes(report: JsonObject) -> list[str]:
    """What the columns mean, as far as it does not go without saying."""
    flips = report["base_flips"]
    if flips["cases"]:
        asked = plural(flips["cases"], "base case")
        notes = [f"base flips: how often the model alone gives {asked} another label when asked again"]
    else:
        notes = ["base flips: no base case was asked twice, so the model's own flip rate is not known"]
    notes.append("groups hit: source groups with a violation")
    names = [check["check"].rpartition(".")[2] for check in report["checks"]]
    if "max_group_violation_rate" in names:
        notes.append("max_group_violation_rate is judged on the upper bound of the share of groups")
    if any(_counts_trials(check, report["properties"]) for check in report["checks"]):
        notes.append("checks on rates count all trials, this table the first of each case")
    return notes


def _counts_trials(check: JsonObject, properties: JsonObject) -> bool:
    """Whether a check's rate is another than that of the first trials."""
    name, _, gate = check["check"].rpartition(".")
    rate = properties[name][_RATES[gate]] if name in properties and gate in _RATES else None
    return rate is not None and check["value"] is not None and abs(check["value"] - rate) > LIMIT_SLACK


def variants_text(report: JsonObject) -> list[str]:
    """How bases and their validated variants were answered, by relation."""
    variants = report["properties"].get("variants")
    if variants is None:
        return []
    rows = [["relation", "both right", "only base right", "only variant right", "both wrong"]]
    # In one order, however a report was read.
    tables = variants["by_relation"]
    names = sorted(tables, key=_RELATIONS.index)
    rows += [[relation, *(str(tables[relation][cell]) for cell in _CELLS)] for relation in names]
    head = [
        f"Validated variants: {variants['compared']} of {variants['planned']} compared",
        f"  {variants['violations']} violations in {variants['groups_violating']} of {variants['groups']} sources",
    ]
    right = sum(counts[cell] for counts in variants["by_relation"].values() for cell in _CELLS[:2])
    if right != variants["compared"]:
        head.append(f"  the violation rate is among the {plural(right, 'pair')} whose base was answered right")
    return ["", *head, *table(rows, right=range(1, 5))]
