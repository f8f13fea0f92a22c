"""The audits that a run's contract pins, against the audits that are at hand."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from robust.app.checks import Attempt, Check, left_open
from robust.app.oracle_audit import OracleAudit
from robust.app.pinned_audits import audits_json
from robust.app.verify_run import StoredRun
from robust.errors import IntegrityError, Problem
from robust.records.report import contradictions
from robust.run.property_plan import pin_of

# Built-in oracles have their settings in the contract when they run, and in their version when they are audited.
_BUILT_IN: Final = "robust."
_IDENTITY: Final = ("name", "version", "source_sha256")


def pinned_audit_checks(attempt: Attempt, run: StoredRun, audits: Mapping[str, Path]) -> Iterator[Check]:
    """The check of the pinned audits; none where the contract pins none.

    Args:
        attempt: the steps before.
        run: the run, checked.
        audits: the files of audits by their digests; where there are any, one of them must be pinned.
    """
    contract = run.contract
    pins = {name: pin.digest for name in contract.properties.enabled() if (pin := pin_of(contract, name)) is not None}
    if not pins or run.report["mode"] == "golden":
        return
    given = {name: audits[digest] for name, digest in pins.items() if digest in audits}
    missing = sorted({digest for digest in pins.values() if digest not in audits})
    if audits:
        yield attempt.step("pinned audits", lambda: _compare(run, pins, given, audits))
    if missing and not attempt.failed:
        yield left_open("pinned audits", f"not given: {', '.join(missing)}")


def _compare(run: StoredRun, pins: Mapping[str, str], given: Mapping[str, Path], audits: Mapping[str, Path]) -> str:
    if not given:
        names = ", ".join(sorted(map(os.fspath, audits.values())))
        message = f"the contract pins {', '.join(sorted(set(pins.values())))}, and none of {names} is it"
        raise IntegrityError.of("pin", message, file=run.contract_file)
    problems = [problem for name, path in given.items() for problem in _differences(run, name, path)]
    if problems:
        raise IntegrityError(*problems)
    return ", ".join(f"{name}: {pins[name]}" for name in sorted(given))


def _differences(run: StoredRun, name: str, path: Path) -> Iterator[Problem]:
    """What a run says of a property's oracle and its audit that is not so."""
    audit, file = OracleAudit.load(path), run.report_file
    due = audits_json({name: audit})[name]
    told = run.report["observed"].get("audits")
    # What a report observed need not be there, but must not be something else.
    stored = told.get(name, due) if isinstance(told, dict) else due
    for problem in contradictions(stored, due, f"is what {path} says", file=file):
        yield replace(problem, path=f"$.observed.audits.{name}{(problem.path or '$')[1:]}")
    audited = audit.facts.oracle.to_json()
    for index, judge in enumerate(run.report["properties"].get(name, {}).get("oracles", ())):
        for field in _IDENTITY[:1] if judge["name"].startswith(_BUILT_IN) else _IDENTITY:
            if judge[field] != audited[field]:
                message = f"{judge[field]!r} judged, {audited[field]!r} was audited"
                place = f"$.properties.{name}.oracles[{index}].{field}"
                yield Problem(code="other_oracle", message=message, file=file, path=place)
