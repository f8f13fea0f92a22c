"""The public function that compares two runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from robust.app.contracts import read_source
from robust.app.run_diff import RunDiff
from robust.app.running import Run
from robust.app.verify_run import StoredRun
from robust.canon import Hasher, JsonObject, parse_canonical
from robust.errors import DataError, IntegrityError, Problem, UsageError
from robust.records.contract import Contract
from robust.records.decision_spec import DecisionSpec
from robust.records.report import exit_code_of, status_of
from robust.records.run_diff import SCHEMA, diff_digest
from robust.run.contradiction import contradiction
from robust.run.diff import RunComparison
from robust.run.diff_changes import Change, ShownInput
from robust.run.diff_rows import BASELINE, CANDIDATE, answer_line, compared_cases
from robust.store.sorted_spool import SortedSpool
from robust.version import __version__

if TYPE_CHECKING:
    from robust.store.contracts import ContractSource

# Every record of a base decision holds these bytes; whether it is one is asked of the record itself.
_DECISION: Final = b'"kind":"decision"'
_SIDES: Final = ("baseline", "candidate")
_MOST_NAMED: Final = 3
_WIDTH: Final = 200


def diff_runs(
    baseline: str | os.PathLike[str] | Run,
    candidate: str | os.PathLike[str] | Run,
    *,
    contract: ContractSource | None = None,
    segment_by: Iterable[str] = (),
    fail_on_warn: bool = False,
) -> RunDiff:
    """Compare a candidate run with a baseline run of the same decision, case by case.

    Everything of both runs that can be derived is derived again first. Base cases are matched by id, and every metric
    is computed again over those that both runs have. Nothing is asked of a model.

    Args:
        baseline: the run directory that is compared with.
        candidate: the one that is judged.
        contract: a contract of the same decision, whose ``regression``, ``evaluation`` and ``statistics`` hold; that of
            the candidate by default.
        segment_by: metadata keys whose values make segments, instead of the contract's ``regression.segment_by``.
        fail_on_warn: whether a warning makes the exit code 1.

    Raises:
        UsageError: there is no run, it is one of a check, the two have other decisions, or no case in common; or no
            case has a key of ``segment_by``.
        ContractError: the contract is wrong.
        DataError: a value that should make a segment is an object, a list, or a long text.
        IntegrityError: a run is unfinished, damaged, or contradicts itself.
    """
    paths = [Path(run.path) if isinstance(run, Run) else Path(run) for run in (baseline, candidate)]
    runs = [StoredRun.load(path) for path in paths]
    chosen = runs[CANDIDATE].contract
    _refuse_other_decision(runs[BASELINE].contract.decision, chosen.decision, "the baseline", "the candidate")
    if contract is not None:
        source, _ = read_source(contract)
        _refuse_other_decision(chosen.decision, source.contract.decision, "the runs", "this contract", source.file)
        chosen = source.contract
    asked = [segment_by] if isinstance(segment_by, str) else list(dict.fromkeys(segment_by))
    keys = asked or list(dict.fromkeys(chosen.regression.segment_by))
    comparison = _compare(runs, chosen, keys)
    if not comparison.matched:
        raise _nothing_in_common(paths, comparison)
    if missing := [key for key in comparison.segments.absent() if key in asked]:
        message = f"no matched case has {missing[0]!r} in its metadata"
        raise UsageError.of("unknown_segment", message, path="segment_by", hint="name a key that cases have")
    report = _report(runs, chosen, comparison, fail_on_warn=fail_on_warn, given=contract is not None, keys=keys)
    report["observed"] |= {side: os.fspath(path) for side, path in zip(_SIDES, paths, strict=True)}
    return RunDiff(report)


def _compare(runs: Sequence[StoredRun], contract: Contract, keys: Sequence[str]) -> RunComparison:
    """Match the answers of both runs, sorted on disk where they are many."""
    labels = contract.decision.label_order
    comparison = RunComparison(contract, keys)
    # The root of a data set was derived again from the records; that of a manifest is only declared.
    same = _root(runs[BASELINE]) == _root(runs[CANDIDATE]) is not None
    with closing(SortedSpool()) as spool:
        for side, run in enumerate(runs):
            wanted, file = keys if side == CANDIDATE else (), run.records_file
            for number, line in _checked_lines(run):
                if _DECISION not in line:
                    continue
                record = parse_canonical(line, file=file, line=number)
                if record["kind"] == "decision":
                    try:
                        spool.append(answer_line(side, number, record, labels, wanted, same_inputs=same))
                    except DataError as error:
                        raise error.located(file=file) from None
        for case in compared_cases(spool):
            comparison.add(case)
    return comparison


def _root(run: StoredRun) -> str | None:
    """The root of a data set, which proves its cases; None of a manifest."""
    dataset = run.identity.dataset
    return None if dataset is None else str(dataset["root"])


def _checked_lines(run: StoredRun) -> Iterator[tuple[int, bytes]]:
    """The lines of a run's records.

    Raises:
        IntegrityError: behind the last one, if the file is not the one that was checked.
    """
    hasher = Hasher()
    for number, line in run.lines():
        hasher.update(line + b"\n")
        yield number, line
    stored, found = run.digests.summary()["sha256"], hasher.digest()
    if stored != found:
        raise IntegrityError(contradiction(run.report_file, None, "$.records.sha256", stored, found))


def _inputs(run: StoredRun, lines: set[int]) -> dict[int, ShownInput]:
    """The inputs of the records on these lines, no more of each than is shown."""
    if not lines:
        return {}
    return {number: ShownInput.of(line) for number, line in _checked_lines(run) if number in lines}


def _changes(runs: Sequence[StoredRun], comparison: RunComparison) -> JsonObject:
    """The changed cases, those that are listed with their inputs, which are read once more."""
    first = comparison.changes.first()
    # That of the baseline is shown only where it is another one.
    wanted = (
        {change.baseline.line for change in first if change.has_other_input},
        {change.candidate.line for change in first},
    )
    inputs = [_inputs(run, lines) for run, lines in zip(runs, wanted, strict=True)]

    def entry(change: Change) -> JsonObject:
        was, now = inputs[BASELINE].get(change.baseline.line), inputs[CANDIDATE][change.candidate.line]
        return comparison.changes.entry(change, was if change.has_other_input else None, now)

    return {
        "count": comparison.changes.count,
        "by_kind": comparison.changes.by_kind(),
        "first": [entry(change) for change in first],
    }


def _report(
    runs: Sequence[StoredRun],
    contract: Contract,
    comparison: RunComparison,
    *,
    fail_on_warn: bool,
    given: bool,
    keys: Sequence[str],
) -> JsonObject:
    checks = comparison.checks()
    # Two runs of which no case can be compared show nothing, whatever the gates make of it.
    nothing = not comparison.compared
    status = "error" if nothing else status_of(checks)
    logical = "error" if nothing else status_of([check for check in checks if not check.observed])
    first, second = (_identity(run) for run in runs)
    report: JsonObject = {
        "schema": SCHEMA,
        "status": status,
        "exit_code": exit_code_of(status, fail_on_warn=fail_on_warn),
        "logical_status": logical,
        "contract": {
            "name": contract.decision.name,
            "type": contract.decision.type,
            "labels": list(contract.decision.label_order),
            "schema_version": contract.schema_version,
            "digest": contract.digest,
            "of": "caller" if given else "candidate",
        },
        "settings": {
            "fail_on_warn": fail_on_warn,
            "confidence": contract.statistics.confidence,
            "judge": contract.statistics.judge,
            "segment_by": list(keys),
            "min_segment_size": contract.regression.min_segment_size,
        },
        "baseline": first,
        "candidate": second,
        "differences": [name for name in _COMPARED if _same_question(first, name) != _same_question(second, name)],
        **comparison.derived(),
        "checks": [check.to_json() for check in checks],
        "changes": _changes(runs, comparison),
        "observed": {
            "created_at": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "robust_version": __version__,
            "latency": comparison.latency(),
        },
    }
    return {**report, "digest": diff_digest(report)}


# What two runs may differ in, so that it is said.
_COMPARED: Final = ("contract", "cases", "seed", "mode", "backend")


def _identity(run: StoredRun) -> JsonObject:
    """What a run was made of, and the digests of what it came to."""
    report = run.report
    return {
        "status": report["status"],
        "mode": report["mode"],
        "contract": report["contract"]["digest"],
        "manifest": report["manifest"],
        "dataset": report["dataset"],
        "seed": report["seed"],
        "backend": report["backend"],
        "cases": report["counts"]["cases"],
        "evidence_digest": report["evidence_digest"],
        "answers_digest": report["answers_digest"],
        "digest": report["digest"],
    }


def _same_question(identity: JsonObject, name: str) -> Any:
    """What is compared of a run; a set of cases is the same whatever its file is called."""
    if name != "cases":
        return identity[name]
    manifest, dataset = identity["manifest"], identity["dataset"]
    return (manifest["digest"], manifest["split"]) if manifest is not None else dataset["root"]


def _refuse_other_decision(
    first: DecisionSpec, second: DecisionSpec, one: str, other: str, file: str | None = None
) -> None:
    """Raise UsageError where two decisions are not the same question with the same labels in the same order."""
    problems = []
    for name, was, now in (
        ("name", first.name, second.name),
        ("type", first.type, second.type),
        ("labels", first.label_order, second.label_order),
    ):
        if was == now:
            continue
        reordered = name == "labels" and sorted(was) == sorted(now)
        message = f"{one} decide {_shown(was)}, {other} {_shown(now)}" if one.endswith("s") else ""
        message = message or f"{one} decides {_shown(was)}, {other} {_shown(now)}"
        hint = "only runs of one decision can be compared"
        if reordered:
            hint = "the order of the labels is part of a decision: of equal probabilities the first label is selected"
        path = f"decision.{name}"
        problems.append(Problem(code="other_decision", message=message, file=file, path=path, hint=hint))
    if problems:
        raise UsageError(*problems)


def _shown(value: str | tuple[str, ...]) -> str:
    text = value if isinstance(value, str) else " | ".join(value)
    return repr(text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…")


def _nothing_in_common(paths: Sequence[Path], comparison: RunComparison) -> UsageError:
    ids = [", ".join(map(repr, comparison.unmatched[side][:_MOST_NAMED])) for side in _SIDES]
    message = f"no case of it is in the baseline {os.fspath(paths[BASELINE])}: its ids are {ids[1]} …, there {ids[0]} …"
    hint = "cases are matched by id; compare two runs over the same cases"
    return UsageError.of("no_matched_case", message, file=os.fspath(paths[CANDIDATE]), hint=hint)
