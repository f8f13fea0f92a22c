"""Proofs and the trees that are known: of which of them a proof is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from robust.app.checks import Attempt, Check, left_open
from robust.app.examined import KnownTree, Tree
from robust.errors import IntegrityError, Problem

_DIGEST_OF: Final[dict[Tree, str]] = {"manifest": "manifest digest", "run": "evidence digest"}
_PATH_OF: Final[dict[Tree, str]] = {"manifest": "$.manifest", "run": "$.evidence_digest"}


class Proven(NamedTuple):
    """What a proof says of its tree.

    Attributes:
        of: whose lines they are.
        digest: the manifest's digest, or the run's evidence digest.
        root: the Merkle root.
        size: how many lines there are.
    """

    of: Tree
    digest: str
    root: str
    size: int


def place_check(
    attempt: Attempt, proven: Proven, trees: Iterable[KnownTree], file: str
) -> tuple[Check, KnownTree | None]:
    """Whether a proof is of one of the trees that are known.

    Args:
        attempt: the steps before.
        proven: what the proof says.
        trees: those that are known; of those of other kinds nothing is said.
        file: the proof, for errors.

    Returns:
        the check, and the tree that the proof is of, in everything that is told of it; one that is authentic or signed
        first.
    """
    known = [tree for tree in trees if tree.of == proven.of]
    told = f"{_DIGEST_OF[proven.of]} {proven.digest}"
    if not known:
        return left_open(proven.of, f"{told}: compare it with the one that you know"), None
    same = [tree for tree in known if tree.digest == proven.digest]

    def compare() -> str:
        if not same:
            others = " or ".join(dict.fromkeys(tree.digest for tree in known))
            message = f"the proof is of the {told}, not of {others}"
            raise IntegrityError.of(f"other_{proven.of}", message, file=file, path=_PATH_OF[proven.of])
        # All of them: whoever tells another size, signed or not, contradicts the proof.
        for tree in same:
            if problems := list(_differences(proven, tree, file)):
                raise IntegrityError(*problems)
        return told if best.source == best.digest else f"{told}, that of {best.source}"

    best = max(same, key=lambda tree: (tree.authentic, bool(tree.signers), tree.whole), default=known[0])
    check = attempt.step(proven.of, compare)
    return check, best if check.holds else None


def _differences(proven: Proven, tree: KnownTree, file: str) -> Iterator[Problem]:
    for name, stored, due in (("root", proven.root, tree.root), ("size", proven.size, tree.size)):
        if due is not None and stored != due:
            message = f"{stored!r} is stored, {due!r} is told by {tree.source}"
            yield Problem(code="contradiction", message=message, file=file, path=f"$.{name}")
