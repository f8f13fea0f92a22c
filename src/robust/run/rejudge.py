"""Judging the stored answers of a run again: by other limits, gates and statistics, without asking anybody."""

from __future__ import annotations

from typing import Any, Final

from robust.canon import JsonObject
from robust.records.contract import Contract
from robust.records.report import report_digest
from robust.relations.compare import violations_of
from robust.run.report import RunIdentity, build_report
from robust.run.splice import RecordDigests
from robust.run.summary import RunSummary

# How many records are counted before the summary takes them in.
_BURST: Final = 256


class Rejudging:
    """Takes in the records of a run, in order, and derives what an edited contract makes of them.

    Comparisons do not depend on limits, so only the violations are derived anew, by the functions that derive them in
    a run.

    Args:
        ran: the contract that ran.
        edited: the contract to judge by; it asks the same questions.
        mode: what ran: ``all``, ``golden`` or ``properties``.
        seed: the run's.
    """

    def __init__(self, ran: Contract, edited: Contract, *, mode: str, seed: int) -> None:
        self._ran = ran
        self._edited = edited
        self.summary = RunSummary(edited, mode=mode, seed=seed)
        self._plans = {plan.name: plan for plan in self.summary.plans}
        variants = edited.properties.variants
        self._variant_limits = variants.distribution_limits() if variants is not None else {}
        self._places: dict[str, int] = {}
        self._tally, self._counted = self.summary.tally(), 0
        self._decisions_taken = False

    def add(self, record: JsonObject) -> None:
        """Take in the next record, each number of which was derived again."""
        if record["kind"] == "decision":
            self._places[record["case_id"]] = len(self._places)
            self._count(record, None)
            return
        if not self._decisions_taken:
            # Noise is judged by the answers to the base cases, which the summary must have.
            self._flush()
            self._decisions_taken = True
        judged = self.judged(record)
        if judged is not None:
            self._count(judged, self._places.get(record["case_id"]))

    def _count(self, record: JsonObject, base: int | None) -> None:
        self.summary.count(self._tally, record, base)
        self._counted += 1
        if self._counted == _BURST:
            self._flush()

    def _flush(self) -> None:
        """Let the summary take in what was counted."""
        self.summary.take(self._tally)
        self._tally, self._counted = self.summary.tally(), 0

    def judged(self, record: JsonObject) -> JsonObject | None:
        """A pair with what it, and its smaller form, break now; None where its property is not judged any more.

        A smaller form that breaks none of the limits that the whole one breaks does not fail still, and is left out.
        A skipped case stays as it is.
        """
        name = record["property"]
        if name not in self._plans and not (name == "variants" and self.summary.variants is not None):
            return None
        if record["kind"] == "skip":
            return record
        violations, smaller = self._violations(record), record["reduced"]
        if smaller is not None:
            smaller = {**smaller, "violations": self._violations({**smaller, "property": record["property"]})}
            if set(violations).isdisjoint(smaller["violations"]):
                smaller = None
        return {**record, "violations": violations, "reduced": smaller}

    def _violations(self, pair: JsonObject) -> list[str]:
        comparison: Any = pair["comparison"]
        if comparison is None:
            return []
        plan = self._plans.get(pair["property"])
        return violations_of(comparison, self._variant_limits) if plan is None else plan.violations(comparison)

    def report(self, stored: JsonObject, digests: RecordDigests) -> JsonObject:
        """The report of the re-judged run, marked so under ``rejudged``.

        The digests of evidence and answers are the run's own, as these are what it rests on.

        Args:
            stored: the run's own report.
            digests: of its records.
        """
        self._flush()
        report = build_report(
            self._edited, RunIdentity.of_report(stored), self.summary, digests, {**stored["observed"]}
        )
        ran = self._ran.properties.enabled() if self.summary.mode != "golden" else {}
        wanted = self._edited.properties.enabled() if self.summary.mode != "golden" else {}
        report["rejudged"] = {
            "contract": self._ran.digest,
            "report": stored["digest"],
            "status": stored["status"],
            # They are in the contract now, but were not asked about: their checks do not hold.
            "not_run": [name for name in wanted if name not in ran],
            # They were asked about, but are not judged any more.
            "left_out": [name for name in ran if name not in wanted],
        }
        report |= {name: stored[name] for name in ("evidence_digest", "answers_digest")}
        return {**report, "digest": report_digest(report)}
