"""Row L3: a judge that fails is an error, whatever its failure looks like."""

from __future__ import annotations

import json
from asyncio import CancelledError
from collections.abc import Callable
from typing import Any

import pytest

from robust import JudgeBiasReport, judge_bias, length_bias

CASES = [{"question": "?", "answers": [f"one {n}", f"another {n}"]} for n in range(6)]


def raises(case: Any) -> str:
    raise RuntimeError("no key")


def is_cancelled(case: Any) -> str:
    raise CancelledError


async def raises_later(case: Any) -> str:
    raise TimeoutError("too late")


FAILING: list[Callable[[Any], Any]] = [
    raises,
    is_cancelled,
    raises_later,
    lambda case: None,
    lambda case: float("nan"),
    lambda case: [float("nan")] * 2,
    lambda case: "the better one",
    lambda case: 1,
    lambda case: {"pick": "A"},
]


@pytest.mark.parametrize("judge", FAILING, ids=range(len(FAILING)))
@pytest.mark.parametrize("deterministic", [True, False])
@pytest.mark.parametrize("bias", [judge_bias, length_bias])
def test_l3_a_judge_that_always_fails_is_errored_and_exits_with_2(
    bias: Callable[..., JudgeBiasReport], deterministic: bool, judge: Callable[[Any], Any]
) -> None:
    """It raises, or gives nonsense: never a pass, and the reason of each case is told."""
    report = bias(judge, CASES, deterministic_judge=deterministic)
    assert (report.verdict, report.status, report.exit_code, report.broke) == ("errored", "error", 2, True)
    assert (report.failed, report.tested, report.calls) == (6, 0, 6)
    assert all(failure.detail for failure in report.failures)
    assert json.loads(json.dumps(report.to_dict()))["exit_code"] == 2


def test_l3_a_judge_that_fails_on_one_case_only_is_errored_too() -> None:
    """The cases that it did judge do not make up for it."""

    def judge(case: Any) -> str:
        if case["answers"] == CASES[3]["answers"]:
            raise TypeError("no such model")
        return min(case["answers"])  # type: ignore[no-any-return]

    report = judge_bias(judge, CASES)
    assert (report.verdict, report.exit_code, report.failed, report.tested) == ("errored", 2, 1, 5)
    assert "case 3: judge_error: TypeError" in report.summary()
