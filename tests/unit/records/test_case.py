"""Examples of cases: what is refused, what is redacted, what counts as content."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from robust import Case, CaseError, Media, Origin
from robust.records.case import RELATIONS, relation_problem
from robust.records.encoding import encode_case
from robust.records.media import unsafe_path_reason
from tests.builders import sum_case

DIGEST = "sha256:" + "0" * 64
PICTURE = Media(path="img/a.png", media_type="image/png", bytes=3, sha256="0" * 64)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"case_id": ""}, "$.case_id"),
        ({"case_id": "x" * 257}, "$.case_id"),
        ({"case_id": "a\nb"}, "$.case_id"),
        ({"case_id": "\ud800"}, "$.case_id"),
        ({"case_id": 7}, "$.case_id"),
        ({"source_id": None}, "$.source_id"),
        ({"source_id": "\x00"}, "$.source_id"),
        ({"metadata": []}, "$.metadata"),
        ({"media": ["a.png"]}, "$.media"),
        ({"origin": {}}, "$.origin"),
    ],
)
def test_a_wrong_field_is_named(fields: dict[str, Any], path: str) -> None:
    """The error has the path of the field."""
    with pytest.raises(CaseError) as caught:
        sum_case(**{"case_id": "x", **fields})
    assert [problem.path for problem in caught.value.problems] == [path]


def test_every_wrong_field_is_named_at_once() -> None:
    """Three wrong fields are three problems."""
    with pytest.raises(CaseError) as caught:
        Case(7, case_id="", source_id="\n")  # type: ignore[arg-type]
    assert [problem.path for problem in caught.value.problems] == ["$.case_id", "$.source_id", "$.input"]


def test_ids_may_hold_any_printable_script() -> None:
    """256 characters of any script, and spaces, are fine."""
    for case_id in ("é" * 256, "a b", "\U0001f600", "عربي", "x:y/z."):
        assert sum_case(case_id).case_id == case_id


def test_a_case_cannot_be_changed() -> None:
    """Assigning to a field is an error."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        sum_case().input = "other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([], [("wrong_value", "$.base")]),
        ({"case_id": "a", "source_id": "s"}, [("missing_field", "$.base.input")]),
        (
            {"case_id": "a", "source_id": "s", "input": "x", "lable": 1},
            [("unknown_field", "$.base.lable")],
        ),
        ({"case_id": "\n", "source_id": "s", "input": "x"}, [("bad_id", "$.base.case_id")]),
        (
            {"case_id": "a", "source_id": "s", "input": "x", "media": [{"path": "a"}]},
            [("missing_field", f"$.base.media[0].{name}") for name in ("media_type", "bytes", "sha256")],
        ),
        (
            {"case_id": "a", "source_id": "s", "input": "x", "origin": {"parent_id": "p"}},
            [("missing_field", "$.base.origin.parent_content")],
        ),
    ],
)
def test_stored_cases_are_read_strictly(data: Any, expected: list[tuple[str, str]]) -> None:
    """Missing, unknown and wrong fields are refused below the path at which the case stands."""
    with pytest.raises(CaseError) as caught:
        Case.from_json(data, path="$.base")
    assert [(problem.code, problem.path) for problem in caught.value.problems] == expected


def test_metadata_under_secret_looking_keys_is_not_stored() -> None:
    """Values under token, key, password, authorization and cookie are replaced at every depth; others stay."""
    metadata = {"apiKey": "k", "nested": [{"Set-Cookie": "c", "keyboard": "qwerty"}], "token": None, "monkey": "m"}
    assert sum_case(metadata=metadata).to_json()["metadata"] == {
        "apiKey": "[redacted]",
        "nested": [{"Set-Cookie": "[redacted]", "keyboard": "qwerty"}],
        "token": None,
        "monkey": "m",
    }


def test_content_is_input_and_media_and_nothing_else() -> None:
    """Ids, answers and metadata do not change the content digest; input and media do."""
    case = sum_case()
    same = sum_case("other", source_id="other", metadata={"a": 1}).with_expected(6)
    assert same.content_digest == case.content_digest
    assert sum_case(media=[PICTURE]).content_digest != case.content_digest
    assert sum_case(question="What is 2 plus 5?").content_digest != case.content_digest


