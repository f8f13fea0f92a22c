"""Other white space, made as the property ``whitespace`` of a contract makes it."""

from __future__ import annotations

from typing import ClassVar

from robust.canon import RandomStream
from robust.records.case import Relation
from robust.records.properties import Whitespace
from robust.transforms.spacing import WhitespaceTransformation
from robust.transforms.strategy import Edit


class WhiteSpace:
    """Up to three runs of white space become others, or some is added at the edges; no other character is touched."""

    name: ClassVar[str] = "white-space"
    relation: ClassVar[Relation] = "invariant"

    def __init__(self) -> None:
        self._transformation = WhitespaceTransformation(Whitespace(samples=1, max_flip_rate=0), None)

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """See :class:`Strategy`."""
        made = self._transformation.generate(text, stream)
        if isinstance(made, str):
            return None
        changed = made[0].input
        assert isinstance(changed, str)  # noqa: S101 - as is what it was made from
        return Edit({"edits": list(made[0].steps)}, changed)
