"""What the codes in the report of a relation check or population test mean, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from robust.canon import JsonObject
from robust.records.skip_reasons import SkipReason
from robust.render.plain import number_text, plural
from robust.render.report_words import REFUSED

VERDICTS: Final = {
    "holds": "holds",
    "violated": "VIOLATED",
    "inconclusive": "INCONCLUSIVE",
    "vacuous": "VACUOUS",
    "errored": "ERRORED",
}
# By reason of samples that were no trials.
SKIPPED: Final = {
    "unchanged": "left the input as it was",
    "repeated": "repeated an earlier sample",
    "not_applicable": "had nothing to change in the input",
    "invalid": "were refused by the oracle",
    "unknown": "could not be decided by the oracle",
}
# By what raised.
RAISED: Final = {
    "base": "the system raised on the input itself",
    "system": "the system raised",
    "transform": "the transform raised",
    "assertion": "the assertion raised",
    "oracle": "the oracle gave no answer",
    "confirmation": "a fresh run raised",
}
# By reason of a verdict.
REASONS: Final = {
    "errors": "something raised an error",
    "no_relations": "there are no relations",
    "no_samples": "no samples were asked for",
    "no_effective_trial": "no sample was a trial",
    "noise": "what contradicts may be the system's own noise",
    "noise_unknown": (
        "the assertion does not hold of two equal outputs, so that noise cannot be told; declare "
        "deterministic_system=True, or give an Assertion with due="
    ),
    "too_few_runs": ("no test of so few runs could tell the contradictions from noise; raise baseline_runs or samples"),
}


def verdict_text(verdict: str) -> str:
    """A verdict in one word; what is not a plain pass stands in capitals."""
    return VERDICTS.get(verdict, verdict.upper())


def is_pass(verdict: str) -> bool:
    """Whether a verdict says that something holds."""
    return verdict == "holds"


def p_text(value: float | None) -> str:
    """A p-value in few characters, never rounded to 0 or 1; a dash where there is none."""
    if value is None:
        return "-"
    if 0 < value < 0.0001:
        return f"{value:.0e}"
    text = number_text(value)
    return text if text != "1" or value == 1 else "0.9999"


def outcome_words(found: JsonObject) -> str:
    """What a relation came to, in words: its verdict, why, and the figures that it rests on."""
    reason = found["reason"]
    why = "" if reason is None else f"; {REASONS.get(reason, reason.replace('_', ' '))}"
    told = f"{found['contradictions']} of {plural(found['trials'], 'trial')} contradict"
    p_value = "" if found["p_value"] is None else f", p = {p_text(found['adjusted_p'])}"
    return f"{verdict_text(found['verdict'])}: {told}{p_value}{why}"


def skipped_notes(found: JsonObject) -> Iterator[str]:
    """Which samples of a relation were no trials, by reason."""
    for reason, count in found.get("skipped", {}).items():
        if count:
            yield f"{plural(count, 'sample')} {SKIPPED.get(reason, reason)}"


def skip_words(found: SkipReason, *, many: bool) -> str:
    """Why samples were no trials, with the first one as an example; not safe to show yet.

    Args:
        found: the most frequent reason.
        many: whether there are several inputs, of which one is named.
    """
    where = f"input {found.input_id}, sample {found.sample}" if many else f"sample {found.sample}"
    share = f"{found.count} of {found.total}, first {where}"
    head = found.reason.replace("_", " ")
    if not found.codes:
        return f"{head}: {found.text or 'the transform gave no reason'} ({share})"
    told = [
        f"the oracle's answers contradict the claimed kind {found.claimed!r} ({code})"
        if code == "relation_contradicted"
        else f"{REFUSED.get(code, code)} ({code})"
        for code in found.codes
    ]
    said = f': "{found.text}"' if found.text else ""
    return f"{head}: {', '.join(told)} ({share}){said}"


def error_notes(found: JsonObject) -> Iterator[str]:
    """How often something raised."""
    if found["errors"]:
        yield plural(found["errors"], "error")
