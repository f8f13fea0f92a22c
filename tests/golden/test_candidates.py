"""Exact candidates: whoever makes them again, on whatever machine and in whatever year, must get the same ones."""

from __future__ import annotations

import pytest

from robust import Case, generate_variants
from robust.canon import digest_value
from robust.transforms.strategies import BUILT_IN

TEXTS = (
    "The invoice of 12,500.50 EUR, dated 2025-03-04, isn't due before Friday; please don't pay it yet.",
    "Müller's naïve ﬁle is 3.50 m² – so what? Buy: bread, milk and tea.",
    "- привет\n- κόσμε\n- שלום\n- 日本語 👩‍👩‍👧‍👦",
    "They cannot ship 1234567 parts on March 4, 2025...",
)
# Where one of these changes, candidates that were stored can no longer be made again: then robust.strategies/1, in
# transforms/strategy.py, has to become another name as well.
DIGESTS = {
    "typo-neighbour": "30dad3ddb9f9dfc5",
    "typo-swap": "37232ebe382307f4",
    "typo-drop": "1e618c51ad06a3f0",
    "white-space": "79bb8cc0d8d397f9",
    "letter-case": "4624de4bf5dc64d7",
    "confusables": "e8e2f0f570fac83c",
    "unicode-canonical": "4cff70156c102acd",
    "unicode-compatibility": "5434e0c1895a90a5",
    "punctuation": "efa6fa35339cd7f4",
    "negation": "ab490290f7ff65cb",
    "number-grouping": "5802699ea150914c",
    "decimal-separator": "df072300b25b9833",
    "date-format": "55372c4afd5b3159",
    "reordering": "f4c431bd6bbad9d4",
}


@pytest.mark.parametrize("name", BUILT_IN)
def test_candidates_are_those_of_the_first_release(name: str) -> None:
    """Inputs, parameters, ids, relations: all of each stored case."""
    bases = [Case(text, case_id=f"c{number}", source_id="s") for number, text in enumerate(TEXTS)]
    made = [case.to_json() for case in generate_variants(bases, strategies=[name], seed=42, per_case=3)]
    assert made
    assert digest_value(made).removeprefix("sha256:")[:16] == DIGESTS[name]
