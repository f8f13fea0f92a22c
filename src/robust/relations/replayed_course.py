"""One relation on one input, gone through again by the rules that ran it, from what the records hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from robust.canon import JsonObject, canonical_bytes
from robust.errors import IntegrityError, RobustError
from robust.records.check_plan import RelationTerms
from robust.records.decision import tidy_number
from robust.records.relation_check import CheckError, RelationResult
from robust.records.status import ORACLE_FAILED
from robust.relations.assertions import Assertion, assertion_of
from robust.relations.noise_test import BaseRuns, NoiseTest, compare_base_runs, compare_outputs, relabelling_seed
from robust.relations.relation_result import relation_result
from robust.relations.replayed_values import BaseOutputs, Failing, close, is_shown_only, value_of, wrong
from robust.relations.stored_size import StoredSize
from robust.relations.stored_value import is_opaque
from robust.relations.trial_plan import Conclusion, Rules, Step, TrialPlan

_SIDES: Final = ("before", "after")
CUSTOM: Final = "custom_assertions"
ONLY_SHOWN: Final = "opaque_outputs"
VALIDATIONS: Final = "validations"


def _same_test(found: JsonObject | None, due: JsonObject | None) -> bool:
    if found is None or due is None:
        return found is due
    return all(close(found[name], due[name]) for name in due)


def _assertion_of(terms: RelationTerms) -> Assertion | None:
    """The assertion of a relation; None where it is one of the caller's own."""
    return assertion_of(terms.assertion, terms.settings)


