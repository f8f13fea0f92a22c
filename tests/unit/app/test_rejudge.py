"""Judging stored answers again by an edited contract: what may change, what may not, and what comes of it."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from robust import (
    BackendFailure,
    CallableBackend,
    DecisionRequest,
    IntegrityError,
    Run,
    UsageError,
    report_run,
    run_contract,
)
from robust.app.reporting import save_report
from robust.canon import JsonObject, digest_value, parse_canonical
from tests.run_fixtures import manifest_of, sure
from tests.unit.app.forging import StoredRun
from tests.unit.app.fragile import FRAGMENT, PROPERTIES, ROWS, contract_of, fragile, run, steady, text_of

# What follows from records and contract together, and is the same whether the contract ran or judged afterwards.
DERIVED = (
    *("status", "exit_code", "mode", "contract", "dataset", "manifest", "seed", "backend", "counts", "metrics"),
    *("confusion", "per_label", "reliability", "errors_by_kind", "base_flips", "properties", "checks"),
    *("failures", "logical_status", "settings"),
)


def derived(report: JsonObject) -> JsonObject:
    """The part of a report that an edited contract decides."""
    return {name: report[name] for name in DERIVED}


def edited(contract: JsonObject, *changes: tuple[str, Any]) -> JsonObject:
    """A copy of a contract with values at dotted paths; None takes a value away."""
    changed = copy.deepcopy(contract)
    for path, value in changes:
        *parents, name = path.split(".")
        section = changed
        for parent in parents:
            section = section.setdefault(parent, {})
        if value is None:
            section.pop(name, None)
        else:
            section[name] = value
    return changed


UNREDUCED: JsonObject = {"text_field": "text", "minimize": False}
EDITS: dict[str, list[tuple[str, Any]]] = {
    "nothing": [],
    "a laxer limit": [("properties.option_order.max_tv_distance", 0.5)],
    "a stricter limit": [("properties.irrelevant_context.max_tv_distance", 0.0)],
    "another kind of limit": [
        ("properties.whitespace.max_flip_rate", None),
        ("properties.whitespace.max_confidence_delta", 0.0),
    ],
    "one more limit": [("properties.option_order.max_flip_rate", 0.2)],
    "a limit on groups": [("properties.option_order.max_group_violation_rate", 0.4)],
    "a rate": [("properties.option_order.max_violation_rate", 0.9)],
    "a level": [("properties.option_order.level", "warning")],
    "golden gates": [("requirements", {"min_accuracy": 0.9, "max_brier": 0.1}), ("warnings", {"max_ece": 0.2})],
    "a threshold": [("evaluation.confidence_threshold", 0.45), ("requirements", {"min_coverage": 0.9})],
    "bins": [("evaluation.calibration_bins", 3), ("warnings", {"max_ece": 0.1})],
    "statistics": [("statistics", {"confidence": 0.8, "judge": "bound"}), ("requirements", {"min_accuracy": 0.2})],
    "a share of valid ones": [("properties.whitespace.min_valid_rate", 0.5)],
}


@pytest.mark.parametrize("edit", EDITS)
def test_judging_again_gives_what_a_run_by_the_edited_contract_gives(tmp_path: Path, edit: str) -> None:
    """The same answers, the same report but for what was observed, and no model."""
    contract = contract_of(fuzz=UNREDUCED)
    changed = edited(contract, *EDITS[edit])
    stored = run(tmp_path, name="stored", sections={"fuzz": UNREDUCED})
    backend = CallableBackend(fragile, inline=True, version="1")
    fresh = run_contract(changed, backend=backend, dataset=ROWS, output=tmp_path / "fresh")
    judged = report_run(stored.path, contract=changed)
    assert derived(judged.report) == derived(fresh.report)
    for name in ("evidence_digest", "answers_digest", "records"):
        assert judged.report[name] == stored.report[name]
    assert (judged.status, judged.exit_code, judged.path) == (fresh.status, fresh.exit_code, stored.path)
    assert (edit == "nothing") == (derived(judged.report) == derived(stored.report))


def test_many_records_and_errors_among_them_are_judged_again(tmp_path: Path) -> None:
    """More than are counted at a time; what ended in an error breaks no limit and stays an error."""
    rows = [
        {"id": f"case {number}", "input": f"Text {number}. More of it.", "expected": "alpha"} for number in range(60)
    ]

    def failing(request: DecisionRequest) -> dict[str, float]:
        if request.case_id.endswith(("7", "8/0")):
            raise BackendFailure("timeout", "too late")
        return fragile(request)

    stored = run(tmp_path, failing, name="stored", rows=rows, sections={"fuzz": UNREDUCED})
    changed = edited(contract_of(fuzz=UNREDUCED), *EDITS["one more limit"], ("requirements", {"max_error_rate": 0.2}))
    backend = CallableBackend(failing, inline=True, version="1")
    fresh = run_contract(changed, backend=backend, dataset=rows, output=tmp_path / "fresh")
    judged = report_run(stored.path, contract=changed)
    assert judged.report["records"]["count"] > 256
    assert judged.report["properties"]["option_order"]["errors_by_kind"] == {"original_error": 18, "timeout": 6}
    assert derived(judged.report) == derived(fresh.report)


NOISY = {"noise": {"baseline_runs": 3}, "properties": {"option_order": {"max_tv_distance": 0.1, "trials": 3}}}


def wavering(request: DecisionRequest) -> dict[str, float]:
    """A model that changes its mind from trial to trial, and by the order of the labels."""
    favourite = (len(request.case_id) + request.trial) % 3 if request.trial else 0
    return {label: 0.6 if place == favourite else 0.2 for place, label in enumerate(request.decision.labels)}


@pytest.mark.parametrize("alpha", [0.0001, 0.5, 0.9999])
def test_the_alpha_of_noise_may_change(tmp_path: Path, alpha: float) -> None:
    """Repeated trials are judged again by the same draws."""
    rows = [{"id": f"case {number}", "input": f"text {number}", "expected": "alpha"} for number in range(6)]
    stored = run(tmp_path, wavering, name="stored", rows=rows, sections={**NOISY, "fuzz": UNREDUCED})
    changed = contract_of(fuzz=UNREDUCED, **edited(NOISY, ("noise.alpha", alpha)))
    backend = CallableBackend(wavering, inline=True, version="1")
    fresh = run_contract(changed, backend=backend, dataset=rows, output=tmp_path / "fresh")
    judged = report_run(stored.path, contract=changed)
    assert derived(judged.report) == derived(fresh.report)
    with pytest.raises(UsageError, match=r"properties\.option_order\.trials: the run had 3, this contract has 2"):
        report_run(stored.path, contract=edited(changed, ("properties.option_order.trials", 2)))
    assert any(check["p_value"] is not None for check in judged.report["checks"])


def test_variants_are_judged_again_by_their_limits(tmp_path: Path) -> None:
    """Those of a manifest, too."""
    manifest = manifest_of({"total 2000": [("total  2000", "invariant"), ("total 5", "counterfactual")], "total 7": []})

    def model(request: DecisionRequest) -> dict[str, float]:
        return sure("yes", 0.9 if request.case_id == "b1" else 0.7)

    def contract(**variants: Any) -> JsonObject:
        decision = {"name": "over_limit", "type": "noul"}
        return {**contract_of(properties={"variants": variants}), "decision": decision}

    reports = []
    for name, limits in (("one", {"max_flip_rate": 0}), ("two", {"max_tv_distance": 0.1, "max_violation_rate": 0.6})):
        finished = run_contract(
            contract(**limits), backend=CallableBackend(model), manifest=manifest, output=tmp_path / name
        )
        reports.append(derived(finished.report))
    judged = report_run(tmp_path / "one", contract=contract(max_tv_distance=0.1, max_violation_rate=0.6))
    assert derived(judged.report) == reports[1] != reports[0]


def test_a_report_says_that_it_was_judged_again_and_its_digest_covers_that(tmp_path: Path) -> None:
    """It names the contract that ran, the run's own report and status, and is another report than both."""
    stored = run(tmp_path)
    changed = contract_of(properties=edited(PROPERTIES, ("option_order.max_tv_distance", 1), ("whitespace", None)))
    judged = report_run(stored.path, contract=changed).report
    assert judged["rejudged"] == {
        "contract": stored.report["contract"]["digest"],
        "report": stored.report["digest"],
        "status": "fail",
        "not_run": [],
        "left_out": ["whitespace"],
    }
    assert judged["records"] == stored.report["records"]
    assert judged["contract"]["digest"] not in (stored.report["contract"]["digest"], None)
    rest = {key: value for key, value in judged.items() if key not in ("digest", "observed")}
    assert judged["digest"] == digest_value(rest)


