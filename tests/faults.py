"""What can be wrong with an answer: from the request and the right answer to the answer that is sent instead."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable
from functools import cache
from typing import Any, TypeAlias

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from robust.canon import JsonObject

Fault: TypeAlias = Callable[[Request, JsonObject], Response]
JSON = "application/json"


def status(code: int, **headers: str) -> Fault:
    """A status that is no success; underscores in header names stand for dashes. The body is the request's headers."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda request, _: JSONResponse(dict(request.headers), code, names)


def redirect_to(address: str, code: int = 307) -> Fault:
    """A redirect."""
    return lambda _, __: RedirectResponse(address, code)


def body(data: bytes, media_type: str = JSON, code: int = 200, **headers: str) -> Fault:
    """Just these bytes."""
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _, __: Response(data, code, names, media_type)


def changed(change: Callable[[JsonObject], Any]) -> Fault:
    """The right answer, after a change made in place, or what the change returns."""

    def fault(_: Request, answer: JsonObject) -> Response:
        result = change(answer)
        return Response(json.dumps(answer if result is None else result), media_type=JSON)

    return fault


def probabilities(change: Callable[[dict[str, Any]], Any]) -> Fault:
    """The right answer, with its numbers by label changed in place, or replaced by what the change returns."""

    def on_answer(answer: JsonObject) -> None:
        holder = next(iter(answer["answers"].values())) if "answers" in answer else answer
        result = change(holder["probabilities"])
        if result is not None:
            holder["probabilities"] = result

    return changed(on_answer)


def encoded(encode: Callable[[bytes], bytes], encoding: str = "gzip") -> Fault:
    """The right answer in an encoding."""

    def fault(_: Request, answer: JsonObject) -> Response:
        return Response(encode(json.dumps(answer).encode()), 200, {"content-encoding": encoding}, JSON)

    return fault


def _drip(_: Request, answer: JsonObject) -> Response:
    async def bytes_now_and_then() -> AsyncIterator[bytes]:
        for number in json.dumps(answer).encode():
            yield bytes([number])
            await asyncio.sleep(0.1)

    return StreamingResponse(bytes_now_and_then(), media_type=JSON)


def _hang(_: Request, __: JsonObject) -> Response:
    async def nothing() -> AsyncIterator[bytes]:
        await asyncio.sleep(60)
        yield b""

    return StreamingResponse(nothing(), media_type=JSON)


def _endless(_: Request, __: JsonObject) -> Response:
    async def blanks() -> AsyncIterator[bytes]:
        while True:
            yield b" " * 65536
            await asyncio.sleep(0)

    return StreamingResponse(blanks(), media_type=JSON)


@cache
def _packed_blanks() -> bytes:
    """About 1,000 to 1: 64 MB of blanks in 64 KB."""
    return gzip.compress(b" " * 2**26, 9)


def _bomb(_: Request, __: JsonObject) -> Response:
    return Response(_packed_blanks(), 200, {"content-encoding": "gzip"}, JSON)


def _double_bomb(_: Request, __: JsonObject) -> Response:
    # A few hundred bytes that become 64 MB when both layers are taken off.
    return Response(gzip.compress(_packed_blanks(), 9), 200, {"content-encoding": "gzip, gzip"}, JSON)


def _echo(request: Request, answer: JsonObject) -> Response:
    """Credentials everywhere that an answer has room: body, headers, metadata, labels of metadata."""
    held = {name: value for name, value in request.headers.items() if name in ("authorization", "x-secret")}
    for value in held.values():
        bare = value.removeprefix("Bearer ")
        answer["model"] = f"model for {bare}"
        answer["model_version"] = answer["system_fingerprint"] = answer["id"] = answer["provider"] = bare
        answer["metadata"] = {"you sent": held, bare: [bare, {"deep": value}]}
    headers = {f"x-echo-{name}": value for name, value in held.items()}
    headers["x-request-id"] = next(iter(held.values()), "")
    return JSONResponse(answer, headers=headers)


def _echo_as_label(request: Request, answer: JsonObject) -> Response:
    """A credential as a label, after some text, so that a message that cuts labels short would cut it in two."""
    answer["probabilities"] = {"x" * 70 + request.headers.get("authorization", ""): 1}
    return JSONResponse(answer)


def _echo_as_text(request: Request, _: JsonObject) -> Response:
    return Response(f"you sent {request.headers.get('authorization', '')}")


def _percent(numbers: dict[str, float]) -> dict[str, float]:
    return {label: 100 * value for label, value in numbers.items()}


FAULTS: dict[str, Fault] = {
    "429": status(429),
    "500": status(500),
    "503": status(503),
    "529": status(529),
    "204": body(b"", code=204),
    "206": body(b"{}", code=206),
    "drip": _drip,
    "hang": _hang,
    "endless": _endless,
    "html": body(b"<!doctype html><title>Sign in</title>", "text/html"),
    "no-json": body(b"yes, surely", "text/plain"),
    "list": body(b"[0.75, 0.25]"),
    "empty": body(b""),
    "nan": body(b'{"probabilities": {"yes": NaN, "no": 0.25}}'),
    "infinite": body(b'{"probabilities": {"yes": 1e999, "no": 0.25}}'),
    "duplicate-key": body(b'{"probabilities": {"yes": 0.75, "no": 0.25, "yes": 0.75}}'),
    "deep": body(b"[" * 100_000),
    "latin-1": body(b'{"probabilities": {"yes": 1, "no": 0}, "model": "\xe9"}', "application/json; charset=latin-1"),
    "extra-label": probabilities(lambda numbers: numbers.update(perhaps=0)),
    "missing-label": probabilities(lambda numbers: {"yes": 1}),
    "text-numbers": probabilities(lambda numbers: {label: str(value) for label, value in numbers.items()}),
    "booleans": probabilities(lambda numbers: dict(zip(numbers, (True, False, False, False), strict=False))),
    "nulls": probabilities(dict.fromkeys),
    "percent": probabilities(_percent),
    "negative": probabilities(lambda numbers: dict(zip(numbers, (1.5, -0.5), strict=False))),
    "list-of-numbers": probabilities(lambda numbers: list(numbers.values())),
    "gzip": encoded(gzip.compress),
    "gzip-cut": encoded(lambda data: gzip.compress(data)[:-9]),
    "gzip-more": encoded(lambda data: gzip.compress(data) + b"{}"),
    "gzip-members": encoded(lambda data: gzip.compress(data) + gzip.compress(b" ")),
    "gzip-damaged": encoded(lambda data: b"\x1f\x8b" + b"\x00" * 40),
    "gzip-twice": encoded(lambda data: gzip.compress(gzip.compress(data)), "gzip, gzip"),
    "brotli": encoded(lambda data: data, "br"),
    "bomb": _bomb,
    "double-bomb": _double_bomb,
    "echo": _echo,
    "echo-label": _echo_as_label,
    "echo-text": _echo_as_text,
}
