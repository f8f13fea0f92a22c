"""Checking manifests and files of validation records."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from robust.app.checks import Attempt, Check, Kind, left_open
from robust.app.examined import Examined, KnownTree
from robust.app.hashed_lines import HashedLines, digest_check
from robust.app.statements import name_of
from robust.errors import IntegrityError, Problem, RobustError, UsageError
from robust.manifest.read import ManifestReader
from robust.records.manifest import CaseEntry, ManifestHeader
from robust.records.media import Media
from robust.records.validation import read_validation_line
from robust.signing.statement import Statement, evidence_statement, manifest_statement
from robust.store.media import check_media

# What the rules say of cases that a model could know from another split.
_LEAKS: Final = frozenset(["split_leak", "input_leak", "split_rule"])


def examined_file(path: Path, kind: Kind, checks: Iterable[Check], digest: str | None) -> Examined:
    """The checks of a file of evidence, and what can be said of it.

    Args:
        path: the file.
        kind: what it is.
        checks: those of its content.
        digest: the digest of the file; None where it is not known, as nothing else holds then.
    """
    return _examined(path, checks, digest, lambda name, sha256: evidence_statement(kind, name, sha256))


def _examined(
    path: Path, checks: Iterable[Check], digest: str | None, state: Callable[[str, str], Statement]
) -> Examined:
    """With what is stated of a name and a digest, where everything holds."""
    listed = (digest_check(digest), *checks)
    if digest is None or not all(check.holds for check in listed):
        return Examined(listed)
    try:
        return Examined(listed, state(name_of(path), digest))
    except UsageError as error:
        return Examined(listed, unsigned=error.problems[0].message)


def examine_manifest(path: Path, lineage: Callable[[ManifestHeader, str], Iterable[Check]]) -> Examined:
    """Check a manifest: header, lines, rules, validations, and its media files.

    Args:
        path: the manifest.
        lineage: the checks of where it comes from, by its header and its digest.
    """
    content = _Content(path)
    checks = [content.attempt.step("header", content.header)]
    if not content.attempt.failed:
        checks += content.rows()
    if not content.attempt.failed and content.media:
        checks.append(content.attempt.step("media files", content.check_media))
    if not content.attempt.failed:
        checks += lineage(content.reader.header, content.reader.digest)
    return _examined(path, checks, content.file_digest(), content.statement)._replace(tree=content.tree())


class _Content:
    """A manifest while it is read, once."""

    def __init__(self, path: Path) -> None:
        self.attempt = Attempt()
        self.reader: ManifestReader
        self.media: list[tuple[str, Media]] = []
        self._path = path
        self._file = os.fspath(path)
        self._lines = HashedLines(path)

    def header(self) -> str:
        self.reader, _ = ManifestReader.of_lines(self._lines.lines(), self._file)
        return f"manifest digest {self.reader.digest}"

    def rows(self) -> list[Check]:
        """The checks of everything after the header; what leaks between splits stands by itself."""
        try:
            self._read_rows()
        except UsageError:
            raise
        except RobustError as error:
            self.attempt.failed = True
            return list(_sorted_out(error.problems))
        counts = self.reader.header.counts
        found = (
            f"root {self.reader.header.root}; {counts.cases} cases of {counts.sources} sources, "
            f"{counts.validations} validations derived again"
        )
        splits = ", ".join(repr(name) for name in sorted(self.reader.header.splits))
        apart = f"each source group and each input in one split of {splits}"
        return [
            Check(name="root, rules and derivation", holds=True, detail=found),
            Check(name="leakage", holds=True, detail=apart),
        ]

    def _read_rows(self) -> None:
        for item in self.reader.read(self._lines.lines()):
            if isinstance(item, CaseEntry):
                self.media.extend((item.case.case_id, entry) for entry in item.case.media)

    def check_media(self) -> str:
        problems = list(check_media(self._path.parent, self.media))
        if problems:
            raise IntegrityError(*problems)
        return f"{len(self.media)} files have their digests"

    def file_digest(self) -> str | None:
        return self._lines.digest()

    def statement(self, name: str, digest: str) -> Statement:
        """What is stated of it, once everything holds: the header that was read says it."""
        return manifest_statement(self.reader.header.to_json(), self.reader.digest, name, digest)

    def tree(self) -> KnownTree | None:
        """The tree that the header speaks of, also where the lines are not all there."""
        if not hasattr(self, "reader"):
            return None
        header = self.reader.header
        root, size = header.root, header.counts.lines
        return KnownTree(of="manifest", source=self._file, digest=self.reader.digest, root=root, size=size)


def _sorted_out(problems: tuple[Problem, ...]) -> Iterable[Check]:
    leaks = tuple(problem for problem in problems if problem.code in _LEAKS)
    others = tuple(problem for problem in problems if problem.code not in _LEAKS)
    yield Check(name="root, rules and derivation", holds=not others, problems=others)
    # The rules are told at the end, so that a line which cannot be read leaves the leaks open.
    yield (
        Check(name="leakage", holds=False, problems=leaks)
        if leaks
        else left_open("leakage", "not told, since the rest does not hold")
    )


def examine_validations(path: Path) -> Examined:
    """Check a file of validation records."""
    attempt, lines, file = Attempt(), HashedLines(path), os.fspath(path)

    def content() -> str:
        counts: dict[str, int] = {}
        for number, line in lines.numbered():
            record = read_validation_line(line, file=file, number=number)
            counts[record.status] = counts.get(record.status, 0) + 1
        if not counts:
            raise IntegrityError.of("cut_short", "the file is empty", file=file)
        return ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))

    check = attempt.step("digests and derivation", content)
    return examined_file(path, "validations", (check,), lines.digest())
