"""The relation of wording: the same thing said in other words, which the caller provides."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

from robust.canon import describe
from robust.errors import DataError, UsageError
from robust.relations.assertions import unchanged
from robust.relations.catalog import RelationOptions, catalog_relation, text_part, texts_of
from robust.relations.relation import NotApplicable, Relation, what_it_takes

if TYPE_CHECKING:
    from random import Random

Texts: TypeAlias = str | Collection[str]
Paraphrasing: TypeAlias = Mapping[str, Texts] | Sequence[str] | Callable[..., Texts | None]


def paraphrase_invariant(
    field: Hashable | None = None, *, paraphrases: Paraphrasing, **options: Unpack[RelationOptions]
) -> Relation:
    """A text in other words.

    It preserves the meaning, as far as whoever gives the paraphrases knows; give ``oracle=`` to have each one judged.

    Args:
        field: the field of a dict that has the text; the input itself where it is left out.
        paraphrases: a mapping from a text to one or several that say the same; or a list of texts that all say the
            same, of which the input is one; or a function of the text (and of a random source, if it takes one) that
            gives one, several or None. A text that has none is left out.
        **options: see :class:`RelationOptions`. Without ``assertion`` it is :func:`unchanged`.

    Raises:
        UsageError: an option is not what it must be.
    """
    find = _finder(paraphrases)

    def edit(part: Any, random: Random) -> str:
        text = text_part(part)
        others = [other for other in find(text, random) if other != text]
        if not others:
            raise NotApplicable("there is no paraphrase of this text")
        return random.choice(others)

    return catalog_relation(
        "paraphrase_invariant",
        field,
        options,
        edit=edit,
        preserves="the meaning, as whoever gave the paraphrases says",
        assertion=unchanged(),
    )


def _finder(paraphrases: Any) -> Callable[[str, Random], Sequence[str]]:
    if isinstance(paraphrases, Mapping):
        return _from_mapping(paraphrases)
    if callable(paraphrases):
        return _from_function(paraphrases)
    if isinstance(paraphrases, str) or not isinstance(paraphrases, Iterable):
        message = f"must be a mapping, a list of texts or a function, not {describe(paraphrases)}"
        raise UsageError.of("bad_option", message, path="paraphrases")
    same = texts_of(paraphrases, "paraphrases")
    return lambda text, _: same if text in same else ()


def _from_mapping(given: Mapping[Any, Any]) -> Callable[[str, Random], Sequence[str]]:
    table = {}
    for text, others in given.items():
        path = f"paraphrases[{text!r}]"
        if not isinstance(text, str):
            raise UsageError.of("bad_option", f"must map texts to texts, not {describe(text)}", path="paraphrases")
        table[str(text)] = texts_of(others, path)
    if not table:
        raise UsageError.of("bad_option", "there are none", path="paraphrases")
    return lambda text, _: table.get(text, ())


def _from_function(function: Callable[..., Any]) -> Callable[[str, Random], Sequence[str]]:
    takes = what_it_takes(function)

    def find(text: str, random: Random) -> Sequence[str]:
        found = function(text) if takes == "input" else function(text, random)
        if inspect.iscoroutine(found):
            found.close()
        if found is None:
            return ()
        texts = (found,) if isinstance(found, str) else found
        listed = tuple(texts) if isinstance(texts, list | tuple | set | frozenset) else (found,)
        if not all(isinstance(each, str) and each.strip() for each in listed):
            hint = "it gives a text, several or None, and is no coroutine function"
            wrong = next(each for each in listed if not isinstance(each, str) or not each.strip())
            shown = repr(wrong) if isinstance(wrong, str) else describe(wrong)
            raise DataError.of("bad_paraphrase", f"the function gave {shown}", path="paraphrases", hint=hint)
        return sorted(listed) if isinstance(texts, set | frozenset) else listed

    return find
