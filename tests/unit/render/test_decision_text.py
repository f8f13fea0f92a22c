"""A routed decision as text."""

from __future__ import annotations

from typing import Any

from robust.render.decision import decision_text


def _decision(**fields: Any) -> dict[str, Any]:
    result = {
        "decision": "triage",
        "labels": ["refund", "repair"],
        "probabilities": {"refund": 0.25, "repair": 0.75},
        "selected": "repair",
        "confidence": 0.75,
        "backend": "default",
        "provider": "mock",
        "model": "m",
    }
    routed = {"action": "accept", "fallback_backend": None, "route": 0, "confidence_gte": 0.5}
    own = {name: fields.pop(name) for name in tuple(fields) if name in routed}
    return {**routed, **own, "result": {**result, **fields}}


def test_the_action_comes_first_and_the_labels_in_their_order() -> None:
    """The route counts from 1, as people do."""
    assert decision_text(_decision()).splitlines() == [
        "accept  triage: repair",
        "  confidence 0.75, route 1, from 0.5 up",
        "  by m (mock)",
        "  refund  0.25",
        "  repair  0.75",
    ]


def test_a_fallback_says_to_whom_and_the_last_route_that_it_always_applies() -> None:
    """A backend without a known model is named itself."""
    lines = decision_text(
        _decision(action="fallback", fallback_backend="large", route=2, confidence_gte=None, model=None)
    ).splitlines()
    assert lines[0] == "fallback to large  triage: repair"
    assert lines[1] == "  confidence 0.75, route 3, which always applies"
    assert lines[2] == "  by default (mock)"


def test_nothing_of_a_model_reaches_the_terminal_as_a_command() -> None:
    """Names are escaped, and lines are cut at 80 columns."""
    text = decision_text(_decision(model="m\x1b[2J\u202e", provider="p" * 200, selected="x" * 200))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert all(len(line) <= 80 for line in text.splitlines())
