"""The report of relation checks and population tests, ``robust.check-report/1``, made of what was derived.

The plan, ``robust.plan/1``, says what was to be done; the records say what came of it. Everything else follows.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from robust.canon import JsonObject, digest_value
from robust.records.report import EXIT_CODES, CheckResult, report_digest

PLAN_SCHEMA: Final = "robust.plan/1"
SCHEMA: Final = "robust.check-report/1"
EVIDENCE_SCHEMA: Final = "robust.check-evidence/1"
# So many failures are named in a report; the records have all of them.
MOST_FAILURES: Final = 10

CheckKind: TypeAlias = Literal["relations", "population"]
# ``error``: nothing was tested, or what should have been could not be; nobody can rely on it.
CheckRunStatus: TypeAlias = Literal["pass", "fail", "error"]


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckFailure:
    """One thing that failed, by the line of the records that shows it.

    Attributes:
        id: the record's id.
        line: its number, from 1.
        relation: the relation that is contradicted; None in a population test.
        input_id: the input; of a population test the row.
        sample: the sample; None in a population test, and where something raised before there was one.
        error: what raised, such as ``system``; None where outputs contradict each other.
        size: how large it is, such as the bytes of the variant; the smallest is shown first.
    """

    id: str
    line: int
    relation: str | None
    input_id: str
    sample: int | None = None
    error: str | None = None
    size: int = 0

    def to_json(self) -> JsonObject:
        """The failure as it stands in a report."""
        return {
            "id": self.id,
            "line": self.line,
            "relation": self.relation,
            "input_id": self.input_id,
            "sample": self.sample,
            "error": self.error,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Derived:
    """What follows from a plan and its records.

    Attributes:
        status: whether it passes.
        counts: how many there were of what.
        found: by relation what was found, or what the population test found.
        checks: what holds and what does not.
        failures: everything that failed, in the order of the records.
        notes: what the reader must know that verification could not derive again, as codes with counts.
    """

    status: CheckRunStatus
    counts: JsonObject
    found: JsonObject
    checks: tuple[CheckResult, ...]
    failures: tuple[CheckFailure, ...] = ()
    notes: JsonObject


def check_evidence(plan_digest: str, root: str) -> JsonObject:
    """What the ``evidence_digest`` of a check is the digest of.

    Args:
        plan_digest: the digest of the plan.
        root: the Merkle root of the records without ``observed``.
    """
    return {"schema": EVIDENCE_SCHEMA, "plan": plan_digest, "root": root}


def check_report(plan: JsonObject, derived: Derived, summary: JsonObject, observed: JsonObject) -> JsonObject:
    """The whole report; equal for equal plans and records, but for ``observed`` and the digest of the records' file.

    Args:
        plan: what was to be done.
        derived: what follows from it and the records.
        summary: of the records: ``count``, ``root`` and ``sha256``.
        observed: times, versions and calls, which nothing proves.
    """
    plan_digest = digest_value(plan)
    report: JsonObject = {
        "schema": SCHEMA,
        "kind": plan["kind"],
        "status": derived.status,
        "exit_code": EXIT_CODES[derived.status],
        "plan": {"name": plan["name"], "digest": plan_digest},
        "counts": derived.counts,
        plan["kind"]: derived.found,
        "checks": [check.to_json() for check in derived.checks],
        "failures": failures_json(derived.failures),
        "notes": derived.notes,
        "records": summary,
        "evidence_digest": digest_value(check_evidence(plan_digest, summary["root"])),
        "observed": observed,
    }
    return {**report, "digest": report_digest(report)}


def failures_json(failures: Iterable[CheckFailure]) -> JsonObject:
    """How many failures there are, and the first of them."""
    listed = list(failures)
    return {"count": len(listed), "first": [failure.to_json() for failure in listed[:MOST_FAILURES]]}
