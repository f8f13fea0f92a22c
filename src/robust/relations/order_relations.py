"""Relations of order: independent items, or whole blocks, in another order."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, Unpack

from robust.canon import describe
from robust.errors import DataError, UsageError
from robust.relations.assertions import unchanged
from robust.relations.catalog import RelationOptions, catalog_relation, text_part
from robust.relations.moved_items import drawn_order, in_order, order_between, simpler_orders
from robust.relations.relation import NotApplicable, Relation

if TYPE_CHECKING:
    from random import Random

Reorder: TypeAlias = Literal["shuffle", "rotate", "reverse"]
_REORDERS: Final = ("shuffle", "rotate", "reverse")
_BLANK_LINES: Final = re.compile(r"(\r?\n(?:[ \t]*\r?\n)+)")


def order_invariant(
    field: Hashable | None = None, *, reorder: Reorder = "shuffle", **options: Unpack[RelationOptions]
) -> Relation:
    """The same independent items in another order: options of a question, retrieved documents, rows of a list.

    It preserves every item, so an answer that names an item must name the same one. It does not apply to fewer than
    two items, nor to anything but a list or a tuple. A system that answers with a place or a letter has to be wrapped,
    so that it answers with the item: another letter for the same item is no contradiction.

    Args:
        field: the field of a dict that has the items; the input itself where it is left out.
        reorder: ``shuffle`` draws any other order, ``rotate`` moves all items on by so many places (each gets to
            each place), ``reverse`` turns the list round, once.
        **options: see :class:`RelationOptions`. Without ``assertion`` it is :func:`unchanged`, within whose tolerance a
            sum of the items may be rounded otherwise; :func:`consistent_pick` is stricter, and looks over white space.

    Raises:
        UsageError: an option is not what it must be.
    """
    if reorder not in _REORDERS:
        raise UsageError.of("bad_option", f"must be one of {', '.join(_REORDERS)}, not {reorder!r}", path="reorder")

    order_of = drawn_order if reorder == "shuffle" else _rotated if reorder == "rotate" else _reversed

    def edit(part: Any, random: Random) -> Any:
        items = _items(part)
        moved = in_order(items, order_of(len(items), random))
        return moved if type(part) is list else _like(part, moved)

    def simpler(base: Any, variant: Any) -> Iterator[Any]:
        if isinstance(base, list | tuple) and isinstance(variant, list | tuple):
            for order in simpler_orders(order_between(base, variant) or ()):
                yield _like(base, in_order(base, order))

    return catalog_relation(
        "order_invariant",
        field,
        options,
        edit=edit,
        preserves="every item, in another order",
        assertion=unchanged(),
        simpler=simpler if reorder == "shuffle" else None,
        deterministic=reorder == "reverse",
        leaves_input=True,
    )


def permute_blocks(
    field: Hashable | None = None,
    *,
    splitter: Callable[[Any], Sequence[Any]] | None = None,
    joiner: Callable[[list[Any]], Any] | None = None,
    **options: Unpack[RelationOptions],
) -> Relation:
    """The same blocks in another order, each left as it is.

    It preserves every block with the order inside it. Blocks of a text stand between blank lines; so do blocks of a
    list of lines. It does not apply to fewer than two blocks.

    Args:
        field: the field of a dict that has the blocks; the input itself where it is left out.
        splitter: gives the blocks of a part, where they are not between blank lines.
        joiner: makes a part of blocks again; ``joiner(list(splitter(part)))`` must be the part. Without it blocks of
            text are joined as they are, and lists one behind the other.
        **options: see :class:`RelationOptions`. Without ``assertion`` it is :func:`unchanged`.

    Raises:
        UsageError: an option is not what it must be.
    """
    if (splitter is not None and not callable(splitter)) or (joiner is not None and not callable(joiner)):
        raise UsageError.of("bad_option", "must be functions", path="splitter")
    if joiner is not None and splitter is None:
        hint = "what joins blocks needs what splits them"
        raise UsageError.of("bad_option", "there is no splitter", path="splitter", hint=hint)

    def split(part: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
        if splitter is None:
            return _paragraphs(part)
        blocks, join = list(splitter(part)), joiner or _joined
        if order_between([part], [join(blocks)]) is None:
            hint = "joined in their order the blocks must be the part again; give joiner="
            raise DataError.of("bad_blocks", "the splitter loses or adds something", path="splitter", hint=hint)
        return blocks, join

    def edit(part: Any, random: Random) -> Any:
        blocks, join = split(part)
        if len(blocks) < 2:
            raise NotApplicable(f"blocks that could change places: {len(blocks)}")
        return join(in_order(blocks, drawn_order(len(blocks), random)))

    def simpler(base: Any, variant: Any) -> Iterator[Any]:
        (before, join), (after, _) = split(base), split(variant)
        for order in simpler_orders(order_between(before, after) or ()):
            yield join(in_order(before, order))

    return catalog_relation(
        "permute_blocks",
        field,
        options,
        edit=edit,
        preserves="every block and the order inside it",
        assertion=unchanged(),
        simpler=simpler,
    )


def _items(part: Any) -> Sequence[Any]:
    if type(part) is not list and not isinstance(part, list | tuple):
        raise NotApplicable(f"not a list, but {describe(part)}")
    if len(part) < 2:
        raise NotApplicable(f"items that could change places: {len(part)}")
    return part


def _reversed(count: int, _: Random) -> list[int]:
    return list(range(count))[::-1]


def _rotated(count: int, random: Random) -> list[int]:
    start = random.randrange(1, count)
    return [*range(start, count), *range(start)]


def _like(part: Any, items: list[Any]) -> Any:
    """Items as a list or as a tuple, as they were; a named tuple stays one."""
    if isinstance(part, tuple):
        return part._make(items) if hasattr(part, "_make") else tuple(items)
    return items


def _paragraphs(part: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    """The blocks between blank lines, and what puts them together; the blank lines stay where they are."""
    if isinstance(part, str):
        text = text_part(part)
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        # The indent of the first line is its own.
        start = text.rfind("\n", 0, start) + 1
        pieces = _BLANK_LINES.split(text[start:end])
        gaps = [text[:start], *pieces[1::2], text[end:]]

        def join(moved: list[Any]) -> str:
            return gaps[0] + "".join(piece for pair in zip(moved, gaps[1:], strict=True) for piece in pair)

        return pieces[::2], join
    if not isinstance(part, list | tuple) or not all(isinstance(line, str) for line in part):
        raise NotApplicable(f"neither text nor lines, but {describe(part)}")
    runs = [(blank, list(lines)) for blank, lines in groupby(part, key=lambda line: not line.strip())]

    def join_lines(moved: list[Any]) -> Any:
        blocks = iter(moved)
        return _like(part, [line for blank, lines in runs for line in (lines if blank else next(blocks))])

    return [lines for blank, lines in runs if not blank], join_lines


def _joined(blocks: list[Any]) -> Any:
    if all(isinstance(block, str) for block in blocks):
        return "".join(blocks)
    if all(isinstance(block, list) for block in blocks):
        return [item for block in blocks for item in block]
    hint = "give joiner="
    raise DataError.of(
        "bad_blocks", "blocks that are neither text nor lists cannot be joined", path="joiner", hint=hint
    )