def test_a_smaller_form_that_breaks_nothing_any_more_is_none(tmp_path: Path) -> None:
    """The failure is then shown by the whole candidate; the counts follow."""
    repeated = {"repeated_context": {"max_tv_distance": 0.1, "fragments": [FRAGMENT], "repeats": 3}}
    stored = run(tmp_path, sections={"properties": repeated})
    (pair,) = [each for each in stored.records() if each["id"] == "repeated_context/a/0"]
    whole, smaller = (each["comparison"]["tv_distance"] for each in (pair, pair["reduced"]))
    assert whole > smaller
    changed = edited(repeated, ("repeated_context.max_tv_distance", (whole + smaller) / 2))
    judged = report_run(stored.path, contract=contract_of(properties=changed)).report
    before, after = (report["properties"]["repeated_context"] for report in (stored.report, judged))
    assert (before["reduced"], after["reduced"], after["violations"]) == (before["violations"], 0, 2)
    assert [item["reduced"] for item in judged["failures"]["first"]] == [False, False]


def test_a_smaller_form_that_breaks_another_limit_than_the_whole_one_is_none(tmp_path: Path) -> None:
    """As in a run by the edited contract."""

    def model(request: DecisionRequest) -> dict[str, float]:
        repeated = text_of(request).count("boiled")
        alpha, beta = {2: (0.3, 0.5), 3: (0.9, 0.05)}.get(repeated, (0.5, 0.3))
        return {"alpha": alpha, "beta": beta, "gamma": 1 - alpha - beta}

    repeated = {"repeated_context": {"max_tv_distance": 0.01, "fragments": [FRAGMENT], "repeats": 3}}
    stored = run(tmp_path, model, name="stored", sections={"properties": repeated})
    limits = ("repeated_context.max_tv_distance", 0.3), ("repeated_context.max_flip_rate", 0.0)
    changed = contract_of(properties=edited(repeated, *limits))
    fresh = run(tmp_path, model, name="fresh", sections={"properties": changed["properties"]})
    judged = report_run(stored.path, contract=changed).report
    assert stored.report["properties"]["repeated_context"]["reduced"] > 0
    assert judged["properties"]["repeated_context"]["reduced"] == 0
    assert derived(judged) == derived(fresh.report)


