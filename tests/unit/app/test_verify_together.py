"""Several paths at once: each is checked by itself, and against the others where one speaks of another."""

from __future__ import annotations

import json
import shutil
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from robust import (
    Case,
    IntegrityError,
    Manifest,
    OracleAudit,
    UsageError,
    Validation,
    audit_oracle,
    generate_keys,
    prove_record,
    run_contract,
    save_proof,
    sign,
    verify,
    verify_all,
)
from robust.app.verifying import examine
from robust.canon import canonical_bytes, digest_value, parse_canonical
from robust.errors import RobustError
from robust.oracle.preserves import PreservesOracle
from tests.programs import python
from tests.run_fixtures import manifest_of, numbers, run
from tests.unit.app.forging import StoredRun
from tests.unit.app.signed_evidence import ANN, Evidence, codes, named, paths, verified, write_evidence, write_run
from tests.unit.app.test_pinned_audits import BASES, pinned


@pytest.fixture(name="evidence")
def _evidence(tmp_path: Path) -> Evidence:
    return write_evidence(tmp_path)


def cases(*names: str) -> list[Case]:
    return [Case(f"question {name}", "yes", case_id=name, source_id=name) for name in names]


def test_a_path_that_is_given_twice_is_checked_once_and_shown_twice(evidence: Evidence) -> None:
    """With the same result; it is neither its own parent nor another's."""
    first, second, third = verified(evidence.run, evidence.manifest, evidence.run)
    assert first == third
    assert named(first, "records against the manifest").done
    assert second.holds


def test_what_cannot_be_checked_does_not_hide_the_rest(evidence: Evidence) -> None:
    """In the order in which it was given."""
    (evidence.folder / "notes.txt").write_text("hello", encoding="utf-8")
    places = [evidence.folder / name for name in ("missing", "run", "notes.txt", "m.manifest.jsonl", "run\0")]
    found = list(verify_all(places))
    assert [isinstance(each, UsageError) for each in found] == [True, False, True, False, True]


def test_several_runs_are_each_compared_with_their_own_manifest(evidence: Evidence) -> None:
    """Whatever the order; a run of none of those given is found to be another's."""
    folder = evidence.folder
    theirs = manifest_of({"total 7": [], "total 8000": []})
    theirs.save(folder / "theirs.jsonl")
    third = manifest_of({"total 9": []})
    for name, frozen in (("b", theirs), ("c", third)):
        run(folder, name=name, manifest=frozen)
    again = write_run(folder, "again")
    places = (evidence.run, folder / "b", folder / "theirs.jsonl", again, evidence.manifest)
    assert all(each.holds and named(each, "signature") for each in verified(*places))
    *_, strange = verified(evidence.manifest, folder / "theirs.jsonl", folder / "c")
    assert "$.manifest.digest" in paths(strange)


def test_a_manifest_that_is_damaged_is_said_at_its_own_place(evidence: Evidence) -> None:
    """The run itself is not blamed, and not compared."""
    lines = evidence.manifest.read_bytes().splitlines(keepends=True)
    evidence.manifest.write_bytes(b"".join(lines[:-1]))
    stored, damaged = verified(evidence.run, evidence.manifest)
    assert (stored.holds, damaged.holds) == (True, False)
    assert named(stored, "records against the manifest").done is False


def test_an_extension_is_compared_with_its_parent(tmp_path: Path) -> None:
    """A parent is a claim until it is at hand: nothing may have been moved, dropped or changed."""
    parent = Manifest.build("m", cases=cases("a", "b", "c"), splits={"dev": ["a"], "test": ["b", "c"]})
    parent.save(tmp_path / "parent.jsonl")
    child = parent.extend(cases=cases("d"), splits="test")
    child.save(tmp_path / "child.jsonl")
    alone = named(verify(tmp_path / "child.jsonl"), "parent")
    assert (alone.done, parent.digest in alone.detail) == (False, True)
    for order in (("parent.jsonl", "child.jsonl"), ("child.jsonl", "parent.jsonl")):
        found = {Path(each.path).name: each for each in verified(*(tmp_path / name for name in order))}
        assert named(found["child.jsonl"], "parent").done
        assert all(each.holds for each in found.values())
    header, *rest = (parse_canonical(line) for line in child.lines())
    moved = Manifest.build("m", cases=cases("a", "b", "d"), splits={"dev": ["a", "b"], "test": ["d"]})
    forged = [{**parse_canonical(next(moved.lines())), "parent": header["parent"]}]
    forged += [parse_canonical(line) for line in list(moved.lines())[1:]]
    assert rest
    (tmp_path / "forged.jsonl").write_bytes(b"".join(canonical_bytes(line) + b"\n" for line in forged))
    assert verify(tmp_path / "forged.jsonl").holds
    found_again, _ = verified(tmp_path / "forged.jsonl", tmp_path / "parent.jsonl")
    assert codes(found_again) == ["not_an_extension"]
    problem = named(found_again, "parent").problems[0]
    assert (problem.path, "'c'" in problem.message, "'b'" in problem.message) == ("$.parent", True, True)


