"""Chat endpoints: lettered options, the first token's alternatives, counted answers."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterator
from typing import Any

import pytest

from robust.backends.openai_prompt import options_of, template_digest
from robust.errors import BackendError
from robust.records.decision_spec import DecisionSpec
from robust.records.media import Media
from robust.records.request import Health, Usage
from tests.faults import Fault, changed, status
from tests.servers import Server, chat_server
from tests.unit.backends.asking import CHOICE, NOUL, ask, build, fails, request


@pytest.fixture(scope="module")
def running_server() -> Iterator[Server]:
    """One server for all tests of this module."""
    with chat_server() as running:
        yield running


@pytest.fixture
def server(running_server: Server) -> Server:
    """The server, behaving, with nothing seen."""
    running_server.fault = None
    running_server.script.clear()
    running_server.seen.clear()
    return running_server


def tokens(*alternatives: tuple[Any, Any], before: tuple[str, ...] = ()) -> Fault:
    """An answer whose first token has these alternatives, each with a probability, after some other tokens."""

    def change(answer: dict[str, Any]) -> None:
        top = [
            {"token": token, "logprob": math.log(share) if isinstance(share, float) and share > 0 else share}
            for token, share in alternatives
        ]
        content = [{"token": token, "logprob": 0.0, "top_logprobs": []} for token in before]
        answer["choices"][0]["logprobs"] = {"content": [*content, {"token": "A", "logprob": 0, "top_logprobs": top}]}

    return changed(change)


def says(text: Any) -> Fault:
    """An answer of this text."""
    return changed(lambda answer: answer["choices"][0]["message"].update(content=text))


def test_the_labels_are_offered_as_lettered_options_in_one_message(server: Server) -> None:
    """The template is documented; no sampling settings are sent that are not set."""
    backend = build("openai", server.url, CHOICE, instructions="What {is} it about?")
    ask(backend, request(CHOICE, labels=("other", "refund", "repair"), input="I want {options} & é"))
    (seen,) = server.seen
    assert seen.json == {
        "model": "m",
        "messages": [
            {
                "role": "user",
                "content": "What {is} it about?\n\nInput:\nI want {options} & é\n\n"
                "Options:\nA: other\nB: refund\nC: repair\n\n"
                "Answer with the letter of one option, and with nothing else.",
            }
        ],
        "logprobs": True,
        "top_logprobs": 20,
        "max_tokens": 1,
    }
    assert "authorization" not in seen.headers


def test_an_input_that_is_an_object_stands_in_the_prompt_as_canonical_json(server: Server) -> None:
    """With its keys in order."""
    ask(build("openai", server.url), request(input={"b": 1, "a": [True, None]}))
    assert 'Input:\n{"a":[true,null],"b":1}\n\n' in server.seen[0].json["messages"][0]["content"]


def test_tokens_of_one_letter_are_added_up_and_the_rest_is_left_out(server: Server) -> None:
    """The probabilities are those of answering with an option, whose mass is recorded."""
    answer = ask(build("openai", server.url))
    assert answer.probabilities == pytest.approx({"yes": 0.75, "no": 0.25}, abs=1e-12)
    assert answer.observed.pop("label_mass") == pytest.approx(0.95, abs=1e-12)
    assert answer.observed == {"attempts": 1, "request_id": "chat-9"}
    assert (answer.model, answer.model_version, answer.usage) == ("gpt-x-0613", "fp_1", Usage(tokens=41))


@pytest.mark.parametrize(
    ("fault", "first"),
    [
        (tokens(("A", 0.5), (" A", 0.1), ("\tA\n", 0.1), ("▁A", 0.1), ("ĠB", 0.2)), 0.8),
        (tokens(("A", 0.4), ("A", 0.4), ("B", 0.2)), 0.8),
        (tokens(("A", 1.0), ("B", -9999)), 1.0),
        (tokens(("A", 1.0), ("B", -1e308)), 1.0),
        (tokens(("A", 0.72), ("B", 0.18), ("AB", 0.05), ("a", 0.02), ("", 0.01), ("BA", 0.01)), 0.8),
        (tokens(("A", 0.8), ("B", 0.2), before=("\n", " ▁")), 0.8),
    ],
)
def test_the_first_token_that_is_not_blank_is_read(server: Server, fault: Fault, first: float) -> None:
    """However blanks are written, and however small a probability is."""
    server.fault = fault
    answer = ask(build("openai", server.url))
    assert answer.probabilities == pytest.approx({"yes": first, "no": 1 - first}, abs=1e-12)
    assert math.fsum(answer.probabilities.values()) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    "fault",
    [
        tokens(("A", 0.99)),
        tokens(("A", 0.99), ("C", 0.01)),
        tokens(("A", 0.99), ("b", 0.01)),
        tokens(),
        tokens(("A", 0.7), ("B", 0.09)),
        tokens(("A", 0.9), ("A", 0.9), ("B", 0.1)),
        tokens(("A", 800), ("B", 0.1)),
        tokens(("A", True), ("B", 0.1)),
        tokens(("A", "-0.1"), ("B", 0.1)),
        tokens(("A", None), ("B", 0.1)),
        tokens((5, 0.9), ("B", 0.1)),
        tokens(("A", -9999), ("B", -9999)),
        changed(lambda answer: answer["choices"][0].update(logprobs=None)),
        changed(lambda answer: answer["choices"][0].pop("logprobs") and None),
        changed(lambda answer: answer["choices"][0].update(logprobs={"content": []})),
        changed(lambda answer: answer["choices"][0].update(logprobs={"content": [{"token": 5}]})),
        changed(lambda answer: answer["choices"][0].update(logprobs={"content": [{"token": " "}]})),
        changed(lambda answer: answer.update(choices=[])),
        changed(lambda answer: answer.update(choices={"0": {}})),
        changed(lambda answer: answer.update(choices=[None])),
        changed(lambda answer: {"error": {"message": "no such model"}}),
    ],
)
def test_what_does_not_tell_all_probabilities_is_an_invalid_response(server: Server, fault: Fault) -> None:
    """No mass is invented, and what it cost is known all the same."""
    server.fault = fault
    failed = fails(build("openai", server.url))
    assert failed.kind == "invalid_response"
    assert failed.observed["attempts"] == 1
    assert "no such model" not in str(failed)


def test_below_the_least_mass_the_case_does_not_count(server: Server) -> None:
    """On it, it does; the mass is recorded either way."""
    server.fault = tokens(("A", 0.5), ("B", 0.25))
    failed = fails(build("openai", server.url))
    assert failed.observed["label_mass"] == pytest.approx(0.75)
    assert failed.usage == Usage(tokens=41)
    answer = ask(build("openai", server.url, min_label_mass=0.75))
    assert answer.probabilities == pytest.approx({"yes": 2 / 3, "no": 1 / 3})


def test_settings_are_sent_as_they_are_set_and_the_seed_by_trial(server: Server) -> None:
    """The same seed every time would get the same answer every time."""
    backend = build("openai", server.url, temperature=0.5, seed=7, max_tokens=3)
    ask(backend, request(), request(trial=2))
    sent = [{name: seen.json[name] for name in ("temperature", "seed", "max_tokens")} for seen in server.seen]
    assert sent == [
        {"temperature": 0.5, "seed": 7, "max_tokens": 3},
        {"temperature": 0.5, "seed": 9, "max_tokens": 3},
    ]
    ask(build("openai", server.url, seed=2**53 - 1), request(trial=1))
    assert server.seen[-1].json["seed"] == 0


def test_more_labels_than_alternatives_are_refused_for_logprobs_alone() -> None:
    """They could never all be among the tokens returned."""
    many = DecisionSpec(name="q", type="choice", options=tuple(f"topic {n}" for n in range(21)), description="Which?")
    with pytest.raises(BackendError) as caught:
        build("openai", "http://a", many, name="other")
    assert (caught.value.code, caught.value.problems[0].path) == ("too_many_labels", "backends.other.method")
    build("openai", "http://a", many, method="samples")


def test_a_question_is_needed() -> None:
    """The instructions, else the decision's description."""
    with pytest.raises(BackendError) as caught:
        build("openai", "http://a", DecisionSpec(name="q", type="noul"))
    assert caught.value.code == "no_instructions"


