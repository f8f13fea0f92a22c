"""``robust run`` from end to end: exit codes, formats, interruption, and the same bytes on every machine."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from robust.canon import parse_canonical
from tests.run_fixtures import COMMAND, logical, manifest_of, robust

RULE = "{contains: '2', probabilities: {yes: 0.9, no: 0.1}}"
MOCK = f"backend: {{provider: mock, rules: [{RULE}], default: {{yes: 0.2, no: 0.8}}}}\n"
HEAD = 'schema_version: "1"\ndecision: {name: over_limit, type: noul}\n' + MOCK
VARIANTS = {
    f"total {2000 + n}": [(f"total  {2000 + n}", "invariant"), (f"total {30 + n}", "counterfactual")] for n in range(12)
}


def _contract(folder: Path, more: str) -> Path:
    (folder / "contract.yaml").write_text(HEAD + more, encoding="utf-8")
    return folder


@pytest.fixture
def frozen(tmp_path: Path) -> Path:
    """A folder with a manifest, and a contract that runs it."""
    manifest = manifest_of(VARIANTS)
    manifest.save(tmp_path / "m.manifest.jsonl")
    return _contract(
        tmp_path,
        f"manifest: m.manifest.jsonl\nmanifest_digest: {manifest.digest}\nsplit: development\n"
        "requirements: {min_accuracy: 0.9}\nproperties: {variants: {max_violation_rate: 0.5, max_flip_rate: 0}}\n",
    )


def test_a_run_prints_its_report_and_last_its_folder(frozen: Path) -> None:
    """Results on standard output, nothing on standard error."""
    done = robust("run", "contract.yaml", cwd=frozen)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "PASS  over_limit: mock (mock)"
    assert lines[-1].startswith("run       runs/over_limit-")
    assert all(len(line) <= 80 for line in lines)
    assert (frozen / lines[-1].split()[1] / "report.json").is_file()


def test_the_json_report_is_the_stored_one(frozen: Path) -> None:
    """And nothing else is on standard output."""
    done = robust("run", "contract.yaml", "-o", "out", "-f", "json", cwd=frozen)
    assert json.loads(done.stdout) == parse_canonical((frozen / "out" / "report.json").read_bytes()[:-1])


DATA = "dataset: c.jsonl\nrequirements: {min_accuracy: 0.5, max_error_rate: 1}\nwarnings: {min_accuracy: 0.9}\n"


@pytest.mark.parametrize(
    ("rows", "arguments", "code", "status"),
    [
        (["no", "no"], [], 0, "PASS"),
        (["no", "yes"], [], 0, "WARN"),
        (["no", "yes"], ["--fail-on-warn"], 1, "WARN"),
        (["yes", "yes"], [], 1, "FAIL"),
    ],
)
def test_the_exit_code_says_how_it_went(
    tmp_path: Path, rows: list[str], arguments: list[str], code: int, status: str
) -> None:
    """0 holds, 1 a gate does not hold or a warning counts."""
    data = "".join(json.dumps({"id": str(n), "input": "x", "expected": label}) + "\n" for n, label in enumerate(rows))
    (_contract(tmp_path, DATA) / "c.jsonl").write_text(data, encoding="utf-8")
    done = robust("run", "contract.yaml", "-o", "out", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout.split()[0]) == (code, status)


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        (None, 2, "error[unreadable]: c.jsonl: no such file"),
        ("\n", 2, "error[no_cases]: c.jsonl: there are no cases"),
        ('{"id": "a", "input": "x", "expected": "maybe"}\n', 2, "error[unknown_label]: c.jsonl: case 'a': "),
        ('{"id": "a", "input": "x"}\n{"id": "a", "input": "y"}\n', 2, "error[duplicate_id]: c.jsonl:2: "),
        ('{"id": "a", "input": "x", "lable": 1}\n', 2, "error[unknown_field]: c.jsonl:1: $.lable: "),
        ('{"id": "a", "input": 5}\n', 2, "error[wrong_value]: c.jsonl:1: "),
        (
            '{"id": "a", "input": "x", "metadata": {"n": 9007199254740993}}\n',
            2,
            "error[number_range]: c.jsonl:1:45: $.metadata.n: ",
        ),
    ],
)
def test_data_that_cannot_be_run_is_exit_code_2(tmp_path: Path, data: str | None, code: int, message: str) -> None:
    """One clear error, and no folder."""
    _contract(tmp_path, DATA)
    if data is not None:
        (tmp_path / "c.jsonl").write_text(data, encoding="utf-8")
    done = robust("run", "contract.yaml", "-o", "out", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(message)
    assert not (tmp_path / "out").exists()


def test_a_manifest_that_is_damaged_or_not_the_pinned_one_is_exit_code_3(frozen: Path) -> None:
    """Both digests are named."""
    manifest_of({"total 2000": []}).save(frozen / "other.manifest.jsonl")
    pinned = robust("run", "contract.yaml", "--manifest", "other.manifest.jsonl", "-o", "out", cwd=frozen)
    assert (pinned.returncode, pinned.stdout) == (3, "")
    assert pinned.stderr.startswith(
        "error[pin]: other.manifest.jsonl: manifest_digest: the contract pins the manifest sha256:"
    )
    file = frozen / "m.manifest.jsonl"
    file.write_bytes(file.read_bytes()[:-20])
    torn = robust("run", "contract.yaml", "-o", "out", cwd=frozen)
    assert torn.returncode == 3
    assert torn.stderr.startswith("error[cut_short]: m.manifest.jsonl:")
    assert not (frozen / "out").exists()


def test_options_go_before_the_contract(frozen: Path) -> None:
    """Dataset, seed, mode, property and concurrency; what was run is in the report."""
    (frozen / "c.csv").write_text("id,input,expected,metadata.kind\na,total 2,yes,small\n", encoding="utf-8")
    text = (frozen / "contract.yaml").read_text(encoding="utf-8")
    unpinned = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("manifest_digest"))
    (frozen / "unpinned.yaml").write_text(unpinned, encoding="utf-8")
    options = "--dataset c.csv --only golden --seed 7 -o 1 -f json"
    report = json.loads(robust("run", "unpinned.yaml", *options.split(), cwd=frozen).stdout)
    assert [report["dataset"]["name"], report["mode"], report["seed"]] == ["c.csv", "golden", 7]
    options = "-p variants --only properties --max-concurrency 16 -o 2 -f json"
    report = json.loads(robust("run", "contract.yaml", *options.split(), cwd=frozen).stdout)
    assert [check["check"].split(".")[0] for check in report["checks"]] == ["variants"] * 3
    assert report["observed"]["max_concurrency"] == 16
    assert robust("run", "contract.yaml", "-p", "fuzz", cwd=frozen).stderr.startswith(
        "error[unknown_property]: properties: "
    )


def test_a_finished_run_is_kept_unless_told_otherwise(frozen: Path) -> None:
    """Exit code 2 and the remedy; with --overwrite it is replaced."""
    assert robust("run", "contract.yaml", "-o", "out", cwd=frozen).returncode == 0
    again = robust("run", "contract.yaml", "-o", "out", cwd=frozen)
    assert (again.returncode, again.stdout) == (2, "")
    hint = "use another folder, or --overwrite (overwrite=True)"
    assert again.stderr == f"error[exists]: out: a finished run is not written over; {hint}\n"
    assert robust("run", "contract.yaml", "-o", "out", "--overwrite", cwd=frozen).returncode == 0


@pytest.mark.parametrize("concurrency", [1, 16])
def test_records_are_the_same_bytes_under_every_hash_seed(frozen: Path, concurrency: int) -> None:
    """C7, B7: three hash seeds; but for what was observed, records, contract and report are identical."""
    seen: set[tuple[Any, ...]] = set()
    for seed in ("0", "1", "4242"):
        out = f"out-{seed}"
        done = robust(
            "run",
            "contract.yaml",
            "-o",
            out,
            "--max-concurrency",
            str(concurrency),
            cwd=frozen,
            env={"PYTHONHASHSEED": seed},
        )
        assert done.returncode == 0
        lines = (frozen / out / "records.jsonl").read_bytes().splitlines()
        report = parse_canonical((frozen / out / "report.json").read_bytes()[:-1])
        seen.add(
            (
                (frozen / out / "contract.json").read_bytes(),
                json.dumps([logical(parse_canonical(line)) for line in lines]),
                report["evidence_digest"],
                report["answers_digest"],
                report["records"]["root"],
            )
        )
    assert len(seen) == 1


def _heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_an_interrupted_run_exits_with_130_and_can_be_run_again(tmp_path: Path) -> None:
    """SIGINT in the middle of a long run stops it soon, and leaves no report."""
    rows = "".join(f'{{"id": "c{n}", "input": "text {n}", "expected": "no"}}\n' for n in range(60_000))
    (_contract(tmp_path, DATA) / "c.jsonl").write_text(rows, encoding="utf-8")
    with subprocess.Popen(
        [COMMAND, "run", "contract.yaml", "-o", "out"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts background jobs with the signal ignored, and that is inherited.
        preexec_fn=_heed_interrupts,  # noqa: PLW1509 - nothing else runs between fork and exec
    ) as process:
        deadline = time.monotonic() + 60
        records = tmp_path / "out" / "records.jsonl"
        while not (records.exists() and records.stat().st_size > 0):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert error == "error[interrupted]: out: stopped; run the same again with -o out (output=...) to go on\n"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["contract.json", "records.jsonl", "run.json"]
    assert records.read_bytes().count(b"\n") < 60_000
    assert robust("verify", "out", cwd=tmp_path).returncode == 3
    (tmp_path / "c.jsonl").write_text(rows[:200].rpartition("\n")[0], encoding="utf-8")
    other = robust("run", "contract.yaml", "-o", "out", cwd=tmp_path)
    assert other.returncode == 2
    assert "error[other_run]" in other.stderr
    assert robust("run", "contract.yaml", "-o", "out", "--overwrite", cwd=tmp_path).returncode == 0


def test_when_nothing_could_be_decided_the_exit_code_is_2(tmp_path: Path) -> None:
    """B14, as a program that calls the package would see it."""
    script = (
        "import sys; from robust import CallableBackend, run_contract\n"
        "def model(request): raise ConnectionError('no route')\n"
        "run = run_contract('contract.yaml', backend=CallableBackend(model), output='out')\n"
        "print(run.status); sys.exit(run.exit_code)\n"
    )
    (_contract(tmp_path, DATA) / "c.jsonl").write_text(
        '{"id": "a", "input": "x", "expected": "no"}\n', encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], check=False, cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "error\n", "")
    assert "no route" in (tmp_path / "out" / "records.jsonl").read_text(encoding="utf-8")


def test_the_demonstration_shows_the_main_job_and_verifies_itself(tmp_path: Path) -> None:
    """Candidates of every status, a manifest, a run that should fail, and its verification; all of it can be kept."""
    done = robust("demo", "--keep", "kept", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for part in (
        "valid  amount-1",
        "invalid (rejected",
        "unknown (unreviewed)",
        "FAIL  needs_approval",
        "only base right",
        "integrity holds",
    ):
        assert part in done.stdout
    assert (
        robust("verify", "kept/run", "kept/amounts.manifest.jsonl", "kept/validations.jsonl", cwd=tmp_path).returncode
        == 0
    )
    assert robust("run", "kept/contract.yaml", "-o", "again", cwd=tmp_path).returncode == 1
    refused = robust("demo", "--keep", "kept", cwd=tmp_path)
    assert (refused.returncode, refused.stderr) == (
        2,
        "error[not_empty]: kept: the folder is not empty; give a new one\n",
    )
