"""Replaying stored failures: what is sent, whom it is asked, and what is said of the answers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from robust import (
    BackendError,
    BackendFailure,
    CallableBackend,
    Case,
    ContractError,
    DecisionRequest,
    Health,
    IntegrityError,
    Media,
    OracleVerdict,
    ProgressState,
    Replay,
    RunInterrupted,
    UsageError,
    replay_run,
)
from robust.canon import JsonObject
from tests.run_fixtures import manifest_of, sure
from tests.run_fixtures import run as run_numbers
from tests.unit.app.forging import StoredRun
from tests.unit.app.fragile import LABELS, PROPERTIES, ROWS, Recording, contract_of, failed_ids, fragile, run, steady


def again(folder: Path, model: Any = fragile, **options: Any) -> Replay:
    """Replay ``folder / run`` on a model of this process."""
    backend = CallableBackend(model, inline=True, version="1") if callable(model) else model
    return replay_run(folder / "run", backend=backend, **options)


def statuses(replay: Replay) -> dict[str, str]:
    """The status of each result by id."""
    return {result["id"]: result["status"] for result in replay.results()}


def test_every_failure_is_asked_again_and_found_again(tmp_path: Path) -> None:
    """By the same model: each is reproduced by the same answers, and its candidate is made again from the seed."""
    finished = run(tmp_path)
    replay = again(tmp_path)
    assert (replay.status, replay.exit_code, replay.path) == ("fail", 1, tmp_path / "run")
    results = list(replay.results())
    assert [result["id"] for result in results] == failed_ids(finished)
    assert {(each["status"], each["same_answers"], each["regenerated"]) for each in results} == {
        ("reproduced", True, True)
    }
    assert {each["property"] for each in results} == {"option_order", "irrelevant_context"}
    counts = replay.report["counts"]
    assert (counts["replayed"], counts["reproduced"], counts["not_replayable"]) == (len(results), len(results), {})
    assert replay.report["same_backend"] is True


def test_what_is_sent_is_what_was_sent(tmp_path: Path) -> None:
    """The original, the transformed and the reduced form: ids, labels as shown, inputs and trials of the run, once."""
    first, second = Recording(fragile), Recording(fragile)
    finished = run(tmp_path, first)
    again(tmp_path, second)
    records = {record["id"]: record for record in finished.records()}
    failed = [records[name] for name in failed_ids(finished)]
    reduced = [record for record in failed if record["reduced"] is not None]
    assert len(reduced) > 2
    assert second.said() <= first.said()
    bases = {record["case_id"] for record in failed}
    assert bases == {"a", "b"}
    assert len(second.asked) == len(bases) + len(failed) + len(reduced)


def test_a_model_that_was_mended_reproduces_nothing(tmp_path: Path) -> None:
    """Exit code 0, and the answers are said to be others."""
    run(tmp_path)
    replay = again(tmp_path, steady)
    assert (replay.status, replay.exit_code) == ("pass", 0)
    assert {(each["status"], each["same_answers"]) for each in replay.results()} == {("not_reproduced", False)}
    assert replay.report["same_backend"] is False
    assert {each["reduced"]["status"] for each in replay.results() if each["reduced"]} == {"not_reproduced"}


def test_the_smaller_form_alone_keeps_a_failure_alive(tmp_path: Path) -> None:
    """A model that is mended for the long form only is not mended."""
    run(tmp_path, sections={"properties": {"irrelevant_context": PROPERTIES["irrelevant_context"]}})

    def half_mended(request: DecisionRequest) -> dict[str, float]:
        inserted = str(request.input).count("boiled") + str(request.input).count("quiet")
        return {"alpha": 0.98, "beta": 0.01, "gamma": 0.01} if inserted == 2 else steady(request)

    results = [each for each in again(tmp_path, half_mended).results() if each["reduced"] is not None]
    assert results
    for result in results:
        assert result["found"]["violations"] == []
        assert (result["reduced"]["status"], result["status"]) == ("reproduced", "reproduced")


def test_another_violation_of_the_same_pair_differs(tmp_path: Path) -> None:
    """It is a failure all the same: exit code 1."""
    limits = {"option_order": {"max_tv_distance": 0.1, "max_flip_rate": 0.0}}
    sections = {"properties": limits, "fuzz": {"minimize": False, "text_field": "text"}}

    def only_moves(request: DecisionRequest) -> dict[str, float]:
        share = 0.9 if request.decision.labels[0] == "alpha" else 0.6
        return {label: share if label == "alpha" else (1 - share) / 2 for label in request.decision.labels}

    def only_flips(request: DecisionRequest) -> dict[str, float]:
        best = request.decision.labels[0]
        return {label: 0.34 if label == best else 0.33 for label in request.decision.labels}

    run(tmp_path, only_moves, sections=sections)
    replay = again(tmp_path, only_flips)
    assert set(statuses(replay).values()) == {"differs"}
    assert (replay.status, replay.exit_code) == ("fail", 1)
    assert {tuple(each["found"]["violations"]) for each in replay.results()} == {("max_flip_rate",)}


def failing(kind: Any, where: str) -> Any:
    """The fragile model, which cannot answer about some cases."""

    def model(request: DecisionRequest) -> dict[str, float]:
        if where in request.case_id:
            raise BackendFailure(kind, f"a {kind} on purpose")
        return fragile(request)

    return model


@pytest.mark.parametrize(
    ("kind", "now", "status"),
    [
        ("invalid_response", "invalid_response", "reproduced"),
        ("timeout", "timeout", "reproduced"),
        ("invalid_response", "backend_error", "error"),
        ("unavailable", "unavailable", "error"),
        ("backend_error", None, "not_reproduced"),
    ],
)
def test_an_error_is_reproduced_by_the_same_error(tmp_path: Path, kind: str, now: str | None, status: str) -> None:
    """Of a base case; a server that is not there says nothing of the case, so it reproduces nothing."""
    run(tmp_path, failing(kind, "c"))
    replay = again(tmp_path, fragile if now is None else failing(now, "c"), ids=["decision/c"])
    (result,) = replay.results()
    assert (result["status"], result["property"], result["recorded"]["error"]) == (status, None, kind)
    assert result["found"]["error"] == now
    assert replay.exit_code == {"reproduced": 1, "error": 2, "not_reproduced": 0}[status]
    assert replay.report["observed"]["messages"] == ({} if now is None else {now: f"a {now} on purpose"})


def test_a_failing_pair_that_cannot_be_evaluated_is_no_success(tmp_path: Path) -> None:
    """Exit code 2, unless another one is reproduced: then 1."""
    run(tmp_path)
    nowhere = again(tmp_path, failing("unavailable", ""))
    assert (nowhere.status, nowhere.exit_code) == ("error", 2)
    assert set(statuses(nowhere).values()) == {"error"}
    answers = next(nowhere.results())["answers"]
    assert answers["original"] == {"error": {"kind": "unavailable"}}
    assert answers["transformed"] == {"error": {"kind": "original_error"}}
    partly = again(tmp_path, failing("invalid_response", "option_order/a"))
    assert {status for name, status in statuses(partly).items() if name.startswith("option_order/a")} == {"error"}
    assert (partly.status, partly.exit_code) == ("fail", 1)


def test_what_was_never_sent_since_its_base_failed_is_judged_once_the_base_is_answered(tmp_path: Path) -> None:
    """While the base fails, the pair's error is reproduced; afterwards its candidate is sent for the first time."""
    run(tmp_path, failing("backend_error", "a"), rows=ROWS[:1] + ROWS[2:])
    ids = [f"option_order/a/{sample}" for sample in range(3)]
    still = again(tmp_path, failing("backend_error", "a"), ids=ids)
    assert set(statuses(still).values()) == {"reproduced"}
    assert all(each["same_answers"] for each in still.results())
    recovered = Recording(steady)
    assert set(statuses(again(tmp_path, recovered, ids=ids)).values()) == {"not_reproduced"}
    assert len(recovered.asked) == 4
    fragile_again = again(tmp_path, fragile, ids=ids)
    assert set(statuses(fragile_again).values()) == {"differs", "not_reproduced"}
    assert fragile_again.exit_code == 1
    assert set(statuses(again(tmp_path, failing("unavailable", "a"), ids=ids)).values()) == {"error"}


