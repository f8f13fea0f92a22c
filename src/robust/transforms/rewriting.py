"""Texts that are replaced: by literal rewrites that turn the question round, and by paraphrases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from robust.canon import RandomStream
from robust.records.properties import Inversion
from robust.transforms.candidate import Candidate, Shown, SkipReason, StepError, Steps, distinct
from robust.transforms.texts import required_text, text_at, text_of, with_text


class InversionTransformation:
    """Replaces the first occurrence of a text; the answer must swap.

    A step is ``{"find": ..., "replace": ...}``.
    """

    def __init__(self, settings: Inversion, field: str | None) -> None:
        self._rewrites = tuple((rewrite.find, rewrite.replace) for rewrite in settings.rewrites)
        self._samples = settings.samples
        self._field = field

    def generate(self, shown: Shown, stream: RandomStream) -> list[Candidate] | SkipReason:  # noqa: ARG002
        """The rewrites that apply, in the contract's order; nothing is drawn."""
        text = text_of(shown, self._field)
        if text is None:
            return "no_text"
        applicable = [pair for pair in self._rewrites if pair[0] in text]
        if not applicable:
            return "no_rewrite_matches"
        made = (self._candidate(shown, text, find, replace) for find, replace in applicable[: self._samples])
        return distinct(made, shown, self._samples) or "nothing_changes"

    def _candidate(self, shown: Shown, text: str, find: str, replace: str) -> Candidate:
        changed = text.replace(find, replace, 1)
        return Candidate(({"find": find, "replace": replace},), with_text(shown, self._field, changed))

    def apply(self, shown: Shown, steps: Steps) -> Candidate:
        """See :class:`Transformation`."""
        text = required_text(shown, self._field)
        if len(steps) != 1:
            raise StepError("there must be one rewrite")
        find, replace = text_at(steps[0], "find"), text_at(steps[0], "replace")
        if (find, replace) not in self._rewrites or find not in text:
            raise StepError("it must be a configured rewrite of what the text holds")
        return self._candidate(shown, text, find, replace)

    def smaller(self, steps: Steps) -> Iterator[Steps]:  # noqa: ARG002 - a rewrite has no parts
        """A rewrite has no parts."""
        return iter(())


class RewordingTransformation:
    """Puts a text that somebody else worded in the place of the original; without one it asks the same again.

    A step is ``{"text": ...}``, and there is none where the input is asked again.

    Args:
        samples: the most candidates for each case.
        field: of an object, the key of its text.
        identity: whether the same input is asked again.
    """

    def __init__(self, samples: int, field: str | None, *, identity: bool) -> None:
        self._samples = samples
        self._field = field
        self.identity = identity

    def generate(self, shown: Shown, stream: RandomStream) -> list[Candidate] | SkipReason:  # noqa: ARG002
        """The same input, as often as is asked for: the one candidate that may change nothing."""
        return [Candidate((), shown)] * self._samples if self.identity else "no_paraphrase"

    def text(self, shown: Shown) -> str | None:
        """The text to be worded otherwise; None where there is none."""
        text = text_of(shown, self._field)
        return text if text and text.strip() else None

    def why_not(self, shown: Shown) -> SkipReason:
        """Why an input has no text to be worded otherwise."""
        return "no_text" if text_of(shown, self._field) is None else "blank_text"

    def of_texts(self, shown: Shown, texts: Sequence[str]) -> list[Candidate] | SkipReason:
        """The candidates of paraphrases, each once and none that changes nothing."""
        made = (self.apply(shown, ({"text": text},)) for text in texts)
        if not texts:
            return "no_paraphrase"
        return distinct(made, shown, self._samples) or "nothing_changes"

    def apply(self, shown: Shown, steps: Steps) -> Candidate:
        """See :class:`Transformation`."""
        if self.identity:
            if steps:
                raise StepError("the same input has no steps")
            return Candidate((), shown)
        required_text(shown, self._field)
        if len(steps) != 1:
            raise StepError("there must be one paraphrase")
        text = text_at(steps[0], "text")
        return Candidate(({"text": text},), with_text(shown, self._field, text))

    def smaller(self, steps: Steps) -> Iterator[Steps]:  # noqa: ARG002 - a paraphrase has no parts
        """A paraphrase has no parts."""
        return iter(())
