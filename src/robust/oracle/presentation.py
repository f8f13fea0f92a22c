"""The oracle of presentations: labels in another order or form, whose meaning does not hang on either."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final, NamedTuple

from robust.canon import JsonObject, canonical_bytes, fold
from robust.oracle.positional import (
    Finding,
    dependence,
    dependent_labels,
    shows_plainly,
    shows_with_place,
    undecorated,
)
from robust.records.case import Case
from robust.records.failure import cap_text
from robust.records.presentation import Presentation
from robust.records.verdict import OracleVerdict

_MAX_QUOTED: Final = 200
# Normalising text takes time in the square of its combining marks.
_MAX_CHARACTERS: Final = 4096
_MAX_REMEMBERED: Final = 1024
_VOUCHED: Final = "the same labels are shown, and none depends on its position or on the others"


class _Shown(NamedTuple):
    """What a case shows: the input, and the labels in their order."""

    input: Any
    labels: Presentation


class PresentationOracle:
    """Vouches for candidates that show the same labels in another order or form.

    The input of both cases is ``{"input": ..., "labels": [[shown, contract], ...]}``, in the order shown. It says:

    - False where a label of the contract is missing or there twice, where two labels are shown alike or one as
      another, where one is shown as nothing, where the input itself differs, or where nothing does;
    - None where a label depends on its position or on the others (see :mod:`robust.oracle.positional`), where one has
      more than 4,096 characters, where something else is claimed than that the answer stays, and of what is no
      presentation;
    - True otherwise.

    Texts are compared folded: by case, Unicode normal form C and white space.

    Args:
        positional: more labels that depend on their position or on the others.
    """

    name: ClassVar[str] = "robust.presentation"
    version: ClassVar[str] = "1"
    contract: ClassVar[str] = "robust.presentation/v1"
    waits: ClassVar[bool] = False

    def __init__(self, *, positional: Sequence[str] = ()) -> None:
        self._positional = frozenset(map(fold, positional))
        self._verdicts: dict[tuple[Presentation, Presentation], OracleVerdict] = {}
        # Of the labels as the base shows them, for orders that are new each time.
        self._known: tuple[Presentation, dict[str, Finding]] | None = None

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Judge a candidate by what it shows."""
        before, after = _shown(base.input), _shown(candidate.input)
        if before is None or after is None or len({label for _, label in before.labels}) < len(before.labels):
            reason = "it is no presentation: an input and the labels of a contract were due"
            return OracleVerdict(None, reason, evidence={"due": ["input", "labels"]})
        relation = None if candidate.origin is None else candidate.origin.relation
        if relation not in (None, "invariant"):
            reason = f"another presentation leaves the answer as it is, and {relation} is claimed"
            return OracleVerdict(None, reason, evidence={"relation": relation})
        if base.media != candidate.media or not _same(before.input, after.input):
            reason = "the input itself differs, not only how labels are shown"
            return OracleVerdict(False, reason, evidence=_evidence(before.labels, after.labels))
        verdict = self._remembered(before.labels, after.labels)
        # Whoever asked may do with the evidence as it likes.
        return replace(verdict, evidence=dict(verdict.evidence))

    def _remembered(self, before: Presentation, after: Presentation) -> OracleVerdict:
        """What is said of the labels, which come again with every input."""
        verdict = self._verdicts.get((before, after))
        if verdict is None:
            verdict = self._judge(before, after)
            if sum(len(form) + len(label) for form, label in (*before, *after)) <= _MAX_CHARACTERS:
                if len(self._verdicts) >= _MAX_REMEMBERED:
                    self._verdicts.clear()
                self._verdicts[before, after] = verdict
        return verdict

    def _judge(self, before: Presentation, after: Presentation) -> OracleVerdict:
        evidence = _evidence(before, after)
        wrong = _other_labels(before, after)
        if wrong is not None:
            return OracleVerdict(False, wrong, evidence=evidence)
        if any(len(text) > _MAX_CHARACTERS for pair in (*before, *after) for text in pair):
            reason = f"a label has more than {_MAX_CHARACTERS} characters, which are not looked through"
            return OracleVerdict(None, reason, evidence=evidence)
        wrong = _confusing(after)
        if wrong is not None:
            return OracleVerdict(False, wrong, evidence=evidence)
        found = self._dependent(before, after)
        if found is not None:
            label, why = found
            evidence |= {"label": _short(label), "because": why}
            return OracleVerdict(None, f"the label {_short(label)!r} {why}", evidence=evidence)
        return OracleVerdict(True, _VOUCHED, evidence=evidence)

    def _dependent(self, before: Presentation, after: Presentation) -> tuple[str, str] | None:
        """The first label that depends on its position or on the others, and how; None where there is none."""
        findings = self._findings(before)
        stays = all(own == other for (_, own), (_, other) in zip(before, after, strict=True))
        stays = stays and not any(shows_with_place(form, label) for form, label in after)
        for form, label in after:
            plain = shows_plainly(form, label)
            found = findings.get(label)
            if found is not None and not (found.only_if_moved and stays and plain):
                return label, found.why
            if not plain and not shows_with_place(form, label):
                # Another word for the label, which may be one of position even where the label is not.
                other = dependence(form, len(after), self._positional)
                if other is not None:
                    return form, other.why
        return None

    def _findings(self, before: Presentation) -> dict[str, Finding]:
        known = self._known
        if known is None or known[0] != before:
            found = dependent_labels([label for _, label in before], self._positional)
            known = self._known = (before, found)
        return known[1]


