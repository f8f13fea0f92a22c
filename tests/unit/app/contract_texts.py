"""Contract files as text, for the tests that load them."""

from __future__ import annotations

from pathlib import Path

import pytest

from robust.errors import ContractError
from robust.records.contract import Contract
from robust.store.contracts import contract_of_node, load_contract
from robust.store.yaml_nodes import yaml_nodes

HEAD = """\
schema_version: "1"
decision:
  name: q
  type: choice
  options: [a, b]
backend: mock
"""


def choice(labels: str, more: str = "") -> str:
    """A contract whose options are written as given."""
    return HEAD.replace("[a, b]", labels) + more


def read(text: str) -> Contract:
    """The contract of a YAML text."""
    return contract_of_node(yaml_nodes(text))


def load(folder: Path, text: str | bytes, name: str = "c.yaml") -> Contract:
    """The contract of a file with this content."""
    file = folder / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_contract(file)


def refused(folder: Path, text: str | bytes, name: str = "c.yaml") -> ContractError:
    """The error of a file with this content; it names the file in every problem."""
    with pytest.raises(ContractError) as caught:
        load(folder, text, name)
    assert all(problem.file == str(folder / name) for problem in caught.value.problems)
    return caught.value


def placed(error: ContractError) -> list[tuple[str, int | None, str | None]]:
    """Code, line and path of every problem."""
    return [(problem.code, problem.line, problem.path) for problem in error.problems]
