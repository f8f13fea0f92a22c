"""The oracle of presentations: what it vouches for, what it refuses, and which labels it cannot judge."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, permutations
from typing import Any

import pytest

from robust import Case, Media, OracleVerdict
from robust.oracle.positional import dependence
from robust.oracle.positional_words import POSITIONAL_PHRASES
from robust.oracle.presentation import PresentationOracle
from robust.records.case import Relation
from robust.records.label_styles import LABEL_STYLES, LabelStyle, styled
from robust.run.judging import CandidateJudge, judged_base, judged_candidate
from robust.transforms.candidate import Candidate

Pairs = Sequence[tuple[str, str]]
QUESTION = "May the parcel be returned?"
MEDIA = Media(path="a/b.png", media_type="image/png", bytes=1, sha256="0" * 64)


def plain(*labels: str) -> list[tuple[str, str]]:
    return [(label, label) for label in labels]


def case(case_id: str, pairs: Pairs, shown: Any = QUESTION, media: tuple[Media, ...] = ()) -> Case:
    return Case({"input": shown, "labels": [list(pair) for pair in pairs]}, case_id=case_id, source_id="s", media=media)


def judged(before: Pairs, after: Pairs, *, positional: Sequence[str] = ()) -> OracleVerdict:
    """The verdict on other labels for the same question."""
    return PresentationOracle(positional=positional)(case("base", before), case("candidate", after))


def reversed_order(*labels: str, positional: Sequence[str] = ()) -> OracleVerdict:
    return judged(plain(*labels), plain(*reversed(labels)), positional=positional)


def test_another_order_of_ordinary_labels_is_vouched_for() -> None:
    """With a reason, and evidence of what changed."""
    verdict = reversed_order("approve", "deny", "ask the customer")
    assert verdict.valid is True
    assert verdict.reason
    assert verdict.evidence == {"labels": 3, "moved": 2, "reformatted": 0}


@pytest.mark.parametrize("style", LABEL_STYLES)
def test_every_style_of_ordinary_labels_is_vouched_for(style: LabelStyle) -> None:
    """German labels too, whose capital letters are two."""
    labels = ["genehmigt", "außer Haus", "abgelehnt"]
    after = [(styled(label, style, place), label) for place, label in enumerate(labels)]
    if [form for form, _ in after] != labels:
        assert judged(plain(*labels), after).valid is True


def test_other_words_for_labels_are_vouched_for() -> None:
    """Aliases stand in the contract, whose author says what they mean."""
    verdict = judged(plain("approve", "deny"), [("accept", "approve"), ("deny", "deny")])
    assert (verdict.valid, verdict.evidence["reformatted"]) == (True, 1)


@pytest.mark.parametrize(
    ("after", "reason"),
    [
        (plain("approve"), "'deny' is missing"),
        ([*plain("approve", "deny"), ("Deny!", "deny")], "'deny' is there 2 times"),
        (plain("approve", "deny", "other"), "'other' is no label"),
        ([("yes", "approve"), ("yes", "deny")], "are shown alike"),
        ([("Yes", "approve"), (" yes ", "deny")], "are shown alike"),
        ([("e\u0301t\u00e9", "approve"), ("\u00e9te\u0301", "deny")], "are shown alike"),
        ([("deny", "approve"), ("approve", "deny")], "which is another label"),
        ([("[DENY]", "approve"), ("refuse", "deny")], "which is another label"),
        ([("B) deny", "approve"), ("A) approve", "deny")], "which is another label"),
        ([("“deny.”", "approve"), ("no", "deny")], "which is another label"),
        ([(" \u2003", "approve"), ("deny", "deny")], "shown as nothing"),
        (plain("approve", "deny"), "shown as they were"),
        ([], "'approve' is missing"),
    ],
)
def test_labels_that_are_not_the_same_are_refused(after: Pairs, reason: str) -> None:
    """Missing, twice, foreign, alike, mistakable, or not changed at all."""
    verdict = judged(plain("approve", "deny"), after)
    assert verdict.valid is False
    assert reason in verdict.reason
    assert verdict.evidence


@pytest.mark.parametrize(
    ("after", "valid"),
    [
        (plain("IT", "it"), True),
        ([('"it"', "it"), ('"IT"', "IT")], True),
        ([("IT", "it"), ("it", "IT")], False),
        ([("It", "it"), ("IT", "IT")], False),
        ([('"IT"', "it"), ("IT", "IT")], False),
    ],
)
def test_labels_that_differ_by_case_alone_keep_it(after: Pairs, valid: bool) -> None:
    """A contract may have them, and then no form may blur them."""
    assert judged(plain("it", "IT"), after).valid is valid


@pytest.mark.parametrize(
    ("shown", "media"),
    [("May it be returned?", ()), (QUESTION.upper(), ()), ({"q": QUESTION}, ()), (QUESTION, (MEDIA,))],
)
def test_another_input_is_refused(shown: Any, media: tuple[Media, ...]) -> None:
    """Whatever happens to the labels."""
    verdict = PresentationOracle()(
        case("base", plain("a lot", "little")), case("c", plain("little", "a lot"), shown, media)
    )
    assert verdict.valid is False
    assert "input" in verdict.reason


def test_inputs_are_compared_with_their_types() -> None:
    """True is not 1, but 1.0 is, as it is in every digest; and keys have no order."""
    oracle = PresentationOracle()
    before, after = plain("high", "low"), plain("low", "high")
    for one, other, valid in (
        ({"n": True}, {"n": 1}, False),
        ({"n": 1.0}, {"n": 1}, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
    ):
        assert oracle(case("base", before, one), case("c", after, other)).valid is valid


POSITIONAL = (
    *(
        "all of the above",
        "None of the above.",
        "NONE OF THESE",
        "both",
        "Neither",
        "either of the above",
        "both A and C",
    ),
    *("A and B", "1 and 2", "1, 2 and 3", "A, B or C", "A & B", "A/B", "a-c", "II and III", "only B", "all but A"),
    *("option 2", "Option B", "answer a", "answer a is right", "LABEL_0", "option2", "B is correct", "2. Option"),
    *("first", "the last", "Last one", "the first two", "1st", "the former", "the second choice is better"),
    *(
        "none of the\u00a0above",
        "none of the ab\u200bove",
        "Same as A",
        "Opt. 2",
        "none of the other options",
        "A as well as B",
        "ni A ni B",
        "None of the above applies to me",
        "same as above",
    ),
    *("keine der obigen", "Keine davon", "beide", "Letzteres", "A und B", "Antwort 3", "weder noch", "die erste"),
    *("Aucune de ces réponses", "AUCUN DES DEUX", "ci-dessus", "les deux", "A et B", "la réponse deuxième", "dernier"),
    *("ninguna de las anteriores", "Ambos", "A y B", "A o B", "la última", "1ª opción", "los dos", "opción 2"),
)


@pytest.mark.parametrize("label", POSITIONAL)
def test_a_label_of_position_cannot_be_judged(label: str) -> None:
    """In any order and any form; the reason names it."""
    verdict = reversed_order("approve", "deny", label)
    assert verdict.valid is None
    assert verdict.evidence["label"] == label
    quoted = [('"approve"', "approve"), ("deny", "deny"), (f"[{label}]", label)]
    assert judged(plain("approve", "deny", label), quoted).valid is None


@pytest.mark.parametrize("phrase", POSITIONAL_PHRASES)
def test_every_listed_phrase_is_found(phrase: str) -> None:
    """As a label, and within one; a phrase in a form that could never match would be a hole in the list."""
    for label in (phrase, phrase.upper(), f"really, {phrase.title()}!", phrase.replace(" ", "\u2019")):
        finding = dependence(label, 4, frozenset())
        assert finding is not None
        assert not finding.only_if_moved


ORDINARY = (
    *("other", "none", "all", "unsure", "not listed", "the rest", "any other", "above average", "below 5", "middle"),
    *("first class", "second-hand", "last name", "n/a", "N/A", "R&D", "Q&A", "U.S.", "p.m.", "24/7", "COVID-19", "A4"),
    *("1-3", "1 to 3", "0.5", "0,5", "1,000", "5+", "10%", "-1", "2024", "A+", "C++", "C#", "3d", "2 items"),
    *("neither true nor false", "neither agree nor disagree", "both parties", "email and phone", "not a number"),
    *("x" * 65, "same", "as well", "all three", "previous", "Type II", "Class 1", "Plan B", "you and I"),
    *("a lot", "answer a call", "no answer", "keine Antwort", "aucune réponse", "sin respuesta", "A to Z"),
    *("是", "否", "да", "نعم", "は\u3044", "vi", "de", "yes", "no", "true", "false", "not correct", "O'Neill and Sons"),
)


@pytest.mark.parametrize("label", ORDINARY)
def test_an_ordinary_label_is_vouched_for(label: str) -> None:
    """Also one that depends on the others only as a set, and one that looks like a reference at first sight."""
    assert reversed_order("approve", "deny", "escalate", label).valid is True


@pytest.mark.parametrize(
    "label", ["A", "b", "(c)", "D)", "1", "12.", "[3]", "#4", "Ａ", "①", "β", "א", "甲", "가", "三"]
)
def test_a_letter_or_numeral_itself_may_not_move(label: str) -> None:
    """Another order, or letters and numbers that are added, would contradict it; quotes do not."""
    labels = ("approve", "deny", label)
    assert reversed_order(*labels).valid is None
    expected: dict[LabelStyle, bool | None] = {"lettered": None, "numbered": None, "quoted": True, "bracketed": True}
    for style, valid in expected.items():
        after = [(styled(text, style, place), text) for place, text in enumerate(labels)]
        assert judged(plain(*labels), after).valid is valid, style


def test_labels_that_begin_with_letters_of_their_own_may_not_move() -> None:
    """Two at least; one alone is a name with an initial."""
    assert reversed_order("A) approve", "B) deny").valid is None
    assert reversed_order("2. deny", "1. approve", "later").valid is None
    assert judged(plain("a: x", "b: y"), [("[a: x]", "a: x"), ("[b: y]", "b: y")]).valid is True
    assert reversed_order("A. Turing", "nobody").valid is True
    assert reversed_order("1. FC Union", "1. FC Köln").valid is True


def test_roman_numerals_count_where_there_are_several() -> None:
    """One alone is a word: the code of a language, an editor."""
    assert reversed_order("I", "II", "III").valid is None
    assert reversed_order("de", "en", "vi").valid is True
    assert reversed_order("vi", "vii").valid is None


@pytest.mark.parametrize("form", ["A", "1", "the last", "none of the above", "option 1"])
def test_another_word_for_a_label_must_not_be_one_of_position(form: str) -> None:
    """An alias says as little as the label that it stands for would."""
    verdict = judged(plain("approve", "deny"), [(form, "approve"), ("no", "deny")])
    assert verdict.valid is None
    assert verdict.evidence["label"] == form


def test_more_labels_of_position_can_be_declared() -> None:
    """They are compared folded."""
    assert reversed_order("Nessuna  delle PRECEDENTI", "sì", positional=["nessuna delle precedenti"]).valid is None
    assert reversed_order("nessuna", "sì", positional=["nessuna delle precedenti"]).valid is True
    alias = [("Keines", "other"), ("yes", "yes")]
    assert judged(plain("other", "yes"), alias, positional=["keines"]).valid is None


@pytest.mark.parametrize(
    "shown",
    [
        "text",
        {"input": QUESTION},
        {"input": QUESTION, "labels": None},
        {"input": QUESTION, "labels": [["yes"]]},
        {"input": QUESTION, "labels": [["yes", 1]]},
        {"input": QUESTION, "labels": ["no"]},
        {"input": QUESTION, "labels": [], "more": 1},
        {"input": QUESTION, "labels": [["yes", "yes"], ["no", "yes"]]},
    ],
)
def test_what_is_no_presentation_cannot_be_judged(shown: Any) -> None:
    """Nothing about its labels is known."""
    odd = Case(shown, case_id="odd", source_id="s")
    assert PresentationOracle()(odd, case("c", plain("no", "yes"))).valid is None
    if shown == "text":
        assert PresentationOracle()(case("base", plain("no", "yes")), odd).valid is None


def test_huge_labels_are_not_looked_through() -> None:
    """Combining marks in wild order would take a normaliser for ever."""
    wild = "a" + "\u0300\u0316" * 1_000_000
    assert reversed_order(wild, "no").valid is None
    assert judged(plain("yes", "no"), [(wild, "yes"), ("no", "no")]).valid is None


def record(relation: Relation = "invariant", labels: tuple[str, ...] = ("approve", "deny")) -> Any:
    """The record that a run makes of a reversed order."""
    judge = CandidateJudge(PresentationOracle(), contract="other/v1")
    base = judged_base(Case(QUESTION, "approve", case_id="base", source_id="s"), labels)
    turned = Candidate(({"order": [1, 0]},), QUESTION, tuple(plain(*reversed(labels))))
    candidate = judged_candidate(
        base, turned, identifier="option_order/base/0", property_name="option_order",
        relation=relation, seed=0, sample=0, labels=labels,
    )  # fmt: skip
    return judge.judge(base, candidate)


def test_its_record_is_valid_by_relation() -> None:
    """It derives no answers; its identity and its own contract are in the record, and it needs no thread."""
    made = record()
    assert (made.status, made.strength, made.issues) == ("valid", "relation", ())
    assert made.data["contract"] == "robust.presentation/v1"
    assert made.data["oracle"]["name"] == "robust.presentation"
    assert made.data["oracle"]["version"] == "1"
    assert made.data["oracle"]["source_sha256"].startswith("sha256:")
    assert CandidateJudge(PresentationOracle(), contract="other/v1").waits is False


def test_its_record_is_unknown_where_the_answer_should_change() -> None:
    """No presentation makes another answer right."""
    assert record("counterfactual").status == "unknown"
    assert record("increasing").data["verdict"]["valid"] is None


def test_one_oracle_judges_several_decisions() -> None:
    """What it found out about one set of labels is not taken for another's."""
    oracle = PresentationOracle()
    for _ in range(2):
        assert oracle(case("b", plain("yes", "no")), case("c", plain("no", "yes"))).valid is True
        assert oracle(case("b", plain("yes", "both")), case("c", plain("both", "yes"))).valid is None


def test_more_orders_than_are_remembered_are_judged_alike() -> None:
    """Long runs over many labels have thousands."""
    labels = ["ask", "bid", "call", "draw", "earn", "fold", "go"]
    oracle, before = PresentationOracle(), case("b", plain(*labels))
    orders = islice(permutations(labels), 1, 1200)
    assert all(oracle(before, case("c", plain(*order))).valid is True for order in orders)
    verdict = oracle(before, case("c", plain(*reversed(labels))))
    verdict.evidence["labels"] = 0
    assert oracle(before, case("c", plain(*reversed(labels)))).evidence["labels"] == 7
