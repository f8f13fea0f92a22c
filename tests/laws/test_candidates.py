"""Laws of candidates: they follow from seed, property and case alone, and from their steps again."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from robust import Case
from robust.canon import JsonObject, canonical_bytes, parse_canonical
from robust.records.contract import Contract
from robust.records.properties import FRAGMENTS
from robust.run.pairs import BaseCase, PlannedPair, SkippedCase, plan_pairs
from robust.run.property_plan import plan_properties
from robust.store.contracts import read_contract
from robust.transforms.candidate import SKIP_REASONS, StepError
from robust.transforms.of_property import transformation_of

LIMIT: JsonObject = {"max_flip_rate": 0, "max_tv_distance": 0.1}
# Every property whose candidates are made here, for the types of decision that it has.
ALL: JsonObject = {
    "option_order": {**LIMIT, "samples": 4},
    "label_format": {**LIMIT, "samples": 3, "aliases": {"a": ["first", "one"]}},
    "irrelevant_context": {**LIMIT, "insertions": 3, "samples": 3},
    "repeated_context": {**LIMIT, "repeats": 2, "samples": 2},
    "whitespace": {**LIMIT, "edits": 4, "samples": 3},
    "paraphrase": {**LIMIT, "samples": 2},
}
BY_TYPE: dict[str, JsonObject] = {
    "choice": ALL,
    "noul": {**ALL, "inversion": {**LIMIT, "samples": 3, "rewrites": [{"find": "a", "replace": "not a"}]}},
    "score": {
        **{name: settings for name, settings in ALL.items() if name != "option_order"},
        "monotonic": {"field": "n", "deltas": [1, 0.5, 1e300]},
    },
}
LABELS = {"choice": {"options": ["a", "b", "c"]}, "noul": {"labels": ["a", "b"]}, "score": {"levels": ["a", "b", "c"]}}
texts = st.text(alphabet=st.sampled_from('a b.!\n\t"?(1)。É\u00a0'), max_size=40)
numbers = st.one_of(st.integers(-(10**6), 10**6), st.floats(allow_nan=False, allow_infinity=False))
inputs = st.one_of(
    texts,
    st.fixed_dictionaries({}, optional={"t": st.one_of(texts, numbers), "n": st.one_of(numbers, texts), "x": texts}),
)
types = st.sampled_from(sorted(BY_TYPE))
seeds = st.integers(-(2**53) + 1, 2**53 - 1)


def _contract(kind: str, names: list[str] | None = None) -> Contract:
    properties = BY_TYPE[kind]
    return read_contract(
        {
            "schema_version": "1",
            "decision": {"name": "q", "type": kind, **LABELS[kind]},
            "backend": {"provider": "callable"},
            "oracles": {"policy": "assumed"},
            "fuzz": {"text_field": "t"},
            "properties": properties if names is None else {name: properties[name] for name in names},
        }
    )


def _base(shown: Any, case_id: str = "c", place: int = 0) -> BaseCase:
    stored = parse_canonical(canonical_bytes(shown))
    return BaseCase.of(place, Case(stored, case_id=case_id, source_id="s"), None, (0.5, 0.5))


def _planned(contract: Contract, base: BaseCase, seed: int) -> list[Any]:
    """What is planned of a case, as plain data."""
    made: list[Any] = []
    for item in plan_pairs(plan_properties(contract), base, seed, None):
        if isinstance(item, SkippedCase):
            made.append((item.id, item.reason))
        else:
            made.append(
                (
                    item.id,
                    canonical_bytes([list(item.candidate.steps), item.candidate.input]),
                    item.candidate.presentation,
                )
            )
    return made


@settings(deadline=None)
@given(inputs, types, seeds, st.data())
def test_no_other_property_and_no_other_case_changes_a_candidate(
    shown: Any, kind: str, seed: int, data: st.DataObject
) -> None:
    """With some of the properties, and as another case among others, each has the candidates that it has alone."""
    whole = _planned(_contract(kind), _base(shown), seed)
    names = data.draw(st.lists(st.sampled_from(sorted(BY_TYPE[kind])), min_size=1, unique=True))
    some = _planned(_contract(kind, names), _base(shown, place=data.draw(st.integers(0, 10**6))), seed)
    assert some == [item for item in whole if item[0].split("/")[0] in names]
    assert _planned(_contract(kind), _base(shown), seed) == whole


@settings(deadline=None)
@given(inputs, types, seeds)
def test_candidates_are_distinct_and_change_something(shown: Any, kind: str, seed: int) -> None:
    """But those that ask the same again; and a case without any has a reason."""
    base = _base(shown)
    found: dict[str, list[Any]] = {}
    for item in plan_pairs(plan_properties(_contract(kind)), base, seed, None):
        if isinstance(item, SkippedCase):
            assert item.reason in SKIP_REASONS
            assert item.plan.name not in found
            continue
        assert item.sample == len(found.setdefault(item.plan.name, []))
        candidate = item.candidate
        found[item.plan.name].append((canonical_bytes(candidate.input), candidate.presentation))
        if item.plan.name != "paraphrase":
            assert found[item.plan.name][-1] != (canonical_bytes(base.case.input), None)
    for name, made in found.items():
        assert name == "paraphrase" or len(set(made)) == len(made)


@settings(deadline=None)
@given(inputs, types, seeds)
def test_the_steps_of_a_candidate_make_it_again(shown: Any, kind: str, seed: int) -> None:
    """Of the steps as they were stored; the given input is left as it was."""
    base = _base(shown)
    before = canonical_bytes(base.case.input)
    for item in plan_pairs(plan_properties(_contract(kind)), base, seed, None):
        if isinstance(item, PlannedPair):
            steps = tuple(parse_canonical(canonical_bytes(list(item.candidate.steps))))
            again = item.plan.transformation.apply(base.case.input, steps)
            assert canonical_bytes([again.input]) == canonical_bytes([item.candidate.input])
            assert again.presentation == item.candidate.presentation
            assert canonical_bytes(list(again.steps)) == canonical_bytes(list(item.candidate.steps))
    assert canonical_bytes(base.case.input) == before


@settings(deadline=None)
@given(inputs, types, seeds)
def test_smaller_steps_apply_and_are_smaller(shown: Any, kind: str, seed: int) -> None:
    """Down to nothing: leaving out comes to an end."""
    base = _base(shown)
    for item in plan_pairs(plan_properties(_contract(kind)), base, seed, None):
        if not isinstance(item, PlannedPair):
            continue
        transformation, steps = item.plan.transformation, item.candidate.steps
        for _ in range(10):
            smaller = list(transformation.smaller(steps))
            for fewer in smaller:
                transformation.apply(base.case.input, fewer)
                assert item.plan.name == "option_order" or len(fewer) < len(steps)
            if not smaller:
                break
            steps = smaller[-1]
        assert not list(transformation.smaller(steps))


foreign_steps = st.lists(
    st.dictionaries(
        st.sampled_from(["at", "text", "space", "order", "label", "shown", "find", "replace", "field", "delta"]),
        st.one_of(
            st.integers(-2, 50),
            st.booleans(),
            st.none(),
            st.floats(),
            st.sampled_from(["a", "b", " ", "\t", "A", "first", "not a", "n", FRAGMENTS[0]]),
            st.lists(st.integers(0, 3), max_size=4),
        ),
        max_size=3,
    ),
    max_size=4,
)


@settings(deadline=None)
@given(inputs, types, foreign_steps)
def test_foreign_steps_are_refused_or_make_a_candidate(shown: Any, kind: str, foreign: list[JsonObject]) -> None:
    """Whatever stands in a record: a refusal, never a crash; and what is made differs only as the property may."""
    contract = _contract(kind)
    for name, wanted in contract.properties.enabled().items():
        transformation = transformation_of(wanted, contract.decision.label_order, "t")
        assume(transformation is not None)
        assert transformation is not None
        try:
            candidate = transformation.apply(shown, tuple(foreign))
        except StepError:
            continue
        if name in ("option_order", "label_format", "paraphrase"):
            assert candidate.input == shown
        else:
            assert candidate.presentation is None
            if isinstance(shown, dict):
                assert isinstance(candidate.input, dict)
                field = "n" if name == "monotonic" else "t"
                assert {**candidate.input, field: 0} == {**shown, field: 0}
