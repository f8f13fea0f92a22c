"""How fast candidates are judged by an oracle program over its pipes, beside a bare loop over the same pipes.

The bare loop writes the very same questions, made before the clock starts, and reads as many lines of answers; it
looks at nothing. It is what the program itself can do. Ours also captures every pair, makes its question, reads the
answer strictly, derives the status, and makes the record with its digests.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from benchmarks.peers import BENCH, ROOT
from benchmarks.table import Comparison, say_load, show

from robust import Case, CommandOracle, Origin, validate_variants
from robust.oracle.protocol import encode_question
from robust.oracle.question import capture

CONTRACT = "transfers/v1"
PER_SECOND = 20_000
# A trivial program in Python, in Python with a fast JSON library, and in C, which only looks for the id.
_ANSWER = '"valid": True, "reason": "same", "base_expected": 1, "variant_expected": 1, "evidence": {"read": [1, 1]}'
_PYTHON = f"""
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    print(json.dumps({{"id": question["id"], {_ANSWER}}}), flush=True)
"""
_ORJSON = f"""
import orjson, sys
for line in sys.stdin.buffer:
    question = orjson.loads(line)
    sys.stdout.buffer.write(orjson.dumps({{"id": question["id"], {_ANSWER}}}) + b"\\n")
    sys.stdout.buffer.flush()
"""
_C = """
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        /* The id of the question stands behind both cases. */
        char *found = NULL, *next = line;
        while ((next = strstr(next, "\\"id\\":\\"sha256:")) != NULL) found = next++;
        if (found == NULL) return 1;
        printf("{%.78s,ANSWER}\\n", found);
        fflush(stdout);
    }
    free(line);
    return 0;
}
"""
PROGRAMS: dict[str, list[str]] = {
    "json": [sys.executable, "-c", _PYTHON],
    "orjson": [sys.executable, "-c", _ORJSON],
    "c": [str(BENCH / "oracle_command")],
}
NAMES = {"json": "Python with json", "orjson": "Python with orjson", "c": "C"}


def compile_c() -> bool:
    """Make the program in C; False where there is no compiler."""
    compiler = shutil.which("cc")
    if compiler is None:
        return False
    BENCH.mkdir(exist_ok=True)
    source = BENCH / "oracle_command.c"
    answer = _ANSWER.replace("True", "true").replace('"', '\\"')
    source.write_text(_C.replace("ANSWER", answer), encoding="utf-8")
    subprocess.run([compiler, "-O2", "-o", BENCH / "oracle_command", source], check=True)
    return True


def make_pairs(count: int) -> Iterator[tuple[Case, Case]]:
    """Instructions to transfer an amount, and the same with a blank doubled."""
    for number in range(count):
        text, name = f"Please transfer {number}.50 EUR to the supplier named in invoice {number}.", f"t-{number}"
        metadata = {"locale": "en", "currency": "EUR", "number": number}
        base = Case(text, case_id=name, source_id=name, metadata=metadata)
        origin = Origin(
            parent_id=name, parent_content=base.content_digest, transform="double blank", relation="invariant"
        )
        edited = text.replace(" transfer ", "  transfer ")
        yield base, Case(edited, case_id=f"{name}-x", source_id=name, metadata=metadata, origin=origin)


def time_ours(command: Sequence[str], count: int) -> float:
    """Seconds for judging so many pairs, every one of them valid."""
    pairs = list(make_pairs(count))
    started = time.perf_counter()
    with CommandOracle(command) as oracle:
        records = validate_variants(pairs, contract=CONTRACT, validator=oracle)
        valid = sum(record.status == "valid" for record in records)
    seconds = time.perf_counter() - started
    if valid != count:
        raise SystemExit(f"{valid} of {count} pairs came out valid")
    return seconds


def time_floor(command: Sequence[str], count: int) -> float:
    """Seconds for writing the same questions and reading as many lines."""
    questions = [
        encode_question(capture(base, candidate, relation=None, labels="hidden"), CONTRACT)[1] + b"\n"
        for base, candidate in make_pairs(count)
    ]
    started = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        if process.stdin is None or process.stdout is None:
            raise SystemExit("the program has no pipes")
        writer = threading.Thread(target=_write_all, args=(process.stdin, questions))
        writer.start()
        answers = 0
        while answers < count and (read := os.read(process.stdout.fileno(), 2**18)):
            answers += read.count(b"\n")
        seconds = time.perf_counter() - started
        writer.join()
    if answers != count:
        raise SystemExit(f"{answers} of {count} questions were answered")
    return seconds


def _write_all(pipe: IO[bytes], lines: Sequence[bytes]) -> None:
    pipe.writelines(lines)
    pipe.flush()


SIDES = {"ours": time_ours, "floor": time_floor}


def measured(side: str, program: str, count: int) -> float:
    """Seconds of one side, in a process of its own."""
    command = [sys.executable, __file__, "--side", side, "--program", program, "--count", str(count)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT)
    return float(json.loads(done.stdout))


def main(arguments: list[str]) -> int:
    """Measure and print; the exit code is 1 if something was not reached."""
    parser = argparse.ArgumentParser(description="Measure oracle programs beside a bare loop over their pipes.")
    parser.add_argument("--rounds", type=int, default=3, help="how often the two sides take turns (default: 3)")
    parser.add_argument("--count", type=int, default=100_000, help="pairs (default: 100000)")
    parser.add_argument("--program", choices=PROGRAMS, help="only this program")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.side:
        print(json.dumps(SIDES[chosen.side](PROGRAMS[chosen.program], chosen.count)))
        return 0
    rows = []
    programs = [name for name in PROGRAMS if chosen.program in (None, name) and (name != "c" or compile_c())]
    for program in programs:
        ours: list[float] = []
        floor: list[float] = []
        for number in range(chosen.rounds):
            print(f"{NAMES[program]}: round {number + 1} of {chosen.rounds}", file=sys.stderr, flush=True)
            for side, taken in (("ours", ours), ("floor", floor))[:: 1 if number % 2 else -1]:
                taken.append(measured(side, program, chosen.count))
        due = [chosen.count / PER_SECOND] * len(ours)
        rows.append(Comparison(f"{NAMES[program]}: beside a bare loop", "s", ours, floor, None, at_most=True))
        rows.append(Comparison(f"{NAMES[program]}: {PER_SECOND} a second", "s", ours, due, 1))
        rates = [chosen.count / seconds for seconds in ours]
        print(f"{NAMES[program]}: {min(rates):.0f}–{max(rates):.0f} pairs a second")
    say_load()
    return 0 if show(rows, sides=("ours", "other")) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
