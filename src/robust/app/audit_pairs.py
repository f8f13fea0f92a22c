"""The pairs that an oracle is audited with: planted into bases, or labelled by somebody."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

from robust.app.audit_tally import Asked
from robust.app.base_cases import check_drawing, shelve
from robust.canon import JsonObject, canonical_bytes, describe, exact_text, hash_bytes
from robust.errors import CaseError, DataError, UsageError
from robust.oracle.question import Labels
from robust.records.case import Case
from robust.records.labelled_pair import LabelledPair
from robust.records.oracle_audit import Truth
from robust.records.section import suggestion
from robust.store.labelled_pairs import read_labelled_pairs
from robust.transforms.planted import DOMAINS, GENERATOR, PLANTS, Plant, plants_of
from robust.transforms.planting import planted_candidates

MAX_PER_CASE: Final = 1000


class Plan(NamedTuple):
    """What is planted: into which text, which edits, how many, and by which seed."""

    plants: list[Plant]
    domains: list[str]
    seed: int
    per_case: int
    text_field: str | None


class Labelled(NamedTuple):
    """One pair with what is known of it."""

    base: Case
    candidate: Case
    asked: Asked
    given: bool


def check_plan(domains: Iterable[str] | None, seed: Any, per_case: Any, text_field: Any) -> Plan:
    """The plan of planted edits.

    Raises:
        UsageError: there is no such domain, or a setting is out of its range.
    """
    names = list(DOMAINS) if domains is None else [exact_text(name) for name in domains]
    for name in names:
        if name not in DOMAINS:
            hint = suggestion(str(name), DOMAINS, "there are")
            raise UsageError.of("unknown_domain", f"there is no domain {name!r}", path="domains", hint=hint)
    if not names:
        raise UsageError.of("no_domains", "no domain is named", path="domains", hint="leave it out for all")
    check_drawing(seed, per_case, text_field, most=MAX_PER_CASE)
    chosen = [name for name in DOMAINS if name in names]
    return Plan(plants_of(chosen), list(chosen), seed, per_case, text_field)


class PlantedPairs:
    """The planted pairs of bases, and what could not be planted.

    Args:
        bases: cases, or a file of them; read whole and put aside before the first pair is made.
        plan: what is planted.
        split: of a manifest, the split whose bases are used.

    Raises:
        UsageError: there are no cases, or the file cannot be read.
        DataError: a row is wrong.
        CaseError: one is no case.
        IntegrityError: the manifest is damaged.
    """

    def __init__(self, bases: str | os.PathLike[str] | Iterable[Case], plan: Plan, *, split: str | None) -> None:
        self._shelf = shelve(bases, split=split)
        self._plan = plan
        self._bases = 0
        self._missed: dict[str, dict[str, int]] = {}

    def __iter__(self) -> Iterator[Labelled]:
        plan = self._plan
        for base in self._shelf:
            self._bases += 1
            for planted in planted_candidates(
                base, plan.plants, seed=plan.seed, per_case=plan.per_case, text_field=plan.text_field
            ):
                plant = planted.plant
                if planted.candidate is not None:
                    yield Labelled(base, planted.candidate, Asked(plant.domain, plant.name, plant.truth), given=False)
                else:
                    missed = self._missed.setdefault(f"{plant.domain}.{plant.name}", {})
                    reason = str(planted.missed)
                    missed[reason] = missed.get(reason, 0) + 1

    def to_json(self) -> JsonObject:
        """What was planted, as it stands in an audit."""
        plan = self._plan
        return {
            "generator": GENERATOR,
            "seed": plan.seed,
            "per_case": plan.per_case,
            "domains": plan.domains,
            "text_field": plan.text_field,
            "bases": self._bases,
            "missed": self._missed,
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._shelf.close()


def all_pairs(
    planted: PlantedPairs | None, pairs: str | os.PathLike[str] | Iterable[LabelledPair] | None
) -> Iterator[Labelled]:
    """Planted pairs, then given ones.

    Raises:
        UsageError: there are neither.
        CaseError: one is no labelled pair.
        DataError: a row of a file is wrong.
    """
    if planted is None and pairs is None:
        hint = "give bases, to plant edits into, or labelled pairs"
        raise UsageError.of("no_pairs", "there is nothing to audit with", hint=hint)
    given = read_labelled_pairs(pairs) if isinstance(pairs, str | os.PathLike) else pairs
    return _chained(planted or (), given or ())


def _chained(planted: Iterable[Labelled], given: Iterable[Any]) -> Iterator[Labelled]:
    yield from planted
    for index, pair in enumerate(given):
        if not isinstance(pair, LabelledPair):
            message = f"must be a LabelledPair, not {describe(pair)}"
            raise CaseError.of("not_a_pair", message, path=f"pairs[{index}]")
        yield Labelled(pair.base, pair.candidate, Asked(pair.domain, pair.edit, pair.truth), given=True)


class DistinctPairs:
    """Each pair once, told by the contents of both sides and the relation.

    Args:
        pairs: the pairs.
        labels: ``hidden`` takes the expected answers of the bases away, so that it is the oracle that is measured, and
            not what else would be noticed where it derives another answer than the label.

    Attributes:
        given: how many labelled pairs there were.
        duplicates: how many pairs were left out, as they stood there before.

    Raises:
        DataError: while iterating: one pair is labelled both valid and invalid.
    """

    def __init__(self, pairs: Iterable[Labelled], labels: Labels) -> None:
        self._pairs = pairs
        self._hidden = labels == "hidden"
        self._seen: dict[bytes, Truth] = {}
        self.given = 0
        self.duplicates = 0

    def __iter__(self) -> Iterator[Labelled]:
        for pair in self._pairs:
            self.given += pair.given
            origin = pair.candidate.origin
            relation = None if origin is None else origin.relation
            parts = [pair.base.content_digest, pair.candidate.content_digest, relation]
            key = hash_bytes(canonical_bytes(parts))
            known = self._seen.get(key)
            if known is None:
                self._seen[key] = pair.asked.truth
                yield pair._replace(base=pair.base.with_expected(None)) if self._hidden else pair
            elif known == pair.asked.truth:
                self.duplicates += 1
            else:
                ids = f"{pair.base.case_id!r} and {pair.candidate.case_id!r}"
                message = f"the pair of {ids} is labelled {pair.asked.truth}, and was {known} before"
                raise DataError.of("two_labels", message, hint="decide, or leave it out")


def planted_edits() -> list[JsonObject]:
    """Every planted edit: its domain, its name, the truth of its pairs, and what it does."""
    return [{"domain": plant.domain, "edit": plant.name, "truth": plant.truth, "says": plant.says} for plant in PLANTS]
