"""What a paraphraser is asked and what it answers, and whether an answer can be used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from robust.canon import (
    MAX_PART_DEPTH,
    JsonObject,
    canonical_bytes,
    describe,
    exact_text,
    fold,
    plain_parts,
    type_name,
)
from robust.errors import DataError
from robust.records.redaction import known_secrets_in, redact_known, redact_metadata
from robust.records.request import BackendFailure, BackendIdentity, Usage, is_sound_usage

MAX_DETAILS_BYTES: Final = 64 * 1024
_FIELDS: Final = frozenset(("texts", "provenance", "usage", "observed"))
# The members of a provenance that name a model: the one that was asked, and the one that says that it answered.
MODEL_KEYS: Final = ("model", "answered_by")


@dataclass(frozen=True, kw_only=True, slots=True)
class ParaphraseRequest:
    """One text to be worded anew.

    Attributes:
        case_id: the case's id.
        text: its text.
        samples: the most wordings that are wanted.
        seed: the run's seed.
    """

    case_id: str
    text: str
    samples: int
    seed: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Paraphrases:
    """The wordings of one text, and where they come from.

    Attributes:
        texts: at most as many as were asked for, none of them blank, all different; empty where there is none.
        provenance: who worded them and how: a JSON object of facts that would be the same another time.
        usage: what the call cost, where it is known.
        observed: what was seen of the call and may vary from time to time: ``attempts``, ``request_id`` and the like.
    """

    texts: tuple[str, ...]
    provenance: JsonObject
    usage: Usage | None = None
    observed: JsonObject = field(default_factory=dict)

    def to_json(self) -> JsonObject:
        """The answer as plain JSON data, so that it can be kept."""
        usage = self.usage
        return {
            "texts": list(self.texts),
            "provenance": self.provenance,
            "usage": None if usage is None else {"tokens": usage.tokens, "cost": usage.cost},
            "observed": self.observed,
        }

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """The answer of its JSON form; whether it answers a request says :func:`read_paraphrases`.

        Raises:
            DataError: it has another form.
        """
        usage = data.get("usage") if isinstance(data, dict) else None
        if (
            not isinstance(data, dict)
            or data.keys() != _FIELDS
            or not isinstance(data["texts"], list)
            or not (usage is None or (isinstance(usage, dict) and usage.keys() == {"tokens", "cost"}))
        ):
            raise DataError.of("wrong_value", "this is no kept answer of a paraphraser")
        return cls(
            texts=tuple(data["texts"]),
            provenance=data["provenance"],
            usage=None if usage is None else Usage(**usage),
            observed=data["observed"],
        )


def is_blank(text: str) -> bool:
    """Whether nothing of a text can be seen: it is empty, or all white space and characters without a shape."""
    if text[:1].isalnum():
        return False  # told at once of most
    return not any(character.isprintable() and character != " " for character in text)


def wording_problem(text: Any) -> str | None:
    """Why a value cannot be a text's other wording, or None."""
    if type(text) is not str:
        return f"must be text, not {describe(text)}"
    if "\x00" in text:
        return "holds a NUL character"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "holds a lone surrogate"
    return "is blank" if is_blank(text) else None


def wordings_problem(texts: Sequence[Any]) -> tuple[int, str] | None:
    """The first of some wordings that cannot be one, from 0, and why; two that differ in white space alone are one."""
    seen: dict[str, int] = {}
    for index, text in enumerate(texts):
        problem = wording_problem(text)
        if problem is not None:
            return index, problem
        first = seen.setdefault(fold(text, case=False), index)
        if first != index:
            return index, f"says the same as number {first + 1}"
    return None


def answer_problem(texts: Sequence[Any], request: ParaphraseRequest) -> str | None:
    """Why some wordings are no answer to a request, in words that quote nothing of them; None where they are one.

    A known secret in a wording that was not in the text is refused: wordings are stored, and shown to other models.
    """
    if len(texts) > request.samples:
        return f"there are {len(texts)} paraphrases, and at most {request.samples} were asked for"
    wrong = wordings_problem(texts)
    if wrong is not None:
        return f"paraphrase {wrong[0] + 1} {wrong[1]}"
    given = known_secrets_in(request.text)
    for number, text in enumerate(texts, 1):
        if known_secrets_in(text) - given:
            return f"paraphrase {number} holds the value of a credential"
    return None


def read_paraphrases(value: Any, request: ParaphraseRequest) -> Paraphrases:
    """What a paraphraser gave, checked, detached and without known secrets; nothing of it is repaired.

    Raises:
        BackendFailure: ``invalid_response``: it is no answer to this request, or no portable JSON.
    """
    if not isinstance(value, Paraphrases):
        message = f"a paraphraser must give Paraphrases, not {type_name(value)}"
        raise BackendFailure("invalid_response", message)
    usage = value.usage if is_sound_usage(value.usage) else None
    problem = None if usage is value.usage else "usage must be a Usage of sound numbers"
    texts: Any = value.texts
    if not isinstance(texts, tuple | list):
        problem = problem or f"texts must be a tuple of texts, not {describe(texts)}"
    else:
        texts = tuple(map(exact_text, texts))
        problem = problem or answer_problem(texts, request)
    parts: list[JsonObject] = []
    for name in ("provenance", "observed"):
        part, wrong = _read_part(name, getattr(value, name))
        problem = problem or wrong
        parts.append(part)
    if problem is not None:
        raise BackendFailure("invalid_response", problem, observed=parts[1], usage=usage)
    return Paraphrases(texts=texts, provenance=parts[0], usage=usage, observed=parts[1])


def _read_part(name: str, value: Any) -> tuple[JsonObject, str | None]:
    part, refused = plain_parts(value, max_depth=MAX_PART_DEPTH)
    if refused or not isinstance(part, dict):
        return {}, f"{name} must be a JSON object"
    size = len(canonical_bytes(part))
    if size > MAX_DETAILS_BYTES:
        return {}, f"{name} has {size} bytes, over the limit of {MAX_DETAILS_BYTES}"
    clean: JsonObject = redact_known(redact_metadata(part))
    return clean, None


def same_model(provenance: Mapping[str, Any], backend: BackendIdentity) -> bool:
    """Whether the model under test worded its own test, as far as the names of models tell.

    No oracle, it decides nothing; but a model may find its own words easier than other people's, so this is worth a
    warning.

    Args:
        provenance: that of a paraphraser or of its answer; the model that answered is looked at, too.
        backend: what is tested.
    """
    tested = fold(backend.model or "")
    names = (provenance.get(key) for key in MODEL_KEYS)
    return bool(tested) and tested in {fold(name) for name in names if isinstance(name, str)}
