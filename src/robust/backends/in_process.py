"""What identifies the answers of a model in this very process."""

from __future__ import annotations

from robust.canon import JsonObject
from robust.records.request import DecisionRequest


def sent_in_process(identity: JsonObject, request: DecisionRequest) -> JsonObject | None:
    """Everything that a model in this process is handed, and who it is; None without a declared version.

    A function can change from one day to the next without changing its name, so only a version that somebody declared
    says that it answers as it did before. The trial is no part of it: whoever keeps answers adds it.

    Args:
        identity: a :class:`BackendIdentity` as JSON.
        request: the request, whose input is not copied.
    """
    if identity["model_version"] is None:
        return None
    decision = request.decision
    return {
        "identity": identity,
        "case_id": request.case_id,
        "decision": {
            "name": decision.name,
            "type": decision.type,
            "labels": list(decision.labels),
            "description": decision.description,
        },
        "input": request.input,
        "media": [item.to_json() for item in request.media],
    }
