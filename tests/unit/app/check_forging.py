"""A forger of checks: edits the run of a relation check or population test and makes every digest fit again."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from robust import Verification, verify
from robust.canon import JsonObject, canonical_bytes, digest_bytes, digest_value, parse_canonical
from tests.unit.app.forging import root_of


class StoredCheck:
    """The three documents of a check, open for forgery."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.report: JsonObject = parse_canonical((folder / "report.json").read_bytes()[:-1])
        self.plan: JsonObject = parse_canonical((folder / "contract.json").read_bytes()[:-1])
        lines = (folder / "records.jsonl").read_bytes().split(b"\n")[:-1]
        self.records: list[JsonObject] = [parse_canonical(line) for line in lines]

    def fit(self, *, records: bool = True) -> None:
        """All digests over what stands there now."""
        report = self.report
        report["plan"] = {"name": self.plan.get("name"), "digest": digest_value(self.plan)}
        if records:
            lines = [canonical_bytes(record) for record in self.records]
            bare = [{key: value for key, value in record.items() if key != "observed"} for record in self.records]
            report["records"] = {
                "count": len(lines),
                "root": root_of(map(canonical_bytes, bare)),
                "sha256": digest_bytes(b"".join(line + b"\n" for line in lines)),
            }
            evidence = {
                "schema": "robust.check-evidence/1",
                "plan": report["plan"]["digest"],
                "root": report["records"]["root"],
            }
            report["evidence_digest"] = digest_value(evidence)
        self.fit_report()

    def fit_report(self) -> None:
        """The digest of the report alone."""
        said = {key: value for key, value in self.report.items() if key not in ("digest", "observed")}
        self.report["digest"] = digest_value(said)

    def save(self) -> Verification:
        """Write the forgery and have it verified."""
        (self.folder / "report.json").write_bytes(canonical_bytes(self.report) + b"\n")
        (self.folder / "contract.json").write_bytes(canonical_bytes(self.plan) + b"\n")
        lines = b"".join(canonical_bytes(record) + b"\n" for record in self.records)
        (self.folder / "records.jsonl").write_bytes(lines)
        return verify(self.folder)

    def copy(self) -> StoredCheck:
        """Another one with the same content, over the same folder."""
        return copy.deepcopy(self)


def problems_of(verification: Verification) -> list[Any]:
    """Everything that does not hold."""
    return [problem for check in verification.checks for problem in check.problems]
