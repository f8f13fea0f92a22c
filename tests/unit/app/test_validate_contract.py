"""Checking a contract offline: its backends, oracles and data, the summary, and what is warned of."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robust import (
    BackendError,
    ContractError,
    ContractSummary,
    DataError,
    IntegrityError,
    UsageError,
    validate_contract,
)
from robust.app.contract_warnings import groups_needed, upper_bound
from robust.records.decision import LIMIT_SLACK
from tests.run_fixtures import contract_of, manifest_of

MOCK = {"provider": "mock", "default": {"yes": 0.5, "no": 0.5}}
ASSUMED = {"policy": "assumed"}
GATE = {"min_accuracy": 0.5}
WORDS = """
class Words:
    provenance = {"provider": "words"}

    def __init__(self, settings, *, folder):
        pass

    def paraphrase(self, request):
        raise AssertionError("nobody is asked")
"""


def check(contract: dict[str, Any], **given_: Any) -> ContractSummary:
    return validate_contract(contract_of(**{"backend": MOCK, **contract}), **given_)


def codes(summary: ContractSummary) -> dict[str, str | None]:
    """The code of every warning, and its path."""
    return {problem.code: problem.path for problem in summary.warnings}


def rows(folder: Path, *rows_: dict[str, Any], name: str = "cases.jsonl") -> str:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows_), encoding="utf-8")
    return str(path)


def many(folder: Path, count: int, **more: Any) -> str:
    return rows(folder, *({"id": f"c{n}", "input": f"text {n}", "expected": "no", **more} for n in range(count)))


def test_the_summary_says_what_a_run_would_be_about(tmp_path: Path) -> None:
    """Labels, backends, gates, properties, and the cases as they were read."""
    many(tmp_path, 4, source_id="one source")
    text = """\
schema_version: "1"
decision: {name: q, type: noul}
backend: {provider: http, url: "http://127.0.0.1:1"}
backends: {offline: {provider: mock, model: m}}
dataset: cases.jsonl
requirements: {min_accuracy: 0.5}
warnings: {max_brier: 0.5}
properties:
  whitespace: {max_flip_rate: 0}
  variants: {enabled: false}
oracles: {default: builtin}
"""
    (tmp_path / "c.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ContractError, match="a data set has no variants"):
        validate_contract(contract_of(dataset="x", properties={"variants": {}}))
    summary = validate_contract(tmp_path / "c.yaml")
    assert codes(summary) == {}
    shown = json.loads(json.dumps(summary.to_json()))
    assert shown["digest"] == summary.digest == summary.contract.digest
    assert shown["decision"] == {"name": "q", "type": "noul", "labels": ["yes", "no"]}
    assert [(each["name"], each["provider"], each["model"]) for each in shown["backends"]] == [
        ("default", "http", None),
        ("offline", "mock", "m"),
    ]
    assert (shown["requirements"], shown["warnings"]) == ({"min_accuracy": 0.5}, {"max_brier": 0.5})
    assert [(each["name"], each["enabled"], each["oracle"]) for each in shown["properties"]] == [
        ("whitespace", True, "builtin"),
        ("variants", False, None),
    ]
    data = shown["data"]
    assert (data["kind"], data["name"], data["splits"]) == ("dataset", "cases.jsonl", [])
    assert (data["cases"], data["labelled"], data["groups"], data["variants"]) == (4, 4, 1, 0)


def test_a_manifest_is_read_with_the_split_that_the_contract_names(tmp_path: Path) -> None:
    """With all splits where it names none, which is said; what is given goes before what is named."""
    manifest = manifest_of(
        {"I owe 5": [("I owe  5", "invariant")], "I owe 7000": []}, splits={"a": ["b1"], "b": ["b2"]}
    )
    manifest.save(tmp_path / "m.jsonl")
    one = check({"manifest": str(tmp_path / "m.jsonl"), "split": "a", "requirements": GATE})
    assert one.data is not None
    assert (one.data.kind, one.data.digest, one.data.splits) == ("manifest", manifest.digest, ("a",))
    assert (one.data.cases, one.data.variants, codes(one)) == (1, 1, {})
    whole = check({"requirements": GATE}, manifest=manifest)
    assert whole.data is not None
    assert (whole.data.splits, whole.data.cases, whole.data.variants) == (("a", "b"), 2, 1)
    assert codes(whole) == {"no_split": "manifest"}
    given_ = check({"manifest": "missing.jsonl", "requirements": GATE}, dataset=many(tmp_path, 3))
    assert given_.data is not None
    assert (given_.data.kind, given_.data.cases) == ("dataset", 3)


def test_every_backend_is_built_and_all_that_cannot_be_are_named(tmp_path: Path) -> None:
    """With the lines of their settings; what comes from Python is left alone."""
    text = """\
