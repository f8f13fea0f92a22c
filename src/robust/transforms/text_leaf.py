"""Which text of an input a strategy edits: the input itself, a named field, or the only text that there is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from robust.canon import join_path
from robust.transforms.candidate import Shown

# The keys and indices that lead to a text; none for an input that is text.
Leaf: TypeAlias = tuple[str | int, ...]


def text_leaf(shown: Shown, field: str | None) -> Leaf | None:
    """Where the text to edit stands; None where there is none, or where it would have to be guessed.

    Args:
        shown: the input.
        field: of an object, the key of its text. Without it the object must have exactly one text, at any depth.
    """
    if isinstance(shown, str):
        return ()
    if field is not None:
        return (field,) if isinstance(shown.get(field), str) else None
    leaves = _leaves(shown, ())
    first = next(leaves, None)
    return first if next(leaves, None) is None else None


def _leaves(value: Any, path: Leaf) -> Iterator[Leaf]:
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))


def text_at_leaf(shown: Shown, leaf: Leaf) -> str:
    """The text there."""
    value: Any = shown
    for part in leaf:
        value = value[part]
    text: str = value
    return text


def with_text_at_leaf(shown: Shown, leaf: Leaf, text: str) -> Shown:
    """The input with another text there; everything else is shared with the input, and nothing is changed in place."""
    changed: Shown = _with(shown, leaf, text)
    return changed


def _with(value: Any, leaf: Leaf, text: str) -> Any:
    if not leaf:
        return text
    changed = value.copy()
    changed[leaf[0]] = _with(value[leaf[0]], leaf[1:], text)
    return changed


def leaf_path(leaf: Leaf) -> str:
    """Its JSON path."""
    path = "$"
    for part in leaf:
        path = join_path(path, part)
    return path
