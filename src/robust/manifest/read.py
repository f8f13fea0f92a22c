"""From the bytes of a manifest back to checked records: nothing is believed that can be derived."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Self, get_args

from pydantic import ValidationError

from robust.canon import JsonObject, MerkleTree, digest_bytes, join_path, parse_canonical
from robust.errors import CaseError, IntegrityError, Problem
from robust.manifest.plain_cases import PlainCases, in_blocks, read_plain
from robust.manifest.rules import Rules
from robust.records.base import problems_of, unknown_fields
from robust.records.case import Case
from robust.records.manifest import SCHEMA, CaseEntry, LabelSource, ManifestHeader
from robust.records.validation import ValidationRecord, read_validation

_CASE_FIELDS = frozenset(("kind", "case", "split", "label_source", "validation"))
_LABEL_SOURCES = (None, *get_args(LabelSource))


def read_header(line: bytes, file: str | None = None) -> ManifestHeader:
    """Read a header line.

    Raises:
        IntegrityError: it is not canonical, or not a header of a known schema.
    """
    data = parse_canonical(line, file=file, line=1)
    if not isinstance(data, dict) or data.get("kind") != "manifest" or data.get("schema") != SCHEMA:
        raise IntegrityError.of("unknown_schema", f"the first line is no {SCHEMA} header", file=file, line=1)
    try:
        return ManifestHeader.model_validate(data)
    except ValidationError as error:
        raise IntegrityError(*problems_of(error, file=file, line=1)) from None


def read_record(
    data: object, splits: Container[str], *, file: str | None = None, line: int | None = None
) -> CaseEntry | ValidationRecord:
    """Read what a line after the header says, by itself.

    Args:
        data: the line, parsed.
        splits: the splits of the header.
        file: the name that errors give.
        line: the number that errors give.

    Raises:
        IntegrityError: it is neither a case nor a validation in the form in which a manifest keeps them.
    """
    if isinstance(data, dict) and data.get("kind") == "case":
        return _read_case(data, splits, file, line)
    if isinstance(data, dict) and data.get("kind") == "validation" and len(data) == 2:
        return _read_validation(data.get("validation"), file, line)
    raise IntegrityError.of("unknown_line", "neither a case nor a validation", file=file, line=line, path="$")


def _read_case(data: JsonObject, splits: Container[str], file: str | None, line: int | None) -> CaseEntry:
    try:
        if data.keys() != _CASE_FIELDS:
            problems = unknown_fields(data, _CASE_FIELDS, "$")
            problems += [
                Problem(code="missing_field", message="the field is missing", path=join_path("$", name))
                for name in sorted(_CASE_FIELDS - data.keys())
            ]
            raise CaseError(*problems)
        case = Case.from_stored(data["case"], path="$.case")
        split, source, validation = data["split"], data["label_source"], data["validation"]
        if not isinstance(split, str) or split not in splits:
            raise _wrong("split", "a split of the header", split)
        if source not in _LABEL_SOURCES:
            raise _wrong("label_source", "given, oracle or null", source)
        if not (validation is None or isinstance(validation, str)):
            raise _wrong("validation", "a digest or null", validation)
    except CaseError as error:
        raise IntegrityError(*error.located(file=file, line=line).problems) from None
    return CaseEntry(case, split, source, validation)


def _read_validation(data: object, file: str | None, line: int | None) -> ValidationRecord:
    if isinstance(data, dict) and "observed" in data:
        message = "a manifest keeps validations without what was observed"
        raise IntegrityError.of("unknown_field", message, file=file, line=line, path="$.validation.observed")
    try:
        return read_validation(data, file=file, line=line)
    except IntegrityError as error:
        problems = (replace(item, path="$.validation" + (item.path or "$")[1:]) for item in error.problems)
        raise IntegrityError(*problems) from None


class ManifestReader:
    """Reads the lines of one manifest, one by one, and checks everything that they imply.

    Args:
        header_line: the first line, without its line feed.
        file: the name that errors give.

    Raises:
        IntegrityError: the header is damaged.
    """

    def __init__(self, header_line: bytes, file: str | None = None) -> None:
        self.header = read_header(header_line, file)
        self.header_line = header_line
        self.digest = digest_bytes(header_line)
        self._file = file
        self._splits = self.header.splits
        validated = self.header.counts.validations > 0
        self._rules = Rules(split_names=self.header.splits, rule=self.header.split_rule, validated=validated)
        self._tree = MerkleTree()
        self._number = 1
        self._last: tuple[str, str] = ("", "")
        self._counts = {"case": 0, "validation": 0}
        self._problems: list[Problem] = []

    @classmethod
    def of_lines(cls, lines: Iterable[bytes], file: str | None = None) -> tuple[Self, Iterator[bytes]]:
        """The reader of the first line, and the lines that are left for :meth:`read`.

        Raises:
            IntegrityError: there is no line, or the header is damaged.
        """
        left = iter(lines)
        header_line = next(left, None)
        if header_line is None:
            raise IntegrityError.of("cut_short", "the file is empty", file=file)
        return cls(header_line, file), left

    def read(self, lines: Iterable[bytes]) -> Iterator[CaseEntry | ValidationRecord]:
        """Check the lines after the header and yield their records.

        Raises:
            IntegrityError: a line is damaged (at that line), or the whole breaks a rule (after the last line).
        """
        for block in in_blocks(lines):
            plain = self._read_plain(block)
            if plain is not None:
                yield from plain.entries()
            else:
                for line in block:
                    yield self._read_line(line)
        self.finish()

    def check(self, lines: Sequence[bytes]) -> None:
        """Check some of the lines after the header, making no records; :meth:`finish` has to follow the last ones.

        Raises:
            IntegrityError: a line is damaged.
        """
        if self._read_plain(lines) is None:
            for line in lines:
                self._read_line(line)

    def _read_plain(self, lines: Sequence[bytes]) -> PlainCases | None:
        """Check lines all at once; None, and nothing is noted, where they have to be looked at one by one."""
        plain = read_plain(lines, self._splits)
        if plain is None or ("case", plain.ids[0]) <= self._last or not self._rules.add_plain(plain):
            return None
        self._tree.extend(lines)
        self._counts["case"] += len(lines)
        self._last = ("case", plain.ids[-1])
        self._number += len(lines)
        return plain

    def _read_line(self, line: bytes) -> CaseEntry | ValidationRecord:
        self._number = number = self._number + 1
        self._tree.add(line)
        data = parse_canonical(line, file=self._file, line=number)
        record = read_record(data, self._splits, file=self._file, line=number)
        if isinstance(record, CaseEntry):
            self._in_order("case", record.case.case_id, number)
            self._rules.add_case(record)
        else:
            self._in_order("validation", record.digest, number)
            self._rules.add_validation(record)
        return record

    def _in_order(self, kind: str, key: str, number: int) -> None:
        self._counts[kind] += 1
        # "case" sorts before "validation", as the lines do.
        if (kind, key) <= self._last:
            message = f"{kind} {key!r} stands after {self._last[0]} {self._last[1]!r}"
            self._problems.append(
                Problem(code="line_order", message=message, file=self._file, line=number, hint="keep lines in order")
            )
        self._last = (kind, key)

    def finish(self) -> None:
        """Check what only all lines together show.

        Raises:
            IntegrityError: a rule is broken, or the header contradicts the lines; every problem is named at once.
        """
        header = self.header
        derived: JsonObject = {
            "counts": {
                "lines": self._counts["case"] + self._counts["validation"],
                "cases": self._counts["case"],
                "sources": self._rules.sources,
                "validations": self._counts["validation"],
            },
            "root": self._tree.root(),
            "splits": {
                name: {
                    "cases": self._rules.split_cases.get(name, 0),
                    "sources": self._rules.split_groups.get(name, 0),
                }
                for name in header.splits
            },
        }
        stored = header.to_json()
        for name, value in derived.items():
            if stored[name] != value:
                message = f"{stored[name]!r} is stored, {value!r} follows from the lines"
                problem = Problem(code="contradiction", message=message, file=self._file, line=1, path=f"$.{name}")
                self._problems.append(problem)
        self._problems += [replace(problem, file=self._file) for problem in self._rules.finish()]
        if self._problems:
            raise IntegrityError(*self._problems)


def _wrong(name: str, wanted: str, found: Any) -> CaseError:
    return CaseError.of("wrong_value", f"must be {wanted}, not {found!r}", path=f"$.{name}")