def slow(request: DecisionRequest) -> Any:
    """The fragile model behind a wait that differs from case to case."""

    async def answer() -> dict[str, float]:
        await asyncio.sleep(0.001 * (len(request.case_id) % 5))
        return fragile(request)

    return answer()


@pytest.mark.parametrize("concurrency", [1, 16])
@pytest.mark.parametrize("how", ["inline", "threads", "async"])
def test_the_digest_is_the_same_however_it_is_asked(tmp_path: Path, how: str, concurrency: int) -> None:
    """Inline, in threads or on the loop, one at a time or many at once: the same results in the same order."""
    run(tmp_path)
    backends = {
        "inline": CallableBackend(fragile, inline=True),
        "threads": CallableBackend(fragile),
        "async": CallableBackend(slow),
    }
    replay = again(tmp_path, backends[how], max_concurrency=concurrency)
    reference = again(tmp_path)
    assert replay.digest == reference.digest
    assert list(replay.results()) == list(reference.results())


def test_the_digest_tells_other_answers_and_other_failures(tmp_path: Path) -> None:
    """It is over ids and answers."""
    finished = run(tmp_path)
    first, second = failed_ids(finished)[:2]
    digests = [
        again(tmp_path).digest,
        again(tmp_path, steady).digest,
        again(tmp_path, ids=[first]).digest,
        again(tmp_path, ids=[second]).digest,
        again(tmp_path, ids=[second, first]).digest,
    ]
    assert len(set(digests)) == len(digests)
    assert again(tmp_path, ids=[first, second]).digest == digests[-1]


