"""Work that several processes share comes out as it does in one, and is refused where it would be refused in one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import PurePath

import pytest

from robust import run_contract
from robust.app.crew import CheckOrders, ProcessCrew, RunOrders, inline_work
from robust.app.running import Run
from robust.canon import JsonObject, canonical_bytes
from robust.errors import BackendError, IntegrityError
from robust.records.case import Case
from robust.records.contract import Contract
from robust.run.burst import Burst
from robust.run.derive import RunChecker
from robust.run.derive_parts import SharedRunChecker
from robust.run.inline import DecisionTask, PairTask
from robust.run.pieces import pieces_of_case
from robust.run.report import RunIdentity
from robust.store.contracts import read_contract
from robust.store.runs import RunReader

TOPICS = ("parcel", "invoice", "login", "refund")
CASES = [
    Case(
        f"The {TOPICS[number % 4]} of order {number} is wrong. Please look at it today! I wait for an answer.",
        ("bill", "ship")[number % 2],
        case_id=f"c{number:04}",
        source_id=f"s{number % 30}",
        metadata={"number": number},
    )
    for number in range(300)
]
PROPERTIES: JsonObject = {
    "option_order": {"samples": 2, "max_tv_distance": 0.15, "max_flip_rate": 0},
    "whitespace": {"samples": 2, "max_tv_distance": 0, "level": "warning"},
    "irrelevant_context": {"samples": 1, "max_tv_distance": 0.5},
}


def contract(**changes: object) -> Contract:
    """A contract whose mock model has a bias for what is shown first, so that some pairs fail."""
    rules = [{"contains": "login", "probabilities": {"bill": 0.5, "ship": 0.45, "rest": 0.05}}]
    return read_contract(
        {
            "schema_version": "1",
            "decision": {"name": "desk", "type": "choice", "options": ["bill", "ship", "rest"]},
            "backend": {"provider": "mock", "seed": 3, "rules": rules, "position_bias": 0.1},
            "properties": PROPERTIES,
            "oracles": {"policy": "assumed"},
            **changes,
        }
    )


def orders(chosen: Contract) -> RunOrders:
    return RunOrders(chosen, None, PurePath(), "all", 0, len(CASES))


def tasks() -> Iterator[DecisionTask | PairTask]:
    """Decisions, and then pairs, in several parts."""
    lines = [pieces_of_case(case).line() for case in CASES]
    for start in range(0, 300, 100):
        yield DecisionTask(tuple(lines[start : start + 100]))
    for start in range(0, 300, 50):
        yield PairTask(start, tuple(lines[start : start + 50]), ((0.5, 0.3, 0.2),) * 49 + (None,))


def said(burst: Burst) -> list[object]:
    """All that a burst says, but for how long calls took."""
    records = [json.loads(line) for line in burst.lines.splitlines()]
    counted = [(name, counts.__dict__) for name, counts in burst.tally.pairs.items()]
    evidence = [canonical_bytes({**record, "observed": {}}) for record in records]
    rows = (burst.size, burst.errors, burst.calls, burst.tally.rows, burst.tally.case_ids)
    return [evidence, burst.evidence, burst.answers, rows, counted, burst.tally.failures.to_json()]


@pytest.mark.parametrize("policy", [{"policy": "assumed"}, {"default": {"provider": "builtin"}}])
def test_what_processes_do_is_what_one_does(policy: JsonObject) -> None:
    """Task by task, in the order of the tasks, with and without oracles."""
    chosen = contract(oracles=policy)
    alone = inline_work(orders(chosen))
    crew = ProcessCrew(orders(chosen), 2)
    try:
        together = list(crew.bursts(tasks()))
    finally:
        crew.close()
    assert [said(burst) for burst in together] == [said(alone.do(task)) for task in tasks()]


def test_an_error_of_a_process_is_raised_by_the_one_who_asked() -> None:
    """A contract whose backend comes from Python cannot be built there."""
    chosen = contract(backend={"provider": "callable"})
    with pytest.raises(Exception, match="comes from Python"):
        ProcessCrew(orders(chosen), 1)


def test_a_process_that_is_killed_ends_the_work() -> None:
    """Nothing waits for it for ever."""
    crew = ProcessCrew(orders(contract()), 1)
    try:
        results = crew.bursts(tasks())
        assert next(results).size == 100
        crew._members[0].process.kill()
        with pytest.raises(BackendError, match=r"ended|does not read"):
            list(results)
    finally:
        crew.close()


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A finished run of 300 cases and their pairs, some of which fail and are made smaller."""
    return run_contract(contract(), dataset=CASES, output=tmp_path_factory.mktemp("crew") / "run")


