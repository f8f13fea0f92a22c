"""The laws of manifest operations, over cases with variants in any mixture."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from robust import Case, Manifest, Validation
from robust.app.manifest_writing import write_manifest
from tests.builders import judged, sum_case
from tests.validators import check_addition

SOURCES = tuple(f"source {number}" for number in range(6))
PLANS: tuple[Any, ...] = ({"dev": 0.5, "test": 0.5}, {"a": 0.2, "b": 0.3, "c": 0.5}, {"only": 1.0}, None)


@cache
def plain(source: str, number: int) -> Case:
    return Case(f"question {number} of {source}", number % 3, case_id=f"{source}/{number}", source_id=source)


@cache
def validation(source: str, number: int) -> Validation:
    """A variant of the one base of a source, whose input is its own."""
    place = SOURCES.index(source)
    base = sum_case(f"base {source}", f"What is {place} plus 4?", source_id=source)
    variant = sum_case(f"variant {source} {number}", f"What is {place} plus {5 + number}?", source_id=source)
    return judged(check_addition, (base, variant))


cases = st.lists(st.builds(plain, st.sampled_from(SOURCES), st.integers(0, 4)), max_size=12, unique_by=id)
validations = st.lists(st.builds(validation, st.sampled_from(SOURCES), st.integers(0, 3)), max_size=8, unique_by=id)
contents = st.tuples(cases, validations).filter(lambda content: bool(content[0] or content[1]))
Content = tuple[list[Case], list[Validation]]


def build(content: Content, splits: Any = None, salt: str = "") -> Manifest:
    return Manifest.build("m", cases=content[0], validations=content[1], splits=splits, salt=salt)


def together(first: Content, second: Content) -> Content:
    """Everything of both, each once."""
    return list(dict.fromkeys(first[0] + second[0])), list(dict.fromkeys(first[1] + second[1]))


def lines(manifest: Manifest) -> list[bytes]:
    """What a manifest says but for its header."""
    return list(manifest.lines())[1:]


@given(contents, st.sampled_from(PLANS), st.randoms(), st.sampled_from([1, 700, 10**9]))
def test_writing_as_a_stream_gives_the_bytes_of_building(content: Content, plan: Any, random: Any, buffer: int) -> None:
    """Whatever the order, and however often what is sorted goes to disk."""
    mixed: Any = [random.sample(part, len(part)) for part in content]
    with tempfile.TemporaryDirectory() as folder:
        built, written = Path(folder) / "built", Path(folder) / "written"
        manifest = build(content, plan)
        manifest.save(built)
        digest = write_manifest(written, "m", cases=mixed[0], validations=mixed[1], splits=plan, buffer_bytes=buffer)
        assert written.read_bytes() == built.read_bytes()
        assert digest == manifest.digest


@given(contents, contents, st.sampled_from(PLANS))
def test_merging_is_building_from_everything(first: Content, second: Content, plan: Any) -> None:
    """In either order, and merging again adds nothing."""
    one, other, whole = build(first, plan), build(second, plan), build(together(first, second), plan)
    merged = Manifest.merge("m", [one, other])
    assert lines(merged) == lines(whole)
    assert Manifest.merge("m", [other, one]) == merged
    assert lines(Manifest.merge("m", [merged, one])) == lines(merged)
    assert merged.header["split_rule"] == whole.header["split_rule"]


@given(contents, contents, st.sampled_from(PLANS))
def test_extending_keeps_every_old_line_or_fills_its_answer(first: Content, second: Content, plan: Any) -> None:
    """No case moves or leaves, what is new is what building places, and the result holds when it is read."""
    old = build(first, plan)
    fresh = [case for case in second[0] if case not in first[0]]
    added = [each for each in second[1] if each not in first[1]]
    if not fresh and not added:
        return
    new = old.extend(cases=second[0], validations=second[1])
    assert Manifest.from_lines(new.lines()) == new
    found = old.diff(new)
    assert found.is_extension
    assert not (found.removed or found.moved or found.validations_removed)
    assert new.splits == build(together(first, second), plan).splits


@given(contents, st.sampled_from(PLANS), st.sampled_from(PLANS[:3]), st.text(max_size=3).filter(str.isprintable))
def test_splitting_anew_is_building_with_that_plan(content: Content, plan: Any, other: Any, salt: str) -> None:
    """And splitting back gives the old lines."""
    old = build(content, plan)
    new = old.split(other, salt=salt, resplit=True)
    assert lines(new) == lines(build(content, other, salt))
    if plan is not None:
        assert lines(new.split(plan, resplit=True)) == lines(old)


@given(contents, st.data())
def test_a_subset_is_whole_by_itself_and_merges_back(content: Content, data: st.DataObject) -> None:
    """Every variant has its base and what vouches for it; the parts together are the whole."""
    old = build(content)
    ids = [case.case_id for case in old.cases]
    chosen = data.draw(st.lists(st.sampled_from(ids), min_size=1, unique=True))
    part = old.subset(ids=chosen)
    assert Manifest.from_lines(part.lines()) == part
    assert set(chosen) <= {case.case_id for case in part.cases} <= set(ids)
    found = old.diff(part)
    assert not (found.added or found.moved)
    assert lines(Manifest.merge("m", [part, old])) == lines(old)


@given(contents, contents)
def test_a_difference_turned_round_is_the_difference_back(first: Content, second: Content) -> None:
    """What was added is removed, and what was before is after."""
    one, other = build(first), build(second)
    there, back = one.diff(other), other.diff(one)
    assert (there.added, there.removed) == (back.removed, back.added)
    assert there.validations_added == back.validations_removed
    assert {case_id: [(c.path, c.after, c.before) for c in changes] for case_id, changes in there.changed.items()} == {
        case_id: [(c.path, c.before, c.after) for c in changes] for case_id, changes in back.changed.items()
    }
    assert there.empty == (one == other)


@given(contents, st.data())
def test_every_line_has_a_proof_that_holds_and_no_other_line_does(content: Content, data: st.DataObject) -> None:
    """With the path, index and size of one line no other line leads to the root."""
    manifest = build(content)
    names = [case.case_id for case in manifest.cases] + [each.digest for each in manifest.validations]
    proof = manifest.prove(data.draw(st.sampled_from(names)))
    assert proof.problems() == []
    assert proof.manifest == manifest.digest
    others = [name for name in names if name not in (proof.line.get("case") or {}).values()]
    if others:
        other = manifest.prove(data.draw(st.sampled_from(others)))
        if other.line != proof.line:
            assert proof.model_copy(update={"line": other.line}).problems()
            assert proof.model_copy(update={"index": other.index}).problems()
