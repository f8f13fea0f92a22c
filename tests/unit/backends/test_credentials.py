"""Credentials: read when they are first sent, sent to the contract's address alone, and kept nowhere."""

from __future__ import annotations

import asyncio
import json
import logging
import traceback
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pytest

from robust.errors import BackendError
from robust.records.redaction import REDACTED, redact_text
from tests.servers import chat_server, decision_server, systemone_server
from tests.unit.backends.asking import CHOICE, NOUL, ask, build, fails, request

FIRST = "no-such-thing-8Zq1\"x'\\y"
SECOND = "another+value/of=0815"


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the contracts of these tests name."""
    monkeypatch.setenv("TEST_TOKEN", FIRST)
    monkeypatch.setenv("TEST_OTHER", SECOND)
    monkeypatch.delenv("TEST_MISSING", raising=False)


def _with_credentials(provider: str, url: str, **settings: Any) -> Any:
    bearer = "api_key_env" if provider == "openai" else "bearer_token_env"
    decision = CHOICE if provider == "systemone" else NOUL
    return build(
        provider, url, decision, **{bearer: "TEST_TOKEN", "headers_from_env": {"X-Secret": "TEST_OTHER"}, **settings}
    )


SERVERS = {"http": decision_server, "systemone": systemone_server, "openai": chat_server}


@pytest.mark.parametrize("provider", SERVERS)
def test_credentials_are_sent_as_headers_and_nowhere_else(provider: str) -> None:
    """With decisions, and with the question for health, which has the same origin."""
    with SERVERS[provider]() as server:
        settings = {} if provider == "openai" else {"health_url": server.health_url}
        backend = _with_credentials(provider, server.url, **settings)
        ask(backend, request(CHOICE))
        asyncio.run(backend.health())
        for seen in server.seen:
            assert (seen.headers["authorization"], seen.headers["x-secret"]) == (f"Bearer {FIRST}", SECOND)
            assert FIRST.encode() not in seen.body
    assert len(server.seen) == 2 - (provider == "openai")


def test_they_are_read_at_the_first_request_and_not_when_the_backend_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """A contract can be looked at without having them."""
    with decision_server() as server:
        backend = build("http", server.url, bearer_token_env="TEST_LATER")  # noqa: S106 - the name of a variable
        assert backend.sent(request()) is not None
        monkeypatch.setenv("TEST_LATER", "late-value")
        ask(backend)
        assert server.seen[0].headers["authorization"] == "Bearer late-value"
        # A token that was renewed meanwhile is taken when the connections are opened anew.
        monkeypatch.setenv("TEST_LATER", "renewed-value")
        ask(backend)
        assert server.seen[1].headers["authorization"] == "Bearer renewed-value"


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        (None, "is not set"),
        ("", "is not set"),
        ("abcde\n", "line break"),
        ("abc\r\nX-Injected: 1", "line break"),
        ("geheim-é", "not ASCII"),
        (" abcde", "blank at its start or end"),
        ("abcde\t", "control character"),
        ("abc\x00de", "control character"),
        ("   ", "blank"),
    ],
)
def test_a_variable_without_a_value_that_can_be_sent_is_named_and_its_value_is_not(
    monkeypatch: pytest.MonkeyPatch, value: str | None, wrong: str
) -> None:
    """No request can be answered without it, so this is no error of one case."""
    if value is not None and "\x00" not in value:
        monkeypatch.setenv("TEST_MISSING", value)
    with decision_server() as server:
        backend = build("http", server.url, headers_from_env={"X-A": "TEST_MISSING"}, health_url=server.health_url)
        for question in (lambda: ask(backend), lambda: asyncio.run(backend.health())):
            with pytest.raises(BackendError) as caught:
                question()
            (problem,) = caught.value.problems
            assert problem.path == "backend.headers_from_env.X-A"
            assert "TEST_MISSING" in problem.message
            assert wrong in problem.message or "\x00" in (value or "")
            assert value is None or not value.strip() or value.strip() not in str(caught.value)
        assert server.seen == []


def test_every_variable_that_is_missing_is_named_at_once() -> None:
    """Each with the setting that wants it."""
    backend = build("http", "http://a", headers_from_env={"X-A": "NONE_A"}, bearer_token_env="NONE_B", name="b2")  # noqa: S106
    with pytest.raises(BackendError) as caught:
        ask(backend)
    assert [problem.path for problem in caught.value.problems] == [
        "backends.b2.headers_from_env.X-A",
        "backends.b2.bearer_token_env",
    ]
    assert caught.value.exit_code == 2


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(key)
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _assert_untold(texts: Iterable[str]) -> None:
    """No six characters of a credential in a row are in any of these."""
    for text in texts:
        for secret in (FIRST, SECOND):
            assert all(secret[start : start + 6] not in text for start in range(len(secret) - 5)), text


@pytest.mark.parametrize("provider", SERVERS)
def test_what_a_server_echoes_of_them_is_nowhere_in_an_answer(provider: str, caplog: pytest.LogCaptureFixture) -> None:
    """Not in the model's name, its metadata, under whatever key, nor in what was observed; nor in any log."""
    caplog.set_level(logging.DEBUG)
    with SERVERS[provider]() as server:
        asked = request(CHOICE if provider == "systemone" else NOUL)
        answer = ask(_with_credentials(provider, server.at("echo")), asked)
    told = [*_texts([answer.metadata, answer.observed, answer.model, answer.model_version, dict(answer.probabilities)])]
    _assert_untold(told)
    assert any(REDACTED in text for text in told)
    _assert_untold(record.getMessage() for record in caplog.records)
    assert any(REDACTED in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize("fault", ["echo-label", "echo-text", "500", "503"])
def test_what_a_server_echoes_of_them_is_nowhere_in_a_failure(fault: str) -> None:
    """Nor is a part of it, where a message is cut short."""
    with decision_server() as server:
        failed = fails(_with_credentials("http", server.at(fault)))
    _assert_untold([str(failed), repr(failed), *traceback.format_exception(failed), *_texts(failed.observed)])


def test_their_values_are_redacted_from_any_text_from_then_on() -> None:
    """Whoever says it, also as JSON has it."""
    with decision_server() as server:
        ask(_with_credentials("http", server.url))
    assert redact_text(f"a {FIRST} b {json.dumps(SECOND)}") == f'a {REDACTED} b "{REDACTED}"'
    assert FIRST not in redact_text(json.dumps(FIRST))
