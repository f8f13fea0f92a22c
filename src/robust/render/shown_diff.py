"""A comparison of two runs as renderings take it."""

from __future__ import annotations

from dataclasses import dataclass

from robust.canon import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDiff:
    """A comparison of two runs, and what it is written to.

    Attributes:
        report: the comparison.
        encoding: of what the text is written to.
    """

    report: JsonObject
    encoding: str = "utf-8"

    @property
    def unicode(self) -> bool:
        """Whether every character can be written."""
        return self.encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")
