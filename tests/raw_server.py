"""A server that sends whatever bytes it is told, for what no HTTP framework would send."""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final, TypeAlias

# Closes the connection with a reset, so that the other side loses what it has not read.
RESET: Final = object()
# What to do with one connection after its request came: send bytes, wait some seconds, or reset it.
Steps: TypeAlias = Sequence[object]


@dataclass(slots=True)
class RawServer:
    """A running server: ``address`` is ``http://127.0.0.1:port``, ``requests`` holds the bytes of each request."""

    address: str
    requests: list[bytes] = field(default_factory=list)


def answer(body: bytes, *, length: int | None = None, more: bytes = b"") -> bytes:
    """The bytes of an answer with status 200, of its own or another declared length; more header lines end in CRLF."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n%s\r\n"
    return head % (len(body) if length is None else length, more) + body


@contextmanager
def raw_server(*connections: Steps) -> Iterator[RawServer]:
    """Serve connections, one after the other, each for one request; the last description serves all that follow."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = RawServer(f"http://127.0.0.1:{listener.getsockname()[1]}")
        stopped = threading.Event()

        def serve() -> None:
            number = 0
            while True:
                with suppress(OSError):
                    connection, _ = listener.accept()
                    if stopped.is_set():
                        connection.close()
                        return
                    _serve_one(connection, connections[min(number, len(connections) - 1)], server, stopped)
                number += 1

        thread = threading.Thread(target=serve, name="raw-server", daemon=True)
        thread.start()
        try:
            yield server
        finally:
            stopped.set()
            # Wakes the thread that waits for a connection.
            with suppress(OSError):
                socket.create_connection(listener.getsockname()).close()
            thread.join()


def _serve_one(connection: socket.socket, steps: Steps, server: RawServer, stopped: threading.Event) -> None:
    with connection:
        server.requests.append(_read_request(connection))
        for step in steps:
            if isinstance(step, bytes):
                connection.sendall(step)
            elif isinstance(step, int | float):
                stopped.wait(step)
            else:
                # A linger of no time turns the close into a reset. What was sent must have left before.
                time.sleep(0.02)
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _read_request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = connection.recv(65536)
        if not chunk:
            return data
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while lengths and len(body) < int(lengths[0]):
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body
