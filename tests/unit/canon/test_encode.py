"""Examples of canonical JSON."""

from __future__ import annotations

import datetime
import decimal
from typing import Any

import pytest

from robust.canon import (
    MAX_DEPTH,
    canonical_bytes,
    canonical_text,
    digest_value,
    is_digest,
    plain,
    plain_parts,
    unit_interval,
    unit_intervals,
)
from robust.errors import DataError


class Shout(str):
    """Text that claims to be something else everywhere."""

    __slots__ = ()

    def __str__(self) -> str:
        return "SHOUT"

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        return b"SHOUT"


class Liar(dict[str, Any]):
    """An object that shows other members than it has."""

    def items(self) -> Any:
        return [("shown", 1)]


class Seven(int):
    """An integer that turns into seven when asked."""

    def __index__(self) -> int:
        return 7

    def __repr__(self) -> str:
        return "7"


def nested(depth: int, innermost: Any = None) -> Any:
    value: Any = [] if innermost is None else innermost
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize("value", [Shout("5"), [Shout("5")], {"a": Shout("5")}, {Shout("5"): 1}])
def test_text_is_read_by_its_content_not_by_its_overrides(value: object) -> None:
    """A subclass of text has no say in its bytes, as a value or as a key."""
    assert b'"5"' in canonical_bytes(value)


def test_objects_and_integers_are_read_by_their_content() -> None:
    """Neither have subclasses of dict and int."""
    assert canonical_bytes(Liar(real=1)) == b'{"real":1}'
    assert canonical_bytes([Seven(3)]) == b"[3]"


def test_tuples_become_lists() -> None:
    """A tuple is a list in JSON."""
    assert canonical_bytes((1, (2,))) == b"[1,[2]]"


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"a": {"b": [1, float("nan")]}}, "$.a.b[1]"),
        ([float("inf")], "$[0]"),
        ({"when": datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)}, "$.when"),
        ({"amount": decimal.Decimal(1)}, "$.amount"),
        ({"raw": b"bytes"}, "$.raw"),
        ({"set": {1}}, "$.set"),
        ({"text": "\ud800"}, "$.text"),
        ({"odd key": 2**53 + 1}, '$["odd key"]'),
        ({1: "x"}, "$"),
        ({"\ud800": 1}, "$"),
    ],
)
def test_what_is_not_json_is_refused_with_its_path(value: object, path: str) -> None:
    """The refusal names the part, and the way to it."""
    with pytest.raises(DataError) as caught:
        canonical_bytes(value)
    assert [(problem.code, problem.path) for problem in caught.value.problems] == [("not_portable", path)]
    assert caught.value.problems[0].hint


def test_every_bad_part_is_named_at_once() -> None:
    """Two bad parts are two problems, and the good parts can be had without them."""
    kept, problems = plain_parts({"a": float("nan"), "b": 1, "c": [object(), 2]})
    assert kept == {"b": 1, "c": [2]}
    assert [problem.path for problem in problems] == ["$.a", "$.c[0]"]


def test_two_keys_with_one_text_are_refused() -> None:
    """Two keys that differ only by an overridden comparison would be one key in JSON."""

    class Other(str):
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            return False

        def __hash__(self) -> int:
            return 1

    with pytest.raises(DataError, match="two keys are the same text"):
        canonical_bytes({Other("a"): 1, "a": 2})


def test_depth_is_limited_and_cycles_end_there() -> None:
    """200 levels pass, 201 do not, and a value that holds itself is refused like any other depth."""
    assert canonical_bytes(nested(MAX_DEPTH)).count(b"[") == MAX_DEPTH
    loop: list[Any] = []
    loop.append(loop)
    for value in (nested(MAX_DEPTH + 1), nested(MAX_DEPTH + 1, {}), nested(MAX_DEPTH + 1, [0]), nested(100_000), loop):
        with pytest.raises(DataError, match="nested deeper than 200 levels"):
            canonical_bytes(value)


def test_plain_copies_are_detached() -> None:
    """Changing the copy leaves the original alone."""
    original = {"a": [1, {"b": 2}]}
    copy: Any = plain(original)
    copy["a"][1]["b"] = 3
    assert original == {"a": [1, {"b": 2}]}


def test_digests_have_one_form() -> None:
    """A digest is sha256: and 64 lowercase hex digits, and nothing else is one."""
    digest = digest_value({"a": 1})
    assert is_digest(digest)
    for wrong in (digest.upper(), digest[:-1], digest + "\n", digest[7:], None, 7):
        assert not is_digest(wrong)


@pytest.mark.parametrize(("start", "ends"), [("", []), ("a", ["b", "é", "b"]), ("x" * 200, [*map(str, range(40))])])
def test_unit_intervals_are_those_of_each(start: str, ends: list[str]) -> None:
    """Of which what they share is encoded once."""
    begins = canonical_bytes([start])[:-1] + b","
    encoded = [canonical_bytes(end) + b"]" for end in ends]
    assert unit_intervals(begins, encoded) == [unit_interval(start, end) for end in ends]


def test_unit_interval_depends_on_each_part_and_on_nothing_else() -> None:
    """The same parts give the same number in [0, 1); another part gives another one."""
    assert unit_interval("a", "b") == unit_interval("a", "b") != unit_interval("ab")
    assert all(0 <= unit_interval("spread", index) < 1 for index in range(200))


def test_canonical_text_is_the_same_as_text() -> None:
    """The text form decodes the bytes."""
    assert canonical_text({"é": "\u2028"}) == '{"é":"\u2028"}'
