"""Laws of judging many pairs at once: whatever is read, asked or recorded together is what each by itself would be."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust import Case, CaseError, Origin
from robust.canon import canonical_bytes, decode_own, unpack
from robust.errors import DataError
from robust.oracle.answers import read_answers
from robust.oracle.capturing import capture_plain
from robust.oracle.protocol import NotTheAnswer, encode_question, encode_questions, read_answer
from robust.oracle.question import Observation, Question, Terms, capture, read_terms
from robust.oracle.reading import PairReader
from robust.oracle.validate import Answer, conclude, conclude_all
from robust.records.case import RELATIONS
from robust.records.failure import Failure
from robust.records.validation import ValidationRecord
from tests.laws.strategies import answers, cases, comparators, json_objects, json_values, origins, texts

KEY = "sha256:" + "1" * 64
relations = st.sampled_from([None, *RELATIONS])
labels = st.sampled_from(["hidden", "visible"])
# Few of each, so that bases and candidates meet.
few_ids = st.sampled_from(["a", "b", "é", "e\u0301", 'q"\\'])
few_texts = st.sampled_from(["", "x", "two\nlines", "5 €, please", ',"expected":null', "\ud800"])
simple = st.one_of(st.none(), st.booleans(), st.integers(-300, 300), st.floats(allow_nan=True), few_texts)
plain_cases = st.builds(
    Case,
    st.one_of(few_texts, st.dictionaries(st.sampled_from(["t", "media", "\ue000"]), simple, max_size=2)),
    st.one_of(st.none(), st.none(), simple, json_values),
    case_id=few_ids,
    source_id=st.sampled_from(["s", "S", "t"]),
    metadata=st.one_of(
        st.just({}),
        st.dictionaries(
            st.sampled_from(["locale", "n", "api_key", "\ufb33"]), st.one_of(simple, st.lists(simple, max_size=2))
        ),
    ),
)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Case, Case]:
    """A base and a candidate that mostly fit together, and are mostly plain."""
    base = draw(st.one_of(plain_cases, plain_cases, plain_cases, cases))
    candidate = draw(st.one_of(plain_cases, plain_cases, plain_cases, cases))
    if draw(st.integers(0, 9)):
        candidate = replace(candidate, source_id=base.source_id, case_id=base.case_id + "'")
    if draw(st.integers(0, 3)):
        origin = draw(origins)
        try:
            content = base.content_digest
        except DataError:
            content = origin.parent_content
        fits: dict[str, Any] = {"parent_id": base.case_id, "parent_content": content} if draw(st.integers(0, 9)) else {}
        candidate = replace(candidate, origin=replace(origin, params=draw(st.sampled_from([{}, {"n": 1}])), **fits))
    return base, candidate


def one_by_one(drawn: Iterable[Any], relation: Any, shown: Any) -> tuple[list[Question], list[Any]]:
    """The questions of pairs up to the first that cannot be judged, and what is wrong with that one."""
    found: list[Question] = []
    for index, (base, candidate) in enumerate(drawn):
        try:
            found.append(capture(base, candidate, relation=relation, labels=shown)._replace(state=None))
        except CaseError as error:
            places = [f"pairs[{index}].{(each.path or '').removeprefix('$.')}" for each in error.problems]
            return found, [replace(each, path=place) for each, place in zip(error.problems, places, strict=True)]
    return found, []


def read_all(reader: PairReader) -> tuple[list[Question], list[Any]]:
    found: list[Question] = []
    while reader.more:
        found += reader.take(3)
    assert reader.ended is None or isinstance(reader.ended, CaseError)
    return [each._replace(state=None) for each in found], [] if reader.ended is None else [*reader.ended.problems]


@given(st.lists(pairs(), min_size=1, max_size=4), relations, labels)
def test_pairs_read_together_are_those_read_one_by_one(drawn: list[Any], relation: Any, shown: Any) -> None:
    """Byte for byte, up to the first that cannot be judged, with the same error; of a list and of a stream."""
    due = one_by_one(drawn, relation, shown)
    assert read_all(PairReader(drawn, relation, shown)) == due
    assert read_all(PairReader(iter(drawn), relation, shown)) == due


@given(st.lists(pairs(), min_size=1, max_size=3), relations, labels)
def test_what_a_source_changes_later_was_captured_before(drawn: list[Any], relation: Any, shown: Any) -> None:
    """A stream may hand out one object again and again, and change it in between."""
    due = one_by_one(drawn, relation, shown)

    def source() -> Iterator[tuple[Case, Case]]:
        for base, candidate in [(deepcopy(base), deepcopy(candidate)) for base, candidate in drawn]:
            yield base, candidate
            for case in (base, candidate):
                for held in (case.metadata, case.input, *([case.origin.params] if case.origin else [])):
                    if isinstance(held, dict):
                        held["later"] = [held.pop(key, None) for key in list(held)]

    assert read_all(PairReader(source(), relation, shown)) == due


@given(st.lists(pairs(), min_size=1, max_size=3), st.sampled_from(RELATIONS), labels)
def test_states_say_what_is_shown(drawn: list[Any], relation: Any, shown: Any) -> None:
    """With numbers of the same types, where copies are made of them."""
    for each in PairReader(drawn, relation, shown, with_states=True).take(1):
        if each.state is not None:
            states = [json.dumps(case, sort_keys=True) for case in unpack(each.state)]
            assert states == [json.dumps(decode_own(case), sort_keys=True) for case in each[6:8]]


def test_ordinary_pairs_are_read_together() -> None:
    """With texts of any alphabet, objects as inputs, answers, parameters, and without an origin."""
    base = Case("Überweise 5 €\nbitte", "5, really", case_id="a", source_id="s", metadata={"tags": ["x", 1], "n": 203})
    other = Case({"to": "x", "parts": [1, {"n": None}]}, [1, 2.5], case_id="b", source_id="s", metadata={"w": 0.25})
    origin = Origin(parent_id="a", parent_content=base.content_digest, params={"sign": ","}, relation="invariant")
    drawn = [(base, replace(base, input="x", case_id="c", origin=origin)), (base, other), (other, base)]
    for shown in ("hidden", "visible"):
        found = capture_plain(drawn, "invariant", shown, with_states=False)
        assert found is not None
        assert found == one_by_one(drawn, "invariant", shown)[0]
    assert capture_plain(drawn[:1], None, "hidden", with_states=False) == one_by_one(drawn[:1], None, "hidden")[0]
    assert capture_plain(drawn, None, "hidden", with_states=False) is None


class _Text(str):
    """Text of a class of its own."""

    __slots__ = ()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("case_id", 5),
        ("case_id", _Text("b")),
        ("source_id", None),
        ("media", []),
        ("metadata", {"at": object()}),
        ("metadata", {1: 2}),
        ("metadata", {"password": "x"}),
        ("expected", object()),
        ("expected", float("nan")),
        ("origin", {"parent_id": "a"}),
        ("input", _Text("x")),
    ],
)
def test_what_is_not_plain_is_looked_at_closely(name: str, value: Any) -> None:
    """A case that was made past its own checks, too."""
    candidate = Case("y", case_id="b", source_id="s")
    candidate.__dict__[name] = value
    assert (
        capture_plain([(Case("x", case_id="a", source_id="s"), candidate)], "invariant", "visible", with_states=False)
        is None
    )


@given(st.lists(pairs(), min_size=1, max_size=2), st.sampled_from(["a/v1", "b/v2.3"]))
def test_questions_encoded_together_are_those_encoded_one_by_one(drawn: list[Any], contract: str) -> None:
    """With a line feed behind each."""
    found, _ = one_by_one(drawn, "invariant", "hidden")
    alone = [encode_question(question, contract) for question in found]
    assert encode_questions(found, contract) == [(key, line + b"\n") for key, line in alone]


said_values = st.one_of(simple, st.lists(simple, max_size=2), json_values)
verdicts = st.fixed_dictionaries(
    {"id": st.sampled_from([KEY] * 9 + ["other"]), "valid": st.sampled_from([True, True, False, None, 1, "yes"])},
    optional={
        "reason": st.one_of(texts, st.just("because"), st.just("x" * 20_000), st.just(5)),
        "base_expected": said_values,
        "variant_expected": said_values,
        "evidence": st.one_of(st.just({"a": 1}), st.just([]), json_objects),
        "more": st.just(1),
    },
)


def damaged(line: bytes, how: random.Random) -> bytes:
    """An answer with a byte more, less or other, a member twice, or a number that no reader keeps."""
    place = how.randrange(len(line))
    changes = [
        line[:place] + line[place + 1 :],
        line[:place] + how.choice([b" ", b"0", b",", b'"', b"}", b"\\u0061", b"\r", b"\xff"]) + line[place:],
        line.replace(
            b"1", how.choice([b"1.0", b"1e400", b"1e2", b"-0", b"12345678901234567890", b"[" * 190 + b"]" * 190])
        ),
        line.replace(b'"valid":', b'"valid": true, "valid":'),
        line.replace(b'"reason":', b'"r\\u0065ason": "x", "reason":'),
        line[:-1] + b',"zzz":0}',
        b"[" + line + b"]",
    ]
    return how.choice(changes)


def read_each(lines: Sequence[bytes], keys: Sequence[str]) -> list[Observation | None]:
    found: list[Observation | None] = []
    for line, key in zip(lines, keys, strict=True):
        try:
            found.append(read_answer(line, key))
        except NotTheAnswer:
            found.append(None)
    return found


@given(st.lists(verdicts, min_size=1, max_size=4), st.randoms(use_true_random=False), st.integers(0, 3))
def test_answers_read_together_are_those_read_one_by_one(said: list[Any], how: random.Random, damage: int) -> None:
    """Nothing passes at first sight that would be refused or read otherwise by itself."""
    lines = [json.dumps(each, ensure_ascii=how.random() < 0.5).encode("utf-8", "surrogatepass") for each in said]
    if not damage:
        place = how.randrange(len(lines))
        lines[place] = damaged(lines[place], how).replace(b"\n", b" ")
    keys = [KEY] * len(lines)
    together = read_answers(lines, keys)
    if together is not None:
        assert [replace(each, said=None) for each in together] == read_each(lines, keys)
        assert [canonical_bytes(each.said) for each in together] == [each.verdict for each in together]


def test_ordinary_answers_are_read_together() -> None:
    """With spaces, escapes, numbers, and without the fields that may be left out."""
    lines = [
        b'{"id": "%s", "valid": true, "reason": "gr\\u00fcn \\"x\\"", "evidence": {"read": [1, 2.5, {"a": null}]}}',
        b'{"reason":"","valid":null,"id":"%s","base_expected":"5","variant_expected":[1]}',
        b'{"id":"%s","valid":false,"reason":"x","base_expected":1,"variant_expected":2,"evidence":{}}\r',
    ]
    lines = [line % KEY.encode() for line in lines]
    together = read_answers(lines, [KEY] * 3)
    assert together is not None
    assert [replace(each, said=None) for each in together] == read_each(lines, [KEY] * 3)


@st.composite
def answered(draw: st.DrawFn) -> tuple[Terms, list[Answer]]:
    """Terms, and what came of asking about some pairs."""
    terms = read_terms(
        contract="sums/v1",
        comparator=draw(st.one_of(st.just("exact"), comparators)),
        require_answers=draw(st.booleans()),
        repeats=draw(st.sampled_from([1, 1, 2])),
    )
    drawn = draw(st.lists(pairs(), min_size=1, max_size=3))
    questions, _ = one_by_one(drawn, draw(st.sampled_from(RELATIONS)), "hidden")
    few = st.one_of(st.none(), st.sampled_from(["x", 1, True]), answers)
    verdict = st.fixed_dictionaries(
        {
            "base_expected": few,
            "evidence": st.sampled_from([{"a": 1}, {"a": 1}, {}]),
            "reason": st.sampled_from(["because", " "]),
            "valid": st.sampled_from([True, True, False, None]),
            "variant_expected": few,
        }
    )
    failed = st.lists(st.builds(Failure, st.just("validator_error"), st.just("$"), texts), max_size=1)

    def observed(said: Any, failures: list[Failure], known: bool) -> Observation:
        encoded = canonical_bytes(said)
        return Observation(encoded, failures, decode_own(encoded) if known else None)

    observations = st.one_of(
        st.builds(observed, verdict, st.just([]), st.booleans()),
        st.builds(observed, verdict, failed, st.just(False)),
        st.just(Observation(None, [Failure("validator_timeout", "$", "late")])),
    )
    return terms, [
        Answer(question, draw(st.lists(observations, min_size=terms.repeats, max_size=terms.repeats)), 0.25)
        for question in questions
    ]


@given(answered())
def test_records_made_together_are_those_made_one_by_one(drawn: tuple[Terms, list[Answer]]) -> None:
    """Byte for byte but for the moment, wherever the digest and the observed facts stand."""
    terms, given_answers = drawn
    oracle = canonical_bytes({"name": "o", "version": None, "source_sha256": None, "labels": "hidden", "repeats": 1})
    together = conclude_all(given_answers, terms, oracle, ValidationRecord)
    alone = [conclude(*each[:2], terms, oracle, ValidationRecord, each.seconds) for each in given_answers]
    for one, other in zip(together, alone, strict=True):
        other.observed["validated_at"] = one.observed["validated_at"]
        assert one.line() == other.line()
        assert one.stored_line() == other.stored_line()
        assert one.without_cases() == other.without_cases()
        assert (one.status, one.strength, one.issues, one.digest) == (
            other.status,
            other.strength,
            other.issues,
            other.digest,
        )
