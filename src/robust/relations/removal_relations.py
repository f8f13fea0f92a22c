"""The relation of removal: what the caller knows to be irrelevant is left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Unpack

from robust.canon import describe
from robust.errors import UsageError
from robust.relations.assertions import unchanged
from robust.relations.catalog import RelationOptions, catalog_relation, text_part
from robust.relations.moved_items import item_key, simpler_subsets
from robust.relations.relation import NotApplicable, Relation

if TYPE_CHECKING:
    from random import Random

_LINES: Final = re.compile(r"[^\n]*\n|[^\n]+")


class _Pieces(NamedTuple):
    """What a part consists of, what of it counts as a piece's name, and what puts pieces together."""

    names: list[Any]
    join: Callable[[list[int]], Any]


def remove_irrelevant(
    field: Hashable | None = None,
    *,
    irrelevant: Callable[[Any], Any] | re.Pattern[str] | Collection[Any],
    **options: Unpack[RelationOptions],
) -> Relation:
    """Some of what is irrelevant is removed: items of a list, lines of a text, keys of a dict.

    It preserves everything else, in its order. It does not apply where nothing is irrelevant, or everything.

    Args:
        field: the field of a dict that has the pieces; the input itself where it is left out.
        irrelevant: tells which pieces are: a function of a piece (a line without its end, or a key), a pattern that is
            searched for in it, or the pieces themselves. That they are irrelevant is yours to know.
        **options: see :class:`RelationOptions`. Without ``assertion`` it is :func:`unchanged`.

    Raises:
        UsageError: an option is not what it must be.
    """
    judge = _judge(irrelevant)

    def edit(part: Any, random: Random) -> Any:
        pieces = _pieces(part)
        found = [place for place, name in enumerate(pieces.names) if judge(name)]
        rest = len([name for name in pieces.names if not isinstance(name, str) or name.strip()]) - len(found)
        if not found:
            raise NotApplicable("nothing in it is irrelevant")
        if rest < 1:
            raise NotApplicable("everything in it is irrelevant")
        gone = set(random.sample(found, random.randint(1, len(found))))
        return pieces.join([place for place in range(len(pieces.names)) if place not in gone])

    def simpler(base: Any, variant: Any) -> Iterator[Any]:
        before, after = _pieces(base), _pieces(variant)
        for gone in map(set, simpler_subsets(_missing(before.names, after.names))):
            yield before.join([place for place in range(len(before.names)) if place not in gone])

    return catalog_relation(
        "remove_irrelevant",
        field,
        options,
        edit=edit,
        preserves="everything that is not irrelevant, in its order",
        assertion=unchanged(),
        simpler=simpler,
    )


def _judge(irrelevant: Any) -> Callable[[Any], bool]:
    if isinstance(irrelevant, re.Pattern):
        return lambda piece: isinstance(piece, str) and irrelevant.search(piece) is not None
    if callable(irrelevant):
        return lambda piece: bool(irrelevant(piece))
    if isinstance(irrelevant, str):
        return lambda piece: bool(piece == irrelevant)
    if not isinstance(irrelevant, Collection) or isinstance(irrelevant, bytes) or not irrelevant:
        message = f"must be a function, a pattern or the irrelevant pieces, not {describe(irrelevant)}"
        raise UsageError.of("bad_option", message, path="irrelevant")
    keys = {item_key(piece) for piece in irrelevant}
    return lambda piece: item_key(piece) in keys


def _pieces(part: Any) -> _Pieces:
    if isinstance(part, str):
        lines = _LINES.findall(text_part(part))
        names = [line.rstrip("\r\n") for line in lines]
        return _Pieces(names, lambda places: "".join(lines[place] for place in places))
    if isinstance(part, dict):
        keys = list(part)
        return _Pieces(keys, lambda places: {keys[place]: part[keys[place]] for place in places})
    if isinstance(part, list | tuple):
        kind = tuple if isinstance(part, tuple) else list
        return _Pieces(list(part), lambda places: kind(part[place] for place in places))
    raise NotApplicable(f"neither text, list nor dict, but {describe(part)}")


def _missing(before: Sequence[Any], after: Sequence[Any]) -> list[int]:
    """Which places of the one are not in the other, which has the rest in order."""
    keys = [item_key(name) for name in after]
    missing, done = [], 0
    for place, name in enumerate(before):
        if done < len(keys) and keys[done] == item_key(name):
            done += 1
        else:
            missing.append(place)
    return missing
