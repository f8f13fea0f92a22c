"""Relations that add text which says nothing of the matter: irrelevant sentences, and padding."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, Unpack

from robust.canon import describe
from robust.errors import UsageError
from robust.relations.argument_words import shown_argument
from robust.relations.assertions import unchanged
from robust.relations.catalog import RelationOptions, catalog_relation, text_part, texts_of
from robust.relations.moved_items import item_key, simpler_subsets
from robust.relations.relation import NotApplicable, Relation

if TYPE_CHECKING:
    from random import Random

Where: TypeAlias = Literal["end", "start", "both"]
# About nothing: without numbers, names, dates, amounts, praise, blame or denial.
DISTRACTORS: Final = (
    "This page was printed on plain paper.",
    "The letters on this page are black.",
    "There is a margin on each side of the page.",
    "The page is read from the top to the bottom.",
    "This sentence is about the page it stands on.",
    "The paper lies flat on the desk.",
)
# Says again that something was said.
FILLER: Final = (
    "This is the same point in other words.",
    "It can be said in this way as well.",
    "That is what was meant above.",
    "The same holds when it is said again.",
    "Put in another way, it comes to the same.",
    "To repeat it, this is what is meant.",
)
_MAX_PADDED: Final = 10_000_000
_MAX_FACTOR: Final = 1000
# Behind one of these a sentence is over, in whatever script.
_CLOSED: Final = re.compile(r"[.!?…。！？｡؟۔।][\"'’”»)\]]*\Z")
_LETTER: Final = re.compile(r"[A-Za-z]")


def distractor_robust(
    field: Hashable | None = None,
    *,
    distractors: str | Sequence[Any] | None = None,
    where: Where = "end",
    most: int = 2,
    **options: Unpack[RelationOptions],
) -> Relation:
    """Sentences that have nothing to do with the matter are put before or behind a text, or items into a list.

    It preserves the whole text, and every item of a list in its order. The sentences of the catalog are English, and
    about the page; they do not apply to text without Latin letters, nor to JSON, nor to a list: give your own there.

    Args:
        field: the field of a dict that has the text or list; the input itself where it is left out.
        distractors: what is added: texts, or items for a list. That they are irrelevant is yours to know.
        where: at the ``end``, at the ``start``, or at ``both``; items of a list get anywhere.
        most: how many are added at most, each once; at least one is.
        **options: see :class:`RelationOptions`. Without ``assertion`` it is :func:`unchanged`.

    Raises:
        UsageError: an option is not what it must be.
    """
    if where not in ("end", "start", "both"):
        raise UsageError.of("bad_option", f"must be end, start or both, not {where!r}", path="where")
    if type(most) is not int or most < 1:
        raise UsageError.of("bad_option", f"must be an integer from 1 on, not {most!r}", path="most")
    own = distractors is not None
    pool = _pool(DISTRACTORS if distractors is None else distractors)

    def edit(part: Any, random: Random) -> Any:
        chosen = random.sample(pool, random.randint(1, min(most, len(pool))))
        if isinstance(part, list | tuple):
            return _with_items(part, chosen, random, own=own)
        text = fitting_text(part, own=own, wanted="distractors")
        if any(not isinstance(each, str) for each in chosen):
            raise NotApplicable("the distractors are items of a list, and this is text")
        before = {"end": 0, "start": len(chosen), "both": random.randint(0, len(chosen))}[where]
        return _around(text, chosen[:before], chosen[before:])

    return catalog_relation(
        "distractor_robust",
        field,
        options,
        edit=edit,
        preserves="the whole text, or every item in its order; what is added is irrelevant",
        assertion=unchanged(),
        simpler=_fewer_additions(pool),
    )


def length_invariant(
    field: Hashable | None = None,
    *,
    factor: float = 2.0,
    filler: str | Sequence[str] | None = None,
    **options: Unpack[RelationOptions],
) -> Relation:
    """A text is made longer by sentences without content.

    It preserves the whole text, and adds nothing to what it says. The sentences of the catalog are English; they do not
    apply to text without Latin letters, nor to JSON: give your own there.

    Args:
        field: the field of a dict that has the text; the input itself where it is left out.
        factor: how many times as long it becomes at least, in characters: more than 1, at most 1000.
        filler: the sentences. That they have no content is yours to know.
        **options: see :class:`RelationOptions`. Without ``assertion`` it is :func:`unchanged`.

    Raises:
        UsageError: an option is not what it must be.
    """
    pad = padding(factor, filler)
    pool = texts_of(FILLER if filler is None else filler, "filler")
    return catalog_relation(
        "length_invariant",
        field,
        options,
        edit=lambda part, random: pad(fitting_text(part, own=filler is not None, wanted="filler"), random),
        preserves="the whole text; what is added has no content",
        assertion=unchanged(),
        simpler=_fewer_additions(pool),
    )


def padding(factor: float, filler: str | Sequence[str] | None) -> Callable[[str, Random], str]:
    """What makes a text longer by sentences without content, in drawn order.

    Raises:
        UsageError: the factor is not more than 1 and at most 1000, or a sentence is no text.
    """
    if type(factor) not in (int, float) or not 1 < factor <= _MAX_FACTOR:
        message = f"must be a number above 1, at most {_MAX_FACTOR}, not {shown_argument(factor)}"
        raise UsageError.of("bad_option", message, path="factor")
    pool = texts_of(FILLER if filler is None else filler, "filler")

    def pad(text: str, random: Random) -> str:
        length = math.ceil(len(text) * factor)
        if length > _MAX_PADDED:
            raise NotApplicable(f"it would become {length} characters long")
        added: list[str] = []
        have = len(text)
        while have < length:
            # Each sentence once before any comes again.
            for sentence in random.sample(pool, len(pool)):
                if have < length:
                    added.append(sentence)
                    have += 1 + len(sentence)
        return _around(text, [], added)

    return pad


def fitting_text(part: object, *, own: bool, wanted: str) -> str:
    """A text that English sentences may be added to; any text, where the sentences are the caller's own.

    Raises:
        NotApplicable: it is no text, or has no Latin letters, or is JSON.
    """
    text = text_part(part)
    if not own and not _LETTER.search(text):
        raise NotApplicable(f"the text has no Latin letters; give {wanted} in its language")
    if text.lstrip()[0] in "[{" and text.rstrip()[-1] in "]}":
        raise NotApplicable("the text is JSON or the like, where nothing may be added")
    return text


def _pool(distractors: Any) -> tuple[Any, ...]:
    if isinstance(distractors, str):
        return texts_of(distractors, "distractors")
    if not isinstance(distractors, list | tuple) or not distractors:
        message = f"must be a text, or a list of what can be added, not {describe(distractors)}"
        raise UsageError.of("bad_option", message, path="distractors")
    if any(isinstance(each, str) for each in distractors):
        return texts_of(distractors, "distractors")
    return tuple(distractors)


def _with_items(part: Any, chosen: list[Any], random: Random, *, own: bool) -> Any:
    if not own:
        raise NotApplicable("a list needs distractors of its own kind")
    items = list(part)
    for each in chosen:
        items.insert(random.randint(0, len(items)), each)
    return tuple(items) if type(part) is tuple else items


def _around(text: str, before: Iterable[str], behind: Iterable[str]) -> str:
    """Sentences before and behind a text, each clearly apart from it."""
    parts = [*before, text]
    joined = (_gap(text) if "\n" in text else " ").join(parts)
    for sentence in behind:
        joined += _gap(joined) + sentence
    return joined


def _gap(text: str) -> str:
    """What stands between a text and a sentence behind it: a line of its own where the text has lines or no end."""
    if text[-1:].isspace():
        return ""
    return " " if "\n" not in text and _CLOSED.search(text) else "\n"


def _fewer_additions(pool: Sequence[Any]) -> Callable[[Any, Any], Iterator[Any]]:
    """Variants with fewer of the additions, fewest first."""
    texts = [re.escape(each) for each in sorted(filter(_is_text, pool), key=len, reverse=True)]
    sentence = re.compile("|".join(texts)) if texts else None

    def simpler(base: Any, variant: Any) -> Iterator[Any]:
        if isinstance(base, list | tuple) and isinstance(variant, list | tuple):
            kinds = {item_key(each) for each in pool}
            added = _inserted(list(map(item_key, base)), list(map(item_key, variant)), kinds)
            for kept in simpler_subsets(added):
                left = [item for place, item in enumerate(variant) if place not in added or place in kept]
                yield tuple(left) if type(variant) is tuple else left
        elif isinstance(base, str) and isinstance(variant, str) and sentence is not None and base in variant:
            before, _, behind = variant.partition(base)
            added_texts = [(0, each) for each in sentence.findall(before)]
            added_texts += [(1, each) for each in sentence.findall(behind)]
            for chosen in simpler_subsets(added_texts):
                yield _around(
                    base, [text for side, text in chosen if not side], [text for side, text in chosen if side]
                )

    return simpler


def _inserted(base: list[object], variant: list[object], kinds: set[object]) -> list[int]:
    """Which places of the variant were put in."""
    places, done = [], 0
    for place, key in enumerate(variant):
        if done < len(base) and base[done] == key:
            done += 1
        elif key in kinds:
            places.append(place)
    return places


def _is_text(each: object) -> bool:
    return isinstance(each, str)
