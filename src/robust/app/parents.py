"""The bases of imported candidates, found by id or by text."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from robust.canon import describe, join_path, key_of
from robust.errors import CaseError
from robust.records.case import Case
from robust.store.shelf import CaseShelf
from robust.store.tables import Row, shown_value
from robust.transforms.text_leaf import text_at_leaf, text_leaf


class Parents:
    """Base cases on a shelf; by text, only digests are held beside it.

    Args:
        shelf: the bases; closed with this.
        by_id: the column with a base's id; or
        by_text: the column with a base's text, to the character.
        text_field: of object inputs, the key of the text.
    """

    def __init__(self, shelf: CaseShelf, *, by_id: str | None, by_text: str | None, text_field: str | None) -> None:
        self.text_field = text_field
        self._shelf = shelf
        self._column = by_text if by_id is None else by_id
        # The id of the base that has a text; None for a text that several have.
        self._by_text: dict[bytes, str | None] | None = None if by_text is None else {}
        if self._by_text is not None:
            for case in shelf:
                leaf = text_leaf(case.input, text_field)
                if leaf is not None:
                    key = key_of(text_at_leaf(case.input, leaf))
                    self._by_text[key] = None if key in self._by_text else case.case_id

    def of_row(self, row: Row) -> Case:
        """The base of a row.

        Raises:
            CaseError: the row names none, or one that is not there, or a text that several have.
        """
        name = self._column or ""
        path = join_path(row.path, name)
        value: Any = row.values.get(name)
        if self._by_text is None and type(value) is int:
            value = str(value)
        if not isinstance(value, str):
            message = "the row names no base" if value is None else f"must be text, not {describe(value)}"
            raise CaseError.of("no_parent", message, path=path, hint="name a base by its id")
        found = value if self._by_text is None else self._by_text.get(key_of(value), "")
        if found is None:
            message, hint = f"several bases have the text {shown_value(value)}", "name the base by its id"
            raise CaseError.of("ambiguous_parent", message, path=path, hint=hint)
        base = self._shelf.get(found) if found else None
        if base is None:
            what = "has the id" if self._by_text is None else "has the text"
            hint = "check the column and the file of bases"
            raise CaseError.of("no_parent", f"no base {what} {shown_value(value)}", path=path, hint=hint)
        return base

    def is_taken(self, case_id: str) -> bool:
        """Whether an id is that of another case."""
        return case_id in self._shelf

    def close(self) -> None:
        """Let go of the bases."""
        self._shelf.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
