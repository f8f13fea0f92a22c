"""Evidence to tamper with, all of it made by the command: a manifest, signed runs of it, a claim, and proofs.

One more signed run is of a data set and of decisions alone, whose records are read by their layout.

The system under test is a real service behind a socket. It falls for tabs and gives no distribution for some inputs, so
that the run has failures, errors and skips; the manifest's variants were judged by a program.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from robust import Case, describe_media
from tests.run_fixtures import LIMIT, right_answer, robust
from tests.servers import decision_server

MANIFEST: Final = "limits.manifest.jsonl"
# The same cases, in one split.
OTHER_MANIFEST: Final = "all.manifest.jsonl"
CASE_PROOF: Final = "case.proof.json"
RECORD_PROOF: Final = "record.proof.json"
SIGNERS: Final = ("ann", "bob")
STRANGER: Final = "eve"
CLAIM: Final = "Fit for the pilot in March."
# Runs of one contract, with the exit code and what is other about them.
RUNS: Final[dict[str, tuple[int, *tuple[str, ...]]]] = {
    "run": (1, "--split", "test"),
    "seed": (1, "--split", "test", "--seed", "5"),
    "split": (1, "--split", "dev"),
    "model": (1, "--split", "test", "-b", "next"),
}
# The run of decisions alone.
DECISIONS: Final = "decisions"
# Of which the white space becomes one that the system falls for.
SEED: Final = 4
PROVEN_CASE: Final = "due"
PROVEN_RECORD: Final = "whitespace/due/0"
# An oracle program: it reads the amounts of both texts and knows the limit, and nothing of the system under test.
ORACLE: Final = f"""
import json, re, sys

def answer(case):
    return "yes" if int("".join(re.findall("[0-9]", case["input"]))) > {LIMIT} else "no"

for line in sys.stdin:
    asked = json.loads(line)
    answers = answer(asked["base"]), answer(asked["candidate"])
    print(json.dumps({{"id": asked["id"], "valid": True, "reason": "the amounts were read", "base_expected": answers[0],
                       "variant_expected": answers[1], "evidence": {{"limit": {LIMIT}}}}}), flush=True)
