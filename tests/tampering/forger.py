"""A careful forger without a key: makes every digest, root and proof fit again what stands there after an edit.

It knows what tests.independent knows, and nothing of the package. What cannot be computed any more, since something
that it rests on is gone or of another kind, is left as it is.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from rfc8785 import CanonicalizationError

from tests.independent import canonical, digest, evidence, merkle_root, read, root_from_path
from tests.tampering.documents import encoded
from tests.tampering.workshop import CASE_PROOF, DECISIONS, MANIFEST, RECORD_PROOF

Files = Mapping[str, bytes]
_DECISION: Final = ("name", "type", "description", "options", "labels", "levels")
_GONE: Final = (KeyError, TypeError, AttributeError, ValueError, IndexError)


@contextlib.contextmanager
def _where_possible() -> Iterator[None]:
    with contextlib.suppress(*_GONE, RecursionError, CanonicalizationError):
        yield


def refit(files: Files, edited: str) -> dict[str, bytes]:
    """The files with all digests made again that cover an edited file, but for signatures.

    Args:
        files: the content of every file by its path.
        edited: the path of the one that was edited.
    """
    fitted = dict(files)
    with _where_possible():
        folder = edited.partition("/")[0]
        if folder in ("run", DECISIONS) and not edited.endswith(".dsse.json"):
            fitted |= _run(fitted, folder)
        elif edited == MANIFEST:
            fitted[MANIFEST] = _manifest(fitted[MANIFEST])
        elif edited == CASE_PROOF:
            fitted[CASE_PROOF] = _case_proof(fitted[CASE_PROOF])
        elif edited == RECORD_PROOF:
            fitted[RECORD_PROOF] = _record_proof(fitted[RECORD_PROOF])
        elif edited.startswith("scans/"):
            fitted[MANIFEST] = _manifest(_with_scan(fitted[MANIFEST], edited, fitted.get(edited, b"")))
    return fitted


def _digest_of(value: dict[str, Any], *left_out: str) -> str:
    return digest(encoded({key: part for key, part in value.items() if key not in left_out}))


def lines_of(data: bytes) -> list[bytes]:
    """The lines of a file, without what follows the last line feed."""
    return data.split(b"\n")[:-1]


def _run(files: Files, folder: str) -> dict[str, bytes]:
    report, contract = read(files[f"{folder}/report.json"]), read(files[f"{folder}/contract.json"])
    data = files[f"{folder}/records.jsonl"]
    if report.get("dataset") is not None:
        with _where_possible():
            report["dataset"]["root"] = merkle_root(case for case in map(_case, lines_of(data)) if case)
    with _where_possible():
        bare = [_without_observed(line) for line in lines_of(data)]
        report["records"] |= {"count": len(bare), "root": merkle_root(bare)}
    with _where_possible():
        report["records"]["sha256"] = digest(data)
    with _where_possible():
        report["contract"]["digest"] = _digest_of({"schema": "robust.contract/1", "contract": contract})
    with _where_possible():
        shown = {**evidence(report, contract, []), "root": report["records"]["root"]}
        report["evidence_digest"] = _digest_of(shown)
    with _where_possible():
        report["answers_digest"] = _digest_of(_answers(report, contract, lines_of(data)))
    report["digest"] = _digest_of(report, "digest", "observed")
    return {f"{folder}/report.json": encoded(report) + b"\n"}


def _answers(report: Any, contract: Any, lines: list[bytes]) -> dict[str, Any]:
    frozen, dataset = report["manifest"], report["dataset"]
    return {
        "cases": {"manifest": frozen["digest"], "split": frozen["split"]} if frozen else {"dataset": dataset["root"]},
        "decision": {name: contract["decision"].get(name) for name in _DECISION},
        "properties": contract["properties"],
        "root": merkle_root(map(_answer, lines)),
        "schema": "robust.answers/1",
        "seed": report["seed"],
    }


# Of what a case of a data set is: its fields in this order.
_CASE: Final = ("case_id", "source_id", "input", "media", "expected", "metadata")


# Most lines are those of the original: each is read once.
@lru_cache(maxsize=1000)
def _without_observed(line: bytes) -> bytes:
    return canonical({key: value for key, value in read(line).items() if key != "observed"})


@lru_cache(maxsize=1000)
def _case(line: bytes) -> bytes | None:
    record = read(line)
    return canonical([record[name] for name in _CASE]) if record["kind"] == "decision" else None


@lru_cache(maxsize=1000)
def _answer(line: bytes) -> bytes:
    record = read(line)
    if record["kind"] == "skip":
        return canonical([record["id"], None, None, record["reason"]])
    trials = [[_said(trial) for trial in record["trials"]]] if "trials" in record else []
    return canonical([record["id"], record["input"], record["presentation"], _said(record), *trials])


def _said(answered: dict[str, Any]) -> Any:
    return answered["error"]["kind"] if "error" in answered else answered.get("result", answered).get("probabilities")


def _manifest(data: bytes) -> bytes:
    header, *entries = map(read, lines_of(data))
    renamed = {}
    for entry in entries:
        with _where_possible():
            old, new = entry["validation"]["digest"], _digest_of(entry["validation"], "digest", "observed")
            entry["validation"]["digest"] = renamed[old] = new
    for entry in entries:
        with _where_possible():
            if entry["kind"] == "case":
                entry["validation"] = renamed.get(entry["validation"], entry["validation"])
    with _where_possible():
        entries.sort(key=lambda entry: entry["validation"]["digest"] if entry["kind"] == "validation" else "")
    with _where_possible():
        kinds = [entry["kind"] for entry in entries]
        cases, validations = kinds.count("case"), kinds.count("validation")
        header["counts"] |= {"lines": len(entries), "cases": cases, "validations": validations}
    with _where_possible():
        for name, counts in header["splits"].items():
            mine = [entry["case"] for entry in entries if entry.get("split") == name]
            counts |= {"cases": len(mine), "sources": len({case["source_id"] for case in mine})}
    lines = [*map(encoded, entries)]
    header["root"] = merkle_root(lines)
    return b"".join(line + b"\n" for line in (encoded(header), *lines))


def _with_scan(data: bytes, path: str, content: bytes) -> bytes:
    """The manifest with the size and the digest of a changed scan."""
    header, *entries = map(read, lines_of(data))
    for entry in entries:
        for media in entry.get("case", {}).get("media", []):
            if media["path"] == path:
                media |= {"bytes": len(content), "sha256": digest(content).removeprefix("sha256:")}
    return b"".join(encoded(line) + b"\n" for line in (header, *entries))


def _case_proof(data: bytes) -> bytes:
    proof = json.loads(data)
    with _where_possible():
        proof["root"] = root_from_path(encoded(proof["line"]), proof["index"], proof["size"], proof["path"])
        proof["header"]["root"] = proof["root"]
    with _where_possible():
        proof["manifest"] = _digest_of(proof["header"])
    return laid_out(proof)


def _record_proof(data: bytes) -> bytes:
    proof = json.loads(data)
    with _where_possible():
        proof["root"] = root_from_path(encoded(proof["line"]), proof["index"], proof["size"], proof["path"])
        proof["evidence"]["root"] = proof["root"]
    with _where_possible():
        proof["evidence_digest"] = _digest_of(proof["evidence"])
    return laid_out(proof)


def laid_out(proof: Any) -> bytes:
    """The file of a proof."""
    return json.dumps(proof, indent=2, ensure_ascii=False, sort_keys=True).encode() + b"\n"
