"""All edits together: a choice of them that touches every place, and every one of them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Final, NamedTuple

from tests.tampering.edits import Chosen, Done, Edit, Spot, field_edits
from tests.tampering.line_edits import byte_edits, line_edits
from tests.tampering.place_edits import link_edits, media_edits, name_edits, path_edits, trust_edits
from tests.tampering.signature_edits import envelope_edits, signature_edits, statement_edits
from tests.tampering.signers import load_signers
from tests.tampering.swap_edits import proof_edits, statement_swaps, swap_edits
from tests.tampering.workshop import Workshop, case_files

# Of the wide edits, those of fields that were met before.
SEED: Final = 6
_AGAIN: Final = 2


def everything(_spot: Spot, possible: Sequence[Done]) -> Iterable[Done]:
    """Whatever can be done to a place."""
    return possible


def every_field(spot: Spot, possible: Sequence[Done]) -> Iterable[Done]:
    """Whatever can be done to a field, and some of it wherever else the field stands."""
    return random.Random(f"{SEED}:{spot.number}").sample(possible, _AGAIN) if spot.again else possible


def forged_or_other(spot: Spot, possible: Sequence[Done]) -> Iterable[Done]:
    """Of a field in turns: another value with all digests fitted, which is what is hardest to see, or another edit."""
    return (("changed", "re-hashed"),) if spot.number % 2 else (possible[spot.number * 5 // 2 % len(possible)],)


def some(count: int) -> Chosen:
    """So many of what can be done to a place, others at each."""

    def choose(spot: Spot, possible: Sequence[Done]) -> Iterable[Done]:
        step = len(possible) // count
        return [possible[(spot.number * 5 + step * turn) % len(possible)] for turn in range(count)]

    return choose


class Part(NamedTuple):
    """One of several parts of the edits, which have about as many each."""

    number: int = 0
    of: int = 1

    def chosen(self, choose: Chosen) -> Chosen:
        """What is chosen of the places that fall to this part, and nothing of the others."""
        return lambda spot, possible: choose(spot, possible) if spot.number % self.of == self.number else ()

    def taken(self, edits: Iterable[Edit]) -> Iterator[Edit]:
        """The edits of this part."""
        return islice(edits, self.number, None, self.of)


def corpus(workshop: Workshop, outside: Path, part: Part, *, wide: bool, fields: bool = True) -> Iterator[Edit]:
    """The edits of the evidence.

    Args:
        workshop: the evidence, what was made with it, and who signed it.
        outside: a folder with the same files.
        part: which of them.
        wide: whether whatever can be done to a field or a line is done; otherwise some of it at each place, and all
            other edits.
        fields: whether the fields of documents are edited.
    """
    case, made = case_files(workshop.made), workshop.made
    signers = load_signers(workshop.root)
    if fields:
        yield from field_edits(case, part.chosen(every_field if wide else forged_or_other))
    yield from statement_edits(case, signers, part.chosen(everything if wide else some(2)))
    yield from line_edits(case, part.chosen(everything if wide else some(5)))
    if wide:
        return
    others = chain(
        envelope_edits(case),
        signature_edits(case, signers, made),
        swap_edits(case, made),
        statement_swaps(case, made),
        proof_edits(case, made),
        media_edits(case),
        link_edits(case),
        name_edits(case, signers, str(outside)),
        path_edits(),
        trust_edits(case),
    )
    yield from part.taken(others)
    yield from byte_edits(case, part.chosen(everything))