"""
TEXTS: Final = {
    "due": "Please check. The amount 5000 is due.",
    "late": "number 13 is late.",
    "one": "700",
    "scan": "See the scan of 2000.",
    "dev-1": "The amount 800 is due.",
    "dev-2": "The amount 8000 is due.",
}
VARIANTS: Final = (
    ("due", "invariant", "Please check. The amount 5 000 is due."),
    ("due", "counterfactual", "Please check. The amount 500 is due."),
    ("dev-1", "invariant", "The amount of 800 is due."),
)
# All of these are decided; of the last nobody knows the right answer.
DECIDED: Final = (
    {"id": "a-1", "input": "The amount 5000 is due.", "expected": "yes", "metadata": {"team": "é", "sizes": [1, 0.5]}},
    {"id": "a-2", "input": 'Said: "700 \\ ", the\nrest later. ✓', "expected": "no", "source_id": "Mail  A"},
    {"id": "ä 3", "input": "A bill of 90.", "expected": "yes", "source_id": "mail a"},
    {"id": "b-1", "input": "8000"},
)
WORDINGS: Final = (
    ("due", ("Please check: 5000 is due.", "Please check. The amount 5001 is due.")),
    ("dev-2", ("8000 is due.",)),
)


class Workshop(NamedTuple):
    """What was made.

    Attributes:
        root: the folder that it was made in, with the keys.
        made: the content of every file below it, by its path.
    """

    root: Path
    made: dict[str, bytes]

    def key(self, name: str) -> Path:
        """The file of a public key."""
        return self.root / "keys" / f"{name}.pub.pem"


def _model(asked: Any, labels: Any) -> list[float]:
    if "13" in asked:
        return [0.1] * len(labels)
    right = right_answer(asked)
    share = 0.3 if "\t" in asked else 0.9
    return [share if label.lower() == right else (1 - share) / (len(labels) - 1) for label in labels]


def _command(folder: Path, *arguments: str | Path, code: int = 0) -> None:
    done = robust(*arguments, cwd=folder)
    assert done.returncode == code, done.stderr


def _write_lines(path: Path, rows: list[Any]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_manifest(folder: Path) -> None:
    """Freeze cases, one with a file, and variants that a program judged."""
    (folder / "scans").mkdir()
    (folder / "scans" / "two.txt").write_bytes(b"2000, due in May\n")
    media = {"scan": (describe_media(folder, "scans/two.txt"),)}
    cases = [
        Case(
            text,
            right_answer(text),
            case_id=name,
            source_id=f"mail-{name}",
            metadata={"team": "é", "sizes": [1, 0.5]},
            media=media.get(name, ()),
        )
        for name, text in TEXTS.items()
    ]
    _write_lines(folder / "cases.jsonl", [case.to_json() for case in cases])
    made = [
        {"id": f"{parent}~{index}", "input": text, "origin": {"parent_id": parent, "relation": relation}}
        for index, (parent, relation, text) in enumerate(VARIANTS)
    ]
    _write_lines(folder / "candidates.jsonl", made)
    (folder / "oracle.py").write_text(ORACLE, encoding="utf-8")
    judged = ("--contract", "over-limit/v1", "--oracle-command", f"{sys.executable} oracle.py")
    _command(folder, "variants", "validate", "cases.jsonl", "candidates.jsonl", *judged, "-o", "validations.jsonl")
    build = ("manifest", "build", "cases.jsonl", "--name", "limits", "--validations", "validations.jsonl")
    _command(folder, *build, "-o", OTHER_MANIFEST)
    (folder / "dev.txt").write_text("dev-1\ndev-2\n", encoding="utf-8")
    _command(folder, "manifest", "split", OTHER_MANIFEST, "--list", "dev=dev.txt", "--rest", "test", "-o", MANIFEST)


def write_contract(folder: Path, url: str) -> None:
    """A contract with golden gates, properties of each kind of oracle's answer, and the manifest's variants."""
    _write_lines(folder / "words.jsonl", [{"id": name, "paraphrases": texts} for name, texts in WORDINGS])
    service = {"provider": "http", "url": url, "max_retries": 0}
    contract = {
        "schema_version": "1",
        "decision": {"name": "over_limit", "type": "noul", "description": "Is the amount over the limit?"},
        "backend": {**service, "model": "limits"},
        "backends": {"next": {**service, "model": "limits-next"}},
        "manifest": MANIFEST,
        "requirements": {"min_accuracy": 0.5, "max_error_rate": 0.75},
        "warnings": {"max_ece": 0.01},
        "fuzz": {"seed": SEED},
        "oracles": {"default": {"provider": "builtin"}},
        "properties": {
            "option_order": {"max_flip_rate": 0, "max_tv_distance": 0.1},
            "whitespace": {"max_flip_rate": 0, "samples": 1, "edits": 2, "level": "warning"},
            "paraphrase": {"max_flip_rate": 0, "samples": 2, "source": {"provider": "file", "path": "words.jsonl"}},
            "variants": {"max_flip_rate": 0.5},
        },
    }
    (folder / "contract.json").write_text(json.dumps(contract), encoding="utf-8")


def write_decisions(folder: Path, url: str) -> None:
    """A contract with golden gates alone, and its data set."""
    _write_lines(folder / "decided.jsonl", list(DECIDED))
    contract = {
        "schema_version": "1",
        "decision": {"name": "above", "type": "choice", "options": ["yes", "no", "unsure"]},
        "backend": {"provider": "http", "url": url, "max_retries": 0, "model": "limits"},
        "dataset": "decided.jsonl",
        "requirements": {"min_accuracy": 0.5, "max_ece": 0.5},
        "warnings": {"max_ece": 0.01, "max_latency_p95_ms": 60_000},
    }
    (folder / "decisions.json").write_text(json.dumps(contract), encoding="utf-8")


def make_workshop(root: Path) -> None:
    """Make all of it below an empty folder, which takes several seconds."""
    write_manifest(root)
    for name in (*SIGNERS, STRANGER):
        _command(root, "keys", "generate", "-o", "keys", "--name", name)
    with decision_server(_model) as server:
        write_contract(root, server.url)
        for run, (code, *options) in RUNS.items():
            _command(root, "run", "contract.json", *options, "-o", run, code=code)
        write_decisions(root, server.url)
        _command(root, "run", "decisions.json", "-o", DECISIONS)
    evidence = (*RUNS, MANIFEST, OTHER_MANIFEST)
    for name in SIGNERS:
        _command(root, "sign", *evidence, DECISIONS, "--key", f"keys/{name}.key.pem")
    said = ("--claim", CLAIM, "--name", "Ida Example")
    _command(root, "sign", *evidence, "--key", f"keys/{SIGNERS[0]}.key.pem", *said)
    for manifest, proof in ((MANIFEST, CASE_PROOF), (OTHER_MANIFEST, f"other.{CASE_PROOF}")):
        _command(root, "manifest", "prove", manifest, PROVEN_CASE, "-o", proof)
    for run, proof in (("run", RECORD_PROOF), ("seed", f"other.{RECORD_PROOF}")):
        _command(root, "report", run, "--prove", PROVEN_RECORD, "-o", proof)


def read_workshop(root: Path) -> Workshop:
    """What was made below a folder."""
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    return Workshop(root, {path.relative_to(root).as_posix(): path.read_bytes() for path in files})


def case_files(made: Mapping[str, bytes]) -> dict[str, bytes]:
    """What an auditor is handed, and what is edited: a manifest with its scan, two runs, two proofs, all signatures."""
    names = (MANIFEST, CASE_PROOF, RECORD_PROOF, f"{MANIFEST}.", "run/", f"{DECISIONS}/", "scans/")
    return {name: data for name, data in made.items() if name.startswith(names)}
