"""The strategies there are, by name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from robust.canon import describe
from robust.errors import UsageError
from robust.records.case import Relation, id_problem, relation_problem
from robust.records.replacement import Replacement
from robust.transforms.date_formats import DateFormat
from robust.transforms.letter_case import LetterCase
from robust.transforms.negation import Negation
from robust.transforms.number_formats import DecimalSeparator, NumberGrouping
from robust.transforms.punctuation import Punctuation
from robust.transforms.reordering import Reordering
from robust.transforms.replacing import TableStrategy
from robust.transforms.strategy import Strategy
from robust.transforms.typing_errors import TypoDrop, TypoNeighbour, TypoSwap
from robust.transforms.unicode_forms import Confusables, UnicodeCanonical, UnicodeCompatibility
from robust.transforms.white_space import WhiteSpace

# Each with what it does in few words, for lists.
_OWN: Final[tuple[tuple[Strategy, str], ...]] = (
    (TypoNeighbour(), "a letter of a key beside the right one"),
    (TypoSwap(), "two letters within a word swapped"),
    (TypoDrop(), "a letter within a word left out"),
    (WhiteSpace(), "doubled blanks, tabs, line breaks, blanks at the edges"),
    (LetterCase(), "small letters, capitals, or a capital for each word"),
    (Confusables(), "letters of another script that look the same"),
    (UnicodeCanonical(), "the normal form NFC or NFD"),
    (UnicodeCompatibility(), "the normal form NFKC or NFKD"),
    (Punctuation(), "a mark left out, added or written otherwise"),
    (Negation(), "an English 'not' put in or taken out"),
    (NumberGrouping(), "thousands grouped otherwise"),
    (DecimalSeparator(), "a comma for a decimal point, or a point for a comma"),
    (DateFormat(), "a date written otherwise"),
    (Reordering(), "bullets, clauses, items or lines in another order"),
)
BUILT_IN: Final[dict[str, Strategy]] = {strategy.name: strategy for strategy, _ in _OWN}
REWRITES: Final = "rewrites"
SYNONYMS: Final = "synonyms"
TABLES: Final = (REWRITES, SYNONYMS)
# What a row of a table supposes that says nothing else.
DEFAULT_RELATION: Final[Relation] = "invariant"
# Names for several at once.
SETS: Final[dict[str, tuple[str, ...]]] = {
    "typos": (TypoNeighbour.name, TypoSwap.name, TypoDrop.name),
    "all": tuple(BUILT_IN),
}
ABOUT: Final[dict[str, str]] = {
    **{strategy.name: about for strategy, about in _OWN},
    REWRITES: "rows of --rewrites FILE, to the letter",
    SYNONYMS: "rows of --synonyms FILE, in any letter case",
}


def rewrites(rows: Iterable[Replacement]) -> Strategy:
    """Replacements to the letter; a row says what it supposes, else the answer is supposed to stay.

    Raises:
        UsageError: there are no rows.
    """
    return TableStrategy(REWRITES, DEFAULT_RELATION, rows, any_case=False)


def synonyms(rows: Iterable[Replacement]) -> Strategy:
    """Replacements in the letter case of what they replace; the answer is supposed to stay unless a row says more.

    Raises:
        UsageError: there are no rows.
    """
    return TableStrategy(SYNONYMS, DEFAULT_RELATION, rows, any_case=True)


def strategies_named(names: Iterable[str | Strategy], tables: Sequence[Strategy] = ()) -> tuple[Strategy, ...]:
    """The strategies of names, names of sets, and strategies themselves, each once, in their order.

    Args:
        names: what was asked for.
        tables: strategies made from files; each is used, whether it is named or not.

    Raises:
        UsageError: there is none, a name is unknown, what is given is no strategy, or two have one name.
    """
    known = BUILT_IN | {table.name: table for table in tables}
    chosen: dict[str, Strategy] = {}
    for name in names:
        if not isinstance(name, str):
            _check_own(name)
            if chosen.setdefault(name.name, name) is not name:
                raise UsageError.of("two_strategies", f"two strategies are called {name.name!r}", path="strategies")
            continue
        for each in SETS.get(name, (name,)):
            if each not in known:
                raise _unknown(each)
            if chosen.setdefault(each, known[each]) is not known[each]:
                raise UsageError.of("two_strategies", f"two strategies are called {each!r}", path="strategies")
    for table in tables:
        chosen.setdefault(table.name, table)
    if not chosen:
        raise UsageError.of("no_strategies", "no strategy is named", path="strategies", hint=_hint())
    return tuple(chosen.values())


def _check_own(strategy: object) -> None:
    """Refuse what is neither a name nor an object with name, relation and edit."""
    name, relation = getattr(strategy, "name", None), getattr(strategy, "relation", None)
    if isinstance(strategy, type) or not callable(getattr(strategy, "edit", None)):
        message = f"must be a name, or an object with name, relation and edit(text, stream), not {describe(strategy)}"
        raise UsageError.of("bad_strategy", message, path="strategies", hint=_hint())
    if id_problem(name, "name") is not None:
        message = f"a strategy's name must be short text without control characters, not {describe(name)}"
        raise UsageError.of("bad_strategy", message, path="strategies")
    if problem := relation_problem(relation, "strategies"):
        raise UsageError(replace(problem, message=f"the strategy {name!r}: {problem.message}"))


def _unknown(name: str) -> UsageError:
    if name in TABLES:
        message, hint = f"the strategy {name!r} has no table", f"give it a file with --{name} ({name}=...)"
        return UsageError.of("no_table", message, path="strategies", hint=hint)
    near = difflib.get_close_matches(name, [*BUILT_IN, *SETS, *TABLES], n=1)
    hint = f"did you mean {near[0]}?" if near else _hint()
    return UsageError.of("unknown_strategy", f"there is no strategy {name!r}", path="strategies", hint=hint)


def _hint() -> str:
    return "use " + ", ".join((*BUILT_IN, *SETS))
