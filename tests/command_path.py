"""A folder for ``PATH`` whose ``robust`` is a fork of the loaded process, for scripts that call the command often."""

from __future__ import annotations

import contextlib
import json
import os
import socketserver
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from tests.run_fixtures import COMMAND, SERVER

LIMIT_SECONDS = 60
# It loads next to nothing: it hands on what it was called with, and ends as the command did.
_CALLER = """#!{python} -SE
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as talk:
    talk.connect({address!r})
    talk.sendall(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode())
    talk.shutdown(socket.SHUT_WR)
    status, output, messages = json.loads(b"".join(iter(lambda: talk.recv(65536), b"")))
for stream, text in ((sys.stdout, output), (sys.stderr, messages)):
    stream.buffer.write(text.encode("latin-1"))
    stream.flush()
sys.exit(status if status >= 0 else 128 - status)
"""


class _Handler(socketserver.StreamRequestHandler):
    """Runs one command."""

    def handle(self) -> None:
        """Its streams are bytes, which latin-1 makes text of and back."""
        arguments, folder, environment = json.loads(self.rfile.read())
        done = SERVER.run(arguments, Path(folder), environment, LIMIT_SECONDS)
        answer = (done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1"))
        self.wfile.write(json.dumps(answer).encode())


@contextlib.contextmanager
def command_path() -> Iterator[str]:
    """A ``PATH`` where scripts find ``robust``, one call at a time; the installed one where nothing can be forked."""
    own = str(COMMAND.parent)
    if not hasattr(os, "fork"):
        yield os.pathsep.join((own, os.environ["PATH"]))
        return
    # The folder of a test may be longer than an address can be.
    with tempfile.TemporaryDirectory() as folder:
        address = str(Path(folder) / "talk")
        caller = Path(folder) / "robust"
        caller.write_text(_CALLER.format(python=sys.executable, address=address), encoding="utf-8")
        caller.chmod(0o700)
        with socketserver.UnixStreamServer(address, _Handler) as server:
            serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
            serving.start()
            try:
                yield os.pathsep.join((folder, own, os.environ["PATH"]))
            finally:
                server.shutdown()
                serving.join()
