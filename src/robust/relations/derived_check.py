"""What a check of relations came to, from plan and records alone: the rules that ran it, fed from the records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from robust.canon import JsonObject, canonical_bytes, digest_value, key_of
from robust.errors import IntegrityError, RobustError
from robust.records.check_plan import CheckTerms, check_terms
from robust.records.check_record import check_relation_record
from robust.records.check_report import CheckFailure, Derived
from robust.records.relation_check import BatchResult, RelationResult, status_of_verdicts
from robust.records.report import CheckResult, CheckStatus
from robust.relations.assertions import assertion_of
from robust.relations.batch_tally import BatchTally
from robust.relations.replayed_course import ReplayedCourse
from robust.relations.replayed_values import BaseOutputs, Failing, is_shown_only, value_of, wrong
from robust.relations.trial_plan import (
    Conclusion,
    TrialPlan,
    conclude,
    planned_base_runs,
    planned_samples,
    rules_of,
)

_CHECKS: Final[dict[str, CheckStatus]] = {"holds": "pass", "violated": "fail"}
Numbered = tuple[int, JsonObject]


class ReplayedInput(NamedTuple):
    """All relations on one input, gone through again."""

    plans: list[TrialPlan]
    conclusions: list[Conclusion]
    courses: list[ReplayedCourse]


class _Found:
    """What is kept of all inputs: memory grows with what failed alone."""

    def __init__(self) -> None:
        self.notes = Counter[str]()
        self.failures: list[CheckFailure] = []
        self.counts = dict.fromkeys(("trials", "contradictions", "skipped", "errors"), 0)

    def add(self, name: str, course: ReplayedCourse, conclusion: Conclusion) -> None:
        """Take in what a relation came to on an input."""
        plan = course.plan
        numbers = (plan.trials, plan.contradictions, sum(plan.skipped.values()), plan.errors)
        for key, number in zip(self.counts, numbers, strict=True):
            self.counts[key] += number
        if conclusion.verdict != "holds":
            self.failures += [
                CheckFailure(
                    id=each.id,
                    line=each.line,
                    relation=course.terms.name,
                    input_id=name,
                    sample=each.sample,
                    error=each.error,
                    size=each.size,
                )
                for each in course.failing
            ]


def derive_check(plan: JsonObject, records: Iterable[Numbered]) -> Derived:
    """Everything of a report that follows from the plan and the records of a check of relations.

    Raises:
        IntegrityError: a record is not what the plan and the records before it make due; names line and path.
    """
    terms, lines, found = terms_of(plan), _Lines(records), _Found()
    tally = BatchTally([relation.name for relation in terms.relations], terms.alpha)
    results: Sequence[RelationResult | BatchResult] = []
    for each in _inputs(terms, lines, found):
        tally.add(each.plans, each.conclusions)
        results = [course.result(conclusion) for course, conclusion in zip(each.courses, each.conclusions, strict=True)]
    if terms.batch:
        results = list(tally.results().values())
    elif tally.inputs != 1:
        raise IntegrityError.of("contradiction", f"{tally.inputs} inputs are stored, 1 follows", line=1, path="$.kind")
    status, _ = status_of_verdicts([result.verdict for result in results])
    return Derived(
        status=status,
        counts={"inputs": tally.inputs, **found.counts},
        found={result.name: result.to_json() for result in results},
        checks=tuple(checks_of(results, terms.alpha)),
        failures=tuple(found.failures),
        notes=dict(sorted(found.notes.items())),
    )


def terms_of(plan: JsonObject) -> CheckTerms:
    """What a plan, which was read, says; its assertions can be made again, or are the caller's own.

    Raises:
        IntegrityError: the settings of a named assertion are none; names the path within the plan.
    """
    terms = check_terms(plan)
    for place, relation in enumerate(terms.relations):
        try:
            assertion_of(relation.assertion, relation.settings)
        except RobustError as error:
            path = f"$.relations[{place}].assertion.settings"
            raise IntegrityError.of("wrong_value", error.problems[0].message, path=path) from None
    return terms


def checks_of(results: Iterable[RelationResult | BatchResult], alpha: float) -> Iterator[CheckResult]:
    """What is required of each relation, as a check of a report: its p value, adjusted, against alpha."""
    for result in results:
        yield CheckResult(
            check=result.name,
            level="requirement",
            status=_CHECKS.get(result.verdict, "inconclusive"),
            value=result.adjusted_p,
            limit=alpha,
            p_value=result.adjusted_p,
            noise=result.reason == "noise",
        )


class _Lines:
    """Records one after the other, each of the shape of its kind; the next one can be looked at."""

    def __init__(self, records: Iterable[Numbered]) -> None:
        self._records = iter(records)
        self._next: Numbered | None = None
        self.last = 0

    def peek(self) -> JsonObject | None:
        """The next record; None where there is none."""
        if self._next is None:
            found = next(self._records, None)
            if found is None:
                return None
            self._next = found[0], check_relation_record(found[1], found[0])
        return self._next[1]

    def take(self, kinds: tuple[str, ...], due: JsonObject) -> Numbered:
        """The next record, which must be of one of these kinds and have these members.

        Raises:
            IntegrityError: it has not, or there is none.
        """
        record = self.peek()
        if record is None or self._next is None:
            message = f"the records end where {kinds[0]} {due.get('id')!r} is due"
            raise IntegrityError.of("missing_record", message, line=self.last + 1, path="$")
        line = self._next[0]
        if record["kind"] not in kinds:
            raise wrong(line, "$.kind", record["kind"], " or ".join(kinds))
        for name, value in due.items():
            if record[name] != value:
                raise wrong(line, f"$.{name}", record[name], value)
        self._next, self.last = None, line
        return line, record


def _inputs(terms: CheckTerms, lines: _Lines, found: _Found) -> Iterator[ReplayedInput]:
    """Each input in turn."""
    seen: set[str] = set()
    first: dict[bytes, str] = {}
    while lines.peek() is not None:
        line, record = lines.take(("input",), {})
        name, form = record["id"], record["input"]
        if name in seen:
            raise wrong(line, "$.id", name, "the id of no other input")
        seen.add(name)
        # What can only be shown may look like another input, and still be none of the same.
        if not is_shown_only(value_of(form, line, "$.input")):
            equal = first.setdefault(key_of(canonical_bytes(form)), name)
            if equal != name:
                message = f"the input equals {equal!r}, and an input is checked once"
                raise IntegrityError.of("contradiction", message, line=line, path="$.input")
        yield _input(terms, lines, found, name, form)


def _input(terms: CheckTerms, lines: _Lines, found: _Found, name: str, form: Any) -> ReplayedInput:
    rules = rules_of(terms.alpha, len(terms.relations), early_stop=terms.early_stop)
    base = _base(terms, lines, name) if terms.relations else BaseOutputs([])
    digest, courses = digest_value(form), []
    for relation in terms.relations:
        planned = planned_samples(terms.samples, deterministic=relation.deterministic)
        course = ReplayedCourse(relation, planned, rules, (form, digest), found.notes)
        _replay(course, lines, name, base, declared=terms.deterministic)
        courses.append(course)
    plans = [course.plan for course in courses]
    conclusions = conclude(plans, rules)
    for course, conclusion in zip(courses, conclusions, strict=True):
        found.add(name, course, conclusion)
    return ReplayedInput(plans, conclusions, courses)


def _base(terms: CheckTerms, lines: _Lines, name: str) -> BaseOutputs:
    """The runs of the base: all of them, or up to one that raised."""
    runs = planned_base_runs(terms.baseline_runs, deterministic=terms.deterministic)
    values: list[Any] = []
    for run in range(runs):
        line, record = lines.take(("base",), {"id": f"{name}/base/{run}", "input_id": name, "run": run})
        if ("output" in record) == (record.get("error") is not None):
            raise wrong(line, "$.error", record.get("error"), "an output or an error")
        if "output" in record:
            values.append(value_of(record["output"], line, "$.output"))
            continue
        # What came after it does not matter, and is not kept.
        return BaseOutputs(None, record["error"], Failing(line, record["id"], None, "base"))
    return BaseOutputs(None if any(is_shown_only(value) for value in values) else values)


def _replay(course: ReplayedCourse, lines: _Lines, name: str, base: BaseOutputs, *, declared: bool) -> None:
    """Go through the samples of a relation, as its rules ask for them."""
    relation = course.terms.name
    of_course = {"input_id": name, "relation": relation}
    start, record = lines.take(("course",), {"id": f"{name}/{relation}", **of_course})
    if not course.begin(base, declared=declared, record=record, line=start):
        return
    for sample in range(course.plan.planned):
        due = {"id": f"{name}/{relation}/{sample}", **of_course, "sample": sample}
        line, found = lines.take(("trial", "skip", "error"), due)
        step = course.take(found, line)
        if step == "confirm":
            line, found = lines.take(("confirmation",), {**due, "id": f"{due['id']}/confirmation"})
            step = course.confirm(found, line)
        if step == "stop":
            break
    following = lines.peek()
    if following is not None and following["kind"] == "error" and following["where"] == "shrink":
        due = {**of_course, "id": f"{name}/{relation}/{following['sample']}/shrink"}
        line, found = lines.take(("error",), due)
        course.not_minimised(found, line)
        following = lines.peek()
    if following is not None and following["kind"] == "minimised" and following["relation"] == relation:
        due = {**of_course, "id": f"{name}/{relation}/{following['sample']}/minimised"}
        line, found = lines.take(("minimised",), due)
        course.minimised(found, line)
    course.finish(record, start)
