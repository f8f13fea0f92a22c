"""Reading probabilities out of chat answers: pure functions from JSON to numbers, which never add mass of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from robust.canon import describe

# How tokenizers write a blank before a word, where a server does not turn it back into one.
_BLANKS: Final = " \t\r\n▁ĠĊ"
# Sums of probabilities that were rounded to a few digits may be a little over 1.
_MASS_SLACK: Final = 1e-3


class AnswerError(ValueError):
    """Why an answer is none; in words that quote nothing of it."""


class OptionMass(NamedTuple):
    """Probabilities of the options, given that one of them is answered, and how probable that was."""

    probabilities: tuple[float, ...]
    label_mass: float


def first_choice(value: Any) -> dict[str, Any]:
    """The first choice of a chat answer.

    Raises:
        AnswerError: there is none.
    """
    choices = value.get("choices") if isinstance(value, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise AnswerError("choices must be a list that holds an object")
    choice: dict[str, Any] = choices[0]
    return choice


def answer_text(choice: dict[str, Any]) -> str:
    """The text of a choice.

    Raises:
        AnswerError: it has none.
    """
    message = choice.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, str):
        raise AnswerError(f"choices[0].message.content must be text, not {describe(content)}")
    return content


def read_option_mass(choice: dict[str, Any], marks: Sequence[str]) -> OptionMass:
    """The probabilities of options by the alternatives to the first answer token.

    A token names an option when it is the option's mark, but for blanks around it; several that name one are added up.
    The first answer token is the first that is not blank. For option i with the summed probability m_i,
    p_i = m_i / Σ m_j and the mass is Σ m_j, computed by logarithms, so that very small masses keep their ratios.

    Args:
        choice: the choice, with ``logprobs.content[…].top_logprobs``.
        marks: the options' marks.

    Raises:
        AnswerError: an option is not among the alternatives, or they are not as they must be.
    """
    found: dict[str, list[float]] = {mark: [] for mark in marks}
    for token, logarithm in _alternatives(choice):
        mark = token.strip(_BLANKS)
        if mark in found:
            found[mark].append(logarithm)
    missing = [mark for mark, logarithms in found.items() if not logarithms]
    if missing:
        which = f"option {missing[0]} is" if len(missing) == 1 else f"options {', '.join(missing)} are"
        raise AnswerError(f"{which} not among the tokens returned, so that the probability is not known")
    masses = [_log_sum(logarithms) for logarithms in found.values()]
    whole = _log_sum(masses)
    label_mass = math.exp(whole) if whole < 1 else math.inf
    if label_mass > 1 + _MASS_SLACK:
        raise AnswerError("the options' tokens have more than all probability together")
    return OptionMass(tuple(math.exp(mass - whole) for mass in masses), label_mass)


def _alternatives(choice: dict[str, Any]) -> list[tuple[str, float]]:
    logprobs = choice.get("logprobs")
    content = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(content, list) or not content:
        raise AnswerError("there are no logprobs; the endpoint or the model may not support them")
    for position in content:
        token = position.get("token") if isinstance(position, dict) else None
        if not isinstance(token, str):
            raise AnswerError("logprobs.content must be a list of objects with a token")
        if token.strip(_BLANKS):
            return _checked(position.get("top_logprobs"))
    raise AnswerError("the answer holds nothing but blanks; a larger max_tokens may let it get further")


def _checked(alternatives: Any) -> list[tuple[str, float]]:
    if not isinstance(alternatives, list) or not alternatives:
        raise AnswerError("top_logprobs must be a list that is not empty")
    checked = []
    for alternative in alternatives:
        token = alternative.get("token") if isinstance(alternative, dict) else None
        logarithm = alternative.get("logprob") if isinstance(alternative, dict) else None
        if not isinstance(token, str) or isinstance(logarithm, bool) or not isinstance(logarithm, int | float):
            raise AnswerError("top_logprobs must hold objects with a token and a logprob that is a number")
        checked.append((token, float(logarithm)))
    return checked


def _log_sum(logarithms: Sequence[float]) -> float:
    """The logarithm of Σ exp(x), without leaving the range of doubles."""
    highest = max(logarithms)
    return highest + math.log(math.fsum(math.exp(each - highest) for each in logarithms))