def test_a_property_that_did_not_run_fails_and_is_named(tmp_path: Path) -> None:
    """Nothing passes for want of pairs."""
    stored = run(tmp_path, steady)
    assert stored.status == "pass"
    more = {"label_format": {"max_tv_distance": 1, "max_flip_rate": 1, "max_group_violation_rate": 1}}
    judged = report_run(stored.path, contract=contract_of(properties={**PROPERTIES, **more})).report
    assert judged["rejudged"]["not_run"] == ["label_format"]
    statuses = {each["check"]: each["status"] for each in judged["checks"]}
    assert {status for check, status in statuses.items() if check.startswith("label_format.")} == {"fail"}
    assert {status for check, status in statuses.items() if not check.startswith("label_format.")} == {"pass"}
    assert (judged["status"], judged["properties"]["label_format"]["planned"]) == ("fail", 0)


def test_a_contract_whose_properties_are_all_turned_off_shows_nothing(tmp_path: Path) -> None:
    """It does not pass either."""
    stored = run(tmp_path, steady)
    off = {name: {**settings, "enabled": False} for name, settings in PROPERTIES.items()}
    judged = report_run(stored.path, contract=contract_of(properties=off))
    assert (judged.status, judged.report["rejudged"]["left_out"]) == ("fail", list(PROPERTIES))


@pytest.mark.parametrize("mode", ["golden", "properties"])
def test_what_was_judged_is_judged_again_and_nothing_else(tmp_path: Path, mode: Any) -> None:
    """A run of golden gates alone judges no properties, and one of properties alone no gates."""
    gates = {"requirements": {"min_accuracy": 0.1}}
    stored = run(tmp_path, only=mode, sections=gates)
    judged = report_run(stored.path, contract=contract_of(requirements={"min_accuracy": 0.99})).report
    assert judged["mode"] == mode
    assert judged["rejudged"]["not_run"] == judged["rejudged"]["left_out"] == []
    assert ("min_accuracy" in {check["check"] for check in judged["checks"]}) == (mode == "golden")
    assert judged["properties"].keys() == (PROPERTIES.keys() if mode == "properties" else set())


OTHER_QUESTIONS: list[tuple[str, Any]] = [
    ("decision.options", ["beta", "alpha", "gamma"]),
    ("decision.description", "What is it about?"),
    ("decision.name", "theme"),
    ("backend.model", "another"),
    ("evaluation.probability_tolerance", 0.01),
    ("fuzz.seed", 3),
    ("fuzz.text_field", "body"),
    ("noise.baseline_runs", 2),
    ("properties.option_order.samples", 2),
    ("properties.option_order.oracle", {"provider": "presentation"}),
    ("properties.irrelevant_context.insertions", 2),
    ("properties.irrelevant_context.fragments", ["Nothing else."]),
    ("properties.whitespace.edits", 4),
    ("split", "test"),
    ("manifest_digest", "sha256:" + "0" * 64),
]


