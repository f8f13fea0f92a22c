"""What a verification consists of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from robust.canon import JsonObject
from robust.errors import IntegrityError, Problem, RobustError, UsageError

Kind: TypeAlias = Literal[
    "manifest",
    "validations",
    "run",
    "audit",
    "audit records",
    "hardness",
    "production records",
    "inclusion proof",
    "record proof",
    "attestation",
]
# Whether there are signatures, and whether they were checked with keys that the reader named.
SignatureState: TypeAlias = Literal["none", "unchecked", "verified"]


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
class Signer:
    """A key that the reader named, and that signed.

    Attributes:
        key_id: the digest of the key.
        file: the file that the reader named it by; None for a key that came from a program.
    """

    key_id: str
    file: str | None = None

    def to_json(self) -> JsonObject:
        """The signer as plain data."""
        return {"key_id": self.key_id, "file": self.file}

    def __str__(self) -> str:
        return self.key_id if self.file is None else f"{self.key_id} ({self.file})"


@dataclass(frozen=True, kw_only=True, slots=True)
class Verification:
    """What was checked of one path.

    Integrity means that the content agrees with itself and with its digests. It does not show who made it. Authentic
    is what holds, and is signed, by as many keys as were asked for, over a statement that was derived again.

    Attributes:
        path: what was checked.
        kind: what it is.
        checks: what was checked of it.
        signers: the keys that the reader named, and whose signatures verify.
        signature: whether there are signatures, and whether they were checked.
        authentic: whether it holds and is signed; a proof is where what it is of is authentic.
    """

    path: str
    kind: Kind
    checks: tuple[Check, ...]
    signers: tuple[Signer, ...] = ()
    signature: SignatureState = "none"
    authentic: bool = False

    @property
    def holds(self) -> bool:
        """Whether every check holds."""
        return all(check.holds for check in self.checks)

    @property
    def exit_code(self) -> int:
        """0 when everything holds, else 3."""
        return 0 if self.holds else IntegrityError.exit_code

    @property
    def not_proven(self) -> tuple[str, ...]:
        """What no check of this version can show.

        ``maker`` (who made it) or, once signatures were verified, ``key_holder`` (who held the key); ``oracle`` (that
        the oracle is right); ``unseen_data`` (that nobody saw the data before); ``dates`` (they are as signers and
        machines say); and ``content`` where a signed statement was not derived again.
        """
        who = "key_holder" if self.signature == "verified" else "maker"
        alone = self.signature == "verified" and not self.authentic
        return (who, *(("content",) if alone else ()), "oracle", "unseen_data", "dates")

    def to_json(self) -> JsonObject:
        """The verification as plain data."""
        return {
            "path": self.path,
            "kind": self.kind,
            "holds": self.holds,
            "checks": [check.to_json() for check in self.checks],
            "authentic": self.authentic,
            "signature": self.signature,
            "signers": [signer.to_json() for signer in self.signers],
            "not_proven": list(self.not_proven),
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


def left_open(name: str, detail: str) -> Check:
    """What was not checked, and why."""
    return Check(name=name, holds=True, done=False, detail=detail)
