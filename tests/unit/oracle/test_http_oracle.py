"""Oracles that are services: asked by POST over real sockets, well-behaved and otherwise."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from robust import CaseError, HttpOracle, UsageError, all_of, validate_variants
from robust.canon import JsonObject, canonical_bytes
from robust.errors import BackendError
from tests.builders import CONTRACT, judged, pair, sum_case
from tests.faults import FAULTS, redirect_to
from tests.raw_server import RESET, answer, raw_server
from tests.servers import Server, first_label, running
from tests.validators import check_addition

ECHOED = "no-such-thing-8Zq1x"
SENT: Any = {"bearer_token_env": "ORACLE_TOKEN"}


def adds(asked: JsonObject, _: Any) -> JsonObject:
    """The right answer to both sums."""
    sums = [sum(int(word) for word in asked[side]["input"].strip("?").split() if word.isdigit()) for side in SIDES]
    return {
        "id": asked["id"],
        "valid": True,
        "reason": f"recomputed for {asked['contract']}",
        "base_expected": sums[0],
        "variant_expected": sums[1],
        "evidence": {"sums": sums},
    }


SIDES = ("base", "candidate")


@contextmanager
def service(protocol: Any = adds) -> Iterator[Server]:
    """An oracle service."""
    with running(Server(protocol, first_label)) as server:
        yield server


def oracle(url: str, **settings: Any) -> HttpOracle:
    return HttpOracle(url, **{"timeout_s": 20.0, "max_retries": 0, **settings})


@pytest.fixture(scope="module")
def adder() -> Iterator[Server]:
    """One that is shared; faults come by its address."""
    with service() as server:
        yield server


def test_a_service_can_be_an_oracle() -> None:
    """It is posted the question in canonical bytes, and judged like any other."""
    with service() as server, oracle(server.url, name="adder", version="3") as http:
        record = judged(http)
    assert record.status == "valid"
    assert record.data["verdict"]["reason"] == f"recomputed for {CONTRACT}"
    assert {key: record.data["oracle"][key] for key in ("name", "version", "source_sha256")} == {
        "name": "adder",
        "version": "3",
        "source_sha256": None,
    }
    [seen] = server.seen
    assert (seen.method, seen.headers["content-type"]) == ("POST", "application/json")
    assert seen.body == canonical_bytes(seen.json)
    assert (seen.json["protocol"], seen.json["relation"]) == ("robust.oracle/1", "counterfactual")
    assert seen.json["base"]["expected"] is None


def test_its_name_is_its_address_by_default(adder: Server) -> None:
    """Host and port, without path and query."""
    with oracle(f"{adder.url}?v=2") as http:
        assert judged(http).data["oracle"]["name"] == adder.address.removeprefix("http://")


def test_workers_ask_it_side_by_side_and_in_order(adder: Server) -> None:
    """Over as many connections, which are closed with the batch; it can be asked again after that."""
    cases = [(sum_case(), sum_case(f"v{n}", f"What is 2 plus {n + 5}?")) for n in range(40)]
    http = oracle(adder.url)
    for workers in (8, 1):
        settings: Any = {"contract": CONTRACT, "relation": "counterfactual", "validator": http, "workers": workers}
        found = list(validate_variants(cases, **settings))
        assert [record.data["verdict"]["variant_expected"] for record in found] == [n + 7 for n in range(40)]


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("500", "validator_error"),
        ("503", "validator_error"),
        ("206", "validator_error"),
        ("204", "verdict_malformed"),
        ("html", "verdict_malformed"),
        ("no-json", "verdict_malformed"),
        ("list", "verdict_malformed"),
        ("empty", "verdict_malformed"),
        ("deep", "verdict_malformed"),
        ("gzip-cut", "validator_error"),
        ("gzip-more", "validator_error"),
        ("gzip-damaged", "validator_error"),
        ("gzip-twice", "validator_error"),
        ("brotli", "validator_error"),
        ("bomb", "validator_error"),
        ("double-bomb", "validator_error"),
        ("endless", "validator_error"),
        ("echo-text", "verdict_malformed"),
    ],
)
def test_what_is_no_whole_answer_is_a_typed_failure(adder: Server, fault: str, code: str) -> None:
    """Of the pair, and never a verdict."""
    with oracle(adder.at(fault), max_response_bytes=2**20) as http:
        record = judged(http)
    assert (record.status, record.issues) == ("unknown", (code,))
    assert record.data["verdict"] is None


@pytest.mark.parametrize("fault", ["hang", "drip"])
def test_the_time_limit_is_for_the_whole_answer(adder: Server, fault: str) -> None:
    """A byte now and then does not extend it; the terms of the judgement go before the oracle's own."""
    with oracle(adder.at(fault), timeout_s=0.3) as http:
        assert judged(http).issues == ("validator_timeout",)
    with oracle(adder.at(fault), timeout_s=60.0) as http:
        record = judged(http, timeout_s=0.3)
    assert record.data["failures"][0]["detail"] == "no whole answer within 0.3 s"


def test_a_compressed_answer_is_read(adder: Server) -> None:
    """As what it becomes."""
    with oracle(adder.at("gzip")) as http:
        assert judged(http).status == "valid"


def test_an_answer_to_another_question_is_none() -> None:
    """Nor one without an id, or with fields that nobody knows."""
    for change, path in (({"id": "sha256:" + "0" * 64}, "$.id"), ({"sure": True}, "$.sure")):
        changed = partial(_changed, change)
        with service(changed) as server, oracle(server.url) as http:
            [failure] = judged(http).data["failures"]
        assert (failure["code"], failure["path"]) == ("verdict_malformed", path)
    refuses = service(lambda asked, _: {"id": asked["id"], "error": "no such locale"})
    with refuses as server, oracle(server.url) as http:
        [failure] = judged(http).data["failures"]
    assert (failure["code"], failure["detail"]) == ("validator_error", "no such locale")


