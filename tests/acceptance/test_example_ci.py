"""``examples/ci``: both files parse, and what they run is run here as it stands, against a small contract."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command_path import command_path
from tests.programs import ROOT
from tests.report_readers import assert_sarif
from tests.run_fixtures import COMMAND, robust
from tests.unit.render.shown import read_junit, read_markdown

FOLDER = ROOT / "examples" / "ci"
CONTRACT = """
schema_version: "0.1"
decision: {{name: q, type: choice, options: [first, second]}}
backend: {{provider: mock, seed: 3, position_bias: {bias}}}
dataset: c.jsonl
properties:
  option_order: {{max_tv_distance: 0.1}}
"""
PASSPHRASE = "not a real one"  # noqa: S105 - as it says
WRITTEN = {"robust-junit.xml", "robust.sarif", "robust.md"}


def _load(name: str) -> dict[str, Any]:
    # BaseLoader: YAML 1.1 would read the key `on` as true, which GitHub does not.
    loaded: dict[str, Any] = yaml.load((FOLDER / name).read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506
    return loaded


def _github() -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = _load("github-workflow.yml")["jobs"]["robust"]["steps"]
    return steps


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout with data, and the public key of a pair that lies elsewhere."""
    (tmp_path / "c.jsonl").write_text('{"id": "a", "input": "one"}\n{"id": "b", "input": "two"}\n', encoding="utf-8")
    environment = {"ROBUST_KEY_PASSPHRASE": PASSPHRASE}
    made = robust("keys", "generate", "-o", "keys", "--passphrase", cwd=tmp_path, env=environment)
    assert made.returncode == 0, made.stderr
    (tmp_path / "signing.pub.pem").write_bytes((tmp_path / "keys" / "signing.pub.pem").read_bytes())
    return tmp_path


@pytest.fixture(autouse=True, scope="module")
def _path() -> Iterator[None]:
    """Scripts call the command dozens of times: as in all tests, without loading everything each time."""
    with command_path() as path, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", path)
        yield


