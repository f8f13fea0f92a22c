"""Contracts, cases and answers for ``properties.py``, made by a hash: each run on each machine compares the same.

Four digits stand in every text, and nowhere else; by them a mock knows a case again, whatever is done to its text.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.parity_data import Stream
from benchmarks.properties_subjects import LOADED, Subject

CASES = 300
BIAS = 0.15
SENTENCES = (
    "The driver left at once.",
    "Nobody rang the bell!",
    "Is that how it should be?",
    "It cost 3.50 EUR, i.e. far too much.",
    "My neighbour saw it at 10:30 a.m. and kept it dry.",
    'On the box stood "handle with care".',
    "Nothing else was missing (as far as I can see).",
    "I will write again on the 14th...",
    "Who decides that?!",
)
FOREIGN = (
    "Die Straße war gesperrt.",
    "Το κουτί ήταν βρεγμένο!",
    "箱が濡れていました。 Did they check?",
    "Nothing was broken 🙂. Merci à tous.",
    "İki gün bekledim.",
)
BLANKS = ("  ", "\n\n", "\t", "\u00a0", " \r\n", "\u2003 ")


class Example(NamedTuple):
    """One case, and what the mock is to answer to it and to what is made of it.

    Attributes:
        row: its line of the data set.
        rules: what to look for in an input, and the distribution to answer; the first that matches.
        paraphrases: its line of the file of paraphrases, where it has one.
    """

    row: dict[str, Any]
    rules: list[tuple[str, list[float]]]
    paraphrases: dict[str, Any] | None


@cache
def examples(subject: Subject) -> tuple[Example, ...]:
    """Every case of a decision."""
    return tuple(_examples(subject))


def _examples(subject: Subject) -> Iterator[Example]:
    stream = Stream("properties", subject.name)
    for number in range(CASES):
        token = f"{number:04}"
        kind = subject.kinds[number % len(subject.kinds)]
        text = _text(subject, kind, token, stream)
        value, shown = _input(subject, kind, number, text)
        base = _distribution(len(subject.labels), stream)
        row: dict[str, Any] = {"id": f"{subject.name}-{token}", "input": value}
        if stream.unit() < 0.8:
            row["expected"] = subject.labels[stream.below(len(subject.labels))]
        paraphrases = _paraphrases(subject, number, str(row["id"]), shown)
        rules = [(f"{token}{end}", _moved(base, stream)) for end in "xyz" if paraphrases is not None]
        rules += [(f"{token} {words}", _moved(base[::-1], stream)) for words in subject.turned]
        rules += [(start, _moved(base, stream)) for start in _raised(subject, value)]
        yield Example(row, [*rules, (token, base)], paraphrases)


def _text(subject: Subject, kind: str, token: str, stream: Stream) -> str:
    first = subject.openings[stream.below(len(subject.openings))].format(token)
    if kind == "one word":
        # Of these, the first is no text at all and the second only blanks.
        return {"0005": "", "0019": " \n "}.get(token, f"Damaged-{token}")
    if kind == "no stop":
        return first.rstrip(".!")
    pool = (*SENTENCES, *FOREIGN) if kind == "foreign" else SENTENCES
    sentences = [first, *(pool[stream.below(len(pool))] for _ in range(1 + stream.below(3)))]
    if kind != "odd blanks":
        return " ".join(sentences)
    words = " ".join(sentences).split(" ")
    blanks = [BLANKS[stream.below(len(BLANKS))] if stream.unit() < 0.4 else " " for _ in words]
    # What is looked for stays together.
    blanks[:4] = [" "] * 4
    return "".join(word + blank for word, blank in zip(words, blanks, strict=True))


def _input(subject: Subject, kind: str, number: int, text: str) -> tuple[str | dict[str, Any], str | None]:
    """What is decided about, and the text of it that a property may edit."""
    if not kind.startswith("object"):
        return text, text
    value: dict[str, Any] = {"days": _days(number), "note": text, "ref": f"{number:04}", "tags": ["spring", None]}
    if kind == "object without text":
        del value["note"]
    elif kind == "object with a number as text":
        value["note"] = number % 7
    note = value.get("note")
    return value, note if subject.text_field == "note" and isinstance(note, str) else None


def _days(number: int) -> Any:
    """A number, one so large that a small delta changes nothing, or something that cannot be raised."""
    special = {1: 9123456789123456.0, 4: True, 8: "12", 9: None, 11: -3, 13: 0, 15: 5.0}
    return special[number] if number in special else number % 29 + (0.25 if number % 2 else 0)


def _raised(subject: Subject, value: str | dict[str, Any]) -> list[str]:
    """How the JSON of an input starts when its number has been raised; whole numbers are written in several ways."""
    settings = subject.properties.get("monotonic")
    if settings is None or isinstance(value, str) or not isinstance(value.get("note"), str):
        return []
    days, words = value["days"], value["note"].split()
    if isinstance(days, bool | str | None) or (isinstance(days, float) and days.is_integer()) or len(words) < 2:
        return []
    raised = [days + delta for delta in settings["deltas"]]
    written = [int(number) if float(number).is_integer() and isinstance(days, int) else number for number in raised]
    return [f'"days":{json.dumps(number)},"note":"{words[0]} {words[1]}' for number in written]


def _paraphrases(subject: Subject, number: int, case_id: str, text: str | None) -> dict[str, Any] | None:
    """Some are found by the case's id, some by its text, and some have none."""
    if subject.paraphraser.get("provider") != "file" or not text or not text.strip() or number % 10 in (3, 7):
        return None
    texts = [f"In other words, case {number:04}{end}: see below. It is what was said." for end in "xyz"]
    key = {"input": text} if number % 3 == 0 and len(text.split()) > 1 else {"id": case_id}
    return {**key, "paraphrases": texts[: 1 + number % 3]}


