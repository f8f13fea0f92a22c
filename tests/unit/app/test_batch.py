"""Judging many pairs: streamed, in order, whatever the number of workers."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from robust import Case, CaseError, OracleVerdict, Origin, Validation, validate_variants
from tests.builders import CONTRACT, judged, sum_case, verdict
from tests.validators import check_addition, interrupt, pause


def pairs(count: int = 20, **candidate_fields: Any) -> list[tuple[Case, Case]]:
    return [
        (sum_case(f"base-{number}"), sum_case(f"variant-{number}", f"What is 2 plus {number}?", **candidate_fields))
        for number in range(5, 5 + count)
    ]


def batch(cases: Any, **terms: Any) -> Iterator[Validation]:
    return validate_variants(
        cases, **{"relation": "counterfactual", "contract": CONTRACT, "validator": check_addition, **terms}
    )


def test_a_batch_gives_what_single_calls_give() -> None:
    """Each record's digest is that of the single judgement."""
    assert [item.digest for item in batch(pairs(5))] == [judged(check_addition, each).digest for each in pairs(5)]


@pytest.mark.parametrize("workers", [2, 4, 9])
def test_the_number_of_workers_changes_nothing(workers: int) -> None:
    """Slow and fast pairs mixed: the records come in the order of the pairs."""
    mixed = [
        (base, Case(candidate.input, case_id=candidate.case_id, source_id="source", metadata={"pause": index % 3 / 50}))
        for index, (base, candidate) in enumerate(pairs(30))
    ]
    serial = [item.digest for item in batch(mixed, validator=pause)]
    assert [item.digest for item in batch(mixed, validator=pause, workers=workers)] == serial


def test_pairs_are_read_only_as_far_as_they_are_needed() -> None:
    """The first record is there before the last pair is read, also with workers."""
    for workers in (1, 4):
        read: list[int] = []

        def source(read: list[int] = read) -> Iterator[tuple[Case, Case]]:
            for index, each in enumerate(pairs(1000)):
                read.append(index)
                yield each

        stream = batch(source(), workers=workers)
        next(stream)
        stream.close()  # type: ignore[attr-defined]
        assert len(read) <= 8 * workers + 1


def test_a_slow_pair_does_not_stop_the_others() -> None:
    """Four workers judge four pairs at once."""
    together = threading.Barrier(4, timeout=20)

    def oracle(base: Case, candidate: Case) -> OracleVerdict:
        together.wait()
        return verdict()

    assert len(list(batch(pairs(8), validator=oracle, workers=4))) == 8


def test_a_bad_pair_is_named_by_its_position() -> None:
    """Records before it are delivered; the error says where the pair stands."""
    cases = pairs(3)
    cases[2] = (cases[2][0], cases[2][0])
    stream = batch(cases)
    assert [next(stream).status, next(stream).status] == ["valid", "valid"]
    with pytest.raises(CaseError) as caught:
        next(stream)
    assert [(problem.code, problem.path) for problem in caught.value.problems] == [
        ("equal_ids", "pairs[2].candidate.case_id")
    ]


@pytest.mark.parametrize("count", [1, 2, 16, 17, 40])
def test_a_list_is_judged_as_a_stream_is(count: int) -> None:
    """A few pairs at a time: the same records in the same order, whatever their number."""
    streamed = [item.digest for item in batch(iter(pairs(count)), repeats=2)]
    assert [item.digest for item in batch(pairs(count), repeats=2)] == streamed
    assert [item.digest for item in batch(tuple(pairs(count)), repeats=2)] == streamed


@pytest.mark.parametrize("wrong", [1, 9, 30])
def test_what_is_wrong_with_a_pair_comes_behind_the_records_before_it(wrong: int) -> None:
    """Also where the pairs before it are judged together with it."""
    cases = pairs(35)
    cases[wrong] = (cases[wrong][0], cases[wrong][0])
    stream = batch(cases)
    assert [next(stream).digest for _ in range(wrong)] == [item.digest for item in batch(iter(pairs(wrong)))]
    with pytest.raises(CaseError) as caught:
        next(stream)
    assert caught.value.problems[0].path == f"pairs[{wrong}].candidate.case_id"


@pytest.mark.parametrize("interrupted", [0, 1, 12, 33])
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interruption_comes_behind_the_records_before_it(interrupted: int, error: type[BaseException]) -> None:
    """And ends the batch: nobody is asked after it."""
    asked: list[str] = []

    def oracle(base: Case, candidate: Case) -> OracleVerdict:
        asked.append(candidate.case_id)
        if len(asked) == interrupted + 1:
            raise error
        return check_addition(base, candidate)

    stream = batch(pairs(40), validator=oracle)
    for _ in range(interrupted):
        assert next(stream).status == "valid"
    with pytest.raises(error):
        next(stream)
    assert len(asked) == interrupted + 1


def test_a_list_is_judged_few_pairs_ahead_and_none_by_a_slow_oracle() -> None:
    """Whoever reads record by record waits for milliseconds at most."""
    asked: list[str] = []

    def quick(base: Case, candidate: Case) -> OracleVerdict:
        asked.append(candidate.case_id)
        return check_addition(base, candidate)

    def slow(base: Case, candidate: Case) -> OracleVerdict:
        time.sleep(0.006)
        return quick(base, candidate)

    for oracle, ahead in ((quick, 15), (slow, 0)):
        asked.clear()
        for given, _ in enumerate(batch(pairs(40), validator=oracle), start=1):
            assert given <= len(asked) <= given + ahead


def test_wrong_terms_are_refused_before_anything_is_read() -> None:
    """The call itself raises, not the first step of the iteration."""

    def unread() -> Iterator[tuple[Case, Case]]:
        raise AssertionError("a pair was read")
        yield

    wrong: list[tuple[dict[str, Any], str]] = [
        ({"contract": "addition"}, "bad_contract"),
        ({"workers": 0}, "bad_workers"),
        ({"workers": 257}, "bad_workers"),
        ({"workers": True}, "bad_workers"),
        ({"validator": 7}, "not_callable"),
    ]
    for terms, code in wrong:
        with pytest.raises(CaseError) as caught:
            batch(unread(), **terms)
        assert caught.value.code == code


def test_each_candidate_may_claim_its_own_relation() -> None:
    """Without a relation for the batch the origin's is taken; a candidate without one is an error."""
    base = sum_case()

    def candidate(case_id: str, number: int, relation: Any) -> tuple[Case, Case]:
        origin = Origin(parent_id="base", parent_content=base.content_digest, relation=relation)
        return base, sum_case(case_id, f"What is 2 plus {number}?", origin=origin)

    claimed = [candidate("up", 5, "increasing"), candidate("down", 3, "decreasing")]
    stream = batch(claimed, relation=None)
    assert [(item.data["relation"], item.status) for item in stream] == [
        ("increasing", "valid"),
        ("decreasing", "valid"),
    ]
    with pytest.raises(CaseError) as caught:
        list(batch([candidate("none", 5, None)], relation=None))
    assert caught.value.code == "unknown_relation"


@pytest.mark.parametrize("workers", [1, 3])
def test_an_interrupt_ends_the_batch(workers: int) -> None:
    """A KeyboardInterrupt in a validator reaches the caller, from a worker thread too."""
    with pytest.raises(KeyboardInterrupt):
        list(batch(pairs(5), validator=interrupt, workers=workers))


def test_no_pairs_give_no_records() -> None:
    """An empty batch is empty."""
    assert list(batch([])) == list(batch([], workers=4)) == []