@pytest.mark.parametrize(("path", "value"), OTHER_QUESTIONS, ids=[path for path, _ in OTHER_QUESTIONS])
def test_another_question_is_refused_and_named(tmp_path: Path, path: str, value: Any) -> None:
    """By its place in the contract, with both values: answers to one question say nothing of another."""
    stored = run(tmp_path)
    changed = edited(contract_of(), (path, value))
    if path in ("split", "manifest_digest"):
        changed["manifest"] = "m.manifest.jsonl"
    with pytest.raises(UsageError) as caught:
        report_run(stored.path, contract=changed)
    assert caught.value.exit_code == 2
    for problem in caught.value.problems:
        assert problem.code == "other_question"
        assert (problem.path or "").startswith(path)
        assert "the run had" in problem.message


def test_every_difference_is_named_at_once_with_its_line(tmp_path: Path) -> None:
    """In the file of the edited contract."""
    stored = run(tmp_path)
    file = tmp_path / "edited.yaml"
    file.write_text(
        'schema_version: "1"\n'
        "decision: {name: topic, type: choice, options: [alpha, beta, gamma]}\n"
        "backend: {provider: callable}\n"
        "oracles: {policy: assumed}\n"
        "fuzz: {text_field: text, seed: 9}\n"
        "properties:\n"
        "  option_order: {max_tv_distance: 0.3, samples: 9}\n"
        "  whitespace:\n"
        "    max_flip_rate: 0.5\n"
        "    edits: 2\n",
        encoding="utf-8",
    )
    with pytest.raises(UsageError) as caught:
        report_run(stored.path, contract=file)
    found = [(problem.file, problem.line, problem.path) for problem in caught.value.problems]
    assert found == [
        (str(file), 5, "fuzz.seed"),
        (str(file), 7, "properties.option_order.samples"),
        (str(file), 10, "properties.whitespace.edits"),
    ]


SAME_QUESTIONS: list[tuple[str, Any]] = [
    ("budget", {"max_calls": 1}),
    ("dataset", "elsewhere.jsonl"),
    ("evaluation.max_concurrency", 9),
    ("fuzz.minimize", False),
    ("fuzz.max_minimize_calls", 1),
    ("backends", {"spare": {"provider": "mock"}}),
    ("oracles.default", {"provider": "builtin"}),
    ("policy", {"routes": [{"action": "accept"}]}),
    ("production", {"requirements": {"min_accuracy": 0.5}}),
    ("regression", {"max_accuracy_drop": 0.1}),
    ("properties.label_format", {"max_flip_rate": 0, "samples": 9}),
]


@pytest.mark.parametrize(("path", "value"), SAME_QUESTIONS, ids=[path for path, _ in SAME_QUESTIONS])
def test_what_decides_nothing_that_was_asked_may_differ(tmp_path: Path, path: str, value: Any) -> None:
    """Nor what concerns only properties that did not run."""
    properties = {name: {**settings, "oracle": {"provider": "builtin"}} for name, settings in PROPERTIES.items()}
    sections = {"properties": properties}
    stored = run(tmp_path, sections=sections)
    judged = report_run(stored.path, contract=edited(contract_of(**sections), (path, value)))
    own = [check for check in judged.report["checks"] if not check["check"].startswith("label_format")]
    assert own == stored.report["checks"]


def test_an_oracle_may_be_named_elsewhere_but_must_be_the_same(tmp_path: Path) -> None:
    """One of the contract instead of one of each property."""
    mine = {name: {**settings, "oracle": {"provider": "builtin"}} for name, settings in PROPERTIES.items()}
    stored = run(tmp_path, sections={"properties": mine})
    required = {"policy": "required", "default": {"provider": "builtin"}}
    moved = report_run(stored.path, contract=contract_of(oracles=required))
    assert moved.report["checks"] == stored.report["checks"]
    other = {"policy": "required", "default": {"provider": "builtin", "keep": ["kettle"]}}
    with pytest.raises(UsageError) as caught:
        report_run(stored.path, contract=contract_of(oracles=other))
    assert {problem.path for problem in caught.value.problems} == {f"properties.{name}.oracle.keep" for name in mine}


