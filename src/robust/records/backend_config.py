"""The ``backend`` section of a contract."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from robust.records.base import Record
from robust.records.scalars import Integer, Label, OptionalText, Share, Text, as_text, as_tuple, none_or

Answer = dict[Label, Share]


def _as_mapping(value: object) -> object:
    # Keys are labels as written; the model's own key type reads them.
    return value


class MockRule(Record):
    """The answer to every input that contains a text, ignoring case and white space."""

    contains: Annotated[Text, Field(min_length=1)]
    probabilities: Answer


class BackendConfig(Record):
    """Which backend answers, and its settings.

    Attributes:
        provider: ``mock``, or ``callable`` for a backend that is handed over from Python.
        model: the model's name for the record.
        model_version: likewise.
        rules: mock: tried in order, the first that matches answers.
        default: mock: the answer when no rule matches; without it a hash of the input, seeded, decides.
        seed: mock: seed of that hash and of the noise.
        position_bias: mock: the share of probability that moves to the option shown first.
        noise: mock: the chance that a single call exchanges its two most probable labels.
    """

    provider: Annotated[Literal["mock", "callable"], BeforeValidator(as_text)]
    model: OptionalText = None
    model_version: OptionalText = None
    rules: Annotated[tuple[MockRule, ...], BeforeValidator(as_tuple)] = ()
    default: Annotated[Answer | None, BeforeValidator(none_or(_as_mapping))] = None
    seed: Integer = 0
    position_bias: Share = 0.0
    noise: Share = 0.0

    @model_validator(mode="after")
    def _settings_fit_the_provider(self) -> Self:
        # By value, not by presence: a contract as normalised, which runs keep, has every default filled in.
        own = {"provider", "model", "model_version"}
        fields = type(self).model_fields
        foreign = sorted(name for name, value in self if name not in own and value != fields[name].default)
        if self.provider == "callable" and foreign:
            raise ValueError(f"a callable backend has no setting {foreign[0]}")
        return self
