"""The oracle of text edits: what it accepts, what it refuses, and of what it says that it does not know."""

from __future__ import annotations

import pytest

from robust import Case, Media, Origin
from robust.canon import JsonObject, RandomStream, canonical_bytes
from robust.oracle.preserves import PreservesOracle
from robust.records.properties import FRAGMENTS, IrrelevantContext, RepeatedContext, Whitespace
from robust.records.verdict import OracleVerdict, read_verdict
from robust.transforms.candidate import Transformation
from robust.transforms.context import ContextTransformation
from robust.transforms.spacing import WhitespaceTransformation

BLUE = "The sky is blue."
CAT = "A cat sat down."
TEXT = "The parcel came late. Nobody called me! Is that how you work?"
PROSE = (
    "The old garden gate broke near the road, which surprised us. Our parcel arrived late and the driver was rude.\n"
    "My well-known colleague explained the machine to the teacher. Their kitchen looks beautiful after the work.\n\n"
    "This letter seems strange because of its cover; I don't know why. It works! Does the manager know?"
)


def verdict(before: str | JsonObject, after: str | JsonObject, **settings: object) -> OracleVerdict:
    """What the oracle says of two inputs."""
    oracle = PreservesOracle(**settings)  # type: ignore[arg-type]
    return oracle(Case(before, case_id="base", source_id="s"), Case(after, case_id="other", source_id="s"))


def says(before: str | JsonObject, after: str | JsonObject, **settings: object) -> bool | None:
    return verdict(before, after, **settings).valid


