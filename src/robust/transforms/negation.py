"""English negation, put in or taken out: the one built-in strategy that supposes another answer."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from typing import ClassVar, Final

from robust.canon import RandomStream
from robust.records.case import Relation
from robust.transforms.strategy import Edit, substitution

# Verbs that take "not" behind them. "do" and "have" do so only where they are no full verbs, which cannot be told here.
_VERBS: Final = "is|are|was|were|can|could|will|would|shall|should|must|may|might|am"
_NEGATED: Final = f"(?:{_VERBS}|do|does|did|has|have|had)"
# Behind the verb these negate already, or make something else than the opposite of "not".
_NEGATIVE: Final = "not|never|no|nothing|nobody|none|nowhere|neither|hardly|barely|scarcely|only|merely|just"
_INTO: Final = re.compile(
    # Behind a word, since a verb in front asks a question, where "not" would stand elsewhere. "at 10 am" is no verb.
    rf"(?<=[\w)\"”’,] )(?:{_VERBS})(?<!(?<!\bI )\bam)\b(?!['’]|-|\s+(?:{_NEGATIVE})\b)(?=\s+\w)",
    re.IGNORECASE,
)
_OUT_OF: Final = re.compile(
    rf"\b({_NEGATED})(\s+not)\b(?!\s+(?:only|merely|just|until|till|unless|without)\b)", re.IGNORECASE
)
# Verbs that are nouns and names as well: "a can of", "the will", "my might", "in May", "May 2025", "Will Smith".
_NOUN: Final = re.compile(r"(?:can|will|might|must|may)\Z", re.IGNORECASE)
_BEFORE_NOUN: Final = re.compile(
    r"\b(?:a|an|the|my|your|his|her|its|our|their|no|in|of|by|until|till|since|last|next|early|late|mid|\w+['’]s) \Z",
    re.IGNORECASE,
)
_BEHIND_MONTH: Final = re.compile(r"\s+\d")
# "whether it is or is not" says the same either way, and "cannot help but" is an idiom.
_EITHER_WAY: Final = re.compile(r"\bwhether\b", re.IGNORECASE)
_IDIOM: Final = re.compile(r"\s+(?:help|but)\b", re.IGNORECASE)
_LOOK_BACK: Final = 24
_SENTENCE_END: Final = re.compile(r"[.!?…]+(?=[\s\"'”’»)\]]|\Z)|\n\s*\n")
_CONTRACTED: Final = re.compile(
    r"\b(is|are|was|were|could|would|should|must|do|does|did|has|have|had)n['’]t\b", re.IGNORECASE
)
_WHOLE: Final = re.compile(r"\b(cannot|can['’]t|won['’]t|shan['’]t)\b", re.IGNORECASE)
_POSITIVE: Final = {"cannot": "can", "can't": "can", "won't": "will", "shan't": "shall"}


def _forms(text: str) -> Iterator[tuple[int, int, str]]:
    """Every place with what may stand there instead."""
    for found in _INTO.finditer(text):
        if not _is_noun(text, found):
            yield found.end(), found.end(), " NOT" if len(found.group()) > 1 and found.group().isupper() else " not"
    for found in _OUT_OF.finditer(text):
        yield *found.span(2), ""
    for found in _CONTRACTED.finditer(text):
        yield found.end(1), found.end(), ""
    for found in _WHOLE.finditer(text):
        if _IDIOM.match(text, found.end()):
            continue
        positive = _POSITIVE[found.group().lower().replace("’", "'")]
        first = found.group()[0]
        cased = positive.upper() if found.group().isupper() else first + positive[1:]
        yield found.start(), found.end(), cased


def _is_noun(text: str, found: re.Match[str]) -> bool:
    """Whether what could be a verb is, or may be, a noun, a month or a name."""
    word = found.group()
    if not _NOUN.match(word):
        return False
    if word[0].isupper() and not word.isupper():
        return True
    month = word.lower() == "may" and _BEHIND_MONTH.match(text, found.end())
    return bool(month or _BEFORE_NOUN.search(text[max(found.start() - _LOOK_BACK, 0) : found.start()]))


def _statements(text: str) -> list[tuple[int, int]]:
    """Where a sentence stands that says something: one that asks stays, and one that says it for either case."""
    spans: list[tuple[int, int]] = []
    start = 0
    for end in (*(found.span() for found in _SENTENCE_END.finditer(text)), (len(text), len(text))):
        if "?" not in text[slice(*end)] and not _EITHER_WAY.search(text, start, end[0]):
            spans.append((start, end[1]))
        start = end[1]
    return spans


def _in_statements(text: str) -> list[tuple[int, int, str]]:
    spans = _statements(text)
    starts = [start for start, _ in spans]

    def stated(place: int) -> bool:
        at = bisect.bisect_right(starts, place) - 1
        return at >= 0 and place <= spans[at][1]

    return [form for form in _forms(text) if stated(form[0])]


class Negation:
    """``not`` is put behind an English verb such as *is* or *can*, or one that stands there is taken out."""

    name: ClassVar[str] = "negation"
    relation: ClassVar[Relation] = "counterfactual"

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        """See :class:`Strategy`."""
        forms = _in_statements(text)
        return substitution(text, *stream.choice(forms)) if forms else None
