"""The case: one input with its id, its source group and, where known, its right answer.

Cases are the one record made by the hundred thousand on every path (validation, manifest, run), so they are plain
classes with their own checks; the records that are made once a file are pydantic models.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias, get_args

from robust.canon import (
    MAX_SAFE_INTEGER,
    JsonObject,
    JsonValue,
    canonical_bytes,
    describe,
    digest_bytes,
    exact_text,
    is_digest,
    join_path,
)
from robust.errors import CaseError, Problem
from robust.records.base import unknown_fields
from robust.records.media import Media
from robust.records.redaction import redact_metadata

Relation: TypeAlias = Literal["invariant", "counterfactual", "increasing", "decreasing"]
_INPUT_TYPES: Final = frozenset((str, dict))
RELATIONS: Final[tuple[Relation, ...]] = get_args(Relation)
MAX_ID_LENGTH: Final = 256
_MAX_SHOWN: Final = 60
CONTENT_FORM: Final = b'{"input":%s,"media":%s,"schema":"robust.case-content/1"}'

_MISSING: Final = object()
_CASE_FIELDS = ("case_id", "source_id", "input", "expected", "metadata", "media", "origin")
_ORIGIN_FIELDS = ("parent_id", "parent_content", "transform", "params", "seed", "index", "relation")


def id_problem(value: object, path: str) -> Problem | None:
    """What is wrong with a case or source id, if anything: text of 1–256 characters without control characters."""
    if type(value) is not str:
        return Problem(code="bad_id", message=f"an id must be text, not {describe(value)}", path=path)
    if not 1 <= len(value) <= MAX_ID_LENGTH:
        message = f"an id must have 1 to {MAX_ID_LENGTH} characters, this one has {len(value)}"
        return Problem(code="bad_id", message=message, path=path)
    if not value.isprintable():
        for character in value:
            if unicodedata.category(character) in ("Cc", "Cs"):
                message = f"an id must not hold the character U+{ord(character):04X}"
                return Problem(code="bad_id", message=message, path=path, hint="use printable characters")
    return None


def relation_problem(value: object, path: str) -> Problem | None:
    """What is wrong with a relation, if anything: it must be one of ``RELATIONS``; None is none of them."""
    text = exact_text(value)
    if type(text) is str and text in RELATIONS:
        return None
    shown = repr(text[:_MAX_SHOWN]) if type(text) is str else describe(value)
    hint = "use one of " + ", ".join(RELATIONS)
    return Problem(code="unknown_relation", message=f"{shown} is not a relation", path=path, hint=hint)


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a candidate comes from: its parent, the transformation, and the relation that is claimed.

    ``parent_content`` is the content digest of the parent as it was transformed; ``seed`` and ``index`` let a
    deterministic transformation be repeated. ``relation`` is a hypothesis, nothing more.
    """

    parent_id: str
    parent_content: str
    transform: str = "external"
    params: JsonObject = field(default_factory=dict)
    seed: int | None = None
    index: int = 0
    relation: Relation | None = None

    def __post_init__(self) -> None:
        _make_exact(self, "parent_id", "parent_content", "transform", "relation")
        problems = list(_origin_problems(self))
        if problems:
            raise CaseError(*problems)

    def to_json(self) -> JsonObject:
        """The origin as plain JSON data."""
        return {name: getattr(self, name) for name in _ORIGIN_FIELDS}

    @classmethod
    def from_json(cls, data: object, path: str = "$.origin") -> Origin:
        """Read an origin.

        Raises:
            CaseError: a field is missing, unknown or wrong.
        """
        if not isinstance(data, dict):
            raise CaseError.of("wrong_value", f"an origin must be an object, not {describe(data)}", path=path)
        problems = unknown_fields(data, _ORIGIN_FIELDS, path)
        problems += [
            Problem(code="missing_field", message="the field is missing", path=join_path(path, name))
            for name in ("parent_id", "parent_content")
            if name not in data
        ]
        if problems:
            raise CaseError(*problems)
        return cls(**data)

    @classmethod
    def of_own(cls, data: JsonObject) -> Origin:
        """The origin of data with all seven fields that this process made or has checked: nothing is checked again."""
        origin = object.__new__(cls)
        object.__setattr__(origin, "__dict__", data)
        return origin


