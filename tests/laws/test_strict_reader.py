"""Laws of the strict reader: the fast way and the scanner agree on every text."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from robust.canon import MAX_DEPTH, canonical_bytes, read_json, scan_nodes
from robust.canon.scan import value_of
from robust.errors import DataError
from tests.laws.strategies import json_values

FRAGMENTS = [
    *'{}[]:,"\\ \n\t\r-+.eE0123456789',
    *("true", "false", "null", "NaN", "Infinity", "-Infinity", "1e999", "-0", "-0.0", "01", "1.", ".5", "1e5", "0x1"),
    *('"a"', '"a":1', '"\\u0041"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\\ude00x"', '"\\x"', '"\\u12"'),
    *("9007199254740993", "100000000000000000000", "é", "\u2028", "\ufeff", "\x00", "\ud800", '{"a":1,"a":2}'),
]
near_json = st.one_of(
    st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join),
    json_values.map(json.dumps),
    st.tuples(json_values.map(json.dumps), st.integers(0, 200), st.sampled_from(FRAGMENTS)).map(
        lambda parts: parts[0][: parts[1]] + parts[2] + parts[0][parts[1] :]
    ),
)


def outcome(read: Any, text: str) -> tuple[str, Any]:
    """What a reader makes of a text: its value with exact types, or the code and place of its refusal."""
    try:
        return "value", repr(read(text))
    except DataError as error:
        first = error.problems[0]
        return "refused", (first.code, first.line, first.column, first.path)


@settings(max_examples=1000)
@given(near_json)
@example('"\\ud83d\\ude00"')
@example('{"a":{"b":1,"b":2}}')
@example("[1,2")
@example("-")
@example("1e400")
def test_fast_reader_and_scanner_agree(text: str) -> None:
    """Both accept the same texts with the same values, and refuse the others at the same place for the same cause."""
    assert outcome(read_json, text) == outcome(lambda shown: value_of(scan_nodes(shown)), text)


@given(near_json)
def test_what_is_read_is_what_the_standard_library_reads(text: str) -> None:
    """Nothing is accepted that is not JSON, and no value is read differently."""
    try:
        value = read_json(text)
    except DataError:
        return
    assert value == json.loads(text, parse_int=float)
    canonical_bytes(value)


@given(st.integers(1, MAX_DEPTH + 20), st.sampled_from([("[", "]"), ('{"k":', "}")]))
def test_depth_is_limited_at_one_place(depth: int, brackets: tuple[str, str]) -> None:
    """200 levels are read, 201 are refused, whatever they are made of."""
    opening, closing = brackets
    text = opening * depth + "0" + closing * depth
    if depth <= MAX_DEPTH:
        read_json(text)
        return
    kind, detail = outcome(read_json, text)
    assert (kind, detail[0]) == ("refused", "too_deep")


@given(st.binary(max_size=40))
def test_any_bytes_are_read_or_refused_with_a_place(data: bytes) -> None:
    """Reading bytes never fails in a way that has no line."""
    try:
        read_json(data)
    except DataError as error:
        assert all(problem.line is not None and problem.column is not None for problem in error.problems)