class ReplayedCourse:
    """The course of one relation on one input.

    Args:
        terms: what the plan says of the relation.
        planned: how many samples there are to be.
        rules: on what terms relations are judged.
        input_form: the input as it is stored, with its digest.
        notes: counts what is taken as it stands in the records.
    """

    def __init__(
        self, terms: RelationTerms, planned: int, rules: Rules, input_form: tuple[Any, str], notes: Counter[str]
    ) -> None:
        self.terms = terms
        self.plan = TrialPlan(planned, rules)
        self.errors: list[CheckError] = []
        self.failing: list[Failing] = []
        self._digest = input_form[1]
        self._notes = notes
        self._assertion = _assertion_of(terms)
        self._base: BaseRuns | None = None
        self._dues_known = False
        self._after: list[Any] = []
        form = canonical_bytes(input_form[0])
        self._seen = {form}
        self._input = StoredSize.of(input_form[0], form)
        self._origins: dict[int, StoredSize] = {}

    def begin(self, outputs: BaseOutputs, *, declared: bool, record: JsonObject, line: int) -> bool:
        """How the base's runs compare; whether there are samples to come."""
        if outputs.error is not None:
            self._require_nothing(record, line, outputs.error)
            self._raised("base", None, outputs.error, outputs.failing)
            return False
        state = record["base"]
        if (state == "declared") != declared and state is not None:
            raise wrong(line, "$.base", state, "declared" if declared else "agrees, differs or unknown")
        if self._assertion is not None and outputs.values is not None:
            try:
                self._base = compare_base_runs(self._assertion, outputs.values, declared=declared)
            except Exception:  # noqa: BLE001 - as when it ran: whatever an output's own comparison raises
                self._base = None
            due = None if self._base is None else self._base.state
            if due != state:
                raise wrong(line, "$.base", state, due)
            self._dues_known = self._base is not None
        if state is None:
            self._raised("assertion", None, str(record["error"]), Failing(line, record["id"], None, "assertion"))
            return False
        if record["error"] is not None and state != "differs":
            raise wrong(line, "$.error", record["error"], None)
        self.plan.base = state
        return True

    def _require_nothing(self, record: JsonObject, line: int, error: str) -> None:
        for name, due in (("base", None), ("test", None), ("error", error)):
            if record[name] != due:
                raise wrong(line, f"$.{name}", record[name], due)

    def _raised(self, where: str, sample: int | None, message: str, failing: Failing | None) -> None:
        self.plan.errors += 1
        self.errors.append(CheckError(where, sample, message))
        self.failing += [] if failing is None else [failing]

    def take(self, record: JsonObject, line: int) -> Step:
        """What comes after a sample."""
        self.plan.asked += 1
        self._note_validation(record)
        if record["kind"] == "skip":
            self._check_skip(record, line)
            self.plan.skip(record["reason"])
            return "go"
        if record["kind"] == "error":
            self._check_error(record, line)
            failing = Failing(line, record["id"], record["sample"], record["where"])
            self._raised(record["where"], record["sample"], record["message"], failing)
            return "go"
        self._check_validation(record, line, "valid")
        self._check_fresh(record["variant"], line)
        output = value_of(record["output"], line, "$.output")
        contradicts = self._contradicts(output)
        if contradicts is None:
            contradicts = record["contradicts"]
        elif contradicts != record["contradicts"]:
            raise wrong(line, "$.contradicts", record["contradicts"], contradicts)
        self._after.append(output)
        self.plan.trials += 1
        if not contradicts:
            return "go"
        origin = self._origins[record["sample"]] = StoredSize.of(record["variant"])
        self.failing.append(Failing(line, record["id"], record["sample"], None, origin.size))
        return self.plan.contradicted()

    def _note_validation(self, record: JsonObject) -> None:
        if record.get("validation") is not None:
            self._notes[VALIDATIONS] += 1

    def _check_validation(self, record: JsonObject, line: int, due: str) -> None:
        """A relation with an oracle has a validation of each variant that was judged, and no other has one."""
        validation = record.get("validation")
        if (validation is not None) != (self.terms.oracle is not None):
            raise wrong(line, "$.validation", validation, self.terms.oracle and f"a validation by {self.terms.oracle}")
        if validation is None:
            return
        for name, wanted in (("oracle", self.terms.oracle), ("status", due)):
            if validation[name] != wanted:
                raise wrong(line, f"$.validation.{name}", validation[name], wanted)

    def _check_fresh(self, variant: Any, line: int) -> None:
        """A trial is neither the input nor an earlier trial."""
        if is_opaque(variant):
            return
        value_of(variant, line, "$.variant")
        form = canonical_bytes(variant)
        if form in self._seen:
            message = "the variant is the input, or that of an earlier trial, and is no trial"
            raise IntegrityError.of("contradiction", message, line=line, path="$.variant")
        self._seen.add(form)

    def _check_skip(self, record: JsonObject, line: int) -> None:
        judged = record["reason"] in ("invalid", "unknown")
        if judged:
            self._check_validation(record, line, record["reason"])
            if self.terms.oracle is None:
                raise wrong(line, "$.reason", record["reason"], "no oracle, and so another reason")
            self._check_fresh(record.get("variant"), line)
            if ORACLE_FAILED.intersection(record["validation"]["issues"]):
                raise wrong(line, "$.kind", "skip", "error, since the oracle gave no answer")
        elif record.get("validation") is not None:
            raise wrong(line, "$.validation", record["validation"], None)

    def _check_error(self, record: JsonObject, line: int) -> None:
        if record["where"] == "shrink":
            raise wrong(line, "$.where", "shrink", "what raises before a trial")
        if record["where"] == "oracle" and self.terms.oracle is None:
            raise wrong(line, "$.where", "oracle", "no oracle, and so another place")
        if record["where"] == "oracle" and record.get("validation") is not None:
            self._check_validation(record, line, "unknown")
            if not ORACLE_FAILED.intersection(record["validation"]["issues"]):
                raise wrong(
                    line, "$.validation.issues", record["validation"]["issues"], "why the oracle gave no answer"
                )
            self._check_fresh(record.get("variant"), line)
        if record["where"] in ("system", "assertion"):
            self._check_fresh(record.get("variant"), line)
        if record["where"] != "assertion" or not self._dues_known:
            return
        output = value_of(record.get("output"), line, "$.output")
        if is_shown_only(output):
            return
        try:
            self._contradicts(output)
        except IntegrityError:
            return
        raise wrong(line, "$.where", "assertion", "an output that the assertion compares")

    def _contradicts(self, output: Any) -> bool | None:
        """Whether an output contradicts the base; None where that cannot be told from the records.

        Raises:
            IntegrityError: the assertion cannot compare them.
        """
        if self._assertion is None:
            self._notes[CUSTOM] += 1
            return None
        if is_shown_only(output) or not self._dues_known or self._base is None:
            self._notes[ONLY_SHOWN] += 1
            return None
        try:
            return not self._assertion.agree(self._base.dues[self._base.reference], output)
        except RobustError as error:
            raise IntegrityError(*error.problems) from None

    def confirm(self, record: JsonObject, line: int) -> Step:
        """What comes after a confirmation."""
        if record["attempt"] != len(self.plan.attempts):
            raise wrong(line, "$.attempt", record["attempt"], len(self.plan.attempts))
        runs, error = self.plan.confirmation_runs, record["error"]
        sides = [
            [value_of(each, line, f"$.{name}[{place}]") for place, each in enumerate(record[name])] for name in _SIDES
        ]
        for name, side in zip(_SIDES, sides, strict=True):
            if len(side) != runs and (error is None or len(side) > runs):
                raise wrong(line, f"$.{name}", f"{len(side)} outputs", f"{runs} outputs")
        p_value = 1.0 if error is not None else self._confirmed(record, sides)
        if error is not None:
            failing = Failing(line, record["id"], record["sample"], "confirmation")
            self._raised("confirmation", record["sample"], error, failing)
        if not close(record["p_value"], p_value):
            raise wrong(line, "$.p_value", record["p_value"], tidy_number(p_value))
        # Its last digits depend on the library that computes it; what follows is made of those that are stored.
        p_value = record["p_value"]
        return self.plan.confirmed(self.plan.attempt_of(record["sample"], p_value))

    def _confirmed(self, record: JsonObject, sides: Sequence[list[Any]]) -> float:
        """The p value of fresh runs; the one that is stored where it cannot be told again."""
        told: float = record["p_value"]
        if self._assertion is None:
            self._notes[CUSTOM] += 1
            return told
        if any(is_shown_only(output) for side in sides for output in side):
            self._notes[ONLY_SHOWN] += 1
            return told
        dues = [self._assertion.due(output) for output in sides[0]]
        return compare_outputs(self._assertion, dues, sides[1], self._seed(record["sample"])).p_value

    def finish(self, record: JsonObject, line: int) -> None:
        """Test all outputs, where the base's runs differ; the course's own record says what it came to."""
        found, error = record["test"], record["error"]
        if self.plan.base != "differs" or not self.plan.trials:
            if found is not None:
                raise wrong(line, "$.test", found, None)
            return
        if self._assertion is None or not self._dues_known or any(is_shown_only(output) for output in self._after):
            self._notes[CUSTOM if self._assertion is None else ONLY_SHOWN] += 1
            if error is None and found is None:
                raise wrong(line, "$.test", None, "a test of all outputs")
        else:
            test = self._tested()
            due = None if test is None else test.to_json()
            if not _same_test(found, due):
                raise wrong(line, "$.test", found, due)
        if found is not None:
            self.plan.test = NoiseTest(found["p_value"], found["smallest_p"], found["disagreements"])
        if error is not None:
            self._raised("assertion", None, error, Failing(line, record["id"], None, "assertion"))

    def _tested(self) -> NoiseTest | None:
        if self._assertion is None or self._base is None:
            return None
        try:
            return compare_outputs(self._assertion, self._base.dues, self._after, self._seed(None))
        except RobustError:
            return None

    def not_minimised(self, record: JsonObject, line: int) -> None:
        """That making a variant smaller raised, which changes no verdict."""
        if all(each.sample != record["sample"] or each.error is not None for each in self.failing):
            raise wrong(line, "$.sample", record["sample"], "a sample that contradicts")
        self.errors.append(CheckError("shrink", record["sample"], record["message"]))

    def minimised(self, record: JsonObject, line: int) -> None:
        """A simpler variant that contradicts as well: each of its outputs must."""
        origin = next((each for each in self.failing if each.sample == record["sample"] and each.error is None), None)
        if origin is None:
            raise wrong(line, "$.sample", record["sample"], "a sample that contradicts")
        self._note_validation(record)
        self._check_validation(record, line, "valid")
        value_of(record["variant"], line, "$.variant")
        if not StoredSize.of(record["variant"]).may_follow(self._input, self._origins[record["sample"]]):
            message = "the variant is the input, the one it was made of, or larger than both together"
            raise IntegrityError.of("contradiction", message, line=line, path="$.variant")
        for place, data in enumerate(record["after"]):
            if self._contradicts(value_of(data, line, f"$.after[{place}]")) is False:
                raise wrong(line, f"$.after[{place}]", data, "an output that contradicts")
        size = min(len(canonical_bytes(record["variant"])), origin.size - 1)
        # It takes the place of what it was made of.
        self.failing[self.failing.index(origin)] = Failing(line, record["id"], record["sample"], None, size)

    def result(self, conclusion: Conclusion) -> RelationResult:
        """What it came to."""
        return relation_result(self.terms.name, self.plan, self.errors, conclusion)

    def _seed(self, sample: int | None) -> str:
        return relabelling_seed(self.terms.seed, self._digest, sample, self.terms.name)
