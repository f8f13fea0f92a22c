"""One failure of a report: what was broken, the smallest form that still fails, and the command that replays it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

from robust.canon import JsonObject, canonical_text
from robust.render.plain import columns, number_text
from robust.render.report_ids import id_text
from robust.render.report_words import FLIPPED, distance_text
from robust.render.screen import Screen
from robust.render.shell import shell_word

_INDENT: Final = 5
_NAME: Final = 10
_LABEL_WIDTH: Final = 24
_SHOWN_LABELS: Final = 12
# A longer id is cut, and stands in no command that anybody could copy.
LONGEST_ID: Final = 1000
_MOST_LINES: Final = {"text": 5, "labels": 4, "edit": 3}
# A text of at most so many columns is shown from its start; of a longer one so many characters before its change.
_SHORT: Final = 260
_BEFORE: Final = 100


def failure_text(
    entry: JsonObject, number: int | None, limits: JsonObject, screen: Screen, run: str | os.PathLike[str] | None
) -> list[str]:
    """A failure in a few lines.

    Args:
        entry: one of the report's first failures.
        number: its number here, where it has one.
        limits: what the property allows a pair.
        screen: the terminal.
        run: the run directory; without it the id is shown instead of a command.
    """
    head = " " * _INDENT if number is None else f"  {number}. "
    lines = screen.paragraph(outcome_text(entry, screen), head=head, indent=_INDENT)
    command = run is not None and was_sent(entry) and len(entry["id"]) <= LONGEST_ID
    details = [
        *_details(entry, limits, screen),
        *([] if command else [("id", id_text(entry["id"], screen, LONGEST_ID))]),
    ]
    for name, text in details:
        hang = " " * _INDENT + name.ljust(_NAME)
        lines += screen.paragraph(text, head=hang, indent=len(hang), most=_MOST_LINES.get(name))
    if run is None or not command:
        return lines
    return [*lines, " " * _INDENT + replay_command(run, entry["id"], screen)]


def was_sent(entry: JsonObject) -> bool:
    """Whether there is something to send again: what nobody worded, or no oracle was asked about, never was sent."""
    unworded = entry["property"] == "paraphrase" and entry["error"] in ("original_error", "budget_exhausted")
    return entry["error"] not in ("paraphrase_error", "oracle_error") and not unworded


def replay_command(run: str | os.PathLike[str], record_id: str, screen: Screen) -> str:
    """The command that sends a stored failure again, on one line, as it can be copied into a shell."""
    return f"robust replay {folder_word(run, screen.encoding)} --id {shell_word(record_id, screen.encoding)}"


def folder_word(run: str | os.PathLike[str], encoding: str) -> str:
    """The folder of a run as a word of a command line; it is no option, whatever it is called."""
    folder = os.fspath(run)
    return shell_word(f"./{folder}" if folder.startswith("-") else folder, encoding)


def outcome_text(entry: JsonObject, screen: Screen) -> str:
    """What came of a pair: its two answers and how far they are apart, or the kind of its error."""
    if entry["error"] is not None:
        return str(entry["error"])
    labels = (screen.short(entry[name], _LABEL_WIDTH) for name in ("base_selected", "variant_selected"))
    parts = [f" {screen.signs.arrow} ".join(labels)]
    if entry["base_correct"] is not None and entry["variant_correct"] is not None:
        parts.append(f"base {_word(entry['base_correct'])}, variant {_word(entry['variant_correct'])}")
    if entry["relation"] != "invariant":
        parts.append(entry["relation"])
    return ", ".join([*parts, f"TV {distance_text(entry['tv_distance'])}"])


def _word(right: bool) -> str:
    return "right" if right else "wrong"


def _details(entry: JsonObject, limits: JsonObject, screen: Screen) -> Iterator[tuple[str, str]]:
    """What is said of a failure, each with its name; edit, labels and text are those of the smallest form."""
    if entry["error"] is not None:
        return
    yield "broken", broken_text(entry, limits)
    smallest = entry["smallest"]
    if smallest is not None:
        label = screen.short(smallest["variant_selected"], _LABEL_WIDTH)
        others = smallest["violations"]
        breaks = "" if others == entry["violations"] else f", breaks {', '.join(others)}"
        yield "smallest", f"{screen.signs.arrow} {label}, TV {distance_text(smallest['tv_distance'])}{breaks}"
    if entry["edits"]:
        edits = [edit_text(step, screen) for step in entry["edits"]]
        more = [f"and {entry['edits_left']} more"] if entry["edits_left"] else []
        yield "edit", "; ".join(edits + more)
    if entry["presentation"] is not None:
        yield "labels", _labels([shown for shown, _ in entry["presentation"]], screen)
    yield "text", _text(entry, screen)


def broken_text(entry: JsonObject, limits: JsonObject) -> str:
    """Which limits a pair breaks, and by how much."""
    return ", ".join(_broken(name, entry, limits) for name in entry["violations"])


def _broken(name: str, entry: JsonObject, limits: JsonObject) -> str:
    if name in entry["measured"]:
        limit = f" > {number_text(limits[name])}" if name in limits else ""
        return f"{name} {number_text(entry['measured'][name])}{limit}"
    return f"{name} ({FLIPPED[entry['relation']]})" if name == "max_flip_rate" else name


def edit_text(step: JsonObject, screen: Screen) -> str:
    """One step of a transformation in words."""
    if "space" in step:
        return f'white space "{screen.visible(step["space"])}" at character {step["at"] + 1}'
    if "at" in step:
        return f'inserted at character {step["at"] + 1}: "{screen.visible(step["text"])}"'
    if "find" in step:
        return f'"{screen.visible(step["find"])}" became "{screen.visible(step["replace"])}"'
    if "delta" in step:
        return f"{screen.short(step['field'], _LABEL_WIDTH)} + {number_text(step['delta'])}"
    return "other words"


def _labels(shown: list[str], screen: Screen) -> str:
    listed = [screen.short(label, _LABEL_WIDTH) for label in shown[:_SHOWN_LABELS]]
    left = len(shown) - len(listed)
    return " | ".join([*listed, *([f"and {left} more"] if left else [])])


def _text(entry: JsonObject, screen: Screen) -> str:
    """The text that was changed, a long one from a little before the change on; else the whole input."""
    edited, shown = entry["edited"], entry["shown"]
    if edited is None:
        return screen.visible(shown if isinstance(shown, str) else canonical_text(shown))
    text: Any = shown if edited["field"] is None else shown[edited["field"]]
    name = "" if edited["field"] is None else f"{screen.short(edited['field'], _LABEL_WIDTH)}: "
    whole = screen.visible(text)
    start = edited["at"] - _BEFORE
    if start <= 0 or columns(whole) <= _SHORT:
        return name + whole
    return f"{name}{screen.signs.more}{screen.visible(text[start:])}"
