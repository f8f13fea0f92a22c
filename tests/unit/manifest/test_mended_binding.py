"""Every validation is bound to its two cases, when a manifest is built and when it is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robust import Case, CaseError, IntegrityError, Manifest, ManifestError
from tests.builders import judged, said, sum_case, valid_variant, verdict
from tests.golden.independent import forged

Lines = list[dict[str, Any]]


def lines_of(manifest: Manifest) -> Lines:
    return [json.loads(line) for line in manifest.lines()]


def original() -> Lines:
    """A plain case, then a base with a given label (line 2), its variant (line 3), and the validation (line 4)."""
    plain = Case("What is 1 plus 1?", 2, case_id="a", source_id="other")
    return lines_of(Manifest.build("bound", cases=[plain], validations=[valid_variant(5, expected=6)]))


def codes(folder: Path, lines: Lines, **header: Any) -> dict[str, str | None]:
    (folder / "m.jsonl").write_bytes(forged(lines, **header))
    with pytest.raises(IntegrityError) as caught:
        Manifest.load(folder / "m.jsonl")
    return {problem.code: problem.path for problem in caught.value.problems}


def change(index: int, **fields: Any) -> Callable[[Lines], object]:
    return lambda lines: lines[index]["case"].update(fields)


def unlabel(lines: Lines) -> None:
    lines[2]["case"]["expected"] = lines[2]["label_source"] = None


CHANGES: dict[str, tuple[Callable[[Lines], object], str]] = {
    "a given label": (change(2, expected=7), "base_label_conflict"),
    "a label taken away": (unlabel, "label_missing"),
    "a base's input": (change(2, input="What is 2 plus 40?"), "validation_mismatch"),
    "a base's metadata": (change(2, metadata={"locale": "xx"}), "validation_mismatch"),
    "a base's spelling of its source": (change(2, source_id="SOURCE"), "validation_mismatch"),
    "a variant left out": (lambda lines: lines.pop(3), "validation_unused"),
    "a base left out": (lambda lines: lines.pop(2), "validation_unused"),
    "both left out": (lambda lines: lines.__delitem__(slice(2, 4)), "validation_unused"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_differs_from_its_validation_is_refused(tmp_path: Path, what: str) -> None:
    """Although every digest fits: base and candidate are those that were judged, labels those that were derived."""
    alter, code = CHANGES[what]
    lines = original()
    alter(lines)
    assert code in codes(tmp_path, lines)


def test_a_header_that_denies_its_validations_helps_no_forger(tmp_path: Path) -> None:
    """What is compared depends on the count in the header, which is compared too."""
    lines = original()
    counts = {**lines[0]["counts"], "validations": 0}
    assert {"validation_mismatch", "contradiction"} <= codes(tmp_path, lines, counts=counts).keys()


def test_a_given_label_that_the_oracle_contradicts_is_refused_when_building() -> None:
    """The rule is the reader's; equal is what the validation's own comparator says."""
    base, candidate = sum_case(), sum_case("variant", "What is 2 plus 5?")
    with pytest.raises(ManifestError) as caught:
        Manifest.build("name", cases=[base.with_expected("no")], validations=[valid_variant(5)])
    assert [(item.code, item.path) for item in caught.value.problems] == [("base_label_conflict", "case 'base'")]
    by_number = said(verdict(base=6, variant=7), (base, candidate), comparator="number")
    assert Manifest.build("name", cases=[base.with_expected("6.0")], validations=[by_number]).cases[0].expected == "6.0"


def test_a_variant_of_a_variant_is_refused(tmp_path: Path) -> None:
    """Built or read: every variant is made from a base."""
    first = valid_variant(5)
    parent = Case.from_json(first.data["candidate"])
    second = judged(said_seven, (parent, sum_case("again", "What is 3 plus 4?")), relation="invariant")
    with pytest.raises(ManifestError) as caught:
        Manifest.build("name", validations=[first, second])
    assert ("parent_is_variant", "case 'again'") in [(item.code, item.path) for item in caught.value.problems]
    lines = original()
    lines[3]["case"]["origin"]["parent_id"] = lines[3]["case"]["case_id"]
    assert "parent_is_variant" in codes(tmp_path, lines)


def said_seven(base: Case, candidate: Case) -> Any:
    return verdict(base=7, variant=7)


@pytest.mark.parametrize(
    ("header", "path"),
    [
        ({"name": " "}, "$.name"),
        ({"name": "a\u202eb"}, "$.name"),
        ({"split_rule": {"salt": "", "fractions": {"development": 0.5, "test": 0.5}}}, "$"),
        ({"provenance": {"api_key": "open"}}, "$.provenance"),
        ({"splits": {"\u0007": {"cases": 3, "sources": 2}}}, '$.splits["\\u0007"]["[key]"]'),
    ],
)
def test_a_header_obeys_the_rules_of_building_when_it_is_read(tmp_path: Path, header: Any, path: str) -> None:
    """Names are printable, the rule deals to the splits, secrets are redacted."""
    assert path in codes(tmp_path, original(), **header).values()


def test_a_case_must_be_in_its_stored_form(tmp_path: Path) -> None:
    """All seven fields, with redacted metadata."""
    lines = original()
    lines[1]["case"]["metadata"] = {"password": "open"}
    assert codes(tmp_path, lines) == {"wrong_value": "$.case.metadata"}
    lines = original()
    del lines[1]["case"]["media"]
    assert codes(tmp_path, lines) == {"missing_field": "$.case.media"}


@pytest.mark.parametrize("observed", [{}, {"duration_ms": 1}, "text", []])
def test_a_validation_line_keeps_nothing_observed(tmp_path: Path, observed: Any) -> None:
    """Else one manifest would have several digests."""
    lines = original()
    lines[4]["validation"]["observed"] = observed
    assert codes(tmp_path, lines) == {"unknown_field": "$.validation.observed"}


def test_provenance_is_redacted_when_it_is_built() -> None:
    """Like metadata."""
    built = Manifest.build("name", cases=[sum_case()], provenance={"token": "open", "by": "hand"})
    assert built.provenance == {"token": "[redacted]", "by": "hand"}


@pytest.mark.parametrize(
    ("arguments", "code", "path"),
    [
        ({"validations": [5]}, "not_a_validation", "validations[0]"),
        ({"validations": 5}, "not_a_validation", "validations"),
        ({"salt": 5}, "bad_salt", "salt"),
        ({"salt": "\ud800"}, "bad_salt", "salt"),
        ({"splits": [("a", ["base"])]}, "bad_split", "splits"),
        ({"splits": {" ": ["base"]}}, "bad_split", "splits"),
        ({"splits": {"a": [["base"]]}}, "unknown_case", "splits.a"),
        ({"cases": 5}, "not_a_case", "cases"),
    ],
)
def test_arguments_of_another_kind_are_named(arguments: Any, code: str, path: str) -> None:
    """An error of this package, never a raw one."""
    with pytest.raises((ManifestError, CaseError)) as caught:
        Manifest.build("name", **{"cases": [sum_case()], **arguments})
    assert (caught.value.code, caught.value.problems[0].path) == (code, path)
