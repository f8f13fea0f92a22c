"""The model behind a socket: ``decguard.http/0.1`` in a few lines of the standard library."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, TypeAlias

from language_model import LANGUAGES, NAME, VERSION, language_probabilities

PROTOCOL: Final = "decguard.http/0.1"
HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8377
MAX_BODY_BYTES: Final = 64 * 1024
_STOP_SECONDS: Final = 10
Reply: TypeAlias = tuple[int, dict[str, Any]]


def answer(body: bytes) -> Reply:
    """Status and body of the answer to one request."""
    try:
        request = json.loads(body)
        protocol, labels, text = request["protocol"], request["decision"]["labels"], request["input"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return 400, {"error": f"this is no request of {PROTOCOL}"}
    if protocol != PROTOCOL:
        return 400, {"error": f"the protocol here is {PROTOCOL}"}
    if not isinstance(labels, list) or sorted(map(str, labels)) != sorted(LANGUAGES):
        return 400, {"error": f"the labels here are {', '.join(LANGUAGES)}"}
    if not isinstance(text, str):
        return 400, {"error": "the input must be a text"}
    return 200, {"probabilities": language_probabilities(text), "model": NAME, "model_version": VERSION}


class Handler(BaseHTTPRequestHandler):
    """``POST /decide`` and ``GET /health``, over connections that stay open."""

    protocol_version = "HTTP/1.1"
    timeout = 60
    # Head and body leave together: in two pieces, the second would wait until the first is acknowledged.
    wbufsize = -1

    def do_GET(self) -> None:
        """Say whether the server is well."""
        self._send(*((200, {"status": "ok"}) if self.path == "/health" else (404, {"error": "not found"})))

    def do_POST(self) -> None:
        """Answer one decision."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit() and len(length) < 9 and int(length) <= MAX_BODY_BYTES):
            # Where the body ends, or whether to read it at all, is not known.
            self.close_connection = True
            self._send(413, {"error": f"a body of at most {MAX_BODY_BYTES} bytes and its Content-Length are due"})
            return
        body = self.rfile.read(int(length))
        self._send(*(answer(body) if self.path == "/decide" else (404, {"error": "not found"})))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in http.server
        """Print nothing for each request."""

    def _send(self, status: int, value: dict[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def running_server() -> Iterator[str]:
    """Run this file as a process of its own on a free port, and give its address.

    It stops when its standard input ends, and so does not outlive this process, however that ends. A Ctrl-C in the
    terminal is for this process alone.

    Raises:
        OSError: it did not start.
    """
    command = [sys.executable, str(Path(__file__)), "--port", "0", "--until-input-ends"]
    with subprocess.Popen(  # noqa: S603 - this file, under this interpreter
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="ascii", start_new_session=True
    ) as process:
        try:
            address = process.stdout.readline().strip() if process.stdout else ""
            if not address:
                raise OSError("the server did not start")
            yield address
        finally:
            try:
                process.communicate(timeout=_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def main() -> int:
    """Serve until interrupted; the first line printed is the address."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="0 for any free one")
    parser.add_argument("--until-input-ends", action="store_true", help="stop when standard input ends")
    arguments = parser.parse_args()
    language_probabilities("")  # reads the model now rather than during the first request
    try:
        server = ThreadingHTTPServer((HOST, arguments.port), Handler)
    except (OSError, OverflowError) as error:
        print(f"port {arguments.port} of {HOST} cannot be used: {error}", file=sys.stderr)
        return 2
    with server, suppress(KeyboardInterrupt):
        print(f"http://{HOST}:{server.server_port}", flush=True)
        if arguments.until_input_ends:
            threading.Thread(target=_stop_with_input, args=[server], daemon=True).start()
        server.serve_forever()
    return 0


def _stop_with_input(server: ThreadingHTTPServer) -> None:
    # Not by sys.stdin, which a waiting thread would keep locked when the process ends in another way.
    while os.read(0, 1024):
        pass
    server.shutdown()


if __name__ == "__main__":
    sys.exit(main())
