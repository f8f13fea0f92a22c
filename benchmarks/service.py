"""A small decision service on a loopback port, in a process of its own, that speaks ``decguard.http/0.1``.

Runs as ``python -m benchmarks.service [ANSWERS | --weigh]`` and prints its port. Without a file every post is answered
at once with the same distribution over yes and no. A file maps the id of each case to the status and the body of its
answer. With ``--weigh`` the answer is made of what is asked, by ``properties_data.weigh``.
``GET /totals`` says how many posts came since it was last asked, with how many headers and bytes.

It ends when its standard input does, so that it never outlives the script that started it.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import uvicorn
from benchmarks.peers import ROOT
from benchmarks.properties_data import weigh

WEIGH = "--weigh"
ANSWER = b'{"probabilities":{"yes":0.8125,"no":0.1875},"model":"even-handed","model_version":"3"}'


class Totals(NamedTuple):
    """What came: how many posts, and how many headers and bytes of bodies they had together."""

    posts: int
    headers: int
    bytes: int


class Service:
    """The ASGI application.

    Args:
        answers: the status and the body of the answer to a request; None to answer everything alike.
    """

    def __init__(self, answers: Callable[[dict[str, Any]], tuple[int, str]] | None) -> None:
        self._answers = answers
        self._totals = Totals(0, 0, 0)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        message = await receive()
        body = message["body"]
        while message.get("more_body"):
            message = await receive()
            body += message["body"]
        status, answer = self._totals_since() if scope["method"] == "GET" else self._answer(scope["headers"], body)
        length = b"%d" % len(answer)
        headers = [(b"content-type", b"application/json"), (b"content-length", length)]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": answer})

    def _answer(self, headers: list[Any], body: bytes) -> tuple[int, bytes]:
        posts, count, size = self._totals
        self._totals = Totals(posts + 1, count + len(headers), size + len(body))
        if self._answers is None:
            return 200, ANSWER
        status, text = self._answers(json.loads(body))
        return status, text.encode()

    def _totals_since(self) -> tuple[int, bytes]:
        answer = json.dumps(self._totals).encode()
        self._totals = Totals(0, 0, 0)
        return 200, answer


class Running(NamedTuple):
    """A service that runs."""

    address: str

    @property
    def url(self) -> str:
        """Where decisions are posted."""
        return f"{self.address}/decide"

    def totals(self) -> Totals:
        """What came since this was last asked."""
        with urllib.request.urlopen(f"{self.address}/totals") as answer:  # noqa: S310 - our own loopback address
            return Totals(*json.load(answer))


@contextmanager
def serving(answers: Path | str | None = None) -> Iterator[Running]:
    """Run the service in a process of its own until the block ends; with a file of answers, or with ``WEIGH``."""
    command = [sys.executable, "-m", "benchmarks.service", *([] if answers is None else [str(answers)])]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        stdin, stdout = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
        try:
            port = stdout.readline().strip()
            if not port:
                raise SystemExit("the service did not start")
            yield Running(f"http://127.0.0.1:{port}")
        finally:
            stdin.close()


async def _serve(service: Service) -> None:
    config = uvicorn.Config(
        service, port=0, http="h11", ws="none", loop="asyncio", lifespan="off", log_config=None, access_log=False
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        if serving.done():
            return
        await asyncio.sleep(0.005)
    print(server.servers[0].sockets[0].getsockname()[1], flush=True)
    await serving


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


def _answers(chosen: list[str]) -> Callable[[dict[str, Any]], tuple[int, str]] | None:
    if not chosen:
        return None
    if chosen == [WEIGH]:
        return weigh
    answers = json.loads(Path(chosen[0]).read_text(encoding="utf-8"))
    return lambda request: answers[request["case_id"]]


if __name__ == "__main__":
    threading.Thread(target=_end_with_input, daemon=True).start()
    asyncio.run(_serve(Service(_answers(sys.argv[1:]))))
