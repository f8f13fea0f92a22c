"""Run directories: continued by the same run and by no other, and at every moment either finished or unfinished."""

from __future__ import annotations

import json
import os
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from robust import IntegrityError, UsageError
from robust.canon import JsonObject, canonical_bytes, parse_canonical
from robust.store.cache import AnswerStore
from robust.store.runs import RunReader, RunWriter, is_run_directory
from tests.programs import UNMEASURED, python, start_python

CONTRACT: JsonObject = {"decision": "over_limit", "schema_version": "1"}
REPORT: JsonObject = {"status": "pass"}
IDENTITY: JsonObject = {
    "contract": "sha256:c",
    "cases": {"manifest": {"digest": "sha256:m", "split": "test"}},
    "seed": 1,
    "backend": {"provider": "http", "model": "small", "details": {"url": "http://localhost:9/decide"}},
    "mode": "all",
}
FINISHED = ["contract.json", "records.jsonl", "report.json"]
UNFINISHED = ["contract.json", "records.jsonl", "run.json"]


def names(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir())


def contents(folder: Path) -> dict[str, bytes]:
    return {item.name: item.read_bytes() for item in folder.iterdir()}


def stop(folder: Path, *, answers: int = 2, identity: JsonObject = IDENTITY, **options: Any) -> None:
    """A run that stops after some answers and their records."""
    with RunWriter(folder, **options) as writer:
        writer.start(CONTRACT, identity)
        with AnswerStore(writer.working_file, working=True) as store:
            for number in range(answers):
                store.put(str(number), b"1", spent=(1, 0, 0.0))
                writer.write(canonical_bytes({"id": number, "life": "first"}) + b"\n")


def finish(folder: Path, *, identity: JsonObject = IDENTITY, name: str = "a", **options: Any) -> None:
    """A run from its start to its end."""
    with RunWriter(folder, **options) as writer:
        writer.start(CONTRACT, identity)
        writer.write(canonical_bytes({"id": name}) + b"\n")
        writer.seal(REPORT)


def refused(folder: Path, identity: JsonObject = IDENTITY, **options: Any) -> UsageError:
    with pytest.raises(UsageError) as caught, RunWriter(folder, **options) as writer:
        writer.start(CONTRACT, identity)
    assert all(problem.hint for problem in caught.value.problems)
    return caught.value


def test_a_sealed_run_is_three_files(tmp_path: Path) -> None:
    """Contract, records and report, canonical, each line with its line feed; and a reader reads them."""
    finish(tmp_path / "run")
    assert contents(tmp_path / "run") == {
        "contract.json": canonical_bytes(CONTRACT) + b"\n",
        "records.jsonl": b'{"id":"a"}\n',
        "report.json": canonical_bytes(REPORT) + b"\n",
    }
    reader = RunReader(tmp_path / "run")
    assert (reader.contract(), reader.report(), list(reader.records())) == (CONTRACT, REPORT, [(1, b'{"id":"a"}')])


def test_an_unfinished_run_is_visibly_unfinished(tmp_path: Path) -> None:
    """It says what was running, keeps what was paid for, and cannot be read as a run."""
    stop(tmp_path)
    assert names(tmp_path) == ["answers.sqlite", *UNFINISHED]
    stored = parse_canonical((tmp_path / "run.json").read_bytes()[:-1])
    assert stored == {"schema": "robust.unfinished/1", "identity": IDENTITY}
    assert is_run_directory(tmp_path)
    with pytest.raises(IntegrityError) as caught:
        RunReader(tmp_path)
    assert caught.value.code == "unfinished"
    assert caught.value.problems[0].hint == "run the same command again"


def test_the_same_run_is_continued(tmp_path: Path) -> None:
    """Its answers are there, what was spent is known, and its records are written anew."""
    for life in (1, 2, 3):
        stop(tmp_path, answers=life)
    with RunWriter(tmp_path) as writer:
        assert not writer.continued
        writer.start(CONTRACT, json.loads(json.dumps(IDENTITY)))
        assert writer.continued
        with AnswerStore(writer.working_file, working=True) as store:
            assert (store.get("2"), store.spent()["calls"]) == (b"1", 6)
        writer.write(b'{"id":0}\n')
        writer.seal(REPORT)
    assert names(tmp_path) == FINISHED
    assert (tmp_path / "records.jsonl").read_bytes() == b'{"id":0}\n'


