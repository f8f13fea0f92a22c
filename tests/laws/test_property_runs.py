"""Laws of runs with properties: neither timing, nor concurrency, nor an interruption leaves a trace in the records."""

from __future__ import annotations

import asyncio
import hashlib
import random
from pathlib import Path
from typing import Any

import pytest

from robust import CallableBackend, Case, DecisionRequest, OracleVerdict, Run, RunInterrupted, verify
from robust.canon import JsonObject
from tests.property_runs import FLIP, Judge, contract, install_words, words
from tests.run_fixtures import logical, logical_records, numbers, sure
from tests.run_fixtures import run as run_contract_of

LIMITS: JsonObject = {**FLIP, "max_tv_distance": 0.3, "samples": 2}
CASES = [*numbers(*(f"The number is {n}. It was read." for n in range(8))), Case({"n": 1}, case_id="z", source_id="z")]


def _properties(folder: Path) -> JsonObject:
    texts = {f"The number is {n}. It was read.": [f"It reads {n}.", f"We read {n}."] for n in range(8)}
    texts["The number is 3. It was read."] = "fail"  # type: ignore[assignment]
    house = {"oracle": {"provider": "house"}}
    return {
        "option_order": {**LIMITS, "oracle": "builtin"},
        "label_format": {**LIMITS, "oracle": "builtin"},
        "irrelevant_context": {**LIMITS, "insertions": 3, **house},
        "whitespace": {**LIMITS, "trials": 2, **house},
        "paraphrase": {**LIMITS, "source": words(folder, texts, kept=True), **house},
    }


def answer_of(request: DecisionRequest) -> Any:
    """An answer that follows from what is asked and which time; now and then an error."""
    asked = repr((request.case_id, request.input, request.decision.labels, request.trial)).encode()
    draw = hashlib.sha256(asked).digest()
    if draw[0] < 12:
        raise ConnectionError("down")
    share = sure("yes", (draw[1] % 100) / 100)["yes"]
    first = next(label for label in request.decision.labels if "yes" in label.lower())
    return {label: share if label == first else 1 - share for label in request.decision.labels}


class Strict(Judge):
    """An oracle that refuses some and leaves some undecided, by their texts."""

    def __call__(self, base: Case, candidate: Case) -> OracleVerdict:
        """Judge by the digest of what is shown."""
        draw = hashlib.sha256(repr(candidate.input).encode()).digest()[0]
        return OracleVerdict(None if draw < 20 else draw > 60, "as it is", evidence={"draw": draw})


def _run(folder: Path, model: Any, at_once: int, name: str, **options: Any) -> Run:
    made = contract(_properties(folder), {"policy": "required"}, noise={"baseline_runs": 3})
    return run_contract_of(
        folder,
        CallableBackend(model, model="m", version="1"),
        name=name,
        contract=made,
        dataset=CASES,
        oracles={"house": Strict()},
        max_concurrency=at_once,
        **options,
    )


def _same(one: Run, other: Run) -> None:
    assert logical_records(one) == logical_records(other)
    reports = [logical(finished.report) for finished in (one, other)]
    for report in reports:
        # The digest of the file's bytes is over what was observed, too.
        report["records"] = {key: value for key, value in report["records"].items() if key != "sha256"}
        report.pop("digest")
    assert reports[0] == reports[1]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a package that brings a paraphraser."""
    install_words(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_b7_records_do_not_depend_on_concurrency_or_delays(folder: Path) -> None:
    """B7: one at a time, and sixteen at once with random delays: equal records, report and digests."""

    async def slow(request: DecisionRequest) -> Any:
        await asyncio.sleep(random.random() / 500)
        return answer_of(request)

    serial, parallel = _run(folder, answer_of, 1, "serial"), _run(folder, slow, 16, "parallel")
    _same(serial, parallel)
    kinds = {(record["kind"], record.get("error", {}).get("kind")) for record in serial.records()}
    assert {("skip", None), ("pair", "paraphrase_error"), ("pair", "exception"), ("pair", None)} <= kinds
    pairs = [record for record in serial.records() if record["kind"] == "pair"]
    statuses = {(pair["validation"] or {}).get("status") for pair in pairs}
    assert statuses == {None, "valid", "invalid", "unknown"}
    assert any(pair["reduced"] for pair in pairs)
    assert verify(parallel.path).holds


@pytest.mark.parametrize("stops", [(5,), (40, 70), (3, 30, 60, 90, 120)])
def test_b4_an_interrupted_run_goes_on_to_the_same_records(folder: Path, stops: tuple[int, ...]) -> None:
    """B4: wherever, and however often; what was answered or worded is not asked for again."""
    calls = 0
    asked: list[Any] = []

    def model(request: DecisionRequest) -> Any:
        nonlocal calls
        calls += 1
        if calls in stops:
            raise KeyboardInterrupt
        given = answer_of(request)
        asked.append((request.case_id, repr(request.input), request.decision.labels, request.trial))
        return given

    for _ in stops:
        with pytest.raises(RunInterrupted):
            _run(folder, model, 1, "stopped")
        assert not (folder / "stopped" / "report.json").exists()
    continued = _run(folder, model, 1, "stopped")
    assert len(set(asked)) == len(asked)
    log = (folder / "asked.log").read_text(encoding="utf-8").splitlines()
    # What failed is asked for again, what was worded is not, but for the one that was in flight at each stop.
    worded = [text for text in log if "3" not in text]
    assert set(worded) == {text for case in CASES if isinstance(text := case.input, str) and "3" not in text}
    assert len(worded) - len(set(worded)) <= len(stops)
    _same(_run(folder, answer_of, 4, "whole"), continued)
    assert verify(continued.path).holds


def test_a_run_of_an_inline_model_has_the_records_of_any_other(folder: Path) -> None:
    """Whether it is called on the loop, in threads, or as a coroutine."""
    inline = CallableBackend(answer_of, model="m", version="1", inline=True)
    made = contract(_properties(folder), {"policy": "required"}, noise={"baseline_runs": 3})
    finished = run_contract_of(folder, inline, name="inline", contract=made, dataset=CASES, oracles={"house": Strict()})
    _same(_run(folder, answer_of, 8, "threads"), finished)