@pytest.fixture(name="family")
def _family(tmp_path: Path) -> dict[str, Path]:
    """Manifests, and what was made from them."""
    first = Manifest.build("first", cases=cases("a", "b", "c"))
    second = Manifest.build("second", cases=cases("c", "d"))
    made = {
        "first": first,
        "second": second,
        "merged": Manifest.merge("merged", [first, second]),
        "split": first.split({"dev": ["a"], "test": ["b", "c"]}),
        "subset": first.subset(ids=["a"]),
    }
    for name, manifest in made.items():
        manifest.save(tmp_path / f"{name}.jsonl")
    return {name: tmp_path / f"{name}.jsonl" for name in made}


def test_what_was_made_from_manifests_comes_from_them(family: dict[str, Path]) -> None:
    """Every case, as far as they are all given; the name of each is the one that is told."""
    for name, sources in (("merged", ("first", "second")), ("split", ("first",)), ("subset", ("first",))):
        shown = verified(family[name], *(family[source] for source in sources))[0]
        check = named(shown, "made from")
        assert (check.holds, check.done, check.detail.endswith("every case comes from there")) == (True, True, True)
        assert named(verify(family[name]), "made from").done is False
    part = named(verified(family["merged"], family["first"])[0], "made from")
    assert (part.done, part.detail.endswith("1 of 2 not given")) == (False, True)


def rewritten(path: Path, change: Any) -> None:
    """Another header for a manifest."""
    header, rest = path.read_bytes().split(b"\n", 1)
    data = parse_canonical(header)
    change(data)
    path.write_bytes(canonical_bytes(data) + b"\n" + rest)


def origin_of(path: Path) -> Any:
    return parse_canonical(path.read_bytes().split(b"\n", 1)[0])["provenance"]["made_from"]


def test_what_does_not_come_from_its_sources_is_found(family: dict[str, Path], tmp_path: Path) -> None:
    """A case from elsewhere, one that was left out, and another name; each consistent by itself."""
    told = {name: origin_of(family[name]) for name in ("subset", "split", "merged")}

    def claims(name: str, manifest: Manifest, origin: Any) -> Path:
        path = tmp_path / f"{name}.jsonl"
        manifest.save(path)
        rewritten(path, lambda header: header["provenance"].update(made_from=origin))
        assert verify(path).holds
        return path

    strange = claims("strange", Manifest.build("s", cases=cases("a", "z")), told["subset"])
    shown, _ = verified(strange, family["first"])
    assert codes(shown) == ["not_made_from"]
    assert "'z'" in named(shown, "made from").problems[0].message
    changed = [Case("another question", "yes", case_id="a", source_id="a")]
    assert codes(verified(claims("changed", Manifest.build("s", cases=changed), told["subset"]), family["first"])[0])
    fewer = Manifest.build("s", cases=cases("a", "b"), splits={"dev": ["a"], "test": ["b"]})
    assert codes(verified(claims("fewer", fewer, told["split"]), family["first"])[0]) == ["not_made_from"]
    merged = claims("less", Manifest.build("s", cases=cases("a", "b", "c")), told["merged"])
    assert codes(verified(merged, family["first"], family["second"])[0]) == ["not_made_from"]
    renamed = {**told["split"], "manifests": [{**told["split"]["manifests"][0], "name": "another"}]}
    rewritten(family["split"], lambda header: header["provenance"].update(made_from=renamed))
    assert codes(verified(family["split"], family["first"])[0]) == ["contradiction"]


