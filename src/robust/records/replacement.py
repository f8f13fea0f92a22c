"""A row of a table of replacements: what may stand instead of which words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from robust.canon import describe
from robust.errors import Problem
from robust.records.case import Relation, relation_problem


class Replacement(NamedTuple):
    """What is replaced, by what, and what is supposed about the answer.

    Attributes:
        find: the words as they stand in a text; not empty.
        replace: what stands there instead; other text than ``find``.
        relation: the row's own hypothesis; None for that of its table.
        line: where it stands in its file, from 1; None where it has none.
    """

    find: str
    replace: str
    relation: Relation | None = None
    line: int | None = None


def replacement_problems(find: object, replace: object, relation: object) -> Iterator[Problem]:
    """What is wrong with a row, under the names that its columns have: ``from``, ``to`` and ``relation``."""
    if type(find) is not str:
        yield Problem(code="wrong_value", message=f"must be text, not {describe(find)}", path="from")
    elif not find.strip():
        yield Problem(code="wrong_value", message="must not be blank", path="from")
    if type(replace) is not str:
        yield Problem(code="wrong_value", message=f"must be text, not {describe(replace)}", path="to")
    elif replace == find:
        yield Problem(code="wrong_value", message="must be other text than from", path="to")
    if relation is not None and (problem := relation_problem(relation, "relation")):
        yield problem
