"""A judgement as data."""

from __future__ import annotations

from typing import Any

import pytest

from robust import DataError
from robust.records.review import Judgement

JUDGEMENT = Judgement(valid=None, reason="read", reviewer="Anna", reviewed_at="2026-03-30", base_answer=6)


def test_a_judgement_is_written_with_the_words_of_a_sheet() -> None:
    """And read back from them."""
    assert JUDGEMENT.to_json()["valid"] == "unknown"
    assert Judgement.from_json(JUDGEMENT.to_json()) == JUDGEMENT


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"valid": True}, "$.valid"),
        ({"valid": ["yes"]}, "$.valid"),
        ({"reason": None}, "$.reason"),
        ({"reviewer": 5}, "$.reviewer"),
        ({"reviewed_at": {}}, "$.reviewed_at"),
        ({"more": 1}, "$"),
    ],
)
def test_a_judgement_in_another_form_is_refused(change: dict[str, Any], path: str) -> None:
    """With the field that is wrong."""
    with pytest.raises(DataError) as refused:
        Judgement.from_json({**JUDGEMENT.to_json(), **change})
    assert [problem.path for problem in refused.value.problems] == [path]


@pytest.mark.parametrize("data", [None, [], {}, {"valid": "yes"}])
def test_what_is_no_judgement_is_refused(data: object) -> None:
    """Whatever it is."""
    with pytest.raises(DataError, match="a judgement must be an object of base_answer, reason"):
        Judgement.from_json(data)
