"""The proof of a run's record, ``robust.record-proof/1``: one line of a run, and why it is in that run."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Final, Literal

from pydantic import Field, ValidationError, field_validator

from robust.canon import JsonObject, digest_value, is_digest
from robust.errors import IntegrityError, Problem
from robust.records.base import Record, problems_of
from robust.records.manifest import Digest
from robust.records.run_record import check_shape
from robust.records.tree_inclusion import TreeInclusion, require

SCHEMA: Final = "robust.record-proof/1"
EVIDENCE_SCHEMA: Final = "robust.evidence/1"


class RunEvidence(Record):
    """What a run's ``evidence_digest`` is the digest of.

    Attributes:
        contract: the digest of the contract.
        cases: what was run: ``manifest`` (digest) and ``split``, or ``dataset`` (root).
        seed: the run's.
        backend: its identity.
        mode: what ran.
        root: the Merkle root of the records without ``observed``.
    """

    schema_: Annotated[Literal["robust.evidence/1"], Field(alias="schema")]
    contract: Digest
    cases: dict[str, str]
    seed: int
    backend: dict[str, Any]
    mode: Literal["all", "golden", "properties"]
    root: Digest

    @field_validator("cases")
    @classmethod
    def _one_set(cls, cases: dict[str, str]) -> dict[str, str]:
        whole = cases.keys() in ({"manifest", "split"}, {"dataset"})
        if not whole or not is_digest(cases.get("manifest", cases.get("dataset"))):
            raise ValueError("must be the digest and split of a manifest, or the root of a dataset")
        return cases


def evidence_of(report: JsonObject) -> JsonObject:
    """What the ``evidence_digest`` of a report is the digest of, from the report's own fields."""
    manifest = report["manifest"]
    return {
        "schema": EVIDENCE_SCHEMA,
        "contract": report["contract"]["digest"],
        "cases": {"dataset": report["dataset"]["root"]}
        if manifest is None
        else {"manifest": manifest["digest"], "split": manifest["split"]},
        "seed": report["seed"],
        "backend": report["backend"],
        "mode": report["mode"],
        "root": report["records"]["root"],
    }


class RecordProof(TreeInclusion):
    """That a record stands in a run: checkable from the run's evidence digest alone.

    Attributes:
        evidence: what the run's ``evidence_digest`` is the digest of; it holds the root.
        evidence_digest: that digest.
        line: the record without ``observed``.
        index: its place among the records, from 0.
        size: how many records the run has.
        path: hex hashes from the leaf's sibling up to the root's child (RFC 9162, 2.1.3.1).
        root: the Merkle root that they lead to, which is that of ``evidence``.
    """

    schema_: Annotated[Literal["robust.record-proof/1"], Field(alias="schema")]
    evidence: dict[str, Any]
    evidence_digest: Digest

    def stated_evidence(self) -> RunEvidence:
        """The evidence as a record.

        Raises:
            IntegrityError: it is none; names the path.
        """
        try:
            return RunEvidence.model_validate(self.evidence)
        except ValidationError as error:
            raise IntegrityError(*problems_of(error, path="$.evidence")) from None

    def check_line(self) -> JsonObject:
        """The line, if it is a record of a run, as far as it shows by itself.

        Raises:
            IntegrityError: it is none; names the path.
        """
        if "observed" in self.line:
            message = "what was observed is in no root, so that it cannot be proven"
            raise IntegrityError.of("unknown_field", message, path="$.line.observed")
        try:
            record = check_shape({**self.line, "observed": {}}, file="", line=1)
        except IntegrityError as error:
            placed = (
                replace(item, file=None, line=None, path="$.line" + (item.path or "$")[1:]) for item in error.problems
            )
            raise IntegrityError(*placed) from None
        return record

    def problems(self) -> list[Problem]:
        """Why the proof does not hold; empty when it does."""
        try:
            evidence = self.stated_evidence()
        except IntegrityError as error:
            return list(error.problems)
        return [
            *require(self.evidence_digest, digest_value(self.evidence), "$.evidence_digest", "is that of the evidence"),
            *require(self.root, evidence.root, "$.root", "stands in the evidence"),
            *self.path_problems(),
        ]


def read_record_proof(data: object, *, file: str | None = None) -> RecordProof:
    """Read a stored proof; whether it holds is another question, see :meth:`RecordProof.problems`.

    Raises:
        IntegrityError: something is missing or of the wrong kind.
    """
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise IntegrityError.of("unknown_schema", f"not a {SCHEMA}", file=file, path="$.schema")
    try:
        return RecordProof.model_validate(data)
    except ValidationError as error:
        raise IntegrityError(*problems_of(error, file=file)) from None
