"""``robust variants validate`` over every kind of oracle: rows T4, T6, T7, T9 to T12 and B5 in whole commands."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from robust import Validation
from robust.canon import JsonObject
from tests.run_fixtures import robust
from tests.servers import Server, first_label, running

# A module of validators in the working folder, as a user would have it.
MODULE = """
    import os, random, re, time
    from robust import OracleVerdict, read_number, recomputed

    COIN = random.Random(7)

    def amount(base, candidate):
        # In each text the last word but one is an amount, by the rules of German.
        return recomputed(*(read_number(each.input.split()[-2], decimal=",") for each in (base, candidate)))

    def echo(base, candidate):
        return OracleVerdict(True, "trust me", base.expected, base.expected, {"trust": "me"})

    def coin(base, candidate):
        return OracleVerdict(COIN.random() < 0.5, "tossed", "1.25", "1.25", {"coin": True})

    def hang(base, candidate):
        if candidate.case_id == "a-2":
            open("pid", "w").write(str(os.getpid()))
            time.sleep(3600)
        return amount(base, candidate)

    def half_a_character(base, candidate):
        raise ValueError("half \\ud800 a character \\x1b[31m" + "x" * 1_000_000)

    def one_bad_value(base, candidate):
        return OracleVerdict(True, "kept", "1.25", "1.25", {"good": [1, 2], "bad": {"deep": [0, float("nan")]}})
"""
# A program that answers yes to everything it was not told otherwise about.
PROGRAM = """
    import json, sys, time
    for line in sys.stdin:
        question = json.loads(line)
        answer = {"id": question["id"], "valid": True, "reason": json.dumps(question["base"]["expected"]),
                  "base_expected": "1.25", "variant_expected": "1.25", "evidence": {"asked": question["contract"]}}
        answer.update(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {})
        print(json.dumps(answer), flush=True)
"""
BASES = [{"id": "a", "input": "Pay 1,25 EUR", "expected": "1.25"}]
CANDIDATES = ["Pay  1,25 EUR", "Pay 125 EUR", "Pay 1,250 EUR"]


def candidate(number: int, text: Any, parent: str = "a", **origin: Any) -> JsonObject:
    origin = {"parent_id": parent, "transform": "by hand", "relation": "invariant", **origin}
    return {"id": f"{parent}-{number}", "input": text, "origin": origin}


def write(path: Path, rows: Sequence[JsonObject]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One base, three candidates, a module and a program."""
    (tmp_path / "house_oracles.py").write_text(textwrap.dedent(MODULE), encoding="utf-8")
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM), encoding="utf-8")
    write(tmp_path / "bases.jsonl", BASES)
    write(tmp_path / "candidates.jsonl", [candidate(n, text) for n, text in enumerate(CANDIDATES, start=1)])
    return tmp_path


def validate(folder: Path, *options: str, output: str = "v.jsonl") -> CompletedProcess[str]:
    return robust(
        "variants", "validate", "bases.jsonl", "candidates.jsonl", "--contract", "amounts/v1", "-o", output, *options,
        cwd=folder,
    )  # fmt: skip


def program(**answer: Any) -> str:
    return f"{sys.executable} program.py '{json.dumps(answer)}'"


def records(folder: Path, output: str = "v.jsonl") -> list[Validation]:
    return list(Validation.load_all(folder / output))


def issues(folder: Path) -> list[list[str]]:
    return [list(record.issues) for record in records(folder)]


def test_t4_labels_that_depend_on_the_others_are_unknown_to_presentation(folder: Path) -> None:
    """On the command line as in a contract; the labels are told beside the input."""
    labels = [["mammal", "mammal"], ["bird", "bird"], ["none of the above", "none of the above"]]
    shown = [{"input": "What is a cat?", "labels": each} for each in (labels, labels[::-1], labels[:2], labels[1::-1])]
    write(folder / "bases.jsonl", [{"id": "a", "input": shown[0]}, {"id": "b", "input": shown[2]}])
    rows = [
        candidate(1, shown[1], "a", transform="option_order"),
        candidate(1, shown[3], "b", transform="option_order"),
    ]
    write(folder / "candidates.jsonl", rows)
    for name in ("presentation", "builtin"):
        done = validate(folder, "--oracle", name, "--no-require-answers", "--overwrite")
        assert (done.returncode, done.stderr) == (0, "")
        assert [record.status for record in records(folder)] == ["unknown", "valid"]
        assert "none of the above" in records(folder)[0].data["verdict"]["reason"]


