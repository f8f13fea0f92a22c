"""Files of one run or manifest in the place of another's, and proofs of other trees."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any, Final

from tests.independent import canonical, digest_of, inclusion_path, merkle_root, read
from tests.tampering.edits import (
    ATTESTATION,
    FROZEN,
    MANIFEST_ATTESTATION,
    PROVEN_CASE,
    PROVEN_RECORD,
    Asked,
    Edit,
    changes_of,
    plain_or_refitted,
)
from tests.tampering.forger import laid_out, lines_of, refit
from tests.tampering.workshop import CASE_PROOF, MANIFEST, OTHER_MANIFEST, RECORD_PROOF, RUNS

Case = Mapping[str, bytes]
_PARTS: Final = ("report.json", "records.jsonl", "contract.json", "attestation.dsse.json")
# Of runs of one contract these are a whole run.
_WHOLE: Final = {"report.json", "records.jsonl", "attestation.dsse.json"}


def swap_edits(case: Case, made: Case) -> Iterator[Edit]:
    """Some files of a run or a manifest, not all, are those of another one."""
    for run in RUNS:
        theirs = {f"run/{name.partition('/')[2]}": made[name] for name in made if name.startswith(f"{run}/claim-")}
        if run == "run":
            continue
        yield Edit("claim of another run", f"of another {run}", theirs)
        whole = {f"run/{part}": made[f"{run}/{part}"] for part in _WHOLE}
        yield Edit("claim of another run", f"beside another {run}", whole)
        for count in range(1, len(_PARTS)):
            for parts in combinations(_PARTS, count):
                swapped = {**case, **{f"run/{part}": made[f"{run}/{part}"] for part in parts}}
                changes = changes_of(case, swapped)
                if not changes or set(parts) >= _WHOLE:
                    continue
                name = f"{', '.join(parts)} of another {run}"
                yield Edit("files of another run, plain", name, changes)
                again = changes_of(case, refit(swapped, "run/records.jsonl"))
                if again and again != changes:
                    yield Edit("files of another run, re-hashed", name, again)


def statement_swaps(case: Case, made: Case) -> Iterator[Edit]:
    """Good signatures over statements that speak of something else."""
    kind = "statement of something else"
    (claim,) = (name for name in case if name.startswith("run/claim-"))
    yield Edit(kind, "the manifest's in the run", {ATTESTATION: case[MANIFEST_ATTESTATION]})
    yield Edit(kind, "a claim in the place of the attestation", {ATTESTATION: case[claim]})
    yield Edit(kind, "the attestation in the place of a claim", {claim: case[ATTESTATION]})
    yield Edit(kind, "the attestation as another claim", {"run/claim-0123456789ab.dsse.json": case[ATTESTATION]})
    for name, data in (("the run's", case[ATTESTATION]), ("another manifest's", made[f"{OTHER_MANIFEST}.dsse.json"])):
        yield Edit(kind, f"{name} beside the manifest", {MANIFEST_ATTESTATION: data}, FROZEN)
    other = {MANIFEST: made[OTHER_MANIFEST]}
    yield Edit(kind, "another manifest under this one's name", other, FROZEN)
    both = {**other, MANIFEST_ATTESTATION: made[f"{OTHER_MANIFEST}.dsse.json"]}
    yield Edit(kind, "another manifest under this one's name, with its attestation", both, FROZEN)
    for run in RUNS:
        if run != "run":
            elsewhere = f"{run}/attestation.dsse.json"
            given = {ATTESTATION: None, elsewhere: made[elsewhere]}
            yield Edit(kind, f"another {run}'s, given beside the run", given, Asked(("run", elsewhere)))
    together = {
        OTHER_MANIFEST: made[OTHER_MANIFEST],
        f"{OTHER_MANIFEST}.dsse.json": made[f"{OTHER_MANIFEST}.dsse.json"],
    }
    yield Edit("manifest of another run", "a signed one that was not run", together, Asked(("run", OTHER_MANIFEST)))
    for run in RUNS:
        if run != "run":
            there = {f"{run}/{part}": made[f"{run}/{part}"] for part in _PARTS}
            asked = Asked((RECORD_PROOF, f"{run}/attestation.dsse.json"))
            yield Edit("proof of another tree", f"the record's beside another {run}'s attestation", there, asked)


def proof_edits(case: Case, made: Case) -> Iterator[Edit]:
    """Proofs with another index, size, path or line, and of other trees."""
    for file, asked in ((CASE_PROOF, PROVEN_CASE), (RECORD_PROOF, PROVEN_RECORD)):
        proof = json.loads(case[file])
        for name, members in _edited_proofs(proof):
            data = laid_out({**proof, **members})
            edit = Edit("proof that leads elsewhere", f"{file}: {name}", {}, asked)
            yield from plain_or_refitted(case, file, data, edit)
        other = {file: made[f"other.{file}"]}
        yield Edit("proof of another tree", f"{file}: of another one", other, asked)
    yield from _forged_trees(case, made)


def _edited_proofs(proof: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    index, size, path = proof["index"], proof["size"], proof["path"]
    for other in {0, 1, index - 1, index + 1, size - 1, size, size + 1, 2**53 - 1, -1} - {index}:
        yield f"index {other}", {"index": other}
    for other in {0, 1, size - 1, size + 1, 2 * size, 2**53 - 1} - {size}:
        yield f"size {other}", {"size": other}
    steps = {
        "reversed": path[::-1],
        "without its first step": path[1:],
        "without its last step": path[:-1],
        "with a step twice": [path[0], *path],
        "empty": [],
        "of capitals": [step.upper() for step in path],
        "with a step cut": [path[0][:-2], *path[1:]],
        "of 65 steps": (path * 65)[:65],
    }
    yield from ((f"path {name}", {"path": made}) for name, made in steps.items())


def _forged_trees(case: Case, made: Case) -> Iterator[Edit]:
    """Proofs that hold in themselves, of lines that the signed trees do not have."""
    header, *entries = map(read, lines_of(case[MANIFEST]))
    # Of a case that no validation speaks of, so that nothing contradicts it.
    at = next(index for index, entry in enumerate(entries) if entry.get("case", {}).get("case_id") == "one")
    entries[at]["case"]["metadata"] = {"team": "another"}
    lines = [*map(canonical, entries)]
    header["root"] = merkle_root(lines)
    proof = {
        "schema": "robust.inclusion-proof/1",
        "manifest": digest_of(header),
        "header": header,
        "line": entries[at],
        "index": at,
        "size": len(lines),
        "path": inclusion_path(lines, at),
        "root": header["root"],
    }
    name, forged = "of a manifest that was made for it", laid_out(proof)
    yield Edit("proof of another tree", name, {CASE_PROOF: forged}, PROVEN_CASE)
    whole = b"".join(line + b"\n" for line in (canonical(header), *lines))
    kind = "proof beside a forged manifest"
    yield Edit(kind, f"{name}, in the place of the signed one", {CASE_PROOF: forged, MANIFEST: whole}, PROVEN_CASE)
    asked = Asked((CASE_PROOF, "forged.manifest.jsonl", MANIFEST))
    yield Edit(kind, f"{name}, beside the signed one", {CASE_PROOF: forged, "forged.manifest.jsonl": whole}, asked)
    stored = json.loads(case[RECORD_PROOF])
    records = [read(line) for line in lines_of(made["seed/records.jsonl"])]
    bare = [canonical({key: value for key, value in record.items() if key != "observed"}) for record in records]
    evidence = {**stored["evidence"], "root": merkle_root(bare)}
    index = stored["index"]
    members = {"line": read(bare[index]), "path": inclusion_path(bare, index), "root": evidence["root"]}
    members |= {"size": len(bare), "evidence": evidence, "evidence_digest": digest_of(evidence)}
    name, forged = "of another run's records under this one's name", laid_out({**stored, **members})
    yield Edit("proof of another tree", name, {RECORD_PROOF: forged}, PROVEN_RECORD)
