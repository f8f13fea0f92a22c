"""What sections of a contract share: rules between settings, drafts of faulty sections, the normalised form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, ClassVar

import pytest
from pydantic import Field, ValidationError

from robust.records.scalars import Integer, Items, OrNull, Text
from robust.records.section import (
    MOST_PROBLEMS,
    SINCE_1,
    FaultyPartError,
    Misfit,
    Rule,
    Section,
    nearest,
    normalised,
    suggestion,
)


def _ordered(span: Span) -> Iterator[Misfit]:
    if span.low > span.high:
        yield Misfit(("high",), "must not be below low", "exchange them")


def _many(span: Span) -> Iterator[Misfit]:
    for number in range(span.low, span.high):
        if span.low >= 1000:
            yield Misfit((number,), "one of many")


class Span(Section):
    """A made-up section with a rule."""

    combinations: ClassVar[tuple[Rule, ...]] = (_ordered, _many)

    low: Integer
    high: Integer
    note: OrNull[Text] = "none"
    newer: Annotated[Integer, SINCE_1] = 7


def _as_many(plan: Plan) -> Iterator[Misfit]:
    if plan.size != len(plan.spans):
        yield Misfit(("size",), "must be the number of spans")


def _first_is_named(plan: Plan) -> Iterator[Misfit]:
    for name in plan.named:
        if plan.spans[0].note != name:
            yield Misfit(("named", name), "is not the first span's note")


class Plan(Section):
    """A made-up section of sections."""

    combinations: ClassVar[tuple[Rule, ...]] = (_as_many, _first_is_named)

    spans: Items[Span]
    named: dict[Text, Span] = Field(default_factory=dict)
    size: Integer = 1


def _span(low: object = 1, high: object = 2, **more: object) -> dict[str, object]:
    return {"low": low, "high": high, **more}


def _draft(**data: object) -> Plan:
    draft = Plan.draft(data)
    assert draft is not None
    return draft


def test_a_rule_refuses_what_does_not_fit_together_at_its_place() -> None:
    """Below the place of the section that it belongs to, with message and hint."""
    with pytest.raises(ValidationError) as caught:
        Plan.model_validate({"spans": [_span(), _span(5, 3)], "size": 2})
    (error,) = caught.value.errors(include_url=False)
    assert (error["type"], error["loc"]) == ("impossible_combination", ("spans", 1, "high"))
    assert (error["msg"], error["ctx"]["hint"]) == ("must not be below low", "exchange them")


def test_a_draft_has_what_is_sound() -> None:
    """In lists and mappings of sections, too; what is faulty cannot be asked for."""
    draft = _draft(spans=[_span("x", 2)], named={"a": _span(1, "y")}, size="many")
    assert draft.spans[0].high == 2
    assert draft.named["a"].low == 1
    for section, name in ((draft, "size"), (draft.spans[0], "low"), (draft.named["a"], "high")):
        with pytest.raises(FaultyPartError):
            getattr(section, name)


def test_a_draft_keeps_defaults_and_has_no_required_part_that_is_missing() -> None:
    """A default is sound; what had to be said and was not is faulty."""
    draft = _draft(spans=[{"low": 1}])
    assert draft.size == 1
    assert draft.spans[0].note == "none"
    with pytest.raises(FaultyPartError):
        _ = draft.spans[0].high


def test_a_misspelled_setting_is_faulty_and_not_absent() -> None:
    """Nothing may follow from its default; a key that resembles none changes nothing."""
    draft = _draft(spans=[_span(noot="x")], sice=3, zzzzzz=1)
    with pytest.raises(FaultyPartError):
        _ = draft.spans[0].note
    with pytest.raises(FaultyPartError):
        _ = draft.size
    assert _draft(spans=[_span()], zzzzzz=1).size == 1


def test_rules_run_over_a_draft_as_far_as_their_own_parts_are_sound() -> None:
    """One span is faulty, another breaks its rule, and the plan's own rule still counts spans."""
    draft = _draft(spans=[_span("x", 2), _span(5, 3)], size=3)
    assert [misfit.place for misfit in draft.misfits()] == [("size",), ("spans", 1, "high")]
    assert list(_draft(spans="none", size=3).misfits()) == []


def test_a_whole_section_that_is_none_is_faulty() -> None:
    """A list where a mapping is due."""
    draft = _draft(spans=[[1, 2]], named={"a": _span()}, size=1)
    with pytest.raises(FaultyPartError):
        _ = draft.spans
    assert list(draft.misfits()) == []


@pytest.mark.parametrize("data", [None, 5, "text", [1]])
def test_what_is_no_mapping_has_no_draft(data: object) -> None:
    """There is nothing to look at."""
    assert Plan.draft(data) is None


def test_an_attribute_that_no_section_has_is_an_ordinary_mistake() -> None:
    """It is not taken for a faulty part."""
    with pytest.raises(AttributeError):
        _ = Plan(spans=(Span(low=1, high=2),)).nothing  # type: ignore[attr-defined]


def test_all_sections_are_found_with_their_places() -> None:
    """The section itself first."""
    plan = Plan.model_validate({"spans": [_span(note="a")], "named": {"a": _span()}})
    assert [place for place, _ in plan.sections()] == [(), ("spans", 0), ("named", "a")]


def test_one_rule_reports_a_bounded_number_of_problems() -> None:
    """However many a hostile file has."""
    with pytest.raises(ValidationError) as caught:
        Span(low=1000, high=1_000_000)
    assert caught.value.error_count() == MOST_PROBLEMS


def test_the_normalised_form_leaves_out_what_is_absent_and_what_came_later() -> None:
    """An explicit null is kept where the default is something else."""
    span = Span(low=1, high=2, note=None)
    assert normalised(span, "1") == {"low": 1, "high": 2, "note": None, "newer": 7}
    assert normalised(span, "0.1") == {"low": 1, "high": 2, "note": None}
    assert (Span.since("newer"), Span.since("low"), Span.since("nothing")) == ("1", None, None)


def test_a_name_that_resembles_a_known_one_is_suggested() -> None:
    """Otherwise the known ones are listed, as far as a person would read."""
    assert nearest("min_acuracy", ["min_accuracy", "max_ece"]) == "min_accuracy"
    assert suggestion("min_acuracy", ["min_accuracy", "max_ece"]) == "did you mean 'min_accuracy'?"
    assert suggestion("zzz", ["a", "b"], "labels are") == "labels are: a, b"
    assert suggestion("zzz", []) == "known here: none"
    assert suggestion("zzz", (str(number) for number in range(10**6))).endswith("29, …")