def test_ids_choose_what_is_replayed(tmp_path: Path) -> None:
    """Only these, in the order of the run."""
    finished = run(tmp_path)
    last, first = failed_ids(finished)[-1], failed_ids(finished)[0]
    model = Recording(fragile)
    assert list(statuses(again(tmp_path, model, ids=[last, first]))) == [first, last]
    assert {request.case_id for request in model.asked} <= {first, last, "a", "b"}


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("option_order/a/7", "unknown_id", "did you mean 'option_order/a/"),
        ("nothing at all", "unknown_id", "it has the failures: option_order/a/0"),
        ("decision/a", "not_replayable", "it did not fail, so there is nothing to reproduce"),
        ("option_order/c/0", "not_replayable", "it did not fail, so there is nothing to reproduce"),
    ],
)
def test_an_id_that_cannot_be_replayed_is_refused(tmp_path: Path, name: str, code: str, said: str) -> None:
    """With the reason, or with what was perhaps meant."""
    run(tmp_path)
    with pytest.raises(UsageError) as caught:
        again(tmp_path, ids=[name])
    assert caught.value.code == code
    assert repr(name) in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize("ids", ["option_order/a/0", [1], 5])
def test_ids_must_be_a_list_of_texts(tmp_path: Path, ids: Any) -> None:
    """A text by itself is no list of letters."""
    run(tmp_path)
    with pytest.raises(UsageError, match="ids: "):
        again(tmp_path, ids=ids)


@pytest.mark.parametrize("ids", [None, []])
def test_a_run_without_failures_replays_nothing_and_so_shows_nothing(tmp_path: Path, ids: Any) -> None:
    """Not a success: exit code 2. Neither is a list without an id."""
    run(tmp_path, steady if ids is None else fragile)
    with pytest.raises(UsageError) as caught:
        again(tmp_path, ids=ids)
    assert (caught.value.code, caught.value.exit_code) == ("no_failures", 2)


def test_candidates_that_an_oracle_refused_or_could_not_judge_cannot_be_replayed(tmp_path: Path) -> None:
    """They were never sent."""

    def picky(base: Any, candidate: Any) -> OracleVerdict:
        return OracleVerdict("kettle" not in str(candidate.input), "it is about kettles", evidence={"read": True})

    properties = {"irrelevant_context": {**PROPERTIES["irrelevant_context"], "oracle": {"provider": "picky"}}}
    sections = {"properties": {**properties, "option_order": {"max_tv_distance": 0.1}}}
    finished = run(tmp_path, sections=sections, oracles={"picky": picky})
    refused = next(
        each["id"] for each in finished.records() if (each.get("validation") or {}).get("status") == "invalid"
    )
    with pytest.raises(UsageError, match="its oracle refused the candidate, so it was never sent"):
        again(tmp_path, ids=[refused])
    assert refused not in statuses(again(tmp_path))


