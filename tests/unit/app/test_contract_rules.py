"""What a contract may not say: each rule is refused with its line, its path and a remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from robust.errors import ContractError
from robust.store.contracts import read_contract
from tests.unit.app.contract_texts import HEAD, choice, placed, read, refused

PIN = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("before", "after", "path", "says"),
    [
        ("[a, b]", "[a]", "decision.options", "at least 2"),
        ("[a, b]", "[a, a]", "decision.options", "twice"),
        ("[a, b]", "[a, ' b']", "decision.options[1]", "space around"),
        ("[a, b]", "['', b]", "decision.options[0]", "empty"),
        ("[a, b]", '["a\\u202e", b]', "decision.options[0]", "cannot be shown"),
        ("[a, b]", '["a\\u2028b", b]', "decision.options[0]", "cannot be shown"),
        ("[a, b]", "a", "decision.options", "a list is due"),
        ("[a, b]", "[a, [b]]", "decision.options[1]", "a label is text"),
        ("options:", "labels:", "decision.labels", "options, not labels"),
        ("type: choice", "type: noul", "decision.options", "labels, not options"),
        ("type: choice", "type: score", "decision.options", "levels, not options"),
        ("type: choice", "type: chioce", "decision.type", "'choice'"),
        ("name: q", "name: a b", "decision.name", "start with a letter or digit"),
        ("name: q", "name: .q", "decision.name", "must start with"),
        ("name: q", "name: [q]", "decision.name", "text is due"),
        ("  name: q\n", "", "decision.name", "missing"),
        ("  options: [a, b]\n", "", "decision.options", "needs options"),
        ("backend: mock\n", "", "backend", "missing"),
        ("backend: mock", "backend: 'g p t'", "backend.provider", "letter or digit"),
        ("backend: mock", "backend: {model: m}", "backend.provider", "missing"),
        ("backend: mock", "backend: [mock]", "backend", "with a provider"),
        ("backend: mock", "backend:", "backend", "not null"),
        ("backend: mock", "backend: {provider: callable, noise: 0.1}", "backend.noise", "no setting 'noise'"),
        ("backend: mock", "backend: {provider: mock, noise: 1.1}", "backend.noise", "at most 1"),
        ('"1"', '"2"', "schema_version", "'0.1'"),
    ],
)
def test_a_broken_rule_is_refused_with_its_place(tmp_path: Path, before: str, after: str, path: str, says: str) -> None:
    """One change of a good contract, one problem."""
    error = refused(tmp_path, HEAD.replace(before, after))
    assert [problem.path for problem in error.problems] == [path]
    assert says in error.problems[0].message
    assert error.problems[0].line is not None


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("dataset: d.jsonl\nmanifest: m.jsonl\n", "exclude each other"),
        ("dataset: d.jsonl\nsplit: dev\n", "split"),
        (f"manifest_digest: {PIN}\n", "pins a manifest"),
        ("manifest: m.jsonl\nmanifest_digest: 1234\n", "64 hex digits"),
        ("requirements: {min_coverage: 0.5}\n", "confidence_threshold"),
        ("warnings: {max_abstention_rate: 0.5}\n", "confidence_threshold"),
        ("requirements: {min_selective_accuracy: 0.5}\n", "confidence_threshold"),
    ],
)
def test_impossible_combinations_are_refused(tmp_path: Path, more: str, says: str) -> None:
    """Sections that contradict each other."""
    error = refused(tmp_path, HEAD + more)
    assert len(error.problems) == 1
    assert says in error.problems[0].message


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ("requirements: {min_accuracy: 1.01}\n", "requirements.min_accuracy"),
        ("warnings: {max_error_rate: -0.1}\n", "warnings.max_error_rate"),
        ("evaluation: {confidence_threshold: 2}\n", "evaluation.confidence_threshold"),
        ("evaluation: {calibration_bins: 0}\n", "evaluation.calibration_bins"),
        ("evaluation: {calibration_bins: 1001}\n", "evaluation.calibration_bins"),
        ("evaluation: {probability_tolerance: 0}\n", "evaluation.probability_tolerance"),
        ("evaluation: {probability_tolerance: 0.11}\n", "evaluation.probability_tolerance"),
        ("evaluation: {max_concurrency: 257}\n", "evaluation.max_concurrency"),
        ("properties: {variants: {max_violation_rate: 2}}\n", "properties.variants.max_violation_rate"),
        ("properties: {variants: {level: must}}\n", "properties.variants.level"),
        ("properties: {variants: [1]}\n", "properties.variants"),
        ("requirements: 5\n", "requirements"),
        ("dataset: {path: x}\n", "dataset"),
    ],
)
def test_values_out_of_range_or_of_the_wrong_type_are_refused(tmp_path: Path, more: str, path: str) -> None:
    """Each with the dotted path and the line of the value."""
    assert placed(refused(tmp_path, HEAD + more)) == [("wrong_value", 7, path)]


@pytest.mark.parametrize(
    "edge", ["calibration_bins: 1", "calibration_bins: 1000", "probability_tolerance: 0.1", "max_concurrency: 256"]
)
def test_the_edges_of_a_range_are_inside(edge: str) -> None:
    """The documented limits are allowed."""
    name, _, value = edge.partition(": ")
    assert getattr(read(f"{HEAD}evaluation: {{{edge}}}\n").evaluation, name) == float(value)


@pytest.mark.parametrize("more", ["manifest: m.jsonl\n", "split: dev\n", "properties:\n  variants: {}\n"])
def test_what_came_with_schema_1_is_refused_under_01(tmp_path: Path, more: str) -> None:
    """The message names the section and the version it needs; the old version alone is accepted, quoted or not."""
    old = HEAD.replace('"1"', "0.1")
    assert read(old).schema_version == "0.1"
    error = refused(tmp_path, old + more)
    assert 'needs schema_version: "1"' in error.problems[0].message


def test_an_unknown_key_gets_its_line_and_a_suggestion(tmp_path: Path) -> None:
    """R8."""
    error = refused(tmp_path, HEAD + "requirements:\n  min_acuracy: 0.9\n")
    assert placed(error) == [("unknown_key", 8, "requirements.min_acuracy")]
    assert error.problems[0].hint == "did you mean 'min_accuracy'?"


def test_an_unknown_section_is_named_in_its_own_line(tmp_path: Path) -> None:
    """Also where its content begins in the next one."""
    error = refused(tmp_path, HEAD + "requirments:\n  min_accuracy: 0.9\n")
    assert placed(error) == [("unknown_key", 7, "requirments")]
    assert error.problems[0].hint == "did you mean 'requirements'?"


def test_an_unknown_key_that_resembles_none_gets_the_list(tmp_path: Path) -> None:
    """What may stand there instead."""
    error = refused(tmp_path, HEAD + "properties: {variants: {zzz: 1}}\n")
    assert "max_violation_rate" in (error.problems[0].hint or "")


def test_every_problem_is_reported_at_once_in_the_order_of_lines(tmp_path: Path) -> None:
    """Five faults, five problems."""
    text = choice(
        "[a]", "warnings: {max_acuracy: 1}\nrequirements: {min_accuracy: x}\nevaluation: {max_concurrency: 0}\n"
    )
    error = refused(tmp_path, text.replace('"1"', '"3"'))
    lines = [problem.line for problem in error.problems]
    assert len(lines) == 5
    assert lines == sorted(line for line in lines if line)


def test_a_dict_from_python_is_checked_like_a_file() -> None:
    """The same paths, without lines; numbers that no float holds are wrong values too."""
    with pytest.raises(ContractError) as caught:
        read_contract(
            {"schema_version": "1", "decision": {"name": "q", "type": "noul"}, "backend": "mock", "splt": "x"}
        )
    assert placed(caught.value) == [("unknown_key", None, "splt")]
    with pytest.raises(ContractError) as caught:
        read_contract(
            {
                "schema_version": "1",
                "decision": {"name": "q", "type": "noul"},
                "backend": "mock",
                "requirements": {"min_accuracy": 10**400},
            }
        )
    assert caught.value.problems[0].path == "requirements.min_accuracy"
