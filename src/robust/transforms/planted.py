"""Planted edits: each is known to change what a text says, or known not to, so that an oracle can be audited with it.

What "known" rests on, and where it ends, is told in docs/oracle-audit.md. Every edit keeps to places where it is sure,
and to texts where it is; it would rather find nothing than be wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from robust.canon import RandomStream
from robust.records.oracle_audit import Truth
from robust.transforms import (
    planted_amounts,
    planted_dates,
    planted_identifiers,
    planted_layout,
    planted_negation,
    planted_units,
    planted_words,
)
from robust.transforms.planted_doubts import in_statements, outside_restatements
from robust.transforms.planted_places import Finder, blank_before, drawn, in_plain_layout
from robust.transforms.strategy import Edit

Domain: TypeAlias = Literal["amounts", "units", "dates", "negation", "comparisons", "words", "identifiers", "layout"]
DOMAINS: Final[tuple[Domain, ...]] = get_args(Domain)
# Part of every random stream and of every audit: other edits need another name.
GENERATOR: Final = "robust.planted/1"


class Plant(NamedTuple):
    """One kind of planted edit.

    Attributes:
        domain: what it is about.
        name: of the edit; unique within its domain.
        truth: whether the edited text still says the same.
        find: where it can be made.
        says: what it does.
    """

    domain: Domain
    name: str
    truth: Truth
    find: Finder
    says: str

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """One edit of this kind, as the stream draws; None where the text has no place for it."""
        return drawn(text, self.find, stream)


def _about(domain: Domain, places: Finder, *, invalid: Iterable[Finder], valid: Iterable[Finder] = ()) -> list[Plant]:
    """The plants of a domain; beside what its edits change, each has one that only doubles the blank before it."""
    plants = [_plant(domain, "invalid", find) for find in invalid]
    if domain in ("amounts", "units", "dates"):
        plants = [plant._replace(find=outside_restatements(plant.find)) for plant in plants]
    if domain == "negation":
        plants = [plant._replace(find=in_statements(plant.find)) for plant in plants]
    plants += [_plant(domain, "valid", find)._replace(find=in_plain_layout(find)) for find in valid]
    beside = "Two blanks instead of one before what the other edits of the domain would change."
    return [*plants, Plant(domain, "doubled_blank_before", "valid", blank_before(places), beside)]


def _plant(domain: Domain, truth: Truth, find: Finder) -> Plant:
    name: str = getattr(find, "__name__", "")
    return Plant(domain, name, truth, find, (find.__doc__ or "").strip())


_LAYOUT: Final[tuple[Finder, ...]] = (
    planted_layout.doubled_blank,
    planted_layout.trailing_line_feed,
    planted_layout.leading_line_feed,
    planted_layout.wider_paragraphs,
    planted_layout.carriage_returns,
    planted_layout.decomposed_letters,
)
PLANTS: Final[tuple[Plant, ...]] = (
    *_about(
        "amounts",
        planted_amounts.number_places,
        invalid=(
            planted_amounts.changed_digit,
            planted_amounts.removed_decimal_mark,
            planted_amounts.moved_decimal_mark,
            planted_amounts.dropped_minus,
            planted_amounts.changed_scale,
        ),
        valid=(planted_amounts.typographic_minus,),
    ),
    *_about(
        "units",
        planted_units.quantity_places,
        invalid=(planted_units.changed_unit, planted_units.changed_currency, planted_units.dropped_per_cent),
        valid=(planted_units.no_break_space,),
    ),
    *_about(
        "dates",
        planted_dates.date_places,
        invalid=(
            planted_dates.changed_day,
            planted_dates.changed_month,
            planted_dates.changed_year,
            planted_dates.changed_hour,
            planted_dates.changed_half_of_day,
        ),
        valid=(planted_dates.no_break_space,),
    ),
    *_about(
        "negation",
        planted_negation.negation_places,
        invalid=(
            planted_negation.dropped_negation,
            planted_negation.added_negation,
            planted_negation.exchanged_always_and_never,
        ),
        valid=(planted_negation.typographic_apostrophe,),
    ),
    *_about("comparisons", planted_words.comparison_places, invalid=(planted_words.exchanged_bound,)),
    *_about("words", planted_words.word_places, invalid=(planted_words.opposite_word, planted_words.swapped_names)),
    *_about(
        "identifiers",
        planted_identifiers.identifier_places,
        invalid=(
            planted_identifiers.changed_reference,
            planted_identifiers.changed_phone_number,
            planted_identifiers.changed_address,
        ),
    ),
    *(_plant("layout", "valid", find) for find in _LAYOUT),
)


def plants_of(domains: Iterable[str]) -> list[Plant]:
    """The plants of some domains, in the order of the registry."""
    wanted = frozenset(domains)
    return [plant for plant in PLANTS if plant.domain in wanted]


def plant_stream(seed: int, plant: Plant, case_id: str, rank: int) -> RandomStream:
    """The random stream of one planted edit; no other edit or case has a part in it."""
    return RandomStream(GENERATOR, seed, plant.domain, plant.name, case_id, rank)
