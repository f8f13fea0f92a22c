"""All relations on one input: what to ask, and what comes of the answers; whoever drives it makes the calls."""

from __future__ import annotations

import inspect
from asyncio import CancelledError
from collections.abc import Callable, Generator, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from robust.canon import digest_value
from robust.records.failure import describe_exception
from robust.records.relation_check import CheckError
from robust.relations.course import Confirmation, Course, Minimised, Raised, Skip, Trial, Variant, frozen
from robust.relations.noise_test import compare_base_runs, compare_outputs, relabelling_seed
from robust.relations.relation import NotApplicable, Relation, SampleSource, source_prefix
from robust.relations.seen_values import Key, SeenValues
from robust.relations.stored_size import StoredSize
from robust.relations.stored_value import detached, stored
from robust.relations.trial_plan import (
    Conclusion,
    Step,
    TrialPlan,
    conclude,
    planned_base_runs,
    planned_samples,
    rules_of,
)
from robust.relations.variant_oracle import VariantOracle

MAX_CANDIDATES: Final = 200
MAX_NOISY_CANDIDATES: Final = 30
MAX_SHRINK_STEPS: Final = 2000
_PLAIN: Final = frozenset((str, int, float, bool, type(None), bytes))


class Settings(NamedTuple):
    """What a check was called with.

    Attributes:
        samples: how many variants each relation makes at most.
        baseline_runs: how often the base is run.
        alpha: the chance of a false alarm that is accepted.
        deterministic: whether the system is declared to be deterministic.
        early_stop: whether samples are left out once no later contradiction can change a verdict.
    """

    samples: int = 20
    baseline_runs: int = 5
    alpha: float = 0.05
    deterministic: bool = False
    early_stop: bool = True


class Failed(NamedTuple):
    """A call that raised, in place of an output."""

    message: str


