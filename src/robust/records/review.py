"""A row of a review sheet: a pair that a person is to judge, the digests that tie it down, and what was judged."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from robust.canon import JsonObject, describe, digest_value
from robust.errors import DataError
from robust.records.case import Relation

SCHEMA: Final = "robust.review/1"
AnswerKind: TypeAlias = Literal["text", "number", "boolean", "json"]
ANSWER_KINDS: Final[tuple[AnswerKind, ...]] = get_args(AnswerKind)
# What a spreadsheet, or a reader of CSV, would drop or take for the end of a file.
_DROPPED: Final = ("Cc", "Cs")
VALID_WORDS: Final[dict[bool | None, str]] = {True: "yes", False: "no", None: "unknown"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """What a person said of a pair.

    Attributes:
        valid: True, False, or None where the person looked and cannot decide.
        reason: why.
        reviewer: who judged.
        reviewed_at: when, in ISO 8601: a date, or a date and time, with its offset where the person gave one.
        base_answer: the right answer to the base as JSON; None where none was given.
        variant_answer: the right answer to the candidate likewise.
    """

    valid: bool | None
    reason: str
    reviewer: str
    reviewed_at: str
    base_answer: Any = None
    variant_answer: Any = None

    def to_json(self) -> JsonObject:
        """The judgement as plain JSON data."""
        return {
            "valid": VALID_WORDS[self.valid],
            "reason": self.reason,
            "reviewer": self.reviewer,
            "reviewed_at": self.reviewed_at,
            "base_answer": self.base_answer,
            "variant_answer": self.variant_answer,
        }

    @classmethod
    def from_json(cls, data: object) -> Judgement:
        """Read a judgement; the inverse of :meth:`to_json`.

        Raises:
            DataError: it is not of the form in which judgements are written.
        """
        if not isinstance(data, dict) or data.keys() != _JUDGEMENT_FIELDS:
            message = f"a judgement must be an object of {', '.join(sorted(_JUDGEMENT_FIELDS))}"
            raise DataError.of("wrong_value", message, path="$")
        if (valid := data["valid"]) not in VALID_WORDS.values():
            message = f"must be one of {', '.join(VALID_WORDS.values())}"
            raise DataError.of("wrong_value", message, path="$.valid")
        for name in ("reason", "reviewer", "reviewed_at"):
            if type(data[name]) is not str:
                message = f"must be text, not {describe(data[name])}"
                raise DataError.of("wrong_value", message, path=f"$.{name}")
        return cls(**{**data, "valid": next(said for said, word in VALID_WORDS.items() if word == valid)})


_JUDGEMENT_FIELDS: Final = frozenset(Judgement.__slots__)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewPair:
    """A pair as a person sees it. What stands here is under the row's seal, so that nobody judges an edited text.

    Attributes:
        contract: the oracle contract under which it is judged, ``name/vN``.
        relation: what is claimed between the two right answers.
        base_id: the base's id.
        candidate_id: the candidate's id.
        source_id: their source group.
        base: the base's input as it is shown.
        candidate: the candidate's input as it is shown.
        media: the files of both inputs, by name.
        change: how the candidate differs from the base, word by word.
        answers: what kind of value the answers are, which tells how typed text is read.
        pair: the identity of the pair; see :func:`pair_digest`.
    """

    contract: str
    relation: Relation
    base_id: str
    candidate_id: str
    source_id: str
    base: str
    candidate: str
    media: str
    change: str = ""
    answers: AnswerKind
    pair: str

    @property
    def seal(self) -> str:
        """The digest of everything here: a row of which something was edited does not have it any more."""
        return digest_value({"schema": "robust.review-row/1", **{name: getattr(self, name) for name in SEALED}})


SEALED: Final = (
    *("contract", "relation", "base_id", "candidate_id", "source_id"),
    *("base", "candidate", "media", "change", "answers", "pair"),
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewHelp:
    """What helps to judge and is under no seal.

    Attributes:
        status: the record's status.
        issues: its codes.
        oracle_reason: what the oracle said.
    """

    status: str = ""
    issues: str = ""
    oracle_reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewRow:
    """One row: the pair, what helps, and the judgement, which is None while nobody judged."""

    pair: ReviewPair
    help: ReviewHelp = ReviewHelp()
    judgement: Judgement | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ReviewCounts:
    """What came of reading a whole review sheet.

    Attributes:
        judged: how many rows hold a judgement.
        unjudged: how many rows nobody filled in.
        without_reason: how many judgements give no reason.
        ignored: columns or fields that are not the sheet's, in the order in which they came.
    """

    judged: int
    unjudged: int
    without_reason: int
    ignored: tuple[str, ...] = ()


def pair_digest(contract: str, relation: str, base_content: str, candidate_content: str) -> str:
    """The identity of a pair under an oracle contract: its two content digests and the relation that is claimed."""
    return digest_value(
        {
            "schema": "robust.review-pair/1",
            "contract": contract,
            "relation": relation,
            "base": base_content,
            "candidate": candidate_content,
        }
    )


def line_feeds(text: str) -> str:
    """Text with line feeds for every line end: spreadsheets save their own."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def clean(text: str) -> str:
    """Text that comes back from a spreadsheet as it was: with line feeds alone, and control characters escaped."""
    feeds = line_feeds(text)
    if feeds.isprintable():
        return feeds
    return "".join(
        f"\\u{{{ord(char):x}}}" if char not in "\n\t" and unicodedata.category(char) in _DROPPED else char
        for char in feeds
    )


def answer_kind(data: JsonObject) -> AnswerKind:
    """What kind of value the answers of a record's pair are, as far as labels, answers and comparator tell.

    It says nothing about which answer is right, so that a person judges without seeing any label.
    """
    kinds = set(_known_kinds(data))
    if len(kinds) == 1:
        return kinds.pop()
    if kinds:
        return "json"
    by_comparator: dict[str, AnswerKind] = {"number": "number", "set": "json"}
    return by_comparator.get(data["comparator"]["name"], "text")


def _known_kinds(data: JsonObject) -> Iterator[AnswerKind]:
    verdict = data["verdict"] or {}
    known: list[Any] = [data["base"]["expected"], data["candidate"]["expected"]]
    known += [verdict.get("base_expected"), verdict.get("variant_expected"), *data["comparator"].get("levels", ())]
    for answer in known:
        if isinstance(answer, str):
            yield "text"
        elif isinstance(answer, bool):
            yield "boolean"
        elif isinstance(answer, int | float):
            yield "number"
        elif answer is not None:
            yield "json"
