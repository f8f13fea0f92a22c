"""Services to ask, over real loopback sockets: well-behaved by default, and misbehaving when told.

``with decision_server() as server`` speaks ``decguard.http/0.1``, ``systemone_server()`` the System One format,
``chat_server()`` that of OpenAI-compatible endpoints, ``paraphrase_server()`` the same but words texts anew.
``server.url`` is where to post, ``server.health_url`` where to ask for health, ``server.seen`` what came.

A fault (:mod:`tests.faults`) is switched on for all requests by ``server.fault``, for the next ones in turn by
``server.script``, or from outside by the address: ``f"{server.url}?fault=html"``.
"""

from __future__ import annotations

import json
import math
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from robust.canon import JsonObject
from tests.faults import FAULTS, Fault

# From what is asked (the input and the labels as they came) to a probability for each label.
Model: TypeAlias = Callable[[Any, Sequence[str]], Sequence[float]]
# From a request's body to the right answer.
Protocol: TypeAlias = Callable[[JsonObject, Model], JsonObject]
# From a text and how many wordings of it are wanted to the wordings.
Rewording: TypeAlias = Callable[[str, int], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it came: header names in lower case, and the port that it came from, which tells connections."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    port: int

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


def first_label(_content: Any, labels: Sequence[str]) -> list[float]:
    """A model that prefers whatever label stands first."""
    return [0.75, *[0.25 / (len(labels) - 1)] * (len(labels) - 1)]


def numbered_wordings(text: str, samples: int) -> list[str]:
    """Wordings that can be told apart, and from which the text can be read."""
    return [f"{text}, or in words number {number}" for number in range(1, samples + 1)]


@dataclass(slots=True)
class Server:
    """A running service, and the switches of its behaviour.

    Attributes:
        address: ``http://127.0.0.1:port``.
        fault: what goes wrong with every request; nothing by default.
        script: what goes wrong with the next requests, one after the other; None for nothing.
        seen: the requests that came.
    """

    protocol: Protocol
    model: Model
    address: str = ""
    fault: Fault | None = None
    script: deque[Fault | None] = field(default_factory=deque)
    seen: list[Seen] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Where decisions are posted."""
        return f"{self.address}/decide"

    @property
    def health_url(self) -> str:
        """What answers with success when all is well, whatever goes wrong with decisions."""
        return f"{self.address}/health"

    def at(self, fault: str) -> str:
        """Where decisions are posted that go wrong in this way."""
        return f"{self.url}?fault={fault}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as an ASGI application."""
        request = Request(scope, receive)
        body = await request.body()
        port = request.client.port if request.client else 0
        self.seen.append(Seen(request.method, request.url.path, dict(request.headers), body, port))
        response = self._health(request) if request.method == "GET" else self._decision(request, body)
        await response(scope, receive, send)

    def _health(self, request: Request) -> Response:
        named = request.query_params.get("fault")
        return FAULTS[named](request, {}) if named else JSONResponse({"status": "ok"})

    def _decision(self, request: Request, body: bytes) -> Response:
        answer = self.protocol(json.loads(body), self.model)
        named = request.query_params.get("fault")
        fault = FAULTS[named] if named else self.script.popleft() if self.script else self.fault
        return JSONResponse(answer) if fault is None else fault(request, answer)


@contextmanager
def running(server: Server, **settings: Any) -> Iterator[Server]:
    """Run a service in a thread, on a free port, until the block ends.

    Args:
        server: the service.
        settings: more settings of uvicorn, such as ``ssl_certfile``.
    """
    config = uvicorn.Config(
        server,
        port=0,
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        access_log=False,
        # A handler that hangs must not hold the stop.
        timeout_graceful_shutdown=1,
        **settings,
    )
    runner = uvicorn.Server(config)
    thread = threading.Thread(target=runner.run, name="test-server", daemon=True)
    thread.start()
    while not runner.started:
        assert thread.is_alive(), "the server did not start"
        time.sleep(0.005)
    port = runner.servers[0].sockets[0].getsockname()[1]
    server.address = f"{'https' if 'ssl_certfile' in settings else 'http'}://127.0.0.1:{port}"
    try:
        yield server
    finally:
        runner.should_exit = True
        thread.join()


@contextmanager
def decision_server(model: Model = first_label, **settings: Any) -> Iterator[Server]:
    """A service that speaks ``decguard.http/0.1``."""
    with running(Server(_decguard, model), **settings) as server:
        yield server


@contextmanager
def systemone_server(model: Model = first_label) -> Iterator[Server]:
    """A System One service. A noul is answered as if its labels were ``yes`` and ``no``."""
    with running(Server(_systemone, model)) as server:
        yield server


@contextmanager
def chat_server(model: Model = first_label) -> Iterator[Server]:
    """An OpenAI-compatible chat endpoint.

    The model sees the prompt and the marks of its options. With ``logprobs`` it answers with the alternatives to the
    first token, ``A`` and `` A`` apart, and 5 % left for other tokens; without them with the most probable mark.
    """
    with running(Server(_chat, model)) as server:
        yield server


@contextmanager
def paraphrase_server(reword: Rewording = numbered_wordings, **settings: Any) -> Iterator[Server]:
    """An OpenAI-compatible chat endpoint whose model answers with a JSON array of wordings of the text in its prompt.

    It is asked below ``server.address``, whatever the path.
    """
    with running(Server(lambda asked, _: _reworded(asked, reword), first_label), **settings) as server:
        yield server


def _decguard(asked: JsonObject, model: Model) -> JsonObject:
    labels = asked["decision"]["labels"]
    shares = model(asked["input"], labels)
    return {"probabilities": dict(zip(labels, shares, strict=True)), "model": "m-1", "model_version": "2024-05"}


def _systemone(asked: JsonObject, model: Model) -> JsonObject:
    ((name, question),) = asked["questions"].items()
    kind = question["type"]
    labels = ["yes", "no"] if kind == "noul" else list(question["criteria"])
    shares = dict(zip(labels, model(asked["state"], labels), strict=True))
    answer: JsonObject = {"type": kind, "confidence": 0.5}
    if kind == "noul":
        answer["noul"] = shares["yes"]
    elif kind == "score":
        answer["probabilities"] = {str(index): share for index, share in enumerate(shares.values())}
        answer["legend"] = {str(index): level for index, level in enumerate(shares)}
    else:
        answer |= {"choice": max(shares, key=lambda label: shares[label]), "probabilities": shares}
    return {
        "id": "call-7",
        "model": "jev-1",
        "provider": "upstream-a",
        "answers": {name: answer},
        "usage": {"input_tokens": 30, "output_tokens": 2, "cost": 0.25},
    }


def _chat(asked: JsonObject, model: Model) -> JsonObject:
    prompt = asked["messages"][-1]["content"]
    options = prompt.split("\nOptions:\n")[-1].split("\n\nAnswer with")[0].split("\n")
    marks = [line.partition(": ")[0] for line in options]
    shares = model(prompt, marks)
    best = max(range(len(marks)), key=lambda index: shares[index])
    choice: JsonObject = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": marks[best]}}
    if asked.get("logprobs"):
        tokens = [(mark, 0.7 * share) for mark, share in zip(marks, shares, strict=True)]
        tokens += [(f" {mark}", 0.25 * share) for mark, share in zip(marks, shares, strict=True)]
        tokens += [("The", 0.03), ("\n", 0.02)]
        found = [{"token": token, "logprob": math.log(share) if share else -9999.0} for token, share in tokens]
        top = sorted(found, key=lambda each: -float(each["logprob"]))[: asked["top_logprobs"]]
        choice["logprobs"] = {"content": [{**top[0], "top_logprobs": top}]}
    return _chat_answer(choice)


def _reworded(asked: JsonObject, reword: Rewording) -> JsonObject:
    prompt = asked["messages"][-1]["content"]
    (text,) = re.findall(r"^-----\n(.*)\n-----$", prompt, re.MULTILINE)
    (samples,) = re.findall(r"JSON array of at most ([0-9]+) strings", prompt)
    content = json.dumps(list(reword(json.loads(text), int(samples))))
    return _chat_answer({"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}})


def _chat_answer(choice: JsonObject) -> JsonObject:
    return {
        "id": "chat-9",
        "model": "gpt-x-0613",
        "system_fingerprint": "fp_1",
        "choices": [choice],
        "usage": {"prompt_tokens": 40, "completion_tokens": 1, "total_tokens": 41},
    }
