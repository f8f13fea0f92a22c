"""Judges that go by the place or the length of an answer, and those that do not."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from robust import JudgeBiasReport, judge_bias, length_bias
from robust.errors import UsageError

CASES = [{"question": f"question {n}", "answers": [f"better {n}", f"worse, though {n}"]} for n in range(20)]
BIASES: list[Callable[..., JudgeBiasReport]] = [judge_bias, length_bias]
Case = dict[str, Any]


def fair(case: Case) -> str:
    """Prefers what is better, wherever it stands and however long it is."""
    return str(next(answer for answer in case["answers"] if answer.startswith("better")))


def first(case: Case) -> str:
    return "A"


def longest(case: Case) -> str:
    return max(case["answers"], key=len)  # type: ignore[no-any-return]


def noisy(share: float, seed: int) -> Callable[[Case], int]:
    """Picks the last answer so often, by chance alone, whatever is in it."""
    random = Random(seed)
    return lambda case: int(random.random() < share)


def noisy_about_content(share: float, seed: int) -> Callable[[Case], int]:
    """Picks the answer that is last in the alphabet so often, by chance alone, wherever it stands."""
    random = Random(seed)
    return lambda case: int(case["answers"].index(sorted(case["answers"])[random.random() < share]))


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("deterministic", [True, False])
def test_a_fair_judge_passes(bias: Callable[..., JudgeBiasReport], deterministic: bool) -> None:
    """Without a single changed pick."""
    report = bias(fair, CASES, deterministic_judge=deterministic)
    assert (report.verdict, report.status, report.exit_code, report.broke) == ("holds", "pass", 0, False)
    assert (report.tested, report.changed.hits, report.failed) == (20, 0, 0)
    assert report.summary().startswith("HOLDS")


def test_a_judge_that_goes_by_the_place_is_found() -> None:
    """With an exact interval, exact tests and the cases in which it showed."""
    report = judge_bias(first, CASES)
    assert (report.verdict, report.status, report.exit_code, report.broke) == ("violated", "fail", 1, True)
    assert (report.changed.value, report.changed.high) == (1, 1)
    assert report.changed.low == pytest.approx(0.025 ** (1 / 20))
    assert report.noise is not None
    assert report.noise.hits == 0
    assert report.p_value is not None
    assert report.p_value <= 0.001
    assert (report.first, report.last) == (20, 0)
    assert report.place_p == pytest.approx(2 * 0.5**20)
    assert report.examples[0].shown == (1, 0)
    assert (report.examples[0].before, report.examples[0].after) == ("'better 0'", "'worse, though 0'")
    assert "20 of 20 (100.0 %" in report.summary()
    assert length_bias(first, CASES).verdict == "holds"


def test_a_judge_that_goes_by_length_is_found() -> None:
    """The answer that it did not pick is padded, and then it picks that."""
    report = length_bias(longest, CASES)
    assert (report.verdict, report.changed.value, report.first, report.place_p) == ("violated", 1, None, None)
    assert report.examples[0].shown == (0,)
    assert (report.examples[0].before, report.examples[0].after) == ("'worse, though 0'", "'better 0'")
    assert judge_bias(longest, CASES).verdict == "holds"


def test_a_declared_judge_is_asked_once_in_each_order() -> None:
    """And one change is a bias."""
    report = judge_bias(first, CASES[:1], deterministic_judge=True)
    assert (report.verdict, report.calls, report.p_value, report.noise) == ("violated", 2, None, None)
    three = [{"answers": ["a", "b", "c"]}]
    assert judge_bias(first, three, deterministic_judge=True).calls == 3
    assert length_bias(longest, CASES[:1], deterministic_judge=True).calls == 2


def test_the_given_order_is_never_a_trial() -> None:
    """Nor is another that shows the same, since two answers are equal."""
    shown: list[list[str]] = []

    def judge(case: Case) -> str:
        shown.append(case["answers"])
        return str(min(case["answers"]))

    answers = ["a", "b", "a", "b"]
    report = judge_bias(judge, [{"answers": answers}], picks="text", runs=6, workers=1)
    assert report.verdict == "holds"
    assert shown[:6] == [answers] * 6
    assert shown[6:] == [["b", "a", "b", "a"]] * 6
    shown.clear()
    judge_bias(judge, [{"answers": ["a", "b", "c"]}], picks="text", runs=4, workers=1)
    assert shown[4:] == [["b", "c", "a"], ["c", "a", "b"]] * 2


def test_another_letter_for_the_same_answer_is_no_change() -> None:
    """The answers are compared, not their letters or places."""
    assert judge_bias(lambda case: "AB"[case["answers"].index(fair(case))], CASES).verdict == "holds"
    report = judge_bias(lambda case: [float(each == fair(case)) for each in case["answers"]], CASES, picks="scores")
    assert report.verdict == "holds"


@pytest.mark.parametrize(("bias", "judge"), [(judge_bias, noisy_about_content), (length_bias, noisy)])
def test_a_few_noisy_picks_are_no_bias_where_noise_explains_them(
    bias: Callable[..., JudgeBiasReport], judge: Callable[[float, int], Callable[[Case], int]]
) -> None:
    """They are counted all the same, beside the judge's own noise."""
    report = bias(judge(0.3, 1), CASES, picks="index", workers=1)
    assert report.changed.hits > 0
    assert report.noise is not None
    assert report.noise.hits > 0
    assert report.verdict == "holds"
    assert "noise explains" in report.reason


