"""Whether a relation is fair, and what it finds: systems that are known to be correct or broken, checked by it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final, Literal, TypeAlias

from robust.canon import JsonObject
from robust.records.judge_bias import ShareOfCases
from robust.records.no_truth import NoTruth

AuditVerdict: TypeAlias = Literal["fair", "unfair", "toothless", "inconclusive", "vacuous", "errored"]
_STATUSES: Final = {"fair": "pass", "unfair": "fail", "toothless": "fail", "inconclusive": "fail"}
_EXIT_CODES: Final = {"fair": 0, "unfair": 1, "toothless": 1, "inconclusive": 1}


@dataclass(frozen=True, kw_only=True, slots=True)
class AuditedSystem:
    """What a relation found of one system.

    Attributes:
        name: of the system.
        correct: whether it is known to be correct; else it is known to be broken.
        inputs: on how many inputs it was checked.
        tested: on how many of them there was an effective trial.
        violated: on how many of them the relation is violated.
        failing: the share of these among the tested, with its interval.
        inconclusive: on how many it could not be told from noise.
        errored: on how many something raised.
        trials: how many effective trials there were.
        contradictions: how many of them contradict the base, some of them perhaps by noise.
        example: the first violation, or the first error where there is none, in one line; empty without either.
    """

    name: str
    correct: bool
    inputs: int
    tested: int
    violated: int
    failing: ShareOfCases
    inconclusive: int
    errored: int
    trials: int
    contradictions: int
    example: str

    @property
    def killed(self) -> bool:
        """Whether the relation tells that it is broken, on any input."""
        return self.violated > 0

    def to_dict(self) -> JsonObject:
        """All of it as JSON."""
        return {**asdict(self), "failing": self.failing.to_dict()}


@dataclass(frozen=True, kw_only=True, slots=True)
class RelationAudit(NoTruth):
    """What the audit of a relation found.

    Attributes:
        relation: its name.
        systems: what was found of each system, the correct ones first.
        failing: of all inputs on which a correct system was tested, the share on which the relation is violated for
            any of them; must be 0. Each input counts once, however many systems there are: what they say of one input
            is not independent. The share of each system alone is its own ``failing``.
        killing: of the broken systems, the share that the relation kills.
    """

    relation: str
    systems: tuple[AuditedSystem, ...]
    failing: ShareOfCases
    killing: ShareOfCases

    @property
    def verdict(self) -> AuditVerdict:
        """``unfair`` where a correct system fails, whatever else happened.

        Else ``errored`` where something raised in a correct system, ``vacuous`` where there is none or one was never
        tested, ``inconclusive`` where noise hides whether one fails, ``toothless`` where there are broken systems and
        none is killed. ``fair`` is what is left.
        """
        correct = [system for system in self.systems if system.correct]
        broken = [system for system in self.systems if not system.correct]
        found: list[tuple[bool, AuditVerdict]] = [
            (any(system.violated for system in correct), "unfair"),
            (any(system.errored for system in correct), "errored"),
            (not correct or not all(system.tested for system in correct), "vacuous"),
            (any(system.inconclusive for system in correct), "inconclusive"),
            (bool(broken) and not any(system.killed for system in broken), "toothless"),
        ]
        return next((verdict for holds, verdict in found if holds), "fair")

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against it: the exit code is 0."""
        return self.exit_code == 0

    @property
    def fair(self) -> bool:
        """Whether no correct system fails, and each was tested."""
        return self.verdict in ("fair", "toothless")

    @property
    def killed(self) -> tuple[str, ...]:
        """The names of the broken systems that the relation kills."""
        return tuple(system.name for system in self.systems if not system.correct and system.killed)

    @property
    def survived(self) -> tuple[str, ...]:
        """The names of the broken systems that it does not kill."""
        return tuple(system.name for system in self.systems if not system.correct and not system.killed)

    @property
    def status(self) -> str:
        """``pass``, ``fail`` or ``error``."""
        return _STATUSES.get(self.verdict, "error")

    @property
    def exit_code(self) -> int:
        """0 where the relation is fair and kills something, 1 where not, 2 where nothing can be said."""
        return _EXIT_CODES.get(self.verdict, 2)

    def summary(self) -> str:
        """What was found, a line for each system."""
        only_correct = self.verdict == "fair" and not self.killing.cases
        told = "NO FALSE ALARM, and no broken system to kill" if only_correct else self.verdict.upper()
        lines = [f"{told}  {self.relation}"]
        lines.append(f"  correct systems fail on {self.failing} inputs; must be 0")
        if self.killing.cases:
            lines.append(f"  broken systems killed: {self.killing}")
        for system in self.systems:
            role = "correct" if system.correct else "killed" if system.killed else "survives"
            lines.append(
                f"  {role:8} {system.name}: violated on {system.failing} inputs, "
                f"{system.contradictions} of {system.trials} trials contradict"
            )
            if system.inputs > system.tested:
                lines.append(f"           never tried on {system.inputs - system.tested}, errored on {system.errored}")
            if system.example and (system.correct or system.errored):
                lines.append(f"           {system.example}")
        return "\n".join(lines)

    def to_dict(self) -> JsonObject:
        """The whole audit as JSON, with what follows from it."""
        return {
            "relation": self.relation,
            "verdict": self.verdict,
            "status": self.status,
            "exit_code": self.exit_code,
            "failing": self.failing.to_dict(),
            "killing": self.killing.to_dict(),
            "systems": [system.to_dict() for system in self.systems],
            "killed": list(self.killed),
            "survived": list(self.survived),
        }
