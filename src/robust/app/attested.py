"""The attestation of some evidence, the claims about it, and whose signatures they have."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from robust.app.checks import Attempt, Check, Kind, SignatureState, Signer, left_open
from robust.app.claims import check_claim_beside
from robust.app.envelopes import OpenEnvelope, check_signatures, open_envelope, statement_problems
from robust.app.examined import Examined
from robust.app.signature_terms import SignatureTerms
from robust.app.statements import subject_digests
from robust.errors import IntegrityError, Problem, RobustError
from robust.store.attestations import MAX_CLAIMS, attestation_path, claims_of, has_attestation


class Attested(NamedTuple):
    """What signatures show of some evidence.

    Attributes:
        checks: what was checked.
        signers: the named keys that signed what follows from the evidence.
        signature: whether there are signatures, and whether they were checked.
    """

    checks: tuple[Check, ...]
    signers: tuple[Signer, ...] = ()
    signature: SignatureState = "none"


def check_attested(
    place: Path, kind: Kind, examined: Examined, terms: SignatureTerms, given: Iterable[OpenEnvelope] = ()
) -> Attested:
    """Check the attestation and the claims of some evidence.

    Args:
        place: the evidence.
        kind: what it is.
        examined: what was found of it.
        terms: what the reader asks.
        given: envelopes that the reader gave beside it; those about this evidence count.

    Raises:
        UsageError: an attestation may not be read.
    """
    found = _Attestations(place, kind, examined, terms)
    beside = found.beside() if has_attestation(place) else None
    due = examined.statement
    own = os.fspath(attestation_path(place))
    others = [] if due is None else [each for each in given if each.file != own and not statement_problems(each, due)]
    checks = [] if beside is None else [beside]
    checks += [Check(name="attestation", holds=True, detail=f"{each.file} speaks of it") for each in others]
    signed = found.signature(others)
    checks += signed.checks
    files = claims_of(place)
    checks += [check_claim_beside(file, place, terms, found.subject_problems) for file in files[:MAX_CLAIMS]]
    if len(files) > MAX_CLAIMS:
        message, hint = f"{len(files)} claims; at most {MAX_CLAIMS} are read", "move some of them elsewhere"
        problem = Problem(code="too_many_claims", message=message, file=os.fspath(place), hint=hint)
        checks.append(Check(name="claim", holds=False, problems=(problem,)))
    return signed._replace(checks=tuple(checks))


def unsigned_check(place: Path, terms: SignatureTerms) -> Check:
    """What is said of evidence that nobody signed."""
    if not terms.required:
        return left_open("signature", "none")
    message, hint = "a signature is required, and there is none", "robust sign makes one"
    problem = Problem(code="not_signed", message=message, file=os.fspath(place), hint=hint)
    return Check(name="signature", holds=False, problems=(problem,))


class _Attestations:
    """The attestation beside some evidence, and those that were given."""

    def __init__(self, place: Path, kind: Kind, examined: Examined, terms: SignatureTerms) -> None:
        self._place = place
        self._kind = kind
        self._examined = examined
        self._terms = terms
        self._attempt = Attempt()
        self._opened: OpenEnvelope | None = None
        self._fits = False
        self._found: dict[str, str] | None = None

    def beside(self) -> Check:
        """Whether the attestation beside the evidence says what follows from it."""
        check = self._attempt.step("attestation", self._compare)
        if check.holds and not self._fits:
            return left_open("attestation", check.detail)
        return check

    def _compare(self) -> str:
        opened = self._opened = open_envelope(attestation_path(self._place))
        due = self._examined.statement
        if due is not None:
            if problems := statement_problems(opened, due):
                raise IntegrityError(*problems)
            self._fits = True
            return _result_of(opened)
        if self._examined.unsigned is not None:
            message = f"nothing can be stated of this evidence: {self._examined.unsigned}"
            raise IntegrityError.of("other_statement", message, file=opened.file, path="$")
        digests = self._digests()
        if problems := digest_problems(opened, digests):
            raise IntegrityError(*problems)
        return "the files are those that are stated, and do not hold" if digests else "the files were not compared"

    def _digests(self) -> dict[str, str]:
        """The digests of the files; none where they cannot be told, which was said elsewhere."""
        if self._found is None:
            self._found = {}
            # Of what is too large to be read nothing is told by reading all of it.
            if not any(problem.code == "too_large" for problem in self._examined.problems):
                with contextlib.suppress(RobustError):
                    self._found = subject_digests(self._place, self._kind)
        return self._found

    def subject_problems(self, opened: OpenEnvelope) -> list[Problem]:
        """Which of the files that a statement speaks of are not those of the evidence."""
        due = self._examined.statement
        if due is None:
            return digest_problems(opened, self._digests())
        claimed = replace(opened.statement, data={}, predicate_type=due.predicate_type, predicate=due.predicate)
        return statement_problems(opened._replace(statement=claimed), due)

    def signature(self, others: Sequence[OpenEnvelope]) -> Attested:
        """Whose signatures there are over what follows from the evidence."""
        fitting = [*([self._opened] if self._opened is not None and self._fits else []), *others]
        if fitting:
            found = check_signatures("signature", fitting, self._terms, self._terms.threshold)
            verified = found.check.done and found.check.holds
            return Attested((found.check,), found.signers if verified else (), "verified" if verified else "unchecked")
        if self._opened is None:
            # Of an attestation that cannot be read it was said already that it does not hold.
            return Attested(() if self._attempt.failed else (unsigned_check(self._place, self._terms),))
        found = check_signatures("signature", [self._opened], self._terms, self._terms.threshold)
        if found.check.holds and found.check.done:
            told = f"{found.check.detail}, over a statement that does not hold of these files"
            return Attested((left_open("signature", told),), signature="unchecked")
        return Attested((found.check,), signature="unchecked")


def digest_problems(opened: OpenEnvelope, digests: dict[str, str]) -> list[Problem]:
    """Which files are other than those that a statement speaks of."""
    problems = []
    stated = {subject.name: (index, subject.sha256) for index, subject in enumerate(opened.statement.subjects)}
    for name, digest in digests.items():
        index, sha256 = stated.get(name, (None, None))
        due = digest.removeprefix("sha256:")
        if sha256 != due:
            path = "$.subject" if index is None else f"$.subject[{index}].digest.sha256"
            message = f"{name} has the SHA-256 {due}, {sha256 or 'nothing'} is stated of it"
            problems.append(Problem(code="other_statement", message=message, file=opened.file, path=path))
    return problems


def _result_of(opened: OpenEnvelope) -> str:
    result = opened.statement.predicate.get("result")
    return (
        f"the stated result is {result}, as in the files"
        if isinstance(result, str)
        else "what is stated follows from the files"
    )
