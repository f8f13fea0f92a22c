"""Every range of a contract: its edges are allowed, what lies beyond is refused with its path."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from robust.errors import ContractError
from robust.store.contracts import read_contract

CHAT = {"provider": "openai", "url": "http://h", "model": "m", "instructions": "Is it?"}
HTTP = {"provider": "http", "url": "http://h"}
SAMPLES = {"provider": "openai", "url": "http://h", "model": "m", "instructions": "Is it?", "method": "samples"}


class Range(NamedTuple):
    """A setting, both edges of its range (None: no end), and what has to stand beside it."""

    path: str
    low: float | None
    high: float | None
    beside: dict[str, Any] = {}  # noqa: RUF012 - never changed
    step: float = 1
    open_low: bool = False
    open_high: bool = False


def shares(*paths: str, beside: dict[str, Any] | None = None) -> list[Range]:
    return [Range(path, 0, 1, beside or {}, step=0.001) for path in paths]


LIMIT = {"max_flip_rate": 0}
PROPERTY_SHARES = [
    f"properties.whitespace.{name}"
    for name in (
        *("max_violation_rate", "max_tv_distance", "max_js_divergence", "max_abs_delta", "max_confidence_delta"),
        *("max_group_violation_rate", "min_valid_rate", "max_unknown_rate"),
    )
]
REGRESSION_SHARES = [
    f"regression.{name}"
    for name in (
        *("max_answer_flip_rate", "max_accuracy_drop", "max_macro_f1_drop", "max_ece_increase", "max_mean_tv_distance"),
        *("max_mean_confidence_shift", "max_error_rate_increase"),
    )
]
PRODUCTION_SHARES = [
    f"production.{section}.{name}"
    for section in ("requirements", "segment_warnings")
    for name in ("min_accuracy", "max_error_rate", "max_ece", "max_abstention_rate", "max_fallback_rate")
]
RANGES = [
    *shares("evaluation.confidence_threshold", "backend.position_bias", "backend.noise"),
    *shares(*(f"requirements.{name}" for name in ("min_accuracy", "min_macro_f1", "max_error_rate", "max_ece"))),
    *shares(*PROPERTY_SHARES, beside=LIMIT),
    *shares("properties.whitespace.max_flip_rate"),
    *shares(*REGRESSION_SHARES, *PRODUCTION_SHARES),
    *shares("properties.variants.min_variant_accuracy", "properties.variants.max_agreed_error_rate"),
    *shares("production.requirements.max_confidence_tv_distance", "production.warnings.max_accuracy_drop"),
    *shares("backend.min_label_mass", beside=CHAT),
    Range("evaluation.calibration_bins", 1, 1000),
    Range("evaluation.max_concurrency", 1, 256),
    Range("evaluation.probability_tolerance", 0, 0.1, step=1e-6, open_low=True),
    Range("requirements.max_brier", 0, 2, step=0.001),
    Range("requirements.max_nll", 0, None, step=0.001),
    Range("warnings.max_latency_p95_ms", 0, None),
    Range("backend.seed", -(2**53) + 1, 2**53 - 1),
    Range("backend.timeout_s", 0, 600, HTTP, step=0.001, open_low=True),
    Range("backend.max_retries", 0, 5, HTTP),
    Range("backend.retry_backoff_s", 0, 60, HTTP, step=0.001),
    Range("backend.max_response_bytes", 1, 2**30, HTTP),
    Range("backend.n_samples", 1, 1000, SAMPLES),
    Range("backend.temperature", 0, 2, CHAT, step=0.001),
    Range("backend.max_tokens", 1, 100_000, CHAT),
    Range("properties.option_order.samples", 1, 100, LIMIT),
    Range("properties.option_order.trials", 1, 100, LIMIT),
    Range("properties.label_format.samples", 1, 100, LIMIT),
    Range("properties.irrelevant_context.samples", 1, 100, LIMIT),
    Range("properties.irrelevant_context.insertions", 1, 10, LIMIT),
    Range("properties.repeated_context.samples", 1, 100, LIMIT),
    Range("properties.repeated_context.repeats", 2, 20, LIMIT),
    Range("properties.whitespace.samples", 1, 100, LIMIT),
    Range("properties.whitespace.edits", 1, 20, LIMIT),
    Range("properties.paraphrase.samples", 1, 20, LIMIT),
    Range("properties.inversion.samples", 1, 20, {**LIMIT, "rewrites": [{"find": "a", "replace": "b"}]}),
    Range("fuzz.seed", -(2**53) + 1, 2**53 - 1),
    Range("fuzz.max_minimize_calls", 0, 1000),
    Range("statistics.confidence", 0.5, 1, step=0.001, open_high=True),
    Range("noise.baseline_runs", 1, 100),
    Range("noise.alpha", 0, 1, step=0.001, open_low=True, open_high=True),
    Range("budget.max_calls", 1, None),
    Range("budget.max_tokens", 1, None),
    Range("budget.max_cost", 0, None, step=0.001, open_low=True),
    Range("regression.min_segment_size", 1, None),
    Range("regression.max_brier_increase", 0, 2, step=0.001),
    Range("regression.max_nll_increase", 0, None, step=0.001),
    Range("regression.max_latency_p95_increase_ms", 0, None),
    Range("production.requirements.max_brier", 0, 2, step=0.001),
    Range("production.requirements.max_nll", 0, None, step=0.001),
]
IDS = [each.path for each in RANGES]


def contract(setting: Range, value: Any) -> dict[str, Any]:
    """A contract in which just this setting, and what has to stand beside it, is said."""
    data: dict[str, Any] = {
        "schema_version": "1",
        "decision": {"name": "q", "type": "noul"},
        "backend": {"provider": "mock"},
        "oracles": {"policy": "assumed"},
        "noise": {"baseline_runs": 2},
    }
    *around, name = setting.path.split(".")
    place = data
    for part in around:
        place = place.setdefault(part, {})
    place.update({**setting.beside, name: value})
    return data


def problems(setting: Range, value: Any) -> list[tuple[str, str | None]]:
    try:
        read_contract(contract(setting, value))
    except ContractError as error:
        return [(problem.code, problem.path) for problem in error.problems]
    return []


@pytest.mark.parametrize("setting", RANGES, ids=IDS)
def test_the_edges_are_inside_and_what_lies_beyond_is_refused(setting: Range) -> None:
    """One step beyond each edge; an open end is itself outside."""
    refused = [("wrong_value", setting.path)]
    for edge, outwards, is_open in ((setting.low, -1, setting.open_low), (setting.high, 1, setting.open_high)):
        if edge is not None:
            assert problems(setting, edge) == (refused if is_open else [])
            assert problems(setting, edge - outwards * setting.step) == []
            assert problems(setting, edge + outwards * setting.step) == refused


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), 10**400, "0.5", True, [0.5], {}, b"1"])
@pytest.mark.parametrize("setting", RANGES, ids=IDS)
def test_what_is_no_number_is_refused(setting: Range, value: Any) -> None:
    """Not a number, beyond all numbers, text, a flag, a list, a mapping, bytes."""
    assert problems(setting, value) == [("wrong_value", setting.path)]
