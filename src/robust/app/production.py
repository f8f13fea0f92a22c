"""The public function that checks production records, offline, and what it gives."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robust.app.production_files import read_production_file
from robust.app.verify_check import RecordsDigest
from robust.app.verify_production import StoredProduction
from robust.canon import JsonObject, canonical_bytes, decode_own
from robust.errors import DataError, UsageError
from robust.records.contract import Contract
from robust.records.production_cell import Baseline, Cell
from robust.run.production_records import production_records
from robust.run.production_report import Production, production_report
from robust.store.contracts import ContractSource, load_contract, read_contract
from robust.store.runs import REPORT, RunWriter, is_run_directory
from robust.version import __version__

if TYPE_CHECKING:
    from robust.app.keys import SigningKey
    from robust.app.signing import Signed


@dataclass(frozen=True, slots=True, repr=False)
class ProductionReport:
    """What a check of production records found.

    Attributes:
        report: the report, ``robust.production-report/1``.
        path: its run directory; None where none was asked for.
        signed: what was signed; None where nothing was.
    """

    report: JsonObject
    path: Path | None = None
    signed: Signed | None = None

    @property
    def status(self) -> str:
        """``pass``, ``warn`` or ``fail``."""
        return str(self.report["status"])

    @property
    def exit_code(self) -> int:
        """What the command exits with."""
        return int(self.report["exit_code"])

    @property
    def digest(self) -> str:
        """The digest of the report."""
        return str(self.report["digest"])

    @property
    def checks(self) -> list[JsonObject]:
        """Every gate: what was measured, its limit, and whether it holds."""
        return [dict(check) for check in self.report["checks"]]

    @property
    def metrics(self) -> dict[str, float | None]:
        """The value of each metric over all records."""
        return {name: metric["value"] for name, metric in self.report["metrics"].items()}

    def to_dict(self) -> JsonObject:
        """The report as plain data of its own."""
        copied: JsonObject = decode_own(canonical_bytes(self.report))
        return copied

    def __repr__(self) -> str:
        return f"<ProductionReport {self.status} {self.report['counts']['records']} records>"


def check_production(
    contract: ContractSource,
    records: str | os.PathLike[str],
    *,
    baseline: str | os.PathLike[str] | None = None,
    segment_by: Iterable[str] | None = None,
    output: str | os.PathLike[str] | None = None,
    overwrite: bool = False,
    fail_on_warn: bool = False,
    sign: SigningKey | str | os.PathLike[str] | None = None,
) -> ProductionReport:
    """Check the records that an application collected against the ``production`` section of a contract.

    Nothing is asked and nothing connected. Every record is read strictly; the first that is wrong ends the check. They
    are streamed: memory does not grow with their number.

    Args:
        contract: a contract file, a contract, or its data as a dict.
        records: a file of records, ``.jsonl`` or ``.json`` (a list).
        baseline: records of the same kind, or the run directory of an earlier check, to compare with.
        segment_by: metadata keys whose values make segments, instead of ``production.segments``.
        output: a run directory to write; none by default.
        overwrite: whether a finished run there may be replaced.
        fail_on_warn: whether a warning makes the exit code 1.
        sign: a private key, or the file of one that is not encrypted, that signs the run directory.

    Raises:
        ContractError: the contract is wrong.
        DataError: a record is wrong or contradicts itself, two have one id, or there is none; with file, line and path.
        UsageError: a file cannot be read or written, or the arguments do not go together.
        IntegrityError: the earlier check is damaged or contradicts itself.
    """
    loaded = _read_contract(contract)
    keys = _segment_keys(segment_by, loaded)
    key = _signing_key(sign, output)
    started = datetime.now(UTC).isoformat(timespec="milliseconds")
    fresh = output is not None and not os.path.lexists(output)
    writer = None if output is None else RunWriter(output, overwrite=overwrite)
    try:
        found = _gathered(loaded, records, keys, baseline)
        report, lines = _report(loaded, found, started, fail_on_warn=fail_on_warn)
        if writer is not None:
            # Only now: until everything is known there is nothing that an unfinished run could be continued from.
            writer.start(loaded.normalised(), {"schema": report["schema"], "evidence": report["evidence_digest"]})
            for line in lines:
                writer.write(line + b"\n")
            writer.seal(report)
    finally:
        if writer is not None:
            writer.close()
            if fresh:
                # What holds nothing was made for nothing.
                with suppress(OSError):
                    writer.path.rmdir()
    path = None if writer is None else writer.path
    return ProductionReport(report, path, _sign(path, key, report))


def _report(
    contract: Contract, found: Production, started: str, *, fail_on_warn: bool
) -> tuple[JsonObject, list[bytes]]:
    """The report, and the lines of the records that it follows from."""
    digest, lines = RecordsDigest(), []
    for record in production_records(found):
        line = canonical_bytes(record)
        digest.add(line, record)
        lines.append(line)
    finished = datetime.now(UTC).isoformat(timespec="milliseconds")
    observed = {"started_at": started, "finished_at": finished, **_host()}
    return production_report(contract, found, digest.summary(), fail_on_warn=fail_on_warn, observed=observed), lines


def _gathered(
    contract: Contract, records: str | os.PathLike[str], keys: tuple[str, ...], baseline: str | os.PathLike[str] | None
) -> Production:
    """What is kept of the records, and of those that they are compared with."""
    # The smaller trouble first: a baseline that does not fit is told before millions of records are read.
    compared, other = (None, None) if baseline is None else _baseline(contract, baseline)
    read = read_production_file(contract, records, keys)
    return Production(
        segment_by=keys,
        sample=read.sample,
        cell=read.cell,
        baseline=compared,
        baseline_cell=other,
        segments=read.segments,
    )


def _baseline(contract: Contract, path: str | os.PathLike[str]) -> tuple[Baseline, Cell]:
    place = Path(path)
    if place.name == REPORT and is_run_directory(place.parent):
        place = place.parent
    if is_run_directory(place):
        stored = StoredProduction.load(place)
        _refuse_other(contract, stored.contract, os.fspath(path))
        found = stored.found
        return Baseline(source="report", report=stored.report["digest"], sample=found.sample), found.cell
    read = read_production_file(contract, path, ())
    return Baseline(source="records", report=None, sample=read.sample), read.cell


def _refuse_other(contract: Contract, earlier: Contract, file: str) -> None:
    """Only what answers the same question, and was counted alike, can be compared."""
    one, other = contract.decision, earlier.decision
    told: list[tuple[str, Any, Any]] = [
        ("decision.name", one.name, other.name),
        ("decision.type", one.type, other.type),
        ("the labels", list(one.label_order), list(other.label_order)),
        (
            "evaluation.calibration_bins",
            contract.evaluation.calibration_bins,
            earlier.evaluation.calibration_bins,
        ),
        (
            "evaluation.confidence_threshold",
            contract.evaluation.confidence_threshold,
            earlier.evaluation.confidence_threshold,
        ),
    ]
    for name, now, before in told:
        if now != before:
            message = f"the earlier check had another {name}: {before!r}, and not {now!r}"[:400]
            hint = "give the earlier records instead of their report"
            raise DataError.of("other_baseline", message, file=file, hint=hint)


def _segment_keys(segment_by: Iterable[str] | None, contract: Contract) -> tuple[str, ...]:
    if segment_by is None:
        return contract.production.segments
    if isinstance(segment_by, str):
        message = f"must be a list of metadata keys, not the text {segment_by!r}"
        raise UsageError.of("bad_segments", message, path="segment_by")
    keys: Sequence[Any] = list(segment_by)
    for key in keys:
        if not isinstance(key, str) or not key or key != key.strip():
            message = f"a metadata key is text without space around it, not {key!r}"
            raise UsageError.of("bad_segments", message, path="segment_by")
    return tuple(dict.fromkeys(keys))


def _read_contract(contract: ContractSource) -> Contract:
    if isinstance(contract, Contract):
        return contract
    return load_contract(contract) if isinstance(contract, str | os.PathLike) else read_contract(contract)


def _host() -> JsonObject:
    return {"robust_version": __version__, "python": platform.python_version(), "platform": platform.platform()}


def _signing_key(
    sign: SigningKey | str | os.PathLike[str] | None, output: str | os.PathLike[str] | None
) -> SigningKey | None:
    if sign is None:
        return None
    if output is None:
        raise UsageError.of("nothing_to_sign", "only a run directory is signed", path="output", hint="name one")
    from robust.app.keys import open_signing_key

    return open_signing_key(sign)


def _sign(path: Path | None, key: SigningKey | None, report: JsonObject) -> Signed | None:
    if key is None or path is None:
        return None
    from robust.app.signing import sign_run

    return sign_run(path, key, report["digest"])
