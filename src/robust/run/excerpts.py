"""What a report shows of a transformed input: not the whole of a long one, but the place of the change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from robust.canon import JsonObject, canonical_text

# Of a text that is shown; the records have the whole. As much of it stands before the change.
MAX_SHOWN_CHARACTERS: Final = 500
_BEFORE: Final = 150
# Of an object with all its texts cut, as canonical JSON; one that is larger is shown by the text that was changed.
MAX_SHOWN_OBJECT: Final = 4000
MAX_SHOWN_EDITS: Final = 3
_MAX_EDIT_CHARACTERS: Final = 100


def excerpt(value: Any, steps: Sequence[JsonObject]) -> JsonObject:
    """The parts of an input that a reader wants to see.

    Args:
        value: a text or an object.
        steps: what was done to it; those that only show labels otherwise leave it as it is.

    Returns:
        ``shown``: the input with long texts cut, where the change is known around it; ``edited``: the ``field`` (null
        where the input is a text) and the offset ``at`` of the first change in what is shown, or null; ``edits``: the
        first steps that changed the input, with long texts cut; ``edits_left``: how many more there are.
    """
    changes = [step for step in steps if "order" not in step and "label" not in step]
    place = _place(value, changes[0]) if changes else None
    field, at = (None, None) if place is None else place
    shown, edited = _cut(value, field, at)
    return {
        "shown": shown,
        "edited": edited,
        "edits": [{name: _first(part) for name, part in step.items()} for step in changes[:MAX_SHOWN_EDITS]],
        "edits_left": max(len(changes) - MAX_SHOWN_EDITS, 0),
    }


def _first(part: Any) -> Any:
    too_long = isinstance(part, str) and len(part) > _MAX_EDIT_CHARACTERS
    return part[:_MAX_EDIT_CHARACTERS] + "…" if too_long else part


def _place(value: Any, step: JsonObject) -> tuple[str | None, int] | None:
    """The field and the offset of a change in the changed input; None where that does not follow from the two."""
    texts: dict[str | None, Any] = {None: value} if isinstance(value, str) else value
    found = [
        (field, at)
        for field, text in texts.items()
        if isinstance(text, str) and (at := _offset(text, step)) is not None
    ]
    return found[0] if len(found) == 1 else None


def _offset(text: str, step: JsonObject) -> int | None:
    if "find" in step:
        found = text.find(step["replace"])
        return None if found < 0 else found
    at, inserted = step.get("at"), step.get("space", step.get("text"))
    if at is None or inserted is None:
        return None
    # What is inserted at the end of a text may have a space before it.
    return next((place for place in (at, at + 1) if text.startswith(inserted, place)), None)


def _cut(value: Any, field: str | None, at: int | None) -> tuple[Any, JsonObject | None]:
    if isinstance(value, str):
        text, place = _window(value, at or 0)
        return text, None if at is None else {"field": None, "at": place}
    shown = {key: _shortened(item) for key, item in value.items()}
    edited = None
    if field is not None and at is not None:
        shown[field], place = _window(value[field], at)
        edited = {"field": field, "at": place}
    text = canonical_text(shown)
    if len(text) <= MAX_SHOWN_OBJECT:
        return shown, edited
    return (text[:MAX_SHOWN_CHARACTERS] + "…", None) if field is None else ({field: shown[field]}, edited)


def _window(text: str, at: int) -> tuple[str, int]:
    """A long text cut to where it was changed, and the place of the change in what is left."""
    if len(text) <= MAX_SHOWN_CHARACTERS:
        return text, at
    start = max(min(at - _BEFORE, len(text) - MAX_SHOWN_CHARACTERS), 0)
    end = start + MAX_SHOWN_CHARACTERS
    return "…" * (start > 0) + text[start:end] + "…" * (end < len(text)), at - start + (start > 0)


def _shortened(value: Any) -> Any:
    """A JSON value with its long texts cut."""
    if isinstance(value, str):
        return _window(value, 0)[0]
    if isinstance(value, dict):
        return {key: _shortened(item) for key, item in value.items()}
    return [_shortened(item) for item in value] if isinstance(value, list) else value
