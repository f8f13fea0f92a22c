"""The System One format: three types of question, and answers that must be to this question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from robust.backends.systemone import first_label
from robust.errors import BackendError
from robust.records.decision_spec import DecisionSpec
from robust.records.request import Usage
from tests.faults import changed, probabilities, status
from tests.servers import Server, systemone_server
from tests.unit.backends.asking import CHOICE, NOUL, SCORE, ask, build, fails, request


@pytest.fixture(scope="module")
def running_server() -> Iterator[Server]:
    """One server for all tests of this module."""
    with systemone_server() as running:
        yield running


@pytest.fixture
def server(running_server: Server) -> Server:
    """The server, behaving, with nothing seen."""
    running_server.fault = None
    running_server.script.clear()
    running_server.seen.clear()
    return running_server


def test_a_choice_has_its_options_as_keys_in_the_order_shown(server: Server) -> None:
    """Which the bytes keep, so that the order of options can be tested at all."""
    answer = ask(build("systemone", server.url, CHOICE), request(CHOICE, labels=("other", "refund", "repair")))
    assert dict(answer.probabilities) == {"other": 0.75, "refund": 0.125, "repair": 0.125}
    (seen,) = server.seen
    assert seen.json["questions"]["route"] == {
        "type": "choice",
        "instructions": "What is it about?",
        "criteria": {"other": None, "refund": None, "repair": None},
    }
    assert b'{"other":null,"refund":null,"repair":null}' in seen.body
    assert (seen.json["model"], seen.json["state"]) == ("m", "my money back")


def test_a_score_has_its_levels_as_a_list_and_is_answered_by_index(server: Server) -> None:
    """Lowest first."""
    answer = ask(build("systemone", server.url, SCORE), request(SCORE, input={"text": "é"}))
    assert dict(answer.probabilities) == {"calm": 0.75, "cross": 0.125, "furious": 0.125}
    (seen,) = server.seen
    assert seen.json["questions"]["anger"]["criteria"] == ["calm", "cross", "furious"]
    assert seen.json["state"] == {"text": "é"}


@pytest.mark.parametrize(
    "shown", [("yes", "no"), ("no", "yes"), ("NO", "YES"), ("A) no", "B) yes"), ("2. Yes", "1. No"), ('"yes"', "[no]")]
)
def test_a_noul_sends_no_labels_and_its_number_is_for_the_first(server: Server, shown: tuple[str, str]) -> None:
    """The contract's first one, in whatever order and form the labels are shown."""
    answer = ask(build("systemone", server.url), request(labels=shown))
    by_first = {("yes" in label.lower()): share for label, share in answer.probabilities.items()}
    assert by_first == {True: 0.75, False: 0.25}
    assert "criteria" not in server.seen[0].json["questions"]["asks_refund"]


def test_labels_under_names_of_their_own_stand_in_the_contracts_order() -> None:
    """An alias does not say what it stands for."""
    assert first_label(("sure", "never"), ("yes", "no")) == "sure"
    # Contract labels that mean the same but for their form are told by their text.
    assert first_label(("b) x", "a) x"), ("a) x", "b) x")) == "a) x"


def test_what_the_provider_says_of_the_call_is_recorded(server: Server) -> None:
    """The model that answered, the call's id, who served it, what it cost."""
    answer = ask(build("systemone", server.url))
    assert (answer.model, answer.model_version) == ("jev-1", None)
    assert answer.observed == {"attempts": 1, "request_id": "call-7", "upstream_provider": "upstream-a"}
    assert answer.usage == Usage(tokens=32, cost=0.25)


@pytest.mark.parametrize(
    ("usage", "known"),
    [
        (None, None),
        ([], None),
        ({"input_tokens": "30"}, None),
        ({"input_tokens": True, "output_tokens": -1, "cost": -2}, None),
        ({"input_tokens": 3, "output_tokens": 1.5}, Usage(tokens=3)),
        ({"total_tokens": 50, "input_tokens": 3}, Usage(tokens=50)),
        ({"cost": 0}, Usage(cost=0.0)),
    ],
)
def test_a_usage_that_is_none_is_not_known(server: Server, usage: Any, known: Usage | None) -> None:
    """It is the answer that counts."""
    server.fault = changed(lambda answer: answer.update(usage=usage))
    assert ask(build("systemone", server.url)).usage == known


def _replies(change: dict[str, Any]) -> Any:
    """The right answer with some members of the answer to the question changed."""
    return changed(lambda answer: next(iter(answer["answers"].values())).update(change))