@pytest.mark.parametrize(
    ("path", "there", "here", "change"),
    [
        ("$.identity.contract", '"sha256:c"', '"sha256:d"', {"contract": "sha256:d"}),
        ("$.identity.seed", "1", "2", {"seed": 2}),
        ("$.identity.mode", '"all"', '"golden"', {"mode": "golden"}),
        (
            "$.identity.cases.manifest.split",
            '"test"',
            '"dev"',
            {"cases": {"manifest": {"digest": "sha256:m", "split": "dev"}}},
        ),
        ("$.identity.cases.manifest", '{"digest":"sha256:m","split":"test"}', "nothing", {"cases": {}}),
        (
            "$.identity.backend.model",
            '"small"',
            '"large"',
            {"backend": {"provider": "http", "model": "large", "details": {"url": "http://localhost:9/decide"}}},
        ),
    ],
)
def test_another_run_is_not_continued(tmp_path: Path, path: str, there: str, here: str, change: JsonObject) -> None:
    """What differs is named with both values, what to do is said, and nothing is touched."""
    stop(tmp_path)
    before = contents(tmp_path)
    error = refused(tmp_path, {**IDENTITY, **change})
    [problem] = error.problems
    assert (error.exit_code, problem.code, problem.path) == (2, "other_run", path)
    assert problem.file == str(tmp_path / "run.json")
    assert problem.message == f"the unfinished run here has {there}, this one {here}"
    assert problem.hint is not None
    assert "--overwrite" in problem.hint
    assert contents(tmp_path) == before


def test_every_difference_is_named_but_within_bounds(tmp_path: Path) -> None:
    """Long values are cut, and of many differences the first are told."""
    stop(tmp_path)
    many = {f"x{number}": "y" * 10_000 for number in range(50)}
    problems = refused(tmp_path, {**IDENTITY, "seed": 5, "backend": many}).problems
    assert len(problems) == 10
    assert all(len(problem.message) < 600 for problem in problems)


def test_an_unfinished_run_can_be_started_anew(tmp_path: Path) -> None:
    """With overwrite: what was paid for is gone, too, and another run may take the folder."""
    stop(tmp_path)
    with RunWriter(tmp_path, overwrite=True) as writer:
        writer.start(CONTRACT, {**IDENTITY, "seed": 2})
        assert not writer.continued
        with AnswerStore(writer.working_file, working=True) as store:
            assert (store.get("0"), store.spent()["calls"]) == (None, 0)
    assert refused(tmp_path).code == "other_run"


def test_a_finished_run_is_not_written_over(tmp_path: Path) -> None:
    """Whatever is run; with overwrite it is replaced."""
    finish(tmp_path)
    before = contents(tmp_path)
    assert refused(tmp_path).code == "exists"
    assert refused(tmp_path, {**IDENTITY, "seed": 2}).code == "exists"
    assert contents(tmp_path) == before
    (tmp_path / "attestation.dsse.json").write_bytes(b"{}")
    finish(tmp_path, name="b", overwrite=True)
    assert (tmp_path / "records.jsonl").read_bytes() == b'{"id":"b"}\n'
    assert names(tmp_path) == FINISHED


CLAIM = "claim-0123456789ab.dsse.json"


def test_what_was_signed_goes_with_the_run_that_is_replaced(tmp_path: Path) -> None:
    """Attestation and claims are the run's own files: they hold nothing up, and speak of no other run."""
    finish(tmp_path)
    for name in ("attestation.dsse.json", CLAIM, "claim-ba9876543210.dsse.json", f".{CLAIM}.0123456789ab.partial"):
        (tmp_path / name).write_bytes(b"{}")
    assert refused(tmp_path).code == "exists"
    assert (tmp_path / CLAIM).exists()
    finish(tmp_path, name="b", overwrite=True)
    assert names(tmp_path) == FINISHED


def test_what_is_signed_in_an_unfinished_run_goes_when_it_goes_on(tmp_path: Path) -> None:
    """It cannot be of this run, which has no report yet."""
    stop(tmp_path)
    for name in ("attestation.dsse.json", CLAIM):
        (tmp_path / name).write_bytes(b"{}")
    finish(tmp_path)
    assert names(tmp_path) == FINISHED


