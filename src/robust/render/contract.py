"""A contract that was checked, as plain text."""

from __future__ import annotations

from robust.canon import JsonObject
from robust.errors import Problem
from robust.render.plain import number_text, safe, table
from robust.render.report_oracles import audit_notes


def contract_text(summary: JsonObject) -> str:
    """What a contract decides, with what, on which cases, and within which limits."""
    decision = summary["decision"]
    labels = ", ".join(decision["labels"])
    lines = [
        f"VALID  {safe(decision['name'])} ({decision['type']}: {safe(labels)})",
        f"  digest   {summary['digest']}  (schema {summary['schema_version']})",
    ]
    for backend in summary["backends"]:
        model = f", model {backend['model']}" if backend["model"] else ""
        lines.append(f"  backend  {safe(backend['name'])}: {safe(backend['provider'] + model)}")
    lines += _data(summary["data"])
    rows = [
        [level, name, number_text(limit)]
        for level, section in (("requirement", "requirements"), ("warning", "warnings"))
        for name, limit in summary[section].items()
    ]
    rows += [[item["level"], f"properties.{item['name']}", _state(item)] for item in summary["properties"]]
    lines += table(rows)
    pins = {name: {"audit": audit} for name, audit in summary.get("audits", {}).items()}
    lines += [f"  {safe(note)}" for note in audit_notes(pins, summary.get("audits", {}))]
    return "\n".join(lines)


def _data(data: JsonObject | None) -> list[str]:
    if data is None:
        return ["  data     none named"]
    split = f", split {', '.join(data['splits'])}" if data["splits"] else ""
    counts = f"{data['cases']} cases of {data['groups']} sources, {data['labelled']} with a known answer"
    variants = f", {data['variants']} validated variants" if data["variants"] else ""
    return [
        f"  data     {data['kind']} {safe(data['name'])}{safe(split)}",
        f"           {counts}{variants}",
    ]


def _state(settings: JsonObject) -> str:
    if not settings["enabled"]:
        return "disabled"
    return f"oracle {safe(settings['oracle'])}" if settings["oracle"] else ""


def warning_text(problem: Problem) -> str:
    """One warning as the command shows it, in the form of an error."""
    return f"warning[{problem.code}]: {safe(str(problem))}"
