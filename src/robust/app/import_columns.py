"""What the columns of a table of candidates say, row by row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any, Final

from robust.canon import JsonObject, JsonValue, describe, join_path
from robust.errors import CaseError
from robust.records.case import Case, Relation, id_problem, relation_problem
from robust.records.redaction import redact_metadata
from robust.store.tables import Row, shown_value
from robust.transforms.text_leaf import text_leaf, with_text_at_leaf

# Of more digits none is a seed.
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,32}\Z")


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Which columns of a table say what; a column of JSON Lines is a key of its rows.

    Attributes:
        text: the candidate's text, or in JSON Lines its whole input, or a list of several of either.
        parent: the id of its base.
        parent_text: instead of an id, the base's text, to the character.
        id: the candidate's own id; without it ids are made from the parent's.
        relation: what is supposed about the two answers.
        transform: what made the candidate.
        seed: the seed that it was made with, an integer.
        params: columns that are kept in ``origin.params``.
        all_params: whether every column that nothing else is taken from is kept there.
    """

    text: str
    parent: str | None = None
    parent_text: str | None = None
    id: str | None = None
    relation: str | None = None
    transform: str | None = None
    seed: str | None = None
    params: tuple[str, ...] = ()
    all_params: bool = False

    def needed(self) -> list[str]:
        """Every column that is named."""
        named = [getattr(self, field.name) for field in fields(self)]
        return [*(name for name in named if isinstance(name, str)), *self.params]

    def relation_of(self, row: Row) -> Relation | None:
        """What is supposed; None where the row does not say.

        Raises:
            CaseError: it is no relation.
        """
        value: Any = None if self.relation is None else row.values.get(self.relation)
        if value is None:
            return None
        if problem := relation_problem(value, join_path(row.path, self.relation or "")):
            raise CaseError(problem)
        relation: Relation = value
        return relation

    def transform_of(self, row: Row) -> str | None:
        """What made the candidate; None where the row does not say.

        Raises:
            CaseError: it is no text.
        """
        value = None if self.transform is None else row.values.get(self.transform)
        if value is None or isinstance(value, str):
            return value or None
        raise CaseError.of(
            "wrong_value", f"must be text, not {describe(value)}", path=join_path(row.path, self.transform or "")
        )

    def seed_of(self, row: Row) -> int | None:
        """The seed that it was made with; None where the row does not say.

        Raises:
            CaseError: it is no integer.
        """
        value: JsonValue = None if self.seed is None else row.values.get(self.seed)
        # Python would also take "1_0", and the figures of every script.
        if isinstance(value, str) and _INTEGER.match(value.strip()):
            value = int(value)
        if value is None or type(value) is int:
            return value
        message = f"must be an integer, not {shown_value(value)}"
        raise CaseError.of("wrong_value", message, path=join_path(row.path, self.seed or ""))

    def params_of(self, row: Row) -> JsonObject:
        """What is kept of the other columns; values under secret-looking names are redacted."""
        names: Iterable[str] = self.params
        if self.all_params:
            taken = {*self.needed()} - {*self.params}
            names = [name for name in row.values if name not in taken]
        return redact_metadata({name: row.values[name] for name in names if row.values.get(name) is not None})

    def id_of(self, row: Row) -> str | None:
        """The candidate's own id; None where ids are made.

        Raises:
            CaseError: it is no id.
        """
        if self.id is None:
            return None
        case_id: Any = row.values.get(self.id)
        problem = id_problem(case_id, join_path(row.path, self.id))
        if problem is not None:
            raise CaseError(problem)
        return str(case_id)

    def inputs_of(self, row: Row, base: Case, text_field: str | None) -> Iterator[str | JsonObject]:
        """The inputs of a row's candidates, of which there is one, unless the row has a list.

        Raises:
            CaseError: one is missing or of another form than the base's, or there is no place for it in the base.
        """
        value = row.values.get(self.text)
        path = join_path(row.path, self.text)
        if isinstance(value, list) and self.id is not None and len(value) != 1:
            message = f"has one id for {len(value)} candidates"
            raise CaseError.of("bad_id", message, path=path, hint="leave the id out, or write a row for each")
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, dict) and isinstance(base.input, dict):
                yield item
            elif isinstance(item, str):
                yield _with_text(item, base, text_field, path)
            elif item is None:
                hint = "leave the row out, or write a text"
                raise CaseError.of("missing_text", "there is no text of a candidate", path=path, hint=hint)
            else:
                wanted = "text or an object" if isinstance(base.input, dict) else "text, as its base is"
                raise CaseError.of("wrong_value", f"must be {wanted}, not {describe(item)}", path=path)


def _with_text(text: str, base: Case, text_field: str | None, path: str) -> str | JsonObject:
    leaf = text_leaf(base.input, text_field)
    if leaf is None:
        message = f"the input of {base.case_id!r} has no text, or more than one"
        hint = "name the key of its text with --text-field (text_field)"
        raise CaseError.of("no_text", message, path=path, hint=hint)
    return with_text_at_leaf(base.input, leaf, text)
