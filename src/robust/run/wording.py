"""Asking a paraphraser about base cases before their pairs are planned."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Final

from robust.canon import canonical_bytes, digest_value, parse_canonical
from robust.errors import BackendError, RobustError
from robust.records.failure import describe_exception
from robust.records.paraphrase import ParaphraseRequest, Paraphrases, read_paraphrases
from robust.records.request import BackendFailure
from robust.records.seams import AnswerCache, Paraphraser
from robust.run.answers import Answer, failed
from robust.run.budget import Budget, calls_made
from robust.run.pairs import BaseCase
from robust.run.property_plan import PropertyPlan
from robust.run.window import each, in_order
from robust.transforms.rewriting import RewordingTransformation

_SCHEMA: Final = "robust.wording/1"
_UNDECIDED: Final = failed("original_error", "its base was not decided; it was not worded otherwise")
_SPENT: Final = failed("budget_exhausted", "the budget was spent; it was not worded otherwise")

Worded = Paraphrases | Answer | None


class Wording:
    """Words base cases anew, where a property asks for it.

    Args:
        plans: the properties that generate candidates.
        paraphraser: who words; None where no property asks for it.
        seed: the run's.
        concurrency: the most calls in flight.
        budget: what may be spent, together with the calls of the backend.
        own: where this run keeps what it paid for, so that it can be continued.
    """

    def __init__(
        self,
        plans: Sequence[PropertyPlan],
        paraphraser: Paraphraser | None,
        *,
        seed: int,
        concurrency: int,
        budget: Budget,
        own: AnswerCache | None,
    ) -> None:
        reworded = [(plan, plan.rewords) for plan in plans if plan.rewords is not None]
        self._transformation: RewordingTransformation | None = reworded[0][1] if reworded else None
        self._samples = int(getattr(reworded[0][0].settings, "samples", 1)) if reworded else 0
        self._paraphraser = paraphraser
        self._seed = seed
        self._concurrency = concurrency
        self._budget = budget
        self._own = own
        self.kept = 0
        self.most = sum(_most(plan) for plan in plans)

    async def over(self, bases: Iterator[BaseCase]) -> AsyncGenerator[tuple[BaseCase, Worded], None]:
        """Each base case in order, with its other wordings, or the error that took their place."""
        if self._paraphraser is None or self._transformation is None:
            for base in bases:
                yield base, None
            return
        async with aclosing(in_order(each(bases), self._worded, self._concurrency)) as found:
            async for pair in found:
                yield pair

    async def _worded(self, base: BaseCase) -> Worded:
        text = None if self._transformation is None else self._transformation.text(base.case.input)
        if text is None:
            return None
        if base.probabilities is None:
            return _UNDECIDED
        return await self._word(
            ParaphraseRequest(case_id=base.case.case_id, text=text, samples=self._samples, seed=self._seed)
        )

    async def _word(self, request: ParaphraseRequest) -> Paraphrases | Answer:
        paraphraser = self._paraphraser
        assert paraphraser is not None  # noqa: S101 - asked only where there is one
        try:
            if getattr(paraphraser, "inline", False):
                return await self._call(paraphraser, request)  # what costs nothing is no call, and is not kept
            key = self._key(paraphraser, request)
            known = None if key is None else self._look_up(key, request)
            return await self._pay(paraphraser, request, key) if known is None else known
        except (KeyboardInterrupt, asyncio.CancelledError, BackendError):
            raise
        except BackendFailure as failure:
            return failed("paraphrase_error", f"{failure.kind}: {failure}", failure.observed, failure.usage)
        except BaseException as error:  # noqa: BLE001 - the paraphraser is not ours
            return failed("paraphrase_error", describe_exception(error))

    async def _pay(self, paraphraser: Paraphraser, request: ParaphraseRequest, key: str | None) -> Paraphrases | Answer:
        """Ask within the budget, and keep what was paid for.

        Raises:
            BackendFailure: it could not be done for this text.
        """
        most = max(1, int(getattr(paraphraser, "calls_per_paraphrase", 1)))
        if not await self._budget.reserve(most):
            return _SPENT
        made: Paraphrases | BackendFailure | None = None
        try:
            made = await self._call(paraphraser, request)
        except BackendFailure as failure:
            made = failure
        finally:
            seen, usage = ({}, None) if made is None else (made.observed, made.usage)
            spent = await self._budget.settle(most, calls_made(seen), usage)
            if self._own is not None and (key is None or not isinstance(made, Paraphrases)):
                self._own.add_spent(*spent)
        if self._own is not None:
            if key is not None and isinstance(made, Paraphrases):
                self._own.put(key, canonical_bytes(made.to_json()), spent=spent)
                self.kept += 1
            # Before the next call takes this one's place: a kill then costs no more than the calls in flight.
            await asyncio.wrap_future(self._own.on_disk())
        if isinstance(made, BackendFailure):
            raise made
        return made

    async def _call(self, paraphraser: Paraphraser, request: ParaphraseRequest) -> Paraphrases:
        if getattr(paraphraser, "inline", False) or getattr(paraphraser, "is_async", False):
            given: Any = paraphraser.paraphrase(request)
        else:
            given = await asyncio.to_thread(paraphraser.paraphrase, request)
        given = await given if inspect.isawaitable(given) else given
        if isinstance(given, Paraphrases) and not given.provenance:
            # Every paraphrase says where it comes from, if only who gave it.
            given = replace(given, provenance=paraphraser.provenance)
        return read_paraphrases(given, request)

    def _key(self, paraphraser: Paraphraser, request: ParaphraseRequest) -> str | None:
        sent = getattr(paraphraser, "sent", None)
        if sent is None or self._own is None or getattr(paraphraser, "inline", False):
            return None
        what = sent(request)
        return None if what is None else digest_value({"schema": _SCHEMA, "sent": what})

    def _look_up(self, key: str, request: ParaphraseRequest) -> Paraphrases | None:
        kept = None if self._own is None else self._own.get(key)
        if kept is None:
            return None
        try:
            return read_paraphrases(Paraphrases.from_json(parse_canonical(kept)), request)
        except (RobustError, BackendFailure):
            return None  # damaged: asked again


def _most(plan: PropertyPlan) -> int:
    """The most candidates that a property makes of a case."""
    settings: Any = plan.settings
    return len(settings.deltas) if plan.name == "monotonic" else int(settings.samples)
