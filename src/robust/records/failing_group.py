"""Source groups whose pairs fail, as reports for other tools list them, and how much that weighs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias

from robust.canon import JsonObject

Weight: TypeAlias = Literal["error", "warning", "note"]
WEIGHTS: Final[tuple[Weight, ...]] = ("error", "warning", "note")
# How a property stores that its pairs may have another label; every other violation is of a limit of single pairs.
FLIP: Final = "max_flip_rate"
# Both kinds of violation.
ANY_VIOLATION: Final = ("any other", FLIP)
_OF_LIMITS: Final = frozenset(("max_violation_rate", "max_group_violation_rate"))
_OF_FLIPS: Final = frozenset((FLIP,))


class FailingGroup(NamedTuple):
    """The failing pairs of one source group and property.

    Attributes:
        source_id: as the first of them has it.
        line: of the first of them in ``records.jsonl``, from 1.
        columns: how many characters that line has.
        pairs: how many of them there are.
        violations: by limit, how many of them break it.
        first: the first of them, as it stands under ``failures.first`` of a report; perhaps without the excerpt.
    """

    source_id: str
    line: int
    columns: int
    pairs: int
    violations: Mapping[str, int]
    first: JsonObject


def weight_of(report: JsonObject, name: str, violations: Iterable[str]) -> Weight:
    """How much it weighs that pairs of a property break limits, by the gates that speak of such pairs.

    Args:
        report: the report.
        name: of the property.
        violations: the limits that are broken.

    Returns:
        ``error`` where a requirement does not hold (an inconclusive one does not), ``warning`` where only a warning
        does not, ``note`` where the contract allows them, or they may be the model's own noise.
    """
    kinds = {violation == FLIP for violation in violations}
    gates = frozenset[str]().union(*(_OF_FLIPS if flip else _OF_LIMITS for flip in kinds))
    levels = {
        check["level"]
        for check in report["checks"]
        if check["status"] != "pass" and check["check"] in {f"{name}.{gate}" for gate in gates}
    }
    return "error" if "requirement" in levels else "warning" if levels else "note"


def failing_pair_count(report: JsonObject, name: str) -> int:
    """How many pairs of a property break a limit, or have another label where that is limited."""
    by_kind: dict[str, int] = report["failures"]["by_kind"]
    errors: int = report["properties"][name]["errors"]
    return by_kind.get(name, 0) - errors


def shares_of(report: JsonObject, most: int) -> dict[str, int]:
    """How many source groups of each property can be listed, of ``most`` in all.

    What weighs most comes first; among equals none gets more while another one wants it.
    """
    left, shares = most, dict.fromkeys(report["properties"], 0)
    for weight in WEIGHTS:
        # No property has more failing groups than failing pairs, or than groups that were compared.
        wanted = {
            name: min(failing_pair_count(report, name), found["groups"])
            for name, found in report["properties"].items()
            if weight_of(report, name, ANY_VIOLATION) == weight
        }
        names = sorted(wanted, key=wanted.__getitem__)
        for place, name in enumerate(names):
            shares[name] = min(wanted[name], left // (len(names) - place))
            left -= shares[name]
    return shares
