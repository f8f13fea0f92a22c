"""Runs whose pages are looked at: one of everything that a page can show, and one of everything that is hostile."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, Final

from robust import CallableBackend, Case, DecisionRequest, Run, run_contract
from robust.canon import unit_interval

ITEMS: Final = ("lamp", "kettle", "toaster", "radio", "heater", "mixer")
LABELS: Final = ("refund", "repair", "replacement", "refusal")
CHANNELS: Final = ("letter", "form", "telephone")
SCRIPT: Final = "</script><script>document.title='pwned'</script>"
IMAGE: Final = "<img src=x onerror=\"document.title='pwned'\">"
HOSTILE: Final = (
    SCRIPT,
    IMAGE,
    "right \u202eto left\u202c and \u2067isolated\u2069",
    "bell \x07, escape \x1b[31m, null \x00, \x85",
    "👩🏽‍🔬 🏳️‍🌈 and 日本語 عربي",
    "{{ 7 * 7 }} {% raw %} ${7 * 7} <!-- --> ]]> &amp; &#0;",
    "a" * 100_000,
    "two  words\r\n\tand\u00a0more " * 2_000,
    "\\ud800 written out",
    "e\u0301" * 30 + "\u0336" * 40,
)


def _chance(*parts: object) -> float:
    return unit_interval("page", *parts)


def _answer(item: str, number: int) -> str:
    return LABELS[(ITEMS.index(item) * 5 + (number % 11 == 0)) % len(LABELS)]


def cases(count: int) -> list[Case]:
    """Claims about household goods; some have no channel, or a note that is no plain value."""
    found = []
    for number in range(count):
        item = ITEMS[number % len(ITEMS)]
        metadata: dict[str, Any] = {"region": ("north", "south")[number % 2], "clerk": {"desk": number}}
        if number % 7:
            metadata["channel"] = CHANNELS[number % len(CHANNELS)]
        text = (
            f"Claim {number}: I bought the {item} for {20 + number % 60}.50 EUR. It stopped working after "
            f"{number % 31 + 2} days. I have not opened it. Please tell me what happens next."
        )
        known = _answer(item, number) if number % 13 else None
        found.append(
            Case(text, known, case_id=f"claim-{number:04}", source_id=f"shop-{number // 2:04}", metadata=metadata)
        )
    return found


def _model(request: DecisionRequest) -> dict[str, float]:
    text = str(request.input)
    if "after 29 days" in text:
        raise TimeoutError("no answer within 30 s")
    item = next((name for name in ITEMS if name in text), "lamp")
    order = [label.strip().lower() for label in request.decision.labels]
    best = LABELS[(ITEMS.index(item) * 5 + (len(text) % 9 == 0)) % len(LABELS)]
    confidence = 0.45 + 0.5 * _chance(item, len(text) % 7)
    if "umbrella" in text or "breeze" in text:
        best, confidence = LABELS[(LABELS.index(best) + 1) % len(LABELS)], 0.6
    place = next((place for place, label in enumerate(order) if best in label), 0)
    # What is shown first is liked a little better.
    shares = [(1 - confidence) / (len(order) - 1)] * len(order)
    shares[place] = confidence
    moved = min(shares[-1], 0.05)
    shares[0], shares[-1] = shares[0] + moved, shares[-1] - moved
    return dict(zip(request.decision.labels, shares, strict=True))


def rich(folder: Path, count: int = 120) -> Run:
    """Segments, oracle outcomes of each kind, flips, errors, skips, inconclusive checks: a bit of everything."""
    contract: dict[str, Any] = {
        "schema_version": "1",
        "decision": {
            "name": "claim",
            "type": "choice",
            "options": LABELS,
            "description": "What is due to the customer?",
        },
        "backend": {"provider": "callable"},
        "oracles": {"default": {"provider": "builtin"}},
        "evaluation": {"confidence_threshold": 0.6},
        "statistics": {"judge": "bound"},
        "requirements": {"min_accuracy": 0.75, "max_error_rate": 0.1},
        "warnings": {"max_brier": 0.6},
        "properties": {
            "option_order": {"max_tv_distance": 0.08, "samples": 2, "max_violation_rate": 0.2, "max_flip_rate": 0.05},
            "label_format": {"max_tv_distance": 0.08, "samples": 1},
            "irrelevant_context": {"max_tv_distance": 0.1, "samples": 2, "max_flip_rate": 0.1, "min_valid_rate": 0.5},
            "whitespace": {"max_tv_distance": 0.1, "samples": 1, "level": "warning", "max_group_violation_rate": 0.05},
        },
    }
    backend = CallableBackend(_model, model="claims-small")
    return run_contract(contract, dataset=cases(count), backend=backend, output=folder)


def hostile(folder: Path) -> Run:
    """Texts, labels, ids, names and messages that a page must not come alive from."""
    dice = random.Random(5)
    labels = ("<b>bold</b>", "</td> עברית", "a & b")
    rows = []
    for number, text in enumerate(HOSTILE):
        for copy in range(2):
            shown = f"{text} one two {copy}"
            # An id cannot have what nobody sees.
            name = text[:40] if text[:40].isprintable() else "plain"
            case = Case(
                {"body": shown, "n": copy} if number % 3 == 1 else shown,
                dice.choice(labels),
                case_id=f"{name}#{number}.{copy}",
                source_id=f"{name}#{number}",
                metadata={"<i>key</i>": IMAGE, "said": text[:60]},
            )
            rows.append(case)

    def model(request: DecisionRequest) -> dict[str, float]:
        if "bell" in str(request.input):
            raise ValueError(SCRIPT + IMAGE)
        chance = _chance(str(request.input)[-400:], *request.decision.labels)
        shares = [chance, (1 - chance) / 2, (1 - chance) / 2]
        return dict(zip(request.decision.labels, shares, strict=True))

    contract: dict[str, Any] = {
        "schema_version": "0.1",
        "decision": {"name": "hostile", "type": "choice", "options": labels},
        "backend": {"provider": "callable"},
        "fuzz": {"text_field": "body"},
        "properties": {
            "option_order": {"max_tv_distance": 0.05, "samples": 2},
            "whitespace": {"max_tv_distance": 0.05, "samples": 2},
            "irrelevant_context": {"max_tv_distance": 0.05, "samples": 1},
        },
    }
    backend = CallableBackend(model, model=IMAGE)
    return run_contract(contract, dataset=rows, backend=backend, output=folder)