def test_t6_a_removed_decimal_comma_is_invalid_by_recomputation(folder: Path) -> None:
    """The oracle is a function of a module in the working folder, made of the package's own readers."""
    done = validate(folder, "--oracle", "house_oracles:amount")
    assert (done.returncode, done.stderr) == (0, "")
    assert [record.status for record in records(folder)] == ["valid", "invalid", "valid"]
    removed = records(folder)[1].data
    assert removed["issues"] == ["rejected", "relation_contradicted"]
    assert removed["verdict"]["evidence"]["candidate"] == {"text": "125", "says": "125"}


@pytest.mark.parametrize("source", ["module", "program"])
def test_t7_no_oracle_is_offered_the_label_that_it_would_repeat(folder: Path, source: str) -> None:
    """Neither a function nor a program, unless it is asked for; then the record says so."""
    echo = ["--oracle", "house_oracles:echo"] if source == "module" else ["--oracle-command", program()]
    assert validate(folder, *echo).returncode == 0
    hidden = records(folder)[0].data
    assert validate(folder, *echo, "--labels", "visible", "--overwrite").returncode == 0
    visible = records(folder)[0].data
    assert (hidden["oracle"]["labels"], visible["oracle"]["labels"]) == ("hidden", "visible")
    if source == "module":
        assert (hidden["issues"], visible["issues"]) == (["answer_missing"], [])
    else:
        assert (hidden["verdict"]["reason"], visible["verdict"]["reason"]) == ("null", '"1.25"')


def test_t9_a_coin_flip_is_flaky_when_it_is_repeated(folder: Path) -> None:
    """In every pair of these, by the seed of the coin."""
    assert validate(folder, "--oracle", "house_oracles:coin", "--repeats", "5").returncode == 0
    assert all("validator_flaky" in each for each in issues(folder))


@pytest.mark.parametrize("workers", ["1", "2"])
def test_t10_an_oracle_that_sleeps_for_ever_is_killed_and_the_batch_goes_on(folder: Path, workers: str) -> None:
    """A time-out in the record, the process gone, the other pairs judged. Starting a worker is part of its time."""
    done = validate(folder, "--oracle", "house_oracles:hang", "--isolate", "--timeout", "5", "--workers", workers)
    assert (done.returncode, done.stderr) == (0, "")
    assert issues(folder) == [[], ["validator_timeout"], []]
    assert not Path(f"/proc/{(folder / 'pid').read_text(encoding='utf-8')}").exists()


@pytest.mark.parametrize("source", ["module", "program"])
def test_t11_an_error_with_a_bad_text_is_a_record_capped_and_escaped(folder: Path, source: str) -> None:
    """Lone surrogates, control characters, a megabyte."""
    error = json.dumps({"error": "\x1b[31m" + "x" * 100_000})
    (folder / "bad.py").write_text(
        "import json, sys\n"
        f"more = json.loads({error!r})\n"
        "for line in sys.stdin:\n"
        "    print(json.dumps({'id': json.loads(line)['id'], **more}), flush=True)\n",
        encoding="utf-8",
    )
    bad = ["--oracle", "house_oracles:half_a_character"] if source == "module" else []
    done = validate(folder, *(bad or ["--oracle-command", f"{sys.executable} bad.py"]))
    assert done.returncode == 2
    assert done.stderr.startswith("error[no_verdict]: ")
    for record in records(folder):
        assert record.issues == ("validator_error",)
        detail = record.data["failures"][0]["detail"]
        assert len(detail.encode()) <= 4096
        assert "\x1b" not in detail


