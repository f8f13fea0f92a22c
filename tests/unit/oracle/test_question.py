"""What is refused before any validator runs, and who is named as the oracle."""

from __future__ import annotations

import functools
import math
from typing import Any

import pytest

from robust import Case, CaseError, OracleVerdict, Origin
from robust.canon import is_digest
from tests.builders import judged, pair, said, sum_case, verdict
from tests.validators import adder, check_addition


def never(base: Case, candidate: Case) -> OracleVerdict:
    raise AssertionError("the validator ran")


def refusal(cases: Any = None, **terms: Any) -> tuple[str, str | None, str]:
    with pytest.raises(CaseError) as caught:
        judged(never, cases, **terms)
    problem = caught.value.problems[0]
    return problem.code, problem.path, problem.message


@pytest.mark.parametrize("relation", ["similar", "", 7, None, "INVARIANT"])
def test_an_unknown_relation_is_refused(relation: Any) -> None:
    """The relation is one of four words."""
    assert refusal(relation=relation)[:2] == ("unknown_relation", "relation")


@pytest.mark.parametrize("contract", ["addition", "addition/1", "/v1", "a b/v1", "addition/v", "addition/v1\n", "", 7])
def test_a_contract_without_a_version_is_refused(contract: Any) -> None:
    """The oracle's own contract is name/vN."""
    assert refusal(contract=contract)[:2] == ("bad_contract", "contract")


@pytest.mark.parametrize("contract", ["addition/v1", "org/team/addition/v2.1", "a.b-c_d/v10"])
def test_contracts_may_have_parts_and_minor_versions(contract: str) -> None:
    """Names with folders and versions with points are fine."""
    assert said(verdict(), contract=contract).data["contract"] == contract


@pytest.mark.parametrize(
    ("terms", "code"),
    [
        ({"labels": "shown"}, "bad_labels"),
        ({"repeats": 0}, "bad_repeats"),
        ({"repeats": True}, "bad_repeats"),
        ({"repeats": 1001}, "bad_repeats"),
        ({"timeout_s": 0}, "bad_timeout"),
        ({"timeout_s": math.nan}, "bad_timeout"),
        ({"timeout_s": math.inf}, "bad_timeout"),
        ({"timeout_s": "1"}, "bad_timeout"),
        ({"comparator": "exakt"}, "bad_comparator"),
    ],
)
def test_wrong_terms_are_refused(terms: dict[str, Any], code: str) -> None:
    """Each term is checked, and named."""
    found, path, _ = refusal(**terms)
    assert (found, path) == (code, next(iter(terms)))


def test_equal_ids_are_refused_with_the_id() -> None:
    """Base and candidate need an id each."""
    code, path, message = refusal((sum_case("same"), sum_case("same", "What is 2 plus 5?")))
    assert (code, path) == ("equal_ids", "$.candidate.case_id")
    assert "'same'" in message


def test_different_sources_are_refused_with_both() -> None:
    """A candidate stays in its base's source group; the same group in another spelling is the same group."""
    code, path, message = refusal((sum_case(source_id="Doc1"), sum_case("variant", source_id="Doc2")))
    assert (code, path) == ("different_sources", "$.candidate.source_id")
    assert "'Doc1'" in message
    assert "'Doc2'" in message
    spelled = sum_case(source_id="Doc1"), sum_case("variant", "What is 2 plus 5?", source_id="doc1 ")
    assert judged(check_addition, spelled).status == "valid"


def test_a_candidate_of_another_parent_is_refused() -> None:
    """Its origin must name this base, with the content that the base has now."""
    base = sum_case()
    for origin in (
        Origin(parent_id="other", parent_content=base.content_digest),
        Origin(parent_id="base", parent_content=sum_case(question="changed").content_digest),
    ):
        candidate = sum_case("variant", "What is 2 plus 5?", origin=origin)
        assert refusal((base, candidate))[0] == "other_parent"


def test_an_origin_is_kept_and_gives_the_relation() -> None:
    """A candidate that says where it comes from needs no origin, and may claim its own relation."""
    base = sum_case()
    origin = Origin(
        parent_id="base", parent_content=base.content_digest, transform="raise", seed=3, relation="increasing"
    )
    candidate = sum_case("variant", "What is 2 plus 5?", origin=origin)
    validation = judged(check_addition, (base, candidate), relation=None)
    assert validation.data["relation"] == "increasing"
    assert validation.data["candidate"]["origin"] == origin.to_json()


def test_a_candidate_without_an_origin_gets_one() -> None:
    """Every record says what its candidate descends from."""
    base, candidate = pair()
    origin = said(verdict(), (base, candidate)).data["candidate"]["origin"]
    assert origin["parent_id"] == "base"
    assert origin["parent_content"] == base.content_digest
    assert origin["transform"] == "external"
    assert candidate.origin is None


def test_a_case_that_is_not_portable_json_is_refused_with_every_path() -> None:
    """All of its bad parts are named."""
    base = sum_case(metadata={"a": math.nan, "b": [2**53 + 1]})
    with pytest.raises(CaseError) as caught:
        judged(never, (base, sum_case("variant")))
    assert [problem.path for problem in caught.value.problems] == ["base.metadata.a", "base.metadata.b[0]"]


def test_what_is_no_case_is_refused() -> None:
    """A dict is not a case."""
    assert refusal((sum_case(), {"case_id": "x"}))[:2] == ("not_a_case", "candidate")


def test_a_pair_that_would_not_fit_into_a_record_is_refused() -> None:
    """Sixteen mebibytes are the limit of a record, with room for the verdict."""
    assert refusal((sum_case(question="x" * 13_000_000), sum_case("variant")))[0] == "too_large"


def test_the_oracle_is_named_by_what_it_declares() -> None:
    """A declared name and version are recorded, with the digest of the source."""
    oracle = judged(adder).data["oracle"]
    assert (oracle["name"], oracle["version"], oracle["repeats"]) == ("adder", "2.1", 1)
    assert is_digest(oracle["source_sha256"])


def test_a_function_is_named_by_its_place() -> None:
    """Without a declaration it is module and name; the sources of two functions differ."""
    oracle = judged(check_addition).data["oracle"]
    assert (oracle["name"], oracle["version"]) == ("tests.validators.check_addition", None)
    assert oracle["source_sha256"] != judged(adder).data["oracle"]["source_sha256"]


def test_source_that_python_cannot_show_is_null() -> None:
    """A function made by exec has no source to digest."""
    names: dict[str, Any] = {}
    exec("def oracle(base, candidate): return verdict()", {"verdict": verdict}, names)  # noqa: S102
    validation = judged(names["oracle"])
    assert validation.status == "valid"
    assert validation.data["oracle"]["source_sha256"] is None


def test_partial_and_unhashable_validators_can_be_named() -> None:
    """Whatever is callable gets some name."""

    class Unhashable(dict[str, Any]):
        def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
            return verdict()

    assert judged(functools.partial(check_addition)).status == "valid"
    assert judged(Unhashable()).data["oracle"]["name"].endswith("Unhashable")
