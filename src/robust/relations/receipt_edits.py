"""A receipt with a footer, without currency, or with cues and amounts joined."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Unpack

from robust.errors import UsageError
from robust.relations.assertions import unchanged
from robust.relations.catalog import RelationOptions, catalog_relation, texts_of
from robust.relations.moved_items import simpler_subsets
from robust.relations.receipt_lines import AMOUNT, CURRENCY, cue_pattern, lines_of, read_line
from robust.relations.receipt_order import own_cues
from robust.relations.receipt_pairs import clear_pairs
from robust.relations.relation import NotApplicable, Relation

if TYPE_CHECKING:
    from random import Random

FOOTER: Final = (
    "THANK YOU FOR YOUR VISIT",
    "PLEASE COME AGAIN",
    "HAVE A NICE DAY",
    "* * *",
    "PLEASE KEEP THIS SLIP",
)
_MONEY: Final = re.compile(
    rf"(?<![^\W\d_])(?P<before>{CURRENCY})\s?(?=-?(?:{AMOUNT}))|(?P<amount>{AMOUNT})\s?(?P<behind>{CURRENCY})(?![^\W\d_])"
)


def total_footer_invariant(
    field: Hashable | None = None, *, text: str | Sequence[str] = FOOTER, **options: Unpack[RelationOptions]
) -> Relation:
    """Irrelevant lines are put behind a receipt: one to three of those that are given, in drawn order.

    It preserves every line of the receipt, in its order; what is added tells of no total, tax or payment.

    Args:
        field: see :func:`total_reorder_invariant`.
        text: one line or several.
        **options: see :class:`RelationOptions`. Without ``assertion`` it is :func:`unchanged`.

    Raises:
        UsageError: a line is blank or more than a line, or tells of a total, a tax or a payment.
    """
    pool = texts_of(text, "text")
    known = cue_pattern()
    for line in pool:
        if "\n" in line or known.search(line):
            hint = "a reader could not tell it from the receipt's own"
            message = f"{line!r} is more than one line, or tells of a total or a payment"
            raise UsageError.of("bad_option", message, path="text", hint=hint)

    def edit(part: Any, random: Random) -> Any:
        found = lines_of(part)
        return found.put([*found.lines, *random.sample(pool, random.randint(1, min(3, len(pool))))])

    def simpler(base: Any, variant: Any) -> Iterator[Any]:
        found = lines_of(base)
        added = lines_of(variant).lines[len(found.lines) :]
        for kept in simpler_subsets(added):
            yield found.put([*found.lines, *kept])

    return catalog_relation(
        "total_footer_invariant",
        field,
        options,
        edit=edit,
        preserves="every line of the receipt, in its order",
        assertion=unchanged(),
        simpler=simpler,
        deterministic=len(pool) == 1,
    )


def total_currency_invariant(field: Hashable | None = None, **options: Unpack[RelationOptions]) -> Relation:
    """Signs and codes of the currency are removed beside amounts: ``RM 7.50`` and ``7.50 €`` become ``7.50``.

    It preserves every number and every word. It does not apply to a receipt in two currencies.

    Args:
        field: see :func:`total_reorder_invariant`.
        **options: see :class:`RelationOptions`. Without ``assertion`` it is :func:`unchanged`.

    Raises:
        UsageError: an option is not what it must be.
    """

    def edit(part: Any, _: Random) -> Any:
        found = lines_of(part)
        codes = {code.upper().rstrip(".") for line in found.lines for code in _currencies(line)}
        if not codes:
            raise NotApplicable("no amount has a currency beside it")
        if len(codes) > 1:
            raise NotApplicable(f"several currencies: {', '.join(sorted(codes))}")
        return found.put([_without_currency(line) for line in found.lines])

    def simpler(base: Any, _: Any) -> Iterator[Any]:
        found = lines_of(base)
        plain = [_without_currency(line) for line in found.lines]
        changed = [place for place, line in enumerate(found.lines) if line != plain[place]]
        for chosen in map(set, simpler_subsets(changed)):
            yield found.put([plain[place] if place in chosen else line for place, line in enumerate(found.lines)])

    return catalog_relation(
        "total_currency_invariant",
        field,
        options,
        edit=edit,
        preserves="every number and every word",
        assertion=unchanged(),
        simpler=simpler,
        deterministic=True,
    )


def total_join_invariant(
    field: Hashable | None = None, *, cues: Sequence[str] = (), **options: Unpack[RelationOptions]
) -> Relation:
    """A cue on one line and its amount on the next become one line.

    It preserves every cue, every amount and which belongs to which. Where that is not clear (several cues above several
    amounts, or amounts that may stand above their cues) nothing is joined.

    Args:
        field: see :func:`total_reorder_invariant`.
        cues: see :func:`total_reorder_invariant`.
        **options: see :class:`RelationOptions`. Without ``assertion`` it is :func:`unchanged`.

    Raises:
        UsageError: a cue is blank.
    """
    pattern = own_cues(cues)

    def edit(part: Any, _: Random) -> Any:
        found = lines_of(part)
        pairs = _pairs(found.lines, pattern)
        if not pairs:
            raise NotApplicable("no cue has its amount clearly on the next line")
        return found.put(_joined(found.lines, set(pairs)))

    def simpler(base: Any, _: Any) -> Iterator[Any]:
        found = lines_of(base)
        for chosen in simpler_subsets(_pairs(found.lines, pattern)):
            yield found.put(_joined(found.lines, set(chosen)))

    return catalog_relation(
        "total_join_invariant",
        field,
        options,
        edit=edit,
        preserves="every cue, every amount and which belongs to which",
        assertion=unchanged(),
        simpler=simpler,
        deterministic=True,
    )


def _currencies(line: str) -> Iterator[str]:
    for found in _MONEY.finditer(line):
        yield found["before"] or found["behind"]


def _without_currency(line: str) -> str:
    return _MONEY.sub(lambda found: found["amount"] or "", line)


def _pairs(texts: Sequence[str], cues: re.Pattern[str]) -> list[int]:
    return clear_pairs([read_line(text, cues) for text in texts])


def _joined(lines: Sequence[str], pairs: set[int]) -> list[str]:
    joined = []
    for place, line in enumerate(lines):
        if place in pairs:
            joined.append(f"{line.rstrip()}  {lines[place + 1].strip()}")
        elif place - 1 not in pairs:
            joined.append(line)
    return joined
