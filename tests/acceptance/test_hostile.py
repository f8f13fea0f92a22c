"""What hostile input broke once: each of these was accepted, hung, or ended the whole run."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from robust import CallableBackend, CommandOracle, IntegrityError, Verification, validate_variant, verify
from robust.app.verifying import verify_all
from robust.records.redaction import redact_text
from robust.store.validations import FileJournal
from tests.builders import pair
from tests.run_fixtures import manifest_of, numbers, run

VARIANTS = {"total 2000": [("total  2000", "invariant")], "total 30": []}


def test_a_run_is_not_taken_for_that_of_another_manifest(tmp_path: Path) -> None:
    """Given a manifest that the run does not name, verifying fails instead of skipping the comparison."""
    finished = run(tmp_path, manifest=manifest_of(VARIANTS), properties={"variants": {}})
    manifest_of({"total 7000": [("total  7000", "invariant")]}).save(tmp_path / "other.jsonl")
    results = [item for item in verify_all([finished.path, tmp_path / "other.jsonl"]) if isinstance(item, Verification)]
    assert [(item.kind, item.holds) for item in results] == [("run", False), ("manifest", True)]
    assert {problem.path for check in results[0].checks for problem in check.problems} == {"$.manifest.digest"}


def test_a_run_given_with_its_manifest_is_compared_with_it(tmp_path: Path) -> None:
    """With the manifest beside it, nothing of the run is left unchecked but what nobody signed, and when it was."""
    finished = run(tmp_path, manifest=manifest_of(VARIANTS), properties={"variants": {}})
    manifest_of(VARIANTS).save(tmp_path / "its.jsonl")
    alone, together = verify(finished.path), verify(finished.path, manifest=tmp_path / "its.jsonl")
    assert (alone.holds, all(check.done for check in alone.checks)) == (True, False)
    left = [check.name for check in together.checks if not check.done]
    assert (together.holds, left) == (True, ["time", "signature"])


class _Raising(Mapping[str, float]):
    """A mapping whose iteration raises."""

    def __getitem__(self, key: str) -> float:
        return 0.5

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("not today")

    def __len__(self) -> int:
        return 2


class _Changing(Mapping[str, float]):
    """A mapping that answers well once for each label, and with NaN from then on."""

    def __init__(self) -> None:
        self.reads = 0

    def __getitem__(self, key: str) -> float:
        self.reads += 1
        return 0.5 if self.reads <= 2 else float("nan")

    def __iter__(self) -> Iterator[str]:
        return iter(("yes", "no"))

    def __len__(self) -> int:
        return 2


def _asked_once(tmp_path: Path, answer: Any) -> dict[str, Any]:
    finished = run(tmp_path, CallableBackend(lambda _: answer), dataset=numbers("total 30"))
    assert verify(finished.path).holds
    return next(iter(finished.records()))


def test_a_mapping_that_raises_is_an_invalid_response(tmp_path: Path) -> None:
    """The case ends in a typed error, and the run goes on."""
    record = _asked_once(tmp_path, _Raising())
    assert record["error"] == {"kind": "invalid_response"}
    assert "not today" in record["observed"]["message"]


def test_what_was_checked_of_an_answer_is_what_is_kept(tmp_path: Path) -> None:
    """A mapping is read once, so that its next answer cannot reach the record."""
    assert _asked_once(tmp_path, _Changing())["result"]["probabilities"] == {"no": 0.5, "yes": 0.5}


def test_a_file_that_is_no_journal_is_left_as_it_is(tmp_path: Path) -> None:
    """Text without a line feed is not taken for the trace of a kill."""
    notes = tmp_path / "notes.txt"
    notes.write_text('{"id":"q","input":"x"}', encoding="utf-8")
    with pytest.raises(IntegrityError, match="does not look like a journal"):
        FileJournal(notes)
    assert notes.read_text(encoding="utf-8") == '{"id":"q","input":"x"}'


@pytest.mark.skipif(os.name != "posix", reason="sessions are of POSIX")
def test_a_child_that_escapes_into_its_own_session_holds_nobody_up(tmp_path: Path) -> None:
    """The time limit holds even when something out of reach keeps the pipe open."""
    program = tmp_path / "oracle.py"
    program.write_text(
        "import os, sys, time\nsys.stdin.readline()\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(15)\n"
        "    os._exit(0)\ntime.sleep(15)\n",
        encoding="utf-8",
    )
    base, candidate = pair()
    with CommandOracle([sys.executable, str(program)]) as oracle:
        record = validate_variant(
            base, candidate, relation="counterfactual", contract="sums/v1", validator=oracle, timeout_s=1
        )
    assert record.issues == ("validator_timeout",)


def test_redaction_of_long_dashed_text_ends() -> None:
    """Text that almost names a secret at every dash is only text."""
    text = "a-" * 200_000
    assert redact_text(text) == text
