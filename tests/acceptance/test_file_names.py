"""E6: files that are named after decisions and ids have names that every platform takes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.run_fixtures import robust

CONTRACT = """
schema_version: "0.1"
decision: {{name: "{name}", type: choice, options: [first, second]}}
backend: {{provider: mock, seed: 3, position_bias: 0.4}}
dataset: c.jsonl
properties:
  option_order: {{max_tv_distance: 0.1}}
"""
IDS = ["con", "a:b", "nul.txt", "trailing.", 'q"|?*<>', "x" * 200, "../up"]


@pytest.mark.parametrize("name", ["plain", "con.v2", "NUL.1", "end.", "n" * 300])
def test_e6_a_run_without_a_folder_gets_one_that_windows_takes(tmp_path: Path, name: str) -> None:
    """Whatever the decision is called and its cases are: no device, nothing at the end, no more than fits."""
    (tmp_path / "c.yaml").write_text(CONTRACT.format(name=name), encoding="utf-8")
    rows = [json.dumps({"id": each, "input": f"one two {each}"}) + "\n" for each in IDS]
    (tmp_path / "c.jsonl").write_text("".join(rows), encoding="utf-8")
    done = robust("run", "c.yaml", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    (folder,) = (tmp_path / "runs").iterdir()
    assert done.stdout.splitlines()[-1] == f"run       {Path('runs') / folder.name}"
    for path in (folder, *folder.iterdir()):
        assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,149}", path.name)
        assert not re.match(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", path.name, re.IGNORECASE)
        assert not path.name.endswith(".")
    assert sorted(path.name for path in folder.iterdir()) == ["contract.json", "records.jsonl", "report.json"]
    assert folder.name.startswith(name + "-") == (name == "plain")


@pytest.mark.parametrize("name", ["plain", "con.v2", "end."])
def test_e6_its_report_names_it_in_addresses_and_commands(tmp_path: Path, name: str) -> None:
    """So that what the formats say is where the files are."""
    (tmp_path / "c.yaml").write_text(CONTRACT.format(name=name), encoding="utf-8")
    (tmp_path / "c.jsonl").write_text('{"id": "a:b", "input": "one two"}\n', encoding="utf-8")
    done = robust("run", "c.yaml", "-f", "sarif", cwd=tmp_path)
    assert done.returncode == 1
    (folder,) = (tmp_path / "runs").iterdir()
    (run,) = json.loads(done.stdout)["runs"]
    places = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]}
    assert places == {f"runs/{folder.name}/{file}" for file in ("contract.json", "records.jsonl")}
