"""What both tools say about properties, read into the same names: summaries, checks, skips, and every pair."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.parity_reports import Facts
from benchmarks.properties_subjects import Subject

COUNTS = ("planned", "compared", "skipped", "errors", "violations", "flips")
RATES = ("violation_rate", "flip_rate")
DISTANCES = ("tv_distance", "js_divergence", "max_abs_delta", "confidence_delta", "level_delta")
# A pair's limits by how the peer's messages about them begin; those about flips begin otherwise.
LIMITS = {
    "tv_distance": "max_tv_distance",
    "js_divergence": "max_js_divergence",
    "max_abs_delta": "max_abs_delta",
    "confidence_delta": "max_confidence_delta",
    "expected level": "max_level_decrease",
}
OUTCOME = "status and exit code"


class Pair(NamedTuple):
    """One pair, as either tool has recorded it.

    Attributes:
        property_name: of the property.
        case_id: of the base.
        sample: the number of the candidate.
        value: the input that was sent.
        presentation: (label as shown, label of the contract), in the order shown; None for the contract's own.
        probabilities: of the answer, by contract label; None where there is none.
        error: the kind of error, where there is no answer.
        comparison: what it comes to beside the base's answer.
        broken: the limits of a pair that it breaks.
    """

    property_name: str
    case_id: str
    sample: int
    value: Any
    presentation: list[list[str]] | None
    probabilities: dict[str, float] | None
    error: str | None
    comparison: dict[str, Any] | None
    broken: frozenset[str]

    @property
    def place(self) -> str:
        """Its name, which is the same for both tools where both make all candidates in whatever order."""
        shown = None if self.presentation is None else ", ".join(label for label, _ in self.presentation)
        return f"{self.property_name}/{self.case_id}/{self.sample if shown is None else f'[{shown}]'}"


class Told(NamedTuple):
    """All that one tool tells of a run.

    Attributes:
        summaries: the numbers of each property.
        pairs: all of them.
        skips: the property and the case of each that could not be transformed.
        undecided: the bases without an answer.
        checks: by level and name, with ``limit``, ``value`` and ``status``.
        outcome: the status and the exit codes.
    """

    summaries: dict[str, dict[str, Any]]
    pairs: list[Pair]
    skips: set[tuple[str, str]]
    undecided: set[str]
    checks: dict[str, dict[str, Any]]
    outcome: dict[str, Any]


def read_ours(folder: Path) -> tuple[Told, list[dict[str, Any]]]:
    """What a run directory tells, and the lines of its pairs."""
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    with (folder / "records.jsonl").open(encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    pairs = [record for record in records if record["kind"] == "pair"]
    told = Told(
        summaries=report["properties"],
        pairs=[_our_pair(record) for record in pairs],
        skips={(record["property"], record["case_id"]) for record in records if record["kind"] == "skip"},
        undecided={record["case_id"] for record in records if record["kind"] == "decision" and "error" in record},
        checks={f"{check['level']} {check['check']}": check for check in report["checks"]},
        outcome={"status": report["status"], "exit code": report["exit_code"]},
    )
    return told, pairs


def _our_pair(record: dict[str, Any]) -> Pair:
    result, error = record.get("result"), record.get("error")
    return Pair(
        property_name=record["property"],
        case_id=record["case_id"],
        sample=record["sample"],
        value=record["input"],
        presentation=record["presentation"],
        probabilities=None if result is None else result["probabilities"],
        error=None if error is None else error["kind"],
        comparison=record["comparison"],
        broken=frozenset(record["violations"]) & frozenset(LIMITS.values()),
    )


def read_theirs(file: Path) -> Told:
    """What a report of the peer tells."""
    report = json.loads(file.read_text(encoding="utf-8"))
    run = report["properties"]
    numbers = {"planned": "n_transformed", "compared": "n_evaluated", **{name: f"n_{name}" for name in COUNTS[2:]}}
    return Told(
        summaries={
            summary["property"]: {
                **{ours: summary[theirs] for ours, theirs in numbers.items()},
                **{name: summary[name] for name in (*RATES, "max_tv_distance")},
            }
            for summary in run["summaries"]
        },
        pairs=[_their_pair(pair) for pair in run["pairs"]],
        skips={(skip["property"], skip["case_id"]) for skip in run["skipped"]},
        undecided={record["case_id"] for record in report["results"] if record["error"] is not None},
        checks={
            f"{check['level']} {check['gate']}": {**check, "limit": check["threshold"]} for check in report["checks"]
        },
        outcome={"status": report["status"], "exit code": report["exit_code"]},
    )


def _their_pair(pair: dict[str, Any]) -> Pair:
    result, error, comparison = pair["result"], pair["error"], pair["comparison"]
    if comparison is not None:
        after = comparison["selected_after"]
        if pair["property"] == "inversion":
            # Theirs is the label that the answer stands for once it is swapped.
            after = result["selected"]
        comparison = {**comparison, "base_selected": comparison["selected_before"], "variant_selected": after}
    found = (limit for said in pair["violations"] for start, limit in LIMITS.items() if said.startswith(f"{start} "))
    return Pair(
        property_name=pair["property"],
        case_id=pair["case_id"],
        sample=pair["sample"],
        value=pair["input"],
        presentation=pair["presentation"],
        probabilities=None if result is None else result["probabilities"],
        error=None if error is None else error["kind"],
        comparison=comparison,
        broken=frozenset(found),
    )


def facts_of(told: Told, subject: Subject, inputs: dict[str, Any]) -> Facts:
    """What must be the same in both tools: of exhaustive properties everything, of the others the checks' statuses.

    Args:
        told: what a tool tells.
        subject: the decision.
        inputs: the inputs of the cases, by id.
    """
    facts: Facts = defaultdict(dict)
    pairs = (pair for pair in told.pairs if pair.property_name in subject.exhaustive)
    skips = ((name, id_) for name, id_ in sorted(told.skips) if not may_differ(name, inputs[id_], subject))
    for fact, place, value in chain(
        _facts_of_summaries(told, subject),
        chain.from_iterable(
            _facts_of_pair(pair)
            for pair in pairs
            if not _is_not_worded(pair.property_name, pair.case_id, told, subject)
        ),
        (("skipped", f"{name}/{id_}", True) for name, id_ in skips if not _is_not_worded(name, id_, told, subject)),
        _facts_of_checks(told, subject),
        ((OUTCOME, name, value) for name, value in told.outcome.items()),
    ):
        facts[fact][place] = value
    return dict(facts)


def _facts_of_summaries(told: Told, subject: Subject) -> Iterator[tuple[str, str, Any]]:
    for name in subject.exhaustive:
        summary = told.summaries.get(name, {})
        for number in (*COUNTS, *RATES, "max_tv_distance"):
            if number not in ("planned", "errors", "skipped") or not _counts_differ(name, told, subject):
                yield f"summary: {number}", name, summary.get(number)
        for fact, value in _spread(pair for pair in told.pairs if pair.property_name == name):
            yield fact, name, value


def _facts_of_checks(told: Told, subject: Subject) -> Iterator[tuple[str, str, Any]]:
    for name, check in told.checks.items():
        yield "checks: limit", name, check["limit"]
        yield "checks: status", name, check["status"]
        property_name = name.split(" ")[1].rpartition(".")[0]
        uncertain = name.endswith(".max_error_rate") and _counts_differ(property_name, told, subject)
        if (not property_name or property_name in subject.exhaustive) and not uncertain:
            yield "checks: value", name, check["value"]


def _is_not_worded(name: str, case_id: str, told: Told, subject: Subject) -> bool:
    """Whether a base without an answer has not been worded otherwise: here it is not looked for in the file at all."""
    return name == "paraphrase" and subject.paraphraser.get("provider") == "file" and case_id in told.undecided


def _counts_differ(name: str, told: Told, subject: Subject) -> bool:
    return any(_is_not_worded(name, case_id, told, subject) for case_id in told.undecided)


def may_differ(name: str, value: Any, subject: Subject) -> bool:
    """Whether the tools may differ in skipping: a text without white space in it has only its edges to edit."""
    text = value if isinstance(value, str) else value.get(subject.text_field)
    return name == "whitespace" and isinstance(text, str) and len(text.split()) < 2


def _spread(pairs: Iterable[Pair]) -> Iterator[tuple[str, float | None]]:
    """The mean and the largest distance of some pairs."""
    compared = [pair.comparison for pair in pairs if pair.comparison is not None]
    for name in DISTANCES:
        values = [abs(comparison[name]) for comparison in compared if comparison[name] is not None]
        yield f"distances: mean {name}", math.fsum(values) / len(values) if values else None
        yield f"distances: largest {name}", max(values, default=None)


def _facts_of_pair(pair: Pair) -> Iterator[tuple[str, str, Any]]:
    place = pair.place
    yield "pairs: input", place, json.dumps(_plain(pair.value), sort_keys=True)
    yield "pairs: error", place, pair.error
    yield "pairs: limits broken", place, ", ".join(sorted(pair.broken))
    for label, share in (pair.probabilities or {}).items():
        yield "pairs: probability", f"{place} {label}", share
    if pair.comparison is None:
        return
    for name in DISTANCES:
        yield f"pairs: {name}", place, pair.comparison[name]
    for name in ("flipped", "rank_changed", "base_selected", "variant_selected"):
        yield f"pairs: {name}", place, pair.comparison[name]


def _plain(value: Any) -> Any:
    """An input whose numbers are all written alike."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def too_near(told: Told, subject: Subject, clearance: float) -> list[str]:
    """The pairs of exhaustive properties that are so near a limit, but not on it, that rounding could decide."""
    fields = {"max_tv_distance": "tv_distance", "max_js_divergence": "js_divergence", "max_abs_delta": "max_abs_delta"}
    fields |= {"max_confidence_delta": "confidence_delta", "max_level_decrease": "level_delta"}
    found = []
    for pair in told.pairs:
        if pair.property_name not in subject.exhaustive or pair.comparison is None:
            continue
        for limit, field in fields.items():
            bound = subject.properties[pair.property_name].get(limit)
            if bound is not None and 0 < abs(abs(pair.comparison[field]) - bound) < clearance:
                found.append(f"{pair.place}: {field} {pair.comparison[field]!r} beside {bound!r}")
    return found
