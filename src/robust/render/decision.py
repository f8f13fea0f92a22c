"""A routed decision as plain text."""

from __future__ import annotations

from robust.canon import JsonObject
from robust.render.plain import number_text, safe, shorten, table

_WIDTH = 80
_LABEL_WIDTH = 50


def decision_text(decision: JsonObject) -> str:
    """The action first, then the route, the model, and the probability of every label.

    Args:
        decision: a :class:`RoutedDecision` as JSON.
    """
    result = decision["result"]
    target = decision["fallback_backend"]
    action = decision["action"] if target is None else f"{decision['action']} to {safe(target)}"
    model = safe(str(result["model"] or result["backend"]))
    return "\n".join(
        [
            shorten(f"{action}  {result['decision']}: {safe(result['selected'])}", _WIDTH),
            f"  confidence {number_text(result['confidence'])}, {_route_text(decision)}",
            shorten(f"  by {model} ({safe(result['provider'])})", _WIDTH),
            *table(
                [
                    [shorten(safe(label), _LABEL_WIDTH), number_text(result["probabilities"][label])]
                    for label in result["labels"]
                ],
                right=(1,),
            ),
        ]
    )


def _route_text(decision: JsonObject) -> str:
    limit = decision["confidence_gte"]
    condition = "which always applies" if limit is None else f"from {number_text(limit)} up"
    return f"route {decision['route'] + 1}, {condition}"
