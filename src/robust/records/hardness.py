"""How hard cases are for a model, ``robust.hardness/1``: every shot with its status, and what follows from them.

It says nothing of whether a case is valid, and no part of it enters a validation or a manifest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from robust.canon import (
    JsonObject,
    MerkleTree,
    canonical_bytes,
    describe,
    digest_value,
    is_digest,
    nfc,
    parse_canonical,
)
from robust.errors import CaseError, IntegrityError, Problem
from robust.records.case import id_problem
from robust.records.comparator import stored_comparator
from robust.records.decision import LIMIT_SLACK, tidy_number
from robust.records.report import contradictions

SCHEMA: Final = "robust.hardness/1"
MAX_SHOTS: Final = 10_000
MAX_DETAIL_BYTES: Final = 4096
ShotStatus: TypeAlias = Literal["passed", "failed", "model_error", "judge_error", "unmeasured", "not_run"]
SHOT_STATUSES: Final[tuple[ShotStatus, ...]] = get_args(ShotStatus)
Band: TypeAlias = tuple[float, float]
_MEASURED: Final = ("passed", "failed")
# What a shot of each status has: an answer (None: it may be null), and a detail.
_WITH_DETAIL: Final = ("model_error", "judge_error")
_WITHOUT_ANSWER: Final = ("model_error", "not_run")
_MAX_PROBLEMS: Final = 10
_IDENTITY: Final = {"name", "version", "source_sha256"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Shot:
    """One try of a model at a case.

    Attributes:
        status: ``passed`` or ``failed`` as the judge says; ``unmeasured`` where the judge cannot tell; ``model_error``
            and ``judge_error`` where one of them raised or returned what cannot be used; ``not_run`` where it was
            stopped before.
        answer: the model's answer, as JSON; None where there is none.
        detail: of an error, what it was.
    """

    status: ShotStatus
    answer: Any = None
    detail: str | None = None

    def to_json(self) -> JsonObject:
        """The shot as plain JSON data."""
        return {"status": self.status, "answer": self.answer, "detail": self.detail}


@dataclass(frozen=True, kw_only=True, slots=True)
class HardnessCase:
    """What the shots at one case came to.

    Attributes:
        case_id: of the case.
        source_id: its source group.
        content: its content digest.
        shots: all shots, in the order in which they were made.
        failure_rate: the share of shots that failed; None unless every one was measured.
        measured_shots: how many passed or failed.
        in_band: whether there is a failure rate, and it is within the band.
    """

    case_id: str
    source_id: str
    content: str
    shots: tuple[Shot, ...]
    failure_rate: float | None
    measured_shots: int
    in_band: bool

    def to_json(self) -> JsonObject:
        """The case as it stands on a line."""
        return {
            "kind": "hardness-case",
            "case_id": self.case_id,
            "source_id": self.source_id,
            "content": self.content,
            "shots": [shot.to_json() for shot in self.shots],
            "failure_rate": None if self.failure_rate is None else tidy_number(self.failure_rate),
            "measured_shots": self.measured_shots,
            "in_band": self.in_band,
        }


def hardness_case(*, case_id: str, source_id: str, content: str, shots: Sequence[Shot], band: Band) -> HardnessCase:
    """A case with what follows from its shots.

    Args:
        case_id: of the case.
        source_id: its source group.
        content: its content digest.
        shots: all of them; what was not run included.
        band: the failure rates that are looked for, both ends included.
    """
    rate = failure_rate([shot.status for shot in shots])
    return HardnessCase(
        case_id=case_id,
        source_id=source_id,
        content=content,
        shots=tuple(shots),
        failure_rate=rate,
        measured_shots=sum(shot.status in _MEASURED for shot in shots),
        in_band=rate is not None and band[0] - LIMIT_SLACK <= rate <= band[1] + LIMIT_SLACK,
    )


def case_of_data(data: JsonObject, band: Band) -> HardnessCase:
    """The case of a line, with what follows from its shots; nothing else in it is looked at."""
    return hardness_case(
        case_id=data["case_id"],
        source_id=data["source_id"],
        content=data["content"],
        shots=[Shot(**shot) for shot in data["shots"]],
        band=band,
    )


def failure_rate(statuses: Sequence[str]) -> float | None:
    """The share of shots that failed, 0–1; None where there is none, or one that was not measured."""
    if not statuses or any(status not in _MEASURED for status in statuses):
        return None
    return statuses.count("failed") / len(statuses)


class HardnessCounts:
    """Counts over the cases of a file, and the root over their lines."""

    def __init__(self) -> None:
        self._tree = MerkleTree()
        self._shots: dict[str, int] = dict.fromkeys(SHOT_STATUSES, 0)
        self._measured = self._in_band = 0

    def add(self, case: HardnessCase, line: bytes) -> None:
        """Count a case."""
        self._tree.add(line)
        self._measured += case.failure_rate is not None
        self._in_band += case.in_band
        for shot in case.shots:
            self._shots[shot.status] += 1

    def header(self, settings: JsonObject, observed: JsonObject) -> JsonObject:
        """The first line of the file: its settings, the counts, the root, and the digest of all that."""
        counts = {"cases": self._tree.size, "measured": self._measured, "in_band": self._in_band, "shots": self._shots}
        content = {"kind": "hardness", "schema": SCHEMA, **settings, "counts": counts, "root": self._tree.root()}
        return {**content, "digest": digest_value(content), "observed": observed}


def read_hardness(lines: Iterable[bytes], file: str | None = None) -> tuple[JsonObject, Iterator[HardnessCase]]:
    """Read a file of measured hardness: its header at once, its cases as they are asked for.

    What only the whole file shows (counts, root, digest) is checked when the iterator ends.

    Args:
        lines: the lines without line feeds.
        file: the name that errors give.

    Raises:
        IntegrityError: a line is damaged, or something in it does not follow from the shots.
    """
    remaining = iter(lines)
    first = next(remaining, None)
    if first is None:
        raise IntegrityError.of("cut_short", "the file is empty", file=file)
    header = parse_canonical(first, file=file, line=1)
    problems = list(_header_problems(header))
    if problems:
        raise IntegrityError(*problems).located(file=file, line=1)
    return header, _cases(header, remaining, file)


def _cases(header: JsonObject, lines: Iterator[bytes], file: str | None) -> Iterator[HardnessCase]:
    counts = HardnessCounts()
    seen: set[str] = set()
    band = (header["band"][0], header["band"][1])
    for number, line in enumerate(lines, start=2):
        data = parse_canonical(line, file=file, line=number)
        problems = list(_case_problems(data, header["shots"], header["judge"]))
        if problems:
            raise IntegrityError(*problems[:_MAX_PROBLEMS]).located(file=file, line=number)
        case = case_of_data(data, band)
        problems = list(contradictions(data, case.to_json(), "follows from the shots"))
        if nfc(case.case_id) in seen:
            problems.append(_wrong("$.case_id", f"{case.case_id!r} stands twice"))
        seen.add(nfc(case.case_id))
        if problems:
            raise IntegrityError(*problems[:_MAX_PROBLEMS]).located(file=file, line=number)
        counts.add(case, line)
        yield case
    settings = {name: header[name] for name in _SETTINGS}
    derived = counts.header(settings, header["observed"])
    problems = list(contradictions(header, derived, "follows from the shots"))
    if problems:
        raise IntegrityError(*problems[:_MAX_PROBLEMS]).located(file=file, line=1)


_SETTINGS: Final = ("band", "shots", "comparator", "model", "judge")
_HEADER: Final = {*_SETTINGS, "kind", "schema", "counts", "root", "digest", "observed"}
_CASE: Final = {"kind", "case_id", "source_id", "content", "shots", "failure_rate", "measured_shots", "in_band"}


def _header_problems(header: Any) -> Iterator[Problem]:
    if not isinstance(header, dict) or header.get("schema") != SCHEMA or set(header) != _HEADER:
        yield _wrong("$.schema", f"this is no header of {SCHEMA}")
        return
    problem = band_problem(header["band"])
    if problem is not None or not isinstance(header["band"], list):
        yield _wrong("$.band", problem or "must be a list")
    if type(header["shots"]) is not int or not 1 <= header["shots"] <= MAX_SHOTS:
        yield _wrong("$.shots", f"must be an integer from 1 to {MAX_SHOTS}")
    for name in ("model", "judge"):
        identity = header[name]
        if not (name == "judge" and identity is None) and not _is_identity(identity):
            yield _wrong(f"$.{name}", "must say name, version and source_sha256")
    if (header["judge"] is None) == (header["comparator"] is None):
        yield _wrong("$.judge", "either a judge or a comparator tells right from wrong")
    if header["comparator"] is not None:
        try:
            stored_comparator(canonical_bytes(header["comparator"]))
        except CaseError as error:
            yield from error.problems
    if not isinstance(header["observed"], dict):
        yield _wrong("$.observed", "must be an object")


def _is_identity(value: Any) -> bool:
    if not isinstance(value, dict) or set(value) != _IDENTITY:
        return False
    named = isinstance(value["name"], str) and bool(value["name"])
    version, source = value["version"], value["source_sha256"]
    return named and (version is None or isinstance(version, str)) and (source is None or is_digest(source))


def band_problem(band: Any) -> str | None:
    """What is wrong with a band of failure rates, if anything."""
    numbers = isinstance(band, list | tuple) and len(band) == 2 and all(type(end) in (int, float) for end in band)
    if not numbers or not 0 <= band[0] <= band[1] <= 1:
        return f"must be two failure rates from 0 to 1, the lower first, not {band!r}"
    return None


def _case_problems(data: Any, shots: int, judge: Any) -> Iterator[Problem]:
    if not isinstance(data, dict) or data.get("kind") != "hardness-case" or set(data) != _CASE:
        yield _wrong("$.kind", f"this is no case of {SCHEMA}")
        return
    for name in ("case_id", "source_id"):
        problem = id_problem(data[name], f"$.{name}")
        if problem is not None:
            yield problem
    if not is_digest(data["content"]):
        yield _wrong("$.content", "must be a digest")
    found = data["shots"]
    if not isinstance(found, list) or len(found) != shots:
        yield _wrong(
            "$.shots", f"must be {shots} shots, not {len(found) if isinstance(found, list) else describe(found)}"
        )
        return
    for index, shot in enumerate(found):
        yield from _shot_problems(shot, f"$.shots[{index}]")
        if (
            judge is None
            and isinstance(shot, dict)
            and shot.get("answer", 0) is None
            and shot.get("status") in _MEASURED
        ):
            yield _wrong(f"$.shots[{index}].answer", "no comparator measures null, which is never an answer")


def _shot_problems(shot: Any, path: str) -> Iterator[Problem]:
    if not isinstance(shot, dict) or set(shot) != {"status", "answer", "detail"}:
        yield _wrong(path, "must be an object of status, answer and detail")
        return
    status, detail = shot["status"], shot["detail"]
    if status not in SHOT_STATUSES:
        yield _wrong(f"{path}.status", "must be one of " + ", ".join(SHOT_STATUSES))
        return
    if status in _WITHOUT_ANSWER and shot["answer"] is not None:
        yield _wrong(f"{path}.answer", f"a shot that is {status} has no answer")
    if status in _WITH_DETAIL:
        if not isinstance(detail, str) or not 0 < len(detail.encode()) <= MAX_DETAIL_BYTES:
            yield _wrong(f"{path}.detail", f"must say what went wrong, in at most {MAX_DETAIL_BYTES} bytes")
    elif detail is not None:
        yield _wrong(f"{path}.detail", f"a shot that is {status} has no detail")


def _wrong(path: str, message: str) -> Problem:
    return Problem(code="wrong_value", message=message, path=path)
