"""Reads a file of production records, and counts what is in it."""

from __future__ import annotations

import os
from contextlib import closing
from typing import NamedTuple

from robust.records.contract import Contract
from robust.records.production_cell import Cell, Sample
from robust.run.production_reading import Read
from robust.run.production_report import Segment
from robust.store.bytes_spool import BytesSpool
from robust.store.production_rows import ProductionFile


class ReadFile(NamedTuple):
    """What is kept of a file of production records.

    Attributes:
        sample: the file.
        cell: what is kept of all records.
        segments: what is kept of each segment.
    """

    sample: Sample
    cell: Cell
    segments: tuple[Segment, ...]


def read_production_file(contract: Contract, path: str | os.PathLike[str], segment_by: tuple[str, ...]) -> ReadFile:
    """Read a file of production records strictly, in memory that does not grow with their number.

    Args:
        contract: what they are held against.
        path: the file, ``.jsonl`` or ``.json`` (a list).
        segment_by: the metadata keys whose values make segments.

    Raises:
        UsageError: the file cannot be read.
        DataError: a record is wrong, two have one id, or there is none; with file, line and path.
    """
    with closing(BytesSpool()) as ids:
        read = Read(ProductionFile(path), contract, segment_by, ids)
        cell = read.cell()
        segments = tuple(Segment(key=key, value=value, cell=part) for key, value, part in read.segments())
    return ReadFile(read.sample, cell, segments)
