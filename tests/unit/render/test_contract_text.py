"""A checked contract as plain text."""

from __future__ import annotations

from typing import Any

from robust.errors import Problem
from robust.render.contract import contract_text, warning_text


def summary(**fields: Any) -> dict[str, Any]:
    return {
        "digest": "sha256:0",
        "schema_version": "1",
        "decision": {"name": "q", "type": "noul", "labels": ["yes", "no"]},
        "backends": [{"name": "default", "provider": "mock", "model": None}],
        "data": None,
        "requirements": {},
        "warnings": {},
        "properties": [],
        **fields,
    }


def test_the_smallest_contract_has_four_lines() -> None:
    """What is decided, the digest, the backend, and that no data is named."""
    assert contract_text(summary()).splitlines() == [
        "VALID  q (noul: yes, no)",
        "  digest   sha256:0  (schema 1)",
        "  backend  default: mock",
        "  data     none named",
    ]


def test_gates_and_properties_are_listed_with_limits_and_oracles() -> None:
    """In columns; one that is turned off says so."""
    properties = [
        {"name": "whitespace", "enabled": True, "level": "warning", "oracle": "builtin"},
        {"name": "monotonic", "enabled": False, "level": "requirement", "oracle": None},
    ]
    text = contract_text(summary(requirements={"min_accuracy": 0.9}, warnings={"max_ece": 0}, properties=properties))
    assert text.splitlines()[4:] == [
        "  requirement  min_accuracy           0.9",
        "  warning      max_ece                0",
        "  warning      properties.whitespace  oracle builtin",
        "  requirement  properties.monotonic   disabled",
    ]


def test_data_is_counted() -> None:
    """With its splits and variants, where it has any."""
    data = {
        "kind": "manifest",
        "name": "m",
        "splits": ["a", "b"],
        "cases": 3,
        "groups": 2,
        "labelled": 1,
        "variants": 7,
    }
    assert contract_text(summary(data=data)).splitlines()[3:] == [
        "  data     manifest m, split a, b",
        "           3 cases of 2 sources, 1 with a known answer, 7 validated variants",
    ]


def test_what_a_terminal_would_act_on_is_escaped() -> None:
    """In labels, names and messages alike."""
    decision = {"name": "q", "type": "noul", "labels": ["y\u202ees", "n\x1b[31mo"]}
    backends = [{"name": "default", "provider": "mock", "model": "m\r"}]
    text = contract_text(summary(decision=decision, backends=backends))
    text += warning_text(Problem(code="c", message="a\x07b", file="f.yaml", line=3, path="x"))
    assert not {"\u202e", "\x1b", "\r", "\x07"} & set(text)
    assert "warning[c]: f.yaml:3: x: a\\u{7}b" in text