@pytest.fixture(scope="module")
def crew(finished: Run) -> Iterator[ProcessCrew]:
    """Two processes that check parts of that run."""
    reader = RunReader(finished.path)
    identity = RunIdentity.of_report(reader.report())
    made = ProcessCrew(CheckOrders(read_contract(reader.contract()), "all", 0, identity.backend), 2)
    yield made
    made.close()


Lines = list[tuple[int, bytes]]


def outcome(finished: Run, lines: Lines, crew: ProcessCrew | None) -> list[tuple[str, int | None, str | None]]:
    """What is wrong with records: code, line and path of each problem."""
    reader = RunReader(finished.path)
    report = reader.report()
    chosen, identity = read_contract(reader.contract()), RunIdentity.of_report(report)
    settings: JsonObject = {
        "mode": "all",
        "seed": 0,
        "backend": identity.backend,
        "file": "records.jsonl",
        "report_file": "report.json",
        "ordered": False,
    }
    if crew is None:
        checker = RunChecker(chosen, **settings)
    else:
        checker = SharedRunChecker(chosen, **settings, crew=crew, cases=len(CASES))
    try:
        checker.read(lambda: iter(lines))
        checker.compare(report, identity)
    except IntegrityError as error:
        return [(item.code, item.line, item.path) for item in error.problems]
    return [(item.code, item.line, item.path) for item in checker.problems]


def test_a_run_that_follows_is_found_so_by_all(finished: Run, crew: ProcessCrew) -> None:
    """With failures and reduced forms in it."""
    assert finished.report["failures"]["by_kind"].keys() >= {"option_order"}
    assert finished.report["properties"]["option_order"]["reduced"] > 0
    lines = list(RunReader(finished.path).records())
    assert outcome(finished, lines, None) == outcome(finished, lines, crew) == []


def _edited(line: bytes) -> bytes:
    data = json.loads(line)
    result = data["result"]
    first, second, *_ = result["probabilities"]
    result["probabilities"][first], result["probabilities"][second] = (
        result["probabilities"][second],
        result["probabilities"][first],
    )
    return canonical_bytes(data)


FORGERIES: dict[str, Callable[[Lines, int], Lines]] = {
    "edited": lambda lines, at: [*lines[:at], (at + 1, _edited(lines[at][1])), *lines[at + 1 :]],
    "left out": lambda lines, at: [*lines[:at], *lines[at + 1 :]],
    "doubled": lambda lines, at: [*lines[: at + 1], *lines[at:]],
    "exchanged": lambda lines, at: [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]],
    "spaced": lambda lines, at: [*lines[:at], (at + 1, lines[at][1].replace(b":", b": ", 1)), *lines[at + 1 :]],
    "cut off": lambda lines, at: lines[:at],
}


@pytest.mark.parametrize("how", FORGERIES)
@pytest.mark.parametrize("at", [1, 280, 302, 1700])
def test_what_one_refuses_all_refuse(finished: Run, crew: ProcessCrew, how: str, at: int) -> None:
    """Decisions and pairs in the first, a middle and the last part, whatever is done to them."""
    lines = list(RunReader(finished.path).records())
    assert len(lines) > 1702
    forged = FORGERIES[how](lines, at)
    alone, together = outcome(finished, forged, None), outcome(finished, forged, crew)
    assert alone != []
    assert together != []
    assert {code for code, _, _ in alone} & {code for code, _, _ in together}
