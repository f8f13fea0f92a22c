"""How a decision's labels are shown: which label stands at which place, in which form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from robust.canon import describe
from robust.errors import DataError

# Label as shown and label of the contract, in the order shown; None is the contract's own order and form.
Presentation: TypeAlias = tuple[tuple[str, str], ...]


def presentation_of(pairs: Sequence[tuple[str, str]], labels: Sequence[str]) -> Presentation | None:
    """A presentation; None where it is the contract's own."""
    presentation = tuple(pairs)
    own = tuple((label, label) for label in labels)
    return None if presentation == own else presentation


def shown_labels(presentation: Presentation | None, labels: Sequence[str]) -> tuple[str, ...]:
    """The labels as they are shown, in their order."""
    return tuple(labels) if presentation is None else tuple(shown for shown, _ in presentation)


def contract_positions(presentation: Presentation, labels: Sequence[str]) -> tuple[int, ...]:
    """For each label of the contract, in its order, the place where it is shown."""
    places = {label: place for place, (_, label) in enumerate(presentation)}
    return tuple(places[label] for label in labels)


def compose(outer: Presentation | None, inner: Presentation | None) -> Presentation | None:
    """Show the labels as ``inner`` does, and then what it shows as ``outer`` does.

    Args:
        outer: shows the labels that ``inner`` shows: its second texts are the first texts of ``inner``.
        inner: shows the labels of the contract.
    """
    if outer is None or inner is None:
        return outer if inner is None else inner
    behind = dict(inner)
    return tuple((shown, behind[label]) for shown, label in outer)


def presentation_json(presentation: Presentation | None) -> list[list[str]] | None:
    """A presentation as it stands in a record."""
    return None if presentation is None else [[shown, label] for shown, label in presentation]


def read_presentation(data: Any, labels: Sequence[str], path: str = "$.presentation") -> Presentation | None:
    """A stored presentation.

    Raises:
        DataError: it is no list of pairs of text, shows a label of the contract not once, shows two alike, or is the
            contract's own, which is stored as null.
    """
    if data is None:
        return None
    pairs: list[tuple[str, str]] = []
    for item in data if isinstance(data, list) else [data]:
        if not (isinstance(item, list) and len(item) == 2 and all(type(text) is str for text in item)):
            message = f"must be a list of pairs of shown and contract label, not {describe(data)}"
            raise DataError.of("bad_presentation", message, path=path)
        pairs.append((item[0], item[1]))
    if sorted(label for _, label in pairs) != sorted(labels):
        raise DataError.of("bad_presentation", "must show each label of the contract once", path=path)
    if len({shown for shown, _ in pairs}) < len(pairs):
        raise DataError.of("bad_presentation", "shows two labels alike", path=path)
    presentation = presentation_of(pairs, labels)
    if presentation is None:
        raise DataError.of("bad_presentation", "is the contract's own, which is null", path=path)
    return presentation
