"""The audit of an oracle, ``robust.oracle-audit/1``: the counts that everything else in it follows from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal, Self, TypeAlias

from pydantic import Field, ValidationError, model_validator

from robust.canon import JsonObject, canonical_bytes, describe, digest_value, is_digest
from robust.errors import CaseError, IntegrityError, Problem
from robust.records.base import Record, problems_of
from robust.records.comparator import stored_comparator
from robust.records.manifest import Count, Digest
from robust.records.status import ISSUE_LEADS_TO
from robust.records.validation import CONTRACT_NAME, RecordedOracle

SCHEMA: Final = "robust.oracle-audit/1"
PAIR_SCHEMA: Final = "robust.audit-pair/1"
Truth: TypeAlias = Literal["valid", "invalid"]
TRUTHS: Final[tuple[Truth, ...]] = ("invalid", "valid")
STATUSES: Final = ("valid", "invalid", "unknown")
# The domain of labelled pairs that name none, and the edit likewise.
GIVEN: Final = "given"
# How many of each kind of error are listed.
MAX_LISTED: Final = 20
# The kinds of error that are listed, each with the truth and the status of its pairs.
MISTAKES: Final[dict[str, tuple[Truth, str]]] = {
    "accepted_invalid": ("invalid", "valid"),
    "refused_valid": ("valid", "invalid"),
}
# What a limit can be on, each with the truth of the pairs it is a share of (None: of all), and the status that counts.
SHARES: Final[dict[str, tuple[Truth | None, str]]] = {**MISTAKES, "undecided": (None, "unknown")}
MAX_NAME: Final = 256
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME)]
_Share = Annotated[float, Field(ge=0, le=1)]
_OBSERVED: Final[dict[str, tuple[type, ...]]] = {
    "audited_at": (str,),
    "duration_s": (int, float),
    "robust_version": (str,),
}


class PlantedPlan(Record):
    """What planted pairs were made with."""

    generator: str
    seed: int
    per_case: Annotated[int, Field(ge=1)]
    domains: list[Name]
    text_field: str | None
    bases: Count
    missed: dict[str, dict[str, Count]]


class AuditCell(Record):
    """How many pairs of one edit were judged to be what."""

    domain: Name
    edit: Name
    truth: Truth
    valid: Count
    invalid: Count
    unknown: Count

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return self.valid + self.invalid + self.unknown


class AuditSpread(Record):
    """How unevenly pairs and judgements lie over source groups: sums over them, which intervals follow from.

    Attributes:
        domain: of the pairs; None of those of all domains.
        truth: of the pairs; None of those of both.
        groups: in how many source groups they are.
        cases_squared: the sum of the square of their number in each group.
        squared: by status, the sum of the square of the number so judged in each group.
        by_cases: by status, the sum of the number so judged times the number of pairs in each group.
    """

    domain: Name | None
    truth: Truth | None
    groups: Count
    cases_squared: Count
    squared: dict[Literal["valid", "invalid", "unknown"], Count]
    by_cases: dict[Literal["valid", "invalid", "unknown"], Count]


class Mistake(Record):
    """One pair that was judged wrongly, with what stands on both sides where they differ."""

    record: Digest
    base_id: str
    candidate_id: str
    domain: Name
    edit: Name
    at: Count
    before: str
    after: str


class SecondOracle(Record):
    """Another oracle that judged the same pairs.

    Attributes:
        oracle: who it is.
        contract: its contract.
        table: by the status of the first and then of the second, how many pairs.
        groups: in how many source groups.
        products: pairs of cells of the table, each as [first, second], and the sum over groups of the product of their
            counts.
    """

    oracle: RecordedOracle
    contract: str
    table: dict[str, dict[str, Count]]
    groups: Count
    products: list[tuple[list[str], list[str], int]]


class AuditLimits(Record):
    """What the audit was to show, and whether the shares themselves are judged or their whole intervals."""

    judge: Literal["point", "bound"]
    max_accepted_invalid: _Share | None
    max_refused_valid: _Share | None
    max_undecided: _Share | None

    def by_share(self) -> dict[str, float]:
        """The limits that there are, by what they are on."""
        limits = {name: getattr(self, f"max_{name}") for name in SHARES}
        return {name: limit for name, limit in limits.items() if limit is not None}


class AuditFacts(Record):
    """What was counted; shares, intervals, kappa, checks and the status follow from it."""

    schema_: Literal["robust.oracle-audit/1"]
    oracle: RecordedOracle
    contract: str
    comparator: dict[str, Any]
    require_answers: bool
    planted: PlantedPlan | None
    given: Count
    duplicates: Count
    unanswered: Count
    cells: list[AuditCell]
    spreads: list[AuditSpread]
    codes: dict[Truth, dict[str, Count]]
    mistakes: dict[str, list[Mistake]]
    second: SecondOracle | None
    confidence: Annotated[float, Field(gt=0, lt=1)]
    limits: AuditLimits
    records: dict[Literal["count", "root"], Any]

    @property
    def pairs(self) -> int:
        """How many pairs were judged."""
        return sum(cell.pairs for cell in self.cells)

    def count(self, truth: Truth | None, status: str | None = None, domain: str | None = None) -> int:
        """How many pairs there are of a truth (None: of both), judged to be of a status (None: of any)."""
        return sum(
            cell.pairs if status is None else getattr(cell, status)
            for cell in self.cells
            if truth in (None, cell.truth) and domain in (None, cell.domain)
        )

    def to_json(self) -> JsonObject:
        """The facts as they stand in an audit."""
        data = super().to_json()
        return {"schema" if name == "schema_" else name: value for name, value in data.items()}

    @model_validator(mode="after")
    def _counts_agree(self) -> Self:
        wrong = next(self._contradictions(), None)
        if wrong is not None:
            raise ValueError(wrong)
        return self

    def _contradictions(self) -> Iterator[str]:
        if not CONTRACT_NAME.match(self.contract):
            yield "an oracle contract is name/vN"
        keys = [(cell.domain, cell.edit, cell.truth) for cell in self.cells]
        if keys != sorted(set(keys)) or any(not cell.pairs for cell in self.cells):
            yield "the cells must be in order, each once, and none empty"
        if self.records.get("count") != self.pairs or not is_digest(self.records.get("root")):
            yield f"the records must be {self.pairs}, as the cells have, and have a root"
        domains = sorted({cell.domain for cell in self.cells})
        scopes = [(domain, truth) for domain in (None, *domains) for truth in (None, *TRUTHS)]
        if [(spread.domain, spread.truth) for spread in self.spreads] != scopes:
            yield "the spreads must be those of all pairs and then of each domain, each of both truths and of each one"
        if self.unanswered > self.count(None, "unknown"):
            yield f"{self.unanswered} pairs cannot be without a verdict where fewer are unknown"
        codes = {code for found in self.codes.values() for code in found}
        if set(self.codes) != set(TRUTHS) or not codes <= set(ISSUE_LEADS_TO):
            yield "the codes are those of validations, by the truth of their pairs"
        else:
            yield from self._code_contradictions()
        made = self.pairs + self.duplicates
        if self.given > made or (self.planted is None and self.given != made):
            yield f"{self.given} labelled pairs cannot come to {self.pairs} pairs and {self.duplicates} duplicates"
        yield from self._mistake_contradictions()
        if self.second is not None:
            yield from self._second_contradictions(self.second)

    def _code_contradictions(self) -> Iterator[str]:
        """Every unknown pair has a code that leads there, every invalid one likewise, and no valid pair has any."""
        for truth, found in self.codes.items():
            invalid, unknown = self.count(truth, "invalid"), self.count(truth, "unknown")
            for leads_to, least, most in (("unknown", unknown, unknown), ("invalid", invalid, invalid + unknown)):
                counts = [count for code, count in found.items() if ISSUE_LEADS_TO[code] == leads_to]
                if max(counts, default=0) > most or sum(counts) < least or min(counts, default=1) < 1:
                    yield f"the codes of {truth} pairs do not fit {invalid} invalid and {unknown} unknown ones"

    def _mistake_contradictions(self) -> Iterator[str]:
        if set(self.mistakes) != set(MISTAKES):
            yield "mistakes are accepted_invalid and refused_valid"
        for kind, (truth, status) in MISTAKES.items():
            if len(self.mistakes.get(kind, ())) != min(MAX_LISTED, self.count(truth, status)):
                yield f"the first {MAX_LISTED} pairs of {kind} must be listed, or all where there are fewer"

    def _second_contradictions(self, second: SecondOracle) -> Iterator[str]:
        if set(second.table) != set(STATUSES) or any(set(row) != set(STATUSES) for row in second.table.values()):
            yield "the table of two oracles has a count for each two statuses"
            return
        for status in STATUSES:
            if sum(second.table[status].values()) != self.count(None, status):
                yield f"the table of two oracles must have as many {status} pairs of the first as the cells"
        for one, other, product in second.products:
            if len(one) != 2 or len(other) != 2 or not {*one, *other} <= set(STATUSES) or product <= 0:
                yield "a product is of two cells of the table, and above 0"


class OracleAuditRecord:
    """An audit, held as the canonical bytes that its digest is over.

    ``content`` is the canonical object without ``digest`` and ``observed``.
    """

    __slots__ = ("content", "digest", "facts", "observed")

    def __init__(self, facts: AuditFacts, derived: JsonObject, observed: JsonObject) -> None:
        content = {**facts.to_json(), **derived}
        self.facts = facts
        self.content = canonical_bytes(content)
        self.digest = digest_value(content)
        self.observed = observed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OracleAuditRecord) and self.content == other.content

    def __hash__(self) -> int:
        return hash(self.content)


def read_facts(data: object, file: str | None = None) -> tuple[AuditFacts, JsonObject]:
    """What was counted, and what was observed, of a stored audit.

    Raises:
        IntegrityError: it is no audit, something is missing or of the wrong kind, or counts contradict each other.
    """
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        found = describe(data) if not isinstance(data, dict) else repr(data.get("schema"))
        raise IntegrityError.of("unknown_schema", f"not a {SCHEMA}, but {found}", file=file, path="$.schema")
    known = {("schema" if name == "schema_" else name): name for name in AuditFacts.model_fields}
    try:
        # Lists come from JSON where tuples are due.
        facts = AuditFacts.model_validate_json(
            canonical_bytes({known[name]: value for name, value in data.items() if name in known})
        )
        stored_comparator(canonical_bytes(facts.comparator))
    except ValidationError as error:
        raise IntegrityError(*_renamed(problems_of(error, file=file))) from None
    except CaseError as error:
        raise IntegrityError(*error.located(file=file).problems) from None
    observed = data.get("observed")
    if not isinstance(observed, dict) or any(
        type(value) not in _OBSERVED.get(name, ()) for name, value in observed.items()
    ):
        message = "what was observed is when, for how long, and by which version"
        raise IntegrityError.of("wrong_value", message, file=file, path="$.observed")
    return facts, dict(observed)


def _renamed(problems: tuple[Problem, ...]) -> Iterator[Problem]:
    for item in problems:
        path = (item.path or "$").replace("schema_", "schema")
        yield Problem(code=item.code, message=item.message, file=item.file, line=item.line, path=path)
