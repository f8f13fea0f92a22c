"""Processes that do the work of a run side by side, where the model is a pure function that its contract describes."""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from robust.app.models import build_backend, read_identity
from robust.app.oracles import build_judges
from robust.canon import JsonObject
from robust.errors import BackendError, UsageError
from robust.records.contract import Contract
from robust.run.burst import Burst
from robust.run.execute import Engine
from robust.run.inline import DecisionTask, InlineWork, PairTask
from robust.run.property_plan import plan_properties
from robust.run.repeats import Repeats
from robust.run.summary import RunSummary
from robust.version import __version__

if TYPE_CHECKING:
    from robust.run.parts import CheckedPart, DecisionPart, PairPart

# Below it a second process costs more time to start than it saves.
MIN_RECORDS: Final = 20_000
MAX_PROCESSES: Final = 16
_LENGTH_BYTES: Final = 8
# What every process of a crew must be: this version from this folder.
PROGRAM: Final = (__version__, str(Path(__file__).resolve().parent))
# How many processes share the work, at most; 1 for this one alone.
PROCESSES: Final = "ROBUST_PROCESSES"


class ProcessEndedError(BackendError):
    """A process of a crew ended, or does not read any more, although nothing told it to."""


class Worker(Protocol):
    """Whoever does tasks in a process."""

    def do(self, task: Any) -> object:
        """Do one task."""
        ...


class Orders(Protocol):
    """Everything that a process needs to do tasks; it can be pickled."""

    def worker(self) -> Worker:
        """Whoever does the tasks, made in the process.

        Raises:
            RobustError: a part of it cannot be built.
        """
        ...


class RunOrders(NamedTuple):
    """The orders to do a part of a run whose oracles are all built in.

    Attributes:
        contract: the contract that runs.
        backend: the name of its backend that is asked.
        folder: what paths in the contract are relative to.
        mode: what runs.
        seed: the run's.
        cases: how many base cases there are.
    """

    contract: Contract
    backend: str | None
    folder: PurePath
    mode: str
    seed: int
    cases: int

    def worker(self) -> Worker:
        """See :class:`Orders`."""
        return inline_work(self)


class CheckOrders(NamedTuple):
    """The orders to check a part of a run.

    Attributes:
        contract: the contract that ran.
        mode: what ran.
        seed: the run's.
        backend: the backend's identity as the report declares it.
    """

    contract: Contract
    mode: str
    seed: int
    backend: JsonObject

    def worker(self) -> Worker:
        """See :class:`Orders`."""
        return _PartWorker(self)


class _PartWorker:
    def __init__(self, orders: CheckOrders) -> None:
        # Only here, as a run that is made reads no records.
        from robust.run.derive_parts import PartChecker

        self._checker = PartChecker(
            orders.contract,
            mode=orders.mode,
            seed=orders.seed,
            backend=orders.backend,
            file="",
            report_file="",
            ordered=False,
        )

    def do(self, task: Any) -> object:
        """Check one part."""
        return self._checker.check_part(task)


def make_crew(orders: Orders) -> ProcessCrew | None:
    """A process for each processor; None where there is one only, or where none can be started.

    Raises:
        UsageError: the environment sets a number of processes that is none.
    """
    size = min(processors(), MAX_PROCESSES)
    if size == 1:
        return None
    try:
        return ProcessCrew(orders, size)
    except (OSError, BackendError):
        return None  # the work is done all the same, by this process


def processors() -> int:
    """How many processors this process may use; the environment variable ``ROBUST_PROCESSES`` may say fewer.

    Raises:
        UsageError: it says something else.
    """
    said = os.environ.get(PROCESSES)
    if said is not None:
        if not said.isdecimal() or not said.isascii() or int(said) < 1:
            hint = "set it to 1 to keep the work in one process"
            raise UsageError.of("bad_processes", f"must be a number from 1, not {said!r}", path=PROCESSES, hint=hint)
        return int(said)
    with contextlib.suppress(AttributeError):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Member(NamedTuple):
    """A process with the pipes that lead to it and from it."""

    process: subprocess.Popen[bytes]
    tasks: IO[bytes]
    results: IO[bytes]


def _start(command: Sequence[str]) -> _Member:
    # A session of its own: an interrupt is for the one who gives the tasks.
    process = subprocess.Popen(  # noqa: S603 - this very program
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=os.name == "posix"
    )
    if process.stdin is None or process.stdout is None:
        raise BackendError.of("process_ended", "a process was started without its pipes", path="backend")
    return _Member(process, process.stdin, process.stdout)


