"""What must be true of each candidate, whatever was drawn; read from what was sent, not from how it was made."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from benchmarks.properties_reports import Pair
from benchmarks.properties_subjects import Subject

# Where a sentence ends: its stop with closing signs after it, before white space; or an empty line.
_STOP = re.compile(r"[.!?…]+[\"')\]»”’]*(?=\s)|[。！？]+[」』”]*|(?=\n[ \t\r]*\n)")
_BLANKS = re.compile(r"\s+")


def broken_rules(subject: Subject, pairs: Iterable[Pair], inputs: dict[str, Any]) -> Iterator[str]:
    """Each rule that a pair or a case breaks, with its place.

    Args:
        subject: the decision.
        pairs: our pairs.
        inputs: the inputs of the cases, by id.
    """
    by_case: dict[tuple[str, str], list[Pair]] = defaultdict(list)
    for pair in pairs:
        by_case[pair.property_name, pair.case_id].append(pair)
        for rule in _broken_by(pair, subject, inputs[pair.case_id]):
            yield f"{pair.place}: {rule}"
    for (name, case_id), several in by_case.items():
        for rule in _broken_together(name, several, subject):
            yield f"{name}/{case_id}: {rule}"


def _broken_together(name: str, several: list[Pair], subject: Subject) -> Iterator[str]:
    settings = subject.properties.get(name)
    if settings is None or not settings.get("enabled", True):
        yield "the contract does not have this property"
        return
    if [pair.sample for pair in several] != list(range(len(several))):
        yield "the candidates are not numbered from 0"
    if len({(repr(pair.value), repr(pair.presentation)) for pair in several}) < len(several):
        yield "two candidates are the same"
    defaults = {"option_order": 3, "repeated_context": 1, "paraphrase": 1, "inversion": 1}
    samples = len(settings["deltas"]) if name == "monotonic" else settings.get("samples", defaults.get(name, 2))
    if len(several) > samples:
        yield f"{len(several)} candidates instead of at most {samples}"
    orders = math.factorial(len(subject.labels)) - 1
    if name == "option_order" and len(several) != min(samples, orders):
        yield f"{len(several)} orders instead of {min(samples, orders)}"


def _broken_by(pair: Pair, subject: Subject, base: Any) -> Iterator[str]:
    settings = subject.properties.get(pair.property_name, {})
    if pair.property_name in ("option_order", "label_format"):
        if pair.value != base:
            yield "the input was changed"
        yield from _broken_by_presentation(pair, subject.labels)
        return
    if pair.presentation is not None:
        yield "the labels are shown otherwise"
    if pair.property_name == "monotonic":
        return
    before, after = _text(base, subject), _text(pair.value, subject)
    if before is None or after is None or _without_text(base, subject) != _without_text(pair.value, subject):
        yield "something else than the text was changed"
    elif pair.property_name == "whitespace":
        yield from broken_by_blanks(before, after, settings.get("edits", 3))
    elif pair.property_name in ("irrelevant_context", "repeated_context"):
        repeated = pair.property_name == "repeated_context"
        count = settings.get("repeats", 3) if repeated else settings.get("insertions", 1)
        yield from broken_by_insertion(before, after, settings["fragments"], count, repeated=repeated)


def _broken_by_presentation(pair: Pair, labels: tuple[str, ...]) -> Iterator[str]:
    shown = pair.presentation
    if shown is None or shown == [[label, label] for label in labels]:
        yield "the labels are shown as the contract has them"
    elif sorted(label for _, label in shown) != sorted(labels) or len({form for form, _ in shown}) < len(labels):
        yield "not every label is shown once"
    elif pair.property_name == "option_order" and any(form != label for form, label in shown):
        yield "a label is shown in another form"
    elif pair.property_name == "label_format" and tuple(label for _, label in shown) != labels:
        yield "the labels are shown in another order"


def _text(value: Any, subject: Subject) -> str | None:
    text = value if isinstance(value, str) else value.get(subject.text_field)
    return text if isinstance(text, str) else None


def _without_text(value: Any, subject: Subject) -> Any:
    if isinstance(value, str):
        return None
    return {name: item for name, item in value.items() if name != subject.text_field}


def broken_by_blanks(before: str, after: str, edits: int) -> Iterator[str]:
    """What a text whose white space was edited in at most so many places breaks."""
    if before == after:
        yield "nothing was changed"
    if _BLANKS.sub("", before) != _BLANKS.sub("", after):
        yield "more than white space was changed"
        return
    if before.split() != after.split():
        yield "words were joined or parted"
        return
    changed = sum(old != new for old, new in zip(_runs(before), _runs(after), strict=True))
    if changed > edits:
        yield f"{changed} places were edited instead of at most {edits}"


def _runs(text: str) -> Iterator[str]:
    """The white space before the first word, between words and after the last one."""
    stripped = text.strip()
    if not stripped:
        yield from (text, "")
        return
    start = text.index(stripped)
    yield text[:start]
    yield from _BLANKS.findall(stripped)
    yield text[start + len(stripped) :]


def broken_by_insertion(
    before: str, after: str, fragments: Iterable[str], count: int, *, repeated: bool
) -> Iterator[str]:
    """What a text with whole fragments inserted at sentence boundaries breaks.

    Args:
        before: the text.
        after: the text with the insertions.
        fragments: what may be inserted.
        count: how many must be.
        repeated: whether all must be the same.
    """
    boundaries = set(_boundaries(before))
    choices = [[fragment] for fragment in fragments] if repeated else [list(fragments)]
    if not any(_inserted(before, after, tuple(chosen), count, boundaries) for chosen in choices):
        yield f"it is not the text with {count} fragments at sentence boundaries"


def _boundaries(text: str) -> Iterator[int]:
    """Where a sentence may be put: at the ends, and on both sides of empty lines and of white space after a stop."""
    yield from (0, len(text))
    for stop in _STOP.finditer(text):
        blanks = _BLANKS.match(text, stop.end())
        yield from (stop.end(), blanks.end() if blanks else stop.end())


def _inserted(before: str, after: str, fragments: tuple[str, ...], count: int, boundaries: set[int]) -> bool:
    """Whether so many fragments, each between white space, make the one text of the other."""
    reached = {(0, 0, 0)}
    while reached:
        place, other, done = reached.pop()
        if done == count and before[place:] == after[other:]:
            return True
        if place in boundaries and done < count:
            for fragment in fragments:
                reached |= {(place, end, done + 1) for end in _ends(after, other, fragment)}
        if place < len(before) and other < len(after) and before[place] == after[other]:
            reached.add((place + 1, other + 1, done))
    return False


def _ends(text: str, start: int, fragment: str) -> Iterator[int]:
    """Where an insertion ends that starts there: the fragment, with or without a blank before or after it."""
    for blank in (0, 1):
        first = start + blank
        last = first + len(fragment)
        if not text.startswith(fragment, first) or not _parted(text, first, last):
            continue
        yield last
        if not blank and last < len(text):
            yield last + 1


def _parted(text: str, first: int, last: int) -> bool:
    """Whether a part of a text stands between white space or the text's ends."""
    return (first == 0 or text[first - 1].isspace()) and (last == len(text) or text[last].isspace())


def broken_by_reduction(records: Iterable[dict[str, Any]]) -> Iterator[str]:
    """What the smallest failing forms break: each fails, and is smaller than what it was made from."""
    for record in records:
        reduced = record["reduced"]
        if reduced is None:
            continue
        if not reduced["violations"]:
            yield f"{record['id']}: the reduced form does not fail"
        if _size(record["property"], reduced["steps"]) >= _size(record["property"], record["steps"]):
            yield f"{record['id']}: the reduced form is not smaller"


def _size(name: str, steps: list[dict[str, Any]]) -> int:
    """The number of steps; of an order, the pairs that stand the wrong way round."""
    if name != "option_order":
        return len(steps)
    order = steps[0]["order"]
    return sum(later < earlier for place, earlier in enumerate(order) for later in order[place + 1 :])