def _distribution(count: int, stream: Stream) -> list[float]:
    """Probabilities that sum to 1, with ties, close calls and very small ones among them."""
    chance = stream.unit()
    weights = [0.02 + stream.unit() ** 2 for _ in range(count)]
    if chance < 0.3:
        # Closer than the bias of the mock that has one.
        weights[stream.below(count)] = max(weights) * (1 - 0.1 * stream.unit())
    elif chance < 0.4:
        weights = [max(weights)] * 2 + weights[2:]
    elif chance < 0.5:
        weights = [weight * 10 ** -(stream.unit() * 12) for weight in weights]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def _moved(base: list[float], stream: Stream) -> list[float]:
    """The same distribution, or one that is a little off, or another."""
    chance = stream.unit()
    share = 0 if chance < 0.5 else 0.06 if chance < 0.8 else 0.7
    other = _distribution(len(base), stream)
    return [(1 - share) * mine + share * theirs for mine, theirs in zip(base, other, strict=True)] if share else base


def write_data(subject: Subject, folder: Path) -> None:
    """Write the data set and the paraphrases."""
    made = examples(subject)
    rows = [each.row for each in made]
    paraphrases = [each.paraphrases for each in made if each.paraphrases is not None]
    for name, lines in (("cases.jsonl", rows), ("paraphrases.jsonl", paraphrases)):
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def contract(subject: Subject, url: str, rates: dict[str, dict[str, float]]) -> dict[str, Any]:
    """The contract that both tools read.

    Args:
        subject: the decision and its properties.
        url: of the service.
        rates: the limits on rates of each property; what has none may fail always.
    """
    key = {"choice": "options", "noul": "labels", "score": "levels"}[subject.kind]
    rules = [(LOADED, [1 / len(subject.labels)] * len(subject.labels))]
    rules += [rule for each in examples(subject) for rule in each.rules]
    mock = {
        "provider": "mock",
        "rules": [
            {"contains": contains, "probabilities": dict(zip(subject.labels, shares, strict=True))}
            for contains, shares in rules
        ],
        "default": dict(zip(subject.labels, _distribution(len(subject.labels), Stream("default")), strict=True)),
    }
    properties: dict[str, Any] = {}
    for name, settings in subject.properties.items():
        loose = {"max_violation_rate": 1.0, "max_flip_rate": 1.0} if name in subject.exhaustive else {}
        properties[name] = {**loose, **settings, **rates.get(name, {})}
    if subject.paraphraser:
        properties["paraphrase"]["source"] = subject.paraphraser
    return {
        "schema_version": "0.1",
        "decision": {"name": subject.name, "type": subject.kind, key: list(subject.labels)},
        "backend": mock,
        "backends": {"biased": {**mock, "position_bias": BIAS}, "service": {"provider": "http", "url": url}},
        "dataset": "cases.jsonl",
        "evaluation": {"max_concurrency": 8},
        "properties": properties,
        "fuzz": {"seed": 20, "minimize": True, "max_minimize_calls": 6, "text_field": subject.text_field},
    }


_FORM = re.compile(r'^(?:[A-Z]\) |[0-9]+\. )|["\[\]]')


def weigh(request: dict[str, Any]) -> tuple[int, str]:
    """The status and the body of a service's answer, which minds every character of the input and of the labels.

    Half of what it is asked it answers by the case alone, the rest with a small or a large part that is all its own;
    now and then it fails.
    """
    labels, value = request["decision"]["labels"], request["input"]
    if isinstance(value, dict):
        # One number, however it is written.
        value = {name: int(it) if isinstance(it, float) and it.is_integer() else it for name, it in value.items()}
    text = json.dumps([value, labels], sort_keys=True)
    found = re.search("[0-9]{4}", text)
    token, chance = found.group() if found else "", Stream("how much", text).unit()
    share = 0 if chance < 0.5 else 0.08 if chance < 0.8 else 0.6
    weights = [0.02 + Stream("case", token, _FORM.sub("", label).casefold()).unit() ** 2 for label in labels]
    own = [0.02 + Stream("own", text, label).unit() for label in labels]
    mixed = [
        (1 - share) * weight / math.fsum(weights) + share * mine / math.fsum(own)
        for weight, mine in zip(weights, own, strict=True)
    ]
    fault = Stream("fault", text).unit()
    if fault < 0.01:
        return 503, "{}"
    shares = dict(zip(labels, mixed, strict=True))
    if fault < 0.02:
        del shares[labels[0]]
    return 200, json.dumps({"probabilities": shares})
