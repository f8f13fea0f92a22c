"""The decisions of ``properties.py`` and their properties: together, everything that both tools can check."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

# A sentence with this in it is no neutral sentence to the mock.
LOADED = "street festival"
FRAGMENTS = (
    "It had rained in the night.",
    "There was a street festival on Saturday.",
    "The shop next door sells bread.",
    "A dog barked twice!",
    "Why is the gate green?",
)
# What the inputs are like, case by case in turn.
TEXTS = ("plain", "odd blanks", "plain", "foreign", "no stop", "one word", "plain")
KINDS = (
    *("plain", "object", "plain", "odd blanks", "object", "one word", "plain", "foreign"),
    *("object without text", "object", "no stop", "object with a number as text", "plain", "object"),
)


class Subject(NamedTuple):
    """One decision to compare both tools on.

    Attributes:
        name: of the decision.
        kind: choice, noul or score.
        labels: in order.
        openings: the first sentences of texts, each with a place for the case's number.
        turned: what follows the case's number when a text says the opposite.
        kinds: what its inputs are like, in turn.
        text_field: where the text of an object is.
        properties: their settings; of the exhaustive ones, without limits on rates.
        paraphraser: the source of paraphrases.
        rates: of each exhaustive property, where its limits on rates stand: at what was measured on the mock with a
            bias, or on one side of it.
    """

    name: str
    kind: str
    labels: tuple[str, ...]
    openings: tuple[str, ...]
    turned: tuple[str, ...]
    kinds: tuple[str, ...]
    text_field: str | None
    properties: dict[str, dict[str, Any]]
    paraphraser: dict[str, str]
    rates: dict[str, dict[str, str]]

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def exhaustive(self) -> tuple[str, ...]:
        """The properties of which both tools make the same candidates, since they make all that there are."""
        return tuple(name for name in self.properties if self._makes_all(name))

    def _makes_all(self, name: str) -> bool:
        if name == "option_order":
            return bool(self.properties[name].get("samples", 3) >= math.factorial(len(self.labels)) - 1)
        return name in ("label_format", "paraphrase", "inversion", "monotonic")


SUBJECTS = (
    Subject(
        name="remedy",
        kind="choice",
        labels=("Refund", "repair", "NO ACTION", "großer Umtausch"),
        openings=(
            "Parcel {} came a week late.",
            "Order {} arrived with a dented lid!",
            "Box {} is not what I ordered.",
        ),
        turned=(),
        kinds=KINDS,
        text_field="note",
        properties={
            # All of the 23 other orders.
            "option_order": {"samples": 40, "max_tv_distance": 0.1, "max_js_divergence": 0.02},
            "label_format": {
                "samples": 40,
                "max_abs_delta": 0.07,
                "aliases": {"Refund": ['"refund"', "R) Refund", "Refund"], "repair": ["[Repair]"]},
            },
            "irrelevant_context": {
                "samples": 3,
                "insertions": 2,
                "fragments": FRAGMENTS,
                "max_tv_distance": 0.05,
                "max_flip_rate": 0.0,
                "level": "warning",
            },
            "repeated_context": {
                "samples": 2,
                "fragments": FRAGMENTS,
                "max_confidence_delta": 0.3,
                "max_violation_rate": 0.9,
            },
            "whitespace": {"samples": 4, "edits": 2, "max_js_divergence": 0.001},
            "paraphrase": {"samples": 3, "max_tv_distance": 0.05, "max_confidence_delta": 0.06},
        },
        paraphraser={"provider": "file", "path": "paraphrases.jsonl"},
        rates={
            "option_order": {"max_violation_rate": "at", "max_flip_rate": "fails"},
            "label_format": {"max_violation_rate": "holds"},
            "paraphrase": {"max_violation_rate": "fails", "max_flip_rate": "at"},
        },
    ),
    Subject(
        name="allowed",
        kind="noul",
        labels=("yes", "no"),
        openings=("Request {} is allowed on weekdays.", "Item {} may be sent back.", "Visit {} took place."),
        turned=("is not allowed", "is forbidden", "may not be", "may never be"),
        kinds=KINDS,
        text_field="note",
        properties={
            "option_order": {"samples": 3, "max_confidence_delta": 0.11, "level": "warning"},
            # Words that no mock reads, so that each of these pairs ends in an error.
            "label_format": {
                "styles": ["lettered", "upper", "capitalized", "quoted"],
                "samples": 20,
                "max_tv_distance": 0.05,
                "aliases": {"yes": ["oui"], "no": ["non"]},
            },
            "irrelevant_context": {"samples": 1, "fragments": FRAGMENTS, "max_flip_rate": 0.95},
            "whitespace": {"samples": 1, "edits": 20, "max_abs_delta": 0.0001},
            "inversion": {
                "samples": 20,
                "max_tv_distance": 0.2,
                "max_abs_delta": 0.17,
                "rewrites": [
                    {"find": "is allowed", "replace": "is not allowed"},
                    {"find": "allowed", "replace": "not allowed"},
                    {"find": "is allowed", "replace": "is forbidden"},
                    {"find": "may be", "replace": "may not be"},
                    {"find": "may be", "replace": "may never be"},
                    {"find": "weekdays", "replace": "weekdays"},
                    {"find": "Damaged", "replace": "Undamaged"},
                ],
            },
        },
        paraphraser={},
        rates={
            "option_order": {"max_violation_rate": "fails"},
            "label_format": {"max_violation_rate": "at", "max_flip_rate": "holds"},
            "inversion": {"max_violation_rate": "fails", "max_flip_rate": "holds"},
        },
    ),
    Subject(
        name="severity",
        kind="score",
        labels=("1", "2", "3", "4", "5"),
        openings=("Report {} is about the north gate.", "Leak {} was found on Monday!", "Alarm {} went off."),
        turned=(),
        kinds=KINDS,
        text_field="note",
        properties={
            "label_format": {"samples": 7, "max_tv_distance": 0.03, "max_js_divergence": 0.5, "level": "warning"},
            "irrelevant_context": {"samples": 2, "fragments": FRAGMENTS[1:2], "max_tv_distance": 0.0001},
            "repeated_context": {"repeats": 5, "samples": 3, "fragments": FRAGMENTS[:1], "max_flip_rate": 0.9},
            "whitespace": {"max_flip_rate": 0.9, "max_tv_distance": 0.9, "max_violation_rate": 0.9, "enabled": False},
            "monotonic": {
                "field": "days",
                "deltas": [1, 0.5, 3, 4],
                "direction": "increasing",
                "max_level_decrease": 0.013,
            },
        },
        paraphraser={},
        rates={
            "label_format": {"max_violation_rate": "at", "max_flip_rate": "at"},
            "monotonic": {"max_violation_rate": "fails", "max_flip_rate": "holds"},
        },
    ),
    # More labels than orders can be listed of, and texts that no property can reach in objects.
    Subject(
        name="team",
        kind="choice",
        labels=("post", "billing", "returns", "repairs", "complaints", "press", "garden"),
        openings=("Letter {} is for somebody else.", "Call {} was cut off."),
        turned=(),
        kinds=KINDS,
        text_field=None,
        properties={
            "option_order": {"samples": 5, "max_tv_distance": 0.01, "max_flip_rate": 0.99},
            "whitespace": {"samples": 2, "edits": 1, "max_tv_distance": 0.001},
        },
        paraphraser={},
        rates={},
    ),
    # A property that finds nothing to do in any case.
    Subject(
        name="reply",
        kind="noul",
        labels=("needed", "not needed"),
        openings=("Card {} says thank you.", "Note {} asks for the time."),
        turned=(),
        kinds=TEXTS,
        text_field=None,
        properties={
            "option_order": {"max_abs_delta": 0.2},
            "paraphrase": {"max_tv_distance": 0.0, "level": "warning"},
            "inversion": {
                "rewrites": [{"find": "says no", "replace": "says yes"}],
                "max_tv_distance": 0.1,
                "max_flip_rate": 0.0,
                "max_violation_rate": 0.0,
                "level": "warning",
            },
        },
        paraphraser={"provider": "identity"},
        rates={
            "option_order": {"max_violation_rate": "holds", "max_flip_rate": "at"},
            "paraphrase": {"max_violation_rate": "at", "max_flip_rate": "at"},
        },
    ),
)
