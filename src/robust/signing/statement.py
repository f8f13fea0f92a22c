"""In-toto statements, version 1: what is said, and of which files.

https://github.com/in-toto/attestation/blob/v1.0/spec/v1.0/statement.md, and for runs its predicate test-result v0.1.
A statement holds facts of what it speaks of and nothing of who signs it, so that several can sign the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from robust.canon import JsonObject, canonical_bytes, describe, is_digest, read_json
from robust.errors import DataError, IntegrityError, UsageError

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
RUN_PREDICATE: Final = "https://in-toto.io/attestation/test-result/v0.1"
MANIFEST_PREDICATE: Final = "urn:robust:manifest:v1"
EVIDENCE_PREDICATE: Final = "urn:robust:evidence:v1"
CLAIM_PREDICATE: Final = "urn:robust:claim:v1"
MAX_SUBJECTS: Final = 1000
# The files of a run that a statement speaks of, in this order.
RUN_SUBJECTS: Final = ("report.json", "records.jsonl", "contract.json")
_RESULTS: Final = {"pass": "PASSED", "warn": "WARNED", "fail": "FAILED"}
_HEX: Final = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True)
class Subject:
    """One file of which something is said.

    Attributes:
        name: the file's name, without a folder.
        sha256: 64 hex digits over its bytes.
        annotations: what else is known of it, such as the root over its lines.
    """

    name: str
    sha256: str
    annotations: JsonObject = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, digest: str, annotations: JsonObject | None = None) -> Subject:
        """A subject from a digest as they are written everywhere else, ``sha256:…``."""
        return cls(name, _hex(digest), annotations or {})

    def to_json(self) -> JsonObject:
        """The subject as a resource descriptor."""
        return _descriptor(self.name, self.sha256, self.annotations)


@dataclass(frozen=True, slots=True)
class Statement:
    """What is said of some files.

    Attributes:
        subjects: the files.
        predicate_type: the kind of what is said.
        predicate: what is said.
        data: the whole statement as it was read, with members that are unknown here; what is made here has none.
    """

    subjects: tuple[Subject, ...]
    predicate_type: str
    predicate: JsonObject
    data: JsonObject = field(default_factory=dict, repr=False, compare=False)

    def to_json(self) -> JsonObject:
        """The statement as plain JSON data: as it was read, or what is made of its parts."""
        return self.data or {
            "_type": STATEMENT_TYPE,
            "subject": [subject.to_json() for subject in self.subjects],
            "predicateType": self.predicate_type,
            "predicate": self.predicate,
        }

    def payload(self) -> bytes:
        """The bytes that are signed: the statement as canonical JSON."""
        return canonical_bytes(self.to_json())


def run_statement(report: JsonObject, files: Mapping[str, str]) -> Statement:
    """What can be said of a run.

    Args:
        report: the report, checked.
        files: the digests (``sha256:…``) of report.json, records.jsonl and contract.json by name.

    Raises:
        UsageError: ``nothing_decided``: the run has the status ``error``, and nothing was tested.
    """
    result = _RESULTS.get(report["status"])
    if result is None:
        message = "no case could be decided, so there is no result to sign"
        raise UsageError.of("nothing_decided", message, hint="look at what records.jsonl says, and run again")
    annotations: dict[str, JsonObject] = {
        "report.json": {name: report[name] for name in ("digest", "evidence_digest", "answers_digest")},
        "records.jsonl": {name: report["records"][name] for name in ("count", "root")},
    }
    contract = _descriptor("contract.json", _hex(files["contract.json"]), {"digest": report["contract"]["digest"]})
    predicate = {
        "result": result,
        "configuration": [contract, _case_set(report)],
        "passedTests": _tests(report, "passed"),
        "warnedTests": _tests(report, "warned"),
        "failedTests": _tests(report, "failed"),
    }
    subjects = tuple(Subject.of(name, files[name], annotations.get(name)) for name in RUN_SUBJECTS)
    return Statement(subjects, RUN_PREDICATE, predicate)


def check_statement(report: JsonObject, files: Mapping[str, str]) -> Statement:
    """What can be said of a relation check or population test.

    Args:
        report: the report, checked.
        files: the digests (``sha256:…``) of report.json, records.jsonl and contract.json (the plan) by name.

    Raises:
        UsageError: ``nothing_decided``: it has the status ``error``, and nothing that it says can be relied on.
    """
    result = _RESULTS.get(report["status"])
    if result is None:
        message = "nothing was tested, or what was tested ended in errors, so there is no result to sign"
        raise UsageError.of("nothing_decided", message, hint="robust report says why; check again")
    annotations: dict[str, JsonObject] = {
        "report.json": {name: report[name] for name in ("digest", "evidence_digest")},
        "records.jsonl": {name: report["records"][name] for name in ("count", "root")},
    }
    plan = {"digest": report["plan"]["digest"], "kind": report["kind"]}
    predicate = {
        "result": result,
        "configuration": [_descriptor("contract.json", _hex(files["contract.json"]), plan)],
        "passedTests": _tests(report, "passed"),
        "warnedTests": _tests(report, "warned"),
        "failedTests": _tests(report, "failed"),
    }
    subjects = tuple(Subject.of(name, files[name], annotations.get(name)) for name in RUN_SUBJECTS)
    return Statement(subjects, RUN_PREDICATE, predicate)


def production_statement(report: JsonObject, files: Mapping[str, str]) -> Statement:
    """What can be said of a check of production records.

    Args:
        report: the report, checked.
        files: the digests (``sha256:…``) of report.json, records.jsonl and contract.json by name.
    """
    annotations: dict[str, JsonObject] = {
        "report.json": {name: report[name] for name in ("digest", "evidence_digest")},
        "records.jsonl": {name: report["records"][name] for name in ("count", "root")},
    }
    contract = _descriptor("contract.json", _hex(files["contract.json"]), {"digest": report["contract"]["digest"]})
    samples = [report["sample"], *([report["baseline"]["sample"]] if report["baseline"] else [])]
    predicate = {
        "result": _RESULTS[report["status"]],
        "configuration": [
            contract,
            *(_descriptor(each["name"], _hex(each["sha256"]), {"records": each["records"]}) for each in samples),
        ],
        "passedTests": _tests(report, "passed"),
        "warnedTests": _tests(report, "warned"),
        "failedTests": _tests(report, "failed"),
    }
    subjects = tuple(Subject.of(name, files[name], annotations.get(name)) for name in RUN_SUBJECTS)
    return Statement(subjects, RUN_PREDICATE, predicate)


def _case_set(report: JsonObject) -> JsonObject:
    """The manifest or data set that was run, as a resource descriptor."""
    manifest, dataset = report["manifest"], report["dataset"]
    if manifest is not None:
        return _descriptor(
            manifest["name"], _hex(manifest["digest"]), {"root": manifest["root"], "split": manifest["split"]}
        )
    if dataset["sha256"] is not None:
        return _descriptor(dataset["name"], _hex(dataset["sha256"]), {"root": dataset["root"]})
    # Cases that were given by a program are in no file; in-toto takes digests of any named kind.
    return {
        "name": dataset["name"],
        "digest": {"rfc9162Sha256": _hex(dataset["root"])},
        "annotations": {"root": dataset["root"]},
    }


def _tests(report: JsonObject, outcome: str) -> list[str]:
    return [check["check"] for check in report["checks"] if _outcome(check) == outcome]


def _outcome(check: JsonObject) -> str:
    if check["status"] == "inconclusive":
        return "failed" if check["level"] == "requirement" else "warned"
    return {"pass": "passed", "warn": "warned", "fail": "failed"}[check["status"]]


def manifest_statement(header: JsonObject, digest: str, name: str, file_digest: str) -> Statement:
    """What can be said of a manifest.

    Args:
        header: its header line.
        digest: the manifest's digest, that of the header line.
        name: the file's name.
        file_digest: the digest of the whole file.
    """
    predicate = {
        "name": header["name"],
        "digest": digest,
        "root": header["root"],
        "parent": header["parent"],
        "splits": header["splits"],
        "counts": header["counts"],
    }
    subject = Subject.of(name, file_digest, {"digest": digest, "root": header["root"]})
    return Statement((subject,), MANIFEST_PREDICATE, predicate)


def evidence_statement(kind: str, name: str, file_digest: str) -> Statement:
    """What can be said of a file of any other kind: which it is.

    Args:
        kind: the kind of evidence, as ``robust verify`` names it.
        name: the file's name.
        file_digest: the digest of the file.
    """
    return Statement((Subject.of(name, file_digest),), EVIDENCE_PREDICATE, {"kind": kind})


def read_statement(payload: bytes, *, file: str | None = None) -> Statement:
    """Read a statement strictly; members that in-toto does not know are kept in ``data`` and otherwise passed over.

    Args:
        payload: the payload of an envelope.
        file: the name that errors give.

    Raises:
        IntegrityError: it is no statement; names the path within the payload.
    """
    try:
        document = read_json(payload)
    except DataError as error:
        raise IntegrityError(*error.problems).located(file=file) from None
    if not isinstance(document, dict):
        raise _wrong(f"must be an object, not {describe(document)}", "$", file)
    if document.get("_type") != STATEMENT_TYPE:
        raise IntegrityError.of("unknown_schema", f"not a {STATEMENT_TYPE}", file=file, path="$._type")
    listed = document.get("subject")
    if not isinstance(listed, list) or not 0 < len(listed) <= MAX_SUBJECTS:
        raise _wrong(f"must be a list of 1 to {MAX_SUBJECTS} files", "$.subject", file)
    subjects = tuple(_subject(item, f"$.subject[{index}]", file) for index, item in enumerate(listed))
    if len({subject.name for subject in subjects}) < len(subjects):
        raise _wrong("two subjects have the same name", "$.subject", file)
    kind, predicate = document.get("predicateType"), document.get("predicate")
    if not isinstance(kind, str) or not kind:
        raise _wrong("must be text", "$.predicateType", file)
    if not isinstance(predicate, dict):
        raise _wrong(f"must be an object, not {describe(predicate)}", "$.predicate", file)
    return Statement(subjects, kind, predicate, document)


def _subject(item: Any, path: str, file: str | None) -> Subject:
    if not isinstance(item, dict):
        raise _wrong(f"must be an object, not {describe(item)}", path, file)
    name, digests, annotations = item.get("name"), item.get("digest"), item.get("annotations", {})
    if not isinstance(name, str) or not name:
        raise _wrong("must be the name of a file", f"{path}.name", file)
    sha256 = digests.get("sha256") if isinstance(digests, dict) else None
    if not isinstance(sha256, str) or not _HEX.match(sha256):
        raise _wrong("must be 64 lowercase hex digits", f"{path}.digest.sha256", file)
    if not isinstance(annotations, dict):
        raise _wrong(f"must be an object, not {describe(annotations)}", f"{path}.annotations", file)
    return Subject(name, sha256, annotations)


def _descriptor(name: str, sha256: str, annotations: JsonObject) -> JsonObject:
    """A file by name and digest (in-toto ResourceDescriptor); annotations are left out where there are none."""
    described: JsonObject = {"name": name, "digest": {"sha256": sha256}}
    return {**described, "annotations": annotations} if annotations else described


def _hex(digest: str) -> str:
    if not is_digest(digest):
        raise DataError.of("wrong_value", f"a digest is sha256: and 64 hex digits, not {digest[:80]!r}")
    return digest.removeprefix("sha256:")


def _wrong(message: str, path: str, file: str | None) -> IntegrityError:
    return IntegrityError.of("wrong_value", message, file=file, path=path)


def claim_statement(claim: str, name: str, made_at: str, subjects: Iterable[Subject]) -> Statement:
    """What somebody claims of the files that another statement speaks of; see :mod:`robust.signing.claim`."""
    return Statement(tuple(subjects), CLAIM_PREDICATE, {"claim": claim, "name": name, "made_at": made_at})
