"""The same contract, cases and answers give the same records, at any concurrency, order and speed (B7)."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from robust import CallableBackend, Case, DecisionRequest, Manifest, Run
from tests.run_fixtures import logical, logical_records, manifest_of, numbers, right_answer, right_model, run, sure

TEXTS = [f"number {n * 37 % 2100}" for n in range(60)]
VARIANTS = {text: [(f"{text} ", "invariant"), (f" {text}", "invariant")] for text in dict.fromkeys(TEXTS)}
PROPERTY: dict[str, Any] = {"variants": {"max_flip_rate": 0.5}}


class _Gauge:
    """Counts how many calls are in flight, and the most there ever were."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now = self.most = 0

    def __enter__(self) -> None:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._now -= 1


def _answer(request: DecisionRequest) -> dict[str, float]:
    # Wrong, odd or failing for some inputs, so that every kind of record occurs.
    seed = len(str(request.input)) * 7 + sum(map(ord, str(request.input)))
    if seed % 11 == 0:
        raise ConnectionError(f"no answer to {request.case_id}")
    return sure(right_answer(request.input), 0.1 if seed % 5 == 0 else 0.9)


def _plain(gauge: _Gauge) -> Callable[[DecisionRequest], Any]:
    return _answer


def _slow(gauge: _Gauge) -> Callable[[DecisionRequest], Any]:
    def model(request: DecisionRequest) -> dict[str, float]:
        with gauge:
            time.sleep(random.random() / 200)
            return _answer(request)

    return model


def _slow_async(gauge: _Gauge) -> Callable[[DecisionRequest], Any]:
    async def model(request: DecisionRequest) -> dict[str, float]:
        with gauge:
            await asyncio.sleep(random.random() / 200)
            return _answer(request)

    return model


def _awaitable(gauge: _Gauge) -> Callable[[DecisionRequest], Any]:
    # A plain function that returns an awaitable is awaited too.
    inner = _slow_async(gauge)

    def model(request: DecisionRequest) -> Any:
        return inner(request)

    return model


def _run(folder: Path, model: Callable[[DecisionRequest], Any], at_once: int, manifest: Manifest) -> Run:
    backend = CallableBackend(model, model="m")
    return run(folder, backend, name=f"at-{at_once}", manifest=manifest, properties=PROPERTY, max_concurrency=at_once)


@pytest.mark.parametrize("make", [_slow, _slow_async, _awaitable], ids=["threads", "coroutines", "awaitables"])
def test_records_do_not_depend_on_concurrency_or_delays(tmp_path: Path, make: Callable[[_Gauge], Any]) -> None:
    """B7: sixteen at once with random delays, and one by one without: equal records, report and digests."""
    gauge = _Gauge()
    manifest = manifest_of(VARIANTS)
    serial = _run(tmp_path, _plain(gauge), 1, manifest)
    parallel = _run(tmp_path, make(gauge), 16, manifest)
    assert logical_records(parallel) == logical_records(serial)
    kinds = {record.get("error", {}).get("kind") for record in serial.records()}
    assert kinds == {None, "exception", "original_error"}
    reports = [logical(finished.report) for finished in (serial, parallel)]
    for report in reports:
        report["records"] = {key: value for key, value in report["records"].items() if key != "sha256"}
        report.pop("digest")
    assert reports[0] == reports[1]
    assert 8 <= gauge.most <= 16


def test_no_more_calls_are_in_flight_than_the_contract_allows(tmp_path: Path) -> None:
    """Its own setting counts where the call gives none."""
    gauge = _Gauge()
    run(
        tmp_path,
        CallableBackend(_slow(gauge)),
        dataset=numbers(*TEXTS),
        evaluation={"max_concurrency": 3},
        requirements={"min_accuracy": 0},
    )
    assert gauge.most == 3


def test_the_order_in_which_a_manifest_was_built_leaves_no_trace(tmp_path: Path) -> None:
    """Shuffled cases and validations: the same manifest, records and evidence."""
    entries = list(VARIANTS.items())
    straight = manifest_of(VARIANTS)
    cases, records = list(straight.cases), list(straight.validations)
    random.Random(5).shuffle(cases)
    random.Random(6).shuffle(records)
    shuffled = Manifest.build("numbers over the limit", cases=cases, validations=records)
    assert len(entries) > 40
    assert shuffled.digest == straight.digest
    finished = [_run(tmp_path / name, _answer, 4, item) for name, item in (("a", straight), ("b", shuffled))]
    assert logical_records(finished[0]) == logical_records(finished[1])
    assert finished[0].report["evidence_digest"] == finished[1].report["evidence_digest"]


def test_answers_are_compared_whoever_gave_them(tmp_path: Path) -> None:
    """answers_digest is equal for two models that answer alike, evidence_digest is not."""
    cases = numbers("number 5", "number 5000")
    first = run(tmp_path, CallableBackend(right_model, name="one", model="a"), name="1", dataset=cases)
    second = run(tmp_path, CallableBackend(right_model, name="two", model="b", version="9"), name="2", dataset=cases)
    other = run(tmp_path, CallableBackend(lambda request: sure("yes")), name="3", dataset=cases)
    assert first.report["answers_digest"] == second.report["answers_digest"] != other.report["answers_digest"]
    assert first.report["evidence_digest"] != second.report["evidence_digest"]


def test_a_data_set_is_known_by_what_it_says(tmp_path: Path) -> None:
    """Another file name, spelling or line end: the same evidence; another label: another."""
    row = '{"id": "a", "input": "number 5", "expected": "no"}'
    spellings = {
        "a.jsonl": row,
        "b.jsonl": row.replace(": ", ":") + "\r\n\r\n",
        "c.json": f"[{row}]",
        "d.csv": "id,input,expected\na,number 5,no\n",
    }
    digests = set()
    for name, text in spellings.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        digests.add(run(tmp_path, name=f"run-{name}", dataset=tmp_path / name).report["evidence_digest"])
    assert len(digests) == 1
    (tmp_path / "e.jsonl").write_text(row.replace('"no"', '"yes"'), encoding="utf-8")
    assert run(tmp_path, name="run-e", dataset=tmp_path / "e.jsonl").report["evidence_digest"] not in digests


def test_what_was_asked_is_part_of_the_evidence(tmp_path: Path) -> None:
    """Seed, contract and cases each change the digest."""
    cases = numbers("number 5", "number 5000")
    runs = [
        run(tmp_path, name="0", dataset=cases),
        run(tmp_path, name="1", dataset=cases, seed=1),
        run(tmp_path, name="2", dataset=cases, requirements={"min_accuracy": 0.1}),
        run(tmp_path, name="3", dataset=cases[:1]),
        run(tmp_path, name="4", dataset=[Case("number 5", "no", case_id="n1", source_id="other"), cases[1]]),
    ]
    assert len({finished.report["evidence_digest"] for finished in runs}) == 5


def test_a_run_works_inside_a_running_event_loop(tmp_path: Path) -> None:
    """As in a notebook; asynchronous models too."""

    async def inside() -> list[Run]:
        await asyncio.sleep(0)
        cases = numbers(*TEXTS)
        return [
            run(tmp_path, CallableBackend(model), name=str(index), dataset=cases)
            for index, model in enumerate((_answer, _slow_async(_Gauge())))
        ]

    first, second = asyncio.run(inside())
    assert logical_records(first)[0]["result"]["probabilities"] == logical_records(second)[0]["result"]["probabilities"]
    assert first.report["answers_digest"] == second.report["answers_digest"]
