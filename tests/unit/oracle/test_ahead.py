"""Programs that are asked ahead: what comes of a pair is what would come of it alone, whatever stands around it."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from robust import Case, CaseError, CommandOracle, Validation, validate_variant, validate_variants
from tests.builders import CONTRACT, sum_case

# Judges, but for what the candidate's metadata ask it to do instead.
PROGRAM = """
import json, os, subprocess, sys, time

def say(question, **more):
    answer = {"id": question["id"], "valid": True, "reason": str(os.getpid()), "base_expected": 1,
              "variant_expected": 2, "evidence": {"case": question["candidate"]["case_id"]}, **more}
    print(json.dumps(answer), flush=True)

seen = 0
for line in sys.stdin:
    question = json.loads(line)
    mode = question["candidate"]["metadata"].get("mode")
    seen += 1
    if mode == "crash":
        os._exit(7)
    if mode == "crash when not first" and seen > 1:
        os._exit(7)
    if mode == "hang" or (mode == "hang when not first" and seen > 1):
        time.sleep(3600)
    if mode == "garbage":
        print("let me think", flush=True)
        continue
    if mode == "other id":
        say(question, id="sha256:" + "0" * 64)
        continue
    if mode == "unknown field":
        say(question, sure=True)
        continue
    if mode == "twice":
        say(question)
    if mode == "close output":
        os.close(1)
        time.sleep(3600)
    if mode == "close input":
        os.close(0)
        time.sleep(3600)
    if mode == "endless line":
        while True:
            sys.stdout.write("x" * 1_000_000)
    if mode == "endless lines":
        while True:
            sys.stdout.write("x\\n" * 500_000)
    if mode == "heir":
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
        os._exit(7)
    if mode == "child":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
        say(question, evidence={"child": child.pid})
        continue
    say(question)
"""
EXPECTED = {
    None: [],
    "crash": ["validator_error"],
    "crash when not first": [],
    "hang": ["validator_timeout"],
    "garbage": ["verdict_malformed"],
    "other id": ["verdict_malformed"],
    "unknown field": ["verdict_malformed"],
    "twice": [],
    "close output": ["validator_error"],
    "heir": ["validator_error"],
    "close input": ["validator_error"],
    "endless line": ["validator_error"],
    "endless lines": ["verdict_malformed"],
    "child": [],
}


def pairs(modes: Any) -> list[tuple[Case, Case]]:
    return [
        (
            sum_case(),
            sum_case(f"variant-{number}", f"What is 2 plus {number + 100}?", metadata={"mode": mode} if mode else {}),
        )
        for number, mode in enumerate(modes)
    ]


def oracle(code: str = PROGRAM, *arguments: str) -> CommandOracle:
    return CommandOracle([sys.executable, "-c", code, *arguments])


def judged(cases: Any, program: CommandOracle, **terms: Any) -> list[Validation]:
    settings: Any = {"contract": CONTRACT, "relation": "counterfactual", "validator": program, **terms}
    return list(validate_variants(cases, **settings))


def issues(records: list[Validation]) -> list[list[str]]:
    return [list(record.issues) for record in records]


def pids(records: list[Validation]) -> list[str]:
    return [record.data["verdict"]["reason"] for record in records]


def is_gone(pid: int) -> bool:
    """Whether a process has ended, if only after a moment."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{pid}/stat")
        if state.exists() and state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.01)
    return False


def test_many_pairs_are_answered_by_one_process_in_order() -> None:
    """Each with the answer to its own question."""
    records = judged(pairs([None] * 600), oracle())
    assert issues(records) == [[]] * 600
    assert len(set(pids(records))) == 1
    assert [record.data["verdict"]["evidence"]["case"] for record in records] == [f"variant-{n}" for n in range(600)]


@pytest.mark.parametrize("mode", [mode for mode in EXPECTED if mode not in (None, "endless line", "hang")])
def test_a_poisonous_pair_takes_no_other_with_it(mode: str) -> None:
    """Deep in a batch that was asked far ahead, and twice in a row."""
    modes: list[str | None] = [None] * 200
    modes[100] = mode
    if not mode.startswith(("close", "heir")):  # each of which takes seconds
        modes[150] = modes[151] = mode
    records = judged(pairs(modes), oracle())
    assert issues(records) == [EXPECTED[mode] for mode in modes]


def test_a_pair_that_hangs_costs_its_time_and_no_other_pair() -> None:
    """The process is killed with what it started, and the others are asked in a new one."""
    modes: list[str | None] = [None] * 60
    modes[30] = modes[59] = "hang"
    records = judged(pairs(modes), oracle(), timeout_s=0.5)
    assert issues(records) == [EXPECTED[mode] for mode in modes]
    assert len({record.data["verdict"]["reason"] for record in records if record.data["verdict"]}) == 2


