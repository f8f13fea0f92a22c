"""Reading the pairs that properties generated without believing them: each is planned and derived again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from robust.canon import JsonObject
from robust.errors import DataError, IntegrityError
from robust.records.contract import Contract
from robust.records.decision import NEVER_ASKED
from robust.records.paraphrase import wordings_problem
from robust.records.presentation import presentation_json, read_presentation
from robust.records.report import differences
from robust.records.run_record import refused
from robust.run.answers import failed
from robust.run.contradiction import contradiction
from robust.run.derive_answers import Difference
from robust.run.derive_validations import ValidationChecker, same_oracle
from robust.run.pair_record import planned_pair_fields, skip_record
from robust.run.pairs import NO_SOURCE, BaseCase, PlannedPair, SkippedCase, generated, pair_id
from robust.run.parts import BASES_PER_PART
from robust.run.property_plan import PropertyPlan
from robust.run.record import probabilities_of
from robust.run.smaller import is_smaller
from robust.transforms.candidate import Candidate, SkipReason, StepError


class PairChecker:
    """Derives the pairs of generated candidates again, from the base cases that stand before them.

    Args:
        contract: the contract that ran.
        plans: its properties.
        seed: the run's.
        file: the name of the records' file, for errors.
    """

    def __init__(self, contract: Contract, plans: Sequence[PropertyPlan], *, seed: int, file: str) -> None:
        self._contract = contract
        self._plans = plans
        self._seed = seed
        self._file = file
        self._validations = ValidationChecker(contract, seed=seed, file=file)

    def planned_together(
        self, bases: Iterator[BaseCase], peek: Callable[[], JsonObject | None]
    ) -> Iterator[list[PlannedPair | SkippedCase]]:
        """What :meth:`planned` gives of each base case, as many at a time as can be planned before a record is read."""
        # What a paraphraser worded is planned only as its records are read.
        worded = any(plan.rewords for plan in self._plans)
        while block := [*islice(bases, BASES_PER_PART)]:
            planned = chain.from_iterable(self.planned(base, peek) for base in block)
            if worded:
                yield from ([item] for item in planned)
            else:
                yield [*planned]

    def planned(self, base: BaseCase, peek: Callable[[], JsonObject | None]) -> Iterator[PlannedPair | SkippedCase]:
        """What the contract and the seed make of a base case, in the order of its records.

        What a paraphraser worded cannot be made again, so it is taken from the steps of the records that stand there.

        Args:
            base: the base case with its decision.
            peek: the next record, which stays the next one; None behind the last.

        Raises:
            IntegrityError: the steps of a record do not fit its base.
        """
        self._validations.forget()
        for plan in self._plans:
            if plan.rewords is not None:
                yield from self._reworded(plan, base, peek)
                continue
            made = generated(plan, base, self._seed)
            if isinstance(made, str):
                yield SkippedCase(plan, base, made)
                continue
            for sample, candidate in enumerate(made):
                yield PlannedPair(pair_id(plan, base, sample), plan, base, sample, candidate)

    def _reworded(
        self, plan: PropertyPlan, base: BaseCase, peek: Callable[[], JsonObject | None]
    ) -> Iterator[PlannedPair | SkippedCase]:
        rewording = plan.rewords
        assert rewording is not None  # noqa: S101 - only such plans come here
        if rewording.text(base.case.input) is None:
            yield SkippedCase(plan, base, rewording.why_not(base.case.input))
            return
        record = peek()
        first = record if record is not None and _is_of(record, plan, base) else None
        if base.probabilities is None or (first is not None and first["kind"] == "pair" and not first["steps"]):
            # Nobody was asked about an undecided base; what came of it otherwise is an error that the record names.
            kind = first.get("error", {}).get("kind") if first is not None and base.probabilities is not None else None
            failure = failed("original_error" if base.probabilities is None else kind or "paraphrase_error", "")
            nothing = Candidate((), base.case.input)
            yield PlannedPair(pair_id(plan, base, 0), plan, base, 0, nothing, failure=failure)
            return
        if first is None or first["kind"] == "skip":
            # Whether the paraphraser gave nothing, or nothing else, cannot be told again.
            given: SkipReason = (
                "nothing_changes" if first is not None and first["reason"] == "nothing_changes" else "no_paraphrase"
            )
            yield SkippedCase(plan, base, given)
            return
        source: JsonObject = first["provenance"].get("paraphraser") or NO_SOURCE
        if not source:
            raise self._integrity("missing_field", first["id"], "no paraphraser is named", "$.provenance.paraphraser")
        texts: list[str] = []
        while (record := peek()) is not None and _is_of(record, plan, base) and record["kind"] == "pair":
            candidate, sample = self.apply(plan, base, record["steps"], record["id"]), len(texts)
            texts.append(str(record["steps"][0]["text"]))
            made = rewording.of_texts(base.case.input, texts)
            if isinstance(made, str) or len(made) < len(texts) or wordings_problem(texts) is not None:
                message = "it is no other wording of its base, repeats another, or there are too many"
                raise self._integrity("bad_steps", record["id"], message)
            # All paraphrases of a case come from one answer.
            yield PlannedPair(pair_id(plan, base, sample), plan, base, sample, candidate, source)

    def apply(self, plan: PropertyPlan, base: BaseCase, steps: list[JsonObject], record_id: str) -> Candidate:
        """The candidate that stored steps make.

        Raises:
            IntegrityError: they cannot have been made for this base.
        """
        try:
            return plan.transformation.apply(base.case.input, tuple(steps))
        except StepError as error:
            raise self._integrity("bad_steps", record_id, f"its steps do not fit: {error}") from None

    def _integrity(
        self, code: str, record_id: str, message: str, path: str = "$.steps", line: int | None = None
    ) -> IntegrityError:
        return IntegrityError.of(code, f"record {record_id!r}: {message}", file=self._file, line=line, path=path)

    def check(
        self, item: PlannedPair | SkippedCase, record: JsonObject, line: int
    ) -> tuple[Iterable[Difference], JsonObject]:
        """What of a record does not follow from its plan and its own distributions, and what is counted instead.

        Raises:
            IntegrityError: its validation cannot have been stored so.
        """
        due_kind = "skip" if isinstance(item, SkippedCase) else "pair"
        for name, wanted in (("kind", due_kind), ("property", item.plan.name)):
            if record[name] != wanted:
                # Not just another difference: it could not even be counted.
                message = f"{record[name]!r} is stored, {wanted!r} follows"
                raise self._integrity("contradiction", item.id, message, f"$.{name}", line)
        if isinstance(item, SkippedCase):
            due = {**skip_record(item), "observed": record["observed"]}
            return list(differences(record, due)), {}
        due = planned_pair_fields(item)
        found = [*differences({name: record[name] for name in due if name in record}, due)]
        if "assumed" in record and "assumed" not in due:
            found.append(("$.assumed", record["assumed"], None))
        try:
            found += self._check_validation(item, record, line)
        except IntegrityError as error:
            # What else does not follow is said first: it may be why its validation does not.
            said = (contradiction(self._file, line, *each, record=item.id) for each in found)
            raise IntegrityError(*said, *error.problems) from None
        found += self._check_trials(item, record, line)
        derived = self.derived(item, record)
        for name, value in derived.items():
            found += differences(record[name], value, f"$.{name}")
        counted = {**due, **derived}
        if record["reduced"] is not None:
            reduced = [*self._check_reduced(item, record, line)]
            # One that does not follow is refused, and what is in it need not be of any kind.
            counted |= {"reduced": None} if reduced else {}
            found += reduced
        return found, counted

    def derived(self, item: PlannedPair, record: JsonObject) -> JsonObject:
        """``comparison`` and ``violations``, which follow from the two distributions."""
        variant = probabilities_of(record, self._contract)
        if variant is None or item.base.probabilities is None:
            return {"comparison": None, "violations": []}
        comparison = item.plan.compare(item.base.probabilities, variant, item.base.expected)
        return {"comparison": comparison, "violations": item.plan.violations(comparison)}

    def _check_validation(self, item: PlannedPair, record: JsonObject, line: int) -> Iterator[Difference]:
        validation, error = record["validation"], record.get("error", {}).get("kind")
        yield from _error_kind(item, error)
        sent = item.failure is None and item.base.probabilities is not None
        needed = sent and item.plan.judged and error != "oracle_error"
        if validation is None:
            if needed:
                yield "$.validation", None, "a validation"
        elif needed:
            yield from self._validations.check(item, item.candidate, validation, line)
        else:
            # Not just another difference: what is in it could not even be counted.
            raise self._integrity("contradiction", item.id, "no oracle was asked about it", "$.validation", line)

    def _check_trials(self, item: PlannedPair, record: JsonObject, line: int) -> Iterator[Difference]:
        repeated = self._contract.noise.baseline_runs > 1
        asked = "result" in record or ("error" in record and record["error"]["kind"] not in NEVER_ASKED)
        due = item.plan.settings.trials - 1 if repeated and asked and item.failure is None else 0
        trials = record.get("trials", [])
        if len(trials) != due:
            yield "$.trials", len(trials), due
        if refused(record) and ("result" in record or "error" in record):
            message = f"record {item.id!r}: its oracle refused it, and it has an answer"
            raise IntegrityError.of("contradiction", message, file=self._file, line=line, path="$.validation.status")

    def _check_reduced(self, item: PlannedPair, record: JsonObject, line: int) -> Iterator[Difference]:
        reduced, plan = record["reduced"], item.plan
        candidate = self.apply(plan, item.base, reduced["steps"], item.id)
        if not plan.reducible or not record["violations"]:
            yield "$.reduced", "an object", None
            return
        if not is_smaller(plan, reduced["steps"], item.candidate.steps):
            yield "$.reduced.steps", reduced["steps"], "smaller steps than those of the pair"
        due = {
            "steps": list(candidate.steps),
            "input": candidate.input,
            "presentation": presentation_json(candidate.presentation),
        }
        for name, value in due.items():
            yield from differences(reduced[name], value, f"$.reduced.{name}")
        if (reduced["validation"] is not None) != (record["validation"] is not None):
            yield "$.reduced.validation", reduced["validation"], "as the pair's own"
        elif reduced["validation"] is not None:
            place = "$.reduced.validation"
            yield from self._validations.check(item, candidate, reduced["validation"], line, place)
            yield from same_oracle(reduced["validation"], record["validation"])
            if reduced["validation"]["status"] != "valid":
                yield "$.reduced.validation.status", reduced["validation"]["status"], "valid"
        derived = self.derived(item, {"result": reduced["result"]})
        for name, value in derived.items():
            yield from differences(reduced[name], value, f"$.reduced.{name}")
        if not set(derived["violations"]).intersection(record["violations"]):
            yield "$.reduced.violations", derived["violations"], "one that the pair breaks: it must still fail"


def _error_kind(item: PlannedPair, error: str | None) -> Iterator[Difference]:
    """An error that its pair cannot have ended in."""
    if item.failure is not None:
        wanted = ("original_error",) if item.base.probabilities is None else ("paraphrase_error", "budget_exhausted")
        if error not in wanted:
            yield "$.error.kind", error, " or ".join(wanted)
    elif item.base.probabilities is None:
        if error != "original_error":
            yield "$.error.kind", error, "original_error"
    elif error in NEVER_ASKED and not (error == "oracle_error" and item.plan.judged):
        yield "$.error.kind", error, "an error of a pair that was sent"


def check_presentation(record: JsonObject, contract: Contract, *, file: str, line: int) -> None:
    """Whether a record's presentation can be mapped back to the labels of the contract.

    Raises:
        IntegrityError: it cannot.
    """
    try:
        read_presentation(record["presentation"], contract.decision.label_order)
    except DataError as error:
        raise IntegrityError(*error.located(file=file, line=line).problems) from None


def _is_of(record: JsonObject, plan: PropertyPlan, base: BaseCase) -> bool:
    return (
        record["kind"] in ("pair", "skip")
        and record["property"] == plan.name
        and (record["case_id"] == base.case.case_id)
    )
