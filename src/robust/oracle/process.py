"""A persistent child process that answers one line with one line, and that can be ended when it does not."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import weakref
from collections.abc import Iterator, Sequence
from typing import Final

MAX_LINE_BYTES = 32 * 1024 * 1024


# How long a process, or the thread that reads from it, is given to end by itself.
_GRACE_S = 1.0
ENDED_UNANSWERED: Final = "ended without an answer"


class ProcessEnded(Exception):
    """The child ended, or its answer was not one line; the text says which."""


class ProcessTimedOut(Exception):
    """The child did not answer in time and was killed."""


class LineProcess:
    """Starts a command when it is first asked, keeps it, and starts it again after it ended or was killed.

    Attributes:
        has_answered: whether it has answered before, whatever it said.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._process: subprocess.Popen[bytes] | None = None
        self._talk: _Talk | None = None
        self._lock = threading.Lock()
        self.has_answered = False

    def ask(self, line: bytes, timeout_s: float | None) -> bytes:
        """Send a line and wait for the answer, both without their line feed.

        Raises:
            ProcessTimedOut: no answer came in time; the process and its children were killed.
            ProcessEnded: the process ended instead of answering, or answered with too much.
            OSError: the command cannot be started.
        """
        with self._lock:
            process = self._started()
            try:
                answer = _exchange(process, line) if timeout_s is None else self._exchange_within(line, timeout_s)
            except ProcessTimedOut:
                self._end()
                raise
            except OSError as error:
                status = self._end()
                raise ProcessEnded(f"the oracle process stopped reading ({error}; exit status {status})") from None
            except BaseException:
                self._end()
                raise
            if not answer.endswith(b"\n") or len(answer) > MAX_LINE_BYTES:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_GRACE_S)  # a program that ends shows its own status, not that of being killed
                status = self._end()
                what = "answered with too long a line" if len(answer) > MAX_LINE_BYTES else ENDED_UNANSWERED
                raise ProcessEnded(f"the oracle process {what} (exit status {status})")
            self.has_answered = True
            return answer[:-1]

    def _exchange_within(self, line: bytes, timeout_s: float) -> bytes:
        self._talk = _Talk(self._started(), line)
        return self._talk.answer(timeout_s)

    def close(self) -> None:
        """End the process, if it runs."""
        with self._lock:
            self._end()

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._process is None:
            # A session of its own, so that whatever the child starts can be ended with it.
            self._process = subprocess.Popen(  # noqa: S603 - the caller's own command
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=os.name == "posix"
            )
        return self._process

    def _end(self) -> int | None:
        process, self._process = self._process, None
        self.has_answered = False
        if process is None:
            return None
        status = process.poll()
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        ended = process.wait()
        talk, self._talk = self._talk, None
        if talk is None or talk.over():
            _close_pipes(process)
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


class _Talk:
    """One exchange in a daemon thread: writing blocks too when the child does not read."""

    def __init__(self, process: subprocess.Popen[bytes], line: bytes) -> None:
        self._process = process
        self._line = line
        self._left = threading.Event()
        self._answers: queue.SimpleQueue[bytes | BaseException] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="robust-oracle", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._answers.put(_exchange(self._process, self._line))
        except (OSError, ValueError) as error:
            self._answers.put(error)
        if self._left.is_set():
            _close_pipes(self._process)

    def answer(self, timeout_s: float) -> bytes:
        """The answer, if it comes in time."""
        try:
            answer = self._answers.get(timeout=timeout_s)
        except queue.Empty:
            raise ProcessTimedOut from None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def over(self) -> bool:
        """Whether the thread has ended. If not, it is left to itself and closes the pipes when it does.

        A child that escaped into a session of its own may hold the other end of a pipe for as long as it likes, and
        closing a pipe that is being read would wait for it.
        """
        self._thread.join(_GRACE_S)
        if self._thread.is_alive():
            self._left.set()
        return not self._thread.is_alive()


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            if pipe is not None:
                pipe.close()


def _exchange(process: subprocess.Popen[bytes], line: bytes) -> bytes:
    if process.stdin is None or process.stdout is None:
        return b""
    process.stdin.write(line + b"\n")
    process.stdin.flush()
    return process.stdout.readline(MAX_LINE_BYTES + 1)