def test_a_case_that_was_skipped_cannot_be_replayed(tmp_path: Path) -> None:
    """The reason of the skip is named."""
    rows = [*ROWS, {"id": "d", "input": {"number": 4}}]
    run(tmp_path, lambda request: steady(request) if request.case_id.count("d") else fragile(request), rows=rows)
    with pytest.raises(UsageError, match=r"nothing to transform in this case \(no_text\)"):
        again(tmp_path, ids=["irrelevant_context/d/skipped"])


def test_a_paraphrase_is_sent_again_but_not_made_again(tmp_path: Path) -> None:
    """Nobody is asked to word anything, and the file may be gone."""
    words = tmp_path / "words.jsonl"
    words.write_text('{"id": "a", "paraphrases": ["The kettle had just boiled, in other words."]}\n', encoding="utf-8")
    source = {"provider": "file", "path": str(words)}
    finished = run(tmp_path, sections={"properties": {"paraphrase": {"max_tv_distance": 0.01, "source": source}}})
    words.unlink()
    assert failed_ids(finished) == ["paraphrase/a/0"]
    (result,) = again(tmp_path).results()
    assert (result["status"], result["regenerated"], result["same_answers"]) == ("reproduced", None, True)


def test_what_nobody_worded_cannot_be_replayed(tmp_path: Path) -> None:
    """It is left out, and counted; a model can be mended all the same."""
    nobody = {"provider": "openai", "url": "http://127.0.0.1:9/v1", "model": "m", "api_key_env": None}
    paraphrase = {"max_tv_distance": 0.1, "source": nobody}
    run(tmp_path, sections={"properties": {"option_order": {"max_tv_distance": 0.1}, "paraphrase": paraphrase}})
    replay = again(tmp_path, steady)
    assert replay.report["counts"]["not_replayable"] == {"paraphrase_error": len(ROWS)}
    assert (replay.exit_code, {name.split("/")[0] for name in statuses(replay)}) == (0, {"option_order"})
    with pytest.raises(UsageError, match="nobody worded it, so nothing was sent"):
        again(tmp_path, ids=["paraphrase/a/0"])


def test_with_repeated_trials_the_first_one_is_replayed(tmp_path: Path) -> None:
    """The violations of a pair are those of its first trial."""
    properties = {"option_order": {"max_tv_distance": 0.1, "trials": 3}}
    run(tmp_path, sections={"properties": properties, "noise": {"baseline_runs": 2}})
    model = Recording(fragile)
    replay = again(tmp_path, model)
    assert {request.trial for request in model.asked} == {0}
    assert set(statuses(replay).values()) == {"reproduced"}
    assert all(each["same_answers"] for each in replay.results())


def test_variants_of_a_manifest_are_replayed_under_their_own_ids(tmp_path: Path) -> None:
    """No seed makes them, so none makes them again."""
    manifest = manifest_of({"total 2000": [("total  2000", "invariant"), ("total 5", "counterfactual")], "total 7": []})

    def always(request: DecisionRequest) -> dict[str, float]:
        return sure("yes")

    run_numbers(tmp_path, CallableBackend(always), manifest=manifest, properties={"variants": {"max_flip_rate": 0}})
    model = Recording(always)
    replay = replay_run(tmp_path / "run", backend=CallableBackend(model, inline=True))
    (result,) = replay.results()
    assert (result["id"], result["status"], result["regenerated"]) == ("variants/b1/1", "reproduced", None)
    assert result["found"]["violations"] == ["wrong_variant_answer"]
    assert [(each.case_id, each.input) for each in model.asked] == [("b1", "total 2000"), ("b1-v2", "total 5")]
    assert replay_run(tmp_path / "run", backend=CallableBackend(lambda request: sure("no"))).exit_code == 0