def test_a_redirect_is_not_followed_and_sends_no_token_on(adder: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """To another origin or the same."""
    monkeypatch.setenv("ORACLE_TOKEN", ECHOED)
    with service() as elsewhere, service() as server, oracle(server.url, **SENT) as http:
        server.fault = redirect_to(elsewhere.url)
        record = judged(http)
        assert elsewhere.seen == []
        assert server.seen[0].headers["authorization"] == f"Bearer {ECHOED}"
    assert record.issues == ("validator_error",)
    assert "redirects are not followed" in record.data["failures"][0]["detail"]


def test_a_token_that_comes_back_is_nowhere(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Neither in reason, answers and evidence, nor in a failure, nor in what libraries log."""
    monkeypatch.setenv("ORACLE_TOKEN", ECHOED)
    caplog.set_level(logging.DEBUG)

    def echo(asked: JsonObject, _: Any) -> JsonObject:
        shown = f"you sent {ECHOED}"
        return {
            "id": asked["id"],
            "valid": True,
            "reason": shown,
            "base_expected": shown,
            "variant_expected": [shown],
            "evidence": {ECHOED: [shown]},
        }

    with service(echo) as server:
        for url in (server.url, server.at("echo-text"), server.at("echo")):
            with oracle(url, **SENT, headers_from_env={"X-Key": "ORACLE_TOKEN"}) as http:
                record = judged(http)
            assert ECHOED not in record.line().decode()
        assert server.seen[0].headers["x-key"] == ECHOED
    assert ECHOED not in caplog.text


def test_a_missing_credential_ends_the_batch_before_anything_is_sent(
    adder: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the name of its variable."""
    monkeypatch.delenv("ORACLE_TOKEN", raising=False)
    before = len(adder.seen)
    settings: Any = {"contract": CONTRACT, "relation": "counterfactual"}
    with pytest.raises(BackendError) as caught:
        validate_variants([pair()], validator=oracle(adder.url, **SENT), **settings)
    assert caught.value.problems[0].path == "oracle.bearer_token_env"
    assert len(adder.seen) == before


@pytest.mark.parametrize(
    ("url", "settings"),
    [
        ("ftp://host/", {}),
        ("http://", {}),
        ("http://user:hunter2hunter2@host/", {}),
        ("http://host/?api_key=hunter2hunter2", {}),
        ("http://host/", {"bearer_token_env": "not a name"}),
        ("http://host/", {"headers": {"Authorization": "Bearer hunter2hunter2"}}),
        ("http://host/", {"headers_from_env": {"Authorization": "A"}, "bearer_token_env": "B"}),
        ("http://host/", {"timeout_s": 0.0}),
        ("http://host/", {"max_retries": 6}),
        ("http://host/", {"headers": {"Host": "elsewhere"}}),
    ],
)
def test_a_setting_that_is_wrong_is_refused_and_not_shown(url: str, settings: Any) -> None:
    """When the oracle is made."""
    with pytest.raises((UsageError, BackendError)) as caught:
        HttpOracle(url, **settings)
    assert caught.value.problems[0].path is not None
    assert "hunter2" not in str(caught.value)


def test_an_overloaded_service_is_asked_again() -> None:
    """As often as was said, and then it is a failure that tells how often."""
    with service() as server, oracle(server.url, max_retries=2, retry_backoff_s=0.01) as http:
        server.script.extend([_status(503), _status(429)])
        assert judged(http).status == "valid"
        server.fault = _status(503)
        assert judged(http).data["failures"][0]["detail"].endswith("(asked 3 times)")


def _changed(change: JsonObject, asked: JsonObject, model: Any) -> JsonObject:
    return {**adds(asked, model), **change}


def _status(code: int) -> Any:
    return FAULTS[str(code)]


@pytest.mark.parametrize(
    "steps", [[RESET], [b"HTTP/1.1 200 OK\r\ncontent-le"], [b"nonsense\r\n\r\n"], [answer(b"{}", length=99)]]
)
def test_a_broken_connection_is_a_failure_of_the_pair(steps: list[object]) -> None:
    """And of no other."""
    with raw_server(steps) as server, oracle(server.address) as http:
        assert judged(http).issues == ("validator_error",)


def test_nobody_there_is_a_failure_of_the_pair() -> None:
    """Not an error of the batch."""
    with raw_server([]) as server:
        address = server.address
    with oracle(address) as http:
        assert judged(http).issues == ("validator_error",)


def test_a_service_is_not_isolated_again_and_can_be_a_member(adder: Server) -> None:
    """It is a process of its own; beside callables that are isolated it stays what it is."""
    with oracle(adder.url) as http:
        with pytest.raises(CaseError) as caught:
            judged(http, isolate=True)
        assert caught.value.code == "bad_isolate"
        assert judged(all_of(http, check_addition)).status == "valid"


def test_what_a_service_is_sent_is_json_of_any_text(adder: Server) -> None:
    """Emoji, quotes and line feeds included."""
    repeats = service(lambda asked, _: {"id": asked["id"], "valid": None, "reason": json.dumps(asked["candidate"])})
    with repeats as server, oracle(server.url) as http:
        record = judged(http, (sum_case(), sum_case("v", 'a "🙂"\n\u2028')))
    assert json.loads(record.data["verdict"]["reason"])["input"] == 'a "🙂"\n\u2028'
