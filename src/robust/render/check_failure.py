"""One counterexample in a few lines: what was changed, what came of it, and the line that tries it again."""

from __future__ import annotations

from typing import Final

from robust.canon import JsonObject
from robust.render.check_words import RAISED, is_pass
from robust.render.report_ids import id_text
from robust.render.screen import WIDTH, Screen
from robust.render.shown_check import ShownFailure
from robust.render.word_difference import change_excerpt

EXPLAINED: Final = "; it does not decide the verdict"
_INDENT: Final = 5
_NAME: Final = 10
_MOST_LINES: Final = 3
# A change takes up to three lines beside its name.
_CHANGE_WIDTH: Final = _MOST_LINES * (WIDTH - _INDENT - _NAME) - WIDTH // 2
# So much of a text is looked at for its change; longer ones are excerpts already.
_ID_WIDTH: Final = 40


def failure_lines(failure: ShownFailure, number: int | None, screen: Screen, note: str = "") -> list[str]:
    """A counterexample as lines of at most 80 columns, but for the one that can be copied.

    Args:
        failure: what failed.
        number: its number, where it has one.
        screen: the terminal.
        note: what more is said of it, safe to show.
    """
    head = " " * _INDENT if number is None else f"  {number}. "
    lines = screen.paragraph(title(failure, screen) + note, head=head, indent=_INDENT)
    for name, text in details(failure, screen):
        hang = " " * _INDENT + name.ljust(_NAME)
        lines += screen.paragraph(text, head=hang, indent=len(hang), most=_MOST_LINES)
    if failure.replay is not None:
        lines.append(" " * _INDENT + screen.safe(failure.replay))
        if failure.minimised:
            lines.append(" " * _INDENT + "(this replays the variant as it was before it was made smaller)")
    return lines


def explained(report: JsonObject, failure: ShownFailure) -> bool:
    """Whether something that failed does not make the check fail: noise explains it, or the share of rows allows it."""
    found = report["population"] if failure.relation is None else report["relations"][failure.relation]
    return is_pass(found["verdict"])


def in_one_line(failure: ShownFailure, screen: Screen, width: int) -> str:
    """What came of a counterexample, or what was raised, in so many columns."""
    if failure.error is not None:
        told = f"{RAISED.get(failure.error, failure.error)}: {failure.message}"
    else:
        told = f"{failure.before} became {failure.after}"
    return screen.short(" ".join(told[: 4 * width].split()), width)


def title(failure: ShownFailure, screen: Screen) -> str:
    """Of which relation and input a counterexample is."""
    shown = id_text(failure.input_id, screen, _ID_WIDTH)
    if failure.relation is None:
        return f"row {shown}"
    sample = "" if failure.sample is None else f", sample {failure.sample}"
    smaller = ", made smaller" if failure.minimised else ""
    raised = "" if failure.error is None else f": {RAISED.get(failure.error, failure.error)}"
    return f"{screen.short(failure.relation, _ID_WIDTH)}: input {shown}{sample}{smaller}{raised}"


def details(failure: ShownFailure, screen: Screen) -> list[tuple[str, str]]:
    """What is said of a counterexample, each with its name; the texts are safe to show."""
    found = []
    if failure.relation is None:
        found += [("changed", failure.variant)]
    else:
        change = change_excerpt(failure.base, failure.variant, width=_CHANGE_WIDTH) if failure.variant else ""
        found += [("input", screen.visible(failure.base)), ("change", screen.safe(change))]
    if failure.error is None:
        found += [("before", screen.visible(failure.before)), ("after", screen.visible(failure.after))]
    else:
        found += [("raised", screen.visible(failure.message))]
    return [(name, text if name != "changed" else screen.visible(text)) for name, text in found if text]
