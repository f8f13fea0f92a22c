"""Asking an oracle that may try to end the program, where it must not choose the exit code."""

from __future__ import annotations

from robust.oracle.asked import Observer
from robust.oracle.question import Observation, Question
from robust.records.failure import Failure, describe_exception


class GuardedObserver:
    """Asks an oracle; what ends a program otherwise is an error of the oracle here."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def observe(self, question: Question) -> Observation:
        """Ask once. An oracle must not choose the exit code of a run, so that ``sys.exit`` is evidence, too."""
        try:
            return self._observer.observe(question)
        except SystemExit as error:
            return Observation(None, [Failure("validator_error", "$", describe_exception(error))])

    def close(self) -> None:
        """Let go of what the oracle holds."""
        self._observer.close()
