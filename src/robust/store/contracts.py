"""Contract files: located, strict, with every problem reported at once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import ValidationError

from robust.canon import Node, decode_utf8, scan_nodes
from robust.errors import ContractError, DataError, Problem
from robust.records.contract import Contract
from robust.records.credentials import holds_credential, names_credential
from robust.records.scalars import Written, is_null
from robust.records.section import MOST_PROBLEMS, Place, Section, nearest, suggestion
from robust.store.files import read_file
from robust.store.places import dotted, line_of, node_at, node_of_path
from robust.store.yaml_nodes import yaml_nodes

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

# A contract file, a contract, or its data.
ContractSource: TypeAlias = "str | os.PathLike[str] | Contract | Mapping[str, Any]"
MAX_CONTRACT_BYTES = 1_000_000
# Problems whose message says everything, so that what stands in the file need not be shown.
_SELF_EXPLAINING = frozenset(("impossible_combination", "credential", "header"))
_MESSAGES = {
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "literal_error": "must be {expected}",
    "too_short": "needs at least {min_length} item",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "model_type": "a mapping of settings is due",
    "dict_type": "a mapping of settings is due",
}
_QUOTED = re.compile("'([^']*)'")


@dataclass(frozen=True, slots=True)
class ContractFile:
    """A contract, and where everything in it stands.

    Attributes:
        contract: the contract.
        file: the file's name; None for plain data.
        node: the located document; None for plain data.
    """

    contract: Contract
    file: str | None = None
    node: Node | None = None

    def problem(self, code: str, message: str, place: Sequence[str | int], hint: str | None = None) -> Problem:
        """A problem at a place of the contract."""
        return _located(code, message, self.node, place, self.file, hint)

    def located(self, problem: Problem) -> Problem:
        """A problem that knows its dotted path, with the file and the line of that path filled in."""
        if problem.path is None or problem.file is not None or self.node is None:
            return problem
        place = node_of_path(self.node, problem.path)
        return replace(problem, file=self.file, line=line_of(place, at_key=False))


def load_contract(path: str | os.PathLike[str]) -> Contract:
    """Read a contract file (``.yaml``, ``.yml`` or ``.json``).

    Raises:
        UsageError: the file cannot be read.
        ContractError: it is not a contract; every problem is named with file, line and dotted path.
    """
    return load_contract_file(path).contract


def load_contract_file(path: str | os.PathLike[str]) -> ContractFile:
    """Read a contract file together with where everything in it stands; raises as :func:`load_contract` does."""
    file = os.fspath(path)
    suffix = PurePath(path).suffix.lower()
    if suffix not in (".yaml", ".yml", ".json"):
        message = f"a contract ends in .yaml, .yml or .json, not {suffix or 'nothing'!r}"
        raise ContractError.of("unknown_format", message, file=file)
    try:
        text = decode_utf8(read_file(path, MAX_CONTRACT_BYTES), file=file)
        node = scan_nodes(text, file=file) if suffix == ".json" else yaml_nodes(text, file=file)
    except DataError as error:
        raise ContractError(*map(_dotted_path, error.problems)) from None
    return ContractFile(contract_of_node(node, file), file, node)


def _dotted_path(problem: Problem) -> Problem:
    """A problem of the JSON reader, with its JSON path as the dotted path that contracts have."""
    return replace(problem, path=(problem.path or "").removeprefix("$").removeprefix(".") or None)


def contract_of_node(node: Node, file: str | None = None) -> Contract:
    """The contract of a located document.

    Raises:
        ContractError: every problem, located.
    """
    return _read(_data(node), node, file)


def read_contract(data: Mapping[str, Any]) -> Contract:
    """The contract of plain data, such as a ``contract.json`` of a run or a dict from Python.

    Raises:
        ContractError: every problem, with its dotted path.
    """
    return _read(data, None, None)


def _data(node: Node) -> Any:
    if isinstance(node.value, dict):
        return {key: _data(item) for key, item in node.value.items()}
    if isinstance(node.value, list):
        return [_data(item) for item in node.value]
    return Written(node.value) if node.kind == "plain" else node.value


def _read(data: Any, node: Node | None, file: str | None) -> Contract:
    try:
        return Contract.model_validate(data)
    except ValidationError as error:
        found = dict.fromkeys(_problems(error, Contract.draft(data), node, file))
        raise ContractError(*sorted(found, key=lambda problem: problem.line or 0)) from None


def _problems(error: ValidationError, draft: Contract | None, node: Node | None, file: str | None) -> Iterator[Problem]:
    """What is wrong in itself, and, of the parts that are not, what does not fit together; some of it twice."""
    sections: dict[Place, Section] = {} if draft is None else dict(draft.sections())
    unknown = 0
    for detail in error.errors(include_url=False):
        if detail["type"] == "default_factory_not_called":
            continue  # a default that waits for a setting which is wrong
        location = tuple(part for part in detail["loc"] if part != "[key]")
        if detail["type"] == "extra_forbidden":
            section, unknown = sections.get(location[:-1]), unknown + 1
            known = () if section is None or unknown > MOST_PROBLEMS else type(section).model_fields
            hint = suggestion(str(location[-1]), known) if known else None
            yield _located(
                "unknown_key", f"there is no setting {str(location[-1])[:80]!r} here", node, location, file, hint
            )
        else:
            yield _located(*_said(detail, location), node=node, location=location, file=file, hint=_hint(detail))
    for misfit in draft.misfits() if draft is not None else ():
        yield _located(misfit.code, misfit.message, node, misfit.place, file, misfit.hint)


def _said(detail: ErrorDetails, location: Place) -> tuple[str, str]:
    """The code and the message of what a model refused."""
    kind, value = detail["type"], detail["input"]
    if kind in _SELF_EXPLAINING:
        return kind, detail["msg"]
    if kind == "missing":
        return "missing_field", "the field is missing"
    context = detail.get("ctx", {})
    message = detail["msg"].removeprefix("Value error, ")
    if kind in _MESSAGES:
        message = _MESSAGES[kind].format(**{name: _tidy(item) for name, item in context.items()})
    if isinstance(value, dict | list | tuple) or is_null(value) or _is_secret(value, location):
        return "wrong_value", message
    shown = str(value) if isinstance(value, Written) else repr(_tidy(value))
    return "wrong_value", f"{message} (found {shown if len(shown) <= 80 else shown[:79] + '…'})"


def _tidy(value: Any) -> Any:
    """A number as people write it."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _is_secret(value: object, location: Place) -> bool:
    """Whether a wrong value may be a credential, so that it is not shown."""
    return isinstance(value, str) and (holds_credential(value) or any(names_credential(str(p)) for p in location))


def _hint(detail: ErrorDetails) -> str | None:
    """What a rule advises, or which word of a fixed list a misspelled one resembles."""
    context = detail.get("ctx", {})
    if detail["type"] == "literal_error" and isinstance(detail["input"], str):
        near = nearest(detail["input"], _QUOTED.findall(context["expected"]))
        return None if near is None else f"did you mean {near!r}?"
    hint: str | None = context.get("hint")
    return hint


def _located(
    code: str,
    message: str,
    node: Node | None,
    location: Sequence[str | int],
    file: str | None,
    hint: str | None,
) -> Problem:
    line = line_of(node_at(node, location), at_key=code == "unknown_key")
    return Problem(code=code, message=message, file=file, line=line, path=dotted(location), hint=hint)
