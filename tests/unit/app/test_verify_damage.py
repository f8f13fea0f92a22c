"""A law: whatever byte of a run is changed, verifying never crashes, and holds only where nothing was said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from robust import verify
from robust.canon import parse_canonical
from tests.run_fixtures import logical, manifest_of, run

FILES = ("report.json", "records.jsonl", "contract.json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run over a manifest."""
    sections: dict[str, Any] = {"properties": {"variants": {"max_flip_rate": 0.1}}}
    manifest = manifest_of({"total 2000": [("total  2000", "invariant")]})
    return run(tmp_path_factory.mktemp("damage"), manifest=manifest, **sections).path


@pytest.fixture(scope="module")
def original(folder: Path) -> dict[str, bytes]:
    """The bytes of its files."""
    return {name: (folder / name).read_bytes() for name in FILES}


def _holds_only_if_nothing_was_said(folder: Path, original: dict[str, bytes], name: str, changed: bytes) -> None:
    (folder / name).write_bytes(changed)
    try:
        verified = verify(folder)
        assert verified.exit_code in (0, 3)
        if verified.holds and changed != original[name]:
            # Times and hosts stand under observed, which no digest of the report covers.
            assert name == "report.json"
            assert logical(parse_canonical(changed[:-1])) == logical(parse_canonical(original[name][:-1]))
    finally:
        (folder / name).write_bytes(original[name])


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(FILES), st.floats(0, 1, exclude_max=True), st.integers(0, 255))
def test_one_other_byte_is_found(folder: Path, original: dict[str, bytes], name: str, place: float, byte: int) -> None:
    """Anywhere, in any of the files."""
    data = bytearray(original[name])
    data[int(place * len(data))] = byte
    _holds_only_if_nothing_was_said(folder, original, name, bytes(data))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(FILES), st.floats(0, 1, exclude_max=True), st.integers(0, 40), st.binary(max_size=40))
def test_a_piece_cut_out_or_put_in_is_found(
    folder: Path, original: dict[str, bytes], name: str, place: float, cut: int, put: bytes
) -> None:
    """Bytes removed, inserted or replaced, also such as are no text."""
    data = original[name]
    at = int(place * len(data))
    _holds_only_if_nothing_was_said(folder, original, name, data[:at] + put + data[at + cut :])


TOKENS = [b"null", b"true", b"-1", b"1e999", b"[]", b"{}", b'""', b"0.5", b'"\\ud800"', b"9" * 400, b"[" * 300]


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(FILES), st.data())
def test_a_value_of_another_kind_is_found(
    folder: Path, original: dict[str, bytes], name: str, data: st.DataObject
) -> None:
    """Whole JSON values replaced, so that the file still parses and the content is what is wrong."""
    raw = original[name]
    starts = [index + 1 for index, byte in enumerate(raw[:-1]) if byte == ord(":") and raw[index - 1 : index] == b'"']
    start = data.draw(st.sampled_from(starts))
    end = next(index for index in range(start, len(raw)) if raw[index : index + 1] in (b",", b"}", b"]"))
    _holds_only_if_nothing_was_said(
        folder, original, name, raw[:start] + data.draw(st.sampled_from(TOKENS)) + raw[end:]
    )
