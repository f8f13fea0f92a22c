"""Laws of candidate generators: what every built-in strategy keeps, whatever the text and the seed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robust import Case, Edit, generate_variants
from robust.canon import JsonObject, RandomStream, digest_value, nfc
from robust.records.encoding import canonical_case
from robust.records.replacement import Replacement
from robust.transforms.reordering import parts_of, reordered
from robust.transforms.strategies import BUILT_IN, rewrites, synonyms
from robust.transforms.unicode_forms import Confusables
from tests.laws.strategies import cases, ids

PIECES = [
    *("The invoice", "is", "cannot", "isn't", "don’t", "not", "due", "PAID", "NASA", "Straße", "ﬁne", "x²", "naïve"),
    *(
        "cafe\u0301",
        "مرحبا",
        "日本語",
        "👩‍👩‍👧‍👦",
        "e\u0301\u0323",
        "12,500.50",
        "12500",
        "1 234 567",
        "1.234.567,8",
        "1,234",
        "3.50",
    ),
    *(
        "2024",
        "2025-03-04",
        "4 March 2025",
        "March 4, 2025",
        "04.03.2025",
        "31.02.2025",
        "a@b.example",
        "v1.2.3",
        "-5000",
    ),
    *(
        "(",
        ")",
        "“so”",
        ",",
        ";",
        ":",
        ".",
        "?",
        "!",
        "...",
        "…",
        "–",
        "-",
        "\n",
        "\r\n",
        "- one\n- two\n- three",
        "\t",
        " ",
    ),
    *("a; b; c.", "Buy: bread, milk and tea.", "one\ntwo", "\u200f", "\u2028", "\x00", "ŉ", "İ", "ß"),
]
TABLES = [
    rewrites([Replacement("is", "is not", "counterfactual"), Replacement("due", "payable", line=2)]),
    synonyms([Replacement("invoice", "bill"), Replacement("the invoice", "what you owe")]),
]
STRATEGIES = [*BUILT_IN.values(), *TABLES]
texts = st.one_of(
    st.text(max_size=40),
    st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
)


def done_again(params: JsonObject, text: str) -> str:
    """What the record of an edit makes of the text that it was made of."""
    if "order" in params:
        found = [
            parts for parts in parts_of(text) if (parts.kind, parts.spans[0][0]) == (params["parts"], params["at"])
        ]
        return reordered(text, found[0].spans, params["order"])
    edits: list[JsonObject] = params.get("edits", [params])
    done, made = 0, ""
    for edit in edits:
        assert edit["at"] >= done
        assert text.startswith(edit["from"], edit["at"])
        made += text[done : edit["at"]] + edit["to"]
        done = edit["at"] + len(edit["from"])
    return made + text[done:]


@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda strategy: str(strategy.name))
@given(texts, st.integers(0, 2**53 - 1))
def test_an_edit_follows_from_text_and_stream_and_tells_what_it_did(strategy: Any, text: str, seed: int) -> None:
    """Twice the same; what it says makes the same text again; it invents nothing that cannot be stored."""
    edit = strategy.edit(text, RandomStream(seed))
    assert edit == strategy.edit(text, RandomStream(seed))
    if edit is None:
        assert strategy.edit(text, RandomStream("another", seed)) is None
        return
    assert isinstance(edit, Edit)
    assert edit.text.encode()
    assert digest_value(edit.params)
    if "form" not in edit.params and strategy.name != "white-space":
        assert done_again(edit.params, text) == edit.text
    assert strategy.edit(text, RandomStream("another", seed)) is not None


@given(texts, st.integers(0, 99))
def test_look_alikes_are_no_other_text_by_their_number(text: str, seed: int) -> None:
    """Each letter is replaced by one other letter, one to three of them."""
    edit = Confusables().edit(text, RandomStream(seed))
    if edit is not None:
        changed = [pair for pair in zip(text, edit.text, strict=True) if pair[0] != pair[1]]
        assert 1 <= len(changed) <= 3
        assert all(after.isalpha() and after.isupper() == before.isupper() for before, after in changed)


@settings(max_examples=40)
@given(
    st.lists(cases, min_size=1, max_size=4, unique_by=lambda case: nfc(case.case_id)),
    st.lists(st.sampled_from([each.name for each in BUILT_IN.values()]), min_size=1, max_size=4),
    st.integers(0, 9),
    st.integers(1, 3),
)
def test_every_wish_is_a_candidate_or_counted_and_nothing_else_of_a_case_changes(
    bases: list[Case], names: list[str], seed: int, per_case: int
) -> None:
    """The counts add up; ids are new; answer cleared; source, metadata and media kept; more of them changes none."""
    bases = [Case.from_json({**case.to_json(), "origin": None}) for case in bases]
    made = generate_variants(bases, strategies=names, seed=seed, per_case=per_case)
    candidates = list(made)
    report = made.report
    for counts in report["strategies"]:
        outcomes = (counts[name] for name in ("generated", "unchanged", "duplicate", "not_applicable"))
        assert sum(outcomes) == len(bases) * per_case
    counted = Counter(case.origin.transform for case in candidates if case.origin is not None)
    assert counted == Counter({each["name"]: each["generated"] for each in report["strategies"] if each["generated"]})
    assert report["candidates"] == len(candidates)
    known = {nfc(case.case_id) for case in bases}
    by_id = {case.case_id: case for case in bases}
    contents = set()
    for case in candidates:
        assert nfc(case.case_id) not in known
        known.add(nfc(case.case_id))
        assert case.origin is not None
        base = by_id[case.origin.parent_id]
        assert case.origin.parent_content == base.content_digest != case.content_digest
        assert (case.origin.seed, case.expected, case.source_id) == (seed, None, base.source_id)
        assert digest_value(case.to_json()["metadata"]) == digest_value(base.to_json()["metadata"])
        assert case.media == base.media
        assert Case.from_json(case.to_json()) == case
        contents.add((base.case_id, case.content_digest))
    assert len(contents) == len(candidates)
    fewer = list(generate_variants(bases, strategies=names[:1], seed=seed))
    first = [
        case for case in candidates if case.origin and case.origin.index == 0 and case.origin.transform == names[0]
    ]
    assert [canonical_case(case) for case in fewer] == [canonical_case(case) for case in first]


@given(st.lists(ids, min_size=1, max_size=6, unique_by=nfc), st.data())
def test_no_candidate_takes_the_id_of_another_case(parents: list[str], data: Any) -> None:
    """Even where other cases are called just as candidates would be."""
    hostile = [f"{data.draw(st.sampled_from(parents))}~typo-swap-{number}" for number in range(3)]
    names = list(dict.fromkeys(map(nfc, [*parents, *(name for name in hostile if len(name) <= 256)])))
    bases = [Case("some words to swap", case_id=name, source_id="s") for name in names]
    made = [case.case_id for case in generate_variants(bases, strategies=["typo-swap"], per_case=3)]
    assert len({nfc(name) for name in (*names, *made)}) == len(names) + len(made)