class InputCheck:
    """The check of one input.

    The driver first makes :attr:`base_runs` calls with :meth:`fresh_base` and hands the outputs to :meth:`take_base`.
    Then, for each course, sample by sample: :meth:`prepare`, a call, :meth:`take`, and what the step says that this
    gives. Nothing here depends on when a call is made, only on the order in which outputs are handed over.

    Args:
        base_input: the input; it is never changed.
        relations: with distinct names.
        settings: what the check was called with.
        settle: waits for an awaitable that a synchronous system gave.

    Raises:
        DataError: the input can be neither stored nor copied.
        CaseError: an oracle cannot be called.
    """

    def __init__(
        self,
        base_input: Any,
        relations: Sequence[Relation],
        settings: Settings,
        settle: Callable[[Any], Any] | None = None,
    ) -> None:
        self.settings = settings
        self.settle = settle
        self.rules = rules_of(settings.alpha, len(relations), early_stop=settings.early_stop)
        self.kept, self.thaw, self.key = frozen(base_input)
        self.courses = [
            Course(relation, TrialPlan(planned, self.rules), SeenValues(self.key))
            for relation in relations
            for planned in (planned_samples(settings.samples, deterministic=relation.deterministic),)
        ]
        self.base_runs = planned_base_runs(settings.baseline_runs, deterministic=settings.deterministic)
        self.base: list[Any] = []
        self.base_error: CheckError | None = None
        self.calls = 0
        self.shrink_calls = 0
        self._oracles: dict[int, VariantOracle] = {}

    @cached_property
    def form(self) -> Any:
        """The input as it is stored."""
        return stored(self.fresh_base())

    @cached_property
    def digest(self) -> str:
        """The digest of the input."""
        return digest_value(self.form)

    def fresh_base(self) -> Any:
        """A copy of the input that may be changed."""
        return self.thaw(self.kept)

    def take_base(self, outputs: Sequence[Any]) -> bool:
        """Take in the outputs of the base; whether there is anything to go on with."""
        if Failed in set(map(type, outputs)):
            failed = next(place for place, each in enumerate(outputs) if type(each) is Failed)
            # What came after it does not matter, so that it is the same whether calls overlap or not.
            self.base = list(outputs[:failed])
            self.base_error = CheckError("base", None, outputs[failed].message)
            for course in self.courses:
                course.plan.errors += 1
                course.errors.append(self.base_error)
            return False
        self.base = list(outputs)
        for course in self.courses:
            try:
                course.compared_with(
                    compare_base_runs(course.relation.judged_by, self.base, declared=self.settings.deterministic)
                )
            except (Exception, CancelledError) as error:  # noqa: BLE001 - an assertion of the caller's own may raise anything
                course.plan.errors += 1
                course.errors.append(CheckError("assertion", None, describe_exception(error)))
        return True

    def prepare(self, course: Course, sample: int) -> Variant | Skip | Raised:
        """The variant of a sample, or why there is none; to be asked for in the order of samples."""
        relation = course.relation
        try:
            given = self.thaw(self.kept)
            if relation.takes == "input":
                variant = relation.transform(given)
            elif relation.takes == "input and source":
                variant = relation.transform(given, self.sources(course).of(sample))
            else:
                variant = relation.apply(given, lambda: self.sources(course).of(sample))
            kept, thaw, key = frozen(variant)
        except (Exception, CancelledError) as error:  # noqa: BLE001 - a transform may raise anything
            return not_made(sample, error)
        if not course.seen.add(key):
            return known(self, sample, key)
        made = Variant(kept, thaw)
        return made if relation.oracle is None else self._validated(course, sample, made)

    def sources(self, course: Course) -> SampleSource:
        """The random sources of a course's samples."""
        if course.source is None:
            course.source = SampleSource(source_prefix(course.relation.name, course.relation.seed, self.digest))
        return course.source

    def _validated(self, course: Course, sample: int, held: Variant) -> Variant | Skip | Raised:
        place = id(course)
        try:
            oracle = self._oracles.get(place)
            if oracle is None:
                oracle = self._oracles[place] = VariantOracle(course.relation, self.fresh_base())
            judged = oracle.judge(held.fresh(), sample)
        except (Exception, CancelledError) as error:  # noqa: BLE001 - what cannot be made a case, or an oracle that cannot be asked
            return Raised(sample, CheckError("oracle", sample, describe_exception(error)), held)
        held = held._replace(validation=judged.record)
        if judged.failure is not None:
            return Raised(sample, CheckError("oracle", sample, judged.failure), held)
        return held if judged.status == "valid" else Skip(sample, judged.status, None, held)

    def take(self, course: Course, sample: int, prepared: Variant | Skip | Raised, output: Any = None) -> Step:
        """Take in what came of a sample, in the order of samples: an output, a :class:`Failed`, or no call at all."""
        plan = course.plan
        plan.asked += 1
        if type(prepared) is not Variant:
            if type(prepared) is Skip:
                course.skip(prepared)
            elif type(prepared) is Raised:
                course.raised(prepared)
            return "go"
        if type(output) is Failed:
            course.raised(Raised(sample, CheckError("system", sample, output.message), prepared))
            return "go"
        try:
            contradicts = course.contradicts(output)
        except (Exception, CancelledError) as error:  # noqa: BLE001 - an assertion of the caller's own may raise anything
            raised = CheckError("assertion", sample, describe_exception(error))
            course.raised(Raised(sample, raised, prepared, output))
            return "go"
        course.log.append(Trial(sample, prepared, output, contradicts))
        plan.trials += 1
        return plan.contradicted() if contradicts else "go"

    def take_confirmation(self, course: Course, sample: int, before: Sequence[Any], after: Sequence[Any]) -> Step:
        """Take in the outputs of fresh runs of base and variant, or the :class:`Failed` among them."""
        failed = next((each.message for each in [*before, *after] if type(each) is Failed), None)
        number = len(course.plan.attempts)
        outputs = [[each for each in side if type(each) is not Failed] for side in (before, after)]
        p_value = 1.0
        if failed is None:
            assertion = course.relation.judged_by
            try:
                dues = [assertion.due(each) for each in outputs[0]]
                p_value = compare_outputs(assertion, dues, outputs[1], self.test_seed(course, sample)).p_value
            except (Exception, CancelledError) as error:  # noqa: BLE001 - an assertion of the caller's own may raise anything
                failed = describe_exception(error)
        if failed is not None:
            course.plan.errors += 1
            course.errors.append(CheckError("confirmation", sample, failed))
        course.log.append(Confirmation(sample, number, outputs[0], outputs[1], p_value, failed))
        return course.plan.confirmed(course.plan.attempt_of(sample, p_value))

    def finish(self, course: Course) -> None:
        """Test all outputs of a course, where its base's runs differ."""
        if course.base is None or course.base.state != "differs" or not course.plan.trials:
            return
        afters = [trial.output for trial in course.trials]
        try:
            seed = self.test_seed(course, None)
            course.plan.test = compare_outputs(course.relation.judged_by, course.base.dues, afters, seed)
        except (Exception, CancelledError) as error:  # noqa: BLE001 - an assertion of the caller's own may raise anything
            course.plan.errors += 1
            course.errors.append(CheckError("assertion", None, describe_exception(error)))

    def test_seed(self, course: Course, sample: int | None) -> str:
        """What the choice of relabellings of a test depends on."""
        return relabelling_seed(course.relation.seed, self.digest, sample, course.relation.name)

    def conclude(self) -> list[Conclusion]:
        """The verdicts, once every course is finished."""
        return conclude([course.plan for course in self.courses], self.rules)

    def simpler(self, course: Course, found: Trial) -> Generator[Variant, Sequence[Any], None]:
        """Variants that might contradict the base as well, simplest first; each is to be answered by its outputs.

        What is found is kept as :attr:`Course.minimised`. One that is larger than the input and the variant that was
        found together is no simpler, and is not asked. A shrinking that raises ends, and is noted as an error.
        """
        shrink = course.relation.shrink
        if shrink is None:
            return
        declared = course.plan.base == "declared"
        left = MAX_CANDIDATES if declared else MAX_NOISY_CANDIDATES
        tried, steps, current = SeenValues(self.key), 0, found.variant
        tried.add(frozen(current.fresh())[2])
        try:
            between = [StoredSize.of(stored(each)) for each in (self.fresh_base(), current.fresh())]
            candidates = iter(shrink(self.fresh_base(), current.fresh()))
            while left and steps < MAX_SHRINK_STEPS:
                steps += 1
                value = next(candidates, _END)
                if value is _END:
                    return
                kept, thaw, key = frozen(value)
                if not tried.add(key):
                    continue
                if not StoredSize.of(stored(value)).may_follow(*between):
                    continue
                candidate = Variant(kept, thaw)
                if course.relation.oracle is not None:
                    judged = self._validated(course, found.sample, candidate)
                    if type(judged) is not Variant:
                        continue
                    candidate = judged
                left -= 1
                outputs = yield candidate
                if all(self.still_contradicts(course, each) for each in outputs):
                    current = candidate
                    course.minimised = Minimised(found.sample, candidate, list(outputs))
                    candidates = iter(shrink(self.fresh_base(), current.fresh()))
        except (Exception, CancelledError) as error:  # noqa: BLE001 - a function of the caller's own may raise anything
            course.errors.append(CheckError("shrink", found.sample, describe_exception(error)))

    def still_contradicts(self, course: Course, output: Any) -> bool:
        """Whether an output contradicts the base; one that failed, or cannot be compared, does not."""
        try:
            return type(output) is not Failed and course.contradicts(output)
        except (Exception, CancelledError):  # noqa: BLE001 - an assertion of the caller's own may raise anything
            return False

    def close(self) -> None:
        """Let go of the oracles."""
        for oracle in self._oracles.values():
            oracle.close()