def test_t12_one_bad_value_in_the_evidence_is_named_and_the_rest_is_kept(folder: Path) -> None:
    """From a function; a program's is no JSON, which is named by its path too."""
    assert validate(folder, "--oracle", "house_oracles:one_bad_value").returncode == 0
    for record in records(folder):
        assert record.issues == ("evidence_malformed",)
        assert record.data["failures"][0]["path"] == "$.evidence.bad.deep[1]"
        assert record.data["verdict"]["evidence"]["good"] == [1, 2]
        assert record.data["verdict"]["reason"] == "kept"
    done = validate(folder, "--oracle-command", program(evidence={"n": float("nan")}), "--overwrite")
    assert done.returncode == 2
    assert records(folder)[0].data["failures"][0]["path"] == "$.evidence.n"


def test_b5_a_torn_last_line_is_dropped_and_a_torn_middle_line_is_an_integrity_error(folder: Path) -> None:
    """Of a batch's journal: the notice and the error name the line, and nothing is asked twice."""
    options = ["--oracle-command", program(), "--journal", "j.jsonl"]
    assert validate(folder, *options).returncode == 0
    before = [record.digest for record in records(folder)]
    journal = folder / "j.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(whole[:-20])
    done = validate(folder, *options, "--overwrite")
    assert done.returncode == 0
    assert done.stderr.startswith("note: j.jsonl:3: a torn last line of ")
    assert [record.digest for record in records(folder)] == before
    lines = whole.splitlines(keepends=True)
    journal.write_bytes(lines[0] + lines[1][:-20] + b"\n" + lines[2])
    done = validate(folder, *options, "--overwrite")
    assert done.returncode == 3
    assert done.stderr.startswith("error[")
    assert "j.jsonl:2" in done.stderr
    assert [record.digest for record in records(folder)] == before


def test_oracles_are_combined_as_the_command_says(folder: Path) -> None:
    """All, any, or a quorum of them, of any kind; who said what is in the evidence."""
    three = ["--oracle", "preserves", "--oracle", "house_oracles:amount", "--oracle-command", program()]
    found: dict[str, list[str]] = {}
    for combine in ("all", "any", "quorum:2"):
        done = validate(folder, *three, "--oracle-name", "yes-sayer", "--combine", combine, "--overwrite", "-f", "json")
        assert (done.returncode, done.stderr) == (0, "")
        found[combine] = [record.status for record in records(folder)]
        assert json.loads(done.stdout)["statuses"] == {each: found[combine].count(each) for each in STATUSES}
    # Of the second, preserves and the recomputation say no; of the third preserves says nothing.
    assert found == {
        "all": ["valid", "invalid", "unknown"],
        "any": ["valid", "valid", "valid"],
        "quorum:2": ["valid", "invalid", "valid"],
    }
    members = records(folder)[0].data["verdict"]["evidence"]["members"]
    assert [each["name"] for each in members] == ["house_oracles.amount", "robust.preserves", "yes-sayer"]


STATUSES = ("valid", "invalid", "unknown")


