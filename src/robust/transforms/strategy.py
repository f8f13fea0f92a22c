"""What a candidate generator is: it edits a text, says what it did, and what it supposes about the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from robust.canon import JsonObject, RandomStream
from robust.records.case import Relation

# Part of every random stream: other ways to draw need another name, so that old candidates can be made again.
STRATEGIES: Final = "robust.strategies/1"


class Edit(NamedTuple):
    """One way in which a strategy changed a text.

    Attributes:
        params: what was done, as plain JSON: enough to understand it, and to do it again to the same text. Offsets
            (``at``) count characters (code points) of the text before the edit.
        text: the whole new text.
        relation: where this edit supposes something else than its strategy does, as a row of a table may.
    """

    params: JsonObject
    text: str
    relation: Relation | None = None


class Strategy(Protocol):
    """Makes edits of one kind; pure: an equal text and an equal stream give an equal edit."""

    @property
    def name(self) -> str:
        """What candidates name in ``origin.transform``: small letters, digits and hyphens."""
        ...

    @property
    def relation(self) -> Relation:
        """What is supposed about the two right answers: a hypothesis, nothing more; an oracle has to judge it."""
        ...

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """Change a text in one way that the stream draws.

        Returns:
            the edit, whose text may by chance be the same; None where the text has nothing to edit in this way,
            which is so whatever the stream draws.
        """
        ...


def strategy_stream(seed: int, strategy: str, case_id: str, index: int) -> RandomStream:
    """The random stream of one candidate; no other candidate, case or strategy has a part in it."""
    return RandomStream(STRATEGIES, seed, strategy, case_id, index)


def replaced(text: str, start: int, end: int, new: str) -> str:
    """A text with another piece in the place of ``text[start:end]``."""
    return text[:start] + new + text[end:]


def substitution(text: str, start: int, end: int, new: str) -> Edit:
    """The edit that puts another piece in the place of ``text[start:end]``: ``{"at", "from", "to"}``."""
    return Edit({"at": start, "from": text[start:end], "to": new}, replaced(text, start, end, new))


def substitutions(text: str, pieces: Sequence[tuple[int, int, str]]) -> Edit:
    """The edit that puts several pieces in other places: ``{"edits": [{"at", "from", "to"}, ...]}``.

    Args:
        text: the text before it.
        pieces: start, end and what stands there instead, in the order of the text, none over another.
    """
    parts: list[str] = []
    done = 0
    for start, end, new in pieces:
        parts += (text[done:start], new)
        done = end
    edits = [{"at": start, "from": text[start:end], "to": new} for start, end, new in pieces]
    return Edit({"edits": edits}, "".join((*parts, text[done:])))