def test_files_of_a_case_are_sent_with_it(tmp_path: Path) -> None:
    """Names and digests, as in the run, with every form."""
    media = Media(path="a.png", media_type="image/png", bytes=3, sha256="0" * 64)
    case = Case(ROWS[0]["input"], "alpha", case_id="a", source_id="a", media=(media,))
    first, second = Recording(fragile), Recording(fragile)
    run(tmp_path, first, rows=[case])
    again(tmp_path, second)
    assert {request.media for request in second.asked} == {(media,)}
    assert second.said() <= first.said()


def test_a_model_that_edits_its_input_changes_no_result(tmp_path: Path) -> None:
    """It gets a copy."""
    run(tmp_path, rows=ROWS[1:])

    def greedy(request: DecisionRequest) -> dict[str, float]:
        answer = fragile(request)
        if isinstance(request.input, dict):
            request.input.clear()
        return answer

    assert list(again(tmp_path, greedy).results()) == list(again(tmp_path).results())


def test_the_backend_that_ran_must_be_handed_over_when_it_came_from_python(tmp_path: Path) -> None:
    """The error says how."""
    run(tmp_path)
    with pytest.raises(UsageError, match="came from Python") as caught:
        replay_run(tmp_path / "run")
    assert "backend=..." in str(caught.value)


FAIR: JsonObject = {"provider": "mock", "default": {"alpha": 0.4, "beta": 0.3, "gamma": 0.3}}
MOCKS: JsonObject = {
    "backend": {**FAIR, "position_bias": 0.5},
    "backends": {"spare": {**FAIR, "position_bias": 0.4}, "fair": FAIR},
}


@pytest.mark.parametrize("name", [None, "spare"])
def test_the_backend_that_ran_is_built_from_the_runs_own_contract(tmp_path: Path, name: str | None) -> None:
    """Also where it was not the first one of the contract."""
    run(tmp_path, name, sections=MOCKS) if name else run(tmp_path, None, sections=MOCKS)
    replay = replay_run(tmp_path / "run")
    assert replay.report["backend"]["name"] == (name or "default")
    assert (replay.report["same_backend"], replay.exit_code) == (True, 1)
    assert all(each["same_answers"] for each in replay.results())


def test_another_backend_of_the_contract_can_be_asked(tmp_path: Path) -> None:
    """By its name; an unknown one is refused with those that there are."""
    run(tmp_path, None, sections=MOCKS)
    fair = replay_run(tmp_path / "run", backend="fair")
    assert (fair.exit_code, fair.report["same_backend"], fair.report["backend"]["name"]) == (0, False, "fair")
    with pytest.raises(ContractError, match="did you mean 'fair'"):
        replay_run(tmp_path / "run", backend="fare")


def test_the_backend_of_another_contract_can_be_asked(tmp_path: Path) -> None:
    """Judged by the limits that ran, whatever that contract's limits are."""
    run(tmp_path, None, sections=MOCKS)
    lax = {"properties": {"option_order": {"max_tv_distance": 1}}}
    mended = contract_of(backend=FAIR, backends={"biased": MOCKS["backend"]}, **lax)
    assert replay_run(tmp_path / "run", contract=mended).exit_code == 0
    assert replay_run(tmp_path / "run", contract=mended, backend="biased").exit_code == 1


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"options": ["beta", "alpha", "gamma"]}, "decision"),
        ({"name": "other"}, "decision.name"),
        ({"type": "score", "options": None, "levels": list(LABELS)}, "decision.type"),
    ],
)
def test_a_contract_with_another_decision_cannot_answer_for_the_run(
    tmp_path: Path, change: JsonObject, path: str
) -> None:
    """Its backend would be asked another question."""
    run(tmp_path)
    other = contract_of(backend={"provider": "mock"}, properties={"label_format": {"max_flip_rate": 0}})
    decision = {key: value for key, value in {**other["decision"], **change}.items() if value is not None}
    with pytest.raises(UsageError) as caught:
        replay_run(tmp_path / "run", contract={**other, "decision": decision})
    assert [(problem.code, problem.path) for problem in caught.value.problems] == [("other_decision", path)]


