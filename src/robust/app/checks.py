"""What a verification consists of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from robust.canon import JsonObject
from robust.errors import IntegrityError, Problem, RobustError, UsageError

Kind: TypeAlias = Literal["manifest", "validations", "run", "audit", "audit records", "hardness", "inclusion proof"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One thing that was checked.

    Attributes:
        name: what was checked.
        holds: whether it holds.
        detail: what was found, such as a digest or a count.
        problems: why it does not hold.
        done: false for what could not be checked with what was given; it then neither holds nor fails.
    """

    name: str
    holds: bool
    detail: str = ""
    problems: tuple[Problem, ...] = ()
    done: bool = True

    def to_json(self) -> JsonObject:
        """The check as plain data."""
        problems = [
            {"code": item.code, "message": item.message, "file": item.file, "line": item.line, "path": item.path}
            for item in self.problems
        ]
        return {
            "name": self.name,
            "done": self.done,
            "holds": self.holds,
            "detail": self.detail,
            "problems": problems,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """What was checked of one path.

    Integrity means that the content agrees with itself and with its digests. It does not show who made it.
    """

    path: str
    kind: Kind
    checks: tuple[Check, ...]

    @property
    def holds(self) -> bool:
        """Whether every check holds."""
        return all(check.holds for check in self.checks)

    @property
    def exit_code(self) -> int:
        """0 when everything holds, else 3."""
        return 0 if self.holds else IntegrityError.exit_code

    def to_json(self) -> JsonObject:
        """The verification as plain data."""
        return {
            "path": self.path,
            "kind": self.kind,
            "holds": self.holds,
            "checks": [check.to_json() for check in self.checks],
        }


class Attempt:
    """Runs steps, each of which either gives a detail or raises; the first that raises ends the rest."""

    def __init__(self) -> None:
        self.failed = False

    def step(self, name: str, work: Callable[[], str]) -> Check:
        """Run one step; a usage error is no finding and passes through."""
        try:
            return Check(name=name, holds=True, detail=work())
        except UsageError:
            raise
        except RobustError as error:
            self.failed = True
            return Check(name=name, holds=False, problems=error.problems)
