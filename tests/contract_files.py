"""The example contracts of the repository: good ones, and broken ones with what is wrong in each.

A broken contract says in comments that begin with ``#!`` which problems it has, as code and path, and whether the JSON
Schema sees that something is wrong with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robust.canon import Node, scan_nodes
from robust.records.scalars import Written, as_json
from robust.store.yaml_nodes import yaml_nodes

ROOT = Path(__file__).parents[1]
POSITIVE = sorted((ROOT / "tests" / "contracts" / "positive").iterdir())
EXAMPLES = sorted((ROOT / "examples").glob("*/contract.*"))
_MARK = "#! "
_SCHEMA = "schema refuses"


@dataclass(frozen=True)
class Broken:
    """A broken contract, and what is wrong with it."""

    path: Path
    text: str
    problems: list[tuple[str, str]]
    schema_refuses: bool


def broken(path: Path) -> Broken:
    """A file of the folder ``negative``."""
    text = path.read_text(encoding="utf-8")
    marks = [line.removeprefix(_MARK) for line in text.splitlines() if line.startswith(_MARK)]
    problems = [(code, where) for code, _, where in (mark.partition(" ") for mark in marks if mark != _SCHEMA)]
    return Broken(path, text, problems, _SCHEMA in marks)


NEGATIVE = [broken(path) for path in sorted((ROOT / "tests" / "contracts" / "negative").iterdir())]


def as_an_editor_reads(text: str, name: str = "c.yaml") -> Any:
    """A contract file as plain JSON data: unquoted scalars are what they look like."""
    return as_json(_plain(scan_nodes(text) if name.endswith(".json") else yaml_nodes(text)))


def _plain(node: Node) -> Any:
    if isinstance(node.value, dict):
        return {key: _plain(item) for key, item in node.value.items()}
    if isinstance(node.value, list):
        return [_plain(item) for item in node.value]
    return Written(node.value) if node.kind == "plain" else node.value