def test_a_service_is_asked_by_its_address(folder: Path) -> None:
    """With the token of an environment variable, which is nowhere in what is written."""

    def says(asked: JsonObject, _: Any) -> JsonObject:
        return {
            "id": asked["id"],
            "valid": True,
            "reason": "asked",
            "base_expected": 1,
            "variant_expected": 1,
            "evidence": {"protocol": asked["protocol"]},
        }

    value = "no-such-thing-8Zq1x"
    with running(Server(says, first_label)) as server:
        done = robust(
            "variants", "validate", "bases.jsonl", "candidates.jsonl", "--contract", "amounts/v1", "-o", "v.jsonl",
            "--oracle-url", server.url, "--oracle-token-env", "ORACLE_TOKEN",
            "--oracle-header-env", "X-Team=ORACLE_TEAM", "--oracle-name", "house", "--workers", "3",
            cwd=folder, env={"ORACLE_TOKEN": value, "ORACLE_TEAM": "payments"},
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        assert {seen.headers["authorization"] for seen in server.seen} == {f"Bearer {value}"}
        assert {seen.headers["x-team"] for seen in server.seen} == {"payments"}
    assert value not in (folder / "v.jsonl").read_text(encoding="utf-8")
    assert [record.data["oracle"]["name"] for record in records(folder)] == ["house"] * 3


def test_reviews_are_repeated_and_combined(folder: Path) -> None:
    """Validation records of an earlier batch, alone and beside another oracle."""
    assert validate(folder, "--oracle", "house_oracles:amount", output="first.jsonl").returncode == 0
    assert validate(folder, "--reviewed", "first.jsonl").returncode == 0
    assert [record.status for record in records(folder)] == ["valid", "invalid", "valid"]
    more = ["--oracle", "preserves", "--combine", "any", "--overwrite"]
    assert validate(folder, "--reviewed", "first.jsonl", *more).returncode == 0
    assert [record.status for record in records(folder)] == ["valid", "invalid", "valid"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "error[no_oracle]: no oracle is named; give one of --oracle, "),
        (["--oracle", "preserves", "--oracle", "builtin"], "error[several_oracles]: --combine: 2 oracles are named"),
        (["--oracle", "preserves", "--combine", "most"], "error[bad_combination]: --combine: must be all, any or quor"),
        (["--oracle", "preserves", "--combine", "quorum:2"], "error[bad_combination]: --combine: 2 members cannot agr"),
        (["--oracle", "preserves", "--oracle", "preserves", "--combine", "any"], "error[equal_names]: oracles[1]: "),
        (["--oracle", "preservs"], "error[unknown_provider]: "),
        (["--oracle", "reviewed"], "error[bad_oracle]: --oracle: reviews are in a file; give --reviewed FILE"),
        (["--oracle", "house_oracles:nothing"], "error[not_importable]: "),
        (["--oracle", "house_oracles:COIN"], "error[bad_oracle]: --oracle: 'house_oracles:COIN' is nothing that can b"),
        (["--oracle", "no_such_module:x"], "error[not_importable]: "),
        (["--oracle", "preserves", "--oracle-name", "p"], "error[bad_count]: --oracle-name: 1 are given for 0 "),
        (["--oracle-url", "http://user:hunter2x@host/"], "error[bad_service]: oracle.url: an address must not hold a "),
        (["--oracle-url", "http://localhost:1/", "--oracle-token-env", "NO_SUCH"], "error[bad_credential]: "),
        (["--oracle-url", "http://localhost:1/", "--oracle-header-env", "X=hunter2 x"], "error[bad_service]: "),
        (["--oracle-url", "http://localhost:1/", "--oracle-header-env", "hunter2x"], "error[bad_header]: --oracle-he"),
        (["--reviewed", "no-such-file.jsonl"], "error["),
        (["--oracle-command", "true", "--isolate"], "error[bad_isolate]: isolate: "),
    ],
)
def test_an_oracle_that_cannot_be_asked_is_exit_code_2(folder: Path, options: list[str], message: str) -> None:
    """With one clear message, no file, and nothing of a secret."""
    done = validate(folder, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message), done.stderr
    assert "hunter2" not in done.stderr
    assert not (folder / "v.jsonl").exists()


def test_settings_of_a_built_in_oracle_are_part_of_who_judged(folder: Path) -> None:
    """So that a journal repeats no judgement that was made with others."""
    write(folder / "bases.jsonl", [{"id": "a", "input": "Pay Acme and Zorn now."}])
    write(folder / "candidates.jsonl", [candidate(1, "Pay  Acme and Zorn now.")])
    versions = set()
    for options in ([], ["--keep", "Acme"], ["--keep", "Zorn"], ["--fragment", "Thank you."]):
        done = validate(folder, "--oracle", "preserves", "--overwrite", "--journal", "j.jsonl", *options)
        assert (done.returncode, done.stderr) == (0, "")
        versions.add(records(folder)[0].data["oracle"]["version"])
    assert len(versions) == 4
    assert "1" in versions


def test_progress_in_a_log_has_no_control_characters(folder: Path) -> None:
    """It is shown where it is asked for, and says how it ended; a log alone does not ask."""
    assert validate(folder, "--oracle", "house_oracles:amount").stderr == ""
    done = validate(folder, "--oracle", "house_oracles:amount", "--overwrite", "--progress")
    assert done.stderr.startswith("progress  3/3 (100%)")
    assert "\r" not in done.stderr
    assert "\x1b" not in done.stderr
