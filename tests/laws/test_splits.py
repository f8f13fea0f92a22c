"""The law of fractions: new groups never move old ones, and spellings of one group stay together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from robust import Case, Manifest
from robust.canon import fold
from tests.laws.strategies import ids

sources = st.lists(ids.filter(lambda text: bool(fold(text))), min_size=1, max_size=12, unique_by=fold)
plans = st.sampled_from([{"dev": 0.5, "test": 0.5}, {"a": 0.1, "b": 0.2, "c": 0.7}, {"only": 1.0}])


def splits(names: list[str], plan: dict[str, float], salt: str) -> dict[str, str]:
    """The split of each source."""
    cases = [Case(f"question {name!r}", case_id=f"case {fold(name)!r}", source_id=name) for name in names]
    entries = Manifest.build("law", cases=cases, splits=plan, salt=salt).entries
    return {fold(entry.case.source_id): entry.split for entry in entries}


@given(sources, plans, st.text(max_size=4), st.data())
def test_new_groups_never_move_old_ones(
    names: list[str], plan: dict[str, float], salt: str, data: st.DataObject
) -> None:
    """Whatever is added, and in whatever order, every old assignment stays."""
    kept = data.draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
    before, after = splits(kept, plan, salt), splits(names, plan, salt)
    assert before == {name: after[name] for name in before}


@given(sources, plans)
def test_spellings_of_one_source_are_one_group(names: list[str], plan: dict[str, float]) -> None:
    """Upper case and extra space do not change the split."""
    spelled = [f"  {name.upper()} " if fold(f"  {name.upper()} ") == fold(name) else name for name in names]
    assert splits(names, plan, "") == splits(spelled, plan, "")
