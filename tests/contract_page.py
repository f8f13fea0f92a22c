"""Writes the tables of docs/contract.md from the contract's JSON Schema: ``python -m tests.contract_page``.

A table stands between ``<!-- settings: NAME… -->`` and ``<!-- end -->``, where each NAME is a section's model; after a
``-`` follow models whose settings are left out because they stand in a table of their own.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from robust.canon import JsonObject
from robust.records.contract_schema import contract_schema, descriptions
from robust.records.properties import Properties
from robust.records.section import Section

PAGE = Path(__file__).parents[1] / "docs" / "contract.md"
TABLE = re.compile(r"<!-- settings: ([^>]*) -->\n.*?<!-- end -->", re.DOTALL)
_RANGES = (
    ("minimum", "at least"),
    ("exclusiveMinimum", "more than"),
    ("maximum", "at most"),
    ("exclusiveMaximum", "less than"),
)
_DEFINITIONS: dict[str, JsonObject] = contract_schema()["$defs"]
_SCALARS = {"string": "text", "number": "number", "integer": "whole number", "boolean": "`true` or `false`"}


def regenerated(page: str) -> str:
    """A page with every table written anew."""
    return TABLE.sub(lambda found: f"<!-- settings: {found[1]} -->\n{_tables(found[1])}\n<!-- end -->", page)


def documented(page: str) -> set[str]:
    """The models whose settings the page lists."""
    return {name for found in TABLE.findall(page) for name in re.findall(r"\w+", found)}


def _tables(marker: str) -> str:
    listed, _, elsewhere = marker.partition(" - ")
    left_out = {name for model in elsewhere.split() for name in _model(model).model_fields}
    rows = ["| setting | value | default | meaning |", "| --- | --- | --- | --- |"]
    for name in listed.split():
        prefix = _prefix(name) if len(listed.split()) > 1 else ""
        rows += [row for setting, row in _rows(_model(name), prefix) if setting not in left_out]
    return "\n".join(rows)


def _models(model: type[Section] = Section) -> dict[str, type[Section]]:
    found = {model.__name__: model}
    for inner in model.__subclasses__():
        found |= _models(inner)
    return found


def _model(name: str) -> type[Section]:
    return _models()[name]


def _prefix(model: str) -> str:
    """How properties in one table are told apart: by their names."""
    fields = Properties.model_fields.items()
    names = (name for name, field in fields if re.search(rf"\b{model}\b", str(field.annotation)))
    return f"{next(names)}."


def _rows(model: type[Section], prefix: str) -> list[tuple[str, str]]:
    # What properties have in common is no section of its own in the schema; it is as in any of them.
    name = next(name for name in _models(model) if name in _DEFINITIONS)
    settings = {field: _DEFINITIONS[name]["properties"][field] for field in model.model_fields}
    said = descriptions(model)
    rows = []
    for field, setting in sorted(settings.items(), key=lambda item: item[0] != "provider"):
        star = " ★" if model.since(field) else ""
        default = "required" if model.model_fields[field].is_required() else _default(setting)
        rows.append((field, f"| `{prefix}{field}`{star} | {_value(setting)} | {default} | {said[field]} |"))
    return rows


def _value(setting: JsonObject) -> str:
    if "anyOf" in setting:
        kinds = [_value(item) for item in setting["anyOf"] if item.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if "$ref" in setting:
        return "mapping"
    if "const" in setting:
        return f"`{setting['const']}`"
    if "enum" in setting:
        return ", ".join(f"`{item}`" for item in setting["enum"] if isinstance(item, str))
    if setting.get("type") == "array":
        return f"list of {_value(setting['items'])}"
    if setting.get("type") == "object":
        values: JsonObject = setting.get("additionalProperties") or next(
            iter(setting.get("patternProperties", {}).values()), {}
        )
        return f"mapping to {_value(values)}"
    kind = setting.get("type")
    if isinstance(kind, list):
        return "label" if "null" in kind else "text"
    return ", ".join([_SCALARS[str(kind)], *_ranges(setting)])


def _ranges(setting: JsonObject) -> list[str]:
    low, high = setting.get("minimum"), setting.get("maximum")
    if low is not None and high is not None:
        return ["within ±(2^53−1)" if high == 2**53 - 1 else f"{low:g}–{high}"]
    return [f"{words} {setting[key]:g}" for key, words in _RANGES if key in setting]


def _default(setting: JsonObject) -> str:
    default: Any = setting.get("default")
    if default in (None, [], {}):
        return "–"
    if isinstance(default, list):
        if isinstance(default[0], str):
            return "all" if "enum" in setting["items"] else "built-in"
        return f"`{default}`"
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{default if isinstance(default, str) else int(default) if default == int(default) else default}`"


if __name__ == "__main__":
    PAGE.write_text(regenerated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