@pytest.mark.parametrize(
    ("before", "after", "edits"),
    [
        (TEXT, TEXT.replace(" came", "  came"), ["white_space"]),
        (TEXT, TEXT.replace(" came", "\n came"), ["white_space"]),
        (TEXT, TEXT.replace(" Nobody", " \n\n Nobody"), ["white_space"]),
        (TEXT, f" {TEXT}\n", ["white_space"]),
        ("We paid 35 for it.", "We paid  35 for\nit.", ["white_space"]),
        ("Dix francs\u00a0: merci", "Dix francs : merci", ["white_space"]),
        ("你好。再见。", "你好。 再见。", ["white_space"]),
        ("שלום עולם טוב", "שלום  עולם\nטוב", ["white_space"]),
        ("नमस्ते दुनिया", "नमस्ते  दुनिया", ["white_space"]),
        ("I like it.", "I like it!", ["punctuation"]),
        ("I like it", "I like it...", ["punctuation"]),
        ("It came. It works.", "It came! It works", ["punctuation"]),
        ("It came , it works .", "It came, it works.", ["white_space", "punctuation"]),
        ("Hello, can you help me?", "Hello can you help me?", ["punctuation"]),
        ("It was late and the box was wet.", "It was late, and the box was wet.", ["punctuation"]),
        ("I liked it, too.", "I liked it too.", ["punctuation"]),
        ("I said so !", "I said so!", ["white_space", "punctuation"]),
        (TEXT, f"{BLUE} {TEXT}", ["fragments"]),
        (TEXT, f"{TEXT} {BLUE} {CAT}", ["fragments"]),
        (TEXT, TEXT.replace(" Nobody", f" {BLUE} Nobody").replace(" Is", f" {CAT} {BLUE} Is"), ["fragments"]),
        (TEXT, f"{CAT}  {TEXT}".replace("came late.", "came late!"), ["punctuation", "fragments"]),
        (TEXT, f"{CAT} {TEXT}".replace("came late", "came  late"), ["white_space", "fragments"]),
        ("I paid 5. I left.", f"I paid 5. {CAT} I left.", ["fragments"]),
        (f"{BLUE} Yes.", f"{BLUE} {BLUE} Yes.", ["fragments"]),
        ("你好。再见。", f"你好。{BLUE} 再见。", ["fragments"]),
        ("Title\n\nIt works", f"Title\n\n{BLUE} It works", ["fragments"]),
        ("one two", f"one two {BLUE}", ["fragments"]),
    ],
)
def test_edits_that_say_nothing_are_accepted(before: str, after: str, edits: list[str]) -> None:
    """White space, punctuation and whole fragments, alone and together."""
    said = verdict(before, after, fragments=(BLUE, CAT))
    assert (said.valid, sorted(said.evidence["edits"])) == (True, sorted(edits))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        *(("1 000", "1  000"), ("1 000", "1\n000"), ("pay 3 50", "pay 3  50"), ("5 mW", "5  mW"), ("- 5", "-  5")),
        *(("3 pm", "3\npm"), ("5 March", "5  March"), ("twenty three", "twenty  three"), ("no one", "no  one")),
        *(("$ 5", "$  5"), ("5 per cent", "5 per  cent"), ("5 km per hour", "5 km\nper hour"), ("10 : 30", "10  : 30")),
        *(
            ('say "a  b"', 'say "a b"'),
            ("«a b»", "«a\nb»"),
            ("‘a b’", "‘a  b’"),
            ("„a b“", "„a  b“"),
            ("`a  b`", "`a b`"),
        ),
        *(("he's 'a b'", "he's 'a  b'"), ('"never closed at all', '"never closed  at all'), ("``a b''", "``a  b''")),
        *(("the boys' 'a b' 's", "the boys' 'a  b' 's"), ('5" x "a b', '5" x "a  b'), ("「你 好」", "「你  好」")),
        ("to New York City now", "to New  York City now"),
        ("5      mW", "5 mW"),
        ("5 км", "5  км"),
        ("❝a b❞", "❝a  b❞"),
    ],
)
def test_white_space_within_an_item_or_a_quotation_is_left_open(before: str, after: str) -> None:
    """It may belong to what is said; what may be quoted counts as quoted."""
    assert says(before, after, keep=("New York",)) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f():\n    return 1", "def f():\n  return 1"),
        ("if a:\n    b\nc", "if a:\n    b\n    c"),
        ("a\tb\tc", "a b\tc"),
        ("a b\tc", "a  b\tc"),
        ("name   age\nAnn    five", "name age\nAnn    five"),
        ("one: a\ntwo: b", "one: a\n two: b"),
        ("- a\n- b", "- a\n  - b"),
        ("- a\n- b", "  - a\n- b"),
        ("milk\neggs\nbread", "milk eggs\nbread"),
        ("Roses are red\nViolets are blue", "Roses are\nred Violets are blue"),
        ("this - that", "this\n- that"),
        ("fans of # this", "fans of\n# this"),
        ("ls -l # all of them", "ls -l # all\nof them"),
        ("see 2. below", "see\n2. below"),
        ("x = 1 // one more", "x = 1 // one\nmore"),
        ("```\na b\n```", "```\na  b\n```"),
        ('{"a": 1, "b": 2}', '{"a": 1,  "b": 2}'),
        ("| a | b |", "| a | b  |"),
        ("pre- and after", "pre-\nand after"),
        ("a \u202eb c\u202c d", "a  \u202eb c\u202c d"),
        ("a \u0301b", "a  \u0301b"),
        ("a b", "a\x1fb"),
        ("a b", "a\u1680b"),
        ("a b", "a\u2028b"),
        ("a\x0cb", "a b"),
        ("a b", "a b\x1f"),
        ("a b", "\x0ba b"),
        ("a b", "a\n\tb"),
        ("a b", "a\n    b"),
        ("he said &quot;a b&quot;", "he said &quot;a  b&quot;"),
    ],
)
def test_white_space_that_has_a_shape_is_left_open(before: str, after: str) -> None:
    """That of code, columns, lists, verses, comments; beside characters that cling; and of unusual kinds."""
    assert says(before, after) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        *(("can not go", "cannot go"), ("a part", "apart"), ("the rapist", "therapist"), ("我不去", "我 不去")),
        *(("a b", "a\u200b b"), ("a b", "a\u200bb"), ("a b", "a \u202eb"), ("a b", "a\u2060 b"), ("a b", "\ufeffa b")),
        *(("a b", "a\u00adb"), ("cafe\u0301 noir", "caf\u00e9 noir"), ("שלום עולם", "שלום\u200f עולם")),
        *(("5 mW", "5mW"), ("1 000", "1000"), ("10:30", "10 : 30"), ("−5", "− 5"), ("$5", "$ 5"), ("100%", "100 %")),
    ],
)
def test_what_joins_or_parts_words_is_no_edit_of_white_space(before: str, after: str) -> None:
    """Nor is a character that nobody sees."""
    assert says(before, after) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        *(("Really?", "Really."), ("Really?", "Really"), ("Really?!", "Really!"), ("¿Vienes?", "Vienes.")),
        *(("Έρχεσαι; Ναι", "Έρχεσαι. Ναι"), ("هل جاء؟", "هل جاء."), ("来吗？", "来吗。")),
        *(("Let's eat, grandma.", "Let's eat grandma."), ("I'm sorry, I love you", "I'm sorry I love you")),
        *(("He eats, shoots and leaves", "He eats shoots and leaves"), ("Stop, clubbing seals", "Stop clubbing seals")),
        *(("Woman, without her man, is lost", "Woman without her, man is lost"), ("all but one", "all, but one")),
        *(("Казнить, нельзя помиловать", "Казнить нельзя, помиловать"), ("Don't, stop", "Don't stop")),
        *(("We met the clowns, Tom and Ann", "We met the clowns, Tom, and Ann"), ("No, thanks", "No thanks")),
        *(("I did not eat and drink", "I did not eat, and drink"), ("Rome, Italy; Bonn", "Rome, Italy, Bonn")),
        *(("He left. She cried", "He left She cried"), ("He left. She cried", "He left, She cried")),
        *(
            ("It works", "It works,"),
            ("A. B said it", "A B said it"),
            ("see fig. b", "see fig b"),
            ("No. five", "No five"),
        ),
        *(("5. Apples", "5 Apples"), ("in 2020, 30 came", "in 2020 30 came"), ("I paid 5.", "I paid 5"), ("5!", "5 !")),
        *(("we're here", "were here"), ("re-cover it", "recover it"), ("and/or", "and or"), ("(a) b", "a b")),
        *(("a and (b or c)", "a and b or c"), (";) ok", ") ok"), (":) ok", ":( ok"), ("at 3 p.m.", "at 3 p.m")),
        *(("Paris, Texas", "Paris; Texas"), ("It came; it works", "It came, it works"), ("It came.", "It came\n.")),
        *(("We saw five, and left", "We saw five and left"), ("if x:\n  y", "if x:\n  y!"), ("f(); g", "f(); g.")),
        *(("We saw five, Tom left", "We saw five; Tom left"), ('"It works. Yes', '"It works! Yes')),
        *(("do as you please", "do as you, please"), ("ls .", "ls"), ("Please, the court", "Please the court")),
        *(
            ("U.S. army", "US army"),
            ("the US", "the us"),
            ("A b", "a b"),
            ("1.000", "1,000"),
            ("~5", "5"),
            ("x<5", "x>5"),
        ),
    ],
)
def test_punctuation_that_may_say_something_is_left_open(before: str, after: str) -> None:
    """Question marks, marks that part sentences or clauses, those beside figures and negations, those within words."""
    assert says(before, after) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        *(("The parcel came.", "The parcel left."), ("He left.", "She left."), ("big", "large"), ("form", "from")),
        *(("a b", "b a"), ("a b", "a b c"), ("a b c", "a b"), ("五个苹果", "六个苹果"), ("", "a"), (" ", "")),
        ("The applicant is eligible.", "The applicant is ineligible."),
    ],
)
def test_other_words_are_left_open(before: str, after: str) -> None:
    """Even a synonym: the oracle does not know the language."""
    assert says(before, after) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TEXT, TEXT.replace("came", f"{BLUE} came")),
        (TEXT, TEXT.replace("parcel", f"parcel {BLUE}")),
        (TEXT, TEXT.replace(" Nobody", f" {BLUE[:-1]} Nobody")),
        (TEXT, TEXT.replace(" Nobody", f" {BLUE.lower()} Nobody")),
        (TEXT, TEXT.replace(" Nobody", f" The sky. {CAT} Nobody")),
        (TEXT, TEXT.replace(" Nobody", f"{BLUE} Nobody")),
        (TEXT, TEXT.replace(" Nobody", f" {BLUE}Nobody")),
        ("Ask Dr. Smith now.", f"Ask Dr. {BLUE} Smith now."),
        ("At 3 p.m. Tuesday came.", f"At 3 p.m. {BLUE} Tuesday came."),
        ("He asked J. Smith.", f"He asked J. {BLUE} Smith."),
        ("I said no", f"I said no {BLUE}"),
        ("He paid 5", "He paid 5 Dollars are green."),
        ("Er kam am 5.", "Er kam am 5. Mai war warm."),
        ("Here and there\nBob went home", f"Here and there\n{BLUE} Bob went home"),
        ("1. Buy milk.\n2. Buy eggs.", f"1. Buy milk.\n{BLUE} 2. Buy eggs."),
        ("x = 1\n\ny = 2", f"x = 1\n\n{BLUE} y = 2"),
        ("It works. Yes.", "It works. Not Yes."),
        ("It works. Yes.", "It works. It is not true that Yes."),
        (f"{BLUE} Yes.", "Yes."),
        ("Yes.", BLUE),
    ],
)
def test_a_fragment_elsewhere_or_in_part_is_left_open(before: str, after: str) -> None:
    """It must be whole, between sentences or at an end, and run on into nothing."""
    fragments = (BLUE, CAT, "Not", "It is not true that", "Dollars are green.", "Mai war warm.")
    assert says(before, after, fragments=fragments) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('He said "A. B." then', f'He said "A. {BLUE} B." then'),
        ("Er kam am 5. Mai an.", f"Er kam am 5. {BLUE} Mai an."),
        ("Ask J. Smith.", f"Ask J. {BLUE} Smith."),
        ("It works.", "It works. Seven cats sat."),
        ("It works.", "It works. Not so."),
    ],
)
def test_a_fragment_that_breaks_an_item_or_is_not_listed_is_refused(before: str, after: str) -> None:
    """The item is lost, or one is gained outside a listed fragment."""
    assert says(before, after, fragments=(BLUE,), keep=("J. Smith",)) is False


