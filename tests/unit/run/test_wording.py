"""Asking a paraphraser during a run: within the budget, kept for going on, in threads or on the loop, and let go."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robust import BackendError, BackendFailure, Case, ParaphraseRequest, Paraphrases, Usage, verify
from robust.canon import JsonObject
from robust.run.budget import Budget, Limits
from robust.run.execute import run_coroutine
from robust.run.pairs import BaseCase
from robust.run.property_plan import plan_properties
from robust.run.wording import Wording
from robust.store.cache import AnswerStore
from robust.store.contracts import read_contract
from tests.property_runs import FLIP, contract, install_words, pairs_of, run, words
from tests.run_fixtures import numbers, right_model

SOURCE: JsonObject = {"provider": "words"}


class Wordy:
    """A paraphraser that words every text once, or does what it was told for one.

    Args:
        told: by text: an exception to raise, or what to give.
        settings: its other members.
    """

    provenance: JsonObject = {"provider": "wordy"}  # noqa: RUF012 - as any paraphraser has it

    def __init__(self, told: dict[str, Any] | None = None, **settings: Any) -> None:
        self._told = told or {}
        self.asked: list[ParaphraseRequest] = []
        self.at_once = self.most = 0
        for name, value in settings.items():
            setattr(self, name, value)

    def paraphrase(self, request: ParaphraseRequest) -> Any:
        """Word a text."""
        self.asked.append(request)
        given = self._told.get(request.text)
        if isinstance(given, BaseException):
            raise given
        usage = Usage(tokens=2, cost=0.25)
        return given or Paraphrases(texts=(f"So: {request.text}",), provenance=self.provenance, usage=usage)

    def sent(self, request: ParaphraseRequest) -> JsonObject | None:
        """What identifies an answer."""
        return {"text": request.text}


def _bases(*texts: Any) -> list[BaseCase]:
    return [
        BaseCase.of(
            place, Case(text, case_id=f"c{place}", source_id="s"), None, None if text == "failed" else (0.5, 0.5)
        )
        for place, text in enumerate(texts)
    ]


def _worded(
    paraphraser: Any, *texts: Any, budget: Budget | None = None, own: Any = None, at_once: int = 2
) -> list[Any]:
    """What came of each text: the wordings, the kind of an error, or None."""
    made = read_contract(contract({"paraphrase": {**FLIP, "samples": 3, "source": SOURCE}}))
    wording = Wording(
        plan_properties(made),
        paraphraser,
        seed=7,
        concurrency=at_once,
        budget=budget or Budget(limits=Limits()),
        own=own,
    )

    async def collect() -> list[Any]:
        return [worded async for _, worded in wording.over(iter(_bases(*texts)))]

    found = run_coroutine(collect())
    return [worded.texts if isinstance(worded, Paraphrases) else worded and worded.error for worded in found]


def test_each_base_is_worded_in_order_with_the_runs_seed() -> None:
    """But not one without text, or one that was not decided."""
    wordy = Wordy()
    assert _worded(wordy, "a", {"n": 1}, " ", "failed", "b") == [("So: a",), None, None, "original_error", ("So: b",)]
    assert sorted((r.case_id, r.text, r.samples, r.seed) for r in wordy.asked) == [("c0", "a", 3, 7), ("c4", "b", 3, 7)]


def test_what_goes_wrong_is_an_error_of_its_case() -> None:
    """A failure, a crash, an exit, and an answer that is none."""
    told = {
        "down": BackendFailure("unavailable", "down"),
        "crash": ZeroDivisionError("x"),
        "exit": SystemExit(0),
        "odd": {"texts": ["x"]},
        "twice": Paraphrases(texts=("x", "x"), provenance={"provider": "wordy"}),
        "many": Paraphrases(texts=("a", "b", "c", "d"), provenance={"provider": "wordy"}),
    }
    assert _worded(Wordy(told), *told, "fine") == ["paraphrase_error"] * 6 + [("So: fine",)]


def test_words_without_an_origin_are_those_of_the_paraphraser() -> None:
    """A record of a paraphrase always says who worded it."""
    made = read_contract(contract({"paraphrase": {**FLIP, "source": SOURCE}}))
    wordy = Wordy({"a": Paraphrases(texts=("b",), provenance={})})
    wording = Wording(plan_properties(made), wordy, seed=0, concurrency=1, budget=Budget(limits=Limits()), own=None)

    async def only() -> Any:
        (worded,) = [worded async for _, worded in wording.over(iter(_bases("a")))]
        return worded

    assert run_coroutine(only()).provenance == {"provider": "wordy"}


def test_one_that_can_word_nothing_ends_the_run() -> None:
    """As a backend without its credential does."""
    with pytest.raises(BackendError, match="no key"):
        _worded(Wordy({"b": BackendError.of("no_credential", "no key")}), "a", "b", "c")


def test_calls_are_paid_from_the_budget_of_the_run() -> None:
    """With their tokens and cost; what is in this process costs nothing."""
    budget = Budget(limits=Limits(calls=2))
    assert _worded(Wordy(), *"abcd", budget=budget, at_once=1) == [("So: a",), ("So: b",), *["budget_exhausted"] * 2]
    assert (budget.calls, budget.tokens, budget.cost) == (2, 4, 0.5)
    free = Budget(limits=Limits(calls=0))
    assert _worded(Wordy(inline=True), *"ab", budget=free) == [("So: a",), ("So: b",)]
    assert free.calls == 0


def test_calls_never_exceed_their_budget_whatever_a_text_may_come_to() -> None:
    """The retries of one that may need three calls are set aside before it is asked."""
    budget = Budget(limits=Limits(calls=4))
    assert _worded(Wordy(calls_per_paraphrase=3), *"abc", budget=budget, at_once=1) == [
        ("So: a",),
        ("So: b",),
        "budget_exhausted",
    ]
    assert budget.calls == 2


def test_what_was_worded_is_kept_and_not_asked_for_again(tmp_path: Path) -> None:
    """Errors are; what cannot be identified is, too; what is damaged is asked for again."""
    wordy = Wordy({"down": BackendFailure("unavailable", "down", usage=Usage(tokens=1))})
    with AnswerStore(tmp_path / "answers.sqlite") as store:
        for _ in range(2):
            assert _worded(wordy, "a", "down", own=store) == [("So: a",), "paraphrase_error"]
        assert sorted(request.text for request in wordy.asked) == ["a", "down", "down"]
        assert store.spent() == {"calls": 3, "tokens": 4, "cost": 0.25}
        nameless = Wordy(sent=lambda request: None)
        for _ in range(2):
            _worded(nameless, "a", own=store)
        assert len(nameless.asked) == 2


def test_no_more_are_asked_at_once_than_the_concurrency() -> None:
    """On the loop, where they give awaitables."""

    class Slow(Wordy):
        is_async = True

        async def paraphrase(self, request: ParaphraseRequest) -> Any:
            self.at_once += 1
            self.most = max(self.most, self.at_once)
            await asyncio.sleep(0.001)
            self.at_once -= 1
            return super().paraphrase(request)

    slow = Slow()
    assert _worded(slow, *map(str, range(20)), at_once=3) == [(f"So: {n}",) for n in range(20)]
    assert slow.most == 3


def test_bases_are_read_only_as_far_as_answers_can_wait() -> None:
    """Memory does not grow with the work."""
    read = 0

    def bases() -> Iterator[BaseCase]:
        nonlocal read
        for base in _bases(*map(str, range(200))):
            read += 1
            yield base

    made = read_contract(contract({"paraphrase": {**FLIP, "source": SOURCE}}))
    wording = Wording(
        plan_properties(made), Wordy(inline=True), seed=0, concurrency=2, budget=Budget(limits=Limits()), own=None
    )

    async def first() -> int:
        async for _ in wording.over(bases()):
            return read
        return -1

    assert run_coroutine(first()) == 8


def test_a_run_whose_budget_ends_at_a_wording_is_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The case's pair is an error of the budget, whose answer was never asked for, nor its further trials."""
    install_words(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    texts = {"number 5": ["amount 5"], "number 6": ["amount 6"], "number 7": ["amount 7"]}
    settings = {"paraphrase": {**FLIP, "trials": 2, "source": words(tmp_path, texts)}}
    finished = run(
        tmp_path,
        settings,
        numbers(*texts),
        right_model,
        noise={"baseline_runs": 2},
        max_calls=7,
        max_concurrency=1,
    )
    kinds = [(pair.get("error", {}).get("kind"), len(pair["steps"])) for pair in pairs_of(finished)]
    assert ("budget_exhausted", 0) in kinds
    assert finished.report["observed"]["calls"] == 7
    assert finished.status == "fail"
    assert verify(finished.path).holds
