"""Reading a run without believing it: every record, and then the whole report, is derived again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from robust.canon import JsonObject, canonical_bytes, parse_canonical
from robust.errors import IntegrityError, Problem
from robust.records.contract import Contract
from robust.records.decision import label_of_answer
from robust.records.report import differences
from robust.records.run_record import check_shape
from robust.run.plan import CaseSetDigest
from robust.run.record import RecordDigests, derived_of_pair, result_problem
from robust.run.report import RunIdentity, build_report
from robust.run.summary import RunSummary

MAX_PROBLEMS = 200


class RunChecker:
    """Derives a run again from its records.

    Args:
        contract: the contract that ran.
        mode: what ran: ``all``, ``golden`` or ``properties``.
        backend: the backend's identity as the report declares it.
        file: the name of the records' file, for errors.
        report_file: that of the report.
    """

    def __init__(self, contract: Contract, *, mode: str, backend: JsonObject, file: str, report_file: str) -> None:
        self.summary = RunSummary(contract, mode=mode)
        self.digests = RecordDigests()
        self.problems: list[Problem] = []
        self._contract = contract
        self._backend = backend
        self._file = file
        self._report_file = report_file
        self._cases = CaseSetDigest()
        self._samples: dict[str, int] = {}
        self._ids: set[str] = set()
        self._sources: dict[str, str] = {}
        self._last_kind = "decision"

    def read(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Check every record.

        Raises:
            IntegrityError: a line is not canonical, or no record; what does not follow is collected instead.
        """
        for number, line in lines:
            record = check_shape(parse_canonical(line, file=self._file, line=number), file=self._file, line=number)
            found = self._check_decision(record) if record["kind"] == "decision" else self._check_pair(record)
            self._check_answer(record, number)
            for path, stored, derived in found:
                self._contradiction(record, number, path, stored, derived)
            self.digests.add_line(line, record)
            self.summary.add(record)

    def compare(self, report: JsonObject, identity: RunIdentity) -> None:
        """Compare a stored report with the one that follows from the records."""
        if identity.dataset is not None:
            identity.dataset["root"] = self._cases.root()
        derived = build_report(self._contract, identity, self.summary, self.digests, report.get("observed", {}))
        for path, stored, due in differences(report, derived):
            if len(self.problems) < MAX_PROBLEMS:
                self.problems.append(contradiction(self._report_file, None, path, stored, due))

    def _check_decision(self, record: JsonObject) -> Iterable[tuple[str, Any, Any]]:
        case_id = record["case_id"]
        if record["id"] != f"decision/{case_id}":
            yield "$.id", record["id"], f"decision/{case_id}"
        if case_id in self._ids:
            yield "$.case_id", case_id, "an id that no other record has"
        if self._last_kind != "decision":
            yield "$.kind", "decision", "a pair: decisions stand before all pairs"
        self._ids.add(case_id)
        self._sources[case_id] = record["source_id"]
        shown = (record[name] for name in ("case_id", "source_id", "input", "expected", "metadata"))
        self._cases.add(*shown)

    def _check_pair(self, record: JsonObject) -> Iterable[tuple[str, Any, Any]]:
        self._last_kind = "pair"
        base_id, provenance = record["case_id"], record["provenance"]
        sample = self._samples.get(base_id, 0)
        self._samples[base_id] = sample + 1
        due = f"{record['property']}/{base_id}/{sample}"
        if record["id"] != due:
            yield "$.id", record["id"], due
        if record["sample"] != sample:
            yield "$.sample", record["sample"], sample
        if base_id not in self._ids:
            yield "$.case_id", base_id, "the id of a base that stands before it"
        if provenance["origin"].get("parent_id") != base_id:
            yield "$.provenance.origin.parent_id", provenance["origin"].get("parent_id"), base_id
        if self.summary.variants is None:
            yield "$.property", record["property"], "no property: the contract ran none"
        base = self.summary.base_of(base_id)
        undecided = base is None or base.probabilities is None
        not_sent = record.get("error", {}).get("kind") == "original_error"
        if undecided != not_sent:
            yield "$.error", record.get("error"), "original_error exactly where the base was not decided"
        if self._broken_result(record) is None:
            for name, value in derived_of_pair(record, self._contract, base).items():
                yield from differences(record[name], value, f"$.{name}")

    def _broken_result(self, record: JsonObject) -> tuple[str, Any, Any] | None:
        result = record.get("result")
        return None if result is None else result_problem(result, self._contract)

    def _check_answer(self, record: JsonObject, number: int) -> None:
        expected = record["expected"]
        labels = self._contract.decision.label_order
        if expected is not None and label_of_answer(expected) not in labels:
            self._contradiction(record, number, "$.expected", expected, f"one of {list(labels)}")
        result = record.get("result")
        if result is None:
            return
        broken = self._broken_result(record)
        if broken is not None:
            self._contradiction(record, number, *broken)
            # Nothing can be derived from a distribution that is none.
            raise IntegrityError(*self.problems)
        case_id = record["case_id"] if record["kind"] == "decision" else record["provenance"]["variant_id"]
        declared = {"case_id": case_id, "backend": self._backend["name"], "provider": self._backend["provider"]}
        for name, value in declared.items():
            if result[name] != value:
                self._contradiction(record, number, f"$.result.{name}", result[name], value)

    def _contradiction(self, record: JsonObject, number: int, path: str, stored: Any, derived: Any) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            problem = contradiction(self._file, number, path, stored, derived, record=record["id"])
            self.problems.append(problem)


def contradiction(
    file: str, line: int | None, path: str, stored: Any, derived: Any, *, record: str | None = None
) -> Problem:
    """The problem of a stored value that does not follow; names both values."""
    of = "" if record is None else f"record {record!r}: "
    message = f"{of}{_brief(stored)} is stored, {_brief(derived)} follows"
    return Problem(code="contradiction", message=message, file=file, line=line, path=path)


def _brief(value: Any) -> str:
    try:
        shown = canonical_bytes(value).decode()
    except Exception:  # noqa: BLE001 - only for a message; the value may be a marker for an absent one
        shown = repr(value)
    return shown if len(shown) <= 200 else shown[:199] + "…"
