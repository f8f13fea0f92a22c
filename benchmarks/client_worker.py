"""One side of ``client.py`` in this fresh process; prints what its decisions took as JSON.

Runs as ``python -m benchmarks.client_worker SIDE COUNT URL FOLDER``. SIDE is ``robust``, which runs a contract;
``bare``, where workers share one httpx client to post the same bodies with the same headers and read the answers; or
``apart``, where each worker has a client of its own. Some decisions are made before the clock starts, so that importing
is not measured.
"""

from __future__ import annotations

import asyncio
import json
import resource
import shutil
import ssl
import sys
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import httpx

CONCURRENCY = 64
WARM_UP = 2 * CONCURRENCY
LABELS = ["yes", "no"]


def write_cases(count: int, folder: Path) -> Path:
    """The data set of so many decisions."""
    file = folder / f"{count}.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for number in range(count):
            case = {"id": case_id(number), "input": input_of(number), "expected": LABELS[number % 3 % 2]}
            lines.write(json.dumps(case) + "\n")
    return file


def case_id(number: int) -> str:
    """The id of one of the decisions."""
    return f"parcel-{number:06}"


def input_of(number: int) -> str:
    """What is to be decided about."""
    days, weight = number % 23, number % 17 + 1
    return f"Parcel {number} of {weight} kg was promised for Monday, came {days} days late, and its box was dented."


def contract(url: str) -> dict[str, Any]:
    """What our side runs."""
    return {
        "schema_version": "1",
        "decision": {"name": "refund_due", "type": "noul", "labels": LABELS},
        "backend": {"provider": "http", "url": url, "model": "even-handed"},
        "evaluation": {"max_concurrency": CONCURRENCY},
        "requirements": {"min_accuracy": 0.1},
    }


def body_of(number: int) -> bytes:
    """The same bytes that our side sends."""
    asked = {
        "case_id": case_id(number),
        "decision": {"labels": LABELS, "name": "refund_due", "type": "noul"},
        "input": input_of(number),
        "model": "even-handed",
        "protocol": "decguard.http/0.1",
    }
    return json.dumps(asked, ensure_ascii=False, separators=(",", ":")).encode()


def run_robust(count: int, url: str, folder: Path) -> Callable[[], None]:
    """Decide by running a contract."""
    from robust import run_contract

    dataset, output = write_cases(count, folder), folder / f"run-{count}"

    def decide() -> None:
        run = run_contract(contract(url), dataset=dataset, cache=False, output=output, overwrite=True)
        if run.report["counts"]["decided"] != count:
            raise SystemExit("not every case was decided")
        shutil.rmtree(output)

    return decide


def run_bare(count: int, url: str, _folder: Path) -> Callable[[], None]:
    """Post what is made beforehand, by way of one client with as many connections as there are workers."""
    bodies = [body_of(number) for number in range(count)]

    async def loop() -> None:
        waiting = iter(bodies)
        async with bare_client(CONCURRENCY) as client:
            await asyncio.gather(*(post(client, url, waiting) for _ in range(CONCURRENCY)))

    return lambda: asyncio.run(loop())


def run_apart(count: int, url: str, _folder: Path) -> Callable[[], None]:
    """The same, but each worker has a client with a single connection."""
    bodies = [body_of(number) for number in range(count)]

    async def work(waiting: Iterable[bytes]) -> None:
        async with bare_client(1) as client:
            await post(client, url, waiting)

    async def loop() -> None:
        waiting = iter(bodies)
        await asyncio.gather(*(work(waiting) for _ in range(CONCURRENCY)))

    return lambda: asyncio.run(loop())


@cache
def certificates() -> ssl.SSLContext:
    """Loaded while warming up: it takes as long as many posts, and is never needed here."""
    return httpx.create_ssl_context()


def bare_client(connections: int) -> httpx.AsyncClient:
    """A client that sends the headers that ours sends, and no more."""
    limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)
    client = httpx.AsyncClient(limits=limits, timeout=30, verify=certificates())
    client.headers["Accept"] = client.headers["Content-Type"] = "application/json"
    client.headers["Accept-Encoding"] = "gzip, identity"
    # HTTP/1.1 keeps connections without being told, so ours does not send it.
    del client.headers["Connection"]
    return client


async def post(client: httpx.AsyncClient, url: str, waiting: Iterable[bytes]) -> None:
    """Post what is waiting, one after the other, and read each answer."""
    for body in waiting:
        response = await client.post(url, content=body)
        answer = response.json()
        if response.status_code != 200 or len(answer["probabilities"]) != len(LABELS):
            raise SystemExit("a post was not answered")


SIDES = {"robust": run_robust, "bare": run_bare, "apart": run_apart}


def main(arguments: list[str]) -> None:
    """Warm up, decide, and print what it took."""
    side, count, url, folder = arguments
    run = SIDES[side]
    run(WARM_UP, url, Path(folder))()
    decide = run(int(count), url, Path(folder))
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    decide()
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_SELF)
    taken = {
        "processor_s": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "seconds": seconds,
        # KiB on Linux, bytes on macOS.
        "peak_mib": after.ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024),
    }
    print(json.dumps(taken))


if __name__ == "__main__":
    main(sys.argv[1:])
