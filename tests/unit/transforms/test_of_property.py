"""Which transformation a property has, and the random stream of each of its cases."""

from __future__ import annotations

import subprocess
import sys

import pytest

from robust.canon import RandomStream
from robust.records.contract import Contract
from robust.store.contracts import read_contract
from robust.transforms.candidate import GENERATOR, SKIP_REASONS
from robust.transforms.of_property import stream_of, transformation_of

# Candidates of every property that draws, for ever: old runs are checked by making them again.
GOLDEN = {
    "option_order": [["c", "a", "b"], ["b", "a", "c"]],
    "label_format": [["A) a", "B) b", "C) c"], ['"a"', '"b"', '"c"']],
    "irrelevant_context": [
        "It rained. Then it stopped. The afternoon was calm and a little cloudy.",
        "The radio played softly in another room. It rained. Then it stopped.",
    ],
    "repeated_context": ["Blue. It rained. Blue. Blue. Then it stopped."],
    "whitespace": [" It rained. Then it \nstopped.\n", "It rained.  Then\nit \nstopped."],
}
PROGRAM = """
from tests.unit.transforms.test_of_property import generated
print(generated())
"""


def _contract() -> Contract:
    limit = {"max_flip_rate": 0, "samples": 2}
    return read_contract(
        {
            "schema_version": "1",
            "decision": {"name": "q", "type": "choice", "options": ["a", "b", "c"]},
            "backend": {"provider": "callable"},
            "oracles": {"policy": "assumed"},
            "properties": {
                "option_order": limit,
                "label_format": limit,
                "irrelevant_context": limit,
                "repeated_context": {**limit, "samples": 1, "fragments": ["Blue.", "Red."]},
                "whitespace": limit,
                "paraphrase": limit,
                "variants": {},
            },
        }
    )


def generated() -> dict[str, list[object]]:
    """What each property makes of one case: the labels as shown, or the text."""
    made: dict[str, list[object]] = {}
    for name, settings in _contract().properties.enabled().items():
        transformation = transformation_of(settings, ("a", "b", "c"), None)
        if transformation is None:
            continue
        candidates = transformation.generate("It rained. Then it stopped.", stream_of(7, name, "case 1"))
        assert isinstance(candidates, list)
        made[name] = [
            [shown for shown, _ in candidate.presentation] if candidate.presentation else candidate.input
            for candidate in candidates
        ]
    return made


def test_the_candidates_are_these_for_ever() -> None:
    """Exactly, on every platform; another way to make them needs another name of the generator."""
    made = generated()
    assert {name: made[name] for name in GOLDEN} == GOLDEN
    assert made["paraphrase"] == ["It rained. Then it stopped."] * 2
    assert GENERATOR == "robust.candidates/1"


@pytest.mark.parametrize("seed", ["0", "1", "random"])
def test_another_process_makes_the_same(seed: str) -> None:
    """Whatever its hashes of texts are."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{generated()}\n"


def test_the_manifests_own_variants_are_not_made() -> None:
    """They need no transformation."""
    settings = _contract().properties.variants
    assert settings is not None
    assert transformation_of(settings, ("a", "b"), None) is None


def test_every_seed_property_and_case_has_a_stream_of_its_own() -> None:
    """Made of the generator's name and nothing else besides."""
    asked = [(seed, name, case) for seed in (0, 1) for name in ("p", "q") for case in ("a", "b", "é", '"')]
    drawn = [stream_of(*parts).below(2**64) for parts in asked]
    assert len(set(drawn)) == len(drawn)
    assert drawn == [RandomStream(GENERATOR, *parts).below(2**64) for parts in asked]


def test_every_reason_to_skip_a_case_is_a_code() -> None:
    """Lower case with underscores, as reports show them."""
    assert len(set(SKIP_REASONS)) == len(SKIP_REASONS) == 8
    assert all(reason.replace("_", "").islower() for reason in SKIP_REASONS)
