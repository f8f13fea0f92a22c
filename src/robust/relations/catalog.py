"""What all relations of the catalog have in common: the options that they take, and how they are put together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypedDict

from robust.canon import describe
from robust.errors import UsageError
from robust.relations.assertions import Assertion
from robust.relations.place import Place, place_of
from robust.relations.relation import NotApplicable, Relation

if TYPE_CHECKING:
    from random import Random


class RelationOptions(TypedDict, total=False):
    """What every relation of the catalog may be given.

    Attributes:
        get: instead of ``field``: takes the part to change out of an input.
        set: the other half of ``get``: ``set(input, part)`` returns the input with another part.
        assertion: what must hold of the two outputs, instead of what the relation asserts by itself.
        name: what reports call the relation.
        seed: of its random source.
        oracle: judges every variant before it is tried.
    """

    get: Callable[[Any], Any]
    set: Callable[[Any, Any], Any]
    assertion: Assertion | Callable[[Any, Any], Any]
    name: str
    seed: int
    oracle: Any


OPTIONS: Final = frozenset(RelationOptions.__annotations__)


@dataclass(frozen=True, slots=True)
class CatalogTransform:
    """The transform of a relation of the catalog.

    Attributes:
        place: what it changes.
        edit: makes another part of a part, by a random source.
        preserves: what stays the same, which is why the relation is fair.
        leaves_input: whether it changes nothing of a plain input, so that one copy does for all samples. Only what
            calls no function of the caller's may say so.
    """

    place: Place
    edit: Callable[[Any, Random], Any]
    preserves: str
    leaves_input: bool = False

    def __call__(self, given: Any, random: Random) -> Any:
        """A variant of an input, which is itself not changed.

        Raises:
            NotApplicable: there is nothing to change in it.
        """
        part = self.place.get(given)
        return self.place.put(given, self.edit(part, random))


@dataclass(frozen=True, slots=True)
class CatalogShrink:
    """Simpler variants of an input.

    Attributes:
        place: what was changed.
        simpler: of the part of the base and that of the variant, parts that lie between them, simplest first.
    """

    place: Place
    simpler: Callable[[Any, Any], Iterable[Any]]

    def __call__(self, base: Any, variant: Any) -> Iterator[Any]:
        """Simpler variants, simplest first; none where there is nothing that could be simpler."""
        try:
            for part in self.simpler(self.place.get(base), self.place.get(variant)):
                yield self.place.put(base, part)
        except NotApplicable:
            return


def catalog_relation(
    name: str,
    field: Hashable | None,
    options: RelationOptions,
    *,
    edit: Callable[[Any, Random], Any],
    preserves: str,
    assertion: Assertion,
    simpler: Callable[[Any, Any], Iterable[Any]] | None = None,
    deterministic: bool = False,
    leaves_input: bool = False,
) -> Relation:
    """Put a relation of the catalog together.

    Args:
        name: what it is called in the catalog.
        field: see :func:`place_of`.
        options: what the caller gave.
        edit: see :class:`CatalogTransform`.
        preserves: see :class:`CatalogTransform`.
        assertion: what is asserted where the caller does not say otherwise.
        simpler: see :class:`CatalogShrink`.
        deterministic: whether there is one variant of an input only.
        leaves_input: whether ``edit`` leaves what it is given as it is; see :class:`CatalogTransform`.

    Raises:
        UsageError: an option is not known, or not what it must be.
    """
    unknown = sorted(set(options) - OPTIONS)
    if unknown:
        hint = f"one of {', '.join(sorted(OPTIONS))}"
        raise UsageError.of("unknown_option", f"{name} has no option {unknown[0]!r}", path=unknown[0], hint=hint)
    place = place_of(field, options.get("get"), options.get("set"))
    return Relation(
        name=options.get("name") or (f"{name}({place.label})" if place.label else name),
        # A caller's getter may change what it looks at.
        transform=CatalogTransform(place, edit, preserves, leaves_input and options.get("get") is None),
        assertion=options.get("assertion") or assertion,
        deterministic=deterministic,
        oracle=options.get("oracle"),
        seed=options.get("seed", 0),
        shrink=None if simpler is None else CatalogShrink(place, simpler),
    )


def text_part(part: object) -> str:
    """A part that is text with something in it.

    Raises:
        NotApplicable: it is not.
    """
    if not isinstance(part, str):
        raise NotApplicable(f"not text, but {describe(part)}")
    if not part.strip():
        raise NotApplicable("there is no text")
    return part


def texts_of(given: object, name: str) -> tuple[str, ...]:
    """A caller's texts, of which one may stand by itself.

    Raises:
        UsageError: there is none, one is blank, or it is something else.
    """
    texts = (given,) if isinstance(given, str) else given
    found = tuple(texts) if isinstance(texts, Iterable) and not isinstance(texts, bytes) else ()
    if not found or any(not isinstance(text, str) or not text.strip() for text in found):
        raise UsageError.of("bad_option", f"must be a text, or several, none blank, not {describe(given)}", path=name)
    return found