def test_numbers_of_one_value_are_one_content() -> None:
    """An input with 42 and one with 42.0 have one content digest."""
    assert Case({"n": 42}, case_id="a", source_id="s").content_digest == (
        Case({"n": 42.0}, case_id="a", source_id="s").content_digest
    )


def test_text_and_an_object_around_it_are_different_contents() -> None:
    """Nothing that a text can hold makes it equal to an object."""
    assert Case('{"a":1}', case_id="a", source_id="s").content_digest != (
        Case({"a": 1}, case_id="a", source_id="s").content_digest
    )


def test_what_cannot_be_stored_is_named_below_the_case() -> None:
    """Every part that is not portable is named with its path."""
    case = Case({"a": [1, float("nan")]}, 2**53 + 1, case_id="a", source_id="s", metadata={"deep": {"x": object()}})
    with pytest.raises(CaseError) as caught:
        encode_case(case, "base")
    paths = {problem.path for problem in caught.value.problems}
    assert paths == {"base.input.a[1]", "base.expected", "base.metadata.deep.x"}


@pytest.mark.parametrize(
    "fields",
    [
        {"parent_content": "sha256:" + "0" * 63},
        {"parent_id": ""},
        {"transform": ""},
        {"params": None},
        {"seed": True},
        {"index": -1},
        {"relation": "similar"},
    ],
)
def test_a_wrong_origin_is_refused(fields: dict[str, Any]) -> None:
    """Each field of an origin is checked and named."""
    with pytest.raises(CaseError) as caught:
        Origin(**{"parent_id": "base", "parent_content": DIGEST, **fields})
    assert [problem.path for problem in caught.value.problems] == [f"$.origin.{next(iter(fields))}"]


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/a",
        "a//b",
        "../a",
        "a/./b",
        "a\\b",
        "C:/a",
        "con.txt",
        "a/NUL",
        "a.",
        "a /b",
        "a\nb",
        "x" * 1025,
        "a/",
        "COM¹.txt",
        "conin$",
        "é" * 128,
    ],
)
def test_media_paths_stay_inside_their_folder_on_every_platform(path: str) -> None:
    """Absolute, climbing, device and otherwise unsafe paths are refused."""
    assert unsafe_path_reason(path)
    with pytest.raises(CaseError):
        Media(path=path, media_type="image/png", bytes=0, sha256="0" * 64)


def test_ordinary_media_paths_are_safe() -> None:
    """Folders, dots inside names and other scripts are fine."""
    assert [unsafe_path_reason(path) for path in ("a.png", "a/b.c/d.tar.gz", "bild/grün.png", "console.txt")] == [
        None
    ] * 4


@pytest.mark.parametrize(
    "fields",
    [{"bytes": -1}, {"bytes": 1.0}, {"sha256": "A" * 64}, {"media_type": "png"}, {"media_type": "image/\npng"}],
)
def test_wrong_media_fields_are_refused(fields: dict[str, Any]) -> None:
    """Size, digest and type are checked."""
    with pytest.raises(CaseError):
        Media(**{**PICTURE.to_json(), **fields})


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("same", "'same' is not a relation"),
        ("Invariant", "'Invariant' is not a relation"),
        ("x" * 1000, f"'{'x' * 60}' is not a relation"),
        (None, "null is not a relation"),
        (["invariant"], "a list is not a relation"),
    ],
)
def test_what_is_no_relation_is_said_in_one_way(value: object, said: str) -> None:
    """With those that there are."""
    problem = relation_problem(value, "$.relation")
    assert problem is not None
    assert (problem.code, problem.message, problem.path) == ("unknown_relation", said, "$.relation")
    assert problem.hint == "use one of invariant, counterfactual, increasing, decreasing"


def test_every_relation_is_one_also_as_a_text_of_another_class() -> None:
    """Such as a member of an enumeration."""

    class Word(str):
        __slots__ = ()

    assert [relation_problem(of(each), "r") for each in RELATIONS for of in (str, Word)] == [None] * 2 * len(RELATIONS)
