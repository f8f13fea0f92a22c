"""The report of a run, ``robust.report/1``: checks, their order of severity, and the status that follows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from robust.canon import JsonObject, canonical_bytes, digest_value, join_path
from robust.records.decision import LIMIT_SLACK, tidy_number

SCHEMA: Final = "robust.report/1"
CheckStatus: TypeAlias = Literal["pass", "warn", "fail", "inconclusive"]
Level: TypeAlias = Literal["requirement", "warning"]
RunStatus: TypeAlias = Literal["pass", "warn", "fail", "error"]
EXIT_CODES: Final[dict[str, int]] = {"pass": 0, "warn": 0, "fail": 1, "error": 2}


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckResult:
    """One gate: what was measured, its limit, and whether it holds."""

    check: str
    level: Level
    status: CheckStatus
    value: float | None
    limit: float | None

    def to_json(self) -> JsonObject:
        """The check as it stands in a report."""
        return {
            "check": self.check,
            "level": self.level,
            "status": self.status,
            "value": None if self.value is None else tidy_number(self.value),
            "limit": None if self.limit is None else tidy_number(self.limit),
            "interval": None,
            "observed": False,
        }


def judge_limit(
    check: str, level: Level, value: float | None, limit: float, *, missing: CheckStatus | None = None
) -> CheckResult:
    """Whether a value is on the right side of its limit: at least it for ``min_…``, at most it for ``max_…``.

    Args:
        check: the name; what follows its last dot says the side.
        level: requirement or warning.
        value: what was measured; None when it cannot be computed.
        limit: the limit, which itself holds.
        missing: the status when the value cannot be computed; by default the gate does not hold.
    """
    failed: CheckStatus = "fail" if level == "requirement" else "warn"
    if value is None:
        return CheckResult(check=check, level=level, status=missing or failed, value=None, limit=limit)
    at_least = check.rpartition(".")[2].startswith("min_")
    holds = value >= limit - LIMIT_SLACK if at_least else value <= limit + LIMIT_SLACK
    return CheckResult(check=check, level=level, status="pass" if holds else failed, value=value, limit=limit)


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


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


_ABSENT: Final = _Absent()
