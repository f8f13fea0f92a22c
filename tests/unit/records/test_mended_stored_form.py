"""A stored validation has the form in which it was stored, and nothing in it that could not have happened."""

from __future__ import annotations

from typing import Any

import pytest

from robust import Case, CaseError, IntegrityError, Origin
from robust.canon import canonical_bytes, digest_value
from robust.records.validation import ValidationRecord, read_validation, read_validation_line
from tests.builders import judged, said, sum_case, valid_variant, verdict
from tests.validators import check_addition


def paths(data: Any) -> list[str | None]:
    """Where a record is refused, after a forger made its digest right."""
    content = {key: value for key, value in data.items() if key not in ("digest", "observed")}
    data["digest"] = digest_value(content)
    with pytest.raises(IntegrityError) as caught:
        read_validation_line(canonical_bytes(data))
    return [problem.path for problem in caught.value.problems]


def changed(path: str, value: Any, validation: ValidationRecord | None = None) -> dict[str, Any]:
    data = (validation or valid_variant(expected=6)).data
    place: Any = data
    *parents, last = path.removeprefix("$.").split(".")
    for name in parents:
        place = place[name]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return data


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("$.base.metadata", {"api_key": "open"}),
        ("$.candidate.metadata", {"deep": {"password": "open"}}),
        ("$.base.expected", ...),
        ("$.base.media", ...),
        ("$.candidate.origin.index", ...),
        ("$.candidate.origin.seed", 1e20),
        ("$.comparator", {}),
        ("$.comparator", {"name": "text"}),
        ("$.comparator", {"name": "exact", "fold_case": False}),
        ("$.oracle.name", ""),
        ("$.oracle.repeats", 0),
        ("$.oracle.repeats", 1001),
        ("$.oracle.source_sha256", "junk"),
        ("$.verdict.reason", "x" * 20_000),
        ("$.verdict.evidence", {"proof": "x" * 70_000}),
        ("$.observed", "text"),
        ("$.observed", ["validated_at"]),
        ("$.observed", None),
        ("$.observed.weather", "fine"),
        ("$.observed.validated_at", 5),
    ],
)
def test_a_part_in_another_form_is_refused_at_its_place(path: str, value: Any) -> None:
    """Although the digest fits."""
    assert paths(changed(path, value)) == [path]


def test_a_missing_verdict_needs_a_failure_that_explains_it() -> None:
    """A changed copy alone does not."""
    undecided = said(verdict(None)).data
    assert paths({**undecided, "verdict": None}) == ["$"]
    mutated = {"code": "validator_mutated_input", "path": "$.base", "detail": "x"}
    assert paths({**undecided, "verdict": None, "failures": [mutated]}) == ["$"]


def test_who_was_asked_once_cannot_differ() -> None:
    """Flaky needs repeats, and the verdicts that differ."""
    flaky = {"code": "validator_flaky", "path": "$", "detail": [{}, {}]}
    assert paths({**said(verdict(None)).data, "failures": [flaky]}) == ["$"]
    assert paths({**said(verdict(None)).data, "failures": [{**flaky, "detail": "x"}]}) == ["$.failures[0]"]


def test_a_base_is_not_made_from_its_own_candidate() -> None:
    """Nor from itself, when it is judged and when it is read."""
    for parent in ("base", "variant"):
        origin = Origin(parent_id=parent, parent_content="sha256:" + "0" * 64)
        cases = sum_case(origin=origin), sum_case("variant", "What is 2 plus 5?")
        with pytest.raises(CaseError) as caught:
            judged(check_addition, cases)
        assert caught.value.code == "circular_origin"
        data = valid_variant().data
        data["base"]["origin"] = {**data["candidate"]["origin"], "parent_id": data[_side(parent)]["case_id"]}
        assert "$.base.origin.parent_id" in paths(data)


def _side(parent: str) -> str:
    return "base" if parent == "base" else "candidate"


@pytest.mark.parametrize("data", [None, 5, "text", []])
def test_what_is_no_object_is_no_validation(data: Any) -> None:
    """An error with a place."""
    with pytest.raises(IntegrityError) as caught:
        read_validation(data, file="v.jsonl", line=3)
    assert str(caught.value).startswith("v.jsonl:3: $: ")


class Liar(str):
    """Text that equals everything and has no length."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    def __len__(self) -> int:
        raise RuntimeError


class Masked:
    """What says that it is text, or raises when it is asked."""

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise RuntimeError


def test_text_counts_by_its_content_whatever_its_class_says() -> None:
    """Ids, sources, relation, contract and comparator: equal is what is equal."""
    assert judged(check_addition, (sum_case(Liar("base")), sum_case(Liar("variant"), "What is 2 plus 5?"))).digest == (
        judged(check_addition, (sum_case("base"), sum_case("variant", "What is 2 plus 5?"))).digest
    )
    case = Case(Liar("x"), case_id=Liar("a"), source_id=Liar("b"))
    assert {type(value) for value in (case.input, case.case_id, case.source_id)} == {str}
    digest = Liar("sha256:" + "0" * 64)
    origin = Origin(parent_id=Liar("a"), parent_content=digest, transform=Liar("t"), relation=Liar("invariant"))  # type: ignore[arg-type]
    assert {type(value) for value in (origin.parent_id, origin.parent_content, origin.relation)} == {str}
    for wrong in (
        {"cases": (sum_case(source_id=Liar("OTHER")), sum_case("variant", "What is 2 plus 5?"))},
        {"relation": Liar("bogus")},
        {"contract": Liar("no version")},
        {"labels": Liar("bogus")},
        {"comparator": Liar("bogus")},
        {"require_answers": "no"},
        {"timeout_s": 1e12},
    ):
        with pytest.raises(CaseError):
            judged(check_addition, **wrong)


@pytest.mark.parametrize("field", ["case_id", "source_id", "question", "metadata"])
def test_what_lies_about_its_class_is_refused(field: str) -> None:
    """Neither believed nor passed on as a raw error."""
    changes: dict[str, Any] = {field: Masked()}
    with pytest.raises(CaseError):
        sum_case(**changes)


def test_a_verdict_of_masked_parts_is_still_a_record() -> None:
    """Whatever an oracle returns."""
    masked: Any = Masked()
    for answer in (masked, verdict(evidence={"a": masked}), verdict(reason=masked), verdict(base=masked)):
        assert said(answer).status == "unknown"
    odd = type("x" * 10_000, (), {})()
    for answer in (odd, verdict(valid=odd), verdict(evidence={"a": odd})):
        assert said(answer).status == "unknown"
