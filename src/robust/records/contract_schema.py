"""The JSON Schema of a contract as it stands in a file, so that editors can help to write one.

It is made from the models: names, types, ranges and defaults from their fields, descriptions from their docstrings.
Of what sections ask of each other it knows little; ``robust validate`` knows the rest.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any, Final

from robust.canon import JsonObject
from robust.records.contract import Contract
from robust.records.decision_spec import LABEL_FIELD
from robust.records.section import SINCE, Section

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_REF: Final = "#/$defs/"
_OLD: Final = "0.1"
# The models' names of constraints, as JSON Schema calls them.
_CONSTRAINTS: Final = {"ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum"}
_BY_NAME: Final = ("properties", "patternProperties", "$defs")
_ATTRIBUTE: Final = re.compile(r"    (\w+): ")


def contract_schema() -> JsonObject:
    """The schema of contract files of every schema version."""
    newest = _described(Contract.model_json_schema())
    old = _renamed(_without_newer(newest, set(_newer_providers(newest))), f"-{_OLD}")
    definitions = {**newest["$defs"], **_reachable(old)}
    for schema, name in ((newest, "Contract"), (old, f"Contract-{_OLD}")):
        definitions[name] = {key: value for key, value in schema.items() if key != "$defs"}
    return {
        "$schema": DIALECT,
        "title": "Decision Contract",
        "if": {"required": ["schema_version"], "properties": {"schema_version": {"enum": [_OLD, float(_OLD)]}}},
        "then": {"$ref": f"{_REF}Contract-{_OLD}"},
        "else": {"$ref": f"{_REF}Contract"},
        "$defs": dict(sorted(definitions.items())),
    }


def descriptions(model: type[Section]) -> dict[str, str]:
    """What the docstrings of a section and of those that it extends say of each setting."""
    found: dict[str, str] = {}
    for ancestor in reversed(model.__mro__):
        if issubclass(ancestor, Section):
            found |= _attributes(inspect.cleandoc(ancestor.__doc__ or ""))
    return found


def _attributes(docstring: str) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in docstring.partition("Attributes:\n")[2].splitlines():
        start = _ATTRIBUTE.match(line)
        if start:
            name = start[1]
            found[name] = line[start.end() :]
        elif name and line.strip():
            found[name] += f" {line.strip()}"
    return {name: text.replace("``", "`") for name, text in found.items()}


def _models(model: type[Section] = Section) -> Iterator[type[Section]]:
    for inner in model.__subclasses__():
        yield inner
        yield from _models(inner)


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    """The models' schema, with descriptions for each setting and without what only models care about."""
    models = {model.__name__: model for model in _models()}
    tidied: dict[str, Any] = _tidied(schema)
    for name, section in {**tidied["$defs"], "Contract": tidied}.items():
        said = descriptions(models[name])
        section["description"] = inspect.cleandoc(models[name].__doc__ or "").split("\n\n")[0].replace("``", "`")
        for field, setting in section["properties"].items():
            setting["description"] = said[field]
    _name_providers(tidied)
    properties = tidied["properties"]
    properties["schema_version"]["enum"] += [float(version) for version in properties["schema_version"]["enum"]]
    del properties["schema_version"]["type"]
    tidied["$defs"]["DecisionSpec"]["allOf"] = [_labels_of(kind) for kind in LABEL_FIELD]
    return tidied


def _tidied(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_tidied(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    tidied = {
        # By the names of settings, which may be called like a keyword: default, type, properties.
        _CONSTRAINTS.get(key, key): {name: _tidied(item) for name, item in value.items()}
        if key in _BY_NAME
        else _tidied(value)
        for key, value in schema.items()
    }
    tidied.pop("title", None)
    if tidied.get("type") == "array" and "minLength" in tidied:
        tidied["minItems"] = tidied.pop("minLength")
    if "patternProperties" in tidied:
        tidied.setdefault("additionalProperties", False)
    if tidied.get("default", 0) is None or isinstance(tidied.get("default"), dict):
        del tidied["default"]  # that of a section is what its own settings say
    return tidied


def _name_providers(schema: dict[str, Any]) -> None:
    """Keep plugins from standing in for built-in providers, and allow a provider's name for a mapping."""
    definitions = schema["$defs"]
    for union in list(_unions(schema)):
        models = [definitions[item["$ref"].removeprefix(_REF)] for item in union if "$ref" in item]
        built_in = {model["properties"]["provider"].get("const"): model for model in models} if len(models) > 1 else {}
        if None not in built_in:
            continue
        plugin = built_in.pop(None)
        plugin["properties"]["provider"]["not"] = {"enum": list(built_in)}
        needy = [name for name, model in built_in.items() if set(model.get("required", ())) - {"provider"}]
        union.append({"type": "string", "not": {"enum": needy}, "description": "Short for {provider: …}."})


def _unions(schema: Any) -> Iterator[list[dict[str, Any]]]:
    if isinstance(schema, dict):
        if isinstance(schema.get("anyOf"), list):
            yield schema["anyOf"]
        for value in schema.values():
            yield from _unions(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _unions(item)


def _labels_of(kind: str) -> JsonObject:
    """Which labels a type of decision has."""
    own = LABEL_FIELD[kind]
    sizes: JsonObject = {"minItems": 2, "maxItems": 2} if kind == "noul" else {"minItems": 2}
    others: JsonObject = {name: {"type": "null"} for name in LABEL_FIELD.values() if name != own}
    then: JsonObject = {"properties": {own: sizes, **others}, **({} if kind == "noul" else {"required": [own]})}
    return {"if": {"properties": {"type": {"const": kind}}}, "then": then}


def _newer_providers(schema: dict[str, Any]) -> Iterator[str]:
    """References to the providers that the first schema version does not have."""
    for name, section in schema["$defs"].items():
        if _is_newer(section["properties"].get("provider")):
            yield f"{_REF}{name}"


def _without_newer(schema: Any, providers: set[str]) -> Any:
    """A copy without the settings and the providers that the first schema version does not have."""
    if isinstance(schema, list):
        return [_without_newer(item, providers) for item in schema if not _refers_to(item, providers)]
    if not isinstance(schema, dict):
        return schema
    return {key: _without_newer(value, providers) for key, value in schema.items() if not _is_newer(value)}


def _refers_to(schema: Any, references: set[str]) -> bool:
    return isinstance(schema, dict) and schema.get("$ref") in references


def _is_newer(schema: Any) -> bool:
    return isinstance(schema, dict) and SINCE in schema


def _renamed(schema: Any, suffix: str) -> Any:
    if isinstance(schema, list):
        return [_renamed(item, suffix) for item in schema]
    if not isinstance(schema, dict):
        return schema
    renamed = {key: _renamed(value, suffix) for key, value in schema.items()}
    if isinstance(renamed.get("$ref"), str):
        renamed["$ref"] += suffix
    if "$defs" in renamed:
        renamed["$defs"] = {name + suffix: value for name, value in renamed["$defs"].items()}
    return renamed


def _reachable(schema: dict[str, Any]) -> dict[str, Any]:
    """The definitions that a schema leads to."""
    found: dict[str, Any] = {}
    waiting = [value for key, value in schema.items() if key != "$defs"]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += item
        elif isinstance(item, dict):
            waiting += item.values()
            name = str(item.get("$ref", "")).removeprefix(_REF)
            if name and name not in found:
                found[name] = schema["$defs"][name]
                waiting.append(found[name])
    return found
