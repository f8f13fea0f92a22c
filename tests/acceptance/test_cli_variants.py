"""``robust variants``: candidates judged by an oracle program, and what can be listed of it."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from robust import Validation
from robust.canon import parse_canonical
from tests.run_fixtures import robust

ORACLE = """
    import json, re, sys, time

    def answer(case):
        return "yes" if int("".join(re.findall("[0-9]", str(case["input"])))) > 1000 else "no"

    for line in sys.stdin:
        question = json.loads(line)
        open("asked.log", "a").write(question["candidate"]["case_id"] + "\\n")
        mode = question["candidate"]["metadata"].get("mode")
        reply = {"id": question["id"], "valid": True, "reason": "read", "evidence": {"protocol": question["protocol"]},
                 "base_expected": answer(question["base"]), "variant_expected": answer(question["candidate"])}
        if mode == "hang":
            time.sleep(3600)
        if mode == "crash":
            sys.exit(7)
        if mode == "undecided":
            reply = {"id": question["id"], "valid": None, "reason": "nobody knows"}
        if mode == "garbage":
            print("well, I think so", flush=True)
        elif mode == "too much":
            print(json.dumps({**reply, "evidence": {"proof": "x" * 70_000}}), flush=True)
        elif mode == "other id":
            print(json.dumps({**reply, "id": "sha256:" + "0" * 64}), flush=True)
        else:
            print(json.dumps(reply), flush=True)
"""


def _row(number: int, text: str, relation: str, **metadata: str) -> str:
    origin = {"parent_id": f"b{number}", "transform": "by hand", "relation": relation}
    row = {"case_id": f"v{number}", "source_id": f"b{number}", "input": text, "metadata": metadata, "origin": origin}
    return json.dumps(row, ensure_ascii=False) + "\n"


def _bases(count: int) -> str:
    return "".join(f'{{"id": "b{n}", "input": "total {2000 + n}"}}\n' for n in range(count))


def _prepare(folder: Path, rows: list[str]) -> None:
    (folder / "oracle.py").write_text(textwrap.dedent(ORACLE), encoding="utf-8")
    (folder / "bases.jsonl").write_text(_bases(len(rows)), encoding="utf-8")
    (folder / "candidates.jsonl").write_text("".join(rows), encoding="utf-8")


def _validate(folder: Path, *more: str) -> CompletedProcess[str]:
    command = [] if "--oracle-command" in more else ["--oracle-command", f"{sys.executable} oracle.py"]
    return robust(
        "variants", "validate", "bases.jsonl", "candidates.jsonl", "--contract", "over-limit/v1",
        *command, "--oracle-name", "limit-oracle", "-o", "v.jsonl", *more,
        cwd=folder,
    )  # fmt: skip


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, CompletedProcess[str]]:
    """A batch with every way in which an oracle can answer, or not."""
    folder = tmp_path_factory.mktemp("judged")
    modes = ["", "", "undecided", "hang", "crash", "garbage", "too much", "other id", ""]
    rows = [
        _row(n, f"total  {2000 + n}", "invariant", **({"mode": mode} if mode else {})) for n, mode in enumerate(modes)
    ]
    rows[1] = _row(1, "total 20", "invariant")
    rows[8] = _row(8, "total 🙂 20", "counterfactual")
    _prepare(folder, rows)
    return folder, _validate(folder, "--timeout", "2")


def test_each_candidate_becomes_a_record_whatever_the_oracle_does(judged: tuple[Path, CompletedProcess[str]]) -> None:
    """In the candidates' order; a hanging, crashing or babbling oracle costs its pair and no other."""
    folder, done = judged
    assert (done.returncode, done.stderr) == (0, "")
    records = list(Validation.load_all(folder / "v.jsonl"))
    assert [(record.status, *record.issues) for record in records] == [
        ("valid",),
        ("invalid", "relation_contradicted"),
        ("unknown", "unreviewed"),
        ("unknown", "validator_timeout"),
        ("unknown", "validator_error"),
        ("unknown", "verdict_malformed"),
        ("unknown", "evidence_malformed"),
        ("unknown", "verdict_malformed"),
        ("valid",),
    ]
    assert {record.data["oracle"]["name"] for record in records} == {"limit-oracle"}
    assert records[0].data["verdict"]["evidence"] == {"protocol": "robust.oracle/1"}
    assert [failure["path"] for failure in records[7].data["failures"]] == ["$.id"]


