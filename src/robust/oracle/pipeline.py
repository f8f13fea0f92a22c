"""One oracle process that is asked ahead: several questions lie in its pipe, and it answers them in their order.

Nothing here blocks on a pipe, so that neither side can wait for the other for ever. What comes of a question is what
would come of it alone: where the process fails while it had several questions, or had answered others before, the
first unanswered one is asked once more, alone, in a new process, and only what becomes of it there is recorded; the
others are asked after it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from robust.oracle.answers import read_answers
from robust.oracle.process import ENDED_UNANSWERED, MAX_LINE_BYTES, ProcessEnded
from robust.oracle.protocol import NotTheAnswer, no_answer_in_time, read_answer
from robust.oracle.question import Observation
from robust.records.failure import Failure, describe_exception

# So much is read at a time: answers are looked at, and recorded, before more of them are taken in.
_CHUNK: Final = 16 * 1024
# As many questions, and as many bytes of them, are asked ahead at most; and as much is written at a time.
_MAX_DEPTH: Final = 256
_MAX_DOUBLINGS: Final = _MAX_DEPTH.bit_length()
_MAX_BYTES: Final = 1024 * 1024
_WRITTEN_AT_ONCE: Final = 32 * 1024
# As many answers are read together.
_TOGETHER: Final = 128
# A process that is waited for less than this is asked further ahead, and one that takes longer than that less far.
_QUICK_S: Final = 0.005
_SLOW_S: Final = 0.05
# How long a process is given to end by itself, or to answer once it has stopped reading.
_GRACE_S: Final = 1.0
_F_SETPIPE_SZ: Final = 1031


class Pending:
    """A question on its way.

    Attributes:
        key: its id.
        line: its bytes with the line feed.
        observation: what came of it; None as long as nothing has.
        seconds: how long it was waited for while no other question stood before it.
        alone: whether no other question was unanswered when it was asked.
    """

    __slots__ = ("alone", "key", "line", "observation", "seconds")

    def __init__(self, key: str, line: bytes) -> None:
        self.key = key
        self.line = line
        self.observation: Observation | None = None
        self.seconds = 0.0
        self.alone = False


class Pipeline:
    """A process of a command, with the questions that it has and those that it will be asked next.

    Args:
        command: the program and its arguments.
        timeout_s: seconds for each answer, from when the one before it came; None for no limit.

    Attributes:
        depth: how many questions it is asked ahead now.
    """

    def __init__(self, command: Sequence[str], timeout_s: float | None) -> None:
        self._command = list(command)
        self._timeout_s = timeout_s
        self._process: subprocess.Popen[bytes] | None = None
        self._queue: deque[Pending] = deque()
        self._asked: deque[Pending] = deque()
        self._asked_bytes = 0
        self.depth = 1
        self._reset()

    def _reset(self) -> None:
        self._unsent: list[bytes | memoryview] = []
        self._unsent_bytes = 0
        self._rest: list[bytes] = []
        self._rest_bytes = 0
        self._waited = 0.0
        self._broken_for: float | None = None
        self._seen_gone = False
        self._fresh = True

    @property
    def load(self) -> int:
        """How many questions it has or will be asked."""
        return len(self._asked) + len(self._queue)

    @property
    def running(self) -> bool:
        """Whether its process was started and not ended."""
        return self._process is not None

    def room(self) -> int:
        """How many questions more would be asked at once."""
        free = self.depth - len(self._asked) - len(self._queue)
        # Of large ones, one at a time is read and looked at.
        return free if self._asked_bytes < _MAX_BYTES // 2 else min(free, int(self._may_ask()))

    def _may_ask(self) -> bool:
        return not self._asked or (len(self._asked) < self.depth and self._asked_bytes < _MAX_BYTES)

    def add(self, pending: Iterable[Pending]) -> None:
        """Take questions; each is asked as soon as there is room."""
        self._queue.extend(pending)
        self.feed()

    def feed(self) -> None:
        """Ask as many of the waiting questions as there is room for, starting the process if it does not run."""
        while self._queue and self._may_ask():
            if self._process is None and not self._start():
                continue
            queue, asked, unsent = self._queue, self._asked, self._unsent
            queue[0].alone = not asked
            room, size = max(self.depth - len(asked), 1), 0
            while queue and room and (not asked or self._asked_bytes + size < _MAX_BYTES):
                pending = queue.popleft()
                asked.append(pending)
                unsent.append(pending.line)
                size += len(pending.line)
                room -= 1
            self._asked_bytes += size
            self._unsent_bytes += size
        if self._unsent_bytes >= _WRITTEN_AT_ONCE:
            self.write()

    def _start(self) -> bool:
        """Start the process; if that fails, it is what comes of the first waiting question."""
        self._reset()
        try:
            # A session of its own, so that whatever the child starts can be ended with it.
            process = subprocess.Popen(  # noqa: S603 - the caller's own command
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, bufsize=0
            )
        except OSError as error:
            self._queue.popleft().observation = _failed(error)
            return False
        self._process = process
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                _widen(pipe.fileno())
        return True

    def descriptors(self) -> tuple[int, int] | None:
        """Its pipes: to the process, and from it; None where it does not run."""
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            return None
        return process.stdin.fileno(), process.stdout.fileno()

    @property
    def reads(self) -> bool:
        """Whether the process still reads, as far as is known."""
        return self._broken_for is None

    @property
    def has_unsent(self) -> bool:
        """Whether something is to be written."""
        return bool(self._unsent)

    def stopped_reading(self) -> None:
        """Note that the process has closed its end; what it has read it may still answer."""
        if self._broken_for is None:
            self._broken_for = 0.0

    def patience(self) -> float | None:
        """For how many seconds more the first unanswered question may be waited for; None for ever."""
        if not self._asked:
            return None
        left = None if self._timeout_s is None else max(self._timeout_s - self._waited, 0.0)
        if self._broken_for is not None:
            grace = max(_GRACE_S - self._broken_for, 0.0)
            left = grace if left is None else min(left, grace)
        return left

    def write(self) -> None:
        """Write as much as the pipe takes now."""
        process = self._process
        if process is None or process.stdin is None or not self._unsent or self._broken_for is not None:
            return
        data = b"".join(self._unsent) if len(self._unsent) > 1 else self._unsent[0]
        try:
            written = os.write(process.stdin.fileno(), data)
        except BlockingIOError:
            written = 0
        except OSError:
            self.stopped_reading()
            return
        self._unsent_bytes -= written
        self._unsent = [memoryview(data)[written:]] if written < len(data) else []

    def advance(self, seconds: float, *, readable: bool) -> None:
        """Take in what came within so many seconds, and what they mean for the time limit."""
        self._waited += seconds
        if self._broken_for is not None:
            self._broken_for += seconds
        if readable:
            # What came in time counts, even if it is looked at late.
            self._read()
        if not self._asked:
            self._waited = 0.0
        elif self._timeout_s is not None and self._waited >= self._timeout_s:
            self._fail(no_answer_in_time(self._timeout_s), certain=self._is_certain())
        elif self._broken_for is not None and self._broken_for >= _GRACE_S:
            self._fail_ended("stopped reading")
        elif not readable and self._is_gone():
            self._fail_ended(ENDED_UNANSWERED)

    def _is_gone(self) -> bool:
        """Whether the process has ended, though something that it started holds its end of the pipe.

        Only when it is seen a second time, as its last answer may have come since the pipe was looked at.
        """
        if self._waited < _GRACE_S or self._process is None or self._process.poll() is None:
            return False
        seen, self._seen_gone = self._seen_gone, True
        return seen

    def _read(self) -> None:
        process = self._process
        if process is None or process.stdout is None:
            return
        try:
            data = os.read(process.stdout.fileno(), _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._fail_ended(ENDED_UNANSWERED)
            return
        if b"\n" in data:
            *lines, rest = (b"".join((*self._rest, data)) if self._rest else data).split(b"\n")
            self._rest, self._rest_bytes = ([rest] if rest else []), len(rest)
            self._take_all(lines)
            if self._process is None:
                return
        else:
            self._rest.append(data)
            self._rest_bytes += len(data)
        if self._rest_bytes > MAX_LINE_BYTES:
            self._fail_ended("answered with too long a line")

    def _take_all(self, lines: Sequence[bytes]) -> None:
        """Take lines as the answers to the first unanswered questions, as far as the process is not ended for one."""
        for place in range(0, len(lines), _TOGETHER):
            some = lines[place : place + _TOGETHER]
            heads = [*islice(self._asked, len(some))]
            plain = len(heads) == len(some) > 1 and max(map(len, some)) <= MAX_LINE_BYTES
            observations = read_answers(some, [head.key for head in heads]) if plain else None
            if observations is not None:
                self._answered(heads, observations)
            elif not all(map(self._take, some)):
                return

    def _take(self, line: bytes) -> bool:
        """Take a line as the answer to the first unanswered question; False where the process was ended for it."""
        if not self._asked:
            # Nobody asked, so that nobody is to blame; what it would say next cannot be trusted.
            self._end()
            return False
        head = self._asked[0]
        if len(line) > MAX_LINE_BYTES:
            self._fail_ended("answered with too long a line")
            return False
        try:
            observation = read_answer(line, head.key)
        except NotTheAnswer as answer:
            self._fail(answer.observation, certain=self._is_certain())
            return False
        self._answered((head,), (observation,))
        return True

    def _answered(self, heads: Sequence[Pending], observations: Sequence[Observation]) -> None:
        """Note what came of the first unanswered questions."""
        heads[0].seconds = self._waited
        for head, observation in zip(heads, observations, strict=True):
            head.observation = observation
            self._asked.popleft()
        self._asked_bytes -= sum([len(head.line) for head in heads])
        quick = len(heads)
        if self._waited >= _QUICK_S:
            quick -= 1
            self.depth = max(self.depth // 2, 1) if self._waited > _SLOW_S else self.depth
        if self.depth < _MAX_DEPTH:
            self.depth = min(self.depth << min(quick, _MAX_DOUBLINGS), _MAX_DEPTH)
        self._waited = 0.0
        self._fresh = False

    def _is_certain(self) -> bool:
        """Whether what the process does is surely the doing of the first unanswered question."""
        return self._fresh and self._asked[0].alone and len(self._asked) == 1

    def _fail_ended(self, what: str) -> None:
        if not self._asked:
            self._end()
            return
        status = self._end(wait_s=_GRACE_S)
        error = ProcessEnded(f"the oracle process {what} (exit status {status})")
        self._fail(_failed(error), certain=self._is_certain())

    def _fail(self, observation: Observation, *, certain: bool) -> None:
        """End the process, whose first unanswered question came to this, if it is certain that it was its own doing."""
        self._end()
        again = list(self._asked)
        self._asked.clear()
        self._asked_bytes = 0
        self.depth = 1
        if certain:
            head = again.pop(0)
            head.observation = observation
            head.seconds = self._waited
        self._queue.extendleft(reversed(again))

    def _end(self, wait_s: float = 0.0) -> int | None:
        """End the process with all that it started; the exit status that it had of its own, or by this."""
        process, self._process = self._process, None
        if process is None:
            return None
        # One that is ending shows its own status, not that of being killed.
        with contextlib.suppress(subprocess.TimeoutExpired):
            if wait_s:
                process.wait(wait_s)
        status = process.poll()
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        ended = process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        return ended if status is None else status

    def close(self) -> None:
        """End the process; questions that were not answered never will be."""
        self._queue.clear()
        self._asked.clear()
        self._asked_bytes = 0
        self._end()


def _failed(error: BaseException) -> Observation:
    return Observation(None, [Failure("validator_error", "$", describe_exception(error))])


def _widen(descriptor: int) -> None:
    """Give a pipe more room where the system allows it, so that both sides wait for each other less often."""
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import fcntl

        fcntl.fcntl(descriptor, _F_SETPIPE_SZ, _MAX_BYTES)
