"""Several oracles as one: who is asked, what counts, and what is recorded of each."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from robust import (
    Case,
    CaseError,
    CombinedOracle,
    CommandOracle,
    OracleVerdict,
    all_of,
    any_of,
    quorum,
    validate_variant,
    validate_variants,
)
from robust.canon import canonical_bytes, decode_own
from tests.builders import CONTRACT, judged, pair, sum_case, verdict
from tests.validators import check_addition


class Says:
    """A named oracle that says the same of every pair."""

    waits = False

    def __init__(self, name: str, said: Any, version: str = "1", model: str | None = None) -> None:
        self.name, self.version, self.model = name, version, model
        self._said = said

    def __call__(self, base: Case, candidate: Case) -> Any:
        """Say it, or raise it."""
        if isinstance(self._said, BaseException):
            raise self._said
        return self._said


YES, NO, MAYBE = (verdict(valid) for valid in (True, False, None))


def members_of(record: Any) -> dict[str, Any]:
    return {each["name"]: each for each in record.data["verdict"]["evidence"]["members"]}


@pytest.mark.parametrize(
    ("oracle", "issues"),
    [
        (all_of(Says("a", YES), Says("b", YES)), ()),
        (all_of(Says("a", YES), Says("b", MAYBE)), ("unreviewed",)),
        (all_of(Says("a", MAYBE), Says("b", NO)), ("rejected",)),
        (any_of(Says("a", NO), Says("b", YES)), ()),
        (any_of(Says("a", NO), Says("b", MAYBE)), ("unreviewed",)),
        (any_of(Says("a", NO), Says("b", NO)), ("rejected",)),
        (quorum(2, Says("a", YES), Says("b", NO), Says("c", YES)), ()),
        (quorum(2, Says("a", NO), Says("b", NO), Says("c", YES)), ("rejected",)),
        (quorum(2, Says("a", MAYBE), Says("b", NO), Says("c", YES)), ("unreviewed",)),
        (quorum(1, Says("a", NO), Says("c", YES)), ("unreviewed",)),
    ],
)
def test_a_combination_says_what_its_members_come_to(oracle: CombinedOracle, issues: tuple[str, ...]) -> None:
    """All, any, or enough of them."""
    assert judged(oracle).issues == issues


@pytest.mark.parametrize("oracle", [all_of(), any_of(), quorum(1), quorum(3)])
def test_an_empty_combination_is_never_valid(oracle: CombinedOracle) -> None:
    """It says that it has no members."""
    record = judged(oracle)
    assert record.issues == ("unreviewed",)
    assert "no members" in record.data["verdict"]["reason"]


def test_what_each_member_said_is_recorded() -> None:
    """With who it is, and whether they disagreed."""
    record = judged(any_of(Says("b", NO, version="3"), Says("a", YES), Says("c", OSError("no disk"))))
    assert record.status == "valid"
    evidence = record.data["verdict"]["evidence"]
    assert (evidence["combination"], evidence["needed"], evidence["disagreement"]) == ("any_of", 1, True)
    assert list(members_of(record)) == ["a", "b", "c"]
    a, b, c = members_of(record).values()
    assert (a["valid"], a["counts"], a["base_expected"], a["evidence"]) == (True, True, 6, {"how": "by hand"})
    assert (b["valid"], b["counts"], b["version"], b["issues"]) == (False, False, "3", ["rejected"])
    assert (c["valid"], c["counts"], c["failures"][0]["detail"]) == (None, None, "OSError: no disk")


def test_members_that_say_valid_must_derive_the_same_answers() -> None:
    """Otherwise it is not known which of them is right."""
    record = judged(all_of(Says("a", verdict()), Says("b", verdict(variant=8))))
    assert record.issues == ("unreviewed",)
    assert record.data["verdict"]["evidence"]["disagreement"] is True
    assert "different answers" in record.data["verdict"]["reason"]
    near = all_of(Says("a", verdict()), Says("b", verdict(variant=7.25)))
    assert judged(near, comparator={"name": "number", "abs_tol": 0.5}).status == "valid"
    assert judged(near).issues == ("unreviewed",)


def test_one_member_may_bring_the_answers_of_another() -> None:
    """As where one sees that nothing changed, and another recomputes."""
    bare = OracleVerdict(True, "nothing changed", evidence={"words": 4})
    record = judged(all_of(Says("a", bare), Says("b", verdict(variant=6))), relation="invariant")
    assert (record.status, record.strength) == ("valid", "answers")


@pytest.mark.parametrize(
    ("said", "issue"),
    [
        (verdict(evidence={}), "evidence_missing"),
        (verdict(reason=" "), "reason_missing"),
        (verdict("yes"), "verdict_malformed"),  # type: ignore[arg-type]
        (verdict(variant=6), "relation_contradicted"),
        ("yes", "verdict_malformed"),
    ],
)
def test_a_combination_launders_nothing(said: Any, issue: str) -> None:
    """What would not be valid by itself counts for nothing, or against it, in company too."""
    record = judged(any_of(Says("a", said), Says("b", MAYBE)))
    assert record.status == "unknown"
    assert issue in members_of(record)["a"]["issues"]
    assert members_of(record)["a"]["counts"] is (False if issue == "relation_contradicted" else None)


def test_a_member_that_changes_its_copies_reaches_no_other() -> None:
    """Each has its own, and the one that meddles does not count."""

    class Meddler(Says):
        def __call__(self, base: Case, candidate: Case) -> Any:
            base.metadata["seen"] = True
            object.__setattr__(candidate, "input", "What is 0 plus 0?")
            return verdict()

    record = judged(all_of(Meddler("a", None), check_addition))
    assert members_of(record)["a"]["issues"] == ["validator_mutated_input"]
    assert members_of(record)["tests.validators.check_addition"]["counts"] is True
    assert record.status == "unknown"


def test_two_members_of_one_name_are_refused() -> None:
    """Also where one of them is named by its module."""
    with pytest.raises(CaseError) as caught:
        all_of(Says("a", YES), Says("b", YES), Says("a", NO))
    assert caught.value.code == "equal_names"
    assert "0 and 2" in str(caught.value)
    with pytest.raises(CaseError, match="both named 'tests"):
        any_of(check_addition, "tests.validators:check_addition")


@pytest.mark.parametrize("other", ["judge", "Judge ", "JUDGE", "Judge"])
def test_names_that_a_reader_takes_for_one_are_refused(other: str) -> None:
    """Case, white space and Unicode's forms tell no members apart."""
    with pytest.raises(CaseError) as caught:
        all_of(Says("Judge", YES), Says(other, NO))
    assert caught.value.code == "equal_names"
    with pytest.raises(CaseError, match="as good as"):
        any_of(Says("café", YES), Says("cafe\u0301", NO))


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: quorum(0, Says("a", YES)), "bad_quorum"),
        (lambda: quorum(2, Says("a", YES)), "bad_quorum"),
        (lambda: quorum(True, Says("a", YES)), "bad_quorum"),
        (lambda: all_of(3), "not_callable"),  # type: ignore[arg-type]
        (lambda: all_of(Says), "not_callable"),  # type: ignore[arg-type]
        (lambda: all_of("no.such:thing"), "not_importable"),
        (lambda: all_of(*(Says(str(n), YES) for n in range(17))), "too_many_members"),
        (lambda: all_of(name=" "), "bad_oracle"),
    ],
)
def test_a_combination_that_cannot_be_is_an_error(make: Any, code: str) -> None:
    """When it is made."""
    with pytest.raises(CaseError) as caught:
        make()
    assert caught.value.code == code


