"""Manifests and their differences as text: nothing in an id or a value can steer a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from robust import Case, Manifest, find_near_duplicates
from robust.app.manifest_summary import summarise_manifest
from robust.records.refused import Refused
from robust.render.manifest import diff_text, near_duplicates_text, refused_text, summary_text
from tests.builders import valid_variant

HOSTILE = "a\u202eb"


def case(case_id: str, **fields: Any) -> Case:
    return Case(f"question {case_id}", **{"case_id": case_id, "source_id": case_id, "expected": 1, **fields})


def test_a_summary_shows_everything_once(tmp_path: Path) -> None:
    """Splits in a table; oracles with their contracts."""
    cases = [case(HOSTILE), case("b")]
    manifest = Manifest.build("m", cases=cases, validations=[valid_variant()], splits={"x": 0.5, "y": 0.5})
    manifest.save(tmp_path / "m.jsonl")
    text = summary_text("m.jsonl", summarise_manifest(tmp_path / "m.jsonl"))
    assert manifest.digest in text
    assert "4 cases of 3 sources, 1 validations" in text
    assert "labels: 2 given, 2 derived by an oracle" in text
    assert "groups: 3, 1 to 2 cases each, median 1; largest: source (2), a\\u{202e}b (1), b (1)" in text
    assert "relations: 1 counterfactual" in text
    assert "check_addition" in text
    assert "integer-addition/v1: 1 validations" in text
    assert HOSTILE not in text
    assert text.splitlines()[-3].split() == [
        "split", "cases", "sources", "bases", "variants", "given", "by", "oracle", "no", "label",
    ]  # fmt: skip


def test_a_difference_lists_each_kind_up_to_a_number() -> None:
    """And says how many more there are."""
    before = Manifest.build("m", cases=[case(HOSTILE), case("b"), *(case(f"r{n}") for n in range(4))])
    after = Manifest.build("n", cases=[case(HOSTILE, metadata={"x": 1}), case("b"), *(case(f"s{n}") for n in range(3))])
    lines = list(diff_text(before.diff(after).to_json(), shown=2))
    assert lines[2:] == [
        "the second does not extend the first",
        "differs: 3 added, 4 removed, 1 changed",
        "  header $.name: m -> n",
        "  + s0  in 'development'",
        "  + s1  in 'development'",
        "  + … and 1 more (all are listed with -f json)",
        "  - r0  was in 'development'",
        "  - r1  was in 'development'",
        "  - … and 2 more (all are listed with -f json)",
        "  ~ a\\u{202e}b",
        "      $.case.metadata.x: (absent) -> 1",
    ]
    assert list(diff_text(before.diff(before).to_json()))[-1] == "no difference"


def test_moves_and_many_paths_are_shown() -> None:
    """Each with where from and where to."""
    metadata = {f"k{n}": n for n in range(5)}
    before = Manifest.build("m", cases=[case("a"), case("b")], splits={"x": ["a"], "y": ["b"]})
    after = Manifest.build("m", cases=[case("a", metadata=metadata), case("b")], splits={"x": ["b"], "y": ["a"]})
    lines = list(diff_text(before.diff(after).to_json(), shown=2))
    assert "  > a  'x' -> 'y'" in lines
    assert "      … and 3 more paths (all are listed with -f json)" in lines


def test_near_duplicates_are_listed_with_their_similarity(tmp_path: Path) -> None:
    """And an incomplete list says so."""
    cases = [Case("a b c d", 1, case_id=name, source_id=name) for name in (HOSTILE, "b")]
    cases += [Case("a b c x", 1, case_id="c", source_id="c")]
    splits = {"x": [HOSTILE, "b"], "y": ["c"]}
    Manifest.build("m", cases=cases, splits=splits).save(tmp_path / "m.jsonl")
    lines = list(near_duplicates_text(find_near_duplicates(tmp_path / "m.jsonl", limit=1).to_json()))
    assert lines[0].split() == ["0.5", "a\\u{202e}b", "(x)", "c", "(y)", "1", "pair"]
    assert lines[1:3] == ["        a\\u{202e}b: a b c d", "        c: a b c x"]
    assert lines[3].startswith("1 finding (1 pair or more; not all are listed) in different splits with a similarity")


def test_what_was_left_out_is_listed_up_to_a_limit_and_counted_by_status_and_codes() -> None:
    """Names cannot steer a terminal; a single one needs no count."""
    refused = [Refused(case_id=f"c{number}", status="invalid", codes=("rejected",)) for number in range(3)]
    refused.append(Refused(case_id="\u202eu", status="unknown", codes=("unreviewed", "answer_missing")))
    counted = "left out in all: 3 invalid (rejected), 1 unknown (unreviewed, answer_missing)"
    assert list(refused_text(refused, shown=2)) == [
        "left out: c0: invalid (rejected)",
        "left out: c1: invalid (rejected)",
        "left out: … and 2 more",
        counted,
    ]
    *_, last, count = refused_text(refused)
    assert (last, count) == ("left out: \\u{202e}u: unknown (unreviewed, answer_missing)", counted)
    assert list(refused_text(refused[:1])) == ["left out: c0: invalid (rejected)"]
    assert list(refused_text(())) == []
