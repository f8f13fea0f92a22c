"""What a check of many inputs came to."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from robust.app.check_result import CheckReport, kinds_of, observed_of
from robust.canon import JsonObject, decode_own
from robust.errors import UsageError
from robust.records.no_truth import NoTruth
from robust.records.relation_check import (
    BatchResult,
    CheckError,
    CheckStatus,
    Counterexample,
    Verdict,
    status_of_verdicts,
)
from robust.records.skip_reasons import SkipReasons
from robust.relations.batch_tally import BatchTally
from robust.relations.check_records import plan_of
from robust.relations.input_check import Settings
from robust.relations.relation import Relation
from robust.store.spool import LineSpool

if TYPE_CHECKING:
    from robust.app.check_runs import SavedCheck
    from robust.app.keys import SigningKey

# Reports of inputs that do not hold are kept whole, up to so many.
MAX_REPORTS: Final = 1000
_MOST_SHOWN: Final = 3


class Repeat(NamedTuple):
    """An input that was not checked, since an equal one was.

    Attributes:
        input_id: its id.
        first_id: the id of the one that was checked.
    """

    input_id: str
    first_id: str


class BatchReport(NoTruth):
    """What a check of many inputs came to; made by :func:`robust.check_many`.

    Attributes:
        subject: what was checked, in the caller's words.
        inputs: how many inputs were checked.
        repeats: inputs that were not, since an equal one was.
        flagged: the ids of the inputs on which a relation is violated, in order. Up to a share of alpha of those that
            were tested is flagged by chance alone; whether there are more than that is what :attr:`verdicts` say.
        reports: of inputs on which not every relation holds, in order, the first thousand.
        calls: how often the system was called.
        calls_saved: how many calls less there were than samples planned, since no contradiction could change a verdict.
    """

    def __init__(self, relations: Sequence[Relation], settings: Settings, subject: str) -> None:
        self.subject = subject
        self.repeats: list[Repeat] = []
        self.flagged: list[str] = []
        self.reports: list[CheckReport] = []
        self.calls = 0
        self.calls_saved = 0
        self._relations = relations
        self._settings = settings
        self._tally = BatchTally([relation.name for relation in relations], settings.alpha)
        self._skips = SkipReasons(kinds_of(relations))
        self._spool: LineSpool | None = None
        self._saved: SavedCheck | None = None
        self._span = (0.0, 0.0)

    def take(self, report: CheckReport) -> None:
        """Take in the next input."""
        report.tell(self._tally)
        report.tell_skips(self._skips)
        self.calls += report.calls
        self.calls_saved += report.calls_saved
        found = set(report.verdicts.values())
        if "violated" in found:
            self.flagged.append(report.input_id)
        if found != {"holds"} and len(self.reports) < MAX_REPORTS:
            self.reports.append(report)

    def end(self, span: tuple[float, float], spool: LineSpool | None, seal: Callable[[], SavedCheck] | None) -> None:
        """There are no more inputs."""
        self._span, self._spool = span, spool
        if seal is not None:
            self._saved = seal()

    @property
    def inputs(self) -> int:
        """How many inputs were checked."""
        return self._tally.inputs

    @cached_property
    def results(self) -> dict[str, BatchResult]:
        """What each relation came to over all inputs, by name, in order."""
        return self._tally.results()

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """By relation its verdict over all inputs."""
        return {name: result.verdict for name, result in self.results.items()}

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against it: the exit code is 0."""
        return self.exit_code == 0

    @property
    def broke(self) -> bool:
        """Whether a relation is violated, or something raised."""
        found = set(self.verdicts.values())
        return "violated" in found or "errored" in found

    @property
    def status(self) -> CheckStatus:
        """As of :class:`CheckReport`, over all inputs."""
        return status_of_verdicts(self.verdicts.values())[0]

    @property
    def exit_code(self) -> int:
        """As of :class:`CheckReport`, over all inputs."""
        return status_of_verdicts(self.verdicts.values())[1]

    def summary(self) -> str:
        """What a person reads first."""
        from robust.render.relation_check import batch_lines

        counts = (self.inputs, len(self.repeats), self.calls, self.calls_saved)
        alpha = self._settings.alpha
        shown = self._first_examples(), self._first_errors()
        return "\n".join(batch_lines(self.subject, self.results, self.flagged, counts, alpha, self._skips, *shown))

    def _first_examples(self) -> list[tuple[str, Counterexample]]:
        """Of the relations that do not hold over all inputs."""
        found = (
            (report.input_id, each)
            for report in self.reports
            if "violated" in report.verdicts.values()
            for each in report.counterexamples
            if self.verdicts[each.relation] != "holds"
        )
        return list(islice(found, _MOST_SHOWN))

    def _first_errors(self) -> list[tuple[str, str, CheckError]]:
        found = ((report.input_id, *each) for report in self.reports for each in report.named_errors)
        return list(islice(found, _MOST_SHOWN))

    def to_dict(self) -> JsonObject:
        """Everything but inputs and outputs, as plain JSON data."""
        return {
            "subject": self.subject,
            "status": self.status,
            "exit_code": self.exit_code,
            "inputs": self.inputs,
            "repeats": [each._asdict() for each in self.repeats],
            "flagged": self.flagged,
            "relations": {name: result.to_json() for name, result in self.results.items()},
            "calls": self.calls,
            "calls_saved": self.calls_saved,
        }

    def plan(self) -> JsonObject:
        """What was to be done, ``robust.plan/1``."""
        return plan_of(self.subject, self._relations, self._settings, batch=True)

    def records(self) -> Iterator[JsonObject]:
        """Every record of every input, in order."""
        if self._saved is not None:
            yield from self._saved.records()
        elif self._spool is not None:
            for line in self._spool:
                record: JsonObject = decode_own(line)
                yield record

    def observed(self) -> JsonObject:
        """Times and calls, which vary from run to run."""
        return observed_of(self._span, self.calls, self.calls_saved)

    def save(
        self,
        directory: str | os.PathLike[str],
        *,
        overwrite: bool = False,
        sign: SigningKey | str | os.PathLike[str] | None = None,
    ) -> SavedCheck:
        """Write the check as a run directory, like every other run; see :meth:`CheckReport.save`."""
        from robust.app.check_runs import save_check

        return save_check(self, directory, overwrite=overwrite, sign=sign)

    def __repr__(self) -> str:
        return f"<BatchReport {self.status}, {self.inputs} inputs, {len(self.flagged)} flagged>"


def distinct_ids(ids: Any) -> Iterator[str]:
    """Ids as they are given, each only once.

    Raises:
        UsageError: one is no text that can be an id, or was there before.
    """
    from robust.records.case import id_problem

    seen: set[str] = set()
    for place, each in enumerate(ids):
        problem = id_problem(each, f"ids[{place}]")
        if problem is not None:
            raise UsageError(problem)
        if each in seen:
            raise UsageError.of("same_id", f"{each!r} is the id of an earlier input, too", path=f"ids[{place}]")
        seen.add(each)
        yield each
