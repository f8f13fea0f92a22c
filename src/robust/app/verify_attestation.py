"""Checking an attestation that was given by itself: its form, the files that it speaks of, and whose it is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from robust.app.checks import Attempt, Check, Kind, SignatureState, Signer, left_open
from robust.app.claims import check_claim
from robust.app.envelopes import OpenEnvelope, check_signatures, open_envelope, statement_problems
from robust.app.examined import Examined, KnownTree
from robust.app.signature_terms import SignatureTerms
from robust.app.statements import unsafe_name_reason
from robust.errors import IntegrityError, Problem, UsageError
from robust.records.attested import statement_shape
from robust.signing.statement import (
    CLAIM_PREDICATE,
    EVIDENCE_PREDICATE,
    MANIFEST_PREDICATE,
    RUN_PREDICATE,
    RUN_SUBJECTS,
    Statement,
)
from robust.store.attestations import refuse_link
from robust.store.files import unreadable
from robust.store.runs import is_run_directory

_SHAPE_OF: Final = {RUN_PREDICATE: "run", MANIFEST_PREDICATE: "manifest", EVIDENCE_PREDICATE: "evidence"}


class Around(Protocol):
    """What else was given, and what is found of it."""

    def examined(self, place: Path) -> tuple[Kind, Examined]:
        """What a path is, and what its checks come to."""
        ...

    def runs(self) -> list[Path]:
        """The run directories that were given."""
        ...

    def files(self, name: str) -> list[Path]:
        """The files of that name that were given, attestations left out."""
        ...


class Looked(NamedTuple):
    """What was found of an attestation.

    Attributes:
        checks: what was checked.
        signers: the named keys that signed it.
        signature: whether its signatures were checked.
        authentic: whether the files are there, what is stated follows from them, and enough of the keys signed it.
        tree: the tree of lines that it speaks of.
    """

    checks: tuple[Check, ...]
    signers: tuple[Signer, ...] = ()
    signature: SignatureState = "none"
    authentic: bool = False
    tree: KnownTree | None = None


def look_at_attestation(path: Path, terms: SignatureTerms, around: Around) -> Looked:
    """Check an attestation or a claim that was given by itself.

    Args:
        path: the file.
        terms: what the reader asks of signatures.
        around: what else was given.

    Raises:
        UsageError: it, or a file that it speaks of, may not be read.
    """
    return _Attestation(path, terms, around).look()


class _Attestation:
    def __init__(self, path: Path, terms: SignatureTerms, around: Around) -> None:
        self._path = path
        self._terms = terms
        self._around = around
        self._opened: OpenEnvelope
        self._derived = False

    def look(self) -> Looked:
        attempt = Attempt()
        checks = [attempt.step("form", self._form)]
        if attempt.failed:
            return Looked(tuple(checks))
        checks.append(attempt.step("statement", self._stated))
        if attempt.failed:
            return Looked(tuple(checks), signature="unchecked")
        checks.append(self._files(attempt))
        if self._opened.statement.predicate_type == CLAIM_PREDICATE:
            by = check_claim(self._opened, self._terms, self._terms.threshold)
        else:
            by = check_signatures("signature", [self._opened], self._terms, self._terms.threshold)
        checks.append(by.check)
        verified = by.check.done and by.check.holds
        signers = by.signers if verified else ()
        # Nothing that a claim says can be derived.
        authentic = verified and self._derived and self._opened.statement.predicate_type != CLAIM_PREDICATE
        holds = all(check.holds for check in checks)
        authentic = authentic and holds
        tree = self._tree(signers, authentic=authentic) if holds else None
        return Looked(tuple(checks), signers, "verified" if verified else "unchecked", authentic, tree)

    def _form(self) -> str:
        self._opened = open_envelope(self._path, linked=True)
        return f"signatures that say they are by {self._opened.claimed()}"

    def _stated(self) -> str:
        statement, file = self._opened.statement, self._opened.file
        problems = list(_name_problems(statement))
        shape = _SHAPE_OF.get(statement.predicate_type)
        if shape is not None:
            problems += statement_shape(shape, statement.predicate, [each.annotations for each in statement.subjects])
        elif statement.predicate_type != CLAIM_PREDICATE:
            message = f"statements of the type {statement.predicate_type[:200]!r} are not known"
            problems.append(Problem(code="unknown_predicate", message=message, path="$.predicateType"))
        if not problems and not self._is_of_run() and len(statement.subjects) != 1:
            message = "it is about one file of evidence, or about the files of a run"
            problems.append(Problem(code="wrong_value", message=message, path="$.subject"))
        if problems:
            raise IntegrityError(*problems).located(file=file)
        return f"{_said(statement)} of {', '.join(subject.name for subject in statement.subjects)}"

    def _is_of_run(self) -> bool:
        statement = self._opened.statement
        # A claim is about whatever it names.
        return (
            statement.predicate_type in (RUN_PREDICATE, CLAIM_PREDICATE)
            and tuple(subject.name for subject in statement.subjects) == RUN_SUBJECTS
        )

    def _files(self, attempt: Attempt) -> Check:
        places = self._places()
        if not places:
            return left_open("files", "not given: give them too, to show that what is stated follows from them")
        return attempt.step("files", lambda: self._compare(places))

    def _compare(self, places: Sequence[Path]) -> str:
        """Compare the statement with what follows from the first place that it fits, or from the first of all."""
        found = [(place, *self._examine(place)) for place in places]
        fitting = next((each for each in found if each[1] is not None and not self._differs(each[1])), found[0])
        place, due, problems = fitting
        if due is None:
            raise IntegrityError(*problems)
        if differing := self._differs(due):
            raise IntegrityError(*differing)
        self._derived = True
        claims = self._opened.statement.predicate_type == CLAIM_PREDICATE
        said = "it is about these files" if claims else "what is stated follows from it"
        return f"{os.fspath(place)} holds, and {said}"

    def _differs(self, due: Statement) -> list[Problem]:
        opened = self._opened
        if opened.statement.predicate_type != CLAIM_PREDICATE:
            return statement_problems(opened, due)
        claimed = replace(opened.statement, data={}, predicate_type=due.predicate_type, predicate=due.predicate)
        return statement_problems(opened._replace(statement=claimed), due)

    def _examine(self, place: Path) -> tuple[Statement | None, tuple[Problem, ...]]:
        """What follows from some evidence, or why nothing does."""
        file = os.fspath(place)
        try:
            if place.parent == self._path.parent and not place.is_dir():
                refuse_link(place)
            kind, examined = self._around.examined(place)
        except IntegrityError as error:
            return None, error.problems
        except UsageError as error:
            if error.code != "unknown_kind":
                raise
            return None, error.problems
        if kind == "attestation":
            message = "an attestation speaks of evidence, not of another attestation"
            return None, (Problem(code="other_statement", message=message, file=file, path="$.subject"),)
        if examined.unsigned is not None:
            message = f"nothing can be stated of this evidence: {examined.unsigned}"
            return None, (Problem(code="other_statement", message=message, file=file),)
        return examined.statement, examined.problems

    def _places(self) -> list[Path]:
        """Where the files are that it speaks of: beside it, or else among those that were given."""
        folder = self._path.parent
        if self._is_of_run():
            return [folder] if is_run_directory(folder) else self._around.runs()
        name = self._opened.statement.subjects[0].name
        try:
            # Listed, since some systems open a file under names that differ in case.
            with os.scandir(folder) as entries:
                beside = any(entry.name == name for entry in entries)
        except OSError as error:
            raise unreadable(folder, error) from None
        return [folder / name] if beside else self._around.files(name)

    def _tree(self, signers: tuple[Signer, ...], *, authentic: bool) -> KnownTree | None:
        statement = self._opened.statement
        if statement.predicate_type == RUN_PREDICATE:
            report, records = statement.subjects[0].annotations, statement.subjects[1].annotations
            tree = KnownTree(
                of="run",
                source=self._opened.file,
                digest=report["evidence_digest"],
                root=records["root"],
                size=records["count"],
            )
        elif statement.predicate_type == MANIFEST_PREDICATE:
            said = statement.predicate
            root, size = said["root"], said["counts"]["lines"]
            tree = KnownTree(of="manifest", source=self._opened.file, digest=said["digest"], root=root, size=size)
        else:
            return None
        return replace(tree, signers=signers, authentic=authentic, whole=self._derived)


def _said(statement: Statement) -> str:
    """What a statement is, in a few words."""
    if statement.predicate_type == RUN_PREDICATE:
        return f"a run, {statement.predicate['result']}:"
    if statement.predicate_type == MANIFEST_PREDICATE:
        return f"the manifest {statement.predicate['name']!r}:"
    return "a claim" if statement.predicate_type == CLAIM_PREDICATE else str(statement.predicate["kind"])


def _name_problems(statement: Statement) -> Iterable[Problem]:
    for index, subject in enumerate(statement.subjects):
        if reason := unsafe_name_reason(subject.name):
            message = f"{subject.name[:200]!r} {reason}"
            yield Problem(code="unsafe_name", message=message, path=f"$.subject[{index}].name")
