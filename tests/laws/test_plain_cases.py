"""Laws of looking at many lines at once: what is found in order is what looking at each line by itself finds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from robust import Case, IntegrityError
from robust.canon import canonical_bytes, parse_canonical
from robust.errors import Problem
from robust.manifest.plain_cases import plain_of, read_plain
from robust.manifest.read import read_record
from robust.manifest.rules import Rules
from robust.records.encoding import canonical_case
from robust.records.manifest import CaseEntry, SplitRule, case_line
from tests.laws.strategies import ODD_KEYS, cases, digests, floats, integers, json_values, texts

SPLITS = ("dev", "test")
# Few of each, so that cases meet: in their id, source group, content and answer.
few_ids = st.sampled_from(["a", "b", "c", "B", "e\u0301", "\u00e9", "K", "\u212a", "d"])
few_texts = st.sampled_from(["", "x", "X", " x", "one and two and three", "ONE and two and three", "\x00", "é"])
simple = st.one_of(st.none(), st.booleans(), integers, floats, texts, few_texts)
metadata = st.dictionaries(
    st.sampled_from([*ODD_KEYS, "api_key", "tags"]), st.one_of(simple, st.lists(simple, max_size=3)), max_size=3
)
plain_cases = st.builds(
    Case,
    st.one_of(few_texts, st.dictionaries(st.sampled_from(ODD_KEYS), simple, max_size=2)),
    st.one_of(st.none(), st.sampled_from(["x", "y", 1, 1.5]), json_values),
    case_id=few_ids,
    source_id=few_ids,
    metadata=metadata,
)
entries = st.builds(
    CaseEntry,
    st.one_of(plain_cases, plain_cases, cases),
    st.sampled_from(SPLITS),
    st.sampled_from(["given", "given", "oracle", None]),
    st.one_of(st.none(), st.none(), st.sampled_from(["sha256:" + "0" * 64]), digests),
)


def line_of(entry: CaseEntry) -> bytes:
    return case_line(canonical_case(entry.case), entry)


def fitting(entry: CaseEntry) -> CaseEntry:
    """An entry whose label source says what there is."""
    if entry.case.expected is None:
        return entry._replace(label_source=None, validation=None)
    return entry._replace(label_source="given" if entry.validation is None else "oracle")


def found_one_by_one(lines: Sequence[bytes]) -> list[CaseEntry] | None:
    """The cases of lines, each looked at by itself; None where one of them is damaged or no case."""
    found = []
    for line in lines:
        try:
            record = read_record(parse_canonical(line), SPLITS)
        except IntegrityError:
            return None
        if not isinstance(record, CaseEntry):
            return None
        found.append(record)
    return found


def damaged(line: bytes, how: random.Random) -> bytes:
    """A line with a byte more, less or other, or with another value, key or order of keys somewhere."""
    place = how.randrange(len(line))
    changes = [
        line[:place] + line[place + 1 :],
        line[:place] + how.choice([b" ", b"0", b",", b'"', b"}", b"\\u0061", b"\n"]) + line[place:],
        line.replace(b":null", how.choice([b":1.0", b":[]", b":{}", b":1e400", b":12345678901234567890"]), 1),
        line.replace(b'"kind":"case"', how.choice([b'"kind":1', b'"kind":"Case"', b'"kind":"case","kind":"case"'])),
        line.replace(b'"given"', how.choice([b'"taken"', b"[]", b"0"])),
        line.replace(b'"media":[]', how.choice([b'"media":{}', b'"media":null', b'"media":[[]]'])),
        line.replace(b'"split":"', b'"split":"no'),
        line[:-1] + b',"zzz":0}',
        line + b" ",
        b"[" + line + b"]",
    ]
    return how.choice(changes)


@given(st.lists(entries, min_size=1, max_size=4), st.randoms(use_true_random=False), st.booleans())
def test_what_is_found_at_once_is_found_one_by_one(drawn: list[CaseEntry], how: random.Random, damage: bool) -> None:
    """Nothing passes at first sight that would be refused or read otherwise by itself."""
    lines = [line_of(entry) for entry in sorted(drawn, key=lambda entry: entry.case.case_id)]
    if damage:
        place = how.randrange(len(lines))
        lines[place] = damaged(lines[place], how)
    plain = read_plain(lines, SPLITS)
    if plain is not None:
        assert list(plain.entries()) == found_one_by_one(lines)
        assert [canonical_bytes(data) for data in plain.stored] == [canonical_case(e.case) for e in plain.entries()]
        answers = [None if case.expected is None else canonical_bytes(case.expected) for case, *_ in plain.entries()]
        assert [answer or None for answer in plain.answers] == answers


def test_ordinary_lines_are_found_at_once() -> None:
    """With texts of any alphabet, numbers, lists, objects as inputs, and without answers."""
    drawn = [
        Case("Überweise 5 €, bitte", "5, really", case_id="a", source_id="A a"),
        Case({"to": "x", "parts": [1, {"n": None}]}, [1, 2.5], case_id="b", source_id="b", metadata={"tags": ["x", 1]}),
        Case("", case_id="c", source_id="b", metadata={"weight": 0.25, "place": {"town": "Łódź"}}),
    ]
    lines = [line_of(fitting(CaseEntry(case, "dev", None, None))) for case in drawn]
    plain = read_plain(lines, SPLITS)
    assert plain is not None
    assert [entry.case for entry in plain.entries()] == drawn
    assert list(plain.answers) == [b'"5, really"', b"[1,2.5]", b""]
    assert read_plain(lines[::-1], SPLITS) is None
    assert read_plain([], SPLITS) is None


@given(st.lists(st.one_of(plain_cases, plain_cases, cases), min_size=1, max_size=4))
def test_lines_made_at_once_are_those_made_one_by_one(drawn: list[Case]) -> None:
    """Byte for byte, and what is said of the cases is what their lines say."""
    made = plain_of(drawn, ["dev"] * len(drawn))
    if made is not None:
        known, lines = made
        assert lines == [line_of(fitting(CaseEntry(case, "dev", None, None))) for case in drawn]
        for place, line in enumerate(lines):
            read = read_plain([line], SPLITS)
            assert read is not None
            for name, column in read._asdict().items():
                if name != "stored":
                    assert list(column) == [getattr(known, name)[place]]


class _Text(str):
    """Text that says that it is something else."""

    __slots__ = ()

    def __str__(self) -> str:
        return "other"


class _Mapping(dict[str, object]):
    """An object of a class of its own."""


ODD_PARTS = (1,), {1: 2}, _Text("x"), _Mapping(a=1), [_Text("x")], [(1,)], float("nan"), 1.0, 2**60, b"x", "\ud800"


@pytest.mark.parametrize(
    "odd",
    [
        (1,),
        {1: 2},
        _Text("x"),
        _Mapping(a=1),
        [_Text("x")],
        [(1,)],
        float("nan"),
        1.0,
        2**60,
        b"x",
        "\ud800",
        {"token": 1},
    ],
)
def test_what_is_not_plain_is_left_to_the_closer_look(odd: Any) -> None:
    """Wherever it stands, and however many others are in order."""
    other = Case("x", "y", case_id="other", source_id="s", metadata={"a": 1})
    odd_ones = [
        Case("x", "y", case_id="a", source_id="s", metadata={"odd": odd}),
        Case({"odd": odd}, "y", case_id="a", source_id="s", metadata={"a": {"token": 1}}),
    ]
    if odd != {"token": 1}:
        odd_ones += [Case("x", odd, case_id="a", source_id="s"), Case({"odd": odd}, "y", case_id="a", source_id="s")]
    for case in odd_ones:
        assert plain_of([other, case], ["dev", "dev"]) is None
    assert plain_of([other], ["dev"]) is not None


def test_a_member_that_looks_like_a_case_is_no_case() -> None:
    """The lines are parted where the cases are, or one by one."""
    inside = {"case": {"case_id": "x", "expected": 1}}
    case = Case({"all": [inside, inside]}, ',{"case":{"case_id":', case_id="a", source_id="s")
    assert plain_of([case], ["dev"]) is None
    case = Case(',{"case":{"case_id":', ',{"case":{"case_id":', case_id="a", source_id="s")
    made = plain_of([case], ["dev"])
    assert made is not None
    assert made[1] == [line_of(fitting(CaseEntry(case, "dev", None, None)))]


def ruled(blocks: Sequence[Sequence[bytes]], rule: SplitRule | None, *, at_once: bool) -> tuple[list[Problem], object]:
    rules = Rules(split_names=SPLITS, rule=rule, validated=True)
    for lines in blocks:
        plain = read_plain(lines, SPLITS) if at_once else None
        if plain is not None and rules.add_plain(plain):
            continue
        for entry in found_one_by_one(lines) or ():
            rules.add_case(entry)
    return list(rules.finish()), (rules.sources, rules.split_cases, rules.split_groups)


@given(
    st.lists(st.lists(entries.map(fitting), min_size=1, max_size=4), min_size=1, max_size=4),
    st.sampled_from([None, SplitRule(salt="s", fractions={"dev": 0.5, "test": 0.5})]),
)
def test_rules_find_the_same_in_many_cases_at_once(drawn: list[list[CaseEntry]], rule: SplitRule | None) -> None:
    """The same problems in the same order, and the same counts, however the cases were parted."""
    blocks = []
    for some in drawn:
        ordered = sorted(some, key=lambda entry: entry.case.case_id)
        assume(all(one.case.case_id < other.case.case_id for one, other in pairwise(ordered)))
        blocks.append([line_of(entry) for entry in ordered])
    assert ruled(blocks, rule, at_once=True) == ruled(blocks, rule, at_once=False)
