"""The mock model: rules, default, seeded hash, bias, noise, and labels in any shown form."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust import BackendError, DecisionRequest
from robust.backends.mock import MockBackend
from robust.backends.shown_forms import meaning
from robust.canon import canonical_text, unit_interval
from robust.records.backend_config import MockConfig
from robust.records.decision_spec import DecisionSpec
from robust.records.request import ShownDecision

LABELS = ("refund", "repair", "none")
A, B, C = (
    {"refund": 0.7, "repair": 0.2, "none": 0.1},
    {"refund": 0, "repair": 1, "none": 0},
    {"refund": 0.2, "repair": 0.2, "none": 0.6},
)


def _mock(labels: tuple[str, ...] = LABELS, *, name: str = "default", **settings: Any) -> MockBackend:
    decision = DecisionSpec(name="q", type="choice", options=labels)
    return MockBackend(MockConfig.model_validate({"provider": "mock", **settings}), decision, 0.001, name=name)


def _request(text: Any = "hello", shown: tuple[str, ...] = LABELS, **fields: Any) -> DecisionRequest:
    decision = ShownDecision(name="q", type="choice", labels=shown)
    return DecisionRequest(**{"case_id": "c", "decision": decision, "input": text, **fields})


def _ask(mock: MockBackend, text: Any = "hello", shown: tuple[str, ...] = LABELS, **fields: Any) -> dict[str, float]:
    return dict(mock.decide(_request(text, shown, **fields)).probabilities)


def test_the_first_rule_that_matches_answers_and_the_default_the_rest() -> None:
    """Ignoring case and runs of white space, also in inputs that are objects."""
    rules = [{"contains": "broken glass", "probabilities": A}, {"contains": "glass", "probabilities": B}]
    mock = _mock(rules=rules, default=C)
    assert _ask(mock, "My BROKEN\n  Glass") == A
    assert _ask(mock, "glass, broken") == B
    assert _ask(mock, {"text": "a GLASS"}) == B
    assert _ask(mock, "nothing") == C


@pytest.mark.parametrize(
    "answer",
    [{"refund": 1}, {"refund": 1, "repair": 0, "none": 0, "other": 0}, {"refund": 0.5, "repair": 0.4, "none": 0}],
)
def test_a_configured_answer_must_be_a_distribution_over_the_labels(answer: dict[str, float]) -> None:
    """Found when the backend is built, with the path of each."""
    with pytest.raises(BackendError) as caught:
        _mock(rules=[{"contains": "x", "probabilities": answer}], default=answer)
    assert [problem.path for problem in caught.value.problems] == ["backend.rules[0].probabilities", "backend.default"]
    with pytest.raises(BackendError) as caught:
        _mock(default=answer, name="spare")
    assert caught.value.problems[0].path == "backends.spare.default"


def test_without_rules_a_seeded_hash_decides() -> None:
    """Golden numbers: equal on every platform and in every release; another seed or input, another answer."""
    golden = {"refund": 0.34386500098300293, "repair": 0.5056576824381513, "none": 0.15047731657884575}
    assert _ask(_mock()) == golden
    assert _ask(_mock()) == _ask(_mock(), case_id="another", trial=5)
    assert len({str(_ask(_mock(seed=seed), text)) for seed in (0, 1) for text in ("a", "b")}) == 4


@given(st.integers(-9, 9), st.text(max_size=20) | st.dictionaries(st.text(max_size=3), st.booleans(), max_size=3))
def test_the_hash_is_the_documented_one(seed: int, given_input: Any) -> None:
    """For each label the unit interval of seed, text and meaning; together they make 1."""
    text = given_input if isinstance(given_input, str) else canonical_text(given_input)
    weights = {label: unit_interval("robust.mock/1", seed, text, label) for label in LABELS}
    total = math.fsum(weights.values())
    assert _ask(_mock(seed=seed), given_input) == {label: weight / total for label, weight in weights.items()}


@given(st.text(max_size=20), st.permutations(LABELS))
def test_another_order_or_form_of_the_labels_gets_the_same_answer(text: str, order: tuple[str, ...]) -> None:
    """The hash goes by what a label means, not by where it stands or how it is written."""
    plain = _ask(_mock(), text)
    assert math.fsum(plain.values()) == pytest.approx(1, abs=1e-12)
    assert _ask(_mock(), text, tuple(order)) == pytest.approx(plain, abs=1e-15)
    shown = tuple(f"{index}. {label.upper()}" for index, label in enumerate(order, start=1))
    by_meaning = {meaning(label): value for label, value in _ask(_mock(), text, shown).items()}
    assert by_meaning == pytest.approx(plain, abs=1e-15)


@pytest.mark.parametrize(
    "form", ["B) Refund", "2. refund", '"REFUND"', "[refund]", "(refund)", "'refund'", "  ReFund ", "b)  refund"]
)
def test_every_shown_form_means_its_label(form: str) -> None:
    """Lettered, numbered, quoted, bracketed, in any case."""
    assert meaning(form) == "refund"
    assert _ask(_mock(default=A), shown=(form, "repair", "none"))[form] == 0.7


def test_labels_that_look_like_a_form_still_get_their_own_answer() -> None:
    """Exact labels go before what they might mean."""
    mock = _mock(("A) x", "B) x"), default={"A) x": 0.2, "B) x": 0.8})
    assert _ask(mock, shown=("A) x", "B) x")) == {"A) x": 0.2, "B) x": 0.8}


def test_position_bias_moves_its_share_to_the_first_shown_label() -> None:
    """Half of everything, whatever the first label is; the sum stays 1."""
    mock = _mock(default=A, position_bias=0.5)
    assert _ask(mock) == pytest.approx({"refund": 0.85, "repair": 0.1, "none": 0.05})
    assert _ask(mock, shown=("none", "refund", "repair")) == pytest.approx(
        {"none": 0.55, "refund": 0.35, "repair": 0.1}
    )


def test_noise_exchanges_the_two_most_probable_labels_at_its_rate() -> None:
    """The same call always gets the same answer; over many trials the rate is that of the setting."""
    mock = _mock(default=A, noise=0.2)
    answers = [_ask(mock, trial=trial) for trial in range(2000)]
    assert answers == [_ask(_mock(default=A, noise=0.2), trial=trial) for trial in range(2000)]
    swapped = {"refund": 0.2, "repair": 0.7, "none": 0.1}
    assert all(answer in (A, swapped) for answer in answers)
    # Four standard deviations of a binomial share around 0.2.
    assert abs(answers.count(swapped) / 2000 - 0.2) < 4 * math.sqrt(0.2 * 0.8 / 2000)
    assert _ask(_mock(default=A, noise=1)) == swapped
    assert _ask(_mock(default=A, noise=0)) == A


def test_the_identity_holds_every_setting() -> None:
    """Two models with different rules are never one identity."""
    first, second = _mock(default=A, model="m", model_version="2").identity, _mock(default=B).identity
    assert (first.provider, first.model, first.model_version) == ("mock", "m", "2")
    assert first.details["default"] == A
    assert first != second


def test_an_answer_belongs_to_whoever_asked() -> None:
    """What a caller does to it changes no later answer."""
    mock = _mock(default=A)
    first: Any = mock.decide(_request()).probabilities
    first.clear()
    assert _ask(mock) == A


def test_more_forms_of_labels_than_are_remembered_are_all_answered() -> None:
    """Nothing but the time depends on what is remembered."""
    mock = _mock(default=A)
    for number in range(3000):
        assert _ask(mock, shown=(f"{number}. refund", "none", "repair")) == {
            f"{number}. refund": 0.7,
            "none": 0.1,
            "repair": 0.2,
        }


def test_a_named_mock_is_cacheable_once_it_has_a_version() -> None:
    """The key holds every setting, and what was asked."""
    assert _mock(default=A).sent(_request()) is None
    sent = _mock(default=A, model_version="2", name="spare").sent(_request())
    assert sent is not None
    assert sent["identity"]["name"] == "spare"
    assert sent["identity"]["details"]["default"] == A
    assert sent["decision"]["labels"] == list(LABELS)
    assert sent != _mock(default=B, model_version="2", name="spare").sent(_request())