def test_the_outcome_is_counted_by_status_and_code(judged: tuple[Path, CompletedProcess[str]]) -> None:
    """And the file is named last."""
    lines = judged[1].stdout.splitlines()
    assert lines[0] == "2 valid, 1 invalid, 6 unknown"
    assert [line.split() for line in lines[1:-1]] == [
        ["evidence_malformed", "1"],
        ["relation_contradicted", "1"],
        ["unreviewed", "1"],
        ["validator_error", "1"],
        ["validator_timeout", "1"],
        ["verdict_malformed", "2"],
    ]
    assert lines[-1] == "records  v.jsonl"


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        (["--status", "valid"], ["v0", "v8"]),
        (["--code", "verdict_malformed"], ["v5", "v7"]),
        (["--status", "invalid", "--code", "unreviewed"], []),
    ],
)
def test_records_can_be_filtered(
    judged: tuple[Path, CompletedProcess[str]], filters: list[str], ids: list[str]
) -> None:
    """By status, by code, by both; as JSON, one record a line, exactly as stored."""
    shown = robust("variants", "show", "v.jsonl", *filters, "-f", "json", cwd=judged[0])
    assert shown.returncode == 0
    records = [json.loads(line) for line in shown.stdout.splitlines()]
    assert [record["candidate"]["case_id"] for record in records] == ids
    stored = [parse_canonical(line) for line in (judged[0] / "v.jsonl").read_bytes().splitlines()]
    assert all(record in stored for record in records)


def test_records_are_shown_with_inputs_answers_and_reason(judged: tuple[Path, CompletedProcess[str]]) -> None:
    """As text, with the count at the end; a code that no record can have is an error."""
    shown = robust("variants", "show", "v.jsonl", "--code", "relation_contradicted", cwd=judged[0])
    assert shown.stdout.splitlines() == [
        "invalid (relation_contradicted)  v1  invariant",
        "  base       total 2001",
        "  candidate  total 20",
        "  change     total [-2001-]{+20+}",
        "  answers    yes -> no",
        "  reason     read",
        "1 record",
    ]
    refused = robust("variants", "show", "v.jsonl", "--code", "nonsense", cwd=judged[0])
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("error[unknown_code]: there is no code 'nonsense'; use ")


def test_a_damaged_record_is_exit_code_3(judged: tuple[Path, CompletedProcess[str]]) -> None:
    """With file and line."""
    raw = (judged[0] / "v.jsonl").read_bytes().replace(b'"total 20"', b'"total 21"')
    (judged[0] / "damaged.jsonl").write_bytes(raw)
    shown = robust("variants", "show", "damaged.jsonl", cwd=judged[0])
    assert shown.returncode == 3
    assert shown.stderr.startswith("error[")
    assert "damaged.jsonl:2: " in shown.stderr


def test_a_stopped_batch_continues_where_it_was(tmp_path: Path) -> None:
    """With a journal each pair is asked once; a torn last line is dropped with a notice."""
    rows = [_row(n, f"total  {2000 + n}", "invariant") for n in range(4)]
    _prepare(tmp_path, [*rows, "{broken\n"])
    first = _validate(tmp_path, "--journal", "journal.jsonl")
    assert first.returncode == 2
    assert first.stderr.startswith("error[json_syntax]: candidates.jsonl:5:2: ")
    assert not (tmp_path / "v.jsonl").exists()
    assert (tmp_path / "asked.log").read_text(encoding="utf-8").split() == ["v0", "v1", "v2", "v3"]
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-5])
    (tmp_path / "candidates.jsonl").write_text("".join(rows), encoding="utf-8")
    second = _validate(tmp_path, "--journal", "journal.jsonl")
    assert second.returncode == 0
    assert second.stderr.startswith("note: journal.jsonl:4: a torn last line")
    assert second.stdout.splitlines()[0] == "4 valid"
    assert (tmp_path / "asked.log").read_text(encoding="utf-8").split() == ["v0", "v1", "v2", "v3", "v3"]


