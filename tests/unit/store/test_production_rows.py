"""Files of production records: which are read, how much at once, and which are told apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from robust.canon import digest_bytes
from robust.errors import DataError, UsageError
from robust.store.bytes_spool import BytesSpool
from robust.store.production_rows import ProductionFile


def test_lines_come_in_blocks_with_the_digest_of_all_of_them(tmp_path: Path) -> None:
    """Every line once, with the number of the first of each block."""
    path = tmp_path / "r.jsonl"
    lines = [json.dumps({"number": number, "text": "x" * 300}).encode() for number in range(2000)]
    path.write_bytes(b"\n".join(lines))
    file = ProductionFile(path)
    numbered = [
        (number, line) for block in file.blocks() for number, line in enumerate(block.lines or [], start=block.first)
    ]
    assert numbered == [*enumerate(lines, start=1)]
    assert (file.sha256, file.size, file.name) == (digest_bytes(path.read_bytes()), path.stat().st_size, "r.jsonl")
    assert file.values_at([2, 2000]) == {2: json.loads(lines[1]), 2000: json.loads(lines[-1])}


def test_a_list_comes_in_blocks_too(tmp_path: Path) -> None:
    """Numbered from 0, as paths are."""
    path = tmp_path / "r.JSON"
    path.write_text(json.dumps([*range(2500)]), encoding="utf-8")
    file = ProductionFile(path)
    rows = [pair for block in file.blocks() for pair in enumerate(block.rows or [], start=block.first)]
    assert rows == [*enumerate(range(2500))]
    assert file.sha256 == digest_bytes(path.read_bytes())
    assert file.values_at([7, 9999]) == {7: 7}


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("r.csv", b"a,b\n", "unknown_format"),
        ("r", b"{}\n", "unknown_format"),
        ("r.jsonl.gz", b"\x1f\x8b\x08\x00", "compressed"),
        ("r.jsonl", b"PK\x03\x04", "compressed"),
    ],
)
def test_what_is_no_such_file_is_refused_at_once(tmp_path: Path, name: str, data: bytes, code: str) -> None:
    """By its ending, or by how it begins."""
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(DataError) as caught:
        ProductionFile(path)
    assert caught.value.code == code


def test_what_is_not_there_is_told_as_such(tmp_path: Path) -> None:
    """Also a path that is none, and a folder."""
    (tmp_path / "folder.jsonl").mkdir()
    for path in (tmp_path / "none.jsonl", "", tmp_path / "folder.jsonl", "a\x00.jsonl"):
        with pytest.raises(UsageError):
            ProductionFile(path)


def test_a_list_must_be_one(tmp_path: Path) -> None:
    """And no object with a list in it."""
    path = tmp_path / "r.json"
    path.write_text('{"records": []}', encoding="utf-8")
    with pytest.raises(DataError, match="must be a list"):
        list(ProductionFile(path).blocks())


def test_bytes_are_kept_in_their_order_and_read_as_often_as_needed() -> None:
    """In blocks of a size that is asked for, in memory or beyond it."""
    spool = BytesSpool(block_bytes=1000)
    for number in range(500):
        spool.append(bytes([number % 256]) * 7)
    whole = b"".join(bytes([number % 256]) * 7 for number in range(500))
    for _ in range(2):
        blocks = [*spool]
        assert b"".join(blocks) == whole
        assert {len(block) for block in blocks[:-1]} == {1000}
    spool.close()
