"""YAML text to located nodes whose scalars stay as written: no implicit types, no tags, no alias bombs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import yaml

from robust.canon import MAX_DEPTH, Node
from robust.errors import ContractError
from robust.store.places import dotted

# One parser does the events, the other the fallback: the C parser is not in every build of the library.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MAX_NODES = 100_000
_DEEPEST_SHOWN = 8
_UNSAFE_SCALARS = ("\ud800", "\udfff")


def yaml_nodes(text: str, *, file: str | None = None, loader: Any = _LOADER) -> Node:
    """Parse one YAML document.

    Anchors and aliases are followed, but may not expand the document past its limit of nodes.

    Raises:
        ContractError: with file, line and column.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        bad = next((char for char in line if _UNSAFE_SCALARS[0] <= char <= _UNSAFE_SCALARS[1]), None)
        if bad is not None:
            raise ContractError.of("lone_surrogate", "the text holds a lone surrogate", file=file, line=number)
    try:
        return _Composer(yaml.parse(text, Loader=loader), file).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ContractError.of(
            "yaml_syntax",
            " ".join(part for part in (error.context, error.problem) if part),
            file=file,
            line=mark.line + 1 if mark else None,
            column=mark.column + 1 if mark else None,
        ) from None
    except yaml.YAMLError as error:
        raise ContractError.of("yaml_syntax", str(error).split("\n")[0], file=file) from None


class _Composer:
    def __init__(self, events: Iterator[Any], file: str | None) -> None:
        self._events = events
        self._file = file
        self._anchors: dict[str, tuple[Node, int]] = {}
        self._open: set[str] = set()
        self._count = 0
        self._place: list[str | int] = []

    def _fail(self, code: str, message: str, event: Any, hint: str | None = None) -> ContractError:
        mark = event.start_mark
        path = dotted(self._place[:_DEEPEST_SHOWN])
        return ContractError.of(
            code, message, file=self._file, line=mark.line + 1, column=mark.column + 1, path=path, hint=hint
        )

    def document(self) -> Node:
        document: Node | None = None
        for event in self._events:
            if isinstance(event, yaml.StreamStartEvent | yaml.StreamEndEvent | yaml.DocumentEndEvent):
                continue
            if isinstance(event, yaml.DocumentStartEvent):
                if document is not None:
                    raise self._fail("yaml_syntax", "a second document starts here", event, "keep one document")
                continue
            document = self._node(event, 0)
        if document is None:
            raise ContractError.of("empty", "the file is empty", file=self._file, hint="start with schema_version")
        return document

    def _node(self, event: Any, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self._fail("too_deep", f"nested deeper than {MAX_DEPTH} levels", event)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if event.tag is not None and event.tag != "!":
            raise self._fail("yaml_tag", f"the tag {event.tag!r} is not allowed", event, "a contract is data only")
        before = self._count
        self._grow(1, event)
        if event.anchor:
            self._anchors.pop(event.anchor, None)
            self._open.add(event.anchor)
        node = self._content(event, depth)
        if event.anchor:
            self._open.discard(event.anchor)
            self._anchors[event.anchor] = (node, self._count - before)
        return node

    def _content(self, event: Any, depth: int) -> Node:
        line, column = event.start_mark.line + 1, event.start_mark.column + 1
        if isinstance(event, yaml.ScalarEvent):
            # The C parser gives plain scalars the style "", the Python parser None.
            return Node("text" if event.style or event.tag == "!" else "plain", event.value, line, column)
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Node] = []
            while not isinstance(inner := next(self._events), yaml.SequenceEndEvent):
                items.append(self._inside(len(items), inner, depth))
            return Node("list", items, line, column)
        return Node("map", self._members(depth), line, column)

    def _members(self, depth: int) -> dict[str, Node]:
        members: dict[str, Node] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._node(event, depth + 1)
            if not isinstance(key.value, str):
                raise self._fail("bad_key", "a key must be text, not a list or mapping", event)
            if key.value in members:
                self._place.append(key.value)
                message = f"the key stands here and in line {members[key.value].key_line}"
                raise self._fail("duplicate_key", message, event, "keep one of them")
            members[key.value] = replace(self._inside(key.value, next(self._events), depth), key_line=key.line)
        return members

    def _inside(self, part: str | int, event: Any, depth: int) -> Node:
        """The node of a member or an item, while its place is known."""
        self._place.append(part)
        node = self._node(event, depth + 1)
        self._place.pop()
        return node

    def _alias(self, event: Any) -> Node:
        if event.anchor in self._open:
            raise self._fail("yaml_alias", f"the alias *{event.anchor} stands inside what it names", event)
        if event.anchor not in self._anchors:
            raise self._fail("yaml_alias", f"nothing is named &{event.anchor}", event)
        node, size = self._anchors[event.anchor]
        self._grow(size, event)
        return node

    def _grow(self, nodes: int, event: Any) -> None:
        self._count += nodes
        if self._count > MAX_NODES:
            raise self._fail("too_large", f"the document expands to over {MAX_NODES} values", event)
