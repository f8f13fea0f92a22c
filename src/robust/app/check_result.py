"""What a check of one input came to."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from robust.canon import JsonObject
from robust.records.no_truth import NoTruth
from robust.records.relation_check import (
    CheckError,
    CheckStatus,
    Counterexample,
    RelationResult,
    Verdict,
    status_of_verdicts,
)
from robust.records.skip_reasons import EXPLAINED, SkipReasons
from robust.relations.batch_tally import BatchTally
from robust.relations.check_records import plan_of, records_of
from robust.relations.counterexample import contradicted_run, output_differences, telling_trial
from robust.relations.course import Course, Skip, Trial
from robust.relations.input_check import InputCheck
from robust.relations.relation import Relation
from robust.relations.relation_result import relation_result
from robust.relations.stored_value import detached
from robust.relations.trial_plan import Conclusion

if TYPE_CHECKING:
    from robust.app.check_runs import SavedCheck
    from robust.app.keys import SigningKey

ONLY_INPUT: Final = "0"
_SHOWN: Final = 120


class CheckReport(NoTruth):
    """What a check of one input came to; made by :func:`robust.check`.

    Attributes:
        subject: what was checked, in the caller's words.
        input_id: what records call the input.
        calls: how often the system was called.
    """

    def __init__(
        self,
        check: InputCheck,
        conclusions: Sequence[Conclusion],
        *,
        subject: str,
        system: str,
        span: tuple[float, float],
        input_id: str = ONLY_INPUT,
    ) -> None:
        self.subject = subject
        self.input_id = input_id
        self._check = check
        self._conclusions = conclusions
        self._system = system
        self._span = span
        self.calls = check.calls

    @cached_property
    def verdicts(self) -> dict[str, Verdict]:
        """By relation ``holds``, ``violated``, ``inconclusive``, ``vacuous`` or ``errored``."""
        return {
            course.relation.name: conclusion.verdict
            for course, conclusion in zip(self._check.courses, self._conclusions, strict=True)
        }

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against it: the exit code is 0."""
        return self.exit_code == 0

    @property
    def broke(self) -> bool:
        """Whether a relation is violated, or something raised."""
        return any(conclusion.verdict in ("violated", "errored") for conclusion in self._conclusions)

    @property
    def status(self) -> CheckStatus:
        """``pass``; ``fail``: violated, or inconclusive; ``error``: something raised, or nothing was tested."""
        return status_of_verdicts(self.verdicts.values())[0]

    @property
    def exit_code(self) -> int:
        """0 if every relation holds; 1 if one is violated or inconclusive; 2 if one raised or was never tried."""
        return status_of_verdicts(self.verdicts.values())[1]

    @property
    def calls_saved(self) -> int:
        """How many calls less there were than samples planned, since no contradiction could change a verdict."""
        return max(0, sum(course.plan.unasked for course in self._check.courses) - self._beyond)

    @property
    def _beyond(self) -> int:
        """How many calls were under way when their relation was decided."""
        check = self._check
        asked = sum(
            2 * course.plan.confirmation_runs * len(course.plan.attempts)
            + course.plan.trials
            + sum(error.where in ("system", "assertion") and error.sample is not None for error in course.errors)
            for course in check.courses
        )
        return max(0, check.calls - check.shrink_calls - asked - len(check.base)) if check.base_error is None else 0

    @cached_property
    def results(self) -> dict[str, RelationResult]:
        """What each relation came to, by name, in order."""
        return {
            course.relation.name: relation_result(
                course.relation.name,
                course.plan,
                course.errors,
                conclusion,
            )
            for course, conclusion in zip(self._check.courses, self._conclusions, strict=True)
        }

    @cached_property
    def counterexamples(self) -> list[Counterexample]:
        """One for each relation that is violated: the trial that shows it most clearly."""
        found = []
        for course, conclusion in zip(self._check.courses, self._conclusions, strict=True):
            trial = telling_trial(course) if conclusion.verdict == "violated" else None
            if trial is not None:
                found.append(self._counterexample(course, trial))
        return found

    @property
    def errors(self) -> list[CheckError]:
        """Everything that raised, each once."""
        return list(dict.fromkeys(error for course in self._check.courses for error in course.errors))

    @property
    def named_errors(self) -> list[tuple[str, CheckError]]:
        """Everything that raised, each once, with the name of its relation; none of the base."""
        found = (
            ("" if error.where == "base" else course.relation.name, error)
            for course in self._check.courses
            for error in course.errors
        )
        return list(dict.fromkeys(found))

    def _counterexample(self, course: Course, trial: Trial) -> Counterexample:
        relation = course.relation
        before = detached(self._check.base[contradicted_run(course, trial)])
        after, due = detached(trial.output), relation.judged_by.due(before)
        base = self._check.fresh_base()
        return Counterexample(
            relation=relation.name,
            before=before,
            after=after,
            detail=relation.judged_by.explain(before, after),
            base=base,
            variant=trial.variant.fresh(),
            seed=relation.seed,
            sample=trial.sample,
            difference=tuple(output_differences(due, after)),
            minimised=None if course.minimised is None else course.minimised.variant.fresh(),
            replay=replay_line(self._system, base, relation, trial.sample),
        )

    def tell(self, tally: BatchTally) -> None:
        """Have a batch count this input."""
        tally.add([course.plan for course in self._check.courses], self._conclusions)

    def tell_skips(self, skips: SkipReasons) -> None:
        """Have it counted why samples were no trials."""
        for course in self._check.courses:
            if course.plan.skipped.keys().isdisjoint(EXPLAINED):
                continue
            for event in course.log:
                if type(event) is Skip:
                    validation = None if event.variant is None else event.variant.validation
                    place = self.input_id, event.sample
                    skips.add(course.relation.name, event.reason, place, event.note, validation)

    def summary(self) -> str:
        """What a person reads first: a line for each relation, and the counterexamples."""
        from robust.render.relation_check import summary_lines

        skips = SkipReasons(kinds_of([course.relation for course in self._check.courses]))
        self.tell_skips(skips)
        calls = self.calls, self.calls_saved
        return "\n".join(
            summary_lines(self.subject, self.results, self.counterexamples, self.named_errors, *calls, skips)
        )

    def to_dict(self) -> JsonObject:
        """Everything but inputs and outputs, as plain JSON data."""
        return {
            "subject": self.subject,
            "status": self.status,
            "exit_code": self.exit_code,
            "relations": {name: result.to_json() for name, result in self.results.items()},
            "errors": [error.to_json() for error in self.errors],
            "calls": self.calls,
            "calls_saved": self.calls_saved,
        }

    def plan(self) -> JsonObject:
        """What was to be done, ``robust.plan/1``."""
        relations = [course.relation for course in self._check.courses]
        return plan_of(self.subject, relations, self._check.settings, batch=False)

    def records(self) -> Iterator[JsonObject]:
        """Every run of the base, every sample and every confirmation, in order, as records hold them."""
        return records_of(self._check, self.input_id)

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
        """Write the check as a run directory, like every other run.

        Args:
            directory: made when it does not exist.
            overwrite: whether a finished run there may be replaced.
            sign: a private key, or the file of one that is not encrypted, that signs the run.

        Raises:
            DataError: the key is none.
            UsageError: the folder holds a finished run or other files, or cannot be written.
        """
        from robust.app.check_runs import save_check

        return save_check(self, directory, overwrite=overwrite, sign=sign)

    def __repr__(self) -> str:
        told = ", ".join(f"{name}: {verdict}" for name, verdict in self.verdicts.items())
        return f"<CheckReport {self.status}{': ' + told if told else ''}>"


def kinds_of(relations: Sequence[Relation]) -> dict[str, str]:
    """The kind of each relation, by name."""
    return {relation.name: relation.kind for relation in relations}


def observed_of(span: tuple[float, float], calls: int, saved: int) -> JsonObject:
    """What varies from run to run."""
    started, finished = (datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds") for moment in span)
    return {"started_at": started, "finished_at": finished, "calls": calls, "calls_saved": saved}


def replay_line(system: str, base: Any, relation: Relation, sample: int) -> str:
    """The line of Python that makes a variant again and runs base and variant."""
    try:
        shown = repr(base)
    except Exception:  # noqa: BLE001 - an input's own code may raise anything
        shown = ""
    given = shown if 0 < len(shown) <= _SHOWN and shown.isprintable() and "<" not in shown else "base_input"
    comment = f"  # {relation.name}"
    return f"robust.replay_trial({system}, {given}, relation, sample={sample}, seed={relation.seed}){comment}"
