"""The report of a run, ``robust.report/1``: checks, their order of severity, and the status that follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from robust.canon import JsonObject, canonical_bytes, digest_value, join_path
from robust.errors import Problem
from robust.records.decision import LIMIT_SLACK, tidy_number

SCHEMA: Final = "robust.report/1"
CheckStatus: TypeAlias = Literal["pass", "warn", "fail", "inconclusive"]
Level: TypeAlias = Literal["requirement", "warning"]
Interval: TypeAlias = tuple[float, float]
RunStatus: TypeAlias = Literal["pass", "warn", "fail", "error"]
# Values in messages may be long.
_MAX_MESSAGE: Final = 400
EXIT_CODES: Final[dict[str, int]] = {"pass": 0, "warn": 0, "fail": 1, "error": 2}


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckResult:
    """One gate: what was measured, its limit, and whether it holds.

    Attributes:
        check: the name of the gate.
        level: requirement or warning.
        status: whether it holds.
        value: what was measured; None when it cannot be computed.
        limit: the limit.
        interval: the confidence interval of the value, where it has one.
        observed: whether it is on time, tokens or cost, which vary from run to run.
        needed_groups: about how many more source groups would decide an inconclusive check; None where that is not
            known.
        p_value: how likely so large a value is by the model's own noise alone, adjusted for all checks so judged
            (Holm); None where noise is not judged, or the value is within its limit.
        noise: whether it holds only since what is over the limit may be noise.
    """

    check: str
    level: Level
    status: CheckStatus
    value: float | None
    limit: float | None
    interval: Interval | None = None
    observed: bool = False
    needed_groups: int | None = None
    p_value: float | None = None
    noise: bool = False

    def to_json(self) -> JsonObject:
        """The check as it stands in a report."""
        return {
            "check": self.check,
            "level": self.level,
            "status": self.status,
            "value": None if self.value is None else tidy_number(self.value),
            "limit": None if self.limit is None else tidy_number(self.limit),
            "interval": None if self.interval is None else [tidy_number(end) for end in self.interval],
            "observed": self.observed,
            "needed_groups": self.needed_groups,
            "p_value": None if self.p_value is None else tidy_number(self.p_value),
            "noise": self.noise,
        }


def judge_limit(
    check: str,
    level: Level,
    value: float | None,
    limit: float,
    *,
    missing: CheckStatus | None = None,
    interval: Interval | None = None,
    bound: bool = False,
    observed: bool = False,
) -> CheckResult:
    """Whether a value is on the right side of its limit: at least it for ``min_…``, at most it for ``max_…``.

    Args:
        check: the name; what follows its last dot says the side.
        level: requirement or warning.
        value: what was measured; None when it cannot be computed.
        limit: the limit, which itself holds.
        missing: the status when the value cannot be computed; by default the gate does not hold.
        interval: the confidence interval of the value.
        bound: whether the whole interval is judged instead of the value: it holds on the right side of the limit, it
            does not hold on the wrong side, and otherwise, or without an interval, the check is inconclusive.
        observed: whether the value varies from run to run.
    """
    failed: CheckStatus = "fail" if level == "requirement" else "warn"
    if value is None:
        status = missing or failed
    elif bound and (interval is None or not is_decided(check, interval, limit)):
        status = "inconclusive"
    else:
        low, high = interval if bound and interval is not None else (value, value)
        status = "pass" if _holds(check, low if _at_least(check) else high, limit) else failed
    return CheckResult(
        check=check, level=level, status=status, value=value, limit=limit, interval=interval, observed=observed
    )


def is_decided(check: str, interval: Interval, limit: float) -> bool:
    """Whether a whole interval is on one side of a gate's limit."""
    low, high = interval
    return _holds(check, low, limit) == _holds(check, high, limit)


def _at_least(check: str) -> bool:
    return check.rpartition(".")[2].startswith("min_")


def _holds(check: str, value: float, limit: float) -> bool:
    return value >= limit - LIMIT_SLACK if _at_least(check) else value <= limit + LIMIT_SLACK


def status_of(checks: Sequence[CheckResult]) -> RunStatus:
    """FAIL if a requirement does not hold, else WARN if a warning does not, else PASS; no checks at all never pass."""
    broken = [check.level for check in checks if check.status != "pass"]
    if not checks or "requirement" in broken:
        return "fail"
    return "warn" if broken else "pass"


def exit_code_of(status: RunStatus, *, fail_on_warn: bool) -> int:
    """The exit code of a status."""
    return 1 if status == "warn" and fail_on_warn else EXIT_CODES[status]


def report_digest(report: JsonObject) -> str:
    """The digest of a report, over everything but ``digest`` and ``observed``."""
    return digest_value({key: value for key, value in report.items() if key not in ("digest", "observed")})


def differences(stored: Any, derived: Any, path: str = "$") -> Iterable[tuple[str, Any, Any]]:
    """Where two JSON values differ, as (path, stored, derived), innermost places first to be named."""
    if isinstance(stored, dict) and isinstance(derived, dict):
        for key in sorted({*stored, *derived}):
            yield from differences(stored.get(key, _ABSENT), derived.get(key, _ABSENT), join_path(path, key))
    elif isinstance(stored, list) and isinstance(derived, list) and len(stored) == len(derived):
        for index, (left, right) in enumerate(zip(stored, derived, strict=True)):
            yield from differences(left, right, join_path(path, index))
    elif stored is _ABSENT or derived is _ABSENT or canonical_bytes(stored) != canonical_bytes(derived):
        yield path, stored, derived


def contradictions(stored: Any, derived: Any, follows: str, *, file: str | None = None) -> Iterator[Problem]:
    """A problem for each place where a stored value is not the one that is derived; names both values.

    Args:
        stored: what is stored.
        derived: what it should be.
        follows: how messages tell of what is derived, such as ``follows from the counts``.
        file: the file, for errors.
    """
    for path, found, due in differences(stored, derived):
        message = f"{found!r} is stored, {due!r} {follows}"[:_MAX_MESSAGE]
        yield Problem(code="contradiction", message=message, file=file, path=path)


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


_ABSENT: Final = _Absent()
