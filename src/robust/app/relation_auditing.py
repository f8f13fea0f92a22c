"""The public function that audits a relation by systems that are known to be correct or broken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from robust.app.check_result import CheckReport
from robust.app.checking import check
from robust.canon import describe
from robust.errors import UsageError
from robust.records.relation_audit import AuditedSystem, RelationAudit
from robust.relations.relation import Relation
from robust.relations.shares import share_of_cases

System: TypeAlias = Callable[[Any], Any]
Systems: TypeAlias = Mapping[str, System] | Sequence[System]
_SHOWN: Final = 200


def audit_relation(
    relation: Relation,
    correct_systems: Systems,
    broken_systems: Systems,
    inputs: Iterable[Any],
    *,
    samples: int = 20,
    baseline_runs: int = 5,
    alpha: float = 0.05,
    deterministic_system: bool = False,
    workers: int = 1,
) -> RelationAudit:
    """How often a relation fails systems that are known to be correct, and which broken ones it finds.

    A relation is worth using only if a correct system cannot fail it: what a relation flags on correct systems it will
    flag on yours. Each system is checked on each input as :func:`check` does.

    Args:
        relation: what is audited.
        correct_systems: systems that are right on the inputs, by name or in a list; at least one. Take several that
            work in different ways: each is another way in which the relation could be unfair.
        broken_systems: systems with a known fault that the relation should find; there may be none.
        inputs: what all of them are checked on; kept in memory.
        samples: see :func:`check`.
        baseline_runs: see :func:`check`.
        alpha: see :func:`check`.
        deterministic_system: see :func:`check`; it is declared of all systems here.
        workers: see :func:`check`.

    Raises:
        UsageError: an argument is not what it must be.
        DataError: an input can be neither stored nor copied.
        CaseError: an oracle cannot be called.
    """
    if not isinstance(relation, Relation):
        raise UsageError.of("bad_relation", f"must be a Relation, not {describe(relation)}", path="relation")
    if isinstance(inputs, str | bytes | Mapping) or not isinstance(inputs, Iterable):
        message = f"must be several inputs, such as a list of them, not {describe(inputs)}"
        raise UsageError.of("bad_inputs", message, path="inputs")
    listed = list(inputs)
    named = [
        *((name, system, True) for name, system in _named(correct_systems, "correct_systems").items()),
        *((name, system, False) for name, system in _named(broken_systems, "broken_systems").items()),
    ]

    def audited(name: str, system: System) -> _Tally:
        tally = _Tally(name)
        for given in listed:
            tally.add(
                check(
                    system,
                    given,
                    [relation],
                    samples=samples,
                    baseline_runs=baseline_runs,
                    alpha=alpha,
                    deterministic_system=deterministic_system,
                    workers=workers,
                )
            )
        return tally

    tallies = [(audited(name, system), correct) for name, system, correct in named]
    found = tuple(tally.result(correct=correct) for tally, correct in tallies)
    right, broken = [tally for tally, correct in tallies if correct], [each for each in found if not each.correct]
    # An input counts once: what several systems say of one input is not independent.
    failed = set[int]().union(*(tally.violated for tally in right))
    tested = set[int]().union(*(tally.tested for tally in right))
    return RelationAudit(
        relation=relation.name,
        systems=found,
        failing=share_of_cases(len(failed), len(tested)),
        killing=share_of_cases(sum(each.killed for each in broken), len(broken)),
    )


class _Tally:
    """Counts over the inputs of one system, and the numbers of those that were tested and of those that fail."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tested: set[int] = set()
        self.violated: set[int] = set()
        self.inputs = self.inconclusive = self.errored = 0
        self.trials = self.contradictions = 0
        self.example = self.error = ""

    def add(self, report: CheckReport) -> None:
        """Take in the check of an input."""
        (result,) = report.results.values()
        if result.trials > 0:
            self.tested.add(self.inputs)
        if result.verdict == "violated":
            self.violated.add(self.inputs)
        self.inputs += 1
        self.inconclusive += result.verdict == "inconclusive"
        self.errored += result.verdict == "errored"
        self.trials += result.trials
        self.contradictions += result.contradictions
        if report.counterexamples and not self.example:
            (found,) = report.counterexamples
            self.example = _short(f"{found.detail}: {found.base!r} → {found.variant!r}")
        if report.errors and not self.error:
            self.error = _short(f"{report.errors[0].where}: {report.errors[0].message}")

    def result(self, *, correct: bool) -> AuditedSystem:
        """What it comes to."""
        return AuditedSystem(
            name=self.name,
            correct=correct,
            inputs=self.inputs,
            tested=len(self.tested),
            violated=len(self.violated),
            failing=share_of_cases(len(self.violated), len(self.tested)),
            inconclusive=self.inconclusive,
            errored=self.errored,
            trials=self.trials,
            contradictions=self.contradictions,
            example=self.example or self.error,
        )


def _named(systems: Any, path: str) -> dict[str, System]:
    """Systems by name; those of a list by what they are called, told apart by numbers."""
    found: dict[str, System] = {}
    if isinstance(systems, Mapping):
        found = {str(name): system for name, system in systems.items()}
    elif isinstance(systems, list | tuple):
        for system in systems:
            name = str(getattr(system, "__name__", type(system).__name__))
            number = next(number for number in range(1, len(systems) + 1) if _numbered(name, number) not in found)
            found[_numbered(name, number)] = system
    else:
        message = f"must be systems by name, or a list of them, not {describe(systems)}"
        raise UsageError.of("bad_systems", message, path=path)
    for name, system in found.items():
        if not callable(system):
            message = f"must be a function of an input, not {describe(system)}"
            raise UsageError.of("bad_systems", message, path=f"{path}[{name!r}]")
    return found


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name} ({number})"


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
