"""The Decision Contract: what is decided, by which backend, on which cases, and within which limits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from robust.canon import JsonObject, digest_value, is_digest
from robust.records.backend_config import BackendConfig
from robust.records.base import Record
from robust.records.decision import distribution_problem
from robust.records.properties import Properties
from robust.records.request import DecisionType, ShownDecision
from robust.records.scalars import (
    Integer,
    MisfitError,
    Number,
    OptionalLabels,
    OptionalShare,
    OptionalText,
    Text,
    as_label,
    as_text,
    is_null,
    none_or,
)

SCHEMA: Final = "robust.contract/1"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
_LABEL_FIELD: Final[dict[str, str]] = {"choice": "options", "noul": "labels", "score": "levels"}
_NEEDS_THRESHOLD: Final = ("min_coverage", "min_selective_accuracy", "max_abstention_rate")
_NEW_IN_SCHEMA_1: Final = ("manifest", "split", "manifest_digest")


class DecisionSpec(Record):
    """A typed question with a fixed set of labels.

    Attributes:
        name: letters, digits, ``_``, ``.`` and ``-``.
        type: ``choice`` (unordered ``options``), ``noul`` (two ``labels``, positive first) or ``score`` (``levels``,
            lowest first).
        description: the question in words.
    """

    name: Text
    type: Annotated[DecisionType, BeforeValidator(as_text)]
    description: OptionalText = None
    options: OptionalLabels = None
    labels: OptionalLabels = None
    levels: OptionalLabels = None

    @model_validator(mode="before")
    @classmethod
    def _default_labels(cls, data: Any) -> Any:
        if isinstance(data, dict) and data.get("type") == "noul" and is_null(data.get("labels")):
            return {**data, "labels": ["yes", "no"]}
        return data

    @model_validator(mode="after")
    def _labels_fit_the_type(self) -> Self:
        if not _NAME.match(self.name):
            raise ValueError(f"the name {self.name!r} must start with a letter or digit and hold only those, _ . and -")
        own = _LABEL_FIELD[self.type]
        foreign = [name for name in _LABEL_FIELD.values() if name != own and getattr(self, name) is not None]
        if foreign:
            raise ValueError(f"a {self.type} decision has {own}, not {', '.join(foreign)}")
        labels = getattr(self, own)
        if labels is None:
            raise ValueError(f"a {self.type} decision needs {own}")
        if self.type == "noul" and len(labels) != 2:
            raise ValueError(f"a noul decision has exactly 2 labels, not {len(labels)}")
        if len(labels) < 2:
            raise ValueError(f"{own} needs at least 2 labels")
        for label in labels:
            if not label or label != label.strip():
                raise ValueError(f"the label {label!r} is empty or has surrounding space")
            if not label.isprintable():
                raise ValueError(f"the label {label!r} holds a character that cannot be shown")
        repeated = sorted({label for label in labels if labels.count(label) > 1})
        if repeated:
            raise ValueError(f"the label {repeated[0]!r} stands twice in {own}")
        return self

    @property
    def label_order(self) -> tuple[str, ...]:
        """The labels in the contract's order, whatever the type calls them."""
        labels: tuple[str, ...] = getattr(self, _LABEL_FIELD[self.type])
        return labels

    def shown(self) -> ShownDecision:
        """The decision as it is presented without any transformation."""
        return ShownDecision(name=self.name, type=self.type, labels=self.label_order, description=self.description)


class Evaluation(Record):
    """Settings of the evaluation."""

    confidence_threshold: OptionalShare = None
    calibration_bins: Annotated[Integer, Field(ge=1, le=1000)] = 10
    probability_tolerance: Annotated[Number, Field(gt=0, le=0.1)] = 0.001
    max_concurrency: Annotated[Integer, Field(ge=1, le=256)] = 4


class Gates(Record):
    """Golden gates: each holds when its metric is on the right side of the limit, the limit itself included."""

    min_accuracy: OptionalShare = None
    min_macro_f1: OptionalShare = None
    min_coverage: OptionalShare = None
    min_selective_accuracy: OptionalShare = None
    max_abstention_rate: OptionalShare = None
    max_error_rate: OptionalShare = None

    def limits(self) -> dict[str, float]:
        """The gates that are set, by name, in a fixed order."""
        return {name: value for name, value in self if value is not None}


def _expand_provider(value: object) -> object:
    """``backend: mock`` is short for ``backend: {provider: mock}``."""
    return {"provider": value} if isinstance(value, str) else value


class Contract(Record):
    """A whole contract, as normalised: every default is filled in."""

    schema_version: Annotated[Literal["0.1", "1"], BeforeValidator(as_label)]
    decision: DecisionSpec
    backend: Annotated[BackendConfig, BeforeValidator(_expand_provider)]
    dataset: OptionalText = None
    manifest: OptionalText = None
    split: OptionalText = None
    manifest_digest: Annotated[str | None, BeforeValidator(none_or(as_text))] = None
    evaluation: Evaluation = Evaluation()
    requirements: Gates = Gates()
    warnings: Gates = Gates()
    properties: Properties = Properties()

    @model_validator(mode="after")
    def _sections_fit(self) -> Self:
        misfits = [*self._newer_sections(), *self._source_misfits(), *self._setting_misfits()]
        if misfits:
            raise MisfitError(misfits)
        return self

    def _newer_sections(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """What the published schema 0.1 does not have, by its place."""
        if self.schema_version == "0.1":
            for name in _NEW_IN_SCHEMA_1:
                if getattr(self, name) is not None:
                    yield (name,), 'needs schema_version: "1"'
            if self.properties.variants is not None:
                yield ("properties", "variants"), 'needs schema_version: "1"'

    def _source_misfits(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """What of dataset, manifest, split and pin does not fit together, by its place."""
        if self.dataset is not None:
            for name in ("manifest", "split"):
                if getattr(self, name) is not None:
                    yield (name,), f"dataset and {name} exclude each other; keep one"
        if self.manifest_digest is not None:
            if self.manifest is None:
                yield ("manifest_digest",), "pins a manifest; name the manifest, or remove the pin"
            if not is_digest(self.manifest_digest):
                yield ("manifest_digest",), f"must be sha256: and 64 hex digits, not {self.manifest_digest!r}"

    def _setting_misfits(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """What of gates and configured answers does not fit the rest, by its place."""
        if self.evaluation.confidence_threshold is None:
            for section, name in product(("requirements", "warnings"), _NEEDS_THRESHOLD):
                if getattr(getattr(self, section), name) is not None:
                    yield (section, name), "needs evaluation.confidence_threshold"
        answers: list[tuple[tuple[str | int, ...], dict[str, float]]] = [
            (("backend", "rules", index, "probabilities"), rule.probabilities)
            for index, rule in enumerate(self.backend.rules)
        ]
        if self.backend.default is not None:
            answers.append((("backend", "default"), self.backend.default))
        for place, answer in answers:
            tolerance = self.evaluation.probability_tolerance
            problem = distribution_problem(answer, self.decision.label_order, tolerance)
            if problem is not None:
                yield place, problem

    def normalised(self) -> JsonObject:
        """The contract as plain data with defaults filled in; sections that are absent stay absent."""
        data: JsonObject = self.model_dump(mode="json", exclude_none=True)
        return data

    @property
    def digest(self) -> str:
        """The contract's identity: formatting, comments and key order do not change it, any change of meaning does."""
        return digest_value({"schema": SCHEMA, "contract": self.normalised()})
