"""Relations of form: other white space, other letter case."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Unpack

from robust.canon import describe
from robust.errors import DataError, UsageError
from robust.relations.assertions import unchanged
from robust.relations.catalog import RelationOptions, catalog_relation, text_part
from robust.relations.moved_items import simpler_subsets
from robust.relations.relation import NotApplicable, Relation
from robust.transforms.letter_case import FORMS, same_letters

if TYPE_CHECKING:
    from random import Random

# Blanks between two digits may group them, and are left alone.
_BLANK: Final = re.compile(r"(?<=\S)(?<!\d) (?=\S)|(?<=\d) (?=[^\s\d])")
_WORDS: Final = re.compile(r"\S+")


def _doubled(text: str) -> str:
    return _BLANK.sub("  ", text)


STYLES: Final[dict[str, Callable[[str], str]]] = {
    "blanks-around": lambda text: f"  {text}  ",
    "doubled-blanks": _doubled,
    "newline-behind": lambda text: text + "\n",
    "newlines-around": lambda text: f"\n{text}\n",
    "tab-before": lambda text: "\t" + text,
    "windows-newlines": lambda text: text if "\r" in text else text.replace("\n", "\r\n"),
}


def formatting_invariant(
    field: Hashable | None = None,
    *,
    styles: Sequence[str | Callable[[str], str]] = tuple(STYLES),
    **options: Unpack[RelationOptions],
) -> Relation:
    """A text in other white space: blanks and line breaks around it, doubled blanks, another kind of line break.

    It preserves every word and the order of words. Blanks between digits are left alone. It is fair for prose, not for
    text in which white space has a meaning, such as programs and tables of fixed width.

    Args:
        field: the field of a dict that has the text; the input itself where it is left out.
        styles: the names of those that may be drawn (``blanks-around``, ``doubled-blanks``, ``newline-behind``,
            ``newlines-around``, ``tab-before``, ``windows-newlines``), or functions from text to text.
        **options: see :class:`RelationOptions`. Without ``assertion`` it is :func:`unchanged`.

    Raises:
        UsageError: an option is not what it must be.
    """
    chosen = _functions(styles, STYLES, "styles")

    def edit(part: Any, random: Random) -> str:
        text = text_part(part)
        return _one_of(text, chosen, random, _same_words, "white space")

    return catalog_relation(
        "formatting_invariant",
        field,
        options,
        edit=edit,
        preserves="every word and the order of words",
        assertion=unchanged(),
        simpler=_fewer_gaps,
    )


def case_invariant(
    field: Hashable | None = None,
    *,
    cases: Sequence[str | Callable[[str], str]] = tuple(FORMS),
    **options: Unpack[RelationOptions],
) -> Relation:
    """A text in other letter case.

    It preserves every character but for its case: both texts are the same when case is folded. Where a language has
    letters that change otherwise (ß, İ), that form is left out. It is fair where case has no meaning.

    Args:
        field: the field of a dict that has the text; the input itself where it is left out.
        cases: the names of those that may be drawn (``lower``, ``upper``, ``capitalised``), or functions.
        **options: see :class:`RelationOptions`. Without ``assertion`` it is :func:`unchanged`.

    Raises:
        UsageError: an option is not what it must be.
    """
    chosen = _functions(cases, FORMS, "cases")

    def edit(part: Any, random: Random) -> str:
        text = text_part(part)
        # A form of the catalog that a language has otherwise is left out; a caller's own is a mistake to tell of.
        fair = {name: form for name, form in chosen.items() if name not in FORMS or same_letters(text, form(text))}
        return _one_of(text, fair, random, same_letters, "letters")

    return catalog_relation(
        "case_invariant",
        field,
        options,
        edit=edit,
        preserves="every character but for its case",
        assertion=unchanged(),
        simpler=_fewer_words,
    )


def _functions(
    given: Sequence[str | Callable[[str], str]], known: Mapping[str, Callable[[str], str]], path: str
) -> dict[str, Callable[[str], str]]:
    """The ways of writing that may be drawn.

    Raises:
        UsageError: there is none, or one is not known.
    """
    listed = [given] if isinstance(given, str) or callable(given) else given
    found = {}
    for index, each in enumerate(listed):
        if callable(each):
            found[f"{index}"] = each
        elif isinstance(each, str) and each in known:
            found[each] = known[each]
        else:
            shown = repr(each) if isinstance(each, str) else describe(each)
            hint = f"one of {', '.join(known)}, or a function from text to text"
            raise UsageError.of("bad_option", f"{shown} is not known", path=path, hint=hint)
    if not found:
        raise UsageError.of("bad_option", "there is none", path=path, hint=f"one of {', '.join(known)}")
    return found


def _one_of(
    text: str,
    forms: Mapping[str, Callable[[str], str]],
    random: Random,
    keeps: Callable[[str, str], bool],
    what: str,
) -> str:
    """The text in one of the forms that are not the one it has."""
    written = {name: form(text) for name, form in forms.items()}
    for name, changed in written.items():
        if not isinstance(changed, str) or not keeps(text, changed):
            message = f"the function {name} changes more than {what}"
            raise DataError.of("unfair_transform", message, hint="a correct system could not be expected to agree")
    others = sorted({changed for changed in written.values() if changed != text})
    if not others:
        raise NotApplicable(f"there are no {what} that could be written otherwise")
    return random.choice(others)


def _same_words(text: str, changed: str) -> bool:
    return text.split() == changed.split()


def _fewer_gaps(base: Any, variant: Any) -> Iterator[str]:
    """With fewer runs of white space changed."""
    if not (isinstance(base, str) and isinstance(variant, str) and _same_words(base, variant)):
        return
    words = _WORDS.findall(base)
    before, after = _WORDS.split(base), _WORDS.split(variant)
    for gaps in _partly(before, after):
        yield _woven(gaps, words)


def _fewer_words(base: Any, variant: Any) -> Iterator[str]:
    """With fewer words in another case."""
    if not (isinstance(base, str) and isinstance(variant, str)) or _WORDS.split(base) != _WORDS.split(variant):
        return
    gaps = _WORDS.split(base)
    for words in _partly(_WORDS.findall(base), _WORDS.findall(variant)):
        yield _woven(gaps, words)


def _partly(before: Sequence[str], after: Sequence[str]) -> Iterator[list[str]]:
    """Lists that have some of what is other in the second one."""
    changed = [place for place, piece in enumerate(before) if piece != after[place]]
    for chosen in map(set, simpler_subsets(changed)):
        yield [after[place] if place in chosen else piece for place, piece in enumerate(before)]


def _woven(gaps: Sequence[str], words: Sequence[str]) -> str:
    return gaps[0] + "".join(piece for pair in zip(words, gaps[1:], strict=True) for piece in pair)
