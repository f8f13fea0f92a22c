"""Inclusion proofs: what holds, what was tampered with, and of which manifest a proof is."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from robust import Case, IntegrityError, Manifest, UsageError, check_proof, load_proof, save_proof, verify
from robust.app.verifying import verify_all
from robust.canon import JsonObject, MerkleTree, canonical_bytes, digest_bytes, inclusion_path, leaf_hash
from tests.builders import said, valid_variant, verdict


def manifest(**fields: Any) -> Manifest:
    cases = [Case(f"q {name}", 1, case_id=name, source_id=name) for name in ("a/b", "..", "ß", "x" * 256)]
    return Manifest.build("m", cases=cases, validations=[valid_variant()], **fields)


def saved(folder: Path, change: Any = None, wanted: str = "a/b") -> Path:
    data = copy.deepcopy(manifest().prove(wanted).to_json())
    if change is not None:
        change(data)
    path = folder / "proof.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def codes(path: Path, **arguments: Any) -> list[str]:
    return [problem.code for check in check_proof(path, **arguments).checks for problem in check.problems]


@pytest.mark.parametrize("wanted", ["a/b", "..", "ß", "x" * 256, "base", "variant-5", valid_variant().digest])
def test_every_line_can_be_proven(tmp_path: Path, wanted: str) -> None:
    """A case by its id, whatever that holds, and a validation by its digest."""
    proof = manifest().prove(wanted)
    save_proof(proof, tmp_path / "p.json")
    assert load_proof(tmp_path / "p.json") == proof
    assert check_proof(tmp_path / "p.json", manifest=manifest().digest).holds
    assert verify(tmp_path / "p.json").holds


def test_the_header_alone_is_enough(tmp_path: Path) -> None:
    """As a file of one line, with or without its line feed; the digest is enough, too."""
    path = saved(tmp_path)
    for content in (manifest().header_line, manifest().header_line + b"\n", b"\n".join(manifest().lines())):
        (tmp_path / "header").write_bytes(content)
        assert check_proof(path, manifest=tmp_path / "header").holds
    assert check_proof(path, manifest=manifest().digest).holds


def test_without_a_manifest_the_proof_says_which_it_is_of(tmp_path: Path) -> None:
    """And that this is left to be compared."""
    *_, last = check_proof(saved(tmp_path)).checks
    assert (last.name, last.done) == ("manifest", False)
    assert manifest().digest in last.detail


def test_a_proof_of_another_manifest_does_not_hold(tmp_path: Path) -> None:
    """Even if both have the very same line."""
    other = manifest(provenance={"another": True})
    assert other.root == manifest().root
    assert codes(saved(tmp_path), manifest=other.digest) == ["other_manifest"]
    (tmp_path / "header").write_bytes(other.header_line)
    assert codes(saved(tmp_path), manifest=tmp_path / "header") == ["other_manifest"]
    other.save(tmp_path / "other.jsonl")
    proof, _ = verify_all([saved(tmp_path), tmp_path / "other.jsonl"])
    assert not getattr(proof, "holds", True)


def forge_answer(data: Any) -> None:
    data["line"]["case"]["expected"] = 2


def forge_root(data: Any) -> None:
    """A tree of one line, with a header to match: consistent, but of another digest."""
    leaf = Manifest.build("m", cases=[Case("q", 2, case_id="a/b", source_id="a/b")])
    data.update(leaf.prove("a/b").to_json())
    data["manifest"] = manifest().digest


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (forge_answer, {"not_included"}),
        (forge_root, {"contradiction"}),
        (lambda data: data.update(index=data["index"] + 1), {"not_included"}),
        (lambda data: data.update(index=10**6), {"contradiction", "not_included"}),
        (lambda data: data.update(size=data["size"] + 1), {"contradiction", "not_included"}),
        (lambda data: data["path"].pop(), {"not_included"}),
        (lambda data: data["path"].append("0" * 64), {"not_included"}),
        (lambda data: data["path"].reverse(), {"not_included"}),
        (lambda data: data.update(root="sha256:" + "0" * 64), {"contradiction", "not_included"}),
        (lambda data: data["header"].update(name="n"), {"contradiction"}),
        (lambda data: data["header"]["counts"].update(cases=-1), {"wrong_value"}),
        (lambda data: data["header"].update(splits=1.5), {"wrong_value"}),
        (lambda data: data["header"].update(splits=["development"]), {"wrong_value"}),
        (lambda data: data["line"].update(split="nowhere"), {"wrong_value"}),
        (lambda data: data["line"].update(split=["development"]), {"wrong_value"}),
        (lambda data: data["line"].update(kind="manifest"), {"unknown_line"}),
        (lambda data: data["line"]["case"].update(case_id=7), {"bad_id"}),
        (lambda data: data.update(line=data["header"]), {"unknown_line"}),
        (lambda data: data.update(more=1), {"unknown_field"}),
        (lambda data: data.pop("path"), {"missing_field"}),
        (lambda data: data.update(path=["XY" * 32]), {"wrong_value"}),
        (lambda data: data.update(path=["0" * 64] * 65), {"wrong_value"}),
        (lambda data: data.update(schema="robust.inclusion-proof/2"), {"unknown_schema"}),
        (lambda data: data.update(index=True), {"wrong_value"}),
    ],
)
def test_a_proof_that_was_tampered_with_does_not_hold(tmp_path: Path, change: Any, expected: set[str]) -> None:
    """Whatever was changed in it."""
    found = codes(saved(tmp_path, change), manifest=manifest().digest)
    assert found
    assert set(found) <= expected, found


def test_a_rewritten_header_is_another_manifest(tmp_path: Path) -> None:
    """With its digest recomputed the proof is of that one, which nobody has asked for."""

    def rewrite(data: Any) -> None:
        data["header"]["name"] = "n"
        data["manifest"] = digest_bytes(canonical_bytes(data["header"]))

    assert codes(saved(tmp_path, rewrite)) == []
    assert codes(saved(tmp_path, rewrite), manifest=manifest().digest) == ["other_manifest"]


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"schema":"x"}', b"\xff", b'{"a":1,"a":2}'])
def test_what_is_no_proof_is_damaged(tmp_path: Path, content: bytes) -> None:
    """Not a crash, and not a proof."""
    (tmp_path / "p.json").write_bytes(content)
    with pytest.raises(IntegrityError):
        load_proof(tmp_path / "p.json")
    assert not check_proof(tmp_path / "p.json").holds


def test_what_is_not_there_cannot_be_proven() -> None:
    """Neither a case, nor a validation; ids are exact."""
    for wanted in ("A/b", "a", "sha256:" + "0" * 64, "", "\ud800"):
        with pytest.raises(UsageError) as caught:
            manifest().prove(wanted)
        assert caught.value.code == "unknown_case"


def crafted(folder: Path, line: Any, **counts: int) -> Path:
    """A proof in which every hash fits, of a tree whose first leaf is any line."""
    tree, lines = MerkleTree(), [canonical_bytes(line), b"{}"]
    tree.extend(lines)
    header = manifest().header
    header |= {"root": tree.root(), "counts": {"lines": 2, "cases": 2, "validations": 0, "sources": 1, **counts}}
    proof = {
        "schema": "robust.inclusion-proof/1",
        "manifest": digest_bytes(canonical_bytes(header)),
        "header": header,
        "line": line,
        "index": 0,
        "size": 2,
        "path": inclusion_path([leaf_hash(each) for each in lines], 0),
        "root": tree.root(),
    }
    (folder / "crafted.json").write_text(json.dumps(proof), encoding="utf-8")
    return folder / "crafted.json"


VARIANT: JsonObject = {
    "parent_id": "p",
    "parent_content": "sha256:" + "0" * 64,
    "transform": "t",
    "params": {},
    "seed": None,
}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda line: None, []),
        (lambda line: line.pop("label_source"), ["missing_field"]),
        (lambda line: line.update(more=1), ["unknown_field"]),
        (lambda line: line.update(label_source="guessed"), ["wrong_value"]),
        (lambda line: line.update(label_source=None), ["label_source"]),
        (lambda line: line.update(validation=5), ["wrong_value"]),
        (lambda line: line["case"].update(origin={**VARIANT, "index": 0, "relation": None}), ["validation_required"]),
    ],
)
def test_a_case_that_no_manifest_can_hold_is_not_proven(tmp_path: Path, change: Any, expected: list[str]) -> None:
    """Such as a variant without a validation, although the tree has just this leaf."""
    line = manifest().prove("a/b").to_json()["line"]
    change(line)
    assert codes(crafted(tmp_path, line)) == expected


def test_a_validation_that_no_manifest_can_hold_is_not_proven(tmp_path: Path) -> None:
    """One that is not valid, by relation alone, or with what was observed."""
    only = {"cases": 0, "validations": 2}
    refused = said(verdict(valid=False))
    by_relation = said(verdict(True, None, None), require_answers=False, relation="invariant")
    for record, expected in (
        (valid_variant(), []),
        (refused, ["not_valid"]),
        (by_relation, ["not_valid"]),
    ):
        data = {key: value for key, value in record.data.items() if key != "observed"}
        assert codes(crafted(tmp_path, {"kind": "validation", "validation": data}, **only)) == expected
    line = {"kind": "validation", "validation": {**valid_variant().data, "observed": {"duration_ms": 1}}}
    assert codes(crafted(tmp_path, line, **only)) == ["unknown_field"]


def test_a_header_that_contradicts_the_place_of_the_line_proves_nothing(tmp_path: Path) -> None:
    """Cases come first, as many as the header counts."""
    line = manifest().prove("a/b").to_json()["line"]
    assert codes(crafted(tmp_path, line, cases=0, validations=2)) == ["contradiction"]
    assert codes(crafted(tmp_path, line, validations=9)) == ["contradiction"]