@pytest.mark.parametrize(
    ("decision", "fault"),
    [
        (CHOICE, changed(lambda answer: answer.update(answers=None))),
        (CHOICE, changed(lambda answer: answer["answers"].update(another={}))),
        (CHOICE, changed(lambda answer: answer.update(answers={"other": answer["answers"]["route"]}))),
        (CHOICE, changed(lambda answer: answer["answers"].update(route=[]))),
        (CHOICE, changed(lambda answer: answer.pop("model") and None)),
        (CHOICE, changed(lambda answer: answer.update(model=""))),
        (CHOICE, _replies({"type": "score"})),
        (CHOICE, _replies({"type": None})),
        (CHOICE, _replies({"choice": "repair"})),
        (CHOICE, _replies({"choice": "none of them"})),
        (CHOICE, _replies({"choice": None})),
        (CHOICE, _replies({"probabilities": [0.5, 0.25, 0.25]})),
        (CHOICE, probabilities(lambda numbers: numbers.update(more=0))),
        (CHOICE, probabilities(lambda numbers: {"refund": 1})),
        (SCORE, _replies({"legend": {"0": "calm", "1": "furious", "2": "cross"}})),
        (SCORE, _replies({"legend": {"0": "calm", "1": "cross"}})),
        (SCORE, _replies({"probabilities": {"calm": 1, "cross": 0, "furious": 0}})),
        (SCORE, _replies({"probabilities": {"00": 1, "1": 0, "2": 0}})),
        (SCORE, _replies({"probabilities": {"0": 1, "1": 0, "2": 0, "3": 0}})),
        (NOUL, _replies({"noul": None})),
        (NOUL, _replies({"noul": True})),
        (NOUL, _replies({"noul": "0.96"})),
        (NOUL, _replies({"noul": 1.0001})),
        (NOUL, _replies({"noul": -0.1})),
    ],
)
def test_an_answer_to_another_question_or_of_another_type_is_an_invalid_response(
    server: Server, decision: DecisionSpec, fault: Any
) -> None:
    """And so is one that contradicts itself."""
    server.fault = fault
    failed = fails(build("systemone", server.url, decision), request(decision))
    assert failed.kind == "invalid_response"
    assert failed.usage == Usage(tokens=32, cost=0.25)


def test_a_percentage_gets_a_hint(server: Server) -> None:
    """75 instead of 0.75."""
    server.fault = _replies({"noul": 75})
    assert "divided by 100" in str(fails(build("systemone", server.url)))


def test_the_choice_may_be_any_of_the_most_probable(server: Server) -> None:
    """Of two that are equally probable the provider may take either; and the legend may be missing."""
    server.fault = _replies({"choice": "repair", "probabilities": {"refund": 0.5, "repair": 0.5, "other": 0}})
    assert ask(build("systemone", server.url, CHOICE), request(CHOICE)).probabilities["repair"] == 0.5
    server.fault = _replies({"legend": None})
    assert ask(build("systemone", server.url, SCORE), request(SCORE)).probabilities["calm"] == 0.75


@pytest.mark.parametrize("code", [429, 502, 503, 504, 529])
def test_overload_is_unavailable_and_asked_again(server: Server, code: int) -> None:
    """As the format has it."""
    server.script.extend([status(code, retry_after="0"), None])
    assert ask(build("systemone", server.url, max_retries=1, retry_backoff_s=60)).observed["attempts"] == 2
    server.fault = status(code)
    assert fails(build("systemone", server.url)).kind == "unavailable"


def test_label_names_of_the_service_go_out_and_come_back(server: Server) -> None:
    """For options and for levels; a noul sends none."""
    label_map = {"R1": "refund", "R2": "repair"}
    answer = ask(build("systemone", server.url, CHOICE, label_map=label_map), request(CHOICE))
    assert dict(answer.probabilities) == {"refund": 0.75, "repair": 0.125, "other": 0.125}
    assert list(server.seen[-1].json["questions"]["route"]["criteria"]) == ["R1", "R2", "other"]
    answer = ask(build("systemone", server.url, SCORE, label_map={"0": "calm"}), request(SCORE))
    assert answer.probabilities["calm"] == 0.75
    assert server.seen[-1].json["questions"]["anger"]["criteria"] == ["0", "cross", "furious"]
    with pytest.raises(BackendError):
        build("systemone", server.url, NOUL, label_map={"1": "yes"})


def test_a_question_is_needed() -> None:
    """The instructions, else the decision's description."""
    bare = DecisionSpec(name="q", type="noul")
    with pytest.raises(BackendError) as caught:
        build("systemone", "http://a", bare)
    assert caught.value.code == "no_instructions"
    details = build("systemone", "http://a", bare, instructions="Is it so?").identity.details
    assert details["instructions"] == "Is it so?"
    assert build("systemone", "http://a").identity.details["instructions"] == NOUL.description


def test_what_identifies_an_answer_includes_what_the_number_is_about() -> None:
    """Two contracts that exchange their labels send the same, and mean the opposite."""
    exchanged = DecisionSpec(name="asks_refund", type="noul", description=NOUL.description, labels=("no", "yes"))
    asked = request()
    first = build("systemone", "http://a").sent(asked)
    assert first == build("systemone", "http://a").sent(asked)
    assert first != build("systemone", "http://a", exchanged).sent(asked)
    others: Sequence[Any] = [
        build("systemone", "http://a", instructions="Other?").sent(asked),
        build("systemone", "http://a", model="other").sent(asked),
        build("systemone", "http://a").sent(request(labels=("no", "yes"))),
        build("systemone", "http://a").sent(request(case_id="c2")),
    ]
    assert all(other != first for other in others)
