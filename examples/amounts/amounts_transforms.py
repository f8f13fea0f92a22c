"""Candidates: edited amounts, each with a claim about the right answers. Whether it holds is for the oracle to say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import amounts_edits
from amounts_data import Amount
from amounts_edits import Edit
from robust import Case, Origin
from robust.canon import fold_leaves
from robust.records.case import Relation


@dataclass(frozen=True, slots=True)
class Transformation:
    """An edit, and the relation that it claims between the right answers before and after."""

    name: str
    relation: Relation
    edit: Callable[[Amount], Edit]


TRANSFORMATIONS: Final[tuple[Transformation, ...]] = (
    Transformation("extra-space", "invariant", amounts_edits.extra_space),
    Transformation("plain-spaces", "invariant", amounts_edits.plain_spaces),
    Transformation("comma-removed", "invariant", amounts_edits.comma_removed),
    Transformation("grouping-removed", "invariant", amounts_edits.grouping_removed),
    Transformation("decimal-mark-removed", "invariant", amounts_edits.decimal_mark_removed),
    Transformation("zeros-appended", "invariant", amounts_edits.zeros_appended),
    Transformation("reformatted", "invariant", amounts_edits.reformatted),
    Transformation("reformatted-silently", "invariant", amounts_edits.reformatted_silently),
    Transformation("digits-exchanged", "invariant", amounts_edits.digits_exchanged),
    Transformation("latin-notation", "invariant", amounts_edits.latin_notation),
    Transformation("digit-changed", "invariant", amounts_edits.digit_changed),
    Transformation("sign-changed", "counterfactual", amounts_edits.sign_changed),
    Transformation("digit-dropped", "counterfactual", amounts_edits.digit_dropped),
    Transformation("digit-added", "counterfactual", amounts_edits.digit_added),
)


def candidates(amounts: Iterable[Amount]) -> Iterator[tuple[Case, Case]]:
    """Base and candidate for every edit that changes something nobody else shows.

    An edit that gives what another source shows is left out: a manifest keeps equal inputs in one split.
    """
    bases = [(amount, amount.case()) for amount in amounts]
    shown = {_key(base): base.source_id for _, base in bases}
    for amount, base in bases:
        for transformation in TRANSFORMATIONS:
            edited = transformation.edit(amount)
            if edited is None or edited == (amount.text, amount.locale):
                continue
            candidate = _candidate(amount, base, transformation, edited)
            key = candidate.content_digest
            if shown.setdefault(_key(candidate), base.source_id) != base.source_id or key in shown:
                continue
            shown[key] = base.source_id
            yield base, candidate


def _candidate(amount: Amount, base: Case, transformation: Transformation, edited: tuple[str, str]) -> Case:
    text, locale = edited
    return Case(
        {"amount": text, "locale": locale},
        case_id=f"{amount.name}-{transformation.name}",
        source_id=amount.name,
        metadata={"locale": locale, "notation": amount.notation},
        origin=Origin(
            parent_id=base.case_id,
            parent_content=base.content_digest,
            transform=transformation.name,
            relation=transformation.relation,
        ),
    )


def _key(case: Case) -> str:
    return str(fold_leaves(case.input))