def test_answers_are_counted(server: Server) -> None:
    """In shares of the number asked for; tokens and tries are added up."""
    server.script.extend([says("A"), says("B."), says("**a**"), says(" A: yes\n")])
    backend = build("openai", server.url, method="samples", n_samples=5, seed=100, temperature=1)
    answer = ask(backend, request(trial=1))
    assert dict(answer.probabilities) == {"yes": 0.8, "no": 0.2}
    assert answer.observed == {"attempts": 5, "samples": 5}
    assert (answer.usage, answer.model, answer.model_version) == (Usage(tokens=205), "gpt-x-0613", "fp_1")
    assert [seen.json["seed"] for seen in server.seen] == [105, 106, 107, 108, 109]
    assert not {"logprobs", "top_logprobs", "max_tokens"} & set(server.seen[0].json)


def test_models_that_change_between_samples_are_no_one_model(server: Server) -> None:
    """Then none is recorded."""
    server.script.append(changed(lambda answer: answer.update(model="another")))
    answer = ask(build("openai", server.url, method="samples", n_samples=2))
    assert (answer.model, answer.model_version) == (None, "fp_1")


@pytest.mark.parametrize("text", ["", "Neither", "A or B", "AB", "C", "The letter A", None, 5, ["A"]])
def test_a_sample_that_names_no_option_ends_the_case_at_once(server: Server, text: Any) -> None:
    """Its share of the probability is no label's; what was paid is known."""
    server.script.extend([None, says(text)])
    failed = fails(build("openai", server.url, method="samples", n_samples=5))
    assert (failed.kind, len(server.seen)) == ("invalid_response", 2)
    assert failed.observed == {"attempts": 2, "samples": 1}
    assert failed.usage == Usage(tokens=82)
    assert str(failed).startswith("sample 2 of 5: ")


