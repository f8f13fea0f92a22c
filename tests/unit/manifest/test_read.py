"""Reading manifests: nothing is believed that can be derived, even when every digest was made right again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robust import Case, IntegrityError, Manifest, UsageError
from tests.builders import valid_variant
from tests.golden.independent import canonical, forged, manifest_faults

Lines = list[dict[str, Any]]


def original() -> Manifest:
    """One plain case, and a base with two variants, in two splits."""
    return Manifest.build(
        "forged",
        cases=[Case("What is 1 plus 1?", 2, case_id="a", source_id="other")],
        validations=[valid_variant(5), valid_variant(6)],
        splits={"dev": ["a"], "test": ["base"]},
    )


def lines() -> Lines:
    return [json.loads(line) for line in original().lines()]


def refusal(folder: Path, data: bytes) -> list[tuple[str, int | None, str | None]]:
    path = folder / "m.jsonl"
    path.write_bytes(data)
    with pytest.raises(IntegrityError) as caught:
        Manifest.load(path)
    streamed: IntegrityError | None = None
    try:
        for _ in Manifest.stream(path)[1]:
            pass
    except IntegrityError as error:
        streamed = error
    assert streamed is not None
    assert streamed.problems == caught.value.problems
    assert all(problem.file == str(path) for problem in caught.value.problems)
    return [(problem.code, problem.line, problem.path) for problem in caught.value.problems]


def codes(folder: Path, data: bytes) -> set[str]:
    return {code for code, _, _ in refusal(folder, data)}


def test_the_forger_of_these_tests_works(tmp_path: Path) -> None:
    """Unchanged lines forge the original, byte for byte, and it loads."""
    data = forged(lines())
    assert data == b"".join(line + b"\n" for line in original().lines())
    assert manifest_faults(data) == []
    (tmp_path / "m.jsonl").write_bytes(data)
    assert Manifest.load(tmp_path / "m.jsonl") == original()


def set_case(index: int, **fields: Any) -> Callable[[Lines], None]:
    return lambda found: found[index]["case"].update(fields)


def set_entry(index: int, **fields: Any) -> Callable[[Lines], None]:
    return lambda found: found[index].update(fields)


def set_verdict(**fields: Any) -> Callable[[Lines], None]:
    return lambda found: found[5]["validation"]["verdict"].update(fields)


CHANGES: dict[str, tuple[Callable[[Lines], object], set[str]]] = {
    "an answer": (set_case(3, expected=99), {"validation_mismatch"}),
    "a variant's input": (set_case(3, input="What is 2 plus 50?"), {"validation_mismatch"}),
    "a base's derived answer": (set_case(2, expected=99), {"validation_mismatch"}),
    "a plain case's answer taken away": (set_case(1, expected=None), {"label_source"}),
    "a plain case's source of label": (set_entry(1, label_source="oracle"), {"label_source"}),
    "a variant's source of label": (set_entry(3, label_source="given"), {"label_source"}),
    "a base's source of label": (set_entry(2, label_source="given"), {"label_source"}),
    "a source of label that is none": (set_entry(1, label_source="guessed"), {"wrong_value"}),
    "a validation that is no digest": (set_entry(3, validation=7), {"wrong_value"}),
    "a split that is no text": (set_entry(3, split=["dev"]), {"wrong_value"}),
    "a case that is none": (set_entry(1, case=7), {"wrong_value"}),
    "an origin that is none": (set_case(3, origin=7), {"wrong_value"}),
    "a variant's validation taken away": (set_entry(3, validation=None), {"validation_required"}),
    "a variant's validation exchanged": (set_entry(3, validation="sha256:" + "0" * 64), {"validation_required"}),
    "a variant's split": (set_entry(3, split="dev"), {"split_leak", "contradiction"}),
    "a variant's source": (set_case(3, source_id="elsewhere"), {"other_group", "validation_mismatch"}),
    "a split that is not in the header": (set_entry(3, split="other"), {"wrong_value"}),
    "an id in use": (set_case(1, case_id="base"), {"duplicate_id", "line_order"}),
    "a source in another split": (set_case(1, source_id="SOURCE"), {"split_leak", "contradiction"}),
    "an input in another split": (set_case(1, input="what is 2 plus 4?", expected=6), {"input_leak"}),
    "a field of a line": (set_entry(1, note="x"), {"unknown_field"}),
    "a field of a case": (set_case(1, note="x"), {"unknown_field"}),
    "the kind of a line": (set_entry(1, kind="note"), {"unknown_line"}),
    "an oracle's answer": (set_verdict(variant_expected=99), {"validation_required"}),
    "an oracle's verdict": (set_verdict(valid=False), {"contradiction"}),
    "a status": (lambda found: found[5]["validation"].update(status="invalid"), {"contradiction"}),
    "the order of lines": (lambda found: found.insert(1, found.pop(2)), {"line_order"}),
    "a line left out": (lambda found: found.pop(1), {"contradiction"}),
    "a parent left out": (lambda found: found.pop(2), {"parent_missing", "contradiction"}),
    "a validation left out": (lambda found: found.pop(5), {"validation_required", "contradiction"}),
    "a line twice": (lambda found: found.insert(1, found[1]), {"duplicate_id", "line_order", "contradiction"}),
    "all cases left out": (lambda found: found.__delitem__(slice(1, None)), {"no_cases", "contradiction"}),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_forged_line_is_refused_although_every_digest_fits(tmp_path: Path, what: str) -> None:
    """Each change breaks a rule that the reader derives again."""
    change, expected = CHANGES[what]
    found = lines()
    change(found)
    assert expected <= codes(tmp_path, forged(found))


@pytest.mark.parametrize(
    ("header", "path"),
    [
        ({"counts": {"lines": 6, "cases": 4, "sources": 9, "validations": 2}}, "$.counts"),
        ({"splits": {"dev": {"cases": 2, "sources": 1}, "test": {"cases": 2, "sources": 1}}}, "$.splits"),
        ({"split_rule": {"salt": "", "fractions": {"dev": 0.5, "test": 0.6}}}, "$.split_rule"),
        ({"parent": "sha256:0"}, "$.parent"),
        ({"note": 1}, "$.note"),
        ({"name": ""}, "$.name"),
    ],
)
def test_a_forged_header_is_refused_with_the_path(tmp_path: Path, header: Any, path: str) -> None:
    """Counts, sizes, rule and shape of the header are checked."""
    assert path in [found for _, _, found in refusal(tmp_path, forged(lines(), **header))]


def test_a_split_rule_that_was_not_followed_is_refused(tmp_path: Path) -> None:
    """A header may not claim a deal that would have put a group elsewhere."""
    for fractions in ({"dev": 0.001, "test": 0.999}, {"dev": 0.999, "test": 0.001}):
        assert "split_rule" in codes(tmp_path, forged(lines(), split_rule={"salt": "", "fractions": fractions}))


def test_a_wrong_root_is_refused(tmp_path: Path) -> None:
    """The root follows from the lines."""
    data = forged(lines()).split(b"\n", 1)
    header = {**json.loads(data[0]), "root": "sha256:" + "0" * 64}
    assert refusal(tmp_path, canonical(header) + b"\n" + data[1]) == [("contradiction", 1, "$.root")]


def test_what_is_no_manifest_is_refused(tmp_path: Path) -> None:
    """Empty files, other schemas, other kinds of file, white space and cut ends."""
    whole = forged(lines())
    assert codes(tmp_path, b"") == {"cut_short"}
    assert codes(tmp_path, forged(lines(), schema="robust.manifest/2")) == {"unknown_schema"}
    assert codes(tmp_path, valid_variant().line() + b"\n") == {"unknown_schema"}
    assert codes(tmp_path, whole[:-1]) == {"cut_short"}
    assert codes(tmp_path, whole + b"\n") == {"json_syntax"}
    assert codes(tmp_path, whole.replace(b"\n", b"\r\n")) == {"not_canonical"}
    assert codes(tmp_path, b"\xef\xbb\xbf" + whole) == {"not_canonical"}
    with pytest.raises(UsageError):
        Manifest.load(tmp_path / "missing.jsonl")


def test_a_validation_with_an_unknown_field_is_refused_below_its_line(tmp_path: Path) -> None:
    """The path starts at the line's validation."""
    found = lines()
    found[5]["validation"]["note"] = 1
    assert ("unknown_field", 6, "$.validation.note") in refusal(tmp_path, forged(found))


def test_streaming_gives_the_header_and_the_cases_one_by_one(tmp_path: Path) -> None:
    """The same cases as loading."""
    original().save(tmp_path / "m.jsonl")
    header, cases = Manifest.stream(tmp_path / "m.jsonl")
    assert header.name == "forged"
    assert list(cases) == list(original().cases)


def test_a_stream_shows_damage_at_the_end_at_the_latest(tmp_path: Path) -> None:
    """Cases before the damage are delivered; the end raises."""
    path = tmp_path / "m.jsonl"
    path.write_bytes(b"".join(forged(lines()).splitlines(keepends=True)[:-1]))
    _, cases = Manifest.stream(path)
    delivered = [next(cases) for _ in range(4)]
    assert [case.case_id for case in delivered] == ["a", "base", "variant-5", "variant-6"]
    with pytest.raises(IntegrityError):
        next(cases)