@pytest.mark.parametrize("workers", [1, 3])
def test_a_pair_that_hangs_only_behind_others_is_asked_alone(workers: int) -> None:
    """As it is after a crash: what is recorded of a pair is what would be if it were the only one."""
    modes: list[str | None] = [None] * 12
    modes[6] = "hang when not first"
    assert issues(judged(pairs(modes), oracle(), timeout_s=0.7, workers=workers)) == [[]] * 12


def test_a_pair_that_hangs_behind_single_calls_is_asked_alone_too() -> None:
    """Where each pair is asked by itself, of one process."""
    with oracle() as program:
        found = [
            validate_variant(*case, contract=CONTRACT, relation="counterfactual", validator=program, timeout_s=0.7)
            for case in pairs([None, "hang when not first", None])
        ]
    assert issues(found) == [[], [], []]


def test_a_line_without_end_is_cut_off() -> None:
    """At 32 MiB, whatever follows."""
    records = judged(pairs([None, "endless line", None]), oracle())
    assert issues(records) == [[], ["validator_error"], []]
    assert "too long a line" in records[1].data["failures"][0]["detail"]


def test_records_are_those_of_single_calls() -> None:
    """Whatever goes wrong, the batch's digest of a pair is the digest of asking it alone."""
    modes = [None, "garbage", None, "crash", "other id", "unknown field", None, "twice", None]
    code = PROGRAM.replace("str(os.getpid())", '"same"')
    with oracle(code) as program:
        alone = [
            validate_variant(*case, contract=CONTRACT, relation="counterfactual", validator=program).digest
            for case in pairs(modes)
        ]
    assert [record.digest for record in judged(pairs(modes), oracle(code))] == alone
    assert [record.digest for record in judged(pairs(modes), oracle(code), workers=3)] == alone


def test_a_program_that_dies_at_its_500th_pair_costs_no_record() -> None:
    """That pair is answered by the next process: it was not the pair's doing."""
    code = PROGRAM.replace("seen += 1\n", "seen += 1\n    if seen == 500: os._exit(1)\n")
    records = judged(pairs([None] * 1200), oracle(code))
    assert issues(records) == [[]] * 1200
    assert len(set(pids(records))) == 3


def test_a_program_that_ends_after_each_answer_is_started_for_each_pair() -> None:
    """So that a one-line script is an oracle too."""
    code = PROGRAM + "    sys.exit(0)\n"
    records = judged(pairs([None] * 8), oracle(code))
    assert issues(records) == [[]] * 8
    assert len(set(pids(records))) == 8


def test_a_program_that_answers_in_another_order_is_asked_one_by_one() -> None:
    """An answer slips to no other question, and in the end each has its own."""
    code = """
import json, os, select, sys
held = []
while True:
    line = os.read(0, 1 << 20)
    if not line:
        break
    for each in reversed(line.decode().splitlines()):
        question = json.loads(each)
        answer = {"id": question["id"], "valid": None, "reason": question["candidate"]["case_id"]}
        print(json.dumps(answer), flush=True)
"""
    records = judged(pairs([None] * 40), oracle(code))
    assert [record.data["verdict"]["reason"] for record in records] == [f"variant-{n}" for n in range(40)]


def test_a_program_that_never_reads_is_a_time_out_of_each_pair() -> None:
    """However much lies in its pipe."""
    cases = [(base, Case("x" * 300_000, case_id=each.case_id, source_id="source")) for base, each in pairs([None] * 3)]
    records = judged(cases, oracle("import time; time.sleep(3600)"), timeout_s=0.2)
    assert issues(records) == [["validator_timeout"]] * 3


def test_a_program_that_drips_is_a_time_out() -> None:
    """Bytes that make no answer are none."""
    code = "import sys, time\nwhile True:\n    sys.stdout.write('x'); sys.stdout.flush(); time.sleep(0.02)\n"
    assert issues(judged(pairs([None]), oracle(code), timeout_s=0.5)) == [["validator_timeout"]]


def test_large_questions_and_answers_block_neither_side() -> None:
    """Megabytes each way, more than any pipe holds."""
    code = PROGRAM.replace('"base_expected": 1', '"base_expected": question["base"]["input"]["text"][:900_000]')
    base = Case({"text": "ä" * 1_000_000}, case_id="base", source_id="source")
    cases = [(base, Case({"text": f"{n}"}, case_id=f"v{n}", source_id="source")) for n in range(6)]
    records = judged(cases, oracle(code), timeout_s=60)
    assert issues(records) == [["verdict_malformed"]] * 6  # 1.8 MB are over the limit of an answer
    code = code.replace("900_000", "400_000")
    assert issues(judged(cases, oracle(code), timeout_s=60)) == [[]] * 6


