"""Making an edit on a copy of the evidence, having it verified, and looking whether anything else was touched."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Final, NamedTuple

from robust import Verification, load_public_key
from robust.app.verifying import verify_all
from robust.errors import RobustError
from tests.tampering.edits import Asked, Content, Edit, Link
from tests.tampering.workshop import SIGNERS, STRANGER, Workshop, case_files

# Far more than anything here takes on a busy machine: a pipe that is opened would be waited for without end.
_HUNG_S: Final = 60


class Hung(BaseException):
    """Verifying did not come to an end."""


class Finding(NamedTuple):
    """One reason why something was refused.

    Attributes:
        check: the check that does not hold; empty for an error.
        code: the problem's code.
        file: the file, from the folder of the case; None where none is named.
        line: its line.
        path: the JSON path in it.
    """

    check: str
    code: str
    file: str | None
    line: int | None
    path: str | None


class Verdict(NamedTuple):
    """What came of verifying.

    Attributes:
        exit_code: that of the command.
        findings: why it is refused; empty when it is accepted.
        authentic: whether everything that was asked about is found authentic.
        left_open: the checks that could not be made with what was given.
    """

    exit_code: int
    findings: tuple[Finding, ...]
    authentic: bool
    left_open: frozenset[str]


class Bench:
    """A copy of the evidence, in a folder with things beside it that nobody may touch or be led to.

    Args:
        root: an empty folder.
        workshop: where the evidence and the keys come from.
    """

    def __init__(self, root: Path, workshop: Workshop) -> None:
        self.root = root
        self.case = root / "work"
        self.outside = root / "outside"
        self.workshop = workshop
        self.files = case_files(workshop.made)
        # Each is opened once: that it is a sound key takes as long to tell as much else.
        self._keys = {name: load_public_key(workshop.key(name)) for name in (*SIGNERS, STRANGER)}
        for name, data in self.files.items():
            for folder in (self.case, self.outside):
                _write(folder / name, data)

    @contextmanager
    def edited(self, edit: Edit) -> Iterator[None]:
        """Make an edit, and put everything back when the block ends.

        Raises:
            AssertionError: something else was written or changed in the block, in the copy or outside of it.
        """
        for name, content in edit.changes.items():
            self._put(name, content)
        before = self._state()
        try:
            yield
            assert self._state() == before, f"verifying changed something: {edit.name}"
        finally:
            for name in reversed(list(edit.changes)):  # a link before what lay behind it
                self._put(name, self.files.get(name))
            for name in self.files:  # what lay in a folder that was a link
                if not os.path.lexists(self.case / name):
                    self._put(name, self.files[name])

    def judge(self, edit: Edit) -> Verdict:
        """Make an edit, verify, and put everything back."""
        with self.edited(edit), _in_time():
            return self.verify(edit.asked)

    def verify(self, asked: Asked) -> Verdict:
        """What comes of verifying what now stands in the copy."""
        keys = [self._keys[name] for name in asked.keys]
        threshold = asked.threshold if keys else 1
        findings: list[Finding] = []
        codes, authentic, left_open = {0}, True, set[str]()
        try:
            paths = [self.case / path for path in asked.paths]
            for found in verify_all(paths, public_keys=keys, require_signature=bool(keys), threshold=threshold):
                codes.add(found.exit_code)
                authentic &= isinstance(found, Verification) and found.authentic
                if isinstance(found, Verification):
                    left_open |= {check.name for check in found.checks if not check.done}
                findings += self._findings(found)
        except RobustError as error:
            codes.add(error.exit_code)
            findings += self._findings(error)
        # As the command has it: what is not so weighs more than what cannot be said.
        worst = 3 if 3 in codes else max(codes)
        return Verdict(worst, tuple(findings), authentic and not worst, frozenset(left_open))

    def _findings(self, found: Verification | RobustError) -> Iterator[Finding]:
        if isinstance(found, Verification):
            checks = [(check.name, check.problems) for check in found.checks if not check.holds]
        else:
            checks = [("", found.problems)]
        for name, problems in checks:
            for problem in problems:
                yield Finding(name, problem.code, self._shown(problem.file), problem.line, problem.path)

    def _shown(self, file: str | None) -> str | None:
        return os.path.relpath(file, self.case) if file is not None and Path(file).is_absolute() else file

    def _put(self, name: str, content: Content) -> None:
        place = self.case / name
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        if isinstance(content, Link):
            place.symlink_to(content.to)
        elif content == "folder":
            place.mkdir()
        elif content == "pipe":
            os.mkfifo(place)
        elif content is not None:
            _write(place, content)

    def _state(self) -> dict[str, tuple[int, ...]]:
        """What there is below the root, and when each was last written."""
        found: dict[str, tuple[int, ...]] = {}
        for folder, folders, files in os.walk(self.root):
            for name in (*folders, *files, "."):
                status = os.lstat(os.path.join(folder, name))  # noqa: PTH118 - walked in plain text, for speed
                found[f"{folder}/{name}"] = (status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino)
        return found

    def untouched(self) -> bool:
        """Whether everything is as it was, to the byte."""
        held = {name: hashlib.sha256(data).digest() for name, data in self.files.items()}
        for folder in (self.case, self.outside):
            found = {
                path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).digest()
                for path in folder.rglob("*")
                if path.is_file()
            }
            if found != held:
                return False
        return {path.name for path in self.root.iterdir()} == {"work", "outside"}


def _write(place: Path, data: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


@contextmanager
def _in_time() -> Iterator[None]:
    def ended(_signal: int, _frame: FrameType | None) -> None:
        raise Hung

    earlier = signal.signal(signal.SIGALRM, ended)
    signal.alarm(_HUNG_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, earlier)
