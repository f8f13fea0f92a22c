"""Planted candidates of base cases, as an oracle is asked about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from robust.canon import digest_bytes
from robust.records.case import MAX_ID_LENGTH, Case
from robust.transforms.edited_candidates import candidate_of
from robust.transforms.planted import Plant, plant_stream
from robust.transforms.text_leaf import Leaf, text_at_leaf, text_leaf, with_text_at_leaf

Missed: TypeAlias = Literal["no_text", "not_applicable", "duplicate"]
# What candidates name as their transformation: nothing in it tells an oracle which answer is right.
TRANSFORM: Final = "robust.audit"


class Planted(NamedTuple):
    """What came of one planted edit of one base.

    Attributes:
        plant: the edit.
        rank: which one of this edit and this base it is, from 0.
        candidate: the edited case; None where there is none.
        missed: why there is none.
    """

    plant: Plant
    rank: int
    candidate: Case | None
    missed: Missed | None = None


def planted_candidates(
    base: Case, plants: Sequence[Plant], *, seed: int, per_case: int, text_field: str | None
) -> Iterator[Planted]:
    """The planted candidates of a base, at most ``per_case`` of each edit; no two have one text.

    A candidate keeps everything of its base but its text and its expected answer. Its id and origin do not tell what
    was done: an oracle is shown them.

    Args:
        base: the base case.
        plants: the edits.
        seed: of the random streams.
        per_case: how many of each edit.
        text_field: of an object, the key of its text; without it an object must have exactly one text.
    """
    leaf = text_leaf(base.input, text_field)
    if leaf is None:
        yield from (Planted(plant, 0, None, "no_text") for plant in plants)
        return
    text = text_at_leaf(base.input, leaf)
    content = base.content_digest
    seen = {text}
    number = 0
    for plant in plants:
        for rank in range(per_case):
            edit = plant.edit(text, plant_stream(seed, plant, base.case_id, rank))
            if edit is None:
                yield Planted(plant, rank, None, "not_applicable")
                break
            if edit.text in seen:
                yield Planted(plant, rank, None, "duplicate")
                continue
            seen.add(edit.text)
            yield Planted(plant, rank, _candidate(base, content, edit.text, number, seed, leaf))
            number += 1


def _candidate(base: Case, content: str, text: str, number: int, seed: int, leaf: Leaf) -> Case:
    identifier = f"{base.case_id}~audit-{number}"
    return candidate_of(
        base,
        with_text_at_leaf(base.input, leaf, text),
        case_id=identifier if len(identifier) <= MAX_ID_LENGTH else digest_bytes(identifier.encode()),
        content=content,
        transform=TRANSFORM,
        params={},
        seed=seed,
        index=number,
        relation="invariant",
    )