def test_items_of_a_listed_fragment_are_not_gained() -> None:
    """They belong to it, wherever it stands."""
    fragment = "Not one of the 7 cats moved."
    assert says(TEXT, f"{TEXT} {fragment}", fragments=(fragment,)) is True
    assert says(TEXT, TEXT.replace("came", f"{fragment} came"), fragments=(fragment,)) is None
    assert says(TEXT, f"{TEXT} {fragment}") is False


@pytest.mark.parametrize(
    ("before", "after"),
    [
        *(("I do not agree", "I do agree"), ("I can’t", "I can"), ("now", "not"), ("without salt", "with salt")),
        *(("pay 5", "pay 6"), ("pay five", "pay six"), ("5 and 6", "6 and 5"), ("5 5", "55"), ("l00", "100")),
        *(
            ("say “a”", "say a"),
            ("say “a”", "say “b”"),
            ("a@b.example", "a @b.example"),
            ("www.a.example", "www.b.example"),
        ),
        *(("now here", "nowhere"), ("Yahoo! won", "Yahoo won"), ("Ann came", "Anne came"), ("5 kg, ok", "5 g, ok")),
        *(("Hello, pay 5!", "Hello pay 6"), ("٣ كتب", "٤ كتب"), ("Ich will nicht", "Ich will"), ("Я не иду", "Я иду")),
    ],
)
def test_a_changed_item_is_refused(before: str, after: str) -> None:
    """Whatever else was edited."""
    assert says(before, after, keep=("Yahoo!", "Ann")) is False


