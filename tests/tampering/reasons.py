"""For which reasons each kind of edit may be refused, and where: as few as there are."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from tests.tampering.edits import FIELD_KINDS, HOW, Edit
from tests.tampering.follows import shows
from tests.tampering.verdicts import Finding
from tests.tampering.workshop import CASE_PROOF, DECISIONS, MANIFEST, RECORD_PROOF


class Reason(NamedTuple):
    """A check that says no, with which codes, and of which files (a regular expression of the whole path)."""

    check: str
    codes: frozenset[str]
    files: str

    def fits(self, found: Finding) -> bool:
        """Whether it is this that was found."""
        named = re.fullmatch(self.files, found.file or "") is not None
        return found.check == self.check and found.code in self.codes and named


def _of(check: str, codes: str, files: str) -> Reason:
    return Reason(check, frozenset(codes.split()), files)


_RUNS: Final = f"(run|{DECISIONS})"
# The kinds of edits of fields, but of those of signed statements.
FIELDS: Final = frozenset(f"{kind}, {how}" for kind in FIELD_KINDS for how in HOW)
_ATTESTATIONS: Final = rf"({_RUNS}/attestation|{re.escape(MANIFEST)})\.dsse\.json"
_CLAIMS: Final = rf"(run/|{re.escape(MANIFEST)}\.)claim-[0-9a-f]{{12}}\.dsse\.json"
_RUN_FILES: Final = r"run/(report\.json|records\.jsonl|contract\.json)"
_RECORDS: Final = rf"{_RUNS}/(report\.json|records\.jsonl)"
_REPORT: Final = rf"{_RUNS}/report\.json"
_CONTRACT: Final = rf"{_RUNS}/contract\.json"
_FROZEN: Final = re.escape(MANIFEST)
_CASE: Final = re.escape(CASE_PROOF)
_RECORD: Final = re.escape(RECORD_PROOF)
_PROOFS: Final = f"{_CASE}|{_RECORD}"
_SCANS: Final = r"scans/two\.txtx?"
_DERIVED: Final = "records and derivation"
_RULES: Final = "root, rules and derivation"
_FIELDS: Final = "missing_field unknown_field wrong_value"
# Of bytes that are no text, no JSON, no canonical JSON, or not all there.
_TEXT: Final = "json_syntax not_utf8 not_canonical cut_short too_deep"
_STATEMENT: Final = "wrong_value duplicate_key unknown_schema"
_RECORD_FIELDS: Final = (
    f"contradiction {_FIELDS} bad_presentation bad_steps unknown_label unknown_line stored_form answer_missing bad_id"
    " unknown_relation"
)
_RECORD_RULES: Final = "not_in_plan original_error parent_missing"
_RECORD_PLACES: Final = "not_in_plan record_order duplicate_id parent_missing original_error contradiction bad_steps"
_CONTRACT_FIELDS: Final = f"contradiction impossible_combination unknown_key {_FIELDS}"
_CASE_FIELDS: Final = f"contradiction {_FIELDS} bad_id unknown_line unknown_relation other_parent different_sources"
_CASE_RULES: Final = (
    f"{_CASE_FIELDS} validation_mismatch validation_unused validation_required parent_missing other_group "
    "base_label_conflict label_source label_missing"
)
_LINE_RULES: Final = (
    "contradiction line_order duplicate_id validation_required validation_unused parent_missing no_cases"
)

# What a signed statement, and a claim, say of evidence that is not the one that was signed.
OTHER_STATEMENT: Final = _of("attestation", "other_statement", _ATTESTATIONS)
OTHER_CLAIM: Final = _of("claim", "other_statement", _CLAIMS)
# What may be said besides: that what was signed is something else, and that a proof that does not hold is not signed.
BESIDE: Final = (
    OTHER_STATEMENT,
    OTHER_CLAIM,
    _of("claim", "bad_claim unknown_schema", _CLAIMS),
    _of("signature", "not_signed", _PROOFS),
    _of("signature", "threshold", _ATTESTATIONS),
)


def _signed(codes: str) -> tuple[Reason, ...]:
    """A statement that cannot be read, or signatures that are not as they should be."""
    return (_of("attestation", _STATEMENT, _ATTESTATIONS), _of("signature", codes, _ATTESTATIONS))


def _proof(form: str) -> tuple[Reason, ...]:
    """A proof that cannot be read, that does not hold in itself, or that is of something else."""
    return (
        _of("form", f"{_FIELDS} unknown_schema {form}", _PROOFS),
        _of("line", f"{_FIELDS} unknown_line bad_id label_source", _PROOFS),
        _of("inclusion", f"contradiction not_included {_FIELDS}", _PROOFS),
        _of("manifest", "other_manifest", _CASE),
        _of("run", "other_run contradiction", _RECORD),
        # Without its header or its schema it is taken for something else.
        _of("header", "unknown_schema", _PROOFS),
        _of("digests and derivation", "unknown_schema", _PROOFS),
    )


_DAMAGED: Final = (
    _of("report", f"contradiction {_FIELDS} {_TEXT}", _REPORT),
    _of("contract", f"{_CONTRACT_FIELDS} {_TEXT}", _CONTRACT),
    _of(_DERIVED, f"{_RECORD_FIELDS} {_RECORD_PLACES} {_TEXT}", _RECORDS),
    _of("header", f"unknown_schema {_FIELDS} {_TEXT}", _FROZEN),
    _of(_RULES, f"{_CASE_RULES} {_TEXT}", _FROZEN),
    *_proof(_TEXT),
    _of("attestation", f"wrong_payload_type {_STATEMENT} {_TEXT}", _ATTESTATIONS),
    _of("signature", "bad_signature", _ATTESTATIONS),
    # Nothing else tells what a proof was.
    _of("", "unknown_kind", _PROOFS),
)
# What a kind of edit is refused for: one of these at least, and nothing but these and what stands in BESIDE.
REASONS: Final[dict[str, tuple[Reason, ...]]] = {
    "field of the report, plain": (
        _of("report", "contradiction duplicate_key wrong_value", _REPORT),
        # No digest of the report is over what was observed.
        _of(_DERIVED, "contradiction", _REPORT),
        OTHER_STATEMENT,
    ),
    "field of the report, re-hashed": (
        _of("report", "wrong_value", _REPORT),
        _of(_DERIVED, "contradiction", _RECORDS),
        OTHER_STATEMENT,
    ),
    "field of the contract, plain": (
        _of("contract", f"{_CONTRACT_FIELDS} duplicate_key", _CONTRACT),
        _of(_DERIVED, "contradiction not_in_plan no_property unknown_label", _RECORDS),
    ),
    "field of the contract, re-hashed": (
        _of("contract", _CONTRACT_FIELDS, _CONTRACT),
        _of(_DERIVED, "contradiction not_in_plan no_property unknown_label", _RECORDS),
        OTHER_STATEMENT,
    ),
    "field of a decision, plain": (
        _of(_DERIVED, f"{_RECORD_FIELDS} {_RECORD_RULES} record_order duplicate_key", _RECORDS),
    ),
    "field of a decision, re-hashed": (
        _of(_DERIVED, f"{_RECORD_FIELDS} {_RECORD_RULES} record_order duplicate_key", _RECORDS),
        OTHER_STATEMENT,
    ),
    "field of a record, plain": (_of(_DERIVED, f"{_RECORD_FIELDS} {_RECORD_RULES} duplicate_key", _RECORDS),),
    "field of a record, re-hashed": (
        _of(_DERIVED, f"{_RECORD_FIELDS} {_RECORD_RULES} duplicate_key", _RECORDS),
        OTHER_STATEMENT,
    ),
    "field of a manifest, plain": (
        _of("header", f"unknown_schema duplicate_key {_FIELDS}", _FROZEN),
        _of(_RULES, f"{_CASE_RULES} duplicate_key", _FROZEN),
        # Of a changed name or origin of the header nothing else follows.
        OTHER_STATEMENT,
    ),
    "field of a manifest, re-hashed": (
        _of("header", f"unknown_schema {_FIELDS}", _FROZEN),
        _of(_RULES, _CASE_RULES, _FROZEN),
        _of("media files", "media_changed media_missing", _SCANS),
        OTHER_STATEMENT,
    ),
    "field of a case's proof, plain": _proof("duplicate_key"),
    "field of a case's proof, re-hashed": _proof(""),
    "field of a record's proof, plain": _proof("duplicate_key"),
    "field of a record's proof, re-hashed": _proof(""),
    "field of a statement, old signatures": _signed("bad_signature"),
    "field of a statement, signed by a stranger": _signed("unknown_signer"),
    "field of a statement, signed by a stranger in their names": _signed("bad_signature"),
    "field of a statement, signed by the signers": (
        _of("attestation", f"other_statement {_STATEMENT}", _ATTESTATIONS),
    ),
    "field of a claim, old signatures": (_of("claim", f"bad_signature {_STATEMENT}", _CLAIMS),),
    # One that is as good as any is left open, see LEFT_OPEN.
    "field of a claim, signed by a stranger": (_of("claim", f"other_statement bad_claim {_STATEMENT}", _CLAIMS),),
    "field of a claim, signed by a stranger in their names": (_of("claim", f"bad_signature {_STATEMENT}", _CLAIMS),),
    "field of a claim, signed by the signers": (_of("claim", f"other_statement {_STATEMENT}", _CLAIMS),),
    "member of an envelope": (
        _of("attestation", "wrong_value duplicate_key wrong_payload_type", _ATTESTATIONS),
        _of("claim", "wrong_value duplicate_key wrong_payload_type bad_signature", _CLAIMS),
        _of("signature", "bad_signature threshold", _ATTESTATIONS),
    ),
    "line of a run, plain": (_of(_DERIVED, f"{_RECORD_PLACES} {_TEXT}", _RECORDS),),
    "line of a run, re-hashed": (_of(_DERIVED, f"{_RECORD_PLACES} {_TEXT}", _RECORDS),),
    "line of decisions alone, plain": (_of(_DERIVED, f"{_RECORD_PLACES} {_TEXT}", _RECORDS),),
    # The cases of a data set have no order but that in which they were asked.
    "line of decisions alone, re-hashed": (_of(_DERIVED, f"{_RECORD_PLACES} {_TEXT}", _RECORDS), OTHER_STATEMENT),
    "line of a manifest, plain": (
        _of("header", f"unknown_schema {_TEXT}", _FROZEN),
        _of(_RULES, f"{_LINE_RULES} unknown_line {_TEXT}", _FROZEN),
        # Whose first line is a validation is a file of validations.
        _of("digests and derivation", "unknown_schema", _FROZEN),
    ),
    "line of a manifest, re-hashed": (
        _of("header", "unknown_schema", _FROZEN),
        _of(_RULES, f"{_LINE_RULES} unknown_line", _FROZEN),
        _of("digests and derivation", "unknown_schema", _FROZEN),
    ),
    "bytes of a file, plain": _DAMAGED,
    "bytes of a file, re-hashed": _DAMAGED[:5],
    "bit of a file, plain": (*_DAMAGED, OTHER_STATEMENT),
    "bit of a file, re-hashed": (*_DAMAGED[:-1], OTHER_STATEMENT),
    "broken signature": (
        _of("signature", "bad_signature", _ATTESTATIONS),
        # A payload with another byte may be no statement any more.
        _of("attestation", f"json_syntax not_utf8 {_STATEMENT}", _ATTESTATIONS),
    ),
    "too few signatures": (_of("signature", "threshold", _ATTESTATIONS),),
    "strangers alone": (_of("signature", "unknown_signer", _ATTESTATIONS),),
    "no envelope": (
        _of("attestation", "wrong_value wrong_payload_type too_many_signatures json_syntax", _ATTESTATIONS),
    ),
    "no attestation": (_of("signature", "not_signed", rf"run|{_FROZEN}"),),
    "files of another run, plain": (_of(_DERIVED, "contradiction", _RECORDS), OTHER_STATEMENT),
    "files of another run, re-hashed": (_of(_DERIVED, "contradiction", _RECORDS),),
    "claim of another run": (OTHER_CLAIM,),
    "statement of something else": (
        OTHER_STATEMENT,
        # A claim has its name from what is claimed.
        _of("claim", "contradiction", _CLAIMS),
        _of("files", "other_statement", r"(seed|split|model)/attestation\.dsse\.json"),
        _of("signature", "not_signed", "run"),
    ),
    "manifest of another run": (_of("records against the manifest", "contradiction", _REPORT),),
    "proof that leads elsewhere, plain": _proof(""),
    "proof that leads elsewhere, re-hashed": _proof(""),
    "proof of another tree": (_of("manifest", "other_manifest", _CASE), _of("run", "other_run", _RECORD)),
    "proof beside a forged manifest": (
        OTHER_STATEMENT,
        _of("signature", "not_signed", rf"{_CASE}|forged\.manifest\.jsonl"),
    ),
    "file of a case, plain": (_of("media files", "media_changed media_missing", _SCANS),),
    "file of a case, re-hashed": (OTHER_STATEMENT,),
    "link": (
        _of("report", "link", _RUN_FILES),
        _of("attestation", "link", _ATTESTATIONS),
        _of("claim", "link", _CLAIMS),
        # A file of a case may lie behind a link, but not outside of the manifest's folder.
        _of("media files", "media_missing", _SCANS),
    ),
    "not a file": (
        _of("report", "missing_file unfinished", "run"),
        _of("attestation", "not_a_file", _ATTESTATIONS),
    ),
    "missing file": (
        _of("report", "missing_file unfinished", "run"),
        _of("signature", "not_signed", "run"),
    ),
    "name that leads elsewhere": (
        _of("attestation", "other_statement wrong_value", _ATTESTATIONS),
        _of("statement", "unsafe_name wrong_value", _ATTESTATIONS),
        _of("form", "wrong_value", _ATTESTATIONS),
    ),
    "path of a case's file, plain": (_of(_RULES, "wrong_value contradiction", _FROZEN),),
    "path of a case's file, re-hashed": (
        _of(_RULES, "wrong_value", _FROZEN),
        _of("media files", "media_missing", r"run/scans/two\.txt|SCANS/TWO\.TXT"),
    ),
    "path": (_of("", "unreadable unknown_kind bad_path", ".*"),),
    "keys of strangers alone": (
        _of("signature", "unknown_signer", _ATTESTATIONS),
        _of("claim", "unknown_signer", _CLAIMS),
        _of("signature", "not_signed", _PROOFS),
    ),
    # Keys are counted, not how often each is named.
    "threshold above the keys": (_of("", "bad_threshold", ""),),
    "threshold not reached": (
        _of("signature", "threshold", _ATTESTATIONS),
        _of("signature", "not_signed", f"run|{_PROOFS}"),
        _of("claim", "threshold unknown_signer", _CLAIMS),
    ),
}
# What ends with exit code 2: paths that lead to nothing, what nobody can tell what it was, and wrong usage.
NOTHING_KNOWN: Final = ("path", "bytes of a file, plain", "bit of a file, plain", "threshold above the keys")
# Where in an envelope it shows who signed what.
_SIGNATURES: Final = r"\$\.signatures\b.*"
# What a signature is, is read of the entry that holds it.
_OF_SIGNATURE: Final = r"\$\.signatures\[[0-9]\]\.sig"


def at_its_place(edit: Edit, found: Finding) -> bool:
    """Whether something was found where an edit of a field was made, or where that shows."""
    if edit.place is None:
        return True
    if edit.kind in FIELDS:
        return shows(edit, found)
    path = found.path or ""
    if re.fullmatch(_OF_SIGNATURE if edit.kind == "member of an envelope" else _SIGNATURES, path):
        return True
    path = path if path.startswith("$") else f"$.{path}"
    return edit.place.startswith(path) or path.startswith(edit.place)
