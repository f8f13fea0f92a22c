"""Replacements from a table: rewrites, taken to the letter, and synonyms, in the case of the word that they replace."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from robust.canon import RandomStream
from robust.errors import UsageError
from robust.records.case import Relation
from robust.records.replacement import Replacement
from robust.transforms.strategy import Edit, replaced

_TOKEN: Final = re.compile(r"\w+|[^\w\s]")
_WORD_END: Final = re.compile(r"(?<=\w)(?=\w)")
_BLANKS: Final = re.compile(r"\s+")
_MOST_BLANKS: Final = 64


class TableStrategy:
    """One place where the words of a row stand, as whole words, gets what the row has instead.

    A place that has the replacement already, such as *is not eligible* for the row *eligible → not eligible*, is left
    out, since there the rewrite would say something else than it says.

    Args:
        name: the strategy's name.
        relation: what a row without a relation of its own supposes.
        rows: the table, in any order; the order is part of what the stream draws from.
        any_case: whether words are found in any letter case, and replaced in the case in which they stand.

    Raises:
        UsageError: there are no rows.
    """

    def __init__(self, name: str, relation: Relation, rows: Iterable[Replacement], *, any_case: bool) -> None:
        self.name: Final = name
        self.relation: Final[Relation] = relation
        self._any_case = any_case
        self._by_token: dict[str, list[Replacement]] = {}
        for row in rows:
            first = _TOKEN.search(row.find)
            if first is not None:
                self._by_token.setdefault(self._key(first.group()), []).append(row)
        if not self._by_token:
            raise UsageError.of("empty_table", f"the table of {name} has no rows", hint="write rows of from and to")

    def _key(self, token: str) -> str:
        return token.lower() if self._any_case else token

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """See :class:`Strategy`."""
        found = list(self._places(text))
        if not found:
            return None
        start, end, row = stream.choice(found)
        old = text[start:end]
        new = _in_case_of(old, row.replace) if self._any_case else row.replace
        params = {"at": start, "from": old, "to": new} | ({} if row.line is None else {"line": row.line})
        return Edit(params, replaced(text, start, end, new), row.relation)

    def _places(self, text: str) -> Iterator[tuple[int, int, Replacement]]:
        """Every place of every row."""
        for token in _TOKEN.finditer(text):
            for row in self._by_token.get(self._key(token.group()), ()):
                lead = len(row.find) - len(row.find.lstrip())
                start = token.start() - lead
                end = start + len(row.find)
                if start < 0 or not self._same(text[start:end], row.find):
                    continue
                inside = _WORD_END.match(text, start) or _WORD_END.match(text, end) or _carries_mark(text, end)
                if not inside and not self._stands_already(text, start, row):
                    yield start, end, row

    def _same(self, piece: str, find: str) -> bool:
        return piece == find or (self._any_case and piece.lower() == find.lower())

    def _stands_already(self, text: str, start: int, row: Replacement) -> bool:
        """Whether what is to be put in stands around the place already, whatever white space is between its words."""
        find, replace = self._key(row.find), self._key(row.replace)
        # Few runs of white space are longer than this.
        room = len(row.replace) + _MOST_BLANKS
        before, end = text[max(start - room, 0) : start], start + len(row.find)
        shift = replace.find(find)
        while shift >= 0:
            lead, rest = row.replace[:shift], row.replace[shift + len(row.find) :]
            leads = self._folded(before).endswith(self._folded(lead))
            if leads and self._folded(text[end : end + room]).startswith(self._folded(rest)):
                return True
            shift = replace.find(find, shift + 1)
        return False

    def _folded(self, text: str) -> str:
        return _BLANKS.sub(" ", self._key(text))


def _carries_mark(text: str, end: int) -> bool:
    """Whether the last letter has a mark behind it, which makes another letter of it."""
    return end < len(text) and unicodedata.combining(text[end]) > 0


def _in_case_of(old: str, new: str) -> str:
    """A replacement in capitals, or with one at its start, where the words that it replaces have them."""
    letters = [letter for letter in old if letter.lower() != letter.upper()]
    if len(letters) > 1 and all(map(str.isupper, letters)):
        return new.upper()
    if old[0].isupper() and not new[0:1].isupper():
        return new[0:1].upper() + new[1:]
    return new
