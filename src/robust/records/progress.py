"""How far a run has come."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgressState:
    """The state of a run at one moment; no count ever falls but ``total``.

    Calls, tokens and cost begin at what a continued run spent before it was stopped.

    Attributes:
        done: how many decisions have ended, as a result or as an error.
        total: how many there will be at most; it falls where a property makes fewer candidates of a case than it may,
            and at the end it is ``done``. None where that is not known yet.
        errors: how many of them ended as an error.
        calls: how many calls were made, retries included.
        cached: how many decisions were not asked, for their answer was known.
        tokens: what the calls took, as far as the providers say so.
        cost: likewise, in the provider's own unit.
        elapsed_s: seconds since the run began.
    """

    done: int
    total: int | None
    errors: int
    calls: int
    cached: int
    tokens: int
    cost: float
    elapsed_s: float
