"""Statements: facts of the evidence and nothing else, the same bytes each time, strictly read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from robust import DataError, IntegrityError, UsageError
from robust.canon import JsonObject, canonical_bytes
from robust.signing.claim import Claim, check_claim, read_claim
from robust.signing.statement import (
    CLAIM_PREDICATE,
    EVIDENCE_PREDICATE,
    MANIFEST_PREDICATE,
    RUN_PREDICATE,
    Statement,
    Subject,
    claim_statement,
    evidence_statement,
    manifest_statement,
    read_statement,
    run_statement,
)

HEX = {
    name: f"{number:064x}" for number, name in enumerate(("report", "records", "contract", "own", "case_set", "root"))
}
FILES = {
    "report.json": f"sha256:{HEX['report']}",
    "records.jsonl": f"sha256:{HEX['records']}",
    "contract.json": f"sha256:{HEX['contract']}",
}
SUBJECT = Subject("m.manifest.jsonl", HEX["own"])
CLAIM = {"claim": "I read\nthe report.", "name": "Ana Ñ", "made_at": "2026-03-01T12:00:00Z"}


def check(name: str, status: str, level: str = "requirement") -> JsonObject:
    return {"check": name, "status": status, "level": level}


def report(**members: Any) -> JsonObject:
    """As much of a report as a statement rests on."""
    return {
        "status": "fail",
        "contract": {"digest": "sha256:c"},
        "manifest": None,
        "dataset": {"name": "cases.csv", "sha256": f"sha256:{HEX['case_set']}", "root": "sha256:r"},
        "checks": [
            check("min_accuracy", "pass"),
            check("max_error_rate", "fail"),
            check("min_accuracy", "warn", "warning"),
            check("edits.max_flip_rate", "inconclusive"),
            check("max_ece", "inconclusive", "warning"),
        ],
        "records": {"count": 7, "root": "sha256:rr", "sha256": FILES["records.jsonl"]},
        "digest": "sha256:d",
        "evidence_digest": "sha256:e",
        "answers_digest": "sha256:a",
        **members,
    }


def refused(document: Any) -> str:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    with pytest.raises(IntegrityError) as caught:
        read_statement(data, file="a.dsse.json")
    assert caught.value.problems[0].file == "a.dsse.json"
    return f"{caught.value.code} {caught.value.problems[0].path}"


def test_a_run_is_stated_as_a_test_result() -> None:
    """Member by member, as in-toto has it; an inconclusive requirement failed, an inconclusive warning is one."""
    statement = run_statement(report(), FILES)
    assert statement.to_json() == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {
                "name": "report.json",
                "digest": {"sha256": HEX["report"]},
                "annotations": {
                    "digest": "sha256:d",
                    "evidence_digest": "sha256:e",
                    "answers_digest": "sha256:a",
                },
            },
            {
                "name": "records.jsonl",
                "digest": {"sha256": HEX["records"]},
                "annotations": {"count": 7, "root": "sha256:rr"},
            },
            {"name": "contract.json", "digest": {"sha256": HEX["contract"]}},
        ],
        "predicateType": RUN_PREDICATE,
        "predicate": {
            "result": "FAILED",
            "configuration": [
                {
                    "name": "contract.json",
                    "digest": {"sha256": HEX["contract"]},
                    "annotations": {"digest": "sha256:c"},
                },
                {
                    "name": "cases.csv",
                    "digest": {"sha256": HEX["case_set"]},
                    "annotations": {"root": "sha256:r"},
                },
            ],
            "passedTests": ["min_accuracy"],
            "warnedTests": ["min_accuracy", "max_ece"],
            "failedTests": ["max_error_rate", "edits.max_flip_rate"],
        },
    }


@pytest.mark.parametrize(("status", "result"), [("pass", "PASSED"), ("warn", "WARNED"), ("fail", "FAILED")])
def test_the_result_is_the_status_of_the_run(status: str, result: str) -> None:
    """In the words of in-toto."""
    assert run_statement(report(status=status), FILES).predicate["result"] == result


def test_a_run_that_decided_nothing_has_no_result() -> None:
    """The status error is none of a test."""
    with pytest.raises(UsageError) as caught:
        run_statement(report(status="error"), FILES)
    assert caught.value.code == "nothing_decided"


def test_the_manifest_that_ran_is_named_with_its_split() -> None:
    """By the digest that is its identity."""
    manifest = {"name": "numbers", "digest": f"sha256:{HEX['case_set']}", "root": "sha256:r", "split": "test"}
    predicate = run_statement(report(manifest=manifest, dataset=None), FILES).predicate
    assert predicate["configuration"][1] == {
        "name": "numbers",
        "digest": {"sha256": HEX["case_set"]},
        "annotations": {"root": "sha256:r", "split": "test"},
    }


def test_cases_that_were_in_no_file_are_named_by_their_root() -> None:
    """Under a kind of digest of its own, as no file has it."""
    dataset = {"name": "cases", "sha256": None, "root": f"sha256:{HEX['root']}"}
    described = run_statement(report(dataset=dataset), FILES).predicate["configuration"][1]
    assert described["digest"] == {"rfc9162Sha256": HEX["root"]}


def test_a_manifest_is_stated_with_its_splits_and_counts() -> None:
    """And its subject is the whole file."""
    header = {
        "name": "numbers",
        "root": "sha256:r",
        "parent": None,
        "splits": {"test": {"cases": 2, "sources": 1}},
        "counts": {"cases": 2, "lines": 3, "sources": 1, "validations": 1},
        "provenance": {"not": "stated"},
    }
    statement = manifest_statement(header, "sha256:d", "m.jsonl", FILES["report.json"])
    assert statement.predicate_type == MANIFEST_PREDICATE
    kept = {name: header[name] for name in ("name", "root", "parent", "splits", "counts")}
    assert statement.predicate == {**kept, "digest": "sha256:d"}
    assert statement.subjects == (Subject("m.jsonl", HEX["report"], {"digest": "sha256:d", "root": "sha256:r"}),)


def test_other_evidence_is_stated_by_its_kind() -> None:
    """Its content is in the file."""
    statement = evidence_statement("audit", "a.json", FILES["report.json"])
    assert (statement.predicate_type, statement.predicate) == (EVIDENCE_PREDICATE, {"kind": "audit"})


def test_a_digest_that_is_none_is_refused() -> None:
    """Before it could be signed."""
    with pytest.raises(DataError):
        evidence_statement("audit", "a.json", HEX["report"])


@pytest.mark.parametrize(
    "statement",
    [
        run_statement(report(), FILES),
        evidence_statement("validations", "☂ \n.jsonl", FILES["report.json"]),
        claim_statement(CLAIM["claim"], CLAIM["name"], CLAIM["made_at"], [SUBJECT]),
    ],
)
def test_a_statement_comes_back_as_it_was(statement: Statement) -> None:
    """Its payload is canonical JSON, so that the same facts are the same bytes."""
    payload = statement.payload()
    read = read_statement(payload)
    assert read == statement
    assert payload == canonical_bytes(json.loads(payload)) == read.payload()


def test_members_that_are_unknown_are_passed_over_and_kept() -> None:
    """As in-toto says; but what is compared is the whole."""
    document = {**evidence_statement("audit", "a", FILES["report.json"]).to_json(), "more": 1}
    read = read_statement(json.dumps(document).encode())
    assert read.to_json()["more"] == 1
    assert read == evidence_statement("audit", "a", FILES["report.json"])


@pytest.mark.parametrize(
    ("members", "found"),
    [
        ({"_type": "https://in-toto.io/Statement/v0.1"}, "unknown_schema $._type"),
        ({"subject": []}, "wrong_value $.subject"),
        ({"subject": {}}, "wrong_value $.subject"),
        ({"subject": [SUBJECT.to_json()] * 1001}, "wrong_value $.subject"),
        ({"subject": [SUBJECT.to_json()] * 2}, "wrong_value $.subject"),
        ({"subject": ["a"]}, "wrong_value $.subject[0]"),
        ({"subject": [{"digest": {"sha256": HEX["own"]}}]}, "wrong_value $.subject[0].name"),
        ({"subject": [{"name": "", "digest": {"sha256": HEX["own"]}}]}, "wrong_value $.subject[0].name"),
        ({"subject": [{"name": "a"}]}, "wrong_value $.subject[0].digest.sha256"),
        ({"subject": [{"name": "a", "digest": {"sha1": "00"}}]}, "wrong_value $.subject[0].digest.sha256"),
        ({"subject": [{"name": "a", "digest": {"sha256": "A" * 64}}]}, "wrong_value $.subject[0].digest.sha256"),
        ({"subject": [{"name": "a", "digest": {"sha256": "a" * 64 + "\n"}}]}, "wrong_value $.subject[0].digest.sha256"),
        ({"subject": [{**SUBJECT.to_json(), "annotations": []}]}, "wrong_value $.subject[0].annotations"),
        ({"predicateType": None}, "wrong_value $.predicateType"),
        ({"predicateType": ""}, "wrong_value $.predicateType"),
        ({"predicate": None}, "wrong_value $.predicate"),
    ],
)
def test_what_is_missing_or_wrong_in_a_statement_is_named(members: JsonObject, found: str) -> None:
    """With its path in the payload."""
    assert refused({**evidence_statement("audit", "a", FILES["report.json"]).to_json(), **members}) == found


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"\xff", b'{"_type":1,"_type":1}', b"[" * 300])
def test_what_is_no_statement_is_refused(data: bytes) -> None:
    """Whatever it is."""
    assert refused(data)


def test_a_claim_is_read_as_it_was_made() -> None:
    """Text of several lines in any script, a name, and a time."""
    statement = claim_statement(CLAIM["claim"], CLAIM["name"], CLAIM["made_at"], [SUBJECT])
    assert read_claim(statement) == Claim(**CLAIM)
    for text in (
        "x" * 4000,
        "\u0639\u0631\u0628\u064a \u200f!",
        "\U0001f469\u200d\U0001f467",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    ):
        check_claim(text, "N")


@pytest.mark.parametrize(
    ("claim", "name"),
    [
        ("", "N"),
        (" \n ", "N"),
        ("x" * 4001, "N"),
        ("x" * 100_000, "N"),
        ("bell \x07", "N"),
        ("colour \x1b[31m", "N"),
        ("return \r over", "N"),
        ("nul \x00", "N"),
        ("turned \u202e round", "N"),
        ("half \ud800", "N"),
        (None, "N"),
        (3, "N"),
        ("a", ""),
        ("a", " "),
        ("a", "two\nlines"),
        ("a", "x" * 257),
        ("a", None),
    ],
)
def test_claims_that_could_not_be_shown_as_they_are_are_refused(claim: Any, name: Any) -> None:
    """When they are made, and when one is read that somebody else made."""
    with pytest.raises(UsageError) as caught:
        check_claim(claim, name)
    assert caught.value.code == "bad_claim"
    assert len(str(caught.value)) < 300
    with pytest.raises(IntegrityError) as read:
        read_claim(Statement((SUBJECT,), CLAIM_PREDICATE, {**CLAIM, "claim": claim, "name": name}))
    assert read.value.code == "bad_claim"


@pytest.mark.parametrize(
    "made_at",
    [
        None,
        "",
        "yesterday",
        "2026-02-30T12:00:00Z",
        "2026-03-01T12:00:00",
        "2026-03-01T12:00:00+01:00",
        "2026-03-01T12:00:00.5Z",
        "2026-03-01 12:00:00Z",
        "2026-03-01T12:00:00Z\n",
        "٢٠٢٦-03-01T12:00:00Z",
    ],
)
def test_a_claim_has_a_time_in_one_form(made_at: Any) -> None:
    """UTC, whole seconds."""
    with pytest.raises(IntegrityError) as caught:
        read_claim(Statement((SUBJECT,), CLAIM_PREDICATE, {**CLAIM, "made_at": made_at}), file="c.dsse.json")
    assert caught.value.problems[0].path == "$.predicate.made_at"


def test_what_is_no_claim_is_told() -> None:
    """Another predicate, or members that a claim does not have."""
    with pytest.raises(IntegrityError) as caught:
        read_claim(evidence_statement("audit", "a", FILES["report.json"]))
    assert caught.value.problems[0].path == "$.predicateType"
    with pytest.raises(IntegrityError) as caught:
        read_claim(Statement((SUBJECT,), CLAIM_PREDICATE, {**CLAIM, "witness": "B"}))
    assert caught.value.problems[0].path == "$.predicate"