def test_noise_about_the_place_is_a_bias_of_places() -> None:
    """A judge that mostly takes the first answer, whatever is in it, goes by the place."""
    assert judge_bias(noisy(0.1, 1), CASES, picks="index", workers=1).verdict == "violated"


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_noise_alone_is_found_biased_in_at_most_one_of_twenty(share: float) -> None:
    """Simulated 400 times: a judge that does not look at the answers, on cases that are padded."""
    found = sum(
        length_bias(noisy(share, seed), CASES[:8], picks="index", workers=1).verdict == "violated"
        for seed in range(400)
    )
    # 33 or more of 400 have a probability below 0.004 at 5 %.
    assert found < 33


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_a_judge_that_is_noisy_about_content_is_found_biased_in_at_most_one_of_twenty(share: float) -> None:
    """Likewise for places."""

    def verdict(seed: int) -> str:
        return judge_bias(noisy_about_content(share, seed), CASES[:8], picks="index", workers=1).verdict

    assert sum(verdict(seed) == "violated" for seed in range(400)) < 33


def test_a_change_that_no_test_could_tell_from_noise_is_inconclusive() -> None:
    """With the remedy; more runs of the one case can tell."""
    report = judge_bias(first, CASES[:1])
    assert (report.verdict, report.status, report.exit_code) == ("inconclusive", "fail", 1)
    assert "more runs, or declare deterministic_judge=True" in report.reason
    assert judge_bias(first, CASES[:1], runs=6).verdict == "violated"
    assert judge_bias(first, CASES, runs=1).verdict == "inconclusive"


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize(
    "cases", [[], [{"answers": ["same", "same"]}], [{"answers": "ab"}, {"question": 1}, 3], [{"answers": []}]]
)
def test_nothing_tested_is_no_pass(bias: Callable[..., JudgeBiasReport], cases: list[Any]) -> None:
    """Vacuous, with the reasons."""
    report = bias(fair, cases)
    assert (report.verdict, report.status, report.exit_code) == ("vacuous", "error", 2)
    assert sum(report.skipped.values()) == len(cases)
    assert report.changed.value is None


def test_a_case_given_twice_is_judged_once() -> None:
    """It would count double."""
    report = judge_bias(first, [*CASES, *CASES[:5]], deterministic_judge=True)
    assert (report.given, report.duplicates, report.tested, report.calls) == (25, 5, 20, 40)
    assert "5 given twice" in report.summary()


def test_a_bias_is_not_hidden_by_failures_and_failures_not_by_passes() -> None:
    """Both are told."""

    def sometimes(case: Case) -> str:
        if case["question"].endswith("7"):
            raise ConnectionError("lost")
        return "A"

    report = judge_bias(sometimes, CASES)
    assert (report.verdict, report.failed, report.tested) == ("violated", 2, 18)
    assert [each.case for each in report.failures] == [7, 17]
    assert "ConnectionError: lost" in report.summary()
    report = length_bias(sometimes, CASES)
    assert (report.verdict, report.exit_code) == ("errored", 2)


@pytest.mark.parametrize("bias", BIASES)
def test_coroutine_functions_are_awaited_also_inside_a_running_loop(bias: Callable[..., JudgeBiasReport]) -> None:
    """So many at once as there are workers."""
    under_way, most = 0, 0

    async def judge(case: Case) -> str:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.001)
        under_way -= 1
        return fair(case)

    async def inside() -> JudgeBiasReport:
        return bias(judge, CASES, workers=4)

    assert bias(judge, CASES, workers=4) == asyncio.run(inside())
    assert 1 < most <= 4


