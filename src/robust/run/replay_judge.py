"""Judging replayed failures by the limits that ran, with the functions that judged them in the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from robust.canon import JsonObject
from robust.records.contract import Contract
from robust.records.presentation import presentation_json
from robust.run.answers import Answer
from robust.run.property_plan import PropertyPlan
from robust.run.record import BaseDecision, answered, derived_of_pair
from robust.run.replay_bases import AskedBase
from robust.run.replay_result import SEVERITY, Finding, digest_of_answers, said_of, same_json, status_of
from robust.transforms.of_property import stream_of

_NOT_SENT: Final[JsonObject] = {"error": {"kind": "original_error"}}


class StoredPair(NamedTuple):
    """A failed pair as it is stored.

    Attributes:
        record: its record.
        regenerated: whether the seed makes the same candidate again; None for one that no seed makes.
    """

    record: JsonObject
    regenerated: bool | None


class PairAnswers(NamedTuple):
    """What the forms of a pair were answered; None for one that was not sent.

    Attributes:
        transformed: to the candidate.
        reduced: to its smaller form, where there is one.
    """

    transformed: Answer | None
    reduced: Answer | None


class ReplayJudge:
    """Makes the results of a replay.

    Args:
        contract: the contract that ran.
        plans: its properties that generate candidates, by name.
    """

    def __init__(self, contract: Contract, plans: Mapping[str, PropertyPlan]) -> None:
        self._contract = contract
        self._plans = plans

    def is_stored(self, record: JsonObject, answer: Answer) -> bool:
        """Whether an answer has the digest of the stored one."""
        return same_json(answered(answer, self._contract), said_of(record))

    def of_decision(self, record: JsonObject, answer: Answer) -> JsonObject:
        """The result of a base case that had ended in an error."""
        recorded = Finding(record["error"]["kind"], [])
        found = Finding.of_errors(answer.error) or Finding(None, [])
        result = {
            "id": record["id"],
            "case_id": record["case_id"],
            "property": None,
            "status": status_of(recorded, found),
            "recorded": {"error": recorded.error, "violations": []},
            "found": found.to_json(),
            "reduced": None,
            "regenerated": None,
        }
        return _with_answers(result, {"original": answered(answer, self._contract)}, self.is_stored(record, answer))

    def of_pair(self, pair: StoredPair, base: AskedBase, original: JsonObject, answers: PairAnswers) -> JsonObject:
        """The result of a failed pair.

        Args:
            pair: the pair.
            base: its base, asked again.
            original: what the base answered, as it stands in results.
            answers: what was answered to the pair's forms.
        """
        record, smaller = pair.record, pair.record["reduced"]
        recorded = Finding(record.get("error", {}).get("kind"), record["violations"])
        found = self._find(record, base, answers.transformed)
        statuses = [status_of(recorded, found)]
        said: JsonObject = {"original": original, "transformed": self._said(answers.transformed)}
        same = base.same and same_json(said["transformed"], said_of(record))
        again: JsonObject | None = None
        if smaller is not None:
            found_smaller = self._find(record, base, answers.reduced)
            # It fails as the whole one does only by a limit that both break.
            shared = [name for name in smaller["violations"] if name in record["violations"]]
            statuses.append(status_of(Finding(None, shared), found_smaller))
            again = {"status": statuses[-1], **found_smaller.to_json()}
            said["reduced"] = self._said(answers.reduced)
            same = same and same_json(said["reduced"], said_of(smaller))
        result = {
            "id": record["id"],
            "case_id": record["case_id"],
            "property": record["property"],
            "status": min(statuses, key=SEVERITY.index),
            "recorded": {"error": recorded.error, "violations": recorded.violations},
            "found": found.to_json(),
            "reduced": again,
            "regenerated": pair.regenerated,
        }
        return _with_answers(result, said, same)

    def _find(self, record: JsonObject, base: AskedBase, answer: Answer | None) -> Finding:
        """What a form of a pair breaks."""
        if base.probabilities is None or answer is None:
            return Finding.of_errors("original_error", base.error) or Finding(None, [])
        failed = Finding.of_errors(answer.error)
        if failed is not None or answer.probabilities is None:
            return failed or Finding(None, [])
        plan = self._plans.get(record["property"])
        if plan is not None:
            comparison = plan.compare(base.probabilities, answer.probabilities, base.expected)
            return Finding(None, plan.violations(comparison), comparison)
        decided = {**record, "result": answered(answer, self._contract)}
        derived = derived_of_pair(decided, self._contract, BaseDecision(base.probabilities, base.expected, ""))
        return Finding(None, derived["violations"], derived["comparison"])

    def _said(self, answer: Answer | None) -> JsonObject:
        return _NOT_SENT if answer is None else answered(answer, self._contract)


def _with_answers(result: JsonObject, answers: JsonObject, same: bool) -> JsonObject:
    digest = digest_of_answers(result["id"], answers)
    return {**result, "answers": answers, "same_answers": same, "digest": digest}


def regenerates(plan: PropertyPlan, base: JsonObject, record: JsonObject, seed: int) -> bool:
    """Whether the seed makes the candidate of a stored pair again.

    Args:
        plan: the property.
        base: the record of the base case.
        record: that of the pair.
        seed: the run's.
    """
    made = plan.transformation.generate(base["input"], stream_of(seed, plan.name, base["case_id"]))
    if isinstance(made, str) or record["sample"] >= len(made):
        return False
    candidate = made[record["sample"]]
    again = [list(candidate.steps), candidate.input, presentation_json(candidate.presentation)]
    return same_json(again, [record["steps"], record["input"], record["presentation"]])
