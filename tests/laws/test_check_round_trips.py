"""Whatever a system does, its check can be written, reads back as what it was, and any edit of a byte is told."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robust import NotApplicable, Relation, check, check_many, load_check, not_less, save_check, unchanged, verify
from robust.canon import canonical_bytes, parse_canonical
from tests.run_fixtures import logical
from tests.unit.app.relation_checks import CHECKS

ASSERTIONS: list[Any] = [unchanged(), unchanged(abs_tol=1.0), not_less(), lambda before, after: before == after]
OUTPUTS = st.one_of(
    st.sampled_from(["a", "b", None, True, 1, 1.0, float("nan"), (1, 2), [1, 2], {"x": 1}, {1: b"y"}, 2**70]),
    st.floats(),
    st.text(max_size=3),
)
FILES = ("report.json", "records.jsonl", "contract.json")


class _Raising:
    """Stands for an output that is raised."""


def _system(outputs: list[Any]) -> Any:
    endless = itertools.cycle(outputs)

    def system(_: Any) -> Any:
        output = next(endless)
        if output is _Raising:
            raise ValueError("no output")
        return output

    return system


def _transform(kinds: list[int]) -> Any:
    def transform(given: Any, random: Any) -> Any:
        kind = random.choice(kinds)
        if kind == 0:
            raise NotApplicable("nothing")
        if kind == 1:
            raise ValueError("broken")
        return given if kind == 2 else [given, random.randint(0, kind)]

    return transform


relations = st.lists(
    st.tuples(
        st.lists(st.integers(0, 6), min_size=1, max_size=4),
        st.sampled_from(ASSERTIONS),
        st.booleans(),
    ),
    max_size=3,
).map(
    lambda given: [
        Relation(f"relation {place}", _transform(kinds), assertion, deterministic=deterministic)
        for place, (kinds, assertion, deterministic) in enumerate(given)
    ]
)
outputs = st.lists(OUTPUTS | st.just(_Raising), min_size=1, max_size=6)
options = st.fixed_dictionaries(
    {
        "samples": st.integers(0, 6),
        "baseline_runs": st.integers(1, 4),
        "alpha": st.sampled_from([0.05, 0.3]),
        "early_stop": st.booleans(),
        "deterministic_system": st.booleans(),
    }
)


def _assert_read_back(result: Any, folder: Path) -> None:
    saved = save_check(result, folder)
    loaded = load_check(folder)
    assert (loaded.report, loaded.plan) == (saved.report, saved.plan)
    assert (loaded.verdicts, loaded.exit_code) == (result.verdicts, result.exit_code)
    told = parse_canonical(canonical_bytes(result.to_dict()["relations"]))
    assert loaded.report["relations"] == told
    assert list(loaded.records()) == [parse_canonical(canonical_bytes(each)) for each in result.records()]


@settings(max_examples=60)
@given(outputs, relations, options)
def test_every_check_is_read_back_as_what_it_was(found: list[Any], asked: list[Relation], given: Any) -> None:
    """The rules that ran it come to the same from its records."""
    with tempfile.TemporaryDirectory() as folder:
        _assert_read_back(check(_system(found), ["x"], asked, **given), Path(folder) / "run")


@settings(max_examples=25)
@given(outputs, relations, options, st.integers(0, 4))
def test_every_batch_is_read_back_as_what_it_was(
    found: list[Any], asked: list[Relation], given: Any, size: int
) -> None:
    """Over any number of inputs, in one thread so that the outputs are in order."""
    with tempfile.TemporaryDirectory() as folder:
        result = check_many(_system(found), [["x", each] for each in range(size)], asked, workers=1, **given)
        _assert_read_back(result, Path(folder) / "run")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """A check with records of nearly all kinds, and the bytes of its files."""
    folder = tmp_path_factory.mktemp("damage") / "run"
    save_check(CHECKS["violated and minimised"](), folder)
    return folder, {name: (folder / name).read_bytes() for name in FILES}


def _holds_only_if_nothing_was_said(original: tuple[Path, dict[str, bytes]], name: str, changed: bytes) -> None:
    folder, files = original
    (folder / name).write_bytes(changed)
    try:
        verified = verify(folder)
        assert verified.exit_code in (0, 3)
        if verified.holds and changed != files[name]:
            # Times and hosts stand under observed, which no digest of the report covers.
            assert name == "report.json"
            assert logical(parse_canonical(changed[:-1])) == logical(parse_canonical(files[name][:-1]))
    finally:
        (folder / name).write_bytes(files[name])


@settings(max_examples=150)
@given(st.sampled_from(FILES), st.floats(0, 1, exclude_max=True), st.integers(0, 40), st.binary(max_size=40))
def test_a_piece_cut_out_or_put_in_is_found(
    original: tuple[Path, dict[str, bytes]], name: str, place: float, cut: int, put: bytes
) -> None:
    """Bytes removed, inserted or replaced, also such as are no text."""
    data = original[1][name]
    at = int(place * len(data))
    _holds_only_if_nothing_was_said(original, name, data[:at] + put + data[at + cut :])


TOKENS = [b"null", b"true", b"-1", b"1e999", b"[]", b"{}", b'""', b"0.5", b'"\\ud800"', b"9" * 400, b"[" * 300]


@settings(max_examples=150)
@given(st.sampled_from(FILES), st.data())
def test_a_value_of_another_kind_is_found(
    original: tuple[Path, dict[str, bytes]], name: str, data: st.DataObject
) -> None:
    """Whole values replaced, so that the content is what is wrong."""
    raw = original[1][name]
    starts = [index + 1 for index, byte in enumerate(raw[:-1]) if byte == ord(":") and raw[index - 1 : index] == b'"']
    start = data.draw(st.sampled_from(starts))
    end = next(index for index in range(start, len(raw)) if raw[index : index + 1] in (b",", b"}", b"]"))
    _holds_only_if_nothing_was_said(original, name, raw[:start] + data.draw(st.sampled_from(TOKENS)) + raw[end:])
