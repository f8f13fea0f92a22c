"""Rows B8 to B12: models behind an address that answer badly, over real sockets, through whole runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from robust import Run, run_contract, verify
from robust.canon import JsonObject
from robust.errors import BackendError
from robust.render.formats import FORMATS
from tests.faults import FAULTS, body, changed, probabilities, redirect_to, status
from tests.raw_server import answer, raw_server
from tests.run_fixtures import contract_of, logical_records, numbers, robust
from tests.servers import chat_server, decision_server, systemone_server

# Quotation marks and backslashes are written differently in JSON, in Python and in addresses.
HUSH = "not-to-be-told-77\"q'\\w+/="
BEARER = {"bearer_token_env": "NETWORK_TEST_TOKEN"}


def _run(folder: Path, provider: str, url: str, texts: tuple[str, ...] = ("total 30",), **settings: Any) -> Run:
    named = {} if provider == "http" else {"model": "m", "instructions": "Is it over 1000?"}
    contract = contract_of(
        backend={"provider": provider, "url": url, **named, **settings}, requirements={"max_error_rate": 1}
    )
    return run_contract(contract, dataset=numbers(*texts), output=folder / "run", overwrite=True)


def _record(folder: Path, provider: str, url: str, **settings: Any) -> JsonObject:
    """The one record of a run over one case; the run verifies."""
    finished = _run(folder, provider, url, **settings)
    assert verify(finished.path).holds
    (record,) = finished.records()
    return record


NEVER_A_RESULT = ["html", "extra-label", "missing-label", "text-numbers", "booleans", "percent", "nulls", "negative"]
NEVER_A_RESULT += ["nan", "infinite", "duplicate-key", "deep", "empty", "list", "204", "206", "latin-1", "bomb"]
NEVER_A_RESULT += ["gzip-cut", "gzip-more", "gzip-twice", "brotli"]


@pytest.mark.parametrize("fault", NEVER_A_RESULT)
def test_b8_what_is_no_answer_is_never_parsed_into_a_result(tmp_path: Path, fault: str) -> None:
    """HTML with status 200, an extra label, "0.96", true, percentages and their like: invalid_response, and exit 2."""
    with decision_server() as server:
        record = _record(tmp_path, "http", server.at(fault))
    assert record["error"] == {"kind": "invalid_response"}
    assert "result" not in record
    assert ("divided by 100" in record["observed"]["message"]) == (fault == "percent")


WHOLE = b'{"probabilities": {"yes": 1, "no": 0}}'
CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n%x\r\n" % len(WHOLE)


@pytest.mark.parametrize("steps", [[answer(WHOLE, length=500)], [CHUNKED, WHOLE, b"\r\n"]])
def test_b8_a_body_cut_short_is_unavailable(tmp_path: Path, steps: list[object]) -> None:
    """Even where what came would be an answer."""
    with raw_server(steps) as server:
        record = _record(tmp_path, "http", server.address)
    assert record["error"] == {"kind": "unavailable"}


def test_b8_when_every_answer_is_bad_the_run_ends_with_2_and_says_why(tmp_path: Path) -> None:
    """And when only one is, the others count."""
    with decision_server() as server:
        finished = _run(tmp_path, "http", server.at("html"), ("total 30", "total 31"))
        assert (finished.exit_code, finished.status) == (2, "error")
        server.script.extend([body(b"<html>", "text/html")])
        finished = _run(tmp_path, "http", server.url, ("total 30", "total 31"), timeout_s=20)
    assert finished.exit_code == 0
    assert sorted(str(record.get("error")) for record in finished.records()) == ["None", "{'kind': 'invalid_response'}"]


def test_b9_a_redirect_is_not_followed_and_no_credential_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither to another origin nor within its own."""
    monkeypatch.setenv("NETWORK_TEST_TOKEN", HUSH)
    with decision_server() as server, decision_server() as other:
        for target in (other.url, server.url, "//evil.invalid/"):
            server.fault = redirect_to(target)
            record = _record(tmp_path, "http", server.url, max_retries=2, **BEARER)
            assert record["error"] == {"kind": "backend_error"}
            assert record["observed"]["status"] == 307
        assert other.seen == []
        assert len(server.seen) == 3


def _assert_untold(where: str, content: bytes) -> None:
    for start in range(len(HUSH) - 7):
        assert HUSH[start : start + 8].encode() not in content, where