def _origin_problems(origin: Origin) -> list[Problem]:
    path = "$.origin"
    problem = id_problem(origin.parent_id, f"{path}.parent_id")
    problems = [problem] if problem else []

    def require(holds: bool, name: str, wanted: str) -> None:
        if not holds:
            problems.append(Problem(code="wrong_value", message=f"must be {wanted}", path=f"{path}.{name}"))

    require(is_digest(origin.parent_content), "parent_content", "a digest (sha256: and 64 hex digits)")
    require(type(origin.transform) is str and bool(origin.transform), "transform", "non-empty text")
    require(isinstance(origin.params, dict), "params", "an object")
    seed, index = origin.seed, origin.index
    portable = seed is None or (type(seed) is int and abs(seed) <= MAX_SAFE_INTEGER)
    require(portable, "seed", "an integer within ±(2^53−1), or null")
    require(type(index) is int and 0 <= index <= MAX_SAFE_INTEGER, "index", "an integer from 0 to 2^53−1")
    if origin.relation is not None and (problem := relation_problem(origin.relation, f"{path}.relation")):
        problems.append(problem)
    return problems


def _make_exact(record: object, *names: str) -> None:
    """Turn texts of a subclass into exact ones, so that no override has a say in any comparison."""
    for name in names:
        value = getattr(record, name)
        if type(value) is not str:
            object.__setattr__(record, name, exact_text(value))


@dataclass(frozen=True)
class Case:
    """One input of a test set.

    Everything but ``input`` and ``expected`` is given by keyword.

    Attributes:
        input: what the model sees: text, or a JSON object.
        expected: the right answer where it is known; None is never an answer.
        case_id: 1–256 characters without control characters, unique in a set (also after NFC).
        source_id: the source group: cases that descend from one real-world source.
        metadata: a JSON object, carried along; values under secret-looking keys are redacted when stored.
        media: files that belong to the input.
        origin: for a candidate, where it comes from.

    Raises:
        CaseError: a field is wrong; all of them are named at once.
    """

    input: str | JsonObject
    expected: JsonValue = None
    case_id: str = field(kw_only=True)
    source_id: str = field(kw_only=True)
    metadata: JsonObject = field(default_factory=dict, kw_only=True)
    media: tuple[Media, ...] = field(default=(), kw_only=True)
    origin: Origin | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        _make_exact(self, "case_id", "source_id", "input")
        problems = [
            problem
            for problem in (id_problem(self.case_id, "$.case_id"), id_problem(self.source_id, "$.source_id"))
            if problem
        ]
        if not issubclass(type(self.input), str | dict):
            problems.append(_wrong("input", "text or an object", self.input))
        if not issubclass(type(self.metadata), dict):
            problems.append(_wrong("metadata", "an object", self.metadata))
        if type(self.media) is not tuple and isinstance(self.media, Iterable):
            object.__setattr__(self, "media", tuple(self.media))
        if type(self.media) is not tuple or not all(isinstance(item, Media) for item in self.media):
            problems.append(_wrong("media", "a list of Media", self.media))
        if not (self.origin is None or isinstance(self.origin, Origin)):
            problems.append(_wrong("origin", "an Origin or None", self.origin))
        if problems:
            raise CaseError(*problems)

    def __hash__(self) -> int:
        return hash((self.case_id, self.source_id))

    def to_json(self) -> JsonObject:
        """The case as it is stored: every field present, secret-looking metadata redacted."""
        return {
            "case_id": self.case_id,
            "source_id": self.source_id,
            "input": self.input,
            "expected": self.expected,
            "metadata": redact_metadata(self.metadata) if self.metadata else {},
            "media": [item.to_json() for item in self.media],
            "origin": None if self.origin is None else self.origin.to_json(),
        }

    @classmethod
    def from_json(cls, data: object, *, path: str = "$") -> Case:
        """Read a case from plain JSON data.

        Raises:
            CaseError: a field is missing, unknown or wrong; all are named at once, below ``path``.
        """
        if not isinstance(data, dict):
            raise CaseError.of("wrong_value", f"a case must be an object, not {describe(data)}", path=path)
        if _plainly_in_order(data):
            return cls.of_own(data)
        problems = unknown_fields(data, _CASE_FIELDS, path)
        problems += [
            Problem(code="missing_field", message="the field is missing", path=join_path(path, name))
            for name in ("case_id", "source_id", "input")
            if name not in data
        ]
        if problems:
            raise CaseError(*problems)
        values: dict[str, Any] = dict(data)
        try:
            if "media" in values:
                values["media"] = tuple(Media.from_list(values["media"]))
            if values.get("origin") is not None:
                values["origin"] = Origin.from_json(values["origin"])
            return cls(**values)
        except CaseError as error:
            raise _below(error, path) from None

    @classmethod
    def from_stored(cls, data: object, *, path: str = "$") -> Case:
        """Read a case that must have exactly the form in which cases are stored: all fields, secrets redacted.

        Raises:
            CaseError: see :meth:`from_json`; also a field that is stored otherwise.
        """
        # The same at first sight, as most lines are: only a secret is left to look for.
        if isinstance(data, dict) and _plainly_in_order(data):
            metadata = data["metadata"]
            # What holds no secret is given back itself.
            if not metadata or (redacted := redact_metadata(metadata)) is metadata or redacted == metadata:
                return cls.of_own(data)
        case = cls.from_json(data, path=path)
        stored = case.to_json()
        if isinstance(data, dict) and stored != data:
            raise CaseError(*_otherwise_stored(data, stored, path))
        return case

    @classmethod
    def of_plain(cls, data: JsonObject) -> Case | None:
        """The case of data with all seven fields that is in order at first sight; None to look closer."""
        return cls.of_own(data) if _plainly_in_order(data) else None

    @classmethod
    def of_own(cls, data: JsonObject) -> Case:
        """The case of stored data that this process made or has checked: nothing is checked again."""
        case = object.__new__(cls)
        media, origin = data["media"], data["origin"]
        fields = {
            **data,
            "media": tuple(Media(**item) for item in media) if media else (),
            "origin": None if origin is None else Origin.of_own(origin),
        }
        object.__setattr__(case, "__dict__", fields)
        return case

    @property
    def content_digest(self) -> str:
        """The identity of what the model sees: input and media, without id, answer or metadata."""
        return content_digest(self.input, [item.to_json() for item in self.media])

    def with_expected(self, expected: JsonValue) -> Case:
        """The same case with another expected answer."""
        return replace(self, expected=expected)


