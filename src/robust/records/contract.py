"""The Decision Contract: what is decided, by which backend, on which cases, and within which limits."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BeforeValidator, Field

from robust.canon import JsonObject, digest_value
from robust.errors import ContractError
from robust.records.backend_config import BackendConfig, BackendField
from robust.records.contract_rules import RULES
from robust.records.decision_spec import DecisionSpec
from robust.records.gates import Evaluation, Gates
from robust.records.oracle_config import Oracles
from robust.records.policy import Policy
from robust.records.production import Production
from robust.records.properties import Properties
from robust.records.providers import Name
from robust.records.regression import Regression
from robust.records.scalars import OrNull, Text, as_label
from robust.records.section import SINCE_1, Rule, Section, normalised, suggestion
from robust.records.sections import Budget, Fuzz, Noise, Statistics

SCHEMA: Final = "robust.contract/1"
DEFAULT_BACKEND: Final = "default"


def _default_oracles(data: dict[str, Any]) -> Oracles:
    # Contracts of the published schema 0.1 are scored on their author's word, as they always were.
    return Oracles(policy="assumed" if data.get("schema_version") == "0.1" else "required")


class Contract(Section):
    """A whole contract, as normalised: every default is filled in.

    Attributes:
        schema_version: ``"1"``, or ``"0.1"`` for the published DecGuard 0.1 format.
        decision: the question.
        backend: who answers.
        backends: named alternatives.
        dataset: a data set of cases with known answers, relative to the contract.
        manifest: a frozen manifest instead of a data set, relative to the contract.
        split: the split of the manifest to run.
        manifest_digest: the digest that the manifest must have.
        evaluation: settings of the evaluation.
        requirements: golden gates that fail a run.
        warnings: golden gates that only warn.
        properties: the metamorphic properties.
        fuzz: how their candidates are made.
        oracles: who judges their candidates.
        statistics: how metrics are judged.
        noise: how a model's own noise is told from a finding.
        budget: what a run may spend.
        regression: limits of ``robust diff``.
        production: gates of ``robust check``.
        policy: routes of ``robust decide`` and ``Guard``.
    """

    combinations: ClassVar[tuple[Rule, ...]] = RULES

    schema_version: Annotated[Literal["0.1", "1"], BeforeValidator(as_label)]
    decision: DecisionSpec
    backend: BackendField
    backends: dict[Name, BackendField] = Field(
        default_factory=dict, json_schema_extra={"propertyNames": {"not": {"const": DEFAULT_BACKEND}}}
    )
    dataset: OrNull[Text] = None
    manifest: Annotated[OrNull[Text], SINCE_1] = None
    split: Annotated[OrNull[Text], SINCE_1] = None
    manifest_digest: Annotated[OrNull[Text], SINCE_1] = None
    evaluation: Evaluation = Field(default_factory=Evaluation)
    requirements: Gates = Field(default_factory=Gates)
    warnings: Gates = Field(default_factory=Gates)
    properties: Properties = Field(default_factory=Properties)
    fuzz: Fuzz = Field(default_factory=Fuzz)
    oracles: Annotated[Oracles, SINCE_1] = Field(default_factory=_default_oracles)
    statistics: Annotated[Statistics, SINCE_1] = Field(default_factory=Statistics)
    noise: Annotated[Noise, SINCE_1] = Field(default_factory=Noise)
    budget: Annotated[Budget, SINCE_1] = Field(default_factory=Budget)
    regression: Regression = Field(default_factory=Regression)
    production: Production = Field(default_factory=Production)
    policy: OrNull[Policy] = None

    def normalised(self) -> JsonObject:
        """The contract as plain data with defaults filled in; sections that are absent stay absent."""
        data = normalised(self, self.schema_version)
        assert isinstance(data, dict)  # noqa: S101 - a section is an object
        return data

    @property
    def digest(self) -> str:
        """The contract's identity: formatting, comments and key order do not change it, any change of meaning does."""
        return digest_value({"schema": SCHEMA, "contract": self.normalised()})

    def backend_names(self) -> tuple[str, ...]:
        """The names of its backends; the first is ``default``."""
        return (DEFAULT_BACKEND, *self.backends)

    def backend_config(self, name: str | None = None) -> BackendConfig:
        """The configuration of a backend.

        Raises:
            ContractError: the contract has none of that name.
        """
        if name is None or name == DEFAULT_BACKEND:
            return self.backend
        if name not in self.backends:
            hint = suggestion(name, self.backend_names(), "it has")
            raise ContractError.of(
                "unknown_backend", f"the contract has no backend {name!r}", path="backends", hint=hint
            )
        return self.backends[name]
