"""A deterministic model for tests, examples and trying out a contract; it understands labels in any shown form."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from robust.backends.in_process import sent_in_process
from robust.backends.shown_forms import meaning
from robust.canon import (
    JsonObject,
    canonical_bytes,
    canonical_part,
    canonical_text,
    fold,
    unit_interval,
    unit_intervals,
)
from robust.errors import BackendError, Problem
from robust.records.backend_config import MockConfig
from robust.records.decision import distribution_problem
from robust.records.decision_spec import DecisionSpec
from robust.records.request import BackendAnswer, BackendIdentity, DecisionRequest

# How many orders and forms of the labels are remembered with what follows from them.
_REMEMBERED = 1024


@dataclass(frozen=True, slots=True)
class _Shown:
    """What follows from labels as shown.

    Attributes:
        labels: the labels, in their order.
        answers: the configured answers by these labels: one for each rule, in order, and last the default's.
        ends: for the hash, the end of what is hashed for each label.
    """

    labels: tuple[str, ...]
    answers: tuple[dict[str, float], ...]
    ends: tuple[bytes, ...]


class MockBackend:
    """Answers by rules on the input's text, by a default, or by a seeded hash of the input.

    Args:
        config: the backend's section of the contract.
        decision: the decision, whose labels the configured answers must cover.
        tolerance: how far a configured answer's sum may be from 1.
        name: the backend's name in the contract.

    Raises:
        BackendError: a configured answer is no distribution over the labels.
    """

    inline = True
    is_async = False
    pure = True

    def __init__(self, config: MockConfig, decision: DecisionSpec, tolerance: float, *, name: str = "default") -> None:
        place = "backend" if name == "default" else f"backends.{name}"
        placed = [
            (f"{place}.rules[{index}].probabilities", rule.probabilities) for index, rule in enumerate(config.rules)
        ]
        placed += [] if config.default is None else [(f"{place}.default", config.default)]
        problems = [
            Problem(code="bad_backend", message=message, path=path)
            for path, answer in placed
            if (message := distribution_problem(answer, decision.label_order, tolerance))
        ]
        if problems:
            raise BackendError(*problems)
        settings = config.model_dump(mode="json", exclude={"provider", "model", "model_version"}, exclude_none=True)
        self._identity = BackendIdentity(
            name=name,
            provider="mock",
            model=config.model or "mock",
            model_version=config.model_version,
            details=settings,
        )
        self._identity_json = self._identity.to_json()
        self._seed, self._noise, self._bias = config.seed, config.noise, config.position_bias
        self._contained = [fold(rule.contains) for rule in config.rules]
        self._configured = [answer for _, answer in placed]
        self._has_default = config.default is not None
        self._start = canonical_bytes(["robust.mock/1", config.seed])[:-1] + b","
        self._look_up = lru_cache(_REMEMBERED)(self._look_at)
        self._last = self._look_at(decision.label_order)

    @property
    def identity(self) -> BackendIdentity:
        """What is tested: the provider and all of its settings."""
        return self._identity

    def sent(self, request: DecisionRequest) -> JsonObject | None:
        """Everything that the answer depends on but for the trial; None unless ``model_version`` is set."""
        return sent_in_process(self._identity_json, request)

    def decide(self, request: DecisionRequest) -> BackendAnswer:
        """Answer one request."""
        text = request.input if isinstance(request.input, str) else canonical_text(request.input)
        shown = self._shown(request.decision.labels)
        configured = self._matching(text)
        answer = self._hashed(text, shown) if configured is None else shown.answers[configured].copy()
        if self._noise:
            answer = self._noisy(answer, request)
        if self._bias:
            answer = self._biased(answer, request.decision.labels)
        return BackendAnswer(
            probabilities=answer, model=self._identity.model, model_version=self._identity.model_version
        )

    def _shown(self, labels: tuple[str, ...]) -> _Shown:
        # Mostly the very labels of the question before, which is told without comparing them.
        last = self._last
        if last.labels is not labels:
            last = self._last = self._look_up(labels)
        return last

    def _look_at(self, labels: tuple[str, ...]) -> _Shown:
        answers = []
        for configured in self._configured:
            by_meaning = {meaning(label): value for label, value in configured.items()}
            # Exact labels go before what they might mean.
            exact = set(labels) <= set(configured)
            answers.append(
                {label: configured[label] if exact else by_meaning.get(meaning(label), 0.0) for label in labels}
            )
        ends = tuple(canonical_bytes(meaning(label)) + b"]" for label in labels)
        return _Shown(labels, tuple(answers), ends)

    def _matching(self, text: str) -> int | None:
        """The position of the configured answer to a text: the first rule that matches, else the default."""
        if self._contained:
            folded = fold(text)
            for index, contained in enumerate(self._contained):
                if contained in folded:
                    return index
        return len(self._contained) if self._has_default else None

    def _hashed(self, text: str, shown: _Shown) -> dict[str, float]:
        # The unit_interval of seed, text and meaning, with what all labels share encoded once. By meaning, so that
        # another order or form of the labels gets the same answer.
        weights = unit_intervals(self._start + canonical_part(text) + b",", shown.ends)
        total = math.fsum(weights)
        return dict(zip(shown.labels, [weight / total for weight in weights], strict=True))

    def _noisy(self, answer: dict[str, float], request: DecisionRequest) -> dict[str, float]:
        chance = unit_interval("robust.mock-noise/1", self._seed, request.case_id, request.input, request.trial)
        if chance >= self._noise:
            return answer
        first, second = sorted(answer, key=lambda label: (-answer[label], meaning(label)))[:2]
        return {**answer, first: answer[second], second: answer[first]}

    def _biased(self, answer: Mapping[str, float], shown: tuple[str, ...]) -> dict[str, float]:
        moved = {label: value * (1 - self._bias) for label, value in answer.items()}
        moved[shown[0]] += self._bias * math.fsum(answer.values())
        return moved
