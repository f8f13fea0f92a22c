"""How hard cases were, as it is kept in a file; made by :func:`~robust.app.hardness.measure_hardness`."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from typing import Any, Self

from robust.canon import JsonObject, canonical_bytes, decode_own
from robust.records.hardness import Band, HardnessCase, case_of_data, read_hardness
from robust.store.attestations import evidence_output
from robust.store.spool import LineSpool
from robust.store.validations import read_own_lines


class HardnessReport:
    """How hard cases were for a model: a header, and one line for each case, in their order.

    Iterating gives a :class:`HardnessCase` for each, as often as one likes. Lines beyond 16 MiB are put aside in a
    temporary file, so that memory does not grow with the answers.

    Attributes:
        header: settings, counts, the root over the lines, and the digest.
    """

    def __init__(self, header: JsonObject, lines: LineSpool) -> None:
        self.header = header
        self._lines = lines
        # The temporary file goes with the report, whenever that is.
        weakref.finalize(self, lines.close)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file of measured hardness, and derive again what follows from its shots.

        Raises:
            UsageError: the file cannot be read.
            IntegrityError: it is damaged, or contradicts itself.
        """
        lines = LineSpool()
        try:
            header, cases = read_hardness((line for _, line in read_own_lines(path)), os.fspath(path))
            for case in cases:
                lines.append(canonical_bytes(case.to_json()))
        except BaseException:
            lines.close()
            raise
        return cls(header, lines)

    def __iter__(self) -> Iterator[HardnessCase]:
        band = self.band
        for line in self._lines:
            yield case_of_data(decode_own(line), band)

    def __len__(self) -> int:
        return int(self.header["counts"]["cases"])

    @property
    def band(self) -> Band:
        """The failure rates that are looked for, both ends included."""
        low, high = self.header["band"]
        return float(low), float(high)

    @property
    def digest(self) -> str:
        """The digest of settings, counts and root; times are not in it."""
        return str(self.header["digest"])

    @property
    def counts(self) -> JsonObject:
        """How many cases there are, have a failure rate, and are in the band; how many shots have each status."""
        counts: JsonObject = self.header["counts"]
        return counts

    def in_band(self) -> Iterator[HardnessCase]:
        """The cases whose failure rate is within the band."""
        return (case for case in self if case.in_band)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the report as JSON Lines, atomically.

        Raises:
            UsageError: the file exists and ``overwrite`` is false, or it cannot be written.
        """
        with evidence_output(path, overwrite=overwrite) as write:
            write(canonical_bytes(self.header) + b"\n")
            for line in self._lines:
                write(line + b"\n")

    def __repr__(self) -> str:
        counts = self.counts
        return f"<HardnessReport {counts['in_band']} of {counts['cases']} cases in the band {self.digest[:19]}…>"


class HardnessInterrupted(KeyboardInterrupt):
    """The user stopped a measurement; nothing that was measured is lost.

    Attributes:
        report: all cases; shots that were not made are ``not_run``.
    """

    def __init__(self, report: HardnessReport) -> None:
        super().__init__("the measurement was stopped; its report has what was measured")
        self.report = report


class HardnessExit(SystemExit):
    """A model or a judge asked the program to end; nothing that was measured is lost.

    Attributes:
        report: all cases; shots that were not made are ``not_run``.
    """

    def __init__(self, code: Any, report: HardnessReport) -> None:
        super().__init__(code)
        self.report = report
