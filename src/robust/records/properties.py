"""The ``properties`` section of a contract: nine metamorphic properties and their settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar, Final, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field

from robust.records.label_styles import LABEL_STYLES, LabelStyle
from robust.records.oracle_config import OracleField
from robust.records.paraphrase_source import IdentitySource, SourceField
from robust.records.scalars import (
    Flag,
    Integer,
    Items,
    Label,
    NonEmpty,
    NonNegative,
    Number,
    OrNull,
    Share,
    Text,
    as_text,
)
from robust.records.section import SINCE_1, Misfit, Rule, Section

# Per-pair limits on how far the distribution may move, by the field of the comparison that they bound.
DISTRIBUTION_LIMITS = {
    "max_tv_distance": "tv_distance",
    "max_js_divergence": "js_divergence",
    "max_abs_delta": "max_abs_delta",
    "max_confidence_delta": "confidence_delta",
}
# Of our own, and as neutral as a sentence can be: no number, no name, no opinion, nothing that is decided.
FRAGMENTS: Final = (
    "Outside, a light breeze moved the leaves.",
    "The kettle had just boiled.",
    "Somewhere in the building a door closed quietly.",
    "The curtains were drawn back to let the morning in.",
    "A bicycle leaned against the garden fence.",
    "The radio played softly in another room.",
    "Fresh flowers stood on the windowsill.",
    "The afternoon was calm and a little cloudy.",
)
ALL_TYPES: Final = ("choice", "noul", "score")
LevelName: TypeAlias = Literal["requirement", "warning"]
Samples: TypeAlias = Annotated[Integer, Field(ge=1, le=100)]
FewSamples: TypeAlias = Annotated[Integer, Field(ge=1, le=20)]


def _check_fragment(fragment: str) -> str:
    if not any(character.isprintable() and character != " " for character in fragment):
        raise ValueError("a fragment must hold something that can be seen")
    if "\x00" in fragment:
        raise ValueError("a fragment must not hold a NUL character")
    return fragment


Fragment: TypeAlias = Annotated[NonEmpty, AfterValidator(_check_fragment)]
Fragments: TypeAlias = Annotated[Items[Fragment], Field(min_length=1)]


class Property(Section):
    """What every property has.

    Attributes:
        enabled: false keeps the settings and turns the property off.
        level: whether its checks are requirements or warnings.
        max_violation_rate: the share of pairs that may break a per-pair limit.
        max_flip_rate: the share of pairs whose selected label may change.
        max_group_violation_rate: the share of source groups that may have a violation, judged on its exact upper
            bound.
        trials: how often each transformed case is decided where noise is measured.
    """

    types: ClassVar[tuple[str, ...]] = ALL_TYPES

    enabled: Flag = True
    level: Annotated[LevelName, BeforeValidator(as_text)] = "requirement"
    max_violation_rate: Share = 0.0
    max_flip_rate: OrNull[Share] = None
    max_group_violation_rate: Annotated[OrNull[Share], SINCE_1] = None
    trials: Annotated[Samples, SINCE_1] = 1


class Generated(Property):
    """What every property has that makes its own candidates.

    Attributes:
        oracle: who judges its candidates, instead of the contract's default.
        min_valid_rate: the share of candidates that must be valid.
        max_unknown_rate: the share of candidates that may be unknown.
    """

    oracle: Annotated[OrNull[OracleField], SINCE_1] = None
    min_valid_rate: Annotated[OrNull[Share], SINCE_1] = None
    max_unknown_rate: Annotated[OrNull[Share], SINCE_1] = None


class DistributionLimits(Section):
    """Limits on how far a pair's distributions may be apart.

    Attributes:
        max_tv_distance: total variation distance, 0–1.
        max_js_divergence: Jensen–Shannon divergence in bits, 0–1.
        max_abs_delta: the largest change of one label's probability.
        max_confidence_delta: the change of the selected label's probability.
    """

    max_tv_distance: OrNull[Share] = None
    max_js_divergence: OrNull[Share] = None
    max_abs_delta: OrNull[Share] = None
    max_confidence_delta: OrNull[Share] = None

    def distribution_limits(self) -> dict[str, float]:
        """The per-pair limits on distributions that are set, by name."""
        limits = ((name, getattr(self, name)) for name in DISTRIBUTION_LIMITS)
        return {name: limit for name, limit in limits if limit is not None}


def _has_a_limit(settings: Compared) -> Iterator[Misfit]:
    limits = (*DISTRIBUTION_LIMITS, "max_flip_rate")
    # Every one of them is looked at: in a draft, one that is faulty is not one that is absent.
    values = [getattr(settings, name) for name in limits]
    if settings.enabled and not any(value is not None for value in values):
        hint = "set one of " + ", ".join(limits)
        yield Misfit((), "the property has no limit, so nothing could violate it", hint)


class Compared(Generated, DistributionLimits):
    """A property whose pairs are compared by their distributions."""

    combinations: ClassVar[tuple[Rule, ...]] = (_has_a_limit,)


class OptionOrder(Compared):
    """The options in another order.

    Attributes:
        samples: how many distinct orders for each case.
    """

    types: ClassVar[tuple[str, ...]] = ("choice", "noul")

    samples: Samples = 3


def _check_forms(forms: tuple[str, ...]) -> tuple[str, ...]:
    for form in forms:
        if not form or form != form.strip():
            raise ValueError("an alias must not be empty or have space around it")
    return forms


class LabelFormat(Compared):
    """The labels in another form.

    Attributes:
        styles: the forms to show labels in.
        aliases: other words for labels: variant *i* shows every label's *i*-th.
        samples: how many forms for each case.
    """

    styles: Items[Annotated[LabelStyle, BeforeValidator(as_text)]] = LABEL_STYLES
    aliases: dict[Label, Annotated[Items[Label], Field(min_length=1), AfterValidator(_check_forms)]] = Field(
        default_factory=dict
    )
    samples: Samples = 2


class IrrelevantContext(Compared):
    """Neutral sentences at sentence boundaries.

    Attributes:
        fragments: the sentences.
        insertions: how many are inserted.
        samples: how many candidates for each case.
    """

    fragments: Fragments = FRAGMENTS
    insertions: Annotated[Integer, Field(ge=1, le=10)] = 1
    samples: Samples = 2


class RepeatedContext(Compared):
    """One neutral sentence several times.

    Attributes:
        fragments: the sentences.
        repeats: how often one is inserted.
        samples: how many candidates for each case.
    """

    fragments: Fragments = FRAGMENTS
    repeats: Annotated[Integer, Field(ge=2, le=20)] = 3
    samples: Samples = 1


class Whitespace(Compared):
    """Doubled spaces, line breaks, tabs, blanks at the edges.

    Attributes:
        edits: how many places are edited.
        samples: how many candidates for each case.
    """

    edits: Annotated[Integer, Field(ge=1, le=20)] = 3
    samples: Samples = 2


class Paraphrase(Compared):
    """The input in other words.

    Attributes:
        source: who words it anew.
        samples: how many paraphrases for each case.
    """

    source: SourceField = Field(default_factory=IdentitySource)
    samples: FewSamples = 1


class Rewrite(Section):
    """A literal rewrite.

    Attributes:
        find: the text whose first occurrence is replaced.
        replace: what stands there then.
    """

    find: NonEmpty
    replace: Text


class Inversion(Compared):
    """A rewrite that turns the question round: the answer must swap.

    Attributes:
        rewrites: tried in order.
        samples: how many rewrites that apply are used for each case.
    """

    types: ClassVar[tuple[str, ...]] = ("noul",)

    rewrites: Annotated[Items[Rewrite], Field(min_length=1)]
    samples: FewSamples = 1


class Monotonic(Generated):
    """A number of the input raised: the expected level must not move against the direction.

    Attributes:
        field: the key of the number in an object input.
        direction: ``increasing``: a larger number must not lower the level; ``decreasing``: it must not raise it.
        deltas: what is added, one candidate each.
        max_level_decrease: how far the expected level may move against the direction, in levels.
    """

    types: ClassVar[tuple[str, ...]] = ("score",)

    field: NonEmpty
    direction: Annotated[Literal["increasing", "decreasing"], BeforeValidator(as_text)] = "increasing"
    deltas: Annotated[Items[Annotated[Number, Field(gt=0)]], Field(min_length=1)] = (1.0,)
    max_level_decrease: NonNegative = 0.0


class VariantsProperty(Property, DistributionLimits):
    """The manifest's own valid variants, each paired with its base.

    A pair is a violation when the base is right and the variant wrong, or when an ``invariant`` pair breaks a
    distribution limit. ``max_violation_rate`` is over the pairs whose base is right (and, with distribution limits,
    all ``invariant`` pairs), ``max_flip_rate`` over ``invariant`` pairs.

    Attributes:
        min_variant_accuracy: the share of variants that must be answered right.
        max_agreed_error_rate: the share of pairs that may look right by their relation while both answers are wrong.
    """

    min_variant_accuracy: OrNull[Share] = None
    max_agreed_error_rate: OrNull[Share] = None


class Properties(Section):
    """The properties that are checked.

    Attributes:
        option_order: the options in another order; choice and noul.
        label_format: the labels in another form.
        irrelevant_context: neutral sentences inserted.
        repeated_context: one neutral sentence inserted several times.
        whitespace: other white space.
        paraphrase: other words.
        inversion: the question turned round; noul.
        monotonic: a number raised; score.
        variants: the manifest's own valid variants.
    """

    option_order: OrNull[OptionOrder] = None
    label_format: OrNull[LabelFormat] = None
    irrelevant_context: OrNull[IrrelevantContext] = None
    repeated_context: OrNull[RepeatedContext] = None
    whitespace: OrNull[Whitespace] = None
    paraphrase: OrNull[Paraphrase] = None
    inversion: OrNull[Inversion] = None
    monotonic: OrNull[Monotonic] = None
    variants: Annotated[OrNull[VariantsProperty], SINCE_1] = None

    def configured(self) -> dict[str, Property]:
        """The properties that the contract has, by name, in a fixed order."""
        found = ((name, getattr(self, name)) for name in type(self).model_fields)
        return {name: settings for name, settings in found if settings is not None}

    def enabled(self) -> dict[str, Property]:
        """Those that are not turned off."""
        return {name: settings for name, settings in self.configured().items() if settings.enabled}