@pytest.mark.parametrize(
    "origin",
    [None, 5, [], {}, {"manifests": 5}, {"manifests": [5, {}, {"digest": "x", "name": "y"}, {"digest": 5}]}, "x"],
)
def test_a_provenance_may_say_anything(tmp_path: Path, origin: Any) -> None:
    """What names no manifest is nothing to be compared."""
    Manifest.build("m", cases=cases("a"), provenance={"made_from": origin}).save(tmp_path / "m.jsonl")
    shown = verify(tmp_path / "m.jsonl")
    assert shown.holds
    assert "made from" not in [check.name for check in shown.checks]


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (b'{"case":5}', "wrong_value"),
        (b'{"case":', "json_syntax"),
        (b'{"case":{"a":1}}', "not_made_from"),
        (b"", "not_made_from"),
        (b"[]", "not_made_from"),
    ],
)
def test_sources_that_are_damaged_are_no_reason_to_fail_with_a_crash(
    family: dict[str, Path], damage: bytes, code: str
) -> None:
    """The damage is told at their own place, and what was made from them cannot be shown."""
    header, *rest = family["first"].read_bytes().split(b"\n")
    family["first"].write_bytes(b"\n".join([header, damage, *rest[1:]]))
    shown, source = verified(family["subset"], family["first"])
    assert not source.holds
    assert (codes(shown), named(shown, "made from").holds) == ([code], False)


def test_a_pinned_audit_is_compared_where_it_is_given(tmp_path: Path) -> None:
    """It must be the pinned one, of the oracle that judged, and say what the report says of it."""
    contract = pinned(tmp_path)
    stored = run_contract(contract, output=tmp_path / "run").path
    alone = named(verify(stored), "pinned audits")
    assert (alone.done, alone.detail.startswith("not given: sha256:")) == (False, True)
    shown, _ = verified(stored, tmp_path / "audit.json")
    assert (shown.holds, named(shown, "pinned audits").done) == (True, True)
    other = audit_oracle(PreservesOracle(), contract="y/v1", bases=BASES)
    other.save(tmp_path / "other.json")
    shown, _ = verified(stored, tmp_path / "other.json")
    assert (codes(shown), shown.exit_code) == (["pin"], 3)
    assert verified(stored, tmp_path / "other.json", tmp_path / "audit.json")[0].holds


def test_a_report_that_tells_other_things_of_an_audit_is_found(tmp_path: Path) -> None:
    """What was observed stands in no digest; beside the audit it shows."""
    stored = run_contract(pinned(tmp_path), output=tmp_path / "run").path
    forged = StoredRun(stored)
    forged.report["observed"]["audits"]["whitespace"]["status"] = "fail"
    assert forged.save().holds
    shown, _ = verified(stored, tmp_path / "audit.json")
    assert (codes(shown), paths(shown)) == (["contradiction"], ["$.observed.audits.whitespace.status"])
    told: Any
    for told, expected in ((None, []), ([], []), ({"other": {}}, []), ({"whitespace": 5}, ["contradiction"])):
        forged.report["observed"]["audits"] = told
        assert forged.save().holds
        assert codes(verified(stored, tmp_path / "audit.json")[0]) == expected


def test_the_audit_of_another_oracle_is_found(tmp_path: Path) -> None:
    """With a pin that was made to fit, and every digest with it."""
    stored = run_contract(pinned(tmp_path), output=tmp_path / "run").path
    data = OracleAudit.load(tmp_path / "audit.json").data
    data["oracle"]["name"] = "another.oracle"
    content = {key: value for key, value in data.items() if key not in ("digest", "observed")}
    data["digest"] = digest_value(content)
    (tmp_path / "audit.json").write_bytes(canonical_bytes(data) + b"\n")
    forged = StoredRun(stored)
    forged.contract["oracles"]["default"]["audit"]["digest"] = data["digest"]
    forged.report["properties"]["whitespace"]["audit"]["digest"] = data["digest"]
    forged.report["observed"]["audits"]["whitespace"]["digest"] = data["digest"]
    forged.fit_digests()
    assert forged.save().holds
    shown, audit = verified(stored, tmp_path / "audit.json")
    assert audit.holds
    assert (codes(shown), paths(shown)) == (["other_oracle"], ["$.properties.whitespace.oracles[0].name"])


