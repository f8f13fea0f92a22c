"""The rules that every manifest obeys, checked on build and on load by the same code, case by case.

What is kept grows with the number of cases only by ids and digests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from robust.canon import JsonObject, canonical_bytes, decode_own, fold_leaves, key_of, nfc
from robust.errors import Problem
from robust.manifest.media_places import MediaPlaces
from robust.manifest.plain_cases import PlainCases
from robust.manifest.seen import NO_ANSWER, Seen, SeenMaker, content_key, content_keys, unlabelled_hash
from robust.manifest.splits import place_of_group
from robust.records.case import Case
from robust.records.comparator import stored_comparator
from robust.records.manifest import CaseEntry, SplitRule
from robust.records.validation import ValidationRecord

MAX_PROBLEMS: Final = 200
# Label source, whether there is a validation, and whether there is an answer, of a base that is in order.
_FITTING: Final = frozenset(((None, False, False), ("given", False, True), ("oracle", True, True)))


class Rules:
    """Collects what is wrong with a manifest while its cases, and then its validations, pass by.

    Args:
        split_names: the names of all splits.
        rule: how groups were dealt to them, if they were.
        validated: whether validations follow; without them nothing is kept to compare with theirs.
    """

    def __init__(self, *, split_names: Iterable[str], rule: SplitRule | None, validated: bool) -> None:
        self._validated = validated
        names = tuple(split_names)
        self._seen = SeenMaker(names)
        self._several_splits = len(names) > 1
        self._rule = rule
        self._problems: list[Problem] = []
        self._unlisted = 0
        # Cases by id after NFC; the first ones by folded source, by content, and by folded content.
        self._ids: dict[str, Seen] = {}
        self._groups: dict[str, Seen] = {}
        self._contents: dict[bytes, Seen] = {}
        self._folded: dict[bytes, Seen] = {}
        # For a content, the first validation that derives an answer to it, and that answer.
        self._derived: dict[bytes, tuple[str, bytes]] = {}
        # Hashes of the cases without their answers by id, and the cases that rest on a validation by its digest.
        self._unlabelled: dict[str, bytes] = {}
        self._resting: dict[str, Seen | list[Seen]] = {}
        # Variants that came before their parents.
        self._parents: list[tuple[Seen, str]] = []
        self._media = MediaPlaces()
        self.split_cases: dict[str, int] = {}
        self.split_groups: dict[str, int] = {}

    @property
    def sources(self) -> int:
        """How many source groups there are."""
        return len(self._groups)

    def split_of_group(self, folded_source: str) -> str | None:
        """The split of a source group by its folded name; None when no case of it has come yet."""
        first = self._groups.get(folded_source)
        return None if first is None else first.split

    @property
    def noted(self) -> tuple[Problem, ...]:
        """What is wrong with what has passed so far; what only the whole shows is not among it."""
        return tuple(self._problems)

    def report(self, code: str, message: str, case_id: str, hint: str | None = None) -> None:
        """Note a problem of a case."""
        if len(self._problems) >= MAX_PROBLEMS:
            self._unlisted += 1
            return
        self._problems.append(Problem(code=code, message=message, path=f"case {case_id!r}", hint=hint))

    def add_case(self, entry: CaseEntry) -> None:
        """Check a case against all that came before it."""
        case, seen = entry.case, self._seen.of(entry)
        split, answer = seen.split, seen.answer
        if self._validated:
            self._unlabelled[case.case_id] = unlabelled_hash(case.to_json())
        self.split_cases[split] = self.split_cases.get(split, 0) + 1
        # Compared here, and looked at closely elsewhere: nearly every case has nothing to report.
        first = self._ids.setdefault(nfc(seen.case_id), seen)
        if first is not seen:
            message = f"the id stands twice, here and as {first.case_id!r}"
            self.report("duplicate_id", message, seen.case_id, "ids must differ after Unicode normalisation")
        group = self._groups.setdefault(seen.folded_source, seen)
        content = folded = seen
        if answer is not NO_ANSWER:
            media = [item.to_json() for item in case.media] if case.media else []
            content = self._contents.setdefault(content_key(case.input, media), seen)
        if self._several_splits:
            # A file is shown by its bytes, whatever its path.
            key = content_key(fold_leaves(case.input), [item.sha256 for item in case.media])
            folded = self._folded.setdefault(key, seen)
        self._compare(seen, group, content, folded)
        if case.media:
            self._check_media(case)
        if seen.variant:
            self._check_variant_label(entry, seen)
        else:
            self._check_label(entry, seen)

    def add_plain(self, cases: PlainCases) -> bool:
        """Check many cases, as :meth:`add_case` does each; False, and nothing is noted, to have it check each of them.

        What compares nothing with the cases before is seen for all at once, and the rest for each.
        """
        ids = cases.ids if "".join(cases.ids).isascii() else [nfc(case_id) for case_id in cases.ids]
        if not self._ids.keys().isdisjoint(ids) or len(set(ids)) != len(ids) or not _labels_fit(cases):
            return False
        seen = self._seen.of_plain(cases)
        self._ids.update(zip(ids, seen, strict=True))
        if self._validated:
            self._unlabelled.update(zip(cases.ids, map(unlabelled_hash, cases.stored), strict=True))
            for case, validation in zip(seen, cases.validations, strict=True):
                if validation is not None:
                    self._rest(validation, case)
        for split in set(cases.splits):
            self.split_cases[split] = self.split_cases.get(split, 0) + cases.splits.count(split)
        self._compare_plain(cases, seen)
        return True

    def _compare_plain(self, cases: PlainCases, seen: list[Seen]) -> None:
        """Compare many cases with all that came before, by group, content and, of several splits, folded content."""
        groups = list(map(self._groups.setdefault, [case.folded_source for case in seen], seen))
        first = self._contents.setdefault
        keys = content_keys(cases.inputs)
        contents = [first(key, case) if case.answer else case for key, case in zip(keys, seen, strict=True)]
        folded = seen
        if self._several_splits:
            keys = content_keys([fold_leaves(shown) for shown in cases.inputs])
            folded = list(map(self._folded.setdefault, keys, seen))
        if self._rule is None and groups == seen and contents == seen and folded == seen:
            # Nothing came before that is like any of them.
            for split in set(cases.splits):
                self.split_groups[split] = self.split_groups.get(split, 0) + cases.splits.count(split)
        else:
            for row in zip(seen, groups, contents, folded, strict=True):
                self._compare(*row)

    def _compare(self, seen: Seen, group: Seen, content: Seen, folded: Seen) -> None:
        """Compare a case with the first of its group, of its content and of its folded content, which may be itself."""
        if group is seen:
            self._check_new_group(seen)
        elif group.split != seen.split:
            self._report_split_leak(group, seen)
        if content.answer != seen.answer:
            message = f"it shows the model the same as case {content.case_id!r}, whose answer is "
            message += f"{_shown(content.answer)}; this one's is {_shown(seen.answer)}"
            self.report("answer_conflict", message, seen.case_id)
        if folded.split != seen.split:
            self._report_input_leak(folded, seen)

    def _check_media(self, case: Case) -> None:
        for item in case.media:
            for message in self._media.add(item, case.case_id):
                self.report("media_conflict", message, case.case_id, "give each content its own path")

    def _check_new_group(self, seen: Seen) -> None:
        self.split_groups[seen.split] = self.split_groups.get(seen.split, 0) + 1
        if self._rule is not None and (due := place_of_group(seen.folded_source, self._rule)) != seen.split:
            message = f"the split rule puts source {seen.source_id!r} into {due!r}, not {seen.split!r}"
            self.report("split_rule", message, seen.case_id)

    def _report_split_leak(self, first: Seen, seen: Seen) -> None:
        message = (
            f"source {seen.source_id!r} of this case is in split {seen.split!r}; case {first.case_id!r} has it "
            f"(as {first.source_id!r}) in {first.split!r}"
        )
        self.report("split_leak", message, seen.case_id, "keep a source group in one split")

    def _report_input_leak(self, first: Seen, seen: Seen) -> None:
        message = f"its input equals that of case {first.case_id!r} in split {first.split!r} after folding"
        hint = "keep equal inputs in one split: give both one source_id, or deal fractions with another --salt"
        variant = seen if seen.variant else first
        if variant.variant:
            hint += f", or leave the variant out (--exclude {variant.case_id!r})"
        self.report("input_leak", message, seen.case_id, hint)

    def _check_variant_label(self, entry: CaseEntry, seen: Seen) -> None:
        origin = entry.case.origin
        if origin is not None and not self._check_parent(seen, origin.parent_id):
            self._parents.append((seen, origin.parent_id))
        if entry.validation is None:
            hint = "validate it, and build the manifest from the validation"
            self.report("validation_required", "a variant needs a validation in this manifest", seen.case_id, hint)
            return
        if entry.label_source != "oracle":
            message = f"a variant's label comes from its oracle, not {entry.label_source!r}"
            self.report("label_source", message, seen.case_id)
        self._rest(entry.validation, seen)

    def _rest(self, validation: str, seen: Seen) -> None:
        """Note that a case rests on a validation; mostly it is one, or a base and its variant."""
        first = self._resting.setdefault(validation, seen)
        if isinstance(first, list):
            first.append(seen)
        elif first is not seen:
            self._resting[validation] = [first, seen]

    def _check_parent(self, seen: Seen, parent_id: str) -> bool:
        """Check a variant against its parent; false when the parent has not come yet."""
        parent = self._ids.get(nfc(parent_id))
        if parent is None:
            return False
        if parent.folded_source != seen.folded_source:
            message = f"its source group is {seen.folded_source!r}, that of its parent {parent_id!r} is "
            self.report("other_group", message + repr(parent.folded_source), seen.case_id)
        if parent.variant:
            message = f"its parent {parent_id!r} is itself a variant"
            self.report("parent_is_variant", message, seen.case_id, "make every variant from a base")
        return True

    def _check_label(self, entry: CaseEntry, seen: Seen) -> None:
        source, validation, labelled = entry.label_source, entry.validation, seen.answer is not NO_ANSWER
        if (source is not None) != labelled:
            message = f"label_source is {source!r} while expected is {'' if labelled else 'not '}given"
            self.report("label_source", message, seen.case_id)
        elif (validation is not None) != (source == "oracle"):
            message = f"label_source {source!r} does not fit the validation {validation!r}"
            self.report("label_source", message, seen.case_id)
        if validation is not None:
            self._rest(validation, seen)

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
        for seen in _each(self._resting.pop(record.digest, [])):
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

    def _check_side(self, side: str, shown: JsonObject, digest: str) -> Seen | None:
        """The case that a validation was made of, where it is one of this manifest's, unchanged but for its answer."""
        case_id = shown["case_id"]
        seen = self._ids.get(nfc(case_id))
        if seen is None or seen.case_id != case_id:
            message = f"it is the {side} of the validation {digest}, and not in this manifest"
            self.report("validation_unused", message, case_id, "keep a validation with both its cases")
            return None
        if self._unlabelled.get(case_id) != unlabelled_hash(shown):
            message = f"it differs from the {side} of the validation {digest} in more than its answer"
            self.report("validation_mismatch", message, case_id)
        return seen

    def _check_base_label(self, seen: Seen, answer: Any, comparator: JsonObject, digest: str) -> None:
        """A base has a label, and a label that was given equals what an oracle derived, as that oracle compares."""
        if seen.answer is NO_ANSWER:
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
        first_digest, first_answer = self._derived.setdefault(key_of(content), (digest, encoded))
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
            for seen in _each(resting):
                message = f"its validation {digest} is not in this manifest"
                self.report("validation_required", message, seen.case_id)
        for seen, parent_id in self._parents:
            if not self._check_parent(seen, parent_id):
                self.report("parent_missing", f"its parent {parent_id!r} is not in this manifest", seen.case_id)
        if self._unlisted:
            self._problems.append(_more(self._unlisted))
        return tuple(self._problems)


def capped(problems: Sequence[Problem]) -> list[Problem]:
    """Problems as an error tells them: the first :data:`MAX_PROBLEMS`, and how many there are besides."""
    rest = len(problems) - MAX_PROBLEMS
    return [*problems[:MAX_PROBLEMS], _more(rest)] if rest > 0 else list(problems)


def _more(count: int) -> Problem:
    return Problem(code="more_problems", message=f"{count} more problems are not listed")


def _labels_fit(cases: PlainCases) -> bool:
    """Whether the label sources of many bases fit their answers and validations."""
    rows = zip(cases.label_sources, cases.validations, cases.answers, strict=True)
    return _FITTING.issuperset({(source, validation is not None, bool(answer)) for source, validation, answer in rows})


def _each(resting: Seen | list[Seen]) -> list[Seen]:
    return resting if isinstance(resting, list) else [resting]


def _shown(encoded: bytes) -> str:
    return encoded.decode()[:80]
