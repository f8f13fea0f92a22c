"""Source groups that fail are collected while records stream by."""

from __future__ import annotations

from collections.abc import Iterator

from robust.canon import JsonObject
from robust.run.failing_groups import FailingPair, collect_groups


def _record(source: str, number: int, name: str = "whitespace", *violations: str) -> JsonObject:
    comparison = {
        "relation": "invariant",
        "base_selected": "yes",
        "variant_selected": "no",
        "base_correct": None,
        "variant_correct": None,
        "tv_distance": 0.5,
    }
    return {
        "id": f"{name}/{source}/{number}",
        "source_id": source,
        "property": name,
        "violations": [*violations] or ["max_tv_distance"],
        "comparison": comparison,
        "reduced": None,
        "input": "some text",
        "steps": [{"at": 4, "space": "  "}],
        "presentation": None,
    }


def _pairs(*records: JsonObject) -> Iterator[FailingPair]:
    return (FailingPair(number, 100 + number, record) for number, record in enumerate(records, start=1))


def test_a_group_is_what_folds_to_one_source() -> None:
    """It has the id, the line and the failure of its first pair, and counts all of them by limit."""
    pairs = _pairs(
        _record("Doc 1", 0),
        _record("s2", 0),
        _record("doc  1 ", 1, "whitespace", "max_tv_distance", "max_flip_rate"),
    )
    first, second = collect_groups(pairs, {"whitespace": 9}, excerpts=True)["whitespace"]
    assert (first.source_id, first.line, first.columns, first.pairs) == ("Doc 1", 1, 101, 2)
    assert first.violations == {"max_tv_distance": 2, "max_flip_rate": 1}
    assert first.first["id"] == "whitespace/Doc 1/0"
    assert first.first["shown"] == "some text"
    assert (second.source_id, second.line, second.pairs) == ("s2", 2, 1)


def test_no_more_groups_are_kept_than_are_listed() -> None:
    """Pairs of those that are kept go on to be counted; the others are left alone, and cost nothing."""
    seen = 0

    def pairs() -> Iterator[FailingPair]:
        nonlocal seen
        for number in range(10_000):
            seen += 1
            yield FailingPair(number, 1, _record(f"s{number % 5000}", number))

    kept = collect_groups(pairs(), {"whitespace": 3, "paraphrase": 0}, excerpts=False)
    assert seen == 10_000
    assert [(group.source_id, group.pairs) for group in kept["whitespace"]] == [("s0", 2), ("s1", 2), ("s2", 2)]
    assert kept["paraphrase"] == []
    assert "shown" not in kept["whitespace"][0].first


def test_properties_do_not_share_groups() -> None:
    """One source may fail under several."""
    pairs = _pairs(_record("s1", 0), _record("s1", 0, "paraphrase"), _record("s1", 1))
    kept = collect_groups(pairs, {"whitespace": 5, "paraphrase": 5}, excerpts=False)
    assert {name: [(group.line, group.pairs) for group in groups] for name, groups in kept.items()} == {
        "whitespace": [(1, 2)],
        "paraphrase": [(2, 1)],
    }