_END: Final = object()


def known(check: InputCheck, sample: int, key: Key) -> Skip:
    """What comes of a sample whose variant is the input, or an earlier variant."""
    return Skip(sample, "unchanged" if key == check.key else "repeated")


def not_made(sample: int, error: BaseException) -> Skip | Raised:
    """What comes of a sample whose transform raised, or gave what cannot be copied."""
    if isinstance(error, NotApplicable):
        return Skip(sample, "not_applicable", error.reason or None)
    return Raised(sample, CheckError("transform", sample, describe_exception(error)))


def called(check: InputCheck, system: Callable[[Any], Any], given: Any) -> Any:
    """The detached output of a call, or :class:`Failed`."""
    try:
        output = system(given)
    except (Exception, CancelledError) as error:  # noqa: BLE001 - the system may raise anything
        return Failed(describe_exception(error))
    return output if type(output) in _PLAIN else given_back(check, output)


def given_back(check: InputCheck, output: Any) -> Any:
    """What a system gave, detached and waited for, or :class:`Failed`."""
    if type(output) in _PLAIN or type(output) is Failed:
        return output
    try:
        if check.settle is not None and inspect.isawaitable(output):
            output = check.settle(output)
        return detached(output)
    except (Exception, CancelledError) as error:  # noqa: BLE001 - so may what it gave
        return Failed(describe_exception(error))
