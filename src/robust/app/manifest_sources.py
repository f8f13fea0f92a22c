"""Cases and validations from files, told by content, on their way into a manifest."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from robust.app.evidence_kinds import is_header, is_validation
from robust.app.manifest_media import MediaNamed
from robust.app.manifest_writing import write_manifest
from robust.app.scorable import ScoredFiles
from robust.canon import read_json
from robust.errors import DataError, ManifestError, UsageError
from robust.manifest.splits import SplitPlan
from robust.records.case import Case
from robust.records.refused import Refused
from robust.records.validation import ValidationRecord
from robust.render.manifest import refused_counts
from robust.store.datasets import read_cases
from robust.store.files import MAX_LINE_BYTES, open_input

_MAX_LIST_BYTES: Final = 256 * 1024 * 1024
Content: TypeAlias = Literal["manifest", "validations", "cases"]


def content_of(path: str | os.PathLike[str]) -> Content:
    """What a file holds: a manifest, validation records, or cases; told by its first line.

    Raises:
        UsageError: it cannot be read.
    """
    with open_input(path) as handle:
        first = handle.readline(MAX_LINE_BYTES)
    if is_header(first):
        return "manifest"
    if is_validation(first):
        return "validations"
    return "cases"


class NewMaterial(NamedTuple):
    """What a manifest is made of or extended by."""

    cases: list[Case]
    validations: list[ValidationRecord]
    refused: list[Refused]


def stream_cases(paths: Iterable[str | os.PathLike[str]]) -> Iterator[Case]:
    """The cases of data sets and files of stored cases, one file after the other.

    Raises:
        UsageError: a file cannot be read, or is a manifest or a file of validation records.
        DataError: a row is wrong.
    """
    for path in paths:
        content = content_of(path)
        if content != "cases":
            hint = "merge manifests, and give validation records as such"
            raise UsageError.of("not_cases", f"holds {content}, not cases", file=os.fspath(path), hint=hint)
        for _, case in read_cases(path):
            yield case


def require_records(paths: Iterable[Path]) -> None:
    """Tell a manifest among files that should hold validation records.

    Raises:
        UsageError: one of them is a manifest, or cannot be read.
    """
    for path in paths:
        # What is no file, such as a pipe, can be read only once.
        if path.is_file() and content_of(path) == "manifest":
            hint = "add --as csv or --as inspect to write its cases for other tools"
            message = "this is a manifest already, not a file of validation records"
            raise UsageError.of("is_manifest", message, file=os.fspath(path), hint=hint)


def read_material(
    paths: Iterable[str | os.PathLike[str]], *, skip_refused: bool = False, present: Iterable[Case] = ()
) -> NewMaterial:
    """Read new cases and validations from files of either kind; what is present already is not told as refused.

    Raises:
        UsageError: a file cannot be read, or is a manifest.
        DataError: a row is wrong.
        ManifestError: a record cannot be scored, and ``skip_refused`` is false.
        IntegrityError: a record is damaged.
    """
    places = list(paths)
    kinds = {place: content_of(place) for place in places}
    records = [place for place in places if kinds[place] == "validations"]
    cases = list(stream_cases(place for place in places if kinds[place] != "validations"))
    scored = ScoredFiles(records, skip_refused=skip_refused)
    kept = list(scored)
    return NewMaterial(cases, kept, scored.left_out(present))


def read_id_list(path: str | os.PathLike[str]) -> list[str]:
    """Case ids, one a line, or a JSON list of them.

    Raises:
        UsageError: the file cannot be read.
        DataError: it is not UTF-8 text, or the list holds something else.
    """
    with open_input(path) as handle:
        data = handle.read(_MAX_LIST_BYTES + 1)
    file = os.fspath(path)
    if len(data) > _MAX_LIST_BYTES:
        raise DataError.of("too_large", f"the list has over {_MAX_LIST_BYTES} bytes", file=file)
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
        listed = read_json(data, file=file)
        if not isinstance(listed, list) or not all(isinstance(item, str) for item in listed):
            raise DataError.of("wrong_value", "must be a list of case ids", file=file, path="$")
        return [str(item) for item in listed]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise DataError.of("not_utf8", message, file=file, hint="save the file as UTF-8") from None
    # Ids may begin and end with blanks, and hold any character but control characters.
    return [line.removesuffix("\r") for line in text.split("\n") if line.strip()]


def build_from_files(
    cases: Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    name: str,
    validations: Iterable[str | os.PathLike[str]] = (),
    splits: SplitPlan | str | None = None,
    salt: str = "",
    skip_refused: bool = False,
    exclude: Iterable[str] = (),
    media_from: Iterable[str | os.PathLike[str]] = (),
    overwrite: bool = False,
) -> list[Refused]:
    """Write a manifest of the cases and validations of files, streaming; the files that cases name lie beside it.

    Args:
        cases: data sets and files of stored cases; without any the manifest is of the validations alone.
        output: where to.
        name: the manifest's name.
        validations: files of validation records, which bring their bases and variants along.
        splits: see ``Manifest.build``.
        salt: makes another deal of groups to fractions.
        skip_refused: leave out what cannot be scored, instead of refusing the whole.
        exclude: ids of candidates of the validations that are left out.
        media_from: folders from which the files that cases name are copied beside the manifest.
        overwrite: whether a file that is there is replaced.

    Returns:
        what was left out: variants that no validation vouches for, and, without files of cases, bases without one.

    Raises:
        UsageError: a file cannot be read or written, or is of another kind, or no record has an id to exclude.
        DataError: a row is wrong, or a media file is missing or has changed.
        ManifestError: a record cannot be scored and ``skip_refused`` is false, nothing is left, or a rule is broken.
        IntegrityError: a record is damaged.
    """
    files = list(cases)
    scored = ScoredFiles(validations, skip_refused=skip_refused, exclude=exclude)
    media = MediaNamed(media_from, Path(output))
    write_manifest(
        output,
        name,
        cases=media.by_cases(stream_cases(files)),
        validations=media.by_validations(scored if files else _at_least_one(scored)),
        splits=splits,
        salt=salt,
        overwrite=overwrite,
        when_ready=media.copy,
    )
    return scored.left_out() if files else scored.left_out() + scored.bases_left_out()


def _at_least_one(scored: ScoredFiles) -> Iterator[ValidationRecord]:
    record = None
    for record in scored:
        yield record
    if record is None:
        left_out = scored.left_out()
        message = f"no validation can be scored; {len(left_out)} were refused"
        if left_out:
            message += f": {refused_counts(left_out)}"
        raise ManifestError.of("no_cases", message, hint="a manifest needs at least one valid variant")