def test_the_seed_and_the_split_that_were_given_to_the_run_may_stand_in_the_contract(tmp_path: Path) -> None:
    """So may those that stood there when they were overruled."""
    splits = {"one": ["b1"], "two": ["b2"]}
    manifest_of({"total 2000": [], "total 7": []}, splits=splits).save(tmp_path / "m.manifest.jsonl")
    decision = {"name": "over_limit", "type": "noul"}
    whole = {**contract_of(), "decision": decision, "manifest": str(tmp_path / "m.manifest.jsonl"), "split": "one"}

    def first(request: DecisionRequest) -> dict[str, float]:
        return sure("yes")

    options: JsonObject = {"backend": CallableBackend(first), "split": "two", "seed": 5}
    stored = run_contract(whole, output=tmp_path / "run", **options)
    for seed, split in ((0, "one"), (5, "two")):
        again = report_run(
            stored.path, contract={**whole, "split": split, "fuzz": {"text_field": "text", "seed": seed}}
        )
        assert again.report["checks"] == stored.report["checks"]
        assert (again.report["seed"], again.report["manifest"]["split"]) == (5, "two")
    with pytest.raises(UsageError) as caught:
        report_run(stored.path, contract={**whole, "split": "three", "fuzz": {"text_field": "text", "seed": 6}})
    assert [problem.path for problem in caught.value.problems] == ["fuzz.seed", "split"]


def test_only_the_backend_that_ran_must_be_the_same(tmp_path: Path) -> None:
    """One of several that nobody asked may change."""
    mock = {"provider": "mock", "default": {"alpha": 0.4, "beta": 0.3, "gamma": 0.3}}
    sections: JsonObject = {"backend": {"provider": "mock"}, "backends": {"spare": mock}}
    stored = run(tmp_path, "spare", sections=sections)
    unasked = contract_of(**edited(sections, ("backend", {"provider": "callable"})))
    assert report_run(stored.path, contract=unasked).report["checks"] == stored.report["checks"]
    with pytest.raises(UsageError, match=r"backends\.spare\.position_bias: the run had 0, this contract has 0\.1"):
        report_run(stored.path, contract=contract_of(**edited(sections, ("backends.spare.position_bias", 0.1))))
    with pytest.raises(UsageError, match=r"backends\.spare: the run had"):
        report_run(stored.path, contract=contract_of(backend={"provider": "mock"}))


def test_a_stored_report_is_shown_as_it_is(tmp_path: Path) -> None:
    """Byte for byte what is in the folder, with records and failures."""
    stored = run(tmp_path)
    shown = report_run(stored.path)
    assert shown.report == parse_canonical((stored.path / "report.json").read_bytes()[:-1]) == stored.report
    assert list(shown.records()) == list(stored.records())
    assert shown.failures == stored.failures
    assert isinstance(shown, Run)


@pytest.mark.parametrize("contract", [None, contract_of()])
def test_a_run_that_contradicts_itself_is_neither_shown_nor_judged(tmp_path: Path, contract: Any) -> None:
    """E3: a violation was taken out and every digest recomputed."""
    stored = run(tmp_path)
    forged = StoredRun(stored.path)
    record = next(each for each in forged.records if each.get("violations"))
    record["violations"] = []
    forged.fit_records()
    forged.fit_digests()
    forged.save()
    with pytest.raises(IntegrityError) as caught:
        report_run(stored.path, contract=contract)
    assert "$.violations" in {problem.path for problem in caught.value.problems}


def test_nothing_is_written_into_the_folder_of_the_run(tmp_path: Path) -> None:
    """Neither by judging nor by saving what is shown, also not by another way into the folder."""
    stored = run(tmp_path)
    before = {path.name: path.read_bytes() for path in stored.path.iterdir()}
    judged = report_run(stored.path, contract=contract_of())
    (tmp_path / "way in").symlink_to(stored.path)
    for inside in (stored.path / "new.json", stored.path / "report.json", tmp_path / "way in" / "new.json"):
        with pytest.raises(UsageError) as caught:
            save_report("text", inside, judged, overwrite=True)
        assert caught.value.code == "bad_output"
    assert {path.name: path.read_bytes() for path in stored.path.iterdir()} == before
    save_report("text", tmp_path / "new.txt", judged)
    with pytest.raises(UsageError, match="exists"):
        save_report("other", tmp_path / "new.txt", judged)
    assert (tmp_path / "new.txt").read_text(encoding="utf-8") == "text\n"
    save_report("other", tmp_path / "new.txt", judged, overwrite=True)
    assert (tmp_path / "new.txt").read_text(encoding="utf-8") == "other\n"
