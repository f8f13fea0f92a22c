"""Names of reviewers: one person in several spellings, and two that only look alike."""

from __future__ import annotations

import pytest

from robust import DataError
from robust.records.lookalikes import lookalike_key
from robust.records.reviewers import one_spelling, tidy_name


def test_case_and_white_space_make_no_other_person() -> None:
    """The spelling that stands for all does not depend on the order."""
    assert one_spelling(["anna B.", "Anna B.", "Ben"]) == one_spelling(["Ben", "Anna B.", "anna B."])
    assert one_spelling(["anna B.", "Anna B."])["anna B."] == "Anna B."
    assert tidy_name(" Anna\u00a0 B.\n") == "Anna B."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna", "\u0410nna"),  # a Cyrillic A
        ("Jose", "Jos\u00e9"),
        ("Ben", "Be\u200bn"),
        ("Al Smith", "AlSmith"),
        ("Bill", "BiII"),
        ("Bob 0", "Bob O"),
    ],
)
def test_names_that_look_alike_are_refused_together(one: str, other: str) -> None:
    """As one person who agrees with herself would pass for two."""
    with pytest.raises(DataError, match="look alike") as refused:
        one_spelling([one, other, "Carla"])
    assert ascii(one) in refused.value.problems[0].message
    assert ascii(other) in refused.value.problems[0].message


def test_names_that_differ_are_two_people() -> None:
    """Also in scripts that are not Latin."""
    names = ["Anna", "Hanna", "李雷", "李蕾", "Мария", "Марина"]
    assert len({lookalike_key(name) for name in names}) == len(names)
    assert one_spelling(names) == {name: name for name in names}
