"""Laws of presentations: however often labels are shown otherwise, answers come back to their label."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from robust.canon import canonical_bytes, parse_canonical
from robust.records.presentation import (
    Presentation,
    compose,
    contract_positions,
    presentation_json,
    presentation_of,
    read_presentation,
    shown_labels,
)

texts = st.text(min_size=1, max_size=5)
label_lists = st.lists(texts, min_size=2, max_size=6, unique=True)


@st.composite
def shown_otherwise(draw: st.DrawFn, labels: tuple[str, ...]) -> Presentation | None:
    """These labels in some order and some form; sometimes as they are."""
    order = draw(st.permutations(range(len(labels))))
    forms = draw(st.one_of(st.just(labels), st.lists(texts, min_size=len(labels), max_size=len(labels), unique=True)))
    return presentation_of([(forms[place], labels[place]) for place in order], labels)


@st.composite
def stacks(draw: st.DrawFn) -> tuple[tuple[str, ...], list[Presentation | None]]:
    """The labels of a contract, and presentations that each show what the one before shows."""
    labels = tuple(draw(label_lists))
    shown, stack = labels, []
    for _ in range(draw(st.integers(0, 4))):
        presentation = draw(shown_otherwise(shown))
        stack.append(presentation)
        shown = shown_labels(presentation, shown)
    return labels, stack


def _composed(stack: list[Presentation | None]) -> Presentation | None:
    whole = None
    for presentation in stack:
        whole = compose(presentation, whole)
    return whole


@given(stacks())
def test_mapping_back_after_any_composition_is_the_identity(
    drawn: tuple[tuple[str, ...], list[Presentation | None]],
) -> None:
    """A model that knows of each shown label only which one it stands for gives the contract's own numbers."""
    labels, stack = drawn
    due = {label: number for number, label in enumerate(labels)}
    answer = due
    for presentation in stack:
        answer = answer if presentation is None else {shown: answer[label] for shown, label in presentation}
    whole = _composed(stack)
    assert tuple(answer) == shown_labels(whole, labels)
    values = list(answer.values())
    places = range(len(labels)) if whole is None else contract_positions(whole, labels)
    assert [values[place] for place in places] == list(due.values())


@given(stacks())
def test_presentations_compose_in_any_grouping(drawn: tuple[tuple[str, ...], list[Presentation | None]]) -> None:
    """Those that come later put together first, or those that come first."""
    _, stack = drawn
    from_behind = None
    for presentation in reversed(stack):
        from_behind = compose(from_behind, presentation)
    assert from_behind == _composed(stack)


@given(stacks())
def test_a_presentation_survives_being_stored(drawn: tuple[tuple[str, ...], list[Presentation | None]]) -> None:
    """As canonical JSON."""
    labels, stack = drawn
    whole = presentation_of(_composed(stack) or [(label, label) for label in labels], labels)
    stored = canonical_bytes(presentation_json(whole))
    assert read_presentation(parse_canonical(stored), labels) == whole
