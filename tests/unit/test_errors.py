"""Errors: a stable code, a place, and what to do about it."""

from __future__ import annotations

import copy
import pickle

import pytest

from robust import BackendError, CaseError, ContractError, DataError, IntegrityError, ManifestError, UsageError
from robust.errors import Problem, RobustError

KINDS = [BackendError, CaseError, ContractError, DataError, IntegrityError, ManifestError, UsageError]


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem(code="c", message="wrong"), "wrong"),
        (Problem(code="c", message="wrong", file="f"), "f: wrong"),
        (Problem(code="c", message="wrong", file="f", line=3), "f:3: wrong"),
        (Problem(code="c", message="wrong", file="f", line=3, column=7, path="$.a"), "f:3:7: $.a: wrong"),
        (Problem(code="c", message="wrong", line=3), "line:3: wrong"),
        (Problem(code="c", message="wrong", path="$", hint="mend it"), "$: wrong; mend it"),
    ],
)
def test_a_problem_reads_place_message_hint(problem: Problem, text: str) -> None:
    """As editors and people expect it."""
    assert str(problem) == text


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_is_one_of_ours(kind: type[RobustError]) -> None:
    """One except clause catches them all; the exit code says whether evidence is damaged."""
    error = kind.of("code", "message", path="$")
    assert isinstance(error, RobustError)
    assert (error.code, error.exit_code) == ("code", 3 if kind is IntegrityError else 2)


def test_an_error_lists_all_of_its_problems() -> None:
    """One a line, the first one's code in front."""
    error = DataError(Problem(code="a", message="one"), Problem(code="b", message="two"))
    assert str(error) == "one\ntwo"
    assert error.code == "a"


def test_an_error_without_a_problem_still_says_something() -> None:
    """Nothing is raised in silence."""
    assert DataError().code == "internal"


def test_a_place_is_filled_in_where_it_is_missing() -> None:
    """What a problem knows already stays."""
    known = Problem(code="a", message="m", file="inner", line=1)
    located = CaseError(known, Problem(code="b", message="m", path="$.x")).located(file="outer", line=9)
    assert isinstance(located, CaseError)
    assert located.problems == (known, Problem(code="b", message="m", file="outer", line=9, path="$.x"))


def test_errors_survive_being_copied_between_processes() -> None:
    """Pickling and copying keep every problem."""
    error = IntegrityError.of("code", "message", file="f", line=2)
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301
        assert type(again) is IntegrityError
        assert again.problems == error.problems