def test_a_failure_among_the_samples_is_that_of_the_case(server: Server) -> None:
    """With all tries counted, and what the samples before it cost."""
    server.script.extend([None, status(503), None, status(401)])
    failed = fails(build("openai", server.url, method="samples", n_samples=5, max_retries=1, retry_backoff_s=0))
    assert (failed.kind, failed.observed) == ("backend_error", {"attempts": 4, "samples": 2, "status": 401})
    assert failed.usage == Usage(tokens=82)


def test_the_deadline_is_for_all_samples_together(server: Server) -> None:
    """However quick each of them is."""
    failed = fails(build("openai", server.url, method="samples", n_samples=1000, timeout_s=0.2))
    assert failed.kind == "timeout"


def test_options_are_numbered_where_letters_would_be_read_as_labels() -> None:
    """Or where letters do not suffice."""
    assert options_of(("refund", "repair")).marks == ("A", "B")
    assert options_of(("1", "2")).marks == ("A", "B")
    assert options_of(("B", "C")).lines() == "1: B\n2: C"
    assert options_of(("c", "[a]", "x")).marks == ("1", "2", "3")
    assert options_of(("D", "E")).marks == ("A", "B")
    assert options_of([f"l{n}" for n in range(26)]).marks[-1] == "Z"
    assert options_of([f"l{n}" for n in range(27)]).marks[-1] == "27"


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("B", 1),
        ("b", 1),
        ("(B)", 1),
        ("B) ", 1),
        ("`B`", 1),
        ("B: no", 1),
        ("no", 1),
        ("No", None),
        ("B no", None),
        ("B: yes", None),
        ("ß", None),
    ],
)
def test_an_answer_names_an_option_by_mark_line_or_label(text: str, chosen: int | None) -> None:
    """As a whole: a sentence that mentions one does not."""
    assert options_of(("yes", "no")).chosen(text) == chosen


def test_a_mark_goes_before_a_label_of_the_same_text() -> None:
    """The prompt asks for marks."""
    assert options_of(("A", "2", "1")).chosen("2") == 1


def test_the_identity_has_the_prompts_digest_and_every_setting() -> None:
    """So that another prompt is another model."""
    backend = build("openai", "http://a", api_key_env="MY_KEY", seed=5)
    details = backend.identity.details
    assert details["prompt"] == template_digest()
    assert (details["method"], details["seed"], details["min_label_mass"]) == ("logprobs", 5, 0.8)
    assert details["environment"] == ["MY_KEY"]
    assert "MY_KEY" not in json.dumps(backend.sent(request()))


def test_what_identifies_an_answer_is_the_prompt_and_how_it_is_read() -> None:
    """Each of these changes gives another key (B1)."""
    first = build("openai", "http://a").sent(request())
    changes: list[dict[str, Any]] = [
        {"model": "m2"},
        {"temperature": 0.1},
        {"seed": 1},
        {"max_tokens": 2},
        {"min_label_mass": 0.5},
        {"instructions": "Other?"},
        {"method": "samples"},
        {"method": "samples", "n_samples": 11},
        {"headers": {"X-A": "b"}},
    ]
    keys = [build("openai", "http://a", NOUL, **change).sent(request()) for change in changes]
    keys += [
        build("openai", "http://a").sent(request(labels=("no", "yes"))),
        build("openai", "http://b").sent(request()),
    ]
    assert len({json.dumps(key, sort_keys=True) for key in [first, *keys]}) == len(keys) + 1
    assert first == build("openai", "http://a").sent(request())


def test_files_cannot_be_sent_and_health_is_not_known(server: Server) -> None:
    """Nothing is sent for either, and nothing is cached of the first."""
    media = (Media(path="a.png", media_type="image/png", bytes=1, sha256="0" * 64),)
    backend = build("openai", server.url)
    assert backend.sent(request(media=media)) is None
    assert fails(backend, request(media=media)).kind == "backend_error"
    health: Health = asyncio.run(backend.health())
    assert health.status == "unknown"
    assert server.seen == []


def test_what_is_not_known_of_the_cost_stays_unknown(server: Server) -> None:
    """Of all samples: a sum of nothing is nothing, and not zero."""
    server.fault = changed(lambda answer: answer.update(usage=None))
    assert ask(build("openai", server.url, method="samples", n_samples=2)).usage is None


@pytest.mark.parametrize("code", [401, 403])
def test_a_refused_key_is_said_with_the_name_of_its_variable(
    server: Server, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    """So that one knows what to look at; never its value."""
    monkeypatch.setenv("OPENAI_TEST_KEY", "refused-value")
    server.fault = status(code)
    failed = fails(build("openai", server.url, api_key_env="OPENAI_TEST_KEY"))
    assert str(failed) == f"the server answered with HTTP {code}; check OPENAI_TEST_KEY"
