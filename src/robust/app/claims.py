"""Claims about evidence: what somebody says under a name and a date, checked and shown by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from robust.app.checks import Attempt, Check
from robust.app.envelopes import OpenEnvelope, Signatures, check_signatures, open_envelope, statement_problems
from robust.app.signature_terms import SignatureTerms
from robust.errors import IntegrityError, Problem
from robust.signing.claim import MAX_CLAIM_BYTES, Claim, read_claim
from robust.signing.statement import claim_statement
from robust.store.attestations import claim_path

# Which of the files that a statement speaks of are not those of the evidence.
SubjectProblems: TypeAlias = Callable[[OpenEnvelope], list[Problem]]


def check_claim_beside(file: Path, place: Path, terms: SignatureTerms, subjects: SubjectProblems) -> Check:
    """Check a claim that lies beside the evidence.

    Args:
        file: the claim.
        place: the evidence.
        terms: what the reader asks. One by a key that nobody named is left open: whoever may write into the folder
            can put a claim there, and must not make what others signed fail by it.
        subjects: compares the files that it speaks of.

    Raises:
        UsageError: it may not be read.
    """
    opened: list[OpenEnvelope] = []

    def read() -> str:
        opened.append(open_envelope(file, max_bytes=MAX_CLAIM_BYTES))
        return ""

    check = Attempt().step("claim", read)
    if not check.holds:
        return check
    problems = subjects(opened[0])
    due = claim_path(place, opened[0].envelope.payload).name
    if due != file.name:
        message = f"a claim of this content is called {due}"
        problems.append(Problem(code="contradiction", message=message, file=opened[0].file, path="$.payload"))
    return check_claim(opened[0], terms, 0, problems).check


def check_claim(
    opened: OpenEnvelope, terms: SignatureTerms, threshold: int, problems: Sequence[Problem] = ()
) -> Signatures:
    """Check a claim: its form, and whose it is.

    Args:
        opened: the claim.
        terms: what the reader asks.
        threshold: how many of the named keys must have signed it.
        problems: what is known already to be wrong with it.
    """
    found = list(problems)
    claim: Claim | None = None
    try:
        claim = read_claim(opened.statement, file=opened.file)
    except IntegrityError as error:
        found += error.problems
    else:
        due = claim_statement(claim.claim, claim.name, claim.made_at, opened.statement.subjects)
        found += statement_problems(opened, due)
    signed = check_signatures("claim", [opened], terms, threshold)
    found += signed.check.problems
    if found or claim is None:
        return Signatures(Check(name="claim", holds=False, problems=tuple(found)), signed.signers)
    told = f"{claim.name!r}, dated {claim.made_at}, says: {claim.claim!r}; {signed.check.detail}"
    return Signatures(Check(name="claim", holds=True, done=signed.check.done, detail=told), signed.signers)