@pytest.mark.parametrize("name", FINISHED)
@pytest.mark.parametrize("place", ["outside", "inside", "nowhere"])
def test_files_of_a_run_are_no_links(tmp_path: Path, name: str, place: str) -> None:
    """What they lead to may be changed, or be another machine's, after the run was signed."""
    folder = tmp_path / "run"
    finish(folder)
    moved = {"outside": tmp_path / name, "inside": folder / f"real-{name}", "nowhere": tmp_path / "gone"}[place]
    (folder / name).rename(moved)
    (folder / name).symlink_to(moved)
    if place == "nowhere":
        moved.unlink()
    with pytest.raises(IntegrityError) as caught:
        RunReader(folder)
    assert (caught.value.code, caught.value.problems[0].file) == ("link", str(folder / name))


def test_a_folder_that_is_a_link_is_a_run(tmp_path: Path) -> None:
    """Where it stands is its owner's business."""
    finish(tmp_path / "run")
    (tmp_path / "latest").symlink_to(tmp_path / "run")
    assert RunReader(tmp_path / "latest").report() == REPORT


LEFTOVERS = [
    *("answers.sqlite", "answers.sqlite-wal", "answers.sqlite-shm", "answers.sqlite-journal", "answers.sqlite.partial"),
    *("answers.sqlite.damaged-1", "answers.sqlite.damaged-12-wal", "run.json", ".report.json.0123456789ab.partial"),
    *(".answers.sqlite.0123456789ab.partial-shm", ".answers.sqlite.partial.0123456789ab.partial", ".lock"),
]


def test_what_a_finished_run_left_behind_means_nothing(tmp_path: Path) -> None:
    """A kill after the report: a reader sees the run, and the next writer cleans up, whether or not it may go on."""
    finish(tmp_path)
    for name in LEFTOVERS:
        (tmp_path / name).write_bytes(b"left")
    assert RunReader(tmp_path).report() == REPORT
    assert refused(tmp_path).code == "exists"
    assert names(tmp_path) == FINISHED
    for name in LEFTOVERS:
        (tmp_path / name).write_bytes(b"left")
    finish(tmp_path, name="b", overwrite=True)
    assert names(tmp_path) == FINISHED


@pytest.mark.parametrize(
    "name",
    [
        *("notes.txt", ".notes.partial", "answers.sqlite.bak", "answers.sqlite-mine", ".x.0123456789ab.partial", "run"),
        *("claim-0123456789ab.dsse.json.bak", "claim-x.dsse.json", "my-claim-0123456789ab.dsse.json"),
    ],
)
def test_files_of_others_are_never_removed(tmp_path: Path, name: str) -> None:
    """A folder that holds one is refused, whatever it is called; also with overwrite, also beside a finished run."""
    for finished in (False, True):
        (tmp_path / name).unlink(missing_ok=True)
        if finished:
            finish(tmp_path)
        (tmp_path / name).write_text("mine", encoding="utf-8")
        for overwrite in (False, True):
            assert refused(tmp_path, overwrite=overwrite).code == "not_a_run"
        assert (tmp_path / name).read_text(encoding="utf-8") == "mine"


def test_leftovers_of_a_killed_write_go_when_the_run_is_continued(tmp_path: Path) -> None:
    """What an atomic write had not yet put in its place."""
    stop(tmp_path)
    (tmp_path / ".contract.json.0123456789ab.partial").write_bytes(b"{")
    stop(tmp_path)
    assert names(tmp_path) == ["answers.sqlite", *UNFINISHED]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]\n",
        b"null\n",
        b"\xff\n",
        b'{"identity":{},"schema":"robust.unfinished/2"}\n',
        b'{"identity":7,"schema":"robust.unfinished/1"}\n',
        b'{"schema":"robust.unfinished/1"}\n',
        b'{"identity":{},"schema":"robust.unfinished/1", "x":1}\n',
        b"[" * 100_000,
    ],
)
def test_a_damaged_run_file_is_an_error(tmp_path: Path, content: bytes) -> None:
    """What was running cannot be told, so nothing is continued and nothing removed; overwrite starts anew."""
    stop(tmp_path)
    (tmp_path / "run.json").write_bytes(content)
    before = contents(tmp_path)
    error = refused(tmp_path)
    assert (error.code, error.problems[0].file) == ("damaged_run", str(tmp_path / "run.json"))
    assert contents(tmp_path) == before
    finish(tmp_path, overwrite=True)
    assert names(tmp_path) == FINISHED


