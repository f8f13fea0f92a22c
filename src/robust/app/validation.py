"""The public functions that judge candidates."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import Any, Self

from robust.app.manifests import Manifest
from robust.canon import describe
from robust.errors import CaseError, ManifestError
from robust.oracle.asked import AskedOracle
from robust.oracle.batch import Batch
from robust.oracle.question import Labels, capture, read_terms
from robust.oracle.validate import identify, judge, make_observer
from robust.records.case import Case, Relation
from robust.records.comparator import EXACT, Comparator
from robust.records.manifest import DEFAULT_SPLIT
from robust.records.seams import Validator
from robust.records.validation import ValidationRecord
from robust.store.attestations import replacing
from robust.store.validations import FileJournal, read_validations, write_validations

MAX_WORKERS = 256


class Validation(ValidationRecord):
    """The record of one judgement: ``status``, ``issues``, ``strength``, ``digest`` and ``data`` (a fresh dict)."""

    __slots__ = ()

    @classmethod
    def load_all(cls, path: str | os.PathLike[str]) -> Iterator[Self]:
        """Stream the records of a validation file, each checked.

        Raises:
            UsageError: the file cannot be read.
            IntegrityError: a record is damaged or contradicts itself.
        """
        return (cls.of(record) for record in read_validations(path))

    @staticmethod
    def save_all(
        path: str | os.PathLike[str], validations: Iterable[ValidationRecord], *, overwrite: bool = False
    ) -> None:
        """Write validations to a file, one a line, atomically.

        Raises:
            UsageError: the file exists and ``overwrite`` is false, or it cannot be written.
        """
        with replacing(path):
            write_validations(path, validations, overwrite=overwrite)

    def manifest(self, name: str, split: str = DEFAULT_SPLIT) -> Manifest:
        """A manifest of the base and the variant.

        Args:
            name: the manifest's name.
            split: the split of both.

        Raises:
            ManifestError: the validation is not valid, or its strength is not ``answers``.
        """
        data = self.data
        if self.status != "valid":
            codes = ", ".join(self.issues)
            raise ManifestError.of(
                "not_valid",
                f"the validation is {self.status} ({codes})",
                path=f"case {data['candidate']['case_id']!r}",
                hint="only a valid variant can be scored",
            )
        return Manifest.build(name, validations=[self], splits=split)


def validate_variant(
    base: Case,
    candidate: Case,
    *,
    relation: Relation,
    contract: str,
    validator: Validator | AskedOracle | str,
    comparator: Comparator | str = EXACT,
    labels: Labels = "hidden",
    require_answers: bool = True,
    repeats: int = 1,
    timeout_s: float | None = None,
    isolate: bool = False,
) -> Validation:
    """Have an oracle judge whether a candidate is a valid variant of its base.

    The validator gets detached copies and is judged from bytes captured before the call. Whatever it does (raise,
    hang, change its copies, return nonsense) ends as a record; only KeyboardInterrupt and SystemExit pass through.

    Args:
        base: the case that the candidate was made from.
        candidate: the transformed case, with the same source and another id.
        relation: what is claimed between the two right answers.
        contract: the name and version of the oracle's own contract, ``name/vN``.
        validator: the oracle: a callable of base and candidate, synchronous or not, ``module:name`` of one, a program
            (:class:`CommandOracle`), a service (:class:`HttpOracle`), or a combination of several (:func:`all_of`,
            :func:`any_of`, :func:`quorum`). It may declare ``name`` and ``version``. It must never be the tested model.
        comparator: how answers are compared.
        labels: ``hidden`` shows the oracle copies without expected answers.
        require_answers: whether a valid verdict needs both derived answers; without, an ``invariant`` may be valid
            with strength ``relation``, which cannot be scored.
        repeats: how often the oracle is asked; verdicts that differ make the record unknown.
        timeout_s: seconds for each answer. Without ``isolate`` a validator that exceeds it is left behind in a daemon
            thread, since Python cannot end a thread.
        isolate: ask in a spawned worker process, which is killed when the time is over. The validator must then be
            importable as ``module:name``.

    Raises:
        CaseError: before any validator runs: the pair or a term is unusable. Names the field and both values.
    """
    terms = read_terms(
        contract=contract,
        comparator=comparator,
        labels=labels,
        require_answers=require_answers,
        repeats=repeats,
        timeout_s=timeout_s,
    )
    question = capture(base, candidate, relation=relation, labels=terms.labels)
    observer = make_observer(validator, terms, isolate=isolate)
    return judge(question, observer, terms, identify(validator, terms), Validation)


def validate_variants(
    pairs: Iterable[tuple[Case, Case]],
    *,
    contract: str,
    validator: Any,
    relation: Relation | None = None,
    comparator: Comparator | str = EXACT,
    labels: Labels = "hidden",
    require_answers: bool = True,
    repeats: int = 1,
    timeout_s: float | None = None,
    isolate: bool = False,
    workers: int = 1,
    journal: str | os.PathLike[str] | FileJournal | None = None,
) -> Iterator[Validation]:
    """Judge many pairs of base and candidate, streaming, in their order.

    The keywords are those of :func:`validate_variant`, and:

    Args:
        pairs: base and candidate; read as they are needed. Of a list or tuple, which is there already, pairs that are
            judged within milliseconds are judged a few at a time, up to 16.
        contract: see :func:`validate_variant`.
        validator: see :func:`validate_variant`; with several workers it is called from several threads, or with
            ``isolate`` in as many processes.
        relation: the relation of every pair; by default each candidate's own ``origin.relation``.
        comparator: see :func:`validate_variant`.
        labels: see :func:`validate_variant`.
        require_answers: see :func:`validate_variant`.
        repeats: see :func:`validate_variant`.
        timeout_s: see :func:`validate_variant`.
        isolate: see :func:`validate_variant`.
        workers: how many pairs are judged at once, 1–256.
        journal: a file that keeps finished validations: a batch that was killed and is started again with the same
            pairs and terms judges only what is missing.

    Raises:
        CaseError: at once for a wrong term; while iterating for a pair, naming its position.
        UsageError: the journal cannot be used.
        IntegrityError: the journal is damaged before its last line.
    """
    terms = read_terms(
        contract=contract,
        comparator=comparator,
        labels=labels,
        require_answers=require_answers,
        repeats=repeats,
        timeout_s=timeout_s,
    )
    check_workers(workers)
    if not isinstance(pairs, Iterable):
        raise CaseError.of("not_a_pair", f"must be pairs of base and candidate, not {describe(pairs)}", path="pairs")
    observer = make_observer(validator, terms, isolate=isolate)
    oracle = identify(validator, terms)

    def stream() -> Iterator[Validation]:
        with ExitStack() as stack:
            kept = journal
            if kept is not None and not isinstance(kept, FileJournal):
                kept = stack.enter_context(FileJournal(kept))
            yield from Batch(observer, terms, oracle, Validation, relation=relation, journal=kept).run(pairs, workers)

    return stream()


def check_workers(workers: object) -> None:
    """Refuse a number of workers that cannot be.

    Raises:
        CaseError: it is no integer from 1 to 256.
    """
    if type(workers) is not int or not 1 <= workers <= MAX_WORKERS:
        message = f"must be an integer from 1 to {MAX_WORKERS}, not {workers!r}"
        raise CaseError.of("bad_workers", message, path="workers")
