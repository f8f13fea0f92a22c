"""Links, pipes, devices and folders where files of evidence are due: refused, never followed, never waited for."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from robust import UsageError, sign, verify
from robust.app.verifying import verify_all
from robust.errors import RobustError
from tests.unit.app.signed_evidence import ANN, BOB, Evidence, codes, write_evidence

KEYS = (ANN.public, BOB.public)
# The user who owns nothing, on every system that has one.
NOBODY = 65534
FILES = ("report.json", "records.jsonl", "contract.json", "attestation.dsse.json")


@pytest.fixture(name="made", scope="module")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    evidence = write_evidence(tmp_path_factory.mktemp("made"))
    sign(evidence.run, BOB, claim="Seen.", name="Bo Example")
    sign(evidence.manifest, BOB, claim="Seen.", name="Bo Example")
    return evidence


@pytest.fixture(name="evidence")
def _evidence(made: Evidence, tmp_path: Path) -> Evidence:
    return made.copied(tmp_path / "copy")


def state(folder: Path) -> dict[Path, int]:
    """What lies in a folder, links not followed, and when it was last written."""
    return {path: path.lstat().st_mtime_ns for path in folder.rglob("*")}


def _link(place: Path) -> None:
    kept = place.parent.parent / f"kept {place.name}"
    place.rename(kept)
    place.symlink_to(kept)


def _link_within(place: Path) -> None:
    kept = place.with_name(f"{place.name}.kept")
    place.rename(kept)
    place.symlink_to(kept.name)


def _loop(place: Path) -> None:
    place.unlink()
    place.symlink_to(place.name)


def _nowhere(place: Path) -> None:
    place.unlink()
    place.symlink_to("nowhere")


def _pipe(place: Path) -> None:
    place.unlink()
    os.mkfifo(place)


def _folder(place: Path) -> None:
    place.unlink()
    place.mkdir()


def _device(place: Path) -> None:
    place.unlink()
    place.symlink_to("/dev/zero")


STRANGE = [_link, _link_within, _loop, _nowhere, _pipe, _folder, _device]


@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.parametrize("name", FILES)
def test_the_files_of_a_run_are_plain_files_in_its_folder(
    evidence: Evidence, name: str, strange: Callable[[Path], None]
) -> None:
    """Whatever stands in the place of one: exit code 3, and nothing is written."""
    strange(evidence.run / name)
    before = state(evidence.folder)
    found = verify(evidence.run, public_keys=KEYS, require_signature=True)
    assert (found.exit_code, found.authentic) == (3, False)
    links = strange in (_link, _link_within, _loop, _nowhere, _device)
    assert ("link" in codes(found)) == links
    assert state(evidence.folder) == before


@pytest.mark.parametrize("strange", STRANGE)
def test_what_lies_beside_a_file_is_a_plain_file(evidence: Evidence, strange: Callable[[Path], None]) -> None:
    """Its attestation, and each claim."""
    (claim,) = evidence.folder.glob("m.manifest.jsonl.claim-*")
    for place in (evidence.beside, claim):
        strange(place)
        found = verify(evidence.manifest, public_keys=KEYS, require_signature=True)
        assert (found.exit_code, found.authentic) == (3, False)


@pytest.mark.parametrize("strange", STRANGE)
def test_a_claim_of_a_run_is_a_plain_file(evidence: Evidence, strange: Callable[[Path], None]) -> None:
    """Nobody is led elsewhere by one."""
    (claim,) = evidence.run.glob("claim-*")
    strange(claim)
    found = verify(evidence.run, public_keys=KEYS)
    assert [check.name for check in found.checks if not check.holds] == ["claim"]


def test_the_path_that_the_reader_names_may_be_a_link(evidence: Evidence, tmp_path: Path) -> None:
    """To a folder or a file; what is beside a linked file is looked for beside the link."""
    (tmp_path / "run").symlink_to(evidence.run)
    (tmp_path / "m.manifest.jsonl").symlink_to(evidence.manifest)
    assert verify(tmp_path / "run", public_keys=KEYS).authentic
    assert verify(tmp_path / "m.manifest.jsonl", public_keys=KEYS).signature == "none"


@pytest.mark.parametrize("kind", ["loop", "nowhere", "pipe", "device", "empty", "file/below", "nul", "long"])
def test_a_path_that_leads_to_nothing_that_can_be_verified_is_a_usage_error(tmp_path: Path, kind: str) -> None:
    """Exit code 2, and the path is named; nothing hangs."""
    place = tmp_path / "x"
    made: dict[str, Callable[[], Any]] = {
        "loop": lambda: place.symlink_to("x"),
        "nowhere": lambda: place.symlink_to("y"),
        "pipe": lambda: os.mkfifo(place),
        "device": lambda: place.symlink_to("/dev/zero"),
        "empty": place.mkdir,
        "file/below": lambda: place.write_text("x", encoding="utf-8"),
        "nul": lambda: None,
        "long": lambda: None,
    }
    made[kind]()
    asked = {"file/below": place / "below", "nul": Path("a\0b"), "long": tmp_path / ("x" * 5000)}.get(kind, place)
    with pytest.raises(UsageError):
        verify(asked)
    (error,) = verify_all([asked])
    assert isinstance(error, RobustError)
    assert error.exit_code == 2


def test_other_files_in_the_folder_are_left_alone(evidence: Evidence) -> None:
    """A pipe, a link out, and names in other letters are no part of the run."""
    os.mkfifo(evidence.run / "pipe")
    (evidence.run / "out").symlink_to("/")
    (evidence.run / "REPORT.JSON").write_text("{}", encoding="utf-8")
    (evidence.run / "Claim-0123456789ab.dsse.json").write_text("{}", encoding="utf-8")
    before = state(evidence.run)
    assert verify(evidence.run, public_keys=KEYS).authentic
    assert state(evidence.run) == before


def test_a_run_whose_report_has_another_name_is_no_finished_run(evidence: Evidence) -> None:
    """Whatever the system makes of upper case."""
    (evidence.run / "report.json").rename(evidence.run / "REPORT.JSON")
    assert verify(evidence.run, public_keys=KEYS).exit_code == 3


def test_a_huge_file_is_refused_without_being_read_whole(evidence: Evidence) -> None:
    """A terabyte that takes no room on disk, in the place of a file."""
    for name in ("records.jsonl", "attestation.dsse.json"):
        place = evidence.run / name
        data = place.read_bytes()
        with place.open("wb") as handle:
            handle.truncate(1 << 40)
        assert verify(evidence.run, public_keys=KEYS).exit_code == 3
        place.write_bytes(data)
    with evidence.manifest.open("wb") as handle:
        handle.truncate(1 << 40)
    assert verify(evidence.manifest, public_keys=KEYS).exit_code == 3


@contextlib.contextmanager
def ordinary_user() -> Iterator[None]:
    """Give up what lets the superuser read everything, for a while."""
    superuser = os.geteuid() == 0
    if superuser:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if superuser:
            os.seteuid(0)


def test_what_may_not_be_read_is_a_usage_error(made: Evidence) -> None:
    """Exit code 2: the evidence is not wrong, it cannot be looked at."""
    with tempfile.TemporaryDirectory() as folder:  # pytest's own folders let nobody else in
        Path(folder).chmod(0o755)
        evidence = made.copied(Path(folder) / "copy")
        assert verify(evidence.run, public_keys=KEYS).authentic
        assert verify(evidence.manifest, public_keys=KEYS).authentic
        for place in (*(evidence.run / name for name in FILES), evidence.manifest, evidence.beside, evidence.run):
            mode = place.stat().st_mode
            place.chmod(0)
            asked = evidence.manifest if place in (evidence.manifest, evidence.beside) else evidence.run
            with ordinary_user():
                with pytest.raises(UsageError):
                    verify(asked, public_keys=KEYS)
                (error,) = verify_all([asked], public_keys=KEYS)
            assert (isinstance(error, UsageError), error.exit_code) == (True, 2)
            place.chmod(mode)