def test_answers_of_nobody_knows_which_run_are_not_used(tmp_path: Path) -> None:
    """Without run.json nothing says what they answer."""
    stop(tmp_path)
    (tmp_path / "run.json").unlink()
    with RunWriter(tmp_path) as writer:
        writer.start(CONTRACT, IDENTITY)
        assert not writer.continued
        assert not writer.working_file.exists()


def test_records_are_not_written_through_a_link(tmp_path: Path) -> None:
    """A link in the place of the records is replaced, and what it points to is left alone."""
    outside = tmp_path / "outside"
    outside.write_text("mine", encoding="utf-8")
    run = tmp_path / "run"
    stop(run)
    (run / "records.jsonl").unlink()
    (run / "records.jsonl").symlink_to(outside)
    stop(run)
    assert outside.read_text(encoding="utf-8") == "mine"
    assert not (run / "records.jsonl").is_symlink()


def test_a_run_is_started_before_it_is_written_and_sealed_once(tmp_path: Path) -> None:
    """A report without records would be a false one."""
    with RunWriter(tmp_path) as writer:
        for use in (partial(writer.write, b"{}\n"), partial(writer.seal, REPORT)):
            with pytest.raises(UsageError) as caught:
                use()
            assert caught.value.code == "not_started"
        writer.start(CONTRACT, IDENTITY)
        writer.seal(REPORT)
        with pytest.raises(UsageError):
            writer.write(b"{}\n")
        with pytest.raises(UsageError):
            writer.seal({"status": "fail"})
    assert RunReader(tmp_path).report() == REPORT


def test_the_second_of_two_writers_stops_clearly(tmp_path: Path) -> None:
    """B6: before and after the first has begun; what the first does is not disturbed."""
    with RunWriter(tmp_path) as writer:
        assert refused(tmp_path).code == "in_use"
        writer.start(CONTRACT, IDENTITY)
        writer.write(b'{"id":1}\n')
        for overwrite in (False, True):
            assert refused(tmp_path, overwrite=overwrite).code == "in_use"
        writer.seal(REPORT)
    assert names(tmp_path) == FINISHED
    assert list(RunReader(tmp_path).records()) == [(1, b'{"id":1}')]


HOLD = """
import sys
from robust.store.cache import AnswerStore
from robust.store.runs import RunWriter
from tests.unit.store.test_runs import CONTRACT, IDENTITY
with RunWriter(sys.argv[1]) as writer:
    writer.start(CONTRACT, IDENTITY)
    with AnswerStore(writer.working_file, working=True) as store:
        store.put("0", b"1", spent=(1, 0, 0.0))
        store.flush()
        print("running", flush=True)
        sys.stdin.readline()
"""


