"""The installed command in processes of its own that need not load everything anew: each is forked from a loaded one.

A fresh interpreter spends a second or two on loading before a command does anything, and the tests run commands by the
hundred. So each process of the tests has one that loads the package and runs nothing, and every command is a fork of
it, with its own arguments, folder, environment and streams, and ends like any other process.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Loaded by functions of the package when they are first called.
LATER = ("filelock", "rfc8785", "scipy.special", "scipy.stats")
MAX_REQUEST = 1024 * 1024


class CommandServer:
    """Starts the loaded process when it is first asked for a command."""

    def __init__(self) -> None:
        self._server: tuple[subprocess.Popen[bytes], socket.socket] | None = None

    def run(
        self, arguments: Sequence[str], cwd: Path | None, env: Mapping[str, str], timeout: float
    ) -> subprocess.CompletedProcess[bytes]:
        """Run one command and wait for its end.

        Raises:
            subprocess.TimeoutExpired: it did not end in time, and was killed.
        """
        _, talk = self._server = self._server or _start()
        request = {"arguments": list(arguments), "cwd": os.fspath(cwd or Path.cwd()), "env": dict(env)}
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as messages:
            socket.send_fds(talk, [json.dumps(request).encode() + b"\n"], [output.fileno(), messages.fileno()])
            process = int(_line(talk, None))
            try:
                status = int(_line(talk, timeout))
            except TimeoutError:
                os.kill(process, signal.SIGKILL)
                _line(talk, None)
                raise subprocess.TimeoutExpired(["robust", *arguments], timeout) from None
            output.seek(0)
            messages.seek(0)
            return subprocess.CompletedProcess(["robust", *arguments], status, output.read(), messages.read())

    def stop(self) -> None:
        """End the loaded process."""
        if self._server is not None:
            (process, talk), self._server = self._server, None
            talk.close()
            process.wait()


def _start() -> tuple[subprocess.Popen[bytes], socket.socket]:
    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-m", "tests.command_server", str(theirs.fileno())]
        return subprocess.Popen(command, cwd=ROOT, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL), ours


def _line(talk: socket.socket, timeout: float | None) -> bytes:
    """One line of the other side.

    Raises:
        TimeoutError: it did not come in time.
        ConnectionError: the other side has ended.
    """
    talk.settimeout(timeout)
    line = b""
    while not line.endswith(b"\n"):
        received = talk.recv(1)  # and nothing of the next line
        if not received:
            raise ConnectionError("the process that runs commands has ended")
        line += received
    return line


def main(descriptor: int) -> None:
    """Load everything, then fork for each request until there are no more."""
    import robust

    for module in pkgutil.walk_packages(robust.__path__, "robust."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in LATER:
        importlib.import_module(name)
    gc.freeze()  # so that no fork looks through, and so copies, what all of them share
    talk = socket.socket(fileno=descriptor)
    while True:
        message, streams, _, _ = socket.recv_fds(talk, MAX_REQUEST, 2)
        if not message:
            return
        while not message.endswith(b"\n"):
            message += talk.recv(MAX_REQUEST)
        process = os.fork()
        if process == 0:
            talk.close()
            _become(json.loads(message), streams)
        for stream in streams:
            os.close(stream)
        talk.sendall(b"%d\n" % process)
        _, status = os.waitpid(process, 0)
        talk.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))


def _become(request: dict[str, object], streams: Sequence[int]) -> None:
    """Be the command from here on, up to the interpreter's end."""
    for number, stream in enumerate(streams, start=1):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(str(request["cwd"]))
    os.environ.clear()
    os.environ.update(request["env"])  # type: ignore[call-overload]
    sys.argv[:] = ["robust", *request["arguments"]]  # type: ignore[misc]
    from robust.cli import main as command

    command()
    sys.exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]))
