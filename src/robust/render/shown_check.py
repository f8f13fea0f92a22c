"""What a format gets to show of a relation check or population test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from robust.canon import JsonObject
from robust.records.skip_reasons import SkipReason


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownFailure:
    """Something that failed, with excerpts of the record that shows it; the excerpts are not safe to show yet.

    Attributes:
        id: the record's id.
        line: its number, from 1.
        columns: how many characters the line has.
        relation: the relation that is contradicted; None in a population test.
        input_id: the input, or the row.
        sample: the sample; None in a population test.
        base: the input.
        variant: what it became; in a population test the cells that changed.
        before: the output for the input.
        after: the output for the variant.
        error: what raised, such as ``system``; None where outputs contradict each other.
        message: what was raised.
        minimised: whether the variant was made smaller.
        replay: the line of Python that tries it again; None where there is none.
    """

    id: str
    line: int
    columns: int
    relation: str | None
    input_id: str
    sample: int | None = None
    base: str = ""
    variant: str = ""
    before: str = ""
    after: str = ""
    error: str | None = None
    message: str = ""
    minimised: bool = False
    replay: str | None = None

    @property
    def where(self) -> str:
        """Input and sample, or row, in a few words; the id is not safe to show yet."""
        if self.relation is None:
            return f"row {self.input_id}"
        return f"input {self.input_id}" + ("" if self.sample is None else f", sample {self.sample}")


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownCheck:
    """A relation check or population test as a format shows it.

    Attributes:
        report: the report.
        plan: what was to be done.
        path: the run directory as a reader can give it to a command.
        folder_uri: the run directory as a relative URI, percent-encoded; empty for the current folder.
        failures: as many failures as the format lists, those of each relation in the order of their size.
        encoding: of what the text is written to.
        data_rows: how many rows the data of a population test has; None where that is not known.
        skips: by relation, the most frequent reasons for which samples were no trials.
    """

    report: JsonObject
    plan: JsonObject
    path: str
    folder_uri: str = ""
    failures: Sequence[ShownFailure] = field(default=())
    encoding: str = "utf-8"
    data_rows: int | None = None
    skips: Mapping[str, Sequence[SkipReason]] = field(default_factory=dict)

    @property
    def unicode(self) -> bool:
        """Whether every character can be written."""
        return self.encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")
