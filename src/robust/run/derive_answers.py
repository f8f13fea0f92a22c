"""Reading answers without believing them: every distribution of a record, and how often base cases were asked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from robust.canon import JsonObject
from robust.records.contract import Contract
from robust.records.decision import NEVER_ASKED, distribution_problem
from robust.run.record import result_problem
from robust.run.repeats import Repeats, lot_of

# A place, what is stored there, and what follows instead.
Difference = tuple[str, Any, Any]


def broken_answer(record: JsonObject, contract: Contract) -> Difference | None:
    """What of a record is no distribution, or does not follow from its own one; None where everything does.

    Looked at are the answer, that to a smaller form, and those of further trials.
    """
    for path, result in _results(record):
        problem = result_problem(result, contract)
        if problem is not None:
            return path + problem[0].removeprefix("$.result"), problem[1], problem[2]
    labels, tolerance = contract.decision.label_order, contract.evaluation.probability_tolerance
    for index, trial in enumerate(record.get("trials", ())):
        if "probabilities" in trial:
            wrong = distribution_problem(trial["probabilities"], labels, tolerance)
            if wrong is not None:
                return f"$.trials[{index}].probabilities", trial["probabilities"], wrong
    return None


def misdeclared_answer(record: JsonObject, backend: JsonObject) -> Iterator[Difference]:
    """What answers say that they are to, and from whom, where it is not so; and errors that no backend gives."""
    asked = record["case_id"] if record["kind"] == "decision" else record["provenance"].get("variant_id", record["id"])
    due = {"case_id": asked, "backend": backend["name"], "provider": backend["provider"]}
    if backend["provider"] == "mock":
        # What answers is in this very program, and its identity follows from the contract.
        due |= {"model": backend["model"], "model_version": backend["model_version"]}
    for path, result in _results(record):
        for name, value in due.items():
            if result[name] != value:
                yield f"{path}.{name}", result[name], value
    errors = [(f"$.trials[{index}].error", trial.get("error")) for index, trial in enumerate(record.get("trials", ()))]
    never = NEVER_ASKED
    if record["kind"] == "decision":
        errors.append(("$.error", record.get("error")))
    elif record["property"] == "variants":
        # One whose base was not decided is not sent; what generated pairs may end in is seen with their plan.
        errors, never = [("$.error", record.get("error"))], NEVER_ASKED - {"original_error"}
    for path, error in errors:
        if error is not None and error["kind"] in never:
            yield f"{path}.kind", error["kind"], "an error that a backend can end in"


def _results(record: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    if "result" in record:
        yield "$.result", record["result"]
    if record.get("reduced") is not None:
        yield "$.reduced.result", record["reduced"]["result"]


class Asked(NamedTuple):
    """A base case that was asked once, or twice: what it drew, and where its record stands."""

    lot: float
    case_id: str
    record: str
    line: int


class RepeatsChecker:
    """Whether the base cases that were asked more than once are those that the contract and the seed choose.

    Only how many cases there are says which these are, so that the judgement comes behind the last of them; it needs
    but the extremes of what the cases drew.

    Args:
        contract: the contract that ran.
        seed: the run's.
        judged: whether any property was judged.
    """

    def __init__(self, contract: Contract, *, seed: int, judged: bool) -> None:
        self._contract = contract
        self._seed = seed
        self._judged = judged
        self._runs = contract.noise.baseline_runs if judged else 1
        self._cases = 0
        self._once: Asked | None = None
        self._twice: Asked | None = None

    def add(self, record: JsonObject, line: int) -> Iterator[Difference]:
        """Take in a decision; gives a number of trials that no case can have."""
        self._cases += 1
        trials = len(record.get("trials", ()))
        sampled = self._judged and self._runs == 1
        if not sampled or trials > 1:
            if trials != self._runs - 1:
                yield "$.trials", trials, self._runs - 1
            return
        asked = Asked(lot_of(self._seed, record["case_id"]), record["case_id"], record["id"], line)
        if trials and (self._twice is None or asked.lot > self._twice.lot):
            self._twice = asked
        if not trials and (self._once is None or asked.lot < self._once.lot):
            self._once = asked

    def add_once(self, cases: int) -> bool:
        """Take in decisions that were asked once, if that is all there is to see of them; else nothing is taken in."""
        if self._judged or self._runs > 1:
            return False
        self._cases += cases
        return True

    def misplaced(self) -> Iterator[tuple[Asked, Difference]]:
        """Behind the last base case: the one that was asked too often, and the one not often enough."""
        repeats = Repeats(self._contract, seed=self._seed, cases=self._cases, judged=self._judged)
        for asked, trials in ((self._once, 0), (self._twice, 1)):
            due = trials if asked is None else repeats.of(asked.case_id) - 1
            if asked is not None and due != trials:
                yield asked, ("$.trials", trials, due)