def _plainly_in_order(data: JsonObject) -> bool:
    """Whether stored data is a case with all seven fields, each right at first sight, without media and origin.

    Most lines of a file are. Whatever is not goes through every check and gets an error that says why; a test holds
    the two ways together.
    """
    get = data.get
    case_id, source_id = get("case_id"), get("source_id")
    return (
        len(data) == len(_CASE_FIELDS)
        and type(case_id) is str
        and 0 < len(case_id) <= MAX_ID_LENGTH
        and case_id.isprintable()
        and type(source_id) is str
        and 0 < len(source_id) <= MAX_ID_LENGTH
        and source_id.isprintable()
        and type(get("input")) in _INPUT_TYPES
        and type(get("metadata")) is dict
        and get("media") == []
        and get("origin", _MISSING) is None
        and "expected" in data
    )


def _otherwise_stored(data: JsonObject, stored: JsonObject, path: str) -> Iterator[Problem]:
    for name, value in stored.items():
        here = join_path(path, name)
        if name not in data:
            yield Problem(code="missing_field", message="the field is missing", path=here)
        elif name == "origin" and value != data[name]:
            yield from _otherwise_stored(data[name], value, here)
        elif value != data[name]:
            message = "it is not in the form in which it is stored; a value under a secret-looking key is not redacted"
            yield Problem(code="wrong_value", message=message, path=here)


def content_digest(shown: object, media: list[JsonObject]) -> str:
    """The content digest of an input and its media.

    Raises:
        DataError: the input is not portable JSON.
    """
    return digest_bytes(CONTENT_FORM % (canonical_bytes(shown), canonical_bytes(media)))


def _wrong(name: str, wanted: str, found: object) -> Problem:
    return Problem(code="wrong_value", message=f"must be {wanted}, not {describe(found)}", path=f"$.{name}")


def _below(error: CaseError, path: str) -> CaseError:
    if path == "$":
        return error
    return CaseError(*(replace(item, path=path + (item.path or "$")[1:]) for item in error.problems))
