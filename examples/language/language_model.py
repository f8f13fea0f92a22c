"""The model under test: the published ``py3langid``, asked for a probability of each of ten languages."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import Final

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from robust import CallableBackend, DecisionRequest

NAME: Final = "py3langid"
VERSION: Final = version(NAME)
LANGUAGES: Final = ("da", "de", "en", "es", "nl", "no", "pt", "ru", "sv", "uk")


@cache
def identifier() -> LanguageIdentifier:
    """The model, read once from the file that the package ships, and restricted to the ten languages."""
    loaded = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    loaded.set_languages(LANGUAGES)
    return loaded


def language_probabilities(text: str) -> dict[str, float]:
    """The probability of each language, as the model gives it.

    The model itself normalises over the ten languages, in float32. Its numbers are handed on as they are: turned into
    Python floats, which is exact, and not divided by their sum again. That sum is off by less than 1e-6, since ten
    float32 numbers are added with nine roundings of at most 2^-24 each, and divided with one more. The contract's
    ``probability_tolerance`` says so, and an answer beyond it would be refused, not repaired.
    """
    ranked: dict[str, float] = dict(identifier().rank(text))
    return {language: ranked[language] for language in LANGUAGES}


def decide(request: DecisionRequest) -> dict[str, float]:
    """Answer one request, whose input is a text and whose labels are the ten languages."""
    if not isinstance(request.input, str):
        raise TypeError("the input must be a text")
    return language_probabilities(request.input)


def make_backend() -> CallableBackend:
    """The model as a backend in this process; one call takes less than handing it to a thread would."""
    identifier()  # read now, so that the first call takes no longer than the others
    details = {"languages": list(LANGUAGES), "norm_probs": True}
    return CallableBackend(decide, name=NAME, model=NAME, version=VERSION, details=details, inline=True)
