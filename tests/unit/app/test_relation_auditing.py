"""Whether a relation is fair, and which broken systems it finds."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from robust import Relation, audit_relation, order_invariant, total_reorder_invariant, unchanged
from robust.errors import UsageError

INPUTS = [[3, 1, 2], [5, 4], [7, 7, 8], [1, 2, 3, 4]]


def first(items: list[int]) -> int:
    return items[0]


def last_of_two(items: list[int]) -> int:
    return max(items) if len(items) > 2 else items[-1]


def fails(items: list[int]) -> int:
    raise ValueError("no")


@pytest.mark.parametrize("deterministic", [True, False])
def test_a_fair_relation_fails_no_correct_system_and_kills_broken_ones(deterministic: bool) -> None:
    """One that is broken on some inputs only is killed, too; one that the relation cannot see survives."""
    audit = audit_relation(
        order_invariant(), [max, sum, len], [first, last_of_two, min], INPUTS, deterministic_system=deterministic
    )
    assert (audit.verdict, audit.status, audit.exit_code, audit.fair) == ("fair", "pass", 0, True)
    assert (audit.killed, audit.survived) == (("first", "last_of_two"), ("min",))
    assert (audit.failing.hits, audit.failing.cases) == (0, 4)
    assert audit.failing.high == pytest.approx(1 - 0.025 ** (1 / 4))
    assert (audit.killing.hits, audit.killing.cases) == (2, 3)
    by_name = {system.name: system for system in audit.systems}
    assert by_name["last_of_two"].violated == 1
    assert by_name["max"].trials > 0
    assert "killed   first: violated on 4 of 4 (100.0 %, 95 % interval 39.8 to 100.0 %) inputs" in audit.summary()
    assert json.loads(json.dumps(audit.to_dict()))["survived"] == ["min"]


def test_an_input_counts_once_however_many_correct_systems_fail_on_it() -> None:
    """It fails if any of them does; the share of each alone stands beside."""
    correct: dict[str, Callable[[Any], Any]] = {
        "first": first,
        "first again": first,
        "last of two": last_of_two,
        "max": max,
    }
    audit = audit_relation(order_invariant(), correct, [], [*INPUTS, [1]], deterministic_system=True)
    assert audit.failing.to_dict() == {**audit.failing.to_dict(), "hits": 4, "cases": 4, "value": 1}
    assert [(each.failing.hits, each.failing.cases) for each in audit.systems] == [(4, 4), (4, 4), (1, 4), (0, 4)]
    assert audit.to_dict()["systems"][2]["failing"]["value"] == 0.25
    alone = audit_relation(order_invariant(), {"first": first}, [], [*INPUTS, [1]], deterministic_system=True)
    assert alone.failing == audit.failing


def test_a_relation_that_fails_a_correct_system_is_unfair() -> None:
    """Shuffled lines part a cue from its amount, which a correct reader of receipts relies on; whole blocks do not."""

    def shuffled(lines: list[str], random: Random) -> list[str]:
        return random.sample(lines, len(lines))

    def reads_below(lines: list[str]) -> str | None:
        place = lines.index("TOTAL")
        return lines[place + 1] if place + 1 < len(lines) else None

    def reads_last(lines: list[str]) -> str:
        return [line for line in lines if line[-1].isdigit()][-1]

    receipts = [["SHOP", "Tea 2.00", "TOTAL", "2.00", "BYE"], ["SHOP", "Nails 3.50", "TOTAL", "3.50"]]
    unfair = audit_relation(Relation("shuffled lines", shuffled, unchanged()), [reads_below], [reads_last], receipts)
    assert (unfair.verdict, unfair.status, unfair.exit_code, unfair.fair) == ("unfair", "fail", 1, False)
    assert unfair.failing.hits == 2
    assert "expected '2.00'" in unfair.summary()
    fair = audit_relation(total_reorder_invariant(), [reads_below], [reads_last], receipts)
    assert (fair.verdict, fair.killed) == ("fair", ("reads_last",))


def test_a_relation_that_kills_nothing_is_toothless_where_something_was_to_be_killed() -> None:
    """Without broken systems nobody asked."""
    audit = audit_relation(order_invariant(), [max], [min], INPUTS)
    assert (audit.verdict, audit.status, audit.exit_code, audit.fair) == ("toothless", "fail", 1, True)
    assert audit_relation(order_invariant(), [max], [], INPUTS).verdict == "fair"


@pytest.mark.parametrize(("correct", "inputs"), [([], INPUTS), ([max], []), ([max], [[1], [2]]), ([max], [[1, 1]])])
def test_what_was_never_tried_is_vacuous(correct: list[Any], inputs: list[Any]) -> None:
    """However many broken systems are killed."""
    audit = audit_relation(order_invariant(), correct, [], inputs, deterministic_system=True)
    assert (audit.verdict, audit.status, audit.exit_code, audit.fair) == ("vacuous", "error", 2, False)


def test_a_correct_system_that_raises_is_errored_and_does_not_hide_an_unfair_relation() -> None:
    """The reason is told."""
    audit = audit_relation(order_invariant(), [max, fails], [first], INPUTS)
    assert (audit.verdict, audit.exit_code) == ("errored", 2)
    assert "ValueError: no" in audit.summary()
    assert audit_relation(order_invariant(), [first, fails], [], INPUTS).verdict == "unfair"
    assert audit_relation(order_invariant(), [max], [fails, first], INPUTS).verdict == "fair"


def test_noise_of_a_correct_system_is_no_failure() -> None:
    """Unless it is declared deterministic."""
    random = Random(3)

    def noisy(items: list[int]) -> int:
        return max(items) + (random.random() < 0.2)

    assert audit_relation(order_invariant(), [noisy], [], INPUTS, baseline_runs=10).verdict != "unfair"
    assert audit_relation(order_invariant(), [noisy], [], INPUTS, deterministic_system=True).verdict == "unfair"


def test_systems_have_names_of_their_own() -> None:
    """Given, or told apart by numbers."""
    systems: list[Callable[[Any], Any]] = [lambda items: 1, lambda items: 2]
    audit = audit_relation(order_invariant(), systems, {"the first": first}, INPUTS[:1])
    assert [system.name for system in audit.systems] == ["<lambda>", "<lambda> (2)", "the first"]


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"relation": max}, "relation"),
        ({"correct_systems": max}, "correct_systems"),
        ({"correct_systems": [1]}, "correct_systems"),
        ({"broken_systems": {"a": None}}, "broken_systems"),
        ({"inputs": "abc"}, "inputs"),
        ({"inputs": {"a": 1}}, "inputs"),
        ({"inputs": None}, "inputs"),
        ({"samples": -1}, "samples"),
    ],
)
def test_arguments_that_cannot_be_are_refused(changed: dict[str, Any], named: str) -> None:
    """Before anything is run."""
    given = {
        "relation": order_invariant(),
        "correct_systems": [max],
        "broken_systems": [],
        "inputs": INPUTS,
        **changed,
    }
    with pytest.raises(UsageError, match=f"^{named}"):
        audit_relation(**given)
