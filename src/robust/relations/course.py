"""What came of one relation on one input, event by event."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from robust.canon import JsonObject, copy_of_packed, pack_with_key
from robust.records.relation_check import CheckError
from robust.relations.noise_test import BaseRuns
from robust.relations.relation import Relation, SampleSource
from robust.relations.seen_values import Key, SeenValues
from robust.relations.stored_value import detached, key_of_value
from robust.relations.trial_plan import TrialPlan

_FLAT: Final = frozenset((str, int))
# Values that nobody can change, and of which two equal ones of one type are one and the same.
_QUICK: Final = frozenset((str, int, bool, type(None)))


class Variant(NamedTuple):
    """A value, such as a variant that is to be tried, held so that nobody can change it.

    Attributes:
        kept: what is held.
        thaw: makes a fresh copy of what is held.
        validation: what the oracle said of it, if there is one.
    """

    kept: Any
    thaw: Callable[[Any], Any]
    validation: JsonObject | None = None

    def fresh(self) -> Any:
        """A copy that may be changed."""
        return self.thaw(self.kept)


def itself(value: Any) -> Any:
    """A copy of what cannot be changed."""
    return value


def frozen(value: Any) -> tuple[Any, Callable[[Any], Any], Key]:
    """What is held of a value, what makes a copy of it, and a key that it shares with equal values alone.

    Raises:
        DataError: it cannot be copied.
    """
    kind = type(value)
    if kind is str:
        return value, itself, value
    if kind is list and value:
        first = type(value[0])
        if first in _FLAT and list(map(type, value)).count(first) == len(value):
            # Of texts alone, or of integers alone: the quickest to copy, and a key as they are.
            items = tuple(value)
            return items, list, items
    if kind not in _QUICK:
        both = pack_with_key(value)
        if both is not None:
            return both[0], copy_of_packed, both[1]
        return detached(value), detached, key_of_value(value)
    return value, itself, key_of_value(value)


# What makes copies of values of exact JSON types alone.
PLAIN_COPIES: Final = (list, copy_of_packed)


class Trial(NamedTuple):
    """An effective trial.

    Attributes:
        sample: the number of the sample.
        variant: what was asked.
        output: what the system gave.
        contradicts: whether that contradicts the reference run of the base.
    """

    sample: int
    variant: Variant
    output: Any
    contradicts: bool


class QuietRun(NamedTuple):
    """Consecutive samples whose outputs all are the very one that is due: most of what a check goes through.

    Attributes:
        start: the number of the first sample.
        variants: what is held of each variant, and what makes a copy of it.
        output: what the system gave.
    """

    start: int
    variants: list[tuple[Any, Callable[[Any], Any]]]
    output: Any

    def trials(self) -> Iterator[Trial]:
        """The trials one by one."""
        for sample, held in enumerate(self.variants, self.start):
            yield Trial(sample, Variant(*held), self.output, contradicts=False)


class Skip(NamedTuple):
    """A sample that is no trial: ``unchanged``, ``repeated``, ``not_applicable``, ``invalid`` or ``unknown``.

    Attributes:
        sample: the number of the sample.
        reason: why.
        note: the transform's own words, where it has some.
        variant: what the oracle did not take.
    """

    sample: int
    reason: str
    note: str | None = None
    variant: Variant | None = None


class Raised(NamedTuple):
    """A sample of which something raised.

    Attributes:
        sample: the number of the sample.
        error: what raised.
        variant: what was asked, where there was a variant.
        output: what the system gave, where it is the assertion that raised.
    """

    sample: int
    error: CheckError
    variant: Variant | None = None
    output: Any = None


class Confirmation(NamedTuple):
    """Base and variant of a sample, run afresh.

    Attributes:
        sample: the number of the sample.
        attempt: how many confirmations there were before.
        before: the outputs of the base.
        after: the outputs of the variant.
        p_value: of these outputs.
        error: what raised, if anything did.
    """

    sample: int
    attempt: int
    before: list[Any]
    after: list[Any]
    p_value: float
    error: str | None = None


class Minimised(NamedTuple):
    """A simpler variant that still contradicts the base.

    Attributes:
        sample: the number of the sample that it was made of.
        variant: itself.
        after: its outputs, all of which contradict the reference run of the base.
    """

    sample: int
    variant: Variant
    after: list[Any]


@dataclass(slots=True, eq=False)
class Course:
    """One relation on one input.

    Attributes:
        relation: the relation.
        plan: what is asked next, and what follows.
        seen: which of the input and all variants so far were there.
        base: how the base's runs compare under its assertion; None before they are there, or where it cannot tell.
        log: what came of each sample, in order.
        errors: what raised.
        minimised: what was found simpler, if anything was.
        source: makes the random sources of its samples; None until one is wanted.
        due: what the reference run of the base says that a variant's output should be.
        quick: the type of outputs that are the same if they are equal; None where that is not known.
    """

    relation: Relation
    plan: TrialPlan
    seen: SeenValues
    base: BaseRuns | None = None
    log: list[Trial | QuietRun | Skip | Raised | Confirmation] = field(default_factory=list)
    errors: list[CheckError] = field(default_factory=list)
    minimised: Minimised | None = None
    source: SampleSource | None = None
    due: Any = None
    quick: type | None = None

    @property
    def events(self) -> Iterator[Trial | Skip | Raised | Confirmation]:
        """What came of each sample, one by one."""
        for event in self.log:
            if isinstance(event, QuietRun):
                yield from event.trials()
            else:
                yield event

    @property
    def trials(self) -> list[Trial]:
        """The effective trials, in order."""
        return [event for event in self.events if type(event) is Trial]

    def compared_with(self, base: BaseRuns) -> None:
        """Take in how the base's runs compare."""
        self.base = base
        self.plan.base = base.state
        self.due = base.dues[base.reference]
        kind = type(self.due)
        self.quick = kind if self.relation.judged_by.reflexive and kind in _QUICK else None

    def contradicts(self, output: Any) -> bool:
        """Whether an output contradicts the reference run of the base.

        Raises:
            Exception: whatever the assertion raises.
        """
        if type(output) is self.quick and output == self.due:
            return False
        return not self.relation.judged_by.agree(self.due, output)

    def quiet(self, run: QuietRun) -> None:
        """Note trials that agree with the base."""
        self.plan.asked += len(run.variants)
        self.plan.trials += len(run.variants)
        self.log.append(run)

    def skip(self, skipped: Skip) -> None:
        """Note a sample that is no trial."""
        self.plan.skip(skipped.reason)
        self.log.append(skipped)

    def raised(self, raised: Raised) -> None:
        """Note something that raised."""
        self.plan.errors += 1
        self.errors.append(raised.error)
        self.log.append(raised)
