"""The oracle: knows each sentence of the example with its language, and so the language of a text made of them."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from typing import ClassVar, TypeAlias

from robust import Case, OracleVerdict
from robust.canon import canonical_bytes

Words: TypeAlias = tuple[str, ...]


class UnreadableError(Exception):
    """The sentences that are known do not tell the language of a text; the message says why."""


class KnownSentences:
    """Derives the language of a text from the sentences in it, whatever their case and punctuation.

    It asks no model and sees no label: a text is read as one known sentence after another, and has a language where
    all of them have that one. Words must be those of a sentence letter by letter, accents included, with nothing
    joined and nothing split. Whatever it cannot read so, it does not vouch for, be the language ever so clear.

    Everything that decides is a method of this class: a validation records the digest of the class's source, and in
    ``version`` that of the sentences, so that a changed rule shows, and a changed sentence.

    Args:
        sentences: each text with its language. One with two languages tells neither.
    """

    name: ClassVar = "known-sentences"
    contract: ClassVar = "known-sentences/v1"
    waits: ClassVar = False

    def __init__(self, sentences: Iterable[tuple[str, str]]) -> None:
        known = sorted(set(sentences))
        self.version = f"1-{hashlib.sha256(canonical_bytes(known)).hexdigest()[:12]}"
        self._languages: dict[Words, set[str]] = {}
        self._starting: dict[str, set[Words]] = {}
        for text, language in known:
            words = self.words(text)
            if words:
                self._languages.setdefault(words, set()).add(language)
                self._starting.setdefault(words[0], set()).add(words)
        self._vocabulary = {word for words in self._languages for word in words}

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Judge one candidate."""
        answers: list[str] = []
        for name, case in (("base", base), ("candidate", candidate)):
            try:
                answers.append(self.read(case.input))
            except UnreadableError as problem:
                return OracleVerdict(None, f"{name}: {problem}", evidence={"unreadable": name})
        before, after = answers
        evidence = {"base": before, "candidate": after}
        relation = candidate.origin.relation if candidate.origin else None
        if relation != "invariant":
            reason = f"this oracle has no rule for the relation {relation}"
            return OracleVerdict(None, reason, evidence=evidence)
        same = before == after
        reason = f"both are {before}" if same else f"the language changed from {before} to {after}"
        return OracleVerdict(same, reason, base_expected=before, variant_expected=after, evidence=evidence)

    def read(self, shown: object) -> str:
        """The language of a text.

        Raises:
            UnreadableError: it is not made of known sentences, or these are of several languages.
        """
        if not isinstance(shown, str):
            raise UnreadableError("this is no text")
        words = self.words(shown)
        if not words:
            raise UnreadableError("there are no words")
        readings = self.readings(words)
        if not readings:
            strange = [word for word in dict.fromkeys(words) if word not in self._vocabulary]
            named = " or ".join(repr(word) for word in strange[:2]) or "such words in this order"
            raise UnreadableError(f"no known sentence has {named}")
        languages = sorted(set().union(*readings))
        if len(languages) > 1:
            raise UnreadableError(f"there are sentences in {' and '.join(languages)}")
        return languages[0]

    def readings(self, words: Sequence[str]) -> set[frozenset[str]]:
        """The languages of the sentences in a text, for each way to read all of its words as known sentences."""
        reached: list[set[frozenset[str]]] = [{frozenset()}, *(set() for _ in words)]
        for start, word in enumerate(words):
            for sentence in self._starting.get(word, ()) if reached[start] else ():
                end = start + len(sentence)
                if tuple(words[start:end]) == sentence:
                    options = self._languages[sentence]
                    reached[end] |= {before | {language} for before in reached[start] for language in options}
        return reached[-1]

    @classmethod
    def words(cls, text: str) -> Words:
        """The words of a text in small letters, without what stands around them; signs alone are none."""
        stretches = (cls.without_signs(stretch) for stretch in text.split())
        return tuple("".join(map(cls.small, stretch)) for stretch in stretches if stretch)

    @staticmethod
    def without_signs(stretch: str) -> str:
        """What is left between the first and the last letter, digit or accent of a stretch without white space."""
        places = [place for place, char in enumerate(stretch) if unicodedata.category(char)[0] in "LMN"]
        return stretch[places[0] : places[-1] + 1] if places else ""

    @staticmethod
    def small(char: str) -> str:
        """The small letter of a capital, where it is one letter too: of ``İ`` it would be two."""
        lowered = char.lower()
        return lowered if len(lowered) == 1 else char
