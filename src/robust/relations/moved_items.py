"""Other orders of items: drawn at random, told from two lists, and simpler ones between the two."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from robust.relations.stored_value import key_of_value

if TYPE_CHECKING:
    from random import Random

T = TypeVar("T")
_PLAIN: Final = frozenset((str, int, bool, type(None)))


def drawn_order(count: int, random: Random) -> list[int]:
    """An order of at least two items that is not the one they have, each other one equally probable."""
    unmoved = list(range(count))
    order = unmoved.copy()
    random.shuffle(order)
    while order == unmoved:
        random.shuffle(order)
    return order


def in_order(items: Sequence[T], order: Sequence[int]) -> list[T]:
    """The items in another order."""
    return list(map(items.__getitem__, order))


def item_key(item: Any) -> object:
    """What two items have in common if they are the same."""
    if type(item) in _PLAIN:
        return type(item), item
    return key_of_value(item)


def order_between(base: Sequence[Any], variant: Sequence[Any]) -> list[int] | None:
    """In which order the variant has the items of the base; None if it has others.

    Items that are the same keep their place where they can.
    """
    before, after = list(map(item_key, base)), list(map(item_key, variant))
    if len(before) != len(after):
        return None
    places: dict[object, deque[int]] = defaultdict(deque)
    for place, key in enumerate(before):
        if after[place] != key:
            places[key].append(place)
    order = []
    for place, key in enumerate(after):
        if before[place] == key:
            order.append(place)
        elif places[key]:
            order.append(places[key].popleft())
        else:
            return None
    return order


def simpler_orders(order: Sequence[int]) -> Iterator[list[int]]:
    """Orders that move fewer items than one that is given, fewest first: two exchanged, one cycle, all but one."""
    moved = [place for place, index in enumerate(order) if place != index]
    if len(moved) <= 2:
        return
    identity = list(range(len(order)))
    for place in moved:
        yield _exchanged(identity, place, order[place])
    cycles = list(_cycles(order))
    if len(cycles) > 1:
        for cycle in cycles:
            if len(cycle) > 2:
                yield [order[place] if place in cycle else place for place in identity]
    for place in moved:
        simpler = _exchanged(order, place, order.index(place))
        # In a cycle of two both come home.
        yield simpler


def _exchanged(order: Sequence[int], place: int, other: int) -> list[int]:
    exchanged = list(order)
    exchanged[place], exchanged[other] = exchanged[other], exchanged[place]
    return exchanged


def _cycles(order: Sequence[int]) -> Iterator[set[int]]:
    """The items that change places with each other."""
    seen: set[int] = set()
    for start, index in enumerate(order):
        if start != index and start not in seen:
            cycle = {start}
            while index not in cycle:
                cycle.add(index)
                index = order[index]  # noqa: PLW2901 - the next one of the cycle
            seen |= cycle
            yield cycle


def simpler_subsets(chosen: Sequence[T]) -> Iterator[list[T]]:
    """Smaller sets of what was chosen, smallest first: each one alone, each half, all but one."""
    count = len(chosen)
    if count < 2:
        return
    for item in chosen:
        yield [item]
    # Below four a half is one alone, or all but one; of two all but one is the other one.
    if count > 3:
        yield list(chosen[: count // 2])
        yield list(chosen[count // 2 :])
    if count > 2:
        for place in range(count):
            yield [*chosen[:place], *chosen[place + 1 :]]