def test_who_judged_is_known_by_name_and_version() -> None:
    """The version changes with any member, and not with their order."""
    first = all_of(Says("a", YES), Says("b", YES))
    assert first.name == "all_of(a, b)"
    assert judged(first).data["oracle"] == judged(all_of(Says("b", YES), Says("a", YES))).data["oracle"]
    others = [
        all_of(Says("a", YES), Says("b", YES, version="2")),
        any_of(Says("a", YES), Says("b", YES)),
        quorum(2, Says("a", YES), Says("b", YES)),
        quorum(1, Says("a", YES), Says("b", YES)),
    ]
    assert len({first.version, *(each.version for each in others)}) == 5
    assert all_of(name="panel").name == "panel"


def test_the_models_of_members_are_known_however_deep() -> None:
    """So that a tested model is found among them."""
    inner = any_of(Says("a", YES, model="m-1"), name="inner")
    outer = all_of(inner, Says("b", YES, model="m-2"))
    assert [(each["name"], each["model"]) for each in outer.oracles] == [("b", "m-2"), ("inner", None), ("a", "m-1")]
    assert outer.waits is False
    assert all_of(check_addition).waits is True


def test_programs_and_combinations_can_be_members() -> None:
    """In a batch, by several workers too."""
    code = (
        "import json, re, sys\n"
        "numbers = lambda case: sum(map(int, re.findall('[0-9]+', case['input'])))\n"
        "for line in sys.stdin:\n"
        "    q = json.loads(line)\n"
        "    print(json.dumps({'id': q['id'], 'valid': True, 'reason': 'sum', 'base_expected': numbers(q['base']),\n"
        "                      'variant_expected': numbers(q['candidate']), 'evidence': {'by': 'hand'}}), flush=True)\n"
    )
    pairs = [(sum_case(), sum_case(f"v{n}", f"What is 2 plus {n}?")) for n in range(5, 25)]
    for workers in (1, 3):
        with CommandOracle([sys.executable, "-c", code], name="program") as program:
            oracle = all_of(program, any_of("tests.validators:check_addition"))
            found = list(
                validate_variants(
                    pairs, contract=CONTRACT, relation="counterfactual", validator=oracle, workers=workers
                )
            )
        assert [record.status for record in found] == ["valid"] * 20


def test_a_member_that_hangs_is_ended_where_it_is_isolated() -> None:
    """And counts as undecided; the time limit is for each member."""
    base, candidate = pair()
    record = validate_variant(
        base,
        candidate,
        relation="counterfactual",
        contract=CONTRACT,
        validator=any_of("tests.validators:sleep_for_ever", check_addition),
        timeout_s=1.5,
        isolate=True,
    )
    assert record.status == "valid"
    assert members_of(record)["tests.validators.sleep_for_ever"]["issues"] == ["validator_timeout"]


def test_evidence_has_room_for_every_member() -> None:
    """What is large is named by its digest, so that the whole stays within its limit."""
    large = verdict(reason="r" * 10_000, evidence={"text": "é" * 20_000}, base="b" * 50_000, variant="v" * 50_000)
    record = judged(all_of(*(Says(f"{number}" + "n" * 200, large) for number in range(16))))
    assert record.status == "valid"
    assert record.data["verdict"]["base_expected"] == "b" * 50_000
    evidence = record.data["verdict"]["evidence"]
    assert len(canonical_bytes(evidence)) < 64 * 1024
    assert set(evidence["members"][3]["evidence"]) == {"digest"}
    deep: Any = []
    for _ in range(150):
        deep = [deep]
    assert judged(any_of(Says("a", verdict(evidence={"deep": deep})))).status == "valid"
    assert decode_own(canonical_bytes(evidence)) == evidence