@pytest.mark.parametrize("provider", ["http", "systemone", "openai"])
def test_b10_a_token_that_is_echoed_is_nowhere(tmp_path: Path, provider: str) -> None:
    """Not in records, report, cache, output, messages, tracebacks or any format, whole or in part, nor in any file."""
    servers = {"http": decision_server, "systemone": systemone_server, "openai": chat_server}
    bearer = "api_key_env" if provider == "openai" else "bearer_token_env"
    faults = [FAULTS[name] for name in ("echo", "echo-label", "echo-text", "500")]
    cases = numbers(*(f"total {number}" for number, _ in enumerate(faults)))
    rows = [json.dumps({"id": case.case_id, "input": case.input}) for case in cases]
    (tmp_path / "cases.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    with servers[provider]() as server:
        backend = {"provider": provider, "url": server.url, bearer: "NETWORK_TEST_TOKEN"}
        backend |= {} if provider == "http" else {"model": "m", "instructions": "Is it over 1000?"}
        contract = contract_of(backend=backend, dataset="cases.jsonl", requirements={"max_error_rate": 1})
        (tmp_path / "contract.json").write_text(json.dumps(contract), encoding="utf-8")
        server.script.extend(faults)
        environment = {"NETWORK_TEST_TOKEN": HUSH, "ROBUST_DEBUG": "1"}
        command = ("run", "contract.json", "-o", "out", "--cache", "cache.sqlite", "--max-concurrency", "1")
        done = robust(*command, cwd=tmp_path, env=environment)
        assert [seen.headers["authorization"] for seen in server.seen] == [f"Bearer {HUSH}"] * len(faults)
    assert done.returncode == 0, done.stderr
    kinds = json.loads((tmp_path / "out" / "report.json").read_bytes())["errors_by_kind"]
    assert kinds
    # Also by a process that knows the token, which could find it in what it reads and not hide it.
    shown = {name: robust("report", "out", "-f", name, cwd=tmp_path, env=environment) for name in FORMATS}
    for shape, form in shown.items():
        assert (form.returncode, form.stderr) == (0, "")
        saved = robust("report", "out", "-f", shape, "-o", f"report.{shape}", cwd=tmp_path)
        assert (saved.returncode, saved.stderr) == (0, "")
        assert all(kind in form.stdout for kind in kinds), shape
        _assert_untold(shape, form.stdout.encode())
    written = {path.name: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert {"records.jsonl", "cache.sqlite", *(f"report.{name}" for name in FORMATS)} <= set(written)
    assert b"[redacted]" in written["records.jsonl"]
    for name, content in {**written, "stdout": done.stdout.encode(), "stderr": done.stderr.encode()}.items():
        _assert_untold(name, content)


def test_b10_a_token_is_nowhere_in_what_is_printed_when_nothing_can_be_answered(tmp_path: Path) -> None:
    """A traceback shows where, not what; an unhealthy server says nothing of what it was sent."""
    with decision_server() as server:
        health = f"{server.health_url}?fault=500"
        backend = {
            "provider": "http",
            "url": server.url,
            "health_url": health,
            "bearer_token_env": "NETWORK_TEST_TOKEN",
        }
        contract = contract_of(backend=backend, dataset="cases.jsonl", requirements={"max_error_rate": 1})
        (tmp_path / "contract.json").write_text(json.dumps(contract), encoding="utf-8")
        (tmp_path / "cases.jsonl").write_text('{"id": "a", "input": "total 1"}\n', encoding="utf-8")
        environment = {"NETWORK_TEST_TOKEN": HUSH, "ROBUST_DEBUG": "1"}
        done = robust("run", "contract.json", "-o", "out", cwd=tmp_path, env=environment)
        assert [seen.path for seen in server.seen] == ["/health"]
    assert done.returncode == 2
    assert "not healthy" in done.stderr
    _assert_untold("output", (done.stdout + done.stderr).encode())


def test_b10_a_missing_token_is_named_before_anything_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And it ends the run, for no case can be answered."""
    monkeypatch.delenv("NETWORK_TEST_TOKEN", raising=False)
    with decision_server() as server:
        with pytest.raises(BackendError) as caught:
            _run(tmp_path, "http", server.url, ("total 30", "total 31"), **BEARER)
        assert server.seen == []
    assert "NETWORK_TEST_TOKEN is not set" in str(caught.value)
    assert caught.value.exit_code == 2


def test_b11_a_label_outside_the_returned_tokens_is_an_invalid_response(tmp_path: Path) -> None:
    """No mass is invented for it; with all labels there, it is a result."""

    def without_b(full: JsonObject) -> None:
        content = full["choices"][0]["logprobs"]["content"][0]
        content["top_logprobs"] = [each for each in content["top_logprobs"] if "B" not in each["token"]]

    with chat_server() as server:
        record = _record(tmp_path, "openai", server.url, api_key_env=None)
        assert "error" not in record
        assert record["observed"]["label_mass"] == pytest.approx(0.95)
        server.fault = changed(without_b)
        record = _record(tmp_path, "openai", server.url, api_key_env=None)
    assert record["error"] == {"kind": "invalid_response"}
    assert "option B is not among the tokens returned" in record["observed"]["message"]


@pytest.mark.parametrize(
    ("yes", "no", "accepted"),
    [(0.5, 0.499, True), (0.5, 0.501, True), (0.501, 0.5, True), (0.5, 0.4989, False), (0.5, 0.5011, False)],
)
def test_b12_the_tolerance_is_inclusive_on_both_sides(tmp_path: Path, yes: float, no: float, accepted: bool) -> None:
    """0.999 and 1.001 in sum are both accepted at 0.001, and nothing is rescaled."""
    with decision_server() as server:
        server.fault = probabilities(lambda _: {"yes": yes, "no": no})
        record = _record(tmp_path, "http", server.url)
    assert ("error" not in record) == accepted
    if accepted:
        assert record["result"]["probabilities"] == {"yes": yes, "no": no}


def test_retries_change_nothing_but_what_was_observed(tmp_path: Path) -> None:
    """The records of a run with and without failures in between are the same."""
    texts = tuple(f"total {number}" for number in range(30, 42))
    with decision_server() as server:
        plain = logical_records(_run(tmp_path, "http", server.url, texts, max_retries=2, retry_backoff_s=0))
        server.script.extend([status(503), None, status(502, retry_after="0"), status(504)])
        again = _run(tmp_path, "http", server.url, texts, max_retries=2, retry_backoff_s=0)
        assert logical_records(again) == plain
        attempts = [record["observed"]["attempts"] for record in again.records()]
        assert sum(attempts) == len(texts) + 3
