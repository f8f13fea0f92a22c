"""Laws of the oracles of presentations and of reviews."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from robust import Case, OracleVerdict, Origin, Validation, validate_variant
from robust.oracle.positional_words import BOTH, ORDINALS, POSITIONAL_PHRASES
from robust.oracle.presentation import PresentationOracle
from robust.oracle.reviewed import ReviewedOracle
from robust.records.label_styles import LABEL_STYLES, LabelStyle, collision, styled
from tests.laws.strategies import json_values, texts

# Words that no language has, so that none of them is a word of position.
invented = st.text("bdfgjkpqz", min_size=2, max_size=6)
ordinary = st.lists(invented, min_size=1, max_size=3).map(" ".join)
label_lists = st.lists(ordinary, min_size=2, max_size=6, unique=True)
styles = st.sampled_from(LABEL_STYLES)
references = st.sampled_from(["A and B", "1 and 2", "both A and C", "option 2", "B is correct", "only A", "1st"])
positional = st.one_of(
    st.builds(
        lambda before, phrase, after: " ".join([*before, phrase, *after]),
        st.lists(invented, max_size=2),
        st.sampled_from(POSITIONAL_PHRASES),
        st.lists(invented, max_size=2),
    ),
    st.sampled_from(ORDINALS),
    st.sampled_from(BOTH),
    references,
).flatmap(lambda label: st.sampled_from([label, label.upper(), label.title(), f"{label}."]))


def judged(before: Any, after: Any, shown: Any = "?", positional: tuple[str, ...] = ()) -> OracleVerdict:
    pairs = (list(map(list, before)), list(map(list, after)))
    base, candidate = (
        Case({"input": shown, "labels": labels}, case_id=case_id, source_id="s")
        for case_id, labels in zip("bc", pairs, strict=True)
    )
    return PresentationOracle(positional=positional)(base, candidate)


def in_order(labels: list[str]) -> list[tuple[str, str]]:
    return [(label, label) for label in labels]


def in_style(labels: list[str], style: LabelStyle) -> list[tuple[str, str]]:
    return [(styled(label, style, place), label) for place, label in enumerate(labels)]


@given(label_lists, st.data(), json_values)
def test_any_order_of_ordinary_labels_is_vouched_for(labels: list[str], data: st.DataObject, shown: Any) -> None:
    """Whatever the input, which stays."""
    order = data.draw(st.permutations(labels))
    assume(order != labels)
    verdict = judged(in_order(labels), in_order(order), shown)
    assert verdict.valid is True
    assert verdict.evidence


@given(label_lists, styles)
def test_any_style_of_ordinary_labels_is_vouched_for(labels: list[str], style: LabelStyle) -> None:
    """Unless it changes nothing."""
    after = in_style(labels, style)
    assert (judged(in_order(labels), after).valid is True) == (after != in_order(labels))


@given(label_lists, positional, st.data())
def test_no_presentation_with_a_label_of_position_is_vouched_for(
    labels: list[str], label: str, data: st.DataObject
) -> None:
    """Wherever it stands, in any order or style."""
    place = data.draw(st.integers(0, len(labels)))
    whole = [*labels[:place], label, *labels[place:]]
    style = data.draw(styles)
    order = data.draw(st.permutations(whole))
    for after in (in_order(order), in_style(whole, style)):
        if after != in_order(whole) and collision(whole, [form for form, _ in after]) is None:
            assert judged(in_order(whole), after).valid is None


@given(label_lists, st.data())
def test_no_declared_label_is_vouched_for(labels: list[str], data: st.DataObject) -> None:
    """In whatever case the contract declares it."""
    declared = data.draw(st.sampled_from(labels))
    assert judged(in_order(labels), in_order(labels[::-1]), positional=(declared.upper(),)).valid is None


@given(label_lists, st.data())
def test_only_the_same_labels_shown_apart_are_vouched_for(labels: list[str], data: st.DataObject) -> None:
    """Whatever is shown in their place: what is vouched for has each label once, and no two alike."""
    shown = data.draw(st.lists(st.sampled_from(labels) | texts, min_size=len(labels), max_size=len(labels) + 1))
    meant = data.draw(st.lists(st.sampled_from(labels), min_size=len(shown), max_size=len(shown)))
    after = list(zip(shown, meant, strict=True))
    if judged(in_order(labels), after).valid is True:
        assert sorted(meant) == sorted(labels)
        assert len({form.casefold() for form in shown}) == len(shown)
        # No label is shown as another one.
        assert all(form == label or form not in labels for form, label in after)


@given(json_values, json_values, json_values)
def test_nothing_that_is_no_presentation_is_vouched_for(one: Any, other: Any, third: Any) -> None:
    """Nor does it raise anything."""
    for before, after in (({"input": one, "labels": other}, {"input": one, "labels": third}), ({"a": one}, "text")):
        base = Case(before, case_id="b", source_id="s")
        candidate = Case(after, case_id="c", source_id="s")
        assert PresentationOracle()(base, candidate).valid is not True


BASE = Case("2 keys", case_id="base", source_id="s")
CANDIDATE = Case(
    "two keys",
    case_id="candidate",
    source_id="s",
    origin=Origin(parent_id="base", parent_content=BASE.content_digest, relation="invariant"),
)


def review(number: int, valid: bool | None) -> Validation:
    def reviewer(*_: Case) -> OracleVerdict:
        return OracleVerdict(valid, f"review {number}", 2, 2, {"number": number})

    return validate_variant(BASE, CANDIDATE, relation="invariant", contract="reviews/v1", validator=reviewer)


REVIEWS = [review(number, valid) for number, valid in enumerate([True, True, False, False, None, None])]


@given(st.lists(st.sampled_from(REVIEWS), min_size=1, max_size=8), st.randoms())
def test_reviews_vouch_only_together(records: list[Validation], random: Any) -> None:
    """Whatever their order and number: true where all are valid, false where all are invalid, else nothing."""
    statuses = {record.status for record in records}
    due = True if statuses == {"valid"} else False if statuses == {"invalid"} else None
    shuffled = random.sample(records, len(records))
    for given_records in (records, shuffled):
        verdict = ReviewedOracle(given_records)(BASE, CANDIDATE)
        assert verdict.valid is due
        named = {item if isinstance(item, str) else item["digest"] for item in verdict.evidence["records"]}
        assert named == {record.digest for record in records}
