"""A slow, exact JSON parser that knows where it is: it finds the place of an error, and keeps scalars as written.

The fast reader of :mod:`robust.canon.parse` hands over to it whenever something is wrong, and contract files in JSON
are read by it because a label ``010`` or ``1.0`` must stay the text that stands in the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from robust.canon.plain import MAX_DEPTH, MAX_SAFE_INTEGER, double_of_integer, join_path
from robust.errors import DataError

_LINE_FEED = re.compile("\n")
_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<real>(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
_CHUNK = re.compile(r'[^"\\\x00-\x1f]*')
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_WORD = re.compile(r"[^\s,:{}\[\]\"]+")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_LITERALS: dict[str, bool | None] = {"true": True, "false": False, "null": None}

NodeValue: TypeAlias = "str | list[Node] | dict[str, Node]"


@dataclass(frozen=True, slots=True)
class Node:
    """A located part of a document. Scalars keep the text that stands in the source.

    ``kind`` is ``plain`` for an unquoted scalar (number, boolean, null, bare YAML text) and ``text`` for a quoted one.
    ``key_line`` is where the key of a member stands, which may be lines before its value; 0 elsewhere.
    """

    kind: Literal["plain", "text", "list", "map"]
    value: NodeValue
    line: int
    column: int
    key_line: int = field(default=0, compare=False)


def number_of(literal: str) -> int | float | None:
    """The value of a JSON number literal, or None where no JSON number can keep it."""
    match = _NUMBER.fullmatch(literal)
    if match is None:
        return None
    if match["real"]:
        value = float(literal)
        return None if value in (float("inf"), float("-inf")) else value
    if len(literal) > 25:
        return None
    integer = int(literal)
    return integer if -MAX_SAFE_INTEGER <= integer <= MAX_SAFE_INTEGER else double_of_integer(integer)


class _Scanner:
    def __init__(self, text: str, file: str | None, first_line: int, max_depth: int) -> None:
        self.text = text
        self.file = file
        self.first_line = first_line
        self.max_depth = max_depth
        self.at = 0
        self.line_starts = [0, *(match.end() for match in _LINE_FEED.finditer(text))]

    def place(self, at: int) -> tuple[int, int]:
        """Line and column, both from 1."""
        index = bisect_right(self.line_starts, at) - 1
        return self.first_line + index, at - self.line_starts[index] + 1

    def fail(self, code: str, message: str, path: str, *, at: int | None = None, hint: str | None = None) -> DataError:
        line, column = self.place(self.at if at is None else at)
        return DataError.of(code, message, file=self.file, line=line, column=column, path=path, hint=hint)

    def space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def document(self) -> Node:
        self.space()
        if self.at == len(self.text):
            raise self.fail("json_syntax", "nothing stands where a JSON value was expected", "$")
        node = self.value("$", 0)
        self.space()
        if self.at != len(self.text):
            raise self.fail("json_syntax", "more text follows after the JSON value", "$", hint="keep one value a line")
        return node

    def value(self, path: str, depth: int) -> Node:
        start = self.at
        here = self.text[start : start + 1]
        line, column = self.place(start)
        if here == '"':
            return Node("text", self.string(path), line, column)
        if here in ("{", "["):
            if depth >= self.max_depth:
                raise self.fail(
                    "too_deep", f"nested deeper than {self.max_depth} levels", path[:200], hint="flatten the value"
                )
            self.at += 1
            if here == "{":
                return Node("map", self.members(path, depth + 1), line, column)
            return Node("list", self.items(path, depth + 1), line, column)
        return Node("plain", self.bare(path), line, column)

    def bare(self, path: str) -> str:
        match = _NUMBER.match(self.text, self.at) or _WORD.match(self.text, self.at)
        word = match.group() if match else ""
        after = self.at + len(word)
        if word in _LITERALS:
            self.at = after
            return word
        if word in ("NaN", "Infinity", "-Infinity", "-") and not self.text[self.at :].startswith("-0"):
            shown = (_WORD.match(self.text, self.at) or [word])[0]
            raise self.fail("not_a_number", f"{shown} is not JSON", path, hint="use null, or text")
        following = self.text[after : after + 1]
        if match is None or _NUMBER.fullmatch(word) is None or (following and following not in " \t\n\r,]}"):
            shown = (_WORD.match(self.text, self.at) or [self.text[self.at : self.at + 1]])[0][:40]
            found = f"{shown!r} is not a JSON value" if shown else "the document ends where a value was expected"
            raise self.fail("json_syntax", found, path, hint="quote text")
        if number_of(word) is None:
            kind = "number" if _NUMBER.fullmatch(word)["real"] else "integer"  # type: ignore[index]
            shown = word if len(word) <= 40 else f"{word[:20]}… ({len(word)} digits)"
            raise self.fail("number_range", f"the {kind} {shown} does not survive JSON", path, hint="store it as text")
        self.at = after
        return word

    def items(self, path: str, depth: int) -> list[Node]:
        items: list[Node] = []
        self.space()
        if self.text[self.at : self.at + 1] == "]":
            self.at += 1
            return items
        while True:
            self.space()
            items.append(self.value(join_path(path, len(items)), depth))
            if self.closes("]", path):
                return items

    def members(self, path: str, depth: int) -> dict[str, Node]:
        members: dict[str, Node] = {}
        self.space()
        if self.text[self.at : self.at + 1] == "}":
            self.at += 1
            return members
        while True:
            self.space()
            start = self.at
            if self.text[start : start + 1] != '"':
                raise self.fail("json_syntax", "an object key must be text in double quotes", path)
            key = self.string(path)
            inner = join_path(path, key)
            if key in members:
                first = members[key].key_line
                raise self.fail(
                    "duplicate_key",
                    f"the key {key!r} stands here and in line {first}",
                    inner,
                    at=start,
                    hint="keep one of them",
                )
            self.space()
            if self.text[self.at : self.at + 1] != ":":
                raise self.fail("json_syntax", "a colon must follow the key", inner)
            self.at += 1
            self.space()
            members[key] = replace(self.value(inner, depth), key_line=self.place(start)[0])
            if self.closes("}", path):
                return members

    def closes(self, bracket: str, path: str) -> bool:
        self.space()
        here = self.text[self.at : self.at + 1]
        if here not in (bracket, ","):
            found = repr(here) if here else "the end of the document"
            raise self.fail("json_syntax", f"{found} stands where ',' or '{bracket}' was expected", path)
        self.at += 1
        return here == bracket

    def string(self, path: str) -> str:
        start = self.at
        self.at += 1
        parts: list[str] = []
        while True:
            chunk = _CHUNK.match(self.text, self.at)
            if chunk:
                parts.append(chunk.group())
                self.at = chunk.end()
            here = self.text[self.at : self.at + 1]
            if here == '"':
                self.at += 1
                break
            if here == "\\":
                parts.append(self.escape(path))
            else:
                found = f"the control character U+{ord(here):04X}" if here else "the end of the document"
                raise self.fail("json_syntax", f"{found} stands inside text", path, hint="escape it, close the text")
        # Surrogate pairs may be written as two escapes; joining them is what makes one character of them.
        text = "".join(parts)
        if not text.isascii():
            try:
                text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
            except UnicodeDecodeError:
                raise self.fail("lone_surrogate", "text holds a lone surrogate", path, at=start) from None
        return text

    def escape(self, path: str) -> str:
        letter = self.text[self.at + 1 : self.at + 2]
        if letter == "u" and (match := _HEX.match(self.text, self.at + 2)):
            self.at += 6
            return chr(int(match.group(), 16))
        if letter not in _ESCAPES:
            raise self.fail("json_syntax", f"\\{letter} is no escape of JSON", path, hint="write \\\\ for a backslash")
        self.at += 2
        return _ESCAPES[letter]


def scan_nodes(text: str, *, file: str | None = None, line: int = 1, max_depth: int = MAX_DEPTH) -> Node:
    """Parse JSON text into located nodes.

    Raises:
        DataError: the first thing that is wrong, with file, line, column and JSON path.
    """
    return _Scanner(text, file, line, max_depth).document()


def value_of(node: Node) -> Any:
    """The plain JSON value of a scanned node."""
    if isinstance(node.value, dict):
        return {key: value_of(item) for key, item in node.value.items()}
    if isinstance(node.value, list):
        return [value_of(item) for item in node.value]
    if node.kind == "text":
        return node.value
    return _LITERALS[node.value] if node.value in _LITERALS else number_of(node.value)
