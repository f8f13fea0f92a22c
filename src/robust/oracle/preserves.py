"""The built-in oracle of text edits: what an edit must leave alone for the answer to stay the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from robust.canon import JsonObject, canonical_bytes
from robust.oracle.insertions import Fragments, Insertion
from robust.oracle.protected import Names, protected_items
from robust.oracle.protected_item import ProtectedItem, shortened
from robust.oracle.text_edits import Edit, Edits, allowed_edits
from robust.oracle.wording import Wording, base_wording
from robust.records.case import Case
from robust.records.verdict import OracleVerdict

_MAX_LISTED: Final = 8
# Stands for a fragment that is left out, so that nothing on its two sides becomes one item.
_LEFT_OUT: Final = " ¦ "
_NAMES: Final[dict[Edit, str]] = {
    "white_space": "white space",
    "punctuation": "punctuation that says nothing",
    "fragments": "whole fragments between sentences",
}


class PreservesOracle:
    """Judges edits of a text by what they leave untouched.

    It says True of a candidate that differs from its base in white space, in punctuation that says nothing, in whole
    fragments between sentences, or some of these, and in nothing else; False where a protected item is lost, gained or
    another one, or where something beside the text differs; and None of everything else. Where in doubt it says None.

    Args:
        fragments: the texts that may be inserted, as whole ones, before or behind sentences.
        keep: names and other texts that no edit may change.
        text_field: of an object, the key of its text; nothing else of it may differ.
    """

    name: ClassVar[str] = "robust.preserves"
    version: ClassVar[str] = "1"
    contract: ClassVar[str] = "robust.preserves/v1"
    waits: ClassVar[bool] = False

    def __init__(
        self, *, fragments: Sequence[str] = (), keep: Sequence[str] = (), text_field: str | None = None
    ) -> None:
        self._fragments = Fragments(fragments)
        self._keep = Names(keep)
        self._field = text_field

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Judge one candidate."""
        relation = None if candidate.origin is None else candidate.origin.relation
        if relation not in (None, "invariant"):
            why = f"an edit can be judged to keep the answer; {relation} is claimed"
            return OracleVerdict(None, why, evidence={"relation": relation})
        texts = self._texts(base, candidate)
        if isinstance(texts, OracleVerdict):
            return texts
        return self._judge(*texts)

    def _texts(self, base: Case, candidate: Case) -> tuple[str, str] | OracleVerdict:
        """The two texts, where nothing else differs; otherwise the verdict."""
        if base.media != candidate.media:
            return OracleVerdict(False, "the media differ", evidence={"differs": "media"})
        before, after = base.input, candidate.input
        if isinstance(before, str) and isinstance(after, str):
            return before, after
        if isinstance(before, str) or isinstance(after, str):
            return OracleVerdict(False, "one input is text, the other an object", evidence={"differs": "input"})
        field = self._field
        texts = (None, None) if field is None else (before.get(field), after.get(field))
        if isinstance(texts[0], str) and isinstance(texts[1], str):
            others = [{key: value for key, value in shown.items() if key != field} for shown in (before, after)]
            if not others[0] and not others[1]:
                return texts[0], texts[1]
        else:
            others = [before, after]
        if canonical_bytes(others[0]) != canonical_bytes(others[1]):
            return OracleVerdict(False, "more than the text differs", evidence={"differs": _keys(*others)})
        if isinstance(texts[0], str) and isinstance(texts[1], str):
            return texts[0], texts[1]
        return OracleVerdict(None, "there is no text to compare", evidence={"text_field": field})

    def _judge(self, before: str, after: str) -> OracleVerdict:
        base = base_wording(before)
        if not base.words:
            return OracleVerdict(None, "the base has no words", evidence={"words": 0})
        if before == after:
            return OracleVerdict(True, "the texts are the same", evidence={"words": len(base.words), "edits": []})
        candidate = Wording(after)
        found = allowed_edits(base, candidate, self._fragments, self._keep)
        if found is None or "punctuation" in found.kinds:
            changed = self._changed(base, candidate, found)
            if changed is not None:
                return changed
        return _verdict(base, found)

    def _changed(self, base: Wording, candidate: Wording, found: Edits | None) -> OracleVerdict | None:
        """The verdict on a candidate that changes protected items; None where it does not."""
        texts = (base.text, candidate.text)
        items = base.items(self._keep)
        if found is not None:
            texts = (base.text, _without(candidate, found.insertions))
        else:
            joined = [f" {' '.join(wording.words)} " for wording in (base, candidate)]
            for fragment in self._fragments.all:
                if fragment.joined in joined[0] or fragment.joined in joined[1]:
                    texts = (fragment.alone.sub(_LEFT_OUT, texts[0]), fragment.alone.sub(_LEFT_OUT, texts[1]))
            items = items if texts[0] == base.text else protected_items(texts[0], self._keep)
        others = protected_items(texts[1], self._keep)
        same = _alike(items, others)
        if same is None:
            return None
        first, behind = same
        lost, gained = items[first : len(items) - behind], others[first : len(others) - behind]
        evidence: JsonObject = {
            "items": {"base": len(items), "candidate": len(others)},
            "base": [item.to_json(texts[0]) for item in lost[:_MAX_LISTED]],
            "candidate": [item.to_json(texts[1]) for item in gained[:_MAX_LISTED]],
        }
        shown = [
            ", ".join(repr(entry["text"]) for entry in evidence[side]) or "nothing" for side in ("base", "candidate")
        ]
        return OracleVerdict(False, f"protected items changed: {shown[0]} became {shown[1]}", evidence=evidence)


