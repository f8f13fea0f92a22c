"""What the sections of a contract ask of each other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Final

from robust.canon import is_digest
from robust.records.backend_config import BackendConfig, MockConfig, OpenAIConfig, SystemOneConfig
from robust.records.connection import DecisionService
from robust.records.decision import distribution_problem
from robust.records.gates import NEED_THRESHOLD, SCORE_ONLY, WITHOUT_INTERVAL
from robust.records.label_styles import alias_forms, collision, styled
from robust.records.paraphrase_source import IdentitySource
from robust.records.production import WITHOUT_INTERVAL as PRODUCTION_WITHOUT_INTERVAL
from robust.records.properties import Properties, Property
from robust.records.section import Misfit, Place, Rule, suggestion

if TYPE_CHECKING:
    from robust.records.contract import Contract

_GOLDEN: Final = ("requirements", "warnings")
_PRODUCTION: Final = ("requirements", "warnings", "segment_requirements", "segment_warnings")
_THRESHOLD: Final = "needs evaluation.confidence_threshold"
_NO_BOUND: Final = ("has no interval, so it cannot be judged by its bound", "remove it, or set judge: point")


def _newer_settings(contract: Contract) -> Iterator[Misfit]:
    """What the published schema 0.1 does not have."""
    version = contract.schema_version
    for place, section in contract.sections():
        for name in type(section).model_fields:
            since = type(section).since(name)
            if since is not None and since > version and name in section.model_fields_set and name in section.__dict__:
                yield Misfit((*place, name), f'needs schema_version: "{since}"')


def _one_source(contract: Contract, name: str) -> Iterator[Misfit]:
    if contract.dataset is not None and getattr(contract, name) is not None:
        yield Misfit((name,), f"dataset and {name} exclude each other", "keep one")


def _pin(contract: Contract) -> Iterator[Misfit]:
    pin = contract.manifest_digest
    if pin is not None and not is_digest(pin):
        yield Misfit(("manifest_digest",), f"must be sha256: and 64 hex digits, not {pin[:80]!r}")
    if pin is not None and contract.manifest is None:
        yield Misfit(("manifest_digest",), "pins a manifest", "name the manifest, or remove the pin")


def _variants_have_a_manifest(contract: Contract) -> Iterator[Misfit]:
    variants = contract.properties.variants
    if variants is not None and variants.enabled and contract.dataset is not None:
        yield Misfit(("properties", "variants"), "needs a manifest; a data set has no variants")


def _gate_needs(section: str, gate: str, contract: Contract) -> Iterator[Misfit]:
    """What one golden gate needs of the rest."""
    if getattr(getattr(contract, section), gate) is None:
        return
    place = (section, gate)
    if gate in NEED_THRESHOLD and contract.evaluation.confidence_threshold is None:
        yield Misfit(place, _THRESHOLD)
    if gate in SCORE_ONLY and contract.decision.type != "score":
        yield Misfit(place, f"needs a score decision; a {contract.decision.type} has no distances between labels")
    if gate in WITHOUT_INTERVAL and contract.statistics.judge == "bound":
        yield Misfit(place, *_NO_BOUND)


def _production_gate_needs(section: str, contract: Contract) -> Iterator[Misfit]:
    gates = getattr(contract.production, section)
    if gates.min_threshold_coverage is not None and contract.evaluation.confidence_threshold is None:
        yield Misfit(("production", section, "min_threshold_coverage"), _THRESHOLD)
    if contract.statistics.judge == "bound":
        for gate in PRODUCTION_WITHOUT_INTERVAL:
            if getattr(gates, gate, None) is not None:
                yield Misfit(("production", section, gate), *_NO_BOUND)


def _property_fits_the_decision(name: str, contract: Contract) -> Iterator[Misfit]:
    settings: Property | None = getattr(contract.properties, name)
    kind = contract.decision.type
    if settings is not None and settings.enabled and kind not in settings.types:
        yield Misfit(
            ("properties", name), f"is a property of {' and '.join(settings.types)} decisions, not of a {kind}"
        )


def _property_has_an_oracle(name: str, contract: Contract) -> Iterator[Misfit]:
    settings = getattr(contract.properties, name)
    if settings is None or not settings.enabled or name == "variants" or contract.oracles.policy != "required":
        return
    if name == "paraphrase" and isinstance(settings.source, IdentitySource):
        return  # the same input again is no candidate
    if settings.oracle is None and contract.oracles.default is None:
        hint = "name one here or as oracles.default, or set oracles.policy: assumed"
        yield Misfit(("properties", name), "has no oracle, and oracles.policy is required", hint)


def _property_trials(name: str, contract: Contract) -> Iterator[Misfit]:
    settings: Property | None = getattr(contract.properties, name)
    if settings is not None and settings.trials > 1 and contract.noise.baseline_runs == 1:
        yield Misfit(("properties", name, "trials"), "needs noise.baseline_runs above 1, to compare with")


def _aliases_are_of_labels(contract: Contract) -> Iterator[Misfit]:
    settings = contract.properties.label_format
    labels = dict.fromkeys(contract.decision.label_order)
    for label in settings.aliases if settings is not None else ():
        if label not in labels:
            place = ("properties", "label_format", "aliases", label)
            yield Misfit(place, f"{label!r} is no label of the decision", suggestion(label, labels, "labels are"))


def _shown_labels_differ(contract: Contract) -> Iterator[Misfit]:
    settings = contract.properties.label_format
    if settings is None or not settings.enabled:
        return
    labels = contract.decision.label_order
    place = ("properties", "label_format")
    for style in settings.styles:
        alike = collision(labels, [styled(label, style, index) for index, label in enumerate(labels)])
        if alike:
            message = f"the labels {alike[0]!r} and {alike[1]!r} become equal under {style!r}"
            yield Misfit((*place, "styles"), message, "leave that style out")
    for number, shown in enumerate(alias_forms(labels, settings.aliases)):
        alike = collision(labels, shown)
        if alike:
            message = f"the labels {alike[0]!r} and {alike[1]!r} become equal under their aliases number {number + 1}"
            yield Misfit((*place, "aliases"), message)


def _default_is_reserved(contract: Contract) -> Iterator[Misfit]:
    if "default" in contract.backends:
        yield Misfit(("backends", "default"), "the name default is reserved for the section backend")


def _backends(contract: Contract) -> Iterator[tuple[Place, BackendConfig]]:
    if "backend" in contract.__dict__:
        yield ("backend",), contract.backend
    for name, config in contract.backends.items():
        yield ("backends", name), config


def _configured_answers(contract: Contract) -> Iterator[Misfit]:
    """Answers of a mock are distributions over the labels."""
    labels, tolerance = contract.decision.label_order, contract.evaluation.probability_tolerance
    for place, config in _backends(contract):
        if not isinstance(config, MockConfig):
            continue
        answers: list[tuple[Place, dict[str, float]]] = [
            (("rules", index, "probabilities"), rule.probabilities) for index, rule in enumerate(config.rules)
        ]
        if config.default is not None:
            answers.append((("default",), config.default))
        for inner, answer in answers:
            problem = distribution_problem(answer, labels, tolerance)
            if problem is not None:
                yield Misfit((*place, *inner), problem)


def _label_maps(contract: Contract) -> Iterator[Misfit]:
    """They lead to labels, and leave every label a name of its own."""
    labels = contract.decision.label_order
    for place, config in _backends(contract):
        if not isinstance(config, DecisionService) or not config.label_map:
            continue
        if isinstance(config, SystemOneConfig) and contract.decision.type == "noul":
            yield Misfit((*place, "label_map"), "a noul decision sends no labels to a systemone service")
        known = frozenset(labels)
        for theirs, label in config.label_map.items():
            if label not in known:
                hint = "it leads from the service's name to the contract's label: "
                hint += suggestion(label, labels, "labels are")
                yield Misfit((*place, "label_map", theirs), f"{label!r} is no label of the decision", hint)
        sent = config.wire_labels
        alike = collision(labels, [sent.get(label, label) for label in labels])
        if alike:
            yield Misfit((*place, "label_map"), f"{alike[0]!r} and {alike[1]!r} would be sent under one name")


def _questions(contract: Contract) -> Iterator[Misfit]:
    for place, config in _backends(contract):
        if isinstance(config, SystemOneConfig | OpenAIConfig):
            question = config.instructions or contract.decision.description
            if question is None or not question.strip():
                yield Misfit(place, "has no question to ask", "set instructions here, or decision.description")


def _routes_lead_to_backends(contract: Contract) -> Iterator[Misfit]:
    names = tuple(dict.fromkeys(("default", *contract.backends)))
    for index, route in enumerate(contract.policy.routes if contract.policy is not None else ()):
        if route.backend is not None and route.backend not in names:
            hint = suggestion(route.backend, names, "the contract has")
            yield Misfit(("policy", "routes", index, "backend"), f"there is no backend {route.backend!r}", hint)


_PROPERTY_RULES: Final = (_property_fits_the_decision, _property_has_an_oracle, _property_trials)
RULES: Final[tuple[Rule, ...]] = (
    _newer_settings,
    *(partial(_one_source, name=name) for name in ("manifest", "split")),
    _pin,
    _variants_have_a_manifest,
    *(
        partial(_gate_needs, section, gate)
        for section, gate in product(_GOLDEN, (*NEED_THRESHOLD, *SCORE_ONLY, *WITHOUT_INTERVAL))
    ),
    *(partial(_production_gate_needs, section) for section in _PRODUCTION),
    *(partial(rule, name) for name, rule in product(Properties.model_fields, _PROPERTY_RULES)),
    _aliases_are_of_labels,
    _shown_labels_differ,
    _default_is_reserved,
    _configured_answers,
    _label_maps,
    _questions,
    _routes_lead_to_backends,
)
