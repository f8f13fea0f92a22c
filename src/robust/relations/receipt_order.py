"""The blocks of a receipt in another order."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from robust.canon import describe
from robust.errors import DataError, UsageError
from robust.relations.assertions import unchanged
from robust.relations.catalog import RelationOptions, catalog_relation, texts_of
from robust.relations.moved_items import drawn_order, in_order, simpler_orders
from robust.relations.receipt_blocks import Blocks, blocks_of
from robust.relations.receipt_lines import cue_pattern, lines_of
from robust.relations.relation import NotApplicable, Relation

if TYPE_CHECKING:
    from random import Random

Splitter: TypeAlias = Callable[[list[str]], Sequence[Sequence[str]]]


def total_reorder_invariant(
    field: Hashable | None = None,
    *,
    cues: Sequence[str] = (),
    blocks: Splitter | None = None,
    **options: Unpack[RelationOptions],
) -> Relation:
    """The blocks of a receipt in another order: header, items, totals with taxes and payments, footer.

    It preserves every line and the order inside each block. Lines that belong together are never parted: no line of
    numbers alone from the one before it, no cue (*total*, *tax*, *cash*) without an amount from the three behind it.
    It does not apply where no total is recognised.

    Args:
        field: the field that has the receipt: a text, a list of lines, or a dict with ``lines``. The input itself
            where it is left out.
        cues: more words that tell of totals, taxes and payments, for other languages.
        blocks: splits the lines into blocks, where the catalog cannot; together they must be all lines, in order.
        **options: see :class:`RelationOptions`. Without ``assertion`` it is :func:`unchanged`.

    Raises:
        UsageError: an option is not what it must be.
    """
    if blocks is not None and not callable(blocks):
        raise UsageError.of("bad_option", f"must be a function of lines, not {describe(blocks)}", path="blocks")
    pattern = own_cues(cues)

    def split(lines: list[str]) -> Blocks:
        return _known_blocks(tuple(lines), pattern) if blocks is None else _own_blocks(lines, blocks)

    def edit(part: Any, random: Random) -> Any:
        found = lines_of(part)
        given = split(found.lines)
        movable = given.movable
        order = [movable.start + index for index in drawn_order(len(movable), random)]
        return found.put(_put_together(given, [*range(movable.start), *order, *range(movable.stop, len(given.blocks))]))

    def simpler(base: Any, variant: Any) -> Iterator[Any]:
        found = lines_of(base)
        given = split(found.lines)
        for order in simpler_orders(_order_of(given.blocks, lines_of(variant).lines)):
            yield found.put(_put_together(given, order))

    return catalog_relation(
        "total_reorder_invariant",
        field,
        options,
        edit=edit,
        preserves="every line and the order inside each block",
        assertion=unchanged(),
        simpler=simpler,
    )


def own_cues(cues: Any) -> re.Pattern[str]:
    """What finds cues, with more words of the caller's own.

    Raises:
        UsageError: a word is blank.
    """
    return cue_pattern(texts_of(cues, "cues") if cues else ())


@lru_cache(maxsize=64)
def _known_blocks(lines: tuple[str, ...], cues: re.Pattern[str]) -> Blocks:
    """The blocks of a receipt, which all samples of one input share."""
    return blocks_of(lines, cues)


def _own_blocks(lines: list[str], split: Splitter) -> Blocks:
    blocks = [list(block) for block in split(list(lines))]
    if [line for block in blocks for line in block] != lines:
        hint = "the blocks, one behind the other, must be the lines"
        raise DataError.of("bad_blocks", "the function loses, adds or moves lines", path="blocks", hint=hint)
    if len(blocks) < 2:
        raise NotApplicable(f"blocks that could change places: {len(blocks)}")
    return Blocks(blocks)


def _put_together(given: Blocks, order: Sequence[int]) -> list[str]:
    return [line for block in in_order(given.blocks, order) for line in block]


def _order_of(blocks: Sequence[list[str]], lines: list[str]) -> list[int]:
    """In which order the blocks make up the lines; empty where they do not."""
    tried: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    while tried:
        done, order = tried.pop()
        if len(order) == len(blocks):
            return list(order)
        for place in reversed(range(len(blocks))):
            block = blocks[place]
            if place not in order and lines[done : done + len(block)] == block:
                tried.append((done + len(block), (*order, place)))
    return []
