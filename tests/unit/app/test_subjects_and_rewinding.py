"""Subjects that no record can hold, and cached systems in everything that asks them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from robust import Relation, UsageError, cached_system, check, check_many, judge_bias, length_bias, unchanged
from robust.app.checking import replay_trial

MORE = Relation("more", lambda number: number + 1, unchanged(), deterministic=True)
CASES = [{"answers": ["a good one", "a poor one"]}, {"answers": ["one poor", "one good"]}]
ASKING: dict[str, Callable[[Any], object]] = {
    "check": lambda system: check(system, 1, [MORE]),
    "check_many": lambda system: check_many(system, [1, 2], [MORE], workers=1),
    "replay_trial": lambda system: replay_trial(system, 1, MORE),
}
JUDGING: dict[str, Callable[[Any], object]] = {
    "judge_bias": lambda judge: judge_bias(judge, CASES),
    "length_bias": lambda judge: length_bias(judge, CASES),
}


@pytest.mark.parametrize("subject", ["\ud800", "a\x00b", "two\nlines", "\x1b[31m", "\x85", "a\u2028b"])
def test_a_subject_that_no_record_can_hold_is_refused_before_anything_is_asked(subject: str) -> None:
    """It says where, in characters that can be shown."""
    asked: list[int] = []
    for call in (
        lambda: check(asked.append, 1, [MORE], subject=subject),
        lambda: check_many(asked.append, [1], [MORE], subject=subject),
    ):
        with pytest.raises(UsageError, match=r"there is U\+[0-9A-F]{4} at position \d") as refused:
            call()
        assert refused.value.problems[0].path == "subject"
        assert str(refused.value).isprintable()
    assert asked == []


@pytest.mark.parametrize("name", ASKING)
def test_a_cached_system_is_paid_once_by_everything_that_asks_it(name: str) -> None:
    """Each begins at the first trial."""
    system = cached_system(lambda number: number)
    ASKING[name](system)
    paid = system.calls
    ASKING[name](system)
    assert system.calls == paid > 0


@pytest.mark.parametrize("name", JUDGING)
def test_a_cached_judge_is_paid_once(name: str) -> None:
    """Likewise."""
    judge = cached_system(lambda case: next(answer for answer in case["answers"] if "good" in answer))
    JUDGING[name](judge)
    paid = judge.calls
    JUDGING[name](judge)
    assert judge.calls == paid > 0
