"""What the codes of a report mean, in words, and its numbers in few characters."""

from __future__ import annotations

from typing import Final

from robust.canon import JsonObject
from robust.records.decision import LIMIT_SLACK
from robust.render.progress import count_text

# By reason of a skipped case.
SKIPPED: Final = {
    "no_text": "no text to edit",
    "blank_text": "a blank text",
    "no_white_space": "no white space between words",
    "nothing_changes": "nothing would change",
    "no_other_form": "no other form of the labels",
    "no_rewrite_matches": "no rewrite applies",
    "no_number": "no number to raise",
    "no_paraphrase": "no paraphrase",
}
# By code of a validation that is not valid.
REFUSED: Final = {
    "validator_error": "the oracle raised an error",
    "validator_timeout": "the oracle took too long",
    "validator_mutated_input": "the oracle changed what it was given",
    "verdict_malformed": "the verdict has a wrong form",
    "reason_missing": "the verdict gives no reason",
    "evidence_missing": "the verdict gives no evidence",
    "evidence_malformed": "the evidence has a wrong form",
    "validator_flaky": "asked again, the oracle said otherwise",
    "unreviewed": "the oracle could not decide",
    "answer_missing": "the oracle derived no answer",
    "rejected": "the oracle says the relation does not hold",
    "unchanged_input": "nothing was changed",
    "base_label_conflict": "the oracle derives another base answer",
    "candidate_label_conflict": "the oracle derives another variant answer",
    "relation_contradicted": "derived answers contradict the relation",
}
# What a changed label is by the relation that was claimed.
FLIPPED: Final = {
    "invariant": "another label",
    "counterfactual": "the label did not swap",
    "increasing": "a lower level",
    "decreasing": "a higher level",
}
_MILLION: Final = 10**6
_LEAST_SHARE: Final = 0.001


def few(count: int) -> str:
    """A count in at most six characters: exact below a million, then 1.2M, cut and never rounded up."""
    return str(count) if count < _MILLION else count_text(count)


def percent(share: float | None) -> str:
    """A share in at most five characters: 0% only of none, 100% only of all, a dash where it is not known."""
    if share is None:
        return "-"
    if share in (0, 1):
        return f"{100 * share:.0f}%"
    return "<0.1%" if share < _LEAST_SHARE else f"{min(100 * share, 99.9):.1f}%"


def distance_text(distance: float | None) -> str:
    """A distance from 0 to 1 in at most six characters; one that is only close to an end is not shown as it."""
    if distance is None:
        return "-"
    text = f"{distance:.4f}".rstrip("0").rstrip(".")
    if "." in text or abs(distance - round(distance)) <= LIMIT_SLACK:
        return text
    return f"{distance:.0e}" if distance < 1 / 2 else "0.9999" if distance < 1 else "1.0001"


def in_contract_order(report: JsonObject) -> list[str]:
    """The names of a report's properties in the order of its checks, which is the contract's."""
    names = dict.fromkeys(check["check"].rpartition(".")[0] for check in report["checks"])
    properties = report["properties"]
    return [*(name for name in names if name in properties), *(name for name in properties if name not in names)]


def why_allowed(report: JsonObject, name: str) -> str:
    """Why failing pairs of a property whose checks hold do not fail the run."""
    noise = any(check["noise"] for check in report["checks"] if check["check"].startswith(f"{name}."))
    return "which may be the model's own noise" if noise else "within the limits of the contract"
