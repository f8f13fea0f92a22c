"""Files of candidates to validation files, and validation files to manifests."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from robust.app.manifests import Manifest
from robust.errors import DataError, ManifestError, Problem
from robust.records.case import Case
from robust.records.manifest import DEFAULT_SPLIT
from robust.records.validation import ValidationRecord
from robust.store.datasets import read_candidates, read_cases
from robust.store.validations import read_validations


@dataclass(frozen=True, slots=True)
class Refused:
    """A validation that cannot be scored, or a base that is left without a variant, and why."""

    digest: str
    candidate_id: str
    status: str
    codes: tuple[str, ...]


def read_pairs(bases: str | os.PathLike[str], candidates: str | os.PathLike[str]) -> Iterator[tuple[Case, Case]]:
    """Match candidates with the bases that their ``origin.parent_id`` names, in the order of the candidates.

    Raises:
        UsageError: a file cannot be read.
        DataError: a line is wrong, a candidate has no origin, or its parent is not among the bases.
    """
    by_id = {case.case_id: case for _, case in read_cases(bases)}
    file = os.fspath(candidates)
    for line, candidate in read_candidates(candidates, by_id):
        origin = candidate.origin
        base = None if origin is None else by_id.get(origin.parent_id)
        if base is None:
            missing = "no origin.parent_id" if origin is None else f"the parent {origin.parent_id!r}, which is no base"
            message = f"the candidate {candidate.case_id!r} has {missing}"
            raise DataError.of(
                "no_parent", message, file=file, line=line, path="$.origin.parent_id", hint="name a base by its id"
            )
        yield base, candidate


def scorable(records: Iterable[ValidationRecord]) -> tuple[list[ValidationRecord], list[Refused]]:
    """Part validations into those that can be scored and those that are refused."""
    kept: list[ValidationRecord] = []
    refused: list[Refused] = []
    for record in records:
        if record.status == "valid" and record.strength == "answers":
            kept.append(record)
            continue
        codes = record.issues or ("answers_required",)
        refused.append(Refused(record.digest, record.data["candidate"]["case_id"], record.status, codes))
    return kept, refused


def _bases_without_variant(paths: Iterable[str | os.PathLike[str]], kept: Iterable[ValidationRecord]) -> list[Refused]:
    """The bases that no valid variant brings into the manifest."""
    present = {record.data["base"]["case_id"] for record in kept}
    named = {record.data["base"]["case_id"] for path in paths for record in read_validations(path)}
    return [Refused("", case_id, "base", ("no_valid_variant",)) for case_id in sorted(named - present)]


def export_manifest(
    paths: Iterable[str | os.PathLike[str]],
    *,
    name: str,
    split: str | None = None,
    fractions: Mapping[str, float] | None = None,
    salt: str = "",
    skip_refused: bool = False,
) -> tuple[Manifest, list[Refused]]:
    """Make a manifest of the bases and variants of validation files.

    Args:
        paths: files of validation records.
        name: the manifest's name.
        split: the one split for everything; ``development`` by default.
        fractions: splits by source group instead.
        salt: makes another deal of groups to fractions.
        skip_refused: leave out what cannot be scored, instead of refusing the whole.

    Returns:
        the manifest, and what was left out: validations, and bases without a valid variant.

    Raises:
        ManifestError: something cannot be scored and ``skip_refused`` is false, nothing is left, or a rule is broken.
        IntegrityError: a record is damaged.
    """
    paths = list(paths)
    kept, refused = scorable(record for path in paths for record in read_validations(path))
    if refused and not skip_refused:
        problems = [
            Problem(
                code="not_valid" if item.status != "valid" else "answers_required",
                message=f"its validation is {item.status} ({', '.join(item.codes)})",
                path=f"case {item.candidate_id!r}",
            )
            for item in refused
        ]
        hint = "leave such records out, or use --skip-refused"
        raise ManifestError(*problems[:-1], replace(problems[-1], hint=hint))
    if not kept:
        message = f"no validation can be scored; {len(refused)} were refused"
        raise ManifestError.of("no_cases", message, hint="a manifest needs at least one valid variant")
    refused += _bases_without_variant(paths, kept)
    if fractions is not None:
        return Manifest.build(name, validations=kept, splits=fractions, salt=salt), refused
    ids = {record.data[side]["case_id"] for record in kept for side in ("base", "candidate")}
    return Manifest.build(name, validations=kept, splits={split or DEFAULT_SPLIT: sorted(ids)}), refused
