"""What a format gets to show of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from robust.canon import JsonObject
from robust.records.failing_group import FailingGroup
from robust.records.run_details import RunDetails


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownRun:
    """A run as a format shows it.

    Attributes:
        report: the report.
        path: the run directory as a reader can give it to a command.
        folder_uri: the run directory as a relative URI, percent-encoded; empty for the current folder.
        groups: by property, the first source groups with failing pairs, as many as the format lists.
        encoding: of what the text is written to.
        bars: whether a text draws shares as bars, too.
        details: what a page shows beyond the report; None of a format that shows none of it.
        signature: whether the run is signed, and whether that was checked, in words; empty where nobody asked.
    """

    report: JsonObject
    path: str
    folder_uri: str = ""
    groups: Mapping[str, Sequence[FailingGroup]] = field(default_factory=dict)
    encoding: str = "utf-8"
    bars: bool = False
    details: RunDetails | None = None
    signature: str = ""

    @property
    def replayable(self) -> str | None:
        """The run directory for commands that replay; None where other limits judged, by which the run did not fail."""
        return None if "rejudged" in self.report else self.path

    @property
    def unicode(self) -> bool:
        """Whether every character can be written."""
        return self.encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")