def _bash(script: str, folder: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", *options, "-c", script],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )


def _run_github(folder: Path, key: str, passphrase: str) -> dict[str, int]:
    """Run every script of the workflow but the installation, as GitHub does; the exit codes by step."""
    (folder / "temp").mkdir()
    secrets = {"ROBUST_SIGNING_KEY": key, "ROBUST_KEY_PASSPHRASE": passphrase}
    codes = {}
    for step in _github():
        if "run" not in step or step["name"] == "Install":
            continue
        environment = {}
        for name, value in step.get("env", {}).items():
            found = re.fullmatch(r"\$\{\{ secrets\.(\w+) \}\}", value)
            assert found is not None
            environment[name] = secrets[found[1]]
        places = {"RUNNER_TEMP": str(folder / "temp"), "GITHUB_STEP_SUMMARY": str(folder / "temp" / "summary.md")}
        done = _bash(step["run"], folder, **places, **environment)
        codes[step["name"]] = done.returncode
        assert "Traceback" not in done.stderr
    return codes


def _run_gitlab(folder: Path, key: str) -> int:
    """Run the script of the job, as GitLab does; its exit code."""
    script = "\n".join(_load("gitlab-job.yml")["robust"]["script"])
    environment = {"ROBUST_SIGNING_KEY": key, "ROBUST_KEY_PASSPHRASE": PASSPHRASE}
    done = _bash(script, folder, "-o", "pipefail", **(environment if key else {}))
    assert "Traceback" not in done.stderr
    return done.returncode


def _check_files(folder: Path) -> None:
    """What was written is what readers take."""
    read_junit((folder / "robust-junit.xml").read_text(encoding="utf-8").removesuffix("\n"))
    log = assert_sarif((folder / "robust.sarif").read_text(encoding="utf-8"))
    for result in log["runs"][0]["results"]:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert (folder / uri).is_file()
    read_markdown((folder / "robust.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("bias", "verdict", "signed"), [(0, 0, False), (0.4, 1, True)])
def test_the_workflow_of_github_does_what_it_says(folder: Path, bias: float, verdict: int, signed: bool) -> None:
    """A failing contract fails its own step and no other; with a key the run is signed, and the key is gone."""
    (folder / "contract.yaml").write_text(CONTRACT.format(bias=bias), encoding="utf-8")
    key = (folder / "keys" / "signing.key.pem").read_text(encoding="utf-8") if signed else ""
    codes = _run_github(folder, key, PASSPHRASE if signed else "")
    assert codes == {
        "Run the contract": verdict,
        "Write JUnit, SARIF and Markdown": 0,
        "Sign the run": 0,
        "Verify the run": 0,
    }
    _check_files(folder)
    assert (folder / "robust-run" / "attestation.dsse.json").exists() == signed
    assert (folder / "temp" / "summary.md").read_bytes() == (folder / "robust.md").read_bytes()
    assert [path.name for path in (folder / "temp").iterdir()] == ["summary.md"]


def test_a_key_without_a_passphrase_signs_in_the_workflow_of_github(folder: Path) -> None:
    """A secret that nobody set is an empty variable."""
    (folder / "contract.yaml").write_text(CONTRACT.format(bias=0), encoding="utf-8")
    assert robust("keys", "generate", "-o", "plain", cwd=folder).returncode == 0
    (folder / "signing.pub.pem").write_bytes((folder / "plain" / "signing.pub.pem").read_bytes())
    codes = _run_github(folder, (folder / "plain" / "signing.key.pem").read_text(encoding="utf-8"), "")
    assert set(codes.values()) == {0}
    assert (folder / "robust-run" / "attestation.dsse.json").exists()


@pytest.mark.parametrize(("bias", "verdict", "signed"), [(0, 0, True), (0.4, 1, False)])
def test_the_job_of_gitlab_does_what_it_says(folder: Path, bias: float, verdict: int, signed: bool) -> None:
    """Everything is written before the job ends with the verdict."""
    (folder / "contract.yaml").write_text(CONTRACT.format(bias=bias), encoding="utf-8")
    assert _run_gitlab(folder, str(folder / "keys" / "signing.key.pem") if signed else "") == verdict
    _check_files(folder)
    assert (folder / "robust-run" / "attestation.dsse.json").exists() == signed


def test_a_contract_that_cannot_be_run_fails_the_job(folder: Path) -> None:
    """And nothing is written that could be taken for a report."""
    (folder / "contract.yaml").write_text("schema_version: 7\n", encoding="utf-8")
    assert _run_gitlab(folder, "") != 0
    assert not any((folder / name).exists() for name in WRITTEN)


def test_a_run_that_was_changed_fails_the_verification(folder: Path) -> None:
    """Before anybody signs it, and with a signature of another key."""
    (folder / "contract.yaml").write_text(CONTRACT.format(bias=0), encoding="utf-8")
    assert _run_gitlab(folder, str(folder / "keys" / "signing.key.pem")) == 0
    (verify,) = (step["run"] for step in _github() if step.get("name") == "Verify the run")
    assert _bash(verify, folder).returncode == 0
    robust("keys", "generate", "-o", "others", cwd=folder)
    (folder / "signing.pub.pem").write_bytes((folder / "others" / "signing.pub.pem").read_bytes())
    assert _bash(verify, folder).returncode == 3
    (folder / "robust-run" / "attestation.dsse.json").unlink()
    report = folder / "robust-run" / "report.json"
    report.write_bytes(report.read_bytes().replace(b'"seed":0', b'"seed":1'))
    assert _bash(verify, folder).returncode == 3


def test_both_files_install_publish_and_keep_the_same() -> None:
    """JUnit, SARIF, Markdown and the run, whatever the verdict."""
    steps = {step.get("name", step.get("uses")): step for step in _github()}
    assert steps["Install"]["run"] == "python -m pip install robust-records"
    kept = set(steps["Keep the run and its reports"]["with"]["path"].split())
    assert kept == {"robust-run", *WRITTEN}
    assert steps["Upload SARIF"]["with"]["sarif_file"] == "robust.sarif"
    assert steps["Publish JUnit"]["with"]["files"] == "robust-junit.xml"
    for name in list(steps)[list(steps).index("Run the contract") + 1 :]:
        assert "!cancelled()" in steps[name]["if"], name
    job = _load("gitlab-job.yml")["robust"]
    assert job["before_script"] == ["python -m pip install robust-records"]
    assert {path.rstrip("/") for path in job["artifacts"]["paths"]} == kept
    assert job["artifacts"]["reports"] == {"junit": "robust-junit.xml"}
    assert job["artifacts"]["when"] == "always"


def test_what_the_readme_names_is_there(folder: Path) -> None:
    """Its files, its secrets, and its commands, which are run as they are installed."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)#]+)\)", page):
        assert (FOLDER / link).exists(), link
    sources = "".join((FOLDER / name).read_text(encoding="utf-8") for name in ("github-workflow.yml", "gitlab-job.yml"))
    for name in re.findall(r"`(ROBUST_\w+)`", page):
        assert name in sources or name == "ROBUST_KEY_PASSPHRASE"
    (block,) = re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    (folder / "fresh").mkdir()
    script = "\n".join(line.removeprefix("$ ") for line in block.splitlines())
    path = os.pathsep.join((str(COMMAND.parent), os.environ["PATH"]))
    done = _bash(script, folder / "fresh", PATH=path, ROBUST_KEY_PASSPHRASE=PASSPHRASE)
    assert done.returncode == 0, done.stderr
    assert (folder / "fresh" / "signing.pub.pem").is_file()
    assert (folder / "fresh" / ".gitignore").read_text(encoding="utf-8") == "keys/\n"
