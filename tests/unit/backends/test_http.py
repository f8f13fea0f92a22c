"""``decguard.http/0.1``: what is sent, what is read, and what is never made into a result."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from robust.errors import BackendError
from robust.records.decision import distribution_problem
from robust.records.media import Media
from robust.records.request import Health
from robust.records.seams import Backend
from robust.transport.endpoint import Endpoint
from tests.faults import body, changed, probabilities, redirect_to, status
from tests.raw_server import raw_server
from tests.servers import Server, decision_server
from tests.unit.backends.asking import CHOICE, ask, build, fails, request


@pytest.fixture(scope="module")
def running_server() -> Iterator[Server]:
    """One server for all tests of this module."""
    with decision_server() as running:
        yield running


@pytest.fixture
def server(running_server: Server) -> Server:
    """The server, behaving, with nothing seen."""
    running_server.fault = None
    running_server.script.clear()
    running_server.seen.clear()
    return running_server


def test_a_decision_is_one_post_and_its_answer(server: Server) -> None:
    """The request has the six members of the format, the answer is as it came."""
    backend = build("http", server.url, CHOICE, model="m")
    answer = ask(backend, request(CHOICE, labels=("other", "refund", "repair"), input={"text": "hi", "n": 1.5}))
    assert dict(answer.probabilities) == {"other": 0.75, "refund": 0.125, "repair": 0.125}
    assert (answer.model, answer.model_version, answer.metadata, answer.usage) == ("m-1", "2024-05", {}, None)
    assert answer.observed == {"attempts": 1}
    assert backend.is_async
    assert isinstance(backend, Backend)
    (seen,) = server.seen
    assert seen.json == {
        "protocol": "decguard.http/0.1",
        "case_id": "c1",
        "model": "m",
        "decision": {"name": "route", "type": "choice", "labels": ["other", "refund", "repair"]},
        "input": {"text": "hi", "n": 1.5},
    }


def test_metadata_and_whatever_else_an_answer_has(server: Server) -> None:
    """Metadata is kept; a null is nothing, and members of other formats are not looked at."""
    server.fault = changed(lambda answer: answer.update(metadata={"a": [1]}, model=None, model_version="", extra=[{}]))
    answer = ask(build("http", server.url))
    assert (answer.metadata, answer.model, answer.model_version) == ({"a": [1]}, None, None)


def test_the_byte_order_mark_and_other_oddities_of_correct_answers_are_read(server: Server) -> None:
    """JSON is read as UTF-8, whatever media type it is called."""
    content = '{"probabilities": {"yes": 1, "no": 0}, "model": "é"}'.encode()
    for data, media_type in (
        (b"\xef\xbb\xbf" + content, "application/json"),
        (content, "text/plain"),
        (content, 'application/vnd.answers+json; charset="UTF-8"'),
        (content, ""),
        (content.replace(b"\xc3\xa9", b"e"), "application/json; charset=iso-8859-1"),
        (b"\r\n\t " + content + b"\n", "application/json"),
    ):
        server.fault = body(data, media_type)
        assert ask(build("http", server.url)).probabilities == {"yes": 1, "no": 0}


UNREADABLE = ["204", "206", "html", "no-json", "list", "empty", "nan", "infinite", "duplicate-key", "deep", "latin-1"]
UNREADABLE += ["extra-label", "missing-label", "list-of-numbers", "gzip-cut", "gzip-twice", "brotli", "bomb"]


@pytest.mark.parametrize("fault", UNREADABLE)
def test_what_is_no_answer_to_the_question_is_an_invalid_response(server: Server, fault: str) -> None:
    """And is not asked for again."""
    failed = fails(build("http", server.at(fault), max_retries=3))
    assert failed.kind == "invalid_response"
    assert failed.observed["attempts"] == 1
    assert len(server.seen) == 1


@pytest.mark.parametrize("fault", ["text-numbers", "booleans", "nulls", "percent", "negative"])
def test_numbers_are_handed_on_as_they_came(server: Server, fault: str) -> None:
    """So that the check that is the same for all backends refuses them."""
    answer = ask(build("http", server.at(fault)))
    problem = distribution_problem(answer.probabilities, ("yes", "no"), 0.001)
    assert problem is not None
    assert ("divided by 100" in problem) == (fault == "percent")


@pytest.mark.parametrize(
    "change",
    [
        {"metadata": [1]},
        {"metadata": "text"},
        {"model": 5},
        {"model": "m" * 257},
        {"model_version": {"a": 1}},
        {"probabilities": None},
        {"probabilities": {}},
    ],
)
def test_members_of_another_type_are_an_invalid_response(server: Server, change: dict[str, Any]) -> None:
    """Each, whatever the rest of the answer."""
    server.fault = changed(lambda answer: answer.update(change))
    assert fails(build("http", server.url)).kind == "invalid_response"


@pytest.mark.parametrize(
    ("fault", "kind", "code"),
    [("500", "backend_error", 500), ("429", "backend_error", 429), ("503", "unavailable", 503)],
)
def test_a_status_that_is_no_success_is_recorded_and_its_body_is_not(
    server: Server, fault: str, kind: str, code: int
) -> None:
    """The body of these holds what was sent."""
    failed = fails(build("http", server.at(fault), headers={"X-Team": "marmots"}))
    assert (failed.kind, failed.observed) == (kind, {"attempts": 1, "status": code})
    assert "marmots" not in str(failed)


def test_failures_in_transit_have_their_kinds(server: Server) -> None:
    """Out of time, not there, elsewhere."""
    assert fails(build("http", server.at("drip"), timeout_s=0.2)).kind == "timeout"
    server.fault = redirect_to("http://127.0.0.1:9/")
    assert fails(build("http", server.url)).kind == "backend_error"
    with raw_server([b""]) as gone:
        pass
    failed = fails(build("http", gone.address, max_retries=1, retry_backoff_s=0))
    assert (failed.kind, failed.observed) == ("unavailable", {"attempts": 2})


def test_an_answer_that_came_at_a_second_try_says_so(server: Server) -> None:
    """In what was observed."""
    server.script.extend([status(503), None])
    assert ask(build("http", server.url, max_retries=1, retry_backoff_s=0)).observed == {"attempts": 2}


LABEL_MAP = {"1": "yes", "0": "no"}


def test_labels_go_out_and_come_back_under_the_names_of_the_service(server: Server) -> None:
    """In the order shown; a label in another form has no such name."""
    backend = build("http", server.url, label_map=LABEL_MAP)
    answer = ask(backend, request(labels=("no", "yes")))
    assert dict(answer.probabilities) == {"no": 0.75, "yes": 0.25}
    assert server.seen[-1].json["decision"]["labels"] == ["0", "1"]
    answer = ask(backend, request(labels=("YES", "no")))
    assert dict(answer.probabilities) == {"YES": 0.75, "no": 0.25}
    assert server.seen[-1].json["decision"]["labels"] == ["YES", "0"]


def test_an_answer_under_the_contracts_names_is_none_where_the_service_has_others(server: Server) -> None:
    """It must cover exactly the labels sent."""
    server.fault = probabilities(lambda _: {"yes": 1, "no": 0})
    failed = fails(build("http", server.url, label_map=LABEL_MAP))
    assert "has no '1' and has the unknown label 'yes'" in str(failed)


def test_labels_that_would_become_one_on_the_way_are_refused(server: Server) -> None:
    """When the backend is built, or for a form of a label when it is asked."""
    for wrong in ({"no": "yes"}, {"1": "maybe"}):
        with pytest.raises(BackendError) as caught:
            build("http", server.url, name="second", label_map=wrong)
        assert caught.value.problems[0].path == "backends.second.label_map"
    failed = fails(build("http", server.url, label_map={"YES": "no", "1": "yes"}), request(labels=("YES", "no")))
    assert failed.kind == "backend_error"
    assert server.seen == []


def test_files_cannot_be_sent(server: Server) -> None:
    """A question without its picture is another question: nothing is sent, and nothing is cached."""
    media = (Media(path="a.png", media_type="image/png", bytes=1, sha256="0" * 64),)
    backend = build("http", server.url)
    assert fails(backend, request(media=media)).kind == "backend_error"
    assert backend.sent(request(media=media)) is None
    assert server.seen == []


def test_what_identifies_an_answer_is_everything_that_is_sent(server: Server) -> None:
    """Each of these changes gives another key; the credentials give none."""
    backend = build("http", server.url, model="m")
    others = [
        build("http", server.url, model="m2").sent(request()),
        build("http", server.health_url, model="m").sent(request()),
        build("http", server.url, model="m", headers={"x-a": "1"}).sent(request()),
        backend.sent(request(case_id="c2")),
        backend.sent(request(labels=("no", "yes"))),
        backend.sent(request(labels=("YES", "no"))),
        backend.sent(request(input="other")),
        backend.sent(request(CHOICE, labels=("yes", "no"))),
    ]
    assert backend.sent(request()) == build("http", server.url, model="m", headers_from_env={"X-A": "T"}).sent(
        request()
    )
    assert all(other != backend.sent(request()) for other in others)
    # The same labels on the wire, but with other meanings.
    swapped = build("http", server.url, label_map={"1": "no", "0": "yes"}).sent(request(labels=("no", "yes")))
    assert swapped != build("http", server.url, label_map=LABEL_MAP).sent(request())


def test_the_identity_has_every_setting_but_credentials() -> None:
    """Of those, the names of their variables."""
    settings: dict[str, Any] = {
        "bearer_token_env": "MY_TOKEN",
        "headers_from_env": {"X-Key": "MY_KEY"},
        "headers": {"X-Team": "t"},
    }
    identity = build("http", "http://a/b?version=2", model="m", name="second", timeout_s=5, **settings).identity
    assert (identity.name, identity.provider, identity.model, identity.model_version) == ("second", "http", "m", None)
    assert identity.details["url"] == "http://a/b?version=2"
    assert identity.details["timeout_s"] == 5
    assert identity.details["headers"] == {"X-Team": "t"}
    assert identity.details["environment"] == ["MY_KEY", "MY_TOKEN"]
    assert identity.details != build("http", "http://a/b?version=2", model="m", timeout_s=6).identity.details


def _health(backend: Any) -> Health:
    result: Health = asyncio.run(backend.health())
    return result


def test_health_is_the_status_of_its_address(server: Server) -> None:
    """Unknown without one; unhealthy with the reason for anything but success."""
    assert _health(build("http", server.url)).status == "unknown"
    assert _health(build("http", server.url, health_url=server.health_url)) == Health(status="ok", detail="HTTP 200")
    bad = {f"{server.health_url}?fault={fault}": fault for fault in ("500", "503", "hang")}
    for url, fault in bad.items():
        health = _health(build("http", server.url, health_url=url, timeout_s=0.3))
        assert health.status == ("ok" if fault == "hang" else "unhealthy")
    with raw_server([5.0]) as silent:
        health = _health(build("http", server.url, health_url=silent.address, timeout_s=0.2))
    assert health == Health(status="unhealthy", detail="no whole answer came in time (0.2 s)")


def test_a_header_that_frames_the_message_is_refused_when_the_backend_is_built() -> None:
    """From the contract or from the environment, without looking at the environment."""
    for where, header in (("headers", "Content-Length"), ("headers_from_env", "host")):
        with pytest.raises(BackendError) as caught:
            build("http", "http://a", CHOICE, **{where: {header: "NOT_SET"}})
        assert caught.value.problems[0].path == "backend.headers"


def test_an_address_that_no_name_service_can_have_is_refused() -> None:
    """A label that claims to be encoded, and is not."""
    with pytest.raises(BackendError) as caught:
        Endpoint.of("http://xn--.com/", {})
    assert caught.value.code == "bad_url"