def test_a_proof_of_a_case_is_as_authentic_as_its_manifest(evidence: Evidence, tmp_path: Path) -> None:
    """Or is signed by those who signed the attestation, where that is all there is."""
    proof = tmp_path / "case.json"
    save_proof(Manifest.load(evidence.manifest).prove("b1"), proof)
    terms: dict[str, Any] = {"public_keys": [ANN.public], "require_signature": True}
    assert codes(verified(proof, **terms)[0]) == ["not_signed"]
    shown, _ = verified(proof, evidence.manifest, **terms)
    assert (shown.authentic, shown.signers[0].key_id) == (True, ANN.key_id)
    (tmp_path / "sent").mkdir()
    sent = shutil.copy(evidence.beside, tmp_path / "sent")
    shown, alone = verified(proof, Path(sent), **terms)
    assert (shown.holds, shown.authentic, alone.holds) == (True, False, True)
    other = manifest_of({"total 5": []})
    other.save(tmp_path / "other.jsonl")
    sign(tmp_path / "other.jsonl", ANN)
    shown, *_ = verified(proof, tmp_path / "other.jsonl", **terms)
    assert codes(shown) == ["other_manifest", "not_signed"]


def test_a_proof_is_compared_with_a_manifest_that_is_named_apart(evidence: Evidence, tmp_path: Path) -> None:
    """From Python, as a run is; and is as authentic as if the manifest were a second path."""
    proof = tmp_path / "case.json"
    save_proof(Manifest.load(evidence.manifest).prove("b1"), proof)
    assert named(verify(proof, manifest=evidence.manifest), "manifest").done
    found = verify(proof, manifest=evidence.manifest, public_keys=[ANN.public], require_signature=True)
    assert found == verified(proof, evidence.manifest, public_keys=[ANN.public], require_signature=True)[0]
    assert found.authentic
    manifest_of({"total 5": []}).save(tmp_path / "other.jsonl")
    assert codes(verify(proof, manifest=tmp_path / "other.jsonl")) == ["other_manifest"]
    with pytest.raises(UsageError) as caught:
        verify(proof, manifest=shutil.copy(evidence.manifest, tmp_path / "m.dsse.json"))
    assert caught.value.code == "unknown_kind"
    for wrong in (proof, evidence.attestation):
        with pytest.raises(IntegrityError):
            verify(proof, manifest=wrong)


def test_the_order_of_paths_changes_nothing(evidence: Evidence, tmp_path: Path) -> None:
    """Not for a proof whose own attestation is given with another run, or with an attestation that tells of its run."""
    folder = tmp_path / "proof"
    folder.mkdir()
    save_proof(prove_record(evidence.run, "decision/b1"), folder / "p.json")
    stated = sign(folder / "p.json", ANN).file
    other = write_run(tmp_path, "other", answer="yes")
    sign(other, ANN)
    case = folder / "case.json"
    save_proof(Manifest.load(evidence.manifest).prove("b1"), case)
    of_case = sign(case, ANN).file
    terms: dict[str, Any] = {"public_keys": [ANN.public], "require_signature": True}
    for places in (
        (stated, other),
        (stated, other / "attestation.dsse.json"),
        (folder / "p.json", stated, evidence.attestation),
        (stated, of_case, other / "attestation.dsse.json", evidence.manifest),
    ):
        found = []
        for order in permutations(places):
            verdicts = {each.path: (each.authentic, codes(each), each.signers) for each in verified(*order, **terms)}
            found.append(verdicts)
        assert all(each == found[0] for each in found), places
    assert codes(verified(stated, other, **terms)[0]) == ["other_run"]


def test_a_forged_proof_is_not_told_to_be_signed(evidence: Evidence, tmp_path: Path) -> None:
    """Not by those who signed the run of which it tells another size."""
    data = prove_record(evidence.run, "decision/b1").to_json()
    for size in (data["size"], data["size"] + 1):
        (tmp_path / "p.json").write_text(json.dumps({**data, "size": size}), encoding="utf-8")
        terms: dict[str, Any] = {"public_keys": [ANN.public], "require_signature": True}
        shown, alone = verified(tmp_path / "p.json", evidence.attestation, **terms)
        assert alone.authentic
        told = (shown.holds, shown.authentic, shown.signature, bool(shown.signers))
        assert told == ((True, True, "verified", True) if size == data["size"] else (False, False, "none", False))
    assert "not_signed" in codes(shown)


def test_an_error_is_told_where_its_turn_comes(evidence: Evidence, tmp_path: Path) -> None:
    """Also where a proof asked for what was given behind it."""
    proof = tmp_path / "case.json"
    save_proof(Manifest.load(evidence.manifest).prove("b1"), proof)
    first, missing, second = verify_all([proof, tmp_path / "missing", proof])
    assert isinstance(missing, UsageError)
    assert first == second


