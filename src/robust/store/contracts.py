"""Contract files: located, strict, with every problem reported at once."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from robust.canon import Node, decode_utf8, scan_nodes
from robust.errors import ContractError, DataError, Problem
from robust.records.base import problems_of
from robust.records.contract import Contract
from robust.records.scalars import MisfitError, Written
from robust.store.files import read_file
from robust.store.yaml_nodes import yaml_nodes

MAX_CONTRACT_BYTES = 1_000_000


def load_contract(path: str | os.PathLike[str]) -> Contract:
    """Read a contract file (``.yaml``, ``.yml`` or ``.json``).

    Raises:
        UsageError: the file cannot be read.
        ContractError: it is not a contract; every problem is named with file, line and dotted path.
    """
    file = os.fspath(path)
    suffix = PurePath(path).suffix.lower()
    if suffix not in (".yaml", ".yml", ".json"):
        message = f"a contract ends in .yaml, .yml or .json, not {suffix or 'nothing'!r}"
        raise ContractError.of("unknown_format", message, file=file)
    try:
        text = decode_utf8(read_file(path, MAX_CONTRACT_BYTES), file=file)
        node = scan_nodes(text, file=file) if suffix == ".json" else yaml_nodes(text, file=file)
    except DataError as error:
        raise ContractError(*error.problems) from None
    return contract_of_node(node, file)


def contract_of_node(node: Node, file: str | None = None) -> Contract:
    """The contract of a located document.

    Raises:
        ContractError: every problem, located.
    """
    try:
        return Contract.model_validate(_data(node))
    except ValidationError as error:
        raise ContractError(*_problems(error, node, file)) from None


def read_contract(data: Mapping[str, Any]) -> Contract:
    """The contract of plain data, such as a ``contract.json`` of a run or a dict from Python.

    Raises:
        ContractError: every problem, with its dotted path.
    """
    try:
        return Contract.model_validate(data)
    except ValidationError as error:
        raise ContractError(*_problems(error, None, None)) from None


def _data(node: Node) -> Any:
    if isinstance(node.value, dict):
        return {key: _data(item) for key, item in node.value.items()}
    if isinstance(node.value, list):
        return [_data(item) for item in node.value]
    return Written(node.value) if node.kind == "plain" else node.value


def _problems(error: ValidationError, node: Node | None, file: str | None) -> list[Problem]:
    problems: list[Problem] = []
    for found, detail in zip(problems_of(error), error.errors(include_url=False), strict=True):
        location = [part for part in detail["loc"] if part != "[key]"]
        cause = detail.get("ctx", {}).get("error")
        if isinstance(cause, MisfitError):
            problems += [
                _located("impossible_combination", message, node, [*location, *inner], file)
                for inner, message in cause.misfits
            ]
        elif found.code == "unknown_field":
            message = f"there is no setting {location[-1]!r} here"
            problems.append(_located("unknown_key", message, node, location, file, hint=_suggestion(location)))
        else:
            problems.append(_located(found.code, _plain_message(found.message, detail["type"]), node, location, file))
    return sorted(problems, key=lambda problem: problem.line or 0)


def _plain_message(message: str, kind: str) -> str:
    """The message without a model's name, and without the whole of an object that it was found in."""
    if kind in ("model_type", "dict_type"):
        return "a mapping of settings is due"
    head, _, found = message.partition(" (found ")
    return head if found.startswith(("{", "[")) else message


def _located(
    code: str,
    message: str,
    node: Node | None,
    location: Sequence[str | int],
    file: str | None,
    *,
    hint: str | None = None,
) -> Problem:
    place = _find(node, location)
    # The line of a key that should not be there is its own; a wrong value may stand below its key.
    line = None if place is None else (place.key_line or place.line) if code == "unknown_key" else place.line
    return Problem(code=code, message=message, file=file, line=line, path=_dotted(location), hint=hint)


def _find(node: Node | None, location: Sequence[str | int]) -> Node | None:
    """The node at a location, or the nearest one around it."""
    for part in location:
        if node is None:
            return None
        inner = None
        if isinstance(node.value, dict) and isinstance(part, str):
            inner = node.value.get(part)
        elif isinstance(node.value, list) and isinstance(part, int) and part < len(node.value):
            inner = node.value[part]
        if inner is None:
            return node
        node = inner
    return node


def _dotted(location: Sequence[str | int]) -> str | None:
    path = ""
    for part in location:
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else part
    return path or None


def _suggestion(location: Sequence[str | int]) -> str | None:
    model = _model_at(location[:-1])
    name = str(location[-1])
    if model is None:
        return None
    near = difflib.get_close_matches(name, model.model_fields, n=1)
    return f"did you mean {near[0]!r}?" if near else "known here: " + ", ".join(model.model_fields)


def _model_at(location: Sequence[str | int]) -> type[BaseModel] | None:
    model: type[BaseModel] | None = Contract
    for part in location:
        if isinstance(part, int):
            continue
        field = model.model_fields.get(part) if model else None
        model = _model_in(field.annotation) if field else None
    return model


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_model_in(inner) for inner in get_args(annotation))
    return next((model for model in found if model is not None), None)
