"""The law of tampering: no byte of a stored file can be changed, dropped or added without being noticed."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from robust import IntegrityError, Manifest, Validation
from tests.golden import content

MANIFEST = b"".join(line + b"\n" for line in content.manifest().lines())
VALIDATION = content.validation().stored_line() + b"\n"


def accepted(data: bytes, load: Callable[[Path], object]) -> bool:
    """Whether a file of these bytes loads; any other error than an integrity error fails the test."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        try:
            load(path)
        except IntegrityError:
            return False
        return True


def same_manifest(path: Path) -> None:
    """Load a manifest whose identity is known; only its header may legally differ, which shows in the identity."""
    if Manifest.load(path).digest != content.manifest().digest:
        raise IntegrityError.of("other_identity", "the identity is another")


def all_validations(path: Path) -> list[Validation]:
    return list(Validation.load_all(path))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(MANIFEST) - 1), st.integers(1, 255))
def test_no_byte_of_a_manifest_can_be_changed(at: int, flip: int) -> None:
    """Whichever byte is changed, and to whatever, the manifest is refused or is visibly another one."""
    data = bytearray(MANIFEST)
    data[at] ^= flip
    assert not accepted(bytes(data), same_manifest)


@settings(max_examples=100, deadline=None)
@given(st.integers(MANIFEST.index(b"\n") + 1, len(MANIFEST) - 1), st.integers(1, 255))
def test_no_byte_after_the_header_can_be_changed_even_if_nobody_knows_the_identity(at: int, flip: int) -> None:
    """The lines are bound by the header's root: loading alone refuses."""
    data = bytearray(MANIFEST)
    data[at] ^= flip
    assert not accepted(bytes(data), Manifest.load)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(MANIFEST) - 1), st.integers(1, 400))
def test_no_part_of_a_manifest_can_be_cut_out(at: int, length: int) -> None:
    """Dropping bytes anywhere, the end included, is noticed."""
    assert not accepted(MANIFEST[:at] + MANIFEST[at + length :], same_manifest)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(MANIFEST)), st.binary(min_size=1, max_size=5))
def test_nothing_can_be_slipped_into_a_manifest(at: int, extra: bytes) -> None:
    """Adding bytes anywhere is noticed."""
    assert not accepted(MANIFEST[:at] + extra + MANIFEST[at:], same_manifest)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, len(VALIDATION) - 1), st.integers(1, 255))
def test_no_byte_of_a_validation_can_be_changed(at: int, flip: int) -> None:
    """The record's own digest covers all of it but what was observed."""
    data = bytearray(VALIDATION)
    data[at] ^= flip
    assert not accepted(bytes(data), all_validations)


def test_what_was_not_touched_is_accepted() -> None:
    """Otherwise nothing above would mean anything."""
    assert accepted(MANIFEST, same_manifest)
    assert accepted(VALIDATION, all_validations)
