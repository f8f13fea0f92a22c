"""Of reviews under several oracle contracts, the one that counts."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from robust.errors import DataError

_MAX_LISTED: Final = 20


def only_contract(contracts: Collection[str], wanted: str | None, *, one: str, several: str) -> str:
    """The oracle contract of the reviews that count.

    Args:
        contracts: those that are there.
        wanted: the one that is asked for; None where there must be only one.
        one: what a review is called: ``row``.
        several: and several of them: ``rows``.

    Raises:
        DataError: there is none, or there are several.
    """
    if not contracts:
        hint = "give a file that variants validate or variants show wrote"
        raise DataError.of("no_reviews", f"there are no {several}", hint=hint)
    listed = ", ".join(sorted(contracts)[:_MAX_LISTED])
    if wanted is not None:
        if wanted not in contracts:
            message = f"no {one} is of the oracle contract {wanted!r}"
            raise DataError.of("no_reviews", message, path="contract", hint=f"the {several} are of {listed}")
        return wanted
    if len(contracts) > 1:
        message = f"the {several} are of {len(contracts)} oracle contracts: {listed}"
        raise DataError.of("mixed_contracts", message, path="contract", hint="name the one whose reviews count")
    return next(iter(contracts))