class ProcessCrew:
    """As many processes as there are processors; each has one task at a time.

    They are started as programs of their own, which import nothing of the caller's. Nothing but what this process
    wrote goes through their pipes.

    Args:
        orders: what they need to know.
        size: how many processes.

    Raises:
        BackendError: one cannot be started, or cannot do such work.
    """

    def __init__(self, orders: Orders, size: int) -> None:
        self._members: list[_Member] = []
        command = [sys.executable, "-P", "-m", "robust.app.crew_member"]
        try:
            for _ in range(size):
                self._members.append(_start(command))
            for member in self._members:
                send(member.tasks, orders)
            for member in self._members:
                if self._receive(member) != PROGRAM:
                    message = "the installed program is another one than this"
                    raise BackendError.of("other_program", message, path="backend")
        except BaseException:
            self.close()
            raise

    def bursts(self, tasks: Iterator[DecisionTask | PairTask]) -> Iterator[Burst]:
        """See :class:`robust.run.inline.Crew`."""
        return self._results(tasks)

    def checked(self, parts: Iterator[DecisionPart | PairPart]) -> Generator[CheckedPart | None, None, None]:
        """See :class:`robust.run.derive.CheckingCrew`."""
        return self._results(parts)

    def _results(self, tasks: Iterator[object]) -> Generator[Any, None, None]:
        """What comes of tasks, in their order. Those at work when it is closed are waited for, and forgotten."""
        at_work: deque[_Member] = deque()
        free = deque(self._members)
        try:
            for task in tasks:
                if not free:
                    free.append(at_work[0])
                    yield self._receive(at_work.popleft())
                member = free.popleft()
                # It waits for a task, so that neither side can wait for the other to read.
                send(member.tasks, task)
                at_work.append(member)
            while at_work:
                yield self._receive(at_work.popleft())
        except GeneratorExit:
            for member in at_work:
                self._receive(member)
            raise

    def _receive(self, member: _Member) -> Any:
        try:
            answer = receive(member.results)
        except EOFError:
            message = f"a process that does a part of the run ended (exit status {member.process.wait()})"
            raise ProcessEndedError.of("process_ended", message, path="backend", hint="run again") from None
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def close(self) -> None:
        """End all of them."""
        for member in self._members:
            member.process.kill()
        for member in self._members:
            member.process.wait()
            for pipe in (member.tasks, member.results):
                with contextlib.suppress(OSError):
                    pipe.close()
        self._members.clear()


def send(pipe: IO[bytes], value: object) -> None:
    """Write a value with its length before it.

    Raises:
        BackendError: nobody reads any more.
    """
    data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    try:
        pipe.write(len(data).to_bytes(_LENGTH_BYTES, "big"))
        pipe.write(data)
        pipe.flush()
    except OSError as error:
        message = f"a process that does a part of the run does not read any more: {error.strerror or error}"
        raise ProcessEndedError.of("process_ended", message, path="backend", hint="run again") from None


def receive(pipe: IO[bytes]) -> Any:
    """Read a value that :func:`send` wrote in a process of this run.

    Raises:
        EOFError: the other side ended.
    """
    head = pipe.read(_LENGTH_BYTES)
    size = int.from_bytes(head, "big")
    data = pipe.read(size) if len(head) == _LENGTH_BYTES else b""
    if len(head) < _LENGTH_BYTES or len(data) < size:
        raise EOFError
    return pickle.loads(data)  # noqa: S301 - from a process that this one started, over a pipe that nobody else has


def inline_work(orders: RunOrders) -> InlineWork:
    """Whoever does tasks in this process.

    Raises:
        RobustError: the model or an oracle cannot be built.
    """
    contract = orders.contract
    model = build_backend(contract, orders.backend)
    tolerance = contract.evaluation.probability_tolerance
    judges = {} if orders.mode == "golden" else build_judges(contract, orders.folder)
    plans = plan_properties(contract, judges)
    summary = RunSummary(contract, mode=orders.mode, seed=orders.seed, plans=plans)
    judged = bool(summary.plans) or summary.variants is not None
    return InlineWork(
        contract,
        Engine(model, concurrency=1, tolerance=tolerance),
        read_identity(model),
        summary,
        seed=orders.seed,
        repeats=Repeats(contract, seed=orders.seed, cases=orders.cases, judged=judged),
    )