def test_what_a_program_starts_ends_with_it() -> None:
    """Its children too, when the batch is over."""
    [record] = judged(pairs(["child"]), oracle())
    assert is_gone(int(record.data["verdict"]["evidence"]["child"]))
    assert is_gone(int(record.data["verdict"]["reason"]))


def test_a_batch_that_is_given_up_leaves_no_process() -> None:
    """After its first record."""
    settings: Any = {"contract": CONTRACT, "relation": "counterfactual", "validator": oracle()}
    stream = validate_variants(pairs([None] * 50), **settings)
    pid = int(next(stream).data["verdict"]["reason"])
    os.kill(pid, 0)
    stream.close()  # type: ignore[attr-defined]
    assert is_gone(pid)


def test_records_before_an_error_of_the_source_come_first() -> None:
    """What was asked is finished and delivered, and then the error is raised."""

    def source() -> Iterator[tuple[Case, Case]]:
        yield from pairs([None] * 25)
        raise OSError("the disk is gone")

    settings: Any = {"contract": CONTRACT, "relation": "counterfactual", "validator": oracle()}
    stream = validate_variants(source(), **settings)
    assert [next(stream).issues for _ in range(25)] == [()] * 25
    with pytest.raises(OSError, match="the disk is gone"):
        next(stream)
    cases = pairs([None] * 5)
    stream = validate_variants([*cases, (cases[0][0], cases[0][0])], **settings)
    assert [next(stream).issues for _ in range(5)] == [()] * 5
    with pytest.raises(CaseError) as caught:
        next(stream)
    assert caught.value.problems[0].path == "pairs[5].candidate.case_id"


def test_a_slow_program_is_not_asked_ahead() -> None:
    """It finds one question at a time in its input, so that several processes share the work."""
    code = """
import json, os, time
while asked := os.read(0, 1 << 20).decode().splitlines():
    for line in asked:
        time.sleep(0.1)
        answer = {"id": json.loads(line)["id"], "valid": None, "reason": f"{os.getpid()} {len(asked)}"}
        os.write(1, json.dumps(answer).encode() + b"\\n")
"""
    found = [reason.split() for reason in pids(judged(pairs([None] * 9), oracle(code), workers=3, timeout_s=30))]
    assert {asked for _, asked in found} == {"1"}
    assert len({pid for pid, _ in found}) == 3


def test_repeats_are_asked_ahead_too() -> None:
    """Each question so often; a program that contradicts itself is flaky."""
    code = PROGRAM.replace("seen += 1\n", "seen += 1\n    coin = seen % 2 == 0\n").replace(
        '"valid": True', '"valid": coin'
    )
    records = judged(pairs([None] * 6), oracle(code), repeats=2)
    assert {each[0] for each in issues(records)} == {"validator_flaky"}


def test_a_time_limit_does_not_run_while_the_records_are_looked_at() -> None:
    """An answer that came in time counts, however late it is read."""
    settings: Any = {"contract": CONTRACT, "relation": "counterfactual", "validator": oracle(), "timeout_s": 1}
    stream = validate_variants(pairs([None] * 30), **settings)
    found = [next(stream)]
    time.sleep(1.5)
    assert issues([*found, *stream]) == [[]] * 30


def test_a_finished_pair_is_not_asked_again(tmp_path: Path) -> None:
    """With a journal, whatever was asked ahead when the first batch ended."""
    log = tmp_path / "log"
    code = PROGRAM.replace(
        "seen += 1\n", f"seen += 1\n    open({str(log)!r}, 'a').write(question['candidate']['case_id'] + ' ')\n"
    )
    cases = pairs([None] * 40)
    first = judged(cases[:25], oracle(code), journal=tmp_path / "j.jsonl")
    second = judged(cases, oracle(code), journal=tmp_path / "j.jsonl")
    assert [record.digest for record in second[:25]] == [record.digest for record in first]
    assert log.read_text(encoding="utf-8").split() == [f"variant-{n}" for n in range(40)]


def test_a_program_that_cannot_be_started_is_a_failure_of_each_pair() -> None:
    """And not of the batch."""
    assert issues(judged(pairs([None] * 3), CommandOracle("/no/such/program"))) == [["validator_error"]] * 3