SWAPPED = """
import json, sys
from pathlib import Path
from robust.app.verifying import examine

place, first, second, kind = Path(sys.argv[1]), *(Path(name).read_bytes() for name in sys.argv[2:4]), sys.argv[4]
due, opened = 0, 0

def watch(event, arguments):
    global opened
    if event == "open" and str(arguments[0]) == str(place) and arguments[1] in ("rb", "r"):
        opened += 1
        if opened == due:
            (place.with_name("next")).write_bytes(second)
            (place.with_name("next")).replace(place)

def found():
    examined = examine(place)
    stated = examined.statement and examined.statement.to_json()
    return json.dumps([stated, [[check.name, check.holds, check.detail] for check in examined.checks]])

sys.addaudithook(watch)
alone = []
for content in (first, second):
    place.write_bytes(content)
    alone.append(found())
assert alone[0] != alone[1]
seen = set()
for due in range(1, 20):
    place.write_bytes(first)
    opened = 0
    seen.add(alone.index(found()))
    if opened < due:
        break
print(kind, sorted(seen), opened < due)
"""


@pytest.mark.parametrize("kind", ["manifest", "audit", "inclusion proof", "record proof", "validations"])
def test_what_is_stated_is_of_the_bytes_that_were_checked(tmp_path: Path, kind: str) -> None:
    """Whenever another one takes its place: each is found as the one or as the other, and never as a mixture."""
    made = []
    for number in (5, 7):
        folder = tmp_path / str(number)
        folder.mkdir()
        frozen = manifest_of({f"total {number}": [(f"total  {number}", "invariant")]})
        frozen.save(folder / "manifest")
        if kind == "audit":
            audit_oracle(PreservesOracle(), contract=f"x/v{number}", bases=BASES).save(folder / kind)
        elif kind == "inclusion proof":
            save_proof(frozen.prove("b1"), folder / kind)
        elif kind == "record proof":
            stored = run(folder, dataset=numbers(f"number {number}")).path
            save_proof(prove_record(stored, "decision/" + numbers(f"number {number}")[0].case_id), folder / kind)
        elif kind == "validations":
            Validation.save_all(folder / kind, frozen.validations)
        made.append(folder / kind)
    done = python(SWAPPED, str(tmp_path / "place"), *map(str, made), kind)
    assert (done.stdout, done.stderr) == (f"{kind} [0, 1] True\n", "")


def test_signers_and_their_files_are_plain_data(evidence: Evidence, tmp_path: Path) -> None:
    """For programs: signers, whether it is authentic, and what is not proven, by codes."""
    files = generate_keys(tmp_path / "keys")
    sign(evidence.manifest, files.private)
    data = json.loads(json.dumps(verify(evidence.manifest, public_keys=[files.public]).to_json()))
    assert data["signers"] == [{"key_id": files.key_id, "file": str(files.public)}]
    assert (data["authentic"], data["signature"]) == (True, "verified")
    assert data["not_proven"] == ["key_holder", "oracle", "unseen_data", "dates"]


def test_what_can_be_stated_is_found_whoever_signed_something_else(evidence: Evidence) -> None:
    """Signing looks at the evidence alone: a wrong attestation beside it is no reason against a right one."""
    evidence.attestation.write_bytes(b"{}\n")
    found = examine(evidence.run)
    assert found.holds
    assert found.statement is not None
    assert [subject.name for subject in found.statement.subjects] == ["report.json", "records.jsonl", "contract.json"]
    (evidence.run / "records.jsonl").write_bytes(b"")
    damaged = examine(evidence.run)
    assert (damaged.holds, damaged.statement) == (False, None)
    with pytest.raises(RobustError):
        examine(evidence.folder / "missing")


def test_the_time_of_a_run_is_told_and_left_open(tmp_path: Path) -> None:
    """As the machine said; what is no time is not told."""
    forged = StoredRun(run(tmp_path, dataset=numbers("number 5")).path)
    shown = named(forged.save(), "time")
    started, finished = (forged.report["observed"][name] for name in ("started_at", "finished_at"))
    assert (shown.done, shown.detail.startswith(f"{started} to {finished}, as the machine said")) == (False, True)
    for value in (None, 5, "yesterday", "2026-01-01T00:00:00", "\x1b[2J", "9" * 5000):
        forged.report["observed"]["started_at"] = value
        assert named(forged.save(), "time").detail == "not told"
