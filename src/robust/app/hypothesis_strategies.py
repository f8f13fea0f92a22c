"""Strategies for Hypothesis: it draws inputs and shrinks them, a relation makes variants, an oracle judges them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from robust.canon import JsonObject, describe
from robust.errors import DataError, UsageError
from robust.records.seams import Validator
from robust.relations.relation import NotApplicable, Relation
from robust.relations.stored_value import detached, key_of_value
from robust.relations.variant_oracle import VariantOracle

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

_MAX_SAMPLE: Final = 999
_MAX_ATTEMPTS: Final = 1000
_SHOWN: Final = 300


@dataclass(frozen=True, slots=True)
class RelationCandidate:
    """An input and a variant of it.

    Attributes:
        relation: what made the variant.
        base: the input.
        variant: the variant, which differs from it.
        sample: its number: ``relation.variant(base, sample)`` makes it again.
        validation: what the oracle said of it; None without one.
    """

    relation: Relation
    base: Any
    variant: Any
    sample: int
    validation: JsonObject | None = None

    def holds(self, system: Callable[[Any], Any]) -> bool:
        """Whether the relation's assertion holds of what a system, asked once each, makes of input and variant.

        Raises:
            DataError: the two outputs cannot be compared.
        """
        return self.relation.judged_by.holds(system(detached(self.base)), system(detached(self.variant)))

    def __repr__(self) -> str:
        return f"<{self.relation.name}, sample {self.sample}: {_short(self.base)} → {_short(self.variant)}>"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def candidates(
    strategy: SearchStrategy[Any], relation: Relation, oracle: Validator | None = None, *, attempts: int = 5
) -> SearchStrategy[RelationCandidate]:
    """A Hypothesis strategy of inputs with a variant each.

    Hypothesis draws the input and the number of the sample, which is all of the variant's randomness, and makes both
    simpler when a test fails. A variant that is as its input is none; with an oracle only valid ones come. An input for
    which ``attempts`` samples give none is rejected, as :func:`hypothesis.assume` does, and counted as an event.

    Args:
        strategy: draws inputs.
        relation: makes variants.
        oracle: judges them, instead of the relation's own oracle. It must never be the tested model.
        attempts: how many samples are tried for an input.

    Raises:
        UsageError: an argument is not what it must be, or Hypothesis is not installed.
        DataError: of a drawn example: the oracle raised, was too late, or gave no answer.
    """
    return relations_strategy(strategy, [relation], oracle, attempts=attempts)


def relations_strategy(
    strategy: SearchStrategy[Any], relations: Sequence[Relation], oracle: Validator | None = None, *, attempts: int = 5
) -> SearchStrategy[RelationCandidate]:
    """A Hypothesis strategy of inputs with a variant each, made by one of several relations.

    Args:
        strategy: draws inputs.
        relations: one of them makes the variant; the first ones count as simpler.
        oracle: see :func:`candidates`; by default each relation's own.
        attempts: see :func:`candidates`.

    Raises:
        UsageError: an argument is not what it must be, or Hypothesis is not installed.
    """
    try:
        from hypothesis import event, reject
        from hypothesis import strategies as st
    except ImportError:
        hint = "pip install 'robust-records[hypothesis]'"
        raise UsageError.of("missing_extra", "Hypothesis is not installed", hint=hint) from None
    if not isinstance(strategy, st.SearchStrategy):
        message = f"must be a strategy of Hypothesis, not {describe(strategy)}"
        raise UsageError.of("bad_strategy", message, path="strategy")
    if type(attempts) is not int or not 1 <= attempts <= _MAX_ATTEMPTS:
        message = f"must be an integer from 1 to {_MAX_ATTEMPTS}, not {attempts!r}"
        raise UsageError.of("bad_option", message, path="attempts")
    judged = _judged_by(relations, oracle)

    @st.composite
    def drawn(draw: DrawFn) -> RelationCandidate:
        relation = draw(st.sampled_from(judged))
        base = draw(strategy)
        sample = 0 if relation.deterministic else draw(st.integers(0, _MAX_SAMPLE))
        found = _candidate(relation, base, range(sample, sample + (1 if relation.deterministic else attempts)))
        if isinstance(found, str):
            event(f"{relation.name}: {found}")
            reject()
        return found

    return drawn()


def _judged_by(relations: Sequence[Relation], oracle: Validator | None) -> list[Relation]:
    listed = list(relations) if isinstance(relations, list | tuple) else []
    if not listed or not all(isinstance(relation, Relation) for relation in listed):
        message = f"must be relations, at least one, not {describe(relations)}"
        raise UsageError.of("bad_relation", message, path="relations")
    return listed if oracle is None else [replace(relation, oracle=oracle) for relation in listed]


def _candidate(relation: Relation, base: Any, samples: range) -> RelationCandidate | str:
    """The first valid variant, or why there is none."""
    judge = None if relation.oracle is None else VariantOracle(relation, base)
    key, reason = key_of_value(base), ""
    try:
        for sample in samples:
            try:
                variant = relation.variant(base, sample)
            except NotApplicable as error:
                return f"not applicable: {error.reason}"
            if key_of_value(variant) == key:
                reason = "unchanged"
                continue
            said = None if judge is None else judge.judge(variant, sample)
            if said is None or said.status == "valid":
                return RelationCandidate(relation, base, variant, sample, None if said is None else said.record)
            if said.failure is not None:
                message = f"the oracle of {relation.name!r} gave no answer on sample {sample}: {said.failure}"
                raise DataError.of(
                    "oracle_failed", message, hint="mend the oracle; one that cannot tell says valid=None"
                )
            reason = said.status
    finally:
        if judge is not None:
            judge.close()
    return reason
