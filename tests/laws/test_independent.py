"""Laws: sixty lines that know nothing of the package come to the same bytes, digests, roots and proofs."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust import Case
from robust.canon import (
    JsonObject,
    JsonValue,
    MerkleTree,
    canonical_bytes,
    digest_value,
    inclusion_path,
    leaf_hashes,
    read_json,
    root_from_path,
)
from robust.errors import DataError
from robust.records.report import report_digest
from tests import independent
from tests.laws.strategies import cases, json_objects, json_values

SOURCE = Path(independent.__file__).read_text(encoding="utf-8")


def test_it_is_short_and_independent() -> None:
    """At most sixty lines that hold something, and nothing imported but the standard library and ``rfc8785``."""
    assert len([line for line in SOURCE.splitlines() if line.strip()]) <= 60
    statements = [node for node in ast.walk(ast.parse(SOURCE)) if isinstance(node, ast.Import | ast.ImportFrom)]
    imported = {
        name.split(".")[0]
        for node in statements
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
    }
    assert imported - sys.stdlib_module_names == {"rfc8785"}


@given(json_values)
def test_a_text_has_one_canonical_form(value: JsonValue) -> None:
    """Read and written by either side, and the digest over it too."""
    text = json.dumps(value).encode()
    ours = canonical_bytes(read_json(text))
    assert independent.canonical(independent.read(text)) == ours
    assert independent.digest(ours) == digest_value(value)
    assert independent.canonical(independent.read(ours)) == ours


@given(json_objects, json_values, json_values)
def test_a_report_has_one_digest(report: JsonObject, observed: JsonValue, digest: JsonValue) -> None:
    """Over everything but what was observed and the digest itself."""
    stored = {**report, "observed": observed, "digest": digest}
    read = independent.read(canonical_bytes(stored))
    assert independent.digest_of(read, "digest", "observed") == report_digest(stored)


@given(cases)
def test_a_case_has_one_content(case: Case) -> None:
    """By input and files alone."""
    assert independent.content_digest(independent.read(canonical_bytes(case.to_json()))) == case.content_digest


@given(st.lists(st.binary(max_size=6), max_size=40), st.data())
def test_a_tree_has_one_root_and_every_leaf_one_proof(lines: list[bytes], data: st.DataObject) -> None:
    """Made by one side and followed by the other."""
    tree = MerkleTree()
    tree.extend(lines)
    root = tree.root()
    assert independent.merkle_root(lines) == root
    if lines:
        index = data.draw(st.integers(0, len(lines) - 1))
        path = inclusion_path([leaf_hashes([line]) for line in lines], index)
        assert independent.inclusion_path(lines, index) == path
        assert independent.root_from_path(lines[index], index, len(lines), path) == root
        assert root_from_path(lines[index], index, len(lines), independent.inclusion_path(lines, index)) == root


@given(
    st.binary(max_size=6),
    st.integers(-2, 40),
    st.integers(-1, 40),
    st.lists(st.one_of(st.binary(min_size=32, max_size=32).map(bytes.hex), st.text("0aZ", max_size=64)), max_size=7),
)
def test_both_sides_are_led_to_one_root_or_to_none(line: bytes, index: int, size: int, path: list[str]) -> None:
    """By whatever is given as a proof: too short, too long, of another tree, or no hashes at all."""
    assert independent.root_from_path(line, index, size, path) == root_from_path(line, index, size, path)


@pytest.mark.parametrize("text", [b"NaN", b"[1e999]", b"[1,]", b'{"a":"\\ud800"}', b'"\xff"'])
def test_neither_side_makes_bytes_of_what_is_no_portable_json(text: bytes) -> None:
    """It is refused when it is read, or at the latest when it is written."""
    with pytest.raises(ValueError):
        independent.canonical(independent.read(text))
    with pytest.raises(DataError):
        canonical_bytes(read_json(text))
