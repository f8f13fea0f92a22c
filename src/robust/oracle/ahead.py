"""Asking programs ahead: several processes, each with several questions, from one thread."""

from __future__ import annotations

import os
import select
import time
import weakref
from collections.abc import Sequence
from itertools import chain
from typing import Final, Protocol, runtime_checkable

from robust.oracle.pipeline import Pending, Pipeline
from robust.oracle.protocol import encode_questions
from robust.oracle.question import Question

# As many answered questions may wait for an unanswered one before them, for each process; and so many bytes of all.
_WINDOW: Final = 8
_MAX_BYTES: Final = 16 * 1024 * 1024
# Waiting in slices: no pipe tells of a process that has ended while something that it started goes on.
_LONGEST_WAIT_S: Final = 1.0


@runtime_checkable
class AsksAhead(Protocol):
    """An observer that can be asked ahead."""

    def ahead(self, workers: int) -> Crew | None:
        """Processes to ask ahead; None where this system cannot wait for several pipes."""
        ...


class Crew:
    """Processes of one command that are asked ahead.

    Args:
        command: the program and its arguments.
        contract: the oracle contract that stands in every question.
        timeout_s: seconds for each answer.
        workers: how many processes.
    """

    def __init__(self, command: Sequence[str], contract: str, timeout_s: float | None, workers: int) -> None:
        self._contract = contract
        self._pipelines = [Pipeline(command, timeout_s) for _ in range(workers)]
        # At the latest when nobody asks any more, or at the end of the program.
        self._finalizer = weakref.finalize(self, _close_all, self._pipelines)

    def submit(self, questions: Sequence[Question], repeats: int) -> list[list[Pending]]:
        """Ask questions, or have them asked as soon as the least busy process has room for them.

        Args:
            questions: the questions.
            repeats: how often each is asked.

        Returns:
            of each question, what was asked.
        """
        encoded = encode_questions(questions, self._contract)
        asked = [[Pending(key, line) for _ in range(repeats)] for key, line in encoded]
        pipelines = self._pipelines
        if len(pipelines) == 1:
            pipelines[0].add(chain.from_iterable(asked))
        else:
            for pending in chain.from_iterable(asked):
                min(pipelines, key=lambda each: (each.load, not each.running)).add((pending,))
        return asked

    def room(self, waiting: int, waiting_bytes: int) -> int:
        """How many more questions should be read and asked before anything is waited for.

        Args:
            waiting: how many questions were asked whose records are not there yet.
            waiting_bytes: how many bytes of questions these are.
        """
        if waiting_bytes >= _MAX_BYTES and waiting > 1:
            return 0
        pipelines = self._pipelines
        allowed = 2 * sum(each.depth for each in pipelines) + _WINDOW * len(pipelines) - waiting
        return min(allowed, sum(each.room() for each in pipelines))

    def pump(self, *, wait: bool = True) -> None:
        """Wait until something came, or was written, or a time limit has passed, and take it in.

        Args:
            wait: if not, only what came already is taken in.
        """
        began = time.monotonic()
        poll = select.poll()
        readers: dict[int, Pipeline] = {}
        writers: dict[int, Pipeline] = {}
        wait_s = _LONGEST_WAIT_S
        for each in self._pipelines:
            each.feed()
            each.write()
            pipes = each.descriptors()
            if pipes is not None:
                readers[pipes[1]] = each
                poll.register(pipes[1], select.POLLIN)
            if pipes is not None and each.reads:
                # Without events it is still told that the other end was closed.
                writers[pipes[0]] = each
                poll.register(pipes[0], select.POLLOUT if each.has_unsent else 0)
            patience = each.patience()
            wait_s = wait_s if patience is None else min(wait_s, patience)
        if not readers:
            return
        ready = dict(poll.poll(int(wait_s * 1000) + 1 if wait else 0))
        elapsed = time.monotonic() - began
        for descriptor, events in ready.items():
            if descriptor in writers and events & (select.POLLERR | select.POLLHUP):
                writers[descriptor].stopped_reading()
            elif descriptor in writers:
                writers[descriptor].write()
        came = {id(readers[descriptor]) for descriptor in ready if descriptor in readers}
        for each in self._pipelines:
            each.advance(elapsed, readable=id(each) in came)

    def close(self) -> None:
        """End the processes."""
        self._finalizer()


def _close_all(pipelines: list[Pipeline]) -> None:
    for each in pipelines:
        each.close()


def can_ask_ahead() -> bool:
    """Whether this system can wait for several pipes at once."""
    return os.name == "posix" and hasattr(select, "poll")