@pytest.mark.parametrize(
    ("rows", "more", "message"),
    [
        (['{"id": "v", "input": "x"}\n'], [], "error[no_parent]: candidates.jsonl:1: $.origin.parent_id: "),
        ([_row(7, "x", "invariant")], [], "error[no_parent]: candidates.jsonl:1: $.origin.parent_id: "),
        ([], [], "error[no_candidates]: candidates.jsonl: there are no candidates"),
        ([_row(0, "total 20", "invariant")], ["--contract", "unversioned"], "error[bad_contract]: contract: "),
        ([_row(0, "total 20", "invariant")], ["--comparator", "fuzzy"], "error["),
        ([_row(0, "total 20", "invariant")], ["--timeout", "-1"], "error["),
        ([_row(0, "total 20", "invariant")], ["--repeats", "0"], "error["),
        (
            [_row(0, "total 20", "invariant")],
            ["--oracle-command", "no-such-program"],
            "error[bad_command]: --oracle-command: there is no program",
        ),
        (
            [_row(0, "total 20", "invariant")],
            ["--oracle-command", "'open quote"],
            "error[bad_command]: --oracle-command: ",
        ),
        ([_row(0, "total 20", "invariant")], ["-o", "oracle.py"], "error[exists]: oracle.py: "),
        ([_row(0, "total 20", "invariant")], ["-o", "bases.jsonl", "--overwrite"], "error[same_file]: bases.jsonl: "),
        ([_row(0, "total 20", "invariant")], ["--journal", "v.jsonl"], "error[same_file]: v.jsonl: "),
        ([_row(0, "total 20", "invariant")], ["-o", "no/such/folder.jsonl"], "error[unwritable]: "),
    ],
)
def test_a_batch_that_cannot_be_judged_is_exit_code_2(
    tmp_path: Path, rows: list[str], more: list[str], message: str
) -> None:
    """With one clear message, and without a half-written file."""
    _prepare(tmp_path, rows)
    (tmp_path / "bases.jsonl").write_text(_bases(1), encoding="utf-8")
    before = {path.name for path in tmp_path.iterdir()}
    done = _validate(tmp_path, *more)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message), done.stderr
    assert {path.name for path in tmp_path.iterdir()} - {"asked.log"} == before
    assert (tmp_path / "bases.jsonl").read_text(encoding="utf-8") == _bases(1)


@pytest.mark.parametrize(("count", "starts", "workers"), [(1, 1, "1"), (3, 3, "1"), (40, 5, "1"), (40, None, "3")])
def test_a_program_that_never_answers_stops_the_batch(
    tmp_path: Path, count: int, starts: int | None, workers: str
) -> None:
    """It is not started for every pair, nothing is written, and a journal keeps no pair as judged."""
    _prepare(tmp_path, [_row(n, f"total  {2000 + n}", "invariant") for n in range(count)])
    (tmp_path / "dead.py").write_text("raise SystemExit(open('starts', 'a').write('x'))\n", encoding="utf-8")
    dead = ("--oracle-command", f"{sys.executable} dead.py", "--journal", "j.journal", "--workers", workers)
    done = _validate(tmp_path, *dead)
    assert done.returncode == 2
    pairs = "the only pair" if count == 1 else f"each of the first {min(count, 5)} pairs"
    start = f"error[oracle_ended]: --oracle-command: the oracle program ended without an answer on {pairs}; nothing is "
    assert done.stderr.startswith(start)
    assert not (tmp_path / "v.jsonl").exists()
    if starts is not None:
        assert len((tmp_path / "starts").read_text("utf-8")) == starts
    (tmp_path / "dead.py").write_text((tmp_path / "oracle.py").read_text("utf-8"), encoding="utf-8")
    mended = _validate(tmp_path, *dead)
    assert (mended.returncode, mended.stdout.splitlines()[0]) == (0, f"{count} valid")


def test_a_program_that_answers_one_pair_is_asked_about_all(tmp_path: Path) -> None:
    """It crashes on the first four and on every one behind the fifth."""
    rows = [_row(n, f"total  {2000 + n}", "invariant", **({} if n == 4 else {"mode": "crash"})) for n in range(10)]
    _prepare(tmp_path, rows)
    done = _validate(tmp_path)
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "1 valid, 9 unknown")


def test_those_valid_by_relation_only_are_told(tmp_path: Path) -> None:
    """In the summary, for people and for programs."""
    _prepare(tmp_path, [_row(0, "total  2000", "invariant")])
    terms = ["variants", "validate", "bases.jsonl", "candidates.jsonl", "--contract", "over-limit/v1"]
    terms += ["--oracle", "preserves", "--no-require-answers", "-o", "v.jsonl", "--overwrite"]
    done = robust(*terms, cwd=tmp_path)
    assert done.stdout.splitlines()[:2] == [
        "1 valid",
        "  1 of the valid by relation only, without answers: no manifest takes them",
    ]
    assert json.loads(robust(*terms, "-f", "json", cwd=tmp_path).stdout)["valid_by_relation"] == 1
