"""A deterministic model for tests, examples and trying out a contract; it understands labels in any shown form."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from robust.canon import canonical_text, fold, unit_interval
from robust.errors import BackendError, Problem
from robust.records.backend_config import BackendConfig
from robust.records.contract import DecisionSpec
from robust.records.decision import distribution_problem
from robust.records.request import BackendAnswer, BackendIdentity, DecisionRequest

_LETTERED = re.compile(r"(?:[A-Za-z]\)|[0-9]+\.)\s+")
_BRACKETS = {'"': '"', "'": "'", "[": "]", "(": ")"}


def meaning(shown: str) -> str:
    """The label behind a shown form: ``B) Refund``, ``2. refund``, ``"REFUND"`` and ``[refund]`` mean ``refund``."""
    text = _LETTERED.sub("", shown.strip(), count=1)
    if len(text) > 2 and _BRACKETS.get(text[0]) == text[-1]:
        text = text[1:-1]
    return fold(text)


class MockBackend:
    """Answers by rules on the input's text, by a default, or by a seeded hash of the input.

    Args:
        config: the contract's ``backend`` section.
        decision: the decision, whose labels the configured answers must cover.
        tolerance: how far a configured answer's sum may be from 1.

    Raises:
        BackendError: a configured answer is no distribution over the labels.
    """

    inline = True
    is_async = False

    def __init__(self, config: BackendConfig, decision: DecisionSpec, tolerance: float) -> None:
        self._config = config
        answers = [
            (f"backend.rules[{index}].probabilities", rule.probabilities) for index, rule in enumerate(config.rules)
        ]
        if config.default is not None:
            answers.append(("backend.default", config.default))
        problems = [
            Problem(code="bad_backend", message=message, path=path)
            for path, answer in answers
            if (message := distribution_problem(answer, decision.label_order, tolerance))
        ]
        if problems:
            raise BackendError(*problems)
        settings = config.model_dump(mode="json", exclude={"provider", "model", "model_version"}, exclude_none=True)
        self._identity = BackendIdentity(
            name="default",
            provider="mock",
            model=config.model or "mock",
            model_version=config.model_version,
            details=settings,
        )
        self._rules = [(fold(rule.contains), rule.probabilities) for rule in config.rules]

    @property
    def identity(self) -> BackendIdentity:
        """What is tested: the provider and all of its settings."""
        return self._identity

    def decide(self, request: DecisionRequest) -> BackendAnswer:
        """Answer one request."""
        text = request.input if isinstance(request.input, str) else canonical_text(request.input)
        folded = fold(text)
        shown = request.decision.labels
        configured = next((answer for contains, answer in self._rules if contains in folded), self._config.default)
        if configured is None:
            answer = self._hashed(text, shown)
        else:
            by_meaning = {meaning(label): value for label, value in configured.items()}
            exact = set(shown) <= set(configured)
            answer = {label: configured[label] if exact else by_meaning.get(meaning(label), 0.0) for label in shown}
        answer = self._biased(self._noisy(answer, request), shown)
        return BackendAnswer(
            probabilities=answer, model=self._identity.model, model_version=self._identity.model_version
        )

    def _hashed(self, text: str, shown: tuple[str, ...]) -> dict[str, float]:
        # By meaning, so that another order or form of the labels gets the same answer.
        weights = {label: unit_interval("robust.mock/1", self._config.seed, text, meaning(label)) for label in shown}
        total = math.fsum(weights.values())
        return {label: weight / total for label, weight in weights.items()}

    def _noisy(self, answer: Mapping[str, float], request: DecisionRequest) -> dict[str, float]:
        chance = unit_interval("robust.mock-noise/1", self._config.seed, request.case_id, request.input, request.trial)
        if chance >= self._config.noise:
            return dict(answer)
        first, second = sorted(answer, key=lambda label: (-answer[label], meaning(label)))[:2]
        return {**answer, first: answer[second], second: answer[first]}

    def _biased(self, answer: Mapping[str, float], shown: tuple[str, ...]) -> dict[str, float]:
        bias = self._config.position_bias
        if not bias:
            return dict(answer)
        moved = {label: value * (1 - bias) for label, value in answer.items()}
        moved[shown[0]] += bias * math.fsum(answer.values())
        return moved
