"""The rules that every manifest obeys, checked on build and on load by the same code, case by case.

What is kept grows with the number of cases only by ids and digests.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from robust.canon import JsonObject, canonical_bytes, decode_own, fold, fold_leaves, hash_bytes, nfc
from robust.errors import Problem
from robust.manifest.splits import place_of_group
from robust.records.case import Case
from robust.records.comparator import stored_comparator
from robust.records.manifest import CaseEntry, LabelSource, SplitRule
from robust.records.validation import ValidationRecord

MAX_PROBLEMS = 200
_NO_ANSWER = b""


class _Seen(NamedTuple):
    """What is kept of a case: one object for each, however many things it was the first to show."""

    case_id: str
    source_id: str
    folded_source: str
    split: str
    answer: bytes
    variant: bool
    label_source: LabelSource | None


class Rules:
    """Collects what is wrong with a manifest while its cases, and then its validations, pass by.

    Args:
        split_names: the names of all splits.
        rule: how groups were dealt to them, if they were.
        validated: whether validations follow; without them nothing is kept to compare with theirs.
    """

    def __init__(self, *, split_names: Iterable[str], rule: SplitRule | None, validated: bool) -> None:
        self._validated = validated
        self._several_splits = len(set(split_names)) > 1
        self._rule = rule
        self._problems: list[Problem] = []
        self._unlisted = 0
        # Cases by id after NFC; the first ones by folded source, by content, and by folded content.
        self._ids: dict[str, _Seen] = {}
        self._groups: dict[str, _Seen] = {}
        self._contents: dict[bytes, _Seen] = {}
        self._folded: dict[bytes, _Seen] = {}
        # For a content, the first validation that derives an answer to it, and that answer.
        self._derived: dict[bytes, tuple[str, bytes]] = {}
        # Hashes of the cases without their answers by id, and the cases that rest on a validation by its digest.
        self._unlabelled: dict[str, bytes] = {}
        self._resting: dict[str, list[_Seen]] = {}
        self._parents: list[tuple[str, str, str]] = []
        self.split_cases: dict[str, int] = {}
        self.split_groups: dict[str, int] = {}

    @property
    def sources(self) -> int:
        """How many source groups there are."""
        return len(self._groups)

    def report(self, code: str, message: str, case_id: str, hint: str | None = None) -> None:
        """Note a problem of a case."""
        if len(self._problems) >= MAX_PROBLEMS:
            self._unlisted += 1
            return
        self._problems.append(Problem(code=code, message=message, path=f"case {case_id!r}", hint=hint))

    def add_case(self, entry: CaseEntry) -> None:
        """Check a case against all that came before it."""
        case, split = entry.case, entry.split
        answer = _NO_ANSWER if case.expected is None else canonical_bytes(case.expected)
        variant = case.origin is not None
        seen = _Seen(case.case_id, case.source_id, fold(case.source_id), split, answer, variant, entry.label_source)
        if self._validated:
            self._unlabelled[case.case_id] = _unlabelled_hash(case.to_json())
        self.split_cases[split] = self.split_cases.get(split, 0) + 1
        # Compared here, and looked at closely elsewhere: nearly every case has nothing to report.
        first = self._ids.setdefault(nfc(seen.case_id), seen)
        if first is not seen:
            message = f"the id stands twice, here and as {first.case_id!r}"
            self.report("duplicate_id", message, seen.case_id, "ids must differ after Unicode normalisation")
        first = self._groups.setdefault(seen.folded_source, seen)
        if first is seen:
            self._check_new_group(seen)
        elif first.split != split:
            self._report_split_leak(first, seen)
        if answer is not _NO_ANSWER:
            first = self._contents.setdefault(_content_key(case.input, case), seen)
            if first.answer != answer:
                message = f"it shows the model the same as case {first.case_id!r}, whose answer is "
                message += f"{_shown(first.answer)}; this one's is {_shown(answer)}"
                self.report("answer_conflict", message, seen.case_id)
        if self._several_splits:
            self._check_folded(case, seen)
        if variant:
            self._check_variant_label(entry, seen)
        else:
            self._check_label(entry, seen)

    def _check_new_group(self, seen: _Seen) -> None:
        self.split_groups[seen.split] = self.split_groups.get(seen.split, 0) + 1
        if self._rule is not None and (due := place_of_group(seen.folded_source, self._rule)) != seen.split:
            message = f"the split rule puts source {seen.source_id!r} into {due!r}, not {seen.split!r}"
            self.report("split_rule", message, seen.case_id)

    def _report_split_leak(self, first: _Seen, seen: _Seen) -> None:
        message = (
            f"source {seen.source_id!r} of this case is in split {seen.split!r}; case {first.case_id!r} has it "
            f"(as {first.source_id!r}) in {first.split!r}"
        )
        self.report("split_leak", message, seen.case_id, "keep a source group in one split")

    def _check_folded(self, case: Case, seen: _Seen) -> None:
        first = self._folded.setdefault(_content_key(fold_leaves(case.input), case), seen)
        if first.split != seen.split:
            message = f"its input equals that of case {first.case_id!r} in split {first.split!r} after folding"
            self.report("input_leak", message, seen.case_id, "keep equal inputs in one split")

    def _check_variant_label(self, entry: CaseEntry, seen: _Seen) -> None:
        origin = entry.case.origin
        if origin is not None:
            self._parents.append((seen.case_id, origin.parent_id, seen.folded_source))
        if entry.validation is None:
            hint = "validate it, and build the manifest from the validation"
            self.report("validation_required", "a variant needs a validation in this manifest", seen.case_id, hint)
            return
        if entry.label_source != "oracle":
            message = f"a variant's label comes from its oracle, not {entry.label_source!r}"
            self.report("label_source", message, seen.case_id)
        self._resting.setdefault(entry.validation, []).append(seen)

    def _check_label(self, entry: CaseEntry, seen: _Seen) -> None:
        source, validation, labelled = entry.label_source, entry.validation, seen.answer is not _NO_ANSWER
        if (source is not None) != labelled:
            message = f"label_source is {source!r} while expected is {'' if labelled else 'not '}given"
            self.report("label_source", message, seen.case_id)
        elif (validation is not None) != (source == "oracle"):
            message = f"label_source {source!r} does not fit the validation {validation!r}"
            self.report("label_source", message, seen.case_id)
        if validation is not None:
            self._resting.setdefault(validation, []).append(seen)

    def add_validation(self, record: ValidationRecord) -> None:
        """Check a validation against its two cases, and against the cases that rest on it."""
        data = record.data
        base, candidate, verdict = data["base"], data["candidate"], data["verdict"]
        if record.status != "valid":
            codes = ", ".join(record.issues)
            self.report(
                "not_valid", f"its validation {record.digest} is {record.status} ({codes})", candidate["case_id"]
            )
            return
        if record.strength != "answers":
            hint = "let the oracle derive both answers"
            message = f"its validation {record.digest} has strength 'relation'"
            self.report("answers_required", message, candidate["case_id"], hint)
            return
        for side, shown, answer in (
            ("base", base, verdict["base_expected"]),
            ("candidate", candidate, verdict["variant_expected"]),
        ):
            self._check_derived(shown, answer, record.digest)
            seen = self._check_side(side, shown, record.digest)
            if seen is not None and side == "base":
                self._check_base_label(seen, answer, data["comparator"], record.digest)
        for seen in self._resting.pop(record.digest, []):
            side, shown, answer = (
                ("candidate", candidate, verdict["variant_expected"])
                if seen.variant
                else ("base", base, verdict["base_expected"])
            )
            if seen.case_id != shown["case_id"]:
                message = f"it is not the {side} of its validation {record.digest}"
                self.report("validation_mismatch", message, seen.case_id)
            elif seen.answer != canonical_bytes(answer):
                message = f"its answer is {_shown(seen.answer)}, the oracle derived {_shown(canonical_bytes(answer))}"
                self.report("validation_mismatch", message, seen.case_id)

    def _check_side(self, side: str, shown: JsonObject, digest: str) -> _Seen | None:
        """The case that a validation was made of, where it is one of this manifest's, unchanged but for its answer."""
        case_id = shown["case_id"]
        seen = self._ids.get(nfc(case_id))
        if seen is None or seen.case_id != case_id:
            message = f"it is the {side} of the validation {digest}, and not in this manifest"
            self.report("validation_unused", message, case_id, "keep a validation with both its cases")
            return None
        if self._unlabelled.get(case_id) != _unlabelled_hash(shown):
            message = f"it differs from the {side} of the validation {digest} in more than its answer"
            self.report("validation_mismatch", message, case_id)
        return seen

    def _check_base_label(self, seen: _Seen, answer: Any, comparator: JsonObject, digest: str) -> None:
        """A base has a label, and a label that was given equals what an oracle derived, as that oracle compares."""
        if seen.answer is _NO_ANSWER:
            message = f"it has no answer, though the validation {digest} derived one"
            self.report("label_missing", message, seen.case_id)
        elif seen.label_source == "given":
            compare = stored_comparator(canonical_bytes(comparator))
            if compare.equal(answer, decode_own(seen.answer)) is not True:
                message = f"its answer is {_shown(seen.answer)}, the oracle of the validation {digest} derived "
                self.report("base_label_conflict", message + _shown(canonical_bytes(answer)), seen.case_id)

    def _check_derived(self, shown: JsonObject, answer: Any, digest: str) -> None:
        content = canonical_bytes([shown["input"], shown["media"]])
        encoded = canonical_bytes(answer)
        first_digest, first_answer = self._derived.setdefault(hash_bytes(content), (digest, encoded))
        if first_answer != encoded:
            message = (
                f"two validations derive different answers for one content: {_shown(first_answer)} in "
                f"{first_digest} and {_shown(encoded)} in {digest}"
            )
            self.report("derived_conflict", message, shown["case_id"])

    def finish(self) -> tuple[Problem, ...]:
        """Check what only the whole shows, and give everything that is wrong."""
        if not self._ids:
            message = "a manifest needs at least one case"
            self._problems.append(Problem(code="no_cases", message=message, path="cases"))
        for digest, resting in self._resting.items():
            for seen in resting:
                message = f"its validation {digest} is not in this manifest"
                self.report("validation_required", message, seen.case_id)
        for case_id, parent_id, folded in self._parents:
            parent = self._ids.get(nfc(parent_id))
            if parent is None:
                self.report("parent_missing", f"its parent {parent_id!r} is not in this manifest", case_id)
            elif parent.folded_source != folded:
                message = (
                    f"its source group is {folded!r}, that of its parent {parent_id!r} is {parent.folded_source!r}"
                )
                self.report("other_group", message, case_id)
            if parent is not None and parent.variant:
                message = f"its parent {parent_id!r} is itself a variant"
                self.report("parent_is_variant", message, case_id, "make every variant from a base")
        if self._unlisted:
            message = f"{self._unlisted} more problems are not listed"
            self._problems.append(Problem(code="more_problems", message=message))
        return tuple(self._problems)


def _unlabelled_hash(case: JsonObject) -> bytes:
    """The hash of a stored case without its answer."""
    return hash_bytes(canonical_bytes({**case, "expected": None}))


def _shown(encoded: bytes) -> str:
    return encoded.decode()[:80]


def _content_key(shown: object, case: Case) -> bytes:
    if isinstance(shown, str) and not case.media and not shown.startswith("\x00"):
        content = shown.encode()
    else:
        content = b"\x00" + canonical_bytes([shown, [item.to_json() for item in case.media]])
    # Short inputs are their own key; hashing them would only cost time.
    return content if len(content) <= 32 else hash_bytes(content)