def test_the_report_does_not_depend_on_workers_and_cases_may_stream() -> None:
    """Cases are read as they are needed, in their order."""
    reports = [judge_bias(first, iter(CASES), workers=workers) for workers in (1, 2, 16)]
    assert reports[0] == reports[1] == reports[2]
    read: list[int] = []

    def stream() -> Iterator[Case]:
        for number, case in enumerate(CASES):
            read.append(number)
            yield case

    def stop(case: Case) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        judge_bias(stop, stream(), workers=2)
    assert len(read) < len(CASES)


def test_an_interrupt_ends_a_program_whose_judge_hangs() -> None:
    """Nothing waits for the calls that are under way."""
    code = (
        "import time, robust\n"
        "def judge(case):\n"
        "    print('asked', flush=True)\n"
        "    time.sleep(600)\n"
        "robust.judge_bias(judge, [['one', 'two'], ['three', 'four']], field=None)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"asked\n"
        program.send_signal(signal.SIGINT)
        _, said = program.communicate(timeout=60)
    assert b"KeyboardInterrupt" in said


def test_with_one_worker_the_judge_runs_in_the_callers_thread() -> None:
    """Some models can only be called there."""
    threads = set()

    def judge(case: Case) -> str:
        threads.add(threading.current_thread())
        return fair(case)

    judge_bias(judge, CASES[:3], workers=1)
    assert threads == {threading.current_thread()}


@pytest.mark.parametrize("bias", BIASES)
def test_a_judge_that_changes_what_it_gets_changes_nothing(bias: Callable[..., JudgeBiasReport]) -> None:
    """It gets copies, each time."""

    def judge(case: Case) -> str:
        answer = fair(case)
        case["answers"].clear()
        case["question"] = None
        return answer

    cases = [{"question": "?", "answers": ["better", "worse"], "n": n} for n in range(3)]
    assert bias(judge, cases).verdict == "holds"
    assert cases[0] == {"question": "?", "answers": ["better", "worse"], "n": 0}


def test_cases_may_be_lists_of_answers_or_have_them_elsewhere() -> None:
    """As the field says."""
    assert judge_bias(min, [["a", "b"]], field=None, picks="text").verdict == "holds"
    assert judge_bias(lambda case: min(case["options"]), [{"options": ("x", "y")}], field="options").tested == 1


def test_padding_skips_what_cannot_be_padded() -> None:
    """Answers that are no text, or in a script that the filler is not in."""
    report = length_bias(lambda case: case["answers"][0], [{"answers": [1, 2]}, {"answers": ["はい。", "いいえ。"]}])
    assert report.verdict == "vacuous"
    assert any("no Latin letters" in reason for reason in report.skipped)
    own = length_bias(longest, [{"answers": ["はい。", "いいえ。"]}], filler="そうです。", deterministic_judge=True)
    assert own.verdict == "violated"


def test_a_tie_is_a_pick() -> None:
    """A judge that has a tie only in one order goes by the order."""

    def judge(case: Case) -> str:
        return "tie" if case["answers"][0].startswith("better") else "B"

    report = judge_bias(judge, CASES)
    assert report.verdict == "violated"
    assert report.examples[0].before == "tie"
    assert length_bias(lambda case: "tie", CASES).verdict == "holds"


def test_the_report_as_json_has_what_follows_from_it() -> None:
    """For programs."""
    data = judge_bias(first, CASES).to_dict()
    assert (data["verdict"], data["status"], data["exit_code"]) == ("violated", "fail", 1)
    assert data["changed"]["value"] == 1
    assert data["examples"][0]["shown"] == [1, 0]


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"judge": "A"}, "judge"),
        ({"cases": {"answers": ["a", "b"]}}, "cases"),
        ({"cases": "ab"}, "cases"),
        ({"cases": None}, "cases"),
        ({"runs": 0}, "runs"),
        ({"runs": 2.5}, "runs"),
        ({"workers": 0}, "workers"),
        ({"workers": 257}, "workers"),
        ({"alpha": 0.0}, "alpha"),
        ({"alpha": 1}, "alpha"),
        ({"picks": "best"}, "picks"),
    ],
)
def test_arguments_that_cannot_be_are_refused(
    bias: Callable[..., JudgeBiasReport], options: dict[str, Any], named: str
) -> None:
    """Before the judge is asked."""
    arguments = {"judge": first, "cases": CASES, **options}
    with pytest.raises(UsageError, match=f"^{named}: "):
        bias(**arguments)
