"""A forger: edits a stored run and makes every digest fit again, as far as digests go."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from robust import Verification, verify
from robust.canon import JsonObject, MerkleTree, canonical_bytes, digest_bytes, digest_value, parse_canonical

IDENTITY = ("manifest", "dataset", "seed", "backend", "settings", "observed")


class StoredRun:
    """The three documents of a run, open for forgery."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.report: JsonObject = parse_canonical((folder / "report.json").read_bytes()[:-1])
        self.contract: JsonObject = parse_canonical((folder / "contract.json").read_bytes()[:-1])
        lines = (folder / "records.jsonl").read_bytes().split(b"\n")[:-1]
        self.records: list[JsonObject] = [parse_canonical(line) for line in lines]

    def fit_records(self) -> None:
        """Count, root and file digest of the records, and the data set's root over what the records say."""
        lines = [canonical_bytes(record) for record in self.records]
        stripped = [{key: value for key, value in record.items() if key != "observed"} for record in self.records]
        self.report["records"] = {
            "count": len(lines),
            "root": root_of(map(canonical_bytes, stripped)),
            "sha256": digest_bytes(b"".join(line + b"\n" for line in lines)),
        }
        if self.report["dataset"] is not None:
            names = ("case_id", "source_id", "input", "media", "expected", "metadata")
            bases = (
                [record.get(name) for name in names] for record in self.records if record.get("kind") == "decision"
            )
            self.report["dataset"]["root"] = root_of(map(canonical_bytes, bases))

    def fit_digests(self) -> None:
        """The digests of evidence, answers, contract and report over what stands there now."""
        report = self.report
        manifest = report["manifest"]
        cases = (
            {"dataset": report["dataset"]["root"]}
            if manifest is None
            else {"manifest": manifest["digest"], "split": manifest["split"]}
        )
        report["contract"]["digest"] = digest_value({"schema": "robust.contract/1", "contract": self.contract})
        shared = {"cases": cases, "seed": report["seed"]}
        report["evidence_digest"] = digest_value(
            {
                "schema": "robust.evidence/1",
                "contract": report["contract"]["digest"],
                "backend": report["backend"],
                "mode": report["mode"],
                "root": report["records"]["root"],
                **shared,
            }
        )
        decision = {
            name: self.contract["decision"].get(name)
            for name in ("name", "type", "description", "options", "labels", "levels")
        }
        report["answers_digest"] = digest_value(
            {
                "schema": "robust.answers/1",
                "decision": decision,
                "properties": self.contract["properties"],
                "root": root_of(canonical_bytes(_answer(record)) for record in self.records),
                **shared,
            }
        )
        self.fit_report()

    def fit_report(self) -> None:
        """The digest of the report alone."""
        self.report["digest"] = digest_value(
            {key: value for key, value in self.report.items() if key not in ("digest", "observed")}
        )

    def save(self) -> Verification:
        """Write the forgery and have it verified."""
        (self.folder / "report.json").write_bytes(canonical_bytes(self.report) + b"\n")
        (self.folder / "contract.json").write_bytes(canonical_bytes(self.contract) + b"\n")
        (self.folder / "records.jsonl").write_bytes(
            b"".join(canonical_bytes(record) + b"\n" for record in self.records)
        )
        return verify(self.folder)

    def copy(self) -> StoredRun:
        """Another one with the same content, over the same folder."""
        return copy.deepcopy(self)


def root_of(lines: Any) -> str:
    """The Merkle root of lines."""
    tree = MerkleTree()
    for line in lines:
        tree.add(line)
    return tree.root()


def _answer(record: JsonObject) -> list[Any]:
    if record.get("kind") == "skip":
        return [record.get("id"), None, None, record.get("reason")]
    asked = [record.get("id"), record.get("input"), record.get("presentation"), _said(record)]
    return [*asked, [_said(trial) for trial in record["trials"]]] if record.get("trials") else asked


def _said(answered: JsonObject) -> Any:
    error = answered.get("error")
    said = answered.get("result") or answered
    return said.get("probabilities") if error is None else error.get("kind")


def leaves(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The places of everything that is no container, or an empty one."""
    if isinstance(value, dict | list) and value:
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], (*path, key))
    else:
        yield path


def shown(path: tuple[str | int, ...]) -> str:
    """A place as a JSON path."""
    return "$" + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    """What stands at a place."""
    for part in path:
        value = value[part]
    return value


def put(value: Any, path: tuple[str | int, ...], new: Any) -> None:
    """Put something at a place."""
    at(value, path[:-1])[path[-1]] = new


def other(value: Any) -> Any:
    """Another value of the same kind, where there is one."""
    changes: dict[type, Callable[[Any], Any]] = {
        bool: lambda old: not old,
        int: lambda old: old + 1,
        float: lambda old: old / 2,
        str: lambda old: old + "x",
        type(None): lambda old: 0.5,
        list: lambda old: ["x"],
        dict: lambda old: {"x": 1},
    }
    return changes[type(value)](value)


def paths_of(verification: Verification) -> set[str]:
    """The paths that a verification complains about."""
    return {problem.path or "" for check in verification.checks for problem in check.problems}
