"""Short ways to contracts, manifests, models and the installed command, for tests about runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from robust import (
    CallableBackend,
    Case,
    DecisionRequest,
    Manifest,
    OracleVerdict,
    Origin,
    Run,
    Validation,
    run_contract,
    validate_variant,
)
from robust.canon import JsonObject
from robust.run.answers import Answer
from robust.run.dialogue import Dialogue
from robust.run.execute import Engine, run_coroutine
from tests.command_server import CommandServer

T = TypeVar("T")
COMMAND = Path(sys.executable).with_name("robust")
LIMIT = 1000
SERVER = CommandServer()
_AT_START = ("PYTHON", "LC_", "LANG", "LD_", "COVERAGE")


def robust(
    *arguments: str | os.PathLike[str],
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 60,
) -> subprocess.CompletedProcess[str]:
    """Run the installed command in a process of its own; UTF-8 text, whatever this process speaks.

    What an interpreter only looks at when it starts needs a fresh one.
    """
    changed = {**os.environ, **(env or {})}
    if hasattr(os, "fork") and not any(name.startswith(_AT_START) for name in env or ()):
        done = SERVER.run([os.fspath(argument) for argument in arguments], cwd, changed, timeout)
        output, messages = (text.decode("utf-8", "surrogateescape") for text in (done.stdout, done.stderr))
        return subprocess.CompletedProcess(done.args, done.returncode, output, messages)
    return subprocess.run(  # noqa: PLW1510 - the exit code is what is tested
        [COMMAND, *arguments],
        cwd=cwd,
        env=changed,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=timeout,
    )


def right_answer(text: object) -> str:
    """Whether the number in a text is over the limit: the truth in these tests."""
    return "yes" if int("".join(re.findall(r"[0-9]", str(text)))) > LIMIT else "no"


def over_limit(base: Case, candidate: Case) -> OracleVerdict:
    """An oracle that reads the numbers; never a label."""
    answers = right_answer(base.input), right_answer(candidate.input)
    return OracleVerdict(True, "the numbers were read", *answers, {"limit": LIMIT})


def variant(base: Case, text: str, relation: Any, case_id: str, oracle: Any = over_limit) -> Validation:
    """The validation of one variant of a base."""
    origin = Origin(parent_id=base.case_id, parent_content=base.content_digest, transform="by hand", relation=relation)
    candidate = Case(text, case_id=case_id, source_id=base.source_id, origin=origin)
    return validate_variant(base, candidate, relation=relation, contract="over-limit/v1", validator=oracle)


def manifest_of(
    variants: Mapping[str, Iterable[tuple[str, str]]], *, splits: Any = None, oracle: Any = over_limit
) -> Manifest:
    """A manifest of bases and their variants: ``{base text: [(variant text, relation), ...]}``; ids b1, b1-v1, ..."""
    cases, validations = [], []
    for number, (text, edits) in enumerate(variants.items(), start=1):
        base = Case(text, right_answer(text), case_id=f"b{number}", source_id=f"s{number}")
        cases.append(base)
        for index, (edited, relation) in enumerate(edits, start=1):
            validations.append(variant(base, edited, relation, f"b{number}-v{index}", oracle))
    return Manifest.build("numbers over the limit", cases=cases, validations=validations, splits=splits)


def numbers(*texts: str, labelled: bool = True) -> list[Case]:
    """Cases n1, n2, ..., each a source of its own, labelled by the truth."""
    return [
        Case(text, right_answer(text) if labelled else None, case_id=f"n{number}", source_id=f"n{number}")
        for number, text in enumerate(texts, start=1)
    ]


def contract_of(**sections: Any) -> JsonObject:
    """A contract about the limit whose model comes from Python, as plain data."""
    return {
        "schema_version": "1",
        "decision": {"name": "over_limit", "type": "noul"},
        "backend": {"provider": "callable"},
        **sections,
    }


def sure(label: str, confidence: float = 0.9) -> dict[str, float]:
    """A distribution that prefers one of the two labels."""
    other = {"yes": "no", "no": "yes"}[label]
    return {label: confidence, other: 1 - confidence}


def right_model(request: DecisionRequest) -> dict[str, float]:
    """A model that is always right."""
    return sure(right_answer(request.input))


def told(answers: Mapping[str, Any], otherwise: Callable[[DecisionRequest], Any] = right_model) -> CallableBackend:
    """A model that answers listed inputs as told: with a label, a distribution, or by raising an exception."""

    def model(request: DecisionRequest) -> Any:
        answer = answers.get(str(request.input))
        if answer is None:
            return otherwise(request)
        if isinstance(answer, BaseException):
            raise answer
        return sure(answer) if isinstance(answer, str) and answer in ("yes", "no") else answer

    return CallableBackend(model, model="told")


def run(folder: Path, backend: Any = None, *, name: str = "run", **options: Any) -> Run:
    """Run a contract about the limit, by default on a model that is always right, into ``folder / name``."""
    contract = options.pop("contract", None)
    if contract is None:
        sections = {
            key: options.pop(key) for key in ("requirements", "warnings", "evaluation", "properties") if key in options
        }
        contract = contract_of(**(sections or {"requirements": {"min_accuracy": 0}}))
    model = CallableBackend(right_model) if backend is None else backend
    return run_contract(contract, backend=model, output=folder / name, **options)


def logical(record: JsonObject) -> JsonObject:
    """A record, or a report, without what varies from run to run."""
    return {key: value for key, value in record.items() if key != "observed"}


def logical_records(finished: Run) -> list[JsonObject]:
    """The records of a run without what varies from run to run."""
    return [logical(record) for record in finished.records()]


def checks_of(finished: Run) -> dict[str, str]:
    """The status of every check by name."""
    return {check["check"]: check["status"] for check in finished.report["checks"]}


def answers(engine: Engine, items: Iterable[T], request_of: Callable[[T], DecisionRequest]) -> list[tuple[T, Answer]]:
    """Ask an engine one question about each item, and let go of it; the items with their answers, in order."""

    def dialogue(item: T) -> Dialogue[Answer]:
        answer: Answer = yield request_of(item)
        return answer

    async def each() -> AsyncIterator[T]:
        for item in items:
            yield item

    async def collect() -> list[tuple[T, Answer]]:
        try:
            return [pair async for pair in engine.in_order(each(), dialogue)]
        finally:
            await engine.close()

    return run_coroutine(collect())
