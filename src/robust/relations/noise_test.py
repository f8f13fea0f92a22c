"""Whether outputs of a variant differ from those of its base by more than the base differs from itself."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from robust.canon import JsonObject, hash_bytes
from robust.records.decision import tidy_number
from robust.relations.assertions import Assertion, itself
from robust.relations.stored_value import key_of_value
from robust.stats.exact_tests import fisher_two_sided, rarest_split
from robust.stats.outcome_kinds import Kinds, kinds_of_groups
from robust.stats.relabelling import RELABELLINGS, all_relabellings, some_relabellings

# How the runs of a base compare. ``declared``: there is one, of a system that is said to be deterministic. ``agrees``
# and ``differs``: they do, or do not, agree under the assertion. ``unknown``: the assertion does not hold of two equal
# outputs, so that it cannot tell.
Base: TypeAlias = Literal["declared", "agrees", "differs", "unknown"]
PLAIN_OUTPUTS: Final = frozenset((str, int, bool, type(None)))
_LABELS: Final = (str, bool, type(None), Enum)


class BaseRuns(NamedTuple):
    """The runs of a base as one assertion sees them.

    Attributes:
        state: how they compare.
        dues: what each of them says that a variant's output should be.
        reference: the place of the run that variants are compared with: the one with which most others agree.
    """

    state: Base
    dues: list[Any]
    reference: int


class NoiseTest(NamedTuple):
    """What the outputs of base and variants show.

    Attributes:
        p_value: how likely they are to differ so much if the change of the input has no effect.
        smallest_p: the smallest that it could have been with so many runs.
        disagreements: how many pairs of a base run and a trial contradict each other.
    """

    p_value: float
    smallest_p: float
    disagreements: int

    def to_json(self) -> JsonObject:
        """As it stands in records."""
        return {
            "p_value": tidy_number(self.p_value),
            "smallest_p": tidy_number(self.smallest_p),
            "disagreements": self.disagreements,
        }


def relabelling_seed(seed: int, digest: str, sample: int | None, name: str) -> str:
    """What the choice of relabellings depends on, where there are too many to look at all.

    Args:
        seed: the relation's.
        digest: of the input.
        sample: the number of the sample that is confirmed; None in the test of all outputs.
        name: the relation's.
    """
    return f"{seed} {digest} {sample} {name}"


def compare_base_runs(assertion: Assertion, outputs: Sequence[Any], *, declared: bool) -> BaseRuns:
    """Compare the outputs of the base with each other.

    Raises:
        DataError: the assertion cannot compare them.
    """
    dues = list(outputs) if assertion.due is itself else [assertion.due(output) for output in outputs]
    first, kind = dues[0], type(dues[0])
    if assertion.reflexive and not assertion.labels:
        # It holds, or tells that it is not for such outputs.
        assertion.agree(first, first)
    if declared:
        return BaseRuns("declared", dues, 0)
    if assertion.reflexive:
        # The usual case, and what most of the time would go to.
        if kind in PLAIN_OUTPUTS and dues.count(first) == len(dues) and len(set(map(type, dues))) == 1:
            return BaseRuns("agrees", dues, 0)
    elif not all(assertion.agree(due, due) for due in dues):
        return BaseRuns("unknown", dues, 0)
    size = len(dues)
    agree = assertion.agree
    with_others = [
        sum(agree(dues[one], dues[other]) and agree(dues[other], dues[one]) for other in range(size) if other != one)
        for one in range(size)
    ]
    state: Base = "agrees" if min(with_others) == size - 1 else "differs"
    return BaseRuns(state, dues, with_others.index(max(with_others)))


def most_contradicted(assertion: Assertion, base: BaseRuns, after: Any) -> tuple[int, int]:
    """With how many base runs an output disagrees, and the place of one of them, the reference if it can be."""
    against = [place for place, due in enumerate(base.dues) if not assertion.agree(due, after)]
    if not against:
        return 0, base.reference
    return len(against), base.reference if base.reference in against else against[0]


def compare_outputs(assertion: Assertion, dues: Sequence[Any], afters: Sequence[Any], seed: str) -> NoiseTest:
    """Test whether outputs of variants differ from what is due more than those dues differ from each other.

    Outputs that are labels of two kinds: Fisher's exact test, two-sided. All else: the permutation test of
    :mod:`robust.stats.relabelling`, over the share of pairs that disagree across and that within the base; with two
    thousand of all relabellings where there are more, among them the one that was observed (Phipson & Smyth 2010).

    Args:
        assertion: what tells whether two outputs agree.
        dues: what the base's outputs say that variants' should be; at least one.
        afters: the variants' outputs; at least one.
        seed: what the choice of relabellings depends on.

    Raises:
        DataError: the assertion cannot compare them.
    """
    groups = _grouped(dues, afters)
    reps = [each[2] for each in groups]
    counts = [(before, after) for before, after, _ in groups]
    breaks = [
        [row != column and not assertion.agree(one, other) for column, other in enumerate(reps)]
        for row, one in enumerate(reps)
    ]
    kinds, between = kinds_of_groups(counts, breaks)
    disagreements = sum(
        kinds[row][0] * kinds[column][1] * between[row * len(kinds) + column]
        for row in range(len(kinds))
        for column in range(len(kinds))
    )
    smallest = rarest_split(len(dues), len(afters))
    if len(kinds) == 1:
        return NoiseTest(1.0, smallest, disagreements)
    if len(kinds) == 2 and assertion.labels and all(isinstance(each, _LABELS) for each in reps):
        (base_one, after_one), (base_two, after_two) = kinds
        p_value = fisher_two_sided((base_one, base_two), (after_one, after_two))
        return NoiseTest(p_value, min(smallest, p_value), disagreements)
    p_value, draws = _relabelled(kinds, between, seed)
    return NoiseTest(p_value, min(p_value, max(smallest, draws)), disagreements)


def _grouped(dues: Sequence[Any], afters: Sequence[Any]) -> list[list[Any]]:
    """Equal outputs counted: how many base runs and how many trials had each, and one that stands for them."""
    groups: dict[Any, list[Any]] = {}
    for side, outputs in enumerate((dues, afters)):
        for output in outputs:
            key = output if type(output) is str else key_of_value(output)
            group = groups.get(key)
            if group is None:
                group = groups[key] = [0, 0, output]
            group[side] += 1
    return list(groups.values())


def _relabelled(kinds: Kinds, between: bytes, seed: str) -> tuple[float, float]:
    """The p value, and the smallest that so many relabellings can show."""
    found = all_relabellings(kinds, between)
    if found is not None:
        return found.p_value, 0.0
    from numpy.random import Philox

    key = int.from_bytes(hash_bytes(seed.encode("utf-8", "surrogatepass"))[:16], "big")
    return some_relabellings(kinds, between, Philox(key=key)).p_value, 1 / RELABELLINGS
