"""Reading a run without believing it: every record, and then the whole report, is derived again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, Final, TypeAlias

from robust.canon import JsonObject, canonical_bytes, fold
from robust.errors import CaseError, IntegrityError, Problem
from robust.records.case import Case
from robust.records.contract import Contract
from robust.records.decision import label_of_answer
from robust.records.encoding import canonical_case
from robust.records.report import differences
from robust.run.burst import Burst
from robust.run.case_order import CaseOrder
from robust.run.compared_pairs import ComparedPairs
from robust.run.contradiction import brief, contradiction
from robust.run.decision_layout import DecisionLayout
from robust.run.derive_answers import RepeatsChecker, broken_answer, misdeclared_answer
from robust.run.derive_pairs import PairChecker, check_presentation
from robust.run.derive_report import report_problems
from robust.run.own_oracle import names_of_model
from robust.run.pairs import BaseCase, PlannedPair, SkippedCase
from robust.run.parts import DECISIONS_PER_PART, CheckedPart, DecisionPart
from robust.run.pieces import CASE_FIELDS, CaseSetDigest
from robust.run.record import derived_of_pair
from robust.run.record_lines import RecordLines
from robust.run.reencode import Reencoder, base_of
from robust.run.report import RunIdentity, build_report
from robust.run.splice import EncodedRecord, RecordDigests, encode_record
from robust.run.summary import RunSummary

MAX_PROBLEMS = 200
# How many records are counted before the summary takes them in.
_BURST = 256
# The properties of records that neither contract nor seed make: of decisions, which have none, and of variants.
_NOT_GENERATED: Final = (None, "variants")

# Gives the lines of the records from the first one on, with their numbers.
Lines: TypeAlias = Callable[[], Iterator[tuple[int, bytes]]]


class RunChecker:
    """Derives a run again from its records.

    Args:
        contract: the contract that ran.
        mode: what ran: ``all``, ``golden`` or ``properties``.
        seed: the run's.
        backend: the backend's identity as the report declares it.
        file: the name of the records' file, for errors.
        report_file: that of the report.
        ordered: whether cases stand in the order of their ids, as those of a manifest do.
    """

    def __init__(
        self,
        contract: Contract,
        *,
        mode: str,
        seed: int,
        backend: JsonObject,
        file: str,
        report_file: str,
        ordered: bool,
    ) -> None:
        self.summary = RunSummary(contract, mode=mode, seed=seed)
        self.digests = RecordDigests()
        self.problems: list[Problem] = []
        self._contract = contract
        self._backend = backend
        self._file = file
        self._report_file = report_file
        self._cases = CaseSetDigest()
        self._samples: dict[str, int] = {}
        self._met = CaseOrder(ordered=ordered)
        self._sources: dict[str, str] = {}
        self._contents: dict[str, str] = {}
        self._last_kind = "decision"
        self._place = ("", 0)
        self._derived: JsonObject = {}
        self._tally = self.summary.tally()
        self._encoded: list[EncodedRecord] = []
        self._keeps = False
        self._again = Reencoder(contract, backend)
        self._layout = DecisionLayout(contract, backend)
        # What variants and noise are measured by is more than these count.
        self._closely = self.summary.variants is not None or contract.noise.baseline_runs > 1
        self._pairs = PairChecker(contract, self.summary.plans, seed=seed, file=file)
        judged = bool(self.summary.plans) or self.summary.variants is not None
        self._repeats = RepeatsChecker(contract, seed=seed, judged=judged)

    def read(self, lines: Lines) -> None:
        """Check every record.

        Args:
            lines: gives the lines from the first one on with their numbers; called again for the base cases, which
                stand before the pairs that are derived from them, so that they need not be kept in memory.

        Raises:
            IntegrityError: a line is not canonical, or no record; what does not follow is collected instead.
        """
        records = RecordLines(lines(), self._file)
        self._read_decisions(records)
        for asked, difference in self._repeats.misplaced():
            self._contradiction(asked.record, asked.line, *difference)
        self._flush()
        if self.summary.plans:
            self._read_generated(lines, records)
        while records.peek() is not None:
            self._take(records, self._check_pair)
        self._flush()

    def _accept_decisions(self, part: DecisionPart, checked: CheckedPart) -> bool:
        """Take in a part, if its cases stand in order and were not decided before."""
        case_ids = checked.burst.tally.case_ids
        if self._closely or not self._met.may_follow(case_ids):
            return False
        further = dict(checked.burst.tally.further)
        if further or not self._repeats.add_once(len(case_ids)):
            for place, ((number, _), case_id) in enumerate(zip(part.lines, case_ids, strict=True)):
                self._count_trials(case_id, further.get(place, ()), number)
        self._met.add(case_ids)
        self._cases.add_hashed(checked.cases)
        self._take_in(checked.burst)
        return True

    def _take_in(self, burst: Burst) -> None:
        self._flush()
        self.digests.add_hashed(burst.lines, burst.evidence, burst.answers)
        self.summary.take(burst.tally)

    def _take_plain_decision(self, records: RecordLines, line: bytes) -> bool:
        """Take the next record, if it is the decision that follows from what it holds."""
        if self._closely:
            return False
        plain = self._again.decision(line)
        if plain is None or not self._met.may_follow([plain.case.case_id]):
            return False
        case = plain.case
        trials = () if plain.record is None else plain.record["trials"]
        self._count_trials(case.case_id, trials, records.number)
        self._met.add([case.case_id])
        self._cases.add_pieces(plain.pieces)
        plain.count_in(self._tally)
        records.skip()
        self._count(plain.encoded)
        return True

    def _count_trials(self, case_id: str, trials: Sequence[object], number: int) -> None:
        """Note how often a case was asked, whose record follows in all else."""
        name = f"decision/{case_id}"
        for difference in self._repeats.add({"case_id": case_id, "id": name, "trials": trials}, number):
            self._contradiction(name, number, *difference)

    def _count(self, encoded: EncodedRecord) -> None:
        """Digest a record that was counted in the tally."""
        self._encoded.append(encoded)
        if len(self._encoded) >= _BURST and not self._keeps:
            self._flush()

    def _take(
        self,
        records: RecordLines,
        check: Callable[[JsonObject], Iterable[tuple[str, Any, Any]]],
        base: int | None = None,
    ) -> None:
        """Check the next record, digest and count it."""
        taken = records.peek()
        assert taken is not None  # noqa: S101 - asked only where there is one
        number, line, record = taken
        records.skip()
        self._derived = {}
        self._place = (record["id"], number)
        found = check(record)
        if record["kind"] != "skip":
            check_presentation(record, self._contract, file=self._file, line=number)
            self._check_answer(record, number)
        for difference in found:
            self._contradiction(record["id"], number, *difference)
        # What was derived is counted, so that a stored value of the wrong kind is a contradiction and no crash.
        self.summary.count(self._tally, {**record, **self._derived}, base)
        self._count(encode_record(record, line))

    def _flush(self) -> None:
        """Let the summary take in what was counted."""
        if self._encoded:
            self.digests.add(self._encoded)
        self.summary.take(self._tally)
        self._tally, self._encoded = self.summary.tally(), []

    def _read_decisions(self, records: RecordLines) -> None:
        """Check decisions, up to the first record that is none."""
        while records.raw is not None:
            for _ in range(self._take_by_layout(records)):
                line = records.raw
                if line is not None and not self._take_plain_decision(records, line):
                    taken = records.peek()
                    if taken is None or taken.record["kind"] != "decision":
                        return
                    self._take(records, self._check_decision)

    def _take_by_layout(self, records: RecordLines) -> int:
        """Take the next records, as far as their layout shows that they follow; tells how many others come next."""
        if self._closely:
            return DECISIONS_PER_PART
        lines = records.take(self._layout.at_once)
        matched = self._layout.matched([line for _, line in lines])
        part = DecisionPart(tuple(lines[: len(matched)]))
        checked = (
            self._layout.part([line for _, line in part.lines], matched, self.summary.tally()) if matched else None
        )
        if checked is None or not self._accept_decisions(part, checked):
            records.put_back(lines)
            return max(1, len(matched))
        records.put_back(lines[len(matched) :])
        return 0

    def _read_generated(self, lines: Lines, records: RecordLines) -> None:
        """Check the pairs and skipped cases of all base cases."""
        self._read_pairs(self._bases(lines), records)

    def _bases(self, lines: Lines) -> Iterator[BaseCase]:
        """The base cases of the decisions, all of which were checked."""
        answered = self.summary.bases[0]
        for place, (_, line) in enumerate(islice(lines(), len(answered))):
            yield base_of(place, line, answered.at(place))

    def _read_pairs(self, bases: Iterator[BaseCase], records: RecordLines) -> None:
        """Plan the pairs of base cases again, and check each record against what is planned in its place."""
        for items in self._pairs.planned_together(bases, records.peek_record):
            self._read_planned(items, records)

    def _read_planned(self, items: Sequence[PlannedPair | SkippedCase], records: RecordLines) -> None:
        """Take the record of each of these; what is plain is checked and counted together."""
        lines = records.take(len(items))
        # Trials are more than plain pairs have.
        noisy = self._contract.noise.baseline_runs > 1
        plains = [None] * len(items) if noisy else self._again.pairs(items, [line for _, line in lines])
        compared = ComparedPairs()
        for place, (item, plain) in enumerate(zip(items, plains, strict=True)):
            if plain is None or isinstance(item, SkippedCase):
                records.put_back(lines[place : place + 1])
                self._take_generated(records, item)
                continue
            plain.count_in(self._tally, compared, item)
            self._count(plain.encoded)
        compared.count_in(self._tally)

    def _take_generated(self, records: RecordLines, item: PlannedPair | SkippedCase) -> None:
        """Take the next record, which must be the one that is planned.

        Raises:
            IntegrityError: it is another one, or there is none.
        """
        taken = records.peek()
        if taken is None or taken.record["id"] != item.id or taken.record.get("property") in _NOT_GENERATED:
            found = "nothing" if taken is None else repr(taken.record["id"])
            message = f"{found} stands where the contract and the seed make {item.id!r}"
            at = None if taken is None else taken.number
            self.problems.append(Problem(code="not_in_plan", message=message, file=self._file, line=at))
            raise IntegrityError(*self.problems)
        self._take(records, partial(self._check_generated, item, taken.number), item.base.place)

    def _check_generated(
        self, item: PlannedPair | SkippedCase, number: int, record: JsonObject
    ) -> Iterable[tuple[str, Any, Any]]:
        if broken_answer(record, self._contract) is not None:
            return ()  # said by the check of the answer, which comes next
        found, self._derived = self._pairs.check(item, record, number)
        return found

    def compare(self, report: JsonObject, identity: RunIdentity) -> None:
        """Compare a stored report with the one that follows from the records, all of which were read."""
        self.summary.golden.close()
        if identity.dataset is not None:
            # A copy: the identity may share its parts with the stored report that it is compared with.
            identity = replace(identity, dataset={**identity.dataset, "root": self._cases.root()})
        derived = build_report(self._contract, identity, self.summary, self.digests, report.get("observed", {}))
        names = names_of_model(self._backend["name"], self._backend["model"])
        found = report_problems(report, derived, names, self._report_file)
        self.problems += islice(found, max(0, MAX_PROBLEMS - len(self.problems)))

    def _check_decision(self, record: JsonObject) -> Iterable[tuple[str, Any, Any]]:
        case_id = record["case_id"]
        if record["id"] != f"decision/{case_id}":
            yield "$.id", record["id"], f"decision/{case_id}"
        if case_id in self._met:
            self._rule("duplicate_id", "$.case_id", f"the case {case_id!r} was decided before")
        self._check_order("$.case_id", case_id)
        self._met.add([case_id])
        self._sources[case_id] = record["source_id"]
        if self.summary.variants is not None:
            self._contents[case_id] = self._read_case(record, case_id, None).content_digest
        else:
            self._read_case(record, case_id, None)
        self._cases.add(record)
        if record["presentation"] is not None:
            yield "$.presentation", record["presentation"], None
        yield from self._repeats.add(record, self._place[1])

    def _check_pair(self, record: JsonObject) -> Iterable[tuple[str, Any, Any]]:
        if record["kind"] == "decision":
            self._rule("record_order", "$.kind", "decisions stand before all pairs")
            raise IntegrityError(*self.problems)
        if record["kind"] != "pair" or record["property"] != "variants":
            self._rule("not_in_plan", "$.id", "neither the contract nor the seed makes it")
            raise IntegrityError(*self.problems)
        if self.summary.variants is None:
            self._rule("no_property", "$.property", "the contract and mode ran no property")
            raise IntegrityError(*self.problems)
        if self._last_kind == "decision":
            self._last_kind, self._met.last = "pair", None
        base_id, provenance = record["case_id"], record["provenance"]
        sample = self._samples.get(base_id, 0)
        self._samples[base_id] = sample + 1
        stored = {name: record.get(name) for name in ("id", "sample", "presentation", "trials")}
        # Each variant is decided once, as the contract has it.
        due = {"id": f"variants/{base_id}/{sample}", "sample": sample, "presentation": None, "trials": None}
        yield from differences(stored, due)
        yield from self._check_parent(record)
        self._check_order("$.provenance.variant_id", provenance["variant_id"])
        if not self._met.ordered:
            self._rule("no_manifest", "$.kind", "variants come from a manifest, and the run names a data set")
        base = self.summary.base_of(base_id)
        undecided = base is None or base.probabilities is None
        not_sent = record.get("error", {}).get("kind") == "original_error"
        if undecided != not_sent:
            self._rule("original_error", "$.error", "original_error stands exactly where the base was not decided")
        if broken_answer(record, self._contract) is None:
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
        if base_id not in self._met:
            self._rule("parent_missing", "$.case_id", f"no base {base_id!r} stands before it")
        elif fold(record["source_id"]) != fold(self._sources[base_id]):
            yield "$.source_id", record["source_id"], self._sources[base_id]
        if origin.get("parent_id") != base_id:
            yield "$.provenance.origin.parent_id", origin.get("parent_id"), base_id

    def _check_order(self, path: str, case_id: str) -> None:
        if not self._met.is_behind(case_id):
            self._rule(
                "record_order", path, f"{case_id!r} stands after {self._met.last!r}, out of the manifest's order"
            )
        self._met.last = case_id

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

    def _check_answer(self, record: JsonObject, number: int) -> None:
        expected = record["expected"]
        labels = self._contract.decision.label_order
        if expected is not None and label_of_answer(expected) not in labels:
            self._rule("unknown_label", "$.expected", f"{brief(expected)} is none of {', '.join(labels)}")
        broken = broken_answer(record, self._contract)
        if broken is not None:
            self._contradiction(record["id"], number, *broken)
            # Nothing can be derived from a distribution that is none.
            raise IntegrityError(*self.problems)
        for difference in misdeclared_answer(record, self._backend):
            self._contradiction(record["id"], number, *difference)

    def _rule(self, code: str, path: str, message: str) -> None:
        """Note that a record breaks a rule that no single derived value shows."""
        name, number = self._place
        if len(self.problems) < MAX_PROBLEMS:
            message = f"record {name!r}: {message}"
            self.problems.append(Problem(code=code, message=message, file=self._file, line=number, path=path))

    def _contradiction(self, record: str, number: int, path: str, stored: Any, derived: Any) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            problem = contradiction(self._file, number, path, stored, derived, record=record)
            self.problems.append(problem)