def test_no_more_calls_are_made_than_allowed(tmp_path: Path) -> None:
    """What was not asked is not evaluated, and reproduces nothing; the contract's own budget does not count."""
    finished = run(tmp_path, sections={"budget": {"max_calls": 500}})
    for backend in (CallableBackend(fragile, inline=True), CallableBackend(fragile)):
        model = again(tmp_path, backend, max_calls=3)
        assert model.report["observed"]["calls"] == 3
        counts = model.report["counts"]
        assert (counts["reproduced"], counts["error"]) == (0, len(failed_ids(finished)) - 1) or counts[
            "reproduced"
        ] == 1
    with pytest.raises(UsageError, match="max_calls"):
        again(tmp_path, max_calls=0)
    with pytest.raises(UsageError, match="max_concurrency"):
        again(tmp_path, max_concurrency=0)


def test_a_spent_budget_is_not_what_a_run_found(tmp_path: Path) -> None:
    """Neither then, when the pair was not asked, nor now."""
    run(tmp_path, sections={"budget": {"max_calls": 8}})
    exhausted = [each["id"] for each in again(tmp_path, max_calls=1).results() if each["recorded"]["error"]]
    assert exhausted
    assert set(statuses(again(tmp_path, max_calls=1, ids=exhausted)).values()) == {"error"}
    assert set(statuses(again(tmp_path, ids=exhausted)).values()) == {"differs", "not_reproduced"}


class Sick(CallableBackend):
    """A model whose health check says no."""

    async def health(self) -> Health:
        """Unhealthy."""
        return Health(status="unhealthy", detail="it has a fever")


def test_a_backend_that_is_not_healthy_is_not_asked(tmp_path: Path) -> None:
    """Unless the check is left out."""
    run(tmp_path)
    with pytest.raises(BackendError, match="it has a fever"):
        again(tmp_path, Sick(fragile))
    assert again(tmp_path, Sick(fragile), healthcheck=False).exit_code == 1


def test_a_run_that_was_tampered_with_is_not_replayed(tmp_path: Path) -> None:
    """Nobody is asked."""
    run(tmp_path)
    forged = StoredRun(tmp_path / "run")
    record = next(each for each in forged.records if each["kind"] == "pair")
    record["input"] = "quite another input"
    forged.fit_records()
    forged.fit_digests()
    forged.save()
    model = Recording(fragile)
    with pytest.raises(IntegrityError) as caught:
        again(tmp_path, model)
    assert (caught.value.exit_code, model.asked) == (3, [])


def test_what_is_no_finished_run_is_told_apart(tmp_path: Path) -> None:
    """A missing folder and one of something else are misuse; an unfinished run is damaged evidence."""
    with pytest.raises(UsageError, match="no such folder"):
        replay_run(tmp_path / "nothing")
    with pytest.raises(UsageError, match="no run directory"):
        replay_run(tmp_path)
    run(tmp_path)
    (tmp_path / "run" / "report.json").unlink()
    with pytest.raises(IntegrityError, match="unfinished"):
        replay_run(tmp_path / "run")


def test_an_interrupt_leaves_everything_as_it_was(tmp_path: Path) -> None:
    """It ends the replay, and nothing is written."""
    run(tmp_path)
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}

    def impatient(request: DecisionRequest) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(RunInterrupted, match="a replay keeps nothing"):
        again(tmp_path, impatient)
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before


def test_progress_is_told_how_far_it_is(tmp_path: Path) -> None:
    """Base cases and pairs; the last state is the whole."""

    class Watching:
        states: list[ProgressState] = []  # noqa: RUF012 - of this test alone

        def update(self, state: ProgressState) -> None:
            self.states.append(state)

    finished = run(tmp_path)
    again(tmp_path, failing("timeout", "option_order"), progress=Watching())
    last = Watching.states[-1]
    assert (last.done, last.total) == (2 + len(failed_ids(finished)),) * 2
    assert last.errors == sum(name.startswith("option_order") for name in failed_ids(finished))


def test_results_can_be_read_more_than_once(tmp_path: Path) -> None:
    """And are gone with the replay, without a warning of an open file."""
    run(tmp_path)
    replay = again(tmp_path)
    assert list(replay.results()) == list(replay.results())
    assert repr(replay) == f"<Replay fail {tmp_path / 'run'}>"
