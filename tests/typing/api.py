"""The public API used as its callers use it; a type checker reads this file, nobody runs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from robust import (
    Backend,
    CallableBackend,
    Case,
    CaseError,
    CommandOracle,
    Comparator,
    DecisionRequest,
    DecisionResult,
    Guard,
    Manifest,
    Media,
    OracleVerdict,
    Origin,
    Paraphraser,
    ParaphraseRequest,
    Paraphrases,
    Problem,
    Replay,
    RobustError,
    RoutedDecision,
    Run,
    SklearnBackend,
    Usage,
    Validation,
    Validator,
    replay_run,
    report_run,
    validate_variant,
    validate_variants,
)


def judge(base: Case, candidate: Case) -> OracleVerdict:
    return OracleVerdict(True, "reason", 1, 2, {"evidence": [base.input, candidate.input]})


async def judge_later(base: Case, candidate: Case) -> OracleVerdict:
    return judge(base, candidate)


class Judge:
    name = "judge"
    version = "1"

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        return judge(base, candidate)


def use() -> tuple[str, ...]:
    base = Case({"question": 1}, "yes", case_id="a", source_id="s", metadata={"x": 1}, media=(media(),))
    origin = Origin(parent_id="a", parent_content=base.content_digest, relation="invariant", seed=1)
    candidate = Case("text", case_id="b", source_id="s", origin=origin)
    validators: list[Validator] = [judge, judge_later, Judge()]
    for validator in validators:
        validation: Validation = validate_variant(
            base,
            candidate,
            relation="counterfactual",
            contract="name/v1",
            validator=validator,
            comparator=Comparator(name="number", abs_tol=0.5),
            labels="visible",
            require_answers=False,
            repeats=3,
            timeout_s=1.5,
            isolate=True,
        )
        status: str = validation.status
        strength: str | None = validation.strength
        issues: tuple[str, ...] = validation.issues
        data: dict[str, Any] = validation.data
        manifest: Manifest = validation.manifest("name", split="test")
    return (status, strength or "", *issues, *data, manifest.digest)


def media() -> Media:
    return Media(path="a/b.png", media_type="image/png", bytes=1, sha256="0" * 64)


def stream(pairs: Iterator[tuple[Case, Case]], path: Path) -> None:
    oracle = CommandOracle(["program"], name="name", version="1")
    found: Iterator[Validation] = validate_variants(
        pairs, contract="name/v1", validator=oracle, relation=None, workers=4, journal=path
    )
    Validation.save_all(path, found, overwrite=True)
    loaded: list[Validation] = list(Validation.load_all(path))
    built = Manifest.build("name", validations=loaded, splits={"a": 0.5, "b": 0.5}, salt="s", provenance={"x": 1})
    listed = Manifest.build("name", cases=built.cases, validations=loaded, splits={"a": ["x"], "b": ["y"]})
    built.save(path)
    again: Manifest = Manifest.load(str(path))
    header, cases = Manifest.stream(path)
    first: Case = next(cases)
    splits: dict[str, tuple[str, ...]] = again.splits
    parent: str | None = again.parent
    print(header.name, first.input, splits, parent, listed.cases_in("a")[0].expected, again.root)  # noqa: T201


def errors() -> list[Problem]:
    try:
        Case("", case_id="", source_id="")
    except CaseError as error:
        base: RobustError = error
        return [*base.problems]
    return []


def even(request: DecisionRequest) -> dict[str, float]:
    return dict.fromkeys(request.decision.labels, 1 / len(request.decision.labels))


async def decide(path: Path, classifier: object) -> list[str]:
    backends: list[Backend] = [
        CallableBackend(even, version="1", details={"seed": 1}, inline=True),
        SklearnBackend(classifier, labels={1: "yes", 0: "no"}, features=["a", "b"], version="1"),
        SklearnBackend(classifier, features=lambda given: [given["a"]]),
    ]
    actions: list[str] = []
    for backend in backends:
        with Guard.from_contract(path, backend=backend) as guard:
            decision: RoutedDecision = guard.decide("text", case_id="c")
            result: DecisionResult = decision.result
            target: str | None = decision.fallback_backend
            actions += [decision.action, result.selected, f"{result.confidence:.2f}", target or ""]
    async with Guard.from_contract({"schema_version": "1"}, backend="spare") as spare:
        later: RoutedDecision = await spare.adecide({"a": [1]})
    return [*actions, *later.result.labels, *later.to_json()]


class Words:
    def __init__(self) -> None:
        self.provenance: dict[str, Any] = {"provider": "words"}

    def paraphrase(self, request: ParaphraseRequest) -> Paraphrases:
        texts = (request.text.upper(),)[: request.samples]
        usage = Usage(tokens=request.seed)
        return Paraphrases(texts=texts, provenance={**self.provenance, "case": request.case_id}, usage=usage)


class LaterWords:
    provenance: dict[str, Any] = {}  # noqa: RUF012 - nobody changes it

    async def paraphrase(self, request: ParaphraseRequest) -> Paraphrases:
        return Words().paraphrase(request)


def words() -> list[Paraphraser]:
    return [Words(), LaterWords()]


def stored(path: Path) -> list[str]:
    replay: Replay = replay_run(path, ids=["p/a/0"], backend=CallableBackend(even), contract=path, max_calls=9)
    statuses: list[str] = [result["status"] for result in replay.results()]
    named: Replay = replay_run(str(path), backend="spare", healthcheck=False)
    judged: Run = report_run(path, contract={"schema_version": "1"})
    code: int = replay.exit_code + judged.exit_code
    return [*statuses, replay.digest, named.status, judged.status, str(code), *judged.report, *replay.report]
