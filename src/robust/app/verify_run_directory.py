"""Checking a run directory, by itself and against the manifest that was run and the audits that its contract pins."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from robust.app.checks import Attempt, Check, left_open
from robust.app.examined import Examined, KnownTree
from robust.app.times import time_check
from robust.app.verify_check import StoredCheck, derivation_notes, is_check_directory
from robust.app.verify_pins import pinned_audit_checks
from robust.app.verify_production import StoredProduction, is_production_directory
from robust.app.verify_run import StoredRun
from robust.errors import UsageError
from robust.manifest.frozen import FrozenManifest
from robust.signing.statement import Statement, check_statement, production_statement, run_statement


def examine_run(
    path: Path,
    manifest_of: Callable[[str], FrozenManifest | None] = lambda _digest: None,
    audits: Mapping[str, Path] | None = None,
    production: Mapping[str, Path] | None = None,
) -> Examined:
    """Check a run directory: of a contract, of a relation check or population test, or of production records.

    Args:
        path: the run.
        manifest_of: gives the manifest to compare with by the digest that the run names; None where there is none.
        audits: the files of audits by their digests.
        production: files of production records by their digests.
    """
    if is_check_directory(path):
        return _examine_check(path)
    if is_production_directory(path):
        return _examine_production(path, production or {})
    attempt, run = Attempt(), StoredRun(path)
    checks = tuple(_checks(attempt, run, manifest_of, audits or {}))
    if attempt.failed:
        return Examined(checks)
    return _stated(path, checks, run)


def _examine_check(path: Path) -> Examined:
    """Check the run directory of a relation check or population test."""
    attempt, check = Attempt(), StoredCheck(path)
    checks = []
    for name, step in (
        ("report", check.check_report),
        ("plan", check.check_plan),
        ("records and derivation", check.check_records),
    ):
        if not attempt.failed:
            checks.append(attempt.step(name, step))
    if attempt.failed:
        return Examined(tuple(checks))
    checks += [left_open("not derived again", note) for note in derivation_notes(check.derived.notes)]
    checks.append(time_check(check.report["observed"], "started_at", "finished_at"))
    return _stated(path, tuple(checks), check)


def _examine_production(path: Path, files: Mapping[str, Path]) -> Examined:
    """Check the run directory of a check of production records."""
    attempt, check = Attempt(), StoredProduction(path)
    checks = []
    for name, step in (
        ("report", check.check_report),
        ("contract", check.check_contract),
        ("records and derivation", check.check_records),
    ):
        if not attempt.failed:
            checks.append(attempt.step(name, step))
    if attempt.failed:
        return Examined(tuple(checks))
    name = "production records"
    # The first, to be found another's, where none of those given is it.
    file = files.get(check.found.sample.sha256, next(iter(files.values()), None))
    if file is None:
        checks.append(left_open(name, "not read again: give their file too, to derive the counts and sums from it"))
    else:
        checks.append(attempt.step(name, lambda: check.check_source(file)))
    if attempt.failed:
        return Examined(tuple(checks))
    checks.append(time_check(check.report["observed"], "started_at", "finished_at"))
    return _stated(path, tuple(checks), check)


def _stated(path: Path, checks: tuple[Check, ...], run: StoredRun | StoredCheck | StoredProduction) -> Examined:
    """With what can be stated of a run that holds."""
    summary = run.report["records"]
    tree = KnownTree(
        of="run",
        source=os.fspath(path),
        digest=run.report["evidence_digest"],
        root=summary["root"],
        size=summary["count"],
    )
    try:
        return Examined(checks, _state(run), tree=tree)
    except UsageError as error:  # nothing was decided
        return Examined(checks, unsigned=error.problems[0].message, tree=tree)


def _state(run: StoredRun | StoredCheck | StoredProduction) -> Statement:
    if isinstance(run, StoredProduction):
        return production_statement(run.report, run.files())
    state = run_statement if isinstance(run, StoredRun) else check_statement
    return state(run.report, run.files())


def _checks(
    attempt: Attempt,
    run: StoredRun,
    manifest_of: Callable[[str], FrozenManifest | None],
    audits: Mapping[str, Path],
) -> Iterator[Check]:
    for name, step in (("report", run.check_report), ("contract", run.check_contract)):
        if not attempt.failed:
            yield attempt.step(name, step)
    if not attempt.failed and run.contract.manifest_digest is not None:
        yield attempt.step("manifest pin", run.check_pin)
    if attempt.failed:
        return
    yield attempt.step("records and derivation", run.check_records)
    if attempt.failed:
        return
    if run.manifest_digest is not None:
        yield _against_manifest(attempt, run, manifest_of(run.manifest_digest))
    yield from pinned_audit_checks(attempt, run, audits)
    yield time_check(run.report["observed"], "started_at", "finished_at")


def _against_manifest(attempt: Attempt, run: StoredRun, manifest: FrozenManifest | None) -> Check:
    name = "records against the manifest"
    if manifest is None:
        return left_open(name, "not checked: give the manifest too, to show that no case was left out")
    return attempt.step(name, lambda: run.check_against(manifest))
