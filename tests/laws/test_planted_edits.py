"""Laws of planted edits: what is known of them does not depend on the text."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from robust import Case
from robust.transforms.planted import DOMAINS, PLANTS, plants_of
from robust.transforms.planting import planted_candidates

PIECES = st.sampled_from(
    [
        *("The fee of 12.50 EUR", "is not due", "before 5 March 2021", "on 2024-02-29", "at 10:30", "-5 °C", "−7.25 %"),
        *("Orsini owes Bakker", "at least 30%", "of 5 million", "INV-2041", "+49 30 1234567", "https://example.org/a"),
        *("info@example.org", "It isn't", "never closes", "approved", "café", ".", "?", "!", ",", "\n\n", "\n", "1."),
        *("  ", '"', "`", "€5", "1,250", "0.0", "whether", "$120", "within 14 days", "don't", "the", "and", "10 am"),
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=12).map(" ".join), st.text(max_size=60))
_SIGNS = str.maketrans({"−": "-", "’": "'", "\u00a0": " "})


def plain(text: str) -> str:
    """What a text says as far as layout and typography can say nothing."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_SIGNS).split())


def candidates(text: str, **settings: int) -> list[tuple[str, str, Case]]:
    base = Case(text, 1, case_id="b", source_id="s", metadata={"kept": True})
    found = planted_candidates(base, plants_of(DOMAINS), **{"seed": 0, "per_case": 2, **settings}, text_field=None)
    return [(item.plant.truth, item.plant.name, item.candidate) for item in found if item.candidate is not None]


@given(TEXTS)
def test_valid_edits_change_layout_alone_and_invalid_ones_more(text: str) -> None:
    """Layout and typography taken away, valid candidates are their base and invalid ones are not."""
    for truth, name, candidate in candidates(text):
        assert (plain(str(candidate.input)) == plain(text)) == (truth == "valid"), name


@given(TEXTS, st.integers(-5, 5))
def test_equal_texts_and_seeds_give_equal_candidates(text: str, seed: int) -> None:
    """To the last field."""
    first, second = candidates(text, seed=seed), candidates(text, seed=seed)
    assert [item.to_json() for *_, item in first] == [item.to_json() for *_, item in second]


@given(TEXTS)
def test_no_two_candidates_are_alike_and_none_is_the_base(text: str) -> None:
    """Each is a pair of its own."""
    texts = [candidate.input for *_, candidate in candidates(text)]
    assert len({*texts, text}) == len(texts) + 1


@given(TEXTS)
def test_nothing_but_the_text_tells_an_oracle_what_was_done(text: str) -> None:
    """Two candidates of one base differ in text, id and index alone."""
    shown = []
    for _, _, candidate in candidates(text):
        data = candidate.to_json()
        assert (data["expected"], data["source_id"], data["metadata"]) == (None, "s", {"kept": True})
        assert data["case_id"] == f"b~audit-{data['origin']['index']}"
        shown.append({**data, "input": "", "case_id": "", "origin": {**data["origin"], "index": 0}})
    assert all(each == shown[0] for each in shown)


@given(TEXTS)
def test_what_an_edit_says_it_did_gives_its_text(text: str) -> None:
    """So that it can be understood, and done again."""
    from robust.transforms.planted import plant_stream

    for plant in PLANTS:
        edit = plant.edit(text, plant_stream(1, plant, "b", 0))
        if edit is not None:
            at, old, new = edit.params["at"], edit.params["from"], edit.params["to"]
            assert text[:at] + new + text[at + len(old) :] == edit.text != text
