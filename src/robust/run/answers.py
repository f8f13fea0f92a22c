"""From what a backend gave to a validated answer; nothing is ever repaired."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

from robust.canon import MAX_PART_DEPTH, JsonObject, canonical_bytes, exact_text, plain_parts, type_name
from robust.records.decision import SUM_EDGE, ErrorKind, distribution_problem, tidy_number
from robust.records.failure import cap_text, describe_exception
from robust.records.redaction import redact_known, redact_metadata, redact_text
from robust.records.request import (
    BACKEND_FAILURE_KINDS,
    BackendAnswer,
    BackendFailure,
    DecisionRequest,
    Usage,
    is_sound_usage,
)

MAX_METADATA_BYTES = 64 * 1024
_BACKEND_ANSWER: Final = frozenset((BackendAnswer,))
_DICT: Final = frozenset((dict,))
# What an answer has, in the order in which it is made.
_FIELDS: Final = {tuple(vars(BackendAnswer(probabilities={})))}
_NUMBER: Final = frozenset((float, int))
_TEXT_OR_NONE: Final = frozenset((str, type(None)))


class Answer(NamedTuple):
    """What came of one call: probabilities in the order of the labels shown, or the kind of error."""

    probabilities: tuple[float | int, ...] | None
    error: ErrorKind | None
    model: str | None
    model_version: str | None
    usage: Usage | None
    observed: JsonObject


def failed(kind: ErrorKind, message: str, observed: JsonObject | None = None, usage: Usage | None = None) -> Answer:
    """An answer that is a typed error; what it says of itself holds no secret that is known."""
    return Answer(None, kind, None, None, usage, {**(observed or {}), "message": redact_text(message)})


def read_answer(raw: Any, request: DecisionRequest, tolerance: float, observed: JsonObject | None = None) -> Answer:
    """Validate a backend's raw answer.

    Args:
        raw: what the backend gave.
        request: what it was asked.
        tolerance: how far the sum of the probabilities may be from 1.
        observed: what was seen of the call, beside what the answer itself says of it.
    """
    try:
        answer = _read(raw, request, tolerance, observed or {})
    except Exception as error:  # noqa: BLE001 - an object of the model's own may raise anything
        return failed("invalid_response", _unreadable(error), observed)
    return answer


def _read(raw: Any, request: DecisionRequest, tolerance: float, seen: JsonObject) -> Answer:
    answer: Any = raw if isinstance(raw, BackendAnswer) else BackendAnswer(probabilities=raw)
    probabilities = answer.probabilities
    if type(probabilities) is dict:
        values = plain_values(probabilities, request.decision.labels, tolerance)
        if values is not None and not answer.metadata and not answer.observed and answer.usage is None:
            model, version = answer.model, answer.model_version
            if _is_plain_text(model) and _is_plain_text(version):
                return Answer(values, None, redact_known(model), redact_known(version), None, seen)
    read = _read_closely(answer, request, tolerance)
    return read._replace(observed={**read.observed, **seen}) if seen else read


class PlainAnswers(NamedTuple):
    """Answers of one model that are in order at first sight, of which nothing else was observed.

    Attributes:
        probabilities: each in the order of the labels shown.
        model: who answered, where it said so.
        model_version: likewise.
    """

    probabilities: list[tuple[float, ...]]
    model: str | None
    model_version: str | None


def read_plain_answers(raws: Sequence[Any], labels: tuple[str, ...], tolerance: float) -> PlainAnswers | None:
    """Validate many raw answers at once; None where one of them has to be looked at by itself.

    Args:
        raws: what a backend gave, of which it changes nothing any more.
        labels: the labels that were shown.
        tolerance: how far the sum of the probabilities may be from 1.
    """
    try:
        return _read_plain(raws, labels, tolerance)
    except Exception:  # noqa: BLE001 - an object of the model's own may raise anything
        return None


def _read_plain(raws: Sequence[Any], labels: tuple[str, ...], tolerance: float) -> PlainAnswers | None:
    if not _BACKEND_ANSWER.issuperset(map(type, raws)):
        return None
    fields: list[JsonObject] = [vars(raw) for raw in raws]
    if set(map(tuple, fields)) != _FIELDS:
        return None
    found, models, versions, metadata, usages, observed = zip(*map(dict.values, fields), strict=True)
    if usages.count(None) != len(raws) or any(metadata) or any(observed):
        return None
    for said in (models, versions):
        if not _TEXT_OR_NONE.issuperset(map(type, said)) or said.count(said[0]) != len(raws):
            return None
    if not _is_plain_text(models[0]) or not _is_plain_text(versions[0]):
        return None
    if not _DICT.issuperset(map(type, found)) or set(map(tuple, found)) != {labels}:
        return None
    answers = _plain_distributions([*map(tuple, map(dict.values, found))], tolerance)
    return None if answers is None else PlainAnswers(answers, redact_known(models[0]), redact_known(versions[0]))


def _plain_distributions(answers: list[tuple[Any, ...]], tolerance: float) -> list[tuple[float | int, ...]] | None:
    """Distributions that are in order at first sight, as :func:`plain_values` gives each; None to look closer."""
    numbers = [*chain.from_iterable(answers)]
    least, most = min(numbers), max(numbers)
    if not _NUMBER.issuperset(map(type, numbers)) or not 0 <= least <= most <= 1:
        return None
    if least == 0 or most == 1:
        answers = [tuple([value if 0 < value < 1 else int(value) for value in values]) for values in answers]
    edge, totals = tolerance + SUM_EDGE, [*map(math.fsum, answers)]
    # Comparisons may pass over a NaN, a sum does not.
    if math.isnan(math.fsum(totals)):
        return None
    return answers if abs(min(totals) - 1) <= edge and abs(max(totals) - 1) <= edge else None


@lru_cache(maxsize=256)
def _is_plain_text(value: str | None) -> bool:
    return value is None or (type(value) is str and value.isprintable())


def plain_values(
    probabilities: dict[Any, Any], labels: tuple[str, ...], tolerance: float
) -> tuple[float | int, ...] | None:
    """The values of a distribution that is in order at first sight; None to look closer."""
    if len(probabilities) != len(labels):
        return None
    values: list[float | int] = []
    for label in labels:
        value = probabilities.get(label)
        if (type(value) is not float and type(value) is not int) or not 0 <= value <= 1:
            return None
        values.append(value if 0 < value < 1 else int(value))
    return tuple(values) if abs(math.fsum(values) - 1) <= tolerance + SUM_EDGE else None


def _read_closely(answer: Any, request: DecisionRequest, tolerance: float) -> Answer:
    try:
        # Read once: what is checked is what is kept, whatever the mapping answers next time.
        numbers = _exact_numbers(answer.probabilities)
        model, version, usage = answer.model, answer.model_version, answer.usage
        metadata, refused = plain_parts(answer.metadata, max_depth=MAX_PART_DEPTH)
        seen, unseen = plain_parts(answer.observed, max_depth=MAX_PART_DEPTH)
    except Exception as error:  # noqa: BLE001 - an object of the model's own may raise anything
        return failed("invalid_response", _unreadable(error))
    observed = _kept_observations(seen) if not unseen else {}
    problem = distribution_problem(numbers, request.decision.labels, tolerance)
    for name, value in (("model", model), ("model_version", version)):
        if problem is None and value is not None and not (isinstance(value, str) and not plain_parts(value)[1]):
            problem = f"{name} must be text or None"
    if problem is None and (refused or not isinstance(metadata, dict)):
        problem = f"metadata is not a JSON object: {refused[0] if refused else 'another type'}"
    if problem is None and (size := len(canonical_bytes(metadata))) > MAX_METADATA_BYTES:
        problem = f"metadata has {size} bytes, over the limit of {MAX_METADATA_BYTES}"
    if problem is None and not is_sound_usage(usage):
        problem = "usage must be a Usage of whole tokens and a finite cost, or None"
    if problem is not None:
        return failed("invalid_response", cap_text(problem), observed, usage if is_sound_usage(usage) else None)
    if metadata:
        observed["metadata"] = redact_known(redact_metadata(metadata))
    values = tuple(tidy_number(numbers[label]) for label in request.decision.labels)
    return Answer(values, None, redact_known(_text(model)), redact_known(_text(version)), usage, observed)


def answer_of_exception(error: BaseException) -> Answer:
    """The typed error that an exception of a backend stands for."""
    try:
        return _answer_of_exception(error)
    except Exception:  # noqa: BLE001 - an exception of the model's own may raise anything
        return failed("exception", f"{type_name(error)}, which cannot be read")


def _answer_of_exception(error: BaseException) -> Answer:
    if isinstance(error, BackendFailure):
        seen, unseen = plain_parts(getattr(error, "observed", {}), max_depth=MAX_PART_DEPTH)
        observed = _kept_observations(seen) if not unseen else {}
        usage = error.usage if is_sound_usage(getattr(error, "usage", None)) else None
        if error.kind in BACKEND_FAILURE_KINDS:
            return failed(error.kind, cap_text(str(error)), observed, usage)
        shown = cap_text(f"BackendFailure of the unknown kind {error.kind!r}: {error}")
        return failed("exception", shown, observed, usage)
    kind: ErrorKind = "timeout" if isinstance(error, TimeoutError) else "exception"
    return failed(kind, describe_exception(error))


def _kept_observations(seen: Any) -> JsonObject:
    if not isinstance(seen, dict):
        return {}
    size = len(canonical_bytes(seen))
    if size > MAX_METADATA_BYTES:
        return {"left_out": f"{size} bytes of observations, over the limit of {MAX_METADATA_BYTES}"}
    kept: JsonObject = redact_known(redact_metadata(seen))
    return kept


def _text(value: Any) -> str | None:
    return None if value is None else str(exact_text(value))


def _unreadable(error: Exception) -> str:
    return cap_text(f"the answer cannot be read: {describe_exception(error)}")


def _exact_numbers(probabilities: Any) -> Any:
    """A copy of a mapping whose texts and numbers are of the built-in types; anything else stays for the check."""
    if not isinstance(probabilities, Mapping):
        return probabilities
    copied: dict[Any, Any] = {}
    for key in probabilities:
        value = probabilities[key]
        if isinstance(value, float) and type(value) is not float:
            value = float.__add__(value, 0.0)
        copied[exact_text(key) if isinstance(key, str) else key] = value
    return copied
