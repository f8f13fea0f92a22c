"""Whether an edited contract asks what a run asked, so that the stored answers can be judged by it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from robust.canon import JsonValue
from robust.records.contract import Contract
from robust.records.oracle_config import OracleConfig
from robust.records.properties import Property
from robust.records.report import differences
from robust.records.section import normalised
from robust.run.property_plan import oracle_of

# What decides how a property's pairs are judged; everything else decides what is asked.
_JUDGING: Final = frozenset(
    (
        *("enabled", "level", "oracle"),
        *("max_violation_rate", "max_flip_rate", "max_group_violation_rate", "min_valid_rate", "max_unknown_rate"),
        *("max_tv_distance", "max_js_divergence", "max_abs_delta", "max_confidence_delta", "max_level_decrease"),
        *("min_variant_accuracy", "max_agreed_error_rate"),
    )
)
# Every setting of both contracts is compared, whatever their schema versions have.
_WHOLE: Final = "1"


class Asked(NamedTuple):
    """What a run asked, beside its contract.

    Attributes:
        backend: the name of the backend.
        seed: the seed.
        manifest_digest: of the manifest, where it was one.
        split: of the manifest.
    """

    backend: str
    seed: int
    manifest_digest: str | None
    split: str | None


class Difference(NamedTuple):
    """A setting that decides what is asked: where it stands in the contract, and both values."""

    path: str
    ran: Any
    edited: Any


def other_questions(ran: Contract, edited: Contract, asked: Asked) -> Iterator[Difference]:
    """Where an edited contract asks other questions than a run did.

    Limits, gates, levels, statistics, ``noise.alpha``, budgets, policies and the like may differ.

    Args:
        ran: the contract that ran.
        edited: the edited one.
        asked: what was given to the run beside its contract.
    """
    yield from _compare("decision", ran.decision, edited.decision)
    yield from _backend(ran, edited, asked.backend)
    yield from _compare("evaluation.probability_tolerance", *_both(ran, edited, "evaluation", "probability_tolerance"))
    yield from _compare("noise.baseline_runs", *_both(ran, edited, "noise", "baseline_runs"))
    yield from _compare("fuzz.text_field", *_both(ran, edited, "fuzz", "text_field"))
    if edited.fuzz.seed not in (ran.fuzz.seed, asked.seed):
        yield Difference("fuzz.seed", asked.seed, edited.fuzz.seed)
    if edited.manifest_digest not in (None, ran.manifest_digest, asked.manifest_digest):
        yield Difference("manifest_digest", asked.manifest_digest, edited.manifest_digest)
    if edited.split not in (None, ran.split, asked.split):
        yield Difference("split", asked.split, edited.split)
    stored = ran.properties.enabled()
    for name, settings in edited.properties.enabled().items():
        if name in stored:
            path = f"properties.{name}"
            yield from _compare(path, _asking(stored[name]), _asking(settings))
            yield from _compare(f"{path}.oracle", _oracle(ran, name), _oracle(edited, name))


def _both(ran: Contract, edited: Contract, section: str, name: str) -> tuple[Any, Any]:
    return getattr(getattr(ran, section), name), getattr(getattr(edited, section), name)


def _backend(ran: Contract, edited: Contract, name: str) -> Iterator[Difference]:
    """The section of the backend that ran; the contract's first one where it came from Python."""
    name = name if name in ran.backend_names() else ran.backend_names()[0]
    path = "backend" if name == ran.backend_names()[0] else f"backends.{name}"
    found = edited.backend_config(name) if name in edited.backend_names() else None
    yield from _compare(path, ran.backend_config(name), found)


def _asking(settings: Property) -> dict[str, JsonValue]:
    """The settings of a property that decide what is asked."""
    return {name: normalised(value, _WHOLE) for name, value in settings if name not in _JUDGING}


def _oracle(contract: Contract, name: str) -> OracleConfig | None:
    """The oracle that judges a property's candidates, wherever it is named."""
    found = oracle_of(contract, name)
    return None if found is None else found[1]


def _compare(path: str, ran: Any, edited: Any) -> Iterator[Difference]:
    for place, stored, found in differences(normalised(ran, _WHOLE), normalised(edited, _WHOLE)):
        yield Difference(path + place.removeprefix("$"), stored, found)