schema_version: "1"
decision: {name: q, type: choice, options: [%s], description: Which?}
backend: callable
backends:
  one: {provider: no-such-plugin}
  two:
    provider: openai
    url: http://127.0.0.1:1
    model: m
  three: mcok
"""
    path = tmp_path / "c.yaml"
    path.write_text(text % ", ".join(f"o{n}" for n in range(30)), encoding="utf-8")
    with pytest.raises(ContractError) as caught:
        validate_contract(path)
    found = {problem.path: problem for problem in caught.value.problems}
    assert found["backends.one.provider"].line == 5
    assert found["backends.three.provider"].line == 10
    assert found["backends.three.provider"].hint == "did you mean 'mock'?"
    (options,) = [problem for where, problem in found.items() if where and where.startswith("backends.two")]
    assert options.line in range(6, 10)
    assert {problem.file for problem in caught.value.problems} == {str(path)}


def test_oracles_and_paraphrasers_are_looked_for() -> None:
    """Plugins among the installed packages, files where the contract says."""
    contract = contract_of(
        backend=MOCK,
        properties={
            "whitespace": {"max_flip_rate": 0, "oracle": {"provider": "no-such-oracle"}},
            "option_order": {"max_flip_rate": 0, "oracle": {"provider": "reviewed", "path": "nowhere.jsonl"}},
            "paraphrase": {"max_flip_rate": 0, "source": {"provider": "no-such-source"}},
        },
        oracles={"default": "builtin"},
    )
    with pytest.raises(ContractError) as caught:
        validate_contract(contract)
    assert [(problem.code, problem.path or problem.file) for problem in caught.value.problems] == [
        ("unreadable", "nowhere.jsonl"),
        ("unknown_provider", "properties.whitespace.oracle.provider"),
        ("unknown_provider", "properties.paraphrase.source.provider"),
    ]


def test_an_installed_plugin_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its entry point: a paraphraser is made, to see that it can be; of an oracle nothing is imported."""
    (tmp_path / "house_words.py").write_text(WORDS, encoding="utf-8")
    information = tmp_path / "house_rules-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: house-rules\nVersion: 1.0\n", encoding="utf-8")
    points = "[robust.oracles]\nhouse = no_such_module:oracle\n[robust.paraphrasers]\nwords = house_words:Words\n"
    (information / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    properties = {"paraphrase": {"max_flip_rate": 0, "source": "words", "oracle": "house"}}
    assert codes(check({"properties": properties}, dataset=many(tmp_path, 1))) == {}
    points = points.replace("house_words:Words", "house_words:nothing")
    (information / "entry_points.txt").write_text(points, encoding="utf-8")
    with pytest.raises(ContractError) as caught:
        check({"properties": properties}, dataset=many(tmp_path, 1))
    assert [(problem.code, problem.path) for problem in caught.value.problems] == [
        ("bad_plugin", "properties.paraphrase.source.provider")
    ]


def test_a_damaged_file_of_validations_is_an_integrity_error(tmp_path: Path) -> None:
    """As everywhere else."""
    (tmp_path / "reviewed.jsonl").write_text("{}\n", encoding="utf-8")
    oracle = {"provider": "reviewed", "path": str(tmp_path / "reviewed.jsonl")}
    with pytest.raises(IntegrityError):
        check({"oracles": {"default": oracle}})


def test_what_is_wrong_with_the_data_is_an_error_of_the_data(tmp_path: Path) -> None:
    """Labels that are none, a missing file, another manifest than the pinned one."""
    with pytest.raises(DataError, match="no label"):
        check({}, dataset=rows(tmp_path, {"id": "a", "input": "x", "expected": "perhaps"}))
    with pytest.raises(UsageError, match=r"missing\.jsonl"):
        check({"dataset": "missing.jsonl"})
    path = tmp_path / "c.yaml"
    manifest_of({"I owe 5": []}).save(tmp_path / "m.jsonl")
    pin = "sha256:" + "0" * 64
    text = 'schema_version: "1"\ndecision: {name: q, type: noul}\nbackend: mock\n'
    path.write_text(f'{text}manifest: m.jsonl\nmanifest_digest: "{pin}"\n', encoding="utf-8")
    with pytest.raises(IntegrityError) as caught:
        validate_contract(path)
    problem = caught.value.problems[0]
    assert (problem.file, problem.line, problem.path) == (str(path), 5, "manifest_digest")


def test_a_backend_that_cannot_be_built_from_python_data_has_its_path() -> None:
    """Without file and line."""
    with pytest.raises(ContractError) as caught:
        check({"backends": {"x": "nobody"}})
    problem = caught.value.problems[0]
    assert (problem.file, problem.line, problem.path) == (None, None, "backends.x.provider")
    assert not isinstance(caught.value, BackendError)


@pytest.mark.parametrize(
    ("sections", "code", "path"),
    [
        ({}, "no_gates", None),
        ({"properties": {"monotonic": {"field": "age", "enabled": False}}}, "no_gates", None),
        (
            {"properties": {"whitespace": {"max_tv_distance": 0, "max_group_violation_rate": 0.05}}},
            "too_few_groups",
            "properties.whitespace.max_group_violation_rate",
        ),
        (
            {"properties": {"whitespace": {"max_tv_distance": 0, "max_group_violation_rate": 0}}},
            "too_few_groups",
            "properties.whitespace.max_group_violation_rate",
        ),
        (
            {"properties": {"whitespace": {"max_flip_rate": 0, "max_group_violation_rate": 1}}},
            "no_pair_limit",
            "properties.whitespace.max_group_violation_rate",
        ),
        (
            {"properties": {"whitespace": {"max_flip_rate": 0, "oracle": "presentation"}}},
            "never_valid",
            "properties.whitespace",
        ),
        (
            {"properties": {"inversion": {"max_flip_rate": 0, "rewrites": [{"find": "text", "replace": "no text"}]}},
             "oracles": {"default": "builtin"}},
            "never_valid",
            "properties.inversion",
        ),
        (
            {"properties": {"inversion": {"max_flip_rate": 0, "rewrites": [{"find": "absent", "replace": "x"}]}}},
            "nothing_to_transform",
            "properties.inversion",
        ),
        (
            {"backend": {"provider": "mock", "model": "Little-1"},
             "properties": {"paraphrase": {"max_flip_rate": 0, "source": {"provider": "openai", "model": "little-1"}}}},
            "own_paraphraser",
            "properties.paraphrase.source.model",
        ),
        ({"production": {"segment_warnings": {"min_accuracy": 0.5}}}, "no_segments", "production.segment_warnings"),
        (
            {"policy": {"routes": [{"when": {"confidence_gte": 0.5}, "action": "accept"}, {"action": "abstain"}]}},
            "unreachable_route",
            "policy.routes[0].when",
        ),
    ],
)  # fmt: skip
def test_what_cannot_work_out_is_warned_of(
    tmp_path: Path, sections: dict[str, Any], code: str, path: str | None
) -> None:
    """Nothing is wrong with it, so it is no error."""
    beside = {} if code == "no_gates" else {"requirements": GATE}
    summary = check({"oracles": ASSUMED, **beside, **sections}, dataset=many(tmp_path, 5))
    assert codes(summary) == {code: path}
    assert summary.warnings[0].message


def test_data_that_cannot_show_something_is_warned_of(tmp_path: Path) -> None:
    """No data, no known answer, objects without a text field, no number under the field, no variants."""
    assert codes(check({"requirements": GATE})) == {"no_data": None}
    unlabelled = rows(tmp_path, {"id": "a", "input": {"note": "x"}})
    summary = check(
        {"warnings": {"max_ece": 1}, "properties": {"whitespace": {"max_flip_rate": 0}}, "oracles": ASSUMED},
        dataset=unlabelled,
    )
    assert codes(summary) == {"no_labels": "warnings.max_ece", "nothing_to_transform": "properties.whitespace"}
    more = {"fuzz": {"text_field": "note"}, "properties": {"whitespace": {"max_flip_rate": 0}}, "oracles": ASSUMED}
    assert codes(check(more, dataset=unlabelled)) == {}
    scale = {"name": "q", "type": "score", "levels": ["1", "2"]}
    score = {"decision": scale, "backend": "mock", "properties": {"monotonic": {"field": "note"}}, "oracles": ASSUMED}
    assert codes(check(score, dataset=unlabelled)) == {"nothing_to_transform": "properties.monotonic"}
    variants: dict[str, Any] = {"properties": {"variants": {}}}
    assert codes(check(variants)) == {"no_data": None, "no_variants": "properties.variants"}
    assert codes(check(variants, manifest=manifest_of({"I owe 5": []}))) == {"no_variants": "properties.variants"}


@pytest.mark.parametrize(("groups", "warned"), [(58, True), (59, False)])
def test_a_limit_of_a_twentieth_needs_59_groups(tmp_path: Path, groups: int, warned: bool) -> None:
    """At 95 %: with 58 even zero violations could not show it."""
    properties = {"whitespace": {"max_tv_distance": 0.1, "max_group_violation_rate": 0.05}}
    summary = check({"properties": properties, "oracles": ASSUMED}, dataset=many(tmp_path, groups))
    assert ("too_few_groups" in codes(summary)) is warned
    if warned:
        assert "needs 59 groups" in summary.warnings[0].message


def test_the_groups_of_variants_are_those_that_have_variants(tmp_path: Path) -> None:
    """A base without one is no trial of the property."""
    bases = {f"I owe {n}": [(f"I owe  {n}", "invariant")] if n < 3 else [] for n in range(1, 7)}
    properties = {"variants": {"max_group_violation_rate": 0.5}}
    summary = check({"properties": properties}, manifest=manifest_of(bases))
    assert codes(summary) == {"too_few_groups": "properties.variants.max_group_violation_rate"}
    assert "over 2 source groups" in summary.warnings[0].message


@given(st.floats(1e-4, 1), st.floats(0.5, 0.999))
def test_the_groups_that_are_needed_are_the_fewest_that_will_do(limit: float, confidence: float) -> None:
    """Their bound is within the limit, that of one group less is not."""
    needed = groups_needed(limit, confidence)
    assert needed is not None
    assert upper_bound(needed, confidence) <= limit + 2 * LIMIT_SLACK
    assert needed == 1 or upper_bound(needed - 1, confidence) > limit


def test_the_bound_of_no_violation_is_the_exact_one() -> None:
    """The n-th root of what is left of the confidence; with no group nothing is shown."""
    assert groups_needed(0.05, 0.95) == 59
    assert groups_needed(0, 0.95) is None
    assert math.isclose(upper_bound(59, 0.95), 1 - 0.05 ** (1 / 59))
    assert upper_bound(0, 0.95) == 1
