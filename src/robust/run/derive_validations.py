"""Reading the judgements of oracles at run time without believing them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from robust.canon import JsonObject
from robust.errors import IntegrityError
from robust.oracle.builtin import builtin_oracle
from robust.records.comparator import EXACT
from robust.records.contract import Contract
from robust.records.oracle_config import BuiltinOracle, PresentationOracle, PreservesOracle
from robust.records.report import differences
from robust.run.derive_answers import Difference
from robust.run.judging import (
    CandidateJudge,
    JudgedBase,
    judged_base,
    judged_candidate,
    kept_validation,
    whole_validation,
)
from robust.run.pairs import BaseCase, PlannedPair
from robust.transforms.candidate import Candidate

_NOT_KEPT: Final = ("base", "candidate", "observed")
# What a judgement at run time rests on, besides the two cases.
_TERMS: Final = ("comparator", "contract", "oracle", "relation", "require_answers")


class ValidationChecker:
    """Derives the validations of pairs again.

    Args:
        contract: the contract that ran.
        seed: the run's.
        file: the name of the records' file, for errors.
    """

    def __init__(self, contract: Contract, *, seed: int, file: str) -> None:
        self._contract = contract
        self._seed = seed
        self._file = file
        self._judged: dict[tuple[int, bool], JudgedBase] = {}
        self._judges: dict[str, CandidateJudge | None] = {}

    def forget(self) -> None:
        """Let go of base cases that will not be asked for again."""
        self._judged.clear()

    def check(
        self, item: PlannedPair, candidate: Candidate, validation: JsonObject, line: int, path: str = "$.validation"
    ) -> Iterator[Difference]:
        """What of a validation cannot have been judged so at run time.

        Args:
            item: the pair.
            candidate: what was judged: its own candidate, or a smaller one.
            validation: as it is kept.
            line: of the record.
            path: where it stands there.

        Raises:
            IntegrityError: it is none, or does not follow from the two cases and what its oracle said.
        """
        labels = item.plan.shows_labels
        base = self._judged_base(item.base, labels)
        shown = judged_candidate(
            base,
            candidate,
            identifier=item.id,
            property_name=item.plan.name,
            relation=item.plan.relation,
            seed=self._seed,
            sample=item.sample,
            labels=labels,
        )
        for name in _NOT_KEPT:
            if name in validation:
                message = f"record {item.id!r}: a pair's validation keeps no {name}"
                raise IntegrityError.of("unknown_field", message, file=self._file, line=line, path=f"{path}.{name}")
        try:
            whole_validation(validation, base, shown, file=self._file, line=line)
        except IntegrityError as error:
            placed = (replace(each, path=path + (each.path or "$")[1:]) for each in error.problems)
            raise IntegrityError(*placed) from None
        judge = self._built_in(item)
        if judge is not None and validation["oracle"] == judge.oracle():
            # An oracle of this very program is pure, so that it is asked again instead of believed.
            yield from differences(validation, kept_validation(judge.judge(base, shown)), path)
            return
        due = self._due_terms(item, judge)
        # Where an oracle is one of the caller's, of a package or of another version, only the records say what it said.
        stored = {name: validation[name] for name in _TERMS}
        yield from differences(stored, {**stored, **due, "oracle": {**stored["oracle"], **due["oracle"]}}, path)

    def _judged_base(self, base: BaseCase, labels: tuple[str, ...] | None) -> JudgedBase:
        key = (base.place, labels is not None)
        if key not in self._judged:
            self._judged[key] = judged_base(base.case, labels)
        return self._judged[key]

    def _built_in(self, item: PlannedPair) -> CandidateJudge | None:
        """The oracle of a property, where it is one of this program's."""
        name, settings = item.plan.name, item.plan.settings
        if name not in self._judges:
            own = getattr(settings, "oracle", None)
            config = self._contract.oracles.default if own is None else own
            self._judges[name] = None
            if isinstance(config, PresentationOracle | PreservesOracle | BuiltinOracle):
                oracle = builtin_oracle(
                    config,
                    property_name=name,
                    fragments=getattr(settings, "fragments", ()),
                    text_field=self._contract.fuzz.text_field,
                )
                self._judges[name] = CandidateJudge(oracle, contract=f"{name}/v1")
        return self._judges[name]

    @staticmethod
    def _due_terms(item: PlannedPair, judge: CandidateJudge | None) -> JsonObject:
        """On what a property's candidates are judged, as far as the contract says it."""
        due: JsonObject = {"relation": item.plan.relation, "require_answers": False, "oracle": {"repeats": 1}}
        if judge is not None:
            name = judge.oracle()["name"]
            due |= {"contract": judge.contract, "comparator": EXACT.to_json(), "oracle": {"name": name, "repeats": 1}}
        return due


def same_oracle(reduced: JsonObject, whole: JsonObject) -> Iterator[Difference]:
    """How the judgement of a smaller form rests on anything else than that of the pair."""
    for name in _TERMS:
        yield from differences(reduced[name], whole[name], f"$.reduced.validation.{name}")
