"""What each property of a run needs: its transformation, its limits, its oracle, and what it expects of answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from robust.canon import JsonObject
from robust.records.case import Relation
from robust.records.contract import Contract
from robust.records.oracle_config import AuditPin, OracleConfig
from robust.records.properties import Compared, DistributionLimits, Inversion, Monotonic, Paraphrase, Property
from robust.records.request import DecisionType
from robust.relations.compare import FLIP_VIOLATION, LEVEL_VIOLATION, broken_limits, compare_decisions, level_falls
from robust.run.judging import CandidateJudge
from robust.transforms.candidate import Transformation
from robust.transforms.of_property import transformation_of
from robust.transforms.rewriting import RewordingTransformation


class PropertyPlan(NamedTuple):
    """One property that generates candidates, as it runs.

    Attributes:
        name: of the property.
        settings: as the contract has them.
        transformation: makes and applies candidates.
        relation: what the property expects of the right answers.
        labels: the labels in contract order.
        decision_type: of the decision.
        limits: the per-pair limits on distributions.
        judge: its oracle; None where its candidates are scored on assumption, or are none.
        judged: whether an oracle must accept its candidates; what is neither judged nor a candidate is only repeated.
        reducible: whether a failing candidate can be made smaller.
        assumed: whether its pairs are scored on the contract author's word.
    """

    name: str
    settings: Property
    transformation: Transformation
    relation: Relation
    labels: tuple[str, ...]
    decision_type: DecisionType
    limits: Mapping[str, float]
    judge: CandidateJudge | None
    judged: bool
    reducible: bool
    assumed: bool

    @property
    def shows_labels(self) -> tuple[str, ...] | None:
        """The labels, where it is they that its candidates show otherwise."""
        return self.labels if self.name in ("option_order", "label_format") else None

    @property
    def repeats(self) -> bool:
        """Whether it asks the same input again, so that its pairs are no candidates."""
        return isinstance(self.transformation, RewordingTransformation) and self.transformation.identity

    @property
    def rewords(self) -> RewordingTransformation | None:
        """Its transformation, where a paraphraser makes the texts."""
        transformation = self.transformation
        return transformation if isinstance(transformation, RewordingTransformation) and not self.repeats else None

    def expected(self, base_expected: str | None) -> str | None:
        """The variant's right label, where it follows from the base's."""
        if self.relation == "invariant" or base_expected is None:
            return base_expected
        # Of a stored record the base's may be no label, which is refused where it stands.
        if self.relation == "counterfactual" and base_expected in self.labels:
            return self.labels[1 - self.labels.index(base_expected)]
        return None

    def compare(self, base: tuple[float, ...], variant: tuple[float, ...], base_expected: str | None) -> JsonObject:
        """The comparison of a pair."""
        return compare_decisions(
            labels=self.labels,
            decision_type=self.decision_type,
            base=base,
            variant=variant,
            base_expected=base_expected,
            variant_expected=self.expected(base_expected),
            relation=self.relation,
            exchanged=self.relation == "counterfactual",
            directed=self.relation in ("increasing", "decreasing"),
        )

    def violations(self, comparison: JsonObject) -> list[str]:
        """The names of the limits that a pair breaks; a changed label counts where flips are limited."""
        settings = self.settings
        broken = broken_limits(comparison, self.limits)
        if isinstance(settings, Monotonic) and level_falls(comparison, settings.max_level_decrease):
            broken.append(LEVEL_VIOLATION)
        if comparison["flipped"] and settings.max_flip_rate is not None:
            broken.append(FLIP_VIOLATION)
        return broken


_REDUCIBLE = frozenset(("option_order", "label_format", "irrelevant_context", "repeated_context", "whitespace"))


def plan_properties(contract: Contract, judges: Mapping[str, CandidateJudge] | None = None) -> list[PropertyPlan]:
    """The properties that generate candidates, in the contract's order.

    Args:
        contract: the contract.
        judges: the oracle of each property that has one.
    """
    plans = []
    for name, settings in contract.properties.enabled().items():
        transformation = transformation_of(settings, contract.decision.label_order, contract.fuzz.text_field)
        if transformation is None:
            continue
        plans.append(
            PropertyPlan(
                name=name,
                settings=settings,
                transformation=transformation,
                relation=_relation(settings),
                labels=contract.decision.label_order,
                decision_type=contract.decision.type,
                limits=settings.distribution_limits() if isinstance(settings, DistributionLimits) else {},
                judge=(judges or {}).get(name),
                judged=has_oracle(contract, name),
                reducible=name in _REDUCIBLE,
                assumed=not has_oracle(contract, name) and not is_identity(settings),
            )
        )
    return plans


def _relation(settings: Property) -> Relation:
    if isinstance(settings, Monotonic):
        return settings.direction
    return "counterfactual" if isinstance(settings, Inversion) else "invariant"


def has_oracle(contract: Contract, name: str) -> bool:
    """Whether an oracle judges a property's candidates; asking the same again makes none."""
    return oracle_of(contract, name) is not None


def oracle_of(contract: Contract, name: str) -> tuple[str, OracleConfig] | None:
    """The settings of the oracle that judges a property's candidates, with their place in the contract."""
    settings = getattr(contract.properties, name)
    if name == "variants" or is_identity(settings):
        return None
    own: OracleConfig | None = getattr(settings, "oracle", None)
    if own is not None:
        return f"properties.{name}.oracle", own
    default = contract.oracles.default
    return None if default is None else ("oracles.default", default)


def pin_of(contract: Contract, name: str) -> AuditPin | None:
    """The audit that the contract pins for the oracle of a property, where it does."""
    found = oracle_of(contract, name)
    return None if found is None else found[1].audit


def has_pins(contract: Contract) -> bool:
    """Whether the contract pins the audit of an oracle of an enabled property."""
    return any(pin_of(contract, name) is not None for name in contract.properties.enabled())


def is_identity(settings: Property) -> bool:
    """Whether a property asks the same input again, which makes no candidates."""
    return isinstance(settings, Paraphrase) and settings.source.provider == "identity"


def has_pair_limit(settings: Property) -> bool:
    """Whether single pairs of a property can be violations."""
    return isinstance(settings, Monotonic) or (isinstance(settings, Compared) and bool(settings.distribution_limits()))
