"""The pack of relations for whatever reads a total off a receipt: lines in, a number out."""

from __future__ import annotations

from collections.abc import Sequence

from robust.relations.catalog import CatalogTransform
from robust.relations.receipt_edits import (
    FOOTER,
    total_currency_invariant,
    total_footer_invariant,
    total_join_invariant,
)
from robust.relations.receipt_order import Splitter, total_reorder_invariant
from robust.relations.relation import Relation


def reorder_lines(*, cues: Sequence[str] = (), blocks: Splitter | None = None) -> CatalogTransform:
    """Whole blocks of a receipt in another order; see :func:`total_reorder_invariant`.

    Raises:
        UsageError: an option is not what it must be.
    """
    return _transform(total_reorder_invariant(cues=cues, blocks=blocks))


def inject_footer(text: str | Sequence[str] = FOOTER) -> CatalogTransform:
    """Irrelevant lines at the end of a receipt; see :func:`total_footer_invariant`.

    Raises:
        UsageError: a line is blank, or tells of a total or a payment.
    """
    return _transform(total_footer_invariant(text=text))


def normalize_currency() -> CatalogTransform:
    """Amounts of a receipt without currency; see :func:`total_currency_invariant`."""
    return _transform(total_currency_invariant())


def join_amount_lines(*, cues: Sequence[str] = ()) -> CatalogTransform:
    """Cues with their amounts on one line; see :func:`total_join_invariant`.

    Raises:
        UsageError: a cue is blank.
    """
    return _transform(total_join_invariant(cues=cues))


def default_pack() -> list[Relation]:
    """The four relations for whatever reads a total off a receipt."""
    return [total_reorder_invariant(), total_footer_invariant(), total_currency_invariant(), total_join_invariant()]


def _transform(relation: Relation) -> CatalogTransform:
    transform = relation.transform
    assert isinstance(transform, CatalogTransform)  # noqa: S101 - as every relation of the catalog has
    return transform
