"""One base class for every error: each carries a stable code, a place, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One thing that is wrong, where it is, and the remedy.

    ``code`` is stable and meant for programs; ``message`` and ``hint`` are for people and may change.
    ``line`` and ``column`` count from 1; ``path`` is a JSON path (``$.cases[3].input``) or a dotted contract path.
    """

    code: str
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    path: str | None = None
    hint: str | None = None

    def __str__(self) -> str:
        place = self.file or ""
        if self.line is not None:
            place = f"{place or 'line'}:{self.line}" + (f":{self.column}" if self.column is not None else "")
        parts = [part for part in (place, self.path) if part]
        text = ": ".join([*parts, self.message])
        return f"{text}; {self.hint}" if self.hint else text


class RobustError(Exception):
    """The base of every error that ``robust`` raises on purpose.

    Attributes:
        problems: everything found wrong, in the order of its place; never empty.
        exit_code: what the command exits with when this error ends it.
    """

    exit_code: ClassVar[int] = 2

    def __init__(self, *problems: Problem) -> None:
        if not problems:
            problems = (Problem(code="internal", message="an error was raised without a problem"),)
        super().__init__(*problems)
        self.problems = problems

    @classmethod
    def of(
        cls,
        code: str,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        path: str | None = None,
        hint: str | None = None,
    ) -> Self:
        """Make an error that reports one problem."""
        return cls(
            Problem(code=code, message=message, file=file, line=line, column=column, path=path, hint=hint),
        )

    @property
    def code(self) -> str:
        """The code of the first problem."""
        return self.problems[0].code

    def located(self, *, file: str | None = None, line: int | None = None) -> Self:
        """The same error with file and line filled in where a problem does not name them yet."""
        placed = tuple(
            Problem(
                code=problem.code,
                message=problem.message,
                file=problem.file or file,
                line=problem.line if problem.line is not None else line,
                column=problem.column,
                path=problem.path,
                hint=problem.hint,
            )
            for problem in self.problems
        )
        return type(self)(*placed)

    def __str__(self) -> str:
        return "\n".join(str(problem) for problem in self.problems)


class DataError(RobustError):
    """A document, a data set or a value is not what it must be (JSON, CSV, YAML, a portable value)."""


class CaseError(RobustError):
    """A case, or a pair of base and candidate, cannot be used as it is."""


class ContractError(RobustError):
    """A Decision Contract, or what it refers to, is wrong."""


class ManifestError(RobustError):
    """Cases and validations cannot become a manifest."""


class UsageError(RobustError):
    """A command or function was called in a way that cannot work."""


class BackendError(RobustError):
    """A backend could not be built, or nothing at all could be evaluated with it."""


class IntegrityError(RobustError):
    """Stored evidence is damaged or contradicts itself."""

    exit_code: ClassVar[int] = 3


class RunInterrupted(KeyboardInterrupt):
    """A run was stopped by the user; what was paid for is kept in its folder.

    Attributes:
        path: the run directory.
        hint: how to go on.
    """

    def __init__(self, path: str, hint: str) -> None:
        super().__init__(f"the run was stopped: {path}: {hint}")
        self.path = path
        self.hint = hint
