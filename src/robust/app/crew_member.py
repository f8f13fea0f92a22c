"""The program of a process that does a part of a run: it reads tasks and writes what comes of them."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import BinaryIO

from robust.app.crew import PROGRAM, receive, send
from robust.errors import BackendError


def serve(tasks: BinaryIO, results: BinaryIO) -> None:
    """Do tasks until the one who gives them goes away; an error is a result like any other."""
    try:
        work = receive(tasks).worker()
    except EOFError:
        return
    except Exception as error:  # noqa: BLE001 - raised again by the one who gives the tasks
        send(results, error)
        return
    send(results, PROGRAM)
    while True:
        try:
            task = receive(tasks)
        except EOFError:
            return
        try:
            result: object = work.do(task)
        except Exception as error:  # noqa: BLE001 - raised again by the one who gives the tasks
            result = error
        send(results, result)


def main() -> None:
    """Serve on standard input and output; whatever else is printed goes to standard error."""
    # An interrupt is for the one who gives the tasks, and who ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    results = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    # When nobody reads any more there is nobody to tell.
    with contextlib.suppress(BackendError):
        serve(sys.stdin.buffer, results)


if __name__ == "__main__":
    main()
