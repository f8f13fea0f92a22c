"""The public API used as its callers use it; a type checker reads this file, nobody runs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from robust import (
    Backend,
    CallableBackend,
    Case,
    CaseError,
    CombinedOracle,
    CommandOracle,
    Comparator,
    DecisionRequest,
    DecisionResult,
    Edit,
    Generation,
    Guard,
    HardnessReport,
    HttpOracle,
    Import,
    InclusionProof,
    KeyFiles,
    LabelledPair,
    Manifest,
    ManifestDiff,
    Media,
    NearDuplicate,
    NearDuplicates,
    OracleAudit,
    OracleVerdict,
    Origin,
    Paraphraser,
    ParaphraseRequest,
    Paraphrases,
    Problem,
    PublicKey,
    RandomStream,
    RecordProof,
    Replay,
    RobustError,
    RoutedDecision,
    Run,
    RunDiff,
    Shot,
    Signed,
    Signer,
    SigningKey,
    SklearnBackend,
    Strategy,
    Usage,
    Validation,
    Validator,
    all_of,
    any_of,
    audit_oracle,
    check_proof,
    describe_media,
    diff_runs,
    export_for_tools,
    find_near_duplicates,
    format_report,
    generate_keys,
    generate_variants,
    import_candidates,
    load_proof,
    load_public_key,
    load_signing_key,
    measure_hardness,
    prove_record,
    quorum,
    read_csv_export,
    read_number,
    recomputed,
    replay_run,
    report_run,
    run_contract,
    save_csv,
    save_proof,
    sign,
    validate_variant,
    validate_variants,
    verify,
    verify_all,
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
    print(header.name, first.input, splits, parent, listed.cases_in("a")[0].expected, again.root)  # noqa: T201 - all of them are used


def operations(old: Manifest, other: Manifest, path: Path) -> None:
    dealt: Manifest = old.split({"a": 0.5, "b": 0.5}, salt="s", name="n")
    listed: Manifest = old.split({"a": ["x"]}, rest="b", resplit=True)
    longer: Manifest = dealt.extend(cases=old.cases, validations=old.validations, splits={"a": ["y"]})
    part: Manifest = longer.subset(split="a", ids={"x"}, relation="invariant", metadata={"k": 1})
    merged: Manifest = Manifest.merge("m", [part, listed, other], provenance={"why": "one place"})
    found: ManifestDiff = old.diff(merged)
    moved: dict[str, tuple[str, str]] = found.moved
    proof: InclusionProof = merged.prove("x")
    save_proof(proof, path, overwrite=True)
    checked: bool = check_proof(path, manifest=merged.digest).holds and load_proof(str(path)) == proof
    near: NearDuplicates = find_near_duplicates(path, threshold=0.5, words=2)
    pairs: tuple[NearDuplicate, ...] = near.findings
    digest: str = Manifest.write(path, "n", cases=iter(old.cases), splits={"a": 1.0}, overwrite=True)
    again: Manifest = Manifest.build("n", cases=old.cases, splits="a")
    count: int = export_for_tools(path, path.with_suffix(".csv"), "csv", split="a", overwrite=True)
    inputs: list[Any] = [row["input"] for row in read_csv_export(path.with_suffix(".csv"))]
    merged.save(path, overwrite=True, media_from=path.parent)
    print(moved, checked, pairs, digest, again, count, inputs, describe_media(path.parent, "a.png").sha256)  # noqa: T201 - all of them are used


def audit(pair: LabelledPair, base: Case, path: Path) -> OracleAudit:
    """Audits with a synchronous, an asynchronous and a named oracle."""
    found: OracleAudit = audit_oracle(judge, contract="x/v1", bases=[base], pairs=[pair], second=judge_later)
    found.save(path, overwrite=True)
    status: str = found.status + found.digest
    again = audit_oracle("a:b", contract="x/v1", bases=path, max_refused_valid=0.1, judge="bound")
    return OracleAudit.load(str(path)) if again.exit_code and status else found


async def answer(case: Case) -> str:
    """A model that is awaited."""
    return str(case.input)


def hardness(case: Case, path: Path) -> list[Shot]:
    """Measures how hard a case is."""
    report: HardnessReport = measure_hardness([case], answer, 3, (0.2, 0.8), lambda asked, said: asked.expected == said)
    rates: list[float | None] = [item.failure_rate for item in HardnessReport.load(path)]
    chosen: list[str] = [item.case_id for item in report.in_band()]
    return [shot for item in report for shot in item.shots] if rates and chosen else []


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
    xml: str = format_report(judged, "junit", encoding="ascii")
    page: str = format_report(judged, "html")
    tables: list[Path] = save_csv(judged, "tables", part="pairs", overwrite=True)
    code: int = replay.exit_code + judged.exit_code
    compared: RunDiff = diff_runs(path, judged, contract=path, segment_by=["language"], fail_on_warn=True)
    compared.save("diff.json", overwrite=True)
    code += compared.exit_code + len(format_report(compared, "markdown")) + len(compared.changes)
    return [
        *statuses,
        replay.digest,
        named.status,
        judged.status,
        xml,
        page,
        str(code),
        *map(str, tables),
        *judged.report,
        *replay.report,
    ]


class Shout:
    name = "shout"
    relation: Literal["invariant"] = "invariant"

    def edit(self, text: str, stream: RandomStream) -> Edit | None:
        return Edit({"marks": 1 + stream.below(3)}, text + "!") if text else None


def made(path: Path) -> list[Case]:
    own: Strategy = Shout()
    generated: Generation = generate_variants(
        path, strategies=["typos", own], seed=1, per_case=2, rewrites=[("a", "b")]
    )
    taken: Import = import_candidates([], path, text="text", parent="id", relation="invariant", params=["p"])
    counts: dict[str, Any] = {**generated.report, **taken.report}
    with generated:
        return [*generated, *taken][: counts["candidates"]]


def panel(base: Case, candidate: Case) -> OracleVerdict:
    readings = [read_number(case.input, decimal=",") for case in (base, candidate)]
    return recomputed(*readings, relation="invariant", answer=lambda amount: amount > 1000)


def combined() -> list[CombinedOracle]:
    service = HttpOracle("http://localhost:1/", headers_from_env={"X-Key": "KEY"}, max_retries=1)
    members = all_of(panel, service, CommandOracle("program --flag"), "module:name", name="panel")
    return [members, any_of(members), quorum(1, members, panel)]


def signed(path: Path, contract: Path) -> list[str]:
    files: KeyFiles = generate_keys(path, name="ana", passphrase="typed")  # noqa: S106 - of no key
    key: SigningKey = load_signing_key(files.private, passphrase=lambda: "typed")
    public: PublicKey = load_public_key(files.public)
    finished = run_contract(contract, sign=key)
    made: Signed = sign(finished.path, key, claim="read", name="Ana")
    found = verify(finished.path, public_keys=[public, files.public], require_signature=True, threshold=1)
    return [made.key_id, public.key_id, *(signer.key_id for signer in found.signers)]


def proven(run: Path, path: Path) -> tuple[Signer, ...]:
    proof: RecordProof = prove_record(run, "decision/x")
    save_proof(proof, path, overwrite=True, outside=run)
    found = verify(str(path), manifest=path)
    told: tuple[str, ...] = found.not_proven
    told += tuple(each.code if isinstance(each, RobustError) else each.kind for each in verify_all([path, str(run)]))
    return found.signers if told and found.authentic and load_proof(path) == proof else ()
