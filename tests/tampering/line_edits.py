"""Edits of whole lines, and of the bytes of files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Final

from tests.tampering.edits import (
    ATTESTATION,
    DECIDED,
    FROZEN,
    HOW,
    MANIFEST_ATTESTATION,
    PROVEN_CASE,
    PROVEN_RECORD,
    RUN,
    Asked,
    Chosen,
    Edit,
    Spot,
    plain_or_refitted,
)
from tests.tampering.forger import lines_of
from tests.tampering.workshop import CASE_PROOF, DECISIONS, MANIFEST, RECORD_PROOF

_BOM: Final = b"\xef\xbb\xbf"


_LINES: Final[tuple[tuple[str, Asked, str], ...]] = (
    ("run/records.jsonl", RUN, "line of a run"),
    (f"{DECISIONS}/records.jsonl", DECIDED, "line of decisions alone"),
    (MANIFEST, FROZEN, "line of a manifest"),
)


def line_edits(case: Mapping[str, bytes], chosen: Chosen) -> Iterator[Edit]:
    """What is chosen of all that can be done to each line."""
    number = 0
    for file, asked, kind in _LINES:
        lines = lines_of(case[file])
        for at in range(len(lines)):
            number += 1
            made = dict(_edited_lines(lines, at))
            for name, how in chosen(Spot(number), [(name, how) for name in made for how in HOW]):
                edit = Edit(kind, f"{file}:{at + 1} {name}", {}, asked)
                yield from plain_or_refitted(case, file, made[name], edit, (how,))


def _edited_lines(lines: list[bytes], at: int) -> Iterator[tuple[str, bytes]]:
    line, before, after = lines[at], lines[:at], lines[at + 1 :]

    def joined(*rows: bytes) -> bytes:
        return b"".join(row + b"\n" for row in rows)

    yield "dropped", joined(*before, *after)
    yield "doubled", joined(*before, line, line, *after)
    yield "moved to the front", joined(line, *before, *after)
    yield "moved to the end", joined(*before, *after, line)
    if after:
        yield "exchanged with the next", joined(*before, after[0], line, *after[1:])
        yield "joined with the next", joined(*before, line + after[0], *after[1:])
    yield "cut in the middle", joined(*before, line[: len(line) // 2], *after)
    yield "parted in the middle", joined(*before, line[: len(line) // 2], line[len(line) // 2 :], *after)
    yield "an empty line before it", joined(*before, b"", line, *after)
    yield "a carriage return behind it", joined(*before, line + b"\r", *after)
    yield "a blank behind it", joined(*before, line + b" ", *after)
    yield "a blank inside it", joined(*before, b"{ " + line[1:], *after)
    yield "a NUL behind it", joined(*before, line + b"\x00", *after)
    yield "a letter escaped", joined(*before, line.replace(b'"case', b'"\\u0063ase', 1), *after)
    yield "everything behind it cut off", joined(*before, line)
    yield "everything behind it cut off, and its line feed", joined(*before) + line


_FILES: Final[tuple[tuple[str, Asked], ...]] = (
    ("run/report.json", RUN),
    ("run/contract.json", RUN),
    ("run/records.jsonl", RUN),
    (ATTESTATION, RUN),
    (f"{DECISIONS}/report.json", DECIDED),
    (f"{DECISIONS}/records.jsonl", DECIDED),
    (MANIFEST, FROZEN),
    (MANIFEST_ATTESTATION, FROZEN),
    (CASE_PROOF, PROVEN_CASE),
    (RECORD_PROOF, PROVEN_RECORD),
)


def byte_edits(case: Mapping[str, bytes], chosen: Chosen) -> Iterator[Edit]:
    """What is chosen of what can be done to each file as bytes."""
    numbers = count()
    for file, asked in _FILES:
        data = case[file]
        made = {
            "emptied": b"",
            "only its line feed": b"\n",
            "a byte order mark": _BOM + data,
            "no last line feed": data[:-1],
            "two last line feeds": data + b"\n",
            "carriage returns": data.replace(b"\n", b"\r\n"),
            "letters behind the end": data + b"x",
            "a document behind the end": data + b"{}\n",
            "a NUL behind the end": data + b"\x00",
            "cut in the middle": data[: len(data) // 2],
            "the first byte cut off": data[1:],
            "twice": data + data,
            "in UTF-16": data.decode().encode("utf-16"),
            "in Latin 1": data.replace("é".encode(), b"\xe9") if "é".encode() in data else b"\xe9" + data,
            "a list": b"[]\n",
            "null": b"null\n",
            "an empty object": b"{}\n",
            "a deep list": b"[" * 100_000 + b"]" * 100_000 + b"\n",
        }
        edits = [("bytes of a file", name, changed) for name, changed in made.items()]
        for at in range(0, len(data), len(data) // 10):
            flipped = bytearray(data)
            flipped[at] ^= 1
            edits.append(("bit of a file", f"bit 0 of byte {at}", bytes(flipped)))
        for kind, name, changed in edits:
            how = [how for _, how in chosen(Spot(next(numbers)), [(name, how) for how in HOW])]
            yield from plain_or_refitted(case, file, changed, Edit(kind, f"{file}: {name}", {}, asked), how)
