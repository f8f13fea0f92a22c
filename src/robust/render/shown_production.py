"""What a format gets to show of a check of production records."""

from __future__ import annotations

from dataclasses import dataclass

from robust.canon import JsonObject


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownProduction:
    """A check of production records as a format shows it.

    Attributes:
        report: the report.
        path: the run directory as a reader can give it to a command; None where there is none.
        encoding: of what the text is written to.
        bars: whether the text is for a terminal on which small bars help.
        signature: what is known of signatures, in words; empty where nothing was looked for.
    """

    report: JsonObject
    path: str | None = None
    encoding: str = "utf-8"
    bars: bool = False
    signature: str = ""

    @property
    def unicode(self) -> bool:
        """Whether every character can be written."""
        return self.encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")
