"""Validations on their way into a manifest: those that can be scored, and those that are left out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from robust.canon import canonical_bytes, key_of
from robust.errors import ManifestError, Problem, UsageError
from robust.records.case import Case
from robust.records.refused import EXCLUDED, Refused
from robust.records.validation import ValidationRecord
from robust.render.manifest import refused_counts
from robust.store.validations import read_validations

MAX_REFUSED: Final = 20
# What one pair is left out for when records say several things of it: the first of these.
_TELLING: Final = ("invalid", "valid", "unknown")


def scorable(records: Iterable[ValidationRecord]) -> tuple[list[ValidationRecord], list[Refused]]:
    """Part validations into those that can be scored and those that are refused."""
    kept: list[ValidationRecord] = []
    refused: list[Refused] = []
    for record in records:
        if record.status == "valid" and record.strength == "answers":
            kept.append(record)
            continue
        codes = record.issues or ("answers_required",)
        refused.append(Refused(case_id=record.data["candidate"]["case_id"], status=record.status, codes=codes))
    return kept, refused


def refusal(refused: Sequence[Refused]) -> ManifestError:
    """The error that names the first records that cannot be scored, and at its end counts all, with the way out."""
    problems = [
        Problem(
            code="not_valid" if item.status != "valid" else "answers_required",
            message=_why_refused(item),
            path=f"case {item.case_id!r}",
        )
        for item in refused[:MAX_REFUSED]
    ]
    more = f", of which {len(refused) - MAX_REFUSED} are not listed" if len(refused) > MAX_REFUSED else ""
    message = f"records that cannot be scored{more}: {refused_counts(refused)}"
    hint = "leave such records out, or use --skip-refused"
    return ManifestError(*problems, Problem(code="refused_records", message=message, hint=hint))


def _why_refused(item: Refused) -> str:
    if item.status == "valid":
        return "its validation is valid by relation only; answers are needed to score it"
    return f"its validation is {item.status} ({', '.join(item.codes)})"


def _pair_key(case_id: str, shown: object, media: object) -> bytes:
    """What tells whether a variant is in a manifest: its id and its content."""
    return key_of(canonical_bytes([case_id, shown, media]))


class ScoredFiles:
    """The validations of files that can be scored, one by one; what is left out is noted while they pass.

    Memory grows only by ids.

    Args:
        paths: files of validation records.
        skip_refused: leave out what cannot be scored, instead of refusing the whole.
        exclude: ids of candidates that are left out, whatever their records say.
    """

    def __init__(
        self, paths: Iterable[str | os.PathLike[str]], *, skip_refused: bool, exclude: Iterable[str] = ()
    ) -> None:
        self._paths = list(paths)
        self._skip_refused = skip_refused
        self._exclude = dict.fromkeys(exclude, False)
        self._refused: list[tuple[bytes, Refused]] = []
        self._kept: set[bytes] = set()
        self._bases: dict[str, bool] = {}

    def __iter__(self) -> Iterator[ValidationRecord]:
        """The records that can be scored, in the order of the files.

        Raises:
            UsageError: behind them: an id to exclude is that of no record's candidate.
            ManifestError: behind them: one record finds a variant valid and another invalid, or there are others that
                cannot be scored, and they are not to be left out.
            IntegrityError: a record is damaged.
        """
        for path in self._paths:
            for record in read_validations(path):
                candidate = record.data["candidate"]
                key = _pair_key(candidate["case_id"], candidate["input"], candidate["media"])
                kept, refused = self._part(record, candidate["case_id"])
                self._refused += [(key, item) for item in refused]
                if kept:
                    self._kept.add(key)
                base: str = record.data["base"]["case_id"]
                self._bases[base] = bool(kept) or self._bases.get(base, False)
                yield from kept
        self._check_excluded()
        self._check_contradicted()
        refused = [item for _, item in self._refused if item.status != EXCLUDED]
        if refused and not self._skip_refused:
            raise refusal(refused)

    def _part(self, record: ValidationRecord, case_id: str) -> tuple[list[ValidationRecord], list[Refused]]:
        if case_id not in self._exclude:
            return scorable((record,))
        self._exclude[case_id] = True
        return [], [Refused(case_id=case_id, status=EXCLUDED, codes=("on_request",))]

    def _check_excluded(self) -> None:
        problems = [
            Problem(
                code="unknown_case",
                message=f"no validation record has the candidate {case_id!r}",
                path="exclude",
                hint="give the id of a candidate exactly as it is stored",
            )
            for case_id, found in self._exclude.items()
            if not found
        ]
        if problems:
            raise UsageError(*problems)

    def _check_contradicted(self) -> None:
        """Refuse variants that are in doubt, which is no reason to leave out the half of the evidence that says no."""
        doubted = [item for key, item in self._refused if item.status == "invalid" and key in self._kept]
        if doubted and self._skip_refused:
            hint = "find out which record is wrong, or leave the variant out with --exclude"
            raise ManifestError(
                *(
                    Problem(
                        code="contradicted",
                        message=f"one record finds it valid, another invalid ({', '.join(item.codes)})",
                        path=f"case {item.case_id!r}",
                        hint=hint,
                    )
                    for item in doubted[:MAX_REFUSED]
                )
            )

    def left_out(self, present: Iterable[Case] = ()) -> list[Refused]:
        """The variants that no record brings into a manifest, each once, when all records have passed.

        Args:
            present: cases that the manifest has already.
        """
        absent: dict[bytes, Refused] = {}
        for key, item in self._refused:
            if key not in self._kept and (key not in absent or _telling(item) < _telling(absent[key])):
                absent[key] = item
        if absent:
            for case in present:
                absent.pop(_pair_key(case.case_id, case.input, [item.to_json() for item in case.media]), None)
        return list(absent.values())

    def bases_left_out(self) -> list[Refused]:
        """The bases that no record brings into a manifest, once all records have passed."""
        lonely = sorted(base for base, kept in self._bases.items() if not kept)
        return [Refused(case_id=base, status="base", codes=("no_valid_variant",)) for base in lonely]


def _telling(item: Refused) -> int:
    return _TELLING.index(item.status) if item.status in _TELLING else len(_TELLING)
