"""Rows of the acceptance table about properties, with the command: T2, T3, B2, B13, B15, E3."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from robust.canon import JsonObject
from tests.run_fixtures import logical, manifest_of, robust
from tests.servers import decision_server
from tests.unit.app.forging import StoredRun, paths_of

SURE = {"yes": 0.9, "no": 0.1}


def _folder(folder: Path, properties: JsonObject, texts: list[Any], **sections: Any) -> Path:
    """A folder with a contract and a data set."""
    data = {
        "schema_version": "1",
        "decision": {"name": "q", "type": "noul"},
        "backend": {"provider": "mock", "default": SURE},
        "dataset": "cases.jsonl",
        "properties": properties,
        **sections,
    }
    (folder / "contract.json").write_text(json.dumps(data), encoding="utf-8")
    rows = [{"id": f"c{n}", "input": text} for n, text in enumerate(texts)]
    (folder / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


def _run(folder: Path, *options: str, env: dict[str, str] | None = None, out: str = "out") -> tuple[int, Any]:
    """The exit code, and the report of a run."""
    done = robust("run", "contract.json", "-o", out, "-f", "json", *options, cwd=folder, env=env)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def _records(folder: Path, out: str = "out") -> list[JsonObject]:
    lines = (folder / out / "records.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _checks(report: Any) -> dict[str, str]:
    return {check["check"]: check["status"] for check in report["checks"]}


def _check(report: Any, name: str) -> Any:
    return next(check for check in report["checks"] if check["check"] == name)


def test_t2_a_one_word_text_is_skipped_and_nothing_usable_never_passes(tmp_path: Path) -> None:
    """T2: each with its reason; a property without a pair does not hold, and neither does one without a valid one."""
    loose = {"max_flip_rate": 1, "max_tv_distance": 1, "max_violation_rate": 1}
    oracles = {"default": "builtin"}
    folder = _folder(tmp_path, {"whitespace": loose}, ["word", "1 000", " "], oracles=oracles)
    code, report = _run(folder)
    assert (code, report["status"]) == (1, "fail")
    assert report["properties"]["whitespace"]["skipped_by_reason"] == {"blank_text": 1, "no_white_space": 2}
    skips = [record for record in _records(folder) if record["kind"] == "skip"]
    reasons = {f"{record['property']}/{record['case_id']}": record["reason"] for record in skips}
    assert reasons == {
        "whitespace/c0": "no_white_space",
        "whitespace/c1": "no_white_space",
        "whitespace/c2": "blank_text",
    }
    assert _checks(report)["whitespace.max_error_rate"] == "fail"
    # An oracle that cannot judge the property leaves all of its candidates unknown.
    unfit = {**loose, "oracle": "presentation"}
    code, report = _run(_folder(tmp_path, {"whitespace": unfit}, ["two words"]), out="unfit")
    assert (code, report["status"]) == (1, "fail")
    assert (report["counts"]["unknown"], report["counts"]["valid"]) == (2, 0)
    assert all("result" not in record for record in _records(folder, "unfit") if record["kind"] == "pair")


def test_t3_a_typo_variant_and_a_counterfactual_are_handled_by_their_relations(tmp_path: Path) -> None:
    """T3: in one run, beside a property; the model must keep its answer to the one and change it to the other."""
    variants = {"total 2000": [("totl 2000", "invariant"), ("total 20", "counterfactual")]}
    manifest_of(variants).save(tmp_path / "m.manifest.jsonl")
    folder = _folder(
        tmp_path,
        {"variants": {"max_violation_rate": 0, "max_flip_rate": 0}, "whitespace": {"max_flip_rate": 0}},
        [],
        oracles={"default": "builtin"},
        backend={
            "provider": "mock",
            "rules": [{"contains": "2000", "probabilities": SURE}],
            "default": {"yes": 0.2, "no": 0.8},
        },
    )
    data = json.loads((folder / "contract.json").read_text(encoding="utf-8"))
    del data["dataset"]
    (folder / "contract.json").write_text(json.dumps({**data, "manifest": "m.manifest.jsonl"}), encoding="utf-8")
    code, report = _run(folder)
    assert (code, report["status"]) == (0, "pass")
    tables = report["properties"]["variants"]["by_relation"]
    assert {name: table["base_right_variant_right"] for name, table in tables.items()} == {
        "invariant": 1,
        "counterfactual": 1,
    }
    stubborn = {**data, "manifest": "m.manifest.jsonl", "backend": {"provider": "mock", "default": SURE}}
    (folder / "contract.json").write_text(json.dumps(stubborn), encoding="utf-8")
    code, report = _run(folder, out="stubborn")
    assert code == 1
    violated = [record["id"] for record in _records(folder, "stubborn") if record.get("violations")]
    assert violated == ["variants/b1/1"]
    assert robust("verify", "stubborn", "m.manifest.jsonl", cwd=folder).returncode == 0


def test_b2_the_same_input_asked_five_times_is_five_calls(tmp_path: Path) -> None:
    """B2: with a cache, too; five results, which a second run takes from the cache, each its own."""
    given = iter([index / 100 for index in range(50, 90)])

    def model(_content: Any, labels: Any) -> list[float]:
        share = next(given)
        return [share, 1 - share]

    with decision_server(model) as server:
        folder = _folder(
            tmp_path,
            {"paraphrase": {"max_flip_rate": 1, "samples": 5}},
            ["text"],
            backend={"provider": "http", "url": server.url},
            evaluation={"max_concurrency": 1},
            oracles={"default": "builtin"},
        )
        first = _run(folder, "--cache", "answers.cache")[1]
        asked = [seen.json["case_id"] for seen in server.seen]
        assert sorted(asked) == ["c0", "c0", *(f"paraphrase/c0/{sample}" for sample in range(5))]
        again = _run(folder, "--cache", "answers.cache", out="again")[1]
        assert len(server.seen) == 7
    pairs = [record for record in _records(folder) if record["kind"] == "pair"]
    assert len({pair["result"]["probabilities"]["yes"] for pair in pairs}) == 5
    assert first["evidence_digest"] == again["evidence_digest"]
    assert (again["observed"]["calls"], again["observed"]["cached"]) == (0, 7)


@pytest.mark.parametrize(("limit", "code"), [(0.03, 0), (0.0301, 0), (0.0299, 1)])
def test_b13_a_move_of_exactly_the_limit_holds(tmp_path: Path, limit: float, code: int) -> None:
    """B13: 0.7 to 0.67 and 0.7 to 0.73, whose distances are not exactly 0.03 in doubles."""
    rules = [
        {"contains": "kettle", "probabilities": {"yes": 0.67, "no": 0.33}},
        {"contains": "curtain", "probabilities": {"yes": 0.73, "no": 0.27}},
    ]
    settings = {"max_tv_distance": limit, "fragments": ["The kettle.", "The curtain."], "samples": 4}
    folder = _folder(
        tmp_path,
        {"irrelevant_context": settings},
        ["A text."],
        oracles={"default": "builtin"},
        backend={"provider": "mock", "rules": rules, "default": {"yes": 0.7, "no": 0.3}},
    )
    found, report = _run(folder)
    summary = report["properties"]["irrelevant_context"]
    assert (found, summary["compared"]) == (code, 4)
    assert summary["max_tv_distance"] == pytest.approx(0.03, abs=1e-12)
    assert _checks(report)["irrelevant_context.max_violation_rate"] == ("fail" if code else "pass")


def test_b15_random_flips_of_a_model_are_told_from_findings(tmp_path: Path) -> None:
    """B15: 20 % of its calls flip; its base flip rate is shown, and with noise a no-op property is not a violation."""
    texts = [f"text {n} of them." for n in range(40)]
    backend = {"provider": "mock", "default": SURE, "noise": 0.2}
    properties = {"whitespace": {"max_flip_rate": 0, "max_tv_distance": 0.05, "samples": 2}}
    sections: Any = {"backend": backend, "oracles": {"default": "builtin"}, "fuzz": {"minimize": False}}
    code, plain = _run(_folder(tmp_path, properties, texts, **sections))
    assert (code, _checks(plain)["whitespace.max_flip_rate"]) == (1, "fail")
    assert 0.1 < plain["properties"]["whitespace"]["base_flip_rate"] < 0.6
    noisy = {"whitespace": {**properties["whitespace"], "trials": 3}}
    folder = _folder(tmp_path, noisy, texts, **sections, noise={"baseline_runs": 5})
    code, report = _run(folder, out="noise")
    assert (code, report["status"]) == (0, "pass")
    assert 0.2 < report["properties"]["whitespace"]["base_flip_rate"] < 0.45
    for gate in ("max_flip_rate", "max_violation_rate"):
        check = _check(report, f"whitespace.{gate}")
        assert (check["status"], check["noise"]) == ("pass", True)
        assert check["value"] > 0
        assert check["p_value"] >= 0.05
    assert robust("verify", "noise", cwd=folder).returncode == 0


FALLS: Any = {
    "backend": {
        "provider": "mock",
        "rules": [{"contains": "kettle", "probabilities": {"yes": 0.2, "no": 0.8}}],
        "default": SURE,
    },
    "oracles": {"default": "builtin"},
}
CONTEXT: JsonObject = {
    "irrelevant_context": {
        "max_flip_rate": 0,
        "max_tv_distance": 0.1,
        "fragments": ["The kettle.", "The door.", "The fence."],
        "insertions": 3,
    },
    "option_order": {"max_flip_rate": 0},
    "label_format": {"max_flip_rate": 0},
}


def test_e3_edited_pairs_and_skips_are_refused_with_their_place(tmp_path: Path) -> None:
    """E3: a comparison, a selected label, a validation, a skip reason, a status; digests computed again."""
    folder = _folder(tmp_path, {**CONTEXT, "whitespace": {"max_flip_rate": 0}}, ["A text.", "word"], **FALLS)
    assert _run(folder)[0] == 1
    original = StoredRun(folder / "out")
    at = {record["id"]: line for line, record in enumerate(original.records)}
    pair, skip = at["irrelevant_context/c0/0"], at["whitespace/c1/skipped"]
    edits: list[tuple[int, tuple[str, ...], Any]] = [
        (pair, ("comparison", "tv_distance"), 0),
        (pair, ("result", "selected"), "yes"),
        (pair, ("violations",), []),
        (pair, ("validation", "status"), "unknown"),
        (pair, ("reduced", "input"), "The kettle."),
        (pair, ("steps",), []),
        (skip, ("reason",), "no_text"),
    ]
    for line, path, value in edits:
        forged = original.copy()
        place = forged.records[line]
        for name in path[:-1]:
            place = place[name]
        place[path[-1]] = value
        forged.fit_records()
        forged.fit_digests()
        verified = forged.save()
        assert verified.exit_code == 3
        assert f"$.{'.'.join(path)}" in paths_of(verified)
    forged = original.copy()
    forged.report |= {"status": "pass", "exit_code": 0, "logical_status": "pass"}
    forged.fit_digests()
    forged.save()
    done = robust("verify", "out", cwd=folder)
    assert (done.returncode, "$.status" in done.stdout + done.stderr) == (3, True)
    original.save()
    assert robust("verify", "out", cwd=folder).returncode == 0


def test_a_failure_has_the_same_digests_in_every_process(tmp_path: Path) -> None:
    """Whatever the hashes of texts, locale and concurrency: candidates, validations, smaller forms, evidence."""
    folder = _folder(tmp_path, CONTEXT, ["A text. And another.", "Grüße 漢字. Or not."], **FALLS)
    runs = []
    for number, (seed, locale) in enumerate((("0", "C"), ("1", "C.UTF-8"), ("random", "POSIX"))):
        options = ("--max-concurrency", str(1 + 7 * number))
        env = {"PYTHONHASHSEED": seed, "LC_ALL": locale}
        code, report = _run(folder, *options, env=env, out=f"out{number}")
        assert code == 1
        runs.append((report, [logical(record) for record in _records(folder, f"out{number}")]))
    failing = [record for record in runs[0][1] if record.get("violations")]
    assert failing
    assert all(record["reduced"] and record["validation"]["digest"].startswith("sha256:") for record in failing)
    for report, records in runs[1:]:
        assert records == runs[0][1]
        for name in ("evidence_digest", "answers_digest"):
            assert report[name] == runs[0][0][name]
        assert report["records"]["root"] == runs[0][0]["records"]["root"]
