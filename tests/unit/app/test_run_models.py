"""The seam to a model: what it gets, what it may say about itself, and what it cannot do to the evidence."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pytest

from robust import BackendAnswer, BackendError, BackendFailure, CallableBackend, Case, DecisionRequest, Media
from robust.records.request import BackendIdentity
from tests.run_fixtures import logical_records, manifest_of, numbers, over_limit, right_model, run, sure


def test_a_model_gets_one_frozen_record(tmp_path: Path) -> None:
    """Case id, decision with labels in order, input, files, and the trial; nothing of the right answer."""
    asked: list[DecisionRequest] = []

    def model(request: DecisionRequest) -> dict[str, float]:
        asked.append(request)
        return sure("no")

    media = (Media(path="a.png", media_type="image/png", bytes=3, sha256="0" * 64),)
    case = Case({"text": "number 5"}, "no", case_id="c", source_id="s", metadata={"secret": "answer"}, media=media)
    finished = run(tmp_path, CallableBackend(model), dataset=[case])
    request = asked[0]
    assert (request.case_id, request.input, request.media, request.trial) == ("c", {"text": "number 5"}, media, 0)
    assert (request.decision.name, request.decision.type, request.decision.labels) == (
        "over_limit",
        "noul",
        ("yes", "no"),
    )
    with pytest.raises(FrozenInstanceError):
        request.case_id = "d"  # type: ignore[misc]
    assert next(finished.records())["media"] == [media[0].to_json()]


def test_what_a_model_does_to_its_input_reaches_nobody(tmp_path: Path) -> None:
    """The record holds the case as it was, and so does the caller's own."""

    def model(request: DecisionRequest) -> dict[str, float]:
        shown: Any = request.input
        shown["deep"][0]["text"] = "number 5000"
        shown.clear()
        return sure("no")

    case = Case({"deep": [{"text": "number 5"}]}, "no", case_id="c", source_id="s")
    finished = run(tmp_path, CallableBackend(model), dataset=[case])
    assert next(finished.records())["input"] == case.input == {"deep": [{"text": "number 5"}]}


def test_the_model_that_answered_is_in_the_record(tmp_path: Path) -> None:
    """B1: its own word where it gives one, else the declared identity; what varies is an observation."""

    def model(request: DecisionRequest) -> Any:
        if request.case_id == "n1":
            return sure("no")
        return BackendAnswer(probabilities=sure("no"), model="m-2", model_version="9", metadata={"request_id": "r"})

    finished = run(tmp_path, CallableBackend(model, model="m-1", version="8"), dataset=numbers("number 5", "number 6"))
    first, second = finished.records()
    assert [(record["result"]["model"], record["result"]["model_version"]) for record in (first, second)] == [
        ("m-1", "8"),
        ("m-2", "9"),
    ]
    assert second["observed"]["metadata"] == {"request_id": "r"}
    assert "metadata" not in second["result"]


@pytest.mark.parametrize(
    "error",
    [
        BackendFailure("bored", "no such kind"),  # type: ignore[arg-type]
        StopIteration("a future cannot carry this one"),
        GeneratorExit(),
        RecursionError("deep"),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad byte"),
    ],
)
@pytest.mark.parametrize("asynchronous", [False, True])
def test_any_exception_of_a_model_is_evidence(tmp_path: Path, error: BaseException, asynchronous: bool) -> None:
    """Its case is an exception, and the other case is decided."""

    def model(request: DecisionRequest) -> dict[str, float]:
        if request.case_id == "n1":
            raise error
        return sure("no")

    async def async_model(request: DecisionRequest) -> dict[str, float]:
        return model(request)

    backend = CallableBackend(async_model if asynchronous else model)
    finished = run(tmp_path, backend, dataset=numbers("number 5", "number 6"))
    assert [record.get("error") for record in logical_records(finished)] == [{"kind": "exception"}, None]


def test_metadata_beyond_its_limit_is_an_invalid_response(tmp_path: Path) -> None:
    """A model cannot fill the disk through a side door."""

    def model(request: DecisionRequest) -> Any:
        return BackendAnswer(probabilities=sure("no"), metadata={"log": "x" * 70_000})

    finished = run(tmp_path, CallableBackend(model), dataset=numbers("number 5"))
    assert finished.report["errors_by_kind"] == {"invalid_response": 1}
    assert (finished.path / "records.jsonl").stat().st_size < 5_000


class _Model:
    """A backend of somebody's own."""

    def __init__(self, **fields: Any) -> None:
        self.identity: Any = BackendIdentity(**{"name": "mine", "provider": "own", **fields})

    def decide(self, request: DecisionRequest) -> Any:
        """Answer."""
        return right_model(request)


def test_any_object_with_the_two_members_is_a_backend(tmp_path: Path) -> None:
    """No base class; secrets in its details are redacted."""
    finished = run(tmp_path, _Model(details={"api_key": "sk-12345", "temperature": 0}), dataset=numbers("number 5"))
    assert finished.report["backend"]["provider"] == "own"
    assert finished.report["backend"]["details"]["temperature"] == 0
    assert b"sk-12345" not in b"".join(path.read_bytes() for path in finished.path.iterdir())


@pytest.mark.parametrize(
    "fields",
    [
        {"name": ""},
        {"name": 5},
        {"provider": None},
        {"model": 5},
        {"model": "\ud800"},
        {"details": [1]},
        {"details": {"x": object()}},
    ],
)
def test_an_identity_that_cannot_be_evidence_is_refused(tmp_path: Path, fields: dict[str, Any]) -> None:
    """Before anything is asked, with the path of the part."""
    with pytest.raises(BackendError) as caught:
        run(tmp_path, _Model(**fields), dataset=numbers("number 5"))
    assert caught.value.problems[0].path == f"backend.identity.{next(iter(fields))}"
    assert not (tmp_path / "run").exists()


def test_a_function_is_told_to_be_wrapped(tmp_path: Path) -> None:
    """A bare function is the likeliest slip."""
    with pytest.raises(BackendError) as caught:
        run(tmp_path, right_model, dataset=numbers("number 5"))
    assert caught.value.problems[0].hint == "wrap a function: CallableBackend(function)"


def test_a_function_cannot_be_model_and_oracle_under_two_names(tmp_path: Path) -> None:
    """Told by its source, where its declared name hides it."""
    frozen = manifest_of({"total 2000": [("total  2000", "invariant")]})
    oracle: Any = over_limit
    with pytest.raises(BackendError) as caught:
        run(tmp_path, CallableBackend(oracle, name="innocent", model="innocent"), manifest=frozen)
    assert caught.value.code == "own_oracle"
