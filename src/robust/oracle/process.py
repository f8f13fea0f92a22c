"""A persistent child process that answers one line with one line, and that can be ended when it does not."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import weakref
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeoutError

MAX_LINE_BYTES = 32 * 1024 * 1024


class ProcessEnded(Exception):
    """The child ended, or its answer was not one line; the text says which."""


class ProcessTimedOut(Exception):
    """The child did not answer in time and was killed."""


class LineProcess:
    """Starts a command when it is first asked, keeps it, and starts it again after it ended or was killed."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._process: subprocess.Popen[bytes] | None = None
        self._talker: ThreadPoolExecutor | None = None
        self._lock = threading.Lock()

    def ask(self, line: bytes, timeout_s: float | None) -> bytes:
        """Send a line and wait for the answer, both without their line feed.

        Raises:
            ProcessTimedOut: no answer came in time; the process and its children were killed.
            ProcessEnded: the process ended instead of answering, or answered with too much.
            OSError: the command cannot be started.
        """
        with self._lock:
            process, talker = self._started()
            # Writing blocks too when the child does not read, so both are done by a thread that a kill sets free.
            future = talker.submit(_exchange, process, line)
            try:
                answer = future.result(timeout_s)
            except FutureTimeoutError:
                self._end()
                raise ProcessTimedOut from None
            except OSError as error:
                status = self._end()
                raise ProcessEnded(f"the oracle process stopped reading ({error}; exit status {status})") from None
            except BaseException:
                self._end()
                raise
            if not answer.endswith(b"\n") or len(answer) > MAX_LINE_BYTES:
                status = self._end()
                what = "answered with too long a line" if len(answer) > MAX_LINE_BYTES else "ended without an answer"
                raise ProcessEnded(f"the oracle process {what} (exit status {status})")
            return answer[:-1]

    def close(self) -> None:
        """End the process, if it runs."""
        with self._lock:
            self._end()

    def _started(self) -> tuple[subprocess.Popen[bytes], ThreadPoolExecutor]:
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._process is None or self._talker is None:
            # A session of its own, so that whatever the child starts can be ended with it.
            self._process = subprocess.Popen(  # noqa: S603 - the caller's own command
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=os.name == "posix"
            )
            self._talker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="robust-oracle")
        return self._process, self._talker

    def _end(self) -> int | None:
        process, talker = self._process, self._talker
        self._process = self._talker = None
        if process is None:
            return None
        status = process.poll()
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        ended = process.wait()
        if talker is not None:
            talker.shutdown(wait=True)
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        return ended if status is None else status


class ProcessPool:
    """Processes of one command that are kept for the next question; as many as there are questions at once."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._idle: list[LineProcess] = []
        self._lock = threading.Lock()
        # At the latest when nobody asks any more, or at the end of the program.
        weakref.finalize(self, _end_all, self._idle)

    @contextlib.contextmanager
    def lend(self) -> Iterator[LineProcess]:
        """Lend an idle process, or a new one. If the block raises it is ended: what it would say next is not known."""
        with self._lock:
            process = self._idle.pop() if self._idle else LineProcess(self._command)
        try:
            yield process
        except BaseException:
            process.close()
            raise
        with self._lock:
            self._idle.append(process)

    def close(self) -> None:
        """End the idle processes."""
        with self._lock:
            _end_all(self._idle)


def _end_all(processes: list[LineProcess]) -> None:
    while processes:
        processes.pop().close()


def _exchange(process: subprocess.Popen[bytes], line: bytes) -> bytes:
    if process.stdin is None or process.stdout is None:
        return b""
    process.stdin.write(line + b"\n")
    process.stdin.flush()
    return process.stdout.readline(MAX_LINE_BYTES + 1)
