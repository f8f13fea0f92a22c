"""What sixty lines without the package compute of manifests, runs and proofs is what the command wrote in them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import independent
from tests.golden.independent import manifest_faults, manifest_identity
from tests.tampering.forger import lines_of
from tests.tampering.signers import payload_of
from tests.tampering.workshop import CASE_PROOF, MANIFEST, OTHER_MANIFEST, RECORD_PROOF, RUNS, Workshop


def _document(data: bytes) -> Any:
    (line,) = lines_of(data)
    assert independent.canonical(independent.read(line)) == line
    return independent.read(line)


@pytest.mark.parametrize("name", [MANIFEST, OTHER_MANIFEST])
def test_a_manifest_follows_from_its_lines(workshop: Workshop, name: str) -> None:
    """Canonical lines, root, digests of validations, contents of parents; and its digest is the one that was signed."""
    data = workshop.made[name]
    assert manifest_faults(data) == []
    signed = json.loads(payload_of(workshop.made[f"{name}.dsse.json"]))
    assert manifest_identity(data) == signed["predicate"]["digest"]


@pytest.mark.parametrize("run", RUNS)
def test_the_digests_of_a_run_follow_from_its_files(workshop: Workshop, run: str) -> None:
    """Of the records with and without what was observed, of the contract, the evidence and the report."""
    report = _document(workshop.made[f"{run}/report.json"])
    contract = _document(workshop.made[f"{run}/contract.json"])
    data = workshop.made[f"{run}/records.jsonl"]
    records = [*map(independent.read, lines_of(data))]
    assert [*map(independent.canonical, records)] == lines_of(data)
    evidence = independent.evidence(report, contract, records)
    assert report["records"] == {
        "count": len(records),
        "root": evidence["root"],
        "sha256": independent.digest(data),
    }
    assert report["contract"]["digest"] == evidence["contract"]
    assert report["evidence_digest"] == independent.digest_of(evidence)
    assert report["digest"] == independent.digest_of(report, "digest", "observed")


@pytest.mark.parametrize(("proof", "manifest"), [(CASE_PROOF, MANIFEST), (f"other.{CASE_PROOF}", OTHER_MANIFEST)])
def test_the_proof_of_a_case_is_the_one_that_follows(workshop: Workshop, proof: str, manifest: str) -> None:
    """Line, index, size, path and root."""
    stored = json.loads(workshop.made[proof])
    header, *lines = lines_of(workshop.made[manifest])
    index = lines.index(independent.canonical(stored["line"]))
    assert stored == {
        "schema": "robust.inclusion-proof/1",
        "manifest": independent.digest(header),
        "header": independent.read(header),
        "line": independent.read(lines[index]),
        "index": index,
        "size": len(lines),
        "path": independent.inclusion_path(lines, index),
        "root": independent.merkle_root(lines),
    }
    assert independent.root_from_path(lines[index], index, len(lines), stored["path"]) == stored["root"]


@pytest.mark.parametrize(("proof", "run"), [(RECORD_PROOF, "run"), (f"other.{RECORD_PROOF}", "seed")])
def test_the_proof_of_a_record_is_the_one_that_follows(workshop: Workshop, proof: str, run: str) -> None:
    """Line, index, size, path, root and the evidence."""
    stored = json.loads(workshop.made[proof])
    report, contract = (_document(workshop.made[f"{run}/{name}.json"]) for name in ("report", "contract"))
    records = [*map(independent.read, lines_of(workshop.made[f"{run}/records.jsonl"]))]
    lines = [independent.canonical({k: v for k, v in record.items() if k != "observed"}) for record in records]
    index = lines.index(independent.canonical(stored["line"]))
    evidence = independent.evidence(report, contract, records)
    assert stored == {
        "schema": "robust.record-proof/1",
        "evidence": evidence,
        "evidence_digest": independent.digest_of(evidence),
        "line": independent.read(lines[index]),
        "index": index,
        "size": len(lines),
        "path": independent.inclusion_path(lines, index),
        "root": evidence["root"],
    }
    assert independent.root_from_path(lines[index], index, len(lines), stored["path"]) == stored["root"]