def _shown(data: Any) -> _Shown | None:
    if type(data) is not dict or data.keys() != {"input", "labels"} or type(data["labels"]) is not list:
        return None
    pairs = []
    for pair in data["labels"]:
        if type(pair) is not list or len(pair) != 2 or type(pair[0]) is not str or type(pair[1]) is not str:
            return None
        pairs.append((pair[0], pair[1]))
    return _Shown(data["input"], tuple(pairs))


def _same(one: Any, other: Any) -> bool:
    if type(one) is str or type(other) is str:
        return bool(one == other)
    return canonical_bytes(one) == canonical_bytes(other)


def _other_labels(before: Presentation, after: Presentation) -> str | None:
    """How the candidate has other labels of the contract than the base, or shows them as the base does."""
    if before == after:
        return "the labels are shown as they were"
    due = {label for _, label in before}
    counted = Counter(label for _, label in after)
    for label, count in counted.items():
        if label not in due:
            return f"{_short(label)!r} is no label of the contract"
        if count > 1:
            return f"the label {_short(label)!r} is there {count} times"
    missing = next((label for _, label in before if label not in counted), None)
    return None if missing is None else f"the label {_short(missing)!r} is missing"


def _confusing(after: Presentation) -> str | None:
    """How the candidate shows a label so that it could be taken for another or for none."""
    own = {label: fold(label) for _, label in after}
    owned = set(own.values())
    shared = {text for text, count in Counter(own.values()).items() if count > 1}
    owners: dict[str, str] = {}
    for form, label in after:
        short = fold(form)
        if not short:
            return f"the label {_short(label)!r} is shown as nothing"
        # Labels may differ by nothing but what folding takes away; then no form may take it away either.
        other = owners.setdefault(form if own[label] in shared else short, label)
        if other != label:
            return f"the labels {_short(other)!r} and {_short(label)!r} are shown alike"
        itself = label in form if own[label] in shared else shows_plainly(form, label) or shows_with_place(form, label)
        if (form in own and form != label) or (not itself and not owned.isdisjoint((short, undecorated(form)))):
            return f"the label {_short(label)!r} is shown as {_short(form)!r}, which is another label"
    return None


def _evidence(before: Presentation, after: Presentation) -> JsonObject:
    """How many labels there are, how many have another position, and how many another form."""
    forms = {label: form for form, label in before}
    moved = sum(own != other for (_, own), (_, other) in zip(before, after, strict=False))
    reformatted = sum(forms.get(label) != form for form, label in after)
    return {"labels": len(before), "moved": moved, "reformatted": reformatted}


def _short(text: str) -> str:
    return cap_text(text, _MAX_QUOTED)
