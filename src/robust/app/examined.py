"""What the checks of one path come to, before anybody's signature is looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from robust.app.checks import Check, Signer
from robust.errors import Problem

if TYPE_CHECKING:
    from robust.signing.statement import Statement

Tree: TypeAlias = Literal["manifest", "run"]


class Examined(NamedTuple):
    """What was found of some evidence.

    Attributes:
        checks: what was checked.
        statement: what follows from it, and can be signed; None where something does not hold.
        unsigned: why nothing can be said of evidence that holds.
        tree: the tree of its lines, with which proofs are compared.
    """

    checks: tuple[Check, ...]
    statement: Statement | None = None
    unsigned: str | None = None
    tree: KnownTree | None = None

    @property
    def holds(self) -> bool:
        """Whether every check holds."""
        return all(check.holds for check in self.checks)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that does not hold."""
        return tuple(problem for check in self.checks for problem in check.problems)


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownTree:
    """A tree of lines that is known otherwise than from a proof.

    Attributes:
        of: whose lines they are.
        source: the path that tells of it.
        digest: the manifest's digest, or the run's evidence digest; it fixes the root.
        root: the Merkle root, where it is told apart from the digest.
        size: how many lines there are, likewise.
        signers: the named keys that signed what tells of it.
        authentic: whether what tells of it is authentic.
        whole: whether the lines themselves were checked, and not only a statement about them.
    """

    of: Tree
    source: str
    digest: str
    root: str | None = None
    size: int | None = None
    signers: tuple[Signer, ...] = ()
    authentic: bool = False
    whole: bool = True