def _alike(items: Sequence[ProtectedItem], others: Sequence[ProtectedItem]) -> tuple[int, int] | None:
    """How many items are the same at the start, and behind that at the end; None where all are."""
    shorter = min(len(items), len(others))
    first = 0
    while first < shorter and items[first].same(others[first]):
        first += 1
    if first == len(items) == len(others):
        return None
    behind = 0
    while behind < shorter - first and items[-1 - behind].same(others[-1 - behind]):
        behind += 1
    return first, behind


def _without(candidate: Wording, insertions: Sequence[Insertion]) -> str:
    """A candidate without the fragments that were inserted."""
    parts: list[str] = []
    done = 0
    for insertion in insertions:
        parts += (candidate.text[done : candidate.spans[insertion.at][0]], _LEFT_OUT)
        done = candidate.spans[insertion.at + len(insertion.fragment.words) - 1][1]
    return "".join((*parts, candidate.text[done:]))


def _verdict(base: Wording, found: Edits | None) -> OracleVerdict:
    """The verdict on a candidate that changes no protected item."""
    if found is None:
        reason = "no protected item changed, but more than white space, marks and fragments did"
        return OracleVerdict(None, reason, evidence={"words": len(base.words), "problem": "words"})
    evidence: JsonObject = {"words": len(base.words), "edits": list(found.kinds)}
    if found.problem is not None:
        evidence |= {"problem": found.problem, "place": found.place}
        return OracleVerdict(None, f"it may matter: {found.problem}", evidence=evidence)
    if found.insertions:
        evidence["fragments"] = [
            {"before_word": insertion.word, "text": shortened(insertion.fragment.text)}
            for insertion in found.insertions[:_MAX_LISTED]
        ]
        evidence["inserted"] = len(found.insertions)
    return OracleVerdict(
        True, "nothing differs but " + " and ".join(_NAMES[kind] for kind in found.kinds), evidence=evidence
    )


def _keys(before: JsonObject, after: JsonObject) -> list[str]:
    """The keys whose values differ."""
    keys = (
        key for key in {**before, **after} if (key in before) != (key in after) or not _equal(before[key], after[key])
    )
    return [shortened(key) for key in keys][:_MAX_LISTED]


def _equal(left: Any, right: Any) -> bool:
    return canonical_bytes(left) == canonical_bytes(right)
