"""Reading a run without believing it: every record, and then the whole report, is derived again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from robust.canon import JsonObject, canonical_bytes, fold, parse_canonical
from robust.errors import CaseError, IntegrityError, Problem
from robust.records.case import Case
from robust.records.contract import Contract
from robust.records.decision import label_of_answer
from robust.records.encoding import canonical_case
from robust.records.report import differences, report_digest
from robust.records.run_record import check_shape
from robust.run.pieces import CASE_FIELDS, CaseSetDigest
from robust.run.plan import Planned
from robust.run.record import derived_of_pair, planned_fields, result_problem
from robust.run.report import RunIdentity, build_report
from robust.run.splice import RecordDigests, encode_record
from robust.run.summary import RunSummary

MAX_PROBLEMS = 200
_END_SLACK = 1e-9


class RunChecker:
    """Derives a run again from its records.

    Args:
        contract: the contract that ran.
        mode: what ran: ``all``, ``golden`` or ``properties``.
        backend: the backend's identity as the report declares it.
        file: the name of the records' file, for errors.
        report_file: that of the report.
        ordered: whether cases stand in the order of their ids, as those of a manifest do.
    """

    def __init__(
        self, contract: Contract, *, mode: str, backend: JsonObject, file: str, report_file: str, ordered: bool
    ) -> None:
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
        self._contents: dict[str, str] = {}
        self._last_kind = "decision"
        self._place = ("", 0)
        self._ordered = ordered
        self._last_id: str | None = None
        self._derived: JsonObject = {}

    def read(self, lines: Iterable[tuple[int, bytes]]) -> None:
        """Check every record.

        Raises:
            IntegrityError: a line is not canonical, or no record; what does not follow is collected instead.
        """
        for number, line in lines:
            record = check_shape(parse_canonical(line, file=self._file, line=number), file=self._file, line=number)
            self._derived = {}
            self._place = (record["id"], number)
            found = self._check_decision(record) if record["kind"] == "decision" else self._check_pair(record)
            self._check_answer(record, number)
            for path, stored, derived in found:
                self._contradiction(record, number, path, stored, derived)
            self.digests.add([encode_record(record, line)])
            # What was derived is counted, so that a stored value of the wrong kind is a contradiction and no crash.
            self.summary.add({**record, **self._derived})

    def compare(self, report: JsonObject, identity: RunIdentity) -> None:
        """Compare a stored report with the one that follows from the records."""
        if identity.dataset is not None:
            # A copy: the identity may share its parts with the stored report that it is compared with.
            identity = replace(identity, dataset={**identity.dataset, "root": self._cases.root()})
        derived = build_report(self._contract, identity, self.summary, self.digests, report.get("observed", {}))
        for path, stored, due in differences(report, with_stored_ends(derived, report)):
            if len(self.problems) < MAX_PROBLEMS:
                self.problems.append(contradiction(self._report_file, None, path, stored, due))

    def _check_decision(self, record: JsonObject) -> Iterable[tuple[str, Any, Any]]:
        case_id = record["case_id"]
        if record["id"] != f"decision/{case_id}":
            yield "$.id", record["id"], f"decision/{case_id}"
        if case_id in self._ids:
            self._rule("duplicate_id", "$.case_id", f"the case {case_id!r} was decided before")
        if self._last_kind != "decision":
            self._rule("record_order", "$.kind", "decisions stand before all pairs")
        self._check_order("$.case_id", case_id)
        self._ids.add(case_id)
        self._sources[case_id] = record["source_id"]
        if self.summary.variants is not None:
            self._contents[case_id] = self._read_case(record, case_id, None).content_digest
        else:
            self._read_case(record, case_id, None)
        self._cases.add(record)

    def _check_pair(self, record: JsonObject) -> Iterable[tuple[str, Any, Any]]:
        if self._last_kind == "decision":
            self._last_kind, self._last_id = "pair", None
        base_id, provenance = record["case_id"], record["provenance"]
        sample = self._samples.get(base_id, 0)
        self._samples[base_id] = sample + 1
        due = f"{record['property']}/{base_id}/{sample}"
        if record["id"] != due:
            yield "$.id", record["id"], due
        if record["sample"] != sample:
            yield "$.sample", record["sample"], sample
        yield from self._check_parent(record)
        self._check_order("$.provenance.variant_id", provenance["variant_id"])
        if not self._ordered:
            self._rule("no_manifest", "$.kind", "variants come from a manifest, and the run names a data set")
        if self.summary.variants is None:
            self._rule("no_property", "$.property", "the contract and mode ran no property")
        base = self.summary.base_of(base_id)
        undecided = base is None or base.probabilities is None
        not_sent = record.get("error", {}).get("kind") == "original_error"
        if undecided != not_sent:
            self._rule("original_error", "$.error", "original_error stands exactly where the base was not decided")
        if self._broken_result(record) is None:
            self._derived = derived_of_pair(record, self._contract, base)
            for name, value in self._derived.items():
                yield from differences(record[name], value, f"$.{name}")

    def _check_parent(self, record: JsonObject) -> Iterable[tuple[str, Any, Any]]:
        base_id, origin = record["case_id"], record["provenance"]["origin"]
        case = self._read_case(record, record["provenance"]["variant_id"], origin)
        if record["expected"] is None:
            self._rule("answer_missing", "$.expected", "a validated variant has a right answer")
        if case.content_digest == self._contents.get(base_id):
            self._rule("unchanged_input", "$.input", f"it shows the model the same as its base {base_id!r}")
        due = self._contents.get(base_id)
        if due is not None and origin.get("parent_content") != due:
            yield "$.provenance.origin.parent_content", origin.get("parent_content"), due
        if base_id not in self._ids:
            self._rule("parent_missing", "$.case_id", f"no base {base_id!r} stands before it")
        elif fold(record["source_id"]) != fold(self._sources[base_id]):
            yield "$.source_id", record["source_id"], self._sources[base_id]
        if origin.get("parent_id") != base_id:
            yield "$.provenance.origin.parent_id", origin.get("parent_id"), base_id

    def _check_order(self, path: str, case_id: str) -> None:
        if self._ordered and self._last_id is not None and case_id <= self._last_id:
            self._rule("record_order", path, f"{case_id!r} stands after {self._last_id!r}, out of the manifest's order")
        self._last_id = case_id

    def _read_case(self, record: JsonObject, case_id: str, origin: JsonObject | None) -> Case:
        """The case of a record, which must be in the form in which cases are stored."""
        number = self._place[1]
        data = {**{field: record[field] for field in CASE_FIELDS}, "case_id": case_id, "origin": origin}
        try:
            case = Case.from_json(data)
            stored = canonical_case(case)
        except CaseError as error:
            raise IntegrityError(*error.located(file=self._file, line=number).problems) from None
        if stored != canonical_bytes(data):
            self._rule("stored_form", "$", "its case is not in the form in which cases are stored")
        return case

    def _broken_result(self, record: JsonObject) -> tuple[str, Any, Any] | None:
        result = record.get("result")
        return None if result is None else result_problem(result, self._contract)

    def _check_answer(self, record: JsonObject, number: int) -> None:
        expected = record["expected"]
        labels = self._contract.decision.label_order
        if expected is not None and label_of_answer(expected) not in labels:
            self._rule("unknown_label", "$.expected", f"{_brief(expected)} is none of {', '.join(labels)}")
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

    def _rule(self, code: str, path: str, message: str) -> None:
        """Note that a record breaks a rule that no single derived value shows."""
        name, number = self._place
        if len(self.problems) < MAX_PROBLEMS:
            message = f"record {name!r}: {message}"
            self.problems.append(Problem(code=code, message=message, file=self._file, line=number, path=path))

    def _contradiction(self, record: JsonObject, number: int, path: str, stored: Any, derived: Any) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            problem = contradiction(self._file, number, path, stored, derived, record=record["id"])
            self.problems.append(problem)


def with_stored_ends(derived: JsonObject, report: JsonObject) -> JsonObject:
    """The derived report with the stored ends of those intervals that are the same to nine digits.

    The ends are quantiles, whose last digits depend on the version of the library that computed them. Everything else
    must be equal to the last bit.
    """
    checks, metrics = report.get("checks"), report.get("metrics")
    pairs: list[tuple[JsonObject, Any]] = []
    if isinstance(checks, list):
        pairs += zip(derived["checks"], checks, strict=False)
    if isinstance(metrics, dict):
        pairs += [(metric, metrics.get(name)) for name, metric in derived["metrics"].items()]
    for due, stored in pairs:
        if isinstance(stored, dict) and _same_ends(due["interval"], stored.get("interval")):
            due["interval"] = stored["interval"]
    return {**derived, "digest": report_digest(derived)}


def _same_ends(due: Any, stored: Any) -> bool:
    def numbers(ends: Any) -> bool:
        return isinstance(ends, list) and len(ends) == 2 and all(type(end) in (int, float) for end in ends)

    return numbers(due) and numbers(stored) and all(abs(a - b) <= _END_SLACK for a, b in zip(due, stored, strict=True))


def differences_from_plan(
    record: JsonObject | None, planned: Planned | None, file: str, line: int | None
) -> list[Problem]:
    """How a record differs from what the manifest has at its place; one of them may be missing."""
    if planned is None or record is None:
        left, name = (
            ("the manifest has no such case", (record or {}).get("id"))
            if planned is None
            else ("the run has no record of it", planned.id)
        )
        return [Problem(code="not_in_plan", message=f"record {name!r}: {left}", file=file, line=line)]
    due = planned_fields(planned)
    stored = {name: record.get(name) for name in due}
    return [
        contradiction(file, line, path, found, derived, record=record["id"])
        for path, found, derived in differences(stored, due)
    ]


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
