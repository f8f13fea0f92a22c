"""What was judged in a row of a review sheet, read from its cells; each one that is wrong is a problem of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, ParamSpec, TypeVar

from robust.canon import describe
from robust.errors import DataError, Problem
from robust.records.review import AnswerKind, Judgement, line_feeds
from robust.store.review_cells import checked_answer, read_answer, read_reason, read_reviewer, read_time, read_valid

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


def read_judgement(values: Mapping[str, Any], answers: AnswerKind | None, now: datetime | None) -> Judgement | None:
    """What was judged; None where nobody judged yet.

    Only ``valid`` says that a row was judged: people fill a name and a date down the whole column first.

    Args:
        values: the row's cells, by column.
        answers: the kind of value as which typed answers are read; None where they are JSON already.
        now: the current time in UTC, after which nobody can have judged; None to ask nothing of it.

    Raises:
        DataError: there are answers or a reason without a judgement; or cells cannot be read for certain, all of which
            are named at once.
    """
    if _is_blank(values.get("valid")):
        if not all(_is_blank(values.get(name)) for name in ("base_answer", "variant_answer", "reason")):
            message = "the row has answers or a reason, but no judgement"
            raise DataError.of("no_valid", message, path="valid", hint="write yes, no or unknown")
        return None
    problems: list[Problem] = []
    valid = noting(problems, "valid", _valid, values.get("valid"))
    reason = noting(problems, "reason", _reason, values.get("reason"))
    reviewer = noting(problems, "reviewer", _reviewer, values.get("reviewer"))
    reviewed_at = noting(problems, "reviewed_at", _time, values.get("reviewed_at"), now)
    base_answer = noting(problems, "base_answer", _answer, values.get("base_answer"), answers)
    variant_answer = noting(problems, "variant_answer", _answer, values.get("variant_answer"), answers)
    if problems or reason is None or reviewer is None or reviewed_at is None:
        raise DataError(*problems)
    return Judgement(
        valid=valid,
        reason=reason,
        reviewer=reviewer,
        reviewed_at=reviewed_at,
        base_answer=base_answer,
        variant_answer=variant_answer,
    )


def noting(
    problems: list[Problem],
    name: str,
    read: Callable[_Given, _Found],
    *given: _Given.args,
    **named: _Given.kwargs,
) -> _Found | None:
    """What a reader makes of the cell of a column; what is wrong with it is put among the problems, and None returned.

    Args:
        problems: where they are put.
        name: the column, which each of them gets as its path.
        read: the reader, which raises DataError.
        given: what it reads.
        named: likewise.
    """
    try:
        return read(*given, **named)
    except DataError as error:
        problems += [replace(problem, path=name) for problem in error.problems]
        return None


def _is_blank(value: object) -> bool:
    return not value.strip() if isinstance(value, str) else value is None


def _text(value: object) -> str:
    if value is not None and not isinstance(value, str):
        raise DataError.of("wrong_value", f"must be text, not {describe(value)}")
    return line_feeds(value or "")


def _valid(value: object) -> bool | None:
    return value if isinstance(value, bool) else read_valid(_text(value))


def _reason(value: object) -> str:
    return read_reason(_text(value))


def _reviewer(value: object) -> str:
    return read_reviewer(_text(value))


def _time(value: object, now: datetime | None) -> str:
    return read_time(_text(value), now)


def _answer(value: object, kind: AnswerKind | None) -> Any:
    return checked_answer(value) if kind is None else read_answer(_text(value), kind)
