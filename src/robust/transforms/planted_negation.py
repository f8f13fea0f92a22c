"""Planted edits of negations: one less or one more, which says the opposite."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from robust.transforms.planted_doubts import is_english, keyed_once
from robust.transforms.planted_places import Place

_VERBS: Final = "is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|must|may|might|shall"
# Where the word belongs to a set phrase, leaving it out does not say the opposite.
_PHRASE: Final = (
    r"(?!\s+(?:only|just|merely|least|to\s+mention|necessarily|until|unless|help|but|yet|quite|too|so|all|every"
    r"|nur|einmal)\b)"
)
_NOT: Final = re.compile(
    rf"(?<=\w )(?:{_VERBS}|ist|sind|war|waren|wird|hat|haben|kann|darf) (?P<not>not|nicht)\b{_PHRASE}(?=\s\w)"
)
_CONTRACTED: Final = re.compile(
    rf"(?<=\w )(?:is|are|was|were|do|does|did|has|have|had|could|would|should|must)(?P<not>n['’]t)\b{_PHRASE}(?=\s\w)"
)
_CANNOT: Final = re.compile(rf"(?<=\w )can(?P<not>not)\b{_PHRASE}(?=\s\w)")
_NEVER: Final = re.compile(r"(?<=\w )(?P<never>never|always)\b(?=\s\w)")
_NEVER_ANYWHERE: Final = re.compile(r"\b(?:never|always)\b", re.IGNORECASE)
_PLAIN: Final = re.compile(
    r"(?<=\w )(?P<verb>is|are|was|were|must|will)(?= (?!(?:not|nicht|never|no|none|nothing|nobody|neither|nor|either"
    r"|hardly|only|just|it|he|she|they|we|you|I|this|that|there|always|still|also|all|every|each|any)\b)[a-z])"
)
_WHETHER: Final = re.compile(r"\b(?:whether|if|why|or)\b[^.!?;]*\Z|\bor\s*\Z|[,;]\s*\w*\s*\Z", re.IGNORECASE)
_TAG: Final = re.compile(r",\s*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b[^.!?]*\?")
_APOSTROPHE: Final = re.compile(r"(?<=n)'(?=t\b)")
_LOOK_BACK: Final = 60
_NEGATION: Final = re.compile(
    r"\b(?:not|never|no|nor|neither|nobody|nothing|none|nowhere|without|cannot|\w+n['’]t|hardly|barely|scarcely|seldom"
    r"|rarely|nicht|kein\w*)\b",
    re.IGNORECASE,
)
# Behind these "is" begins no statement, or "will" and "must" are no verbs.
_NO_STATEMENT: Final = re.compile(r"\b(?:how|where|when|what|who|which|as|such|that) \Z", re.IGNORECASE)
_NOUN_BEFORE: Final = re.compile(
    r"\b(?:an?|the|his|her|their|my|your|our|its|free|good|ill|last|living|own|this|that|no|any|God's) \Z",
    re.IGNORECASE,
)
_NO_VERB_BEHIND: Final = re.compile(r" (?:and|or|of|for|to|in|on|at|with|by|from|as|is|was|has)\b")
_IDIOM_BEFORE: Final = re.compile(r"\b(?:as|say|almost|nearly|for) \Z", re.IGNORECASE)
_IDIOM_BEHIND: Final = re.compile(r" (?:mind|ever|again|say|before)\b")
_NEXT_WORDS: Final = re.compile(r"\W*\w+")


def _asserted(text: str, match: re.Match[str]) -> bool:
    """Whether the clause says it, instead of asking whether it is so; a tag at its end turns what it says around."""
    before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
    return _WHETHER.search(before) is None and _TAG.search(text, match.end(), match.end() + 2 * _LOOK_BACK) is None


def dropped_negation(text: str) -> Iterator[Place]:
    """What was denied is said: "is not due" becomes "is due"; "isn't" becomes "is"."""
    for pattern in (_NOT, _CONTRACTED, _CANNOT):
        for match in keyed_once(pattern.finditer(text), lambda match: _with_next_word(text, match)):
            if _asserted(text, match):
                start, end = match.span("not")
                # The blank before the word goes with it.
                yield Place(start - (text[start - 1] == " "), end, ("",))


def added_negation(text: str) -> Iterator[Place]:
    """What was said is denied: "is due" becomes "is not due"; only in an English text without any negation."""
    if _NEGATION.search(text) is None and is_english(text):
        for match in keyed_once(_PLAIN.finditer(text), lambda match: _with_next_word(text, match)):
            if _asserted(text, match) and _is_predicate(text, match):
                yield Place(match.end(), match.end(), (" not",))


def _with_next_word(text: str, match: re.Match[str]) -> str:
    behind = _NEXT_WORDS.match(text, match.end())
    return match.group() if behind is None else match.group() + behind.group()


def _is_predicate(text: str, match: re.Match[str]) -> bool:
    """Whether a verb is one, and says something of what stands before it."""
    start, end = match.span()
    first = max(0, start - _LOOK_BACK)
    if _NO_STATEMENT.search(text, first, start) is not None:
        return False
    if match.group("verb") not in ("must", "will"):
        return True
    return _NOUN_BEFORE.search(text, first, start) is None and _NO_VERB_BEHIND.match(text, end) is None


def exchanged_always_and_never(text: str) -> Iterator[Place]:
    """What never happens happens always; only where nothing else is denied."""
    if any(match.group() != "never" for match in _NEGATION.finditer(text)):
        return
    if len(_NEVER_ANYWHERE.findall(text)) > 1:
        return
    for match in _NEVER.finditer(text):
        first = max(0, match.start() - _LOOK_BACK)
        idiom = _IDIOM_BEFORE.search(text, first, match.start()) or _IDIOM_BEHIND.match(text, match.end())
        if _asserted(text, match) and not idiom:
            yield Place(*match.span(), ("always" if match.group("never") == "never" else "never",))


def typographic_apostrophe(text: str) -> Iterator[Place]:
    """The apostrophe of "isn't" is written as a typesetter writes it."""
    for match in _APOSTROPHE.finditer(text):
        yield Place(*match.span(), ("’",))


def negation_places(text: str) -> Iterator[Place]:
    """Where negations stand."""
    for match in _NEGATION.finditer(text):
        yield Place(*match.span(), ())