def test_only_the_text_field_of_an_object_may_differ() -> None:
    """Everything else is compared as JSON: 1 and 1.0 are one, 1 and true are two."""
    base: JsonObject = {"text": "It works. Yes.", "n": 1, "list": [1, "a"]}
    edited = {**base, "text": "It  works. Yes."}
    assert says(base, edited, text_field="text") is True
    assert says(base, {**edited, "n": 1.0}, text_field="text") is True
    assert says({"text": "a b"}, {"text": "a  b"}, text_field="text") is True
    for other in ({**edited, "n": True}, {**edited, "more": None}, {"text": "It  works. Yes."}, {**edited, "list": []}):
        said = verdict(base, other, text_field="text")
        assert (said.valid, set(said.evidence)) == (False, {"differs"})
    assert says(base, edited) is False
    assert says(base, edited, text_field="n") is False
    assert says(base, base) is None
    assert says(base, {**base, "text": 5}, text_field="text") is False
    assert says(base, "It works. Yes.", text_field="text") is False
    assert says("It works. Yes.", "It  works. Yes.", text_field="text") is True


def test_other_media_are_refused() -> None:
    """A text that stays does not help."""
    image = Media(path="a/b.png", media_type="image/png", bytes=3, sha256="0" * 64)
    base = Case("a b", case_id="base", source_id="s", media=(image,))
    assert PreservesOracle()(base, Case("a  b", case_id="c", source_id="s")).valid is False
    assert PreservesOracle()(base, Case("a  b", case_id="c", source_id="s", media=(image,))).valid is True