def test_a_killed_writer_holds_nothing(tmp_path: Path) -> None:
    """B6: while it lives another process is told so; killed with signal 9, its run is continued at once."""
    with start_python(HOLD, str(tmp_path)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"
        assert refused(tmp_path).code == "in_use"
        os.kill(process.pid, signal.SIGKILL)
    with RunWriter(tmp_path) as writer:
        writer.start(CONTRACT, IDENTITY)
        assert writer.continued
        with AnswerStore(writer.working_file, working=True) as store:
            assert (store.get("0"), store.spent()["calls"], store.notices) == (b"1", 1, [])
        writer.seal(REPORT)
    assert names(tmp_path) == FINISHED


# The run is killed before its first file operation, its second, and so on, until it lives to its end. What is left is a
# finished run or one that is continued to its end; a report never stands beside the records of another run.
EVERY_STEP = """
import os, shutil, signal, sys
from pathlib import Path
from robust import UsageError
from robust.store.cache import AnswerStore
from robust.store.runs import RunReader, RunWriter
from tests.unit.store.test_runs import CONTRACT, IDENTITY, contents, names, FINISHED

STEPS = {"os.rename", "os.remove", "os.link", "os.mkdir", "sqlite3.connect"}

def run(folder, seed, asked, overwrite=False):
    with RunWriter(folder, overwrite=overwrite) as writer:
        writer.start(CONTRACT, {**IDENTITY, "seed": seed})
        with AnswerStore(writer.working_file, working=True) as store:
            for number in range(2):
                if store.get(str(number)) is None:
                    with open(asked, "a") as log:
                        log.write(f"{number}\\n")
                    store.put(str(number), b"1", spent=(1, 0, 0.0))
                    store.flush()
                writer.write(b'{"seed":%d,"id":%d}\\n' % (seed, number))
            assert store.spent()["calls"] == 2
        writer.seal({"seed": seed})

def killed(step, folder, seed, asked, overwrite):
    child = os.fork()
    if child == 0:
        try:
            left = [step]
            def count(event, arguments):
                if event in STEPS or (event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR)):
                    left[0] -= 1
                    if left[0] < 0:
                        os.kill(os.getpid(), signal.SIGKILL)
            sys.addaudithook(count)
            run(folder, seed, asked, overwrite)
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

def finished(folder):
    if "report.json" not in names(folder):
        return None
    reader = RunReader(folder)
    seed = reader.report()["seed"]
    assert [line for _, line in reader.records()] == [b'{"seed":%d,"id":%d}' % (seed, n) for n in range(2)]
    return seed

root = Path(sys.argv[1])
run(root / "first", 1, os.devnull)  # what is imported on the way is no step of the children
for overwrite in (False, True):
    for step in range(1000):
        folder, asked = root / f"{overwrite}-{step}", root / f"asked-{overwrite}-{step}"
        asked.touch()
        if overwrite:
            shutil.copytree(root / "first", folder)
            # As a kill after the report would leave it.
            (folder / "run.json").write_bytes(b"left")
            (folder / "answers.sqlite").write_bytes(b"left")
        end = killed(step, folder, 2, asked, overwrite)
        assert end in (0, -signal.SIGKILL), end
        seed = finished(folder) if folder.exists() else None
        assert seed != 1 or overwrite
        try:
            run(folder, 2, asked)
        except UsageError as error:
            assert error.code == "exists" and seed is not None, (error, step)
        else:
            assert seed is None, step
            seed = 2
        assert finished(folder) == seed
        assert names(folder) == FINISHED, (step, names(folder))
        calls = asked.read_text().split()
        # The one whose answer was not yet on disk may have been asked again.
        assert len(calls) - len(set(calls)) <= 1 and (seed == 1 or set(calls) == {"0", "1"}), calls
        shutil.rmtree(folder)
        if end == 0:
            break
    print(step)
"""


def test_a_kill_at_any_step_leaves_a_finished_run_or_one_to_continue(tmp_path: Path) -> None:
    """B4: before every single operation on a file, in a new folder and while a finished run is written over."""
    done = python(EVERY_STEP, str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert all(int(steps) > 20 for steps in done.stdout.split())
    assert len(done.stdout.split()) == 2


FULL = """
import resource, sys
from robust import UsageError
from robust.store.runs import RunWriter
from tests.unit.store.test_runs import CONTRACT, IDENTITY, REPORT
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
for limit in map(int, sys.argv[2:]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        with RunWriter(f"{sys.argv[1]}/{limit}") as writer:
            writer.start(CONTRACT, IDENTITY)
            for _ in range(100):
                writer.write(b"x" * 1000 + b"\\n")
            writer.seal({"status": "pass", "filler": "x" * 200_000})
    except UsageError as error:
        print(error.code, error.problems[0].file.removeprefix(f"{sys.argv[1]}/{limit}/"))
"""


def test_a_full_disk_leaves_an_unfinished_run(tmp_path: Path) -> None:
    """Too small for what is running, for the contract, for the records, and for the report alone: each is named."""
    done = python(FULL, str(tmp_path), "50", "100", "20000", "150000", **UNMEASURED)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "unwritable run.json",
        "unwritable run.json",
        "unwritable records.jsonl",
        "unwritable report.json",
    ]
    for limit in ("50", "100", "20000", "150000"):
        assert set(names(tmp_path / limit)) <= set(UNFINISHED)
        finish(tmp_path / limit)
        assert names(tmp_path / limit) == FINISHED
