"""Exported samples are loaded by Inspect's own reader and run by Inspect with its mock model, offline."""

from __future__ import annotations

import base64
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from robust import Case, Manifest, describe_media
from tests.builders import valid_variant
from tests.run_fixtures import robust
from tests.tool_environments import tool_python

# What a user of Inspect writes. Each output states its usage, since otherwise the mock model wants to count tokens with
# files that it would download.
PROGRAM = """
import json, sys

from inspect_ai import Task, eval
from inspect_ai.dataset import json_dataset
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import choice, match
from inspect_ai.solver import generate, multiple_choice

path, kind, answers = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
dataset = json_dataset(path)
outputs = []
for sample in dataset:
    output = ModelOutput.from_content("mockllm/model", answers[sample.id])
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    outputs.append(output)
solver, scorer = (multiple_choice(), choice()) if kind == "choice" else (generate(), match(location="exact"))
task = Task(dataset=dataset, solver=solver, scorer=scorer)
model = get_model("mockllm/model", custom_outputs=outputs)
(log,) = eval(task, model=model, display="none", max_samples=1, log_dir="logs")
done = {
    sample.id: {
        "score": next(iter(sample.scores.values())).value,
        "target": sample.target,
        "choices": sample.choices,
        "metadata": sample.metadata,
        "input": sample.input if isinstance(sample.input, str) else sample.input[0].model_dump()["content"],
    }
    for sample in log.samples or ()
}
print(json.dumps({"status": log.status, "error": str(log.error), "samples": done}))
"""
# One pixel.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


def inspected(folder: Path, kind: str, answers: dict[str, str]) -> dict[str, Any]:
    """What Inspect made of ``samples.jsonl`` when its model gave these answers."""
    program = tool_python("inspect", "inspect_ai==0.3.285")
    (folder / "evaluate.py").write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run(
        [program, "evaluate.py", "samples.jsonl", kind, json.dumps(answers)],
        cwd=folder, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    log = json.loads(done.stdout)
    assert (log["status"], log["error"]) == ("success", "None")
    samples: dict[str, Any] = log["samples"]
    return samples


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pixel.png").write_bytes(PNG)
    image = describe_media(tmp_path, "pixel.png")
    cases = [
        Case("What is =1+1?\n", "two", case_id="t/1", source_id="t 1", metadata={"channel": "mail"}),
        Case({"question": "ok?", "n": 1}, {"b": [1, None]}, case_id="object", source_id="object"),
        Case("Which colour?", "red", case_id="picture", source_id="picture", media=(image,)),
    ]
    manifest = Manifest.build("m", cases=cases, validations=[valid_variant()], splits={"all": 1.0})
    manifest.save(tmp_path / "m.jsonl")
    return tmp_path


def test_inspect_runs_the_samples_of_a_manifest(folder: Path) -> None:
    """Ids, inputs, targets and what ties a variant to its base arrive; right answers score, wrong ones do not."""
    done = robust("manifest", "export", "m.jsonl", "--as", "inspect", "-o", "samples.jsonl", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    answers = {"t/1": "two", "object": '{"b":[1,null]}', "picture": "blue", "base": "6", "variant-5": "8"}
    samples = inspected(folder, "text", answers)
    assert {name: sample["score"] for name, sample in samples.items()} == {
        "t/1": "C", "object": "C", "picture": "I", "base": "C", "variant-5": "I",
    }  # fmt: skip
    manifest = Manifest.load(folder / "m.jsonl")
    assert set(samples) == {case.case_id for case in manifest.cases}
    assert samples["t/1"]["input"] == "What is =1+1?\n"
    assert samples["t/1"]["metadata"]["metadata"] == {"channel": "mail"}
    assert samples["object"]["input"] == '{"n":1,"question":"ok?"}'
    assert [part["type"] for part in samples["picture"]["input"]] == ["text", "image"]
    variant = samples["variant-5"]["metadata"]
    assert (variant["base_id"], variant["relation"]) == ("base", "counterfactual")
    assert variant["validation"] == valid_variant().digest
    assert {sample["metadata"]["manifest"] for sample in samples.values()} == {manifest.digest}


def test_inspect_runs_multiple_choice_on_them(tmp_path: Path) -> None:
    """The target is the letter of the answer."""
    cases = [Case(f"Is {name} right?", name, case_id=name, source_id=name) for name in ("yes", "no")]
    Manifest.build("m", cases=cases).save(tmp_path / "m.jsonl")
    done = robust(
        "manifest", "export", "m.jsonl", "--as", "inspect", "--choice", "yes", "--choice", "no", "-o", "samples.jsonl",
        cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0
    samples = inspected(tmp_path, "choice", {"yes": "ANSWER: A", "no": "ANSWER: A"})
    assert {name: sample["score"] for name, sample in samples.items()} == {"yes": "C", "no": "I"}
    assert samples["no"]["choices"] == ["yes", "no"]