@pytest.mark.parametrize("relation", ["counterfactual", "increasing", "decreasing"])
def test_another_relation_than_invariance_is_left_open(relation: str) -> None:
    """What keeps the meaning turns no answer round."""
    base = Case("a b", case_id="base", source_id="s")
    origin = Origin(parent_id="base", parent_content=base.content_digest, relation=relation)  # type: ignore[arg-type]
    assert PreservesOracle()(base, Case("a  b", case_id="c", source_id="s", origin=origin)).valid is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        *(
            ("a b", "a  b"),
            ("a b", "a b"),
            ("a b", "b a"),
            ("5", "6"),
            ("Really?", "Really."),
            ("a, b", "a b"),
            (" ", "x"),
        ),
        *((TEXT, f"{TEXT} {BLUE}"), ("5 " * 400, "6 " * 400), ("a" * 2000, "1" * 2000), ({"a": 1}, {"a": 2}), ({}, {})),
        *(("a\ud7ffb c", "a\ud7ffb  c"), ({"k" * 3000: 1}, {"j" * 3000: 1})),
    ],
)
def test_every_verdict_is_well_formed_and_has_evidence(before: str | JsonObject, after: str | JsonObject) -> None:
    """A reason, and an object that is never empty nor large."""
    said = verdict(before, after, fragments=(BLUE,))
    encoded, failures = read_verdict(said)
    assert encoded is not None
    assert failures == []
    assert said.reason
    assert said.evidence
    assert len(canonical_bytes(said.evidence)) < 4096


def test_evidence_says_what_became_of_an_item() -> None:
    """What was there, what is there now, and how many items there are."""
    said = verdict("Rates: 3%, −5%, 7%", "Rates: 3%, 5%, 7%")
    assert said.reason == "protected items changed: '−5%' became '5%'"
    assert said.evidence == {
        "items": {"base": 3, "candidate": 3},
        "base": [{"kind": "number", "text": "−5%", "value": "-5 %"}],
        "candidate": [{"kind": "number", "text": "5%", "value": "5 %"}],
    }


def test_evidence_says_where_an_edit_may_matter() -> None:
    """The offset in the base, and why."""
    said = verdict("It weighs 5 kg now", "It weighs 5  kg now")
    assert said.evidence == {
        "words": 5,
        "edits": ["white_space"],
        "problem": "white space within a protected item",
        "place": len("It weighs 5"),
    }


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("He left. She cried", "He left She cried", "a mark that parts sentences"),
        ("We saw five, and left", "We saw five and left", "a mark beside a protected item"),
        ("It works", "It works,", "a mark that leaves the end open"),
        ("pay 5  mW", "pay 5 mW", "white space within a protected item"),
        ("say “oh my  own dear”, Tom", "say “oh my own dear”, Tom", "white space within a quotation"),
    ],
)
def test_why_an_edit_may_matter_is_said(before: str, after: str, problem: str) -> None:
    """In the evidence and in the reason."""
    said = verdict(before, after)
    assert (said.evidence["problem"], said.reason) == (problem, f"it may matter: {problem}")


def test_the_oracle_tells_who_it_is() -> None:
    """Under its contract, without waiting."""
    oracle = PreservesOracle()
    assert (oracle.name, oracle.version, oracle.contract, oracle.waits) == (
        "robust.preserves",
        "1",
        "robust.preserves/v1",
        False,
    )


@pytest.mark.parametrize(
    "transformation",
    [
        ContextTransformation(IrrelevantContext(insertions=3, samples=20, max_flip_rate=0), None),
        ContextTransformation(RepeatedContext(samples=20, max_flip_rate=0), None),
        WhitespaceTransformation(Whitespace(edits=10, samples=40, max_flip_rate=0), None),
    ],
)
def test_what_the_transformations_make_of_prose_is_accepted(transformation: Transformation) -> None:
    """All of it, where no protected item is near the edits."""
    candidates = transformation.generate(PROSE, RandomStream("preserves"))
    assert not isinstance(candidates, str)
    assert len(candidates) >= 20
    refused = [made.input for made in candidates if says(PROSE, made.input, fragments=FRAGMENTS) is not True]
    assert refused == []


@pytest.mark.parametrize("piece", ["A. ", "Ab. ", "word ", "5 ", '"a b" ', "a, ", "你好。", "= a ", "a\n", "n't "])
def test_long_texts_are_judged_too(piece: str) -> None:
    """Those that repeat themselves have any number of readings, and not all of them are tried."""
    text = piece * 1000
    for after in (text.replace(" ", "  "), piece * 1200, text + "end", text.replace(".", "!")):
        assert verdict(text, after, fragments=(piece.strip(), (piece * 2).strip())).reason
